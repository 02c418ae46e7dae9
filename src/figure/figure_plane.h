/* SPDX-License-Identifier: BSD-3-Clause */
/* Stress paths in the deviatoric (pi) plane. */
#ifndef TWIRL_FIGURE_PLANE_H
#define TWIRL_FIGURE_PLANE_H

#include <stdbool.h>

#include <twirl/figure.h>

/* Adds the figure pi_plane if there is a true triaxial path; of several inputs, if all have one.
 * False: out of memory. */
bool tw_figure_plane_add(tw_figure_set *set, const tw_figure_request *request);

#endif
