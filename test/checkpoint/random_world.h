/* SPDX-License-Identifier: BSD-3-Clause */
/* Models and states without physics: every bit of every number is random, so that nothing can be
 * restored correctly by accident. */
#ifndef TWIRL_TEST_RANDOM_WORLD_H
#define TWIRL_TEST_RANDOM_WORLD_H

#include "control/servo.h"
#include "world/schedule.h"

typedef struct random_world {
    tw_model model;
    tw_state state;
    tw_schedule schedule;
} random_world;

typedef struct random_world_size {
    size_t bodies, walls, pairs;
} random_world_size;

/* Fills `count` bytes with random bits; doubles may be NaN, infinite or subnormal. */
void random_world_bytes(void *bytes, size_t count, uint64_t *seed);

/* Three shapes; about half of the pairs touch. Needs at least one body if there are pairs. */
void random_world_make(random_world *world, random_world_size size, uint64_t seed);

/* Initialises an empty one; frees any. */
void random_world_init(random_world *world);
void random_world_free(random_world *world);

/* An active servo; unused bytes are zero. */
void random_world_servo(tw_servo *servo, uint64_t seed);

/* Setup and teardown of a test: makes and removes a folder for its files next to the program.
 * `random_world_file` is the path of a file in it, which is not created. */
extern char random_world_folder[32], random_world_file[64];
int random_world_folder_make(void **state);
int random_world_folder_remove(void **state);

#endif
