/* SPDX-License-Identifier: BSD-3-Clause */
/* One figure of curves.csv: axes, lines and key. */
#ifndef TWIRL_APP_PLOT_FIGURE_H
#define TWIRL_APP_PLOT_FIGURE_H

#include <twirl/types.h>

#include "plot/figure_table.h"
#include "plot/plot_style.h"

/* A line of the figure. */
typedef struct tw_plot_figure_line {
    const tw_series *series;
    size_t block; /* in curves.csv */
    tw_curve curve;
    const char *title; /* in the key */
} tw_plot_figure_line;

typedef struct tw_plot_figure {
    const char *directory, *name;
    tw_curve x;
    bool log_x, log_y;
    const tw_plot_figure_line *line;
    size_t count;
    const tw_plot_style *style;
} tw_plot_figure;

tw_status tw_plot_figure_draw(const tw_plot_figure *figure, tw_error *error);

/* In single quotes, for gnuplot. */
void tw_plot_figure_quote(tw_text_buffer *text, const char *words);

#endif
