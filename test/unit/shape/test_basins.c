/* SPDX-License-Identifier: BSD-3-Clause */
/* The contacts of a sphere with meshes: their energy against the number of pieces of the surface in
 * a growing ball, counted facet by facet; forces against its gradient, and against planes and
 * cylinders; the facets near a point against all of them. */
#include "check.h"

#include "shape/grid.h"
#include "shape/profile.h"

#include <math.h>
#include <stdlib.h>

enum { NEAR_MAX = 400 };

typedef struct scene {
    tw_mesh_soup soup;
    tw_mesh mesh;
    tw_facets_edge *edge;
    tw_facets_facet *facet;
    tw_facets facets;
} scene;

/* Contacts and passes of a sphere of radius 1, linear springs of stiffness 1. */
typedef struct touch {
    tw_near near[NEAR_MAX];
    tw_pass pass[3 * NEAR_MAX];
    int count, contacts, passes, lowest[NEAR_MAX];
    double energy;
    tw_vec3 force; /* on the sphere */
    double share[NEAR_MAX];
} touch;

static void add(scene *s, tw_vec3 a, tw_vec3 b, tw_vec3 c)
{
    assert_int_equal(tw_mesh_soup_add(&s->soup, a, b, c, (uint32_t)s->soup.count + 1, NULL),
                     TW_STATUS_OK);
}

static void build(scene *s)
{
    tw_error error = {TW_STATUS_OK, ""};
    if (tw_mesh_make(&s->mesh, &s->soup, 1.0, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    s->edge = calloc(s->mesh.edge_count, sizeof *s->edge);
    s->facet = calloc(s->mesh.facet_count, sizeof *s->facet);
    tw_facets_derive(&s->mesh, s->edge, s->facet);
    s->facets = (tw_facets){s->edge, s->facet};
}

static void drop(scene *s)
{
    tw_mesh_soup_free(&s->soup);
    tw_mesh_free(&s->mesh);
    free(s->edge);
    free(s->facet);
}

static void add_near(touch *t, tw_near near)
{
    if (near.d >= 1.0) return;
    assert_true(t->count < NEAR_MAX);
    t->near[t->count++] = near;
}

static void find_basins(touch *t)
{
    int work[NEAR_MAX];
    t->contacts = tw_basin_find(t->near, t->count, 1.0, work, t->lowest);
}

static void sum_up(touch *t)
{
    double d[NEAR_MAX];
    int work[NEAR_MAX];
    t->energy = 0.0;
    t->force = tw_vec3_make(0, 0, 0);
    for (int k = 0; k < t->contacts; k++) {
        const tw_near *near = &t->near[t->lowest[k]];
        d[k] = near->d;
        t->share[k] = 1.0;
        t->energy += 0.5 * (1.0 - d[k]) * (1.0 - d[k]);
        t->force = tw_vec3_add_scaled(t->force, -(1.0 - d[k]), near->n);
    }
    t->passes = tw_pass_choose(t->pass, t->passes, t->near, t->lowest, t->contacts, work);
    for (int k = 0; k < t->passes; k++) {
        const tw_pass *p = &t->pass[k];
        t->energy -= 0.5 * (1.0 - p->d) * (1.0 - p->d);
        t->force = tw_vec3_add_scaled(t->force, 1.0 - p->d, p->n);
        t->share[p->a] -= p->share * (1.0 - p->d) / (1.0 - d[p->a]);
        t->share[p->b] -= (1.0 - p->share) * (1.0 - p->d) / (1.0 - d[p->b]);
    }
}

static void find(const scene *s, tw_vec3 x, touch *t)
{
    t->count = 0;
    for (uint32_t i = 0; i < s->mesh.facet_count; i++)
        add_near(t, tw_facets_nearest(&s->facets, i, x));
    find_basins(t);
    t->passes = tw_facets_passes(&s->facets, t->near, t->count, x, 1.0, t->pass);
    sum_up(t);
}

/* ---- The integral of f(1 - r) times the number of pieces nearer than r ---- */

static double segment_distance(tw_vec3 a, tw_vec3 b, tw_vec3 x)
{
    const tw_vec3 ab = tw_vec3_sub(b, a), ax = tw_vec3_sub(x, a);
    const double t = tw_vec3_dot(ab, ax) / tw_vec3_dot(ab, ab);
    return tw_vec3_norm(tw_vec3_add_scaled(ax, -(t < 0 ? 0 : t > 1 ? 1 : t), ab));
}

static double triangle_distance(const tw_vec3 *c, tw_vec3 x)
{
    const tw_vec3 n = tw_vec3_cross(tw_vec3_sub(c[1], c[0]), tw_vec3_sub(c[2], c[0]));
    double least = HUGE_VAL;
    int inside = 0;
    for (int k = 0; k < 3; k++) {
        const tw_vec3 a = c[k], b = c[(k + 1) % 3];
        const tw_vec3 out = tw_vec3_cross(tw_vec3_sub(b, a), n);
        inside += tw_vec3_dot(out, tw_vec3_sub(x, a)) < 0;
        const double d = segment_distance(a, b, x);
        if (d < least) least = d;
    }
    return inside == 3 ? fabs(tw_vec3_dot(tw_vec3_sub(x, c[0]), n)) / tw_vec3_norm(n) : least;
}

/* Two facets are one piece as soon as the ball has reached what they share. */
typedef struct link {
    double d;
    int a, b;
} link;

static int by_distance(const void *a, const void *b)
{
    const double x = ((const link *)a)->d, y = ((const link *)b)->d;
    return (x > y) - (x < y);
}

static double energy_by_pieces(const scene *s, tw_vec3 x)
{
    static link links[NEAR_MAX * NEAR_MAX / 2];
    int number[NEAR_MAX], piece[NEAR_MAX], count = 0, found = 0;
    double energy = 0.0;
    for (size_t i = 0; i < s->mesh.facet_count; i++) {
        tw_vec3 c[3];
        for (int k = 0; k < 3; k++)
            c[k] = s->mesh.vertex[s->mesh.facet[i].vertex[k]];
        const double d = triangle_distance(c, x);
        if (d >= 1.0) continue;
        energy += 0.5 * (1.0 - d) * (1.0 - d);
        piece[count] = count;
        number[count++] = (int)i;
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            tw_vec3 common[3];
            int n = 0;
            for (int k = 0; k < 9; k++) {
                const uint32_t v = s->mesh.facet[number[i]].vertex[k / 3];
                if (v == s->mesh.facet[number[j]].vertex[k % 3]) common[n++] = s->mesh.vertex[v];
            }
            if (n == 0) continue;
            links[found].d = n == 2 ? segment_distance(common[0], common[1], x)
                                    : tw_vec3_norm(tw_vec3_sub(common[0], x));
            links[found].a = i;
            links[found++].b = j;
        }
    qsort(links, (size_t)found, sizeof *links, by_distance);
    for (int k = 0; k < found && links[k].d < 1.0; k++) {
        const int a = piece[links[k].a], b = piece[links[k].b];
        if (a == b) continue;
        energy -= 0.5 * (1.0 - links[k].d) * (1.0 - links[k].d);
        for (int i = 0; i < count; i++)
            if (piece[i] == b) piece[i] = a;
    }
    return energy;
}

/* ---- Surfaces ---- */

/* A sheet of n x n squares of edge h, whose vertices are off by up to `rough`. */
static scene make_ground(int n, double h, double rough, uint64_t seed)
{
    scene s = {0};
    tw_random random = tw_random_seed(seed);
    tw_vec3 *v = malloc((size_t)((n + 1) * (n + 1)) * sizeof *v);
    for (int i = 0; i < (n + 1) * (n + 1); i++) {
        const tw_vec3 off = check_vector(&random, -0.2 * h, 0.2 * h);
        const double up = check_between(&random, -rough, rough);
        v[i] = tw_vec3_make(h * (i % (n + 1)) + off.x, h * (i / (n + 1)) + off.y, up);
    }
    for (int i = 0; i < n * n; i++) {
        const int at = i % n + i / n * (n + 1);
        add(&s, v[at], v[at + 1], v[at + n + 2]);
        add(&s, v[at], v[at + n + 2], v[at + n + 1]);
    }
    free(v);
    build(&s);
    return s;
}

static tw_vec3 place(tw_random *random, double edge, double low, double high)
{
    const double x = check_between(random, 1.2, edge - 1.2),
                 y = check_between(random, 1.2, edge - 1.2);
    return tw_vec3_make(x, y, check_between(random, low, high));
}

/* ---- Tests ---- */

static void energy_is_that_of_the_number_of_pieces(void **state)
{
    (void)state;
    static const double roughness[] = {0.0, 1e-3, 0.02, 0.1, 0.3};
    int several = 0, shared = 0;
    double worst = 0.0;
    touch *t = malloc(sizeof *t);
    for (size_t k = 0; k < 5; k++) {
        for (uint64_t seed = 0; seed < 3; seed++) {
            tw_random random = tw_random_seed(seed + 10 * k);
            const double h = seed == 0 ? 0.3 : seed == 1 ? 0.8 : 2.0;
            scene s = make_ground(seed == 2 ? 4 : 12, h, h * roughness[k], seed + 20);
            for (int i = 0; i < 300; i++) {
                const double up = h * roughness[k];
                const tw_vec3 x = place(&random, h * (seed == 2 ? 4 : 12), 0.9 - up, 1.0 + up);
                find(&s, x, t);
                const double pieces = energy_by_pieces(&s, x);
                worst = check_most(worst, fabs(t->energy - pieces));
                several += t->contacts > 1;
                shared += t->passes > 0;
                for (int c = 0; c < t->contacts; c++) {
                    check_at_most(t->share[c], 1.0);
                    if (roughness[k] < 0.05)
                        check_at_most(-t->share[c], 1e-9); /* pits, if rougher */
                }
            }
            drop(&s);
        }
    }
    assert_true(several > 300 && shared > 300);
    check_at_most(worst, 1e-15);
    free(t);
}

static void force_is_the_gradient_of_the_energy(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(3);
    scene s = make_ground(12, 0.4, 0.03, 4);
    touch *t = malloc(sizeof *t);
    const double step = 1e-6;
    int checked = 0;
    for (int i = 0; i < 400; i++) {
        const tw_vec3 x = place(&random, 4.8, 0.9, 1.0);
        double slope[3];
        for (int k = 0; k < 3; k++) {
            const tw_vec3 h = {k == 0 ? step : 0, k == 1 ? step : 0, k == 2 ? step : 0};
            find(&s, tw_vec3_add(x, h), t);
            slope[k] = t->energy;
            find(&s, tw_vec3_sub(x, h), t);
            slope[k] = (t->energy - slope[k]) / (2.0 * step);
        }
        find(&s, x, t);
        checked += t->passes > 0;
        const tw_vec3 off = tw_vec3_sub(t->force, tw_vec3_make(slope[0], slope[1], slope[2]));
        check_at_most(tw_vec3_norm(off), 2e-6); /* second derivatives jump at edges */
    }
    assert_true(checked > 50);
    drop(&s);
    free(t);
}

static void a_plane_of_triangles_is_the_plane(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(5);
    scene s = make_ground(15, 0.3, 0.0, 6);
    touch *t = malloc(sizeof *t);
    for (int i = 0; i < 2000; i++) {
        const tw_vec3 x = place(&random, 4.5, 0.8, 1.0);
        find(&s, x, t);
        assert_int_equal(t->contacts, 1);
        check_at_most(fabs(t->near[t->lowest[0]].d - x.z), 0.0);
        check_at_most(fabs(t->force.x) + fabs(t->force.y), 0.0);
    }
    drop(&s);
    free(t);
}

/* A plane that is not along the axes: to the rounding of its vertices. */
static void a_tilted_plane_of_triangles_is_the_plane(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(7);
    scene flat = make_ground(15, 0.3, 0.0, 8), s = {0};
    const tw_vec3 z = check_unit(&random), other = check_unit(&random);
    const tw_vec3 side = tw_vec3_cross(z, other), x = tw_vec3_scale(1.0 / tw_vec3_norm(side), side);
    const tw_vec3 y = tw_vec3_cross(z, x);
    touch *t = malloc(sizeof *t);
    for (size_t i = 0; i < flat.soup.count; i++) {
        tw_vec3 c[3];
        for (int k = 0; k < 3; k++) {
            const tw_vec3 v = flat.soup.corner[3 * i + (size_t)k];
            c[k] = tw_vec3_add_scaled(tw_vec3_scale(v.x, x), v.y, y);
        }
        add(&s, c[0], c[1], c[2]);
    }
    build(&s);
    for (int i = 0; i < 2000; i++) {
        const tw_vec3 at = place(&random, 4.5, 0.8, 1.0);
        find(&s, tw_vec3_add_scaled(tw_vec3_add_scaled(tw_vec3_scale(at.x, x), at.y, y), at.z, z),
             t);
        const tw_vec3 off = tw_vec3_add_scaled(t->force, -(1.0 - at.z), z);
        check_at_most(tw_vec3_norm(off), 1e-14);
    }
    drop(&flat);
    drop(&s);
    free(t);
}

static void a_box_is_its_planes_in_every_bit(void **state)
{
    (void)state;
    scene s = {0};
    tw_random random = tw_random_seed(9);
    touch *t = malloc(sizeof *t);
    const double size = 3.0;
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < 18; i++) {
                tw_vec3 c[3];
                for (int k = 0; k < 3; k++) {
                    const int corner = i % 2 ? (k == 0 ? 0 : k == 1 ? 3 : 2) : (k == 2 ? 3 : k);
                    double v[3];
                    v[axis] = side ? size : 0.0;
                    v[(axis + 1) % 3] = size * ((i / 2 % 3 + corner % 2) / 3.0);
                    v[(axis + 2) % 3] = size * ((i / 6 + corner / 2) / 3.0);
                    c[k] = tw_vec3_make(v[0], v[1], v[2]);
                }
                add(&s, c[0], c[1], c[2]);
            }
    build(&s);
    assert_int_equal(s.mesh.found[TW_MESH_BOUNDARY].count, 0);
    for (int i = 0; i < 2000; i++) {
        const tw_vec3 x = check_vector(&random, 0.8, 1.2);
        const double d[] = {x.x, x.y, x.z};
        int planes = 0;
        find(&s, x, t);
        for (int k = 0; k < 3; k++) {
            if (d[k] >= 1.0) continue;
            planes++;
            int found = 0;
            for (int c = 0; c < t->contacts; c++) {
                const tw_near *near = &t->near[t->lowest[c]];
                found += near->d == d[k] && (k == 0   ? near->n.x
                                             : k == 1 ? near->n.y
                                                      : near->n.z) == -1.0;
            }
            assert_int_equal(found, 1);
        }
        assert_int_equal(t->contacts, planes);
        assert_int_equal(t->passes, 0);
    }
    drop(&s);
    free(t);
}

/* The inside of a cylinder of radius 5 about y, of n facets around. */
static double error_in_cylinder(int n)
{
    scene s = {0};
    tw_random random = tw_random_seed(11);
    touch *t = malloc(sizeof *t);
    double worst = 0.0;
    for (int i = 0; i < n / 4; i++) {
        tw_vec3 c[4];
        for (int k = 0; k < 4; k++) {
            const double angle = 2.0 * CHECK_PI * (i + k % 2) / n;
            c[k] = tw_vec3_make(5.0 * cos(angle), k < 2 ? -3.0 : 3.0, 5.0 * sin(angle));
        }
        add(&s, c[0], c[1], c[3]);
        add(&s, c[0], c[3], c[2]);
    }
    build(&s);
    for (int i = 0; i < 1000; i++) {
        const double angle = check_between(&random, 0.7, 0.8),
                     y = check_between(&random, -1.0, 1.0);
        find(&s, tw_vec3_make(4.01 * cos(angle), y, 4.01 * sin(angle)), t);
        worst = check_most(worst, fabs(tw_vec3_norm(t->force) - 0.01));
    }
    drop(&s);
    free(t);
    return worst / 0.01;
}

static void a_faceted_cylinder_converges_with_order_two(void **state)
{
    (void)state;
    double before = error_in_cylinder(200);
    for (int n = 400; n <= 1600; n *= 2) {
        const double error = error_in_cylinder(n);
        check_at_most(fabs(before / error - 4.0), 0.1);
        before = error;
    }
}

/* Two halves of a plane bent by an angle: two contacts, which share their load if the crease is
 * gentler than the overlap is deep. */
static void gentle_creases_share_and_sharp_ones_do_not(void **state)
{
    (void)state;
    const double overlap = 1e-3, limit = sqrt(8.0 * overlap);
    touch *t = malloc(sizeof *t);
    for (int i = 0; i < 20; i++) {
        const double bend = limit * (i < 10 ? 0.1 + 0.08 * i : 1.1 + 0.2 * (i - 10));
        const double up = tan(0.5 * bend);
        scene s = {0};
        for (int side = -1; side <= 1; side += 2) {
            const tw_vec3 a = {0, -5, 0}, b = {0, 5, 0}, c = {5.0 * side, 5, 5.0 * up};
            const tw_vec3 d = {5.0 * side, -5, 5.0 * up};
            add(&s, a, b, c);
            add(&s, a, c, d);
        }
        build(&s);
        find(&s, tw_vec3_make(0, 0.1, (1.0 - overlap) / cos(0.5 * bend)), t);
        assert_int_equal(t->contacts, 2);
        assert_int_equal(t->passes, i < 10);
        check_at_most(fabs(t->share[0] - t->share[1]), 1e-9);
        check_at_most(fabs(t->force.x), 1e-15);
        drop(&s);
    }
    free(t);
}

static void force_does_not_jump(void **state)
{
    (void)state;
    scene s = make_ground(12, 0.5, 0.1, 12);
    touch *t = malloc(sizeof *t);
    double largest[2] = {0.0, 0.0};
    for (int fine = 0; fine < 2; fine++) {
        const int steps = fine ? 40000 : 4000;
        tw_vec3 before = {0, 0, 0};
        for (int i = 0; i <= steps; i++) {
            const double u = (double)i / steps;
            find(&s, tw_vec3_make(1.3 + 3.0 * u, 1.5 + 2.0 * u, 0.98), t);
            if (i > 0)
                largest[fine] =
                    check_most(largest[fine], tw_vec3_norm(tw_vec3_sub(t->force, before)));
            before = t->force;
        }
    }
    check_at_most(largest[1] / largest[0], 0.12); /* a jump would stay */
    drop(&s);
    free(t);
}

/* ---- Surfaces of revolution ---- */

enum { POINTS_MAX = 100 };

typedef struct turned {
    tw_profile_point point[POINTS_MAX];
    tw_profile_segment segment[POINTS_MAX];
    tw_profile profile;
} turned;

/* Each segment in `parts` pieces. */
static void turn(turned *s, const double (*point)[2], int points, int parts)
{
    uint32_t n = 0;
    for (int i = 0; i + 1 < points; i++)
        for (int k = 0; k < parts; k++) {
            const double u = (double)k / parts;
            s->point[n++] = (tw_profile_point){point[i][0] + u * (point[i + 1][0] - point[i][0]),
                                               point[i][1] + u * (point[i + 1][1] - point[i][1])};
        }
    s->point[n++] = (tw_profile_point){point[points - 1][0], point[points - 1][1]};
    for (uint32_t i = 0; i + 1 < n; i++)
        s->segment[i] = tw_profile_segment_make(s->point[i], s->point[i + 1]);
    s->profile = (tw_profile){s->point, s->segment, n};
}

static void find_turned(const turned *s, tw_vec3 x, touch *t)
{
    t->count = 0;
    for (uint32_t i = 0; i + 1 < s->profile.points; i++)
        add_near(t, tw_profile_nearest(&s->profile, i, x));
    find_basins(t);
    t->passes = tw_profile_passes(&s->profile, t->near, t->count, x, 1.0, t->pass);
    sum_up(t);
}

/* A silo with a gentle and a sharp bend, a cone and a floor. */
static const double silo[5][2] = {{5.0, 6.0}, {5.0, 1.5}, {4.95, 0.3}, {3.5, -3.0}, {0.0, -3.0}};

static void cuts_of_a_profile_do_not_matter(void **state)
{
    (void)state;
    turned one, many;
    touch *t = malloc(sizeof *t);
    tw_random random = tw_random_seed(13);
    int touching = 0, shared = 0;
    turn(&one, silo, 5, 1);
    turn(&many, silo, 5, 13);
    for (int i = 0; i < 3000; i++) {
        const double angle = check_between(&random, 0.0, 6.3),
                     rho = check_between(&random, 1.0, 4.1);
        const tw_vec3 x = {rho * cos(angle), rho * sin(angle), check_between(&random, -2.1, 3.0)};
        find_turned(&one, x, t);
        const double energy = t->energy;
        const tw_vec3 force = t->force;
        touching += t->contacts > 0;
        shared += t->passes > 0;
        find_turned(&many, x, t);
        check_at_most(fabs(t->energy - energy), 1e-15);
        check_at_most(tw_vec3_norm(tw_vec3_sub(t->force, force)), 1e-14);
    }
    assert_true(touching > 300 && shared > 5);
    free(t);
}

static void a_cylinder_and_a_cone_are_in_closed_form(void **state)
{
    (void)state;
    static const double pipe[2][2] = {{5.0, 6.0}, {5.0, -6.0}},
                        cone[2][2] = {{8.0, 8.0}, {0.0, 0.0}};
    turned s;
    touch *t = malloc(sizeof *t);
    turn(&s, pipe, 2, 1);
    for (int i = 0; i < 20; i++) {
        const double rho = 4.05 + 0.1 * i, overlap = 1.0 - fabs(5.0 - rho);
        find_turned(&s, tw_vec3_make(0, -rho, 1), t);
        assert_int_equal(t->contacts, 1);
        check_at_most(fabs(t->force.y - (rho < 5.0 ? overlap : -overlap)), 0.0);
        check_at_most(fabs(t->force.x) + fabs(t->force.z), 0.0);
    }
    turn(&s, cone, 2, 1);
    for (int i = 0; i < 20; i++) { /* between 45 degrees and the axis */
        const double rho = 0.2 * i, height = rho + 1.4;
        find_turned(&s, tw_vec3_make(rho, 0, height), t);
        check_at_most(fabs(tw_vec3_norm(t->force) - (1.0 - 1.4 / sqrt(2.0))), 1e-14);
    }
    free(t);
}

/* The silo as a mesh of n facets around, over an eighth of the circle. */
static double error_of_facets(int n)
{
    scene s = {0};
    turned exact;
    touch *t = malloc(sizeof *t);
    tw_random random = tw_random_seed(14);
    double worst = 0.0;
    turn(&exact, silo, 5, 1);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < n / 8; i++) {
            tw_vec3 c[4];
            for (int k = 0; k < 4; k++) {
                const double angle = 2.0 * CHECK_PI * (i + k % 2) / n;
                const double *p = silo[j + k / 2];
                c[k] = tw_vec3_make(p[0] * cos(angle), p[0] * sin(angle), p[1]);
            }
            add(&s, c[0], c[1], c[3]);
            add(&s, c[0], c[3], c[2]);
        }
    build(&s);
    for (int i = 0; i < 300; i++) {
        const double angle = check_between(&random, 0.3, 0.5),
                     z = check_between(&random, -1.0, 3.0);
        const double rho = z > 1.4 ? 4.05 : z > 0.4 ? 4.0 : 3.75 + 0.4 * (z - 0.4);
        const tw_vec3 x = {rho * cos(angle), rho * sin(angle), z};
        find_turned(&exact, x, t);
        const double force = tw_vec3_norm(t->force);
        find(&s, x, t);
        worst = check_most(worst, fabs(tw_vec3_norm(t->force) - force));
    }
    drop(&s);
    free(t);
    return worst;
}

static void facets_converge_to_the_profile_with_order_two(void **state)
{
    (void)state;
    double before = error_of_facets(160);
    for (int n = 320; n <= 640; n *= 2) {
        const double error = error_of_facets(n);
        check_at_most(fabs(before / error - 4.0), 0.1);
        before = error;
    }
}

/* ---- Facets near a point ---- */

static scene make_ball(int n, uint64_t seed)
{
    scene s = {0};
    tw_random random = tw_random_seed(seed);
    const tw_vec3 centre = check_vector(&random, -1.0, 1.0);
    for (int i = 0; i < 2 * n * n; i++) {
        tw_vec3 c[4];
        for (int k = 0; k < 4; k++) {
            const double a = CHECK_PI * ((i % (2 * n) + k % 2) % (2 * n)) / n;
            const double b = CHECK_PI * (i / (2 * n) + k / 2) / n, r = sin(b);
            c[k] = tw_vec3_add(centre, tw_vec3_make(r * cos(a), r * sin(a), cos(b)));
        }
        if (i / (2 * n) < n - 1) add(&s, c[0], c[2], c[3]);
        if (i / (2 * n) > 0) add(&s, c[0], c[3], c[1]);
    }
    build(&s);
    return s;
}

/* A cube of whole numbers, whose facets and cells end at whole numbers. */
static scene make_box(int n)
{
    scene s = {0};
    for (int i = 0; i < 6 * n * n; i++) {
        tw_vec3 c[4];
        for (int k = 0; k < 4; k++) {
            double v[3];
            v[i % 3] = i / 3 % 2 ? n : 0.0;
            v[(i + 1) % 3] = i / 6 % n + k % 2;
            v[(i + 2) % 3] = i / 6 / n + k / 2;
            c[k] = tw_vec3_make(v[0], v[1], v[2]);
        }
        add(&s, c[0], c[1], c[3]);
        add(&s, c[0], c[3], c[2]);
    }
    build(&s);
    return s;
}

/* Facets of any direction, 1 long and `width` wide, and some of every smaller size. */
static scene make_needles(int n, double width, uint64_t seed)
{
    scene s = {0};
    tw_random random = tw_random_seed(seed);
    for (int i = 0; i < n; i++) {
        const double size = i % 3 == 0 ? exp(check_between(&random, -5.0, 0.0)) : 1.0;
        const tw_vec3 a = check_vector(&random, -1.0, 1.0), u = check_unit(&random);
        const tw_vec3 v = check_unit(&random), b = tw_vec3_add_scaled(a, size, u);
        add(&s, a, b, tw_vec3_add_scaled(b, size * width, v));
    }
    build(&s);
    return s;
}

enum { LIST_MAX = 5000 };

/* The list must be the same in every bit, whole, in part, only counted, and of facets whose numbers
 * begin at another one. Returns its length. */
static uint32_t check_near(const scene *s, const tw_facets_grid *grid, tw_vec3 x, double reach)
{
    static uint32_t all[LIST_MAX], list[LIST_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < grid->count; i++)
        if (tw_facets_nearest(&s->facets, grid->base + i, x).d < reach)
            all[count++] = grid->base + i;
    assert_int_equal(tw_facets_near(&s->facets, grid, x, reach, list, LIST_MAX), count);
    assert_memory_equal(list, all, count * sizeof *list);
    assert_int_equal(tw_facets_near(&s->facets, grid, x, reach, NULL, 0), count);
    list[count / 2] = UINT32_MAX;
    assert_int_equal(tw_facets_near(&s->facets, grid, x, reach, list, count / 2), count);
    assert_memory_equal(list, all, count / 2 * sizeof *list);
    assert_true(list[count / 2] == UINT32_MAX);
    return count;
}

/* Next to number `base` of a longer array. */
static void move_to(scene *s, uint32_t base)
{
    const size_t n = s->mesh.facet_count;
    s->facet = realloc(s->facet, (n + base) * sizeof *s->facet);
    memmove(s->facet + base, s->facet, n * sizeof *s->facet);
    s->facets.facet = s->facet;
}

/* Returns how many facets were found in boxes of few cells. */
static size_t check_grid(scene s, uint32_t base, uint64_t seed)
{
    tw_random random = tw_random_seed(seed);
    tw_facets_grid grid;
    size_t found = 0;
    assert_int_equal(tw_facets_grid_make(&grid, &s.mesh, base, NULL), TW_STATUS_OK);
    move_to(&s, base);
    const size_t cells = (size_t)grid.cells[0] * grid.cells[1] * grid.cells[2];
    assert_true(grid.count < LIST_MAX && grid.count == s.mesh.facet_count);
    assert_true(cells <= 4 * s.mesh.facet_count + 64);
    assert_true(grid.first[cells] <= 32 * s.mesh.facet_count);
    const double size = tw_vec3_max_abs(tw_vec3_sub(s.mesh.high, s.mesh.low));
    const double edge = 1.0 / grid.inverse;
    for (int i = 0; i < 200; i++) {
        const uint32_t vertex =
            (uint32_t)(tw_random_uniform(&random) * (double)s.mesh.vertex_count);
        const double reach = edge * exp(check_between(&random, -3.0, 1.0));
        const tw_vec3 v = s.mesh.vertex[vertex], u = check_unit(&random);
        const tw_vec3 x = tw_vec3_add_scaled(v, 1.5 * reach * tw_random_uniform(&random), u);
        found += check_near(&s, &grid, x, reach);
        /* at the border of a cell, and reaching from border to border */
        const tw_vec3 y = {grid.low[0] + edge * floor((x.x - grid.low[0]) / edge),
                           grid.low[1] + edge * floor((x.y - grid.low[1]) / edge),
                           grid.low[2] + edge * floor((x.z - grid.low[2]) / edge)};
        found += check_near(&s, &grid, y, edge * (1 + i % 3));
        /* just to a facet, and not quite; from inside and from far away */
        const tw_vec3 far = tw_vec3_add_scaled(x, size * exp(check_between(&random, 2.0, 9.0)), u);
        const uint32_t facet = base + (uint32_t)(tw_random_uniform(&random) * (double)grid.count);
        const double d = tw_facets_nearest(&s.facets, facet, i % 2 ? x : far).d;
        check_near(&s, &grid, i % 2 ? x : far, d);
        assert_true(check_near(&s, &grid, i % 2 ? x : far, nextafter(d, HUGE_VAL)) > 0);
        assert_int_equal(check_near(&s, &grid, far, 1e-3 * size), 0);
    }
    assert_int_equal(check_near(&s, &grid, s.mesh.low, 1e9 * size), grid.count);
    assert_int_equal(check_near(&s, &grid, s.mesh.low, HUGE_VAL), grid.count);
    assert_int_equal(check_near(&s, &grid, tw_vec3_make((double)NAN, 0, 0), 1e9 * size), 0);
    tw_facets_grid_free(&grid);
    assert_int_equal(check_near(&s, &grid, s.mesh.low, size), 0);
    drop(&s);
    return found;
}

static void facets_near_a_point_are_those_of_all(void **state)
{
    (void)state;
    scene one = {0};
    add(&one, tw_vec3_make(1, 2, 3), tw_vec3_make(1.5, 2, 3.2), tw_vec3_make(1, 2.3, 3.1));
    build(&one);
    assert_true(check_grid(one, 3, 30) > 10);
    assert_true(check_grid(make_ball(24, 31), 0, 32) > 1000);
    assert_true(check_grid(make_box(8), 1000, 33) > 1000);
    assert_true(check_grid(make_ground(30, 0.3, 0.1, 34), 7, 35) > 1000);
    assert_true(check_grid(make_needles(500, 0.3, 36), 0, 37) > 1000);
    assert_true(check_grid(make_needles(500, 1e-4, 38), 5, 39) > 1000);
    tw_facets_grid grid;
    tw_error error;
    scene ball = make_ball(4, 40);
    const uint32_t base = TW_FACETS_GRID_MAX - (uint32_t)ball.mesh.facet_count;
    assert_int_equal(tw_facets_grid_make(&grid, &ball.mesh, base + 1, &error), TW_STATUS_INPUT);
    assert_int_equal(tw_facets_grid_make(&grid, &ball.mesh, base, &error), TW_STATUS_OK);
    tw_facets_grid_free(&grid);
    drop(&ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_that_of_the_number_of_pieces),
        cmocka_unit_test(force_is_the_gradient_of_the_energy),
        cmocka_unit_test(a_plane_of_triangles_is_the_plane),
        cmocka_unit_test(a_tilted_plane_of_triangles_is_the_plane),
        cmocka_unit_test(a_box_is_its_planes_in_every_bit),
        cmocka_unit_test(a_faceted_cylinder_converges_with_order_two),
        cmocka_unit_test(gentle_creases_share_and_sharp_ones_do_not),
        cmocka_unit_test(force_does_not_jump),
        cmocka_unit_test(cuts_of_a_profile_do_not_matter),
        cmocka_unit_test(a_cylinder_and_a_cone_are_in_closed_form),
        cmocka_unit_test(facets_converge_to_the_profile_with_order_two),
        cmocka_unit_test(facets_near_a_point_are_those_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
