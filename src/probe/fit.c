/* SPDX-License-Identifier: BSD-3-Clause */
#include "probe/fit.h"

#include <math.h>
#include <string.h>
#include <twirl/math.h>

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

static double length(int n, const double *a)
{
    return sqrt(dot(n, a, a));
}

/* ---- Linear equations ---- */

static void swap_rows(int columns, double *a, double *b)
{
    for (int k = 0; k < columns; k++) {
        const double keep = a[k];
        a[k] = b[k];
        b[k] = keep;
    }
}

/* Gauss-Jordan elimination with row pivots; singular if a pivot is below 1e-12 of the largest
 * element. */
static bool eliminate(int n, double a[TW_FIT_MAX][TW_FIT_MAX + 1])
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            most = tw_math_max(most, fabs(a[i][k]));
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int i = c + 1; i < n; i++)
            if (fabs(a[i][c]) > fabs(a[best][c])) best = i;
        if (!(fabs(a[best][c]) > 1e-12 * most)) return false;
        swap_rows(n + 1, a[c], a[best]);
        for (int i = 0; i < n; i++) {
            const double factor = i == c ? 0.0 : a[i][c] / a[c][c];
            for (int k = c; k <= n; k++)
                a[i][k] -= factor * a[c][k];
        }
    }
    for (int i = 0; i < n; i++)
        a[i][n] /= a[i][i];
    return true;
}

bool tw_fit_solve(int size, const double *matrix, const double *y, double *x)
{
    double a[TW_FIT_MAX][TW_FIT_MAX + 1];
    for (int i = 0; i < size; i++) {
        memcpy(a[i], matrix + i * size, (size_t)size * sizeof *matrix);
        a[i][size] = y[i];
    }
    if (!eliminate(size, a)) return false;
    for (int i = 0; i < size; i++)
        x[i] = a[i][size];
    return true;
}

bool tw_fit_matrix(int size, size_t count, const double *x, const double *y,
                   double matrix[TW_FIT_MAX * TW_FIT_MAX], double *rms)
{
    const size_t n = (size_t)size;
    double square[TW_FIT_MAX * TW_FIT_MAX] = {0.0}; /* sum of x x^T: symmetric */
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < n * n; i++)
            square[i] += x[p * n + i / n] * x[p * n + i % n];
    for (size_t row = 0; row < n; row++) {
        double right[TW_FIT_MAX] = {0.0};
        for (size_t p = 0; p < count; p++)
            for (size_t k = 0; k < n; k++)
                right[k] += y[p * n + row] * x[p * n + k];
        if (!tw_fit_solve(size, square, right, matrix + row * n)) return false;
    }
    double all = 0.0, left = 0.0;
    for (size_t i = 0; i < count * n; i++) {
        const double off = y[i] - dot(size, matrix + i % n * n, x + i / n * n);
        all += y[i] * y[i];
        left += off * off;
    }
    *rms = all > 0.0 ? sqrt(left / all) : 0.0;
    if (count <= n) *rms = nan("");
    return true;
}

/* ---- Circles ---- */

/* Direction of the stress increment; returns the distance of the point along it. */
static double ray_of(int n, const tw_fit_point *point, double unit[TW_DIRECTIONS_MAX])
{
    const double size = length(n, point->stress);
    for (int k = 0; k < n; k++)
        unit[k] = size > 0.0 ? point->stress[k] / size : 0.0;
    return size > 0.0 ? length(n, point->plastic) / size : 0.0;
}

/* Whether a point is on the side of the circle; all are if `half` is NULL. */
static bool belongs(int n, const tw_fit_point *point, const double *half, double sign)
{
    return !half || sign * dot(n, point->stress, half) > 0.0;
}

/* Least-squares fit of r = a . unit to the points on one side of `half`. */
static bool fit_ray(int n, const tw_fit_point *points, size_t count, const double *half,
                    double sign, double a[TW_DIRECTIONS_MAX])
{
    double square[TW_DIRECTIONS_MAX * TW_DIRECTIONS_MAX] = {0.0}, right[TW_DIRECTIONS_MAX] = {0.0};
    for (size_t p = 0; p < count; p++) {
        double unit[TW_DIRECTIONS_MAX];
        const double r = ray_of(n, &points[p], unit);
        if (!belongs(n, &points[p], half, sign)) continue;
        for (int i = 0; i < n; i++) {
            right[i] += r * unit[i];
            for (int k = 0; k < n; k++)
                square[i * n + k] += unit[i] * unit[k];
        }
    }
    return tw_fit_solve(n, square, right, a);
}

static tw_fit_circle circle_of(int n, const tw_fit_point *points, size_t count, const double *half,
                               double sign, const double a[TW_DIRECTIONS_MAX])
{
    tw_fit_circle circle = {.diameter = length(n, a)};
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        circle.direction[k] = circle.diameter > 0.0 ? a[k] / circle.diameter : 0.0;
    for (size_t p = 0; p < count; p++) {
        double unit[TW_DIRECTIONS_MAX];
        const double r = ray_of(n, &points[p], unit);
        if (!belongs(n, &points[p], half, sign)) continue;
        const double off = r - dot(n, a, unit);
        circle.count++;
        sum += off * off;
    }
    if (circle.count > 0 && circle.diameter > 0.0)
        circle.rms = sqrt(sum / (double)circle.count) / circle.diameter;
    if (circle.count <= (size_t)n) circle.rms = nan("");
    return circle;
}

/* Mean flow direction, each probe weighted by its distance on the fitted circle. */
static void find_flow(int n, const tw_fit_point *points, size_t count, const double *half,
                      tw_fit_mechanism *out)
{
    double flow[TW_DIRECTIONS_MAX] = {0.0}, weights = 0.0, sum = 0.0;
    for (size_t p = 0; p < count; p++) {
        double unit[TW_DIRECTIONS_MAX];
        ray_of(n, &points[p], unit);
        const double weight = dot(n, out->loading.direction, unit);
        if (!belongs(n, &points[p], half, 1.0)) continue;
        for (int k = 0; k < n; k++)
            flow[k] += weight * points[p].plastic[k] / length(n, points[p].stress);
    }
    const double size = length(n, flow);
    for (int k = 0; k < n; k++)
        out->flow[k] = size > 0.0 ? flow[k] / size : 0.0;
    for (size_t p = 0; p < count; p++) {
        const double r = length(n, points[p].plastic) / length(n, points[p].stress);
        if (!belongs(n, &points[p], half, 1.0) || !(r > 0.0)) continue;
        const double cosine = dot(n, out->flow, points[p].plastic) / length(n, points[p].plastic);
        const double angle = tw_math_acos(tw_math_max(-1.0, tw_math_min(1.0, cosine)));
        weights += r * r;
        sum += r * r * angle * angle;
    }
    out->flow_rms = weights > 0.0 ? sqrt(sum / weights) : 0.0;
}

bool tw_fit_mechanism_find(int dimensions, const tw_fit_point *points, size_t count,
                           tw_fit_mechanism *out)
{
    const int n = dimensions;
    double a[TW_DIRECTIONS_MAX] = {0.0}, half[TW_DIRECTIONS_MAX], other[TW_DIRECTIONS_MAX] = {0.0};
    memset(out, 0, sizeof *out);
    /* The fit to all points finds the side of the larger circle. Then fits to the points on that
     * side alone, until the side does not change; it can take as many values as there are points.
     */
    if (!fit_ray(n, points, count, NULL, 1.0, a)) return false;
    for (size_t again = 0; again <= count; again++) {
        memcpy(half, a, sizeof half);
        if (!(length(n, half) > 0.0) || !fit_ray(n, points, count, half, 1.0, a)) return false;
        if (memcmp(half, a, (size_t)n * sizeof *a) == 0) break;
    }
    out->loading = circle_of(n, points, count, half, 1.0, a);
    if (fit_ray(n, points, count, half, -1.0, other))
        out->unloading = circle_of(n, points, count, half, -1.0, other);
    find_flow(n, points, count, half, out);
    return out->loading.diameter > 0.0;
}
