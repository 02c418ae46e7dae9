/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts between spheres by any law: Hertz springs, several materials, rolling, twisting,
 * damping. TW_LANES at a time, in the passes of touch_spheres.c, which is for one linear law. The
 * constants of the laws are lanes too, so contacts of different materials share lanes. Contacts
 * that the lanes cannot advance go one by one. Compiled once per level of base/simd.h. */
#include <string.h>

#include "step/touch_laws.h"

#include "step/touch_candidates.h"
#include "step/touch_laws_springs.h"

#include "step/touch_laws_finish.h"
#include "step/touch_single.h"

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
