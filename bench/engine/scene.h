/* SPDX-License-Identifier: BSD-3-Clause */
/* The scene of the engine's measurements: a settled packing that is sheared slowly.
 *
 * A thousand bodies are pressed together once, sheared a little and brought to rest. Larger scenes
 * are periodic copies of that packing, so that a body has the same work at every size. All of it
 * follows from a fixed seed: a scene has the same bits on every run of a binary.
 *
 * Units: kn = kt = 1; a body of mean size has about the mass 1 and the volume of a sphere of
 * diameter 1. */
#ifndef BENCH_ENGINE_SCENE_H
#define BENCH_ENGINE_SCENE_H

#include <twirl/sim.h>

typedef struct scene_def {
    size_t count; /* bodies wanted; the scene has a multiple of 1000 near it */
    int clusters; /* 1: bumpy grains of seven spheres; 0: spheres */
    int threads;  /* 0: one per processor */
    const char
        *packing; /* file the packing is taken from, or kept in if it is not there; NULL: none */
} scene_def;

/* The scene in slow shear, after SCENE_WARM steps in which the copies come to rest and the start of
 * the shear passes. The functions end the program with a message if something is wrong. */
tw_sim *scene_make(const scene_def *def);
void scene_run(tw_sim *sim, uint64_t steps);

enum { SCENE_WARM = 300 };

#endif
