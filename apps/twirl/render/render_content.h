/* SPDX-License-Identifier: BSD-3-Clause */
/* What a picture of a simulation shows: its grains, or its force chains, and the cell. */
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
    bool chains;     /* contacts rather than grains */
    tw_render_by by; /* colour of grains */
    bool cell;       /* draw its edges */
    bool sliced;     /* only bodies whose centres lie between two fractions of an edge */
    int edge;        /* 0, 1 or 2 */
    double from, to;
    double above; /* only contacts whose normal force is at least this times the mean */
} tw_render_choice;

/* For the line that is printed: how many are shown, and the range of the colours. */
typedef struct tw_render_legend {
    size_t shown;
    double low, high;
} tw_render_legend;

/* Bodies are drawn where their centres lie in the cell; a contact across a periodic face is drawn
 * as two halves, one at each body. False: no memory. */
bool tw_render_content(const tw_sim *sim, const tw_render_choice *choice, tw_render_parts *parts,
                       tw_render_legend *legend);

#endif
