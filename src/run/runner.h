/* SPDX-License-Identifier: BSD-3-Clause */
/* A run under way, and what its parts share. */
#ifndef TW_RUN_RUNNER_H
#define TW_RUN_RUNNER_H

#include <stdbool.h>

#include <twirl/exchange.h>
#include <twirl/run.h>

#include "run/files.h"
#include "run/path.h"
#include "run/place.h"

typedef struct tw_runner {
    const tw_scenario *scenario;
    const tw_run_plan *plan;
    tw_sim *sim;
    tw_sim_def specimen; /* law and damping of the specimen, before any stage has its own */
    tw_place place;
    tw_growth history, log;
    tw_export_series *series; /* of the present stage; NULL: none yet */
    double diameter, density; /* mean of the grains [m]; with the scale of masses [kg/m^3] */
    double solid;             /* volume of the grains [m^3] */
    double saved_at;          /* clock on the wall [s] */
    double travelled_before;  /* place.travelled before the last step [-] */
    bool ended;               /* the phase or stage is at its end */
    bool stopped;             /* the caller wants the run to end */
    tw_error *error;
} tw_runner;

/* Steps between looks at what costs as much as a step: the unbalanced force. */
enum { TW_RUNNER_LOOK = 10 };

/* The present stage; NULL while the specimen is made. */
const tw_scenario_stage *tw_runner_stage(const tw_runner *run);
const char *tw_runner_stage_name(const tw_runner *run);

/* A line for the log and the caller. */
tw_status tw_runner_note(tw_runner *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Strains, times and steps of the phase or stage start at zero. */
void tw_runner_begin(tw_runner *run);

/* Stress, and how the cell moves, now. */
tw_path_stress tw_runner_stress(tw_runner *run);

/* Strain rate of an inertial number at pressure p [1/s]. */
double tw_runner_rate(const tw_runner *run, double inertial_number, double p);

/* Volume of the cell [m^3]. */
double tw_runner_volume(const tw_runner *run);

/* Mean diameter, density and volume of the grains. */
void tw_runner_measure_grains(tw_runner *run);

/* The file that goes with the place. */
tw_path tw_runner_checkpoint(const tw_runner *run);

/* The caller hears of a step. `more`: steps of probes, `done` of `total` of which are finished. */
int tw_runner_tell(tw_runner *run, uint64_t more, size_t done, size_t total);

/* open.c: specimen, folder, files. */
tw_status tw_open(tw_runner *run);

/* prepare.c: the phases before the stages. */
tw_status tw_prepare_begin(tw_runner *run);
tw_status tw_prepare_look(tw_runner *run); /* after each step: sets `ended` */
tw_status tw_prepare_finish(tw_runner *run);

/* stage.c */
tw_status tw_stage_begin(tw_runner *run);
tw_status tw_stage_look(tw_runner *run);
double tw_stage_share(const tw_runner *run); /* done, 0 to 1; NaN */

/* Of place.start. */
enum {
    TW_START_STRESS,
    TW_START_Q,
    TW_START_P,
    TW_START_RATIO,
    TW_START_CYCLED,
    TW_START_AT_LIMIT,
    TW_START_UNBALANCED
};

/* probes.c: the probes of a stage, once its state has settled. */
tw_status tw_probes_begin(tw_runner *run);
tw_status tw_probes_run(tw_runner *run); /* sets `ended`, or the caller wants the run to end */
void tw_probes_clean(const tw_runner *run, const tw_scenario_stage *stage);

/* report.c: rows and frames that are due; at a stage's end, all of them. */
tw_status tw_report_open(tw_runner *run);
tw_status tw_report_step(tw_runner *run);
tw_status tw_report_edge(tw_runner *run, bool end);
tw_status tw_report_stage(tw_runner *run); /* the file on a stage that has ended */
tw_status tw_report_summary(tw_runner *run);
void tw_report_close(tw_runner *run);

#endif
