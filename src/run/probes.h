/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_RUN_PROBES_H
#define TW_RUN_PROBES_H

#include <stdbool.h>

#include "base/text.h"
#include "probe/probe.h"
#include "run/run.h"

/* The probes of a stage and their results. For each law, in this order: a null probe, which changes
 * nothing and so shows the drift of the state; the probes in the given directions; and, for strain
 * probes with no-slip companions, six without slip, one for each component of strain, for the
 * elastic tensor. */

typedef struct tw_run_probes_law {
    char label[64]; /* "exact", "exact-instant-turning" */
    int32_t kind;
    uint32_t without; /* refinements, in addition to those of the stage */
} tw_run_probes_law;

typedef struct tw_run_probes {
    const tw_scenario_stage *stage;
    tw_directions directions;
    bool by_stress;   /* else by strain */
    double magnitude; /* [Pa] or [-] */
    tw_run_probes_law *laws;
    size_t law_count;
    size_t elastic;     /* probes for the elastic tensor, per law */
    size_t each, total; /* probes per law, and altogether */
    tw_probe_result *result;
    bool *done;
    size_t finished;
} tw_run_probes;

/* Index of probe `number` of a law, in result and done. */
static inline size_t tw_run_probes_index(const tw_run_probes *probes, size_t law, size_t number)
{
    return law * probes->each + number;
}

static inline const tw_probe_result *tw_run_probes_result(const tw_run_probes *probes, size_t law,
                                                          size_t number)
{
    return &probes->result[tw_run_probes_index(probes, law, number)];
}

static inline bool tw_run_probes_are_static(const tw_run_probes *probes)
{
    return probes->stage->probes.method == TW_SCENARIO_METHOD_STATIC;
}

/* Irreversible strain is found by unloading, or by comparison with the no-slip companion. */
enum { TW_RUN_PROBES_UNLOAD, TW_RUN_PROBES_NO_SLIP, TW_RUN_PROBES_SPLITS };

/* The probes of one law: docs/theory/probes.md. */
typedef struct tw_run_probes_evaluation {
    /* For each split: */
    double (*irreversible[TW_RUN_PROBES_SPLITS])[TW_COMPONENTS]; /* strain per direction */
    bool fitted[TW_RUN_PROBES_SPLITS];
    const char *unfit[TW_RUN_PROBES_SPLITS]; /* why a requested split has no fit */
    tw_fit_mechanism mechanism[TW_RUN_PROBES_SPLITS];

    double difference; /* between the splits, relative to the irreversible strain; NaN: no fit */

    /* Elastic tensor, fitted to the no-slip companions. */
    bool elastic;                                    /* it is known */
    double stiffness[TW_COMPONENTS * TW_COMPONENTS]; /* stress by engineering strain [Pa] */
    double elastic_rms;                              /* residual, relative [-] */

    /* Elastic tensor in the space of the directions. */
    bool plane_known;
    double plane[9];  /* [Pa], or [1/Pa] for stress probes */
    double plane_rms; /* relative [-] */

    double drift;    /* response of the null probe, relative to the mean of the others [-] */
    size_t restless; /* measurements taken before equilibrium was reached */
    double missed;   /* largest stress left after unloading, relative to the probe [-] */

    double stiffest; /* least strain by stress of a probe [1/Pa] */
    double collapse; /* largest strain by stress, by the least [-] */
    double mean;     /* strain by stress, over all probes [1/Pa] */
} tw_run_probes_evaluation;

/* False: out of memory. To be freed in any case. */
bool tw_run_probes_evaluate(const tw_run_probes *probes, size_t law, tw_run_probes_evaluation *out);
void tw_run_probes_evaluation_free(tw_run_probes_evaluation *evaluation);

/* How a probe has ended. */
typedef enum tw_run_probes_end {
    TW_RUN_PROBES_RESTED,
    TW_RUN_PROBES_LIMIT,    /* a static one found no equilibrium: there is none near, */
    TW_RUN_PROBES_STALLED,  /* or Newton's method failed */
    TW_RUN_PROBES_COLLAPSED /* a stress probe has run away to another equilibrium */
} tw_run_probes_end;

tw_run_probes_end tw_run_probes_end_of(const tw_run_probes *probes, size_t law, size_t number,
                                       const tw_run_probes_evaluation *evaluation);

/* probes.csv, fits.csv and their dictionary: begun, rows of a law, ended. */
typedef struct tw_run_probes_tables {
    tw_text_buffer probes, fits, dictionary;
} tw_run_probes_tables;

void tw_run_probes_tables_begin(tw_run_probes_tables *tables);
void tw_run_probes_tables_add(tw_run_probes_tables *tables, const tw_run_probes *probes, size_t law,
                              const tw_run_probes_evaluation *evaluation);

/* "unload", "no_slip". */
const char *tw_run_probes_split_name(int split);

/* FOLDER/stages/STAGE/NAME. */
static inline tw_folder_path tw_run_probes_path(const tw_run *run, const char *stage,
                                                const char *name)
{
    return tw_folder_path_join(tw_folder_path_in(run->plan->folder, "stages", stage, "").text,
                               name);
}

/* Removes stages/STAGE/part.txt: results of the finished probes, in the order in which they
 * finished, so that a resumed run need not repeat them. */
void tw_run_probes_part_remove(const tw_run *run, const tw_scenario_stage *stage);

/* Writes probes.csv, fits.csv, probes.json and lines of the log. */
tw_status tw_run_probes_report(tw_run *run, const tw_run_probes *probes);

/* Runs the probes of a stage, as many at a time as there are threads, each on its own copy of the
 * state. The result of a probe depends only on the initial state, not on the thread or the time. */

/* Saves the settled state, from which the probes start. */
tw_status tw_run_probe_stage_begin(tw_run *run);

/* Sets run->ended when all probes are finished, or run->stopped on the caller's request. */
tw_status tw_run_probe_stage_run(tw_run *run);

#endif
