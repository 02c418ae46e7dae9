/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawing with gnuplot: a script that can be run again by hand, and what it makes. */
#ifndef TWIRL_APP_PLOT_H
#define TWIRL_APP_PLOT_H

#include <twirl/types.h>

#include "plot/plot_style.h"

typedef struct tw_plot {
    const char *directory;
    const char *name;     /* of the files, without extension */
    const char *settings; /* gnuplot: labels, ranges, line styles */
    const char *curves;   /* gnuplot: one plot command; file names are relative to `directory` */
    const tw_plot_style *style;
} tw_plot;

/* Creates the directory and its parents. */
tw_status tw_plot_make_directory(const char *directory, tw_error *error);

/* Writes NAME.gp and runs gnuplot to make NAME.svg and NAME.png, or NAME.pdf. */
tw_status tw_plot_draw(const tw_plot *plot, tw_error *error);

#endif
