/* SPDX-License-Identifier: BSD-3-Clause */
/* The model: what a run does not change. Shapes, law, settings. */
#ifndef TW_WORLD_MODEL_H
#define TW_WORLD_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/contact.h>
#include <twirl/types.h>

#include "shape/shape.h"

typedef struct tw_model {
    tw_shape *shapes;
    size_t shape_count, shape_capacity;
    tw_contact_law law;
    double density;    /* [kg/m^3] */
    double mass_scale; /* factor of masses and moments of inertia */
    tw_vec3 gravity;   /* [m/s^2] */
    double damping_mass, damping_spin, damping_local;
    double skin_requested; /* [m]; 0: automatic */
    double dt_fraction;    /* of the stable step, where dt is automatic */
    int32_t dt_automatic;  /* 1: dt follows the stable step */
    int32_t dt_forced;     /* 1: dt may exceed the stable step */
} tw_model;

void tw_model_init(tw_model *model);
void tw_model_free(tw_model *model);

/* Takes over the shape's spheres. Its number is shape_count - 1. */
tw_status tw_model_add_shape(tw_model *model, const tw_shape *shape, tw_error *error);

#endif
