/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases of a sweep: all combinations of the varied values, each with its resolved scenario, and
 * the specimens that several cases share. */
#ifndef TWIRL_APP_SWEEP_GRID_H
#define TWIRL_APP_SWEEP_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/scenario.h>

/* --vary KEY=VALUES: a key of the scenario and the values it takes. VALUES are separated by commas;
 * each is a value as in --set, A..B or A..B..STEP for whole numbers, or A:B:N for N numbers at
 * equal distances, with a unit after it if needed. Commas within quotes or brackets do not
 * separate. */

enum { TW_SWEEP_VALUES_MAX = 10000 };

typedef struct tw_sweep_vary {
    char *key;
    char **value; /* as texts for --set */
    size_t count;
} tw_sweep_vary;

/* False: `problem` says what is wrong. The grid frees it. */
bool tw_sweep_vary_parse(tw_sweep_vary *vary, const char *text, char *problem, size_t size);

/* The last name of the key: "friction" of material.friction, "rate" of stages[2].rate. */
const char *tw_sweep_vary_label(const tw_sweep_vary *vary);

/* Replicates differ in nothing but the seed. */
bool tw_sweep_vary_is_seed(const tw_sweep_vary *vary);

enum { TW_SWEEP_VARY_MAX = 8, TW_SWEEP_CASES_MAX = 10000, TW_SWEEP_NAME_MAX = 128 };

typedef struct tw_sweep_case {
    char name[TW_SWEEP_NAME_MAX];   /* "friction=0.1_seed=1" */
    size_t pick[TW_SWEEP_VARY_MAX]; /* index of the value of each varied key */
    tw_scenario *scenario;
    size_t specimen; /* shared one; SIZE_MAX: none */
    size_t group;    /* of replicates: cases that differ in nothing but the seed; from 0 */
    bool first;      /* of its group */
    bool failed;     /* its run */
} tw_sweep_case;

typedef struct tw_sweep_specimen {
    char name[32];
    char *text; /* its scenario: the preparation, without stages */
    size_t users;
} tw_sweep_specimen;

typedef struct tw_sweep_grid {
    tw_sweep_vary vary[TW_SWEEP_VARY_MAX];
    size_t vary_count;
    tw_sweep_case *cases;
    size_t case_count, group_count;
    tw_sweep_specimen *specimens;
    size_t specimen_count;
} tw_sweep_grid;

/* Makes the cases of grid->vary, reads FILE for each with the settings and its values, and finds
 * the specimens that at least two cases share. Returns an exit status; all errors of all cases have
 * been printed. */
int tw_sweep_grid_make(tw_sweep_grid *grid, const char *path, const char *const *settings,
                       size_t setting_count, const char *command);
void tw_sweep_grid_free(tw_sweep_grid *grid);

const char *tw_sweep_grid_value(const tw_sweep_grid *grid, const tw_sweep_case *one, size_t vary);

/* Whether two cases differ in nothing but the seed and the varied key `except`. */
bool tw_sweep_grid_alike(const tw_sweep_grid *grid, const tw_sweep_case *a, const tw_sweep_case *b,
                         size_t except);

/* Whether specimen.seed varies, so that there are replicates. */
bool tw_sweep_grid_has_seeds(const tw_sweep_grid *grid);

#endif
