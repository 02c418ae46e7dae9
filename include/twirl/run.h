/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a scenario: prepares its specimen, runs its stages in order, and writes the results into
 * a folder.
 *
 *     tw_run_plan plan = {.folder = "triaxial"};
 *     if (tw_run_scenario(scenario, &plan, &error) != TW_STATUS_OK) puts(error.text);
 *
 * The folder and its files are described in docs/guide/run.md. A run that was interrupted, on
 * request or by a crash, continues with `resume` and leaves the same files as an uninterrupted one.
 * A folder in which files are missing, damaged or of another run is refused, as is one in which
 * another run is under way. Errors may be NULL. One run at a time in a process; it has threads of
 * its own. Source compatible only, before 1.0. */
#ifndef TWIRL_RUN_H
#define TWIRL_RUN_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/sim.h>
#include <twirl/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_scenario tw_scenario; /* twirl/scenario.h */

/* Progress of a run. */
typedef struct tw_run_view {
    const char *stage;   /* name; "specimen" during preparation */
    const char *phase;   /* of the specimen: "placement" (of the grains), "compression", "settling";
                            of a stage: "loading", "settling" and "probes", or "rates" */
    size_t stage_number; /* from 1; 0 during preparation */
    size_t stage_count;
    size_t trial;       /* of the search for friction, from 1; 0: there is none */
    size_t trial_count; /* expected number of trials */
    double progress; /* completed fraction of the phase, 0 to 1, never decreasing; NaN: unknown */
    double strain;   /* path strain of the stage [-] */
    uint64_t steps;  /* of the whole run */
    double later_steps; /* estimated steps of the later stages; NaN: unknown */
    tw_sim *sim;        /* not to be changed; while probes run, the state they start from; NULL
                           during placement */
    double solid;       /* volume of the grains [m^3]; 0 during placement */
    size_t probes_done; /* finished probes of the stage */
    size_t probe_count; /* 0: no probes are running */
} tw_run_view;

/* Where the time goes of the process that runs a scenario, not of earlier ones if it is resumed. */
typedef struct tw_run_timing {
    const char *device;  /* "cpu" ... */
    int threads;         /* of the run; with a device, only the one that waits for it */
    uint64_t steps;      /* taken by this process */
    double wall;         /* [s] */
    double total;        /* the same, summed over threads: the sum of all phases [s] */
    tw_sim_times phases; /* summed over threads [s] */
} tw_run_timing;

/* As a table, with a line for every phase and one for the total; 2000 bytes are enough. */
TW_API void tw_run_timing_table(const tw_run_timing *timing, char *text, size_t size);

typedef struct tw_run_plan {
    const char *folder;
    int resume;           /* 1: continue the run in the folder, if there is one */
    int extend;           /* 1: the same with a scenario that goes further: a larger end of the last
                             stage, more stages, other output. States and later rows are those of
                             one run; rows and files written so far stay. What is not an extension
                             is refused, and the text says what differs */
    int restart;          /* 1: rename a folder that holds files of a run to FOLDER.old (.old2 ...),
                             and start over */
    const char *specimen; /* folder of a run of tw_run_preparation's scenario: the specimen is taken
                             from there, with the same results; NULL: this run prepares it */
    int threads;          /* 0: OMP_NUM_THREADS, or one per processor */
    const char *device;   /* where steps are computed, as in tw_sim_set_device; NULL: TWIRL_DEVICE,
                             or the CPU. Results do not depend on it, and a run may be resumed on
                             another. If a device fails, the status is TW_STATUS_DEVICE, and the
                             run can be resumed from its last checkpoint, which the text names */
    const char *program;  /* name and version, recorded in the log and the summary; may be NULL */
    void *context;        /* passed to the functions below, each of which may be NULL */
    /* Called after every step; during placement and while probes run, from time to time, from any
     * thread but only one at a time. Non-zero ends the run with the state saved:
     * TW_STATUS_INTERRUPTED. During placement there is nothing to save. */
    int (*step)(const tw_run_view *view, void *context);
    /* Called with every line of the log, without its newline. */
    void (*log)(const char *line, void *context);
    /* Called with remarks on the folder, which are not part of the log: what `restart` has renamed,
     * that a damaged state was passed over, files of others among the results. */
    void (*remark)(const char *line, void *context);
    /* Called at the end of a run that has taken steps, however it ends.
     * FOLDER/timing.json has what it is called with. */
    void (*timing)(const tw_run_timing *timing, void *context);
} tw_run_plan;

/* Whether the scenario has anything to run. */
TW_API tw_status tw_run_check(const tw_scenario *scenario, tw_error *error);

/* Whether a device, as in tw_run_plan, can compute steps of its specimen. TW_STATUS_INPUT: it
 * cannot, whatever the machine; the text says why. */
TW_API tw_status tw_run_check_device(const tw_scenario *scenario, const char *device,
                                     tw_error *error);

/* The scenario that prepares the specimen of `scenario` and does nothing else, as YAML for the
 * caller to free: scenarios that give the same text can share a specimen. NULL: the specimen is not
 * prepared (it comes from a file, or is a lattice as it is), or out of memory. */
TW_API char *tw_run_preparation(const tw_scenario *scenario);

TW_API tw_status tw_run_scenario(const tw_scenario *scenario, const tw_run_plan *plan,
                                 tw_error *error);

/* Checks all results: the history row by row, the log, the summary and the files that the run has
 * listed in files.txt. Of states and frames, which may be large, only the lengths are compared; a
 * state is checked when it is loaded. Files that are missing are not looked for. TW_STATUS_INPUT
 * names the first file, and line of the history, that is not as the run wrote it. The run may be
 * under way. Results without the run states of their folder cannot be checked, and are accepted. */
TW_API tw_status tw_run_results_check(const char *folder, tw_error *error);

/* ---- Series: tables beside history.csv, with a row for each of its rows ----
 *
 * NAME.csv begins with the columns step, time, stage and stage_step of the history and ends with
 * `check`. Between them each value has a column VALUE:ITEM for each item, which are those of the
 * run: pairs of its materials, as in share_p:quartz:rubber. */
typedef struct tw_run_series_value {
    const char *name, *unit;  /* "share_p", "1" */
    const char *title, *text; /* for people: of figures; in the data dictionary */
} tw_run_series_value;

typedef struct tw_run_series {
    const char *name, *text; /* "materials"; for people */
    const tw_run_series_value *values;
    size_t value_count;
} tw_run_series;

/* All that a run may have, by their numbers from 0 on; NULL: there are no more. */
TW_API const tw_run_series *tw_run_series_at(size_t number);

/* How the run in a folder stands: finished if it has a summary, and running if a process holds its
 * lock. Only reads: a lock taken for a moment could keep a run from starting. The lock says
 * "process NUMBER on HOST". On this host the process must have the lock open. Otherwise files of
 * the run tell (history or run state, written in the last 15 minutes). */
typedef enum tw_run_status {
    TW_RUN_STATUS_RUNNING,
    TW_RUN_STATUS_FINISHED,
    TW_RUN_STATUS_INTERRUPTED, /* or killed */
    TW_RUN_STATUS_FAILED       /* tw_run_status_failure says why */
} tw_run_status;

TW_API tw_run_status tw_run_status_of(const char *folder);

/* "running", "finished" ... */
TW_API const char *tw_run_status_name(tw_run_status status);

/* Why the run failed, for the caller to free; NULL: it has not. */
TW_API char *tw_run_status_failure(const char *folder);

/* The state that the run in a folder has saved last, from which it would be resumed. */
typedef struct tw_run_saved {
    int found;           /* 0: there is none, and nothing else is set */
    int finished;        /* 1: all stages are done */
    size_t stage_number; /* of the present stage, or of the next one if none has begun; from 1, 0
                            during preparation */
    int within;          /* 1: the stage, or a phase of the preparation, has begun */
    uint64_t steps;      /* of the whole run */
    double time;         /* of the whole run [s] */
    char checkpoint[20]; /* file in the folder; "": nothing was computed yet */
} tw_run_saved;

/* Only reads; the run may be under way. */
TW_API tw_status tw_run_saved_read(const char *folder, tw_run_saved *saved, tw_error *error);

/* ---- Estimates ---- */

typedef struct tw_run_estimate_part {
    const char *name; /* "specimen", or that of the stage, which belongs to the scenario */
    double steps;     /* NaN: cannot be estimated */
    double seconds;
    int bound; /* 1: at most; something that is measured may end the stage before */
} tw_run_estimate_part;

typedef struct tw_run_estimate {
    tw_run_estimate_part *parts; /* the specimen, then the stages */
    size_t count;
    double steps, seconds; /* in all; iterations of statics count as steps */
    double memory;         /* at its peak, of the whole program [bytes] */
    int divided;           /* among processes: memory is that of the first, */
    int made_there;        /* which has grain_memory for each of its grains besides */
    double grain_memory;   /* [bytes] */
    double device_memory;  /* at its peak, of a device; 0: none [bytes] */
    double disk;           /* of the folder of the run, without frames [bytes] */
    uint64_t grains;       /* of the trial */
} tw_run_estimate;

typedef struct tw_run_estimate_plan {
    int threads;                /* of the run: 0: OMP_NUM_THREADS, or one per processor */
    const char *device;         /* of the run, as in tw_run_plan */
    double seconds;             /* for the trial; it takes up to three times as long */
    int (*stop)(void *context); /* polled; may be NULL. Non-zero: TW_STATUS_INTERRUPTED */
    void *context;
} tw_run_estimate_plan;

/* Runs the scenario with few grains in a temporary folder (TMPDIR, or /tmp), and derives steps,
 * time and memory of the whole run on this machine, of which steps and time are mostly right within
 * a factor of 1.7. To be freed after any status. */
TW_API tw_status tw_run_estimate_make(const tw_scenario *scenario, const tw_run_estimate_plan *plan,
                                      tw_run_estimate *estimate, tw_error *error);
TW_API void tw_run_estimate_free(tw_run_estimate *estimate);

#ifdef __cplusplus
}
#endif

#endif
