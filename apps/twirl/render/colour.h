/* SPDX-License-Identifier: BSD-3-Clause */
/* Colours of pictures, and scales that turn numbers into them. */
#ifndef TWIRL_APP_COLOUR_H
#define TWIRL_APP_COLOUR_H

#include <stdint.h>

typedef struct tw_colour {
    double r, g, b; /* 0 to 1, as on the screen */
} tw_colour;

typedef enum tw_colour_scale {
    TW_COLOUR_VALUE,  /* dark blue, green, yellow */
    TW_COLOUR_STICKS, /* pale to dark red */
    TW_COLOUR_SLIDES  /* pale to dark blue */
} tw_colour_scale;

tw_colour tw_colour_mix(tw_colour a, tw_colour b, double share_of_b);

/* As the three bytes of a pixel; what is outside of 0 to 1 is cut. */
void tw_colour_bytes(tw_colour colour, unsigned char *rgb);

/* Where `value` lies between `low` and `high`; the middle where those are equal. */
tw_colour tw_colour_at(tw_colour_scale scale, double value, double low, double high);

/* A colour of its own for each number; neighbours differ much. */
tw_colour tw_colour_of_id(uint32_t id);

#endif
