/* SPDX-License-Identifier: BSD-3-Clause */
/* base/lanes.h at every level supported by the processor: each lane gives the result of scalar
 * arithmetic, and sums are bitwise independent of the number of lanes. */
#include "check.h"

#include "lanes_case.h"

static void (*const run[])(lanes_case *) = {TW_SIMD_EACH(lanes_case_run)};

/* In eight lanes on every machine: item i in lane i modulo 8. */
static double sum_of(const double *x, size_t count)
{
    double t[8] = {0.0};
    for (size_t i = 0; i < count; i++)
        t[i % 8] += x[i];
    return ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]));
}

static void check_lanes(const lanes_case *c)
{
    for (size_t i = 0; i < LANES_CASE_COUNT; i++) {
        const int less = c->a[i] < c->b[i];
        assert_true(c->select[i] == (less ? c->a[i] : c->b[i]));
        assert_true(c->only[i] == (less ? c->a[i] : 0.0));
        assert_true(c->root[i] == sqrt(fabs(c->a[i])));
        if (i < c->count) assert_int_equal(c->member[i], i);
        if (i % c->lanes != 0) continue;
        int all = 1, any = 0;
        for (size_t l = i; l < i + c->lanes; l++) {
            all &= c->a[l] < c->b[l];
            any |= c->a[l] < c->b[l];
        }
        assert_int_equal(c->all[i], all);
        assert_int_equal(c->any[i], any);
        /* unused lanes repeat the last item */
        for (size_t l = i; i < c->count && l < i + c->lanes; l++)
            assert_int_equal(c->member[l], l < c->count ? l : c->count - 1);
    }
    assert_true(c->sum == sum_of(c->a, c->count));
}

static void every_level_agrees_bitwise_with_scalars(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(71);
    int levels = 0, mixed = 0;
    for (int level = 0; tw_simd_available(level); level++, levels++)
        for (size_t count = 0; count <= LANES_CASE_COUNT; count++) {
            lanes_case c = {.count = count};
            for (int i = 0; i < LANES_CASE_COUNT; i++) {
                /* of very different sizes, so that sums depend on the order */
                const double size = ldexp(1.0, (int)(tw_random_next(&random) % 60));
                c.a[i] = size * check_between(&random, -1.0, 1.0);
                c.b[i] = size * check_between(&random, -1.0, 1.0);
            }
            run[level](&c);
            check_lanes(&c);
            mixed += c.any[0] && !c.all[0];
        }
    assert_true(levels > 0 && mixed > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_agrees_bitwise_with_scalars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
