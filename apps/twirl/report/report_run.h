/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of a run as a report sees it. The run may be in progress: files are only read. */
#ifndef TWIRL_APP_REPORT_RUN_H
#define TWIRL_APP_REPORT_RUN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <twirl/figure.h>
#include <twirl/run.h>
#include <twirl/scenario.h>

/* A whole file. */
typedef struct tw_report_file {
    char *text; /* with a 0 at the end; NULL: there is no such file, or it cannot be read */
    size_t length;
} tw_report_file;

/* FOLDER/NAME. */
tw_report_file tw_report_file_read(const char *folder, const char *name);
/* Without an incomplete last line: the run may be writing it. */
tw_report_file tw_report_file_read_lines(const char *folder, const char *name);
bool tw_report_file_exists(const char *folder, const char *name);
void tw_report_file_free(tw_report_file *file);

/* The text of a history. The run may be writing it: an incomplete last line is left out. */
typedef struct tw_report_history {
    tw_report_file file;
    size_t rows;
    char id[17]; /* of the run: from the header and the first row, "" before there is one */
} tw_report_history;

/* Where a row begins in the text, from 0; rows: the end. */
size_t tw_report_history_row(const tw_report_history *history, size_t number);

typedef struct tw_report_run {
    const char *folder;
    char name[NAME_MAX + 1]; /* of the folder, or a label in its place */
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

#endif
