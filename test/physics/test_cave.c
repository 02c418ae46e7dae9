/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy of balls without friction in a rough cave of triangles. Lengths are in radii of the ball.
 */
#include "surface.h"

#include <math.h>
#include <stdlib.h>

static const tw_vec3 origin = {0.0, 0.0, 0.0};

static double noise(int i, int j, uint64_t seed)
{
    support_random random = {seed + (uint64_t)(1000 * i + j)};
    return support_uniform(&random, -1.0, 1.0);
}

typedef struct cave {
    double rough;
    int n, face;
} cave;

/* A face of a cube in n x n cells, on a sphere of radius 3. */
static tw_vec3 cave_at(void *context, double u, double v)
{
    const cave *c = context;
    const int a = 2 * (int)lround(u * c->n) - c->n, b = 2 * (int)lround(v * c->n) - c->n;
    const int side = c->face % 2 ? c->n : -c->n, axis = c->face / 2;
    const int x = axis == 0   ? side
                  : axis == 1 ? b
                              : a,
              y = axis == 1   ? side
                  : axis == 2 ? b
                              : a,
              z = axis == 2   ? side
                  : axis == 0 ? b
                              : a;
    const tw_vec3 at = {tan(0.25 * CHECK_PI * x / c->n), tan(0.25 * CHECK_PI * y / c->n),
                        tan(0.25 * CHECK_PI * z / c->n)};
    return tw_vec3_scale((3.0 + c->rough * noise(x, y, (uint64_t)(5 + 1000000 * (z + c->n)))) /
                             tw_vec3_norm(at),
                         at);
}

static tw_sim *make_cave(cave c, const tw_contact_law *law, double dt, tw_vec3 v, double *bend)
{
    tw_sim *sim = make_scene("cpu", law, 0.0, 1.0, dt);
    tw_mesh_soup soup = {0};
    tw_mesh mesh;
    tw_wall_def def = tw_wall_def_default();
    add_ball(sim, tw_vec3_make(0.4, 0.1, 0.3), v, origin);
    if (c.n == 0) {
        def.form = TW_WALL_SPHERE;
        def.radius = -3.0;
        add_wall(sim, &def);
        *bend = 0.0;
        return sim;
    }
    for (c.face = 0; c.face < 6; c.face++)
        add_patch(&soup, c.n, c.n, cave_at, &c);
    assert_int_equal(tw_mesh_make(&mesh, &soup, 1.0, NULL), TW_STATUS_OK);
    def.form = TW_WALL_MESH;
    def.mesh = &mesh;
    add_wall(sim, &def);
    *bend = mesh.sharpest * 180.0 / CHECK_PI;
    tw_mesh_free(&mesh);
    tw_mesh_soup_free(&soup);
    return sim;
}

/* The largest error of the energy of a ball without friction, by mg times its radius: root of the
 * mean square over some balls, as their paths are chaotic. Kinetic energy and height tell it where
 * a ball touches nothing. */
static double cave_error(cave c, double steps, double time, int balls)
{
    const double period = 2.0 * CHECK_PI * sqrt(1e-3), dt = period / steps;
    const tw_contact_law law = support_law(1000.0, 800.0, 0.0);
    double square = 0.0, off = 0.0, bend;
    support_random random = {23};
    for (int i = 0; i < balls; i++) {
        const tw_vec3 v = support_vector(&random, 0.8, 1.0);
        const double start = 0.5 * tw_vec3_dot(v, v) + 0.3;
        double worst = 0.0;
        tw_sim *sim = make_cave(c, &law, dt, v, &bend);
        for (int k = 0; k < (int)lround(2.0 * time); k++) {
            tw_measure measure;
            size_t contacts;
            scene_run(sim, (uint64_t)lround(0.5 / dt));
            assert_int_equal(tw_sim_measure(sim, &measure, NULL), TW_STATUS_OK);
            assert_int_equal(tw_sim_contact_count(sim, &contacts, NULL), TW_STATUS_OK);
            worst = fmax(worst, fabs(measure.energy.residual));
            if (contacts > 0) continue;
            const tw_body_state b = ball_of(sim, 0);
            const double free = 0.5 * tw_vec3_dot(b.v, b.v) + b.x.z - start;
            off = fmax(off, fabs(free + measure.energy.residual));
        }
        square += worst * worst / balls;
        tw_sim_free(sim);
    }
    print_message("bends to %.3g degrees, T/%g: %.3g; in flight %.3g\n", bend, steps, sqrt(square),
                  off);
    expect_at_most(off, 1e-11); /* rounding of a million steps */
    return sqrt(square);
}

static void energy_is_kept_in_a_rough_cave(void **state)
{
    (void)state;
    const cave caves[2] = {{0.002, 24, 0}, {0.07, 10, 0}};
    for (int k = 0; k < 2; k++) {
        const double coarse = cave_error(caves[k], 50.0, 50.0, 4),
                     middle = cave_error(caves[k], 100.0, 50.0, 4),
                     fine = cave_error(caves[k], 200.0, 50.0, 4);
        expect_at_most(middle, 0.01);
        expect_at_least(coarse / middle, 3.0);
        expect_at_least(coarse / fine, 6.0); /* 16, but for the scatter of the paths */
    }
}

/* Errors of a contact that begins and ends between steps add up at random, as in a smooth sphere:
 * a million steps are forty times as long as a path above. */
static void energy_does_not_run_away(void **state)
{
    (void)state;
    const cave caves[3] = {{0.07, 10, 0}, {0.002, 24, 0}, {0.0, 0, 0}};
    for (int k = 0; k < 3; k++)
        expect_at_most(cave_error(caves[k], 100.0, 1e6 * 2.0 * CHECK_PI * sqrt(1e-3) / 100.0, 1),
                       0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_kept_in_a_rough_cave),
        cmocka_unit_test(energy_does_not_run_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
