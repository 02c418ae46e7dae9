/* SPDX-License-Identifier: BSD-3-Clause */
/* A sphere as a wall. Grains that fall onto it must move as those that fall onto a fixed body of
 * the same form, which touches them by other code: pairs of spheres in lanes. */
#include "tensor.h"

#include <math.h>

enum { GRAINS = 40 };
static const double ball = 0.1, grain = 0.02;

typedef struct scene {
    const char *device;
    tw_contact_law law;
    tw_vec3 speed; /* of the ball */
    double motion; /* of the grains: 1, or 0 for grains at rest without gravity */
} scene;

/* As a body, or as a wall. */
static tw_sim *make(const scene *s, int as_wall)
{
    const tw_vec3 none = {0.0, 0.0, 0.0}, centre = {0.5, 0.5, 0.3};
    tw_sim_def def = tw_sim_def_default();
    tw_error error;
    support_random random = {5};
    for (int k = 0; k < 3; k++)
        def.periodic[k] = 0;
    def.law = s->law;
    def.gravity = tw_vec3_make(0.0, 0.0, -9.81 * s->motion);
    def.dt = 1e-4;
    def.skin = 0.004; /* not that of the radii, which differ */
    def.threads = 1;
    def.device = s->device;
    tw_sim *sim = scene_create(&def);
    for (int i = 0; i < GRAINS; i++) {
        const tw_vec3 x = {0.45 + 0.05 * (i % 3), 0.45 + 0.05 * (i / 3 % 3), 0.45 + 0.05 * (i / 9)};
        const tw_vec3 v = tw_vec3_scale(0.2 * s->motion, support_unit(&random));
        const tw_vec3 w = tw_vec3_scale(20.0 * s->motion, support_unit(&random));
        const tw_body_def body = scene_sphere(grain, x, v, w);
        scene_add(sim, &body);
    }
    if (as_wall) {
        tw_wall_def wall = tw_wall_def_default();
        wall.point = centre;
        wall.v = s->speed;
        wall.form = TW_WALL_SPHERE;
        wall.radius = ball;
        assert_int_equal(tw_sim_add_wall(sim, &wall, NULL, &error), TW_STATUS_OK);
    } else {
        tw_body_def body = scene_sphere(ball, centre, s->speed, none);
        body.fixed = 1;
        scene_add(sim, &body);
    }
    return sim;
}

/* Contacts with the ball, and the sum of their forces on it. */
static size_t on_ball(const tw_sim *sim, int as_wall, tw_vec3 *force)
{
    static tw_contact_state c[GRAINS * GRAINS];
    size_t count, found = 0;
    assert_int_equal(tw_sim_contact_count(sim, &count, NULL), TW_STATUS_OK);
    assert_int_equal(tw_sim_get_contacts(sim, c, sizeof c / sizeof *c, NULL), TW_STATUS_OK);
    *force = tw_vec3_make(0.0, 0.0, 0.0);
    for (size_t k = 0; k < count; k++) {
        const int q = c[k].body_q == (as_wall ? TW_NO_BODY : GRAINS), p = c[k].body_p == GRAINS;
        if (!p && !q) continue;
        *force = tw_vec3_add_scaled(*force, q ? -1.0 : 1.0, c[k].force);
        found++;
    }
    return found;
}

static void compare(const scene *s)
{
    tw_sim *body = make(s, 0), *wall = make(s, 1);
    size_t met = 0;
    double largest = 0.0;
    for (int k = 0; k < 60; k++) {
        tw_vec3 f, g;
        tw_wall_state state;
        scene_run(body, 50);
        scene_run(wall, 50);
        const size_t count = on_ball(body, 0, &f);
        assert_int_equal(on_ball(wall, 1, &g), count);
        met += count;
        largest = fmax(largest, tw_vec3_norm(f));
        expect_at_most(support_distance(f, g), 1e-7 * (1.0 + tw_vec3_norm(f)));
        assert_int_equal(tw_sim_get_wall(wall, 0, &state, NULL), TW_STATUS_OK);
        expect_at_most(support_distance(state.force, g), 1e-9 * (1.0 + tw_vec3_norm(g)));
        for (uint32_t i = 0; i < GRAINS; i++) {
            tw_body_state a, b;
            assert_int_equal(tw_sim_get_body(body, i, &a, NULL), TW_STATUS_OK);
            assert_int_equal(tw_sim_get_body(wall, i, &b, NULL), TW_STATUS_OK);
            expect_at_most(support_distance(a.x, b.x), 1e-9);
            expect_at_most(support_distance(a.w, b.w), 1e-6);
        }
    }
    expect_at_least((double)met, 50.0);
    expect_at_least(largest, 1.0);
    tw_sim_free(body);
    tw_sim_free(wall);
}

static void grains_on_a_ball_at_rest(void **state)
{
    (void)state;
    const scene s = {"cpu", support_law(1e4, 8e3, 0.4), {0.0, 0.0, 0.0}, 1.0};
    compare(&s);
}

static void grains_on_a_ball_that_moves(void **state)
{
    (void)state;
    const scene s = {"cpu", support_law(1e4, 8e3, 0.4), {0.2, -0.1, 0.3}, 1.0};
    compare(&s);
}

static void the_same_on_a_device(void **state)
{
    (void)state;
    const scene s = {"emulated", support_law(1e4, 8e3, 0.4), {0.1, 0.0, 0.2}, 1.0};
    compare(&s);
}

/* Nothing but the travel of the ball tells that the neighbour list is old. */
static void a_ball_that_moves_into_grains_at_rest(void **state)
{
    (void)state;
    static const char *const devices[] = {"cpu", "emulated"};
    for (int k = 0; k < 2; k++) {
        const scene s = {devices[k], support_law(1e4, 8e3, 0.4), {0.0, 0.0, 0.5}, 0.0};
        compare(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grains_on_a_ball_at_rest),
        cmocka_unit_test(grains_on_a_ball_that_moves),
        cmocka_unit_test(the_same_on_a_device),
        cmocka_unit_test(a_ball_that_moves_into_grains_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
