/* SPDX-License-Identifier: BSD-3-Clause */
/* Meshes against closed forms of their surface, and against every pair of facets. */
#include "check.h"

#include <twirl/mesh.h>

#include <math.h>
#include <stdlib.h>

static void add(tw_mesh_soup *soup, tw_vec3 a, tw_vec3 b, tw_vec3 c)
{
    assert_int_equal(tw_mesh_soup_add(soup, a, b, c, (uint32_t)soup->count + 1, NULL),
                     TW_STATUS_OK);
}

static tw_mesh make(const tw_mesh_soup *soup)
{
    tw_mesh mesh;
    tw_error error = {TW_STATUS_OK, ""};
    if (tw_mesh_make(&mesh, soup, 1.0, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    return mesh;
}

static tw_mesh make_and_free(tw_mesh_soup *soup)
{
    const tw_mesh mesh = make(soup);
    tw_mesh_soup_free(soup);
    return mesh;
}

/* Two triangles on each square of n x n on a parallelogram. */
static void add_sheet(tw_mesh_soup *soup, tw_vec3 corner, tw_vec3 u, tw_vec3 v, int n)
{
    for (int i = 0; i < n * n; i++) {
        tw_vec3 x[4];
        for (int k = 0; k < 4; k++)
            x[k] = tw_vec3_add_scaled(tw_vec3_add_scaled(corner, (double)(i % n + k % 2) / n, u),
                                      (double)(i / n + k / 2) / n, v);
        add(soup, x[0], x[1], x[3]);
        add(soup, x[0], x[3], x[2]);
    }
}

/* A closed box, normals outwards; the top has `top` squares along an edge, the other sides n. */
static void add_box(tw_mesh_soup *soup, tw_vec3 low, tw_vec3 size, int n, int top)
{
    const tw_vec3 x = {size.x, 0, 0}, y = {0, size.y, 0}, z = {0, 0, size.z};
    add_sheet(soup, low, y, x, n);
    add_sheet(soup, low, x, z, n);
    add_sheet(soup, low, z, y, n);
    add_sheet(soup, tw_vec3_add(low, z), x, y, top);
    add_sheet(soup, tw_vec3_add(low, y), z, x, n);
    add_sheet(soup, tw_vec3_add(low, x), y, z, n);
}

static const tw_vec3 origin = {0, 0, 0}, cuboid = {1.0, 2.0, 4.0};

static void check_no_findings(const tw_mesh *mesh)
{
    for (int k = 0; k < TW_MESH_FINDINGS; k++)
        assert_int_equal(mesh->found[k].count, 0);
}

static void a_box_has_its_area_volume_and_bends(void **state)
{
    (void)state;
    tw_mesh_soup soup = {0};
    add_box(&soup, origin, cuboid, 4, 4);
    tw_mesh mesh = make_and_free(&soup);
    check_no_findings(&mesh);
    assert_int_equal(mesh.facet_count, 6 * 32);
    assert_int_equal(mesh.vertex_count + mesh.facet_count, mesh.edge_count + 2);
    check_at_most(fabs(mesh.volume - 8.0), 1e-13);
    check_at_most(fabs(mesh.area - 28.0), 1e-13);
    check_at_most(fabs(mesh.shortest - 0.25), 1e-15);
    check_at_most(fabs(mesh.gentlest - CHECK_PI / 2), 1e-15);
    check_at_most(fabs(mesh.sharpest - CHECK_PI / 2), 1e-15);
    tw_mesh_free(&mesh);
}

/* An octahedron, refined, on the unit sphere. */
static void add_ball(tw_mesh_soup *soup, tw_vec3 a, tw_vec3 b, tw_vec3 c, int depth)
{
    const tw_vec3 corner[] = {a, b, c};
    tw_vec3 middle[3];
    if (depth == 0) {
        add(soup, a, b, c);
        return;
    }
    for (int k = 0; k < 3; k++) {
        const tw_vec3 sum = tw_vec3_add(corner[k], corner[(k + 1) % 3]);
        middle[k] = tw_vec3_scale(1.0 / tw_vec3_norm(sum), sum);
    }
    for (int k = 0; k < 3; k++)
        add_ball(soup, corner[k], middle[k], middle[(k + 2) % 3], depth - 1);
    add_ball(soup, middle[0], middle[1], middle[2], depth - 1);
}

static void add_sphere(tw_mesh_soup *soup, int depth)
{
    for (int i = 0; i < 8; i++) {
        const tw_vec3 x = {i & 1 ? -1 : 1, 0, 0}, y = {0, i & 2 ? -1 : 1, 0};
        const tw_vec3 z = {0, 0, i & 4 ? -1 : 1};
        const int odd = (i & 1) ^ (i >> 1 & 1) ^ (i >> 2 & 1);
        add_ball(soup, x, odd ? z : y, odd ? y : z, depth);
    }
}

static void a_faceted_sphere_converges_with_order_two(void **state)
{
    (void)state;
    double volume = 0.0, bend = 0.0;
    for (int depth = 3; depth < 6; depth++) {
        tw_mesh_soup soup = {0};
        add_sphere(&soup, depth);
        tw_mesh mesh = make_and_free(&soup);
        check_no_findings(&mesh);
        assert_int_equal(mesh.facet_count, 8 << 2 * depth);
        assert_int_equal(mesh.vertex_count + mesh.facet_count, mesh.edge_count + 2);
        const double lack = 4.0 / 3.0 * CHECK_PI - mesh.volume;
        if (depth > 3) {
            check_at_most(fabs(volume / lack - 4.0), 0.1);
            check_at_most(fabs(bend / mesh.sharpest - 2.0), 0.1);
        }
        volume = lack;
        bend = mesh.sharpest;
        tw_mesh_free(&mesh);
    }
}

static void check_equal(const tw_mesh *a, const tw_mesh *b)
{
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->facet_count, b->facet_count);
    assert_int_equal(a->edge_count, b->edge_count);
    assert_memory_equal(a->vertex, b->vertex, a->vertex_count * sizeof *a->vertex);
    assert_memory_equal(a->edge, b->edge, a->edge_count * sizeof *a->edge);
    assert_memory_equal(a->sides, b->sides, 3 * a->facet_count * sizeof *a->sides);
    for (size_t i = 0; i < a->facet_count; i++) {
        assert_memory_equal(a->facet[i].vertex, b->facet[i].vertex, sizeof a->facet->vertex);
        assert_memory_equal(a->facet[i].edge, b->facet[i].edge, sizeof a->facet->edge);
    }
    assert_memory_equal(&a->area, &b->area, sizeof a->area);
    assert_memory_equal(&a->volume, &b->volume, sizeof a->volume);
}

/* The same triangles in another order, each beginning with another corner. */
static tw_mesh_soup shuffled(const tw_mesh_soup *soup, tw_random *random)
{
    tw_mesh_soup other = {0};
    size_t *order = malloc(soup->count * sizeof *order);
    for (size_t i = 0; i < soup->count; i++) {
        const size_t j = (size_t)check_between(random, 0.0, (double)i + 1.0) % (i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (size_t i = 0; i < soup->count; i++) {
        const tw_vec3 *c = &soup->corner[3 * order[i]];
        const size_t k = (size_t)check_between(random, 0.0, 3.0);
        add(&other, c[k % 3], c[(k + 1) % 3], c[(k + 2) % 3]);
    }
    free(order);
    return other;
}

static void the_order_in_the_file_does_not_matter(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(5);
    tw_mesh_soup soup = {0};
    add_box(&soup, tw_vec3_make(-0.3, -0.4, -0.5), cuboid, 3, 6); /* with vertices on edges */
    add_sphere(&soup, 2);                                         /* which crosses the box */
    tw_mesh mesh = make(&soup);
    assert_true(mesh.found[TW_MESH_SPLIT].count > 0);
    assert_true(mesh.found[TW_MESH_CROSSING].count > 0);
    for (int i = 0; i < 5; i++) {
        tw_mesh_soup again = shuffled(&soup, &random);
        tw_mesh other = make_and_free(&again);
        check_equal(&mesh, &other);
        tw_mesh_free(&other);
    }
    tw_mesh_soup_free(&soup);
    tw_mesh_free(&mesh);
}

static void cracks_are_closed(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(6);
    tw_mesh_soup soup = {0};
    add_box(&soup, origin, cuboid, 5, 5);
    for (size_t i = 0; i < 3 * soup.count; i++)
        soup.corner[i] = tw_vec3_add(soup.corner[i], check_vector(&random, -2e-7, 2e-7));
    tw_mesh mesh = make_and_free(&soup);
    assert_int_equal(mesh.found[TW_MESH_BOUNDARY].count, 0);
    assert_true(mesh.found[TW_MESH_WELDED].count > 0);
    assert_int_equal(mesh.vertex_count, 6 * 25 + 2);
    check_at_most(fabs(mesh.volume - 8.0), 1e-5);
    tw_mesh_free(&mesh);
}

static void facets_are_divided_at_vertices_on_their_edges(void **state)
{
    (void)state;
    for (int top = 2; top < 7; top++) {
        tw_mesh_soup soup = {0};
        add_box(&soup, origin, cuboid, 1, top);
        tw_mesh mesh = make_and_free(&soup);
        assert_int_equal(mesh.found[TW_MESH_BOUNDARY].count, 0);
        assert_int_equal(mesh.found[TW_MESH_SPLIT].count, 4);
        assert_int_equal(mesh.vertex_count + mesh.facet_count, mesh.edge_count + 2);
        check_at_most(fabs(mesh.volume - 8.0), 1e-13);
        check_at_most(fabs(mesh.area - 28.0), 1e-13);
        tw_mesh_free(&mesh);
    }
}

/* A triangle with vertices of others on all its edges. */
static void three_edges_of_a_facet_are_divided(void **state)
{
    (void)state;
    tw_mesh_soup soup = {0};
    const tw_vec3 c[] = {{0, 0, 0}, {6, 0, 0}, {0, 6, 0}}, top = {1, 1, 5};
    add(&soup, c[0], c[2], c[1]);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            const tw_vec3 along = tw_vec3_sub(c[(k + 1) % 3], c[k]);
            add(&soup, tw_vec3_add_scaled(c[k], i / 3.0, along),
                tw_vec3_add_scaled(c[k], (i + 1) / 3.0, along), top);
        }
    tw_mesh mesh = make_and_free(&soup);
    assert_int_equal(mesh.found[TW_MESH_BOUNDARY].count, 0);
    assert_int_equal(mesh.vertex_count + mesh.facet_count, mesh.edge_count + 2);
    check_at_most(fabs(mesh.volume - 30.0), 1e-13);
    tw_mesh_free(&mesh);
}

static void what_is_twice_or_without_area_goes(void **state)
{
    (void)state;
    tw_mesh_soup soup = {0};
    add_box(&soup, origin, cuboid, 2, 2);
    tw_mesh clean = make(&soup);
    add(&soup, soup.corner[1], soup.corner[0], soup.corner[2]);
    add(&soup, soup.corner[0], soup.corner[0], soup.corner[2]);
    add(&soup, tw_vec3_make(0, 0, 0), tw_vec3_make(0, 1, 0), tw_vec3_make(0, 0.5, 1e-7));
    tw_mesh mesh = make_and_free(&soup);
    assert_int_equal(mesh.found[TW_MESH_DUPLICATE].count, 1);
    assert_int_equal(mesh.found[TW_MESH_DUPLICATE].first, 49);
    assert_int_equal(mesh.found[TW_MESH_DEGENERATE].count, 2);
    assert_int_equal(mesh.found[TW_MESH_DEGENERATE].first, 50);
    check_equal(&clean, &mesh);
    tw_mesh_free(&clean);
    tw_mesh_free(&mesh);
}

static void holes_edges_of_three_facets_and_flipped_ones_are_counted(void **state)
{
    (void)state;
    tw_mesh_soup soup = {0};
    add_box(&soup, origin, cuboid, 2, 2);
    soup.count--; /* a hole */
    tw_mesh mesh = make(&soup);
    assert_int_equal(mesh.found[TW_MESH_BOUNDARY].count, 3);
    assert_true(isnan(mesh.volume));
    tw_mesh_free(&mesh);
    const tw_vec3 first = soup.corner[0];
    soup.corner[0] = soup.corner[1];
    soup.corner[1] = first;
    mesh = make(&soup);
    assert_int_equal(mesh.found[TW_MESH_FLIPPED].count, 3);
    assert_int_equal(mesh.found[TW_MESH_BOUNDARY].count, 3);
    check_at_most(fabs(mesh.gentlest - CHECK_PI / 2), 1e-15);
    tw_mesh_free(&mesh);
    add(&soup, soup.corner[0], soup.corner[1], tw_vec3_make(-1, -1, -1));
    mesh = make_and_free(&soup);
    assert_int_equal(mesh.found[TW_MESH_NON_MANIFOLD].count, 1);
    tw_mesh_free(&mesh);
}

static void check_refused(const tw_mesh_soup *soup, double scale, const char *text)
{
    tw_mesh mesh;
    tw_error error = {TW_STATUS_OK, ""};
    assert_int_equal(tw_mesh_make(&mesh, soup, scale, &error), TW_STATUS_INPUT);
    if (!strstr(error.text, text)) fail_msg("%s does not say %s", error.text, text);
    assert_null(mesh.facet);
}

static void facets_that_overlap_in_a_plane_are_refused(void **state)
{
    (void)state;
    for (int turned = 0; turned < 4; turned++) {
        tw_random random = tw_random_seed(7 + (unsigned)turned);
        const tw_vec3 u = check_unit(&random);
        const tw_vec3 e[] = {u, check_unit(&random)};
        tw_mesh_soup soup = {0};
        add_sheet(&soup, origin, e[0], e[1], 2);
        tw_mesh mesh = make(&soup);
        tw_mesh_free(&mesh);
        const tw_vec3 shift = tw_vec3_add_scaled(tw_vec3_scale(0.6, e[0]), 0.6, e[1]);
        add(&soup, shift, tw_vec3_add(shift, e[0]), tw_vec3_add(shift, e[1]));
        check_refused(&soup, 1.0, "facets 7 and 9 overlap in one plane");
        tw_mesh_soup_free(&soup);
    }
}

static void what_is_no_surface_is_refused(void **state)
{
    (void)state;
    tw_mesh_soup soup = {0};
    check_refused(&soup, 1.0, "no facets");
    add(&soup, tw_vec3_make(0, 0, 0), tw_vec3_make(1, 1, 1), tw_vec3_make(3, 3, 3));
    check_refused(&soup, 1.0, "without area");
    check_refused(&soup, 0.0, "without area");
    check_refused(&soup, 1e100, "facet 1 has a corner that is not a finite length");
    tw_error error;
    const tw_vec3 nowhere = {0, (double)NAN, 0};
    assert_int_equal(tw_mesh_soup_add(&soup, origin, origin, nowhere, 2, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "facet 2 has a corner that is not a finite length"));
    tw_mesh_soup_free(&soup);
}

/* Möller's test would do; this one cuts both triangles with the line of their planes. */
static int cross_by_force(const tw_mesh *mesh, size_t a, size_t b)
{
    int crossings = 0;
    for (int swap = 0; swap < 2; swap++) {
        const uint32_t *p = mesh->facet[swap ? b : a].vertex, *t = mesh->facet[swap ? a : b].vertex;
        for (int i = 0; i < 3; i++) {
            /* Volumes of tetrahedra of the edge and the corners: all of one sign. */
            const tw_vec3 x = mesh->vertex[p[i]], y = mesh->vertex[p[(i + 1) % 3]];
            double six[5];
            for (int k = 0; k < 3; k++)
                six[k] = tw_vec3_dot(tw_vec3_sub(y, x),
                                     tw_vec3_cross(tw_vec3_sub(mesh->vertex[t[k]], x),
                                                   tw_vec3_sub(mesh->vertex[t[(k + 1) % 3]], x)));
            for (int k = 0; k < 2; k++) {
                const tw_vec3 end = k ? y : x, o = mesh->vertex[t[0]];
                six[3 + k] = tw_vec3_dot(tw_vec3_sub(end, o),
                                         tw_vec3_cross(tw_vec3_sub(mesh->vertex[t[1]], o),
                                                       tw_vec3_sub(mesh->vertex[t[2]], o)));
            }
            const int up = six[0] > 0 && six[1] > 0 && six[2] > 0;
            const int down = six[0] < 0 && six[1] < 0 && six[2] < 0;
            crossings += (up || down) && six[3] * six[4] < 0;
        }
    }
    return crossings > 0;
}

static void random_triangles_cross_as_by_brute_force(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(8);
    for (int round = 0; round < 20; round++) {
        tw_mesh_soup soup = {0};
        const double size = round % 2 ? 1.0 : 0.3;
        for (int i = 0; i < 60; i++) {
            const tw_vec3 at = check_vector(&random, 0.0, 1.0);
            const tw_vec3 b = check_vector(&random, -size, size);
            const tw_vec3 c = check_vector(&random, -size, size);
            add(&soup, at, tw_vec3_add(at, b), tw_vec3_add(at, c));
        }
        tw_mesh mesh = make_and_free(&soup);
        size_t crossing = 0;
        for (size_t a = 0; a < mesh.facet_count; a++)
            for (size_t b = a + 1; b < mesh.facet_count; b++)
                crossing += (size_t)cross_by_force(&mesh, a, b);
        assert_int_equal(mesh.facet_count, 60);
        assert_true(crossing > 0);
        assert_int_equal(mesh.found[TW_MESH_CROSSING].count, crossing);
        tw_mesh_free(&mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_its_area_volume_and_bends),
        cmocka_unit_test(a_faceted_sphere_converges_with_order_two),
        cmocka_unit_test(the_order_in_the_file_does_not_matter),
        cmocka_unit_test(cracks_are_closed),
        cmocka_unit_test(facets_are_divided_at_vertices_on_their_edges),
        cmocka_unit_test(three_edges_of_a_facet_are_divided),
        cmocka_unit_test(what_is_twice_or_without_area_goes),
        cmocka_unit_test(holes_edges_of_three_facets_and_flipped_ones_are_counted),
        cmocka_unit_test(facets_that_overlap_in_a_plane_are_refused),
        cmocka_unit_test(what_is_no_surface_is_refused),
        cmocka_unit_test(random_triangles_cross_as_by_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
