/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts between spheres by any law, TW_LANES at a time: one linear law; Hertz springs, several
 * materials, rolling, twisting, damping. Blocks of contacts go through the passes: movement; the
 * trial that all stick; slides; the remaining contacts one by one; damping; forces, in the order of
 * slots. What differs between laws is in tw_touch_traits, which the compiler knows for the laws in
 * common use. Where laws differ from contact to contact their constants are lanes too. The bits of
 * a contact do not depend on its neighbours in the lanes. Compiled once per level of base/simd.h.
 */
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

/* ---- The data of a block of contacts ---- */

/* What the slots of a group remember: extras, as lanes. Memories of contacts that were advanced one
 * by one are in place already and stay. */
static inline tw_lanes3 tw_lanes_touch_get3(tw_bundle_force *from, uint32_t slot)
{
    return tw_rows_get3(from[slot / TW_BUNDLE].f, slot % TW_BUNDLE);
}

static inline tw_lanes tw_lanes_touch_get(const tw_bundle_number *from, uint32_t slot)
{
    return tw_rows_get(from[slot / TW_BUNDLE].x + slot % TW_BUNDLE);
}

static inline void keep3(double to[3][TW_BUNDLE], uint32_t at, tw_lanes_mask done, tw_lanes3 v)
{
    if (!tw_lanes_all(done)) v = tw_lanes3_select(done, v, tw_rows_get3(to, at));
    tw_rows_put3(to, at, &v);
}

static inline void keep(double *to, tw_lanes_mask done, tw_lanes v)
{
    if (!tw_lanes_all(done)) v = tw_lanes_select(done, v, tw_rows_get(to));
    tw_rows_put(to, v);
}

static inline void tw_lanes_touch_keep3(tw_bundle_force *to, uint32_t slot, tw_lanes_mask done,
                                        tw_lanes3 v)
{
    keep3(to[slot / TW_BUNDLE].f, slot % TW_BUNDLE, done, v);
}

static inline void tw_lanes_touch_keep(tw_bundle_number *to, uint32_t slot, tw_lanes_mask done,
                                       tw_lanes v)
{
    keep(to[slot / TW_BUNDLE].x + slot % TW_BUNDLE, done, v);
}

#include "base/lanes_params.inc"
#include "step/touch_formulas.inc"
#include <twirl/detail/undef.inc>

/* Contacts are advanced in blocks whose data stay in the first-level cache, pass by pass: short
 * chains of dependent operations keep the pipelines busy. Results do not depend on their size, nor
 * on how many contacts ahead memories are fetched. */
enum { AHEAD = 64, BLOCK = 64, SMALL_BLOCK = 32, GROUPS = BLOCK / TW_LANES };
_Static_assert(SMALL_BLOCK % TW_BUNDLE == 0 && SMALL_BLOCK <= BLOCK, "blocks are whole bundles");

/* A group of contacts between the passes. */
typedef struct tw_touch_group {
    tw_lanes_touch_contact c;
    tw_lanes_mask small;  /* of a plain law: rotations are small */
    tw_lanes_mask single; /* advanced one by one, and still in contact, */
    tw_lanes_mask ended;  /* or one by one, and ended in this step */
    tw_lanes3 f, couple;  /* of these, unless the law is plain */
} tw_touch_group;

/* Sums in lanes, by slot. */
enum {
#define SUM_STORED(to, NAME, name, column, text) SUM_##NAME,
#define SUM_LOST(to, NAME, name, member, text) SUM_LOST_##NAME,
    TW_CONTACT_STORED(SUM_STORED, ) TW_CONTACT_LOST(SUM_LOST, ) SUMS
#undef SUM_STORED
#undef SUM_LOST
};

typedef struct tw_touch_block {
    tw_touch_context *touch;
    tw_tile *tile;
    double *sum;
    double shallow, deepest; /* other overlaps are advanced one by one; shallow: of a plain law */
    double inv_dt;           /* 0: no damping */
    uint32_t flags;          /* that some law has */
    int acting;              /* friction of some contacts follows their damping */
    int mixed;               /* some laws have another normal law than the first */
    int slippery;            /* a plain law without friction */
    tw_lanes_touch_constants only; /* of the only law, if they do not vary */
    tw_lanes_sum sums[SUMS];
    tw_touch_group group[GROUPS];
    tw_lanes_slide_state slide[GROUPS];
} tw_touch_block;

static inline void add(tw_touch_block *b, int which, uint32_t slot, tw_lanes_mask done, tw_lanes v)
{
    tw_lanes_sum_add(&b->sums[which], slot, tw_lanes_only(done, v));
}

/* ---- First pass: laws, normal, overlap and movement ---- */

/* The laws of a group of contacts of several materials. */
static inline tw_lanes_law laws_of(const tw_touch_block *b, uint32_t slot, tw_lanes root,
                                   tw_lanes mass, tw_lanes ratio, tw_lanes_mask *pulls)
{
    const tw_contact_law *laws = b->touch->model->laws;
    const uint16_t *index = b->touch->schedule->slots.law + slot;
    tw_lanes_law law = tw_lanes_law_gather(laws, index);
    tw_lanes_mask by_radius, by_mass, levers;
    for (size_t l = 0; l < TW_LANES; l++) {
        const uint32_t flags = laws[index[l]].flags;
        by_radius[l] = flags & TW_CONTACT_BY_RADIUS ? -1 : 0;
        by_mass[l] = flags & TW_CONTACT_BY_MASS ? -1 : 0;
        levers[l] = flags & TW_CONTACT_YADE_LEVERS ? -1 : 0;
        (*pulls)[l] = flags & TW_CONTACT_NO_TENSION ? 0 : -1;
    }
    law.flags = b->flags;
    return tw_lanes_touch_law_of_materials(&law, by_radius, by_mass, levers, root, mass, ratio);
}

/* The laws of a group of contacts, with their radii and masses. */
static inline __attribute__((always_inline)) void law_of(tw_touch_traits h, const tw_touch_block *b,
                                                         uint32_t slot, const tw_touch_branch *from,
                                                         tw_lanes mass_p, tw_lanes mass_q,
                                                         tw_lanes_touch_constants *own)
{
    const tw_model *model = b->touch->model;
    const tw_slots *slots = &b->touch->schedule->slots;
    const tw_lanes root = tw_rows_get(slots->root + slot);
    tw_lanes mass = mass_p;
    if (b->flags & TW_CONTACT_BY_MASS) mass = tw_lanes_touch_mass(mass_p, mass_q);
    tw_lanes ratio = TW_SPLAT_LANES(0.0);
    if (b->flags & TW_CONTACT_YADE_LEVERS) ratio = tw_lanes_ratio(from->rp, from->rq);
    tw_lanes_law law;
    if (model->material_count == 1) {
        law = tw_lanes_law_at_root(&b->only.law, root, mass, ratio);
        own->soft = b->only.soft;
        own->pulls = b->only.pulls;
        if (b->flags & TW_CONTACT_BY_RADIUS)
            own->soft *=
                tw_lanes_law_radius_factor(&b->only.law, tw_rows_get(slots->inv_root + slot));
    } else {
        law = laws_of(b, slot, root, mass, ratio, &own->pulls);
        own->soft = tw_lanes_law_compliance(law.kt);
    }
    law.normal = h.normal;
    if (tw_touch_turns(h)) {
        own->law = law;
        return;
    }
    own->law.kn = law.kn;
    own->law.kt = law.kt;
    own->law.mu = law.mu;
    own->law.nu_n = law.nu_n;
    own->law.nu_t = law.nu_t;
    own->law.normal = law.normal;
    own->law.flags = law.flags;
}

static inline __attribute__((always_inline)) void move(tw_touch_traits h, tw_touch_block *b,
                                                       uint32_t slot, const tw_touch_branch *from,
                                                       tw_lanes_touch_contact *c)
{
    const int32_t kind = h.kind;
    const tw_schedule *schedule = b->touch->schedule;
    tw_bundle *bundle = &b->touch->state->contacts.bundle[slot / TW_BUNDLE];
    const size_t at = slot % TW_BUNDLE;
    tw_lanes hp[4], hq[4];
    tw_rows_halves(schedule->tiles.half, schedule->slots.body_p + slot, hp);
    tw_rows_halves(schedule->tiles.half, schedule->slots.body_q + slot, hq);
    tw_lanes_step *step = &c->step;
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
    c->point = tw_lanes3_add_scaled(from->from, from->rp - 0.5 * step->zeta1, step->n1);
    if (h.varied) law_of(h, b, slot, from, hp[3], hq[3], &c->own);
    if (tw_touch_turns(h)) {
        const tw_lanes root = tw_rows_get(schedule->slots.root + slot);
        c->radius = root * root;
        c->rolled = tw_lanes_touch_rolled(kind, c->radius, step->n0, step->n1, spheres.half_p,
                                          spheres.half_q, &c->twisted);
    }
}

/* The constants of a group. A copy, so that the compiler knows the normal law. */
static inline __attribute__((always_inline)) tw_lanes_touch_constants
constants(tw_touch_traits h, const tw_lanes_touch_constants *only, const tw_lanes_touch_contact *c)
{
    tw_lanes_touch_constants own = h.varied ? c->own : *only;
    own.law.normal = h.normal;
    own.law.refine = h.refine;
    return own;
}

/* Hertz springs. Groups in which an overlap changes much are listed first: branches in the loop
 * would be mispredicted. */
static inline __attribute__((always_inline)) void
spring(tw_touch_traits h, const tw_lanes_touch_constants *only, tw_touch_block *b, uint32_t count)
{
    uint16_t left[GROUPS + 1];
    size_t lefts = 0;
    for (uint32_t i = 0; i < count / TW_LANES; i++) {
        tw_lanes_touch_contact *c = &b->group[i].c;
        const tw_lanes_touch_constants own = constants(h, only, c);
        tw_lanes_touch_springs(h, &own, c);
        left[lefts] = (uint16_t)i;
        lefts += (size_t)tw_lanes_any_set(tw_lanes_springs_far(&c->springs));
    }
    for (size_t i = 0; i < lefts; i++) {
        tw_lanes_touch_contact *c = &b->group[left[i]].c;
        const tw_lanes_touch_constants own = constants(h, only, c);
        tw_lanes_touch_springs_far(h, &own, c);
    }
}

/* ---- Second pass: the trial that all stick ---- */

/* Not inline: gcc 12 fails to compile it for SSE2 as part of a longer function. */
static __attribute__((noinline)) void limit_friction(tw_touch_traits h, const tw_touch_block *b,
                                                     uint32_t slot, tw_lanes_touch_contact *c)
{
    const tw_extras *extras = &b->touch->state->contacts.extras;
    const tw_lanes_damped s =
        tw_lanes_touch_damped(h.normal, &c->own.law, &c->step, c, c->own.pulls, b->inv_dt);
    c->own.law.mu = tw_lanes_touch_friction(&c->own.law, &s, c->step.du,
                                            tw_lanes_touch_get3(extras->rate, slot));
}

static inline __attribute__((always_inline)) void stick(tw_touch_traits h,
                                                        const tw_lanes_touch_constants *only,
                                                        tw_touch_block *b, double inv_dt,
                                                        uint32_t slot, tw_lanes_touch_contact *c)
{
    const tw_extras *extras = &b->touch->state->contacts.extras;
    tw_lanes_touch_constants own = constants(h, only, c);
    const tw_lanes_step step = c->step;
    if (!tw_contact_normal_stiffens(h.normal)) {
        c->springs.p1 = tw_lanes_law_pressing(&own.law, c->step.zeta1);
        if (h.parts & TW_CONTACT_EXTRA_TWISTING)
            c->springs.p0 = tw_lanes_law_pressing(&own.law, c->step.zeta0);
    }
    if ((h.parts & TW_CONTACT_EXTRA_DAMPING) && h.varied && b->acting) {
        limit_friction(h, b, slot, c);
        own.law.mu = c->own.law.mu;
    }
    tw_lanes_touch_stick(h, &own, extras, slot, &step, c);
    if (h.parts & TW_CONTACT_EXTRA_DAMPING)
        tw_lanes_touch_damp(h, &own, inv_dt, extras, slot, &step, c);
}

/* With a plain law the range of overlaps is known in advance, and nothing is lost by the exact one.
 */
static inline __attribute__((always_inline)) void stick_plain(tw_touch_traits h,
                                                              const tw_lanes_touch_constants *own,
                                                              const tw_touch_block *b,
                                                              tw_touch_group *k)
{
    tw_lanes_touch_contact *c = &k->c;
    const tw_lanes_step *step = &c->step;
    const tw_lanes_springs springs = {.p1 = step->zeta1}; /* a linear law uses nothing of it */
    tw_lanes_touch_slider *s = &c->sliding;
    tw_lanes_trial t = tw_lanes_try(h.kind, h.refine, &own->law, &springs, step);
    if (b->slippery) { /* no tangential force */
        t.inside = tw_lanes3_dot(step->ft0, step->ft0) == 0.0;
        t.ft = tw_lanes3_scale(TW_SPLAT_LANES(0.0), step->ft0);
    }
    const tw_lanes_mask touch =
        t.small & tw_lanes_law_grips(&own->law, step->zeta0) & (step->zeta1 < b->deepest);
    s->done = t.inside & touch & (step->zeta1 > b->shallow);
    s->open = touch & tw_lanes_law_grips(&own->law, step->zeta1) & ~s->done;
    s->slides = b->slippery ? s->done : (tw_lanes_mask){0};
    s->ft = t.ft;
    s->lost = TW_SPLAT_LANES(0.0);
    if (h.kind != TW_CONTACT_EXACT && !b->slippery) /* gained or lost by first-order carrying */
        s->lost = tw_lanes_trial_work(&own->law, &t) - own->soft * tw_lanes_change(t.ft0, t.ft);
    s->ft0 = t.ft0;
    s->dxi = t.dxi;
    s->phi = t.phi;
    k->small = t.small;
}

/* ---- Third pass: slides, gathered from the groups ---- */

static inline tw_lanes_touch_slider *slider_of(tw_touch_group *k, int rolling)
{
    return rolling ? &k->c.rolling : &k->c.sliding;
}

/* Lists the contacts of a block whose slides may be simple. Returns their number. */
static inline size_t list_open(tw_touch_block *b, int rolling, uint32_t count, uint16_t *left)
{
    size_t lefts = 0;
    for (uint32_t i = 0; i < count; i += TW_LANES) {
        const tw_lanes_mask open = slider_of(&b->group[i / TW_LANES], rolling)->open;
        if (!tw_lanes_any_set(open)) continue;
        for (uint32_t l = 0; l < TW_LANES; l++) {
            left[lefts] = (uint16_t)(i + l);
            lefts += open[l] != 0;
        }
    }
    return lefts;
}

/* A member of the groups at these places, counted in numbers from the first group. */
#define TW_PICK(member, at) TW_LANES_GATHER((const double *)&b->group[0].member, at, )
#define TW_PICK3(member, at)                                                                       \
    tw_lanes3_make(TW_PICK(member.x, at), TW_PICK(member.y, at), TW_PICK(member.z, at))

/* Begins the slides of contacts left[0], left[1] ... of the block. Returns 1/(2 kt). */
static inline __attribute__((always_inline)) tw_lanes
slide_start(tw_touch_traits h, const tw_lanes_law *one, int rolling, const tw_touch_block *b,
            const uint16_t *left, tw_lanes_slide_state *state)
{
    const size_t group = sizeof *b->group / sizeof(double),
                 other =
                     (offsetof(tw_touch_group, c.rolling) - offsetof(tw_touch_group, c.sliding)) /
                     sizeof(double);
    size_t at[TW_LANES], slider[TW_LANES];
    for (size_t l = 0; l < TW_LANES; l++) {
        at[l] = (size_t)left[l] / TW_LANES * group + left[l] % TW_LANES;
        slider[l] = rolling ? at[l] + other : at[l];
    }
    tw_lanes_law law = *one;
    if (h.varied) {
        law.kn = TW_PICK(c.own.law.kn, at);
        law.kt = rolling ? TW_PICK(c.own.law.k_r, at) : TW_PICK(c.own.law.kt, at);
        law.mu = rolling ? TW_PICK(c.own.law.mu_r, at) : TW_PICK(c.own.law.mu, at);
    }
    tw_lanes_step step; /* of which only these are used */
    step.n1 = TW_PICK3(c.step.n1, at);
    step.zeta0 = TW_PICK(c.step.zeta0, at);
    step.zeta1 = TW_PICK(c.step.zeta1, at);
    tw_lanes_touch_slider from; /* likewise */
    from.ft0 = TW_PICK3(c.sliding.ft0, slider);
    from.dxi = TW_PICK3(c.sliding.dxi, slider);
    from.phi = TW_PICK(c.sliding.phi, slider);
    const tw_lanes_trial t = tw_lanes_touch_slider_trial(&from, step.n1);
    const tw_lanes_springs springs =
        tw_lanes_springs_of(TW_CONTACT_EXACT, TW_CONTACT_ALL, &law, step.zeta0, step.zeta1);
    tw_lanes_slide_start(&law, &springs, &step, &t, state);
    return tw_lanes_law_compliance(law.kt);
}

static inline __attribute__((always_inline)) void
slides(tw_touch_traits h, const tw_lanes_law *law, int rolling, tw_touch_block *b, uint32_t count)
{
    uint16_t left[BLOCK + TW_LANES];
    tw_lanes soft[GROUPS];
    tw_lanes_slide_state *state = b->slide;
    const size_t lefts = list_open(b, rolling, count, left);
    const size_t groups = (lefts + TW_LANES - 1) / TW_LANES;
    for (size_t i = lefts; i < groups * TW_LANES; i++)
        left[i] = left[lefts - 1]; /* in unused lanes */
    for (size_t g = 0; g < groups; g++)
        soft[g] = slide_start(h, law, rolling, b, left + g * TW_LANES, &state[g]);
    for (size_t g = 0; g < groups; g++)
        tw_lanes_slide_turn(&state[g]);
    for (size_t g = 0; g < groups; g++)
        tw_lanes_slide_mean(law, &state[g]);
    for (size_t i = 0; i < lefts; i += TW_LANES) {
        const tw_lanes_slide out = tw_lanes_slide_end(law, &state[i / TW_LANES]);
        const tw_lanes lost = tw_lanes_touch_slide_lost(h.normal, soft[i / TW_LANES], &out);
        for (size_t l = 0; l < TW_LANES && i + l < lefts; l++) {
            const size_t at = left[i + l], lane = at % TW_LANES;
            tw_lanes_touch_slider *s = slider_of(&b->group[at / TW_LANES], rolling);
            if (!out.holds[l]) continue;
            tw_lanes3_put(&s->ft, lane, tw_lanes3_get(&out.ft, l));
            s->micro[lane] = out.micro[l];
            s->lost[lane] = lost[l];
            s->slides[lane] = s->done[lane] = -1;
        }
    }
}

/* ---- The remaining contacts ---- */

/* The contacts of a group that have the normal law of the lanes. */
static inline tw_lanes_mask of_normal(const tw_touch_block *b, uint32_t slot)
{
    const tw_contact_law *laws = b->touch->model->laws;
    const uint16_t *law = b->touch->schedule->slots.law + slot;
    tw_lanes_mask same = {0};
    for (size_t l = 0; l < TW_LANES; l++)
        same[l] = laws[law[l]].normal == laws->normal ? -1 : 0;
    return same;
}

/* Flags of the contacts that were advanced in lanes, and their number; lists the others, without
 * empty slots. Branches where contacts slide would be mispredicted. */
static inline __attribute__((always_inline)) size_t
count_done(int rolling, tw_touch_block *b, uint32_t slot, uint32_t count, uint16_t *left)
{
    const uint32_t *pair = b->touch->schedule->slots.pair + slot;
    uint8_t *sliding = b->touch->state->contacts.sliding + slot;
    size_t lefts = 0, open = 0;
    tw_lanes_mask slides = {0};
    for (uint32_t i = 0; i < count; i += TW_LANES) {
        tw_touch_group *k = &b->group[i / TW_LANES];
        tw_lanes_mask done = k->c.sliding.done & (k->c.step.zeta1 < b->deepest);
        if (rolling) done &= k->c.rolling.done;
        if (b->mixed) done &= of_normal(b, slot + i);
        const tw_lanes_mask slid = done & k->c.sliding.slides;
        slides -= slid;
        for (uint32_t l = 0; l < TW_LANES; l++)
            sliding[i + l] = slid[l] != 0;
        k->c.done = done;
        if (tw_lanes_all(done)) continue;
        k->single = k->ended = (tw_lanes_mask){0};
        for (uint32_t l = 0; l < TW_LANES; l++) {
            open += !done[l];
            left[lefts] = (uint16_t)(i + l);
            lefts += !done[l] & (pair[i + l] != TW_NO_PAIR);
        }
    }
    for (uint32_t l = 0; l < TW_LANES; l++)
        b->sum[TW_TOUCH_SLIDING] += (double)slides[l];
    b->sum[TW_TOUCH_CONTACTS] += (double)(count - open);
    return lefts;
}

/* Contact number `at` of the block. */
static void advance_one(tw_touch_block *b, uint32_t slot, size_t at)
{
    tw_touch_context *touch = b->touch;
    const tw_schedule *schedule = touch->schedule;
    const tw_contact_law *law = &touch->model->laws[schedule->slots.law[slot]];
    tw_touch_group *k = &b->group[at / TW_LANES];
    const size_t l = at % TW_LANES;
    tw_touch_one one = {.memory = tw_bundle_get(touch->state->contacts.bundle, slot)};
    const tw_contact_motion motion =
        tw_touch_one_motion(touch->state, schedule, touch->rigid_turn, slot, law, &one.memory);
    tw_touch_one_advance(touch->state, touch->rigid_turn, touch->still, law, &motion, slot, &one);
    tw_touch_single_add(touch, slot, &one,
                        tw_touch_one_allowed(&schedule->tiles, &schedule->slots, slot), b->sum);
    k->single[l] = one.load.touching ? -1 : 0;
    k->ended[l] = one.load.touching ? 0 : -1;
    tw_lanes3_put(&k->f, l, one.load.f);
    tw_lanes3_put(&k->couple, l, one.load.couple);
}

/* By a plain law: with the movement and the trial of the lanes. n1, zeta1 and ft are then those of
 * its memory. */
static void advance_one_plain(tw_touch_block *b, uint32_t slot, size_t at)
{
    tw_touch_group *k = &b->group[at / TW_LANES];
    tw_lanes_step *step = &k->c.step;
    const size_t l = at % TW_LANES;
    const tw_touch_carried by = {.step = {.n1 = tw_lanes3_get(&step->n1, l),
                                          .zeta1 = step->zeta1[l],
                                          .du = tw_lanes3_get(&step->du, l)},
                                 .trial = {.ft0 = tw_lanes3_get(&k->c.sliding.ft0, l),
                                           .dxi = tw_lanes3_get(&k->c.sliding.dxi, l),
                                           .phi = k->c.sliding.phi[l],
                                           .small = k->small[l] != 0}};
    tw_contact_memory memory;
    k->single[l] = tw_touch_single_advance(b->touch, b->tile, slot, &by, &memory, b->sum) ? -1 : 0;
    tw_lanes3_put(&step->n1, l, memory.n);
    step->zeta1[l] = memory.zeta;
    tw_lanes3_put(&k->c.sliding.ft, l, memory.ft);
}

/* ---- Last pass: damping, forces on bodies, memories ---- */

/* Energies of rolling and twisting. */
static inline __attribute__((always_inline)) void add_turning(tw_touch_traits h,
                                                              const tw_lanes_law *law,
                                                              tw_touch_block *b, uint32_t slot,
                                                              const tw_lanes_touch_contact *c)
{
    if (h.parts & TW_CONTACT_EXTRA_ROLLING) {
        const tw_lanes3 fr = c->rolling.ft;
        add(b, SUM_ROLLING, slot, c->done,
            tw_lanes_touch_stored(h.normal, &c->springs, tw_lanes_law_compliance(law->k_r),
                                  tw_lanes3_dot(fr, fr)));
        add(b, SUM_LOST_ROLLING, slot, c->done, c->rolling.micro + c->rolling.lost);
    }
    if (h.parts & TW_CONTACT_EXTRA_TWISTING) {
        const tw_lanes fw = c->twisting.fw;
        add(b, SUM_TWISTING, slot, c->done,
            tw_lanes_touch_stored(h.normal, &c->springs, tw_lanes_law_compliance(law->k_w) * fw,
                                  fw));
        add(b, SUM_LOST_TWISTING, slot, c->done, c->twisting.lost);
    }
}

static inline __attribute__((always_inline)) void finish(tw_touch_traits h,
                                                         const tw_lanes_touch_constants *only,
                                                         tw_touch_block *b, uint32_t slot,
                                                         tw_touch_group *k)
{
    const tw_schedule *schedule = b->touch->schedule;
    tw_contacts *contacts = &b->touch->state->contacts;
    tw_bundle *bundle = &contacts->bundle[slot / TW_BUNDLE];
    tw_lanes_touch_contact *c = &k->c;
    const tw_lanes_touch_constants own = constants(h, only, c);
    const uint32_t at = slot % TW_BUNDLE;
    const tw_lanes3 n = c->step.n1, ft = c->sliding.ft;
    const tw_lanes zeta = c->step.zeta1, fn = tw_lanes_law_force(&own.law, c->springs.p1);
    const tw_lanes_mask done = c->done;
    const int all = tw_lanes_all(done);
    tw_lanes3 f = tw_lanes3_sub(ft, tw_lanes3_scale(fn, n));
    if (h.parts & TW_CONTACT_EXTRA_DAMPING) f = tw_lanes3_add(f, c->drag);
    if (!all) {
        const tw_lanes_mask acts = k->single | k->ended;
        f = tw_lanes3_select(done, f, tw_lanes3_only(acts, k->f));
    }
    tw_lanes3 t = tw_lanes3_cross(c->point, f);
    if (!(h.parts & TW_CONTACT_EXTRA_DAMPING)) c->viscous = TW_SPLAT_LANES(0.0);
    if (tw_touch_turns(h)) {
        add_turning(h, &own.law, b, slot, c);
        tw_lanes3 couple = tw_lanes_touch_turn(h, &own, b->inv_dt, &contacts->extras, slot, c);
        if (!all) {
            const tw_lanes_mask acts = k->single | k->ended;
            couple = tw_lanes3_select(done, couple, tw_lanes3_only(acts, k->couple));
        }
        t = tw_lanes3_add(t, couple);
    }
    tw_rows_accumulate(schedule->tiles.accumulator, schedule->slots.body_p + slot,
                       schedule->slots.body_q + slot, &f, &t);
    tw_lanes normal = tw_lanes_law_stored_normal_by(&own.law, zeta, c->springs.p1);
    tw_lanes tangential =
        tw_lanes_touch_stored(h.normal, &c->springs, own.soft, tw_lanes3_dot(ft, ft));
    /* One addend for all damping of a contact: the order of sums must not depend on blocks. */
    tw_lanes lost = c->sliding.lost, viscous = c->viscous, micro = c->sliding.micro;
    if (!all) {
        normal = tw_lanes_only(done, normal);
        tangential = tw_lanes_only(done, tangential);
        lost = tw_lanes_only(done, lost);
        viscous = tw_lanes_only(done, viscous);
        micro = tw_lanes_only(done, micro);
    }
    tw_lanes_sum_add(&b->sums[SUM_NORMAL], slot, normal);
    tw_lanes_sum_add(&b->sums[SUM_TANGENTIAL], slot, tangential);
    tw_lanes_sum_add(&b->sums[SUM_LOST_FRICTION], slot, lost);
    if (h.parts & TW_CONTACT_EXTRA_DAMPED)
        tw_lanes_sum_add(&b->sums[SUM_LOST_DAMPING], slot, viscous);
    if (tw_contact_normal_stiffens(h.normal))
        tw_lanes_sum_add(&b->sums[SUM_LOST_MICRO_SLIP], slot, micro);
    if (h.parts & TW_CONTACT_EXTRA_DAMPING) tw_lanes_touch_damp_keep(&contacts->extras, slot, c);
    keep3(bundle->n, at, done, n);
    keep(bundle->zeta + at, done, zeta);
    keep3(bundle->ft, at, done, ft);
}

/* By a plain law: contacts that were advanced one by one are as the others. Energies are summed as
 * terms, without the constants. */
static inline __attribute__((always_inline)) void
finish_plain(const tw_lanes_law *law, tw_touch_block *b, uint32_t slot, const tw_touch_group *k)
{
    const tw_schedule *schedule = b->touch->schedule;
    tw_bundle *bundle = &b->touch->state->contacts.bundle[slot / TW_BUNDLE];
    const size_t at = slot % TW_BUNDLE;
    tw_lanes_mask touches = k->c.done;
    if (!tw_lanes_all(touches)) touches |= k->single;
    const tw_lanes3 n = k->c.step.n1, ft = k->c.sliding.ft;
    const tw_lanes zeta = k->c.step.zeta1;
    const tw_lanes3 f = tw_lanes3_only(touches, tw_lanes_law_spring_force(law, n, zeta, ft));
    const tw_lanes3 t = tw_lanes3_cross(k->c.point, f);
    tw_rows_accumulate(schedule->tiles.accumulator, schedule->slots.body_p + slot,
                       schedule->slots.body_q + slot, &f, &t);
    add(b, SUM_LOST_FRICTION, slot, k->c.done, k->c.sliding.lost);
    add(b, SUM_NORMAL, slot, touches, tw_lanes_law_normal_term(zeta));
    add(b, SUM_TANGENTIAL, slot, touches, tw_lanes_law_tangential_term(ft));
    tw_rows_put3(bundle->n, at, &n);
    tw_rows_put(bundle->zeta + at, zeta);
    tw_rows_put3(bundle->ft, at, &ft);
}

/* ---- Blocks ---- */

static inline void fetch_bytes(const void *from, size_t bytes)
{
    for (size_t k = 0; k < bytes; k += 64)
        __builtin_prefetch((const char *)from + k, 1, 2);
}

/* Prefetches a bundle of the next block. */
static inline void fetch(tw_touch_traits h, const tw_contacts *c, size_t bundle)
{
    fetch_bytes(&c->bundle[bundle], sizeof *c->bundle);
    if (h.parts & TW_CONTACT_EXTRA_DAMPING) {
        fetch_bytes(&c->extras.drag[bundle], sizeof *c->extras.drag);
        fetch_bytes(&c->extras.rate[bundle], sizeof *c->extras.rate);
    }
    if (h.parts & TW_CONTACT_EXTRA_ROLLING)
        fetch_bytes(&c->extras.fr[bundle], sizeof *c->extras.fr);
}

/* Damping where a limit changes it: groups are listed first, as in count_done. */
static inline __attribute__((always_inline)) void damp(tw_touch_traits h,
                                                       const tw_lanes_touch_constants *only,
                                                       tw_touch_block *b, uint32_t slot,
                                                       uint32_t count)
{
    const tw_extras *extras = &b->touch->state->contacts.extras;
    uint16_t left[GROUPS + 1];
    size_t lefts = 0;
    for (uint32_t i = 0; i < count; i += TW_LANES) {
        const tw_lanes_touch_contact *c = &b->group[i / TW_LANES].c;
        left[lefts] = (uint16_t)i;
        lefts += (size_t)tw_lanes_any_set(c->done & (c->sliding.slides | ~c->fits));
    }
    for (size_t k = 0; k < lefts; k++) {
        tw_lanes_touch_contact *c = &b->group[left[k] / TW_LANES].c;
        const tw_lanes_touch_constants own = constants(h, only, c);
        tw_lanes_touch_damp_within(h, &own, h.varied && b->acting, extras, slot + left[k], c);
    }
}

static inline __attribute__((always_inline)) void run_block(tw_touch_traits h, tw_touch_block *b,
                                                            uint32_t slot, uint32_t count)
{
    tw_touch_context *touch = b->touch;
    const tw_schedule *schedule = touch->schedule;
    const int rolling = (h.parts & TW_CONTACT_EXTRA_ROLLING) != 0;
    uint16_t left[BLOCK + 1];
    tw_lanes_touch_constants only = b->only;
    only.law.normal = h.normal;
    const double inv_dt = b->inv_dt;
    tw_touch_branch next = tw_touch_branch_look(schedule, slot);
    for (uint32_t i = 0; i < count; i += TW_LANES) {
        const tw_touch_branch now = next;
        if (i % TW_BUNDLE == 0) fetch(h, &touch->state->contacts, (slot + i + AHEAD) / TW_BUNDLE);
        if (i + TW_LANES < count) next = tw_touch_branch_look(schedule, slot + i + TW_LANES);
        move(h, b, slot + i, &now, &b->group[i / TW_LANES].c);
    }
    if (tw_contact_normal_stiffens(h.normal)) spring(h, &only, b, count);
    for (uint32_t i = 0; i < count; i += TW_LANES) {
        tw_touch_group *k = &b->group[i / TW_LANES];
        if (h.plain)
            stick_plain(h, &only, b, k);
        else
            stick(h, &only, b, inv_dt, slot + i, &k->c);
    }
    if (h.kind == TW_CONTACT_EXACT && h.refine == TW_CONTACT_ALL &&
        !(h.plain && touch->model->laws->kt == 0.0)) {
        const tw_lanes_law other = tw_lanes_law_rolling(&only.law);
        slides(h, &only.law, 0, b, count);
        if (rolling) slides(h, &other, 1, b, count);
    }
    const size_t lefts = count_done(rolling, b, slot, count, left);
    for (size_t i = 0; i < lefts; i++) {
        if (h.plain)
            advance_one_plain(b, slot + left[i], left[i]);
        else
            advance_one(b, slot + left[i], left[i]);
    }
    if (h.parts & TW_CONTACT_EXTRA_DAMPING) damp(h, &only, b, slot, count);
    for (uint32_t i = 0; i < count; i += TW_LANES) {
        tw_touch_group *k = &b->group[i / TW_LANES];
        if (h.plain)
            finish_plain(&only.law, b, slot + i, k);
        else
            finish(h, &only, b, slot + i, k);
    }
    /* Slots are emptied after the last force of a damped contact has gone to its bodies. */
    for (size_t i = 0; i < lefts; i++)
        if (b->group[left[i] / TW_LANES].ended[left[i] % TW_LANES])
            tw_touch_candidates_end(touch->state, touch->schedule, b->tile, slot + left[i]);
}

/* The laws in common use, known to the compiler. */
#define TW_RUN(name, kind, refine, normal, parts, varied, plain)                                   \
    static void name(tw_touch_traits h, tw_touch_block *b, uint32_t slot, uint32_t count)          \
    {                                                                                              \
        const tw_touch_traits known = {kind, refine, normal, parts, varied, plain};                \
        (void)h;                                                                                   \
        run_block(known, b, slot, count);                                                          \
    }
#define TW_EXACT(name, normal, parts, varied, plain)                                               \
    TW_RUN(name, TW_CONTACT_EXACT, TW_CONTACT_ALL, normal, parts, varied, plain)
#define TW_USUAL (TW_CONTACT_TILT | TW_CONTACT_RESCALE)
TW_EXACT(run_plain, TW_CONTACT_LINEAR, 0, 0, 1)
TW_EXACT(run_linear_damped, TW_CONTACT_LINEAR, TW_CONTACT_EXTRA_DAMPING, 0, 0)
TW_EXACT(run_linear_turning, TW_CONTACT_LINEAR,
         TW_CONTACT_EXTRA_ROLLING | TW_CONTACT_EXTRA_TWISTING, 0, 0)
TW_EXACT(run_linear_one, TW_CONTACT_LINEAR, h.parts, 0, 0)
TW_EXACT(run_linear, TW_CONTACT_LINEAR, h.parts, 1, 0)
TW_EXACT(run_hertz_springs, TW_CONTACT_HERTZ, 0, 1, 0)
TW_EXACT(run_hertz_damped, TW_CONTACT_HERTZ, TW_CONTACT_EXTRA_DAMPING, 1, 0)
TW_EXACT(run_hertz, TW_CONTACT_HERTZ, h.parts, 1, 0)
TW_RUN(run_conventional_plain, TW_CONTACT_CONVENTIONAL, TW_USUAL, TW_CONTACT_LINEAR, 0, 0, 1)
TW_RUN(run_conventional, TW_CONTACT_CONVENTIONAL, TW_USUAL, TW_CONTACT_LINEAR, h.parts, h.varied, 0)
TW_RUN(run_conventional_hertz, TW_CONTACT_CONVENTIONAL, TW_USUAL, TW_CONTACT_HERTZ, h.parts, 1, 0)
TW_RUN(run_any_plain, h.kind, h.refine, TW_CONTACT_LINEAR, 0, 0, 1)
TW_RUN(run_any, h.kind, h.refine, h.normal, h.parts, h.varied, 0)
#undef TW_EXACT
#undef TW_RUN

typedef void (*run_function)(tw_touch_traits h, tw_touch_block *b, uint32_t slot, uint32_t count);

static run_function choose(tw_touch_traits h)
{
    if (!tw_contact_normal_is_linear(h.normal) && !tw_contact_normal_stiffens(h.normal))
        return run_any;
    if (h.kind == TW_CONTACT_CONVENTIONAL && h.refine == TW_USUAL) {
        if (h.plain) return run_conventional_plain;
        return tw_contact_normal_stiffens(h.normal) ? run_conventional_hertz : run_conventional;
    }
    if (h.kind != TW_CONTACT_EXACT || h.refine != TW_CONTACT_ALL)
        return h.plain ? run_any_plain : run_any;
    if (h.plain) return run_plain;
    if (tw_contact_normal_stiffens(h.normal)) {
        if (h.parts == 0) return run_hertz_springs;
        return h.parts == TW_CONTACT_EXTRA_DAMPING ? run_hertz_damped : run_hertz;
    }
    if (h.varied) return run_linear;
    if (h.parts == TW_CONTACT_EXTRA_DAMPING) return run_linear_damped;
    return h.parts == (TW_CONTACT_EXTRA_ROLLING | TW_CONTACT_EXTRA_TWISTING) ? run_linear_turning
                                                                             : run_linear_one;
}

/* Overlaps that the lanes advance. Of a plain law those for which the square of the friction limit
 * neither under- nor overflows. In a rigid rotation, where no time passes but damping may act, and
 * by laws that need other parts, all contacts are advanced one by one. */
static void set_range(tw_touch_traits h, tw_touch_block *b)
{
    const tw_touch_context *touch = b->touch;
    const tw_contact_law *law = touch->model->laws;
    b->slippery = h.plain && !(law->mu > 0.0);
    b->shallow = tw_contact_law_grip(law);
    b->deepest = 0.5 * touch->schedule->radius_min;
    if (h.plain && !b->slippery) {
        b->shallow =
            tw_math_max(b->shallow, tw_contact_law_limit_overlap(law, sqrt(TW_CONTACT_TINY)));
        b->deepest =
            tw_math_min(b->deepest, tw_contact_law_limit_overlap(law, sqrt(TW_CONTACT_HUGE)));
    }
    if (touch->rigid_turn || (touch->still && !h.plain) || (h.parts & ~(uint32_t)TW_TOUCH_IN_LANES))
        b->deepest = -1.0;
}

void TW_SIMD_NAME(tw_touch_lanes)(tw_touch_context *touch, tw_tile *tile, double *sum)
{
    const tw_contact_law *law = touch->model->laws;
    const double dt = touch->state->dt;
    const uint32_t parts = touch->state->contacts.extras.parts;
    tw_touch_traits h = tw_touch_traits_of(touch->model, parts);
    tw_touch_block b;
    b.touch = touch;
    b.tile = tile;
    b.sum = sum;
    b.flags = tw_model_flags(touch->model);
    b.mixed = tw_model_is_mixed(touch->model);
    b.acting = (b.flags & TW_CONTACT_NO_TENSION) && (parts & TW_CONTACT_EXTRA_DAMPING);
    h.varied |= b.acting;
    for (size_t l = 0; l < TW_LANES; l++)
        b.only.pulls[l] = law->flags & TW_CONTACT_NO_TENSION ? 0 : -1;
    b.only.law = tw_lanes_law_splat(law);
    b.only.soft = tw_lanes_law_compliance(b.only.law.kt);
    b.inv_dt = dt > 0.0 ? 1.0 / dt : 0.0;
    set_range(h, &b);
    memset(b.sums, 0, sizeof b.sums);
    const run_function run = choose(h);
    const uint32_t slots = tw_tile_round_up(tile->slots), most = h.plain ? BLOCK : SMALL_BLOCK;
    for (uint32_t i = 0; i < slots; i += most)
        run(h, &b, tile->slot + i, slots - i < most ? slots - i : most);
    double factor[SUMS] = {[SUM_NORMAL] = tw_contact_law_normal_factor(law),
                           [SUM_TANGENTIAL] = tw_contact_law_tangential_factor(law)};
    for (int k = 0; k < SUMS; k++) {
        const double total = tw_lanes_sum_total(&b.sums[k]);
        sum[TW_TOUCH_STORED + k] += h.plain && k <= SUM_TANGENTIAL ? factor[k] * total : total;
    }
}
