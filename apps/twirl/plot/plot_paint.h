/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws descriptions of figures with gnuplot. */
#ifndef TWIRL_APP_PLOT_PAINT_H
#define TWIRL_APP_PLOT_PAINT_H

#include <twirl/figure.h>

#include "plot/plot.h"

/* The figure, or the panels of a sheet if there are several, in a directory that exists: NAME.gp
 * and what it draws; the numbers of lines are in curves.csv there, a block for each series of the
 * set, those of shapes are written to NAME.csv. `set` may be NULL if there are no lines. */
tw_status tw_plot_paint(const tw_figure_set *set, const tw_figure *figures, size_t count,
                        const tw_plot_style *style, const char *directory, tw_error *error);

/* Number of the first figure that is not on the sheet of figure number k. */
size_t tw_plot_paint_next(const tw_figure_set *set, size_t k);

/* Draws all figures of a set without lines, in a folder that is created if need be, and frees it.
 */
tw_status tw_plot_paint_set(tw_figure_set *set, const char *directory, tw_error *error);

/* Writes curves.csv: all quantities that the first `count` figures of the set draw. */
tw_status tw_plot_paint_curves(const tw_figure_set *set, size_t count, const char *directory,
                               tw_error *error);

/* A picture of a film: the lines of a figure of the set, and a mark. */
typedef struct tw_plot_picture {
    const tw_figure *figure; /* NULL: only the title */
    size_t series;           /* the one with the mark, */
    double row;              /* at this row of the history, or between two */
    const char *title;       /* above the frame, with the abscissa; NULL: neither */
} tw_plot_picture;

typedef struct tw_plot_film {
    const tw_plot_style *style; /* of a picture */
    double px_per_cm;
    const char *ink, *background; /* "#rrggbb" */
    int pipe_end;                 /* the pictures, as PNG one after another; to be closed, */
    pid_t child;                  /* then tw_process_end */
} tw_plot_film;

/* Starts gnuplot, which draws while the caller does something else. */
tw_status tw_plot_paint_film(const tw_figure_set *set, const tw_plot_picture *pictures,
                             size_t count, tw_plot_film *film, tw_error *error);

#endif
