/* SPDX-License-Identifier: BSD-3-Clause */
/* Golden scenes: small runs whose results are written down to the bit. A scene builds something,
 * runs it, and records what came out at a few marks. All that is recorded enters one hash.
 *
 * What a scene computes on its own uses + - * / and sqrt alone, which IEEE 754 defines to the bit,
 * and one random draw per statement. */
#ifndef TWIRL_TEST_GOLDEN_H
#define TWIRL_TEST_GOLDEN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <twirl/sim.h>

#include "base/hash.h"

/* The parts of a mark, each with a short hash of its own: they tell what differs first. */
typedef enum golden_part {
    GOLDEN_BODIES,
    GOLDEN_CONTACTS,
    GOLDEN_MEASURE,
    GOLDEN_ENERGY,
    GOLDEN_STATE, /* tw_sim_hash */
    GOLDEN_PARTS
} golden_part;

enum { GOLDEN_MARKS = 1024, GOLDEN_PATH = 1024 };

typedef struct golden {
    int threads;              /* of all simulations; 0: the default */
    char folder[GOLDEN_PATH]; /* empty, for the files of this scene */
    FILE *dump;               /* every number as text, or NULL */
    tw_hash whole, part;
    const char *mark;
    char marks[GOLDEN_MARKS]; /* " MARK:hhhh.hhhh ..." */
    size_t length;            /* of `marks` */
} golden;

typedef struct golden_scene {
    const char *name, *about;
    void (*play)(golden *g);
} golden_scene;

/* The last has no name. */
extern const golden_scene golden_law_scenes[], golden_grain_scenes[], golden_path_scenes[],
    golden_file_scenes[];

/* Prints and ends the program. */
_Noreturn void golden_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- Recording ---- */

void golden_mark(golden *g, const char *mark);
void golden_end_part(golden *g); /* what was recorded since the last end is one part */
void golden_number(golden *g, const char *what, double value);
void golden_numbers(golden *g, const char *what, const double *values, size_t count);
void golden_vector(golden *g, const char *what, tw_vec3 value);
void golden_count(golden *g, const char *what, uint64_t value);

/* All that the public interface shows of a simulation, and its hash: a mark of five parts. */
void golden_record(golden *g, const char *mark, tw_sim *sim);
/* The bytes of a file: a mark of one part. */
void golden_record_file(golden *g, const char *mark, const char *path);

/* NAME in the scene's folder. */
typedef struct golden_path {
    char text[2 * GOLDEN_PATH];
} golden_path;
golden_path golden_file(const golden *g, const char *name);

/* ---- The long run ---- */

/* Shears 1000 bumpy grains for `steps` steps and prints the hash now and then. Where `expected` is
 * the text of an earlier run, returns how many lines differ from it. */
int golden_long(golden *g, uint64_t steps, const char *expected);

#endif
