/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrals over a union of spheres against closed forms, laws of mechanics, and random points. */
#include "union_check.h"

static void one_sphere_has_the_textbook_moments(void **state)
{
    (void)state;
    static const double radii[] = {1e-30, 0.3, 1.0, 7e20};
    for (int i = 0; i < 4; i++) {
        const double r = radii[i];
        const tw_sphere s = sphere(3 * r, -2 * r, r, r);
        const tw_union u = measure(&s, 1);
        const double v = 4.0 / 3.0 * CHECK_PI * r * r * r, moment = 0.4 * v * r * r;
        check_at_most(fabs(u.volume / v - 1.0), 8 * DBL_EPSILON);
        check_at_most(check_distance(u.centre, s.centre), 8 * DBL_EPSILON * r);
        check_at_most(check_mat3_distance(u.inertia, tw_mat3_diagonal(moment, moment, moment)),
                      8 * DBL_EPSILON * moment);
    }
}

static void two_overlapping_spheres_agree_with_the_closed_form(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(71);
    for (int i = 0; i < 500; i++) {
        const double r = check_between(&random, 0.1, 1.0), s = check_between(&random, 0.1, 1.0);
        const double d = fabs(r - s) + (r + s - fabs(r - s)) * tw_random_uniform(&random);
        const tw_sphere pair[2] = {sphere(0, 0, 0, r), sphere(d, 0, 0, s)};
        const tw_union u = measure(pair, 2), exact = revolve(pair, 2);
        const double overlap = r + s - d;
        const double lens = CHECK_PI * overlap * overlap *
                            (d * d + 2 * d * (r + s) - 3 * (r - s) * (r - s)) / (12 * d);
        const double v = 4.0 / 3.0 * CHECK_PI * (r * r * r + s * s * s) - lens;
        check_at_most(fabs(u.volume - v), UNION_ROUNDING * v);
        check_same(&u, &exact, UNION_ROUNDING);
    }
}

static void chains_of_spheres_agree_with_solids_of_revolution(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(72);
    for (int i = 0; i < 300; i++) {
        tw_sphere chain[12];
        const int count = 1 + i % 12;
        for (int k = 0; k < count; k++) {
            const double x = check_between(&random, -2, 2);
            chain[k] = sphere(x, 0, 0, check_between(&random, 0.1, 1));
        }
        const tw_union u = measure(chain, (size_t)count), exact = revolve(chain, count);
        check_same(&u, &exact, UNION_ROUNDING);
    }
}

static void separate_parts_obey_the_parallel_axis_theorem(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(76);
    for (int i = 0; i < 100; i++) {
        tw_sphere s[12];
        tw_union part[3], sum = {0};
        for (int p = 0; p < 3; p++) {
            random_cluster(&random, s + 4 * p, 4);
            for (int k = 0; k < 4; k++)
                s[4 * p + k].centre =
                    tw_vec3_add(s[4 * p + k].centre, tw_vec3_make(3.0 * p, p * p - 1.0, -p));
            part[p] = measure(s + 4 * p, 4);
            sum.volume += part[p].volume;
            sum.centre = tw_vec3_add_scaled(sum.centre, part[p].volume, part[p].centre);
        }
        sum.centre = tw_vec3_scale(1.0 / sum.volume, sum.centre);
        for (int p = 0; p < 3; p++) {
            const tw_vec3 d = tw_vec3_sub(part[p].centre, sum.centre);
            const double dd = tw_vec3_dot(d, d), v = part[p].volume;
            sum.inertia = tw_mat3_add(sum.inertia, part[p].inertia);
            sum.inertia = tw_mat3_add_scaled(sum.inertia, v, tw_mat3_diagonal(dd, dd, dd));
            sum.inertia = tw_mat3_add_scaled(sum.inertia, -v, tw_mat3_outer(d, d));
        }
        const tw_union u = measure(s, 12);
        check_same(&u, &sum, UNION_ROUNDING);
    }
}

static void inertia_rotates_and_moves_with_the_cluster(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(77);
    for (int i = 0; i < 300; i++) {
        tw_sphere s[20], moved[20];
        const int count = 1 + i % 20;
        random_cluster(&random, s, count);
        const tw_mat3 r = tw_mat3_from_rotation(tw_vec3_scale(3.0, check_unit(&random)));
        const tw_vec3 shift = check_vector(&random, -1, 1);
        for (int k = 0; k < count; k++) { /* also in another order */
            moved[count - 1 - k].centre = tw_vec3_add(shift, tw_mat3_mul_vec(r, s[k].centre));
            moved[count - 1 - k].radius = s[k].radius;
        }
        tw_union u = measure(s, (size_t)count);
        const tw_union m = measure(moved, (size_t)count);
        u.centre = tw_vec3_add(shift, tw_mat3_mul_vec(r, u.centre));
        u.inertia = tw_mat3_mul(tw_mat3_mul(r, u.inertia), tw_mat3_transpose(r));
        check_same(&m, &u, 2 * UNION_ROUNDING);
    }
}

static void doubling_all_lengths_multiplies_exactly_by_8_and_32(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(78);
    tw_sphere s[9], twice[9];
    random_cluster(&random, s, 9);
    for (int k = 0; k < 9; k++) {
        twice[k].centre = tw_vec3_scale(2.0, s[k].centre);
        twice[k].radius = 2.0 * s[k].radius;
    }
    tw_union a = measure(s, 9);
    const tw_union b = measure(twice, 9);
    a.volume *= 8.0;
    a.centre = tw_vec3_scale(2.0, a.centre);
    a.inertia = tw_mat3_scale(32.0, a.inertia);
    check_same(&a, &b, 0.0);
}

static int within(const tw_sphere *s, int count, tw_vec3 p)
{
    for (int i = 0; i < count; i++) {
        const tw_vec3 d = tw_vec3_sub(p, s[i].centre);
        if (tw_vec3_dot(d, d) < s[i].radius * s[i].radius) return 1;
    }
    return 0;
}

static void random_clusters_agree_with_random_points(void **state)
{
    (void)state;
    enum { POINTS = 100000, MOMENTS = 10 };
    tw_random random = tw_random_seed(80);
    for (int i = 0; i < 12; i++) {
        tw_sphere s[12];
        const int count = 1 + i;
        random_cluster(&random, s, count);
        const double half = 1.2, box = 8 * half * half * half; /* centre 0.5 plus radius 0.7 */
        double sum[MOMENTS] = {0.0}, squares[MOMENTS] = {0.0};
        for (int k = 0; k < POINTS; k++) {
            const tw_vec3 p = check_vector(&random, -half, half);
            if (!within(s, count, p)) continue;
            const double m[MOMENTS] = {1,         p.x,       p.y,       p.z,       p.x * p.x,
                                       p.y * p.y, p.z * p.z, p.x * p.y, p.y * p.z, p.z * p.x};
            for (int j = 0; j < MOMENTS; j++) {
                sum[j] += m[j];
                squares[j] += m[j] * m[j];
            }
        }
        const tw_union u = measure(s, (size_t)count);
        const tw_vec3 c = u.centre;
        const double v = u.volume, spread = 0.5 * tw_mat3_trace(u.inertia);
        const double exact[MOMENTS] = {v,
                                       v * c.x,
                                       v * c.y,
                                       v * c.z,
                                       spread - u.inertia.m[0] + v * c.x * c.x,
                                       spread - u.inertia.m[4] + v * c.y * c.y,
                                       spread - u.inertia.m[8] + v * c.z * c.z,
                                       v * c.x * c.y - u.inertia.m[1],
                                       v * c.y * c.z - u.inertia.m[5],
                                       v * c.z * c.x - u.inertia.m[2]};
        for (int j = 0; j < MOMENTS; j++) {
            const double mean = sum[j] / POINTS, variance = squares[j] / POINTS - mean * mean;
            check_at_most(fabs(box * mean - exact[j]), 4.0 * box * sqrt(variance / POINTS));
        }
    }
}

static void the_hollow_in_a_shell_of_spheres_is_empty(void **state)
{
    (void)state;
    /* six spheres of radius 0.8 on the axes at 1 and eight at the corners of the cube enclose a
     * hollow about the origin; a ball of radius 0.2 inside touches none of them, so it adds its
     * whole volume */
    tw_sphere s[15];
    for (int k = 0; k < 6; k++)
        s[k] = sphere(k / 2 == 0 ? 1 - 2 * (k % 2) : 0, k / 2 == 1 ? 1 - 2 * (k % 2) : 0,
                      k / 2 == 2 ? 1 - 2 * (k % 2) : 0, 0.8);
    for (int k = 0; k < 8; k++)
        s[6 + k] = sphere(k & 1 ? 0.6 : -0.6, k & 2 ? 0.6 : -0.6, k & 4 ? 0.6 : -0.6, 0.8);
    s[14] = sphere(0, 0, 0, 0.2);
    const tw_union shell = measure(s, 14), filled = measure(s, 15);
    const double ball = 4.0 / 3.0 * CHECK_PI * 0.008;
    check_at_most(fabs(filled.volume - shell.volume - ball), UNION_ROUNDING * filled.volume);
    check_at_most(fabs(filled.inertia.m[0] - shell.inertia.m[0] - 0.4 * ball * 0.04),
                  UNION_ROUNDING * filled.inertia.m[0]);
}

static void wrong_spheres_are_named(void **state)
{
    (void)state;
    tw_sphere s[2] = {{{0, 0, 0}, 1}, {{0, 0, 0}, 0}};
    const double wrong[] = {0.0, -1.0, (double)NAN, (double)INFINITY};
    tw_union u;
    tw_error error;
    for (int i = 0; i < 4; i++) {
        s[1].radius = wrong[i];
        assert_int_equal(tw_union_measure(s, 2, &u, &error), TW_STATUS_INPUT);
        assert_non_null(strstr(error.text, "sphere 2"));
    }
    s[1] = sphere(0, (double)NAN, 0, 1);
    assert_int_equal(tw_union_measure(s, 2, &u, &error), TW_STATUS_INPUT);
    assert_int_equal(tw_union_measure(s, 0, &u, &error), TW_STATUS_INPUT);
    assert_int_equal(tw_union_measure(s, 0, &u, NULL), TW_STATUS_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_sphere_has_the_textbook_moments),
        cmocka_unit_test(two_overlapping_spheres_agree_with_the_closed_form),
        cmocka_unit_test(chains_of_spheres_agree_with_solids_of_revolution),
        cmocka_unit_test(separate_parts_obey_the_parallel_axis_theorem),
        cmocka_unit_test(inertia_rotates_and_moves_with_the_cluster),
        cmocka_unit_test(doubling_all_lengths_multiplies_exactly_by_8_and_32),
        cmocka_unit_test(random_clusters_agree_with_random_points),
        cmocka_unit_test(the_hollow_in_a_shell_of_spheres_is_empty),
        cmocka_unit_test(wrong_spheres_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
