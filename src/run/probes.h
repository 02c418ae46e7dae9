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

#endif
