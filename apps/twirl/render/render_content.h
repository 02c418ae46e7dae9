/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a picture: rods with round ends, of which one of length 0 is a ball; and triangles
 * of walls, which can be seen through. */
#ifndef TWIRL_APP_RENDER_CONTENT_H
#define TWIRL_APP_RENDER_CONTENT_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/vec3.h>

#include "render/render_quantity.h"

typedef enum tw_render_finish {
    TW_RENDER_GRAIN, /* lit, shaded by its neighbours, outlined */
    TW_RENDER_GLASS, /* the nearest one tints what is behind it */
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

/* Colours on a plane: `across` by `up` points at the middle of equal parts of a parallelogram,
 * whose sides are the edges of the cell that the plane has. */
typedef struct tw_render_section {
    size_t across, up;
    tw_colour *colour;        /* NULL: no section */
    tw_vec3 to_across, to_up; /* from a place in space to fractions of the sides */
    bool joined[2];           /* periodic along the sides */
} tw_render_section;

/* Initialise with zeros. */
typedef struct tw_render_parts {
    tw_render_part *part;
    size_t count, capacity;
    tw_vec3 *wall; /* three corners of each triangle [m] */
    size_t wall_count, wall_capacity;
    bool cut; /* grains and walls are cut off above `plane`, whose normal points to the viewer */
    tw_render_plane plane;
    tw_render_section section; /* on the plane */
} tw_render_parts;

void tw_render_parts_free(tw_render_parts *parts);

/* The view of a picture. The projection is parallel, so that lengths across the view are true. */

/* A rectangle in the picture, y down [pixels]. */
typedef struct tw_render_box {
    double x, y, width, height;
} tw_render_box;

typedef struct tw_render_view {
    tw_vec3 right, up, towards; /* unit vectors; the last points to the viewer */
    double middle_x, middle_y;  /* centre of the parts, along right and up [m] */
    double centre_x, centre_y;  /* where that is in the picture [pixels] */
    double pixel;               /* width and height of a pixel [m] */
    double far, near;           /* range of the parts along `towards` [m] */
} tw_render_view;

/* Azimuth of the viewer, from x towards y, and elevation above the x-y plane, in degrees. z points
 * up in the picture; seen from straight above, up is opposite to the azimuth, from below along it.
 */
tw_render_view tw_render_view_from(double azimuth, double elevation);

/* What a view has to show: the range of parts along its three directions [m], which are those of
 * one picture, or of all pictures of a film. */
typedef struct tw_render_frame {
    struct tw_render_extent {
        double low, high;
    } right, up, towards;
} tw_render_frame;

/* To begin with. */
tw_render_frame tw_render_frame_empty(void);
void tw_render_frame_include(tw_render_frame *frame, const tw_render_view *view, tw_vec3 x,
                             double radius);
void tw_render_frame_add(tw_render_frame *frame, const tw_render_view *view,
                         const tw_render_parts *parts);

/* Fits the frame into the box, with a margin. */
void tw_render_view_fit(tw_render_view *view, const tw_render_frame *frame, tw_render_box box);

/* Position in the picture, and towards the viewer [pixels]; x to the right, y down. */
tw_vec3 tw_render_view_project(const tw_render_view *view, tw_vec3 x);

/* Whether parts are in the box. */
bool tw_render_view_covers(const tw_render_view *view, const tw_render_parts *parts,
                           tw_render_box box);

/* The content of a picture: the grains or the force chains of a simulation, its cell and walls. */

typedef struct tw_render_choice {
    tw_render_subject subject;
    bool glass;                         /* of chains: the grains around them, translucent */
    double window;                      /* of a field, in mean diameters */
    const tw_render_quantity *quantity; /* shown by the colours */
    tw_render_range_choice range;
    tw_colour_map map;
    bool grey;      /* also classes and ids */
    bool cell;      /* draw its edges */
    bool walls;     /* draw these */
    tw_colour line; /* colour of edges */
    tw_colour wall;
    bool boxed; /* the box of planes and open directions is not that of the state but this one */
    tw_vec3 box[2];
    bool sliced; /* only bodies with centres between two fractions of an edge */
    int edge;    /* 0, 1 or 2 */
    double from, to;
    bool cut; /* grains are cut off at a fraction of an edge */
    int cut_edge;
    double cut_at;
    tw_vec3 towards; /* to the viewer, who sees the cut face */
    double above;    /* only contacts with a normal force of at least this times the mean */
    double strong;   /* the normal force of the thickest rods but a few [N]; 0: that at the 99th
                        percentile */
} tw_render_choice;

/* Number of bodies or contacts shown, and what their colours mean. */
typedef struct tw_render_legend {
    size_t shown;
    tw_render_classes classes;
    tw_render_range range;
    double strong;  /* as in the choice; 0: no contact has a force */
    double window;  /* of a field [m] */
    tw_vec3 box[2]; /* that of planes and open directions */
} tw_render_legend;

/* Bodies are drawn with their centres inside the cell. Along an edge that is not periodic, a
 * fraction is that of the extent of grains and walls, but for fields. A contact across a periodic
 * face is drawn as two halves, one at each body. Fails if there is no such field. */
tw_status tw_render_content(const tw_render_state *state, const tw_render_choice *choice,
                            tw_render_parts *parts, tw_render_legend *legend, tw_error *error);

#endif
