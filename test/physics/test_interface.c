/* SPDX-License-Identifier: BSD-3-Clause */
/* The C interface at first use: numbers out of range and queries for unknown results are refused,
 * and a refused call changes nothing. */
#include "../must.h"
#include "tensor.h"

#include <string.h>

static const tw_vec3 none = {0.0, 0.0, 0.0};

static void expect_refused(tw_status status, const tw_error *error, const char *words)
{
    assert_int_equal(status, TW_STATUS_INPUT);
    assert_int_equal(error->status, TW_STATUS_INPUT);
    if (!strstr(error->text, words)) fail_msg("\"%s\" is not in \"%s\"", words, error->text);
}

/* Two spheres that overlap each other and a floor. */
static tw_sim *make_pair(double dt)
{
    const tw_contact_law law = support_law(1e5, 1e5, 0.5);
    tw_sim_def def = scene_open_cube(1.0, &law);
    def.dt = dt;
    tw_sim *sim = scene_create(&def);
    const tw_wall_def floor = tw_wall_def_default();
    must_add_wall(sim, &floor);
    for (int i = 0; i < 2; i++) {
        const tw_vec3 x = {0.1 + 0.1999 * i, 0.5, 0.0999};
        const tw_body_def body = scene_sphere(0.1, x, none, none);
        scene_add(sim, &body);
    }
    return sim;
}

static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    tw_error error;
    tw_body_state body = {.id = 77};
    tw_wall_state wall = {.servo = 77};
    tw_sim *sim = make_pair(0.0);
    for (int prepared = 0; prepared < 2; prepared++) {
        const uint64_t hash = tw_sim_hash(sim);
        expect_refused(tw_sim_get_body(sim, 2, &body, &error), &error, "no body 2");
        expect_refused(tw_sim_get_body(sim, UINT32_MAX, &body, &error), &error,
                       "no body 4294967295");
        expect_refused(tw_sim_set_body_velocity(sim, 2, none, none, &error), &error, "no body 2");
        expect_refused(tw_sim_get_wall(sim, 1, &wall, &error), &error, "no wall 1");
        expect_refused(tw_sim_set_wall_velocity(sim, 1, none, &error), &error, "no wall 1");
        const tw_vec3 bad = {(double)NAN, 0.0, 0.0};
        expect_refused(tw_sim_set_body_velocity(sim, 1, bad, none, &error), &error, "finite");
        expect_refused(tw_sim_set_wall_velocity(sim, 0, bad, &error), &error, "finite");
        assert_int_equal(tw_sim_get_body(sim, 2, &body, NULL), TW_STATUS_INPUT);
        assert_true(body.id == 77 && wall.servo == 77 && tw_sim_hash(sim) == hash);
        must_prepare(sim);
    }
    tw_sim_free(sim);
}

static void contacts_and_forces_are_unknown_until_prepared(void **state)
{
    (void)state;
    tw_error error;
    size_t count = 77;
    tw_contact_state contacts[4];
    tw_stable_step stable;
    tw_sim *sim = make_pair(0.0);
    for (int again = 0; again < 2; again++) {
        assert_false(tw_sim_is_prepared(sim));
        expect_refused(tw_sim_contact_count(sim, &count, &error), &error, "tw_sim_prepare");
        expect_refused(tw_sim_get_contacts(sim, contacts, 4, &error), &error, "tw_sim_prepare");
        expect_refused(tw_sim_get_stable_step(sim, &stable, &error), &error, "tw_sim_prepare");
        assert_int_equal(count, 77);
        assert_true(isnan(must_body(sim, 0).force.x) && isnan(must_body(sim, 0).torque.y));
        assert_true(isnan(must_wall(sim, 0).force.z));
        must_prepare(sim);
        assert_true(tw_sim_is_prepared(sim));
        assert_int_equal(tw_sim_steps(sim), 0);
        assert_int_equal(must_contacts(sim), 3);
        assert_int_equal(must_measure(sim).contacts, 3);
        assert_true(must_body(sim, 0).force.x < 0.0 && must_wall(sim, 0).force.z < 0.0);
        assert_true(must_stable_step(sim).dt > tw_sim_dt(sim) && tw_sim_dt(sim) > 0.0);
        const tw_body_def body = scene_sphere(0.1, tw_vec3_make(0.5, 0.5, 0.9), none, none);
        scene_add(sim, &body); /* it must be prepared again */
    }
    tw_sim_free(sim);
}

static void an_empty_simulation_has_nothing_to_measure(void **state)
{
    (void)state;
    tw_error error;
    tw_measure measure;
    const tw_contact_law law = support_law(1e5, 1e5, 0.5);
    const tw_sim_def def = scene_open_cube(1.0, &law);
    tw_sim *sim = scene_create(&def);
    expect_refused(tw_sim_prepare(sim, &error), &error, "no bodies");
    expect_refused(tw_sim_measure(sim, &measure, &error), &error, "no bodies");
    expect_refused(tw_sim_run(sim, 1, &error), &error, "no bodies");
    tw_sim_free(sim);
}

/* A refused time step has no effect. */
static void a_refused_time_step_leaves_the_old_one(void **state)
{
    (void)state;
    tw_error error;
    tw_sim *sim = make_pair(0.0), *same = make_pair(0.0);
    scene_run(sim, 10);
    scene_run(same, 10);
    const double dt = tw_sim_dt(sim);
    assert_int_equal(tw_sim_set_dt(sim, 1.0, 0, &error), TW_STATUS_PHYSICS);
    assert_true(tw_sim_dt(sim) == dt && tw_sim_get_definition(sim).dt == 0.0);
    scene_run(sim, 10);
    scene_run(same, 10);
    assert_true(tw_sim_hash(sim) == tw_sim_hash(same));
    tw_sim_free(sim);
    tw_sim_free(same);
}

/* A failed preparation is repeated after its cause is removed. */
static void too_long_a_time_step_can_be_corrected(void **state)
{
    (void)state;
    tw_error error;
    tw_sim *sim = make_pair(1.0);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(tw_sim_run(sim, 1, &error), TW_STATUS_PHYSICS);
        assert_false(tw_sim_is_prepared(sim));
        assert_int_equal(tw_sim_steps(sim), 0);
    }
    assert_int_equal(tw_sim_set_dt(sim, 0.0, 0, &error), TW_STATUS_OK);
    scene_run(sim, 10);
    const tw_body_def body = scene_sphere(1e-3, tw_vec3_make(0.5, 0.5, 0.9), none, none);
    assert_int_equal(tw_sim_set_dt(sim, 0.9 * must_stable_step(sim).dt, 0, &error), TW_STATUS_OK);
    scene_add(sim, &body); /* too light for this step */
    for (int k = 0; k < 2; k++)
        assert_int_equal(tw_sim_run(sim, 1, &error), TW_STATUS_PHYSICS);
    assert_int_equal(tw_sim_set_dt(sim, 0.0, 0, &error), TW_STATUS_OK);
    scene_run(sim, 10);
    tw_sim_free(sim);
}

/* The cell would become NaN, and its checkpoint could not be loaded; before the first step, so
 * would the velocities that preparation converts. */
static void a_non_finite_gradient_or_gravity_is_refused_before_anything_changes(void **state)
{
    (void)state;
    tw_error error;
    const tw_mat3 still = {{0.0}}, bad = {{(double)NAN}};
    for (int prepared = 0; prepared < 2; prepared++) {
        tw_sim *sim = make_pair(0.0);
        if (prepared) must_prepare(sim);
        const uint64_t hash = tw_sim_hash(sim);
        tw_sim_set_velocity_gradient(sim, &bad);
        expect_refused(tw_sim_run(sim, 1, &error), &error, "velocity gradient");
        tw_sim_set_velocity_gradient(sim, &still);
        tw_sim_set_gravity(sim, tw_vec3_make(0.0, HUGE_VAL, 0.0));
        expect_refused(tw_sim_run(sim, 1, &error), &error, "gravity");
        tw_sim_set_gravity(sim, none);
        assert_true(tw_sim_hash(sim) == hash);
        assert_int_equal(tw_sim_run(sim, 1, &error), TW_STATUS_OK);
        tw_sim_free(sim);
    }
}

static void spheres_that_overlap_too_much_at_the_start_are_named(void **state)
{
    (void)state;
    tw_error error;
    const tw_contact_law law = support_law(1e5, 1e5, 0.5);
    const tw_sim_def def = scene_open_cube(1.0, &law);
    tw_sim *sim = scene_create(&def);
    for (int i = 0; i < 2; i++) {
        const tw_vec3 x = {0.3 + 0.01 * i, 0.5, 0.5};
        const tw_body_def body = scene_sphere(0.1, x, none, none);
        scene_add(sim, &body);
    }
    assert_int_equal(tw_sim_prepare(sim, &error), TW_STATUS_PHYSICS);
    assert_non_null(strstr(error.text, "bodies 0 and 1 overlap by 0.19 m at the start"));
    assert_null(strstr(error.text, "dt"));
    tw_sim_free(sim);
}

static void only_the_normal_stiffness_must_be_set(void **state)
{
    (void)state;
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    assert_null(tw_sim_create(&def, &error));
    assert_non_null(strstr(error.text, "kn"));
    def.law.kn = 1e5;
    tw_sim *sim = tw_sim_create(&def, &error);
    assert_non_null(sim);
    tw_sim_free(sim);
}

/* A cell that moves by more than itself in a step would be turned inside out by the midpoint rule.
 * `prepared`: forces and the time step are known before. */
static void check_fast_cell(int prepared)
{
    static const double rates[] = {1e9, -1e9, 1e300, -1e300};
    for (int k = 0; k < 9; k++) {
        for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
            tw_error error;
            tw_mat3 gradient = {{0.0}};
            tw_contact_law law = tw_contact_law_default();
            law.kn = law.kt = 1e5;
            law.mu = 0.5;
            const tw_sim_def def = scene_open_cube(0.1, &law);
            tw_sim *sim = tw_sim_create(&def, &error);
            for (int id = 0; id < 2; id++) { /* they touch */
                const tw_vec3 x = {0.05 + 0.00199 * id, 0.05, 0.05}, v = {1.0, 2.0, 3.0};
                const tw_body_def body = scene_sphere(0.001, x, v, tw_vec3_make(0.0, 0.0, 0.0));
                must_succeed(tw_sim_add_body(sim, &body, NULL, &error), &error);
            }
            if (prepared) must_succeed(tw_sim_prepare(sim, &error), &error);
            const uint64_t hash = tw_sim_hash(sim);
            gradient.m[k] = rates[i];
            tw_sim_set_velocity_gradient(sim, &gradient);
            assert_int_equal(tw_sim_run(sim, 1, &error), TW_STATUS_INPUT);
            assert_non_null(strstr(error.text, "moves the cell by"));
            assert_non_null(strstr(error.text, "1/s"));
            gradient.m[k] = 0.0;
            tw_sim_set_velocity_gradient(sim, &gradient);
            if (prepared) assert_true(tw_sim_hash(sim) == hash);
            must_succeed(tw_sim_prepare(sim, &error), &error);
            /* Back and forth by half a step: rounding. */
            assert_true(fabs(must_body(sim, 1).v.y - 2.0) < 1e-12);
            gradient.m[k] = 0.09 / tw_sim_dt(sim); /* below the limit of 0.1 */
            tw_sim_set_velocity_gradient(sim, &gradient);
            /* The spheres may part by more than a step allows, but that is another error. */
            assert_int_not_equal(tw_sim_run(sim, 1, &error), TW_STATUS_INPUT);
            tw_sim_free(sim);
        }
    }
}

static void a_cell_that_moves_by_more_than_itself_is_refused(void **state)
{
    (void)state;
    check_fast_cell(0);
    check_fast_cell(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_that_moves_by_more_than_itself_is_refused),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(contacts_and_forces_are_unknown_until_prepared),
        cmocka_unit_test(an_empty_simulation_has_nothing_to_measure),
        cmocka_unit_test(a_refused_time_step_leaves_the_old_one),
        cmocka_unit_test(too_long_a_time_step_can_be_corrected),
        cmocka_unit_test(a_non_finite_gradient_or_gravity_is_refused_before_anything_changes),
        cmocka_unit_test(spheres_that_overlap_too_much_at_the_start_are_named),
        cmocka_unit_test(only_the_normal_stiffness_must_be_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
