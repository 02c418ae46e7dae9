/* SPDX-License-Identifier: BSD-3-Clause */
/* The run under way: its data and their accessors. */
#ifndef TW_RUN_RUN_H
#define TW_RUN_RUN_H

#include <stdbool.h>

#include <twirl/exchange.h>
#include <twirl/run.h>

#include "base/error.h"
#include "run/append_file.h"
#include "run/file.h"
#include "run/loading.h"
#include "run/run_lock.h"
#include "run/run_state.h"

/* Why a stage has ended. */
typedef struct tw_run_end {
    char key[24];   /* of `end`: "strain" */
    char text[160]; /* "ended at axial strain 0.1 (end.strain)" */
} tw_run_end;

/* The progress last shown to the caller. */
typedef struct tw_run_shown {
    uint64_t part;   /* of the run: phase, trial, stage */
    double progress; /* never decreases within the part */
    double later;    /* estimated steps of all parts after this one; NaN: not known */
} tw_run_shown;

typedef struct tw_run {
    const tw_scenario *scenario;
    const tw_run_plan *plan;
    tw_sim *sim;
    tw_sim_def specimen;  /* damping of the specimen, before any stage changes it */
    tw_contact_law *laws; /* of a checkpoint, by pairs of materials, before any stage; NULL: none */
    tw_run_state state;
    tw_append_file history, log, files;
    uint32_t history_check; /* of the last row of the history */
    tw_run_lock lock;
    tw_export_series *series; /* VTK frames of the current stage; NULL: none yet */
    double diameter;          /* mean of the grains [m] */
    double density;           /* mean of the grains, mass scaling included [kg/m^3] */
    double solid;             /* volume of the grains [m^3] */
    double saved_at;          /* wall-clock time of the last checkpoint [s] */
    uint64_t saved_steps;     /* state.steps then */
    double travelled_before;  /* state.travelled before the last step [-] */
    double unbalanced;        /* when last checked in this phase or stage; 0: not yet [-] */
    double unbalanced_first;  /* when first checked by this process [-] */
    bool ended;               /* the phase or stage has reached its end */
    tw_run_end end;           /* of the stage, once it has ended */
    tw_run_shown shown;
    bool stopped; /* the caller has requested the end of the run */
    tw_error *error;
} tw_run;

/* Steps between checks of the unbalanced force, which cost as much as a step. */
enum { TW_RUN_CHECK_STEPS = 10 };

/* Whether the specimen is compressed and settled before the stages. */
bool tw_run_is_prepared(const tw_scenario *scenario);

/* The current stage; NULL during preparation. */
const tw_scenario_stage *tw_run_stage(const tw_run *run);
const char *tw_run_stage_name(const tw_run *run); /* "specimen" during preparation */

/* Writes a line to the log and passes it to the caller. */
tw_status tw_run_log(tw_run *run, const char *format, ...) TW_PRINTF_LIKE(2, 3);

/* Logs a warning: a result that is not to be trusted as it is. The line begins with "warning: ", by
 * which reports find it. */
tw_status tw_run_warn(tw_run *run, const char *format, ...) TW_PRINTF_LIKE(2, 3);

/* Passes a remark on the folder to the caller. The log does not have it: it must not depend on
 * where a run was interrupted. */
void tw_run_remark(const tw_run *run, const char *format, ...) TW_PRINTF_LIKE(2, 3);

/* The remark that a file of the run could not be removed, with the reason in errno. */
void tw_run_remark_left(const tw_run *run, const char *path);

/* Sets strains, times and steps of the phase or stage to zero. */
void tw_run_reset_stage(tw_run *run);

/* Current stress and strain rate. */
tw_loading_stress tw_run_stress(const tw_run *run);

/* Path strain: volumetric during preparation. */
double tw_run_path_strain(const tw_run *run);

/* Measures, and keeps the unbalanced force for tw_run_settled. */
tw_status tw_run_measure_balance(tw_run *run, tw_measure *m);

/* How far the unbalanced force has fallen towards `limit`, on a logarithmic scale, 0 to 1; NaN if
 * it has not been checked yet. */
double tw_run_settled(const tw_run *run, double limit);

/* Whether the last step went past a multiple of a path strain. */
bool tw_run_passes_multiple(const tw_run *run, double strain);

/* Steps until the next multiple of `every`: at least 1; very many if that is TW_SCENARIO_NONE. */
uint64_t tw_run_steps_until_multiple(uint64_t step, uint64_t every);

/* Steps in which something that advances by `each` in a step does not pass `left`: half of what it
 * would take, since steps differ a little; at least 1. */
uint64_t tw_run_steps_until(double left, double each);

uint64_t tw_run_min_steps(uint64_t a, uint64_t b);

/* Path strain of a step. */
double tw_run_step_strain(const tw_run *run);

/* Steps in which no multiple of a path strain is passed: see tw_run_passes_multiple. */
uint64_t tw_run_steps_until_strain(const tw_run *run, double strain);

/* Strain rate for an inertial number at pressure p [1/s]. */
double tw_run_rate(const tw_run *run, double inertial_number, double p);

/* Volume of the cell [m^3]. */
double tw_run_volume(const tw_run *run);

/* Sets diameter, density and solid. */
void tw_run_measure_grains(tw_run *run);

#endif
