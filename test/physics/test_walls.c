/* SPDX-License-Identifier: BSD-3-Clause */
/* Walls must be parallel to the periodic edges of the cell. Otherwise a body that leaves through a
 * periodic face and returns through the opposite one would end up in or behind the wall. */
#include "../must.h"
#include "tensor.h"

#include <stdio.h>
#include <string.h>

static tw_sim *cell_of(tw_mat3 h, int x, int y, int z)
{
    tw_sim_def def = tw_sim_def_default();
    def.cell = h;
    def.periodic[0] = x;
    def.periodic[1] = y;
    def.periodic[2] = z;
    def.law = support_law(1e5, 1e5, 0.5);
    return scene_create(&def);
}

static tw_status add_wall(tw_sim *sim, tw_vec3 normal, tw_error *error)
{
    tw_wall_def wall = tw_wall_def_default();
    wall.normal = normal;
    error->text[0] = '\0';
    return tw_sim_add_wall(sim, &wall, NULL, error);
}

static void a_wall_not_parallel_to_a_periodic_edge_is_refused(void **state)
{
    (void)state;
    static const struct {
        int periodic[3];
        tw_vec3 normal;
        int edge; /* edge named in the message; -1: accepted */
    } cases[] = {
        {{1, 1, 1}, {0.0, 0.0, 1.0}, 2},   {{1, 1, 0}, {0.0, 0.0, -2.0}, -1},
        {{1, 1, 0}, {0.0, 0.1, 1.0}, 1},   {{1, 1, 0}, {1e-3, 0.0, 1.0}, 0},
        {{1, 0, 0}, {0.0, -0.5, 1.0}, -1}, {{0, 0, 0}, {0.3, 0.4, 0.5}, -1},
        {{0, 1, 1}, {1.0, 0.0, 0.0}, -1},  {{0, 1, 1}, {1.0, 0.0, -1e-6}, 2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int *p = cases[k].periodic;
        tw_error error = {TW_STATUS_OK, ""};
        char edge[64];
        tw_sim *sim = cell_of(tensor_diagonal(1.0, 2.0, 3.0), p[0], p[1], p[2]);
        snprintf(edge, sizeof edge, "edge %c of the cell, which is periodic",
                 "abc"[cases[k].edge < 0 ? 0 : cases[k].edge]);
        assert_int_equal(add_wall(sim, cases[k].normal, &error),
                         cases[k].edge < 0 ? TW_STATUS_OK : TW_STATUS_INPUT);
        assert_int_equal(tw_sim_wall_count(sim), cases[k].edge < 0);
        if (cases[k].edge >= 0) {
            assert_int_equal(error.status, TW_STATUS_INPUT);
            assert_non_null(strstr(error.text, edge));
            assert_non_null(strstr(error.text, "wall 0"));
        }
        tw_sim_free(sim);
    }
}

/* Only the edges matter, not the axes of space. */
static void walls_along_the_edges_of_a_skewed_and_turned_cell_are_accepted(void **state)
{
    (void)state;
    support_random random = {3};
    const tw_mat3 skewed = {{1.0, 0.4, -0.3, 0.0, 2.0, 0.7, 0.0, 0.0, 3.0}};
    for (int k = 0; k < 100; k++) {
        const tw_mat3 turn = tensor_rotation(tensor_random_turn(&random));
        const tw_vec3 across = tensor_apply(turn, tw_vec3_make(0.0, 0.0, 1.0));
        const tw_vec3 wrong = tensor_apply(turn, tw_vec3_make(0.0, 1.0, 0.0));
        tw_error error = {TW_STATUS_OK, ""};
        tw_sim *sim = cell_of(tensor_mul(turn, skewed), 1, 1, 0);
        assert_int_equal(add_wall(sim, across, &error), 0);
        assert_int_equal(add_wall(sim, wrong, &error), TW_STATUS_INPUT);
        tw_sim_free(sim);
    }
}

static void tilting_a_periodic_edge_out_of_a_wall_stops_the_run(void **state)
{
    (void)state;
    tw_error error = {TW_STATUS_OK, ""};
    tw_sim *sim = cell_of(tensor_diagonal(1.0, 1.0, 1.0), 1, 1, 0);
    const tw_vec3 none = {0.0, 0.0, 0.0};
    const tw_body_def body = scene_sphere(0.1, tw_vec3_make(0.5, 0.5, 0.5), none, none);
    scene_add(sim, &body);
    assert_int_equal(add_wall(sim, tw_vec3_make(0.0, 0.0, 1.0), &error), 0);
    tw_mat3 gradient = tensor_zero();
    gradient.m[0] = gradient.m[1] = gradient.m[3] = 0.1; /* within the plane */
    tw_sim_set_velocity_gradient(sim, &gradient);
    scene_run(sim, 10);
    gradient.m[6] = 0.1; /* x moves along z */
    tw_sim_set_velocity_gradient(sim, &gradient);
    assert_int_equal(tw_sim_run(sim, 10, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "wall 0"));
    assert_non_null(strstr(error.text, "edge a"));
    gradient.m[6] = 0.0;
    tw_sim_set_velocity_gradient(sim, &gradient);
    scene_run(sim, 10); /* the state is still valid */
    tw_sim_free(sim);
}

/* On fixed spheres, in closed form: a wall that presses does k/2 times the square of its way, one
 * that turns kt/2, one that stands nothing. Together it is the work in the balance. */
static void each_wall_has_its_work_and_name(void **state)
{
    (void)state;
    const double r = 0.1, depth = 1e-4, k = 1e5, turned = 1e-4, arm = 0.3;
    const tw_vec3 none = {0.0, 0.0, 0.0};
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    for (int j = 0; j < 3; j++)
        def.periodic[j] = 0;
    def.law = support_law(k, 0.8 * k, 0.5);
    def.dt = 1e-4;
    tw_sim *sim = scene_create(&def);
    tw_body_def body = scene_sphere(r, tw_vec3_make(0.5, 0.5, 0.5), none, none);
    body.fixed = 1;
    scene_add(sim, &body);
    tw_wall_def wall = tw_wall_def_default();
    wall.name = "stands";
    wall.point.z = 0.5 - r + depth;
    must_add_wall(sim, &wall);
    wall.name = "turns";
    wall.normal = tw_vec3_make(1.0, 0.0, 0.0);
    wall.point = tw_vec3_make(0.5 - r + depth, 0.5, 0.5 + arm);
    wall.spin.x = turned / (100 * def.dt);
    must_add_wall(sim, &wall);
    assert_int_equal(tw_sim_add_wall(sim, &wall, NULL, &error), TW_STATUS_INPUT);
    assert_string_equal(error.text, "wall 2: there is a wall of this name");
    wall = tw_wall_def_default();
    wall.normal.z = -1.0;
    wall.point.z = 0.5 + r;
    wall.v.z = -depth / (100 * def.dt);
    must_add_wall(sim, &wall);
    scene_run(sim, 100);
    const char *const names[] = {"stands", "turns", ""};
    const double way = arm * turned, presses = 0.5 * k * depth * depth,
                 turns = 0.5 * 0.8 * k * way * way;
    const double work[] = {0.0, turns, presses};
    double sum = 0.0;
    for (size_t j = 0; j < 3; j++) {
        const tw_wall_state now = must_wall(sim, j);
        print_message("%s: %.17g of %.17g J\n", now.name, now.work, work[j]);
        assert_string_equal(now.name, names[j]);
        /* the arc is longer than its chord by a part of 1e-8 / 24; of the depth 1e-13 is rounded */
        expect_at_most(fabs(now.work - work[j]), 1e-9 * work[j]);
        sum += now.work;
    }
    expect_at_most(fabs(sum / must_measure(sim).energy.walls - 1.0), 1e-14);
    tw_sim_free(sim);
}

/* No time passes, and no energy changes: neither a floor nor a fixed body on which a ball rests,
 * far from the axis, does work, nor a floor that turned before. */
static void a_rigid_rotation_does_no_work(void **state)
{
    (void)state;
    const tw_vec3 none = {0.0, 0.0, 0.0};
    const double r = 0.1, k = 1e5, weight = 2650.0 * 4.0 / 3.0 * TW_MATH_PI * r * r * r * 10.0;
    for (int device = 0; device < 2; device++) {
        const tw_contact_law law = support_law(k, 0.8 * k, 0.5);
        tw_sim_def def = scene_open_cube(1.0, &law);
        def.gravity.z = -10.0;
        def.device = device ? "emulated" : "cpu";
        tw_sim *sim = scene_create(&def);
        tw_wall_def floor = tw_wall_def_default();
        floor.point.y = 2.0;
        floor.spin.z = 1e-3;
        must_add_wall(sim, &floor);
        for (int fixed = 0; fixed < 2; fixed++) {
            tw_body_def body = scene_sphere(r, tw_vec3_make(0.5, 0.5, r - weight / k), none, none);
            body.fixed = fixed;
            if (fixed) body.x.x += 2.0 * r - 1e-5;
            scene_add(sim, &body);
        }
        scene_run(sim, 20);
        const tw_measure before = must_measure(sim);
        assert_true(before.energy.walls != 0.0 && before.wall_contacts > 0);
        tw_error error;
        must_succeed(tw_sim_rotate(sim, tw_vec3_make(1.0, 0.2, 0.0), 50, &error), &error);
        const tw_measure after = must_measure(sim);
        expect_at_most(fabs(after.energy.walls - before.energy.walls), 0.0);
        expect_at_most(fabs(must_wall(sim, 0).work - before.energy.walls), 0.0);
        tw_sim_free(sim);
    }
}

static void what_is_no_servo_is_refused(void **state)
{
    (void)state;
    tw_error error;
    tw_sim *sim = cell_of(tensor_diagonal(1.0, 1.0, 1.0), 1, 1, 0);
    tw_wall_def lid = tw_wall_def_default();
    lid.servo = 1;
    for (int k = 0; k < 4; k++) {
        lid.v_max = k == 0 ? -1.0 : k == 1 ? (double)NAN : 0.0;
        lid.force = k == 2 ? -1.0 : k == 3 ? (double)INFINITY : 0.0;
        assert_int_equal(tw_sim_add_wall(sim, &lid, NULL, &error), TW_STATUS_INPUT);
        assert_non_null(strstr(error.text, "wall 0: force and v_max must not be negative"));
    }
    lid.force = 1.0;
    lid.v.z = 1.0;
    must_add_wall(sim, &lid);
    assert_true(must_wall(sim, 0).v.z == 0.0);
    assert_int_equal(tw_sim_set_wall_velocity(sim, 0, lid.v, &error), TW_STATUS_INPUT);
    assert_string_equal(error.text, "wall 0: its servo chooses v");
    tw_sim_free(sim);
}

/* Without a limit given: a tenth of the overlap with which one grain carries the force, in a step.
 */
static void a_small_force_approaches_slowly(void **state)
{
    (void)state;
    tw_sim *sim = cell_of(tensor_diagonal(1.0, 1.0, 1.0), 1, 1, 0);
    const tw_vec3 none = {0.0, 0.0, 0.0};
    const tw_body_def body = scene_sphere(0.1, none, none, none);
    tw_wall_def lid = tw_wall_def_default();
    lid.point.z = -0.2;
    lid.servo = 1;
    lid.force = 1e-2;
    scene_add(sim, &body);
    must_add_wall(sim, &lid);
    scene_run(sim, 10);
    expect_at_most(fabs((must_wall(sim, 0).point.z + 0.2) / (10 * 0.1 * 1e-2 / 1e5) - 1.0), 1e-8);
    tw_sim_free(sim);
}

/* A large force on a lid above a grain: with no limit of its speed it would be behind the grain
 * after a few steps. */
static void a_servo_wall_has_a_largest_speed(void **state)
{
    (void)state;
    const double r = 0.1, gap = 1e-4 * r;
    for (int limited = 1; limited >= 0; limited--) {
        tw_error error = {TW_STATUS_OK, ""};
        tw_sim *sim = cell_of(tensor_diagonal(1.0, 1.0, 1.0), 1, 1, 0);
        tw_body_def body = tw_body_def_default();
        body.size = r;
        scene_add(sim, &body);
        tw_wall_def lid = tw_wall_def_default();
        lid.point.z = r + gap;
        lid.normal.z = -1.0;
        lid.servo = 1;
        lid.force = 1e7; /* a hundred times r, times the stiffness */
        if (!limited) lid.v_max = (double)INFINITY;
        assert_int_equal(must_add_wall(sim, &lid), 0);
        const tw_status status = tw_sim_run(sim, 3, &error);
        const double moved = tw_vec3_norm(must_wall(sim, 0).v) * tw_sim_dt(sim);
        print_message("%.3g radii per step: %s\n", moved / r, error.text);
        if (limited) {
            assert_int_equal(status, TW_STATUS_OK);
            assert_int_equal(must_contacts(sim), 1);
            expect_at_most(fabs(moved / (1e-3 * r) - 1.0), 1e-12);
        } else {
            assert_int_equal(status, TW_STATUS_PHYSICS);
            assert_non_null(strstr(error.text, "its servo moves at up to v_max = inf m/s"));
        }
        tw_sim_free(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wall_not_parallel_to_a_periodic_edge_is_refused),
        cmocka_unit_test(walls_along_the_edges_of_a_skewed_and_turned_cell_are_accepted),
        cmocka_unit_test(tilting_a_periodic_edge_out_of_a_wall_stops_the_run),
        cmocka_unit_test(each_wall_has_its_work_and_name),
        cmocka_unit_test(a_rigid_rotation_does_no_work),
        cmocka_unit_test(what_is_no_servo_is_refused),
        cmocka_unit_test(a_small_force_approaches_slowly),
        cmocka_unit_test(a_servo_wall_has_a_largest_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
