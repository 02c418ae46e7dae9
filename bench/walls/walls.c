/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps per second of a screw that turns in a casing: 17,240 triangles, 50 balls, one core.
 *
 *     bench_walls [--finer] [--steps N] [--rounds N] [--warm N] [--skin RADII] [--device NAME]
 *
 * Prints a CSV row: triangles, balls, contacts with walls, neighbour lists per step, steps per
 * second of processor time (wall time on a device), the median of the rounds. --finer: the same
 * beside a screw and a casing with ten times as many triangles, in which those near the balls are
 * cut in the same way, in turns; a second row, and the median of the ratio of their times. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <twirl/math.h>
#include <twirl/mesh.h>

#include "../../test/must.h"
#include "sim/sim_internal.h"

enum { BALLS = 50, ROUNDS_MAX = 1001 };

static const double tube = 0.1, half = 0.4, pitch = 0.2, blade = 0.095, shaft = 0.02,
                    ball = 0.01; /* [m] */

static void triangle(tw_mesh_soup *soup, tw_vec3 a, tw_vec3 b, tw_vec3 c)
{
    tw_error error;
    must_succeed(tw_mesh_soup_add(soup, a, b, c, (uint32_t)soup->count + 1, &error), &error);
}

/* About the axis x; the angle is from the lowest place. */
static tw_vec3 around(double x, double radius, double angle)
{
    return tw_vec3_make(x, radius * sin(angle), -radius * cos(angle));
}

/* Between the fractions from[0..1] and to[0..1] of a tube or a blade, in m x n cells. */
static void add_part(tw_mesh_soup *soup, double inner, const double *from, const double *to, int m,
                     int n)
{
    for (int i = 0; i < m * n; i++) {
        tw_vec3 c[4];
        for (int k = 0; k < 4; k++) {
            const double u = from[0] + (to[0] - from[0]) * (i % m + k % 2) / m;
            const double v = from[1] + (to[1] - from[1]) * (i / m + k / 2) / n;
            const double turn = 2.0 * TW_MATH_PI * u;
            c[k] = inner < 0.0 ? around(half * (2.0 * v - 1.0), -inner, u < 1.0 ? turn : 0.0)
                               : around(half * (2.0 * u - 1.0), inner + (blade - inner) * v,
                                        2.0 * half / pitch * turn);
        }
        triangle(soup, c[0], c[1], c[3]);
        triangle(soup, c[0], c[3], c[2]);
    }
}

static size_t add_mesh(tw_sim *sim, tw_mesh_soup *soup)
{
    tw_wall_def def = tw_wall_def_default();
    tw_mesh mesh;
    tw_error error;
    must_succeed(tw_mesh_make(&mesh, soup, 1.0, &error), &error);
    def.form = TW_WALL_MESH;
    def.mesh = &mesh;
    must_add_wall(sim, &def);
    const size_t facets = mesh.facet_count;
    tw_mesh_free(&mesh);
    tw_mesh_soup_free(soup);
    return facets;
}

/* A casing, coarse where the balls are; elsewhere as coarse, or finer. */
static size_t add_casing(tw_sim *sim, int finer)
{
    static const double low[2] = {-19.0 / 68.0, 0.0}, high[2] = {19.0 / 68.0, 1.0},
                        from[2] = {19.0 / 68.0, 0.0}, to[2] = {49.0 / 68.0, 1.0};
    tw_mesh_soup soup = {0};
    add_part(&soup, -tube, low, high, 38, 100);
    add_part(&soup, -tube, from, to, finer ? 162 : 30, finer ? 500 : 100);
    return add_mesh(sim, &soup);
}

static size_t add_screw(tw_sim *sim)
{
    static const double from[2] = {0.0, 0.0}, to[2] = {1.0, 1.0};
    tw_mesh_soup soup = {0};
    tw_error error;
    add_part(&soup, shaft, from, to, 200, 7);
    add_part(&soup, -shaft, from, to, 20, 21);
    const size_t facets = add_mesh(sim, &soup);
    const tw_wall_motion turn = {
        .kind = TW_WALL_MOTION_ROTATE, .along = {1.0, 0.0, 0.0}, .rate = -2.0 * TW_MATH_PI};
    must_succeed(tw_sim_set_wall_motion(sim, tw_sim_wall_count(sim) - 1, &turn, 1, &error), &error);
    return facets;
}

/* In the first two turns, near the lowest place, half-way between the blades or a quarter. */
static void add_balls(tw_sim *sim)
{
    for (int i = 0; i < BALLS; i++) {
        const double angle = 0.4 * (i % 5 - 2), high = i < 30 ? 0.012 : 0.04;
        const double x =
            -half + pitch * (angle / (2.0 * TW_MATH_PI) + i / 15 % 2 + 0.25 * (1 + i / 5 % 3));
        tw_body_def body = tw_body_def_default();
        tw_error error;
        body.size = ball;
        body.x = around(x, tube - high, angle);
        must_succeed(tw_sim_add_body(sim, &body, NULL, &error), &error);
    }
}

typedef struct scene {
    tw_sim *sim;
    size_t facets;
} scene;

static scene make(const char *device, int finer, double skin)
{
    tw_sim_def def = tw_sim_def_default();
    tw_wall_def lid = tw_wall_def_default();
    tw_error error;
    scene s;
    for (int k = 0; k < 3; k++)
        def.periodic[k] = 0;
    def.threads = 1;
    def.device = device;
    def.skin = skin * ball;
    def.gravity.z = -9.81;
    def.density = 2500.0;
    def.law.kn = 1e5;
    def.law.kt = 0.8e5;
    def.law.mu = 0.5;
    def.law.nu_n = def.law.nu_t = 3.0;
    s.sim = tw_sim_create(&def, &error);
    must_succeed(s.sim ? TW_STATUS_OK : TW_STATUS_INPUT, &error);
    s.facets = add_casing(s.sim, finer) + add_screw(s.sim);
    for (int side = -1; side < 2; side += 2) {
        lid.point.x = half * side;
        lid.normal = tw_vec3_make(-side, 0.0, 0.0);
        must_add_wall(s.sim, &lid);
    }
    add_balls(s.sim);
    return s;
}

static double seconds(const char *device)
{
    struct timespec t;
    clock_gettime(strcmp(device, "cpu") == 0 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double run(const scene *s, uint64_t steps, const char *device)
{
    tw_error error;
    const double begin = seconds(device);
    must_succeed(tw_sim_run(s->sim, steps, &error), &error);
    return seconds(device) - begin;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

int main(int argc, char **argv)
{
    const char *device = "cpu";
    unsigned long steps = 1000, warm = 4000, rounds = 21;
    int scenes = 1;
    double skin = 0.2; /* of the radius */
    double time[2][ROUNDS_MAX], ratio[ROUNDS_MAX];
    scene s[2];
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--finer") == 0) {
            scenes = 2;
            continue;
        }
        if (strcmp(argv[i], "--steps") == 0)
            steps = strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--rounds") == 0)
            rounds = strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--warm") == 0)
            warm = strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--skin") == 0)
            skin = strtod(value, NULL);
        else if (strcmp(argv[i], "--device") == 0)
            device = value;
        else
            steps = 0;
        i++;
    }
    if (steps == 0 || rounds == 0 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: bench_walls [--finer] [--steps N] [--rounds N] [--warm N] "
                        "[--skin RADII] [--device NAME]\n");
        return 2;
    }
    printf("triangles,balls,contacts,steps_per_list,steps_per_s\n");
    uint64_t lists[2];
    for (int k = 0; k < scenes; k++) {
        s[k] = make(device, k, skin);
        run(&s[k], warm, device);
        lists[k] = s[k].sim->state.searches;
    }
    for (unsigned long r = 0; r < rounds; r++) {
        for (int k = 0; k < scenes; k++)
            time[k][r] = run(&s[k], steps, device);
        if (scenes == 2) ratio[r] = time[1][r] / time[0][r];
    }
    for (int k = 0; k < scenes; k++)
        printf("%zu,%d,%zu,%.1f,%.0f\n", s[k].facets, BALLS, must_contacts(s[k].sim),
               (double)(steps * rounds) / (double)(s[k].sim->state.searches - lists[k]),
               (double)steps / median(time[k], (int)rounds));
    for (uint32_t i = 0; scenes == 2 && i < BALLS; i++) {
        const tw_body_state a = must_body(s[0].sim, i), b = must_body(s[1].sim, i);
        if (memcmp(&a.x, &b.x, sizeof a.x) != 0) {
            fprintf(stderr, "bench_walls: ball %u is elsewhere with the finer mesh\n", i);
            return 1;
        }
    }
    if (scenes == 2) printf("ratio of times: %.4f\n", median(ratio, (int)rounds));
    for (int k = 0; k < scenes; k++)
        tw_sim_free(s[k].sim);
    return 0;
}
