/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/curve.h"

#include <math.h>
#include <twirl/math.h>

#include "base/mat3.h"

/* A shear stress may be given as xy, as yx, or as both, which differ out of equilibrium. */
static const tw_history_column shear[3][2] = {{TW_HISTORY_stress_yz, TW_HISTORY_stress_zy},
                                              {TW_HISTORY_stress_xz, TW_HISTORY_stress_zx},
                                              {TW_HISTORY_stress_xy, TW_HISTORY_stress_yx}};

/* Curves that are a column or a sum of columns; values that the history lacks are NaN, except that
 * a run without walls or gravity may lack the columns of their work. */
static const struct {
    tw_curve curve;
    int needed, terms; /* the first `needed` must be present; others count as 0 if absent */
    bool since;        /* the change since the first row */
    tw_history_column term[4];
} sums[] = {
    {TW_CURVE_TIME, 1, 1, true, {TW_HISTORY_time}},
    {TW_CURVE_PATH_STRAIN, 1, 1, false, {TW_HISTORY_strain}},
    {TW_CURVE_P, 1, 1, false, {TW_HISTORY_p}},
    {TW_CURVE_VOID_RATIO, 1, 1, false, {TW_HISTORY_void_ratio}},
    {TW_CURVE_UNBALANCED, 1, 1, false, {TW_HISTORY_unbalanced}},
    {TW_CURVE_COORDINATION, 1, 1, false, {TW_HISTORY_coordination}},
    {TW_CURVE_SLIDING_FRACTION, 1, 1, false, {TW_HISTORY_sliding_fraction}},
    {TW_CURVE_WORK, 1, 3, true, {TW_HISTORY_cell, TW_HISTORY_walls, TW_HISTORY_gravity}},
    {TW_CURVE_KINETIC, 2, 2, true, {TW_HISTORY_kinetic, TW_HISTORY_rotational}},
    {TW_CURVE_STORED,
     2,
     4,
     true,
     {TW_HISTORY_normal, TW_HISTORY_tangential, TW_HISTORY_stored_rolling,
      TW_HISTORY_stored_twisting}},
    {TW_CURVE_FRICTION, 1, 1, true, {TW_HISTORY_friction}},
    {TW_CURVE_DAMPING, 2, 2, true, {TW_HISTORY_contact_damping, TW_HISTORY_body_damping}},
    {TW_CURVE_RESIDUAL, 1, 1, true, {TW_HISTORY_residual}},
};
enum { SUMS = sizeof sums / sizeof sums[0] };

static const double *row_of(const tw_series *s, size_t i)
{
    return s->table->row[s->first + i].value;
}

static void add_sums(const tw_series *s, size_t i, double *value)
{
    const double *now = row_of(s, i), *start = row_of(s, 0);
    for (int k = 0; k < SUMS; k++) {
        double sum = 0.0;
        for (int t = 0; t < sums[k].terms; t++) {
            const tw_history_column c = sums[k].term[t];
            if (t < sums[k].needed || s->table->present[c])
                sum += sums[k].since ? now[c] - start[c] : now[c];
        }
        value[sums[k].curve] = sum;
    }
}

/* Losses that only some laws have: NaN if there are none to the end of the series. */
static void add_losses(const tw_series *s, size_t i, double *value)
{
    static const struct {
        tw_curve curve;
        tw_history_column column;
    } losses[] = {{TW_CURVE_MICRO_SLIP, TW_HISTORY_micro_slip},
                  {TW_CURVE_ROLLING, TW_HISTORY_rolling},
                  {TW_CURVE_TWISTING, TW_HISTORY_twisting}};
    for (size_t k = 0; k < sizeof losses / sizeof losses[0]; k++) {
        const tw_history_column c = losses[k].column;
        const double last = row_of(s, s->count - 1)[c];
        value[losses[k].curve] = last != 0.0 ? row_of(s, i)[c] - row_of(s, 0)[c] : (double)NAN;
    }
}

/* ---- Stresses and strains ---- */

static double ratio(double a, double b)
{
    return b > 0.0 ? a / b : (double)NAN;
}

/* NaN where a column is missing. */
static tw_mat3 stress_of(const tw_series *s, const double *v)
{
    double t[3];
    for (int k = 0; k < 3; k++) {
        const tw_history_column a = shear[k][s->table->present[shear[k][0]] ? 0 : 1];
        const tw_history_column b = shear[k][s->table->present[shear[k][1]] ? 1 : 0];
        t[k] = 0.5 * (v[a] + v[b]);
    }
    return (tw_mat3){{v[TW_HISTORY_stress_xx], t[2], t[1], t[2], v[TW_HISTORY_stress_yy], t[0],
                      t[1], t[0], v[TW_HISTORY_stress_zz]}};
}

/* q^2 = half the sum of the squared differences of normal stresses + 3 times that of the squared
 * shear stresses. */
static double q_of(const tw_series *s, const double *v, const tw_mat3 *stress)
{
    const double *m = stress->m;
    if (tw_path_kind_is_axial(s->kind))
        return m[4 * s->axis] - 0.5 * (m[4 * ((s->axis + 1) % 3)] + m[4 * ((s->axis + 2) % 3)]);
    if (s->table->present[TW_HISTORY_q]) return v[TW_HISTORY_q];
    const double x = m[0], y = m[4], z = m[8];
    return sqrt(0.5 * ((x - y) * (x - y) + (y - z) * (y - z) + (z - x) * (z - x)) +
                3.0 * (m[1] * m[1] + m[2] * m[2] + m[5] * m[5]));
}

static void add_strains(const tw_series *s, size_t i, double *value)
{
    const double *v = row_of(s, i);
    const double *normal = &v[TW_HISTORY_strain_xx];
    value[TW_CURVE_AXIAL_STRAIN] = normal[s->axis];
    value[TW_CURVE_SHEAR_STRAIN] = v[TW_HISTORY_strain];
    value[TW_CURVE_MAJOR_STRAIN] = tw_math_max(normal[0], tw_math_max(normal[1], normal[2]));
    const bool *there = &s->table->present[TW_HISTORY_strain_xx];
    value[TW_CURVE_VOLUMETRIC_STRAIN] =
        there[0] && there[1] && there[2]
            ? normal[0] + normal[1] + normal[2]
            : tw_math_log(row_of(s, 0)[TW_HISTORY_volume] / v[TW_HISTORY_volume]);
}

/* b, from the normal stresses: they are principal stresses on the paths that use it. */
static double intermediate_of(const double *m, double q, double p)
{
    const double major = tw_math_max(m[0], tw_math_max(m[4], m[8]));
    const double minor = tw_math_min(m[0], tw_math_min(m[4], m[8]));
    const double middle = m[0] + m[4] + m[8] - major - minor;
    return q > 0.02 * p ? (middle - minor) / (major - minor) : (double)NAN;
}

static void add_stresses(const tw_series *s, size_t i, double *value)
{
    const double *v = row_of(s, i);
    const tw_mat3 stress = stress_of(s, v);
    const double *m = stress.m;
    const double p = v[TW_HISTORY_p], q = q_of(s, v, &stress);
    const double axial = m[4 * s->axis], second = m[4 * ((s->axis + 1) % 3)],
                 third = m[4 * ((s->axis + 2) % 3)];
    value[TW_CURVE_Q] = q;
    value[TW_CURVE_STRESS_RATIO] = ratio(q, p);
    value[TW_CURVE_AXIAL_STRESS] = axial;
    value[TW_CURVE_K0] = ratio(0.5 * (second + third), axial);
    value[TW_CURVE_B] = intermediate_of(m, q, p);
    value[TW_CURVE_PI_X] = ratio((second - third) / sqrt(2.0), p);
    value[TW_CURVE_PI_Y] = ratio((2.0 * axial - second - third) / sqrt(6.0), p);
    const bool known = s->stage && s->stage->plane >= 0;
    const double normal = !known ? (double)NAN : m[s->stage->plane == TW_SCENARIO_XY ? 4 : 8];
    value[TW_CURVE_SHEAR_STRESS] = v[TW_HISTORY_stress];
    value[TW_CURVE_NORMAL_STRESS] = normal;
    value[TW_CURVE_SHEAR_RATIO] = ratio(v[TW_HISTORY_stress], normal);
}

/* ---- Rotation ---- */

static void add_turn(const tw_series *s, size_t i, double *value)
{
    value[TW_CURVE_ANGLE] = value[TW_CURVE_TURN_ERROR] = (double)NAN;
    if (s->kind != TW_PATH_KIND_ROTATE) return;
    const tw_scenario_rotation *turn = &s->stage->rotation;
    const double *v = row_of(s, i), *start = row_of(s, 0);
    const double angle = turn->angle * v[TW_HISTORY_stage_step] / (double)turn->increments;
    const tw_vec3 axis = {turn->axis[0], turn->axis[1], turn->axis[2]};
    const double length = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
    const tw_mat3 r = tw_mat3_from_rotation(tw_vec3_scale(angle / length, axis));
    const tw_mat3 back = tw_mat3_mul(tw_mat3_transpose(r), tw_mat3_mul(stress_of(s, v), r));
    const tw_mat3 error = tw_mat3_sub(back, stress_of(s, start));
    double sum = 0.0;
    for (int k = 0; k < 9; k++)
        sum += error.m[k] * error.m[k];
    value[TW_CURVE_ANGLE] = angle * (180.0 / TW_MATH_PI);
    /* The first row is the reference, without an error of its own. */
    value[TW_CURVE_TURN_ERROR] = i > 0 ? ratio(sqrt(sum), start[TW_HISTORY_p]) : (double)NAN;
}

void tw_curve_values(const tw_series *series, size_t i, double value[TW_CURVES])
{
    add_sums(series, i, value);
    add_losses(series, i, value);
    add_strains(series, i, value);
    add_stresses(series, i, value);
    add_turn(series, i, value);
    const double *v = row_of(series, i);
    value[TW_CURVE_CYCLE] = v[TW_HISTORY_cycle];
    value[TW_CURVE_RU] = v[TW_HISTORY_ru];
    value[TW_CURVE_FABRIC] = v[TW_HISTORY_fabric_deviator];
}

void tw_curve_find(const tw_series *series, bool present[TW_CURVES])
{
    for (int c = 0; c < TW_CURVES; c++)
        present[c] = false;
    for (size_t i = 0; i < series->count; i++) {
        double value[TW_CURVES];
        tw_curve_values(series, i, value);
        for (int c = 0; c < TW_CURVES; c++)
            present[c] = present[c] || isfinite(value[c]);
    }
}
