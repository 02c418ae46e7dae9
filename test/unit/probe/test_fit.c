/* SPDX-License-Identifier: BSD-3-Clause */
/* Directions and fits, for materials with a known response. */
#include "check.h"

#include <stdlib.h>

#include "probe/probe.h"

enum { COUNT = 72 };

static double length(const double *a, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += a[k] * a[k];
    return sqrt(sum);
}

static double product(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* ---- Directions ---- */

static void directions_of_the_plane_are_axisymmetric_and_even(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        const tw_directions d = {false, axis, COUNT};
        for (size_t i = 0; i < COUNT; i++) {
            double unit[TW_COMPONENTS], point[TW_DIRECTIONS_MAX];
            tw_directions_at(&d, i, unit);
            const double a = unit[axis], b = unit[(axis + 1) % 3], c = unit[(axis + 2) % 3];
            check_at_most(fabs(length(unit, TW_COMPONENTS) - 1.0), 1e-15);
            check_at_most(fabs(b - c), 1e-16);
            check_at_most(length(unit + TW_YZ, 3), 0.0);
            /* The paper's coordinates: e_kk/sqrt 3 and sqrt(2/3) (e_11 - e_33). */
            tw_directions_point(&d, unit, point);
            check_at_most(fabs(point[0] - (a + b + c) / sqrt(3.0)), 1e-15);
            check_at_most(fabs(point[1] - sqrt(2.0 / 3.0) * (a - c)), 1e-15);
            const double angle = tw_directions_angle(point);
            check_at_most(fabs(remainder(angle - 360.0 * (double)i / COUNT, 360.0)), 1e-12);
        }
    }
}

/* For evenly distributed unit vectors n the mean of n is 0 and that of n n is 1/3. */
static void directions_on_the_sphere_are_even(void **state)
{
    (void)state;
    enum { MANY = 500 };
    const tw_directions d = {true, -1, MANY};
    double mean[3] = {0.0}, square[9] = {0.0}, nearest = 2.0;
    double units[MANY][TW_COMPONENTS];
    for (size_t i = 0; i < MANY; i++) {
        tw_directions_at(&d, i, units[i]);
        check_at_most(fabs(length(units[i], 3) - 1.0), 1e-15);
        for (int k = 0; k < 9; k++)
            square[k] += units[i][k / 3] * units[i][k % 3] / MANY;
        for (int k = 0; k < 3; k++)
            mean[k] += units[i][k] / MANY;
        for (size_t j = 0; j < i; j++) {
            double gap[3];
            for (int k = 0; k < 3; k++)
                gap[k] = units[i][k] - units[j][k];
            nearest = fmin(nearest, length(gap, 3));
        }
    }
    for (int k = 0; k < 9; k++)
        check_at_most(fabs(square[k] - (k % 4 == 0 ? 1.0 / 3.0 : 0.0)), 2e-3);
    check_at_most(length(mean, 3), 2e-3);
    /* The best distribution has hexagons of area 4 pi/MANY, sqrt(8 pi/(sqrt 3 MANY)) apart; half of
     * that is required. */
    check_at_most(0.5 * sqrt(8.0 * CHECK_PI / (sqrt(3.0) * MANY)), nearest);
}

/* ---- Materials ---- */

/* e = C s + <f . s> g/H + <-f . s> g'/H', with C, f, g and so on chosen at random. */
typedef struct material {
    int n;
    double elastic[9], yield[3], flow[3], modulus, small_flow[3], small_modulus;
} material;

static void random_unit(tw_random *random, int n, double *out)
{
    do
        for (int k = 0; k < n; k++)
            out[k] = check_between(random, -1.0, 1.0);
    while (length(out, n) < 0.1);
    const double size = length(out, n);
    for (int k = 0; k < n; k++)
        out[k] /= size;
}

static material random_material(tw_random *random, int n)
{
    material m = {.n = n};
    m.modulus = pow(10.0, check_between(random, 5.0, 9.0));
    m.small_modulus = m.modulus * check_between(random, 3.0, 30.0);
    random_unit(random, n, m.yield);
    random_unit(random, n, m.flow);
    random_unit(random, n, m.small_flow);
    /* Soft enough that a strain probe has one answer: f . C^-1 g/H stays above -1. */
    for (int i = 0; i < n * n; i++)
        m.elastic[i] = 4.0 * ((i % (n + 1) == 0) + check_between(random, -0.3, 0.3)) / m.modulus;
    return m;
}

static void plastic_strain(const material *m, const double *stress, double *out)
{
    const double along = product(m->yield, stress, m->n);
    for (int k = 0; k < m->n; k++)
        out[k] = along > 0.0 ? along * m->flow[k] / m->modulus
                             : -along * m->small_flow[k] / m->small_modulus;
}

static tw_fit_point probe_of(const material *m, size_t i)
{
    const tw_directions d = {m->n == 3, 0, m->n == 3 ? 300 : COUNT};
    double unit[TW_COMPONENTS], point[TW_DIRECTIONS_MAX];
    tw_fit_point p = {{0.0}, {0.0}};
    tw_directions_at(&d, i, unit);
    tw_directions_point(&d, unit, point);
    for (int k = 0; k < m->n; k++)
        p.stress[k] = (10.0 + (double)(i % 7)) * point[k]; /* the size must not matter */
    plastic_strain(m, p.stress, p.plastic);
    return p;
}

static void check_mechanism(const material *m, const tw_fit_mechanism *found, double tolerance)
{
    check_at_most(fabs(found->loading.diameter * m->modulus - 1.0), tolerance);
    check_at_most(fabs(found->unloading.diameter * m->small_modulus - 1.0), tolerance);
    for (int k = 0; k < m->n; k++) {
        check_at_most(fabs(found->loading.direction[k] - m->yield[k]), tolerance);
        check_at_most(fabs(found->unloading.direction[k] + m->yield[k]), tolerance);
        check_at_most(fabs(found->flow[k] - m->flow[k]), tolerance);
    }
}

/* The irreversible strain of one mechanism is a circle (sphere) through the origin, to rounding. */
static void one_mechanism_is_recovered(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(3);
    static tw_fit_point points[300];
    for (int i = 0; i < 200; i++) {
        const int n = 2 + i % 2;
        const size_t count = n == 3 ? 300 : COUNT;
        const material m = random_material(&random, n);
        for (size_t k = 0; k < count; k++)
            points[k] = probe_of(&m, k);
        tw_fit_mechanism found;
        assert_true(tw_fit_mechanism_find(n, points, count, &found));
        check_mechanism(&m, &found, 1e-12);
        check_at_most(found.loading.rms, 1e-12);
        check_at_most(found.unloading.rms, 1e-12);
        check_at_most(found.flow_rms, 1e-7); /* of an arc cosine near 1 */
        assert_int_equal(found.loading.count + found.unloading.count, count);
    }
}

/* The same from strain probes: with the elastic part E e - s = plastic stress, the stress
 * directions are neither even nor those of the strains. */
static void strain_probes_of_the_same_material_give_the_same_mechanism(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(4);
    for (int i = 0; i < 100; i++) {
        const material m = random_material(&random, 2);
        tw_fit_point points[COUNT];
        for (int k = 0; k < COUNT; k++) {
            const double angle = 2.0 * CHECK_PI * k / COUNT;
            const double strain[2] = {1e-6 * cos(angle), 1e-6 * sin(angle)};
            /* e = (C + g f/H) s on the side where f . s > 0, else (C - g' f/H') s. */
            double stress[2];
            for (int side = 0; side < 2; side++) {
                double matrix[4];
                for (int c = 0; c < 4; c++)
                    matrix[c] =
                        m.elastic[c] + (side == 0 ? m.flow[c / 2] / m.modulus
                                                  : -m.small_flow[c / 2] / m.small_modulus) *
                                           m.yield[c % 2];
                assert_true(tw_fit_solve(2, matrix, strain, stress));
                if ((product(m.yield, stress, 2) > 0.0) == (side == 0)) break;
            }
            memcpy(points[k].stress, stress, sizeof stress);
            plastic_strain(&m, stress, points[k].plastic);
        }
        tw_fit_mechanism found;
        assert_true(tw_fit_mechanism_find(2, points, COUNT, &found));
        check_mechanism(&m, &found, 1e-9);
    }
}

/* Noise of known size in the distances appears as a residual of that size: rms of 72 equal numbers.
 */
static void the_residual_equals_the_noise(void **state)
{
    (void)state;
    material m = {.n = 2, .yield = {0.6, 0.8}, .flow = {-0.8, 0.6}, .modulus = 2.0};
    m.small_modulus = HUGE_VAL;
    tw_fit_point points[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        points[i] = probe_of(&m, i);
        const double size = length(points[i].stress, 2);
        for (int k = 0; k < 2; k++)
            points[i].plastic[k] += (i % 2 ? 0.02 : -0.02) / m.modulus * size * m.flow[k];
    }
    tw_fit_mechanism found;
    assert_true(tw_fit_mechanism_find(2, points, COUNT, &found));
    /* At the edge of the half-plane the distance is smaller than the noise, and its absolute value
     * is used. */
    check_at_most(fabs(found.loading.rms / 0.02 - 1.0), 0.1);
    check_at_most(fabs(found.loading.diameter * m.modulus - 1.0), 5e-3);
}

static void impossible_fits_are_reported(void **state)
{
    (void)state;
    const tw_fit_point still[3] = {
        {{1, 0, 0}, {0, 0, 0}}, {{0, 1, 0}, {0, 0, 0}}, {{-1, 0, 0}, {0, 0, 0}}};
    const tw_fit_point line[2] = {{{1, 0, 0}, {1, 0, 0}}, {{-1, 0, 0}, {0, 0, 0}}};
    tw_fit_mechanism found;
    double matrix[TW_FIT_MAX * TW_FIT_MAX], rms;
    const double x[4] = {1.0, 2.0, 2.0, 4.0};
    assert_false(tw_fit_mechanism_find(2, still, 3, &found));
    assert_false(tw_fit_mechanism_find(2, line, 2, &found));
    assert_false(tw_fit_matrix(2, 2, x, x, matrix, &rms));
}

/* ---- Elastic tensors ---- */

static void a_matrix_is_recovered(void **state)
{
    (void)state;
    enum { PROBES = 20 };
    tw_random random = tw_random_seed(5);
    for (int n = 2; n <= TW_FIT_MAX; n++) {
        double a[36], x[PROBES * 6], y[PROBES * 6], found[36], rms;
        for (int i = 0; i < n * n; i++)
            a[i] = 1e8 * check_between(&random, -1.0, 1.0);
        for (int i = 0; i < PROBES * n; i++)
            x[i] = 1e-6 * check_between(&random, -1.0, 1.0);
        for (int i = 0; i < PROBES * n; i++)
            y[i] = product(a + i % n * n, x + i / n * n, n);
        assert_true(tw_fit_matrix(n, PROBES, x, y, found, &rms));
        for (int i = 0; i < n * n; i++)
            check_at_most(fabs(found[i] - a[i]), 1e-12 * 1e8);
        check_at_most(rms, 1e-13);
        /* A wrong number increases the residual. */
        y[0] *= 1.5;
        assert_true(tw_fit_matrix(n, PROBES, x, y, found, &rms));
        assert_true(rms > 1e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_of_the_plane_are_axisymmetric_and_even),
        cmocka_unit_test(directions_on_the_sphere_are_even),
        cmocka_unit_test(one_mechanism_is_recovered),
        cmocka_unit_test(strain_probes_of_the_same_material_give_the_same_mechanism),
        cmocka_unit_test(the_residual_equals_the_noise),
        cmocka_unit_test(impossible_fits_are_reported),
        cmocka_unit_test(a_matrix_is_recovered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
