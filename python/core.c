/* SPDX-License-Identifier: BSD-3-Clause */
/* What the package adds to the public headers: build_core.py puts this in front of the module. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/run_progress.h>
#include <twirl/simd.h>
#include <twirl/twirl.h>

/* A run has a thread of its own, without the interpreter; the caller's thread asks for its progress
 * from time to time through a watch, and may stop it. build_core.py takes the declarations between
 * these two comments. */
/* cdef */
typedef struct tw_core_watch tw_core_watch;

typedef struct tw_core_progress {
    char line[560];  /* as tw_run_progress_line writes it */
    double progress; /* of the phase or stage, NaN: unknown */
    size_t stage_number, stage_count;
    uint64_t steps; /* of the run, so far */
} tw_core_progress;

/* `owner` is passed to tw_core_on_message. NULL: out of memory. */
static tw_core_watch *tw_core_watch_new(void *owner);
static void tw_core_watch_free(tw_core_watch *watch);
static tw_run_plan tw_core_watch_plan(tw_core_watch *watch);

/* Ends the run after the present step, with its state saved. */
static void tw_core_watch_stop(tw_core_watch *watch);

/* Asks for new progress; gives the last, and returns 0 if there has been none. */
static int tw_core_watch_progress(tw_core_watch *watch, tw_core_progress *progress);

/* How fast the run was. */
static void tw_core_watch_total(const tw_core_watch *watch, char *text, size_t size);
/* end of cdef */

/* A line of the log, or a remark; from the thread of the run. Defined by the package. */
static void tw_core_on_message(const char *line, void *owner);

struct tw_core_watch {
    pthread_mutex_t mutex; /* of latest and known */
    atomic_int stop, wanted;
    int known;
    tw_core_progress latest;
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

static int tw_core_watch_progress(tw_core_watch *watch, tw_core_progress *progress)
{
    pthread_mutex_lock(&watch->mutex);
    const int known = watch->known;
    *progress = watch->latest;
    pthread_mutex_unlock(&watch->mutex);
    atomic_store(&watch->wanted, 1);
    return known;
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
        tw_core_progress latest;
        tw_run_progress_line(&watch->progress, view, latest.line, sizeof latest.line);
        latest.progress = view->progress;
        latest.stage_number = view->stage_number;
        latest.stage_count = view->stage_count;
        latest.steps = view->steps;
        pthread_mutex_lock(&watch->mutex);
        watch->latest = latest;
        watch->known = 1;
        pthread_mutex_unlock(&watch->mutex);
    }
    return atomic_load_explicit(&watch->stop, memory_order_relaxed);
}

static void watch_message(const char *line, void *context)
{
    tw_core_watch *watch = context;
    tw_core_on_message(line, watch->owner);
}

static tw_run_plan tw_core_watch_plan(tw_core_watch *watch)
{
    tw_run_plan plan;
    memset(&plan, 0, sizeof plan);
    plan.context = watch;
    plan.step = watch_step;
    plan.log = plan.remark = watch_message;
    return plan;
}
