/* SPDX-License-Identifier: BSD-3-Clause */
/* New contacts of spheres, as inline functions. */
#ifndef TW_STEP_TOUCH_BEGIN_H
#define TW_STEP_TOUCH_BEGIN_H

#include <twirl/contact_inline.h>

#include "step/motion.h"
#include "world/schedule.h"

/* The first of the slots at .. slots - 1 without a pair; `slots` if there is none. */
TW_INLINE uint32_t tw_touch_begin_find(const uint32_t *pair, uint32_t at, uint32_t slots)
{
    /* Many at a time, so that they do not wait for each other. */
    for (; at + 32 <= slots; at += 32) {
        int empty = 0;
        for (uint32_t k = 0; k < 32; k++)
            empty |= pair[at + k] == TW_NO_PAIR;
        if (empty) break;
    }
    while (at < slots && pair[at] != TW_NO_PAIR)
        at++;
    return at;
}

/* Takes the empty slot with the lowest number, which is `at`, counted from the tile's first. */
TW_INLINE uint32_t tw_touch_begin_take(tw_state *state, tw_schedule *schedule, tw_tile *tile,
                                       uint32_t at)
{
    if (at == tile->slots) {
        if (at % TW_BUNDLE == 0) {
            for (uint32_t l = 0; l < TW_BUNDLE; l++)
                tw_tile_load_empty(state, schedule, tile, tile->slot + at + l);
        }
        tile->slots++;
    }
    tile->empty = at + 1;
    return tile->slot + at;
}

/* Displacement of a sphere in the step. */
TW_INLINE tw_vec3 tw_touch_begin_moved(const tw_state *state, const tw_schedule *schedule,
                                       uint32_t sphere)
{
    /* One that is a body does not move by rotation: the sum is that of the general case. */
    if (schedule->tiles.single)
        return tw_vec3_add(state->bodies.dx[sphere], tw_vec3_make(0.0, 0.0, 0.0));
    return tw_motion_displacement(state, schedule, sphere);
}

/* The memory of a contact that begins in this step, from the positions at its start; p and q are
 * sphere slots. */
TW_INLINE tw_contact_memory tw_touch_begin_memory(const tw_state *state,
                                                  const tw_schedule *schedule, const tw_pair *pair,
                                                  uint32_t p, uint32_t q)
{
    const double *from = schedule->tiles.sphere_slot[p].x, *to = schedule->tiles.sphere_slot[q].x;
    const tw_vec3 branch = tw_vec3_make(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
    tw_vec3 moved = tw_vec3_sub(tw_touch_begin_moved(state, schedule, pair->q),
                                tw_touch_begin_moved(state, schedule, pair->p));
    const tw_vec3 slid = tw_vec3_sub(tw_cell_offset(&state->cell.h, pair->shift),
                                     tw_cell_offset(&state->cell.h_before, pair->shift));
    moved = tw_vec3_add(moved, slid);
    return tw_contact_memory_fresh_inline(tw_vec3_sub(branch, moved),
                                          schedule->spheres.radius[pair->p],
                                          schedule->spheres.radius[pair->q]);
}

/* Puts pair number k, with sphere slots p and q, into a contact slot. */
TW_INLINE void tw_touch_begin_seat(const tw_model *model, tw_state *state, tw_schedule *schedule,
                                   const tw_tile *tile, uint32_t slot,
                                   const tw_contact_memory *fresh, uint32_t k, uint32_t p,
                                   uint32_t q)
{
    tw_bundle_put(state->contacts.bundle, slot, fresh);
    if (state->contacts.extras.parts & TW_CONTACT_EXTRA_BEGINS) {
        const tw_contact_parts parts = tw_contact_parts_begin(fresh);
        tw_extras_put(&state->contacts.extras, slot, &parts);
    }
    schedule->slots.pair[slot] = k;
    tw_pair_law_seat(model, state, schedule, slot);
    schedule->slots.sphere_p[slot] = p;
    schedule->slots.sphere_q[slot] = q;
    if (!schedule->tiles.single) {
        schedule->slots.body_p[slot] = tw_tile_load_body_slot(schedule, tile, p);
        schedule->slots.body_q[slot] = tw_tile_load_body_slot(schedule, tile, q);
    }
    schedule->pairs.slot[k] = slot;
}

/* Makes it a contact. Returns its slot. */
TW_INLINE uint32_t tw_touch_begin_contact(const tw_model *model, tw_state *state,
                                          tw_schedule *schedule, tw_tile *tile, uint32_t k,
                                          uint32_t p, uint32_t q)
{
    const tw_contact_memory fresh =
        tw_touch_begin_memory(state, schedule, &schedule->pairs.pair[k], p, q);
    const uint32_t at =
        tw_touch_begin_find(schedule->slots.pair + tile->slot, tile->empty, tile->slots);
    const uint32_t slot = tw_touch_begin_take(state, schedule, tile, at);
    tw_touch_begin_seat(model, state, schedule, tile, slot, &fresh, k, p, q);
    return slot;
}

#endif
