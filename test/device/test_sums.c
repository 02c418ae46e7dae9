/* SPDX-License-Identifier: BSD-3-Clause */
/* The sums of many tiles are joined on a device in the order of the CPU. */
#include <stdlib.h>
#include <string.h>

#include "support.h"

#include "base/sum.h"
#include "device/device_runtime_host.h"
#include "device/device_sums.h"
#include "device/device_turn.h"

static void one_tile(void *context, size_t tile, double *sum)
{
    *sum = ((const double *)context)[tile];
}

static void tiles_are_joined_as_on_the_cpu(void **state)
{
    (void)state;
    enum { MOST = 64 * 70 + 3 };
    support_random random = {5};
    tw_device_sums_work work;
    tw_device_small_sums few;
    tw_device_world *w = calloc(1, sizeof *w);
    double *x = calloc(MOST, sizeof *x), *room = calloc(MOST, sizeof *room), wanted;
    for (int i = 0; i < MOST; i++)
        x[i] = support_uniform(&random, -1.0, 1.0);
    for (uint32_t n = 1; n <= MOST; n = n < 70 ? n + 1 : n * 3 / 2 + 1) {
        const uint32_t tiles = n < MOST / 2 ? n : MOST;
        w->list.tiles = tiles;
        w->sums.tile_sum = calloc((size_t)TW_DEVICE_SUM_ROWS * tiles, sizeof(double));
        tw_sum_parts(tiles, 1, one_tile, x, room, &wanted);
        memcpy(tw_device_sums_tile(&w->list, &w->sums, TW_DEVICE_SUM_DRIVEN_GATHER, 0), x,
               tiles * sizeof *x);
        for (uint32_t stage = 0; stage <= TW_DEVICE_SUMS_LEVELS; stage++)
            for (uint32_t thread = TW_DEVICE_SUMS_THREADS; thread-- > 0;)
                tw_device_sums_total(&w->list, &w->state, &w->schedule, &w->touch, &w->forces,
                                     &w->sums, &work, TW_DEVICE_SUM_DRIVEN_GATHER, stage, thread);
        assert_true(tw_math_bits(w->sums.total[TW_DEVICE_SUM_DRIVEN_GATHER]) ==
                    tw_math_bits(wanted));
        if (tiles <= TW_DEVICE_FEW_TILES) {
            for (uint32_t k = TW_DEVICE_SMALL_BRANCHES; k-- > 0;)
                tw_device_small_branch(&w->list, &w->sums, &few,
                                       TW_DEVICE_SUM_DRIVEN_GATHER * TW_DEVICE_SMALL_BRANCHES + k);
            tw_device_small_total(&w->list, &few, TW_DEVICE_SUM_DRIVEN_GATHER);
            assert_true(tw_math_bits(few.total[TW_DEVICE_SUM_DRIVEN_GATHER]) ==
                        tw_math_bits(wanted));
        }
        free(w->sums.tile_sum);
    }
    free(room);
    free(x);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_are_joined_as_on_the_cpu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
