/* SPDX-License-Identifier: BSD-3-Clause */
/* The spheres of all bodies. */
#ifndef TW_WORLD_SPHERES_H
#define TW_WORLD_SPHERES_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/vec3.h>

/* Spheres of all bodies: body by body, in the order of the shape. */
typedef struct tw_spheres {
    uint32_t *first;    /* first sphere of body i; bodies + 1 entries */
    uint32_t *index_of; /* index of the body with this id */
    size_t bodies;      /* of which `index_of` is set; fewer than there are after one is added */
    size_t body_capacity;
    uint32_t *body;
    double *radius;  /* [m] */
    tw_vec3 *offset; /* from the body's centre, in its frame [m]; not set for single spheres */
    size_t count, capacity;
} tw_spheres;

#endif
