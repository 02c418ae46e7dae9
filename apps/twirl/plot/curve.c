/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/curve.h"

#include <math.h>
#include <twirl/math.h>

const char *const tw_curve_names[TW_CURVES] = {
    [TW_CURVE_AXIAL_STRAIN] = "axial_strain",
    [TW_CURVE_TIME] = "time",
    [TW_CURVE_STRESS_RATIO] = "stress_ratio",
    [TW_CURVE_VOLUMETRIC_STRAIN] = "volumetric_strain",
    [TW_CURVE_P] = "p",
    [TW_CURVE_Q] = "q",
    [TW_CURVE_COORDINATION] = "coordination",
    [TW_CURVE_SLIDING_FRACTION] = "sliding_fraction",
    [TW_CURVE_WORK] = "work",
    [TW_CURVE_KINETIC] = "kinetic",
    [TW_CURVE_STORED] = "stored",
    [TW_CURVE_FRICTION] = "friction",
    [TW_CURVE_DAMPING] = "damping",
    [TW_CURVE_RESIDUAL] = "residual",
};

/* A shear stress may be given as xy, as yx, or as both, which differ out of equilibrium. */
static const tw_history_column shear[3][2] = {{TW_HISTORY_stress_xy, TW_HISTORY_stress_yx},
                                              {TW_HISTORY_stress_xz, TW_HISTORY_stress_zx},
                                              {TW_HISTORY_stress_yz, TW_HISTORY_stress_zy}};

/* Curves that are a column or a sum of columns. A run without walls or gravity may lack the columns
 * of their work. */
static const struct {
    tw_curve curve;
    int needed, terms; /* the first `needed` must be present; others count as 0 if absent */
    tw_history_column term[3];
} sums[] = {
    {TW_CURVE_TIME, 1, 1, {TW_HISTORY_time}},
    {TW_CURVE_P, 1, 1, {TW_HISTORY_p}},
    {TW_CURVE_COORDINATION, 1, 1, {TW_HISTORY_coordination}},
    {TW_CURVE_SLIDING_FRACTION, 1, 1, {TW_HISTORY_sliding_fraction}},
    {TW_CURVE_WORK, 1, 3, {TW_HISTORY_cell, TW_HISTORY_walls, TW_HISTORY_gravity}},
    {TW_CURVE_KINETIC, 2, 2, {TW_HISTORY_kinetic, TW_HISTORY_rotational}},
    {TW_CURVE_STORED, 2, 2, {TW_HISTORY_normal, TW_HISTORY_tangential}},
    {TW_CURVE_FRICTION, 1, 1, {TW_HISTORY_friction}},
    {TW_CURVE_DAMPING, 2, 2, {TW_HISTORY_contact_damping, TW_HISTORY_body_damping}},
    {TW_CURVE_RESIDUAL, 1, 1, {TW_HISTORY_residual}},
};
enum { SUMS = sizeof sums / sizeof sums[0] };

static bool has_strains(const bool *there)
{
    return there[TW_HISTORY_strain_xx] && there[TW_HISTORY_strain_yy] &&
           there[TW_HISTORY_strain_zz];
}

static bool has_stresses(const bool *there)
{
    bool all =
        there[TW_HISTORY_stress_xx] && there[TW_HISTORY_stress_yy] && there[TW_HISTORY_stress_zz];
    for (int i = 0; i < 3; i++)
        all = all && (there[shear[i][0]] || there[shear[i][1]]);
    return all;
}

/* q^2 = half the sum of the squared differences of normal stresses + 3 times that of the squared
 * shear stresses. */
static double q_of(const bool *there, const double *v)
{
    if (there[TW_HISTORY_q]) return v[TW_HISTORY_q];
    const double x = v[TW_HISTORY_stress_xx], y = v[TW_HISTORY_stress_yy];
    const double z = v[TW_HISTORY_stress_zz];
    double sum = 0.5 * ((x - y) * (x - y) + (y - z) * (y - z) + (z - x) * (z - x));
    for (int i = 0; i < 3; i++) {
        const tw_history_column a = shear[i][there[shear[i][0]] ? 0 : 1];
        const tw_history_column b = shear[i][there[shear[i][1]] ? 1 : 0];
        const double s = 0.5 * (v[a] + v[b]);
        sum += 3.0 * s * s;
    }
    return sqrt(sum);
}

static double volumetric_of(const tw_history_table *table, const double *v)
{
    if (has_strains(table->present))
        return v[TW_HISTORY_strain_xx] + v[TW_HISTORY_strain_yy] + v[TW_HISTORY_strain_zz];
    return tw_math_log(table->row[0].value[TW_HISTORY_volume] / v[TW_HISTORY_volume]);
}

void tw_curve_values(const tw_history_table *table, size_t row, int axis, double value[TW_CURVES])
{
    const double *v = table->row[row].value;
    for (int i = 0; i < SUMS; i++) {
        value[sums[i].curve] = 0.0;
        for (int k = 0; k < sums[i].terms; k++) {
            if (k < sums[i].needed || table->present[sums[i].term[k]])
                value[sums[i].curve] += v[sums[i].term[k]];
        }
    }
    value[TW_CURVE_AXIAL_STRAIN] = v[TW_HISTORY_strain_xx + axis];
    value[TW_CURVE_VOLUMETRIC_STRAIN] = volumetric_of(table, v);
    value[TW_CURVE_Q] = q_of(table->present, v);
    const double p = v[TW_HISTORY_p];
    value[TW_CURVE_STRESS_RATIO] = p > 0.0 ? value[TW_CURVE_Q] / p : (double)NAN;
}

static void find_columns(const bool *there, int axis, bool present[TW_CURVES])
{
    for (int i = 0; i < SUMS; i++) {
        present[sums[i].curve] = true;
        for (int k = 0; k < sums[i].needed; k++)
            present[sums[i].curve] = present[sums[i].curve] && there[sums[i].term[k]];
    }
    present[TW_CURVE_AXIAL_STRAIN] = there[TW_HISTORY_strain_xx + axis];
    present[TW_CURVE_VOLUMETRIC_STRAIN] = has_strains(there) || there[TW_HISTORY_volume];
    present[TW_CURVE_Q] = there[TW_HISTORY_q] || has_stresses(there);
    present[TW_CURVE_STRESS_RATIO] = present[TW_CURVE_Q] && there[TW_HISTORY_p];
}

void tw_curve_find(const tw_history_table *table, int axis, bool present[TW_CURVES])
{
    bool numbers[TW_CURVES] = {false};
    find_columns(table->present, axis, present);
    for (size_t row = 0; row < table->count; row++) {
        double value[TW_CURVES];
        tw_curve_values(table, row, axis, value);
        for (int i = 0; i < TW_CURVES; i++)
            numbers[i] = numbers[i] || isfinite(value[i]);
    }
    for (int i = 0; i < TW_CURVES; i++)
        present[i] = present[i] && numbers[i];
}
