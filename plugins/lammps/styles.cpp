/* SPDX-License-Identifier: GPL-2.0-only */
#include "styles.h"

#include "fix_twirl_memory.h"
#include "fix_wall_twirl.h"
#include "pair_twirl.h"

using namespace LAMMPS_NS;

namespace twirl_lammps
{

Pair *make_pair_twirl(LAMMPS *lmp)
{
    return new PairTwirl(lmp);
}

Fix *make_fix_memory(LAMMPS *lmp, int narg, char **arg)
{
    return new FixTwirlMemory(lmp, narg, arg);
}

Fix *make_fix_wall(LAMMPS *lmp, int narg, char **arg)
{
    return new FixWallTwirl(lmp, narg, arg);
}

void add_styles(LAMMPS *lmp)
{
    (*lmp->force->pair_map)["twirl"] = make_pair_twirl;
    (*lmp->modify->fix_map)["TWIRL/MEMORY"] = make_fix_memory;
    (*lmp->modify->fix_map)["wall/twirl"] = make_fix_wall;
}

} // namespace twirl_lammps
