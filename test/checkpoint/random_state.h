/* SPDX-License-Identifier: BSD-3-Clause */
/* Models and states without physics: every bit of every number is random, so that nothing can be
 * restored correctly by accident. */
#ifndef TWIRL_TEST_RANDOM_STATE_H
#define TWIRL_TEST_RANDOM_STATE_H

#include "control/servo.h"
#include "world/schedule.h"

typedef struct random_state {
    tw_model model;
    tw_state state;
    tw_schedule schedule;
} random_state;

typedef struct random_state_size {
    size_t bodies, walls, pairs;
} random_state_size;

/* Fills `count` bytes with random bits; doubles may be NaN, infinite or subnormal. */
void random_state_bytes(void *bytes, size_t count, uint64_t *seed);

/* Three shapes; about half of the pairs touch. Needs at least one body if there are pairs. */
void random_state_make(random_state *sample, random_state_size size, uint64_t seed);

/* Initialises an empty one; frees any. */
void random_state_init(random_state *sample);
void random_state_free(random_state *sample);

/* Saves it, with this servo. */
tw_status random_state_save(const random_state *sample, const tw_servo *servo, const char *label,
                            const char *path, tw_error *error);

/* An active servo; unused bytes are zero. */
void random_state_servo(tw_servo *servo, uint64_t seed);

/* Setup and teardown of a test: makes and removes a folder for its files next to the program.
 * `random_state_file` is the path of a file in it, which is not created. */
extern char random_state_folder[32], random_state_file[64];
int random_state_folder_make(void **state);
int random_state_folder_remove(void **state);

/* Gives the file, which has been changed, a valid seal. */
void random_state_seal(void);

#endif
