/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/stiffness.h"

#include <math.h>

#include "base/sum.h"

typedef struct stiffness_context {
    const tw_model *model;
    const tw_state *state;
    const tw_schedule *schedule;
} stiffness_context;

/* Of the contacts of spheres of a tile. */
static void contact_part(void *context, size_t number, double *sum)
{
    const stiffness_context *c = context;
    const tw_tile *tile = &c->schedule->tiles.tile[number];
    const int uniform = tw_model_is_uniform(c->model);
    double lane[TW_SUM_LANES][TW_STIFFNESS_SUMS] = {{0.0}};
    for (uint32_t slot = tile->slot; slot < tile->slot + tile->slots; slot++) {
        if (c->schedule->slots.pair[slot] == TW_NO_PAIR) continue;
        const tw_stiffness_sum_contact one =
            tw_stiffness_sum_find(c->model, c->state, c->schedule, uniform, slot);
        tw_stiffness_sum_add(&one, uniform, lane[slot % TW_SUM_LANES]);
    }
    for (int k = 0; k < TW_STIFFNESS_SUMS; k++) {
        double of[TW_SUM_LANES];
        for (int l = 0; l < TW_SUM_LANES; l++)
            of[l] = lane[l][k];
        sum[k] = tw_sum_lanes_join(of);
    }
}

void tw_stiffness_refresh(tw_stiffness *stiffness, const tw_model *model, const tw_state *state,
                          const tw_schedule *schedule)
{
    if (!tw_stiffness_is_stale(stiffness, state)) return;
    double sum[TW_STIFFNESS_SUMS];
    stiffness_context c = {model, state, schedule};
    tw_sum_parts(schedule->tiles.count, TW_STIFFNESS_SUMS, contact_part, &c, NULL, sum);
    tw_stiffness_sum_set(stiffness, state, sum);
}
