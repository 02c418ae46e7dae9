/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts by one exact linear law that neither stick nor slide a short way: those that begin, that
 * part, that slide far; and those that have just begun to slide. What tw_device_plain_rest does by
 * any law, with the law known to the compiler; a team of threads shares the integral over a long
 * slide, which takes most of the time. Numbers out of range, large rotations and rigid ones are
 * left to the general code. */
#ifndef TW_DEVICE_GENERAL_H
#define TW_DEVICE_GENERAL_H

#include "device/device_plain.h"

enum {
    TW_DEVICE_GENERAL_THREADS = 32,
    TW_DEVICE_GENERAL_SHARE = 8, /* contacts of a team at a time, at most */
    TW_DEVICE_GENERAL_STAGES = 4
};

/* A contact between the stages. */
typedef struct tw_device_general {
    int slid; /* a short way, and is done */
    int rare; /* for the general code */
    tw_contact_memory memory;
    tw_contact_load load;
    tw_contact_later later;
    tw_contact_mean mean; /* where the slide is long: later.open */
    double turn[8], fade[8];
} tw_device_general;

typedef struct tw_device_general_team {
    tw_device_general contact[TW_DEVICE_GENERAL_SHARE];
    double part[TW_DEVICE_GENERAL_SHARE * TW_CONTACT_INTERVALS]; /* of their integrals, in turn */
} tw_device_general_team;

TW_INLINE uint32_t tw_device_general_parts(const tw_device_general *c)
{
    return c->later.open ? (uint32_t)c->mean.integral.count : 0;
}

/* The step, without the work of a long slide. */
TW_INLINE void tw_device_general_advance(const tw_device_world *w, uint32_t s, tw_device_general *c)
{
    const int32_t kind = TW_CONTACT_EXACT;
    const uint32_t refine = TW_CONTACT_ALL;
    const tw_contact_law law = tw_device_plain_law(w);
    const tw_contact_step step = tw_device_plain_step(kind, w, s);
    tw_contact_trial trial = tw_contact_try_carry(kind, refine, &step);
    const tw_contact_memory before = {step.n0, step.zeta0, step.ft0};
    tw_contact_motion motion;
    memset(&motion, 0, sizeof motion); /* rotations and masses are not used */
    motion.n = step.n1;
    motion.zeta = step.zeta1;
    motion.du = step.du;
    c->later.open = 0;
    /* New contacts that overlapped before, by rounding, may stick. */
    const int old = w->slot_state[s] != TW_DEVICE_EMPTY;
    c->rare = w->run.rigid || !trial.small || (step.zeta0 > 0.0 && !old) ||
              tw_contact_out_of_range(&law, &motion, &before);
    if (c->rare) return;
    trial.small = 1;
    c->memory.n = step.n1;
    c->memory.zeta = step.zeta1;
    c->memory.ft =
        tw_contact_step_any(kind, refine, &law, &motion, &before, &trial, &c->load, &c->later);
    if (c->later.open) c->mean = tw_contact_mean_of(&c->later.turning, 1.0);
}

/* An entry of the list. */
TW_INLINE void tw_device_general_begin(tw_device_world *w, uint32_t entry, tw_device_general *c)
{
    const uint32_t s = entry & ~TW_DEVICE_MAY_SLIDE;
    c->later.open = 0;
    c->rare = 0;
    c->slid = entry & TW_DEVICE_MAY_SLIDE ? tw_device_plain_slide_only(w, s) : 0;
    if (!c->slid) tw_device_general_advance(w, s, c);
}

/* Nodes of the integrals. */
TW_INLINE void tw_device_general_nodes(tw_device_general *c, int pair)
{
    if (tw_device_general_parts(c) == 0) return;
    tw_contact_quadrature_nodes(&c->mean.integral, tw_contact_quadrature_node(pair),
                                tw_contact_quadrature_weight(pair), c->turn + 2 * pair,
                                c->fade + 2 * pair);
}

/* Intervals of the integrals: number i of all. */
TW_INLINE int tw_device_general_interval(tw_device_general_team *team, uint32_t count, uint32_t i)
{
    uint32_t at = i;
    for (uint32_t k = 0; k < count; k++) {
        const tw_device_general *c = &team->contact[k];
        const uint32_t parts = tw_device_general_parts(c);
        if (at < parts) {
            team->part[i] =
                tw_contact_quadrature_part(&c->mean.integral, c->turn, c->fade, (int)at);
            return 1;
        }
        at -= parts;
    }
    return 0;
}

/* Adds the work of a long slide, of which the parts begin with number `first`. */
TW_INLINE void tw_device_general_add(const tw_device_general_team *team, uint32_t first,
                                     tw_device_general *c)
{
    const tw_contact_quadrature *integral = &c->mean.integral;
    double sum = 0.0;
    for (int i = 0; i < integral->count; i++)
        sum += team->part[first + (uint32_t)i];
    if (integral->count > 0) sum *= integral->half;
    tw_contact_load_add(&c->later, c->mean.factor * (c->mean.flat + sum), &c->load);
}

TW_CONTACT_RARE void tw_device_general_rare(tw_device_world *w, uint32_t s)
{
    tw_device_plain_any(w, s);
}

TW_INLINE void tw_device_general_finish(tw_device_world *w, tw_device_general_team *team,
                                        uint32_t entry, uint32_t k)
{
    const uint32_t s = entry & ~TW_DEVICE_MAY_SLIDE;
    tw_device_general *c = &team->contact[k];
    uint32_t first = 0;
    if (c->slid) return;
    for (uint32_t j = 0; j < k; j++)
        first += tw_device_general_parts(&team->contact[j]);
    if (c->later.open) tw_device_general_add(team, first, c);
    if (c->rare || tw_contact_overflows(&c->load)) {
        tw_device_general_rare(w, s);
        return;
    }
    const tw_contact_law law = tw_device_plain_law(w);
    tw_device_plain_settle(w, s, &law, &c->memory, &c->load);
}

/* Teams for a list of contacts that is not known yet. */
TW_INLINE uint32_t tw_device_general_teams(const tw_device_world *host)
{
    const uint32_t most = 2048, some = host->slots / 256 + 1;
    return some < most ? some : most;
}

/* Contacts of a team at a time. */
TW_INLINE uint32_t tw_device_general_share(const tw_device_world *w)
{
    return tw_device_world_share(w->run.general_queue, tw_device_general_teams(w),
                                 TW_DEVICE_GENERAL_SHARE);
}

TW_INLINE uint32_t tw_device_general_stages(const tw_device_world *w)
{
    const uint32_t n = w->run.general_queue,
                   round = tw_device_general_teams(w) * tw_device_general_share(w);
    return n > 0 ? TW_DEVICE_GENERAL_STAGES * ((n - 1) / round + 1) : 0;
}

/* A team: some contacts of the list, and again some. */
TW_INLINE void tw_device_general_stage(tw_device_world *w, tw_device_general_team *team, uint32_t i,
                                       uint32_t stage, uint32_t thread)
{
    const uint32_t share = tw_device_general_share(w),
                   first =
                       (stage / TW_DEVICE_GENERAL_STAGES * tw_device_general_teams(w) + i) * share,
                   left = first < w->run.general_queue ? w->run.general_queue - first : 0,
                   count = left < share ? left : share, part = stage % TW_DEVICE_GENERAL_STAGES;
    if (part == 0 && thread < count)
        tw_device_general_begin(w, w->general_queue[first + thread], &team->contact[thread]);
    if (part == 1 && thread < 4 * count)
        tw_device_general_nodes(&team->contact[thread / 4], (int)(thread % 4));
    if (part == 2)
        for (uint32_t k = thread; tw_device_general_interval(team, count, k);)
            k += TW_DEVICE_GENERAL_THREADS;
    if (part == 3 && thread < count)
        tw_device_general_finish(w, team, w->general_queue[first + thread], thread);
}

#endif
