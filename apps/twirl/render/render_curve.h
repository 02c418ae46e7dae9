/* SPDX-License-Identifier: BSD-3-Clause */
/* A figure beside the picture of a film: curves, and a mark at the present row. */
#ifndef TWIRL_APP_RENDER_CURVE_H
#define TWIRL_APP_RENDER_CURVE_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/figure.h>

#include "render/render_content.h"
#include "render/render_ink.h"

/* Whether the figure has a curve of this series. */
bool tw_render_curve_shows(const tw_figure *figure, size_t series);

/* A quantity of a series at a row of the history, which may lie between two; NaN: not known. */
double tw_render_curve_value(const tw_figure_series *series, size_t quantity, double row);

/* What has happened of the series up to `row` is drawn in colour, the rest in grey. */
void tw_render_curve_draw(const tw_render_ink *ink, tw_render_box box, const tw_figure_set *set,
                          const tw_figure *figure, size_t series, double row);

#endif
