/* SPDX-License-Identifier: BSD-3-Clause */
/* Times twirl on a packing of bench_peers_pack and reports the work done.
 *
 *     bench_peers_time [--warm N] [--steps N] [--threads N] [--law exact|paper|conventional]
 *                      [--strain S] [--measure N] [--rolling MU] PACKING.h5
 *
 * Runs N warm-up steps (default 200), then N timed steps (default 1000), and prints one line of
 * `key value` pairs: the time, the work (contacts, stress) at the end, the memory, and the time of
 * each phase in a step, as the mean over threads [us].
 * --strain S: axial strain per step (default 1e-7).
 * --measure N: takes all measures every N timed steps, as for a history.
 * --rolling MU: with rolling and twisting resistance, both with this coefficient and springs as
 * stiff as the tangential one. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <twirl/sim.h>

#include "../../test/must.h"
#include "peers.h"

typedef struct settings {
    unsigned long warm, steps, measure;
    int threads;
    int32_t kind;
    double strain, rolling;
    const char *path;
} settings;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of this process, all threads. */
static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const char *text)
{
    fprintf(stderr, "bench_peers_time: %s\n", text);
    exit(1);
}

static settings read_arguments(int argc, char **argv)
{
    settings s = {200, 1000, 0, 1, TW_CONTACT_EXACT, PEERS_STRAIN, 0.0, NULL};
    for (int i = 1; i < argc; i++) {
        const int more = i + 1 < argc;
        if (strcmp(argv[i], "--warm") == 0 && more)
            s.warm = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--steps") == 0 && more)
            s.steps = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--measure") == 0 && more)
            s.measure = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--threads") == 0 && more)
            s.threads = (int)strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--law") == 0 && more)
            s.kind = tw_contact_kind_named(argv[++i]);
        else if (strcmp(argv[i], "--strain") == 0 && more)
            s.strain = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--rolling") == 0 && more)
            s.rolling = strtod(argv[++i], NULL);
        else
            s.path = argv[i];
    }
    if (!s.path || s.kind < 0) {
        stop("usage: bench_peers_time [--warm N] [--steps N] [--threads N] "
             "[--law exact|paper|conventional] [--strain S] [--measure N] [--rolling MU] "
             "PACKING.h5");
    }
    return s;
}

static void advance(tw_sim *sim, unsigned long steps)
{
    tw_error error;
    if (tw_sim_run(sim, steps, &error) != TW_STATUS_OK) stop(error.text);
}

int main(int argc, char **argv)
{
    tw_error error;
    const settings s = read_arguments(argc, argv);
    tw_sim *sim = tw_sim_load(s.path, &error);
    if (!sim) stop(error.text);
    tw_contact_law law = tw_sim_get_definition(sim).law;
    law.kind = s.kind;
    law.mu_r = law.mu_w = s.rolling;
    if (s.rolling > 0.0) law.k_r = law.k_w = law.kt;
    if (tw_sim_set_law(sim, &law, &error) != TW_STATUS_OK) stop(error.text);
    const tw_mat3 rate = peers_rate(s.strain);
    tw_sim_set_velocity_gradient(sim, &rate);
    tw_sim_set_threads(sim, s.threads);
    advance(sim, s.warm);
    const unsigned long every = s.measure ? s.measure : s.steps;
    const tw_sim_times before = tw_sim_get_times(sim);
    const double start = now(), start_cpu = processor_time();
    for (unsigned long done = 0; done < s.steps; done += every) {
        advance(sim, every < s.steps - done ? every : s.steps - done);
        if (s.measure) must_measure(sim);
    }
    const double seconds = now() - start, cpu = processor_time() - start_cpu;
    const tw_sim_times after = tw_sim_get_times(sim);
    const tw_measure m = must_measure(sim);
    const double *t = m.stress.m;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("seconds %.6f cpu_seconds %.6f steps %lu steps_per_s %.2f bodies %zu spheres %zu "
           "contacts %zu sliding %zu "
           "Z %.4f p %.9e q %.9e sxx %.9e syy %.9e szz %.9e residual %.3e rss_mib %.1f",
           seconds, cpu, s.steps, (double)s.steps / seconds, tw_sim_body_count(sim),
           tw_sim_sphere_count(sim), m.contacts, m.sliding, m.coordination, m.p,
           t[8] - 0.5 * (t[0] + t[4]), t[0], t[4], t[8], m.energy.residual / m.energy.normal,
           (double)usage.ru_maxrss / 1024.0);
    const double share = 1e6 / ((double)s.steps * s.threads);
#define PRINT(NAME, name, text) printf(" " #name "_us %.2f", share *(after.name - before.name));
    TW_SIM_PHASES(PRINT)
#undef PRINT
    printf("\n");
    tw_sim_free(sim);
    return 0;
}
