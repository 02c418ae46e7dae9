/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawing with gnuplot: a script that can be run again by hand, an SVG and a PNG. */
#ifndef TWIRL_APP_PLOT_H
#define TWIRL_APP_PLOT_H

#include <twirl/types.h>

typedef struct tw_plot {
    const char *directory;
    const char *name;     /* of the files, without extension */
    const char *settings; /* gnuplot: labels, ranges, line styles with "pointsize default" */
    const char *curves;   /* gnuplot: one plot command; file names are relative to `directory` */
} tw_plot;

/* Settings that the figures of a run share: data format, axes, line colours. */
extern const char tw_plot_style[];

/* Creates the directory and its parents. */
tw_status tw_plot_make_directory(const char *directory, tw_error *error);

/* Writes NAME.gp and runs gnuplot to make NAME.svg and NAME.png. */
tw_status tw_plot_draw(const tw_plot *plot, tw_error *error);

#endif
