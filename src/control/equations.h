/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a control as linear equations for the six strain rates, as inline code in C11, C++17
 * and CUDA. */
#ifndef TW_CONTROL_EQUATIONS_H
#define TW_CONTROL_EQUATIONS_H

#include <string.h>

#include <twirl/control.h>

#include "control/stiffness_respond.h"

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

/* The left-hand sides; the right-hand ones are zero. */
TW_INLINE void tw_equations_fill(tw_equations *rows, const tw_control *control,
                                 const tw_stiffness_response *response, double dt)
{
    double trace = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        trace += dt * response->elastic[k][k] + response->viscous[k][k];
    memset(rows, 0, sizeof *rows);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &control->row[k];
        const int stressed = row->mode == TW_CONTROL_STRESS;
        rows->scale[k] = 1.0 / (tw_equations_weight(row) * (stressed ? trace : 1.0));
        for (int j = 0; j < TW_COMPONENTS; j++) {
            double sum = 0.0;
            for (int i = 0; i < TW_COMPONENTS; i++)
                sum += row->weight[i] * (dt * response->elastic[i][j] + response->viscous[i][j]);
            rows->left[k][j] = rows->scale[k] * (stressed ? sum : row->weight[j]);
        }
    }
}

TW_INLINE void tw_equations_swap(double *a, double *b, int count)
{
    for (int k = 0; k < count; k++) {
        const double t = a[k];
        a[k] = b[k];
        b[k] = t;
    }
}

/* row -= factor other */
TW_INLINE void tw_equations_subtract(tw_equations *rows, int row, int other, double factor)
{
    for (int k = 0; k < TW_COMPONENTS; k++)
        rows->left[row][k] -= factor * rows->left[other][k];
    for (int k = 0; k < TW_EQUATIONS_SIDES; k++)
        rows->right[row][k] -= factor * rows->right[other][k];
}

/* By Gauss-Jordan elimination with partial pivoting. 0 if the rows are not independent. */
TW_INLINE int tw_equations_solve(tw_equations *rows)
{
    for (int c = 0; c < TW_COMPONENTS; c++) {
        int best = c;
        for (int r = c + 1; r < TW_COMPONENTS; r++) {
            if (fabs(rows->left[r][c]) > fabs(rows->left[best][c])) best = r;
        }
        if (!(fabs(rows->left[best][c]) > 1e-9)) return 0;
        tw_equations_swap(rows->left[c], rows->left[best], TW_COMPONENTS);
        tw_equations_swap(rows->right[c], rows->right[best], TW_EQUATIONS_SIDES);
        for (int r = 0; r < TW_COMPONENTS; r++) {
            if (r != c) tw_equations_subtract(rows, r, c, rows->left[r][c] / rows->left[c][c]);
        }
    }
    for (int r = 0; r < TW_COMPONENTS; r++) {
        for (int k = 0; k < TW_EQUATIONS_SIDES; k++)
            rows->right[r][k] /= rows->left[r][r];
    }
    return 1;
}

#endif
