/* SPDX-License-Identifier: BSD-3-Clause */
/* What grains and contacts are coloured by: quantities, their units and ranges, classes, values,
 * and the colours themselves. */
#ifndef TWIRL_APP_RENDER_QUANTITY_H
#define TWIRL_APP_RENDER_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/exchange.h>
#include <twirl/sim.h>
#include <twirl/statics.h>

/* Colours, and maps from numbers to colours. */

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

/* "#rrggbb" */
void tw_colour_print(tw_colour colour, char text[8]);

/* 0 (black) to 1 (white). */
double tw_colour_lightness(tw_colour colour);

/* The colours of a map are given at TW_COLOUR_STOPS equal distances, and linear between them. */
tw_colour tw_colour_stop(tw_colour_map map, int stop);

/* The colour at `share` of a map, which is clamped to 0..1. */
tw_colour tw_colour_at(tw_colour_map map, double share);

/* A colour for each id; those of consecutive ids differ clearly. */
tw_colour tw_colour_of_id(uint32_t id);

/* What the colours of a picture can show: a quantity of bodies or of contacts. */

typedef enum tw_render_what {
    TW_RENDER_SIZE, /* diameter of the sphere of equal volume */
    TW_RENDER_COORDINATION,
    TW_RENDER_VELOCITY,     /* relative to the affine motion of the cell */
    TW_RENDER_SPIN,         /* angular velocity */
    TW_RENDER_DISPLACEMENT, /* since the stage began, with the motion of the cell */
    TW_RENDER_NONAFFINE,    /* displacement since another state, without the motion of the cell */
    TW_RENDER_PRESSURE,     /* mean stress in the body */
    TW_RENDER_RATTLERS,
    TW_RENDER_CERTIFICATE, /* bodies of contacts by which the response is not unique */
    TW_RENDER_TYPE,
    TW_RENDER_MATERIAL,
    TW_RENDER_ID,
    TW_RENDER_FORCE, /* from here on: of contacts */
    TW_RENDER_MOBILISATION,
    TW_RENDER_SLIDING,
    TW_RENDER_CHAIN_CERTIFICATE,
    TW_RENDER_FIELD_POROSITY, /* from here on: local fields */
    TW_RENDER_FIELD_PRESSURE,
    TW_RENDER_FIELD_DEVIATOR,
    TW_RENDER_FIELD_VOLUMETRIC,
    TW_RENDER_FIELD_SHEAR,
    TW_RENDER_FIELD_ROTATION
} tw_render_what;

/* What a picture consists of. */
typedef enum tw_render_subject {
    TW_RENDER_GRAINS,
    TW_RENDER_CHAINS, /* contacts */
    TW_RENDER_FIELD   /* a section with a local field */
} tw_render_subject;

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

/* What it belongs to. */
tw_render_subject tw_render_quantity_subject(const tw_render_quantity *quantity);

/* Whether it follows from the certificate of a state: docs/guide/statics.md. */
bool tw_render_quantity_is_certificate(const tw_render_quantity *quantity);

/* Whether it follows from two states. */
bool tw_render_quantity_needs_since(const tw_render_quantity *quantity);

/* NULL if the subject has none of this name. */
const tw_render_quantity *tw_render_quantity_find(tw_render_subject subject, const char *name);

enum { TW_RENDER_QUANTITIES = 37 };

/* The names of the quantities of a subject. Returns how many; the first is the default. */
size_t tw_render_quantity_names(tw_render_subject subject, const char *names[TW_RENDER_QUANTITIES]);

/* Numbers for people: SI prefixes, and round steps of 1, 2 or 5 times a power of ten. */

/* A unit in which numbers are neither large nor small. */
typedef struct tw_render_unit {
    char name[32]; /* "mm/s", or "10^{-3} rad/s" where prefixes are not usual, with the
                      markup of figures; "" without unit */
    double size;   /* in SI: a power of 1000 */
} tw_render_unit;

/* The unit in which `largest` is between 1 and 1000. */
tw_render_unit tw_render_unit_for(const char *si, double largest);

/* The largest of 1, 2, 5 times a power of ten that is not above `limit`, which is positive. */
double tw_render_unit_round(double limit);

/* A multiple of `step`, with the digits that it needs and a real minus sign. */
void tw_render_unit_print(char *text, size_t size, double value, double step);

/* The range of values that the colours cover. */

typedef enum tw_render_range_kind {
    TW_RENDER_RANGE_AUTO, /* as the scale of the quantity says, percentiles 1 and 99 */
    TW_RENDER_RANGE_ALL,
    TW_RENDER_RANGE_PERCENTILES,
    TW_RENDER_RANGE_VALUES
} tw_render_range_kind;

/* What the user asked for. */
typedef struct tw_render_range_choice {
    tw_render_range_kind kind;
    double low, high; /* percentiles [%] or values [SI] */
} tw_render_range_choice;

typedef struct tw_render_range {
    double low, high;   /* of the colours */
    double least, most; /* of the values */
} tw_render_range;

/* Reads LOW:HIGH with two values, which may have the unit of the quantity with a prefix (0:50 kPa),
 * or two percentiles (5%:95%), or `all`. Returns NULL, or what is wrong. */
const char *tw_render_range_read(const char *text, const tw_render_quantity *quantity,
                                 tw_render_range_choice *choice);

/* Sorts the values. */
tw_render_range tw_render_range_find(const tw_render_range_choice *choice, tw_render_scale scale,
                                     double *values, size_t count);

/* Whether the ends are equal, but for rounding. */
bool tw_render_range_is_empty(const tw_render_range *range);

/* 0 to 1 in the range, beyond outside of it; 1/2 if the range is empty. */
double tw_render_range_share(const tw_render_range *range, double value);

/* The classes of a quantity that has no numbers to measure, such as the material of a body. */

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

/* The values of a quantity, for each body or each contact. */

/* A state and its contacts. A file of another kind than a checkpoint has none, unless it is a dump
 * of twirl with those of its frame beside it, but may state what would follow from them. */
typedef struct tw_render_state {
    const tw_sim *sim;
    const tw_sim *since; /* the state from which displacements and strains count; NULL: none */
    tw_contact_state *contacts; /* none before preparation */
    size_t contact_count;
    bool foreign;                      /* not from a checkpoint */
    const tw_specimen_result *results; /* of bodies, in a file that is foreign; NULL: none */
    tw_statics_survey rates;           /* with verdict and certificate, if that is what is shown */
} tw_render_state;

/* Whether the state has what the quantity follows from. */
bool tw_render_values_exist(const tw_render_state *state, const tw_render_quantity *quantity);

/* Value of a field at a point. */
double tw_render_value_of_field(const tw_render_quantity *quantity, const tw_sim_field *field);

/* `values` has one place for each body, in the order of ids, or for each contact. */
void tw_render_values(const tw_render_state *state, const tw_render_quantity *quantity,
                      double *values);

#endif
