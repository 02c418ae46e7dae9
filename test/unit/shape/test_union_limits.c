/* SPDX-License-Identifier: BSD-3-Clause */
/* Unions of spheres that touch, coincide, or share points and circles, exactly or nearly. */
#include "union_check.h"

static void spheres_through_a_common_circle_leave_no_gap(void **state)
{
    (void)state;
    /* every pair meets in the same circle, so on each sphere the caps coincide: the worst case for
     * the handling of arcs; exact, disturbed in the last digits, and with slivers */
    static const double noise[] = {0.0, 1e-16, 1e-14, 1e-11, 1e-8};
    tw_random random = tw_random_seed(73);
    for (size_t n = 0; n < sizeof noise / sizeof *noise; n++)
        for (int i = 0; i < 100; i++) {
            tw_sphere chain[6];
            for (int k = 0; k < 6; k++) {
                const double x = -0.5 + 0.2 * k;
                chain[k] = sphere(x, 0, 0, sqrt(x * x + 0.25));
                chain[k].centre.x += noise[n] * check_between(&random, -1, 1);
                chain[k].radius += noise[n] * check_between(&random, -1, 1);
            }
            const tw_union u = measure(chain, 6), exact = revolve(chain, 6);
            check_same(&u, &exact, UNION_ROUNDING);
        }
}

static void the_moments_of_touching_spheres_add_up(void **state)
{
    (void)state;
    /* from a gap to an overlap of 1e-9, whose lens of 1e-18 is negligible */
    static const double overlaps[] = {-1e-9, -1e-15, 0.0, 1e-15, 1e-12, 1e-9};
    for (size_t i = 0; i < sizeof overlaps / sizeof *overlaps; i++) {
        const tw_sphere pair[2] = {sphere(0, 0, 0, 0.7), sphere(1.0 - overlaps[i], 0, 0, 0.3)};
        const tw_union u = measure(pair, 2), exact = revolve(pair, 2);
        check_same(&u, &exact, UNION_ROUNDING);
        const double v = 4.0 / 3.0 * CHECK_PI * (0.343 + 0.027);
        check_at_most(fabs(u.volume - v), UNION_ROUNDING * v);
    }
}

static void contained_and_duplicate_spheres_add_nothing(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(74);
    for (int i = 0; i < 200; i++) {
        tw_sphere s[10];
        random_cluster(&random, s, 4);
        const tw_union plain = measure(s, 4);
        for (int k = 0; k < 4; k++) { /* inside, touching from inside, and all of them again */
            const double share = k == 0 ? 1.0 : k == 1 ? 0.0 : tw_random_uniform(&random);
            const double r = share * s[k].radius;
            const tw_vec3 out = tw_vec3_scale(s[k].radius - r, check_unit(&random));
            s[4 + k].centre = tw_vec3_add(s[k].centre, out);
            s[4 + k].radius = k == 1 ? 1e-9 : r;
        }
        s[8] = s[2];
        s[9] = s[4];
        const tw_union more = measure(s, 10);
        /* a tiny sphere on the surface may add its volume of 1e-27 */
        check_same(&more, &plain, UNION_ROUNDING);
    }
}

static void nearly_duplicate_spheres_change_almost_nothing(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(75);
    for (double shift = 1e-16; shift < 1e-3; shift *= 7)
        for (int i = 0; i < 20; i++) {
            tw_sphere s[8];
            random_cluster(&random, s, 4);
            for (int k = 0; k < 4; k++) {
                s[4 + k] = s[k];
                s[4 + k].centre = tw_vec3_add_scaled(s[k].centre, shift, check_unit(&random));
            }
            const tw_union plain = measure(s, 4), twice = measure(s, 8);
            /* the surface moves by the shift: relative change of the moments 5 * shift / size */
            check_same(&twice, &plain, UNION_ROUNDING + 20 * shift);
            assert_true(twice.volume >= plain.volume * (1.0 - UNION_ROUNDING));
        }
}

/* Many spheres meet in each point of these arrangements, and many circles touch. */
static void regular_lattices_close_and_keep_their_symmetry(void **state)
{
    (void)state;
    const double radii[] = {0.5, sqrt(0.5), sqrt(0.75), 1.0, sqrt(2.0), 0.6};
    for (int i = 0; i < 6; i++)
        for (int turned = 0; turned < 2; turned++) {
            tw_sphere s[27];
            const tw_mat3 r = tw_mat3_from_rotation(tw_vec3_make(0.3 * turned, 0.7 * turned, 0.0));
            for (int k = 0; k < 27; k++) {
                s[k] = sphere(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1, radii[i]);
                s[k].centre = tw_mat3_mul_vec(r, s[k].centre);
            }
            const tw_union u = measure(s, 27);
            const double j = u.inertia.m[0];
            check_at_most(tw_vec3_norm(u.centre), UNION_ROUNDING);
            check_at_most(check_mat3_distance(u.inertia, tw_mat3_diagonal(j, j, j)),
                          UNION_ROUNDING * j);
            if (i == 0)
                check_at_most(fabs(u.volume - 27 * CHECK_PI / 6), UNION_ROUNDING * u.volume);
        }
}

/* Spheres on a coarse grid often coincide, touch and share points and circles; noise turns these
 * into near misses. Errors at such points would show in the closure of the surface, and in the
 * volume compared with the undisturbed cluster. */
static void degenerate_clusters_close_with_and_without_noise(void **state)
{
    (void)state;
    static const double noise[] = {1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-10, 1e-7};
    tw_random random = tw_random_seed(79);
    for (int i = 0; i < 1500; i++) {
        tw_sphere s[16];
        const int count = 2 + i % 15;
        for (int k = 0; k < count; k++) {
            double at[3];
            for (int j = 0; j < 3; j++)
                at[j] = 0.25 * (double)(tw_random_next(&random) % 5);
            const double radius = 0.25 * (double)(1 + tw_random_next(&random) % 3);
            s[k] = sphere(at[0], at[1], at[2], radius);
        }
        const tw_union exact = measure(s, (size_t)count);
        const double size = noise[i % 7];
        for (int k = 0; k < count; k++) {
            s[k].centre = tw_vec3_add(s[k].centre, check_vector(&random, -size, size));
            s[k].radius += size * check_between(&random, -1, 1);
        }
        const tw_union near = measure(s, (size_t)count);
        /* surface per volume is at most 3 / 0.25; more than twice that for second moments */
        check_same(&near, &exact, UNION_ROUNDING + 100 * size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_through_a_common_circle_leave_no_gap),
        cmocka_unit_test(the_moments_of_touching_spheres_add_up),
        cmocka_unit_test(contained_and_duplicate_spheres_add_nothing),
        cmocka_unit_test(nearly_duplicate_spheres_change_almost_nothing),
        cmocka_unit_test(regular_lattices_close_and_keep_their_symmetry),
        cmocka_unit_test(degenerate_clusters_close_with_and_without_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
