/* SPDX-License-Identifier: BSD-3-Clause */
/* Speed of the engine on a device: a packing of bench_peers_pack, copied, sheared at constant mean
 * stress.
 *
 *     bench_gpu [--device cuda|cpu|emulated] [--copies X Y Z] [--warm N] [--steps N] [--strain S]
 *               [--lists N] [--compare N] [--viscous] [--threads N] [--name TEXT] [--header]
 *               [--arrays] [--light] PACKING.h5
 *
 * The exact law, local damping (--viscous: the contact damping of the packing), energy balance,
 * servo. Warms up by N steps (default 450) of an axial strain of 1e-7, and times N steps (default
 * 1000) over a strain of S (default 1e-5): sliding follows strain, and is about 5 % of the contacts
 * there. Neighbour lists that are made in these steps count; the column `lists` says how many.
 * --lists N: then runs on until N more lists have been made, and reports the time of one; the
 * strain per step is then 1e-6, to make them sooner.
 * --compare N: also runs N steps from the start on the CPU, and stops with exit status 1 if the
 * hash differs. --arrays: lists the arrays of the device, in bytes per body, after the steps and at
 * the peak. --light: copies bodies and contacts of the prepared packing, and makes no neighbour
 * list on the host, whose memory it might exceed. Prints one CSV row, after a line with the names
 * of the columns if
 * --header. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "../../test/must.h"
#include "gpu_roof.h"
#include "gpu_specimen.h"
#include "sim/sim_internal.h"

typedef struct options {
    gpu_specimen specimen;
    const char *device, *name;
    uint64_t warm, steps, lists, compare;
    double strain;
    int threads, header, arrays;
} options;

/* Results. Times in [s]. */
typedef struct findings {
    double made, prepared, first; /* host: bodies added; prepared; device: the first step */
    double seconds;               /* of the timed steps */
    uint64_t lists;               /* in them */
    double list;                  /* to make one; 0: not timed */
    tw_sim_times phases;          /* of the timed steps */
    size_t host, device;          /* bytes: of this process at most, on the device at the end */
    tw_measure measure;
    uint64_t hash;
} findings;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run(tw_sim *sim, uint64_t steps)
{
    tw_error error;
    must_succeed(tw_sim_run(sim, steps, &error), &error);
}

static void shear(tw_sim *sim, const options *o, double strain, double p)
{
    gpu_specimen specimen = o->specimen;
    specimen.strain = strain;
    gpu_specimen_shear(sim, &specimen, p);
}

static tw_sim *start(const options *o, const char *device, double *p, findings *f)
{
    tw_error error;
    const double begin = now();
    tw_sim *sim = gpu_specimen_make(&o->specimen, p);
    f->made = now() - begin;
    tw_sim_set_threads(sim, o->threads);
    must_succeed(tw_sim_set_device(sim, device, &error), &error);
    must_prepare(sim);
    f->prepared = now() - begin - f->made;
    shear(sim, o, 1e-7, *p);
    return sim;
}

/* ---- Lists ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    if (count == 0) return 0.0;
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}

/* The difference between batches of steps with and without a new list. */
static double time_lists(tw_sim *sim, const options *o, double p)
{
    enum { BATCH = 32, MAX = 4096 };
    static double with[MAX], without[MAX];
    size_t found = 0, others = 0;
    shear(sim, o, 1e-6, p);
    for (int k = 0; k < MAX && found < o->lists; k++) {
        const uint64_t before = sim->state.searches;
        const double begin = now();
        run(sim, BATCH);
        const double seconds = now() - begin;
        if (sim->state.searches == before)
            without[others++] = seconds;
        else if (sim->state.searches == before + 1)
            with[found++] = seconds;
    }
    return found > 0 ? median(with, found) - median(without, others) : 0.0;
}

/* ---- The same bits ---- */

static int compare(tw_sim *sim, const options *o)
{
    double p;
    findings unused;
    tw_sim *other = start(o, "cpu", &p, &unused);
    run(sim, o->compare);
    run(other, o->compare);
    const uint64_t there = tw_sim_hash(sim), here = tw_sim_hash(other);
    fprintf(stderr, "bench_gpu: %" PRIu64 " steps: %s %016" PRIx64 ", cpu %016" PRIx64 "\n",
            o->compare, o->device, there, here);
    tw_sim_free(other);
    return there == here;
}

/* ---- Measuring ---- */

static double since(double now_spent, double before)
{
    return now_spent - before;
}

/* Bytes per body of every array of the device: now, and at the peak. */
static void list_arrays(const tw_sim *sim)
{
    const char *name;
    size_t bytes, peak;
    double now_all = 0.0, peak_all = 0.0;
    const double bodies = (double)tw_sim_body_count(sim);
    for (size_t k = 0;
         sim->device && sim->device->kind->array(sim->device->own, k, &name, &bytes, &peak); k++) {
        now_all += (double)bytes / bodies;
        peak_all += (double)peak / bodies;
        if (bytes > 0 || peak > 0)
            fprintf(stderr, "%9.2f %9.2f  %s\n", (double)bytes / bodies, (double)peak / bodies,
                    name);
    }
    fprintf(stderr, "%9.2f %9.2f  bytes per body on the device after the steps, at the peak\n",
            now_all, peak_all);
}

static findings measure(tw_sim *sim, const options *o, double p, findings f)
{
    const int cuda = strcmp(o->device, "cuda") == 0;
    double begin = now();
    if (tw_sim_steps(sim) == 0) run(sim, 1);
    f.first = now() - begin;
    if (o->warm > tw_sim_steps(sim)) run(sim, o->warm - tw_sim_steps(sim));
    shear(sim, o, o->strain / (double)o->steps, p);
    run(sim, 1);
    const tw_sim_times before = tw_sim_get_times(sim);
    const uint64_t lists = sim->state.searches;
    begin = now();
    run(sim, o->steps);
    f.seconds = now() - begin;
    f.lists = sim->state.searches - lists;
    const tw_sim_times after = tw_sim_get_times(sim);
    f.phases.move = since(after.move, before.move);
    f.phases.search = since(after.search, before.search);
    f.phases.detect = since(after.detect, before.detect);
    f.phases.force = since(after.force, before.force);
    f.phases.gather = since(after.gather, before.gather);
    if (o->arrays) list_arrays(sim);
    f.device = gpu_roof_used(cuda);
    f.measure = must_measure(sim);
    if (o->lists > 0) f.list = time_lists(sim, o, p);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    f.host = 1024 * (size_t)usage.ru_maxrss;
    return f;
}

static void report(tw_sim *sim, const options *o, const findings *f, size_t foreign)
{
    const int cuda = strcmp(o->device, "cuda") == 0;
    char gpu[GPU_ROOF_NAME], cpu[GPU_ROOF_NAME];
    const double bodies = (double)tw_sim_body_count(sim), n = (double)o->steps;
    const tw_sim_times *t = &f->phases;
    gpu_roof_name(1, gpu);
    gpu_roof_name(0, cpu);
    if (o->header)
        printf("case,device,gpu,cpu,bodies,spheres,contacts,sliding_percent,q_over_p,steps,lists,"
               "steps_per_s,g_body_steps_per_s,g_contact_steps_per_s,move_us,detect_us,force_us,"
               "gather_us,search_us,list_ms,device_bytes_per_body,host_bytes_per_body,"
               "device_gib,copy_gb_per_s,copy_bytes_per_body_step,made_s,prepared_s,first_step_s,"
               "residual,device_peak_bytes_per_body\n");
    const double speed = n / f->seconds, roof = gpu_roof_copy(cuda);
    const double on_device = f->device > foreign ? (double)(f->device - foreign) : 0.0;
    printf("%s,%s,%s,%s,%.0f,%zu,%zu,%.2f,%.4f,%.0f,%" PRIu64 ",%.1f,%.4f,%.4f,", o->name,
           o->device, gpu, cpu, bodies, tw_sim_sphere_count(sim), f->measure.contacts,
           100.0 * f->measure.sliding_fraction, f->measure.q / f->measure.p, n, f->lists, speed,
           1e-9 * speed * bodies, 1e-9 * speed * (double)f->measure.contacts);
    printf("%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.0f,%.0f,%.2f,%.0f,%.0f,%.2f,%.2f,%.3f,%.2e,%.0f\n",
           1e6 * t->move / n, 1e6 * t->detect / n, 1e6 * t->force / n, 1e6 * t->gather / n,
           1e6 * t->search / n, 1e3 * f->list, on_device / bodies, (double)f->host / bodies,
           on_device / 0x1p30, 1e-9 * roof, roof / (speed * bodies), f->made, f->prepared, f->first,
           f->measure.energy.residual / f->measure.energy.normal,
           tw_sim_device_memory(sim) / bodies);
}

/* ---- Options ---- */

static uint64_t whole(const char *text)
{
    return strtoull(text, NULL, 10);
}

/* Reads the option at argv[*i] that takes a value; 0: there is none of this name. */
static int read_value(options *o, char **argv, int *i)
{
    const char *key = argv[*i], *value = argv[*i + 1];
    if (!value) return 0;
    if (strcmp(key, "--device") == 0)
        o->device = value;
    else if (strcmp(key, "--warm") == 0)
        o->warm = whole(value);
    else if (strcmp(key, "--steps") == 0)
        o->steps = whole(value);
    else if (strcmp(key, "--strain") == 0)
        o->strain = strtod(value, NULL);
    else if (strcmp(key, "--lists") == 0)
        o->lists = whole(value);
    else if (strcmp(key, "--compare") == 0)
        o->compare = whole(value);
    else if (strcmp(key, "--threads") == 0)
        o->threads = (int)whole(value);
    else if (strcmp(key, "--name") == 0)
        o->name = value;
    else
        return 0;
    ++*i;
    return 1;
}

static int read_options(int argc, char **argv, options *o)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--light") == 0)
            o->specimen.light = 1;
        else if (strcmp(argv[i], "--viscous") == 0)
            o->specimen.viscous = 1;
        else if (strcmp(argv[i], "--arrays") == 0)
            o->arrays = 1;
        else if (strcmp(argv[i], "--header") == 0)
            o->header = 1;
        else if (strcmp(argv[i], "--copies") == 0 && i + 3 < argc)
            for (int k = 0; k < 3; k++)
                o->specimen.copies[k] = atoi(argv[++i]);
        else if (argv[i][0] != '-' && !o->specimen.packing)
            o->specimen.packing = argv[i];
        else if (!read_value(o, argv, &i))
            return 0;
    }
    const int *copies = o->specimen.copies;
    return o->specimen.packing && o->steps > 0 && copies[0] > 0 && copies[1] > 0 && copies[2] > 0;
}

int main(int argc, char **argv)
{
    options o = {.specimen = {.copies = {1, 1, 1}},
                 .device = "cuda",
                 .name = "packing",
                 .warm = 450,
                 .steps = 1000,
                 .strain = 1e-5};
    if (!read_options(argc, argv, &o)) {
        fprintf(stderr, "usage: bench_gpu [--device cuda|cpu|emulated] [--copies X Y Z] [--warm N] "
                        "[--steps N] [--strain S] [--lists N] [--compare N] [--viscous] "
                        "[--threads N] [--name TEXT] [--header] [--arrays] [--light] "
                        "PACKING.h5\n");
        return 2;
    }
    double p;
    findings f = {0};
    tw_error error;
    must_succeed(tw_sim_check_device(o.device, &error), &error);
    const size_t foreign = gpu_roof_used(strcmp(o.device, "cuda") == 0);
    tw_sim *sim = start(&o, o.device, &p, &f);
    const int same = o.compare == 0 || compare(sim, &o);
    f = measure(sim, &o, p, f);
    report(sim, &o, &f, foreign);
    tw_sim_free(sim);
    return same ? 0 : 1;
}
