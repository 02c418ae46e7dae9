/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_tasks.h"

#include "common/output.h"
#include "sweep/sweep_folder.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static tw_sweep_pool_task *add_task(tw_sweep_pool *pool, const char *folder, const char *group,
                                    const char *name)
{
    tw_sweep_pool_task *task = &pool->task[pool->count++];
    *task = (tw_sweep_pool_task){.name = name, .after = SIZE_MAX};
    task->scenario = strdup(tw_folder_path_in(folder, "inputs", name, ".yaml").text);
    task->out = strdup(tw_folder_path_in(folder, group, name, "").text);
    task->log = strdup(tw_folder_path_in(folder, "logs", name, ".log").text);
    if (!task->scenario || !task->out || !task->log) return NULL;
    return task;
}

/* Whether a case still has to start from it. */
static bool is_needed(const tw_sweep_grid *grid, size_t specimen, const char *folder)
{
    for (size_t i = 0; i < grid->case_count; i++) {
        const tw_sweep_case *one = &grid->cases[i];
        if (one->specimen == specimen &&
            !tw_sweep_folder_is_finished(tw_folder_path_in(folder, "cases", one->name, "").text))
            return true;
    }
    return false;
}

static bool add_specimens(tw_sweep_pool *pool, const tw_sweep_grid *grid, const char *folder,
                          size_t *task_of)
{
    for (size_t i = 0; i < grid->specimen_count; i++) {
        task_of[i] = SIZE_MAX;
        if (grid->specimens[i].users < 2 || !is_needed(grid, i, folder)) continue;
        task_of[i] = pool->count;
        if (!add_task(pool, folder, "specimens", grid->specimens[i].name)) return false;
    }
    return true;
}

static bool add_cases(tw_sweep_pool *pool, const tw_sweep_grid *grid, const char *folder,
                      const size_t *task_of)
{
    for (size_t i = 0; i < grid->case_count; i++) {
        const tw_sweep_case *one = &grid->cases[i];
        tw_sweep_pool_task *task = add_task(pool, folder, "cases", one->name);
        if (!task) return false;
        if (one->specimen == SIZE_MAX || task_of[one->specimen] == SIZE_MAX) continue;
        task->after = task_of[one->specimen];
        task->specimen = pool->task[task->after].out;
    }
    return true;
}

bool tw_sweep_tasks_make(tw_sweep_pool *pool, const tw_sweep_grid *grid, const char *folder)
{
    pool->count = 0;
    pool->task = calloc(grid->case_count + grid->specimen_count, sizeof *pool->task);
    size_t *task_of = calloc(grid->specimen_count + 1, sizeof *task_of);
    const bool good = pool->task && task_of && add_specimens(pool, grid, folder, task_of) &&
                      add_cases(pool, grid, folder, task_of);
    free(task_of);
    return good;
}

void tw_sweep_tasks_free(tw_sweep_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        free(pool->task[i].scenario);
        free(pool->task[i].out);
        free(pool->task[i].log);
    }
    free(pool->task);
    pool->task = NULL;
    pool->count = 0;
}

void tw_sweep_tasks_mark(const tw_sweep_pool *pool, tw_sweep_grid *grid)
{
    const tw_sweep_pool_task *task = &pool->task[pool->count - grid->case_count];
    for (size_t i = 0; i < grid->case_count; i++)
        grid->cases[i].failed = task[i].state == TW_SWEEP_POOL_FAILED;
}

int tw_sweep_tasks_status(const tw_sweep_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        if (pool->task[i].state == TW_SWEEP_POOL_FAILED) return pool->task[i].status;
    return TW_EXIT_OK;
}
