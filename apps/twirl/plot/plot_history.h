/* SPDX-License-Identifier: BSD-3-Clause */
/* The curves of a history: curves.csv and the figures that can be drawn from it. */
#ifndef TWIRL_APP_PLOT_HISTORY_H
#define TWIRL_APP_PLOT_HISTORY_H

#include <stdbool.h>

#include <twirl/types.h>

#include "base/text_buffer.h"
#include "plot/curve.h"

typedef struct tw_plot_history {
    const tw_history_table *table;
    int axis; /* the axial direction, 0 to 2 */
    bool present[TW_CURVES];
    tw_curve abscissa; /* axial strain, or time */
} tw_plot_history;

tw_plot_history tw_plot_history_of(const tw_history_table *table, int axis);

/* Whether there is any figure to draw. */
bool tw_plot_history_any(const tw_plot_history *history);

/* Writes into a directory that exists, and adds the names of the figures, separated by ", ". */
tw_status tw_plot_history_draw(const tw_plot_history *history, const char *directory,
                               tw_text_buffer *names, tw_error *error);

#endif
