/* SPDX-License-Identifier: BSD-3-Clause */
/* A figure of a sweep, as commands for gnuplot, and what the figures share. */
#ifndef TWIRL_APP_SWEEP_FIGURE_H
#define TWIRL_APP_SWEEP_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "sweep/sweep_grid.h"

typedef struct tw_sweep_figure {
    tw_text_buffer settings, curves; /* curves: one plot command */
    bool any;                        /* whether there is anything to draw */
} tw_sweep_figure;

void tw_sweep_figure_free(tw_sweep_figure *figure);

/* The varied key number `which` of those that are not the seed; SIZE_MAX: none. */
size_t tw_sweep_figure_key(const tw_sweep_grid *grid, size_t which);

/* Colour `index` of `count`. */
void tw_sweep_figure_add_colour(tw_text_buffer *text, size_t index, size_t count);

/* title 'FIRST, friction 0.3, rate 1e-3': the values of the case but the seed and key `except`. */
void tw_sweep_figure_add_title(tw_text_buffer *text, const tw_sweep_grid *grid,
                               const tw_sweep_case *one, const char *first, size_t except);

#endif
