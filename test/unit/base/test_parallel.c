/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "check.h"

#include "base/parallel.h"

#include <stdlib.h>

static const int threads[] = {1, 2, 3, 7};
enum { THREADS = sizeof threads / sizeof *threads };

static void parts_cover_a_range_once_and_evenly(void **state)
{
    (void)state;
    for (size_t n = 0; n < 50; n++)
        for (size_t parts = 1; parts < 12; parts++) {
            size_t at = 0;
            for (size_t part = 0; part < parts; part++) {
                const tw_parallel_range range = tw_parallel_part(n, parts, part);
                assert_int_equal(range.begin, at);
                assert_in_range(range.end - range.begin, n / parts, n / parts + 1);
                at = range.end;
            }
            assert_int_equal(at, n);
        }
}

static void there_is_one_part_per_thread_but_none_too_small(void **state)
{
    (void)state;
    static const struct {
        int threads;
        size_t n, grain, parts;
    } cases[] = {{1, 10000, 10, 1}, {3, 10000, 1000, 3}, {3, 2999, 1000, 2},
                 {3, 999, 1000, 1}, {3, 0, 1000, 1},     {100, 1000000, 1, TW_PARALLEL_PARTS_MAX}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tw_parallel_set_threads(cases[k].threads);
        assert_int_equal(tw_parallel_parts(cases[k].n, cases[k].grain), cases[k].parts);
    }
}

/* Batch systems give a job its number of processors in OMP_NUM_THREADS; earlier settings of the
 * process do not matter. */
static void the_default_comes_from_the_environment(void **state)
{
    (void)state;
    tw_parallel_set_threads(5);
    unsetenv("OMP_NUM_THREADS");
    const int processors = tw_parallel_default();
    assert_true(processors >= 1);
    tw_parallel_set_threads(processors + 1);
    assert_int_equal(tw_parallel_default(), processors);
    static const struct {
        const char *requested;
        int threads; /* 0: one per processor */
    } cases[] = {{"1", 1}, {"3", 3}, {"2,4", 2}, {"0", 0}, {"-1", 0}, {"many", 0}, {"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("OMP_NUM_THREADS", cases[i].requested, 1);
        const int wanted = cases[i].threads > 0 ? cases[i].threads : processors;
        assert_int_equal(tw_parallel_default(), wanted);
    }
    unsetenv("OMP_NUM_THREADS");
}

typedef struct seen_items {
    unsigned char *seen;
    size_t n;
} seen_items;

static void mark(void *context, size_t begin, size_t end)
{
    seen_items *v = context;
    if (begin % 10 != 0 || (end != begin + 10 && end != v->n)) return; /* counts as not visited */
    for (size_t i = begin; i < end; i++)
        v->seen[i]++;
}

static void a_parallel_loop_visits_each_item_once_in_fixed_chunks(void **state)
{
    (void)state;
    for (int t = 0; t < THREADS; t++)
        for (size_t n = 0; n < 200; n += 13) {
            unsigned char seen[200] = {0};
            seen_items v = {seen, n};
            tw_parallel_set_threads(threads[t]);
            tw_parallel_for(n, 10, mark, &v);
            for (size_t i = 0; i < 200; i++)
                assert_int_equal(seen[i], i < n);
        }
}

static void count_task(void *context, size_t index)
{
    ((unsigned char *)context)[index]++;
}

static void tasks_are_run_once_each(void **state)
{
    (void)state;
    for (int n = -1; n < THREADS; n++) { /* 0: one thread per processor */
        unsigned char seen[40] = {0};
        tw_parallel_tasks(33, n < 0 ? 0 : threads[n], count_task, seen);
        for (size_t i = 0; i < 40; i++)
            assert_int_equal(seen[i], i < 33);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_cover_a_range_once_and_evenly),
        cmocka_unit_test(there_is_one_part_per_thread_but_none_too_small),
        cmocka_unit_test(the_default_comes_from_the_environment),
        cmocka_unit_test(a_parallel_loop_visits_each_item_once_in_fixed_chunks),
        cmocka_unit_test(tasks_are_run_once_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
