/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include "base/mat3.h"

static void products_follow_from_rows_and_columns(void **state)
{
    (void)state;
    const tw_mat3 a = {{1, 2, 3, 4, 5, 6, 7, 8, 10}}, b = {{2, 0, 1, -1, 3, 0, 5, 1, 1}};
    const tw_mat3 ab = {{15, 9, 4, 33, 21, 10, 56, 34, 17}}; /* integers: exact */
    assert_memory_equal(tw_mat3_mul(a, b).m, ab.m, sizeof ab.m);
    const tw_vec3 v = {1, -2, 3};
    check_at_most(check_distance(tw_mat3_mul_vec(a, v), tw_vec3_make(6, 12, 21)), 0.0);
    check_at_most(
        check_distance(tw_mat3_transpose_mul_vec(a, v), tw_mat3_mul_vec(tw_mat3_transpose(a), v)),
        0.0);
    check_at_most(fabs(tw_mat3_det(a) + 3.0), 0.0);
    check_at_most(fabs(tw_mat3_trace(a) - 16.0), 0.0);
    const tw_vec3 w = {4, 5, 6};
    check_at_most(check_distance(tw_mat3_mul_vec(tw_mat3_outer(w, v), v), tw_vec3_scale(14, w)),
                  0.0);
    check_at_most(check_distance(tw_mat3_mul_vec(tw_mat3_cross(w), v), tw_vec3_cross(w, v)), 0.0);
}

static void a_matrix_times_its_inverse_is_the_unit_matrix(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(11);
    for (int i = 0; i < 1000; i++) {
        const tw_mat3 a = check_matrix(&random);
        const double det = fabs(tw_mat3_det(a));
        if (det < 1e-3) continue;
        /* rounding of the cofactors, of order 1, is divided by the determinant */
        const tw_mat3 one = tw_mat3_mul(a, tw_mat3_inverse(a));
        check_at_most(check_mat3_distance(one, tw_mat3_identity()), 32 * DBL_EPSILON / det);
    }
}

static void a_rotation_keeps_its_axis_and_has_the_angle_of_its_vector(void **state)
{
    (void)state;
    static const double angles[] = {0,   1e-300, 1e-20, 1e-8,     3.1e-3,         3.2e-3,
                                    0.1, 1.5,    3.0,   CHECK_PI, CHECK_PI + 0.1, 50.0};
    tw_random random = tw_random_seed(12);
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++)
        for (int k = 0; k < 50; k++) {
            const double a = angles[i];
            const tw_vec3 axis = check_unit(&random);
            const tw_mat3 r = tw_mat3_from_rotation(tw_vec3_scale(a, axis));
            /* rounding; the last bit of a long vector is an angle of a * epsilon */
            const double tolerance = 8 * DBL_EPSILON * (1.0 + a);
            check_at_most(check_rotation_defect(r), tolerance);
            check_at_most(check_distance(tw_mat3_mul_vec(r, axis), axis), tolerance);
            tw_vec3 across = tw_vec3_cross(axis, check_unit(&random));
            across = tw_vec3_scale(1.0 / tw_vec3_norm(across), across);
            const tw_vec3 third = tw_vec3_cross(axis, across);
            const tw_vec3 turned = tw_vec3_add_scaled(tw_vec3_scale(cos(a), across), sin(a), third);
            check_at_most(check_distance(tw_mat3_mul_vec(r, across), turned), tolerance);
        }
}

static void small_rotations_are_accurate_to_rounding_of_the_angle(void **state)
{
    (void)state;
    /* the difference from the unit matrix, relative to the angle: a missing term of the series
     * would cause an error of 1e-5/6 or less */
    tw_random random = tw_random_seed(13);
    for (double a = 1e-12; a < 0.1; a *= 1.7) {
        const tw_vec3 axis = check_unit(&random);
        const tw_mat3 r = tw_mat3_from_rotation(tw_vec3_scale(a, axis));
        const tw_vec3 twice_sine = tw_vec3_make(r.m[7] - r.m[5], r.m[2] - r.m[6], r.m[3] - r.m[1]);
        /* differences of elements of order a^2 in the sum: a few epsilon of the larger term */
        check_at_most(check_distance(twice_sine, tw_vec3_scale(2.0 * sin(a), axis)),
                      8 * DBL_EPSILON * a);
        check_at_most(fabs(3.0 - tw_mat3_trace(r) - 4.0 * sin(0.5 * a) * sin(0.5 * a)),
                      8 * DBL_EPSILON);
    }
}

static void check_eigen(tw_mat3 a)
{
    double values[3];
    tw_mat3 v;
    tw_mat3_eigen_symmetric(a, values, &v);
    const double size = tw_mat3_max_abs(a);
    /* a dozen plane rotations, each rounding to epsilon */
    check_at_most(check_rotation_defect(v), 32 * DBL_EPSILON);
    assert_true(values[0] <= values[1] && values[1] <= values[2]);
    const tw_mat3 d = tw_mat3_diagonal(values[0], values[1], values[2]);
    const tw_mat3 built = tw_mat3_mul(tw_mat3_mul(v, d), tw_mat3_transpose(v));
    check_at_most(check_mat3_distance(a, built), 32 * DBL_EPSILON * size);
    /* the sign of an eigenvector is arbitrary */
    for (int k = 0; k < 2; k++) {
        const tw_vec3 e = tw_mat3_column(v, k);
        const double high = fmax(e.x, fmax(e.y, e.z)), low = fmin(e.x, fmin(e.y, e.z));
        assert_true(high >= -low);
    }
}

static void eigenvectors_and_values_reproduce_the_matrix(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(14);
    for (int i = 0; i < 2000; i++) {
        const tw_mat3 b = check_matrix(&random);
        const tw_mat3 a = tw_mat3_add(b, tw_mat3_transpose(b));
        check_eigen(a);
        check_eigen(tw_mat3_scale(1e-200, a));
        check_eigen(tw_mat3_scale(1e150, a));
        /* nearly diagonal */
        check_eigen(tw_mat3_add_scaled(tw_mat3_diagonal(3, 1, 2), 1e-12, a));
    }
}

static void eigenvectors_of_repeated_values_are_orthonormal(void **state)
{
    (void)state;
    check_eigen(tw_mat3_zero());
    check_eigen(tw_mat3_identity());
    check_eigen(tw_mat3_diagonal(2, 1, 2));
    tw_random random = tw_random_seed(15);
    for (int i = 0; i < 500; i++) {
        const tw_vec3 axis = check_unit(&random);
        tw_mat3 a = tw_mat3_add_scaled(tw_mat3_identity(), 2.0, tw_mat3_outer(axis, axis));
        check_eigen(a);
        double values[3];
        tw_mat3 v;
        tw_mat3_eigen_symmetric(a, values, &v);
        check_at_most(fabs(values[0] - 1.0) + fabs(values[1] - 1.0) + fabs(values[2] - 3.0),
                      32 * DBL_EPSILON);
        /* the eigenvector of the distinct value is the axis, up to its sign */
        check_at_most(1.0 - fabs(tw_vec3_dot(tw_mat3_column(v, 2), axis)), 32 * DBL_EPSILON);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_follow_from_rows_and_columns),
        cmocka_unit_test(a_matrix_times_its_inverse_is_the_unit_matrix),
        cmocka_unit_test(a_rotation_keeps_its_axis_and_has_the_angle_of_its_vector),
        cmocka_unit_test(small_rotations_are_accurate_to_rounding_of_the_angle),
        cmocka_unit_test(eigenvectors_and_values_reproduce_the_matrix),
        cmocka_unit_test(eigenvectors_of_repeated_values_are_orthonormal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
