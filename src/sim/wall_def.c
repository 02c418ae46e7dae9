/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/sim.h>

tw_wall_def tw_wall_def_default(void)
{
    tw_wall_def def = {0};
    def.normal = tw_vec3_make(0.0, 0.0, 1.0);
    return def;
}
