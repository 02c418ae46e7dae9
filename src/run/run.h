/* SPDX-License-Identifier: BSD-3-Clause */
/* The run under way: its data, and the functions that work on it. */
#ifndef TW_RUN_RUN_H
#define TW_RUN_RUN_H

#include <stdbool.h>

#include <twirl/exchange.h>
#include <twirl/run.h>

#include "base/environment.h"
#include "base/error.h"
#include "run/files.h"
#include "run/folder.h"
#include "run/loading.h"
#include "run/state.h"

/* Why a stage has ended. */
typedef struct tw_run_end {
    char key[24];    /* of `end`: "strain" */
    char text[160];  /* "ended at axial strain 0.1 (end.strain)" */
    char missed[80]; /* what it did not reach: "q, stress_ratio"; or "" */
} tw_run_end;

/* The progress last shown to the caller. */
typedef struct tw_run_shown {
    uint64_t part;   /* of the run: phase, trial, stage */
    double progress; /* never decreases within the part */
    double later;    /* estimated steps of all parts after this one; NaN: not known */
} tw_run_shown;

/* The time of this process so far. */
typedef struct tw_run_meter {
    tw_run_timing *parts; /* of the specimen, then of the stages; without the time since `since` */
    size_t part;          /* under way since then */
    double since;         /* wall clock [s] */
    tw_sim_times from;    /* of the threads that are counted, then */
    int threads, counted; /* of the run; those that are counted now */
} tw_run_meter;

/* Of the grains. */
typedef struct tw_run_grains {
    double diameter; /* mean [m] */
    double density;  /* mean, mass scaling included [kg/m^3] */
    double solid;    /* volume [m^3] */
} tw_run_grains;

/* What the run appends to, and the frames of its present stage. */
typedef struct tw_run_output {
    union {
        tw_run_append_file file[TW_RUN_STATE_FILES]; /* as in tw_run_state_files */
        struct {
            tw_run_append_file files, log, warnings, history;
        };
    };
    uint32_t check[TW_RUN_STATE_FILES]; /* of the last rows of history and series */
    tw_export_series *series;           /* VTK frames; NULL: none yet */
} tw_run_output;

/* The last pair that was committed. */
typedef struct tw_run_save {
    double at;      /* wall-clock time [s] */
    uint64_t steps; /* state.steps then */
    bool kept;      /* the state has been kept as a result since */
} tw_run_save;

typedef struct tw_run {
    /* Constant: what was asked, */
    const tw_scenario *scenario;
    const tw_run_plan *plan;
    tw_error *error; /* never NULL */
    /* and once the run is open the specimen, before any stage changes its damping and laws */
    tw_run_lock lock;
    tw_sim_def specimen;
    tw_contact_law *laws; /* of a checkpoint, by pairs of materials; or NULL */
    tw_run_grains grains;

    /* Saved: what a checkpoint and its run state hold */
    tw_sim *sim;
    tw_run_state state;

    /* Derived: of the present step, */
    bool stopped;            /* the caller has requested the end of the run */
    bool ended;              /* the phase or stage has ended, */
    tw_run_end end;          /* a stage by this */
    double travelled_before; /* state.travelled before the step [-] */
    double unbalanced;       /* when last checked in this phase or stage; 0: not yet [-] */
    double unbalanced_first; /* when first checked by this process [-] */
    /* and of this process */
    tw_run_output output;
    tw_run_save saved;
    tw_run_shown shown;
    tw_run_meter meter;
} tw_run;

/* Steps between checks of the unbalanced force, which cost as much as a step. */
enum { TW_RUN_CHECK_STEPS = 10 };

/* Whether the specimen is compressed and settled before the stages. */
bool tw_run_is_prepared(const tw_scenario *scenario);

/* Whether nothing that is measured ends the stage: a short piece of it tells its length. */
bool tw_run_is_steady(const tw_scenario_stage *stage);

/* The current stage; NULL during preparation. */
const tw_scenario_stage *tw_run_stage(const tw_run *run);
const char *tw_run_stage_name(const tw_run *run); /* "specimen" during preparation */

/* Writes a line to the log, which is for people, and passes it to the caller. */
tw_status tw_run_log(tw_run *run, const char *format, ...) TW_PRINTF_LIKE(2, 3);

/* A result of this stage is not to be trusted as it is: "warning: STAGE: ..." in the log, and
 * "STAGE: ..." in warnings.txt and summary.json, where programs find it. */
tw_status tw_run_warn(tw_run *run, const char *format, ...) TW_PRINTF_LIKE(2, 3);

/* Passes a remark on the folder to the caller. The log does not have it: it must not depend on
 * where a run was interrupted. */
void tw_run_remark(const tw_run *run, const char *format, ...) TW_PRINTF_LIKE(2, 3);

/* The remark that a file of the run could not be removed, with the reason in errno. */
void tw_run_remark_left(const tw_run *run, const char *path);

/* Sets strains, times and steps of the phase or stage to zero. */
void tw_run_reset_stage(tw_run *run);

/* Current stress and strain rate. */
/* Sets a control of the cell; where platens keep it from being sheared, a stress that would shear
 * it is a rate of 0. */
tw_status tw_run_set_control(tw_run *run, tw_control *control);

tw_run_loading_stress tw_run_stress(const tw_sim *sim);

/* The path strain of these components: volumetric during preparation. */
double tw_run_path_strain(const tw_run *run, const double e[TW_COMPONENTS]);

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
double tw_run_rate(const tw_run_grains *grains, double inertial_number, double p);

/* Whether the cell is open along an edge: it has no volume, and grains no stress. */
bool tw_run_is_open(const tw_sim *sim);

/* tw_sim_measure, without what an open cell does not have: NaN. */
tw_status tw_run_measure(tw_run *run, tw_measure *m);

/* Volume of the cell; NaN if it is open [m^3]. */
double tw_run_volume(const tw_sim *sim);

/* Pressure of the fluid in the pores; NaN in a drained stage [Pa]. */
double tw_run_pore_pressure(const tw_run *run, const tw_run_loading_stress *now);

tw_run_grains tw_run_measure_grains(const tw_sim *sim);

/* ---- Contact laws: those of the materials, and what preparation and stages change ---- */

/* Keeps the laws that `sim` has if it is a checkpoint, whose values count where the scenario has
 * none. */
tw_status tw_run_laws_keep(tw_run *run, const tw_sim *sim);
void tw_run_laws_free(tw_run *run);

/* Sets the laws of a stage; NULL: those of the materials. */
tw_status tw_run_laws_set(tw_run *run, const tw_scenario_stage *stage);

/* Sets the friction of all contacts; NaN leaves it as it is in the materials. */
tw_status tw_run_laws_set_friction(tw_sim *sim, double friction, tw_error *error);

/* ---- What ends a run because its results would mean nothing ---- */

/* After a step of a stage: TW_STATUS_PHYSICS if the cell has become too thin, or a stress that ends
 * the stage has not been reached at a strain where it never will be. */
tw_status tw_run_limits_check(const tw_run *run);

/* Logs how far grains from a file overlap at the start, if that is far. */
tw_status tw_run_limits_log_overlap(tw_run *run);

#endif
