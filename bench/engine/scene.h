/* SPDX-License-Identifier: BSD-3-Clause */
/* The scene of the engine benchmarks: a settled packing, sheared slowly.
 *
 * A thousand bodies are compressed once, sheared a little and relaxed. Larger scenes are periodic
 * copies of that packing, so that the work per body is the same at every size. The seed is fixed: a
 * scene is bitwise the same on every run of a binary.
 *
 * Units: kn = kt = 1; a body of mean size has a mass of about 1 and the volume of a sphere of
 * diameter 1. */
#ifndef BENCH_ENGINE_SCENE_H
#define BENCH_ENGINE_SCENE_H

#include <twirl/sim.h>

typedef struct scene_def {
    size_t count; /* requested number of bodies, rounded to a multiple of 1000 */
    int clusters; /* 1: bumpy grains of seven spheres; 0: spheres */
    int hertz;    /* 1: Hertz contacts, about as stiff at the pressure of the packing */
    int threads;  /* 0: one per processor */
    const char
        *packing; /* file to read the packing from, or to write it to if missing; NULL: none */
} scene_def;

/* The scene in slow shear, after SCENE_WARM steps in which the copies relax and the transient of
 * the shear decays. On errors these functions print a message and exit. */
tw_sim *scene_make(const scene_def *def);
void scene_run(tw_sim *sim, uint64_t steps);

enum { SCENE_WARM = 300 };

#endif
