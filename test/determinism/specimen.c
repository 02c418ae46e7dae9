/* SPDX-License-Identifier: BSD-3-Clause */
#include "specimen.h"
#include "../must.h"

static const double grain = 1e-3; /* [m] */

/* Clusters start loose, since they must not overlap much, and are dense after some hundred steps.
 */
static const tw_mat3 rates[SPECIMEN_KINDS] = {
    {{-80.0, 0.0, 100.0, 10.0, -60.0, 0.0, 0.0, 0.0, -70.0}},
    {{-700.0, 0.0, 200.0, 50.0, -600.0, 0.0, 0.0, 0.0, -650.0}},
    {{-400.0, 100.0, 0.0, 0.0, -400.0, 0.0, 0.0, 0.0, 0.0}},
    {{-400.0, 100.0, 0.0, 0.0, -400.0, 0.0, 0.0, 0.0, 0.0}},
};

static int is_box(specimen_kind kind)
{
    return kind == SPECIMEN_BOX || kind == SPECIMEN_MIXTURE;
}

/* Hertz contacts with everything that a law can have; the third material does not roll. */
static void set_laws(tw_sim *sim)
{
    enum { MATERIALS = 3 };
    tw_contact_law laws[MATERIALS * MATERIALS];
    tw_error error;
    for (int a = 0; a < MATERIALS; a++) {
        for (int b = 0; b < MATERIALS; b++) {
            tw_contact_law law = tw_contact_law_default();
            law.normal = TW_CONTACT_HERTZ;
            law.flags = TW_CONTACT_BY_RADIUS | TW_CONTACT_BY_MASS;
            law.kn = 5e8 / (3.0 + a + b);
            law.kt = 0.8 * law.kn;
            law.mu = 0.3 + 0.05 * (a + b);
            law.nu_n = law.nu_t = law.nu_r = law.nu_w = 0.02 * (1 + a) * (1 + b);
            law.k_r = law.k_w = 0.3 * law.kt;
            law.mu_r = a + b < MATERIALS ? 0.1 : 0.0;
            law.mu_w = 0.05;
            laws[a * MATERIALS + b] = law;
        }
    }
    if (tw_sim_add_material(sim, "steel", 7800.0, NULL, &error) != TW_STATUS_OK ||
        tw_sim_add_material(sim, "wood", 700.0, NULL, &error) != TW_STATUS_OK ||
        tw_sim_set_laws(sim, laws, MATERIALS * MATERIALS, &error) != TW_STATUS_OK)
        fail_msg("%s", error.text);
}

static double uniform(uint64_t *state, double low, double high)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15)); /* splitmix64 */
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return low + (high - low) * ((double)(z >> 11) * 0x1p-53);
}

static tw_vec3 vector(uint64_t *state, double size)
{
    const double x = uniform(state, -size, size), y = uniform(state, -size, size);
    return tw_vec3_make(x, y, uniform(state, -size, size));
}

static void add_shapes(tw_sim *sim)
{
    const tw_sphere lopsided[] = {{{0.1, 0.0, 0.2}, 0.8}, {{0.6, 0.1, 0.0}, 0.6}};
    must_add_shape_bumpy(sim, 4, 0.45, 0.6, 0.5);
    must_add_shape(sim, lopsided, 2);
}

static void add_walls(tw_sim *sim, double edge)
{
    tw_wall_def floor = tw_wall_def_default(), lid = floor;
    if (tw_sim_material_count(sim) > 1) floor.material = 1;
    lid.point.z = edge;
    lid.normal.z = -1.0;
    lid.servo = 1;
    lid.force = 5.0;
    lid.v_max = 5.0;
    floor.v.x = 0.3;
    must_add_wall(sim, &floor);
    must_add_wall(sim, &lid);
}

tw_sim *specimen_make_empty(specimen_kind kind, double edge)
{
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    for (int k = 0; k < 9; k += 4)
        def.cell.m[k] = edge;
    def.law.kn = 1e5;
    def.law.kt = 0.8e5;
    def.law.mu = 0.4;
    def.law.nu_n = def.law.nu_t = 0.03;
    def.damping_mass = 500.0;
    if (is_box(kind)) {
        def.periodic[2] = 0;
        def.gravity = tw_vec3_make(100.0, 0.0, -3000.0);
        def.damping_local = 0.2;
        def.damping_spin = 20.0;
    }
    tw_sim *sim = tw_sim_create(&def, &error);
    if (!sim) fail_msg("%s", error.text);
    if (kind == SPECIMEN_MIXTURE) set_laws(sim);
    add_shapes(sim);
    if (is_box(kind)) add_walls(sim, edge);
    tw_sim_set_velocity_gradient(sim, &rates[kind]);
    return sim;
}

static void add_body(tw_sim *sim, const tw_body_def *body)
{
    tw_error error;
    tw_body_def half = *body;
    half.half_step = 1;
    if (tw_sim_add_body(sim, &half, NULL, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
}

tw_sim *specimen_make(specimen_kind kind, int side, uint64_t seed)
{
    const double gap = 1.98 * grain, edge = side * gap;
    tw_sim *sim = specimen_make_empty(kind, edge);
    for (int i = 0; i < side * side * side; i++) {
        tw_body_def body = tw_body_def_default();
        const tw_vec3 place = {i % side + 0.5, i / side % side + 0.5, i / side / side + 0.5};
        if (kind == SPECIMEN_CLUSTERS) body.shape = 1 + (uint32_t)i % 2;
        if (is_box(kind)) body.shape = (uint32_t)i % 3;
        body.material = (uint32_t)((size_t)i % tw_sim_material_count(sim));
        body.size = grain * uniform(&seed, 0.93, 1.02);
        body.x = tw_vec3_add_scaled(vector(&seed, 0.04 * grain), gap, place);
        const tw_vec3 axis = vector(&seed, 1.0);
        body.q = (tw_quat){uniform(&seed, 0.1, 1.0), axis.x, axis.y, axis.z};
        body.v = vector(&seed, 0.2);
        body.w = vector(&seed, 200.0);
        body.fixed = is_box(kind) && i % 37 == 5;
        add_body(sim, &body);
    }
    return sim;
}

void specimen_drop_in(tw_sim *sim, double size)
{
    const tw_mat3 h = tw_sim_cell(sim);
    tw_body_def body = tw_body_def_default();
    body.size = size * grain;
    body.x = tw_vec3_make(0.5 * (h.m[0] + h.m[1] + h.m[2]), 0.5 * (h.m[3] + h.m[4] + h.m[5]),
                          0.5 * (h.m[6] + h.m[7] + h.m[8]));
    add_body(sim, &body);
}

void specimen_run(tw_sim *sim, uint64_t steps)
{
    tw_error error;
    if (tw_sim_run(sim, steps, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
}

void specimen_save(const tw_sim *sim, const char *path)
{
    tw_error error;
    if (tw_sim_save(sim, path, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
}

tw_sim *specimen_load(const char *path)
{
    tw_error error;
    tw_sim *sim = tw_sim_load(path, &error);
    if (!sim) fail_msg("%s", error.text);
    return sim;
}
