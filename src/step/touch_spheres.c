/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts between spheres by one linear law without damping, TW_LANES at a time. The passes:
 * movement; the trial that all stick; slides; the remaining contacts one by one;
 * forces, in the order of slots. The bits of a contact do not depend on its neighbours in the
 * lanes. Compiled once per level of base/simd.h. */
#include <string.h>

#include "contact/lanes.h"
#include "step/rows.h"
#include "step/touch.h"

/* ---- Which candidates have come into touch ---- */

/* Overlap of the spheres of candidates s[0], s[1] ... */
static inline __attribute__((always_inline)) tw_lanes_mask
overlap(const tw_tile_sphere_slot *sphere_slot, const tw_tile_candidate *s, double edge)
{
    const double *p[TW_LANES], *q[TW_LANES];
    tw_lanes from[4], to[4];
    for (size_t l = 0; l < TW_LANES; l++) {
        p[l] = sphere_slot[s[l].p].x;
        q[l] = sphere_slot[s[l].q].x;
    }
    tw_rows_columns(p, from);
    tw_rows_columns(q, to);
    const tw_lanes x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2];
    const tw_lanes reach = from[3] + to[3] - edge;
    return x * x + y * y + z * z < reach * reach;
}

uint32_t TW_SIMD_NAME(tw_touch_near)(const tw_tiles *tiles, uint32_t begin, uint32_t end,
                                     double edge, uint32_t *hits)
{
    const tw_tile_candidate *candidate = tiles->candidate;
    uint32_t count = 0, k = begin;
    for (; k + TW_LANES <= end; k += TW_LANES) {
        const tw_lanes_mask near = overlap(tiles->sphere_slot, candidate + k, edge);
        if (!tw_lanes_any_set(near)) continue;
        for (uint32_t l = 0; l < TW_LANES; l++) {
            hits[count] = k + l;
            count += near[l] != 0;
        }
    }
    for (; k < end; k++) {
        const tw_tile_sphere_slot *p = &tiles->sphere_slot[candidate[k].p],
                                  *q = &tiles->sphere_slot[candidate[k].q];
        const double x = q->x[0] - p->x[0], y = q->x[1] - p->x[1], z = q->x[2] - p->x[2];
        const double reach = p->radius + q->radius - edge;
        hits[count] = k;
        count += x * x + y * y + z * z < reach * reach;
    }
    return count;
}

/* ---- The data of a block of contacts, and slides ---- */

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
    const tw_lanes_springs springs = tw_lanes_springs_of(TW_CONTACT_EXACT, TW_CONTACT_ALL, &r->law,
                                                         from->step.zeta0, from->step.zeta1);
    tw_lanes_slide_start(&r->law, &springs, &from->step, &from->t, s);
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

/* ---- First pass: normal, overlap and movement ---- */

static inline __attribute__((always_inline)) void move(int32_t kind, const tw_touch_block *r,
                                                       size_t slot, const tw_touch_branch *b,
                                                       tw_touch_group *k)
{
    const tw_schedule *schedule = r->touch->schedule;
    tw_bundle *bundle = &r->touch->state->contacts.bundle[slot / TW_BUNDLE];
    const size_t at = slot % TW_BUNDLE;
    tw_lanes hp[4], hq[4];
    tw_rows_halves(schedule->tiles.half, schedule->slots.body_p + slot, hp);
    tw_rows_halves(schedule->tiles.half, schedule->slots.body_q + slot, hq);
    const tw_lanes3 n0 = tw_rows_get3(bundle->n, at);
    const tw_lanes3 n1 = tw_lanes3_scale(b->inverse, b->b);
    const tw_lanes_spheres spheres = {b->b,
                                      b->length,
                                      n1,
                                      b->rp,
                                      b->rq,
                                      tw_lanes3_make(hp[0], hp[1], hp[2]),
                                      tw_lanes3_make(hq[0], hq[1], hq[2])};
    tw_lanes zeta1;
    k->du = tw_lanes_spheres_movement(kind, &spheres, n0, tw_rows_get(bundle->zeta + at), &zeta1);
    k->n1 = n1;
    k->zeta1 = zeta1;
    k->point = tw_lanes3_add_scaled(b->from, b->rp - 0.5 * zeta1, n1);
    k->twist_p = tw_lanes_twist_of(kind, spheres.half_p, n0, n1);
    k->twist_q = tw_lanes_twist_of(kind, spheres.half_q, n0, n1);
}

/* ---- Second and third pass: sticking contacts ---- */

static inline __attribute__((always_inline)) void
carry(int32_t kind, uint32_t refine, tw_touch_block *r, size_t slot, tw_touch_group *k)
{
    tw_bundle *bundle = &r->touch->state->contacts.bundle[slot / TW_BUNDLE];
    const size_t at = slot % TW_BUNDLE;
    tw_lanes_step step;
    step.n0 = tw_rows_get3(bundle->n, at);
    step.ft0 = tw_rows_get3(bundle->ft, at);
    step.n1 = k->n1;
    step.du = k->du;
    step.twist_p = k->twist_p;
    step.twist_q = k->twist_q;
    const tw_lanes_trial t = tw_lanes_try_carry(kind, refine, &step);
    k->ft0 = t.ft0;
    k->dxi = t.dxi;
    k->phi = t.phi;
    k->small = t.small;
}

static inline __attribute__((always_inline)) void stick(int32_t kind, uint32_t refine,
                                                        const tw_lanes_law *law, tw_touch_block *r,
                                                        size_t slot, tw_touch_group *k)
{
    const tw_model *model = r->touch->model;
    const tw_state *state = r->touch->state;
    const tw_bundle *bundle = &state->contacts.bundle[slot / TW_BUNDLE];
    const size_t at = slot % TW_BUNDLE;
    const tw_lanes zeta0 = tw_rows_get(bundle->zeta + at);
    tw_lanes_step step;
    step.n1 = k->n1;
    step.zeta1 = k->zeta1;
    step.twist_p = k->twist_p;
    step.twist_q = k->twist_q;
    tw_lanes_trial t;
    t.ft0 = k->ft0;
    t.dxi = k->dxi;
    t.phi = k->phi;
    t.small = k->small;
    const tw_lanes_springs springs = {.fn1 = step.zeta1}; /* a linear law uses nothing of it */
    tw_lanes_try_limit(kind, refine, law, &springs, &step, &t);
    if (r->slippery) { /* no tangential force */
        const tw_lanes3 ft0 = tw_rows_get3(state->contacts.bundle[slot / TW_BUNDLE].ft, at);
        t.inside = tw_lanes3_dot(ft0, ft0) == 0.0;
        t.ft = tw_lanes3_scale(TW_SPLAT_LANES(0.0), ft0);
    }
    const tw_lanes_mask done = t.inside & t.small & tw_lanes_law_touches(law, zeta0) &
                               (step.zeta1 > r->shallow) & (step.zeta1 < r->deepest);
    k->done = done;
    k->single = (tw_lanes_mask){0};
    k->ft = t.ft;
    if (kind != TW_CONTACT_EXACT) k->lost = TW_SPLAT_LANES(0.0);
    if (kind != TW_CONTACT_EXACT &&
        !r->slippery) { /* work gained or lost by first-order carrying */
        const tw_lanes lost =
            tw_lanes_trial_work(law, &t) -
            tw_contact_law_tangential_factor(model->laws) * tw_lanes_change(t.ft0, t.ft);
        k->lost = tw_lanes_only(done, lost);
    }
}

/* ---- The remaining contacts ---- */

/* Contact number `at` of the block. */
static void advance_one(tw_touch_block *r, uint32_t slot, size_t at)
{
    tw_touch_group *k = &r->group[at / TW_LANES];
    const size_t l = at % TW_LANES;
    tw_touch_single one = {tw_lanes3_get(&k->n1, l),
                           k->zeta1[l],
                           tw_lanes3_get(&k->du, l),
                           tw_lanes3_get(&k->ft, l),
                           tw_lanes3_get(&k->ft0, l),
                           tw_lanes3_get(&k->dxi, l),
                           k->phi[l],
                           k->small[l] != 0};
    k->single[l] = tw_touch_single_advance(r->touch, r->tile, slot, &one, r->sum) ? -1 : 0;
    tw_lanes3_put(&k->n1, l, one.n);
    k->zeta1[l] = one.zeta;
    tw_lanes3_put(&k->du, l, one.du);
    tw_lanes3_put(&k->ft, l, one.ft);
}

/* ---- Last pass: forces on bodies, memories ---- */

static inline __attribute__((always_inline)) void finish(const tw_lanes_law *law, tw_touch_block *r,
                                                         size_t slot, const tw_touch_group *k)
{
    const tw_schedule *schedule = r->touch->schedule;
    tw_contacts *c = &r->touch->state->contacts;
    tw_bundle *bundle = &c->bundle[slot / TW_BUNDLE];
    const size_t at = slot % TW_BUNDLE;
    const tw_lanes_mask touches = k->done | k->single;
    const tw_lanes3 n = k->n1, ft = k->ft;
    const tw_lanes zeta = k->zeta1;
    tw_lanes3 f = tw_lanes_law_spring_force(law, n, zeta, ft);
    f = tw_lanes3_only(touches, f);
    const tw_lanes3 t = tw_lanes3_cross(k->point, f);
    tw_rows_accumulate(schedule->tiles.accumulator, schedule->slots.body_p + slot,
                       schedule->slots.body_q + slot, &f, &t);
    if (r->lossy) tw_lanes_sum_add(&r->sums.friction, slot, k->lost);
    tw_lanes_sum_add(&r->sums.normal, slot, tw_lanes_only(touches, tw_lanes_law_normal_term(zeta)));
    tw_lanes_sum_add(&r->sums.tangential, slot,
                     tw_lanes_only(touches, tw_lanes_law_tangential_term(ft)));
    tw_rows_put3(bundle->n, at, &n);
    tw_rows_put(bundle->zeta + at, zeta);
    tw_rows_put3(bundle->ft, at, &ft);
}

/* ---- Blocks ---- */

/* Prefetches a bundle of the next block. */
static inline void fetch(const tw_bundle *bundle)
{
    for (size_t k = 0; k < sizeof *bundle; k += 64)
        __builtin_prefetch((const char *)bundle + k, 1, 2);
}

static inline __attribute__((always_inline)) void
run_block(int32_t kind, uint32_t refine, tw_touch_block *r, uint32_t slot, size_t count)
{
    const tw_model *model = r->touch->model;
    tw_contacts *c = &r->touch->state->contacts;
    const int whole = kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL && model->laws->kt > 0.0;
    uint16_t left[BLOCK + TW_LANES];
    tw_lanes_law law = r->law;
    law.normal = TW_CONTACT_LINEAR;
    tw_touch_branch next = tw_touch_branch_look(r->touch->schedule, slot);
    for (size_t i = 0; i < count; i += TW_LANES) {
        const tw_touch_branch now = next;
        if (i % TW_BUNDLE == 0) fetch(&c->bundle[(slot + i + BLOCK) / TW_BUNDLE]);
        if (i + TW_LANES < count)
            next = tw_touch_branch_look(r->touch->schedule, slot + i + TW_LANES);
        move(kind, r, slot + i, &now, &r->group[i / TW_LANES]);
    }
    for (size_t i = 0; i < count; i += TW_LANES) {
        carry(kind, refine, r, slot + i, &r->group[i / TW_LANES]);
        stick(kind, refine, &law, r, slot + i, &r->group[i / TW_LANES]);
    }
    memset(c->sliding + slot, r->slippery, count);
    size_t open;
    size_t lefts = list_left(r, slot, count, left, &open);
    const double stuck = (double)(count - open);
    r->sum[TW_TOUCH_CONTACTS] += stuck;
    if (r->slippery) r->sum[TW_TOUCH_SLIDING] += stuck;
    r->lossy = kind != TW_CONTACT_EXACT || lefts > 0;
    if (kind == TW_CONTACT_EXACT && lefts > 0) {
        for (size_t i = 0; i < count; i += TW_LANES)
            r->group[i / TW_LANES].lost = TW_SPLAT_LANES(0.0);
    }
    if (whole && lefts > 0) lefts = slide_block(r, slot, count, left, lefts);
    for (size_t i = 0; i < lefts; i++)
        advance_one(r, slot + left[i], left[i]);
    for (size_t i = 0; i < count; i += TW_LANES)
        finish(&law, r, slot + i, &r->group[i / TW_LANES]);
}

static void run_exact(tw_touch_block *r, uint32_t slot, size_t count)
{
    run_block(TW_CONTACT_EXACT, TW_CONTACT_ALL, r, slot, count);
}

static void run_conventional(tw_touch_block *r, uint32_t slot, size_t count)
{
    run_block(TW_CONTACT_CONVENTIONAL, TW_CONTACT_TILT | TW_CONTACT_RESCALE, r, slot, count);
}

static void run_any(tw_touch_block *r, uint32_t slot, size_t count)
{
    const tw_contact_law *law = r->touch->model->laws;
    run_block(law->kind, tw_contact_refine_of(law), r, slot, count);
}

void TW_SIMD_NAME(tw_touch_spheres)(tw_touch_context *touch, tw_tile *tile, double *sum)
{
    const tw_model *model = touch->model;
    const tw_schedule *schedule = touch->schedule;
    const tw_contact_law *law = model->laws;
    const uint32_t refine = tw_contact_refine_of(law);
    tw_touch_block r;
    r.touch = touch;
    r.tile = tile;
    r.sums = (tw_touch_lane_sums){0};
    r.sum = sum;
    r.law = tw_lanes_law_splat(law);
    /* Overlaps for which the square of the friction limit neither under- nor overflows; none in a
     * rigid rotation. */
    r.slippery = !(law->mu > 0.0);
    r.shallow = tw_contact_law_edge(law);
    if (!r.slippery)
        r.shallow =
            tw_math_max(r.shallow, tw_contact_law_limit_overlap(law, sqrt(TW_CONTACT_TINY)));
    r.deepest = 0.5 * schedule->radius_min;
    if (!r.slippery)
        r.deepest =
            tw_math_min(r.deepest, tw_contact_law_limit_overlap(law, sqrt(TW_CONTACT_HUGE)));
    if (touch->rigid_turn) r.deepest = -1.0;
    const uint32_t slots = (tile->slots + TW_BUNDLE - 1) / TW_BUNDLE * TW_BUNDLE;
    for (uint32_t i = 0; i < slots; i += BLOCK) {
        const size_t count = slots - i < BLOCK ? slots - i : BLOCK;
        if (law->kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL)
            run_exact(&r, tile->slot + i, count);
        else if (law->kind == TW_CONTACT_CONVENTIONAL &&
                 refine == (TW_CONTACT_TILT | TW_CONTACT_RESCALE))
            run_conventional(&r, tile->slot + i, count);
        else
            run_any(&r, tile->slot + i, count);
    }
    sum[TW_TOUCH_NORMAL] += tw_contact_law_normal_factor(law) * tw_lanes_sum_total(&r.sums.normal);
    sum[TW_TOUCH_TANGENTIAL] +=
        tw_contact_law_tangential_factor(law) * tw_lanes_sum_total(&r.sums.tangential);
    sum[TW_TOUCH_FRICTION] += tw_lanes_sum_total(&r.sums.friction);
}
