/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of a run: rows of the history, frames, a file for each stage, the summary. */
#ifndef TW_RUN_REPORT_H
#define TW_RUN_REPORT_H

#include "run/run.h"

/* The data dictionary of the history and the series: a JSON document, for the caller to free. NULL:
 * out of memory.
 */
char *tw_run_report_dictionary(tw_run *run);

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

#endif
