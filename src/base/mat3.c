/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/mat3.h"

/* Jacobi rotation of rows and columns p and q of `a` that makes a_pq zero; applied to the columns
 * of `v` as well. */
static void mat3_jacobi_rotate(double a[3][3], double v[3][3], int p, int q)
{
    if (a[p][q] == 0.0) return;
    const int r = 3 - p - q;
    const double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    /* the smaller root: a rotation of at most 45 degrees, for which the sweeps converge; hypot
     * because theta may be huge */
    const double t = copysign(1.0, theta) / (fabs(theta) + tw_math_hypot(theta, 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0.0;
    const double arp = a[r][p], arq = a[r][q];
    a[r][p] = a[p][r] = c * arp - s * arq;
    a[r][q] = a[q][r] = s * arp + c * arq;
    for (int k = 0; k < 3; k++) {
        const double vp = v[k][p], vq = v[k][q];
        v[k][p] = c * vp - s * vq;
        v[k][q] = s * vp + c * vq;
    }
}

static tw_vec3 mat3_positive(tw_vec3 v)
{
    const double big = tw_vec3_max_abs(v);
    const double first = fabs(v.x) == big ? v.x : fabs(v.y) == big ? v.y : v.z;
    return first < 0.0 ? tw_vec3_scale(-1.0, v) : v;
}

void tw_mat3_eigen_symmetric(tw_mat3 a, double values[3], tw_mat3 *vectors)
{
    double d[3][3] = {{a.m[0], a.m[1], a.m[2]}, {a.m[1], a.m[4], a.m[5]}, {a.m[2], a.m[5], a.m[8]}};
    double v[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    /* Convergence is quadratic: five or six sweeps are enough. The bound is for NaN. */
    for (int sweep = 0; sweep < 32; sweep++) {
        const double off = fabs(d[0][1]) + fabs(d[0][2]) + fabs(d[1][2]);
        const double diagonal = fabs(d[0][0]) + fabs(d[1][1]) + fabs(d[2][2]);
        if (off <= 1e-3 * DBL_EPSILON * diagonal) break;
        mat3_jacobi_rotate(d, v, 0, 1);
        mat3_jacobi_rotate(d, v, 0, 2);
        mat3_jacobi_rotate(d, v, 1, 2);
    }
    int order[3] = {0, 1, 2};
    for (int i = 1; i < 3; i++)
        for (int k = i; k > 0 && d[order[k]][order[k]] < d[order[k - 1]][order[k - 1]]; k--) {
            const int swap = order[k];
            order[k] = order[k - 1];
            order[k - 1] = swap;
        }
    tw_vec3 e[3];
    for (int i = 0; i < 3; i++) {
        const int k = order[i];
        values[i] = d[k][k];
        e[i] = mat3_positive(tw_vec3_make(v[0][k], v[1][k], v[2][k]));
    }
    *vectors = tw_mat3_from_columns(e[0], e[1], tw_vec3_cross(e[0], e[1]));
}
