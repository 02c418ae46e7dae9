/* SPDX-License-Identifier: GPL-2.0-only */
/* Contact laws in the words of an input script. */
#ifndef TWIRL_LAMMPS_LAW_WORDS_H
#define TWIRL_LAMMPS_LAW_WORDS_H

#include <string>

#include "host.h"

namespace twirl_lammps
{

/* Reads `law NAME` or `without NAME,NAME` at word `at`, or does nothing. Returns how many words
 * were read. `command` is named in errors. */
int read_law_words(LAMMPS_NS::LAMMPS *lmp, const std::string &command, int narg, char **arg, int at,
                   tw_contact_law *law);

/* kn kt mu [nu] from `count` words. */
void read_law_constants(LAMMPS_NS::LAMMPS *lmp, const std::string &command, int count, char **arg,
                        tw_contact_law *law);

/* A number, or an error that names the command and the quantity. */
double read_number(LAMMPS_NS::LAMMPS *lmp, const std::string &command, const char *what,
                   const char *word);

/* Ends LAMMPS if the law cannot be used. */
void expect_law(LAMMPS_NS::LAMMPS *lmp, const std::string &command, const tw_contact_law &law);

/* Of a pair of unlike types. */
tw_contact_law mix_laws(const tw_contact_law &a, const tw_contact_law &b);

} // namespace twirl_lammps

#endif
