/* SPDX-License-Identifier: BSD-3-Clause */
/* Directions of probes, and projection of tensors on their space: the Rendulic plane about an axis,
 * or the space of the normal components. Both have orthonormal bases, so norms are those of the
 * tensors. */
#ifndef TW_PROBE_DIRECTIONS_H
#define TW_PROBE_DIRECTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/control.h>

enum { TW_DIRECTIONS_MAX = 3 };

typedef struct tw_directions {
    bool sphere; /* else the Rendulic plane */
    int axis;    /* of symmetry: 0, 1, 2 */
    size_t count;
} tw_directions;

/* Dimensions of the space: 2 or 3. */
int tw_directions_dimensions(const tw_directions *directions);

/* The k-th direction, as a unit tensor. */
void tw_directions_at(const tw_directions *directions, size_t k, double unit[TW_COMPONENTS]);

/* Projection of a tensor. Rendulic plane: (xx + yy + zz)/sqrt 3 and
 * sqrt(2/3) (axial - mean of the lateral ones). */
void tw_directions_point(const tw_directions *directions, const double tensor[TW_COMPONENTS],
                         double point[TW_DIRECTIONS_MAX]);

/* Angle of a point in the plane, from the volumetric axis to the deviatoric one [deg], 0 to 360. */
double tw_directions_angle(const double point[TW_DIRECTIONS_MAX]);

#endif
