/* SPDX-License-Identifier: BSD-3-Clause */
/* Walls of any form: meshes against planes and against surfaces of revolution, and these against
 * closed forms. Lengths are in radii of the ball, masses in those of the ball. */
#include "surface.h"

#include <math.h>
#include <stdlib.h>

static const tw_vec3 origin = {0.0, 0.0, 0.0};

/* ---- A plane ---- */

enum { ROUGH_LONG = 330, ROUGH_WIDE = 30 };

/* A plane of 110 x 10, its inner vertices out of the rows. */
static tw_vec3 rough_plane(void *context, double u, double v)
{
    const uint64_t *seed = context;
    const int i = (int)lround(u * ROUGH_LONG), j = (int)lround(v * ROUGH_WIDE);
    support_random random = {*seed + (uint64_t)(1000 * i + j)};
    const int inside = i > 0 && j > 0 && i < ROUGH_LONG && j < ROUGH_WIDE;
    const double du = support_uniform(&random, -0.1, 0.1), dv = support_uniform(&random, -0.1, 0.1);
    return tw_vec3_make(110.0 * u - 5.0 + (inside ? du : 0.0), 10.0 * v - 5.0 + (inside ? dv : 0.0),
                        0.0);
}

/* A ball slides, then rolls over some 300 edges: its force is that of the plane. */
static void a_triangulated_plane_is_the_plane(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(1000.0, 800.0, 0.3);
    uint64_t seed = 7;
    tw_sim *sim[2];
    double worst = 0.0;
    size_t contacts;
    for (int k = 0; k < 2; k++) {
        sim[k] = make_scene("cpu", &law, 0.0, 1.0, 0.004);
        add_ball(sim[k], tw_vec3_make(0.0, 0.1, 1.0 - 1e-3), tw_vec3_make(1.4, 0.013, 0.0), origin);
    }
    const tw_wall_def floor = plane(origin, tw_vec3_make(0.0, 0.0, 1.0));
    add_wall(sim[0], &floor);
    tw_mesh_soup soup = {0};
    add_patch(&soup, ROUGH_LONG, ROUGH_WIDE, rough_plane, &seed);
    add_mesh(sim[1], &soup);
    for (int k = 0; k < 2400; k++) {
        for (int j = 0; j < 2; j++)
            scene_run(sim[j], 10);
        const tw_body_state a = ball_of(sim[0], 0), b = ball_of(sim[1], 0);
        worst = fmax(worst, support_distance(a.force, b.force));
    }
    assert_int_equal(tw_sim_contact_count(sim[1], &contacts, NULL), TW_STATUS_OK);
    assert_int_equal(contacts, 1);
    expect_at_least(ball_of(sim[0], 0).x.x, 90.0);
    expect_at_most(worst, 1e-11);
    for (int k = 0; k < 2; k++)
        tw_sim_free(sim[k]);
}

/* ---- A box ---- */

/* Faces of the cube from -1 to 1, each in 7 x 7 cells, times 2.3. */
static tw_vec3 cube_face(void *context, double u, double v)
{
    const int face = *(const int *)context, axis = face / 2;
    const double side = face % 2 ? 2.3 : -2.3, a = 2.3 * (2.0 * u - 1.0), b = 2.3 * (2.0 * v - 1.0);
    return axis == 0   ? tw_vec3_make(side, a, b)
           : axis == 1 ? tw_vec3_make(b, side, a)
                       : tw_vec3_make(a, b, side);
}

/* The contact with this normal. */
static const tw_contact_state *contact_along(const tw_contact_state *c, size_t count, tw_vec3 n)
{
    for (size_t k = 0; k < count; k++)
        if (support_distance(c[k].n, n) < 1e-12) return &c[k];
    return NULL;
}

/* A ball that is moved and turned in the corner of a box, with friction. */
static void the_corner_of_a_box_is_that_of_its_planes(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(1000.0, 800.0, 0.3);
    support_random random = {11};
    tw_sim *sim[2];
    size_t all = 0;
    for (int k = 0; k < 2; k++) {
        sim[k] = make_scene("cpu", &law, 0.0, 0.0, 0.004);
        tw_body_def body = scene_sphere(1.0, tw_vec3_make(1.2, 1.2, 1.2), origin, origin);
        body.fixed = 1;
        scene_add(sim[k], &body);
    }
    for (int face = 1; face < 6; face += 2) {
        const double n = -1.0;
        const tw_vec3 normal = {face == 1 ? n : 0.0, face == 3 ? n : 0.0, face == 5 ? n : 0.0};
        const tw_wall_def wall = plane(tw_vec3_scale(-2.3, normal), normal);
        add_wall(sim[0], &wall);
    }
    tw_mesh_soup soup = {0};
    for (int face = 0; face < 6; face++)
        add_patch(&soup, 7, 7, cube_face, &face);
    add_mesh(sim[1], &soup);
    for (int k = 0; k < 2000; k++) {
        tw_contact_state *c[2];
        size_t count[2];
        const tw_vec3 x = ball_of(sim[0], 0).x, w = support_vector(&random, 0.01, 1.0);
        tw_vec3 to; /* a random place where it touches none to three faces */
        to.x = support_uniform(&random, 1.25, 1.34);
        to.y = support_uniform(&random, 1.25, 1.34);
        to.z = support_uniform(&random, 1.25, 1.34);
        const tw_vec3 v = tw_vec3_scale(25.0, tw_vec3_sub(to, x));
        for (int j = 0; j < 2; j++) {
            tw_error error;
            if (tw_sim_set_body_velocity(sim[j], 0, v, w, &error) != TW_STATUS_OK)
                fail_msg("%s", error.text);
            scene_run(sim[j], 3);
            c[j] = scene_contacts(sim[j], &count[j]);
        }
        assert_int_equal(count[0], count[1]);
        all += count[0];
        for (size_t i = 0; i < count[0]; i++) {
            const tw_contact_state *other = contact_along(c[1], count[1], c[0][i].n);
            assert_non_null(other);
            /* In every bit, but for the signs of zeros. */
            expect_at_most(support_distance(other->n, c[0][i].n), 0.0);
            expect_at_most(fabs(other->zeta - c[0][i].zeta), 0.0);
            expect_at_most(support_distance(other->force, c[0][i].force), 0.0);
        }
        expect_at_most(support_distance(ball_of(sim[0], 0).force, ball_of(sim[1], 0).force),
                       1e-15 * tw_vec3_norm(ball_of(sim[0], 0).force));
        for (int j = 0; j < 2; j++)
            free(c[j]);
    }
    expect_at_least((double)all, 1000.0);
    for (int k = 0; k < 2; k++)
        tw_sim_free(sim[k]);
}

/* ---- Laws that change ---- */

static tw_vec3 valley(void *context, double u, double v)
{
    const double x = 6.0 * u - 3.0;
    (void)context;
    return tw_vec3_make(x, 6.0 * v - 3.0, 0.1 * fabs(x));
}

/* A ball on both sides of a flat valley, which share its force, led along it without slip. */
static tw_sim *make_valley(const char *device, const tw_contact_law *law, uint64_t steps)
{
    tw_sim *sim = make_scene(device, law, 0.0, 0.0, 1e-3);
    tw_mesh_soup soup = {0};
    tw_body_def body =
        scene_sphere(1.0, tw_vec3_make(0.002, 0.05 - 1e-3 * (double)steps, 1.0 - 5e-3),
                     tw_vec3_make(0.0, 1.0, 0.0), origin);
    body.fixed = 1;
    scene_add(sim, &body);
    add_patch(&soup, 2, 1, valley, NULL);
    add_mesh(sim, &soup);
    scene_run(sim, steps);
    return sim;
}

/* How laws are changed: all, the table, one pair, the material of the ball. */
enum { CHANGE_LAW, CHANGE_LAWS, CHANGE_PAIR, CHANGE_MATERIAL, CHANGES };

static void change_law(tw_sim *sim, const tw_contact_law *law, int way)
{
    tw_error error;
    tw_status status = TW_STATUS_OK;
    uint32_t other = 0;
    if (way == CHANGE_MATERIAL) {
        status = tw_sim_add_material(sim, "other", 3.0 / (4.0 * CHECK_PI), &other, &error);
        for (uint32_t k = 0; k < 2 && status == TW_STATUS_OK; k++)
            status = tw_sim_set_pair_law(sim, k, other, law, &error);
    }
    if (status == TW_STATUS_OK)
        status = way == CHANGE_LAW    ? tw_sim_set_law(sim, law, &error)
                 : way == CHANGE_LAWS ? tw_sim_set_laws(sim, law, 1, &error)
                 : way == CHANGE_PAIR ? tw_sim_set_pair_law(sim, 0, 0, law, &error)
                                      : tw_sim_set_body_material(sim, 0, other, &error);
    if (status != TW_STATUS_OK) fail_msg("%s", error.text);
}

/* What the sides share then, their normal force and energy are those of a ball that was put there,
 * the tangential force goes on, and nothing is friction. */
static void shares_follow_a_law_that_changes(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(1000.0, 800.0, 100.0);
    tw_contact_law other = support_law(3000.0, 800.0, 100.0);
    for (int k = 0; k < 4 * CHANGES; k++) {
        const char *device = k % 2 ? "emulated" : "cpu";
        if (k >= 2 * CHANGES) other.normal = TW_CONTACT_HERTZ;
        if (k >= 2 * CHANGES) other.flags = TW_CONTACT_BY_RADIUS;
        tw_sim *sim = make_valley(device, &law, 50), *fresh = make_valley("cpu", &other, 0);
        tw_measure before, after, there;
        assert_int_equal(tw_sim_measure(sim, &before, NULL), TW_STATUS_OK);
        change_law(sim, &other, k / 2 % CHANGES);
        assert_int_equal(tw_sim_measure(sim, &after, NULL), TW_STATUS_OK);
        assert_int_equal(tw_sim_measure(fresh, &there, NULL), TW_STATUS_OK);
        const double normal = there.energy.normal;
        expect_at_most(fabs(after.energy.normal - normal), 1e-12 * normal);
        expect_at_most(fabs(after.energy.residual - before.energy.residual), 1e-12 * normal);
        size_t count;
        tw_contact_state *c = scene_contacts(sim, &count), *d = scene_contacts(fresh, &count);
        double ceded[4];
        tw_vec3 f = origin, g = origin;
        assert_int_equal(count, 2);
        assert_int_equal(tw_sim_get_contact_part(sim, "ceded", ceded, 2, NULL), TW_STATUS_OK);
        assert_int_equal(tw_sim_get_contact_part(fresh, "ceded", ceded + 2, 2, NULL), TW_STATUS_OK);
        for (int i = 0; i < 2; i++) {
            expect_at_least(ceded[i], 0.1);
            expect_at_most(fabs(ceded[i] - ceded[2 + i]), 1e-12);
            f = tw_vec3_add(f, tw_vec3_add_scaled(c[i].force, ceded[i] - 1.0, c[i].ft));
            g = tw_vec3_add(g, d[i].force);
            expect_at_least(tw_vec3_norm(c[i].ft), 1.0);
        }
        expect_at_most(support_distance(f, g), 1e-12 * tw_vec3_norm(g));
        scene_run(sim, 1);
        assert_int_equal(tw_sim_measure(sim, &after, NULL), TW_STATUS_OK);
        expect_at_most(fabs(after.energy.friction), 1e-12 * after.energy.tangential);
        free(c);
        free(d);
        tw_sim_free(sim);
        tw_sim_free(fresh);
    }
}

/* ---- A drum ---- */

/* A drum of radius 10 about y, from -5 to 5, that turns: its walls are a mesh of `facets` around,
 * or for 0 a profile, and two planes, which are lids. */
typedef struct drum {
    int facets, rows;
    double spin;
    const uint32_t *order; /* of the triangles; NULL: as they are made */
} drum;

static tw_vec3 drum_wall(void *context, double u, double v)
{
    const double turn = 2.0 * CHECK_PI * (u < 1.0 ? u : 0.0);
    (void)context;
    return tw_vec3_make(10.0 * cos(turn), 12.0 * v - 6.0, 10.0 * sin(turn));
}

static void add_drum(tw_sim *sim, const drum *d)
{
    static const tw_profile_point corner[] = {{10.0, -6.0}, {10.0, 6.0}};
    const tw_vec3 spin = {0.0, d->spin, 0.0};
    tw_wall_def def = tw_wall_def_default();
    size_t number;
    if (d->facets > 0) {
        tw_mesh_soup soup = {0}, other = {0};
        add_patch(&soup, d->facets, d->rows, drum_wall, NULL);
        for (size_t k = 0; k < soup.count; k++) {
            /* also their corners, from another one on */
            const tw_vec3 *c = soup.corner + 3 * (d->order ? d->order[k] : k);
            const size_t first = d->order ? k % 3 : 0;
            triangle(&other, c[first], c[(first + 1) % 3], c[(first + 2) % 3]);
        }
        tw_mesh_soup_free(&soup);
        number = add_mesh(sim, &other);
    } else {
        def.form = TW_WALL_PROFILE;
        def.corner = corner;
        def.corners = 2;
        def.q = (tw_quat){sqrt(0.5), -sqrt(0.5), 0.0, 0.0}; /* z to y */
        number = add_wall(sim, &def);
    }
    assert_int_equal(tw_sim_set_wall_spin(sim, number, spin, NULL), TW_STATUS_OK);
    for (int side = -1; side < 2; side += 2) {
        const tw_vec3 point = {0.0, 5.0 * side, 0.0}, normal = {0.0, -1.0 * side, 0.0};
        def = plane(point, normal);
        def.spin = spin;
        add_wall(sim, &def);
    }
}

/* Twelve balls fall into it. */
static tw_sim *make_mill(const char *device, const drum *d)
{
    tw_contact_law law = support_law(1000.0, 800.0, 0.5);
    law.nu_n = law.nu_t = 5.0;
    law.k_r = 300.0;
    law.mu_r = 0.05;
    tw_sim *sim = make_scene(device, &law, 0.0, 1.0, 0.002);
    support_random random = {17};
    for (int k = 0; k < 12; k++) {
        const tw_vec3 at = {2.2 * (k % 4) - 3.3, 2.2 * (k / 4) - 2.2, -6.0 + 0.1 * k};
        const tw_vec3 v = support_vector(&random, 0.1, 1.0);
        const tw_vec3 w = support_vector(&random, 0.1, 1.0);
        add_ball(sim, at, v, w);
    }
    add_drum(sim, d);
    return sim;
}

enum { MILL_STEPS = 4000 };

static void shuffle(uint32_t *order, uint32_t count, uint64_t seed)
{
    support_random random = {seed};
    for (uint32_t k = 0; k < count; k++)
        order[k] = k;
    for (uint32_t k = count; k > 1; k--) {
        const uint32_t other = (uint32_t)support_uniform(&random, 0.0, (double)k),
                       kept = order[k - 1];
        order[k - 1] = order[other];
        order[other] = kept;
    }
}

static void facets_in_any_order_give_the_same_bits(void **state)
{
    (void)state;
    enum { FACETS = 40, ROWS = 9 };
    uint32_t order[2 * FACETS * ROWS];
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        const drum d = {FACETS, ROWS, 0.3, k > 0 ? order : NULL};
        shuffle(order, 2 * FACETS * ROWS, 3 + (uint64_t)k);
        tw_sim *sim = make_mill("cpu", &d);
        scene_run(sim, MILL_STEPS);
        hash[k] = tw_sim_hash(sim);
        tw_sim_free(sim);
    }
    assert_true(hash[1] == hash[0] && hash[2] == hash[0]);
}

static void runs_go_on_from_a_checkpoint_and_on_a_device(void **state)
{
    (void)state;
    for (int facets = 0; facets < 80; facets += 40) {
        const drum d = {facets, 9, 0.3, NULL};
        tw_sim *whole = make_mill("cpu", &d), *device = make_mill("emulated", &d);
        tw_measure measure;
        scene_run(whole, MILL_STEPS);
        for (int part = 0; part < 4; part++) {
            tw_sim *copy = scene_copy(device);
            tw_sim_free(device);
            device = copy;
            scene_run(device, MILL_STEPS / 4);
        }
        assert_true(tw_sim_hash(device) == tw_sim_hash(whole));
        assert_int_equal(tw_sim_measure(whole, &measure, NULL), TW_STATUS_OK);
        assert_true(measure.energy.friction > 1.0 && measure.energy.walls > 1.0);
        tw_sim_free(whole);
        tw_sim_free(device);
    }
}

/* ---- Energy ---- */

/* The largest residual of a ball that is carried up and rolls down, by the work of the drum. */
static double drum_residual(int facets, double steps, double spin)
{
    const double dt = 2.0 * CHECK_PI * sqrt(1e-3) / steps;
    const tw_contact_law law = support_law(1000.0, 800.0, 0.5);
    const drum d = {facets, 4, 0.2, NULL};
    tw_sim *sim = make_scene("cpu", &law, 0.0, 1.0, dt);
    double worst = 0.0, work = 0.0;
    add_ball(sim, tw_vec3_make(0.0, 0.3, -9.0 - 1e-3), origin, tw_vec3_make(0.0, spin, 0.0));
    add_drum(sim, &d);
    for (int k = 0; k < 20; k++) {
        tw_measure measure;
        scene_run(sim, (uint64_t)lround(steps * 10.0));
        assert_int_equal(tw_sim_measure(sim, &measure, NULL), TW_STATUS_OK);
        worst = fmax(worst, fabs(measure.energy.residual));
        work = fmax(work, measure.energy.walls);
    }
    tw_sim_free(sim);
    return worst / work;
}

/* Of second order from a start at which it rolls. Where it is at rest the
 * tangential force has to jump, the first step makes nearly all of the error; at the bends of a
 * mesh the ball collides a little. */
static void the_energy_of_a_turning_drum_balances(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        const int facets = k < 2 ? 0 : 384;
        const double spin = k == 0 ? 2.0 : 0.0, coarse = drum_residual(facets, 100.0, spin),
                     fine = drum_residual(facets, 400.0, spin);
        print_message("%d facets, spin %g: %.3g and %.3g of the work\n", facets, spin, coarse,
                      fine);
        expect_at_most(coarse, k == 0 ? 1e-6 : k == 1 ? 5e-4 : 2e-4);
        expect_at_most(fine, k == 0 ? 1e-7 : 5e-5);
        if (k == 0) expect_at_least(coarse / fine, 12.0);
    }
}

/* ---- Memory over edges ---- */

/* The tangential force on a ball that is led by 60 degrees around the inside of a drum at rest, at
 * the same distance from its axis. */
static tw_vec3 led_around(int facets)
{
    enum { STEPS = 2000 };
    const double radius = 9.01, dt = 1e-3, turn = CHECK_PI / 3.0 / STEPS;
    const tw_contact_law law = support_law(1000.0, 800.0, 100.0);
    const drum d = {facets, 3, 0.0, NULL};
    tw_sim *sim = make_scene("cpu", &law, 0.0, 0.0, dt);
    add_led_ball(sim, tw_vec3_make(radius, 0.0, 0.0));
    add_drum(sim, &d);
    for (int k = 1; k <= STEPS; k++) {
        const tw_vec3 to = {radius * cos(turn * k), 0.0, radius * sin(turn * k)};
        /* It slips a little: the spring holds the difference to rolling. */
        const tw_vec3 w = {0.0, 0.999 * radius * turn / dt, 0.0};
        lead(sim, dt, to, w);
    }
    const tw_vec3 x = ball_of(sim, 0).x;
    const tw_vec3 out = tw_vec3_scale(1.0 / tw_vec3_norm(x), x), f = ball_of(sim, 0).force;
    tw_sim_free(sim);
    return tw_vec3_add_scaled(f, -tw_vec3_dot(f, out), out);
}

/* The error falls by four each time the facets are halved: by 64 in three times. */
static void memory_over_edges_converges_to_that_of_the_profile(void **state)
{
    (void)state;
    const tw_vec3 smooth = led_around(0);
    const double coarse = support_distance(led_around(200), smooth),
                 fine = support_distance(led_around(1600), smooth);
    expect_at_most(coarse, 0.1 * tw_vec3_norm(smooth));
    expect_at_least(coarse / fine, 45.0);
    expect_at_most(coarse / fine, 90.0);
}

/* ---- Closed forms ---- */

static tw_vec3 flat(void *context, double u, double v)
{
    (void)context;
    return tw_vec3_make(10.0 * u - 5.0, 10.0 * v - 5.0, 0.0);
}

/* The plane z = 0, as a wall of this form. */
static void add_ground(tw_sim *sim, int form)
{
    static const tw_profile_point disc[] = {{0.0, 0.0}, {8.0, 0.0}};
    tw_wall_def def = plane(origin, tw_vec3_make(0.0, 0.0, 1.0));
    tw_mesh_soup soup = {0};
    if (form == TW_WALL_MESH) {
        add_patch(&soup, 23, 17, flat, NULL);
        add_mesh(sim, &soup);
        return;
    }
    def.form = form;
    def.corner = disc;
    def.corners = 2;
    add_wall(sim, &def);
}

static const int grounds[] = {TW_WALL_PLANE, TW_WALL_PROFILE, TW_WALL_MESH};

/* A ball is let go on an incline of tan 0.5. The lever of friction is R - zeta/2. */
static void a_ball_on_an_incline_rolls_or_slides(void **state)
{
    (void)state;
    const double slope = atan(0.5), kn = 1e7, zeta = cos(slope) / kn, time = 2.0;
    for (size_t k = 0; k < sizeof grounds / sizeof *grounds; k++)
        for (int slides = 0; slides < 2; slides++) {
            const double mu = slides ? 0.1 : 0.3, lever = 1.0 - 0.5 * zeta;
            const double a =
                slides ? sin(slope) - mu * cos(slope) : sin(slope) / (1.0 + 0.4 / (lever * lever));
            const double turn = slides ? 2.5 * mu * cos(slope) * lever : a / lever;
            const tw_contact_law law = support_law(kn, 0.8 * kn, mu);
            tw_sim *sim = make_scene("cpu", &law, sin(slope), cos(slope), 1e-4);
            /* It slides from the first step on, of which the first half has no friction yet. */
            const double v = slides ? 0.1 : 0.0, late = slides ? 0.5 * 1e-4 : 0.0;
            add_ball(sim, tw_vec3_make(0.123, 0.0, 1.0 - zeta), tw_vec3_make(v, 0.0, 0.0), origin);
            add_ground(sim, grounds[k]);
            scene_run(sim, 20000);
            const tw_body_state b = ball_of(sim, 0);
            expect_at_most(
                fabs(b.x.x - 0.123 - (v + late * mu * cos(slope) + 0.5 * a * time) * time), 1e-6);
            /* The tangential spring is loaded at once, and swings about its force. */
            expect_at_most(fabs(b.w.y - turn * (time - late)),
                           slides ? 1e-6 : 0.5 / sqrt(0.8 * kn));
            tw_sim_free(sim);
        }
}

/* The restitution of the law itself is tested elsewhere (test_restitution.c). */
static void a_ball_bounces_alike_on_all_forms(void **state)
{
    (void)state;
    double back[3];
    for (size_t k = 0; k < 3; k++) {
        tw_contact_law law = support_law(1000.0, 800.0, 0.3);
        law.nu_n = 10.0;
        tw_sim *sim = make_scene("cpu", &law, 0.0, 0.0, 1e-3);
        add_ball(sim, tw_vec3_make(0.1, 0.2, 1.01), tw_vec3_make(0.2, 0.0, -1.0), origin);
        add_ground(sim, grounds[k]);
        scene_run(sim, 500);
        back[k] = ball_of(sim, 0).v.z;
        expect_at_least(back[k], 0.3);
        expect_at_most(back[k], 0.8);
        expect_at_most(fabs(back[k] - back[0]), 1e-13);
        tw_sim_free(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_corner_of_a_box_is_that_of_its_planes),
        cmocka_unit_test(a_triangulated_plane_is_the_plane),
        cmocka_unit_test(shares_follow_a_law_that_changes),
        cmocka_unit_test(facets_in_any_order_give_the_same_bits),
        cmocka_unit_test(runs_go_on_from_a_checkpoint_and_on_a_device),
        cmocka_unit_test(the_energy_of_a_turning_drum_balances),
        cmocka_unit_test(memory_over_edges_converges_to_that_of_the_profile),
        cmocka_unit_test(a_ball_on_an_incline_rolls_or_slides),
        cmocka_unit_test(a_ball_bounces_alike_on_all_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
