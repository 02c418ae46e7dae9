/* SPDX-License-Identifier: BSD-3-Clause */
/* The free top, computed without the engine. */
#ifndef TWIRL_TEST_PHYSICS_TOP_REFERENCE_H
#define TWIRL_TEST_PHYSICS_TOP_REFERENCE_H

#include "tensor.h"

/* Inertia about the centre of mass of spheres that do not overlap, in the frame they are given in,
 * scaled by `size`: the sum of 2/5 m r^2 and of Steiner's terms. */
tw_mat3 top_inertia(const tw_sphere *spheres, size_t count, double size, double density);

/* Angular velocity in the frame of the principal axes after `time`, for moments i.x < i.y < i.z and
 * positive components of w at the start: Jacobi's elliptic functions. */
tw_vec3 top_euler(tw_vec3 i, tw_vec3 w, double time);

#endif
