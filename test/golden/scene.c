/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene.h"
#include "../must.h"

static const double pitch = 2.0 * SCENE_GRAIN;

double scene_uniform(tw_random *random, double low, double high)
{
    return low + (high - low) * tw_random_uniform(random);
}

tw_vec3 scene_vector(tw_random *random, double size)
{
    const double x = scene_uniform(random, -size, size);
    const double y = scene_uniform(random, -size, size);
    const double z = scene_uniform(random, -size, size);
    return tw_vec3_make(x, y, z);
}

tw_quat scene_orientation(tw_random *random)
{
    const double w = scene_uniform(random, 0.1, 1.0);
    const tw_vec3 axis = scene_vector(random, 1.0);
    const tw_quat q = {w, axis.x, axis.y, axis.z};
    return q;
}

tw_sim_def scene_def(const golden *g, double edge)
{
    tw_sim_def def = tw_sim_def_default();
    for (int k = 0; k < 9; k += 4)
        def.cell.m[k] = edge;
    def.law.kn = 1e5;
    def.law.kt = 0.8e5;
    def.law.mu = 0.4;
    def.threads = g->threads;
    return def;
}

tw_sim_def scene_skew_def(const golden *g, double edge)
{
    tw_sim_def def = scene_def(g, edge);
    def.cell.m[1] = 0.2 * edge;
    def.cell.m[2] = -0.1 * edge;
    def.cell.m[3] = 0.05 * edge;
    def.cell.m[5] = 0.15 * edge;
    def.cell.m[7] = -0.05 * edge;
    return def;
}

static void must(tw_status status, const tw_error *error)
{
    if (status != TW_STATUS_OK) golden_fail("%s", error->text);
}

/* A scene on the wrong device would show nothing. */
static tw_sim *placed(tw_sim *sim)
{
    const char *wanted = getenv("TWIRL_DEVICE");
    if (wanted && strcmp(tw_sim_device(sim), wanted) != 0)
        golden_fail("the simulation is on %s, not on %s", tw_sim_device(sim), wanted);
    return sim;
}

tw_sim *scene_create(const tw_sim_def *def)
{
    static const tw_sphere lopsided[] = {{{0.1, 0.0, 0.2}, 0.8}, {{0.6, 0.1, 0.0}, 0.6}};
    static const tw_sphere rod[] = {
        {{-0.6, 0.0, 0.0}, 0.6}, {{0.0, 0.0, 0.0}, 0.6}, {{0.6, 0.0, 0.0}, 0.6}};
    tw_error error;
    tw_sim *sim = tw_sim_create(def, &error);
    if (!sim) golden_fail("%s", error.text);
    if (must_add_shape_bumpy(sim, 6, 0.45, 0.7, 0.6) != SCENE_BUMPY ||
        must_add_shape_bumpy(sim, 4, 0.45, 0.6, 0.5) != SCENE_TETRA ||
        must_add_shape(sim, lopsided, 2) != SCENE_LOPSIDED ||
        must_add_shape(sim, rod, 3) != SCENE_ROD)
        golden_fail("shapes are not numbered as expected");
    return placed(sim);
}

void scene_add(tw_sim *sim, const tw_body_def *body)
{
    tw_error error;
    tw_body_def half = *body;
    half.half_step = 1; /* as the hashes were made */
    must(tw_sim_add_body(sim, &half, NULL, &error), &error);
}

void scene_fill(tw_sim *sim, const scene_grains *grains)
{
    tw_random random = tw_random_seed(grains->seed);
    const tw_mat3 h = tw_sim_cell(sim);
    const int side = grains->side;
    for (int i = 0; i < side * side * side; i++) {
        const double a = (i % side + 0.5) / side, b = (i / side % side + 0.5) / side;
        const double c = (i / side / side + 0.5) / side;
        tw_body_def body = tw_body_def_default();
        body.shape = grains->first + (uint32_t)i % grains->shapes;
        body.size = SCENE_GRAIN * scene_uniform(&random, grains->smallest, grains->largest);
        const tw_vec3 shake = scene_vector(&random, 0.04 * SCENE_GRAIN);
        body.x.x = h.m[0] * a + h.m[1] * b + h.m[2] * c + shake.x;
        body.x.y = h.m[3] * a + h.m[4] * b + h.m[5] * c + shake.y;
        body.x.z = h.m[6] * a + h.m[7] * b + h.m[8] * c + shake.z;
        body.q = scene_orientation(&random);
        body.v = scene_vector(&random, grains->speed);
        body.w = scene_vector(&random, grains->spin);
        body.fixed = grains->fixed_every > 0 && i % grains->fixed_every == 3;
        scene_add(sim, &body);
    }
}

void scene_run(tw_sim *sim, uint64_t steps)
{
    tw_error error;
    must(tw_sim_run(sim, steps, &error), &error);
}

void scene_set_law(tw_sim *sim, const tw_contact_law *law)
{
    tw_error error;
    must(tw_sim_set_law(sim, law, &error), &error);
}

void scene_set_friction(tw_sim *sim, double mu)
{
    tw_contact_law law = tw_sim_get_definition(sim).law;
    law.mu = mu;
    scene_set_law(sim, &law);
}

void scene_set_damping(tw_sim *sim, double mass, double spin, double local)
{
    tw_error error;
    must(tw_sim_set_damping(sim, mass, spin, local, &error), &error);
}

void scene_control(tw_sim *sim, const tw_control *control)
{
    tw_error error;
    must(tw_sim_set_control(sim, control, &error), &error);
}

void scene_rotate(tw_sim *sim, tw_vec3 turn, uint64_t steps)
{
    tw_error error;
    must(tw_sim_rotate(sim, turn, steps, &error), &error);
}

void scene_save(const tw_sim *sim, const char *path)
{
    tw_error error;
    must(tw_sim_save(sim, path, &error), &error);
}

tw_sim *scene_load(const golden *g, const char *path)
{
    tw_error error;
    tw_sim *sim = tw_sim_load(path, &error);
    if (!sim) golden_fail("%s", error.text);
    tw_sim_set_threads(sim, g->threads);
    return placed(sim);
}

tw_control scene_isotropic(double p, double rate)
{
    tw_control control = tw_control_default();
    for (int k = 0; k < TW_COMPONENTS; k++)
        control.row[k] = tw_control_stress(k, k < TW_YZ ? p : 0.0);
    control.rate_max = rate;
    return control;
}

void scene_press(tw_sim *sim, double mu, uint64_t steps)
{
    const tw_control control = scene_isotropic(SCENE_PRESSURE, 0.0);
    scene_set_friction(sim, mu);
    scene_set_damping(sim, 0.0, 0.0, 0.7);
    for (int k = 0;; k++) {
        const tw_measure m = must_measure(sim);
        const double rate = m.coordination > 1.0 ? -100.0 : -500.0; /* otherwise it would rebound */
        const tw_mat3 squeeze = {{rate, 0.0, 0.0, 0.0, rate, 0.0, 0.0, 0.0, rate}};
        if (m.p > 6.0 * SCENE_PRESSURE && m.coordination > 4.0) break;
        if (k == 400) golden_fail("the grains do not reach the pressure");
        tw_sim_set_velocity_gradient(sim, &squeeze);
        scene_run(sim, 25);
    }
    scene_control(sim, &control);
    scene_run(sim, steps);
    scene_set_damping(sim, 0.0, 0.0, 0.0);
}

tw_sim *scene_packing(const golden *g, int side, uint32_t shape, uint64_t seed)
{
    const tw_sim_def def = scene_def(g, side * pitch);
    const scene_grains grains = {side, 0.8, 1.0, shape, 1, 0.1, 50.0, 0, seed};
    tw_sim *sim = scene_create(&def);
    scene_fill(sim, &grains);
    scene_press(sim, 0.1, 500);
    scene_set_friction(sim, def.law.mu);
    return sim;
}
