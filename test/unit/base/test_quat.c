/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include "base/quat.h"

/* Rounding of a few operations on numbers up to 1. */
static const double rounding = 16 * DBL_EPSILON;

/* Below, at and above the switch from series to trigonometry (|v|^2 = 1e-5), and close to pi. */
static const double angles[] = {
    1e-300,          1e-160,          1e-20,           1e-8, 3.162e-3, 3.163e-3, 0.1, 1.0, 3.0,
    CHECK_PI - 1e-4, CHECK_PI - 1e-8, CHECK_PI - 1e-12};
enum { ANGLES = sizeof angles / sizeof *angles };

static tw_quat random_quat(tw_random *random)
{
    for (;;) {
        const tw_vec3 v = check_vector(random, -1.0, 1.0);
        const tw_quat q = tw_quat_make(check_between(random, -1.0, 1.0), v.x, v.y, v.z);
        if (tw_vec3_norm(v) > 0.1) return tw_quat_normalise(q);
    }
}

/* Distance between rotations: q and -q are the same. */
static double quat_distance(tw_quat a, tw_quat b)
{
    const double s = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0.0 ? -1.0 : 1.0;
    return check_most(check_most(fabs(a.w - s * b.w), fabs(a.x - s * b.x)),
                      check_most(fabs(a.y - s * b.y), fabs(a.z - s * b.z)));
}

static void a_quaternion_and_its_matrix_rotate_alike(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(21);
    for (int i = 0; i < 1000; i++) {
        const tw_quat a = random_quat(&random), b = random_quat(&random);
        const tw_mat3 ma = tw_quat_matrix(a), mb = tw_quat_matrix(b);
        const tw_vec3 v = check_unit(&random);
        check_at_most(check_rotation_defect(ma), rounding);
        check_at_most(check_distance(tw_quat_rotate(a, v), tw_mat3_mul_vec(ma, v)), rounding);
        check_at_most(check_distance(tw_quat_rotate_back(a, v), tw_mat3_transpose_mul_vec(ma, v)),
                      rounding);
        check_at_most(check_mat3_distance(tw_quat_matrix(tw_quat_mul(a, b)), tw_mat3_mul(ma, mb)),
                      rounding);
        check_at_most(quat_distance(tw_quat_mul(a, tw_quat_conj(a)), tw_quat_identity()), rounding);
    }
}

static void a_quaternion_is_recovered_from_its_matrix(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(22);
    for (int i = 0; i < 1000; i++) {
        const tw_quat q = random_quat(&random);
        const tw_quat back = tw_quat_from_matrix(tw_quat_matrix(q));
        check_at_most(quat_distance(q, back), rounding);
        assert_true(back.w >= 0.0);
    }
    /* half turns: the scalar part is 0, and each axis once has the largest component */
    for (int i = 0; i < 300; i++) {
        const tw_vec3 u = check_unit(&random);
        const tw_quat q = tw_quat_make(0.0, u.x, u.y, u.z);
        check_at_most(quat_distance(q, tw_quat_from_matrix(tw_quat_matrix(q))), rounding);
    }
}

static void a_rotation_vector_is_recovered_from_its_quaternion(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(23);
    for (int i = 0; i < ANGLES; i++)
        for (int k = 0; k < 50; k++) {
            const tw_vec3 v = tw_vec3_scale(angles[i], check_unit(&random));
            const tw_quat q = tw_quat_from_rotation(v);
            /* relative to the angle, even for the smallest: rounding of sine and arc tangent */
            check_at_most(check_distance(tw_quat_rotation(q), v), rounding * angles[i]);
            const tw_quat minus = tw_quat_make(-q.w, -q.x, -q.y, -q.z);
            check_at_most(check_distance(tw_quat_rotation(minus), v), rounding * angles[i]);
            check_at_most(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0), rounding);
        }
    check_at_most(tw_vec3_norm(tw_quat_rotation(tw_quat_identity())), 0.0);
}

static void vector_quaternion_and_matrix_describe_the_same_rotation(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(24);
    for (int i = 0; i < ANGLES; i++)
        for (int k = 0; k < 50; k++) {
            const tw_vec3 v = tw_vec3_scale(angles[i], check_unit(&random));
            const tw_mat3 r = tw_mat3_from_rotation(v);
            check_at_most(check_mat3_distance(r, tw_quat_matrix(tw_quat_from_rotation(v))),
                          rounding);
            /* near pi the axis may be reversed, which is the same rotation: compare matrices */
            const tw_vec3 back = tw_quat_rotation(tw_quat_from_matrix(r));
            check_at_most(check_mat3_distance(r, tw_mat3_from_rotation(back)), rounding);
        }
}

static void more_than_half_a_turn_becomes_less_the_other_way(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(25);
    for (int i = 0; i < 200; i++) {
        const double angle = check_between(&random, CHECK_PI + 1e-6, 2.0 * CHECK_PI - 1e-6);
        const tw_vec3 axis = check_unit(&random);
        const tw_vec3 back = tw_quat_rotation(tw_quat_from_rotation(tw_vec3_scale(angle, axis)));
        check_at_most(check_distance(back, tw_vec3_scale(angle - 2.0 * CHECK_PI, axis)), rounding);
    }
}

static void many_small_rotations_add_up_to_one_large_rotation(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(26);
    const tw_vec3 axis = check_unit(&random);
    const int steps = 100000;
    tw_quat q = tw_quat_identity();
    const tw_quat step = tw_quat_from_rotation(tw_vec3_scale(1.0 / steps, axis));
    for (int i = 0; i < steps; i++)
        q = tw_quat_normalise(tw_quat_mul(step, q));
    /* the rounding errors of the steps are independent; in the worst case they add up to steps *
     * epsilon */
    check_at_most(check_distance(tw_quat_rotation(q), axis), 0.1 * steps * DBL_EPSILON);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quaternion_and_its_matrix_rotate_alike),
        cmocka_unit_test(a_quaternion_is_recovered_from_its_matrix),
        cmocka_unit_test(a_rotation_vector_is_recovered_from_its_quaternion),
        cmocka_unit_test(vector_quaternion_and_matrix_describe_the_same_rotation),
        cmocka_unit_test(more_than_half_a_turn_becomes_less_the_other_way),
        cmocka_unit_test(many_small_rotations_add_up_to_one_large_rotation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
