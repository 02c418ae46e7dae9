/* SPDX-License-Identifier: BSD-3-Clause */
/* Walls of any form, for every law: a plane of triangles against the plane, rest in grooves and on
 * holes, closed paths on rough ground, and rigid motions. Lengths are in radii of the ball. */
#include "surface.h"

#include <math.h>
#include <stdlib.h>

#include <twirl/contact_law.h>

static const tw_vec3 origin = {0.0, 0.0, 0.0}, up = {0.0, 0.0, 1.0};

static double noise(int i, int j, uint64_t seed)
{
    support_random random = {seed + (uint64_t)(1000 * i + j)};
    return support_uniform(&random, -1.0, 1.0);
}

/* ---- A plane of triangles ---- */

enum { LONG = 24, WIDE = 20 };

typedef struct sheet {
    double length, width; /* from -4 on along x; about y = 0 */
    double rough;         /* vertices are off by this part of a cell along x and y, */
    double high;          /* and by this along z */
    int m, n;
    tw_mat3 turn; /* of all */
} sheet;

static tw_vec3 sheet_at(void *context, double u, double v)
{
    const sheet *s = context;
    const int i = (int)lround(u * s->m), j = (int)lround(v * s->n);
    const int inside = i > 0 && j > 0 && i < s->m && j < s->n;
    const double off = inside ? s->rough : 0.0;
    const tw_vec3 x = {s->length * (u + off / s->m * noise(i, j, 1)) - 4.0,
                       s->width * (v - 0.5 + off / s->n * noise(i, j, 2)),
                       s->high * noise(i, j, 3)};
    return tensor_apply(s->turn, x);
}

static void add_sheet(tw_sim *sim, sheet *s)
{
    tw_mesh_soup soup = {0};
    add_patch(&soup, s->m, s->n, sheet_at, s);
    add_mesh(sim, &soup);
}

/* As on the axes, to the rounding of the vertices over the overlap, which adds up on the way. */
static void a_rotated_plane_of_triangles_is_the_plane(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(1000.0, 800.0, 0.3);
    const tw_mat3 turn = tensor_rotation(tw_vec3_make(0.7, -0.4, 1.1)),
                  back = tensor_transpose(turn);
    const tw_wall_def floor = plane(origin, up);
    sheet s = {104.0, 8.0, 0.2, 0.0, 312, 24, turn};
    tw_sim *sim[2] = {NULL};
    double worst = 0.0;
    for (int k = 0; k < 2; k++) {
        tw_vec3 x = {0.0, 0.1, 1.0 - 1e-3}, v = {1.4, 0.013, 0.0};
        tw_sim_def def = scene_open_cube(1.0, &law);
        def.gravity = k ? tensor_apply(turn, tw_vec3_make(0.0, 0.0, -1.0)) : tw_vec3_make(0, 0, -1);
        def.dt = 0.004;
        def.density = 3.0 / (4.0 * CHECK_PI);
        def.skin = 0.1;
        sim[k] = scene_create(&def);
        add_ball(sim[k], k ? tensor_apply(turn, x) : x, k ? tensor_apply(turn, v) : v, origin);
    }
    add_wall(sim[0], &floor);
    add_sheet(sim[1], &s);
    for (int k = 0; k < 2400; k++) {
        for (int j = 0; j < 2; j++)
            scene_run(sim[j], 10);
        const tw_vec3 f = tensor_apply(back, ball_of(sim[1], 0).force);
        worst = fmax(worst, support_distance(ball_of(sim[0], 0).force, f));
    }
    print_message("rotated: %.3g of the weight\n", worst);
    expect_at_least(ball_of(sim[0], 0).x.x, 90.0);
    expect_at_most(worst, 1e-9);
    for (int k = 0; k < 2; k++)
        tw_sim_free(sim[k]);
}

/* Laws of grains, and of grains with the wall. */
typedef struct laws {
    const char *name;
    tw_contact_law law, wall;
} laws;

static tw_contact_law damped(tw_contact_law law)
{
    law.nu_n = law.nu_t = 2.0;
    return law;
}

static tw_contact_law hertz(tw_contact_law law)
{
    law.normal = TW_CONTACT_HERTZ;
    law.kn *= 10.0;
    law.kt *= 10.0;
    return law;
}

static tw_contact_law of_kind(tw_contact_law law, int32_t kind)
{
    law.kind = kind;
    law.refine = kind == TW_CONTACT_EXACT ? law.refine : 0;
    return law;
}

/* A ball slides and rolls over the edges while it spins. */
static void compare_with_plane(const laws *l)
{
    tw_sim *sim[2] = {NULL};
    double worst = 0.0, couple = 0.0;
    for (int k = 0; k < 2; k++) {
        tw_error error;
        tw_wall_def floor = plane(origin, up);
        sheet s = {12.0, 8.0, 0.2, 0.0, LONG, WIDE, tensor_diagonal(1.0, 1.0, 1.0)};
        sim[k] = make_scene("cpu", &l->law, 0.0, 1.0, 0.004);
        if (tw_sim_add_material(sim[k], "wall", 1.0, NULL, &error) != TW_STATUS_OK ||
            tw_sim_set_pair_law(sim[k], 0, 1, &l->wall, &error) != TW_STATUS_OK)
            fail_msg("%s: %s", l->name, error.text);
        add_ball(sim[k], tw_vec3_make(0.0, 0.1, 1.0 - 1e-3), tw_vec3_make(1.4, 0.13, 0.0),
                 tw_vec3_make(0.0, 0.2, 1.0));
        tw_mesh_soup soup = {0};
        floor.material = 1;
        if (k == 1) {
            tw_mesh mesh;
            add_patch(&soup, s.m, s.n, sheet_at, &s);
            assert_int_equal(tw_mesh_make(&mesh, &soup, 1.0, NULL), TW_STATUS_OK);
            floor.form = TW_WALL_MESH;
            floor.mesh = &mesh;
            add_wall(sim[k], &floor);
            tw_mesh_free(&mesh);
            tw_mesh_soup_free(&soup);
        } else {
            add_wall(sim[k], &floor);
        }
    }
    for (int k = 0; k < 500; k++) {
        for (int j = 0; j < 2; j++)
            scene_run(sim[j], 2);
        const tw_body_state a = ball_of(sim[0], 0), b = ball_of(sim[1], 0);
        worst = fmax(worst, support_distance(a.force, b.force));
        worst = fmax(worst, support_distance(a.torque, b.torque));
        couple = fmax(couple, tw_vec3_norm(a.torque));
    }
    print_message("%s: %.3g of the weight, torque %.3g\n", l->name, worst, couple);
    expect_at_least(ball_of(sim[0], 0).x.x, 1.5);
    expect_at_least(couple, 0.05);
    expect_at_most(worst, 1e-11);
    for (int k = 0; k < 2; k++)
        tw_sim_free(sim[k]);
}

static void every_law_sees_the_plane(void **state)
{
    (void)state;
    const tw_contact_law linear = support_law(1000.0, 800.0, 0.3);
    const tw_contact_law resisting = support_resisting_law(linear);
    const laws all[] = {
        {"linear", linear, linear},
        {"damped", damped(linear), damped(linear)},
        {"Hertz", hertz(linear), hertz(linear)},
        {"damped Hertz", damped(hertz(linear)), damped(hertz(linear))},
        {"rolling and twisting", resisting, resisting},
        {"all with Hertz", damped(hertz(resisting)), damped(hertz(resisting))},
        {"paper", of_kind(linear, TW_CONTACT_PAPER), of_kind(linear, TW_CONTACT_PAPER)},
        {"conventional", of_kind(linear, TW_CONTACT_CONVENTIONAL),
         of_kind(linear, TW_CONTACT_CONVENTIONAL)},
        {"conventional, rolling, damped Hertz",
         of_kind(damped(hertz(resisting)), TW_CONTACT_CONVENTIONAL),
         of_kind(damped(hertz(resisting)), TW_CONTACT_CONVENTIONAL)},
        {"linear, walls Hertz", linear, damped(hertz(resisting))},
        {"Hertz, walls linear", hertz(linear), damped(resisting)},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        compare_with_plane(&all[k]);
}

/* ---- Rest ---- */

/* Of a ball that has come to rest: the force of contacts and weight. */
static double unbalanced(tw_sim *sim, size_t expected)
{
    size_t contacts;
    scene_set_damping(sim, 20.0, 20.0, 0.0);
    scene_run(sim, 3000);
    assert_int_equal(tw_sim_contact_count(sim, &contacts, NULL), TW_STATUS_OK);
    assert_int_equal(contacts, expected);
    const tw_vec3 force = ball_of(sim, 0).force;
    tw_sim_free(sim);
    return tw_vec3_norm(force);
}

static void a_ball_rests_in_a_groove(void **state)
{
    (void)state;
    static const double bends[] = {0.05, 0.3, 1.0, 3.0, 5.0, 6.0, 10.0, 30.0, 60.0, 90.0};
    const tw_contact_law law = support_law(1000.0, 800.0, 0.3);
    for (size_t k = 0; k < sizeof bends / sizeof *bends; k++) {
        const double half = 0.5 * bends[k] * CHECK_PI / 180.0;
        tw_sim *sim = make_scene("cpu", &law, 0.0, 1.0, 0.004);
        tw_mesh_soup soup = {0};
        for (int side = -1; side < 2; side += 2) {
            const tw_vec3 a = {0.0, -5.0, 0.0}, b = {0.0, 5.0, 0.0},
                          c = {5.0 * side * cos(half), 5.0, 5.0 * sin(half)}, d = {c.x, -5.0, c.z};
            triangle(&soup, a, b, c);
            triangle(&soup, a, c, d);
        }
        add_mesh(sim, &soup);
        add_ball(sim, tw_vec3_make(0.0, 0.3, 0.9995 / cos(half)), origin, origin);
        expect_at_most(unbalanced(sim, 2), 1e-10);
    }
}

/* A plate with a hole of n edges, around which it has a facet for each. */
static void a_ball_rests_on_a_hole(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(1000.0, 800.0, 0.3);
    for (int n = 4; n <= 64; n *= 2) {
        tw_sim *sim = make_scene("cpu", &law, 0.0, 1.0, 0.002);
        tw_mesh_soup soup = {0};
        for (int k = 0; k < n; k++) {
            tw_vec3 c[4];
            for (int i = 0; i < 4; i++) {
                const double a = 2.0 * CHECK_PI * ((k + i % 2) % n) / n, r = i < 2 ? 0.6 : 3.0;
                c[i] = tw_vec3_make(r * cos(a), r * sin(a), 0.0);
            }
            triangle(&soup, c[0], c[2], c[3]);
            triangle(&soup, c[0], c[3], c[1]);
        }
        add_mesh(sim, &soup);
        const double inner = 0.6 * cos(CHECK_PI / n);
        add_ball(sim, tw_vec3_make(0.0, 0.0, sqrt(0.999 - inner * inner)), origin, origin);
        const double left = unbalanced(sim, (size_t)n);
        print_message("%d edges: %.3g\n", n, left);
        expect_at_most(left, 1e-10);
    }
}

/* ---- A closed path ---- */

/* A ball is led around on rough ground: what was done on it is lost by friction, when it is back.
 * Shares change on the way, with energies of springs that differ a little. */
static void work_on_a_closed_path_is_lost(void **state)
{
    (void)state;
    enum { STEPS = 6000 };
    const tw_contact_law law = support_law(1000.0, 800.0, 0.3);
    const double dt = 0.01;
    sheet s = {8.0, 8.0, 0.2, 0.007, 20, 20, tensor_diagonal(1.0, 1.0, 1.0)};
    tw_sim *sim = make_scene("cpu", &law, 0.0, 0.0, dt);
    double work = 0.0, least = 0.0;
    size_t most = 0;
    add_led_ball(sim, tw_vec3_make(1.0, 0.0, 0.98));
    add_sheet(sim, &s);
    for (int lap = 0; lap < 2; lap++)
        for (int k = 1; k <= STEPS; k++) {
            const double a = 2.0 * CHECK_PI * k / STEPS;
            const tw_vec3 to = {cos(a), sin(2.0 * a), 0.98 + 0.005 * (1.0 - cos(3.0 * a))},
                          before = ball_of(sim, 0).x, f = ball_of(sim, 0).force;
            tw_measure m;
            size_t contacts;
            lead(sim, dt, to, origin);
            /* from the second lap on, of the mean of the forces */
            const tw_vec3 mean = tw_vec3_scale(0.5, tw_vec3_add(f, ball_of(sim, 0).force));
            if (lap > 0) work -= tw_vec3_dot(mean, tw_vec3_sub(to, before));
            assert_int_equal(tw_sim_contact_count(sim, &contacts, NULL), TW_STATUS_OK);
            most = contacts > most ? contacts : most;
            if (k < STEPS) continue;
            assert_int_equal(tw_sim_measure(sim, &m, NULL), TW_STATUS_OK);
            if (lap == 0)
                least = m.energy.friction;
            else
                least = m.energy.friction - least;
        }
    print_message("work %.6g, lost %.6g, up to %zu contacts\n", work, least, most);
    expect_at_least(work, 0.01);
    expect_at_least((double)most, 3.0);
    expect_at_most(fabs(work / least - 1.0), 1e-3);
    tw_sim_free(sim);
}

/* ---- Rigid motions ---- */

/* A wall about the origin, or on z = 0, and a place where a ball touches it. */
static tw_vec3 add_form(tw_sim *sim, int form)
{
    static const tw_profile_point drum[] = {{4.0, -5.0}, {4.0, 5.0}};
    tw_wall_def def = plane(origin, up);
    if (form == TW_WALL_MESH) {
        sheet s = {9.0, 8.0, 0.2, 0.01, 20, 20, tensor_diagonal(1.0, 1.0, 1.0)};
        add_sheet(sim, &s);
        return tw_vec3_make(1.0, 0.5, 0.98);
    }
    def.form = form;
    def.corner = drum;
    def.corners = 2;
    def.radius = -4.0;
    add_wall(sim, &def);
    return form == TW_WALL_PLANE ? tw_vec3_make(1.0, 0.5, 0.99) : tw_vec3_make(3.01, 0.0, 0.0);
}

/* A ball that has slid moves on with its wall: forces turn, and nothing else. */
static void a_wall_and_its_ball_turn_as_one(void **state)
{
    (void)state;
    enum { STEPS = 500 };
    const tw_contact_law linear = support_law(1000.0, 800.0, 0.3);
    const double dt = 0.004, angle = 1.0 / STEPS;
    for (int form = TW_WALL_PLANE; form <= TW_WALL_MESH; form++)
        for (int hertzian = 0; hertzian < 2; hertzian++) {
            const tw_contact_law law = support_resisting_law(hertzian ? hertz(linear) : linear);
            const tw_vec3 axis = form == TW_WALL_PLANE
                                     ? up
                                     : tw_vec3_scale(1.0 / sqrt(0.98), tw_vec3_make(0.3, 0.5, 0.8));
            tw_sim *sim = make_scene("cpu", &law, 0.0, 0.0, dt);
            tw_vec3 x = add_form(sim, form);
            add_led_ball(sim, x);
            for (int k = 0; k < 30; k++) {
                x = tw_vec3_add(x, tw_vec3_make(1e-5, 1e-4, 2e-4 * (form > TW_WALL_PLANE)));
                lead(sim, dt, x, tw_vec3_make(0.01, 0.02, -0.03));
            }
            const tw_body_state before = ball_of(sim, 0);
            const tw_vec3 spin = tw_vec3_scale(angle / dt, axis);
            assert_int_equal(tw_sim_set_wall_spin(sim, 0, spin, NULL), TW_STATUS_OK);
            for (int k = 1; k <= STEPS; k++)
                lead(sim, dt,
                     tensor_apply(tensor_rotation(tw_vec3_scale(angle * k, axis)), before.x), spin);
            const tw_mat3 turn = tensor_rotation(axis);
            const tw_body_state after = ball_of(sim, 0);
            const double f = tw_vec3_norm(before.force);
            const double off = support_distance(after.force, tensor_apply(turn, before.force)),
                         couple = support_distance(after.torque, tensor_apply(turn, before.torque));
            print_message("form %d: force %.4g, torque %.3g; off by %.2g and %.2g\n", form, f,
                          tw_vec3_norm(before.torque), off, couple);
            expect_at_least(tw_vec3_norm(before.torque), 0.1);
            expect_at_most(off, 1e-12 * STEPS);
            expect_at_most(couple, 1e-12 * STEPS);
            tw_sim_free(sim);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rotated_plane_of_triangles_is_the_plane),
        cmocka_unit_test(every_law_sees_the_plane),
        cmocka_unit_test(a_ball_rests_in_a_groove),
        cmocka_unit_test(a_ball_rests_on_a_hole),
        cmocka_unit_test(work_on_a_closed_path_is_lost),
        cmocka_unit_test(a_wall_and_its_ball_turn_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
