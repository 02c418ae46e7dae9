/* SPDX-License-Identifier: GPL-2.0-only */
/* Factory functions of the styles. */
#ifndef TWIRL_LAMMPS_STYLES_H
#define TWIRL_LAMMPS_STYLES_H

#include "host.h"

namespace twirl_lammps
{

LAMMPS_NS::Pair *make_pair_twirl(LAMMPS_NS::LAMMPS *lmp);
LAMMPS_NS::Fix *make_fix_memory(LAMMPS_NS::LAMMPS *lmp, int narg, char **arg);
LAMMPS_NS::Fix *make_fix_wall(LAMMPS_NS::LAMMPS *lmp, int narg, char **arg);

/* Registers all styles. */
void add_styles(LAMMPS_NS::LAMMPS *lmp);

} // namespace twirl_lammps

#endif
