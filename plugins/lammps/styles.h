/* SPDX-License-Identifier: GPL-2.0-only */
/* Makers of the styles, as LAMMPS calls them. */
#ifndef TWIRL_LAMMPS_STYLES_H
#define TWIRL_LAMMPS_STYLES_H

#include "host.h"

namespace twirl_lammps
{

LAMMPS_NS::Pair *make_pair_twirl(LAMMPS_NS::LAMMPS *lmp);
LAMMPS_NS::Fix *make_fix_memory(LAMMPS_NS::LAMMPS *lmp, int narg, char **arg);
LAMMPS_NS::Fix *make_fix_wall(LAMMPS_NS::LAMMPS *lmp, int narg, char **arg);

/* Tells LAMMPS of all of them. */
void add_styles(LAMMPS_NS::LAMMPS *lmp);

} // namespace twirl_lammps

#endif
