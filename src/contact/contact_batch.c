/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel in lanes. Compiled once per level of base/simd.h. */
#include "contact/contact_batch.h"

#include "contact/contact_alone.h"
#include "contact/lanes.h"

/* In each block sticking contacts go first, in lanes, then short slides, then the rest. */
enum { BLOCK = 256 };

/* A batch of one law. */
typedef struct batch {
    const tw_contact_law *law;
    const tw_contact_motion *motion;
    tw_contact_memory *memory;
    tw_contact_load *load;
    double dt;
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

#if TW_LANES == 8
#define GATHER(array, i, field)                                                                    \
    ((tw_lanes){array[i[0]] field, array[i[1]] field, array[i[2]] field, array[i[3]] field,        \
                array[i[4]] field, array[i[5]] field, array[i[6]] field, array[i[7]] field})
#elif TW_LANES == 4
#define GATHER(array, i, field)                                                                    \
    ((tw_lanes){array[i[0]] field, array[i[1]] field, array[i[2]] field, array[i[3]] field})
#else
#define GATHER(array, i, field) ((tw_lanes){array[i[0]] field, array[i[1]] field})
#endif
#define GATHER3(array, i, field)                                                                   \
    tw_lanes3_make(GATHER(array, i, field.x), GATHER(array, i, field.y), GATHER(array, i, field.z))

static inline __attribute__((always_inline)) tw_lanes_step
gather(int32_t kind, const tw_contact_motion *motion, const tw_contact_memory *memory,
       const size_t *at, tw_lanes_mask *known)
{
    tw_lanes_step step;
    step.n1 = GATHER3(motion, at, .n);
    step.du = GATHER3(motion, at, .du);
    *known = TW_SPLAT_LANES(0.0) == 0.0;
    step.zeta1 = GATHER(motion, at, .zeta);
    step.n0 = GATHER3(memory, at, .n);
    step.twist_p = tw_lanes_twist_of(kind, half_of(kind, GATHER3(motion, at, .turn_p), known),
                                     step.n0, step.n1);
    step.twist_q = tw_lanes_twist_of(kind, half_of(kind, GATHER3(motion, at, .turn_q), known),
                                     step.n0, step.n1);
    step.ft0 = GATHER3(memory, at, .ft);
    step.zeta0 = GATHER(memory, at, .zeta);
    return step;
}

/* Advances the sticking contacts of a block, and lists the others in `left`. */
static inline __attribute__((always_inline)) size_t
block_stick(int32_t kind, uint32_t refine, const batch *b, size_t count, uint16_t *restrict left)
{
    const tw_contact_law law = *b->law;
    const tw_contact_motion *restrict motion = b->motion;
    tw_contact_memory *restrict memory = b->memory;
    tw_contact_load *restrict load = b->load;
    const double dt = b->dt;
    size_t lefts = 0;
    for (size_t i = 0; i < count; i += TW_LANES) {
        size_t at[TW_LANES];
        tw_lanes_members(at, i, count);
        tw_lanes_mask known;
        const tw_lanes_step step = gather(kind, motion, memory, at, &known);
        tw_lanes_trial trials = tw_lanes_try(kind, refine, &law, &step);
        const tw_lanes_mask sticks = tw_lanes_sticks(&law, &step, &trials) & known;
        if (kind == TW_CONTACT_EXACT) tw_lanes_trial_twist(&trials, step.n1);
        const tw_lanes work = tw_lanes_trial_work(&law, &trials);
        const tw_lanes change = tw_lanes_change(trials.ft0, trials.ft);
        for (size_t l = 0; l < TW_LANES && i + l < count; l++) {
            const tw_contact_slip slip = {tw_lanes3_get(&trials.ft, l), work[l], 1.0};
            if (!sticks[l] || !tw_contact_accept(kind, &law, &motion[i + l], dt, &slip, change[l],
                                                 &memory[i + l], &load[i + l])) {
                left[lefts++] = (uint16_t)(i + l);
            }
        }
    }
    return lefts;
}

/* Advances the listed contacts. With the exact law and all refinements most are short slides. */
static inline __attribute__((always_inline)) void
block_slide(int32_t kind, uint32_t refine, const batch *b, const uint16_t *left, size_t lefts)
{
    const int whole = kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL;
    for (size_t k = 0; k < lefts; k += TW_LANES) {
        size_t at[TW_LANES];
        tw_lanes_members(at, k, lefts);
        for (size_t l = 0; l < TW_LANES; l++)
            at[l] = left[at[l]];
        tw_lanes_mask known;
        const tw_lanes_step step = gather(kind, b->motion, b->memory, at, &known);
        tw_lanes_trial trials = tw_lanes_try(kind, refine, b->law, &step);
        trials.small &= known;
        if (kind == TW_CONTACT_EXACT) tw_lanes_trial_twist(&trials, step.n1);
        tw_lanes_slide slides = {0};
        if (whole) slides = tw_lanes_slide_try(b->law, &step, &trials);
        for (size_t l = 0; l < TW_LANES && k + l < lefts; l++) {
            const size_t i = at[l];
            const tw_contact_slip slip = {tw_lanes3_get(&slides.ft, l), slides.work[l],
                                          slides.alpha[l]};
            if (!slides.holds[l] ||
                !tw_contact_accept(kind, b->law, &b->motion[i], b->dt, &slip, slides.change[l],
                                   &b->memory[i], &b->load[i])) {
                const tw_contact_trial trial = tw_lanes_trial_get(&trials, l);
                tw_contact_alone(b->law, &b->motion[i], b->dt, &trial, &b->memory[i], &b->load[i]);
            }
        }
    }
}

/* For the laws in common use the compiler knows kind and refinements. */
#define TW_BLOCK(kind, refine)                                                                     \
    block_slide(kind, refine, b, left, block_stick(kind, refine, b, count, left))

static void advance_block(const batch *b, size_t count)
{
    uint16_t left[BLOCK];
    const int32_t kind = b->law->kind;
    const uint32_t refine = tw_contact_refine_of(kind, b->law->refine);
    if (kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL) {
        TW_BLOCK(TW_CONTACT_EXACT, TW_CONTACT_ALL);
    } else if (kind == TW_CONTACT_CONVENTIONAL &&
               refine == (TW_CONTACT_TILT | TW_CONTACT_RESCALE)) {
        TW_BLOCK(TW_CONTACT_CONVENTIONAL, TW_CONTACT_TILT | TW_CONTACT_RESCALE);
    } else {
        TW_BLOCK(kind, refine);
    }
}

void TW_SIMD_NAME(tw_contact_batch)(const tw_contact_law *law, const tw_contact_motion *motion,
                                    double dt, tw_contact_memory *memory, tw_contact_load *load,
                                    size_t count)
{
    for (size_t i = 0; i < count; i += BLOCK) {
        const batch b = {law, motion + i, memory + i, load + i, dt};
        advance_block(&b, count - i < BLOCK ? count - i : BLOCK);
    }
}
