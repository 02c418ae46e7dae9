/* SPDX-License-Identifier: GPL-2.0-only */
/* The entry point of `plugin load`, for builds of LAMMPS with the PLUGIN package. */
#include "styles.h"

#include <lammpsplugin.h>
#include <version.h>

using namespace LAMMPS_NS;
using namespace twirl_lammps;

extern "C" void lammpsplugin_init(void *lmp, void *handle, void *register_plugin)
{
    const auto add = reinterpret_cast<lammpsplugin_regfunc>(register_plugin);
    lammpsplugin_t plugin = {};
    plugin.version = LAMMPS_VERSION;
    plugin.author = "the twirl project";
    plugin.handle = handle;

    plugin.style = "pair";
    plugin.name = "twirl";
    plugin.info = "pair_style twirl: exact frictional contact of spheres";
    plugin.creator.v1 = make_pair<void, void>;
    add(&plugin, lmp);

    plugin.style = "fix";
    plugin.name = "wall/twirl";
    plugin.info = "fix wall/twirl: the same law for planes";
    plugin.creator.v2 = make_fix<FixWallTwirl, void, void>;
    add(&plugin, lmp);

    plugin.name = "TWIRL/MEMORY";
    plugin.info = "memory of contacts, for pair_style twirl";
    plugin.creator.v2 = make_fix<FixTwirlMemory, void, void>;
    add(&plugin, lmp);
}
