/* SPDX-License-Identifier: BSD-3-Clause */
/* The size of a picture, in pixels or on paper. */
#ifndef TWIRL_APP_RENDER_SIZE_H
#define TWIRL_APP_RENDER_SIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/picture_length.h"

enum { TW_RENDER_SIDE_MAX = 16384 }; /* [pixels] */

/* Without width and height 12 cm by 9 cm; without one of them, in that proportion to the other. */
typedef struct tw_render_size {
    tw_picture_length width, height;
    double dpi; /* 0: 254, which is 100 pixels per centimetre */
} tw_render_size;

/* False: a side is below 1 or above TW_RENDER_SIDE_MAX. */
bool tw_render_size_pixels(const tw_render_size *size, size_t *width, size_t *height);

double tw_render_size_dpi(const tw_render_size *size);

#endif
