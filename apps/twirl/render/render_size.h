/* SPDX-License-Identifier: BSD-3-Clause */
/* The size of a picture, in pixels or on paper. */
#ifndef TWIRL_APP_RENDER_SIZE_H
#define TWIRL_APP_RENDER_SIZE_H

#include <stdbool.h>
#include <stddef.h>

enum { TW_RENDER_SIDE_MAX = 16384 }; /* [pixels] */

/* A length of 0 is not set. */
typedef struct tw_render_length {
    double value; /* in pixels or inches */
    bool pixels;
} tw_render_length;

/* Reads 850, 850px, 8.5cm, 85mm, 3.3in or 240pt. False: not a positive length. */
bool tw_render_length_read(const char *text, tw_render_length *length);

typedef struct tw_render_size {
    tw_render_length width, height; /* not set: 12 cm by 9 cm, or in that proportion to the other */
    double dpi;                     /* 0: 254, which is 100 pixels per centimetre */
} tw_render_size;

/* False: a side is below 1 or above TW_RENDER_SIDE_MAX. */
bool tw_render_size_pixels(const tw_render_size *size, size_t *width, size_t *height);

double tw_render_size_dpi(const tw_render_size *size);

#endif
