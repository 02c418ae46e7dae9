/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of a run as a report sees it. The run may be going on: files are only read. */
#ifndef TWIRL_APP_REPORT_RUN_H
#define TWIRL_APP_REPORT_RUN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <twirl/figure.h>
#include <twirl/run.h>
#include <twirl/scenario.h>

#include "base/text.h"
#include "report/report_file.h"
#include "report/report_history.h"

typedef struct tw_report_run {
    const char *folder;
    char name[NAME_MAX + 1]; /* of the folder */
    tw_run_status state;
    tw_report_file log;
    tw_report_history history;
    tw_figure_history rows; /* its numbers, up to the first row that cannot be read */
    tw_scenario *scenario;  /* NULL: it cannot be read, see errors */
    tw_scenario_errors errors;
    tw_run_saved saved;
} tw_report_run;

/* Whether there is a run in the folder. */
bool tw_report_run_exists(const char *folder);

/* TW_STATUS_INPUT: not the folder of a run. Free the run in any case. `folder` must outlive it. */
tw_status tw_report_run_open(tw_report_run *run, const char *folder, tw_error *error);
void tw_report_run_free(tw_report_run *run);

/* Whole files of the folder as members: a text, or a JSON document; null if there is no such file.
 */
void tw_report_run_add_text(tw_text_buffer *out, const tw_report_run *run, const char *member,
                            const char *file);
void tw_report_run_add_json(tw_text_buffer *out, const tw_report_run *run, const char *member,
                            const char *file);

#endif
