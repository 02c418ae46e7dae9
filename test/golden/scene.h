/* SPDX-License-Identifier: BSD-3-Clause */
/* Building blocks of the scenes. On an error of the engine these functions print a message and
 * exit. */
#ifndef TWIRL_TEST_GOLDEN_SCENE_H
#define TWIRL_TEST_GOLDEN_SCENE_H

#include <twirl/sim.h>

#include "base/random.h"
#include "golden.h"

#define SCENE_GRAIN 1e-3 /* [m] */

double scene_uniform(tw_random *random, double low, double high);
/* Each component between -size and size. */
tw_vec3 scene_vector(tw_random *random, double size);
/* A random orientation; the engine normalises it. */
tw_quat scene_orientation(tw_random *random);

/* A periodic cube, moderate friction, no damping. */
tw_sim_def scene_def(const golden *g, double edge);
/* A sheared cell in which only the first edge is along an axis. */
tw_sim_def scene_skew_def(const golden *g, double edge);

/* Shapes 1 to 4: bumpy grains of 6 and 4 satellites, an asymmetric pair, a rod of three. */
enum { SCENE_SPHERE, SCENE_BUMPY, SCENE_TETRA, SCENE_LOPSIDED, SCENE_ROD, SCENE_SHAPES };
tw_sim *scene_create(const tw_sim_def *def);

/* side^3 bodies on a lattice that fills the cell, with random offsets and orientations. */
typedef struct scene_grains {
    int side;
    double smallest, largest; /* sizes, in grains [-] */
    uint32_t first, shapes;   /* shapes first, first + 1 ..., in turn */
    double speed, spin;       /* [m/s], [rad/s] */
    int fixed_every;          /* 0: none is fixed */
    uint64_t seed;
} scene_grains;
void scene_fill(tw_sim *sim, const scene_grains *grains);

void scene_add(tw_sim *sim, const tw_body_def *body);
void scene_run(tw_sim *sim, uint64_t steps);
void scene_set_law(tw_sim *sim, const tw_contact_law *law);
void scene_set_friction(tw_sim *sim, double mu);
void scene_set_damping(tw_sim *sim, double mass, double spin, double local);
void scene_control(tw_sim *sim, const tw_control *control);
void scene_rotate(tw_sim *sim, tw_vec3 turn, uint64_t steps);
void scene_save(const tw_sim *sim, const char *path);
tw_sim *scene_load(const golden *g, const char *path);

/* Isotropic stress p [Pa]; `rate` limits the strain rate [1/s]. */
tw_control scene_isotropic(double p, double rate);
/* Compresses grains to the pressure, then holds it for some steps, with friction mu, which is kept,
 * and strong damping, which is removed. */
#define SCENE_PRESSURE 1e5 /* [Pa] */
void scene_press(tw_sim *sim, double mu, uint64_t steps);
/* side^3 grains of one shape, compressed. */
tw_sim *scene_packing(const golden *g, int side, uint32_t shape, uint64_t seed);

#endif
