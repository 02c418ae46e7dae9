/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/touch_walls.h"

#include "step/touch_single.h"
#include "world/pair_law.h"

/* Stores a contact with a wall and adds it to the sums. */
static void count_wall(tw_touch_context *touch, uint32_t slot, const tw_contact_memory *memory,
                       const tw_contact_load *load, double radius, double *sum)
{
    const tw_contact_law law =
        tw_pair_law(touch->model, touch->state, touch->schedule,
                    &touch->schedule->pairs.pair[touch->schedule->slots.pair[slot]]);
    tw_contacts *c = &touch->state->contacts;
    tw_touch_single_count(touch, slot, load, 0.5 * radius, memory->zeta, sum);
    if (!load->touching) return;
    tw_bundle_put(c->bundle, slot, memory);
    if (c->viscous) {
        const tw_vec3 f = tw_contact_law_elastic_force(&law, memory);
        tw_bundle_force_put(c->drag, slot, tw_vec3_sub(load->f, f));
    }
    sum[TW_TOUCH_NORMAL] += load->work_normal;
    sum[TW_TOUCH_TANGENTIAL] += tw_contact_law_stored_tangential(&law, memory->zeta, memory->ft);
}

static int wall_advance(const tw_touch_context *touch, const tw_pair *pair, int touching,
                        uint32_t slot, tw_vec3 x, tw_contact_memory *memory, tw_contact_load *load)
{
    const tw_state *state = touch->state;
    const tw_schedule *schedule = touch->schedule;
    const tw_contact_law *law =
        &touch->model->laws[tw_pair_law_index(touch->model, state, schedule, pair)];
    const tw_wall *wall = &state->walls[pair->q];
    const double r = schedule->spheres.radius[pair->p];
    const double d = tw_vec3_dot(tw_vec3_sub(x, wall->point), wall->normal);
    if (!touching && d >= r) return 0;

    const tw_vec3 moved = tw_touch_context_displacement(state, schedule, pair->p);
    const tw_vec3 turn = tw_touch_context_turn(touch, schedule->spheres.body[pair->p]);
    const tw_contact_plane plane = {wall->normal, d, tw_vec3_sub(wall->dx, moved), turn, r, 0.0};
    *memory = touching ? tw_bundle_get(state->contacts.bundle, slot)
                       : tw_contact_plane_memory_fresh_inline(&plane);
    tw_contact_motion motion = tw_contact_plane_motion_inline(law->kind, &plane, memory);
    if (touch->rigid_turn) {
        motion.du = tw_vec3_make(0.0, 0.0, 0.0);
        motion.turn_q = *touch->rigid_turn;
    }
    tw_contact_advance(law, &motion, state->dt, memory, NULL, load);
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
        tw_contact_memory memory;
        tw_contact_load load;
        const int touching = tw_pairs_touch(&schedule->pairs, at);
        if (!wall_advance(touch, pair, touching, slot, x, &memory, &load)) continue;
        schedule->pairs.slot[at] = load.touching ? slot : TW_NO_SLOT;
        schedule->slots.pair[slot] = at;
        const double r = schedule->spheres.radius[pair->p];
        count_wall(touch, slot, &memory, &load, r, sum);
        if (!load.touching) continue;
        const tw_vec3 point =
            tw_vec3_add_scaled(tw_vec3_sub(x, tile->origin), r - 0.5 * memory.zeta, memory.n);
        const uint32_t body_slot = tile->body_slot + schedule->spheres.body[pair->p] - tile->body;
        tw_touch_context_accumulate(&t->accumulator[body_slot], 1.0, point, load.f);
        tw_touch_context_accumulate(&t->wall_accumulator[number * state->wall_count + pair->q],
                                    -1.0, point, load.f);
        /* The affine flow is about the origin of space, not of the tile. */
        const tw_mat3 moment = tw_mat3_outer(tile->origin, load.f);
        for (int j = 0; j < 9; j++)
            sum[TW_TOUCH_MOMENT + j] -= moment.m[j];
    }
}
