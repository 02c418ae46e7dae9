/* SPDX-License-Identifier: BSD-3-Clause */
/* 3x3 matrices, as inline code that compiles as C11, C++17 and CUDA. */
#ifndef TW_BASE_MAT3_H
#define TW_BASE_MAT3_H

#include <stddef.h>

#include <twirl/types.h>

TW_INLINE tw_mat3 tw_mat3_diagonal(double a, double b, double c)
{
    const tw_mat3 r = {{a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c}};
    return r;
}

TW_INLINE tw_mat3 tw_mat3_zero(void)
{
    return tw_mat3_diagonal(0.0, 0.0, 0.0);
}

TW_INLINE tw_mat3 tw_mat3_identity(void)
{
    return tw_mat3_diagonal(1.0, 1.0, 1.0);
}

TW_INLINE tw_mat3 tw_mat3_from_rows(tw_vec3 a, tw_vec3 b, tw_vec3 c)
{
    const tw_mat3 r = {{a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z}};
    return r;
}

TW_INLINE tw_mat3 tw_mat3_from_columns(tw_vec3 a, tw_vec3 b, tw_vec3 c)
{
    const tw_mat3 r = {{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
    return r;
}

TW_INLINE tw_vec3 tw_mat3_row(tw_mat3 a, int row)
{
    const double *first = a.m + (ptrdiff_t)3 * row;
    return tw_vec3_make(first[0], first[1], first[2]);
}

TW_INLINE tw_vec3 tw_mat3_column(tw_mat3 a, int column)
{
    return tw_vec3_make(a.m[column], a.m[3 + column], a.m[6 + column]);
}

TW_INLINE tw_mat3 tw_mat3_add(tw_mat3 a, tw_mat3 b)
{
    for (int k = 0; k < 9; k++)
        a.m[k] += b.m[k];
    return a;
}

TW_INLINE tw_mat3 tw_mat3_sub(tw_mat3 a, tw_mat3 b)
{
    for (int k = 0; k < 9; k++)
        a.m[k] -= b.m[k];
    return a;
}

TW_INLINE tw_mat3 tw_mat3_scale(double s, tw_mat3 a)
{
    for (int k = 0; k < 9; k++)
        a.m[k] *= s;
    return a;
}

/* a + s b */
TW_INLINE tw_mat3 tw_mat3_add_scaled(tw_mat3 a, double s, tw_mat3 b)
{
    for (int k = 0; k < 9; k++)
        a.m[k] += s * b.m[k];
    return a;
}

TW_INLINE tw_mat3 tw_mat3_transpose(tw_mat3 a)
{
    return tw_mat3_from_rows(tw_mat3_column(a, 0), tw_mat3_column(a, 1), tw_mat3_column(a, 2));
}

TW_INLINE tw_vec3 tw_mat3_mul_vec(tw_mat3 a, tw_vec3 v)
{
    return tw_vec3_make(a.m[0] * v.x + a.m[1] * v.y + a.m[2] * v.z,
                        a.m[3] * v.x + a.m[4] * v.y + a.m[5] * v.z,
                        a.m[6] * v.x + a.m[7] * v.y + a.m[8] * v.z);
}

/* a^T v */
TW_INLINE tw_vec3 tw_mat3_transpose_mul_vec(tw_mat3 a, tw_vec3 v)
{
    return tw_vec3_make(a.m[0] * v.x + a.m[3] * v.y + a.m[6] * v.z,
                        a.m[1] * v.x + a.m[4] * v.y + a.m[7] * v.z,
                        a.m[2] * v.x + a.m[5] * v.y + a.m[8] * v.z);
}

/* Element k of a b. */
TW_INLINE double tw_mat3_mul_at(const tw_mat3 *a, const tw_mat3 *b, int k)
{
    const int row = k / 3, column = k % 3;
    const double *of = a->m + (ptrdiff_t)3 * row;
    return of[0] * b->m[column] + of[1] * b->m[3 + column] + of[2] * b->m[6 + column];
}

TW_INLINE tw_mat3 tw_mat3_mul(tw_mat3 a, tw_mat3 b)
{
    tw_mat3 r;
    for (int k = 0; k < 9; k++)
        r.m[k] = tw_mat3_mul_at(&a, &b, k);
    return r;
}

/* a b^T: element (i, j) is a_i b_j. */
TW_INLINE tw_mat3 tw_mat3_outer(tw_vec3 a, tw_vec3 b)
{
    return tw_mat3_from_rows(tw_vec3_scale(a.x, b), tw_vec3_scale(a.y, b), tw_vec3_scale(a.z, b));
}

TW_INLINE double tw_mat3_trace(tw_mat3 a)
{
    return a.m[0] + a.m[4] + a.m[8];
}

TW_INLINE double tw_mat3_det(tw_mat3 a)
{
    return tw_vec3_dot(tw_mat3_row(a, 0), tw_vec3_cross(tw_mat3_row(a, 1), tw_mat3_row(a, 2)));
}

/* Largest element by magnitude. */
TW_INLINE double tw_mat3_max_abs(tw_mat3 a)
{
    double big = 0.0;
    for (int k = 0; k < 9; k++)
        big = tw_math_max(big, fabs(a.m[k]));
    return big;
}

/* Element k of the inverse, given 1/det a: its columns are cross products of rows of a. */
TW_INLINE double tw_mat3_inverse_at(const tw_mat3 *a, double scale, int k)
{
    const int row = k / 3, column = k % 3, i = (row + 1) % 3, j = (row + 2) % 3;
    const double *u = a->m + (ptrdiff_t)3 * ((column + 1) % 3),
                 *v = a->m + (ptrdiff_t)3 * ((column + 2) % 3);
    return scale * (u[i] * v[j] - u[j] * v[i]);
}

/* Requires det != 0; otherwise the elements are not finite. */
TW_INLINE tw_mat3 tw_mat3_inverse(tw_mat3 a)
{
    const double scale = 1.0 / tw_mat3_det(a);
    tw_mat3 r;
    for (int k = 0; k < 9; k++)
        r.m[k] = tw_mat3_inverse_at(&a, scale, k);
    return r;
}

/* The matrix W with W v = w x v. */
TW_INLINE tw_mat3 tw_mat3_cross(tw_vec3 w)
{
    const tw_mat3 r = {{0.0, -w.z, w.y, w.z, 0.0, -w.x, -w.y, w.x, 0.0}};
    return r;
}

/* Rodrigues: I + (sin a / a) W + ((1 - cos a) / a^2) W^2 with a = |w|. Below a^2 = 1e-5 the series,
 * whose next terms are under 1e-18, saves the trigonometry for the small rotations of a step. */
TW_INLINE tw_mat3 tw_mat3_from_rotation(tw_vec3 w)
{
    const double a2 = tw_vec3_dot(w, w);
    double s = 1.0 - a2 * (1.0 / 6.0 - a2 / 120.0);
    double c = 0.5 - a2 * (1.0 / 24.0 - a2 / 720.0);
    if (a2 > 1e-5) {
        const double a = sqrt(a2), half = tw_math_sin(0.5 * a);
        s = tw_math_sin(a) / a;
        c = 2.0 * half * half / a2; /* 1 - cos a would cancel */
    }
    tw_mat3 r = tw_mat3_scale(s, tw_mat3_cross(w));
    r = tw_mat3_add_scaled(r, c, tw_mat3_outer(w, w));
    for (int k = 0; k < 9; k += 4)
        r.m[k] += 1.0 - c * a2;
    return r;
}

/* Eigenvalues (ascending) and eigenvectors (columns, right-handed) of the symmetric matrix `a`;
 * only its upper triangle is read. The component of largest magnitude of each of the first two
 * vectors is positive. */
void tw_mat3_eigen_symmetric(tw_mat3 a, double values[3], tw_mat3 *vectors);

#endif
