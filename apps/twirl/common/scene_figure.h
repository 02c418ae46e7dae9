/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures of a state: the grading curve of its grains, and the distribution of its contact forces.
 */
#ifndef TWIRL_APP_SCENE_FIGURE_H
#define TWIRL_APP_SCENE_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/figure.h>
#include <twirl/scenario.h>
#include <twirl/sim.h>

/* The bodies and their sizes: volumes of their unions of spheres, diameters of spheres of equal
 * volume. */
typedef struct tw_scene_grains {
    tw_body_state *body;
    double *volume; /* of each, in increasing order [m^3] */
    size_t count;
    double solid; /* volume of all [m^3] */
} tw_scene_grains;

/* False: out of memory. Free them even then. */
bool tw_scene_grains_measure(tw_scene_grains *grains, const tw_sim *sim);
void tw_scene_grains_free(tw_scene_grains *grains);

/* The diameter below which this share of the solid volume is [m]; 0 and 1: the smallest, the
 * largest. */
double tw_scene_grains_size(const tw_scene_grains *grains, double share);

/* D10, D30, D50, D60. */
typedef struct tw_scene_size {
    const char *name;
    double share;
} tw_scene_size;

enum { TW_SCENE_SIZES = 4 };
extern const tw_scene_size tw_scene_sizes[TW_SCENE_SIZES];

/* "grading": the share that is finer, over the diameter, of grains that there are, and the curve
 * that the scenario asked for; NULL: not known. False: out of memory. */
bool tw_scene_figure_grading(tw_figure_set *set, const tw_scene_grains *grains,
                             const tw_scenario *scenario);

/* As tw_figure_forces_add, of the contacts of a simulation. */
tw_status tw_scene_figure_forces(tw_figure_set *set, const tw_sim *sim, tw_error *error);

#endif
