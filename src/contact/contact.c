/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel compiled once, for callers who link. */
#include <twirl/contact_lanes.h>

#define TW_GATHER(field)                                                                           \
    (tw_lanes)                                                                                     \
    {                                                                                              \
        a->field, b->field, c->field, d->field                                                     \
    }
#define TW_GATHER3(field) tw_lanes3_make(TW_GATHER(field.x), TW_GATHER(field.y), TW_GATHER(field.z))

/* Contacts are tried in groups of TW_LANES, with copies of the last one in unused lanes, so that a
 * contact gets the same instructions, and so the same bits, wherever in a batch it stands. */
static inline tw_lanes_step group_gather(const tw_contact_motion *motion,
                                         const tw_contact_memory *memory, size_t count)
{
    const size_t at[3] = {count > 1 ? 1 : count - 1, count > 2 ? 2 : count - 1, count - 1};
    tw_lanes_step step;
    {
        const tw_contact_motion *a = motion, *b = &motion[at[0]], *c = &motion[at[1]],
                                *d = &motion[at[2]];
        step.n1 = TW_GATHER3(n);
        step.du = TW_GATHER3(du);
        step.turn_p = TW_GATHER3(turn_p);
        step.turn_q = TW_GATHER3(turn_q);
        step.zeta1 = TW_GATHER(zeta);
    }
    {
        const tw_contact_memory *a = memory, *b = &memory[at[0]], *c = &memory[at[1]],
                                *d = &memory[at[2]];
        step.n0 = TW_GATHER3(n);
        step.ft0 = TW_GATHER3(ft);
        step.zeta0 = TW_GATHER(zeta);
    }
    return step;
}

static inline __attribute__((always_inline)) void
group_advance(int32_t kind, uint32_t refine, const tw_contact_law *law,
              const tw_contact_motion *restrict motion, double dt,
              tw_contact_memory *restrict memory, tw_contact_load *restrict load, size_t count)
{
    const tw_lanes_step step = group_gather(motion, memory, count);
    const tw_lanes_trial trials = tw_lanes_try(kind, refine, law, &step);
    for (size_t l = 0; l < count; l++) {
        if (!trials.sticks[l] ||
            !tw_contact_accept(kind, law, &motion[l], dt, tw_lanes3_get(&trials.ft, l),
                               trials.work[l], trials.change[l], &memory[l], &load[l])) {
            const tw_contact_trial trial = tw_lanes_trial_get(&trials, l);
            tw_contact_advance_any(kind, refine, law, &motion[l], dt, &trial, &memory[l], &load[l]);
        }
    }
}

/* Contacts of one law. The laws in common use get loops with their refinements known to the
 * compiler. */
#define TW_GROUPS(kind, refine)                                                                    \
    for (size_t i = 0; i < count; i += TW_LANES)                                                   \
    group_advance(kind, refine, law, motion + i, dt, memory + i, load + i,                         \
                  count - i < TW_LANES ? count - i : TW_LANES)

static void advance_alike(const tw_contact_law *law, const tw_contact_motion *restrict motion,
                          double dt, tw_contact_memory *restrict memory,
                          tw_contact_load *restrict load, size_t count)
{
    const uint32_t refine = tw_contact_refine_of(law->kind, law->refine);
    if (law->kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL) {
        TW_GROUPS(TW_CONTACT_EXACT, TW_CONTACT_ALL);
    } else if (law->kind == TW_CONTACT_CONVENTIONAL && refine == TW_CONTACT_TILT) {
        TW_GROUPS(TW_CONTACT_CONVENTIONAL, TW_CONTACT_TILT);
    } else {
        TW_GROUPS(law->kind, refine);
    }
}

void tw_contact_advance(const tw_contact_law *law, const tw_contact_motion *motion, double dt,
                        tw_contact_memory *memory, tw_contact_load *load)
{
    advance_alike(law, motion, dt, memory, load, 1);
}

void tw_contact_advance_batch(const tw_contact_law *laws, const uint32_t *law_of,
                              const tw_contact_motion *motion, double dt, tw_contact_memory *memory,
                              tw_contact_load *load, size_t count)
{
    if (!law_of) {
        advance_alike(laws, motion, dt, memory, load, count);
        return;
    }
    for (size_t begin = 0, end; begin < count; begin = end) {
        /* They come in runs of one law as a rule. */
        end = begin + 1;
        while (end < count && law_of[end] == law_of[begin])
            end++;
        advance_alike(&laws[law_of[begin]], motion + begin, dt, memory + begin, load + begin,
                      end - begin);
    }
}

tw_contact_memory tw_contact_memory_fresh(tw_vec3 branch, double radius_p, double radius_q)
{
    return tw_contact_memory_fresh_inline(branch, radius_p, radius_q);
}

tw_contact_motion tw_contact_pair_motion(int32_t kind, const tw_contact_pair *pair,
                                         const tw_contact_memory *memory)
{
    return tw_contact_pair_motion_inline(kind, pair, memory);
}
