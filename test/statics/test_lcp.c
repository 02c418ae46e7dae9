/* SPDX-License-Identifier: BSD-3-Clause */
/* Complementarity problems: with known solutions, and random ones against all active sets. */
#include "tensor.h"

#include <math.h>
#include <string.h>

#include "statics/statics_lcp.h"

/* ---- Known solutions ---- */

static void problems_of_two_have_the_solutions_found_by_hand(void **context)
{
    (void)context;
    double x[2];
    size_t turns, set[TW_STATICS_LCP_SET], count;
    tw_statics_lcp_verdict verdict;
    const double plain[4] = {2.0, 1.0, 0.0, 1.0}, load[2] = {-3.0, -1.0};
    assert_int_equal(tw_statics_lcp_solve(2, plain, load, x, &turns), TW_STATICS_LCP_ACTIVE);
    expect_at_most(fabs(x[0] - 1.0) + fabs(x[1] - 1.0), 1e-15);
    assert_true(tw_statics_lcp_judge(2, plain, &verdict, set, &count));
    assert_int_equal(verdict, TW_STATICS_LCP_UNIQUE);
    /* A negative diagonal: w = q - x has no solution for q < 0. */
    const double bad[4] = {1.0, 0.0, 0.0, -1.0}, down[2] = {1.0, -1.0};
    assert_int_equal(tw_statics_lcp_solve(2, bad, down, x, &turns), TW_STATICS_LCP_RAY);
    assert_true(tw_statics_lcp_judge(2, bad, &verdict, set, &count));
    assert_int_equal(verdict, TW_STATICS_LCP_SEVERAL);
    assert_int_equal(count, 1);
    assert_int_equal(set[0], 1);
    /* Positive diagonal, negative determinant: only both together are a certificate. */
    const double pair[4] = {1.0, 2.0, 2.0, 1.0};
    assert_true(tw_statics_lcp_judge(2, pair, &verdict, set, &count));
    assert_int_equal(verdict, TW_STATICS_LCP_SEVERAL);
    assert_int_equal(count, 2);
    /* Nothing below zero: nothing happens. */
    const double up[2] = {0.0, 2.0};
    assert_int_equal(tw_statics_lcp_solve(2, pair, up, x, &turns), TW_STATICS_LCP_NONE);
}

/* Murty's problem, on which an active set runs in a circle: M is a P-matrix, so Lemke finds it. */
static void a_set_that_comes_back_is_left_to_lemke(void **context)
{
    (void)context;
    const double m[9] = {1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 2.0, 0.0, 1.0}, q[3] = {-1.0, -1.0, -1.0};
    double x[3];
    size_t turns;
    const tw_statics_lcp_end end = tw_statics_lcp_solve(3, m, q, x, &turns);
    assert_true(end == TW_STATICS_LCP_LEMKE || end == TW_STATICS_LCP_ACTIVE);
    for (int i = 0; i < 3; i++)
        expect_at_most(fabs(x[i] - 1.0 / 3.0), 1e-14);
}

/* ---- Against all active sets ---- */

enum { MOST = 6 };

typedef struct problem {
    size_t n;
    double m[MOST * MOST], q[MOST];
} problem;

static bool is_solution(const problem *p, const double *x, double tolerance)
{
    double most = 1.0;
    for (size_t i = 0; i < p->n; i++)
        most = support_most(most, fabs(x[i]));
    for (size_t i = 0; i < p->n; i++) {
        double w = p->q[i];
        for (size_t j = 0; j < p->n; j++)
            w += p->m[p->n * i + j] * x[j];
        if (!(x[i] >= 0.0 && w >= -tolerance * most && fabs(x[i] * w) <= tolerance * most * most))
            return false;
    }
    return true;
}

/* The number of solutions; *positive: all principal minors are (a P-matrix). */
static size_t try_all_sets(const problem *p, bool *positive)
{
    size_t found = 0;
    *positive = true;
    for (unsigned set = 0; set < 1U << p->n; set++) {
        double a[MOST * MOST], b[MOST], x[MOST] = {0.0};
        size_t of[MOST], count = 0;
        for (size_t i = 0; i < p->n; i++)
            if (set >> i & 1U) of[count++] = i;
        for (size_t i = 0; i < count; i++) {
            b[i] = -p->q[of[i]];
            for (size_t j = 0; j < count; j++)
                a[count * i + j] = p->m[p->n * of[i] + of[j]];
        }
        if (tw_statics_lcp_eliminate(count, a, b) <= 0) *positive = false;
        for (size_t i = 0; i < count; i++)
            x[of[i]] = b[i];
        /* Elimination of six rows with pivots; the numbers are of the order of one. */
        found += is_solution(p, x, 1e-9);
    }
    return found;
}

static problem draw(support_random *random, bool all_positive)
{
    problem p = {.n = 1 + support_bits(random) % MOST};
    const double diagonal = support_uniform(random, 0.0, all_positive ? 0.3 : 3.0);
    for (size_t i = 0; i < p.n; i++) {
        p.q[i] = support_uniform(random, -1.0, 0.3);
        for (size_t j = 0; j < p.n; j++)
            p.m[p.n * i + j] =
                support_uniform(random, all_positive ? 0.0 : -1.0, 1.0) + (i == j ? diagonal : 0.0);
    }
    return p;
}

/* By theory Lemke's algorithm finds a solution of every problem whose M is a P-matrix, which has
 * exactly one, and of every one whose elements are positive, which may have several. */
static void lemke_finds_what_all_active_sets_have(void **context)
{
    (void)context;
    support_random random = {77};
    size_t unique = 0, single = 0, several = 0;
    for (int k = 0; k < 20000; k++) {
        const bool all_positive = k % 2 != 0;
        const problem p = draw(&random, all_positive);
        double x[MOST], least = 1.0;
        size_t turns;
        bool minors;
        for (size_t i = 0; i < p.n; i++)
            least = p.q[i] < least ? p.q[i] : least;
        if (least >= 0.0) continue;
        const size_t count = try_all_sets(&p, &minors);
        const tw_statics_lcp_end end = tw_statics_lcp_lemke(p.n, p.m, p.q, x, &turns);
        if (minors) assert_int_equal(count, 1);
        if (end == TW_STATICS_LCP_LEMKE)
            assert_true(is_solution(&p, x, 1e-9));
        else
            assert_int_equal(end, TW_STATICS_LCP_RAY);
        if ((minors || all_positive) && end != TW_STATICS_LCP_LEMKE)
            fail_msg("case %d, %zu unknowns, %zu solutions: none was found", k, p.n, count);
        unique += minors && p.n > 2;
        single += all_positive && !minors && count == 1;
        several += count > 1;
    }
    print_message("%zu P-matrices, %zu others with one solution, %zu with several\n", unique,
                  single, several);
    assert_true(unique > 1000 && single > 1000 && several > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_of_two_have_the_solutions_found_by_hand),
        cmocka_unit_test(a_set_that_comes_back_is_left_to_lemke),
        cmocka_unit_test(lemke_finds_what_all_active_sets_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
