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
#include "run/loading.h"

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
    double shown;         /* when the caller was last told: wall clock [s] */
    const tw_clock_sheet *owner; /* of the thread that runs the scenario */
} tw_run_meter;

/* Who writes a group of members is named before it; all others read. */
typedef struct tw_run {
    /* scenario */
    const tw_scenario *scenario;
    const tw_run_plan *plan;
    tw_error *error; /* never NULL */
    bool stopped;    /* the caller has requested the end of the run; also probes, rates */

    /* resume: where the run begins; state, in tw_run_checkpoint_return */
    tw_sim *sim;
    tw_sim_def specimen; /* damping of the specimen, before any stage changes it */
    tw_run_lock lock;

    /* run: what is measured */
    tw_contact_law *laws;    /* of a checkpoint, by pairs of materials, before any stage; or NULL */
    double diameter;         /* mean of the grains [m] */
    double density;          /* mean of the grains, mass scaling included [kg/m^3] */
    double solid;            /* volume of the grains [m^3] */
    double unbalanced;       /* when last checked in this phase or stage; 0: not yet [-] */
    double unbalanced_first; /* when first checked by this process [-] */

    /* prepare, stage, probes, rates: their part of it, and that the phase or stage has ended */
    tw_run_state state;
    double travelled_before; /* state.travelled before the last step; scenario [-] */
    bool ended;
    tw_run_end end; /* of the stage, once it has ended; stage */

    /* report, and run for the log; state withdraws what a checkpoint does not have */
    tw_run_append_file history, log, warnings, files;
    uint32_t history_check;   /* of the last row of the history */
    tw_export_series *series; /* VTK frames of the current stage; NULL: none yet */

    /* state */
    double saved_at;      /* wall-clock time of the last checkpoint [s] */
    uint64_t saved_steps; /* state.steps then */
    bool kept;            /* the state has been kept as a result since the last commit */

    tw_run_shown shown; /* progress */
    tw_run_meter meter; /* timing */
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
tw_run_loading_stress tw_run_stress(const tw_run *run);

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
double tw_run_rate(const tw_run *run, double inertial_number, double p);

/* Volume of the cell [m^3]. */
double tw_run_volume(const tw_run *run);

/* Pressure of the fluid in the pores; NaN in a drained stage [Pa]. */
double tw_run_pore_pressure(const tw_run *run, const tw_run_loading_stress *now);

/* Sets diameter, density and solid. */
void tw_run_measure_grains(tw_run *run);

/* ---- Contact laws: those of the materials, and what preparation and stages change ---- */

/* Keeps the laws that `sim` has if it is a checkpoint, whose values count where the scenario has
 * none. */
tw_status tw_run_laws_keep(tw_run *run, const tw_sim *sim);
void tw_run_laws_free(tw_run *run);

/* Sets the laws of a stage; NULL: those of the materials. */
tw_status tw_run_laws_set(tw_run *run, const tw_scenario_stage *stage);

/* Sets the friction of all contacts; NaN leaves it as it is in the materials. */
tw_status tw_run_laws_set_friction(const tw_run *run, tw_sim *sim, double friction);

/* ---- What ends a run because its results would mean nothing ---- */

/* After a step of a stage: TW_STATUS_PHYSICS if the cell has become too thin, or a stress that ends
 * the stage has not been reached at a strain where it never will be. */
tw_status tw_run_limits_check(const tw_run *run);

/* Logs how far grains from a file overlap at the start, if that is far. */
tw_status tw_run_limits_log_overlap(tw_run *run);

/* ---- The caller's view of a run ---- */

/* Calls the caller's step function and returns its answer. While probes run: `probe_steps` are
 * their steps so far, `done` of `count` are finished; otherwise all three are 0. */
int tw_run_view_report(tw_run *run, uint64_t probe_steps, size_t done, size_t count);

/* Shows the view while grains are placed. `context` is the run: a function for
 * tw_run_scatter_watch. */
int tw_run_view_report_placed(double share, void *context);

/* ---- Where the time goes ---- */

/* Starts the clock; false if out of memory. */
bool tw_run_timing_start(tw_run *run);

/* From now on `threads` threads are counted, 0: those of the run; and the time is that of the
 * present stage. */
void tw_run_timing_count(tw_run *run, int threads);

void tw_run_timing_add_steps(tw_run *run, uint64_t steps);

/* Tells the caller if that is due. */
void tw_run_timing_show(tw_run *run);

/* Writes timing.json, and tells the caller. The file is no result, and files.txt does not list it:
 * folders of equal runs are equal without it. */
void tw_run_timing_end(tw_run *run);

/* files.txt: the files that the run has completed, one per line with hash, length and, for frames,
 * time. A run is not resumed if one of them has changed. */

/* Lists a file that has been written. `name` is its path within the folder of the run; `time` is
 * that of a frame, else 0. */
tw_status tw_run_files_add(tw_run *run, const char *name, double time);

/* The file will be written again: what was listed under its name does not count any more, and a
 * file that is there is not checked until it is listed again. */
tw_status tw_run_files_withdraw(tw_run *run, const char *name);

/* Whether the file is listed, and not withdrawn. */
bool tw_run_files_has(const tw_run *run, const char *name);

/* Whether the files listed in the first `length` bytes are as they were. All: all of them, by their
 * hashes. Otherwise those that are there: states and frames by their lengths, which takes no time,
 * the others by their hashes. */
tw_status tw_run_files_check(const char *folder, uint64_t length, bool all, tw_error *error);

/* Files in states, stages, vtk and lammps that are not listed: names, as many as fit, and how many.
 * 0 if the list cannot be read. */
size_t tw_run_files_foreign(const tw_run *run, char *names, size_t size);

/* The times of the listed files START<number>END, in their order, for the caller to free. NULL and
 * an error on failure. */
double *tw_run_files_times(const tw_run *run, const char *start, const char *end, size_t *count);

/* States of the run in its folder. Each has a label: identity of the run, name, step. A state is
 * read only under the label that it was written with. */

/* Saves the simulation as FOLDER/NAME.h5, a file of the results. */
tw_status tw_run_checkpoint_keep(tw_run *run, const char *name);

/* Saves the result FOLDER/NAME.h5 also as FOLDER/COPY.h5. */
tw_status tw_run_checkpoint_copy(tw_run *run, const char *name, const char *copy);

/* Loads FOLDER/NAME.h5; NULL on failure. */
tw_sim *tw_run_checkpoint_open(const tw_run *run, const char *name, tw_error *error);

/* Replaces the simulation of the run by FOLDER/NAME.h5. */
tw_status tw_run_checkpoint_return(tw_run *run, const char *name);

/* Writes the next pair of checkpoint and run state, over the older one. At any moment the other
 * pair is whole. */
tw_status tw_run_checkpoint_commit(tw_run *run);

/* Adds to an error of a device from where, and how, the run can be continued. Returns its status.
 */
tw_status tw_run_checkpoint_tell(const tw_run *run, tw_error *error);

/* Replaces the simulation of the run by the checkpoint that belongs to its run state. */
tw_status tw_run_checkpoint_load(tw_run *run);

/* ---- Output of a run: rows of the history, frames, a file for each stage, the summary ---- */

/* The data dictionary of the history: a JSON document, for the caller to free. NULL: out of memory.
 */
char *tw_run_report_dictionary(void);

/* Whether the history in the folder has any rows. */
bool tw_run_report_has_rows(const char *folder);

/* Whether the rows of the history up to the length in the run state are right; names the first that
 * is not. */
tw_status tw_run_report_check(tw_run *run);

/* History, log and list of files: created, or truncated to the lengths in the run state. */
tw_status tw_run_report_open(tw_run *run);
void tw_run_report_close(tw_run *run);

/* The present stage goes on although it had ended: its lists of frames are not complete. */
tw_status tw_run_report_reopen(tw_run *run);

/* Rows and frames that are due: at the start of a phase or stage, after a step, at the end. */
tw_status tw_run_report_begin(tw_run *run);
tw_status tw_run_report_step(tw_run *run);

/* Steps in which it has nothing to write, at least 1. */
uint64_t tw_run_report_idle_steps(const tw_run *run);
tw_status tw_run_report_end(tw_run *run);

tw_status tw_run_report_stage(tw_run *run); /* stages/NAME.json of a finished stage */
tw_status tw_run_report_summary(tw_run *run);

/* Preparation of a specimen: compression of a cell of constant shape until the grains carry load,
 * then settling under six stresses; repeated with other friction if a void ratio is required. */

tw_status tw_run_prepare_begin(tw_run *run);

/* To be called after each step: sets run->ended. */
tw_status tw_run_prepare_check(tw_run *run);

/* Steps in which it has nothing to do, at least 1. */
uint64_t tw_run_prepare_idle_steps(const tw_run *run);

/* Moves on to the next phase. */
tw_status tw_run_prepare_finish(tw_run *run);

/* Completed fraction of the phase, 0 to 1; NaN if it cannot be estimated. */
double tw_run_prepare_progress(const tw_run *run);

/* Expected number of trials of a search for friction, before it starts and while it runs; 0: there
 * is no search. */
size_t tw_run_prepare_trials(double tolerance);
size_t tw_run_prepare_trials_expected(const tw_run *run);

/* ---- A stage: how it begins, and what it does after each step ---- */

tw_status tw_run_stage_begin(tw_run *run);

/* To be called after each step: sets run->ended, and reverses cyclic stages. */
tw_status tw_run_stage_check(tw_run *run);

/* ---- When and why a stage ends, and how far it is ---- */

/* Steps in which no end condition can be met, at least 1: conditions of stress are checked after
 * every step. */
uint64_t tw_run_stage_end_idle_steps(const tw_run *run);

/* Cycles of a cyclic stage: the whole part counts those that are complete, the rest is the way
 * covered in the present one, 0.25 at its first reversal and 0.75 at its second. NaN for other
 * paths. */
double tw_run_stage_end_cycles(const tw_run *run);

/* Completed fraction, 0 to 1: of all end conditions, that of the nearest. NaN if it cannot be
 * estimated. */
double tw_run_stage_end_progress(const tw_run *run);

/* Whether the present stage would have come as far as it is with its end conditions in place of
 * `before`; if not, `why` names the condition. */
bool tw_run_stage_end_can_replace(const tw_run *run, const tw_scenario_end *before, char *why,
                                  size_t size);

/* Keeps what the next stage begins with and the simulation does not have. */
void tw_run_stage_end_keep(tw_run *run);

/* "shear: ended at axial strain 0.1 (end.strain)" */
tw_status tw_run_stage_end_log(tw_run *run);

/* Starts a run in a new folder, or from where an earlier run was interrupted. */
tw_status tw_run_open(tw_run *run);

/* Rates of the state, by statics: rates.csv, datapackage.json and rates.json in stages/NAME, and
 * lines of the log. Sets run->ended, or run->stopped on the caller's request. */
tw_status tw_run_rates(tw_run *run);

/* Runs the probes of a stage, as many at a time as there are threads, each on its own copy of the
 * state. The result of a probe depends only on the initial state, not on the thread or the time. */

/* Saves the settled state, from which the probes start. */
tw_status tw_run_probe_stage_begin(tw_run *run);

/* Sets run->ended when all probes are finished, or run->stopped on the caller's request. */
tw_status tw_run_probe_stage_run(tw_run *run);

#endif
