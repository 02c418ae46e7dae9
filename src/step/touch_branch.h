/* SPDX-License-Identifier: BSD-3-Clause */
/* Branches between spheres, TW_LANES at a time. */
#ifndef TW_STEP_TOUCH_BRANCH_H
#define TW_STEP_TOUCH_BRANCH_H

#include "contact/lanes.h"
#include "step/rows.h"
#include "world/schedule.h"

/* A branch and its length: slow operations, started one group ahead. */
typedef struct tw_touch_branch {
    tw_lanes3 from, b;
    tw_lanes rp, rq, length, inverse;
} tw_touch_branch;

static inline __attribute__((always_inline)) tw_touch_branch
tw_touch_branch_look(const tw_schedule *schedule, size_t slot)
{
    tw_lanes xp[4], xq[4];
    tw_touch_branch out;
    tw_rows_spheres(schedule->tiles.sphere_slot, schedule->slots.sphere_p + slot, xp);
    tw_rows_spheres(schedule->tiles.sphere_slot, schedule->slots.sphere_q + slot, xq);
    out.from = tw_lanes3_make(xp[0], xp[1], xp[2]);
    out.b = tw_lanes3_sub(tw_lanes3_make(xq[0], xq[1], xq[2]), out.from);
    out.rp = xp[3];
    out.rq = xq[3];
    out.length = tw_lanes_sqrt(tw_lanes3_dot(out.b, out.b));
    out.inverse = 1.0 / out.length;
    return out;
}

#endif
