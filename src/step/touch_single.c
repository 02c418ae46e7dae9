/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/touch_single.h"

#include "base/parallel.h"
#include "step/touch_candidates.h"

void tw_touch_single_count(tw_touch_context *touch, uint32_t slot, const tw_contact_load *load,
                           double allowed, double zeta, double *sum)
{
    tw_contacts *c = &touch->state->contacts;
    sum[TW_TOUCH_FRICTION] += load->work_dissipated;
    sum[TW_TOUCH_VISCOUS] += load->work_viscous;
    if (!load->touching) return;
    c->sliding[slot] = (uint8_t)load->sliding;
    if (tw_touch_one_is_bad(load, zeta, allowed))
        tw_parallel_note_first(&touch->bad, touch->schedule->slots.pair[slot]);
    sum[TW_TOUCH_CONTACTS] += 1.0;
    sum[TW_TOUCH_SLIDING] += load->sliding;
}

void tw_touch_single_add(tw_touch_context *touch, uint32_t slot, const tw_touch_one *one,
                         double allowed, double *sum)
{
    const tw_schedule *schedule = touch->schedule;
    const tw_contact_load *load = &one->load;
    sum[TW_TOUCH_MICRO_SLIP] += load->work_micro;
    sum[TW_TOUCH_LOST_ROLLING] += load->lost_rolling;
    sum[TW_TOUCH_LOST_TWISTING] += load->lost_twisting;
    tw_touch_single_count(touch, slot, load, allowed, one->memory.zeta, sum);
    if (!load->touching) return;
    const tw_contact_law law = tw_pair_law(touch->model, touch->state, schedule,
                                           &schedule->pairs.pair[schedule->slots.pair[slot]]);
    const tw_stored stored = tw_touch_one_stored(&law, &one->memory, &one->extra);
    sum[TW_TOUCH_NORMAL] += stored.normal;
    sum[TW_TOUCH_TANGENTIAL] += stored.tangential;
    sum[TW_TOUCH_ROLLING] += stored.rolling;
    sum[TW_TOUCH_TWISTING] += stored.twisting;
}

int tw_touch_single_advance(tw_touch_context *touch, tw_tile *tile, uint32_t slot,
                            tw_touch_single *one, double *sum)
{
    const tw_model *model = touch->model;
    tw_state *state = touch->state;
    tw_schedule *schedule = touch->schedule;
    const tw_contacts *c = &state->contacts;
    const tw_contact_law *law = &model->laws[schedule->slots.law[slot]];
    const tw_tile_sphere_slot *p = &schedule->tiles.sphere_slot[schedule->slots.sphere_p[slot]],
                              *q = &schedule->tiles.sphere_slot[schedule->slots.sphere_q[slot]];
    tw_contact_memory memory = tw_bundle_get(c->bundle, slot);
    tw_contact_motion motion =
        tw_touch_one_motion(state, schedule, touch->rigid_turn, slot, law, &memory);
    tw_contact_load load;
    if (one->small && !touch->rigid_turn) {
        /* The movement of the trial, as computed in lanes. */
        motion.n = one->n;
        motion.zeta = one->zeta;
        motion.du = one->du;
        const tw_contact_trial trial = {one->ft0, one->dxi, one->phi, {0.0, 0.0, 0.0}, 1, 0};
        tw_contact_advance_any(law->kind, tw_contact_refine_of(law), law, &motion, &trial, &memory,
                               &load);
    } else {
        tw_contact_advance(law, &motion, state->dt, &memory, NULL, &load);
    }
    const double radius = p->radius < q->radius ? p->radius : q->radius;
    tw_touch_single_count(touch, slot, &load, 0.5 * radius, memory.zeta, sum);
    if (!load.touching) {
        tw_touch_candidates_end(state, schedule, tile, slot);
        memory = tw_bundle_get(c->bundle, slot);
    }
    one->n = memory.n;
    one->zeta = memory.zeta;
    one->ft = memory.ft;
    one->du = motion.du;
    return load.touching;
}
