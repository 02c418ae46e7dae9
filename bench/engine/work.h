/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic and data needed in each phase of a step.
 *
 * Operations are counted in the source as written: each +, -, *, / and root counts as one; masks,
 * comparisons and moves do not count. Sticking contacts and short slides are counted; the few
 * contacts that are processed one by one (new and opening ones) are counted as short slides.
 * bench/engine/instructions counts operations in the machine code.
 *
 * Bytes are counted as if each array used by a phase were read from memory once and written back
 * once: sizes of the structs times their number. */
#ifndef BENCH_ENGINE_WORK_H
#define BENCH_ENGINE_WORK_H

#include "timing.h"
#include "world/schedule.h"

typedef struct work {
    double flops, bytes;
} work;

/* Current counts. */
typedef struct work_counts {
    double bodies, spheres, contacts, sliding;
    double slots;                       /* contact slots, including empty ones */
    double body_slots, ghosts;          /* ghosts have body slots too */
    double sphere_slots, ghost_spheres; /* ghost spheres are the sphere slots of ghosts */
    double candidates, pairs;           /* candidates checked in a step */
    double unequal;                     /* bodies whose principal moments differ */
    double resident;                    /* bytes that a step uses */
    int single, viscous;
} work_counts;

const char *work_name(int phase);
work_counts work_count(const tw_state *state, const tw_schedule *schedule);

/* Work of a phase in one step, or of one search. */
work work_of(int phase, const work_counts *c);

#endif
