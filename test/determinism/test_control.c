/* SPDX-License-Identifier: BSD-3-Clause */
/* A cell under control, saved and loaded in the middle of a ramp, goes on with the same bits, with
 * any number of threads. */
#include "specimen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../must.h"

enum { START = 500, STEPS = 200 };

static const int thread_counts[] = {1, 2, 3, 7};
enum { THREADS = sizeof thread_counts / sizeof *thread_counts };

/* Above 2000 bodies every loop of the engine runs in parallel. */
static int side_of(specimen_kind kind)
{
    const char *scale = getenv("TWIRL_TEST_SCALE"); /* below 1: the sanitizers, many times slower */
    return scale && atof(scale) < 1.0 ? 5 : kind == SPECIMEN_SPHERES ? 13 : 9;
}

/* A bit of everything: stress with a ramp and at once, a sum, a rate of the volume, simple shear.
 */
static tw_control control_of(const tw_measure *m)
{
    tw_control control = tw_control_default();
    const double p = m->p;
    control.row[0] = (tw_control_row){TW_CONTROL_STRESS, {1.0, -1.0}, 0.1 * p, 100.0 * p};
    control.row[1] = (tw_control_row){TW_CONTROL_RATE, {1.0, 1.0, 1.0}, -2.0, 0.0};
    control.row[TW_ZZ] = tw_control_stress(TW_ZZ, 1.2 * p);
    control.row[TW_ZZ].ramp = 300.0 * p;
    control.row[TW_XY] = tw_control_rate(TW_XY, 30.0);
    control.row[TW_YZ] = tw_control_stress(TW_YZ, 0.0);
    control.simple_shear = 1;
    return control;
}

/* Dense, in motion, and under control. */
static tw_sim *begin(specimen_kind kind, int threads)
{
    tw_error error;
    tw_sim *sim = specimen_make(kind, side_of(kind), 5);
    tw_sim_set_threads(sim, threads);
    specimen_run(sim, START);
    const tw_measure m = must_measure(sim);
    const tw_control control = control_of(&m);
    if (tw_sim_set_control(sim, &control, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    return sim;
}

static void name_of(char name[64], specimen_kind kind, int cut)
{
    snprintf(name, 64, "control-%d-%d.h5", (int)kind, cut);
}

static void check_kind(specimen_kind kind)
{
    static const uint64_t cuts[] = {0, 1, 49, 51, 120, STEPS};
    enum { CUTS = sizeof cuts / sizeof *cuts };
    char name[64];
    tw_sim *sim = begin(kind, 1);
    for (int k = 0; k < CUTS; k++) {
        specimen_run(sim, cuts[k] + START - tw_sim_steps(sim));
        name_of(name, kind, k);
        specimen_save(sim, name);
    }
    const uint64_t hash = tw_sim_hash(sim);
    const tw_control_report report = tw_sim_get_control_report(sim);
    assert_true(report.steps == STEPS && report.ramping);
    assert_true(must_measure(sim).contacts > tw_sim_body_count(sim) / 2);
    tw_sim_free(sim);
    for (int k = 0; k < CUTS; k++) {
        name_of(name, kind, k);
        sim = specimen_load(name);
        tw_sim_set_threads(sim, thread_counts[k % THREADS]);
        specimen_run(sim, cuts[CUTS - 1] - cuts[k]);
        if (tw_sim_hash(sim) != hash) fail_msg("%s: the hash differs", name);
        const tw_control_report again = tw_sim_get_control_report(sim);
        assert_memory_equal(again.value, report.value, sizeof report.value);
        assert_true(again.worst == report.worst && again.limited == report.limited);
        tw_sim_free(sim);
        remove(name);
    }
    for (int t = 1; t < THREADS; t++) {
        sim = begin(kind, thread_counts[t]);
        specimen_run(sim, STEPS);
        if (tw_sim_hash(sim) != hash) fail_msg("%d threads: the hash differs", thread_counts[t]);
        tw_sim_free(sim);
    }
}

static void spheres_under_control_continue_with_the_same_bits(void **state)
{
    (void)state;
    check_kind(SPECIMEN_SPHERES);
}

static void clusters_under_control_continue_with_the_same_bits(void **state)
{
    (void)state;
    check_kind(SPECIMEN_CLUSTERS);
}

/* A control that is set decides how a state goes on: the hash must see it. */
static void the_hash_sees_the_control(void **state)
{
    (void)state;
    tw_error error;
    tw_sim *sim = specimen_make(SPECIMEN_SPHERES, 4, 5);
    specimen_run(sim, 10);
    const uint64_t without = tw_sim_hash(sim);
    tw_control control = tw_control_default();
    control.row[TW_XX] = tw_control_stress(TW_XX, 1e4);
    assert_int_equal(tw_sim_set_control(sim, &control, &error), TW_STATUS_OK);
    const uint64_t first = tw_sim_hash(sim);
    control.row[TW_XX].target = 2e4;
    assert_int_equal(tw_sim_set_control(sim, &control, &error), TW_STATUS_OK);
    const uint64_t second = tw_sim_hash(sim);
    assert_true(without != first && first != second);
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_under_control_continue_with_the_same_bits),
        cmocka_unit_test(clusters_under_control_continue_with_the_same_bits),
        cmocka_unit_test(the_hash_sees_the_control),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
