/* SPDX-License-Identifier: BSD-3-Clause */
/* Golden scenes: small runs whose results are known to the bit. A scene sets up a simulation, runs
 * it, and records its state at a few marks. One hash covers everything recorded.
 *
 * Scenes themselves compute with + - * / and sqrt only, which IEEE 754 defines to the bit, and draw
 * at most one random number per statement. */
#ifndef TWIRL_TEST_GOLDEN_H
#define TWIRL_TEST_GOLDEN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <twirl/sim.h>

#include "base/hash.h"

/* The parts of a mark. Each has a short hash, to find the first difference. */
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
    int threads;              /* per simulation; 0: the default */
    char folder[GOLDEN_PATH]; /* empty folder for the files of this scene */
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

/* Ends with an entry without a name. */
extern const golden_scene golden_law_scenes[], golden_grain_scenes[], golden_contact_scenes[],
    golden_path_scenes[], golden_file_scenes[];

/* Prints a message and exits. */
_Noreturn void golden_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- Recording ---- */

void golden_mark(golden *g, const char *mark);
void golden_end_part(golden *g); /* ends a part */
void golden_number(golden *g, const char *what, double value);
void golden_numbers(golden *g, const char *what, const double *values, size_t count);
void golden_vector(golden *g, const char *what, tw_vec3 value);
void golden_count(golden *g, const char *what, uint64_t value);

/* Everything the public interface returns about a simulation, and its hash: a mark of five parts.
 */
void golden_record(golden *g, const char *mark, tw_sim *sim);
/* The bytes of a file: a mark of one part. */
void golden_record_file(golden *g, const char *mark, const char *path);

/* NAME in the scene's folder. */
typedef struct golden_path {
    char text[2 * GOLDEN_PATH];
} golden_path;
golden_path golden_file(const golden *g, const char *name);

/* ---- The long run ---- */

/* Shears 1000 bumpy grains for `steps` steps and prints the hash at intervals. If `expected` is the
 * output of an earlier run, returns the number of lines that differ. */
int golden_long(golden *g, uint64_t steps, const char *expected);

#endif
