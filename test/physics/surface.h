/* SPDX-License-Identifier: BSD-3-Clause */
/* Balls of radius and mass 1 at walls of any form, for tests of walls. */
#ifndef TWIRL_TEST_PHYSICS_SURFACE_H
#define TWIRL_TEST_PHYSICS_SURFACE_H

#include "tensor.h"

#include <twirl/mesh.h>

#define CHECK_PI 3.14159265358979323846

/* An open cell, with gravity along x and against z. */
tw_sim *make_scene(const char *device, const tw_contact_law *law, double along, double gravity,
                   double dt);
void add_ball(tw_sim *sim, tw_vec3 x, tw_vec3 v, tw_vec3 w);
/* One that moves as `lead` says only. */
void add_led_ball(tw_sim *sim, tw_vec3 x);
/* Takes ball 0 to a place in a step, while it turns with w. */
void lead(tw_sim *sim, double dt, tw_vec3 to, tw_vec3 w);
tw_body_state ball_of(const tw_sim *sim, uint32_t id);

tw_wall_def plane(tw_vec3 point, tw_vec3 normal);
size_t add_wall(tw_sim *sim, const tw_wall_def *def);
void triangle(tw_mesh_soup *soup, tw_vec3 a, tw_vec3 b, tw_vec3 c);
/* Frees the soup and the mesh. */
size_t add_mesh(tw_sim *sim, tw_mesh_soup *soup);

typedef tw_vec3 (*place)(void *context, double u, double v);

/* A surface over the unit square, in m x n cells of two triangles. */
void add_patch(tw_mesh_soup *soup, int m, int n, place at, void *context);

#endif
