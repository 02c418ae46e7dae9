/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of touch_laws.c that adds damping, forces on bodies and energies. */
#ifndef TW_STEP_TOUCH_LAWS_FINISH_H
#define TW_STEP_TOUCH_LAWS_FINISH_H

#include "step/touch_laws_block.h"

enum {
    DAMPED = TW_CONTACT_EXTRA_DAMPING | TW_CONTACT_EXTRA_ROLLING_DAMPING |
             TW_CONTACT_EXTRA_TWISTING_DAMPING
};

/* ---- Last pass: damping, forces on bodies, memories ---- */

/* Memories of contacts that were advanced one by one are in place already. */
static inline void keep3(double to[3][TW_BUNDLE], size_t at, tw_lanes_mask done, tw_lanes3 v)
{
    if (!tw_lanes_all(done)) v = tw_lanes3_select(done, v, tw_rows_get3(to, at));
    tw_rows_put3(to, at, &v);
}

static inline void keep(double *to, tw_lanes_mask done, tw_lanes v)
{
    if (!tw_lanes_all(done)) v = tw_lanes_select(done, v, tw_rows_get(to));
    tw_rows_put(to, v);
}

static inline void add(tw_touch_laws_block *b, int which, size_t slot, tw_lanes_mask done,
                       tw_lanes v)
{
    tw_lanes_sum_add(&b->sums[which], slot, tw_lanes_only(done, v));
}

/* The damping force on p in two passes, because the chain of operations is long: as extrapolated,
 */
static inline __attribute__((always_inline)) void damp(tw_touch_laws_how h, const tw_lanes_law *law,
                                                       tw_touch_laws_block *b, size_t slot,
                                                       tw_touch_laws_group *k)
{
    tw_extras *extras = &b->touch->state->contacts.extras;
    const size_t bundle = slot / TW_BUNDLE, at = slot % TW_BUNDLE;
    const tw_lanes_damped s = damped_of(h, b, k);
    const tw_lanes3 mean = tw_lanes_damping_mean(law, &s, k->step.du);
    k->drag = tw_lanes_damping_now3(s.touching, mean, tw_rows_get3(extras->rate[bundle].f, at));
    keep3(extras->rate[bundle].f, at, k->done, mean);
}

/* and within its limits. */
static inline __attribute__((always_inline)) void damp_within(tw_touch_laws_how h,
                                                              const tw_lanes_law *law,
                                                              tw_touch_laws_block *b, size_t slot,
                                                              tw_touch_laws_group *k)
{
    tw_extras *extras = &b->touch->state->contacts.extras;
    const size_t bundle = slot / TW_BUNDLE, at = slot % TW_BUNDLE;
    const tw_lanes3 before = tw_rows_get3(extras->drag[bundle].f, at);
    tw_lanes_damped s;
    s.n1 = k->step.n1;
    s.fn1 = k->course.fn1;
    s.pulls = h.varied ? k->pulls : b->pulls;
    s.touching = TW_SPLAT_LANES(1.0) > 0.0;
    const tw_lanes3 drag = tw_lanes_damping_force(law, &s, k->drag, k->sliding.ft);
    k->viscous = tw_lanes_touch_damping_work(before, drag, k->step.du);
    if (h.varied && b->acting) {
        const tw_lanes lost =
            tw_lanes_touch_friction_lost(h.normal, &k->course, k->soft, &k->step, &k->sliding);
        k->sliding.lost = tw_lanes_select(k->sliding.slides & ~k->pulls, lost, k->sliding.lost);
    }
    keep3(extras->drag[bundle].f, at, k->done, drag);
    k->drag = drag;
}

static inline __attribute__((always_inline)) tw_lanes3
damp_rolling(const tw_lanes_law *law, tw_touch_laws_block *b, size_t slot, tw_touch_laws_group *k,
             tw_lanes factor)
{
    tw_extras *extras = &b->touch->state->contacts.extras;
    const size_t bundle = slot / TW_BUNDLE, at = slot % TW_BUNDLE;
    tw_lanes3 mean;
    const tw_lanes3 rate = tw_rows_get3(extras->rate_r[bundle].f, at);
    const tw_lanes3 before = tw_rows_get3(extras->drag_r[bundle].f, at);
    const tw_lanes3 drag = tw_lanes_touch_damp_rolling(law, factor, k->rolled, rate, k->rolling.ft,
                                                       k->step.n1, k->course.fn1, k->done, &mean);
    k->viscous += tw_lanes_touch_damping_work(before, drag, k->rolled);
    keep3(extras->drag_r[bundle].f, at, k->done, drag);
    keep3(extras->rate_r[bundle].f, at, k->done, mean);
    return drag;
}

static inline __attribute__((always_inline)) tw_lanes
damp_twisting(const tw_lanes_law *law, tw_touch_laws_block *b, size_t slot, tw_touch_laws_group *k,
              tw_lanes factor)
{
    tw_extras *extras = &b->touch->state->contacts.extras;
    const size_t bundle = slot / TW_BUNDLE, at = slot % TW_BUNDLE;
    tw_lanes mean;
    const tw_lanes before = tw_rows_get(extras->drag_w[bundle].x + at);
    const tw_lanes drag = tw_lanes_touch_damp_twisting(
        law, factor, k->twisted, tw_rows_get(extras->rate_w[bundle].x + at), k->twisting.fw,
        k->course.fn1, k->done, &mean);
    k->viscous += 0.5 * (before + drag) * k->twisted;
    keep(extras->drag_w[bundle].x + at, k->done, drag);
    keep(extras->rate_w[bundle].x + at, k->done, mean);
    return drag;
}

/* The couple on p of rolling and twisting; also their memories and energies. */
static inline __attribute__((always_inline)) tw_lanes3 turn(tw_touch_laws_how h,
                                                            const tw_lanes_law *law,
                                                            tw_touch_laws_block *b, size_t slot,
                                                            tw_touch_laws_group *k)
{
    tw_extras *extras = &b->touch->state->contacts.extras;
    const size_t bundle = slot / TW_BUNDLE, at = slot % TW_BUNDLE;
    const tw_lanes zero = TW_SPLAT_LANES(0.0);
    tw_lanes3 fr = tw_lanes3_make(zero, zero, zero);
    tw_lanes fw = zero;
    if (h.parts & TW_CONTACT_EXTRA_ROLLING) {
        fr = k->rolling.ft;
        add(b, SUM_ROLLING, slot, k->done,
            tw_lanes_touch_stored(h.normal, &k->course, tw_lanes_law_compliance(law->k_r),
                                  tw_lanes3_dot(fr, fr)));
        add(b, SUM_LOST_ROLLING, slot, k->done, k->rolling.micro + k->rolling.lost);
        keep3(extras->fr[bundle].f, at, k->done, fr);
    }
    if (h.parts & TW_CONTACT_EXTRA_TWISTING) {
        fw = k->twisting.fw;
        add(b, SUM_TWISTING, slot, k->done,
            tw_lanes_touch_stored(h.normal, &k->course, tw_lanes_law_compliance(law->k_w) * fw,
                                  fw));
        add(b, SUM_LOST_TWISTING, slot, k->done, k->twisting.lost);
        keep(extras->fw[bundle].x + at, k->done, fw);
    }
    if (h.parts & (TW_CONTACT_EXTRA_ROLLING_DAMPING | TW_CONTACT_EXTRA_TWISTING_DAMPING)) {
        const tw_lanes_damped s = damped_of(h, b, k);
        const tw_lanes factor = tw_lanes_damping_factor(law, &s);
        if (h.parts & TW_CONTACT_EXTRA_ROLLING_DAMPING)
            fr = tw_lanes3_add(fr, damp_rolling(law, b, slot, k, factor));
        if (h.parts & TW_CONTACT_EXTRA_TWISTING_DAMPING)
            fw += damp_twisting(law, b, slot, k, factor);
    }
    return tw_lanes_couple(k->radius, k->step.n1, fr, fw);
}

static inline __attribute__((always_inline)) void
finish(tw_touch_laws_how h, const tw_lanes_law *law, tw_lanes compliance, tw_touch_laws_block *b,
       size_t slot, tw_touch_laws_group *k)
{
    const tw_schedule *schedule = b->touch->schedule;
    tw_bundle *bundle = &b->touch->state->contacts.bundle[slot / TW_BUNDLE];
    const size_t at = slot % TW_BUNDLE;
    const int hertz = law->normal == TW_CONTACT_HERTZ;
    const tw_lanes3 n = k->step.n1, ft = k->sliding.ft;
    const tw_lanes zeta = k->step.zeta1, fn = k->course.fn1;
    const tw_lanes_mask acts = k->single | k->ended;
    const int all = tw_lanes_all(k->done);
    tw_lanes3 f = tw_lanes3_sub(ft, tw_lanes3_scale(fn, n));
    if (h.parts & TW_CONTACT_EXTRA_DAMPING) f = tw_lanes3_add(f, k->drag);
    if (!all) f = tw_lanes3_select(k->done, f, tw_lanes3_only(acts, k->f));
    tw_lanes3 t = tw_lanes3_cross(k->point, f);
    if (!(h.parts & TW_CONTACT_EXTRA_DAMPING)) k->viscous = TW_SPLAT_LANES(0.0);
    if (turns(h)) {
        tw_lanes3 couple = turn(h, law, b, slot, k);
        if (!all) couple = tw_lanes3_select(k->done, couple, tw_lanes3_only(acts, k->couple));
        t = tw_lanes3_add(t, couple);
    }
    tw_rows_accumulate(schedule->tiles.accumulator, schedule->slots.body_p + slot,
                       schedule->slots.body_q + slot, &f, &t);
    add(b, SUM_NORMAL, slot, k->done, tw_lanes_law_stored_normal_by(law, zeta, fn));
    add(b, SUM_TANGENTIAL, slot, k->done,
        tw_lanes_touch_stored(h.normal, &k->course, compliance, tw_lanes3_dot(ft, ft)));
    add(b, SUM_FRICTION, slot, k->done, k->sliding.lost);
    /* One addend for all damping of a contact: the order of sums must not depend on blocks. */
    if (h.parts & DAMPED) add(b, SUM_VISCOUS, slot, k->done, k->viscous);
    if (hertz) add(b, SUM_MICRO_SLIP, slot, k->done, k->sliding.micro);
    keep3(bundle->n, at, k->done, n);
    keep(bundle->zeta + at, k->done, zeta);
    keep3(bundle->ft, at, k->done, ft);
}

#endif
