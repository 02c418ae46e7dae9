/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of a step and memory as a function of the numbers of bodies and threads.
 *
 *     bench_scale [--clusters] [--hertz] [--threads N] [--steps N] [--packing FILE] [--csv FILE]
 * COUNT...
 *
 * The scene of scene.h, one CSV row per COUNT: microseconds per step without search (timing.h),
 * nanoseconds per body-step and per contact-step, and peak resident bytes per sphere. Each count
 * runs in its own process, so that its memory is measured separately. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../test/must.h"
#include "options.h"
#include "timing.h"

static void bench(const options *o, size_t count, FILE *out)
{
    scene_def def = o->scene;
    def.count = count;
    tw_sim *sim = scene_make(&def);
    const timing t = timing_take(sim, def.threads, (int)o->steps);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const double bodies = (double)tw_sim_body_count(sim), contacts = (double)must_contacts(sim);
    fprintf(out, "%.0f,%zu,%.0f,%d,%d,%.1f,%.2f,%.2f,%.0f\n", bodies, tw_sim_sphere_count(sim),
            contacts, def.threads, t.quiet, 1e6 * t.step, 1e9 * t.step / bodies,
            1e9 * t.step / contacts,
            1024.0 * (double)usage.ru_maxrss / (double)tw_sim_sphere_count(sim));
    fflush(out);
    tw_sim_free(sim);
}

int main(int argc, char **argv)
{
    const options o = options_read(argc, argv, (options){.scene = {.threads = 1}, .steps = 100},
                                   "bench_scale [--clusters] [--hertz] [--threads N] [--steps N] "
                                   "[--packing FILE] [--csv FILE] COUNT...");
    FILE *out = o.csv ? fopen(o.csv, "w") : stdout;
    if (!out) {
        perror(o.csv);
        return 1;
    }
    fprintf(out, "bodies,spheres,contacts,threads,quiet_steps,us_per_step,ns_per_body_step,"
                 "ns_per_contact_step,bytes_per_sphere\n");
    for (int i = 0; i < o.counts; i++) {
        int status = 0;
        fflush(out); /* otherwise the child would write it again */
        const pid_t child = fork();
        if (child == 0) {
            bench(&o, o.count[i], out);
            exit(fclose(out) ? 1 : 0);
        }
        if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) {
            fprintf(stderr, "bench_scale: %zu bodies: no result\n", o.count[i]);
            return 1;
        }
    }
    return fclose(out) ? 1 : 0;
}
