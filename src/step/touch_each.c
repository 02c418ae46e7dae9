/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/touch_each.h"

#include "step/touch_candidates.h"
#include "step/touch_one.h"
#include "step/touch_single.h"

int tw_touch_each_needed(const tw_model *model)
{
    return !tw_model_is_uniform(model) || tw_model_extras(model) != 0;
}

static void advance(tw_touch_context *touch, tw_tile *tile, uint32_t slot, double *sum)
{
    tw_state *state = touch->state;
    tw_schedule *schedule = touch->schedule;
    const tw_contact_law *law = &touch->model->laws[schedule->slots.law[slot]];
    const tw_tile_sphere_slot *p = &schedule->tiles.sphere_slot[schedule->slots.sphere_p[slot]],
                              *q = &schedule->tiles.sphere_slot[schedule->slots.sphere_q[slot]];
    tw_tile_accumulator *accumulator = schedule->tiles.accumulator;
    const uint32_t body_p = schedule->slots.body_p[slot], body_q = schedule->slots.body_q[slot];
    tw_touch_one one = {.memory = tw_bundle_get(state->contacts.bundle, slot)};
    const tw_contact_load *load = &one.load;
    const tw_contact_motion motion = tw_touch_single_motion(touch, slot, law, &one.memory);
    tw_touch_one_advance(touch, law, &motion, slot, 0, &one, sum);
    const double allowed = 0.5 * (p->radius < q->radius ? p->radius : q->radius);
    tw_touch_single_count(touch, slot, load, allowed, one.memory.zeta, sum);
    if (!load->touching) tw_touch_candidates_end(state, schedule, tile, slot);
    if (!load->touching && !touch->damped) return;
    /* Damping has a last force in the step in which the contact ends. */
    const tw_vec3 from = tw_vec3_make(p->x[0], p->x[1], p->x[2]);
    const tw_vec3 point = tw_vec3_add_scaled(from, p->radius - 0.5 * motion.zeta, motion.n);
    tw_touch_one_accumulate(&accumulator[body_p], 1.0, point, load->f, load->couple);
    tw_touch_one_accumulate(&accumulator[body_q], -1.0, point, load->f, load->couple);
}

void tw_touch_each_advance(tw_touch_context *touch, tw_tile *tile, double *sum)
{
    const tw_slots *slots = &touch->schedule->slots;
    for (uint32_t slot = tile->slot; slot < tile->slot + tile->slots; slot++)
        if (slots->pair[slot] != TW_NO_PAIR) advance(touch, tile, slot, sum);
}
