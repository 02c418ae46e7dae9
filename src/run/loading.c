/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/loading.h"

#include <math.h>
#include <string.h>
#include <twirl/math.h>

void tw_loading_components(const tw_mat3 *gradient, double out[TW_COMPONENTS])
{
    const double *m = gradient->m;
    out[TW_XX] = m[0];
    out[TW_YY] = m[4];
    out[TW_ZZ] = m[8];
    out[TW_YZ] = m[5] + m[7];
    out[TW_XZ] = m[2] + m[6];
    out[TW_XY] = m[1] + m[3];
}

tw_loading_stress tw_loading_stress_from(const double stress[TW_COMPONENTS],
                                         const tw_mat3 *gradient)
{
    tw_loading_stress t;
    memcpy(t.s, stress, sizeof t.s);
    t.p = (t.s[TW_XX] + t.s[TW_YY] + t.s[TW_ZZ]) / 3.0;
    double sum = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const double part = k < TW_YZ ? t.s[k] - t.p : t.s[k];
        sum += (k < TW_YZ ? 1.0 : 2.0) * part * part;
    }
    t.q = sqrt(1.5 * sum);
    tw_loading_components(gradient, t.rate);
    return t;
}

/* The path itself, or the base of a cyclic one. */
static int32_t base_of(const tw_scenario_stage *stage)
{
    return stage->path == TW_SCENARIO_CYCLIC ? stage->cycle.base : stage->path;
}

double tw_loading_sign(const tw_scenario_stage *stage)
{
    const bool back =
        stage->direction == TW_SCENARIO_EXTENSION || stage->direction == TW_SCENARIO_BACKWARD;
    return back ? -1.0 : 1.0;
}

/* Component of the sheared plane. */
static int shear_component(const tw_scenario_stage *stage)
{
    static const int component[] = {
        [TW_SCENARIO_XY] = TW_XY, [TW_SCENARIO_XZ] = TW_XZ, [TW_SCENARIO_YZ] = TW_YZ};
    return component[stage->plane];
}

/* Normal component across the sheared plane. */
static int normal_component(const tw_scenario_stage *stage)
{
    return stage->plane == TW_SCENARIO_XY ? TW_YY : TW_ZZ;
}

/* The k-th axis after the loaded one. */
static int axis_after(const tw_scenario_stage *stage, int k)
{
    return (stage->axis + k) % 3;
}

/* Component of the direction in the pi-plane along the k-th axis. */
static double lode_part(const tw_scenario_stage *stage, int k)
{
    return tw_math_cos(stage->lode_angle - 2.0 * TW_MATH_PI / 3.0 * k);
}

static double largest_component(const double strain[TW_COMPONENTS])
{
    double largest = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        if (fabs(strain[k]) > fabs(largest)) largest = strain[k];
    return largest;
}

double tw_loading_path_strain(const tw_scenario_stage *stage, const double strain[TW_COMPONENTS])
{
    double sum = 0.0;
    switch (base_of(stage)) {
    case TW_SCENARIO_OEDOMETER:
    case TW_SCENARIO_TRIAXIAL:
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_UNDRAINED:
        return strain[stage->axis];
    case TW_SCENARIO_SIMPLE_SHEAR: /* forward shear is negative as compression */
        return -strain[shear_component(stage)];
    case TW_SCENARIO_TRUE_TRIAXIAL:
        for (int k = 0; k < 3; k++)
            sum += 2.0 / 3.0 * lode_part(stage, k) * strain[axis_after(stage, k)];
        return sum;
    case TW_SCENARIO_GENERAL:
        return largest_component(strain);
    default:
        return strain[TW_XX] + strain[TW_YY] + strain[TW_ZZ];
    }
}

double tw_loading_path_stress(const tw_scenario_stage *stage, const tw_loading_stress *stress)
{
    switch (base_of(stage)) {
    case TW_SCENARIO_OEDOMETER:
    case TW_SCENARIO_TRIAXIAL:
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_UNDRAINED:
        return stress->s[stage->axis];
    case TW_SCENARIO_SIMPLE_SHEAR:
        return -stress->s[shear_component(stage)];
    case TW_SCENARIO_TRUE_TRIAXIAL:
    case TW_SCENARIO_GENERAL:
        return stress->q;
    default:
        return stress->p;
    }
}

double tw_loading_end_stress(const tw_scenario_stage *stage, const tw_loading_stress *stress)
{
    const double along = tw_loading_path_stress(stage, stress);
    return stage->path == TW_SCENARIO_SIMPLE_SHEAR ? tw_loading_sign(stage) * along : along;
}

const char *tw_loading_strain_name(const tw_scenario_stage *stage)
{
    switch (base_of(stage)) {
    case TW_SCENARIO_OEDOMETER:
    case TW_SCENARIO_TRIAXIAL:
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_UNDRAINED:
        return "axial strain";
    case TW_SCENARIO_SIMPLE_SHEAR:
        return "shear strain";
    case TW_SCENARIO_TRUE_TRIAXIAL:
        return "deviatoric strain";
    case TW_SCENARIO_GENERAL:
        return "largest strain";
    default:
        return "volumetric strain";
    }
}

const char *tw_loading_stress_name(const tw_scenario_stage *stage)
{
    switch (base_of(stage)) {
    case TW_SCENARIO_OEDOMETER:
    case TW_SCENARIO_TRIAXIAL:
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_UNDRAINED:
        return "axial stress";
    case TW_SCENARIO_SIMPLE_SHEAR:
        return "shear stress";
    case TW_SCENARIO_TRUE_TRIAXIAL:
    case TW_SCENARIO_GENERAL:
        return "q";
    default:
        return "p";
    }
}

const char *tw_loading_ratio_name(const tw_scenario_stage *stage)
{
    return base_of(stage) == TW_SCENARIO_SIMPLE_SHEAR ? "shear over normal stress" : "q/p";
}

double tw_loading_ratio(const tw_scenario_stage *stage, const tw_loading_stress *stress)
{
    if (base_of(stage) != TW_SCENARIO_SIMPLE_SHEAR)
        return stress->p > 0.0 ? stress->q / stress->p : 0.0;
    const double normal = stress->s[normal_component(stage)];
    return normal > 0.0 ? tw_loading_sign(stage) * tw_loading_path_stress(stage, stress) / normal
                        : 0.0;
}

static double mean_lateral(const tw_scenario_stage *stage, const tw_loading_stress *stress)
{
    return 0.5 * (stress->s[axis_after(stage, 1)] + stress->s[axis_after(stage, 2)]);
}

double tw_loading_cycled(const tw_scenario_stage *stage, const tw_loading_stress *stress)
{
    const double along = tw_loading_path_stress(stage, stress);
    switch (base_of(stage)) {
    case TW_SCENARIO_TRIAXIAL:
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_UNDRAINED:
        return along - mean_lateral(stage, stress);
    default:
        return along;
    }
}

double tw_loading_q_signed(const tw_scenario_stage *stage, const tw_loading_stress *stress)
{
    const int32_t path = base_of(stage);
    if (!tw_loading_is_driven(stage)) return (double)NAN;
    if (path == TW_SCENARIO_SIMPLE_SHEAR) return -sqrt(3.0) * stress->s[shear_component(stage)];
    if (path != TW_SCENARIO_TRUE_TRIAXIAL)
        return stress->s[stage->axis] - mean_lateral(stage, stress);
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += lode_part(stage, k) * stress->s[axis_after(stage, k)];
    return sum;
}

double tw_loading_confining(const tw_scenario_stage *stage, const tw_loading_stress *stress)
{
    if (base_of(stage) == TW_SCENARIO_UNDRAINED) return mean_lateral(stage, stress);
    if (base_of(stage) == TW_SCENARIO_SIMPLE_SHEAR &&
        stage->constant == TW_SCENARIO_VOLUME_CONSTANT)
        return stress->s[normal_component(stage)];
    return (double)NAN;
}

bool tw_loading_is_driven(const tw_scenario_stage *stage)
{
    switch (base_of(stage)) {
    case TW_SCENARIO_OEDOMETER:
    case TW_SCENARIO_TRIAXIAL:
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_UNDRAINED:
    case TW_SCENARIO_SIMPLE_SHEAR:
    case TW_SCENARIO_TRUE_TRIAXIAL:
        return true;
    default:
        return false;
    }
}

static double value_or(double given, double now)
{
    return given == TW_SCENARIO_HOLD ? now : given;
}

double tw_loading_target(const tw_scenario_stage *stage, const tw_loading_stress *now)
{
    switch (base_of(stage)) {
    case TW_SCENARIO_ISOTROPIC:
        return stage->pressure;
    case TW_SCENARIO_TRIAXIAL:
        return value_or(stage->lateral_stress,
                        0.5 * (now->s[axis_after(stage, 1)] + now->s[axis_after(stage, 2)]));
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_TRUE_TRIAXIAL:
        return value_or(stage->pressure, now->p);
    case TW_SCENARIO_SIMPLE_SHEAR:
        if (stage->constant != TW_SCENARIO_NORMAL_STRESS) return nan("");
        return value_or(stage->normal_stress, now->s[normal_component(stage)]);
    default:
        return nan("");
    }
}

/* ---- Control ---- */

static tw_control_row row_of(int32_t mode, int a, double wa, int b, double wb, double target)
{
    tw_control_row row = {.mode = mode, .target = target};
    row.weight[a] = wa;
    row.weight[b] = wb;
    return row;
}

static tw_control_row mean_row(int32_t mode, double weight, double target)
{
    tw_control_row row = {.mode = mode, .target = target};
    row.weight[TW_XX] = row.weight[TW_YY] = row.weight[TW_ZZ] = weight;
    return row;
}

static void put_axial(tw_control *c, const tw_scenario_stage *stage, double rate, double target)
{
    const int z = stage->axis, x = axis_after(stage, 1), y = axis_after(stage, 2);
    c->row[z] = tw_control_rate(z, -rate);
    switch (base_of(stage)) {
    case TW_SCENARIO_TRIAXIAL:
        c->row[x] = tw_control_stress(x, target);
        c->row[y] = tw_control_stress(y, target);
        break;
    case TW_SCENARIO_CONSTANT_P:
        c->row[x] = row_of(TW_CONTROL_STRESS, x, 1.0, y, -1.0, 0.0);
        c->row[y] = mean_row(TW_CONTROL_STRESS, 1.0 / 3.0, target);
        break;
    case TW_SCENARIO_UNDRAINED:
        c->row[x] = row_of(TW_CONTROL_RATE, x, 1.0, y, -1.0, 0.0);
        c->row[y] = mean_row(TW_CONTROL_RATE, 1.0, 0.0);
        break;
    default:
        break; /* oedometer: no lateral strain */
    }
}

/* Drives the strain conjugate to q and keeps the stress normal to its direction in the pi-plane
 * zero. */
static void put_true_triaxial(tw_control *c, const tw_scenario_stage *stage, double rate,
                              double target)
{
    tw_control_row drive = {.mode = TW_CONTROL_RATE, .target = -rate};
    tw_control_row keep = {.mode = TW_CONTROL_STRESS, .target = 0.0};
    for (int k = 0; k < 3; k++) {
        drive.weight[axis_after(stage, k)] = 2.0 / 3.0 * lode_part(stage, k);
        keep.weight[axis_after(stage, k)] =
            tw_math_sin(stage->lode_angle - 2.0 * TW_MATH_PI / 3.0 * k);
    }
    c->row[TW_XX] = drive;
    c->row[TW_YY] = keep;
    c->row[TW_ZZ] = mean_row(TW_CONTROL_STRESS, 1.0 / 3.0, target);
}

static void put_simple_shear(tw_control *c, const tw_scenario_stage *stage, double rate,
                             double target)
{
    const int plane = shear_component(stage), normal = normal_component(stage);
    c->simple_shear = 1;
    c->row[plane] = tw_control_rate(plane, rate);
    if (!isnan(target)) c->row[normal] = tw_control_stress(normal, target);
}

/* Rate at which a set point covers `distance` in `time`; 0: immediately. */
static double ramp_rate(double distance, double time)
{
    return time > 0.0 ? fabs(distance) / time : 0.0;
}

static void put_general(tw_control *c, const tw_scenario_control *requested,
                        const tw_loading_stress *now)
{
    c->simple_shear = requested->shear == TW_SCENARIO_SHEAR_SIMPLE;
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_scenario_component *part = &requested->component[k];
        if (isnan(part->stress)) {
            c->row[k] = tw_control_rate(k, isnan(part->rate) ? 0.0 : -part->rate);
            c->row[k].ramp = ramp_rate(c->row[k].target - now->rate[k], part->ramp);
        } else {
            c->row[k] = tw_control_stress(k, value_or(part->stress, now->s[k]));
            c->row[k].ramp = ramp_rate(c->row[k].target - now->s[k], part->ramp);
        }
    }
}

tw_control tw_loading_isotropic(double pressure)
{
    tw_control c = tw_control_default();
    for (int k = 0; k < TW_COMPONENTS; k++)
        c.row[k] = tw_control_stress(k, k < TW_YZ ? pressure : 0.0);
    return c;
}

tw_control tw_loading_press(double pressure, double rate)
{
    tw_control c = tw_control_default();
    c.row[TW_XX] = row_of(TW_CONTROL_RATE, TW_XX, 1.0, TW_YY, -1.0, 0.0);
    c.row[TW_YY] = row_of(TW_CONTROL_RATE, TW_YY, 1.0, TW_ZZ, -1.0, 0.0);
    c.row[TW_ZZ] = mean_row(TW_CONTROL_STRESS, 1.0 / 3.0, pressure);
    c.rate_max = sqrt(3.0) * rate; /* the limit is on the norm of the tensor */
    return c;
}

tw_control tw_loading_shrink(double rate)
{
    tw_control c = tw_control_default();
    for (int k = TW_XX; k <= TW_ZZ; k++)
        c.row[k] = tw_control_rate(k, -rate);
    return c;
}

tw_control tw_loading_control(const tw_scenario_stage *stage, double rate, double target,
                              double direction, const tw_loading_stress *now)
{
    tw_control c = tw_control_default();
    const double signed_rate = direction * tw_loading_sign(stage) * rate;
    switch (base_of(stage)) {
    case TW_SCENARIO_ISOTROPIC:
        c = tw_loading_isotropic(target);
        c.rate_max = rate;
        break;
    case TW_SCENARIO_TRUE_TRIAXIAL:
        put_true_triaxial(&c, stage, signed_rate, target);
        break;
    case TW_SCENARIO_SIMPLE_SHEAR:
        put_simple_shear(&c, stage, signed_rate, target);
        break;
    case TW_SCENARIO_RELAX:
        for (int k = 0; stage->hold == TW_SCENARIO_HOLD_STRESS && k < TW_COMPONENTS; k++)
            c.row[k] = tw_control_stress(k, now->s[k]);
        break;
    case TW_SCENARIO_GENERAL:
        put_general(&c, &stage->control, now);
        break;
    case TW_SCENARIO_FREE_FLIGHT:
        break;
    default:
        put_axial(&c, stage, signed_rate, target);
    }
    return c;
}
