/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/path.h"

#include <math.h>
#include <string.h>
#include <twirl/math.h>

#define PI 3.14159265358979323846

void tw_path_components(const tw_mat3 *gradient, double out[TW_COMPONENTS])
{
    const double *m = gradient->m;
    out[TW_XX] = m[0];
    out[TW_YY] = m[4];
    out[TW_ZZ] = m[8];
    out[TW_YZ] = m[5] + m[7];
    out[TW_XZ] = m[2] + m[6];
    out[TW_XY] = m[1] + m[3];
}

tw_path_stress tw_path_stress_of(const double stress[TW_COMPONENTS], const tw_mat3 *gradient)
{
    tw_path_stress t;
    memcpy(t.s, stress, sizeof t.s);
    t.p = (t.s[TW_XX] + t.s[TW_YY] + t.s[TW_ZZ]) / 3.0;
    double sum = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const double part = k < TW_YZ ? t.s[k] - t.p : t.s[k];
        sum += (k < TW_YZ ? 1.0 : 2.0) * part * part;
    }
    t.q = sqrt(1.5 * sum);
    tw_path_components(gradient, t.rate);
    return t;
}

int32_t tw_path_base(const tw_scenario_stage *stage)
{
    return stage->path == TW_SCENARIO_CYCLIC ? stage->cycle.base : stage->path;
}

double tw_path_sign(const tw_scenario_stage *stage)
{
    const bool back =
        stage->direction == TW_SCENARIO_EXTENSION || stage->direction == TW_SCENARIO_BACKWARD;
    return back ? -1.0 : 1.0;
}

/* Component of the sheared plane, and the normal one across it. */
static int sheared(const tw_scenario_stage *stage)
{
    static const int component[] = {
        [TW_SCENARIO_XY] = TW_XY, [TW_SCENARIO_XZ] = TW_XZ, [TW_SCENARIO_YZ] = TW_YZ};
    return component[stage->plane];
}

static int across(const tw_scenario_stage *stage)
{
    return stage->plane == TW_SCENARIO_XY ? TW_YY : TW_ZZ;
}

/* The k-th axis counted from the one that is strained. */
static int axis_after(const tw_scenario_stage *stage, int k)
{
    return (stage->axis + k) % 3;
}

/* Direction in the pi-plane of the stress along the k-th axis. */
static double lode_part(const tw_scenario_stage *stage, int k)
{
    return tw_math_cos(stage->lode_angle - 2.0 * PI / 3.0 * k);
}

static double largest_of(const double strain[TW_COMPONENTS])
{
    double most = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        if (fabs(strain[k]) > fabs(most)) most = strain[k];
    return most;
}

double tw_path_strain(const tw_scenario_stage *stage, const double strain[TW_COMPONENTS])
{
    double sum = 0.0;
    switch (tw_path_base(stage)) {
    case TW_SCENARIO_OEDOMETER:
    case TW_SCENARIO_TRIAXIAL:
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_UNDRAINED:
        return strain[stage->axis];
    case TW_SCENARIO_SIMPLE_SHEAR: /* forward is what compression would call negative */
        return -strain[sheared(stage)];
    case TW_SCENARIO_TRUE_TRIAXIAL:
        for (int k = 0; k < 3; k++)
            sum += 2.0 / 3.0 * lode_part(stage, k) * strain[axis_after(stage, k)];
        return sum;
    case TW_SCENARIO_GENERAL:
        return largest_of(strain);
    default:
        return strain[TW_XX] + strain[TW_YY] + strain[TW_ZZ];
    }
}

double tw_path_stress_along(const tw_scenario_stage *stage, const tw_path_stress *stress)
{
    switch (tw_path_base(stage)) {
    case TW_SCENARIO_OEDOMETER:
    case TW_SCENARIO_TRIAXIAL:
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_UNDRAINED:
        return stress->s[stage->axis];
    case TW_SCENARIO_SIMPLE_SHEAR:
        return -stress->s[sheared(stage)];
    case TW_SCENARIO_TRUE_TRIAXIAL:
    case TW_SCENARIO_GENERAL:
        return stress->q;
    default:
        return stress->p;
    }
}

double tw_path_ratio(const tw_scenario_stage *stage, const tw_path_stress *stress)
{
    if (tw_path_base(stage) != TW_SCENARIO_SIMPLE_SHEAR)
        return stress->p > 0.0 ? stress->q / stress->p : 0.0;
    const double normal = stress->s[across(stage)];
    return normal > 0.0 ? tw_path_sign(stage) * tw_path_stress_along(stage, stress) / normal : 0.0;
}

double tw_path_cycled(const tw_scenario_stage *stage, const tw_path_stress *stress)
{
    const double along = tw_path_stress_along(stage, stress);
    switch (tw_path_base(stage)) {
    case TW_SCENARIO_TRIAXIAL:
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_UNDRAINED:
        return along - 0.5 * (stress->s[axis_after(stage, 1)] + stress->s[axis_after(stage, 2)]);
    default:
        return along;
    }
}

bool tw_path_is_driven(const tw_scenario_stage *stage)
{
    switch (tw_path_base(stage)) {
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

static double given_or(double given, double now)
{
    return given == TW_SCENARIO_HOLD ? now : given;
}

double tw_path_target(const tw_scenario_stage *stage, const tw_path_stress *now)
{
    switch (tw_path_base(stage)) {
    case TW_SCENARIO_ISOTROPIC:
        return stage->pressure;
    case TW_SCENARIO_TRIAXIAL:
        return given_or(stage->lateral_stress,
                        0.5 * (now->s[axis_after(stage, 1)] + now->s[axis_after(stage, 2)]));
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_TRUE_TRIAXIAL:
        return given_or(stage->pressure, now->p);
    case TW_SCENARIO_SIMPLE_SHEAR:
        if (stage->constant != TW_SCENARIO_NORMAL_STRESS) return nan("");
        return given_or(stage->normal_stress, now->s[across(stage)]);
    default:
        return nan("");
    }
}

/* ---- Rows ---- */

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
    switch (tw_path_base(stage)) {
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
        break; /* an oedometer: the others stand still */
    }
}

/* The strain that goes with q is driven; the stress across its direction in the pi-plane is zero.
 */
static void put_true_triaxial(tw_control *c, const tw_scenario_stage *stage, double rate,
                              double target)
{
    tw_control_row drive = {.mode = TW_CONTROL_RATE, .target = -rate};
    tw_control_row keep = {.mode = TW_CONTROL_STRESS, .target = 0.0};
    for (int k = 0; k < 3; k++) {
        drive.weight[axis_after(stage, k)] = 2.0 / 3.0 * lode_part(stage, k);
        keep.weight[axis_after(stage, k)] = tw_math_sin(stage->lode_angle - 2.0 * PI / 3.0 * k);
    }
    c->row[TW_XX] = drive;
    c->row[TW_YY] = keep;
    c->row[TW_ZZ] = mean_row(TW_CONTROL_STRESS, 1.0 / 3.0, target);
}

static void put_simple_shear(tw_control *c, const tw_scenario_stage *stage, double rate,
                             double target)
{
    const int plane = sheared(stage), normal = across(stage);
    c->simple_shear = 1;
    c->row[plane] = tw_control_rate(plane, rate);
    if (!isnan(target)) c->row[normal] = tw_control_stress(normal, target);
}

/* How fast a set point must go to cover the way in the time given; 0: at once. */
static double speed(double way, double time)
{
    return time > 0.0 ? fabs(way) / time : 0.0;
}

static void put_general(tw_control *c, const tw_scenario_control *wish, const tw_path_stress *now)
{
    c->simple_shear = wish->shear == TW_SCENARIO_SHEAR_SIMPLE;
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_scenario_component *of = &wish->component[k];
        if (isnan(of->stress)) {
            c->row[k] = tw_control_rate(k, isnan(of->rate) ? 0.0 : -of->rate);
            c->row[k].ramp = speed(c->row[k].target - now->rate[k], of->ramp);
        } else {
            c->row[k] = tw_control_stress(k, given_or(of->stress, now->s[k]));
            c->row[k].ramp = speed(c->row[k].target - now->s[k], of->ramp);
        }
    }
}

tw_control tw_path_isotropic(double pressure)
{
    tw_control c = tw_control_default();
    for (int k = 0; k < TW_COMPONENTS; k++)
        c.row[k] = tw_control_stress(k, k < TW_YZ ? pressure : 0.0);
    return c;
}

tw_control tw_path_press(double pressure, double rate)
{
    tw_control c = tw_control_default();
    c.row[TW_XX] = row_of(TW_CONTROL_RATE, TW_XX, 1.0, TW_YY, -1.0, 0.0);
    c.row[TW_YY] = row_of(TW_CONTROL_RATE, TW_YY, 1.0, TW_ZZ, -1.0, 0.0);
    c.row[TW_ZZ] = mean_row(TW_CONTROL_STRESS, 1.0 / 3.0, pressure);
    c.rate_max = sqrt(3.0) * rate; /* the limit is one of the whole tensor */
    return c;
}

tw_control tw_path_shrink(double rate)
{
    tw_control c = tw_control_default();
    for (int k = TW_XX; k <= TW_ZZ; k++)
        c.row[k] = tw_control_rate(k, -rate);
    return c;
}

tw_control tw_path_control(const tw_scenario_stage *stage, double rate, double target, double way,
                           const tw_path_stress *now)
{
    tw_control c = tw_control_default();
    const double signed_rate = way * tw_path_sign(stage) * rate;
    switch (tw_path_base(stage)) {
    case TW_SCENARIO_ISOTROPIC:
        c = tw_path_isotropic(target);
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
