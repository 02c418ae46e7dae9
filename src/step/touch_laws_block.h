/* SPDX-License-Identifier: BSD-3-Clause */
/* The data of a block of contacts in touch_laws.c. */
#ifndef TW_STEP_TOUCH_LAWS_BLOCK_H
#define TW_STEP_TOUCH_LAWS_BLOCK_H

#include "contact/lanes.h"
#include "step/rows.h"
#include "step/touch_context.h"

/* Contacts of a block: four groups, whose chains of operations overlap. Memories are fetched so
 * many contacts ahead. Results do not depend on either. */
enum { GROUPS = 4, BLOCK = GROUPS * TW_LANES, AHEAD = 64 };
_Static_assert(BLOCK % TW_BUNDLE == 0, "blocks are whole bundles");

/* Also in src/contact/lanes.h: every template takes its parameters as macros. */
#define TW_REAL tw_lanes
#define TW_LAW tw_lanes_law
#define TW_VEC tw_lanes3
#define TW_VEC_NAME(verb) tw_lanes3_##verb
#define TW_MASK tw_lanes_mask
#define TW_NAME(verb) tw_lanes_##verb
#define TW_SPLAT TW_SPLAT_LANES
#define TW_SELECT tw_lanes_select
#define TW_SQRT tw_lanes_sqrt
#define TW_ANY tw_lanes_any_set
#define TW_NOT(mask) (~(mask))
#include "step/touch_formulas.inc"

/* A group of contacts between the passes. */
typedef struct tw_touch_laws_group {
    tw_lanes_law law;
    tw_lanes soft;       /* 1/(2 kt) */
    tw_lanes_mask pulls; /* damping may pull */
    tw_lanes_course course;
    tw_lanes_step step; /* of the tangential force */
    tw_lanes3 point;    /* of action, relative to the tile's origin */
    tw_lanes3 rolled;   /* movement of rolling, */
    tw_lanes twisted;   /* and of twisting */
    tw_lanes radius;    /* reduced */
    tw_lanes_touch_slider sliding, rolling;
    tw_lanes_twisting twisting;
    tw_lanes_mask done;   /* advanced in lanes, */
    tw_lanes_mask single; /* or one by one, and still in contact, */
    tw_lanes_mask ended;  /* or one by one, and ended in this step */
    tw_lanes3 f, couple;  /* of contacts that were advanced one by one */
    tw_lanes3 drag;       /* damping force on p */
    tw_lanes viscous;     /* work lost in damping */
} tw_touch_laws_group;

/* What is known of the laws, mostly to the compiler. */
typedef struct tw_touch_laws_how {
    int32_t kind;
    uint32_t refine;
    int32_t normal;
    uint32_t parts; /* extras */
    int varied;     /* constants of the contacts differ */
} tw_touch_laws_how;

/* Whether there is rolling or twisting. */
static inline int turns(tw_touch_laws_how h)
{
    return (h.parts & ~(uint32_t)TW_CONTACT_EXTRA_DAMPING) != 0;
}

enum {
    SUM_NORMAL,
    SUM_TANGENTIAL,
    SUM_ROLLING,
    SUM_TWISTING,
    SUM_FRICTION,
    SUM_MICRO_SLIP,
    SUM_LOST_ROLLING,
    SUM_LOST_TWISTING,
    SUM_VISCOUS,
    SUMS
};

typedef struct tw_touch_laws_block {
    tw_touch_context *touch;
    tw_tile *tile;
    double *sum;
    double deepest;      /* larger overlaps are advanced one by one */
    double inv_dt;       /* 0: no damping */
    uint32_t flags;      /* that some law has */
    tw_lanes_mask pulls; /* damping of the only law may pull */
    int acting;          /* friction of some contacts follows their damping */
    tw_lanes_law law;
    tw_lanes soft; /* 1/(2 kt) of it */
    tw_lanes_sum sums[SUMS];
    tw_touch_laws_group group[GROUPS];
} tw_touch_laws_block;

#endif
