/* SPDX-License-Identifier: BSD-3-Clause */
/* Random positions: those that a search through all grains and images gives, with memory in
 * proportion to the grains however large the cell. The linker sends malloc and realloc
 * through a counter. */
#include "base/parallel.h"
#include "base/random.h"
#include "check.h"
#include "run/regions.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static size_t asked; /* bytes */

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
    asked += size;
    return __real_malloc(size);
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_realloc(void *old, size_t size) /* always of nothing */
{
    asked += size;
    return __real_realloc(old, size);
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

static double radius_of(uint64_t grain, void *context)
{
    const double *radii = context;
    return radii[grain];
}

/* Grains in a cube. */
static tw_run_scatter_result scatter(const double *radii, int count, double edge, tw_vec3 *x)
{
    static double list[COUNT];
    tw_run_regions all = {.cell = {{edge, 0, 0, 0, edge, 0, 0, 0, edge}},
                          .whole = true,
                          .count = (uint64_t)count,
                          .seed = 3,
                          .fill = 8,
                          .largest = radii[0],
                          .radius = radius_of,
                          .context = list};
    memcpy(list, radii, (size_t)count * sizeof *list);
    tw_run_regions_divide(&all);
    assert_int_equal(tw_run_regions_count(&all), 1);
    return tw_run_regions_scatter(&all, 0, NULL, x);
}

/* The largest first: placed in the order of their numbers, each at the first free one of its own
 * draws, whose coordinates are whole multiples of 2^-40 of an edge. */
static void check_positions(int count, double edge, double largest, double smallest)
{
    static tw_vec3 x[COUNT];
    static double radii[COUNT], at[COUNT][3];
    for (int i = 0; i < count; i++)
        radii[i] = largest + (smallest - largest) * i / count;
    asked = 0;
    assert_int_equal(scatter(radii, count, edge, x), TW_SCATTER_DONE);
    /* A box has 4 bytes, and there are 4 for each grain and 64 more; 56 bytes for a grain itself;
     * and at most 76 positions of 40 bytes are tried at a time. */
    check_at_most((double)asked,
                  (4.0 * count + 64.0) * 4.0 + 56.0 * count + (COUNT / 16 + 1) * 40.0);
    uint64_t draws = 0;
    for (int i = 0; i < count; i++) {
        const uint64_t key = tw_random_key(3, 8, (uint64_t)i);
        uint64_t attempt = 0;
        do {
            for (uint64_t k = 0; k < 3; k++)
                at[i][k] = floor(0x1p40 * tw_random_at(key, 3 * attempt + k)) * 0x1p-40;
            attempt++;
        } while (!is_free(at, radii, i, at[i], edge));
        assert_true(x[i].x == edge * at[i][0] && x[i].y == edge * at[i][1] &&
                    x[i].z == edge * at[i][2]);
        draws += attempt;
    }
    assert_true(draws >= (uint64_t)count);
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
        check_positions(40, 1.0, 0.16, 0.01); /* three diameters */
        check_positions(15, 1.0, 0.24, 0.01); /* two */
    }
}

static void cells_without_room_are_full(void **state)
{
    (void)state;
    const double radii[2] = {0.3, 0.3};
    tw_vec3 x[2];
    assert_int_equal(scatter(radii, 2, 0.61, x), TW_SCATTER_FULL);
    assert_int_equal(scatter(radii, 1, 0.61, x), TW_SCATTER_DONE);
    assert_int_equal(scatter(radii, 1, 0.59, x), TW_SCATTER_FULL); /* it meets itself */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_the_first_free_ones),
        cmocka_unit_test(cells_without_room_are_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
