/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the key of a figure covers no curve. */
#ifndef TWIRL_APP_KEY_PLACE_H
#define TWIRL_APP_KEY_PLACE_H

#include <stddef.h>

/* A point in fractions of the frame, from the lower left. NaN interrupts a curve. */
typedef struct tw_key_place_point {
    double x, y;
} tw_key_place_point;

/* gnuplot's words for a corner, "top right", in which a key of this size, in fractions of the
 * frame, covers no curve through the points; NULL: there is none. */
const char *tw_key_place_find(const tw_key_place_point *point, size_t count, double width,
                              double height);

#endif
