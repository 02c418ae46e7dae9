/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of a step while nearly all contacts slide, as in preparation at low friction.
 *
 *     bench_sliding [--clusters] [--hertz] [--threads N] [--steps N] [--rounds N] [--packing FILE]
 *                   [--csv FILE] COUNT...
 *
 * Two scenes of scene.h, one in slow shear and one compressed with very low friction, run
 * alternately for --steps steps each. One CSV row per COUNT: for both scenes the milliseconds per
 * step (median over the rounds), the number of contacts and the sliding fraction at the end; then
 * the ratio of the two times (median over the rounds), and the ratio per contact. */
#include <stdio.h>
#include <stdlib.h>

#include "../../test/must.h"
#include "options.h"
#include "timing.h"

enum { ROUNDS_MAX = 1000, SETTLE = 200 };

/* As in the preparation of a scenario: friction 0.02, inertial number about 0.01. */
static void prepare(tw_sim *sim)
{
    tw_error error;
    tw_contact_law law = tw_sim_get_definition(sim).law;
    law.mu = 0.02;
    const double rate = 2e-4;
    const tw_mat3 gradient = {{-rate, 0.0, 0.0, 0.0, -rate, 0.0, 0.0, 0.0, -rate}};
    if (tw_sim_set_law(sim, &law, &error) != TW_STATUS_OK) {
        fprintf(stderr, "bench_sliding: %s\n", error.text);
        exit(1);
    }
    tw_sim_set_velocity_gradient(sim, &gradient);
    scene_run(sim, SETTLE);
}

static double turn(tw_sim *sim, int threads, uint64_t steps)
{
    const double start = timing_now(threads);
    scene_run(sim, steps);
    return (timing_now(threads) - start) / (double)steps;
}

static void bench(const options *o, size_t count, FILE *out)
{
    scene_def def = o->scene;
    double slow[ROUNDS_MAX], slippery[ROUNDS_MAX], ratio[ROUNDS_MAX];
    def.count = count;
    tw_sim *sheared = scene_make(&def), *prepared = scene_make(&def);
    prepare(prepared);
    for (int k = 0; k < o->rounds; k++) {
        slow[k] = turn(sheared, def.threads, o->steps);
        slippery[k] = turn(prepared, def.threads, o->steps);
        ratio[k] = slippery[k] / slow[k];
    }
    const tw_measure a = must_measure(sheared), b = must_measure(prepared);
    const double median = timing_median(ratio, o->rounds);
    fprintf(out, "%zu,%d,%.4f,%zu,%.3f,%.4f,%zu,%.3f,%.3f,%.3f\n", tw_sim_body_count(sheared),
            def.threads, 1e3 * timing_median(slow, o->rounds), a.contacts, a.sliding_fraction,
            1e3 * timing_median(slippery, o->rounds), b.contacts, b.sliding_fraction, median,
            median * (double)a.contacts / (double)b.contacts);
    fflush(out);
    tw_sim_free(sheared);
    tw_sim_free(prepared);
}

int main(int argc, char **argv)
{
    const options known = {.scene = {.threads = 1}, .steps = 100, .rounds = 9};
    const options o =
        options_read(argc, argv, known,
                     "bench_sliding [--clusters] [--hertz] [--threads N] [--steps N] [--rounds "
                     "N] [--packing FILE] [--csv FILE] COUNT...");
    FILE *out = o.csv ? fopen(o.csv, "w") : stdout;
    if (!out) {
        perror(o.csv);
        return 1;
    }
    if (o.rounds > ROUNDS_MAX) {
        fprintf(stderr, "bench_sliding: at most %d rounds\n", ROUNDS_MAX);
        return 2;
    }
    fprintf(out,
            "bodies,threads,ms_per_step_shear,contacts_shear,sliding_shear,ms_per_step_slippery,"
            "contacts_slippery,sliding_slippery,ratio,ratio_per_contact\n");
    for (int i = 0; i < o.counts; i++)
        bench(&o, o.count[i], out);
    return fclose(out) ? 1 : 0;
}
