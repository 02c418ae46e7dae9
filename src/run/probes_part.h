/* SPDX-License-Identifier: BSD-3-Clause */
/* stages/STAGE/part.txt: results of the finished probes, in the order in which they finished, so
 * that a resumed run need not repeat them. */
#ifndef TW_RUN_PROBES_PART_H
#define TW_RUN_PROBES_PART_H

#include "run/probes.h"

/* Reads the results on file into `probes` and opens the file for more. Lines that are incomplete,
 * damaged or of another run are dropped. */
tw_status tw_probes_part_open(const tw_run *run, tw_probes *probes, tw_append_file *part);
/* Adds the result with this index. */
tw_status tw_probes_part_add(const tw_run *run, const tw_probes *probes, tw_append_file *part,
                             size_t index, tw_error *error);
void tw_probes_part_remove(const tw_run *run, const tw_scenario_stage *stage);

#endif
