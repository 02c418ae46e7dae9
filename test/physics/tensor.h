/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices, orientations and small scenes for the tests of the engine, independent of the engine's
 * algebra: public headers only. */
#ifndef TWIRL_TEST_PHYSICS_TENSOR_H
#define TWIRL_TEST_PHYSICS_TENSOR_H

#include "support.h"

#include <twirl/sim.h>

tw_mat3 tensor_zero(void);
tw_mat3 tensor_diagonal(double a, double b, double c);
tw_mat3 tensor_of_columns(tw_vec3 a, tw_vec3 b, tw_vec3 c);
tw_mat3 tensor_mul(tw_mat3 a, tw_mat3 b);
tw_mat3 tensor_transpose(tw_mat3 a);
/* a + s b */
tw_mat3 tensor_add_scaled(tw_mat3 a, double s, tw_mat3 b);
tw_mat3 tensor_outer(tw_vec3 a, tw_vec3 b);
tw_vec3 tensor_apply(tw_mat3 a, tw_vec3 v);
tw_vec3 tensor_column(tw_mat3 a, int column);
double tensor_det(tw_mat3 a);
tw_mat3 tensor_inverse(tw_mat3 a);
/* Frobenius norm. */
double tensor_norm(tw_mat3 a);
double tensor_distance(tw_mat3 a, tw_mat3 b);
/* The rotation by a rotation vector. */
tw_mat3 tensor_rotation(tw_vec3 turn);
tw_mat3 tensor_of_quat(tw_quat q);
/* r a r^T */
tw_mat3 tensor_turned(tw_mat3 a, tw_mat3 r);

tw_quat tensor_quat(tw_vec3 turn);
/* First b, then a. */
tw_quat tensor_quat_mul(tw_quat a, tw_quat b);
/* The rotation vector, shorter than pi, from `from` to `to`. */
tw_vec3 tensor_turn_between(tw_quat from, tw_quat to);
/* A rotation vector with a random axis and an angle below pi. */
tw_vec3 tensor_random_turn(support_random *random);

/* `count` times TWIRL_TEST_SCALE, at least one. */
int scene_cases(int count);
/* 0 if TWIRL_TEST_SCALE is below 1, as under sanitizers: scenes are small then, and coverage that
 * needs many cases is not required. */
int scene_thorough(void);

/* Calls of the engine that fail the test with the engine's message. */
tw_sim *scene_create(const tw_sim_def *def);
void scene_add(tw_sim *sim, const tw_body_def *body);
void scene_run(tw_sim *sim, uint64_t steps);
void scene_set_law(tw_sim *sim, const tw_contact_law *law);
void scene_set_damping(tw_sim *sim, double mass, double spin, double local);

/* A cube that is not periodic, one thread, this law. */
tw_sim_def scene_open_cube(double edge, const tw_contact_law *law);
/* A sphere; the returned definition can be changed further. */
tw_body_def scene_sphere(double radius, tw_vec3 x, tw_vec3 v, tw_vec3 w);

/* A file name in a new temporary folder. */
typedef struct scene_file {
    char folder[64], path[80];
} scene_file;

scene_file scene_file_make(void);
/* Removes the file, if it exists, and the folder. */
void scene_file_remove(const scene_file *file);

/* A copy of the simulation, made through a checkpoint in a temporary file. */
tw_sim *scene_copy(const tw_sim *sim);

/* All contacts; the caller frees. */
tw_contact_state *scene_contacts(const tw_sim *sim, size_t *count);

#endif
