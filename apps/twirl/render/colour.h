/* SPDX-License-Identifier: BSD-3-Clause */
/* Colours, and maps from numbers to colours. */
#ifndef TWIRL_APP_COLOUR_H
#define TWIRL_APP_COLOUR_H

#include <stdint.h>

typedef struct tw_colour {
    double r, g, b; /* sRGB, 0 to 1 */
} tw_colour;

typedef enum tw_colour_map {
    TW_COLOUR_VIRIDIS,
    TW_COLOUR_INFERNO,
    TW_COLOUR_REDS,
    TW_COLOUR_COOLWARM, /* diverging: grey in the middle */
    TW_COLOUR_GREY      /* light to dark */
} tw_colour_map;

enum { TW_COLOUR_MAPS = 5, TW_COLOUR_STOPS = 9 };

extern const char *const tw_colour_map_names[TW_COLOUR_MAPS];

tw_colour tw_colour_mix(tw_colour a, tw_colour b, double fraction);

/* 0 (black) to 1 (white). */
double tw_colour_lightness(tw_colour colour);

/* The colours of a map are given at TW_COLOUR_STOPS equal distances, and linear between them. */
tw_colour tw_colour_stop(tw_colour_map map, int stop);

/* The colour at `share` of a map, which is clamped to 0..1. */
tw_colour tw_colour_at(tw_colour_map map, double share);

/* A colour for each id; those of consecutive ids differ clearly. */
tw_colour tw_colour_of_id(uint32_t id);

/* A colour for each of `count` classes: eight that people with any kind of colour vision can tell
 * apart, then they repeat; or greys from light to dark. */
tw_colour tw_colour_of_class(uint32_t number, uint32_t count, int grey);

#endif
