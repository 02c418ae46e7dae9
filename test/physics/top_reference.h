/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference solution for the free top, independent of the engine. */
#ifndef TWIRL_TEST_PHYSICS_TOP_REFERENCE_H
#define TWIRL_TEST_PHYSICS_TOP_REFERENCE_H

#include "tensor.h"

/* Inertia of non-overlapping spheres about their centre of mass, in the frame of the input, scaled
 * by `size`: the sum of 2/5 m r^2 and of Steiner's terms. */
tw_mat3 top_inertia(const tw_sphere *spheres, size_t count, double size, double density);

/* Angular velocity in the frame of the principal axes after `time`, for moments i.x < i.y < i.z and
 * positive components of w at the start: Jacobi's elliptic functions. */
tw_vec3 top_euler(tw_vec3 i, tw_vec3 w, double time);

#endif
