/* SPDX-License-Identifier: GPL-2.0-only */
/* Contact laws as arguments of the commands of an input script. */
#ifndef TWIRL_LAMMPS_LAW_ARGUMENTS_H
#define TWIRL_LAMMPS_LAW_ARGUMENTS_H

#include <string>

#include "host.h"

namespace twirl_lammps
{

/* Reads `law NAME` or `without NAME,NAME` at argument `at`, if it is one of these. Returns the
 * number of arguments read. Errors name `command`. */
int read_law_arguments(LAMMPS_NS::LAMMPS *lmp, const std::string &command, int narg, char **arg,
                       int at, tw_contact_law *law);

/* kn kt mu [nu] from `count` arguments. */
void read_law_constants(LAMMPS_NS::LAMMPS *lmp, const std::string &command, int count, char **arg,
                        tw_contact_law *law);

/* Errors name the command and the quantity. */
double read_number(LAMMPS_NS::LAMMPS *lmp, const std::string &command, const char *what,
                   const char *word);

/* Ends LAMMPS with an error if the law is invalid. */
void check_law(LAMMPS_NS::LAMMPS *lmp, const std::string &command, const tw_contact_law &law);

/* The law of a pair of unlike types. */
tw_contact_law mix_laws(const tw_contact_law &a, const tw_contact_law &b);

} // namespace twirl_lammps

#endif
