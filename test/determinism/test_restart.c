/* SPDX-License-Identifier: BSD-3-Clause */
/* A run that is saved, loaded and continued gives the bits of the one that was not, with any number
 * of threads. Bits are compared twice: by tw_sim_hash, and by the bytes of the checkpoint at the
 * end, which holds all there is. */
#include "specimen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../must.h"
#include "sim/sim_internal.h"

enum { STEPS = 320 };

static const int thread_counts[] = {1, 2, 3, 4, 7};
enum { THREADS = sizeof thread_counts / sizeof *thread_counts };

/* Above 2000 bodies every loop of the engine runs in parallel. */
static const int sides[SPECIMEN_KINDS] = {13, 9, 9, 5};

/* Where the run is cut: before the first step, after it, and in the lives of neighbour lists. */
static const uint64_t cuts[] = {0, 1, 57, 160, 266, 319};
enum { CUTS = sizeof cuts / sizeof *cuts };

static int bodies_of(specimen_kind kind)
{
    const char *scale = getenv("TWIRL_TEST_SCALE"); /* below 1: the sanitizers, many times slower */
    return scale && atof(scale) < 1.0 ? 6 : sides[kind];
}

static void name_of(char name[64], specimen_kind kind, const char *what, int number)
{
    snprintf(name, 64, "restart-%d-%s-%d.h5", (int)kind, what, number);
}

static void assert_same_bytes(const char *a, const char *b)
{
    FILE *first = fopen(a, "rb"), *second = fopen(b, "rb");
    assert_non_null(first);
    assert_non_null(second);
    int x, y;
    long at = 0;
    do {
        x = fgetc(first);
        y = fgetc(second);
        if (x != y) fail_msg("%s and %s differ at byte %ld", a, b, at);
        at++;
    } while (x != EOF);
    fclose(first);
    fclose(second);
}

typedef struct outcome {
    uint64_t hash;
    char file[64];
} outcome;

/* Compares the end of a run with the reference, and frees it. */
static void assert_same_end(tw_sim *sim, specimen_kind kind, const outcome *reference,
                            const char *what, int number)
{
    char name[64];
    name_of(name, kind, what, number);
    if (tw_sim_hash(sim) != reference->hash) fail_msg("%s: the hash differs", name);
    specimen_save(sim, name);
    tw_sim_free(sim);
    assert_same_bytes(name, reference->file);
    remove(name);
}

/* The uninterrupted run, on one thread. */
static outcome run_reference(specimen_kind kind)
{
    outcome end;
    tw_sim *sim = specimen_make(kind, bodies_of(kind), 5);
    tw_sim_set_threads(sim, 1);
    specimen_run(sim, STEPS);
    const tw_measure m = must_measure(sim);
    assert_true(m.contacts >
                tw_sim_body_count(sim) / 2); /* it is dense, and something happens in it */
    assert_true(m.sliding > 0);
    assert_true(sim->state.searches >= 4);
    end.hash = tw_sim_hash(sim);
    name_of(end.file, kind, "reference", 0);
    specimen_save(sim, end.file);
    tw_sim_free(sim);
    return end;
}

/* In the middle of a neighbour list's life: bodies have moved since it was made. */
static int list_is_old(const tw_sim *sim)
{
    const tw_bodies *b = &sim->state.bodies;
    return memcmp(b->x, b->x_ref, b->count * sizeof *b->x) != 0;
}

/* Runs in pieces with a save between each two. Saving must not disturb the run. */
static void run_and_cut(specimen_kind kind, const outcome *reference)
{
    char name[64];
    int old = 0;
    tw_sim *sim = specimen_make(kind, bodies_of(kind), 5);
    tw_sim_set_threads(sim, 2);
    for (int k = 0; k < CUTS; k++) {
        specimen_run(sim, cuts[k] - tw_sim_steps(sim));
        name_of(name, kind, "cut", k);
        specimen_save(sim, name);
        old += list_is_old(sim);
    }
    assert_true(old >= 3);
    specimen_run(sim, STEPS - tw_sim_steps(sim));
    assert_same_end(sim, kind, reference, "cut", 100);
}

static void continue_cut(specimen_kind kind, int cut, int threads, const outcome *reference)
{
    char name[64];
    name_of(name, kind, "cut", cut);
    tw_sim *sim = specimen_load(name);
    assert_int_equal(tw_sim_steps(sim), cuts[cut]);
    tw_sim_set_threads(sim, threads);
    specimen_run(sim, STEPS - tw_sim_steps(sim));
    assert_same_end(sim, kind, reference, "continued", 100 * cut + threads);
}

static void check_kind(specimen_kind kind)
{
    const outcome reference = run_reference(kind);
    run_and_cut(kind, &reference);
    for (int k = 0; k < CUTS; k++) {
        char name[64];
        for (int t = 0; t < THREADS; t++)
            if (t == k % THREADS || k == 3) continue_cut(kind, k, thread_counts[t], &reference);
        name_of(name, kind, "cut", k);
        remove(name);
    }
    tw_sim *sim = specimen_make(kind, bodies_of(kind), 5);
    tw_sim_set_threads(sim, thread_counts[THREADS - 1]); /* never cut; two threads were, above */
    specimen_run(sim, STEPS);
    assert_same_end(sim, kind, &reference, "threads", thread_counts[THREADS - 1]);
    remove(reference.file);
}

static void spheres_in_a_shearing_cell_continue_with_the_same_bits(void **state)
{
    (void)state;
    check_kind(SPECIMEN_SPHERES);
}

static void clusters_in_a_shearing_cell_continue_with_the_same_bits(void **state)
{
    (void)state;
    check_kind(SPECIMEN_CLUSTERS);
}

static void a_box_with_walls_continues_with_the_same_bits(void **state)
{
    (void)state;
    check_kind(SPECIMEN_BOX);
}

static void a_mixture_of_materials_continues_with_the_same_bits(void **state)
{
    (void)state;
    check_kind(SPECIMEN_MIXTURE);
}

/* Saved and loaded after every step of a stretch, with another number of threads each time. */
static void a_run_of_restarts_gives_the_same_bits(void **state)
{
    (void)state;
    const char *name = "restart-every-step.h5";
    tw_sim *whole = specimen_make(SPECIMEN_CLUSTERS, 6, 8),
           *sim = specimen_make(SPECIMEN_CLUSTERS, 6, 8);
    specimen_run(whole, 60);
    for (int k = 0; k < 60; k++) {
        specimen_run(sim, 1);
        specimen_save(sim, name);
        tw_sim_free(sim);
        sim = specimen_load(name);
        tw_sim_set_threads(sim, thread_counts[k % THREADS]);
    }
    assert_true(tw_sim_hash(sim) == tw_sim_hash(whole));
    tw_sim_free(sim);
    tw_sim_free(whole);
    remove(name);
}

/* Bodies added after the last step have no place in the neighbour list yet; the contacts of the
 * others must not get lost on the way. */
static void bodies_added_before_the_save_change_nothing(void **state)
{
    (void)state;
    const char *name = "restart-added.h5";
    for (int kind = 0; kind < SPECIMEN_KINDS; kind++) {
        tw_sim *whole = specimen_make((specimen_kind)kind, 6, 9);
        specimen_run(whole, 100);
        specimen_drop_in(whole, 0.3);
        specimen_save(whole, name);
        tw_sim *sim = specimen_load(name);
        specimen_run(whole, 50);
        specimen_run(sim, 50);
        if (tw_sim_hash(sim) != tw_sim_hash(whole)) fail_msg("kind %d: the hash differs", kind);
        tw_sim_free(sim);
        tw_sim_free(whole);
    }
    remove(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_in_a_shearing_cell_continue_with_the_same_bits),
        cmocka_unit_test(clusters_in_a_shearing_cell_continue_with_the_same_bits),
        cmocka_unit_test(a_box_with_walls_continues_with_the_same_bits),
        cmocka_unit_test(a_mixture_of_materials_continues_with_the_same_bits),
        cmocka_unit_test(a_run_of_restarts_gives_the_same_bits),
        cmocka_unit_test(bodies_added_before_the_save_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
