/* SPDX-License-Identifier: BSD-3-Clause */
#include "lanes_case.h"

#include <string.h>

#include "base/lanes.h"

static tw_lanes load(const double *x)
{
    tw_lanes v;
    memcpy(&v, x, sizeof v);
    return v;
}

static void store(double *x, tw_lanes v)
{
    memcpy(x, &v, sizeof v);
}

void TW_SIMD_NAME(lanes_case_run)(lanes_case *c)
{
    tw_lanes_sum sum = {{{0}}};
    c->lanes = TW_LANES;
    for (size_t i = 0; i < LANES_CASE_COUNT; i += TW_LANES) {
        const tw_lanes a = load(c->a + i), b = load(c->b + i);
        const tw_lanes_mask less = a < b;
        store(c->select + i, tw_lanes_select(less, a, b));
        store(c->only + i, tw_lanes_only(less, a));
        store(c->root + i, tw_lanes_sqrt(tw_lanes_select(a < 0.0, -a, a)));
        c->all[i] = tw_lanes_all(less);
        c->any[i] = tw_lanes_any_set(less);
        if (i >= c->count) continue;
        tw_lanes_members(c->member + i, i, c->count);
        tw_lanes part = {0};
        for (size_t l = 0; l < TW_LANES && i + l < c->count; l++)
            part[l] = a[l];
        tw_lanes_sum_add(&sum, i, part);
    }
    c->sum = tw_lanes_sum_total(&sum);
}
