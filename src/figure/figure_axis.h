/* SPDX-License-Identifier: BSD-3-Clause */
/* Axes of figures: units, ranges, ticks; and where the key covers no curve. */
#ifndef TWIRL_FIGURE_AXIS_H
#define TWIRL_FIGURE_AXIS_H

#include <stdbool.h>

#include <twirl/figure.h>

/* A unit, and the smallest magnitude of the largest number that it is used for [SI]. */
typedef struct tw_figure_axis_unit {
    const char *name;
    double size, from;
} tw_figure_axis_unit;

/* Name, SI unit and units of a dimension, largest first, the last with `from` 0. */
typedef struct tw_figure_axis_units {
    const char *name, *si;
    const tw_figure_axis_unit *unit;
    size_t count;
} tw_figure_axis_units;

extern const tw_figure_axis_units tw_figure_axis_dimensions[TW_FIGURE_DIMENSIONS];

typedef struct tw_figure_axis_request {
    tw_figure_dimension dimension;
    double low, high; /* of the data, SI units; low > high: there is none */
    bool zero;        /* the range includes 0 */
    bool log, percent;
} tw_figure_axis_request;

/* Round ends near the data, numbers with few digits. */
tw_figure_axis tw_figure_axis_choose(const tw_figure_axis_request *request);

/* A linear axis from low to high. */
tw_figure_axis tw_figure_axis_fixed(double low, double high);

/* A corner in which a key of this size, in fractions of the frame, covers no curve through the
 * points, or above the frame. Points as shown by the axes; NaN interrupts a curve. */
tw_figure_key tw_figure_axis_key(const tw_figure_axis axes[2], const double (*point)[2],
                                 size_t count, double width, double height);

/* Number of characters of the longest number at a tick. */
int tw_figure_axis_characters(const tw_figure_axis *axis);

#endif
