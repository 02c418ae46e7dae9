/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include "shape/shape.h"

static const double rounding = 1e-13; /* as for the union */

static tw_shape make(const tw_sphere *spheres, size_t count)
{
    tw_shape shape;
    tw_error error;
    assert_int_equal(tw_shape_make(&shape, spheres, count, &error), TW_STATUS_OK);
    return shape;
}

static tw_shape make_bumpy(int satellites, double satellite, double central, double distance)
{
    const tw_shape_bumpy bumpy = {satellites, satellite, central, distance};
    tw_shape shape;
    tw_error error;
    assert_int_equal(tw_shape_make_bumpy(&shape, &bumpy, &error), TW_STATUS_OK);
    return shape;
}

/* Checks that axes and positions are kept. */
static void check_untouched(const tw_shape *shape)
{
    const tw_mat3 one = tw_mat3_identity();
    assert_memory_equal(shape->axes.m, one.m, sizeof one.m);
    check_at_most(tw_vec3_norm(shape->centre), 0.0);
}

static void the_unit_sphere_is_isotropic(void **state)
{
    (void)state;
    tw_shape shape;
    assert_int_equal(tw_shape_make_sphere(&shape, NULL), TW_STATUS_OK);
    const double v = 4.0 / 3.0 * CHECK_PI;
    assert_int_equal(shape.count, 1);
    check_untouched(&shape);
    check_at_most(fabs(shape.volume - v), 8 * DBL_EPSILON * v);
    check_at_most(fabs(shape.moments.x - 0.4 * v), 8 * DBL_EPSILON * v);
    check_at_most(fabs(shape.moments.x - shape.moments.y), 0.0);
    check_at_most(fabs(shape.moments.x - shape.moments.z), 0.0);
    check_at_most(fabs(shape.radius - 1.0), 0.0);
    tw_shape_free(&shape);
    assert_null(shape.spheres);
}

/* Length of the line through (x, y) along z within the spheres, as a union of intervals. */
static double column_length(const tw_sphere *s, size_t count, double x, double y)
{
    double low[16], high[16], length = 0.0, end = -1e9;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const double dx = x - s[i].centre.x, dy = y - s[i].centre.y;
        const double q = s[i].radius * s[i].radius - dx * dx - dy * dy;
        if (q <= 0.0) continue;
        size_t k = n++;
        const double bottom = s[i].centre.z - sqrt(q);
        for (; k > 0 && low[k - 1] > bottom; k--) {
            low[k] = low[k - 1];
            high[k] = high[k - 1];
        }
        low[k] = bottom;
        high[k] = s[i].centre.z + sqrt(q);
    }
    for (size_t k = 0; k < n; k++) {
        length += fmax(0.0, high[k] - fmax(low[k], end));
        end = fmax(end, high[k]);
    }
    return length;
}

static void the_volume_of_the_octahedral_bumpy_agrees_with_integration_over_columns(void **state)
{
    (void)state;
    tw_shape shape = make_bumpy(6, 0.6, 0.8, 0.64);
    enum { N = 2000 };
    const double half = 1.25, step = 2.0 * half / N;
    double counted = 0.0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            counted += column_length(shape.spheres, shape.count, -half + (i + 0.5) * step,
                                     -half + (k + 0.5) * step);
    counted *= step * step;
    /* the error of a column is at most step^1.5 at the outline of the grain, where the length grows
     * as a square root; the outline is no longer than 2 pi 1.24; elsewhere the rule is of second
     * order */
    check_at_most(fabs(shape.volume - counted), 2.0 * CHECK_PI * 1.24 * pow(step, 1.5));
    check_at_most(fabs(shape.volume - 4.61663), 1e-5);
    tw_shape_free(&shape);
}

static void bumpy_grains_keep_their_axes_and_symmetry(void **state)
{
    (void)state;
    static const int satellites[] = {2, 3, 4, 6, 8};
    for (int i = 0; i < 5; i++) {
        tw_shape shape = make_bumpy(satellites[i], 0.6, 0.8, 0.64);
        assert_int_equal(shape.count, satellites[i] + 1);
        check_untouched(&shape);
        check_at_most(fabs(shape.radius - 1.24), 4 * DBL_EPSILON);
        const tw_vec3 m = shape.moments;
        check_at_most(fabs((satellites[i] == 3 ? m.x : m.z) - m.y), 0.0);
        if (satellites[i] > 3)
            check_at_most(fabs(m.x - m.y), 0.0);
        else if (satellites[i] == 3)
            assert_true(m.z > 1.01 * m.x); /* a flat body has its largest moment about its normal */
        else
            assert_true(m.x < 0.99 * m.y); /* a long one has its smallest moment about its length */
        for (int k = 1; k <= satellites[i]; k++) {
            check_at_most(fabs(tw_vec3_norm(shape.spheres[k].centre) - 0.64), 4 * DBL_EPSILON);
            check_at_most(fabs(shape.spheres[k].radius - 0.6), 0.0);
        }
        tw_shape_free(&shape);
    }
}

static void satellites_are_as_far_apart_as_possible(void **state)
{
    (void)state;
    /* cosine of the angle between nearest directions: line, triangle, tetrahedron, octahedron, cube
     */
    static const int satellites[] = {2, 3, 4, 6, 8};
    static const double cosine[] = {-1.0, -0.5, -1.0 / 3.0, 0.0, 1.0 / 3.0};
    for (int i = 0; i < 5; i++) {
        tw_shape shape = make_bumpy(satellites[i], 0.1, 0.5, 1.0);
        tw_vec3 sum = {0, 0, 0};
        for (int k = 1; k <= satellites[i]; k++) {
            double nearest = -1.0;
            for (int j = 1; j <= satellites[i]; j++)
                if (j != k)
                    nearest = fmax(nearest,
                                   tw_vec3_dot(shape.spheres[j].centre, shape.spheres[k].centre));
            check_at_most(fabs(nearest - cosine[i]), 8 * DBL_EPSILON);
            sum = tw_vec3_add(sum, shape.spheres[k].centre);
        }
        check_at_most(tw_vec3_norm(sum), 8 * DBL_EPSILON);
        tw_shape_free(&shape);
    }
}

static void any_cluster_is_rotated_to_its_principal_axes(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(91);
    for (int i = 0; i < 200; i++) {
        tw_sphere given[8];
        const size_t count = 2 + (size_t)i % 7;
        for (size_t k = 0; k < count; k++) {
            given[k].centre = check_vector(&random, 0, 2);
            given[k].radius = check_between(&random, 0.3, 0.8);
        }
        tw_shape shape = make(given, count);
        tw_union u;
        assert_int_equal(tw_union_measure(shape.spheres, count, &u, NULL), TW_STATUS_OK);
        const tw_vec3 m = shape.moments;
        check_at_most(tw_vec3_norm(u.centre), rounding);
        check_at_most(fabs(u.volume - shape.volume), rounding * shape.volume);
        /* the measured tensor is diagonal to rounding */
        check_at_most(check_mat3_distance(u.inertia, tw_mat3_diagonal(m.x, m.y, m.z)),
                      4 * rounding * m.z);
        assert_true(m.x <= m.y && m.y <= m.z && m.x > 0.0);
        check_at_most(check_rotation_defect(shape.axes), rounding);
        double reach = 0.0;
        for (size_t k = 0; k < count; k++) {
            const tw_vec3 c =
                tw_mat3_mul_vec(shape.axes, tw_vec3_sub(given[k].centre, shape.centre));
            check_at_most(check_distance(c, shape.spheres[k].centre), rounding);
            reach = fmax(reach, tw_vec3_norm(c) + given[k].radius);
        }
        check_at_most(fabs(reach - shape.radius), rounding);
        tw_shape_free(&shape);
    }
}

static void principal_axes_are_kept_in_any_order(void **state)
{
    (void)state;
    /* long in z, then in x: the moments descend, and the axes are still kept */
    const tw_sphere cross[5] = {{{0, 0, 0}, 0.5},
                                {{0, 0, 1}, 0.4},
                                {{0, 0, -1}, 0.4},
                                {{0.6, 0, 0}, 0.3},
                                {{-0.6, 0, 0}, 0.3}};
    tw_shape shape = make(cross, 5);
    check_untouched(&shape);
    assert_true(shape.moments.y > shape.moments.x && shape.moments.x > shape.moments.z);
    tw_shape_free(&shape);
}

static void an_isotropic_shape_is_never_rotated(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(92);
    tw_shape straight = make_bumpy(6, 0.6, 0.8, 0.64);
    for (int i = 0; i < 50; i++) {
        const tw_mat3 r = tw_mat3_from_rotation(tw_vec3_scale(2.0, check_unit(&random)));
        tw_sphere turned[7];
        for (int k = 0; k < 7; k++) {
            turned[k].centre = tw_mat3_mul_vec(r, straight.spheres[k].centre);
            turned[k].radius = straight.spheres[k].radius;
        }
        tw_shape shape = make(turned, 7);
        check_untouched(&shape);
        check_at_most(fabs(shape.moments.x - shape.moments.y), 0.0);
        check_at_most(fabs(shape.moments.x - straight.moments.x), rounding);
        tw_shape_free(&shape);
    }
    tw_shape_free(&straight);
}

static void volume_scales_with_size_cubed_and_inertia_with_the_fifth_power(void **state)
{
    (void)state;
    const double size = 3.7e-4;
    tw_shape shape = make_bumpy(3, 0.5, 0.7, 0.9);
    tw_shape small = make_bumpy(3, 0.5 * size, 0.7 * size, 0.9 * size);
    const tw_vec3 scaled = tw_shape_moments(&shape, size);
    check_at_most(fabs(small.volume - tw_shape_volume(&shape, size)), rounding * small.volume);
    check_at_most(check_distance(small.moments, scaled), rounding * scaled.z);
    tw_shape_free(&shape);
    tw_shape_free(&small);
}

static void wrong_shapes_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const int wrong[] = {-1, 0, 1, 5, 7, 9, 100};
    tw_shape shape;
    tw_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const tw_shape_bumpy bumpy = {wrong[i], 0.6, 0.8, 0.64};
        assert_int_equal(tw_shape_make_bumpy(&shape, &bumpy, &error), TW_STATUS_INPUT);
        assert_non_null(strstr(error.text, "2, 3, 4, 6 or 8"));
        tw_shape_free(&shape);
    }
    const tw_shape_bumpy negative = {6, -0.6, 0.8, 0.64};
    assert_int_equal(tw_shape_make_bumpy(&shape, &negative, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "sphere 2"));
    /* 1e-90 to the fifth power is below the range of double */
    const tw_sphere dust = {{0, 0, 0}, 1e-90};
    assert_int_equal(tw_shape_make(&shape, &dust, 1, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "order 1"));
    tw_shape_free(&shape);
    assert_int_equal(tw_shape_make(&shape, &dust, 0, &error), TW_STATUS_INPUT);
    tw_shape_free(&shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_unit_sphere_is_isotropic),
        cmocka_unit_test(the_volume_of_the_octahedral_bumpy_agrees_with_integration_over_columns),
        cmocka_unit_test(bumpy_grains_keep_their_axes_and_symmetry),
        cmocka_unit_test(satellites_are_as_far_apart_as_possible),
        cmocka_unit_test(any_cluster_is_rotated_to_its_principal_axes),
        cmocka_unit_test(principal_axes_are_kept_in_any_order),
        cmocka_unit_test(an_isotropic_shape_is_never_rotated),
        cmocka_unit_test(volume_scales_with_size_cubed_and_inertia_with_the_fifth_power),
        cmocka_unit_test(wrong_shapes_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
