/* SPDX-License-Identifier: BSD-3-Clause */
/* Several runs at a time, each a process of this program. When this process dies, whatever the
 * reason, its runs are told to save their states and to stop. */
#ifndef TWIRL_APP_SWEEP_POOL_H
#define TWIRL_APP_SWEEP_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/output.h"
#include "sweep/sweep_grid.h"

typedef enum tw_sweep_pool_state {
    TW_SWEEP_POOL_WAITING,
    TW_SWEEP_POOL_RUNNING,
    TW_SWEEP_POOL_DONE,
    TW_SWEEP_POOL_FAILED,
    TW_SWEEP_POOL_STOPPED
} tw_sweep_pool_state;

typedef struct tw_sweep_pool_task {
    const char *name;
    char *scenario, *out, *log; /* file, folder, and file for what the run prints */
    const char *specimen;       /* run that has prepared the specimen; NULL: this one does */
    size_t after;               /* the task that must be done before; SIZE_MAX: none */
    tw_sweep_pool_state state;
    pid_t process;
    int status;   /* exit status; 128 and the signal if it was killed */
    double share; /* done so far, 0 to 1 */
} tw_sweep_pool_task;

typedef struct tw_sweep_pool {
    tw_sweep_pool_task *task;
    size_t count;
    size_t jobs;        /* at a time */
    int threads;        /* of each run */
    const char *device; /* of each run; NULL: the default */
    const char *command;
    bool quiet;
} tw_sweep_pool;

/* Makes the tasks: shared specimens first, then the cases. A specimen that no case needs any more
 * is left out. Runs that ended in an earlier sweep are resumed like the others, which only verifies
 * their folders. */
void tw_sweep_pool_make(tw_sweep_pool *pool, const tw_sweep_grid *grid, const char *folder);

/* Runs all tasks that are waiting; tasks are started in order. Returns after all have ended, or
 * after a signal, when those under way have been stopped. */
void tw_sweep_pool_run(tw_sweep_pool *pool);

/* Sets `failed` of each case and frees the tasks. Returns the exit status of the first run that
 * failed, or TW_EXIT_OK. */
int tw_sweep_pool_finish(tw_sweep_pool *pool, tw_sweep_grid *grid);

#endif
