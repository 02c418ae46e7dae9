/* SPDX-License-Identifier: BSD-3-Clause */
/* Walls as they are shown: facets lie on the wall, and have the forces of the grains on them.
 * Lengths are in radii of the balls. */
#include "tensor.h"

#include <math.h>
#include <stdlib.h>

#include <twirl/math.h>
#include <twirl/mesh.h>

#include "../must.h"

static tw_sim *make_sim(void)
{
    const tw_contact_law law = {.kn = 1e4, .kt = 1e4, .mu = 0.5, .nu_n = 10.0};
    tw_sim_def def = scene_open_cube(1.0, &law);
    def.density = 3.0 / (4.0 * TW_MATH_PI); /* a ball has a mass of 1 */
    def.gravity = tw_vec3_make(2.0, 1.0, -10.0);
    return scene_create(&def);
}

/* A block of balls about a point. */
static void add_balls(tw_sim *sim, int side, tw_vec3 middle)
{
    for (int k = 0; k < side * side * side; k++) {
        const double at[] = {k % side, k / side % side, k / side / side};
        const tw_vec3 x = tw_vec3_make(2.05 * (at[0] - 0.5 * (side - 1)) + 0.01 * (k * 23 % 7),
                                       2.05 * (at[1] - 0.5 * (side - 1)) + 0.01 * (k * 31 % 7),
                                       2.05 * (at[2] - 0.5 * (side - 1)));
        const tw_body_def body =
            scene_sphere(1.0, tw_vec3_add(middle, x), (tw_vec3){0, 0, 0}, (tw_vec3){0, 0, 0});
        scene_add(sim, &body);
    }
}

static tw_wall_surface surface_of(const tw_sim *sim, size_t wall)
{
    tw_wall_surface s;
    tw_error error;
    if (tw_sim_get_wall_surface(sim, wall, NULL, &s, &error) != TW_STATUS_OK)
        fail_msg("%s", error.text);
    return s;
}

static tw_vec3 corner_of(const tw_wall_surface *s, size_t facet, size_t k)
{
    return s->vertex[s->corner[(facet ? s->end[facet - 1] : 0) + k]];
}

static size_t corners_of(const tw_wall_surface *s, size_t facet)
{
    return s->end[facet] - (facet ? s->end[facet - 1] : 0);
}

static tw_vec3 area_of(const tw_wall_surface *s, size_t facet)
{
    tw_vec3 sum = {0.0, 0.0, 0.0};
    for (size_t k = 1; k + 1 < corners_of(s, facet); k++)
        sum = tw_vec3_add_scaled(
            sum, 0.5,
            tw_vec3_cross(tw_vec3_sub(corner_of(s, facet, k), corner_of(s, facet, 0)),
                          tw_vec3_sub(corner_of(s, facet, k + 1), corner_of(s, facet, 0))));
    return sum;
}

static double whole_area(const tw_wall_surface *s)
{
    double sum = 0.0;
    for (size_t k = 0; k < s->facet_count; k++)
        sum += tw_vec3_norm(area_of(s, k));
    return sum;
}

/* How far the place is outside of the prism on the facet, relative to its distance from the middle
 * of the facet; -1: at the middle. */
static double outside(const tw_wall_surface *s, size_t facet, tw_vec3 x)
{
    const size_t n = corners_of(s, facet);
    const tw_vec3 area = area_of(s, facet);
    double most = -1.0;
    for (size_t k = 0; k < n; k++) {
        const tw_vec3 a = corner_of(s, facet, k), b = corner_of(s, facet, (k + 1) % n);
        const tw_vec3 out = tw_vec3_cross(tw_vec3_sub(b, a), area);
        const double side = tw_vec3_dot(out, tw_vec3_sub(x, a));
        most = fmax(most, side / (tw_vec3_norm(out) * tw_vec3_norm(tw_vec3_sub(b, a))));
    }
    return most;
}

/* The sum of the forces is that of the wall, and each facet with a force has a contact in it. */
static void check_forces(const tw_sim *sim, size_t wall, size_t least)
{
    const tw_wall_state state = must_wall(sim, wall);
    tw_wall_surface s = surface_of(sim, wall);
    tw_vec3 sum = {0.0, 0.0, 0.0};
    size_t count, loaded = 0;
    tw_contact_state *contacts = scene_contacts(sim, &count);
    for (size_t k = 0; k < s.facet_count; k++) {
        sum = tw_vec3_add(sum, s.force[k]);
        if (!(tw_vec3_norm(s.force[k]) > 0.0)) continue;
        double nearest = HUGE_VAL;
        for (size_t i = 0; i < count; i++)
            if (contacts[i].body_q == TW_NO_BODY && contacts[i].member_q == wall)
                nearest = fmin(nearest, outside(&s, k, contacts[i].point));
        loaded++;
        /* The facets of a turned surface are 5.6 degrees wide, and chords. */
        assert_true(nearest < 0.01);
    }
    free(contacts);
    assert_true(loaded >= least);
    assert_true(tw_vec3_norm(state.force) > 1.0);
    /* a sum in another order */
    assert_true(tw_vec3_norm(tw_vec3_sub(sum, state.force)) < 1e-12 * tw_vec3_norm(state.force));
    tw_wall_surface_free(&s);
}

static void test_a_can_and_its_balls(void **unused)
{
    tw_sim *sim = make_sim();
    const tw_profile_point corner[] = {{0.0, -4.0}, {6.0, -4.0}, {6.0, 20.0}};
    tw_wall_def def = tw_wall_def_default();
    (void)unused;
    def.form = TW_WALL_PROFILE;
    def.corner = corner;
    def.corners = 3;
    def.point = tw_vec3_make(1.0, 2.0, 3.0);
    def.q = (tw_quat){0.8, 0.0, 0.6, 0.0};
    add_balls(sim, 3, def.point);
    const size_t wall = must_add_wall(sim, &def);
    scene_run(sim, 3000);
    check_forces(sim, wall, 5);
    tw_wall_surface s = surface_of(sim, wall);
    /* of a disc and a cylinder with 64 sides */
    const double around = 64.0 * sin(TW_MATH_PI / 64.0), disc = 0.5 * 64.0 * sin(TW_MATH_PI / 32.0);
    const double area = 36.0 * disc + 2.0 * 6.0 * around * 24.0;
    assert_true(fabs(whole_area(&s) - area) < 1e-12 * area);
    assert_int_equal(s.edge_count, 128); /* the circles at bottom and top */
    tw_wall_surface_free(&s);
    tw_sim_free(sim);
}

static void test_a_hollow_sphere_and_its_balls(void **unused)
{
    tw_sim *sim = make_sim();
    tw_wall_def def = tw_wall_def_default();
    (void)unused;
    def.form = TW_WALL_SPHERE;
    def.radius = -6.0;
    def.point = tw_vec3_make(1.0, 2.0, 3.0);
    add_balls(sim, 3, def.point);
    const size_t wall = must_add_wall(sim, &def);
    scene_run(sim, 3000);
    check_forces(sim, wall, 5);
    tw_wall_surface s = surface_of(sim, wall);
    assert_int_equal(s.edge_count, 0);
    for (size_t k = 0; k < s.vertex_count; k++)
        assert_true(fabs(tw_vec3_norm(tw_vec3_sub(s.vertex[k], def.point)) - 6.0) < 1e-14 * 6.0);
    assert_true(fabs(whole_area(&s) / (4.0 * TW_MATH_PI * 36.0) - 1.0) < 0.005);
    tw_wall_surface_free(&s);
    tw_sim_free(sim);
}

static void triangle(tw_mesh_soup *soup, tw_vec3 a, tw_vec3 b, tw_vec3 c)
{
    assert_int_equal(tw_mesh_soup_add(soup, a, b, c, 1, NULL), TW_STATUS_OK);
}

/* Creases, in which balls touch several facets and share their load. */
static void test_a_mesh_and_its_balls(void **unused)
{
    tw_sim *sim = make_sim();
    tw_mesh_soup soup = {0};
    tw_mesh mesh;
    (void)unused;
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++) {
            tw_vec3 at[4];
            for (int k = 0; k < 4; k++) {
                const int u = i + k % 2, v = j + k / 2;
                at[k] = tw_vec3_make(0.7 * u - 8.4, 0.7 * v - 8.4, 0.1 * ((u * 7 + v * 5) % 3));
            }
            triangle(&soup, at[0], at[1], at[2]);
            triangle(&soup, at[3], at[2], at[1]);
        }
    assert_int_equal(tw_mesh_make(&mesh, &soup, 1.0, NULL), TW_STATUS_OK);
    tw_wall_def def = tw_wall_def_default();
    def.form = TW_WALL_MESH;
    def.mesh = &mesh;
    add_balls(sim, 3, tw_vec3_make(0.0, 0.0, 3.24));
    const size_t wall = must_add_wall(sim, &def);
    scene_run(sim, 100);
    check_forces(sim, wall, 9);
    tw_wall_surface s = surface_of(sim, wall);
    assert_int_equal(s.facet_count, mesh.facet_count);
    assert_true(fabs(whole_area(&s) / mesh.area - 1.0) < 1e-12);
    tw_wall_surface_free(&s);
    tw_mesh_free(&mesh);
    tw_mesh_soup_free(&soup);
    tw_sim_free(sim);
}

/* Planes end where others are in front of them: six are the faces of a box. */
static void test_planes_are_cut_by_each_other(void **unused)
{
    tw_sim *sim = make_sim();
    const double size[] = {7.0, 8.0, 9.0};
    const tw_vec3 unit[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double area = 0.0;
    (void)unused;
    add_balls(sim, 3, tw_vec3_make(0.5, 0.0, 0.0));
    for (int k = 0; k < 6; k++) {
        tw_wall_def def = tw_wall_def_default();
        const double side = k % 2 ? 1.0 : -1.0;
        def.point = tw_vec3_scale(0.5 * side * size[k / 2], unit[k / 2]);
        def.normal = tw_vec3_scale(-side, unit[k / 2]);
        must_add_wall(sim, &def);
    }
    scene_run(sim, 1000);
    for (size_t k = 0; k < 6; k++) {
        tw_wall_surface s = surface_of(sim, k);
        assert_int_equal(s.facet_count, 1);
        assert_int_equal(s.edge_count, 4);
        area += whole_area(&s);
        tw_wall_surface_free(&s);
    }
    /* cut with a tolerance of 1e-9 of the diagonal */
    assert_true(fabs(area / (2.0 * (7.0 * 8.0 + 8.0 * 9.0 + 9.0 * 7.0)) - 1.0) < 1e-8);
    check_forces(sim, 4, 1);
    tw_sim_free(sim);
}

/* Along periodic edges a plane ends with the cell. */
static void test_a_plane_in_a_tilted_periodic_cell(void **unused)
{
    const tw_contact_law law = {.kn = 1000.0};
    tw_sim_def def = scene_open_cube(10.0, &law);
    tw_wall_def wall = tw_wall_def_default();
    (void)unused;
    def.periodic[0] = def.periodic[1] = 1;
    def.cell.m[1] = 3.0; /* y of the second edge stays 10 */
    tw_sim *sim = scene_create(&def);
    add_balls(sim, 2, tw_vec3_make(9.5, 4.0, 2.0));
    wall.point = tw_vec3_make(77.0, 0.0, 0.0);
    must_add_wall(sim, &wall);
    tw_wall_surface s = surface_of(sim, 0);
    assert_true(fabs(whole_area(&s) - 100.0) < 1e-9);
    assert_true(isnan(s.force[0].x)); /* not prepared */
    tw_wall_surface_free(&s);
    tw_vec3 box[2];
    assert_int_equal(tw_sim_get_extent(sim, box, NULL), TW_STATUS_OK);
    assert_true(fabs(box[0].z + 0.025) < 1e-12 && fabs(box[1].z - 4.025) < 1e-12);
    tw_sim_free(sim);
}

/* An edge is drawn where a cube bends, not across its faces. */
static void test_edges_of_a_cube(void **unused)
{
    tw_sim *sim = make_sim();
    tw_mesh_soup soup = {0};
    tw_mesh mesh;
    (void)unused;
    for (int k = 0; k < 6; k++) {
        tw_vec3 at[4];
        for (int i = 0; i < 4; i++) {
            const double u[] = {k % 2 ? 1.0 : -1.0, i % 2 ? 1.0 : -1.0, i / 2 ? 1.0 : -1.0};
            at[i] = tw_vec3_make(u[k / 2], u[(k / 2 + 1) % 3], u[(k / 2 + 2) % 3]);
        }
        triangle(&soup, at[0], at[1], at[3]);
        /* a facet with another orientation is no edge */
        triangle(&soup, at[0], at[k == 3 ? 3 : 2], at[k == 3 ? 2 : 3]);
    }
    assert_int_equal(tw_mesh_make(&mesh, &soup, 1.0, NULL), TW_STATUS_OK);
    tw_wall_def def = tw_wall_def_default();
    def.form = TW_WALL_MESH;
    def.mesh = &mesh;
    def.q = (tw_quat){0.6, 0.0, 0.0, 0.8};
    must_add_wall(sim, &def);
    tw_wall_surface s = surface_of(sim, 0);
    assert_int_equal(s.facet_count, 12);
    assert_int_equal(s.edge_count, 12);
    for (size_t k = 0; k < s.edge_count; k++) {
        const tw_vec3 a = s.vertex[s.edge[2 * k]], b = s.vertex[s.edge[2 * k + 1]];
        assert_true(fabs(tw_vec3_norm(tw_vec3_sub(b, a)) - 2.0) < 1e-14);
    }
    tw_wall_surface_free(&s);
    assert_int_equal(tw_sim_set_wall_present(sim, 0, 0, NULL), TW_STATUS_OK);
    s = surface_of(sim, 0);
    assert_true(s.facet_count == 0 && s.vertex_count == 0); /* it is not there */
    tw_wall_surface_free(&s);
    tw_mesh_free(&mesh);
    tw_mesh_soup_free(&soup);
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_can_and_its_balls),
        cmocka_unit_test(test_a_hollow_sphere_and_its_balls),
        cmocka_unit_test(test_a_mesh_and_its_balls),
        cmocka_unit_test(test_planes_are_cut_by_each_other),
        cmocka_unit_test(test_a_plane_in_a_tilted_periodic_cell),
        cmocka_unit_test(test_edges_of_a_cube),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
