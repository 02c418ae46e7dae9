/* SPDX-License-Identifier: BSD-3-Clause */
#include "lammps_scenes.h"

#include <stdio.h>
#include <stdlib.h>

#include <twirl/material.h>

#include "../must.h"
#include "../seed.h"

/* The first cell is 0.1 (1 0.2 -0.3; 0 0.9 0.1; 0 0 1.1), rotated about x and z. */
const lammps_scene lammps_scenes[LAMMPS_SCENES] = {
    {.name = "spheres",
     .cell = {{0.08, -0.0272, 0.0108, 0.06, 0.0696, -0.0644, 0, 0.054, 0.094}},
     .gradient = {{-0.5, 0, 0, 0, -0.5, 0, 0, 0, -0.5}}},
    {.name = "clusters",
     .cell = {{0.10, 0.08, -0.17, 0, 0.09, 0.06, 0, 0, 0.11}},
     .lattice = {{0.10, -0.02, -0.05, 0, 0.09, -0.03, 0, 0, 0.11}},
     .gradient = {{-0.5, 1.0, 0.3, 0, 0.2, 0.7, 0, 0, -0.9}},
     .clusters = 1},
    {.name = "walls", .cell = {{0.10, 0, 0, 0, 0.09, 0, 0, 0, 0.11}}, .open = 1},
    {.name = "friction",
     .cell = {{0.10, 0.03, -0.02, 0, 0.09, 0.04, 0, 0, 0.11}},
     .clusters = 1,
     .mu = 0.4,
     .nu = 0.5},
    {.name = "mixed",
     .cell = {{0.10, 0.03, 0, 0, 0.09, 0, 0, 0, 0.11}},
     .open = 1,
     .clusters = 1,
     .mu = 0.4,
     .materials = 3},
    {.name = "rubbing",
     .cell = {{0.08, -0.0272, 0.0108, 0.06, 0.0696, -0.0644, 0, 0.054, 0.094}},
     .mu = 0.4,
     .nu = 0.5},
};

enum { STEPS = 50, CONTACTS_MAX = 1000 };

static void must(int fine, const tw_error *error)
{
    if (fine) return;
    fprintf(stderr, "lammps_scenes: %s\n", error->text);
    exit(1);
}

static void fill(tw_sim *sim, const lammps_scene *scene, uint64_t *seed)
{
    tw_error error;
    const double *m = scene->lattice.m[0] > 0.0 ? scene->lattice.m : scene->cell.m;
    const int rows = 4;
    for (int i = 0; i < rows * rows * rows; i++) {
        const double s[3] = {(0.25 + i % rows) / rows, (0.25 + i / rows % rows) / rows,
                             (0.5 + i / rows / rows) / rows};
        tw_body_def body = tw_body_def_default();
        body.shape = scene->clusters ? (uint32_t)i % 2 : 0;
        body.size = (body.shape        ? 0.0084
                     : scene->clusters ? 0.0116
                                       : 0.0121) *
                    (1.0 + 0.02 * (i % 7));
        body.x = tw_vec3_make(m[0] * s[0] + m[1] * s[1] + m[2] * s[2],
                              m[3] * s[0] + m[4] * s[1] + m[5] * s[2],
                              m[6] * s[0] + m[7] * s[1] + m[8] * s[2]);
        body.x.x += seed_jitter(seed, 1e-4);
        body.x.y += seed_jitter(seed, 1e-4);
        body.x.z += seed_jitter(seed, 1e-4);
        const tw_quat q = {1.0, 0.1 * i, 0.2, -0.05 * i};
        body.q = q;
        body.half_step = 1;
        body.fixed = scene->clusters && i == 9;
        if (scene->materials) body.material = (uint32_t)(i % scene->materials);
        if (!body.fixed) {
            body.v = tw_vec3_make(0.01 * (i % 5), -0.02 * (i % 3), 0.01);
            body.w = tw_vec3_make(0.5, -0.3 * (i % 2), 0.2);
        }
        must(tw_sim_add_body(sim, &body, NULL, &error) == TW_STATUS_OK, &error);
    }
}

static void add_walls(tw_sim *sim, const lammps_scene *scene)
{
    tw_wall_def wall = tw_wall_def_default();
    wall.material = scene->materials ? (uint32_t)scene->materials : 0; /* no body has it */
    wall.point = tw_vec3_make(0, 0, 0.0018);
    must_add_wall(sim, &wall);
    wall.point = tw_vec3_make(0, 0, 0.1082);
    wall.normal = tw_vec3_make(0, 0, -1);
    must_add_wall(sim, &wall);
    tw_sim_set_gravity(sim, tw_vec3_make(0, 0, -9.81));
}

static tw_material material(int k)
{
    tw_material m = tw_material_default();
    m.normal = TW_CONTACT_HERTZ;
    m.young = 1e7 * (1 + k);
    m.poisson = 0.1 + 0.1 * k;
    m.friction = 0.3 + 0.1 * k;
    m.restitution = 0.9 - 0.1 * k;
    m.tangential_damping = 0.1 * k;
    m.rolling_friction = 0.1 - 0.02 * k;
    m.twisting_friction = 0.01 + 0.01 * k;
    m.kr_ratio = 1.0 + k;
    m.rolling_damping = m.twisting_damping = 0.1;
    return m;
}

/* One more than the bodies have, for the walls. */
static void add_materials(tw_sim *sim, int count)
{
    tw_error error;
    enum { MOST = 5 };
    tw_contact_law laws[MOST * MOST];
    const int n = count + 1;
    for (int a = 1; a < n; a++) {
        char name[16];
        snprintf(name, sizeof name, "m%d", a);
        must(tw_sim_add_material(sim, name, 2650.0, NULL, &error) == TW_STATUS_OK, &error);
    }
    for (int k = 0; k < n * n; k++) {
        const tw_material a = material(k / n), b = material(k % n);
        if (tw_material_pair_law(&a, &b, &laws[k])) exit(1);
    }
    must(tw_sim_set_laws(sim, laws, (size_t)(n * n), &error) == TW_STATUS_OK, &error);
}

static tw_sim *start(const lammps_scene *scene, uint64_t *seed)
{
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    def.cell = scene->cell;
    def.periodic[2] = !scene->open;
    def.law.kn = 1e5;
    def.law.kt = 0.8e5;
    def.law.mu = scene->mu;
    def.law.nu_n = def.law.nu_t = scene->nu;
    def.threads = 1;
    def.dt = scene->materials ? 2e-5 : 4e-5;
    tw_sim *sim = tw_sim_create(&def, &error);
    must(sim != NULL, &error);
    const tw_sphere three[] = {{{-0.5, 0, 0}, 1.0}, {{0.9, 0.1, 0}, 0.6}, {{0.2, 0.8, 0.3}, 0.5}};
    if (scene->clusters) must_add_shape(sim, three, 3);
    if (scene->materials) add_materials(sim, scene->materials);
    fill(sim, scene, seed);
    if (scene->open) add_walls(sim, scene);
    tw_sim_set_velocity_gradient(sim, &scene->gradient);
    return sim;
}

static size_t run(tw_sim *sim, uint64_t steps, tw_contact_state *contacts)
{
    tw_error error;
    must(tw_sim_run(sim, steps, &error) == TW_STATUS_OK, &error);
    const size_t count = must_contacts(sim);
    if (count > CONTACTS_MAX) exit(1);
    must_get_contacts(sim, contacts);
    return count;
}

static int is_same(const tw_contact_state *a, const tw_contact_state *b)
{
    return a->body_p == b->body_p && a->body_q == b->body_q && a->member_p == b->member_p &&
           a->member_q == b->member_q;
}

/* Runs the scene; whether a contact opened in the last step. */
static int is_one_opened(tw_sim *sim)
{
    static tw_contact_state before[CONTACTS_MAX], after[CONTACTS_MAX];
    const size_t count = run(sim, STEPS - 1, before), rest = run(sim, 1, after);
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < rest && !is_same(&before[i], &after[k]))
            k++;
        if (k == rest) return 1;
    }
    return 0;
}

/* A contact that opens in the last step is part of the forces of that step, but has no memory that
 * another program could continue from. Random specimens are made again until there is none. */
tw_sim *lammps_scene_make(const lammps_scene *scene)
{
    uint64_t seed = seed_or(0);
    for (;;) {
        tw_sim *sim = start(scene, &seed);
        if (!is_one_opened(sim) || seed == 0) return sim;
        tw_sim_free(sim);
    }
}
