/* SPDX-License-Identifier: BSD-3-Clause */
/* The curves of runs: curves.csv and the figures that can be drawn from it. */
#ifndef TWIRL_APP_PLOT_CURVES_H
#define TWIRL_APP_PLOT_CURVES_H

#include <twirl/types.h>

#include "base/text.h"
#include "plot/curve.h"
#include "plot/plot_style.h"

typedef struct tw_plot_curves {
    const tw_series *series;
    size_t count;
    bool overlay; /* only figures that show all series */
    const tw_plot_style *style;
    bool (*present)[TW_CURVES]; /* by series */
    bool used[TW_CURVES];       /* in any figure */
} tw_plot_curves;

/* TW_STATUS_INPUT: no figure finds its columns; then drawing writes no more than curves.csv. Free
 * it even after a failure. */
tw_status tw_plot_curves_make(tw_plot_curves *curves, const tw_series_list *list,
                              const tw_plot_style *style, tw_error *error);
void tw_plot_curves_free(tw_plot_curves *curves);

/* Writes into a directory that exists, and adds the names of the figures, separated by ", ". */
tw_status tw_plot_curves_draw(const tw_plot_curves *curves, const char *directory,
                              tw_text_buffer *names, tw_error *error);

#endif
