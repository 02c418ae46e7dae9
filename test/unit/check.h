/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the unit tests: cmocka with its prerequisites, bounds that print both numbers, and
 * random vectors and rotations. */
#ifndef TWIRL_TEST_UNIT_CHECK_H
#define TWIRL_TEST_UNIT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mat3.h"
#include "base/random.h"

#define CHECK_PI 3.14159265358979323846

/* Fails unless value <= bound; a NaN fails. */
#define check_at_most(value, bound) check_bound((value), (bound), #value, __FILE__, __LINE__)

static inline void check_bound(double value, double bound, const char *text, const char *file,
                               int line)
{
    if (value <= bound) return;
    print_error("%s = %.17g exceeds %.17g\n", text, value, bound);
    _fail(file, line);
}

/* The larger of the two. Unlike fmax, it returns NaN if either is NaN. */
static inline double check_most(double a, double b)
{
    return isnan(a) || b <= a ? a : b;
}

static inline double check_between(tw_random *random, double low, double high)
{
    return low + (high - low) * tw_random_uniform(random);
}

static inline tw_vec3 check_vector(tw_random *random, double low, double high)
{
    const double x = check_between(random, low, high), y = check_between(random, low, high);
    return tw_vec3_make(x, y, check_between(random, low, high));
}

static inline tw_vec3 check_unit(tw_random *random)
{
    for (;;) {
        const tw_vec3 v = check_vector(random, -1.0, 1.0);
        const double length = tw_vec3_norm(v);
        if (length > 0.1 && length <= 1.0) return tw_vec3_scale(1.0 / length, v);
    }
}

static inline tw_mat3 check_matrix(tw_random *random)
{
    tw_mat3 a;
    for (int k = 0; k < 9; k++)
        a.m[k] = check_between(random, -1.0, 1.0);
    return a;
}

static inline double check_distance(tw_vec3 a, tw_vec3 b)
{
    return tw_vec3_norm(tw_vec3_sub(a, b));
}

static inline double check_mat3_distance(tw_mat3 a, tw_mat3 b)
{
    double most = 0.0;
    for (int k = 0; k < 9; k++)
        most = check_most(most, fabs(a.m[k] - b.m[k]));
    return most;
}

/* Deviation of the columns from a right-handed orthonormal frame. */
static inline double check_rotation_defect(tw_mat3 r)
{
    const double skew =
        check_mat3_distance(tw_mat3_mul(r, tw_mat3_transpose(r)), tw_mat3_identity());
    return check_most(skew, fabs(tw_mat3_det(r) - 1.0));
}

#endif
