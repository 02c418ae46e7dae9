/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of a step, and memory, against the number of bodies and of threads.
 *
 *     bench_scale [--clusters] [--threads N] [--steps N] [--packing FILE] [--csv FILE] COUNT...
 *
 * The scene of scene.h, one CSV row per COUNT: microseconds per step, nanoseconds per body-step and
 * per contact-step, bytes of resident memory per sphere at the peak so far (give counts in rising
 * order). With one thread the time is that of the processor, which others on the machine do not
 * touch; with more it is that of the wall. Both are medians over ten rounds.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "options.h"

enum { ROUNDS = 10 };

static double now(int threads)
{
    struct timespec t;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void bench(const options *o, size_t count, FILE *out)
{
    scene_def def = o->scene;
    def.count = count;
    tw_sim *sim = scene_make(&def);
    double sample[ROUNDS];
    const uint64_t steps = o->steps / ROUNDS > 0 ? o->steps / ROUNDS : 1;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now(def.threads);
        scene_run(sim, steps);
        sample[round] = (now(def.threads) - start) / (double)steps;
    }
    qsort(sample, ROUNDS, sizeof *sample, by_value);
    const double step = 0.5 * (sample[ROUNDS / 2 - 1] + sample[ROUNDS / 2]);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const double bodies = (double)tw_sim_bodies(sim), contacts = (double)tw_sim_contacts(sim);
    fprintf(out, "%.0f,%zu,%.0f,%d,%.1f,%.2f,%.2f,%.0f\n", bodies, tw_sim_spheres(sim), contacts,
            def.threads, 1e6 * step, 1e9 * step / bodies, 1e9 * step / contacts,
            1024.0 * (double)usage.ru_maxrss / (double)tw_sim_spheres(sim));
    fflush(out);
    tw_sim_free(sim);
}

int main(int argc, char **argv)
{
    const options o = options_read(argc, argv, (options){.scene = {.threads = 1}, .steps = 100},
                                   "bench_scale [--clusters] [--threads N] [--steps N] "
                                   "[--packing FILE] [--csv FILE] COUNT...");
    FILE *out = o.csv ? fopen(o.csv, "w") : stdout;
    if (!out) {
        perror(o.csv);
        return 1;
    }
    fprintf(out, "bodies,spheres,contacts,threads,us_per_step,ns_per_body_step,"
                 "ns_per_contact_step,bytes_per_sphere\n");
    for (int i = 0; i < o.counts; i++)
        bench(&o, o.count[i], out);
    return fclose(out) ? 1 : 0;
}
