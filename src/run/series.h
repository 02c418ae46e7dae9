/* SPDX-License-Identifier: BSD-3-Clause */
/* Series: tables beside the history, with a row for each of its rows. Their columns are known when
 * a run starts; which of them a run has, its run state says. */
#ifndef TW_RUN_SERIES_H
#define TW_RUN_SERIES_H

#include "base/text.h"
#include "run/run.h"

/* The series of a simulation that begins, for its run state. */
void tw_run_series_choose(const tw_sim *sim, tw_run_state *state);

/* Warns of those that it does not have, as they would have too many columns. */
tw_status tw_run_series_warn(tw_run *run);

/* Adds the columns of a file that are its own: their names for a header, each after a comma, or
 * `described` as fields of a data dictionary. */
void tw_run_series_columns(const tw_sim *sim, const char *file, bool described,
                           tw_text_buffer *text);

/* Adds the fields of these columns to a row. */
tw_status tw_run_series_fill(const tw_run *run, const char *file, tw_text_buffer *row);

#endif
