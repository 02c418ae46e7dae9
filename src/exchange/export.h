/* SPDX-License-Identifier: BSD-3-Clause */
/* The data that exports take from a simulation. */
#ifndef TW_EXCHANGE_EXPORT_H
#define TW_EXCHANGE_EXPORT_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/sim.h>

#include "base/text_file.h"

typedef struct tw_frame_sphere {
    tw_vec3 x;
    double radius;
    tw_vec3 v; /* of its centre, without the affine part of the cell [m/s] */
    uint32_t body, member;
    /* of its body */
    tw_vec3 w; /* [rad/s] */
    uint32_t shape, type;
    uint32_t coordination; /* number of contacts */
    tw_vec3 displacement;  /* [m] */
    tw_mat3 stress;        /* tw_frame_take [Pa] */
    double pressure;       /* mean of its normal components [Pa] */
} tw_frame_sphere;

typedef struct tw_frame {
    tw_frame_sphere *spheres; /* body by body in order of id */
    size_t sphere_count;
    tw_contact_state *contacts;
    size_t contact_count;
    uint32_t *first; /* first sphere of each body, in the order of ids */
} tw_frame;

/* The stress of a body is -(1/V) sum over its contacts of (x_c - x) (x) f: V its volume, x its
 * centre, x_c the contact point, f the force on it. The mean over bodies and voids, that is the sum
 * of V times stress over the volume of the cell, is the stress of the cell, because x_c drops out.
 * Zero until the simulation is prepared. On failure the frame is empty. */
tw_status tw_frame_take(tw_frame *frame, const tw_sim *sim, tw_error *error);
void tw_frame_free(tw_frame *frame);

/* Exports that make one file of one frame. */

typedef void tw_export_frame_printer(tw_outfile *out, const tw_sim *sim, const tw_frame *frame);

tw_status tw_export_frame(const tw_sim *sim, const char *path, tw_export_frame_printer *print,
                          tw_error *error);

#endif
