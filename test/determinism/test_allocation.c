/* SPDX-License-Identifier: BSD-3-Clause */
/* A run in its steady state asks the system for no memory, searches included. The linker sends the
 * engine's calls through the counters below (--wrap). */
#include "specimen.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "../must.h"

static atomic_size_t calls;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);

void *__wrap_malloc(size_t size)
{
    calls++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    calls++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    calls++;
    return __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    calls++;
    return __real_aligned_alloc(align, size);
}

/* A shear of `strain` in `steps` steps. */
static void shear(tw_sim *sim, double strain, uint64_t steps)
{
    tw_mat3 gradient = {{0.0}};
    gradient.m[1] = strain / ((double)steps * tw_sim_dt(sim));
    tw_sim_set_velocity_gradient(sim, &gradient);
    specimen_run(sim, steps);
}

static void steer(tw_sim *sim, uint64_t steps)
{
    tw_error error;
    tw_control control = tw_control_default();
    control.row[TW_YY] = tw_control_stress(TW_YY, must_measure(sim).stress.m[4]);
    if (tw_sim_set_control(sim, &control, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    specimen_run(sim, steps);
}

/* The skin is a tenth of a radius, so a strain of 0.05 outdates any list: it is made at least four
 * times in what is counted. While the specimen warms up the list may still grow a little. */
static void a_steady_run_allocates_nothing(void **state)
{
    (void)state;
    for (int kind = SPECIMEN_SPHERES; kind <= SPECIMEN_CLUSTERS; kind++) {
        tw_sim *sim = specimen_make((specimen_kind)kind, 6, 5);
        tw_sim_set_threads(sim, 2);
        specimen_run(sim, 500); /* pressed until it is dense */
        const size_t before = calls;
        shear(sim, 0.6, 6000);
        const size_t warm = calls;
        shear(sim, 0.2, 2000);
        print_message("%zu calls to warm up, %zu in the steady state\n", warm - before,
                      calls - warm);
        assert_int_equal(calls, warm);
        steer(sim, 500);
        assert_int_equal(calls, warm);
        tw_sim_free(sim);
    }
    assert_true(calls > 0); /* the counters do count */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_steady_run_allocates_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
