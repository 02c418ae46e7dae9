/* SPDX-License-Identifier: BSD-3-Clause */
/* Velocities are set and returned at the current time, although the leap-frog keeps those of half a
 * step earlier; setting them keeps the energy balance closed. */
#include "../must.h"
#include "tensor.h"

static const double radius = 0.01;
static const tw_vec3 none = {0.0, 0.0, 0.0};

/* Kinetic energy is defined as m v_before.v_after/2: after n steps from rest nothing is lost, up to
 * rounding. */
static void a_body_at_rest_falls_by_half_g_t_squared(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(1e5, 1e5, 0.5);
    tw_sim_def def = scene_open_cube(1.0, &law);
    def.gravity = tw_vec3_make(1.0, -2.0, -9.81);
    def.dt = 1e-4;
    tw_sim *sim = scene_create(&def);
    const tw_vec3 x0 = {0.3, 0.5, 0.6}, v0 = {0.3, 0.1, 1.0};
    const tw_body_def rests = scene_sphere(radius, x0, none, none);
    const tw_body_def flies = scene_sphere(radius, tw_vec3_make(0.9, 0.1, 0.1), v0, none);
    scene_add(sim, &rests);
    scene_add(sim, &flies);
    for (int k = 0; k < 4; k++) {
        const double t = tw_sim_time(sim);
        const tw_body_state a = must_body(sim, 0), b = must_body(sim, 1);
        const tw_vec3 fallen = tw_vec3_scale(0.5 * t * t, def.gravity);
        expect_at_most(support_distance(tw_vec3_sub(a.x, x0), fallen), 1e-14);
        expect_at_most(support_distance(a.v, tw_vec3_scale(t, def.gravity)), 1e-13);
        expect_at_most(
            support_distance(b.x, tw_vec3_add_scaled(tw_vec3_add(flies.x, fallen), t, v0)), 1e-14);
        expect_at_most(support_distance(b.v, tw_vec3_add_scaled(v0, t, def.gravity)), 1e-13);
        const tw_energy e = must_measure(sim).energy;
        expect_at_most(fabs(e.residual), 1e-13 * (e.start + fabs(e.gravity)));
        scene_run(sim, 200);
    }
    tw_sim_free(sim);
}

/* A sphere in permanent contact with a floor is a harmonic oscillator. Error of position and
 * velocity after a time, relative to the amplitudes. */
static double error_of_oscillator(int steps_per_period)
{
    const tw_contact_law law = support_law(1e4, 0.0, 0.0);
    tw_sim_def def = scene_open_cube(1.0, &law);
    const double mass = 4.0 / 3.0 * SUPPORT_PI * radius * radius * radius * def.density;
    const double omega = sqrt(law.kn / mass), rest = 1e-5, size = 0.4e-5, phase = 0.6;
    def.gravity.z = -law.kn * rest / mass;
    def.dt = 2.0 * SUPPORT_PI / omega / steps_per_period;
    tw_sim *sim = scene_create(&def);
    tw_wall_def floor = tw_wall_def_default();
    must_add_wall(sim, &floor);
    const tw_vec3 x = {0.5, 0.5, radius - rest + size * cos(phase)};
    const tw_vec3 v = {0.0, 0.0, -size * omega * sin(phase)};
    const tw_body_def body = scene_sphere(radius, x, v, none);
    scene_add(sim, &body);
    scene_run(sim, (uint64_t)(5 * steps_per_period / 4));
    const double angle = omega * tw_sim_time(sim) + phase;
    const tw_body_state end = must_body(sim, 0);
    const double dx = end.x.z - (radius - rest + size * cos(angle));
    const double dv = end.v.z + size * omega * sin(angle);
    tw_sim_free(sim);
    return fmax(fabs(dx) / size, fabs(dv) / (size * omega));
}

static void velocities_are_of_second_order(void **state)
{
    (void)state;
    const double coarse = error_of_oscillator(64), fine = error_of_oscillator(128);
    print_message("error %.2e, with half the step %.2e\n", coarse, fine);
    expect_at_most(coarse, 0.02);
    expect_at_most(fabs(coarse / fine - 4.0), 0.1);
}

/* Overlapping spheres and asymmetric clusters in a shearing cell, with every kind of damping. */
static tw_sim *make_crowd(void)
{
    const tw_sphere lopsided[] = {{{0.1, 0.0, 0.2}, 0.8}, {{0.6, 0.1, 0.0}, 0.6}};
    const tw_mat3 gradient = {{-3.0, 20.0, 0.0, 5.0, 2.0, 0.0, 0.0, -8.0, 1.0}};
    support_random random = {7};
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(6.0 * radius, 6.0 * radius, 6.0 * radius);
    def.law = support_law(1e5, 0.8e5, 0.5);
    def.law.nu_n = def.law.nu_t = 0.5;
    def.gravity = tw_vec3_make(1.0, 2.0, -9.81);
    def.damping_mass = 30.0;
    def.damping_spin = 20.0;
    def.damping_local = 0.3;
    def.threads = 1;
    tw_sim *sim = scene_create(&def);
    const uint32_t shape = must_add_shape(sim, lopsided, 2);
    for (int i = 0; i < 27; i++) {
        const tw_vec3 place = {i % 3 + 0.5, i / 3 % 3 + 0.5, i / 9 + 0.5};
        const tw_vec3 v = tw_vec3_scale(0.2, support_unit(&random));
        const tw_vec3 w = tw_vec3_scale(30.0, support_unit(&random));
        tw_body_def body = scene_sphere(1.02 * radius, tw_vec3_scale(2.0 * radius, place), v, w);
        body.shape = i % 2 ? shape : 0;
        body.q = tensor_quat(tensor_random_turn(&random));
        body.fixed = i == 13;
        scene_add(sim, &body);
    }
    tw_sim_set_velocity_gradient(sim, &gradient);
    return sim;
}

static void velocities_are_returned_as_set(void **state)
{
    (void)state;
    support_random random = {7};
    tw_sim *sim = make_crowd(), *again = scene_copy(sim); /* the copy was not prepared either */
    must_prepare(sim);
    assert_true(tw_sim_steps(sim) == 0 && tw_sim_time(sim) == 0.0 && tw_sim_dt(sim) > 0.0);
    assert_true(must_contacts(sim) > 10);
    for (uint32_t id = 0; id < tw_sim_body_count(sim); id++) {
        const tw_body_state b = must_body(sim, id);
        const tw_vec3 v = tw_vec3_scale(0.2, support_unit(&random));
        const tw_vec3 w = tw_vec3_scale(30.0, support_unit(&random));
        (void)tensor_random_turn(&random);
        expect_at_most(support_distance(b.v, v), 1e-14);
        expect_at_most(support_distance(b.w, w), 1e-12);
        if (!b.fixed) assert_true(support_distance(b.v, b.v_half) > 1e-5);
    }
    expect_at_most(fabs(must_measure(sim).energy.residual), 1e-18);
    scene_run(sim, 20);
    scene_run(again, 20);
    assert_true(tw_sim_hash(sim) == tw_sim_hash(again));
    tw_sim_free(again);
    tw_sim_free(sim);
}

/* Exact copies from the velocities of half a step earlier. */
static void half_step_velocities_make_exact_copies(void **state)
{
    (void)state;
    tw_sim *sim = make_crowd();
    scene_run(sim, 20);
    tw_sim_def def = tw_sim_get_definition(sim);
    tw_sim *copy = scene_create(&def);
    for (uint32_t id = 0; id < tw_sim_body_count(sim); id++) {
        const tw_body_state b = must_body(sim, id);
        tw_body_def body = scene_sphere(b.size, b.x, b.v_half, b.w_half);
        body.half_step = 1;
        scene_add(copy, &body);
        const tw_body_state c = must_body(copy, id);
        assert_memory_equal(&c.v_half, &b.v_half, sizeof c.v_half);
        expect_at_most(support_distance(c.w_half, b.w_half), 1e-12);
    }
    tw_sim_free(copy);
    tw_sim_free(sim);
}

/* Setting velocities at any time is not work: the residual does not change. */
static void setting_velocities_does_not_change_the_residual(void **state)
{
    (void)state;
    support_random random = {8};
    tw_sim *sim = make_crowd();
    scene_run(sim, 50);
    for (int prepared = 1; prepared >= 0; prepared--) {
        const tw_energy before = must_measure(sim).energy;
        if (!prepared) { /* a body far from all others, at rest */
            const tw_body_def body = scene_sphere(0.05 * radius, none, none, none);
            scene_add(sim, &body);
        }
        assert_int_equal(tw_sim_is_prepared(sim), prepared);
        for (uint32_t id = 0; id < tw_sim_body_count(sim); id++) {
            const tw_vec3 v = tw_vec3_scale(prepared ? 1.0 : 3.0, support_unit(&random));
            const tw_vec3 w = tw_vec3_scale(9.0, support_unit(&random));
            must_set_body_velocity(sim, id, none, w); /* twice: the first must have no effect */
            must_set_body_velocity(sim, id, v, w);
            expect_at_most(support_distance(must_body(sim, id).v, v), 1e-14);
            expect_at_most(support_distance(must_body(sim, id).w, w), 1e-13);
        }
        const tw_energy after = must_measure(sim).energy;
        assert_true(after.kinetic > 2.0 * before.kinetic);
        expect_at_most(fabs(after.residual - before.residual), 1e-13 * after.kinetic);
    }
    tw_sim_free(sim);
}

/* ---- The time step changes ---- */

/* A loose cloud of spheres that is compressed: dt falls as contacts form. */
static tw_sim *make_cloud(double skin)
{
    const tw_mat3 gradient = tensor_diagonal(-40.0, -40.0, -40.0);
    support_random random = {11};
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(10.0 * radius, 10.0 * radius, 10.0 * radius);
    def.law = support_law(1e5, 0.8e5, 0.5);
    def.law.nu_n = def.law.nu_t = 5.0;
    def.skin = skin;
    def.threads = 1;
    tw_sim *sim = scene_create(&def);
    for (int i = 0; i < 64; i++) {
        const tw_vec3 place = {i % 4 + 0.5, i / 4 % 4 + 0.5, i / 16 + 0.5};
        const tw_vec3 v = tw_vec3_scale(2.0, support_unit(&random));
        const tw_vec3 w = tw_vec3_scale(30.0, support_unit(&random));
        const tw_body_def body =
            scene_sphere((i % 3 ? 1.0 : 0.7) * radius, tw_vec3_scale(2.5 * radius, place), v, w);
        scene_add(sim, &body);
    }
    tw_sim_set_velocity_gradient(sim, &gradient);
    return sim;
}

enum { CLOUD_STEPS = 400 };

/* The contacts of two states have the same forces, bit for bit. */
static void expect_equal_forces(const tw_sim *a, const tw_sim *b)
{
    size_t count[2];
    tw_contact_state *one = scene_contacts(a, &count[0]), *other = scene_contacts(b, &count[1]);
    assert_true(count[0] == count[1]);
    for (size_t k = 0; k < count[0]; k++)
        assert_memory_equal(&one[k].force, &other[k].force, sizeof one[k].force);
    free(one);
    free(other);
}

/* Dampers divide the motion of a step by its own dt, also in a step in which dt falls. */
static void a_step_in_which_dt_falls_is_one_of_its_dt(void **state)
{
    (void)state;
    tw_error error;
    int fell = 0;
    tw_sim *sim = make_cloud(0.0);
    must_prepare(sim);
    for (int k = 0; k < CLOUD_STEPS; k++) {
        const double dt = tw_sim_dt(sim);
        tw_sim *kept = tw_sim_copy(sim, &error);
        scene_run(sim, 1);
        if (tw_sim_dt(sim) < dt) {
            fell++;
            must_succeed(tw_sim_set_dt(kept, dt, 1, &error), &error);
            scene_run(kept, 1);
            expect_equal_forces(sim, kept);
            for (uint32_t id = 0; id < tw_sim_body_count(sim); id++) {
                /* The present velocity stays; rounding of 5 m/s and of 5 m/s over the radius. */
                const tw_body_state a = must_body(sim, id), b = must_body(kept, id);
                expect_at_most(support_distance(a.v, b.v), 1e-14);
                expect_at_most(support_distance(a.w, b.w), 1e-12);
            }
        }
        tw_sim_free(kept);
    }
    print_message("dt fell %d times\n", fell);
    assert_true(fell >= 2);
    tw_sim_free(sim);
}

/* It falls in the same steps whatever the neighbour list: another program has another. */
static void dt_does_not_depend_on_searches(void **state)
{
    (void)state;
    tw_sim *sim = make_cloud(0.05 * radius), *other = make_cloud(0.3 * radius);
    for (int k = 0; k < CLOUD_STEPS; k++) {
        scene_run(sim, 1);
        scene_run(other, 1);
        /* Where dt does not follow from the number of contacts, roundings of velocities count. */
        expect_at_most(fabs(tw_sim_dt(sim) - tw_sim_dt(other)), 1e-9 * tw_sim_dt(sim));
    }
    tw_sim_free(sim);
    tw_sim_free(other);
}

/* In a crowd with every kind of damping, also after a body was added. */
static void velocities_stay_when_dt_is_set(void **state)
{
    (void)state;
    tw_error error;
    enum { CROWD = 27 };
    for (int k = 0; k < 6; k++) {
        tw_sim *sim = make_crowd();
        scene_run(sim, 20);
        const double dt = tw_sim_dt(sim), set[] = {0.1 * dt, 0.7 * dt, 0.0};
        const tw_energy had = must_measure(sim).energy;
        const tw_body_def far = scene_sphere(0.5 * radius, none, none, none);
        if (k >= 3) scene_add(sim, &far);
        tw_body_state before[CROWD];
        for (uint32_t id = 0; id < CROWD; id++)
            before[id] = must_body(sim, id);
        must_succeed(tw_sim_set_dt(sim, set[k % 3], 1, &error), &error);
        for (int prepared = 0; prepared < 2; prepared++) {
            for (uint32_t id = 0; id < CROWD; id++) {
                const tw_body_state now = must_body(sim, id);
                expect_at_most(support_distance(now.v, before[id].v), 1e-13);
                expect_at_most(support_distance(now.w, before[id].w), 1e-11);
            }
            must_prepare(sim);
        }
        /* Kinetic energy is m v_before.v_after/2, which differs by (dt f)^2/(8 m). */
        const tw_energy has = must_measure(sim).energy;
        print_message("residual changes by %.1e of the kinetic energy\n",
                      fabs(has.residual - had.residual) / had.kinetic);
        expect_at_most(fabs(has.residual - had.residual), 0.02 * had.kinetic);
        tw_sim_free(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_at_rest_falls_by_half_g_t_squared),
        cmocka_unit_test(velocities_are_of_second_order),
        cmocka_unit_test(velocities_are_returned_as_set),
        cmocka_unit_test(half_step_velocities_make_exact_copies),
        cmocka_unit_test(setting_velocities_does_not_change_the_residual),
        cmocka_unit_test(a_step_in_which_dt_falls_is_one_of_its_dt),
        cmocka_unit_test(dt_does_not_depend_on_searches),
        cmocka_unit_test(velocities_stay_when_dt_is_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
