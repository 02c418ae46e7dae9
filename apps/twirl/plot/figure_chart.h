/* SPDX-License-Identifier: BSD-3-Clause */
/* A figure with one frame, drawn from a table that has been written. */
#ifndef TWIRL_APP_FIGURE_CHART_H
#define TWIRL_APP_FIGURE_CHART_H

#include <twirl/types.h>

#include "plot/plot_style.h"

typedef struct tw_figure_chart {
    const char *name; /* of the files, without extension */
    const char *x_label, *y_label, *y_unit;
    const char *settings; /* gnuplot */
    const char *curves;   /* gnuplot: one plot command */
    tw_plot_style_margins margins;
} tw_figure_chart;

tw_status tw_figure_chart_draw(const tw_figure_chart *chart, const char *directory,
                               tw_error *error);

#endif
