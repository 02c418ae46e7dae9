/* SPDX-License-Identifier: BSD-3-Clause */
/* Stress paths in the deviatoric (pi) plane, from curves.csv. */
#ifndef TWIRL_APP_PLOT_PLANE_H
#define TWIRL_APP_PLOT_PLANE_H

#include <twirl/types.h>

#include "plot/plot_style.h"
#include "plot/series.h"

/* Whether there is a true triaxial path; with `all`, whether all are. */
bool tw_plot_plane_can(const tw_series *series, size_t count, bool all);

/* The figure pi_plane, in which a series is the block of curves.csv with its number. */
tw_status tw_plot_plane_draw(const tw_series *series, size_t count, const tw_plot_style *style,
                             const char *directory, tw_error *error);

#endif
