/* SPDX-License-Identifier: BSD-3-Clause */
/* Every measure of a state, recomputed from the lists of contacts and bodies. */
#include "packing.h"

#include <stdlib.h>
#include <string.h>

#include "../must.h"

typedef struct view {
    tw_sim *sim;
    tw_measure m;
    tw_contact_state *contacts;
    size_t count, bodies;
} view;

static view view_of(tw_sim *sim)
{
    view v;
    v.sim = sim;
    v.m = must_measure(sim);
    v.contacts = scene_contacts(sim, &v.count);
    v.bodies = tw_sim_bodies(sim);
    return v;
}

static void view_free(view *v)
{
    free(v->contacts);
    tw_sim_free(v->sim);
}

/* Bumpy grains during shear. */
static view sheared_grains(void)
{
    packing_def def = packing_def_default();
    def.side = 4;
    tw_sim *sim = packing_make(&def);
    const tw_mat3 shear = packing_shear(4.0 * packing_slow_rate());
    tw_sim_set_velocity_gradient(sim, &shear);
    scene_run(sim, 1500);
    return view_of(sim);
}

/* Spheres compressed without friction, then with or without friction, released until many contacts
 * are lost. Many of them are rattlers then, some only after other rattlers are removed. */
static view loose_spheres(double friction)
{
    packing_def def = packing_def_default();
    def.bumpy = 0;
    def.friction = 0.0;
    tw_sim *sim = packing_make(&def);
    tw_contact_law law = packing_law();
    law.mu = friction;
    scene_set_law(sim, &law);
    const size_t pressed = must_contacts(sim);
    const tw_mat3 swell = tensor_diagonal(0.5, 0.5, 0.5);
    tw_sim_set_velocity_gradient(sim, &swell);
    while (3 * must_contacts(sim) > 2 * pressed)
        scene_run(sim, 1);
    return view_of(sim);
}

/* Spheres between a floor and a lid, periodic along x and y, compressed by the lid. */
static view pressed_layer(void)
{
    const int side = scene_thorough() ? 4 : 3;
    const double r = 1e-3, pitch = 2.05 * r, width = side * pitch;
    support_random random = {5};
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(width, width, width);
    def.periodic[2] = 0;
    def.law = packing_law();
    def.damping_mass = 3e3;
    def.damping_spin = 3e3;
    tw_sim *sim = scene_create(&def);
    const tw_vec3 none = {0.0, 0.0, 0.0};
    for (int i = 0; i < side * side * side; i++) {
        const int k[3] = {i % side, i / side % side, i / side / side};
        const tw_vec3 jitter = tw_vec3_scale(0.02 * r, support_unit(&random));
        const tw_vec3 x =
            tw_vec3_make(pitch * (k[0] + 0.5) + jitter.x, pitch * (k[1] + 0.5) + jitter.y,
                         pitch * (k[2] + 0.5) + jitter.z);
        const tw_body_def body = scene_sphere(r, x, none, none);
        scene_add(sim, &body);
    }
    tw_wall_def wall = tw_wall_def_default();
    assert_int_equal(must_add_wall(sim, &wall), 0);
    wall.point.z = width;
    wall.normal.z = -1.0;
    wall.servo = 1;
    wall.force = 5.0; /* overlaps of about 1e-3 R */
    wall.v_max = 0.2;
    assert_int_equal(must_add_wall(sim, &wall), 1);
    for (int i = 0; i < 100; i++) {
        scene_run(sim, 1000);
        const double lid = must_wall(sim, 1).force.z, ground = must_wall(sim, 0).force.z;
        if (fabs(lid - wall.force) < 1e-4 * wall.force && fabs(lid + ground) < 1e-4 * wall.force)
            break;
    }
    return view_of(sim);
}

static int to_wall(const tw_contact_state *c)
{
    return c->body_q == TW_NO_BODY;
}

static double unbalanced_of(const view *v)
{
    double sum = 0.0;
    for (uint32_t id = 0; id < v->bodies; id++)
        sum += tw_vec3_norm(must_body(v->sim, id).force);
    return sum / (double)v->bodies;
}

static void check_sums(const view *v)
{
    tw_mat3 stress = tensor_zero(), fabric = tensor_zero();
    double overlap = 0.0, deepest = 0.0, force = 0.0, whole = 0.0;
    size_t walls = 0, sliding = 0;
    for (size_t i = 0; i < v->count; i++) {
        const tw_contact_state *c = &v->contacts[i];
        stress = tensor_add_scaled(stress, -1.0 / v->m.volume, tensor_outer(c->branch, c->force));
        fabric = tensor_add_scaled(fabric, 1.0 / (double)v->count, tensor_outer(c->n, c->n));
        overlap += c->zeta / (double)v->count;
        deepest = fmax(deepest, c->zeta);
        force += c->fn / (double)v->count;
        whole += tw_vec3_norm(c->force) / (double)v->count;
        walls += (size_t)to_wall(c);
        sliding += (size_t)(c->sliding != 0);
    }
    /* Rounding of sums of about 500 terms. */
    expect_at_most(tensor_distance(stress, v->m.stress), 1e-12 * tensor_norm(stress));
    expect_at_most(tensor_distance(fabric, v->m.fabric), 1e-13);
    expect_at_most(fabs(v->m.fabric.m[0] + v->m.fabric.m[4] + v->m.fabric.m[8] - 1.0), 1e-13);
    const double *f = fabric.m, xy = f[0] - f[4], yz = f[4] - f[8], zx = f[8] - f[0];
    const double shears = f[1] * f[1] + f[2] * f[2] + f[5] * f[5];
    const double deviator = sqrt(0.5 * (xy * xy + yz * yz + zx * zx) + 3.0 * shears);
    expect_at_most(fabs(v->m.fabric_deviator - deviator), 1e-13);
    expect_at_most(fabs(v->m.p - (stress.m[0] + stress.m[4] + stress.m[8]) / 3.0),
                   1e-12 * tensor_norm(stress));
    expect_at_most(fabs(v->m.overlap_mean / overlap - 1.0), 1e-12);
    assert_true(v->m.overlap_max == deepest);
    expect_at_most(fabs(v->m.force_mean / force - 1.0), 1e-12);
    expect_at_most(fabs(v->m.unbalanced - unbalanced_of(v) / whole), 1e-10 * v->m.unbalanced);
    assert_int_equal(v->m.contacts, v->count);
    assert_int_equal(v->m.wall_contacts, walls);
    assert_int_equal(v->m.sliding, sliding);
    expect_at_most(fabs(v->m.sliding_fraction - (double)sliding / (double)v->count), 1e-15);
    const double ends = 2.0 * (double)v->count - (double)walls;
    expect_at_most(fabs(v->m.coordination - ends / (double)v->bodies), 1e-12);
}

/* `changed`: friction has just been lowered, and forces are beyond their limits. */
static void check_mobilisation(const view *v, int changed)
{
    const double mu = tw_sim_definition(v->sim).law.mu;
    double bins[TW_MOBILISATION_BINS] = {0}, sum = 0.0, off = 0.0, border = 0.0;
    for (size_t i = 0; i < v->count; i++) {
        const tw_contact_state *c = &v->contacts[i];
        /* Without friction every contact is fully mobilised. */
        const double used = mu > 0.0 ? tw_vec3_norm(c->ft) / (mu * c->fn) : 1.0;
        if (!changed) expect_at_most(used, 1.0 + 1e-12);
        const double place = used * TW_MOBILISATION_BINS, share = 1.0 / (double)v->count;
        bins[(int)fmin(place, TW_MOBILISATION_BINS - 1)] += share;
        /* One on the border of two bins, up to rounding, may be in either. */
        if (fabs(place - round(place)) < 1e-9 && round(place) < TW_MOBILISATION_BINS && place > 0.0)
            border += share;
        if (c->sliding) expect_at_least(used, 1.0 - 1e-9);
    }
    for (int k = 0; k < TW_MOBILISATION_BINS; k++) {
        sum += v->m.mobilisation[k];
        off += fabs(v->m.mobilisation[k] - bins[k]);
    }
    expect_at_most(fabs(sum - 1.0), 1e-12);
    expect_at_most(off, 2.0 * border + 1e-12);
}

/* Removes bodies that carry no load until none is left: those with fewer than two contacts with
 * remaining bodies, or fewer than four for a sphere without friction. */
static void check_rattlers(const view *v)
{
    int *gone = calloc(v->bodies, sizeof *gone);
    int *left = calloc(v->bodies, sizeof *left);
    assert_true(gone != NULL && left != NULL);
    const int slippery = !(tw_sim_definition(v->sim).law.mu > 0.0);
    size_t rattlers = 0, before;
    double ends = 0.0;
    do {
        before = rattlers;
        ends = 0.0;
        memset(left, 0, v->bodies * sizeof *left);
        for (size_t i = 0; i < v->count; i++) {
            const tw_contact_state *c = &v->contacts[i];
            const int wall = to_wall(c);
            if (gone[c->body_p] || (!wall && gone[c->body_q])) continue;
            left[c->body_p]++;
            if (!wall) left[c->body_q]++;
            ends += wall ? 1.0 : 2.0;
        }
        for (uint32_t id = 0; id < v->bodies; id++) {
            const int least = slippery && must_body(v->sim, id).shape == 0 ? 4 : 2;
            if (gone[id] || left[id] >= least) continue;
            gone[id] = 1;
            rattlers++;
        }
    } while (rattlers != before);
    assert_int_equal(v->m.rattlers, rattlers);
    if (rattlers < v->bodies)
        expect_at_most(fabs(v->m.coordination_mechanical - ends / (double)(v->bodies - rattlers)),
                       1e-12);
    free(gone);
    free(left);
}

static void check_bodies(const view *v)
{
    double mass = 0.0;
    tw_mat3 kinetic = tensor_zero();
    for (uint32_t id = 0; id < v->bodies; id++) {
        const tw_body_state b = must_body(v->sim, id);
        mass += b.mass;
        kinetic =
            tensor_add_scaled(kinetic, b.mass / v->m.volume, tensor_outer(b.v_half, b.v_half));
    }
    const double solid = mass / tw_sim_definition(v->sim).density;
    expect_at_most(fabs(v->m.solid_volume / solid - 1.0), 1e-12);
    expect_at_most(fabs(v->m.volume / fabs(tensor_det(tw_sim_cell(v->sim))) - 1.0), 1e-12);
    expect_at_most(fabs(v->m.porosity - (1.0 - solid / v->m.volume)), 1e-12);
    expect_at_most(fabs(v->m.void_ratio - (v->m.volume / solid - 1.0)), 1e-12);
    expect_at_most(tensor_distance(kinetic, v->m.stress_kinetic), 1e-12 * tensor_norm(kinetic));
}

static void check_all(view v)
{
    check_sums(&v);
    check_mobilisation(&v, 0);
    check_rattlers(&v);
    check_bodies(&v);
    view_free(&v);
}

static void measures_of_sheared_clusters_agree_with_the_lists(void **state)
{
    (void)state;
    const view v = sheared_grains();
    print_message("%zu contacts, %zu slide, %zu rattlers\n", v.count, v.m.sliding, v.m.rattlers);
    assert_true(v.m.sliding > 3);
    check_all(v);
}

static void measures_of_spheres_with_rattlers_agree_with_the_lists(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const view v = loose_spheres(i ? 0.5 : 0.0);
        print_message("%zu contacts, %zu slide, %zu rattlers\n", v.count, v.m.sliding,
                      v.m.rattlers);
        assert_true(v.m.rattlers > 0);
        check_all(v);
    }
}

/* Forces beyond their limits by any factor are in the last bin; so are those beyond 1/DBL_MAX of a
 * limit, of which the quotient is infinite. */
static void forces_beyond_a_lower_friction_limit_count_as_mobilised(void **state)
{
    (void)state;
    static const double frictions[] = {1e-8, 1e-9, 1e-18, 1e-300, 5e-324, 0.0};
    view v = sheared_grains();
    for (size_t i = 0; i < sizeof frictions / sizeof *frictions; i++) {
        tw_contact_law law = tw_sim_definition(v.sim).law;
        law.mu = frictions[i];
        scene_set_law(v.sim, &law);
        v.m = must_measure(v.sim);
        check_mobilisation(&v, 1);
        /* Some contacts of frictional grains have a tangential force of exactly 0: new ones. */
        expect_at_least(v.m.mobilisation[TW_MOBILISATION_BINS - 1], 0.9);
    }
    view_free(&v);
}

static void measures_between_walls_agree_with_the_lists(void **state)
{
    (void)state;
    view v = pressed_layer();
    print_message("%zu contacts, %zu with walls, %zu rattlers\n", v.count, v.m.wall_contacts,
                  v.m.rattlers);
    assert_true(v.m.wall_contacts > 3);
    check_all(v);
}

/* If every body is in equilibrium, the sum of b (x) f over contacts equals that of x (x) f over the
 * contact points of walls; so the vertical stress times the volume is the force of the lid times
 * the height, up to the overlaps. The grains are in equilibrium to 1e-4 of the force. */
static void stress_of_a_layer_equals_the_load_of_the_lid(void **state)
{
    (void)state;
    view v = pressed_layer();
    const tw_wall_state lid = must_wall(v.sim, 1), ground = must_wall(v.sim, 0);
    const double height = lid.point.z - ground.point.z, found = v.m.stress.m[8] * v.m.volume;
    double pushed = 0.0, deepest = 0.0;
    for (size_t i = 0; i < v.count; i++) {
        const tw_contact_state *c = &v.contacts[i];
        if (!to_wall(c)) continue;
        pushed -= c->point.z * c->force.z;
        deepest = fmax(deepest, c->zeta);
    }
    expect_at_most(fabs(lid.force.z / -ground.force.z - 1.0), 1e-3);
    expect_at_most(fabs(found / pushed - 1.0), 1e-3);
    expect_at_most(fabs(found / (lid.force.z * height) - 1.0), 1e-3 + deepest / height);
    view_free(&v);
}

/* |deviator| d sqrt(rho/p), with the diameter of the sphere of a grain's volume. */
static void inertial_number_agrees_with_its_definition(void **state)
{
    (void)state;
    view v = sheared_grains();
    const double rate = 4.0 * packing_slow_rate();
    double diameter = 0.0;
    for (uint32_t id = 0; id < v.bodies; id++)
        diameter += cbrt(6.0 / SUPPORT_PI * must_body(v.sim, id).mass / 2650.0) / (double)v.bodies;
    /* Deviatoric strain rate sqrt(2/3 d:d), which is the axial rate in triaxial compression. */
    expect_at_most(fabs(v.m.inertial_number / (rate * diameter * sqrt(2650.0 / v.m.p)) - 1.0),
                   1e-6);
    view_free(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_of_sheared_clusters_agree_with_the_lists),
        cmocka_unit_test(measures_of_spheres_with_rattlers_agree_with_the_lists),
        cmocka_unit_test(forces_beyond_a_lower_friction_limit_count_as_mobilised),
        cmocka_unit_test(measures_between_walls_agree_with_the_lists),
        cmocka_unit_test(stress_of_a_layer_equals_the_load_of_the_lid),
        cmocka_unit_test(inertial_number_agrees_with_its_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
