/* SPDX-License-Identifier: BSD-3-Clause */
/* Colours, and scales that map numbers to colours. */
#ifndef TWIRL_APP_COLOUR_H
#define TWIRL_APP_COLOUR_H

#include <stdint.h>

typedef struct tw_colour {
    double r, g, b; /* sRGB, 0 to 1 */
} tw_colour;

typedef enum tw_colour_scale {
    TW_COLOUR_VALUE,  /* dark blue, green, yellow */
    TW_COLOUR_STICKS, /* pale to dark red */
    TW_COLOUR_SLIDES  /* pale to dark blue */
} tw_colour_scale;

tw_colour tw_colour_mix(tw_colour a, tw_colour b, double fraction);

/* As the three bytes of a pixel; values are clamped to 0..1. */
void tw_colour_bytes(tw_colour colour, unsigned char *rgb);

/* The colour of `value` on a scale from `low` to `high`; that of the middle if they are equal. */
tw_colour tw_colour_at(tw_colour_scale scale, double value, double low, double high);

/* A colour for each id; those of consecutive ids differ clearly. */
tw_colour tw_colour_of_id(uint32_t id);

#endif
