/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a picture: rods with round ends; a rod of length 0 is a ball. */
#ifndef TWIRL_APP_RENDER_PARTS_H
#define TWIRL_APP_RENDER_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/vec3.h>

#include "render/colour.h"

typedef enum tw_render_finish {
    TW_RENDER_GRAIN, /* lit, shaded by its neighbours, outlined */
    TW_RENDER_CHAIN, /* lit, fades with the distance */
    TW_RENDER_LINE,  /* colour only */
    TW_RENDER_GAP    /* hides what is behind it: the background shows */
} tw_render_finish;

typedef struct tw_render_part {
    tw_vec3 a, b; /* ends of the axis [m] */
    double radius;
    double back; /* how far away from the viewer it is drawn [m] */
    tw_colour colour;
    tw_render_finish finish;
} tw_render_part;

/* All x with normal . x = offset; the normal has length 1. */
typedef struct tw_render_plane {
    tw_vec3 normal;
    double offset;
} tw_render_plane;

/* Initialise with zeros. */
typedef struct tw_render_parts {
    tw_render_part *part;
    size_t count, capacity;
    bool cut; /* grains are cut off above `plane`, whose normal points to the viewer */
    tw_render_plane plane;
} tw_render_parts;

/* False: out of memory. */
bool tw_render_parts_add(tw_render_parts *parts, const tw_render_part *part);
void tw_render_parts_free(tw_render_parts *parts);

#endif
