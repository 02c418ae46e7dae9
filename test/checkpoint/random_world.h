/* SPDX-License-Identifier: BSD-3-Clause */
/* Worlds made up by hand: no physics, but every bit of every number random, so that nothing can
 * come back right by accident. */
#ifndef TWIRL_TEST_RANDOM_WORLD_H
#define TWIRL_TEST_RANDOM_WORLD_H

#include "control/servo.h"
#include "world/world.h"

typedef struct random_world_size {
    size_t bodies, walls, pairs;
} random_world_size;

/* Bits of `count` bytes; doubles among them may be NaN, infinite or subnormal. */
void random_world_bytes(void *bytes, size_t count, uint64_t *seed);

/* Three shapes; about half of the pairs touch. Needs at least one body if there are pairs. The
 * caller frees the world with tw_world_free. */
void random_world_make(tw_world *world, random_world_size size, uint64_t seed);

/* A servo that is on; the bytes that carry nothing are zero. */
void random_world_servo(tw_servo *servo, uint64_t seed);

/* A folder of its own for a test's files, made beside the program, and removed with all in it: what
 * a test is set up and torn down with. `random_world_file` is a file in it, not made. */
extern char random_world_folder[32], random_world_file[64];
int random_world_folder_make(void **state);
int random_world_folder_remove(void **state);

#endif
