/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/touch_one.h"

#include "world/stored.h"

/* A step in which no time passes: the springs follow, damping stays as it was, turned with the
 * bodies. */
static void advance_still(const tw_touch_context *touch, const tw_contact_law *law,
                          const tw_contact_motion *motion, tw_touch_one *one)
{
    tw_contact_law undamped = *law;
    undamped.nu_n = undamped.nu_t = undamped.nu_r = undamped.nu_w = 0.0;
    const tw_contact_extra before = one->extra;
    tw_contact_advance(&undamped, motion, touch->state->dt, &one->memory, &one->extra, &one->load);
    const tw_contact_extra turned =
        touch->rigid_turn ? tw_extras_turned(&before, *touch->rigid_turn) : before;
    one->extra.drag = turned.drag;
    one->extra.rate = turned.rate;
    one->extra.drag_r = turned.drag_r;
    one->extra.rate_r = turned.rate_r;
    one->extra.drag_w = turned.drag_w;
    one->extra.rate_w = turned.rate_w;
    if (!one->load.touching) return;
    one->load.f = tw_vec3_add(one->load.f, turned.drag);
    one->load.couple =
        tw_vec3_add(one->load.couple,
                    tw_contact_couple(motion->radius, one->memory.n, turned.drag_r, turned.drag_w));
}

static void add_sums(const tw_contact_law *law, const tw_contact_motion *motion,
                     const tw_touch_one *one, double *sum)
{
    const tw_contact_load *load = &one->load;
    const tw_vec3 fr = one->extra.fr;
    sum[TW_TOUCH_MICRO_SLIP] += load->work_micro;
    sum[TW_TOUCH_LOST_ROLLING] += load->lost_rolling;
    sum[TW_TOUCH_LOST_TWISTING] += load->lost_twisting;
    if (!load->touching) return;
    const tw_contact_law at = tw_contact_law_at(law, motion->radius, motion->mass);
    const double zeta = one->memory.zeta, fw = one->extra.fw;
    sum[TW_TOUCH_NORMAL] += load->work_normal;
    sum[TW_TOUCH_TANGENTIAL] += tw_contact_law_stored_tangential(&at, zeta, one->memory.ft);
    sum[TW_TOUCH_ROLLING] += tw_stored_spring(&at, at.k_r, zeta, tw_vec3_dot(fr, fr));
    sum[TW_TOUCH_TWISTING] += tw_stored_spring(&at, at.k_w, zeta, fw * fw);
}

void tw_touch_one_advance(tw_touch_context *touch, const tw_contact_law *law,
                          const tw_contact_motion *motion, uint32_t slot, int fresh,
                          tw_touch_one *one, double *sum)
{
    tw_contacts *c = &touch->state->contacts;
    const tw_contact_extra none = {0};
    one->load = (tw_contact_load){0};
    one->extra = fresh || !c->extras.parts ? none : tw_extras_get(&c->extras, slot);
    if (touch->still)
        advance_still(touch, law, motion, one);
    else
        tw_contact_advance(law, motion, touch->state->dt, &one->memory, &one->extra, &one->load);
    add_sums(law, motion, one, sum);
    if (!one->load.touching) return;
    tw_bundle_put(c->bundle, slot, &one->memory);
    if (c->extras.parts) tw_extras_put(&c->extras, slot, &one->extra);
}

void tw_touch_one_accumulate(tw_tile_accumulator *sum, double sign, tw_vec3 point, tw_vec3 f,
                             tw_vec3 couple)
{
    tw_touch_context_accumulate(sum, sign, point, f);
    sum->torque[0] += sign * couple.x;
    sum->torque[1] += sign * couple.y;
    sum->torque[2] += sign * couple.z;
}
