/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the time of a step goes, and how far that is from what the machine can do.
 *
 *     bench_engine [--clusters] [--threads N] [--steps N] [--packing FILE] [--csv FILE] [COUNT...]
 *
 * For each COUNT (default 10000) the scene of scene.h is sheared slowly. Each step is timed; a
 * phase gets the median over the steps in which nobody else had the processor. A list is made anew
 * some times apart from that, and its cost is spread over the steps that a list lasts. Beside each
 * phase stands the least time that the machine needs for its operations and for its bytes (work.h),
 * measured in the same run (ceiling.h): the larger of the two over the time it took is the fraction
 * of the roofline.
 * --csv FILE: the same table for machines.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ceiling.h"
#include "options.h"
#include "search/search.h"
#include "sim/sim_inside.h"
#include "work.h"

enum { ENOUGH = 10, LISTS = 5, LIFE = 20000 };

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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

/* Seconds of one step: of the processor, all threads together, on the wall, and of the phases,
 * which the engine takes on the wall and adds over threads. */
typedef struct sample {
    double own, wall, phase[WORK_PHASES];
} sample;

static void phases_of(const tw_sim *sim, double *phase)
{
    const tw_sim_times t = tw_sim_time_spent(sim);
    phase[WORK_MOVE] = t.move;
    phase[WORK_MEET] = t.meet;
    phase[WORK_FORCE] = t.force;
    phase[WORK_GATHER] = t.gather;
    phase[WORK_SEARCH] = t.search;
}

static sample sample_step(tw_sim *sim)
{
    sample s;
    double before[WORK_PHASES];
    phases_of(sim, before);
    const double wall = seconds(CLOCK_MONOTONIC), own = seconds(CLOCK_PROCESS_CPUTIME_ID);
    scene_run(sim, 1);
    s.own = seconds(CLOCK_PROCESS_CPUTIME_ID) - own;
    s.wall = seconds(CLOCK_MONOTONIC) - wall;
    phases_of(sim, s.phase);
    for (int k = 0; k < WORK_PHASES; k++)
        s.phase[k] -= before[k];
    return s;
}

/* Seconds per step on the wall of a machine that has nothing else to do. */
typedef struct timing {
    double step, phase[WORK_PHASES];
    double list;        /* to make one */
    work_counts counts; /* at the end */
    int quiet;          /* steps in which nobody else had the processor; 0: too few to count on */
} timing;

/* Quiet steps first; returns how many there are. A step in which a thread had to wait for the
 * processor took longer on the wall than its threads worked; waiting for each other they spin. */
static int sort_quiet(sample *samples, int count, int threads)
{
    const double most = threads == 1 ? 1.02 : 1.05;
    int quiet = 0;
    for (int k = 0; k < count; k++) {
        const sample s = samples[k];
        if (threads * s.wall > most * s.own) continue;
        samples[k] = samples[quiet];
        samples[quiet++] = s;
    }
    return quiet;
}

static double median_of(const sample *samples, int count, int phase)
{
    double *values = malloc((size_t)count * sizeof *values);
    if (!values) exit(1);
    for (int k = 0; k < count; k++)
        values[k] = phase < WORK_PHASES ? samples[k].phase[phase] : samples[k].wall;
    const double middle = median(values, count);
    free(values);
    return middle;
}

/* Steps are long on a busy machine: then all share in the wait. */
static double mean_of(const sample *samples, int count, int phase, int threads)
{
    double sum = 0.0, own = 0.0, wall = 0.0;
    for (int k = 0; k < count; k++) {
        sum += phase < WORK_PHASES ? samples[k].phase[phase] : samples[k].wall;
        own += samples[k].own;
        wall += samples[k].wall;
    }
    return sum / count * fmin(own / (threads * wall), 1.0);
}

static double time_list(tw_sim *sim, int threads)
{
    double list[LISTS];
    const clockid_t clock = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    tw_sim_use_threads(sim);
    for (int k = 0; k < LISTS; k++) {
        tw_error error;
        const double start = seconds(clock);
        if (tw_search_refresh(&sim->world, &error) != TW_STATUS_OK) {
            fprintf(stderr, "bench_engine: %s\n", error.text);
            exit(1);
        }
        list[k] = seconds(clock) - start;
    }
    return median(list, LISTS);
}

static timing time_steps(tw_sim *sim, int threads, int steps, double life)
{
    timing t;
    sample *samples = malloc((size_t)steps * sizeof *samples);
    if (!samples) exit(1);
    for (int k = 0; k < steps; k++)
        samples[k] = sample_step(sim);
    t.quiet = sort_quiet(samples, steps, threads);
    if (t.quiet < ENOUGH) t.quiet = 0;
    double all[WORK_PHASES + 1];
    for (int k = 0; k <= WORK_PHASES; k++) {
        all[k] = t.quiet ? median_of(samples, t.quiet, k) : mean_of(samples, steps, k, threads);
        if (k < WORK_PHASES) t.phase[k] = all[k] / threads;
    }
    free(samples);
    t.counts = work_count(&sim->world);
    t.list = time_list(sim, threads);
    t.step = all[WORK_PHASES] + t.list / life - t.phase[WORK_SEARCH];
    t.phase[WORK_SEARCH] = t.list / life;
    return t;
}

/* How many steps a list lasts. Copies of the packing move alike: it is the same at every size. */
static double list_life(const scene_def *def)
{
    scene_def small = *def;
    small.count = 1;
    small.threads = 1;
    tw_sim *sim = scene_make(&small);
    const uint64_t before = sim->world.searches;
    scene_run(sim, LIFE);
    const uint64_t lists = sim->world.searches - before;
    tw_sim_free(sim);
    return lists ? (double)LIFE / (double)lists : LIFE;
}

static void print_phase(const char *name, double time, const timing *t, work done,
                        const work_counts *c, const ceiling *top)
{
    const double ns = 1e9 / c->contacts, bandwidth = ceiling_bandwidth(top, c->resident);
    const double by_flops = done.flops / top->flops, by_bytes = done.bytes / bandwidth;
    printf("%-8s %7.2f %9.2f %6.1f", name, 1e9 * time / c->bodies, ns * time,
           100.0 * time / t->step);
    if (done.bytes > 0.0) {
        printf(" %8.1f %8.1f %9.2f %9.2f  %-10s %5.1f", done.flops / c->contacts,
               done.bytes / c->contacts, ns * by_flops, ns * by_bytes,
               by_flops > by_bytes ? "arithmetic" : "bandwidth",
               100.0 * fmax(by_flops, by_bytes) / time);
    }
    printf("\n");
}

static void print_scene(const tw_sim *sim, const work_counts *c, double life, int threads)
{
    printf(
        "%.0f bodies of %.0f sphere%s, %.0f contacts, %.1f %% sliding; %d thread%s; step %llu; "
        "%.1f MB used in a step; a list lasts %.0f steps; %.1f suitors per body, %.1f looked at\n",
        c->bodies, c->spheres / c->bodies, c->single ? "" : "s", c->contacts,
        100.0 * c->sliding / c->contacts, threads, threads == 1 ? "" : "s",
        (unsigned long long)tw_sim_steps(sim), 1e-6 * c->resident, life,
        (c->pairs - c->contacts) / c->bodies, c->suitors / c->bodies);
}

static void print_table(const work_counts *c, const timing *t, const ceiling *top)
{
    printf("%-8s %7s %9s %6s %8s %8s %9s %9s  %-10s %5s\n", "phase", "ns/body", "ns/contact", "%",
           "flops/c", "bytes/c", "least ns", "least ns", "limit", "% of");
    printf("%-8s %7s %9s %6s %8s %8s %9s %9s  %-10s %5s\n", "", "", "", "", "", "", "by flops",
           "by bytes", "", "roof");
    work all = {0.0, 0.0};
    double rest = t->step;
    for (int k = 0; k < WORK_PHASES; k++) {
        const work done = work_of(k, c);
        rest -= t->phase[k];
        if (k == WORK_SEARCH) {
            const double share = t->phase[k] / t->list;
            print_phase(work_name(k), t->phase[k], t,
                        (work){share * done.flops, share * done.bytes}, c, top);
            continue;
        }
        all.flops += done.flops;
        all.bytes += done.bytes;
        print_phase(work_name(k), t->phase[k], t, done, c, top);
    }
    print_phase("rest", rest, t, (work){0.0, 0.0}, c, top);
    print_phase("step", t->step, t, all, c, top);
}

static void write_csv(FILE *out, const work_counts *c, const timing *t, const ceiling *top,
                      int threads)
{
    const double bandwidth = ceiling_bandwidth(top, c->resident);
    for (int k = 0; k < WORK_PHASES; k++) {
        const work done = work_of(k, c);
        const double share = k == WORK_SEARCH ? t->phase[k] / t->list : 1.0;
        const double least = fmax(done.flops / top->flops, done.bytes / bandwidth) * share;
        fprintf(out, "%.0f,%.0f,%.0f,%.0f,%d,%s,%.3f,%.3f,%.2f,%.2f,%.2f,%.2f,%.4f\n", c->bodies,
                c->spheres, c->contacts, c->sliding, threads, work_name(k),
                1e9 * t->phase[k] / c->bodies, 1e9 * t->phase[k] / c->contacts,
                share * done.flops / c->contacts, share * done.bytes / c->contacts,
                1e-9 * top->flops, 1e-9 * bandwidth, least / t->phase[k]);
    }
    fprintf(out, "%.0f,%.0f,%.0f,%.0f,%d,step,%.3f,%.3f,,,%.2f,%.2f,\n", c->bodies, c->spheres,
            c->contacts, c->sliding, threads, 1e9 * t->step / c->bodies,
            1e9 * t->step / c->contacts, 1e-9 * top->flops, 1e-9 * bandwidth);
}

int main(int argc, char **argv)
{
    const options o = options_read(
        argc, argv, (options){.scene = {.threads = 1}, .steps = 200},
        "bench_engine [--clusters] [--threads N] [--steps N] [--packing FILE] [--csv FILE] "
        "[COUNT...]");
    const int threads = o.scene.threads, steps = (int)o.steps;
    FILE *csv = o.csv ? fopen(o.csv, "w") : NULL;
    if (o.csv && !csv) {
        perror(o.csv);
        return 1;
    }
    const ceiling top = ceiling_measure(threads);
    printf("ceilings: %.1f Gflop/s; triad", 1e-9 * top.flops);
    for (int k = 0; k < CEILING_LEVELS; k++) {
        printf("%s %.1f GB/s in %.1f MB", k ? "," : "", 1e-9 * top.level[k].bandwidth,
               1e-6 * (double)top.level[k].bytes);
    }
    printf("\n");
    if (csv) {
        fprintf(csv, "bodies,spheres,contacts,sliding,threads,phase,ns_per_body,ns_per_contact,"
                     "flops_per_contact,bytes_per_contact,peak_gflops,bandwidth_gbs,roofline\n");
    }
    const double life = list_life(&o.scene);
    for (int i = 0; i < (o.counts ? o.counts : 1); i++) {
        scene_def def = o.scene;
        def.count = o.counts ? o.count[i] : 10000;
        tw_sim *sim = scene_make(&def);
        const timing t = time_steps(sim, threads, steps, life);
        const work_counts c = t.counts;
        printf("\n");
        print_scene(sim, &c, life, threads);
        if (t.quiet)
            printf("medians over the %d of %d steps that nobody disturbed\n", t.quiet, steps);
        else
            printf("means over %d steps, less the share of the time that others had\n", steps);
        print_table(&c, &t, &top);
        if (csv) write_csv(csv, &c, &t, &top, threads);
        tw_sim_free(sim);
    }
    return csv && fclose(csv) ? 1 : 0;
}
