/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel in lanes. Compiled once per level of base/simd.h. */
#include <string.h>

#include "contact/contact_batch.h"

#include "contact/lanes.h"

/* In each block sticking contacts go first, in lanes, then short slides, then the rest. */
enum { BLOCK = 256 };

/* A batch of one law. */
typedef struct batch {
    const tw_contact_law *law;
    const tw_contact_motion *motion;
    tw_contact_memory *memory;
    tw_contact_load *load;
} batch;

/* Half a rotation as the law defines it; clears *known where the series of the Gibbs vector is not
 * accurate. */
static inline __attribute__((always_inline)) tw_lanes3 half_of(int32_t kind, tw_lanes3 turn,
                                                               tw_lanes_mask *known)
{
    if (kind != TW_CONTACT_EXACT) return tw_lanes3_scale(TW_SPLAT_LANES(0.5), turn);
    const tw_lanes h = 0.25 * tw_lanes3_dot(turn, turn);
    *known &= h < TW_CONTACT_TURN_SMALL;
    return tw_lanes3_scale(tw_lanes_gibbs_small(h), turn);
}

static inline __attribute__((always_inline)) tw_lanes_step
gather(int32_t kind, const tw_contact_motion *motion, const tw_contact_memory *memory,
       const size_t *at, tw_lanes_mask *known)
{
    tw_lanes_step step;
    step.n1 = TW_LANES_GATHER3(motion, at, .n);
    step.du = TW_LANES_GATHER3(motion, at, .du);
    *known = TW_SPLAT_LANES(0.0) == 0.0;
    step.zeta1 = TW_LANES_GATHER(motion, at, .zeta);
    step.n0 = TW_LANES_GATHER3(memory, at, .n);
    step.twist_p = tw_lanes_twist_of(
        kind, half_of(kind, TW_LANES_GATHER3(motion, at, .turn_p), known), step.n0, step.n1);
    step.twist_q = tw_lanes_twist_of(
        kind, half_of(kind, TW_LANES_GATHER3(motion, at, .turn_q), known), step.n0, step.n1);
    step.ft0 = TW_LANES_GATHER3(memory, at, .ft);
    step.zeta0 = TW_LANES_GATHER(memory, at, .zeta);
    return step;
}

/* Whether radius or mass enter the constants. */
static inline int scaled(const batch *b)
{
    return (b->law->flags & TW_CONTACT_BY_SIZE) != 0;
}

/* The laws of a group, one per lane. */
static inline __attribute__((always_inline)) tw_lanes_law law_of(const batch *b, const size_t *at)
{
    const tw_lanes_law law = tw_lanes_law_splat(b->law);
    if (!scaled(b)) return law;
    return tw_lanes_law_at_inline(&law, TW_LANES_GATHER(b->motion, at, .radius),
                                  TW_LANES_GATHER(b->motion, at, .mass),
                                  TW_LANES_GATHER(b->motion, at, .ratio));
}

static inline __attribute__((always_inline)) tw_contact_law law_of_one(const batch *b, size_t i)
{
    const tw_contact_motion *motion = &b->motion[i];
    return tw_contact_law_at_inline(b->law, motion->radius, motion->mass, motion->ratio);
}

/* The trial of a group of contacts. */
typedef struct tw_contact_group {
    tw_lanes_law laws;
    tw_lanes_step step;
    tw_lanes_springs springs;
    tw_lanes_trial trial; /* its twist done */
    tw_lanes_mask sticks;
} tw_contact_group;

static inline __attribute__((always_inline)) tw_contact_group
try_group(int32_t kind, uint32_t refine, int32_t normal, const batch *b, const size_t *at)
{
    tw_contact_group g;
    tw_lanes_mask known;
    g.laws = law_of(b, at);
    g.laws.normal = normal;
    g.step = gather(kind, b->motion, b->memory, at, &known);
    g.springs = tw_lanes_springs_of(kind, refine, &g.laws, g.step.zeta0, g.step.zeta1);
    g.trial = tw_lanes_try(kind, refine, &g.laws, &g.springs, &g.step);
    g.trial.small &= known;
    g.sticks = tw_lanes_sticks(&g.laws, &g.springs, &g.step, &g.trial);
    if (kind == TW_CONTACT_EXACT) tw_lanes_trial_twist(&g.trial, g.step.n1);
    return g;
}

/* Advances the sticking contacts of a block, and lists the others in `left`. `normal` is that of
 * the law, known to the compiler. */
static inline __attribute__((always_inline)) size_t block_stick(int32_t kind, uint32_t refine,
                                                                int32_t normal, const batch *b,
                                                                size_t count,
                                                                uint16_t *restrict left)
{
    const tw_contact_motion *restrict motion = b->motion;
    tw_contact_memory *restrict memory = b->memory;
    tw_contact_load *restrict load = b->load;
    tw_contact_law law = *b->law;
    size_t lefts = 0;
    law.normal = normal;
    for (size_t i = 0; i < count; i += TW_LANES) {
        size_t at[TW_LANES];
        tw_lanes_members(at, i, count);
        const tw_contact_group g = try_group(kind, refine, normal, b, at);
        for (size_t l = 0; l < TW_LANES && i + l < count; l++) {
            left[lefts] = (uint16_t)(i + l);
            if (!g.sticks[l]) {
                lefts++;
                continue;
            }
            if (scaled(b)) law = law_of_one(b, i + l);
            const tw_contact_trial trial = tw_lanes_trial_get(&g.trial, l);
            tw_contact_springs springs;
            if (tw_contact_normal_stiffens(normal)) springs = tw_lanes_springs_get(&g.springs, l);
            double reversible;
            const tw_contact_slip slip =
                tw_contact_trial_slip(kind, &law, &springs, &trial, &reversible);
            lefts += !tw_contact_accept(kind, &law, &motion[i + l], &slip, reversible,
                                        &memory[i + l], &load[i + l]);
        }
    }
    return lefts;
}

/* Advances the listed contacts. With the exact law and all refinements most are short slides. */
static inline __attribute__((always_inline)) void block_slide(int32_t kind, uint32_t refine,
                                                              int32_t normal, const batch *b,
                                                              const uint16_t *left, size_t lefts)
{
    const int whole = kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL;
    tw_contact_law law = *b->law;
    law.normal = normal;
    for (size_t k = 0; k < lefts; k += TW_LANES) {
        size_t at[TW_LANES];
        tw_lanes_members(at, k, lefts);
        for (size_t l = 0; l < TW_LANES; l++)
            at[l] = left[at[l]];
        const tw_contact_group g = try_group(kind, refine, normal, b, at);
        tw_lanes_slide slides = {0};
        if (whole) slides = tw_lanes_slide_try(&g.laws, &g.springs, &g.step, &g.trial);
        for (size_t l = 0; l < TW_LANES && k + l < lefts; l++) {
            const size_t i = at[l];
            if (scaled(b)) law = law_of_one(b, i);
            const tw_contact_trial trial = tw_lanes_trial_get(&g.trial, l);
            const tw_contact_slide slide = tw_lanes_slide_get(&slides, l);
            tw_contact_springs springs;
            if (tw_contact_normal_stiffens(normal)) springs = tw_lanes_springs_get(&g.springs, l);
            double reversible;
            const tw_contact_slip slip =
                tw_contact_slide_slip(&law, &springs, &trial, &slide, &reversible);
            if (!slide.holds || !tw_contact_accept(kind, &law, &b->motion[i], &slip, reversible,
                                                   &b->memory[i], &b->load[i]))
                tw_contact_alone(&law, &b->motion[i], &trial, &b->memory[i], &b->load[i]);
        }
    }
}

/* For the laws in common use the compiler knows kind, refinements and normal law. */
#define TW_BLOCK(kind, refine, normal)                                                             \
    block_slide(kind, refine, normal, b, left, block_stick(kind, refine, normal, b, count, left))

static void advance_block(const batch *b, size_t count)
{
    uint16_t left[BLOCK + 1];
    const int32_t kind = b->law->kind, normal = b->law->normal;
    const uint32_t refine = tw_contact_refine_of(b->law);
    const uint32_t conventional = TW_CONTACT_TILT | TW_CONTACT_RESCALE;
    const int plain = tw_contact_normal_is_linear(normal);
    if (kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL && plain) {
        TW_BLOCK(TW_CONTACT_EXACT, TW_CONTACT_ALL, TW_CONTACT_LINEAR);
    } else if (kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL &&
               tw_contact_normal_stiffens(normal)) {
        TW_BLOCK(TW_CONTACT_EXACT, TW_CONTACT_ALL, TW_CONTACT_HERTZ);
    } else if (kind == TW_CONTACT_CONVENTIONAL && refine == conventional && plain) {
        TW_BLOCK(TW_CONTACT_CONVENTIONAL, conventional, TW_CONTACT_LINEAR);
    } else {
        TW_BLOCK(kind, refine, normal);
    }
}

/* The springs of a block, then what the extras add; the first contact is number `first` of them. */
static void advance_block_extras(const batch *b, double dt, const tw_contact_extra *extra,
                                 size_t first, size_t count)
{
    tw_contact_memory before[BLOCK];
    const int singly = tw_contact_law_is_acting(b->law) /* friction differs from one to another */
                       || tw_contact_law_is_eventful(b->law);
    const int damping_alone = tw_contact_law_extras_inline(b->law) == TW_CONTACT_EXTRA_DAMPING;
    const double inv_dt = tw_contact_damped_rate(dt);
    tw_contact_law own = *b->law;
    memcpy(before, b->memory, count * sizeof *before);
    if (!singly) advance_block(b, count);
    for (size_t i = 0; i < count; i++) {
        const tw_contact_motion *motion = &b->motion[i];
        const tw_vec3 ft = b->memory[i].ft;
        tw_contact_parts parts = tw_contact_parts_get(extra, first + i);
        if (scaled(b)) own = law_of_one(b, i);
        if (singly)
            tw_contact_advance_inline(b->law, motion, dt, &b->memory[i], &parts, &b->load[i]);
        else if (!damping_alone ||
                 !tw_contact_damp_within(&own, motion, inv_dt, &before[i], ft, &parts, &b->load[i]))
            tw_contact_advance_extras(&own, motion, dt, &before[i], ft, &parts, &b->load[i]);
        tw_contact_parts_put(extra, first + i, &parts);
    }
}

void TW_SIMD_NAME(tw_contact_batch)(const tw_contact_law *law, const tw_contact_motion *motion,
                                    double dt, tw_contact_memory *memory,
                                    const tw_contact_extra *extra, size_t first,
                                    tw_contact_load *load, size_t count)
{
    static const tw_contact_extra none = {{NULL}, 0};
    const int extras =
        (extra && tw_contact_law_extras_inline(law) != 0) || tw_contact_law_is_eventful(law);
    for (size_t i = 0; i < count; i += BLOCK) {
        const batch b = {law, motion + i, memory + i, load + i};
        const size_t some = count - i < BLOCK ? count - i : BLOCK;
        if (extras)
            advance_block_extras(&b, dt, extra ? extra : &none, first + i, some);
        else
            advance_block(&b, some);
    }
}
