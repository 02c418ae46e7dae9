/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/touch_walls.h"

#include "step/touch_single.h"

void tw_touch_walls_advance(tw_touch_context *touch, const tw_tile *tile, double *sum)
{
    tw_state *state = touch->state;
    tw_schedule *schedule = touch->schedule;
    const tw_tiles *t = &schedule->tiles;
    const size_t number = (size_t)(tile - t->tile);
    for (uint32_t k = 0; k < tile->walls; k++) {
        const uint32_t at = t->wall_pair[tile->wall_pair + k], slot = tile->wall_slot + k;
        const tw_pair *pair = &schedule->pairs.pair[at];
        const tw_vec3 x = tw_schedule_sphere_centre(state, schedule, pair->p);
        tw_touch_one one;
        const int touching = tw_pairs_touch(&schedule->pairs, at);
        if (!tw_touch_one_wall(touch->model, state, schedule, touch->rigid_turn, touch->still, pair,
                               touching, slot, x, &one))
            continue;
        schedule->pairs.slot[at] = one.load.touching ? slot : TW_NO_SLOT;
        schedule->slots.pair[slot] = at;
        const double r = schedule->spheres.radius[pair->p];
        tw_touch_single_add(touch, slot, &one, 0.5 * r, sum);
        if (!one.load.touching && !touch->damped) continue;
        const tw_vec3 f = one.load.f,
                      point = tw_vec3_add_scaled(tw_vec3_sub(x, tile->origin),
                                                 r - 0.5 * one.memory.zeta, one.memory.n);
        const uint32_t body_slot = tile->body_slot + schedule->spheres.body[pair->p] - tile->body;
        tw_touch_context_accumulate(&t->accumulator[body_slot], 1.0, point, f);
        t->accumulator[body_slot].torque[0] += one.load.couple.x;
        t->accumulator[body_slot].torque[1] += one.load.couple.y;
        t->accumulator[body_slot].torque[2] += one.load.couple.z;
        tw_touch_context_accumulate(&t->wall_accumulator[number * state->wall_count + pair->q],
                                    -1.0, point, f);
        /* The affine flow is about the origin of space, not of the tile. */
        const tw_mat3 moment = tw_mat3_outer(tile->origin, f);
        for (int j = 0; j < 9; j++)
            sum[TW_TOUCH_MOMENT + j] -= moment.m[j];
    }
}
