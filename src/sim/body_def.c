/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/sim.h>

#include "base/quat.h"

tw_body_def tw_body_def_default(void)
{
    tw_body_def def = {0};
    def.q = tw_quat_identity();
    def.type = 1;
    return def;
}
