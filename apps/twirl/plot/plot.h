/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawing with gnuplot: a script that can be run again by hand, an SVG and a PNG. */
#ifndef TWIRL_APP_PLOT_H
#define TWIRL_APP_PLOT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tw_plot {
    const char *directory;
    const char *name;     /* of the files, without ending */
    const char *settings; /* gnuplot: labels, ranges, line styles with "pointsize default" */
    const char *curves;   /* gnuplot: one plot command; files are named relative to the directory */
} tw_plot;

/* Makes the directory and those above it. False: the text is in `error`, here and below. */
bool tw_plot_make_directory(const char *directory, char *error, size_t size);

/* Writes NAME.gp and has gnuplot make NAME.svg and NAME.png of it. */
bool tw_plot_draw(const tw_plot *plot, char *error, size_t size);

#endif
