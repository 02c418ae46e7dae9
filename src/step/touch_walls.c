/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/touch_walls.h"

#include "step/touch_one.h"
#include "step/touch_single.h"
#include "world/pair_law.h"

/* Returns 0 if there is none. */
static int wall_advance(tw_touch_context *touch, const tw_pair *pair, int touching, uint32_t slot,
                        tw_vec3 x, tw_touch_one *one, double *sum)
{
    const tw_state *state = touch->state;
    const tw_schedule *schedule = touch->schedule;
    const tw_contact_law *law =
        &touch->model->laws[tw_pair_law_index(touch->model, state, schedule, pair)];
    const tw_wall *wall = &state->walls[pair->q];
    const double r = schedule->spheres.radius[pair->p];
    const double d = tw_vec3_dot(tw_vec3_sub(x, wall->point), wall->normal);
    if (!touching && d >= r) return 0;

    const tw_vec3 moved = tw_motion_displacement(state, schedule, pair->p);
    const tw_vec3 turn = tw_touch_context_turn(touch, schedule->spheres.body[pair->p]);
    const double mass = tw_pair_law_mass(state, schedule, pair);
    const tw_contact_plane plane = {wall->normal, d, tw_vec3_sub(wall->dx, moved), turn, r, mass};
    one->memory = touching ? tw_bundle_get(state->contacts.bundle, slot)
                           : tw_contact_plane_memory_fresh_inline(&plane);
    tw_contact_motion motion = tw_contact_plane_motion_inline(law->kind, &plane, &one->memory);
    if (touch->rigid_turn) {
        motion.du = tw_vec3_make(0.0, 0.0, 0.0);
        motion.turn_q = *touch->rigid_turn;
    }
    tw_touch_one_advance(touch, law, &motion, slot, !touching, one, sum);
    return 1;
}

void tw_touch_walls_advance(tw_touch_context *touch, const tw_tile *tile, double *sum)
{
    const tw_state *state = touch->state;
    tw_schedule *schedule = touch->schedule;
    const tw_tiles *t = &schedule->tiles;
    const size_t number = (size_t)(tile - t->tile);
    for (uint32_t k = 0; k < tile->walls; k++) {
        const uint32_t at = t->wall_pair[tile->wall_pair + k], slot = tile->wall_slot + k;
        const tw_pair *pair = &schedule->pairs.pair[at];
        const tw_vec3 x = tw_schedule_sphere_centre(state, schedule, pair->p);
        tw_touch_one one;
        const int touching = tw_pairs_touch(&schedule->pairs, at);
        if (!wall_advance(touch, pair, touching, slot, x, &one, sum)) continue;
        schedule->pairs.slot[at] = one.load.touching ? slot : TW_NO_SLOT;
        schedule->slots.pair[slot] = at;
        const double r = schedule->spheres.radius[pair->p];
        tw_touch_single_count(touch, slot, &one.load, 0.5 * r, one.memory.zeta, sum);
        if (!one.load.touching && !touch->damped) continue;
        const tw_vec3 f = one.load.f,
                      point = tw_vec3_add_scaled(tw_vec3_sub(x, tile->origin),
                                                 r - 0.5 * one.memory.zeta, one.memory.n);
        const uint32_t body_slot = tile->body_slot + schedule->spheres.body[pair->p] - tile->body;
        tw_touch_one_accumulate(&t->accumulator[body_slot], 1.0, point, f, one.load.couple);
        tw_touch_context_accumulate(&t->wall_accumulator[number * state->wall_count + pair->q],
                                    -1.0, point, f);
        /* The affine flow is about the origin of space, not of the tile. */
        const tw_mat3 moment = tw_mat3_outer(tile->origin, f);
        for (int j = 0; j < 9; j++)
            sum[TW_TOUCH_MOMENT + j] -= moment.m[j];
    }
}
