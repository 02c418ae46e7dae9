/* SPDX-License-Identifier: BSD-3-Clause */
/* What a reader should know before trusting the results of a run: remarks in its log, and the
 * checks of docs/guide/output.md on its history. */
#ifndef TWIRL_APP_REPORT_WARNINGS_H
#define TWIRL_APP_REPORT_WARNINGS_H

#include <stdbool.h>

#include <twirl/figure.h>

#include "base/text.h"

/* Adds an element of a list of strings; *first is whether it is the first. */
void tw_report_warnings_add(tw_text_buffer *out, bool *first, const char *format, ...)
    TW_PRINTF_LIKE(3, 4);

/* "FILE:LINE:COLUMN: KEY: warning: TEXT" as KEY: TEXT. */
void tw_report_warnings_of_scenario(tw_text_buffer *out, bool *first, const char *warning);

/* Lines of the log that begin with "warning: ", without that mark; `log` may be NULL. */
void tw_report_warnings_of_log(tw_text_buffer *out, bool *first, const char *log);

/* Checks of one stage. */
void tw_report_warnings_of_stage(tw_text_buffer *out, bool *first, const tw_scenario_stage *stage,
                                 const tw_figure_history *history);

#endif
