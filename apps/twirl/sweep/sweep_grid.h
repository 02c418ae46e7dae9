/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases of a sweep: all combinations of the varied values, each with its resolved scenario, and
 * the specimens that several cases share. */
#ifndef TWIRL_APP_SWEEP_GRID_H
#define TWIRL_APP_SWEEP_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/scenario.h>

#include "sweep/sweep_vary.h"

enum { TW_SWEEP_VARY_MAX = 8, TW_SWEEP_CASES_MAX = 10000, TW_SWEEP_NAME_MAX = 128 };

typedef struct tw_sweep_case {
    char name[TW_SWEEP_NAME_MAX];   /* "friction=0.1_seed=1" */
    size_t pick[TW_SWEEP_VARY_MAX]; /* index of the value of each varied key */
    tw_scenario *scenario;
    size_t specimen; /* shared one; SIZE_MAX: none */
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
    size_t case_count;
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

/* Whether specimen.seed varies, so that there are replicates. */
bool tw_sweep_grid_has_seeds(const tw_sweep_grid *grid);

#endif
