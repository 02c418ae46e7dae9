/* SPDX-License-Identifier: BSD-3-Clause */
/* What the package adds to the public headers: build_core.py puts this in front of the module. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/simd.h>
#include <twirl/twirl.h>

/* A run goes on in a thread of its own, without the interpreter; the caller's thread looks at it from
 * time to time through a watch, and may stop it. build_core.py takes the declarations between these
 * two comments. */
/* cdef */
typedef struct tw_core_watch tw_core_watch;

typedef struct tw_core_sight {
    char line[560];  /* as tw_run_progress_line writes it */
    double progress; /* of the phase or stage, NaN: unknown */
    size_t stage_number, stage_count;
    uint64_t steps; /* of the run, so far */
} tw_core_sight;

/* `owner` is passed to tw_core_said. NULL: out of memory. */
static tw_core_watch *tw_core_watch_new(void *owner);
static void tw_core_watch_free(tw_core_watch *watch);
static tw_run_plan tw_core_watch_plan(tw_core_watch *watch);

/* Ends the run after the present step, with its state saved. */
static void tw_core_watch_stop(tw_core_watch *watch);

/* Asks for a new sight; gives the last one, and returns 0 if there has been none. */
static int tw_core_watch_look(tw_core_watch *watch, tw_core_sight *sight);

/* How fast the run was. */
static void tw_core_watch_total(const tw_core_watch *watch, char *text, size_t size);
/* end of cdef */

/* A line of the log, or a remark; from the thread of the run. Defined by the package. */
static void tw_core_said(const char *line, int remark, void *owner);

struct tw_core_watch {
    pthread_mutex_t mutex; /* of sight and seen */
    atomic_int stop, wanted;
    int seen;
    tw_core_sight sight;
    tw_run_progress progress;
    void *owner;
};

static tw_core_watch *tw_core_watch_new(void *owner)
{
    tw_core_watch *watch = calloc(1, sizeof *watch);
    if (!watch) return NULL;
    if (pthread_mutex_init(&watch->mutex, NULL) != 0) {
        free(watch);
        return NULL;
    }
    atomic_init(&watch->stop, 0);
    atomic_init(&watch->wanted, 1);
    watch->progress = tw_run_progress_start();
    watch->owner = owner;
    return watch;
}

static void tw_core_watch_free(tw_core_watch *watch)
{
    if (!watch) return;
    pthread_mutex_destroy(&watch->mutex);
    free(watch);
}

static void tw_core_watch_stop(tw_core_watch *watch)
{
    atomic_store(&watch->stop, 1);
}

static int tw_core_watch_look(tw_core_watch *watch, tw_core_sight *sight)
{
    pthread_mutex_lock(&watch->mutex);
    const int seen = watch->seen;
    *sight = watch->sight;
    pthread_mutex_unlock(&watch->mutex);
    atomic_store(&watch->wanted, 1);
    return seen;
}

static void tw_core_watch_total(const tw_core_watch *watch, char *text, size_t size)
{
    tw_run_progress_total(&watch->progress, text, size);
}

static int watch_step(const tw_run_view *view, void *context)
{
    tw_core_watch *watch = context;
    tw_run_progress_step(&watch->progress, view);
    if (atomic_load_explicit(&watch->wanted, memory_order_relaxed) &&
        atomic_exchange(&watch->wanted, 0)) {
        tw_core_sight sight;
        tw_run_progress_line(&watch->progress, view, sight.line, sizeof sight.line);
        sight.progress = view->progress;
        sight.stage_number = view->stage_number;
        sight.stage_count = view->stage_count;
        sight.steps = view->steps;
        pthread_mutex_lock(&watch->mutex);
        watch->sight = sight;
        watch->seen = 1;
        pthread_mutex_unlock(&watch->mutex);
    }
    return atomic_load_explicit(&watch->stop, memory_order_relaxed);
}

static void watch_log(const char *line, void *context)
{
    tw_core_watch *watch = context;
    tw_core_said(line, 0, watch->owner);
}

static void watch_remark(const char *line, void *context)
{
    tw_core_watch *watch = context;
    tw_core_said(line, 1, watch->owner);
}

static tw_run_plan tw_core_watch_plan(tw_core_watch *watch)
{
    tw_run_plan plan;
    memset(&plan, 0, sizeof plan);
    plan.context = watch;
    plan.step = watch_step;
    plan.log = watch_log;
    plan.remark = watch_remark;
    return plan;
}
