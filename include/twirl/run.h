/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a scenario: its specimen is made, its stages are run one after the other, and what is
 * measured goes into a folder.
 *
 *     tw_run_plan plan = {.folder = "triaxial"};
 *     if (tw_run_scenario(scenario, &plan, &error) != TW_STATUS_OK) puts(error.text);
 *
 * The folder and its files are described in docs/guide/run.md. A run that was cut short, by the
 * hook or by a crash, goes on with `resume` and leaves the same files as one that was not.
 */
#ifndef TWIRL_RUN_H
#define TWIRL_RUN_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/scenario.h>
#include <twirl/sim.h>
#include <twirl/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a run is. */
typedef struct tw_run_view {
    const char *stage;   /* its name; "specimen" while that is made */
    size_t number, many; /* from 1, of how many; 0 for the specimen */
    double share;        /* of the stage that is done, 0 to 1; NaN where it cannot be told */
    double strain;       /* of the stage, as its path counts it [-] */
    uint64_t steps;      /* of the whole run */
    tw_sim *sim;         /* to be looked at; while probes are run, the state that they start from */
    size_t probes_done, probes; /* of the stage: how many of how many; 0 of 0: none are being run */
} tw_run_view;

typedef struct tw_run_plan {
    const char *folder;
    int resume;          /* 1: go on where the folder's run was cut short */
    int threads;         /* 0: OMP_NUM_THREADS, or one per processor */
    const char *program; /* name and version, for the files; NULL: none */
    void *context;       /* of the two below, which may be NULL */
    /* After every step; while probes are run, now and then, by any of the threads but one at a
     * time. Non-zero ends the run, with the state saved: TW_STATUS_INTERRUPTED. */
    int (*step)(const tw_run_view *view, void *context);
    /* A line for people: what begins, what was found. */
    void (*note)(const char *text, void *context);
} tw_run_plan;

/* Whether everything the scenario asks for can be run. */
tw_status tw_run_check(const tw_scenario *scenario, tw_error *error);

tw_status tw_run_scenario(const tw_scenario *scenario, const tw_run_plan *plan, tw_error *error);

#ifdef __cplusplus
}
#endif

#endif
