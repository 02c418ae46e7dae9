/* SPDX-License-Identifier: BSD-3-Clause */
/* Nanoseconds per contact of the batch form, for each law, with different fractions of sliding
 * contacts.
 *
 *     bench_contact [contacts] [rounds]
 *
 * The laws alternate within each round, so that disturbances affect them alike. A row gives the
 * median over the rounds; the ratio is the median of the ratios of the rounds. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <twirl/contact.h>
#include <twirl/math.h>

enum { KINDS = TW_CONTACT_KINDS };

typedef struct scene {
    size_t count;
    tw_contact_motion *motion[2]; /* back and forth, so that a scene can be repeated */
    tw_contact_memory *memory;
    tw_contact_load *load;
} scene;

static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static tw_vec3 direction(uint64_t *state)
{
    const double c = 2.0 * uniform(state) - 1.0, s = sqrt(1.0 - c * c);
    const double phi = 6.283185307179586 * uniform(state);
    return tw_vec3_make(s * tw_math_cos(phi), s * tw_math_sin(phi), c);
}

static tw_vec3 unit(tw_vec3 v)
{
    return tw_vec3_scale(1.0 / tw_vec3_norm(v), v);
}

/* kn = kt = 1, overlap 1e-3: the friction limit is mu 1e-3. A step moves a contact by 1 % of its
 * slip distance, tilts it by 1e-4 and rotates its bodies by 1e-4, as is typical of a quasi-static
 * run. */
static void set_contact(scene *s, size_t i, int slides, uint64_t *state)
{
    const double mu = 0.5, zeta = 1e-3, slip = mu * zeta;
    const tw_vec3 n = direction(state);
    const tw_vec3 e1 = unit(tw_vec3_cross(n, direction(state)));
    const tw_vec3 e2 = tw_vec3_cross(n, e1);
    const double back = slides ? 0.0 : 1.0;
    for (int way = 0; way < 2; way++) {
        tw_contact_motion *m = &s->motion[way][i];
        m->n = unit(tw_vec3_add_scaled(n, way ? 1e-4 : 0.0, e1));
        m->zeta = zeta * (way ? 1.001 : 1.0);
        /* A sliding contact moves along e1, then along e2, so that the direction of its force keeps
         * changing; a sticking one moves back and forth. */
        const tw_vec3 there = way ? (slides ? e2 : e1) : e1;
        m->du = tw_vec3_scale(0.01 * slip * (way && back > 0.0 ? -1.0 : 1.0), there);
        m->turn_p = tw_vec3_scale(1e-4, direction(state));
        m->turn_q = tw_vec3_scale(1e-4, direction(state));
    }
    s->memory[i].n = s->motion[1][i].n;
    s->memory[i].zeta = zeta;
    s->memory[i].ft = tw_vec3_scale(slides ? slip : 0.3 * slip, unit(tw_vec3_add(e1, e2)));
}

static scene scene_make(size_t count, double sliding)
{
    scene s = {.count = count};
    uint64_t state = 1;
    s.motion[0] = malloc(count * sizeof *s.motion[0]);
    s.motion[1] = malloc(count * sizeof *s.motion[1]);
    s.memory = malloc(count * sizeof *s.memory);
    s.load = malloc(count * sizeof *s.load);
    if (!s.motion[0] || !s.motion[1] || !s.memory || !s.load) {
        fprintf(stderr, "bench_contact: out of memory for %zu contacts\n", count);
        exit(1);
    }
    for (size_t i = 0; i < count; i++) {
        set_contact(&s, i, uniform(&state) < sliding, &state);
    }
    return s;
}

static void scene_free(scene *s)
{
    free(s->motion[0]);
    free(s->motion[1]);
    free(s->memory);
    free(s->load);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds per contact; `sliding` gets the fraction that slid. */
static double run(scene *s, int32_t kind, int passes, double *sliding)
{
    tw_contact_law law = tw_contact_law_default();
    law.kn = law.kt = 1.0;
    law.mu = 0.5;
    law.kind = kind;
    const double start = now();
    for (int pass = 0; pass < passes; pass++) {
        tw_contact_advance_batch(&law, NULL, s->motion[pass & 1], 1.0, s->memory, NULL, s->load,
                                 s->count);
    }
    const double seconds = now() - start;
    size_t slides = 0;
    for (size_t i = 0; i < s->count; i++) {
        slides += (size_t)s->load[i].sliding;
    }
    *sliding = (double)slides / (double)s->count;
    return seconds / ((double)passes * (double)s->count);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}

static void bench(size_t count, double sliding, int rounds)
{
    double *ns[KINDS], *ratio = malloc((size_t)rounds * sizeof *ratio), share[KINDS];
    scene scenes[KINDS];
    const int passes = 2 * (1 + (int)(500000 / count)); /* even, so that it ends where it began */
    for (int k = 0; k < KINDS; k++) {
        ns[k] = malloc((size_t)rounds * sizeof *ns[k]);
        scenes[k] = scene_make(count, sliding);
        if (!ns[k] || !ratio) exit(1);
        run(&scenes[k], k, passes, &share[k]);
    }
    for (int r = 0; r < rounds; r++) {
        for (int k = 0; k < KINDS; k++) {
            ns[k][r] = 1e9 * run(&scenes[k], k, passes, &share[k]);
        }
        ratio[r] = ns[TW_CONTACT_EXACT][r] / ns[TW_CONTACT_CONVENTIONAL][r];
    }
    printf("%zu,%.0f", count, 100.0 * sliding);
    for (int k = 0; k < KINDS; k++) {
        printf(",%.2f,%.1f", median(ns[k], rounds), 100.0 * share[k]);
        free(ns[k]);
        scene_free(&scenes[k]);
    }
    printf(",%.3f\n", median(ratio, rounds));
    free(ratio);
}

int main(int argc, char **argv)
{
    const size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    const int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 21;
    if ((argc > 1 && count == 0) || rounds < 1) {
        fprintf(stderr, "usage: bench_contact [contacts] [rounds]\n");
        return 2;
    }
    printf("contacts,sliding_percent");
    for (int k = 0; k < KINDS; k++) {
        printf(",%s_ns,%s_sliding_percent", tw_contact_kind_name(k), tw_contact_kind_name(k));
    }
    printf(",exact_over_conventional\n");
    const size_t counts[] = {1000, 1000000}; /* in cache, and streamed from memory */
    for (int c = 0; c < (count ? 1 : 2); c++) {
        bench(count ? count : counts[c], 0.0, rounds);
        bench(count ? count : counts[c], 0.1, rounds);
        bench(count ? count : counts[c], 0.5, rounds);
    }
    return 0;
}
