/* SPDX-License-Identifier: BSD-3-Clause */
/* Random positions: those that a search through all grains and images gives, with memory in
 * proportion to the grains however large the cell. The linker sends malloc through a counter. */
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

enum { COUNT = 40 };

static bool is_free(double (*at)[3], int grains, const double *trial, double edge, double diameter)
{
    for (int i = 0; i < grains; i++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            const double part = at[i][k] - trial[k], near = part - rint(part);
            square += edge * edge * near * near;
        }
        if (square < diameter * diameter) return false;
    }
    return true;
}

/* Equal grains in a cube: placed in the order of their numbers. */
static void check_positions(double edge, double radius)
{
    tw_body_def bodies[COUNT];
    double radii[COUNT], at[COUNT][3];
    const tw_mat3 cell = {{edge, 0, 0, 0, edge, 0, 0, 0, edge}};
    const tw_run_scatter_watch watch = {NULL, NULL};
    tw_random random = tw_random_seed(3), again = random;
    for (int i = 0; i < COUNT; i++)
        radii[i] = radius;
    asked = 0;
    assert_int_equal(tw_run_scatter(bodies, radii, COUNT, &cell, &random, &watch), TW_SCATTER_DONE);
    /* A box has 8 bytes, and there are 4 for each grain and 64 more; 48 bytes for a grain itself.
     */
    check_at_most((double)asked, (4.0 * COUNT + 64.0 + 1.0) * 8.0 + 48.0 * COUNT);
    for (int i = 0; i < COUNT; i++) {
        do
            for (int k = 0; k < 3; k++)
                at[i][k] = tw_random_uniform(&again);
        while (!is_free(at, i, at[i], edge, 2.0 * radius));
        assert_true(bodies[i].x.x == edge * at[i][0] && bodies[i].x.y == edge * at[i][1] &&
                    bodies[i].x.z == edge * at[i][2]);
    }
}

static void positions_are_the_first_free_ones(void **state)
{
    (void)state;
    check_positions(1.0, 0.11); /* porosity 0.78: two attempts of three fail */
    check_positions(1.0, 0.2 / 3.0);
    check_positions(1.0, 0.02);
    check_positions(1.0, 1e-6);
    check_positions(1e9, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(positions_are_the_first_free_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
