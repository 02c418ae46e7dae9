/* SPDX-License-Identifier: BSD-3-Clause */
/* The runs of a sweep: shared specimens first, then the cases. */
#ifndef TWIRL_APP_SWEEP_TASKS_H
#define TWIRL_APP_SWEEP_TASKS_H

#include <stdbool.h>

#include "sweep/sweep_grid.h"
#include "sweep/sweep_pool.h"

/* A specimen that no case needs any more is left out. Runs that ended in an earlier sweep are
 * resumed like the others, which only verifies their folders. False: out of memory. Free the tasks
 * even then. */
bool tw_sweep_tasks_make(tw_sweep_pool *pool, const tw_sweep_grid *grid, const char *folder);
void tw_sweep_tasks_free(tw_sweep_pool *pool);

/* Sets `failed` of each case. */
void tw_sweep_tasks_mark(const tw_sweep_pool *pool, tw_sweep_grid *grid);

/* The exit status of the first run that failed, or TW_EXIT_OK. */
int tw_sweep_tasks_status(const tw_sweep_pool *pool);

#endif
