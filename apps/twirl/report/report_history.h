/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a history, and where its rows are in it. The run may be writing it: an incomplete
 * last line is left out. */
#ifndef TWIRL_APP_REPORT_HISTORY_H
#define TWIRL_APP_REPORT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report_file.h"

typedef struct tw_report_history {
    tw_report_file file;
    size_t rows;
    size_t *row; /* where each begins in the text; row[rows] is the end */
    char id[17]; /* of the run: from the header and the first row, "" before there is one */
} tw_report_history;

/* False: out of memory. A history that does not exist is empty. */
bool tw_report_history_read(tw_report_history *history, const char *folder);
void tw_report_history_free(tw_report_history *history);

#endif
