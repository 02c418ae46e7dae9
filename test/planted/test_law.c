/* SPDX-License-Identifier: BSD-3-Clause */
/* A law whose contacts live to a negative overlap and whose limit of friction has a constant
 * (plant.py): kernel, search, steps in lanes and one by one, and the device must follow what the
 * law says of both. Forces are compared with closed forms, contacts with a loop over all pairs. */
#include "tensor.h"

#include <math.h>
#include <stdlib.h>

static const double reach = 1e-3; /* as planted [m] */

/* Limit of friction. */
static double limit_of(const tw_contact_law *law, double fn)
{
    return law->mu * (fn + 2.0 * reach * law->kn);
}

/* ---- The kernel ---- */

static tw_contact_load advance(const tw_contact_law *law, tw_contact_memory *memory, double zeta,
                               double along)
{
    const tw_vec3 n = {0.0, 0.0, 1.0}, du = {along, 0.0, zeta - memory->zeta};
    const tw_contact_motion motion = support_motion(n, zeta, du);
    tw_contact_load load;
    tw_contact_advance(law, &motion, 1.0, memory, NULL, &load);
    return load;
}

static void a_contact_pulls_slides_and_ends_where_the_law_says(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(1e5, 6e4, 0.4);
    const tw_vec3 n = {0.0, 0.0, 1.0}, zero = {0.0, 0.0, 0.0};
    tw_contact_memory memory = support_memory(n, -2e-3, zero);
    tw_contact_load load = advance(&law, &memory, -1.5e-3, 1e-3);
    assert_false(load.touching);
    expect_at_most(tw_vec3_norm(load.f), 0.0);

    /* Touches from the middle of the step on: half of the movement counts. */
    load = advance(&law, &memory, -0.5e-3, 1e-3);
    assert_true(load.touching);
    expect_at_most(fabs(load.alpha_o - 0.5), 1e-12);
    expect_at_most(fabs(load.fn + 50.0), 1e-10);
    expect_at_most(fabs(memory.ft.x - 30.0), 1e-10);
    expect_at_most(fabs(load.f.z - 50.0), 1e-10);

    /* The limit is 60 N at a pull of 50 N: the rest of the step slides. */
    load = advance(&law, &memory, -0.5e-3, 1e-3);
    assert_true(load.sliding);
    expect_at_most(fabs(memory.ft.x - limit_of(&law, load.fn)), 1e-10);
    expect_at_most(fabs(load.alpha_s - 0.5), 1e-12);
    expect_at_most(fabs(load.work_dissipated - 60.0 * 0.5e-3), 1e-14);

    /* The limit rises with fn, and the force goes back into it: 60 + 6 < 80. */
    load = advance(&law, &memory, 0.0, 1e-4);
    assert_false(load.sliding);
    expect_at_most(fabs(memory.ft.x - 66.0), 1e-10);

    load = advance(&law, &memory, -1.1e-3, 0.0);
    assert_false(load.touching);
    expect_at_most(tw_vec3_norm(memory.ft) + tw_vec3_norm(load.f), 0.0);
}

/* ---- The engine ---- */

enum { BODIES = 250 };
static const double edge = 0.16, radius = 0.01;

static tw_sim *cloud(const tw_contact_law *law, const char *device, double wall_speed)
{
    tw_error error;
    support_random random = {11};
    tw_sim_def def = tw_sim_def_default();
    const tw_vec3 none = {0.0, 0.0, 0.0};
    def.cell = tensor_diagonal(edge, edge, edge);
    def.periodic[2] = 0;
    def.law = *law;
    def.dt_fraction = 0.2;
    def.threads = 1;
    def.device = device;
    tw_sim *sim = scene_create(&def);
    for (int i = 0; i < BODIES; i++) {
        /* On a lattice, so that none overlaps. */
        const tw_vec3 x = {0.0225 * (i % 7) + 0.011, 0.0225 * (i / 7 % 7) + 0.011,
                           0.0225 * (i / 49) + 0.0112};
        const double size = support_uniform(&random, 0.9, 1.1);
        const double speed = support_uniform(&random, 0.1, 0.6);
        const tw_vec3 v = tw_vec3_scale(speed, support_unit(&random));
        const tw_body_def body = scene_sphere(size * radius, x, v, none);
        scene_add(sim, &body);
    }
    for (int k = 0; k < 2; k++) {
        tw_wall_def wall = tw_wall_def_default();
        wall.point = tw_vec3_make(0.0, 0.0, k == 0 ? 0.0 : edge);
        wall.normal = tw_vec3_make(0.0, 0.0, k == 0 ? 1.0 : -1.0);
        wall.v = tw_vec3_scale(wall_speed, wall.normal);
        assert_int_equal(tw_sim_add_wall(sim, &wall, NULL, &error), TW_STATUS_OK);
    }
    return sim;
}

typedef struct counts {
    size_t contacts, walls, pulling, gripping, sliding;
} counts;

/* Contacts by a loop over all pairs and images along x and y, and over the walls. */
static size_t count_pairs(const tw_sim *sim, double least)
{
    tw_sphere_state *s = calloc(BODIES, sizeof *s);
    size_t count = 0;
    assert_non_null(s);
    tw_sim_get_spheres(sim, s, BODIES, NULL);
    for (size_t p = 0; p < BODIES; p++) {
        for (size_t q = p + 1; q < BODIES; q++) {
            const double x = remainder(s[q].x.x - s[p].x.x, edge),
                         y = remainder(s[q].x.y - s[p].x.y, edge), z = s[q].x.z - s[p].x.z;
            count += s[p].radius + s[q].radius - sqrt(x * x + y * y + z * z) > least;
        }
        for (size_t k = 0; k < 2; k++) {
            tw_wall_state wall;
            assert_int_equal(tw_sim_get_wall(sim, k, &wall, NULL), TW_STATUS_OK);
            const tw_vec3 d = tw_vec3_sub(s[p].x, wall.point);
            count += s[p].radius - tw_vec3_dot(d, wall.normal) > least;
        }
    }
    free(s);
    return count;
}

static void check_contacts(const tw_sim *sim, const tw_contact_law *law, counts *sum)
{
    size_t count;
    tw_vec3 force[BODIES] = {{0.0, 0.0, 0.0}};
    assert_int_equal(tw_sim_contact_count(sim, &count, NULL), TW_STATUS_OK);
    tw_contact_state *c = calloc(count + 1, sizeof *c);
    assert_non_null(c);
    assert_int_equal(tw_sim_get_contacts(sim, c, count, NULL), TW_STATUS_OK);
    for (size_t k = 0; k < count; k++) {
        const double limit = limit_of(law, c[k].fn), ft = tw_vec3_norm(c[k].ft);
        expect_at_least(c[k].zeta, -reach);
        expect_at_most(fabs(c[k].fn - law->kn * c[k].zeta), 1e-9 * law->kn * reach);
        expect_at_most(ft, limit * (1.0 + 1e-9));
        if (c[k].sliding) expect_at_least(ft, limit * (1.0 - 1e-9));
        sum->pulling += c[k].fn < 0.0;
        sum->gripping += ft > 1.001 * law->mu * fabs(c[k].fn);
        sum->sliding += c[k].sliding != 0;
        sum->walls += c[k].body_q == TW_NO_BODY;
        force[c[k].body_p] = tw_vec3_add(force[c[k].body_p], c[k].force);
        if (c[k].body_q != TW_NO_BODY)
            force[c[k].body_q] = tw_vec3_sub(force[c[k].body_q], c[k].force);
    }
    sum->contacts += count;
    for (uint32_t i = 0; i < BODIES; i++) {
        tw_body_state body;
        assert_int_equal(tw_sim_get_body(sim, i, &body, NULL), TW_STATUS_OK);
        expect_at_most(support_distance(body.force, force[i]), 1e-9 * law->kn * reach);
    }
    free(c);
}

static void check_cloud(const tw_contact_law *law, const char *device)
{
    tw_sim *sim = cloud(law, device, 0.02);
    counts sum = {0};
    for (int k = 0; k < 40; k++) {
        size_t count;
        scene_run(sim, 23);
        assert_int_equal(tw_sim_contact_count(sim, &count, NULL), TW_STATUS_OK);
        /* One that is at the limit to rounding may count or not. */
        expect_at_most((double)count, (double)count_pairs(sim, -reach * (1.0 + 1e-9)));
        expect_at_least((double)count, (double)count_pairs(sim, -reach * (1.0 - 1e-9)));
        check_contacts(sim, law, &sum);
    }
    /* The cases that the law is about do occur. */
    expect_at_least((double)sum.pulling, 200.0);
    expect_at_least((double)sum.gripping, 200.0);
    expect_at_least((double)sum.sliding, 10.0);
    expect_at_least((double)sum.walls, 100.0);
    expect_at_least((double)(sum.contacts - sum.pulling), 200.0);
    tw_sim_free(sim);
}

static tw_contact_law soft(void)
{
    return support_law(2e3, 1.5e3, 0.2);
}

static void one_linear_law_without_damping(void **state)
{
    (void)state;
    const tw_contact_law law = soft();
    check_cloud(&law, "cpu");
}

static void without_friction(void **state)
{
    (void)state;
    tw_contact_law law = soft();
    law.mu = 0.0;
    tw_sim *sim = cloud(&law, "cpu", 0.02);
    counts sum = {0};
    for (int k = 0; k < 20; k++) {
        scene_run(sim, 23);
        check_contacts(sim, &law, &sum);
    }
    expect_at_least((double)sum.pulling, 100.0);
    tw_sim_free(sim);
}

/* Any law, in lanes. */
static void with_rolling_resistance(void **state)
{
    (void)state;
    tw_contact_law law = soft();
    law.k_r = law.kt;
    law.mu_r = 0.1;
    check_cloud(&law, "cpu");
}

static void on_a_device(void **state)
{
    (void)state;
    tw_contact_law law = soft();
    check_cloud(&law, "emulated");
    law.k_r = law.kt;
    law.mu_r = 0.1;
    check_cloud(&law, "emulated");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contact_pulls_slides_and_ends_where_the_law_says),
        cmocka_unit_test(one_linear_law_without_damping),
        cmocka_unit_test(without_friction),
        cmocka_unit_test(with_rolling_resistance),
        cmocka_unit_test(on_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
