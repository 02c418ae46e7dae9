/* SPDX-License-Identifier: BSD-3-Clause */
#include "lattice.h"
#include "../must.h"

tw_sim *lattice_simple_cubic(double radius, double overlap, int side, const tw_contact_law *law)
{
    const double d = 2.0 * radius - overlap;
    const tw_vec3 none = {0.0, 0.0, 0.0};
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(d * side, d * side, d * side);
    def.law = *law;
    def.threads = 1;
    tw_sim *sim = scene_create(&def);
    for (int i = 0; i < side * side * side; i++) {
        const tw_vec3 x = {d * (i % side), d * (i / side % side), d * (i / side / side)};
        const tw_body_def body = scene_sphere(radius, x, none, none);
        scene_add(sim, &body);
    }
    return sim;
}

double lattice_edge(const lattice *def)
{
    return (2.0 * def->radius - def->overlap) * sqrt(2.0);
}

static const double base[4][3] = {
    {0.0, 0.0, 0.0}, {0.0, 0.5, 0.5}, {0.5, 0.0, 0.5}, {0.5, 0.5, 0.0}};

static void place_site(tw_sim *sim, const lattice *def, const tw_mat3 *r, tw_vec3 site)
{
    const tw_vec3 none = {0.0, 0.0, 0.0};
    const tw_vec3 x = tensor_apply(*r, tw_vec3_scale(lattice_edge(def), site));
    const tw_body_def body = scene_sphere(def->radius, x, none, none);
    scene_add(sim, &body);
}

static void place_cubic(tw_sim *sim, const lattice *def, const tw_mat3 *r)
{
    for (int i = 0; i < 4 * def->cells * def->cells * def->cells; i++) {
        const int cell = i / 4, n = def->cells;
        const double *b = base[i % 4];
        place_site(sim, def, r,
                   tw_vec3_make(cell % n + b[0], cell / n % n + b[1], cell / n / n + b[2]));
    }
}

static void place_primitive(tw_sim *sim, const lattice *def, const tw_mat3 *r)
{
    const int n = def->cells;
    for (int i = 0; i < n * n * n; i++) {
        const int k[3] = {i % n, i / n % n, i / n / n};
        place_site(sim, def, r,
                   tw_vec3_make(0.5 * (k[1] + k[2]), 0.5 * (k[0] + k[2]), 0.5 * (k[0] + k[1])));
    }
}

tw_sim *lattice_make(const lattice *def)
{
    const tw_mat3 r = tensor_rotation(def->turn);
    const double edge = lattice_edge(def) * def->cells;
    tw_mat3 cube = tensor_diagonal(edge, edge, edge);
    if (def->primitive) {
        const double h = 0.5 * edge;
        cube = (tw_mat3){{0.0, h, h, h, 0.0, h, h, h, 0.0}};
    }
    tw_sim_def sim_def = tw_sim_def_default();
    sim_def.cell = tensor_mul(r, cube);
    sim_def.law = def->law;
    sim_def.dt = def->dt;
    if (def->dt_fraction > 0.0) sim_def.dt_fraction = def->dt_fraction;
    sim_def.threads = 1;
    tw_sim *sim = scene_create(&sim_def);
    if (def->primitive) {
        place_primitive(sim, def, &r);
    } else {
        place_cubic(sim, def, &r);
    }
    return sim;
}

/* Tangent stiffnesses of a bond. */
static void stiffness_of(const lattice *def, double *kn, double *kt)
{
    *kn = def->law.kn;
    *kt = def->law.kt;
    if (def->law.normal == (int32_t)TW_CONTACT_LINEAR &&
        def->law.flags & (uint32_t)TW_CONTACT_BY_RADIUS) { /* 2 E R1 R2/(R1 + R2) = E R */
        *kn *= 0.5 * def->radius;
        *kt *= 0.5 * def->radius;
    }
    if (def->law.normal == (int32_t)TW_CONTACT_HERTZ) {
        double root = sqrt(def->overlap);
        if (def->law.flags & (uint32_t)TW_CONTACT_BY_RADIUS) root *= sqrt(0.5 * def->radius);
        *kn *= 1.5 * root;
        *kt *= root;
    }
}

tw_mat3 lattice_stress(const lattice *def, const tw_mat3 *strain)
{
    double kn, kt;
    stiffness_of(def, &kn, &kt);
    const double r2 = sqrt(2.0) * def->radius;
    const double c11 = (kn + kt) / r2, c12 = 0.5 * (kn - kt) / r2, c44 = 0.5 * (kn + kt) / r2;
    const double trace = strain->m[0] + strain->m[4] + strain->m[8];
    tw_mat3 s = tensor_add_scaled(tensor_zero(), -2.0 * c44, *strain);
    for (int k = 0; k < 9; k += 4)
        s.m[k] -= c12 * trace + (c11 - c12 - 2.0 * c44) * strain->m[k];
    return s;
}

tw_mat3 lattice_strain(int k, double size)
{
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {2, 0}, {0, 1}};
    tw_mat3 e = tensor_zero();
    e.m[3 * at[k][0] + at[k][1]] = e.m[3 * at[k][1] + at[k][0]] = size;
    return e;
}

tw_mat3 lattice_respond(const lattice *def, const tw_mat3 *strain)
{
    enum { STEPS = 4 };
    const tw_mat3 r = tensor_rotation(def->turn), back = tensor_transpose(r);
    tw_sim *sim = lattice_make(def);
    scene_run(sim, 1);
    const tw_measure before = must_measure(sim);
    const int spheres = def->primitive ? def->cells * def->cells * def->cells
                                       : 4 * def->cells * def->cells * def->cells;
    assert_int_equal(before.contacts, 6 * spheres);
    tw_mat3 gradient = tensor_turned(*strain, r);
    gradient = tensor_add_scaled(tensor_zero(), 1.0 / (STEPS * def->dt), gradient);
    tw_sim_set_velocity_gradient(sim, &gradient);
    scene_run(sim, STEPS);
    const tw_measure after = must_measure(sim);
    assert_int_equal(after.contacts, before.contacts);
    assert_int_equal(after.sliding, 0);
    const tw_mat3 change = tensor_add_scaled(after.stress, -1.0, before.stress);
    tw_sim_free(sim);
    return tensor_turned(change, back);
}
