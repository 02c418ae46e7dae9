/* SPDX-License-Identifier: BSD-3-Clause */
/* The content of a picture: the grains or the force chains of a simulation, and its cell. */
#ifndef TWIRL_APP_RENDER_CONTENT_H
#define TWIRL_APP_RENDER_CONTENT_H

#include <stdbool.h>
#include <stddef.h>

#include "render/render_classes.h"
#include "render/render_parts.h"
#include "render/render_range.h"
#include "render/render_values.h"

typedef struct tw_render_choice {
    bool chains;                        /* contacts instead of grains */
    const tw_render_quantity *quantity; /* shown by the colours */
    tw_render_range_choice range;
    tw_colour_map map;
    bool grey;      /* also classes and ids */
    bool cell;      /* draw its edges */
    tw_colour line; /* colour of these */
    bool sliced;    /* only bodies with centres between two fractions of an edge */
    int edge;       /* 0, 1 or 2 */
    double from, to;
    bool cut; /* grains are cut off at a fraction of an edge */
    int cut_edge;
    double cut_at;
    tw_vec3 towards; /* to the viewer, who sees the cut face */
    double above;    /* only contacts with a normal force of at least this times the mean */
} tw_render_choice;

/* Number of bodies or contacts shown, and what their colours mean. */
typedef struct tw_render_legend {
    size_t shown;
    tw_render_classes classes;
    tw_render_range range;
} tw_render_legend;

/* Bodies are drawn with their centres inside the cell. A contact across a periodic face is drawn as
 * two halves, one at each body. False: out of memory. */
bool tw_render_content(const tw_render_state *state, const tw_render_choice *choice,
                       tw_render_parts *parts, tw_render_legend *legend);

#endif
