/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/touch_single.h"

#include "base/parallel.h"
#include "step/touch_candidates.h"
#include "step/touch_motion.h"

void tw_touch_single_count(tw_touch_context *touch, uint32_t slot, const tw_contact_load *load,
                           double allowed, double zeta, double *sum)
{
    tw_contacts *c = &touch->state->contacts;
    sum[TW_TOUCH_FRICTION] += load->work_dissipated;
    sum[TW_TOUCH_VISCOUS] += load->work_viscous;
    if (!load->touching) return;
    c->sliding[slot] = (uint8_t)load->sliding;
    const double force = load->f.x + load->f.y + load->f.z;
    if (!(fabs(force) < 1e300) || !(zeta < allowed))
        tw_parallel_note_first(&touch->bad, touch->schedule->slots.pair[slot]);
    sum[TW_TOUCH_CONTACTS] += 1.0;
    sum[TW_TOUCH_SLIDING] += load->sliding;
}

tw_contact_motion tw_touch_single_motion(const tw_touch_context *touch, uint32_t slot,
                                         const tw_contact_law *law, const tw_contact_memory *memory)
{
    return tw_touch_motion_of(touch->state, touch->schedule, touch->rigid_turn, slot, law, memory);
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
    tw_contact_motion motion = tw_touch_single_motion(touch, slot, law, &memory);
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
