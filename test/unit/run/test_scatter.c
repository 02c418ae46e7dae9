/* SPDX-License-Identifier: BSD-3-Clause */
/* Random positions: those that a search through all grains and images gives, with memory in
 * proportion to the grains however large the cell. The linker sends malloc through a counter. */
#include "base/parallel.h"
#include "check.h"
#include "run/specimen.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static size_t asked; /* bytes */

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
    asked += size;
    return __real_malloc(size);
}

enum { COUNT = 1200 };

static bool is_free(double (*at)[3], const double *radii, int grains, const double *trial,
                    double edge)
{
    for (int i = 0; i < grains; i++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            const double part = at[i][k] - trial[k], near = part - rint(part);
            square += edge * edge * near * near;
        }
        const double apart = radii[grains] + radii[i];
        if (square < apart * apart) return false;
    }
    return true;
}

/* Grains in a cube, the largest first: placed in the order of their numbers. */
static void check_positions(int count, double edge, double largest, double smallest)
{
    static tw_body_def bodies[COUNT];
    static double radii[COUNT], at[COUNT][3];
    const tw_mat3 cell = {{edge, 0, 0, 0, edge, 0, 0, 0, edge}};
    const tw_run_scatter_watch watch = {NULL, NULL};
    tw_random random = tw_random_seed(3), again = random;
    for (int i = 0; i < count; i++)
        radii[i] = largest + (smallest - largest) * i / count;
    asked = 0;
    assert_int_equal(tw_run_scatter(bodies, radii, (uint64_t)count, &cell, &random, &watch),
                     TW_SCATTER_DONE);
    /* A box has 8 bytes, and there are 4 for each grain and 64 more; 56 bytes for a grain itself;
     * and at most 150 positions of 32 bytes are drawn at a time. */
    check_at_most((double)asked,
                  (4.0 * count + 64.0 + 1.0) * 8.0 + 56.0 * count + COUNT / 8 * 32.0);
    int attempts = 0;
    for (int i = 0; i < count; i++) {
        do {
            for (int k = 0; k < 3; k++)
                at[i][k] = tw_random_uniform(&again);
            attempts++;
        } while (!is_free(at, radii, i, at[i], edge));
        assert_true(bodies[i].x.x == edge * at[i][0] && bodies[i].x.y == edge * at[i][1] &&
                    bodies[i].x.z == edge * at[i][2]);
    }
    assert_true(attempts >= count);
    /* Nothing more has been drawn. */
    assert_memory_equal(&again, &random, sizeof again);
}

static void positions_are_the_first_free_ones(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        tw_parallel_set_threads(threads);
        check_positions(40, 1.0, 0.11, 0.11); /* porosity 0.78: two attempts of three fail */
        check_positions(40, 1.0, 0.2 / 3.0, 0.2 / 3.0);
        check_positions(40, 1.0, 0.02, 0.02);
        check_positions(40, 1.0, 1e-6, 1e-6);
        check_positions(40, 1e9, 1e-3, 1e-3);
        check_positions(COUNT, 1.0, 0.04, 0.03); /* porosity 0.78 */
        check_positions(COUNT, 1.0, 0.055, 0.001);
    }
}

/* The last of many attempts counts, and the next cell goes on from there. */
static void a_full_cell_takes_no_more_draws_than_its_attempts(void **state)
{
    (void)state;
    static tw_body_def bodies[2];
    const double radii[2] = {0.3, 0.3};
    const tw_mat3 cell = {{0.61, 0, 0, 0, 0.61, 0, 0, 0, 0.61}};
    const tw_run_scatter_watch watch = {NULL, NULL};
    tw_random random = tw_random_seed(5), again = random;
    assert_int_equal(tw_run_scatter(bodies, radii, 2, &cell, &random, &watch), TW_SCATTER_FULL);
    for (int k = 0; k < 3 * (1 + 2000); k++)
        (void)tw_random_next(&again);
    assert_memory_equal(&again, &random, sizeof again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_the_first_free_ones),
        cmocka_unit_test(a_full_cell_takes_no_more_draws_than_its_attempts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
