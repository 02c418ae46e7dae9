/* SPDX-License-Identifier: BSD-3-Clause */
/* The progress of a run in words, for programs that show it while it is under way; twirl/run.h
 * gives the numbers.
 *
 *     tw_run_progress progress = tw_run_progress_start();
 *     ... in tw_run_plan.step:  tw_run_progress_step(&progress, view);
 *                               tw_run_progress_line(&progress, view, text, sizeof text);
 *
 * Calls for different objects may overlap in several threads; those for one may not. Source
 * compatible only, before 1.0.
 */
#ifndef TWIRL_RUN_PROGRESS_H
#define TWIRL_RUN_PROGRESS_H

#include <twirl/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The part of the run under way: a phase of the specimen, a stage, or its probes. */
typedef struct tw_run_progress_part {
    const char *phase;
    size_t stage, trial;
    double started; /* when this process began or resumed it: wall clock [s] */
    double share;   /* of it already done then [-] */
    uint64_t steps; /* of the run then */
} tw_run_progress_part;

typedef struct tw_run_progress {
    double started; /* wall clock [s] */
    tw_run_progress_part part;
    uint64_t steps;   /* taken by this process */
    uint64_t before;  /* steps of the run before this process */
    uint64_t counted; /* last step included in the two sums */
    double body_steps, contact_steps;
} tw_run_progress;

TW_API tw_run_progress tw_run_progress_start(void);

/* To be called after every step, or some of them; cheap. */
TW_API void tw_run_progress_step(tw_run_progress *progress, const tw_run_view *view);

/* "[2/4] shear 43.0 %  0:12 left  strain 0.0430  p 1e+05 Pa ..."; 560 bytes are enough. */
TW_API void tw_run_progress_line(const tw_run_progress *progress, const tw_run_view *view,
                                 char *text, size_t size);

/* What is to be done: "500 grains, 2 stages, about 2.1e+04 steps after the preparation". */
TW_API void tw_run_progress_plan(const tw_scenario *scenario, char *text, size_t size);

/* How fast it was: "2100 steps in 1.2 s: 1.75e+03 steps/s, ...". */
TW_API void tw_run_progress_total(const tw_run_progress *progress, char *text, size_t size);

/* "1:02:03", "2:03". */
TW_API void tw_run_progress_duration(char *text, size_t size, double seconds);

#ifdef __cplusplus
}
#endif

#endif
