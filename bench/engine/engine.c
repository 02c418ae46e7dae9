/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of each phase of a step, compared with the limits of the machine.
 *
 *     bench_engine [--clusters] [--hertz] [--threads N] [--steps N] [--packing FILE] [--csv FILE]
 * [COUNT...]
 *
 * For each COUNT (default 10000) the scene of scene.h is sheared slowly. Each step is timed; a
 * phase gets the median over the undisturbed steps. Searches are timed separately, and their cost
 * is spread over the steps between two searches. The table compares each phase with the minimum
 * time that the machine needs for its operations and for its bytes (work.h), measured in the same
 * run (ceiling.h): the larger of the two divided by the measured time is the fraction of the
 * roofline.
 * --csv FILE: writes the same table as CSV. */
#include <stdio.h>
#include <stdlib.h>
#include <twirl/math.h>

#include "ceiling.h"
#include "options.h"
#include "search/search.h"
#include "sim/sim_internal.h"
#include "timing.h"
#include "work.h"

enum { LISTS = 5, LIFE = 20000 };

/* Results for one scene. */
typedef struct findings {
    timing time;        /* of a step, including the share of the search */
    double list, life;  /* seconds to make a list, steps that it lasts */
    work_counts counts; /* at the end */
} findings;

static double time_list(tw_sim *sim, int threads)
{
    double list[LISTS];
    tw_sim_internal_use_threads(sim);
    for (int k = 0; k < LISTS; k++) {
        tw_error error;
        const double start = timing_now(threads);
        if (tw_search_refresh(&sim->model, &sim->state, &sim->schedule, &error) != TW_STATUS_OK) {
            fprintf(stderr, "bench_engine: %s\n", error.text);
            exit(1);
        }
        list[k] = timing_now(threads) - start;
    }
    return timing_median(list, LISTS);
}

static findings examine(tw_sim *sim, int threads, int steps, double life)
{
    findings f;
    f.time = timing_take(sim, threads, steps);
    f.counts = work_count(&sim->state, &sim->schedule);
    f.list = time_list(sim, threads);
    f.life = life;
    f.time.phase[PHASE_SEARCH] = f.list / life;
    f.time.step += f.list / life;
    return f;
}

/* Number of steps a list lasts. It does not depend on the size, since all copies of the packing
 * move alike. */
static double list_life(const scene_def *def)
{
    scene_def small = *def;
    small.count = 1;
    small.threads = 1;
    tw_sim *sim = scene_make(&small);
    const uint64_t before = sim->state.searches;
    scene_run(sim, LIFE);
    const uint64_t lists = sim->state.searches - before;
    tw_sim_free(sim);
    return lists ? (double)LIFE / (double)lists : LIFE;
}

/* Per step. */
static work work_in(int phase, const findings *f)
{
    const work w = work_of(phase, &f->counts);
    return phase == PHASE_SEARCH ? (work){w.flops / f->life, w.bytes / f->life} : w;
}

static double least(work w, const findings *f, const ceiling *top)
{
    return tw_math_max(w.flops / top->flops, w.bytes / ceiling_bandwidth(top, f->counts.resident));
}

static void print_phase(const char *name, double time, work w, const findings *f,
                        const ceiling *top)
{
    const double contacts = f->counts.contacts, by_flops = w.flops / top->flops;
    const double by_bytes = w.bytes / ceiling_bandwidth(top, f->counts.resident);
    printf("%-8s %8.2f %10.2f %6.1f", name, 1e9 * time / f->counts.bodies, 1e9 * time / contacts,
           100.0 * time / f->time.step);
    if (w.bytes > 0.0) {
        printf(" %9.1f %9.1f %9.2f %9.2f  %-10s %5.1f", w.flops / contacts, w.bytes / contacts,
               1e9 * by_flops / contacts, 1e9 * by_bytes / contacts,
               by_flops > by_bytes ? "arithmetic" : "bandwidth", 100.0 * least(w, f, top) / time);
    }
    printf("\n");
}

static void print_scene(const tw_sim *sim, const findings *f, int threads, int steps)
{
    const work_counts *c = &f->counts;
    printf(
        "\n%.0f bodies of %.0f sphere%s, %.0f contacts, %.1f %% sliding, %.1f MB used in a step; "
        "%d thread%s\n",
        c->bodies, c->spheres / c->bodies, c->single ? "" : "s", c->contacts,
        100.0 * c->sliding / c->contacts, 1e-6 * c->resident, threads, threads == 1 ? "" : "s");
    printf("step %llu; a list takes %.3g s and lasts %.0f steps; %.1f candidates per body, %.1f "
           "checked\n",
           (unsigned long long)tw_sim_steps(sim), f->list, f->life,
           (c->pairs - c->contacts) / c->bodies, c->candidates / c->bodies);
    timing_print(&f->time, steps);
}

static void print_table(const findings *f, const ceiling *top)
{
    printf("%-8s %8s %10s %6s %9s %9s %9s %9s  %-10s %5s\n", "", "ns per", "ns per", "% of",
           "flops per", "bytes per", "least ns", "least ns", "", "% of");
    printf("%-8s %8s %10s %6s %9s %9s %9s %9s  %-10s %5s\n", "phase", "body", "contact", "step",
           "contact", "contact", "by flops", "by bytes", "limit", "roof");
    work all = {0.0, 0.0};
    double rest = f->time.step;
    for (int k = 0; k < PHASES; k++) {
        const work w = work_in(k, f);
        rest -= f->time.phase[k];
        all.flops += w.flops;
        all.bytes += w.bytes;
        print_phase(work_name(k), f->time.phase[k], w, f, top);
    }
    print_phase("rest", rest, (work){0.0, 0.0}, f, top);
    print_phase("step", f->time.step, all, f, top);
}

static void write_csv(FILE *out, const findings *f, const ceiling *top, int threads)
{
    const work_counts *c = &f->counts;
    for (int k = 0; k < PHASES; k++) {
        const work w = work_in(k, f);
        const double time = f->time.phase[k];
        fprintf(out, "%.0f,%.0f,%.0f,%.0f,%d,%s,%.3f,%.3f,%.2f,%.2f,%.2f,%.2f,%.4f\n", c->bodies,
                c->spheres, c->contacts, c->sliding, threads, work_name(k), 1e9 * time / c->bodies,
                1e9 * time / c->contacts, w.flops / c->contacts, w.bytes / c->contacts,
                1e-9 * top->flops, 1e-9 * ceiling_bandwidth(top, c->resident),
                least(w, f, top) / time);
    }
    fprintf(out, "%.0f,%.0f,%.0f,%.0f,%d,step,%.3f,%.3f,,,,,\n", c->bodies, c->spheres, c->contacts,
            c->sliding, threads, 1e9 * f->time.step / c->bodies, 1e9 * f->time.step / c->contacts);
}

static void print_ceiling(const ceiling *top)
{
    printf("ceilings: %.1f Gflop/s; triad", 1e-9 * top->flops);
    for (int k = 0; k < CEILING_LEVELS; k++) {
        printf("%s %.1f GB/s in %.1f MB", k ? "," : "", 1e-9 * top->level[k].bandwidth,
               1e-6 * (double)top->level[k].bytes);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    const options o = options_read(argc, argv, (options){.scene = {.threads = 1}, .steps = 200},
                                   "bench_engine [--clusters] [--hertz] [--threads N] [--steps N] "
                                   "[--packing FILE] [--csv FILE] "
                                   "[COUNT...]");
    const int threads = o.scene.threads, steps = (int)o.steps;
    FILE *csv = o.csv ? fopen(o.csv, "w") : NULL;
    if (o.csv && !csv) {
        perror(o.csv);
        return 1;
    }
    const ceiling top = ceiling_measure(threads);
    print_ceiling(&top);
    if (csv) {
        fprintf(csv, "bodies,spheres,contacts,sliding,threads,phase,ns_per_body,ns_per_contact,"
                     "flops_per_contact,bytes_per_contact,peak_gflops,bandwidth_gbs,roofline\n");
    }
    const double life = list_life(&o.scene);
    for (int i = 0; i < (o.counts ? o.counts : 1); i++) {
        scene_def def = o.scene;
        def.count = o.counts ? o.count[i] : 10000;
        tw_sim *sim = scene_make(&def);
        const findings f = examine(sim, threads, steps, life);
        print_scene(sim, &f, threads, steps);
        print_table(&f, &top);
        if (csv) write_csv(csv, &f, &top, threads);
        tw_sim_free(sim);
    }
    return csv && fclose(csv) ? 1 : 0;
}
