/* SPDX-License-Identifier: BSD-3-Clause */
/* Walls of any form: meshes against planes and against surfaces of revolution, and these against
 * closed forms. Lengths are in radii of the ball, masses in those of the ball. */
#include "tensor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/mesh.h>

static const tw_vec3 origin = {0.0, 0.0, 0.0};

/* ---- Scenes ---- */

/* A ball of radius and mass 1 under gravity along -z, in an open cell. */
static tw_sim *make_scene(const char *device, const tw_contact_law *law, double gravity, double dt)
{
    tw_sim_def def = scene_open_cube(1.0, law);
    def.gravity = tw_vec3_make(0.0, 0.0, -gravity);
    def.dt = dt;
    def.density = 3.0 / (4.0 * TW_MATH_PI);
    def.skin = 0.1;
    def.device = device;
    return scene_create(&def);
}

static void add_ball(tw_sim *sim, tw_vec3 x, tw_vec3 v, tw_vec3 w)
{
    const tw_body_def body = scene_sphere(1.0, x, v, w);
    scene_add(sim, &body);
}

static tw_wall_def plane(tw_vec3 point, tw_vec3 normal)
{
    tw_wall_def def = tw_wall_def_default();
    def.point = point;
    def.normal = normal;
    return def;
}

static size_t add_wall(tw_sim *sim, const tw_wall_def *def)
{
    size_t number;
    tw_error error;
    if (tw_sim_add_wall(sim, def, &number, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    return number;
}

static void triangle(tw_mesh_soup *soup, tw_vec3 a, tw_vec3 b, tw_vec3 c)
{
    assert_int_equal(tw_mesh_soup_add(soup, a, b, c, (uint32_t)soup->count + 1, NULL),
                     TW_STATUS_OK);
}

/* Frees the soup and the mesh. */
static size_t add_mesh(tw_sim *sim, tw_mesh_soup *soup)
{
    tw_wall_def def = tw_wall_def_default();
    tw_mesh mesh;
    tw_error error;
    if (tw_mesh_make(&mesh, soup, 1.0, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    def.form = TW_WALL_MESH;
    def.mesh = &mesh;
    const size_t number = add_wall(sim, &def);
    tw_mesh_free(&mesh);
    tw_mesh_soup_free(soup);
    return number;
}

typedef tw_vec3 (*place)(void *context, double u, double v);

/* A surface over the unit square, in m x n cells of two triangles. */
static void add_patch(tw_mesh_soup *soup, int m, int n, place at, void *context)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            const tw_vec3 a = at(context, (double)i / m, (double)j / n),
                          b = at(context, (double)(i + 1) / m, (double)j / n),
                          c = at(context, (double)(i + 1) / m, (double)(j + 1) / n),
                          d = at(context, (double)i / m, (double)(j + 1) / n);
            triangle(soup, a, b, c);
            triangle(soup, a, c, d);
        }
}

static tw_body_state ball_of(const tw_sim *sim, uint32_t id)
{
    tw_body_state b;
    assert_int_equal(tw_sim_get_body(sim, id, &b, NULL), TW_STATUS_OK);
    return b;
}

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
        sim[k] = make_scene("cpu", &law, 1.0, 0.004);
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
        sim[k] = make_scene("cpu", &law, 0.0, 0.004);
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
        /* towards a random place where it touches none to three faces */
        const tw_vec3 to =
            tw_vec3_make(support_uniform(&random, 1.25, 1.34), support_uniform(&random, 1.25, 1.34),
                         support_uniform(&random, 1.25, 1.34));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_corner_of_a_box_is_that_of_its_planes),
        cmocka_unit_test(a_triangulated_plane_is_the_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
