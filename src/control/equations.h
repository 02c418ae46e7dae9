/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a control as linear equations for the six strain rates, as inline code in C11, C++17
 * and CUDA. */
#ifndef TW_CONTROL_EQUATIONS_H
#define TW_CONTROL_EQUATIONS_H

#include <string.h>

#include <twirl/control.h>

#include "control/stiffness.h"

/* Right-hand sides: of the rows in rate control, of those in stress control, a unit of volume. */
enum { TW_EQUATIONS_RATE, TW_EQUATIONS_STRESS, TW_EQUATIONS_VOLUME, TW_EQUATIONS_SIDES };

typedef struct tw_equations {
    double left[TW_COMPONENTS][TW_COMPONENTS];
    double right[TW_COMPONENTS][TW_EQUATIONS_SIDES]; /* the solutions, once solved */
    double scale[TW_COMPONENTS]; /* row k is multiplied by this, so that all are of a size */
} tw_equations;

/* Refuses an invalid control; the text names the row. */
tw_status tw_equations_check(const tw_control *control, tw_error *error);

/* Sum of the magnitudes of the weights. */
TW_INLINE double tw_equations_weight(const tw_control_row *row)
{
    double sum = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        sum += fabs(row->weight[k]);
    return sum;
}

/* 1: a rate of the volume and nothing else. */
TW_INLINE int tw_equations_is_volume(const tw_control_row *row)
{
    const double *w = row->weight;
    return row->mode == TW_CONTROL_RATE && w[TW_XX] != 0.0 && w[TW_XX] == w[TW_YY] &&
           w[TW_YY] == w[TW_ZZ] && w[TW_YZ] == 0.0 && w[TW_XZ] == 0.0 && w[TW_XY] == 0.0;
}

/* Element (i, j) of the stress lost in a step, per strain rate. */
TW_INLINE double tw_equations_loss(const tw_stiffness_response *response, double dt, int i, int j)
{
    return dt * response->elastic[i][j] + response->viscous[i][j];
}

TW_INLINE double tw_equations_trace(const tw_stiffness_response *response, double dt)
{
    double trace = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        trace += tw_equations_loss(response, dt, k, k);
    return trace;
}

/* `weight`: tw_equations_weight. */
TW_INLINE double tw_equations_scale(const tw_control_row *row, double weight, double trace)
{
    return 1.0 / (weight * (row->mode == TW_CONTROL_STRESS ? trace : 1.0));
}

/* Weight of an isotropic stress in a row. */
TW_INLINE double tw_equations_isotropic(const tw_control_row *row)
{
    return row->weight[TW_XX] + row->weight[TW_YY] + row->weight[TW_ZZ];
}

/* The factor of strain rate j in the equation of a row. `pores`: stiffness of the cell by the fluid
 * in its pores, 0 without one. */
TW_INLINE double tw_equations_left(const tw_control_row *row, const tw_stiffness_response *response,
                                   double pores, double dt, double scale, int j)
{
    double sum = pores > 0.0 && j < TW_YZ ? tw_equations_isotropic(row) * dt * pores : 0.0;
    for (int i = 0; i < TW_COMPONENTS; i++)
        sum += row->weight[i] * tw_equations_loss(response, dt, i, j);
    return scale * (row->mode == TW_CONTROL_STRESS ? sum : row->weight[j]);
}

/* The left-hand sides; the right-hand ones are zero. */
TW_INLINE void tw_equations_fill(tw_equations *rows, const tw_control *control,
                                 const tw_stiffness_response *response, double pores, double dt)
{
    const double trace = tw_equations_trace(response, dt);
    memset(rows, 0, sizeof *rows);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &control->row[k];
        rows->scale[k] = tw_equations_scale(row, tw_equations_weight(row), trace);
        for (int j = 0; j < TW_COMPONENTS; j++)
            rows->left[k][j] = tw_equations_left(row, response, pores, dt, rows->scale[k], j);
    }
}

/* ---- Gauss-Jordan elimination with partial pivoting ----
 *
 * Row and column of an element are those after the exchange of row c, in which column c remains,
 * with row `pivot`. */

/* An element of a row: of the left-hand sides, then of the right-hand ones. */
TW_INLINE double tw_equations_get(const tw_equations *rows, int row, int k)
{
    return k < TW_COMPONENTS ? rows->left[row][k] : rows->right[row][k - TW_COMPONENTS];
}

TW_INLINE void tw_equations_put(tw_equations *rows, int row, int k, double value)
{
    double *at = k < TW_COMPONENTS ? &rows->left[row][k] : &rows->right[row][k - TW_COMPONENTS];
    *at = value;
}

/* The row for column c; -1 if the rows are not independent. */
TW_INLINE int tw_equations_pivot(const tw_equations *rows, int c)
{
    int pivot = c;
    double most = fabs(rows->left[c][c]);
    for (int r = 0; r < TW_COMPONENTS; r++) {
        const double size = fabs(rows->left[r][c]);
        if (r > c && size > most) {
            pivot = r;
            most = size;
        }
    }
    return most > 1e-9 ? pivot : -1;
}

/* a/b for b != 0. Many a are 0, whose quotient is slow on a GPU. */
TW_INLINE double tw_equations_quotient(double a, double b)
{
    const double quotient = (a == 0.0 ? 1.0 : a) / b;
    return a == 0.0 ? a * (b < 0.0 ? -1.0 : 1.0) : quotient;
}

/* How often row c is subtracted from another. */
TW_INLINE double tw_equations_factor(const tw_equations *rows, int c, int pivot, int row)
{
    return tw_equations_quotient(rows->left[row == pivot ? c : row][c], rows->left[pivot][c]);
}

TW_INLINE double tw_equations_reduced(const tw_equations *rows, int c, int pivot, double factor,
                                      int row, int k)
{
    const double of = tw_equations_get(rows, pivot, k);
    return row == c ? of : tw_equations_get(rows, row == pivot ? c : row, k) - factor * of;
}

/* The solution, after the elimination of all columns. */
TW_INLINE void tw_equations_divide(tw_equations *rows, int row, int side)
{
    rows->right[row][side] = tw_equations_quotient(rows->right[row][side], rows->left[row][row]);
}

/* 0 if the rows are not independent. */
TW_INLINE int tw_equations_solve(tw_equations *rows)
{
    for (int c = 0; c < TW_COMPONENTS; c++) {
        const tw_equations from = *rows;
        const int pivot = tw_equations_pivot(&from, c);
        if (pivot < 0) return 0;
        for (int r = 0; r < TW_COMPONENTS; r++) {
            const double factor = tw_equations_factor(&from, c, pivot, r);
            for (int k = 0; k < TW_COMPONENTS + TW_EQUATIONS_SIDES; k++)
                tw_equations_put(rows, r, k, tw_equations_reduced(&from, c, pivot, factor, r, k));
        }
    }
    for (int r = 0; r < TW_COMPONENTS; r++) {
        for (int k = 0; k < TW_EQUATIONS_SIDES; k++)
            tw_equations_divide(rows, r, k);
    }
    return 1;
}

#endif
