/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts between spheres by any law: Hertz springs, several materials, rolling, twisting,
 * damping. TW_LANES at a time, in the passes of touch_spheres.c, which is for one linear law. The
 * constants of the laws are lanes too, so contacts of different materials share lanes. Contacts
 * that the lanes cannot advance go one by one. Compiled once per level of base/simd.h. */
#include <string.h>

#include "contact/lanes.h"
#include "step/rows.h"
#include "step/touch.h"

/* Contacts of a block: four groups, whose chains of operations overlap. Memories are fetched so
 * many contacts ahead. Results do not depend on either. */
enum { GROUPS = 4, BLOCK = GROUPS * TW_LANES, AHEAD = 64 };
_Static_assert(BLOCK % TW_BUNDLE == 0, "blocks are whole bundles");

/* Also in src/contact/lanes.h: every template takes its parameters as macros. */
#define TW_REAL tw_lanes
#define TW_LAW tw_lanes_law
#define TW_VEC tw_lanes3
#define TW_VEC_NAME(verb) tw_lanes3_##verb
#define TW_MASK tw_lanes_mask
#define TW_NAME(verb) tw_lanes_##verb
#define TW_SPLAT TW_SPLAT_LANES
#define TW_SELECT tw_lanes_select
#define TW_SQRT tw_lanes_sqrt
#define TW_ANY tw_lanes_any_set
#define TW_NOT(mask) (~(mask))
#include "step/touch_formulas.inc"

/* A group of contacts between the passes. */
typedef struct tw_touch_laws_group {
    tw_lanes_law law;
    tw_lanes soft;       /* 1/(2 kt) */
    tw_lanes_mask pulls; /* damping may pull */
    tw_lanes_springs springs;
    tw_lanes_step step; /* of the tangential force */
    tw_lanes3 point;    /* of action, relative to the tile's origin */
    tw_lanes3 rolled;   /* movement of rolling, */
    tw_lanes twisted;   /* and of twisting */
    tw_lanes radius;    /* reduced */
    tw_lanes_touch_slider sliding, rolling;
    tw_lanes_twisting twisting;
    tw_lanes_mask done;   /* advanced in lanes, */
    tw_lanes_mask single; /* or one by one, and still in contact, */
    tw_lanes_mask ended;  /* or one by one, and ended in this step */
    tw_lanes3 f, couple;  /* of contacts that were advanced one by one */
    tw_lanes3 drag;       /* damping force on p */
    tw_lanes viscous;     /* work lost in damping */
} tw_touch_laws_group;

/* What is known of the laws, mostly to the compiler. */
typedef struct tw_touch_laws_how {
    int32_t kind;
    uint32_t refine;
    int32_t normal;
    uint32_t parts; /* extras */
    int varied;     /* constants of the contacts differ */
} tw_touch_laws_how;

/* Whether there is rolling or twisting. */
static inline int turns(tw_touch_laws_how h)
{
    return (h.parts & ~(uint32_t)TW_CONTACT_EXTRA_DAMPING) != 0;
}

enum {
    SUM_NORMAL,
    SUM_TANGENTIAL,
    SUM_ROLLING,
    SUM_TWISTING,
    SUM_FRICTION,
    SUM_MICRO_SLIP,
    SUM_LOST_ROLLING,
    SUM_LOST_TWISTING,
    SUM_VISCOUS,
    SUMS
};

typedef struct tw_touch_laws_block {
    tw_touch_context *touch;
    tw_tile *tile;
    double *sum;
    double deepest;      /* larger overlaps are advanced one by one */
    double inv_dt;       /* 0: no damping */
    uint32_t flags;      /* that some law has */
    tw_lanes_mask pulls; /* damping of the only law may pull */
    int acting;          /* friction of some contacts follows their damping */
    tw_lanes_law law;
    tw_lanes soft; /* 1/(2 kt) of it */
    tw_lanes_sum sums[SUMS];
    tw_touch_laws_group group[GROUPS];
} tw_touch_laws_block;

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
    return tw_lanes_touch_damped(h.normal, &k->step, &k->springs, h.varied ? k->pulls : b->pulls,
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
    const tw_lanes_springs springs =
        tw_lanes_springs_of(kind, refine, law, step->zeta0, step->zeta1);
    k->springs.fn1 = springs.fn1;
    if (h.normal == TW_CONTACT_HERTZ) {
        k->springs.i1 = springs.i1;
        k->springs.r0 = springs.r0;
        k->springs.r1 = springs.r1;
        k->springs.growth = springs.growth;
    }
    if ((h.parts & TW_CONTACT_EXTRA_DAMPING) && h.varied && b->acting)
        limit_friction(h, b, slot, k);
    tw_lanes_touch_try(kind, refine, law, h.varied ? k->soft : b->soft, &springs, step,
                       &k->sliding);
    if (h.parts & TW_CONTACT_EXTRA_ROLLING) {
        const tw_lanes_law other = tw_lanes_law_rolling(law);
        tw_lanes_step rolling = *step;
        rolling.ft0 = tw_rows_get3(extras->fr[slot / TW_BUNDLE].f, at);
        rolling.du = k->rolled;
        tw_lanes_touch_try(kind, refine, &other, tw_lanes_law_compliance(other.kt), &springs,
                           &rolling, &k->rolling);
    }
    if (h.parts & TW_CONTACT_EXTRA_TWISTING)
        k->twisting = tw_lanes_twisting_step(
            kind, law, &springs, tw_rows_get(extras->fw[slot / TW_BUNDLE].x + at), k->twisted);
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
    const tw_lanes_springs c =
        tw_lanes_springs_of(TW_CONTACT_EXACT, TW_CONTACT_ALL, &law, step.zeta0, step.zeta1);
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
    s.fn1 = k->springs.fn1;
    s.pulls = h.varied ? k->pulls : b->pulls;
    s.touching = TW_SPLAT_LANES(1.0) > 0.0;
    const tw_lanes3 drag = tw_lanes_damping_force(law, &s, k->drag, k->sliding.ft);
    k->viscous = tw_lanes_touch_damping_work(before, drag, k->step.du);
    if (h.varied && b->acting) {
        const tw_lanes lost =
            tw_lanes_touch_friction_lost(h.normal, &k->springs, k->soft, &k->step, &k->sliding);
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
                                                       k->step.n1, k->springs.fn1, k->done, &mean);
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
        k->springs.fn1, k->done, &mean);
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
            tw_lanes_touch_stored(h.normal, &k->springs, tw_lanes_law_compliance(law->k_r),
                                  tw_lanes3_dot(fr, fr)));
        add(b, SUM_LOST_ROLLING, slot, k->done, k->rolling.micro + k->rolling.lost);
        keep3(extras->fr[bundle].f, at, k->done, fr);
    }
    if (h.parts & TW_CONTACT_EXTRA_TWISTING) {
        fw = k->twisting.fw;
        add(b, SUM_TWISTING, slot, k->done,
            tw_lanes_touch_stored(h.normal, &k->springs, tw_lanes_law_compliance(law->k_w) * fw,
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
    const tw_lanes zeta = k->step.zeta1, fn = k->springs.fn1;
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
        tw_lanes_touch_stored(h.normal, &k->springs, compliance, tw_lanes3_dot(ft, ft)));
    add(b, SUM_FRICTION, slot, k->done, k->sliding.lost);
    /* One addend for all damping of a contact: the order of sums must not depend on blocks. */
    if (h.parts & DAMPED) add(b, SUM_VISCOUS, slot, k->done, k->viscous);
    if (hertz) add(b, SUM_MICRO_SLIP, slot, k->done, k->sliding.micro);
    keep3(bundle->n, at, k->done, n);
    keep(bundle->zeta + at, k->done, zeta);
    keep3(bundle->ft, at, k->done, ft);
}

/* ---- The remaining contacts ---- */

/* Contact number `at` of the block. */
static void advance_one(tw_touch_laws_block *b, uint32_t slot, size_t at)
{
    tw_touch_context *touch = b->touch;
    const tw_schedule *schedule = touch->schedule;
    const tw_contact_law *law = &touch->model->laws[schedule->slots.law[slot]];
    const tw_tile_sphere_slot *p = &schedule->tiles.sphere_slot[schedule->slots.sphere_p[slot]],
                              *q = &schedule->tiles.sphere_slot[schedule->slots.sphere_q[slot]];
    tw_touch_laws_group *k = &b->group[at / TW_LANES];
    const size_t l = at % TW_LANES;
    tw_touch_one one = {.memory = tw_bundle_get(touch->state->contacts.bundle, slot)};
    const tw_contact_motion motion =
        tw_touch_one_motion(touch->state, schedule, touch->rigid_turn, slot, law, &one.memory);
    tw_touch_one_advance(touch->state, touch->rigid_turn, touch->still, law, &motion, slot, 0,
                         &one);
    const double allowed = 0.5 * (p->radius < q->radius ? p->radius : q->radius);
    tw_touch_single_add(touch, slot, &one, allowed, b->sum);
    k->single[l] = one.load.touching ? -1 : 0;
    k->ended[l] = one.load.touching ? 0 : -1;
    tw_lanes3_put(&k->f, l, one.load.f);
    tw_lanes3_put(&k->couple, l, one.load.couple);
}

/* ---- Blocks ---- */

/* Flags of the contacts that were advanced in lanes, and their number; lists the others, without
 * empty slots. */
static inline __attribute__((always_inline)) size_t
count_done(int rolling, tw_touch_laws_block *b, uint32_t slot, size_t count, uint16_t *left)
{
    const uint32_t *pair = b->touch->schedule->slots.pair + slot;
    uint8_t *sliding = b->touch->state->contacts.sliding + slot;
    size_t lefts = 0, open = 0, slides = 0;
    memset(sliding, 0, count);
    for (size_t i = 0; i < count; i += TW_LANES) {
        tw_touch_laws_group *k = &b->group[i / TW_LANES];
        k->done = k->sliding.done & (k->step.zeta1 < b->deepest);
        if (rolling) k->done &= k->rolling.done;
        if (tw_lanes_all(k->done & ~k->sliding.slides)) continue;
        for (size_t l = 0; l < TW_LANES; l++) {
            const int done = k->done[l] != 0;
            sliding[i + l] = (uint8_t)(done && k->sliding.slides[l] != 0);
            slides += sliding[i + l];
            open += !done;
            left[lefts] = (uint16_t)(i + l);
            lefts += !done & (pair[i + l] != TW_NO_PAIR);
        }
    }
    b->sum[TW_TOUCH_CONTACTS] += (double)(count - open);
    b->sum[TW_TOUCH_SLIDING] += (double)slides;
    return lefts;
}

static inline void fetch_bytes(const void *from, size_t bytes)
{
    for (size_t k = 0; k < bytes; k += 64)
        __builtin_prefetch((const char *)from + k, 1, 2);
}

/* Prefetches a bundle of the next block. */
static inline void fetch(tw_touch_laws_how h, const tw_contacts *c, size_t bundle)
{
    fetch_bytes(&c->bundle[bundle], sizeof *c->bundle);
    if (h.parts & TW_CONTACT_EXTRA_DAMPING) {
        fetch_bytes(&c->extras.drag[bundle], sizeof *c->extras.drag);
        fetch_bytes(&c->extras.rate[bundle], sizeof *c->extras.rate);
    }
    if (h.parts & TW_CONTACT_EXTRA_ROLLING)
        fetch_bytes(&c->extras.fr[bundle], sizeof *c->extras.fr);
}

static inline __attribute__((always_inline)) void
run_block(tw_touch_laws_how h, tw_touch_laws_block *b, uint32_t slot, size_t count)
{
    tw_touch_context *touch = b->touch;
    const tw_schedule *schedule = touch->schedule;
    uint16_t left[BLOCK + 1];
    tw_lanes_law one = b->law;
    one.normal = h.normal;
    tw_touch_branch next = tw_touch_branch_look(schedule, slot);
    for (size_t i = 0; i < count; i += TW_LANES) {
        const tw_touch_branch now = next;
        if (i % TW_BUNDLE == 0) fetch(h, &touch->state->contacts, (slot + i + AHEAD) / TW_BUNDLE);
        if (i + TW_LANES < count) next = tw_touch_branch_look(schedule, slot + i + TW_LANES);
        move(h, b, slot + i, &now, &b->group[i / TW_LANES]);
    }
    for (size_t i = 0; i < count; i += TW_LANES) {
        tw_touch_laws_group *k = &b->group[i / TW_LANES];
        stick(h, h.varied ? &k->law : &one, b, slot + i, k);
    }
    const int rolling = (h.parts & TW_CONTACT_EXTRA_ROLLING) != 0;
    if (h.kind == TW_CONTACT_EXACT && h.refine == TW_CONTACT_ALL) {
        const tw_lanes_law other = tw_lanes_law_rolling(&one);
        slides(h, &one, 0, b, count);
        if (rolling) slides(h, &other, 1, b, count);
    }
    const size_t lefts = count_done(rolling, b, slot, count, left);
    for (size_t i = 0; i < lefts; i++)
        advance_one(b, slot + left[i], left[i]);
    if (h.parts & TW_CONTACT_EXTRA_DAMPING) {
        for (size_t i = 0; i < count; i += TW_LANES) {
            tw_touch_laws_group *k = &b->group[i / TW_LANES];
            damp(h, h.varied ? &k->law : &one, b, slot + i, k);
        }
        for (size_t i = 0; i < count; i += TW_LANES) {
            tw_touch_laws_group *k = &b->group[i / TW_LANES];
            damp_within(h, h.varied ? &k->law : &one, b, slot + i, k);
        }
    }
    for (size_t i = 0; i < count; i += TW_LANES) {
        tw_touch_laws_group *k = &b->group[i / TW_LANES];
        finish(h, h.varied ? &k->law : &one, h.varied ? k->soft : b->soft, b, slot + i, k);
    }
    /* Slots are emptied after the last force of a damped contact has gone to its bodies. */
    for (size_t i = 0; i < lefts; i++)
        if (b->group[left[i] / TW_LANES].ended[left[i] % TW_LANES])
            tw_touch_candidates_end(touch->state, touch->schedule, b->tile, slot + left[i]);
}

/* The laws in common use, known to the compiler. */
#define TW_RUN(name, kind, refine, normal, parts, varied)                                          \
    static void name(tw_touch_laws_how h, tw_touch_laws_block *b, uint32_t slot, size_t count)     \
    {                                                                                              \
        const tw_touch_laws_how known = {kind, refine, normal, parts, varied};                     \
        (void)h;                                                                                   \
        run_block(known, b, slot, count);                                                          \
    }
#define TW_EXACT(name, normal, parts, varied)                                                      \
    TW_RUN(name, TW_CONTACT_EXACT, TW_CONTACT_ALL, normal, parts, varied)
#define TW_USUAL (TW_CONTACT_TILT | TW_CONTACT_RESCALE)
TW_EXACT(run_linear_damped, TW_CONTACT_LINEAR, TW_CONTACT_EXTRA_DAMPING, 0)
TW_EXACT(run_linear_turning, TW_CONTACT_LINEAR,
         TW_CONTACT_EXTRA_ROLLING | TW_CONTACT_EXTRA_TWISTING, 0)
TW_EXACT(run_linear_one, TW_CONTACT_LINEAR, h.parts, 0)
TW_EXACT(run_linear, TW_CONTACT_LINEAR, h.parts, 1)
TW_EXACT(run_hertz_springs, TW_CONTACT_HERTZ, 0, 1)
TW_EXACT(run_hertz_damped, TW_CONTACT_HERTZ, TW_CONTACT_EXTRA_DAMPING, 1)
TW_EXACT(run_hertz, TW_CONTACT_HERTZ, h.parts, 1)
TW_RUN(run_conventional, TW_CONTACT_CONVENTIONAL, TW_USUAL, TW_CONTACT_LINEAR, h.parts, h.varied)
TW_RUN(run_conventional_hertz, TW_CONTACT_CONVENTIONAL, TW_USUAL, TW_CONTACT_HERTZ, h.parts, 1)
#undef TW_EXACT
#undef TW_RUN

static void run_any(tw_touch_laws_how h, tw_touch_laws_block *b, uint32_t slot, size_t count)
{
    run_block(h, b, slot, count);
}

typedef void (*run_function)(tw_touch_laws_how h, tw_touch_laws_block *b, uint32_t slot,
                             size_t count);

static run_function choose(tw_touch_laws_how h)
{
    if (h.kind == TW_CONTACT_CONVENTIONAL && h.refine == TW_USUAL)
        return h.normal == TW_CONTACT_HERTZ ? run_conventional_hertz : run_conventional;
    if (h.kind != TW_CONTACT_EXACT || h.refine != TW_CONTACT_ALL) return run_any;
    if (h.normal == TW_CONTACT_HERTZ) {
        if (h.parts == 0) return run_hertz_springs;
        return h.parts == TW_CONTACT_EXTRA_DAMPING ? run_hertz_damped : run_hertz;
    }
    if (h.varied) return run_linear;
    if (h.parts == TW_CONTACT_EXTRA_DAMPING) return run_linear_damped;
    return h.parts == (TW_CONTACT_EXTRA_ROLLING | TW_CONTACT_EXTRA_TWISTING) ? run_linear_turning
                                                                             : run_linear_one;
}

void TW_SIMD_NAME(tw_touch_laws)(tw_touch_context *touch, tw_tile *tile, double *sum)
{
    static const int to[SUMS] = {TW_TOUCH_NORMAL,       TW_TOUCH_TANGENTIAL,    TW_TOUCH_ROLLING,
                                 TW_TOUCH_TWISTING,     TW_TOUCH_FRICTION,      TW_TOUCH_MICRO_SLIP,
                                 TW_TOUCH_LOST_ROLLING, TW_TOUCH_LOST_TWISTING, TW_TOUCH_VISCOUS};
    const tw_contact_law *law = touch->model->laws;
    const uint32_t scaled = TW_CONTACT_BY_RADIUS | TW_CONTACT_BY_MASS;
    const double dt = touch->state->dt;
    const uint32_t flags = tw_model_flags(touch->model),
                   parts = touch->state->contacts.extras.parts;
    const int acting = (flags & TW_CONTACT_NO_TENSION) && (parts & TW_CONTACT_EXTRA_DAMPING);
    const tw_touch_laws_how h = {law->kind, tw_contact_refine_of(law), law->normal, parts,
                                 acting || touch->model->material_count > 1 ||
                                     (law->flags & scaled) != 0};
    const run_function run = choose(h);
    tw_touch_laws_block b;
    b.touch = touch;
    b.tile = tile;
    b.sum = sum;
    b.flags = flags;
    b.acting = acting;
    for (size_t l = 0; l < TW_LANES; l++)
        b.pulls[l] = law->flags & TW_CONTACT_NO_TENSION ? 0 : -1;
    b.law = tw_lanes_law_splat(law);
    b.soft = tw_lanes_law_compliance(b.law.kt);
    b.inv_dt = dt > 0.0 ? 1.0 / dt : 0.0;
    /* No time passes in a rigid rotation: all one by one. */
    b.deepest = touch->still || touch->rigid_turn ? -1.0 : 0.5 * touch->schedule->radius_min;
    memset(b.sums, 0, sizeof b.sums);
    const uint32_t slots = tw_tile_round_up(tile->slots);
    for (uint32_t i = 0; i < slots; i += BLOCK)
        run(h, &b, tile->slot + i, slots - i < BLOCK ? slots - i : BLOCK);
    for (int k = 0; k < SUMS; k++)
        sum[to[k]] += tw_lanes_sum_total(&b.sums[k]);
}
