/* SPDX-License-Identifier: BSD-3-Clause */
/* The content of a picture: the grains or the force chains of a simulation, and its cell. */
#ifndef TWIRL_APP_RENDER_CONTENT_H
#define TWIRL_APP_RENDER_CONTENT_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/sim.h>

#include "render/render_parts.h"

typedef enum tw_render_by {
    TW_RENDER_BY_SIZE, /* diameter of the sphere of equal volume */
    TW_RENDER_BY_COORDINATION,
    TW_RENDER_BY_VELOCITY,
    TW_RENDER_BY_ID
} tw_render_by;

typedef struct tw_render_choice {
    bool chains;     /* contacts instead of grains */
    tw_render_by by; /* colour of grains */
    bool cell;       /* draw its edges */
    bool sliced;     /* only bodies with centres between two fractions of an edge */
    int edge;        /* 0, 1 or 2 */
    double from, to;
    double above; /* only contacts with a normal force of at least this times the mean */
} tw_render_choice;

/* Number of bodies or contacts shown, and the range of the colours. */
typedef struct tw_render_legend {
    size_t shown;
    double low, high;
} tw_render_legend;

/* Bodies are drawn with their centres inside the cell. A contact across a periodic face is drawn as
 * two halves, one at each body. False: out of memory. */
bool tw_render_content(const tw_sim *sim, const tw_render_choice *choice, tw_render_parts *parts,
                       tw_render_legend *legend);

#endif
