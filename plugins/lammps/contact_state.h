/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a contact between two steps, and its form in messages and restart files. */
#ifndef TWIRL_LAMMPS_CONTACT_STATE_H
#define TWIRL_LAMMPS_CONTACT_STATE_H

#include <algorithm>

#include "host.h"

namespace twirl_lammps
{

struct ContactState {
    tw_contact_memory memory;
    double lost;    /* dissipated by friction since the contact formed */
    tw_vec3 drag;   /* damping force in the last step */
    double sliding; /* 1: it slid in the last step */
};

/* Numbers per state in a message or a restart file. */
enum { STATE_VALUES = 12 };

/* Returns the position after the state. */
inline double *pack_state(const ContactState &state, double *to)
{
    const tw_contact_memory &m = state.memory;
    const double values[STATE_VALUES] = {m.n.x,        m.n.y,        m.n.z,        m.zeta,
                                         m.ft.x,       m.ft.y,       m.ft.z,       state.lost,
                                         state.drag.x, state.drag.y, state.drag.z, state.sliding};
    return std::copy(values, values + STATE_VALUES, to);
}

inline ContactState unpack_state(const double *v)
{
    return {{vec3_of(v), v[3], vec3_of(v + 4)}, v[7], vec3_of(v + 8), v[11]};
}

} // namespace twirl_lammps

#endif
