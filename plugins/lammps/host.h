/* SPDX-License-Identifier: GPL-2.0-only */
/* The headers of LAMMPS, and the few calls whose names differ between its versions. */
#ifndef TWIRL_LAMMPS_HOST_H
#define TWIRL_LAMMPS_HOST_H

#include <string>

#include <atom.h>
#include <comm.h>
#include <domain.h>
#include <error.h>
#include <fix.h>
#include <force.h>
#include <memory.h>
#include <modify.h>
#include <neigh_list.h>
#include <neighbor.h>
#include <pair.h>
#include <pointers.h>
#include <update.h>

#include <twirl/contact.h>

/* The functions of errors that all others of LAMMPS call, and their names as symbols. */
#ifdef TWIRL_LAMMPS_NOPOINTER
#define TWIRL_ERROR_PARAMETERS                                                                     \
    const std::string &file, int line, int pointer, const std::string &text
#define TWIRL_ERROR_ARGUMENTS file, line, pointer, text
#define TWIRL_ERROR_NUMBERS "ii"
#else
#define TWIRL_ERROR_PARAMETERS const std::string &file, int line, const std::string &text
#define TWIRL_ERROR_ARGUMENTS file, line, text
#define TWIRL_ERROR_NUMBERS "i"
#endif
#define TWIRL_ERROR_SYMBOL(name)                                                                   \
    "_ZN9LAMMPS_NS5Error3" name                                                                    \
    "ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE" TWIRL_ERROR_NUMBERS "S8_"

namespace twirl_lammps
{

/* A variable number of values from ghosts to their owners. */
template <typename Comm>
auto reverse_variable(Comm *comm, LAMMPS_NS::Fix *fix, int)
    -> decltype(comm->reverse_comm_fix_variable(fix))
{
    comm->reverse_comm_fix_variable(fix);
}

template <typename Comm>
auto reverse_variable(Comm *comm, LAMMPS_NS::Fix *fix, long)
    -> decltype(comm->reverse_comm_variable(fix))
{
    comm->reverse_comm_variable(fix);
}

/* The values of pack_forward_comm from atoms to their ghosts. */
template <typename Comm>
auto forward_pair(Comm *comm, LAMMPS_NS::Pair *pair, int) -> decltype(comm->forward_comm_pair(pair))
{
    comm->forward_comm_pair(pair);
}

template <typename Comm>
auto forward_pair(Comm *comm, LAMMPS_NS::Pair *pair, long) -> decltype(comm->forward_comm(pair))
{
    comm->forward_comm(pair);
}

/* The values of pack_forward_comm of a fix, `size` of them for each atom; 0: all that it has. */
template <typename Comm>
auto forward_fix(Comm *comm, LAMMPS_NS::Fix *fix, int size)
    -> decltype(comm->forward_comm_fix(fix, size))
{
    comm->forward_comm_fix(fix, size);
}

template <typename Comm>
auto forward_fix(Comm *comm, LAMMPS_NS::Fix *fix, long size)
    -> decltype(comm->forward_comm(fix, static_cast<int>(size)))
{
    comm->forward_comm(fix, static_cast<int>(size));
}

/* A half list: by particle size if the headers offer that, otherwise by the largest sizes of the
 * two types. */
template <typename Neighbor>
void request_list(Neighbor *neighbor, LAMMPS_NS::Pair *pair, int instance)
{
#ifdef TWIRL_LAMMPS_REQ_SIZE
    (void)instance;
    neighbor->add_request(pair, LAMMPS_NS::NeighConst::REQ_SIZE);
#else
    neighbor->request(pair, instance);
#endif
}

/* Error texts are put together here: the formatting functions of LAMMPS are in headers that a
 * package may lack. */
[[noreturn]] inline void error_all(LAMMPS_NS::Error *error, const std::string &text,
                                   const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    const std::string path = file;
    error->all(path.substr(path.find_last_of('/') + 1), line, text);
}

inline tw_vec3 vec3_of(const double *v)
{
    return {v[0], v[1], v[2]};
}

inline void vec3_add(double *to, double factor, const tw_vec3 &v)
{
    to[0] += factor * v.x;
    to[1] += factor * v.y;
    to[2] += factor * v.z;
}

} // namespace twirl_lammps

#endif
