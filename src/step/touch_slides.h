/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of touch_spheres.c for contacts that slide, and the data of a block of contacts. */
#ifndef TW_STEP_TOUCH_SLIDES_H
#define TW_STEP_TOUCH_SLIDES_H

#include "contact/lanes.h"
#include "step/rows.h"
#include "step/touch_context.h"

/* Contacts are advanced in blocks whose data stay in the first-level cache, pass by pass: short
 * chains of dependent operations keep the pipelines busy. */
enum { BLOCK = 64, GROUPS = BLOCK / TW_LANES };

/* A group of contacts between the passes. */
typedef struct tw_touch_group {
    tw_lanes3 n1, du, point; /* point of action, relative to the tile's origin */
    tw_lanes3 ft0, dxi;      /* of the trial */
    tw_lanes3 ft;
    tw_lanes zeta1, twist_p, twist_q, phi;
    tw_lanes lost; /* to friction in the step; valid if the block is lossy */
    tw_lanes_mask small;
    tw_lanes_mask done;   /* advanced in lanes, */
    tw_lanes_mask single; /* or one by one and still in contact: n1, zeta1, du, ft are final */
} tw_touch_group;

/* Sums in lanes, by slot. */
typedef struct tw_touch_lane_sums {
    tw_lanes_sum normal, tangential, friction;
} tw_touch_lane_sums;

typedef struct tw_touch_block {
    tw_touch_context *touch;
    tw_tile *tile;
    tw_touch_lane_sums sums;
    double *sum;
    double shallow, deepest; /* other overlaps are advanced one by one */
    int slippery;            /* no friction */
    int lossy;               /* some contacts of the block dissipate work */
    tw_lanes_law law;
    tw_touch_group group[GROUPS];
    tw_lanes_slide_state slide[GROUPS];
} tw_touch_block;

/* ---- Slides ---- */

/* Input of a slide; of the step only n1, zeta0 and zeta1 are set. */
typedef struct tw_touch_start {
    tw_lanes_step step;
    tw_lanes_trial t;
} tw_touch_start;

/* A whole group, where most contacts slide. */
static inline tw_touch_start start_group(const tw_touch_block *r, size_t slot,
                                         const tw_touch_group *k)
{
    const tw_bundle *bundle = &r->touch->state->contacts.bundle[slot / TW_BUNDLE];
    tw_touch_start from;
    from.step.n1 = k->n1;
    from.step.zeta0 = tw_rows_get(bundle->zeta + slot % TW_BUNDLE);
    from.step.zeta1 = k->zeta1;
    from.t.ft0 = k->ft0;
    from.t.dxi = k->dxi;
    from.t.phi = k->phi;
    from.t.small = k->small & ~k->done;
    return from;
}

/* Contacts at[0], at[1] ... of the block that begins at `slot`, where few slide. */
static inline tw_touch_start start_scattered(const tw_touch_block *r, uint32_t slot,
                                             const uint16_t *at)
{
    const tw_contacts *c = &r->touch->state->contacts;
    tw_touch_start from;
    for (size_t l = 0; l < TW_LANES; l++) {
        const tw_touch_group *k = &r->group[at[l] / TW_LANES];
        const size_t lane = at[l] % TW_LANES;
        from.step.zeta0[l] = tw_bundle_get(c->bundle, slot + at[l]).zeta;
        from.step.zeta1[l] = k->zeta1[lane];
        tw_lanes3_put(&from.step.n1, l, tw_lanes3_get(&k->n1, lane));
        tw_lanes3_put(&from.t.ft0, l, tw_lanes3_get(&k->ft0, lane));
        tw_lanes3_put(&from.t.dxi, l, tw_lanes3_get(&k->dxi, lane));
        from.t.phi[l] = k->phi[lane];
        from.t.small[l] = k->small[lane];
    }
    return from;
}

static inline void slide_start(const tw_touch_block *r, tw_touch_start *from,
                               tw_lanes_slide_state *s)
{
    tw_lanes_trial_twist(&from->t, from->step.n1);
    const tw_lanes_course course = tw_lanes_course_of(TW_CONTACT_EXACT, TW_CONTACT_ALL, &r->law,
                                                      from->step.zeta0, from->step.zeta1);
    tw_lanes_slide_start(&r->law, &course, &from->step, &from->t, s);
    s->holds &= from->step.zeta1 < r->deepest;
}

static void slide_stages(const tw_touch_block *r, tw_lanes_slide_state *s, size_t groups)
{
    for (size_t g = 0; g < groups; g++)
        tw_lanes_slide_turn(&s[g]);
    for (size_t g = 0; g < groups; g++)
        tw_lanes_slide_mean(&r->law, &s[g]);
}

static inline tw_lanes lost_of(const tw_touch_block *r, const tw_lanes_slide *s)
{
    return s->work - tw_contact_law_tangential_factor(r->touch->model->laws) * s->change;
}

static void slide_dense(tw_touch_block *r, uint32_t slot, size_t count)
{
    tw_lanes_slide_state *s = r->slide;
    uint8_t *sliding = r->touch->state->contacts.sliding + slot;
    size_t groups = 0, at[GROUPS];
    for (size_t i = 0; i < count; i += TW_LANES) {
        const tw_touch_group *k = &r->group[i / TW_LANES];
        if (tw_lanes_all(k->done)) continue;
        tw_touch_start from = start_group(r, slot + i, k);
        at[groups] = i;
        slide_start(r, &from, &s[groups++]);
    }
    slide_stages(r, s, groups);
    for (size_t g = 0; g < groups; g++) {
        tw_touch_group *k = &r->group[at[g] / TW_LANES];
        const tw_lanes_slide out = tw_lanes_slide_end(&r->law, &s[g]);
        k->ft = tw_lanes3_select(out.holds, out.ft, k->ft);
        k->lost = tw_lanes_only(out.holds, lost_of(r, &out));
        k->done |= out.holds;
        for (size_t l = 0; l < TW_LANES; l++)
            sliding[at[g] + l] |= (uint8_t)(out.holds[l] & 1);
    }
}

static void slide_sparse(tw_touch_block *r, uint32_t slot, uint16_t *left, size_t lefts)
{
    tw_lanes_slide_state *s = r->slide;
    uint8_t *sliding = r->touch->state->contacts.sliding + slot;
    const size_t groups = (lefts + TW_LANES - 1) / TW_LANES;
    for (size_t i = lefts; i < groups * TW_LANES; i++)
        left[i] = left[lefts - 1]; /* in unused lanes */
    for (size_t g = 0; g < groups; g++) {
        tw_touch_start from = start_scattered(r, slot, left + g * TW_LANES);
        slide_start(r, &from, &s[g]);
    }
    slide_stages(r, s, groups);
    for (size_t i = 0; i < lefts; i += TW_LANES) {
        const tw_lanes_slide out = tw_lanes_slide_end(&r->law, &s[i / TW_LANES]);
        const tw_lanes lost = lost_of(r, &out);
        for (size_t l = 0; l < TW_LANES && i + l < lefts; l++) {
            const size_t at = left[i + l], lane = at % TW_LANES;
            tw_touch_group *k = &r->group[at / TW_LANES];
            if (!out.holds[l]) continue;
            tw_lanes3_put(&k->ft, lane, tw_lanes3_get(&out.ft, l));
            k->lost[lane] = lost[l];
            k->done[lane] = -1;
            sliding[at] = 1;
        }
    }
}

/* Lists the contacts of a block that did not stick, without empty slots. Returns their number;
 * *open includes empty slots. */
static inline size_t list_left(const tw_touch_block *r, uint32_t slot, size_t count, uint16_t *left,
                               size_t *open)
{
    const uint32_t *pair = r->touch->schedule->slots.pair + slot;
    size_t lefts = 0;
    *open = 0;
    for (size_t i = 0; i < count; i += TW_BUNDLE) {
        const tw_touch_group *k = &r->group[i / TW_LANES];
        tw_lanes_mask all = k->done;
        for (size_t g = 1; g < TW_BUNDLE / TW_LANES; g++)
            all &= k[g].done;
        if (tw_lanes_all(all)) continue;
        for (size_t l = 0; l < TW_BUNDLE; l++) {
            const int done = k[l / TW_LANES].done[l % TW_LANES] != 0;
            left[lefts] = (uint16_t)(i + l);
            *open += !done;
            lefts += !done & (pair[i + l] != TW_NO_PAIR);
        }
    }
    return lefts;
}

/* Advances the slides of a block in lanes. Returns the number of contacts left in the list. */
static size_t slide_block(tw_touch_block *r, uint32_t slot, size_t count, uint16_t *left,
                          size_t lefts)
{
    if (4 * lefts > count)
        slide_dense(r, slot, count);
    else
        slide_sparse(r, slot, left, lefts);
    size_t rest = 0;
    for (size_t i = 0; i < lefts; i++) {
        left[rest] = left[i];
        rest += r->group[left[i] / TW_LANES].done[left[i] % TW_LANES] == 0;
    }
    r->sum[TW_TOUCH_CONTACTS] += (double)(lefts - rest);
    r->sum[TW_TOUCH_SLIDING] += (double)(lefts - rest);
    return rest;
}

#endif
