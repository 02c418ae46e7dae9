/* SPDX-License-Identifier: BSD-3-Clause */
/* How much arithmetic and how much data a step needs, phase by phase.
 *
 * Operations are counted in the source, as it is written: each +, -, *, / and root is one; what
 * masks, compares and moves is none. Contacts that stick and short slides are counted; the few that
 * go one by one (new ones, ones that part) are taken for short slides. bench/engine/instructions
 * counts the same in the machine code.
 *
 * Bytes are what a phase must read and write if each array it uses comes from memory once and goes
 * back once: sizes of the structs times how many there are. */
#ifndef BENCH_ENGINE_WORK_H
#define BENCH_ENGINE_WORK_H

#include "timing.h"
#include "world/schedule.h"

typedef struct work {
    double flops, bytes;
} work;

/* Present counts. */
typedef struct work_counts {
    double bodies, spheres, contacts, sliding;
    double slots;                       /* of contacts, empty ones among them */
    double body_slots, ghosts;          /* ghosts have body slots too */
    double sphere_slots, ghost_spheres; /* ghost spheres are the sphere slots of ghosts */
    double candidates, pairs;           /* candidates that are looked at in a step */
    double unequal;                     /* bodies whose principal moments differ */
    double resident;                    /* bytes that a step uses */
    int single, viscous;
} work_counts;

const char *work_name(int phase);
work_counts work_count(const tw_state *state, const tw_schedule *schedule);

/* Of a phase in a step; of the search, in one search. */
work work_of(int phase, const work_counts *c);

#endif
