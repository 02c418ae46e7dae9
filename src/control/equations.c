/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/equations.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

double tw_equations_weight(const tw_control_row *row)
{
    double sum = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        sum += fabs(row->weight[k]);
    return sum;
}

int tw_equations_is_volume(const tw_control_row *row)
{
    const double *w = row->weight;
    return row->mode == TW_CONTROL_RATE && w[TW_XX] != 0.0 && w[TW_XX] == w[TW_YY] &&
           w[TW_YY] == w[TW_ZZ] && w[TW_YZ] == 0.0 && w[TW_XZ] == 0.0 && w[TW_XY] == 0.0;
}

void tw_equations_fill(tw_equations *rows, const tw_control *control,
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

static void swap(double *a, double *b, int count)
{
    for (int k = 0; k < count; k++) {
        const double t = a[k];
        a[k] = b[k];
        b[k] = t;
    }
}

/* row -= factor other */
static void subtract(tw_equations *rows, int row, int other, double factor)
{
    for (int k = 0; k < TW_COMPONENTS; k++)
        rows->left[row][k] -= factor * rows->left[other][k];
    for (int k = 0; k < TW_EQUATIONS_SIDES; k++)
        rows->right[row][k] -= factor * rows->right[other][k];
}

/* Gauss-Jordan elimination with partial pivoting. */
int tw_equations_solve(tw_equations *rows)
{
    for (int c = 0; c < TW_COMPONENTS; c++) {
        int best = c;
        for (int r = c + 1; r < TW_COMPONENTS; r++) {
            if (fabs(rows->left[r][c]) > fabs(rows->left[best][c])) best = r;
        }
        if (!(fabs(rows->left[best][c]) > 1e-9)) return 0;
        swap(rows->left[c], rows->left[best], TW_COMPONENTS);
        swap(rows->right[c], rows->right[best], TW_EQUATIONS_SIDES);
        for (int r = 0; r < TW_COMPONENTS; r++) {
            if (r != c) subtract(rows, r, c, rows->left[r][c] / rows->left[c][c]);
        }
    }
    for (int r = 0; r < TW_COMPONENTS; r++) {
        for (int k = 0; k < TW_EQUATIONS_SIDES; k++)
            rows->right[r][k] /= rows->left[r][r];
    }
    return 1;
}

static const char *row_wrong(const tw_control_row *row)
{
    if (row->mode != TW_CONTROL_RATE && row->mode != TW_CONTROL_STRESS)
        return "mode must be TW_CONTROL_RATE or TW_CONTROL_STRESS";
    const double weight = tw_equations_weight(row);
    if (!(weight > 0.0 && isfinite(weight))) return "weight must be finite and not all zero";
    if (!isfinite(row->target)) return "target must be finite";
    if (!(row->ramp >= 0.0 && isfinite(row->ramp))) return "ramp must be 0 (immediate) or positive";
    return NULL;
}

tw_status tw_equations_check(const tw_control *control, tw_error *error)
{
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const char *wrong = row_wrong(&control->row[k]);
        if (wrong) return tw_error_set(error, TW_STATUS_INPUT, "control: row %d: %s", k, wrong);
    }
    if (control->simple_shear != 0 && control->simple_shear != 1)
        return tw_error_set(error, TW_STATUS_INPUT, "control: simple_shear must be 0 or 1");
    if (!(control->rate_max >= 0.0 && isfinite(control->rate_max)))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "control: rate_max must be 0 (automatic) or positive");
    if (!(control->tolerance > 0.0 && isfinite(control->tolerance)))
        return tw_error_set(error, TW_STATUS_INPUT, "control: tolerance must be positive");
    tw_stiffness_response one = {{{0.0}}, {{0.0}}};
    for (int k = 0; k < TW_COMPONENTS; k++)
        one.elastic[k][k] = 1.0;
    tw_equations rows;
    tw_equations_fill(&rows, control, &one, 1.0);
    if (tw_equations_solve(&rows)) return TW_STATUS_OK;
    return tw_error_set(
        error, TW_STATUS_INPUT,
        "control: the six rows must be independent: each component controlled once, "
        "in rate or in stress");
}
