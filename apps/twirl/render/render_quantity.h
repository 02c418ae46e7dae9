/* SPDX-License-Identifier: BSD-3-Clause */
/* What the colours of a picture can show: a quantity of bodies or of contacts. */
#ifndef TWIRL_APP_RENDER_QUANTITY_H
#define TWIRL_APP_RENDER_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

typedef enum tw_render_what {
    TW_RENDER_SIZE, /* diameter of the sphere of equal volume */
    TW_RENDER_COORDINATION,
    TW_RENDER_VELOCITY,     /* relative to the affine motion of the cell */
    TW_RENDER_SPIN,         /* angular velocity */
    TW_RENDER_DISPLACEMENT, /* since the stage began, with the motion of the cell */
    TW_RENDER_NONAFFINE,    /* displacement since another state, without the motion of the cell */
    TW_RENDER_PRESSURE,     /* mean stress in the body */
    TW_RENDER_RATTLERS,
    TW_RENDER_TYPE,
    TW_RENDER_MATERIAL,
    TW_RENDER_ID,
    TW_RENDER_FORCE, /* from here on: of contacts */
    TW_RENDER_MOBILISATION,
    TW_RENDER_SLIDING
} tw_render_what;

/* How its values map to colours. */
typedef enum tw_render_scale {
    TW_RENDER_SCALE_PLAIN,   /* between two percentiles */
    TW_RENDER_SCALE_ZERO,    /* not negative: from 0 to a percentile */
    TW_RENDER_SCALE_COUNT,   /* the same, for integers */
    TW_RENDER_SCALE_SIGN,    /* symmetric about 0 */
    TW_RENDER_SCALE_UNIT,    /* from 0 to 1 */
    TW_RENDER_SCALE_CLASSES, /* 0, 1 ... stand for classes */
    TW_RENDER_SCALE_NONE     /* arbitrary colours */
} tw_render_scale;

typedef struct tw_render_quantity {
    const char *name; /* on the command line */
    tw_render_what what;
    int component;     /* of a vector: 0, 1, 2; -1: its magnitude */
    const char *title; /* of the colour bar */
    const char *unit;  /* SI; "": none */
    tw_render_scale scale;
    const char *classes[2]; /* names of 0 and 1; NULL: names of materials, or the title and a
                               number */
} tw_render_quantity;

bool tw_render_quantity_of_contacts(const tw_render_quantity *quantity);

/* NULL if there is none of this name. */
const tw_render_quantity *tw_render_quantity_find(const char *name);

enum { TW_RENDER_QUANTITIES = 26 };

/* The names of the quantities of bodies, or of contacts. Returns how many; the first is the
 * default. */
size_t tw_render_quantity_names(bool of_contacts, const char *names[TW_RENDER_QUANTITIES]);

#endif
