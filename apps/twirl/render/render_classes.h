/* SPDX-License-Identifier: BSD-3-Clause */
/* The classes of a quantity that has no numbers to measure, such as the material of a body. */
#ifndef TWIRL_APP_RENDER_CLASSES_H
#define TWIRL_APP_RENDER_CLASSES_H

#include <twirl/sim.h>

#include "render/colour.h"
#include "render/render_quantity.h"

enum { TW_RENDER_CLASSES_MAX = 12 };

typedef struct tw_render_class {
    uint32_t value;
    char name[24];
    tw_colour colour;
    size_t shown; /* how many are in the picture */
} tw_render_class;

typedef struct tw_render_classes {
    size_t count; /* 0: not a quantity with classes, or too many of them for a key */
    tw_render_class of[TW_RENDER_CLASSES_MAX];
} tw_render_classes;

/* The classes that the quantity has by itself, or those that occur, in the order of values. */
tw_render_classes tw_render_classes_find(const tw_sim *sim, const tw_render_quantity *quantity,
                                         bool grey, const double *values, size_t count);

/* The class of a value; NULL if there is none. */
tw_render_class *tw_render_classes_at(tw_render_classes *classes, double value);

#endif
