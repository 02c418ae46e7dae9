/* SPDX-License-Identifier: GPL-2.0-only */
/* Contact laws as arguments of the commands of an input script. */
#ifndef TWIRL_LAMMPS_LAW_ARGUMENTS_H
#define TWIRL_LAMMPS_LAW_ARGUMENTS_H

#include <string>

#include "host.h"

#include <twirl/material.h>

namespace twirl_lammps
{

/* The coefficients of a pair of types or of a wall: constants of the contact, or a material. Unlike
 * types that are not given are mixed from materials. */
struct LawCoefficients {
    tw_contact_law law;
    tw_material material;
    int has_material;
};

/* Reads `law NAME` or `without NAME,NAME` at argument `at`, if it is one of these. Returns the
 * number of arguments read. Errors name `command`. */
int read_law_arguments(LAMMPS_NS::LAMMPS *lmp, const std::string &command, int narg, char **arg,
                       int at, tw_contact_law *law);

/* Reads `count` arguments, in one of the forms of COEFFICIENT_FORMS. Kind and refinements are
 * those of `style`. */
LawCoefficients read_law_coefficients(LAMMPS_NS::LAMMPS *lmp, const std::string &command, int count,
                                      char **arg, const tw_contact_law &style);

/* The same as text: the arguments that give these coefficients, from the material if `mixable` and
 * there is one. */
std::string law_coefficients_text(const LawCoefficients &coefficients, bool mixable);

/* Errors name the command and the quantity. */
double read_number(LAMMPS_NS::LAMMPS *lmp, const std::string &command, const char *what,
                   const char *word);

/* The law of a pair of unlike types, from the materials of both. Errors name the types. */
tw_contact_law mix_coefficients(LAMMPS_NS::LAMMPS *lmp, const LawCoefficients &a,
                                const LawCoefficients &b, int type_a, int type_b);

} // namespace twirl_lammps

#endif
