/* SPDX-License-Identifier: BSD-3-Clause */
/* Speed-up by threads, on an idle machine and next to busy processes.
 *
 *     bench_threads [--clusters] [--hertz] [--threads N] [--steps N] [--rounds N] [--busy N]
 *                   [--apart] [--packing FILE] [--csv FILE] COUNT...
 *
 * Two scenes of scene.h, one on one thread and one on N (default: one per processor), run
 * alternately for --steps steps each, searches included, in wall time. One CSV row per COUNT:
 * milliseconds per step of both (median over the rounds), and the speed-up: median, lower and upper
 * quartile. --busy: number of busy processes that run at the same time; with --apart in separate
 * sessions, since the system may share processors among sessions rather than threads. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "options.h"
#include "timing.h"

enum { BUSY_MAX = 64, ROUNDS_MAX = 1000 };

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute_without_pause(void)
{
    const pid_t parent = getppid();
    for (volatile unsigned long k = 0;; k++)
        if (k % 100000000 == 0 && getppid() != parent) _exit(0);
}

static double turn(tw_sim *sim, uint64_t steps)
{
    const double start = wall();
    scene_run(sim, steps);
    return (wall() - start) / (double)steps;
}

static double quantile(double *values, int count, double q)
{
    timing_median(values, count); /* sorts them */
    return values[(int)(q * (count - 1) + 0.5)];
}

static void bench(const options *o, size_t count, FILE *out)
{
    scene_def def = o->scene;
    double one[ROUNDS_MAX], all[ROUNDS_MAX], gain[ROUNDS_MAX];
    def.count = count;
    def.threads = 1;
    tw_sim *alone = scene_make(&def);
    def.threads = o->scene.threads;
    tw_sim *together = scene_make(&def);
    turn(alone, 10);
    turn(together, 10); /* starts the threads */
    for (int k = 0; k < o->rounds; k++) {
        if (k % 2 == 0) one[k] = turn(alone, o->steps);
        all[k] = turn(together, o->steps);
        if (k % 2 == 1) one[k] = turn(alone, o->steps);
        gain[k] = one[k] / all[k];
    }
    const int rounds = o->rounds;
    fprintf(out, "%zu,%d,%d,%.4f,%.4f,%.3f,%.3f,%.3f\n", tw_sim_body_count(alone), def.threads,
            o->busy, 1e3 * timing_median(one, rounds), 1e3 * timing_median(all, rounds),
            timing_median(gain, rounds), quantile(gain, rounds, 0.25),
            quantile(gain, rounds, 0.75));
    fflush(out);
    if (tw_sim_hash(alone) != tw_sim_hash(together)) {
        fprintf(stderr, "bench_threads: the results of %d threads differ from those of one\n",
                def.threads);
        exit(1);
    }
    tw_sim_free(alone);
    tw_sim_free(together);
}

int main(int argc, char **argv)
{
    const options known = {
        .scene = {.threads = (int)sysconf(_SC_NPROCESSORS_ONLN)}, .steps = 300, .rounds = 9};
    const options o =
        options_read(argc, argv, known,
                     "bench_threads [--clusters] [--hertz] [--threads N] [--steps N] [--rounds N] "
                     "[--busy N] [--apart] [--packing FILE] [--csv FILE] COUNT...");
    FILE *out = o.csv ? fopen(o.csv, "w") : stdout;
    pid_t others[BUSY_MAX];
    if (!out) {
        perror(o.csv);
        return 1;
    }
    if (o.busy > BUSY_MAX || o.rounds > ROUNDS_MAX) {
        fprintf(stderr, "bench_threads: at most %d busy processes and %d rounds\n", BUSY_MAX,
                ROUNDS_MAX);
        return 2;
    }
    fprintf(out, "bodies,threads,busy,ms_per_step_1,ms_per_step_n,gain,gain_quarter,"
                 "gain_three_quarters\n");
    fflush(out);
    for (int k = 0; k < o.busy; k++) {
        others[k] = fork();
        if (others[k] == 0) {
            if (o.apart) setsid();
            compute_without_pause();
        }
    }
    for (int i = 0; i < o.counts; i++)
        bench(&o, o.count[i], out);
    for (int k = 0; k < o.busy; k++) {
        if (others[k] < 0) continue;
        kill(others[k], SIGKILL);
        waitpid(others[k], NULL, 0);
    }
    return fclose(out) ? 1 : 0;
}
