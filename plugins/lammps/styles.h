/* SPDX-License-Identifier: GPL-2.0-only */
/* Factory functions of the styles, as LAMMPS calls them. */
#ifndef TWIRL_LAMMPS_STYLES_H
#define TWIRL_LAMMPS_STYLES_H

#include "fix_twirl_memory.h"
#include "fix_wall_twirl.h"
#include "pair_twirl.h"

namespace twirl_lammps
{

/* HOST: the type by which the caller passes LAMMPS; STYLE: the type that it wants back. */
template <typename Style, typename Host> Style *make_pair(Host *lmp)
{
    return static_cast<LAMMPS_NS::Pair *>(new PairTwirl(static_cast<LAMMPS_NS::LAMMPS *>(lmp)));
}

template <typename Made, typename Style, typename Host>
Style *make_fix(Host *lmp, int narg, char **arg)
{
    return static_cast<LAMMPS_NS::Fix *>(
        new Made(static_cast<LAMMPS_NS::LAMMPS *>(lmp), narg, arg));
}

} // namespace twirl_lammps

#endif
