/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of a step against the number of bodies.
 *
 *     bench_scale [--clusters] [--threads N] [--steps N] COUNT...
 *
 * Each COUNT is rounded to a cube. Bodies start on a jittered lattice, are compressed until they
 * touch about five times each, and are then sheared slowly while the clock runs. One CSV row per
 * count: microseconds per step, nanoseconds per body-step and per contact-step, bytes of resident
 * memory per sphere at the peak.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <twirl/sim.h>

typedef struct settings {
    int clusters, threads;
    unsigned long steps;
} settings;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void stop(const tw_error *error)
{
    fprintf(stderr, "bench_scale: %s\n", error->text);
    exit(1);
}

/* n^3 bodies of mean size 1, kn = kt = 1000, density 1, at a distance a. */
static tw_sim *lattice(const settings *set, int n, double a)
{
    tw_error error;
    uint64_t state = 7;
    tw_sim_def def = tw_sim_def_default();
    def.cell.m[0] = def.cell.m[4] = def.cell.m[8] = a * n;
    def.law.kn = def.law.kt = 1000.0;
    def.law.mu = 0.3;
    def.density = 1.0;
    def.damping_local = 0.7;
    def.threads = set->threads;
    tw_sim *sim = tw_sim_create(&def, &error);
    if (!sim) stop(&error);
    tw_body_def body = tw_body_def_default();
    if (set->clusters)
        body.shape = (uint32_t)tw_sim_add_shape_bumpy(sim, 6, 0.6, 0.8, 0.64, &error);
    for (int i = 0; i < n * n * n; i++) {
        const double at[3] = {i % n, i / n % n, i / n / n};
        body.x =
            tw_vec3_make(a * (at[0] + 0.02 * uniform(&state)), a * (at[1] + 0.02 * uniform(&state)),
                         a * (at[2] + 0.02 * uniform(&state)));
        body.q.x = uniform(&state) - 0.5;
        body.q.y = uniform(&state) - 0.5;
        body.size = 0.9 + 0.2 * uniform(&state);
        if (tw_sim_add_body(sim, &body, &error) != TW_STATUS_OK) stop(&error);
    }
    return sim;
}

static void compress(tw_sim *sim, double contacts)
{
    tw_error error;
    const tw_mat3 in = {{-0.1, 0.0, 0.0, 0.0, -0.1, 0.0, 0.0, 0.0, -0.1}};
    tw_sim_set_velocity_gradient(sim, &in);
    for (int k = 0; k < 200; k++) {
        if (tw_sim_run(sim, 10, &error) != TW_STATUS_OK) stop(&error);
        if (2.0 * (double)tw_sim_contacts(sim) > contacts * (double)tw_sim_bodies(sim)) break;
    }
    const tw_mat3 rest = {{0.0}};
    tw_sim_set_velocity_gradient(sim, &rest);
    if (tw_sim_run(sim, 200, &error) != TW_STATUS_OK) stop(&error);
}

static void bench(const settings *set, unsigned long count)
{
    tw_error error;
    const int n = (int)lround(cbrt((double)count));
    tw_sim *sim = lattice(set, n, set->clusters ? 2.3 : 2.05);
    compress(sim, set->clusters ? 8.0 : 5.0);
    const tw_mat3 shear = {{0.0, 0.001, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
    tw_sim_set_velocity_gradient(sim, &shear);
    if (tw_sim_run(sim, 20, &error) != TW_STATUS_OK) stop(&error);
    const double start = now();
    if (tw_sim_run(sim, set->steps, &error) != TW_STATUS_OK) stop(&error);
    const double step = (now() - start) / (double)set->steps;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const double bodies = (double)tw_sim_bodies(sim), contacts = (double)tw_sim_contacts(sim);
    printf("%.0f,%zu,%.0f,%d,%.1f,%.2f,%.2f,%.0f\n", bodies, tw_sim_spheres(sim), contacts,
           set->threads, 1e6 * step, 1e9 * step / bodies, 1e9 * step / contacts,
           1024.0 * (double)usage.ru_maxrss / (double)tw_sim_spheres(sim));
    fflush(stdout);
    tw_sim_free(sim);
}

int main(int argc, char **argv)
{
    settings set = {0, 1, 100};
    printf("bodies,spheres,contacts,threads,us_per_step,ns_per_body_step,ns_per_contact_step,"
           "bytes_per_sphere\n");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--clusters") == 0)
            set.clusters = 1;
        else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            set.threads = (int)strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
            set.steps = strtoul(argv[++i], NULL, 10);
        else
            bench(&set, strtoul(argv[i], NULL, 10));
    }
    return 0;
}
