/* SPDX-License-Identifier: BSD-3-Clause */
/* The data that exports take from a simulation. */
#ifndef TW_EXCHANGE_FRAME_H
#define TW_EXCHANGE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/sim.h>

typedef struct tw_frame_sphere {
    tw_vec3 x;
    double radius;
    tw_vec3 v; /* of its centre, without the affine part of the cell [m/s] */
    tw_vec3 w; /* of its body [rad/s] */
    uint32_t body, member, shape;
    uint32_t coordination; /* contacts of the body */
} tw_frame_sphere;

typedef struct tw_frame {
    tw_frame_sphere *spheres; /* body by body in order of id */
    size_t sphere_count;
    tw_contact_state *contacts;
    size_t contact_count;
    uint32_t *first; /* first sphere of each body */
} tw_frame;

/* On failure the frame is empty. */
tw_status tw_frame_take(tw_frame *frame, const tw_sim *sim, tw_error *error);
void tw_frame_free(tw_frame *frame);

#endif
