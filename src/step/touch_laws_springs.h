/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of touch_laws.c that moves contacts and advances their springs. */
#ifndef TW_STEP_TOUCH_LAWS_SPRINGS_H
#define TW_STEP_TOUCH_LAWS_SPRINGS_H

#include "step/touch_branch.h"
#include "step/touch_laws_block.h"

/* ---- First pass: laws, normal, overlap and movement ---- */

/* The laws of a group of contacts of several materials: constants and flags differ. */
static inline tw_lanes_law laws_of(const tw_touch_laws_block *b, size_t slot, tw_lanes root,
                                   tw_lanes mass, tw_lanes_mask *pulls)
{
    const tw_contact_law *laws = b->touch->model->laws;
    const uint16_t *index = b->touch->schedule->slots.law + slot;
    tw_lanes_law law = tw_lanes_law_gather(laws, index);
    tw_lanes_mask by_radius, by_mass;
    for (size_t l = 0; l < TW_LANES; l++) {
        const uint32_t flags = laws[index[l]].flags;
        by_radius[l] = flags & TW_CONTACT_BY_RADIUS ? -1 : 0;
        by_mass[l] = flags & TW_CONTACT_BY_MASS ? -1 : 0;
        (*pulls)[l] = flags & TW_CONTACT_NO_TENSION ? 0 : -1;
    }
    law.flags = b->flags;
    tw_lanes_law at =
        tw_lanes_law_at_root(&law, tw_lanes_select(by_radius, root, TW_SPLAT_LANES(1.0)), mass);
    at.nu_n = tw_lanes_select(by_mass, at.nu_n, law.nu_n);
    at.nu_t = tw_lanes_select(by_mass, at.nu_t, law.nu_t);
    at.nu_r = tw_lanes_select(by_mass, at.nu_r, law.nu_r);
    at.nu_w = tw_lanes_select(by_mass, at.nu_w, law.nu_w);
    return at;
}

/* The laws of a group of contacts, with their radii and masses. */
static inline __attribute__((always_inline)) void law_of(tw_touch_laws_how h,
                                                         const tw_touch_laws_block *b, size_t slot,
                                                         tw_lanes mass_p, tw_lanes mass_q,
                                                         tw_touch_laws_group *k)
{
    const tw_model *model = b->touch->model;
    const tw_slots *slots = &b->touch->schedule->slots;
    const tw_lanes root = tw_rows_get(slots->root + slot);
    tw_lanes mass = mass_p;
    if (b->flags & TW_CONTACT_BY_MASS) mass = tw_lanes_touch_mass(mass_p, mass_q);
    tw_lanes_law law;
    if (model->material_count == 1) {
        law = tw_lanes_law_at_root(&b->law, root, mass);
        k->soft = b->soft;
        k->pulls = b->pulls;
        if (b->flags & TW_CONTACT_BY_RADIUS) k->soft *= tw_rows_get(slots->inv_root + slot);
    } else {
        law = laws_of(b, slot, root, mass, &k->pulls);
        k->soft = tw_lanes_law_compliance(law.kt);
    }
    law.normal = h.normal;
    if (turns(h)) {
        k->law = law;
        return;
    }
    k->law.kn = law.kn;
    k->law.kt = law.kt;
    k->law.mu = law.mu;
    k->law.nu_n = law.nu_n;
    k->law.nu_t = law.nu_t;
    k->law.normal = law.normal;
    k->law.flags = law.flags;
}

static inline __attribute__((always_inline)) void move(tw_touch_laws_how h, tw_touch_laws_block *b,
                                                       size_t slot, const tw_touch_branch *from,
                                                       tw_touch_laws_group *k)
{
    const int32_t kind = h.kind;
    const tw_schedule *schedule = b->touch->schedule;
    tw_bundle *bundle = &b->touch->state->contacts.bundle[slot / TW_BUNDLE];
    const size_t at = slot % TW_BUNDLE;
    tw_lanes hp[4], hq[4];
    tw_rows_halves(schedule->tiles.half, schedule->slots.body_p + slot, hp);
    tw_rows_halves(schedule->tiles.half, schedule->slots.body_q + slot, hq);
    tw_lanes_step *step = &k->step;
    step->n0 = tw_rows_get3(bundle->n, at);
    step->ft0 = tw_rows_get3(bundle->ft, at);
    step->zeta0 = tw_rows_get(bundle->zeta + at);
    step->n1 = tw_lanes3_scale(from->inverse, from->b);
    const tw_lanes_spheres spheres = {from->b,
                                      from->length,
                                      step->n1,
                                      from->rp,
                                      from->rq,
                                      tw_lanes3_make(hp[0], hp[1], hp[2]),
                                      tw_lanes3_make(hq[0], hq[1], hq[2])};
    step->du = tw_lanes_spheres_movement(kind, &spheres, step->n0, step->zeta0, &step->zeta1);
    step->twist_p = tw_lanes_twist_of(kind, spheres.half_p, step->n0, step->n1);
    step->twist_q = tw_lanes_twist_of(kind, spheres.half_q, step->n0, step->n1);
    k->point = tw_lanes3_add_scaled(from->from, from->rp - 0.5 * step->zeta1, step->n1);
    if (h.varied) law_of(h, b, slot, hp[3], hq[3], k);
    if (turns(h)) {
        const tw_lanes root = tw_rows_get(schedule->slots.root + slot);
        k->radius = root * root;
        k->rolled = tw_lanes_touch_rolled(kind, k->radius, step->n0, step->n1, spheres.half_p,
                                          spheres.half_q, &k->twisted);
    }
}

/* ---- Second pass: the trial that all stick, then slides ---- */

static inline __attribute__((always_inline)) tw_lanes_damped
damped_of(tw_touch_laws_how h, const tw_touch_laws_block *b, const tw_touch_laws_group *k)
{
    return tw_lanes_touch_damped(h.normal, &k->step, &k->course, h.varied ? k->pulls : b->pulls,
                                 b->inv_dt);
}

/* Not inline: gcc 12 fails to compile it for SSE2 as part of a longer function. */
static __attribute__((noinline)) void limit_friction(tw_touch_laws_how h,
                                                     const tw_touch_laws_block *b, size_t slot,
                                                     tw_touch_laws_group *k)
{
    const tw_extras *extras = &b->touch->state->contacts.extras;
    const tw_lanes_damped s = damped_of(h, b, k);
    const tw_lanes3 rate = tw_rows_get3(extras->rate[slot / TW_BUNDLE].f, slot % TW_BUNDLE);
    k->law.mu = tw_lanes_touch_friction(&k->law, &s, k->step.du, rate);
}

static inline __attribute__((always_inline)) void stick(tw_touch_laws_how h,
                                                        const tw_lanes_law *law,
                                                        tw_touch_laws_block *b, size_t slot,
                                                        tw_touch_laws_group *k)
{
    const int32_t kind = h.kind;
    const uint32_t refine = h.refine;
    tw_extras *extras = &b->touch->state->contacts.extras;
    const size_t at = slot % TW_BUNDLE;
    const tw_lanes_step *step = &k->step;
    const tw_lanes_course course = tw_lanes_course_of(kind, refine, law, step->zeta0, step->zeta1);
    k->course.fn1 = course.fn1;
    if (h.normal == TW_CONTACT_HERTZ) {
        k->course.i1 = course.i1;
        k->course.r0 = course.r0;
        k->course.r1 = course.r1;
        k->course.growth = course.growth;
    }
    if ((h.parts & TW_CONTACT_EXTRA_DAMPING) && h.varied && b->acting)
        limit_friction(h, b, slot, k);
    tw_lanes_touch_try(kind, refine, law, h.varied ? k->soft : b->soft, &course, step, &k->sliding);
    if (h.parts & TW_CONTACT_EXTRA_ROLLING) {
        const tw_lanes_law other = tw_lanes_law_rolling(law);
        tw_lanes_step rolling = *step;
        rolling.ft0 = tw_rows_get3(extras->fr[slot / TW_BUNDLE].f, at);
        rolling.du = k->rolled;
        tw_lanes_touch_try(kind, refine, &other, tw_lanes_law_compliance(other.kt), &course,
                           &rolling, &k->rolling);
    }
    if (h.parts & TW_CONTACT_EXTRA_TWISTING)
        k->twisting = tw_lanes_twisting_step(
            kind, law, &course, tw_rows_get(extras->fw[slot / TW_BUNDLE].x + at), k->twisted);
    k->single = k->ended = (tw_lanes_mask){0};
}

/* ---- Third pass: slides, gathered from the groups ---- */

static inline tw_lanes_touch_slider *slider_of(tw_touch_laws_group *k, int rolling)
{
    return rolling ? &k->rolling : &k->sliding;
}

/* Slides of TW_LANES contacts of the block. */
static inline __attribute__((always_inline)) void slide(tw_touch_laws_how h,
                                                        const tw_lanes_law *one, int rolling,
                                                        tw_touch_laws_block *b, const uint16_t *at,
                                                        size_t count)
{
    tw_lanes_law law = *one;
    tw_lanes_step step = b->group[at[0] / TW_LANES].step;
    tw_lanes_trial t = slider_of(&b->group[at[0] / TW_LANES], rolling)->trial;
    for (size_t l = 0; l < TW_LANES; l++) {
        const size_t i = at[l < count ? l : count - 1], lane = i % TW_LANES;
        tw_touch_laws_group *k = &b->group[i / TW_LANES];
        const tw_lanes_touch_slider *s = slider_of(k, rolling);
        if (h.varied) {
            law.kn[l] = k->law.kn[lane];
            law.kt[l] = rolling ? k->law.k_r[lane] : k->law.kt[lane];
            law.mu[l] = rolling ? k->law.mu_r[lane] : k->law.mu[lane];
        }
        step.zeta0[l] = k->step.zeta0[lane];
        step.zeta1[l] = k->step.zeta1[lane];
        tw_lanes3_put(&step.n1, l, tw_lanes3_get(&k->step.n1, lane));
        tw_lanes3_put(&t.ft0, l, tw_lanes3_get(&s->trial.ft0, lane));
        tw_lanes3_put(&t.dxi, l, tw_lanes3_get(&s->trial.dxi, lane));
        t.phi[l] = s->trial.phi[lane];
        t.small[l] = s->open[lane];
    }
    const tw_lanes_course c =
        tw_lanes_course_of(TW_CONTACT_EXACT, TW_CONTACT_ALL, &law, step.zeta0, step.zeta1);
    tw_lanes lost;
    const tw_lanes_slide out = tw_lanes_touch_slide(&law, &c, &step, t, &lost);
    for (size_t l = 0; l < count; l++) {
        tw_lanes_touch_slider *s = slider_of(&b->group[at[l] / TW_LANES], rolling);
        const size_t lane = at[l] % TW_LANES;
        if (!out.holds[l]) continue;
        tw_lanes3_put(&s->ft, lane, tw_lanes3_get(&out.ft, l));
        s->micro[lane] = out.micro[l];
        s->lost[lane] = lost[l];
        s->slides[lane] = s->done[lane] = -1;
    }
}

static inline __attribute__((always_inline)) void slides(tw_touch_laws_how h,
                                                         const tw_lanes_law *one, int rolling,
                                                         tw_touch_laws_block *b, size_t count)
{
    uint16_t left[BLOCK + 1];
    size_t lefts = 0;
    for (size_t i = 0; i < count; i += TW_LANES) {
        const tw_lanes_touch_slider *s = slider_of(&b->group[i / TW_LANES], rolling);
        const tw_lanes_mask open = s->open;
        if (!tw_lanes_any_set(open)) continue;
        for (size_t l = 0; l < TW_LANES; l++) {
            left[lefts] = (uint16_t)(i + l);
            lefts += open[l] != 0;
        }
    }
    for (size_t i = 0; i < lefts; i += TW_LANES)
        slide(h, one, rolling, b, left + i, lefts - i < TW_LANES ? lefts - i : TW_LANES);
}

#endif
