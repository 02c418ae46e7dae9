/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/loading.h"

#include <math.h>
#include <string.h>
#include <twirl/math.h>

void tw_run_loading_components(const tw_mat3 *gradient, double out[TW_COMPONENTS])
{
    const double *m = gradient->m;
    out[TW_XX] = m[0];
    out[TW_YY] = m[4];
    out[TW_ZZ] = m[8];
    out[TW_YZ] = m[5] + m[7];
    out[TW_XZ] = m[2] + m[6];
    out[TW_XY] = m[1] + m[3];
}

tw_run_loading_stress tw_run_loading_stress_from(const double stress[TW_COMPONENTS],
                                                 const tw_mat3 *gradient)
{
    tw_run_loading_stress t;
    memcpy(t.s, stress, sizeof t.s);
    t.p = (t.s[TW_XX] + t.s[TW_YY] + t.s[TW_ZZ]) / 3.0;
    double sum = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const double part = k < TW_YZ ? t.s[k] - t.p : t.s[k];
        sum += (k < TW_YZ ? 1.0 : 2.0) * part * part;
    }
    t.q = sqrt(1.5 * sum);
    tw_run_loading_components(gradient, t.rate);
    return t;
}

static int32_t along_of(const tw_scenario_stage *stage)
{
    return tw_scenario_stage_traits(stage).along;
}

double tw_run_loading_sign(const tw_scenario_stage *stage)
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

/* The axis of the smallest stress at the Lode angle. */
static int minor_axis(const tw_scenario_stage *stage)
{
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (lode_part(stage, k) <= lode_part(stage, least)) least = k;
    return axis_after(stage, least);
}

/* Across the axis; the smallest stress in true triaxial loading. */
static double lateral(const tw_scenario_stage *stage, const tw_run_loading_stress *stress)
{
    if (along_of(stage) == TW_SCENARIO_ALONG_LODE_ANGLE) return stress->s[minor_axis(stage)];
    return tw_scenario_lateral_stress(stage, stage->axis, stress->s);
}

double tw_run_loading_path_strain(const tw_scenario_stage *stage,
                                  const double strain[TW_COMPONENTS])
{
    double sum = 0.0;
    switch (along_of(stage)) {
    case TW_SCENARIO_ALONG_AXIS:
        return strain[stage->axis];
    case TW_SCENARIO_ALONG_PLANE: /* forward shear is negative as compression */
        return -strain[shear_component(stage)];
    case TW_SCENARIO_ALONG_LODE_ANGLE:
        for (int k = 0; k < 3; k++)
            sum += 2.0 / 3.0 * lode_part(stage, k) * strain[axis_after(stage, k)];
        return sum;
    case TW_SCENARIO_ALONG_COMPONENTS:
        return strain[tw_scenario_stage_followed(stage)];
    default:
        return strain[TW_XX] + strain[TW_YY] + strain[TW_ZZ];
    }
}

double tw_run_loading_q(const tw_scenario_stage *stage, const tw_run_loading_stress *stress)
{
    double sum = 0.0;
    int k;
    switch (stage ? along_of(stage) : TW_SCENARIO_ALONG_VOLUME) {
    case TW_SCENARIO_ALONG_AXIS:
        sum = stress->s[stage->axis] - lateral(stage, stress);
        return tw_scenario_stage_traits(stage).path == TW_SCENARIO_PLANE_STRAIN
                   ? copysign(stress->q, sum)
                   : sum;
    case TW_SCENARIO_ALONG_LODE_ANGLE:
        for (k = 0; k < 3; k++)
            sum += lode_part(stage, k) * stress->s[axis_after(stage, k)];
        return sum;
    case TW_SCENARIO_ALONG_COMPONENTS:
        k = tw_scenario_stage_followed(stage);
        return copysign(stress->q, k < TW_YZ ? stress->s[k] - stress->p : stress->s[k]);
    default:
        return stress->q;
    }
}

double tw_run_loading_path_stress(const tw_scenario_stage *stage,
                                  const tw_run_loading_stress *stress)
{
    switch (along_of(stage)) {
    case TW_SCENARIO_ALONG_AXIS:
        return stress->s[stage->axis];
    case TW_SCENARIO_ALONG_PLANE:
        return -stress->s[shear_component(stage)];
    case TW_SCENARIO_ALONG_VOLUME:
        return stress->p;
    case TW_SCENARIO_ALONG_COMPONENTS:
        return stress->s[tw_scenario_stage_followed(stage)];
    default:
        return tw_run_loading_q(stage, stress);
    }
}

double tw_run_loading_end_stress(const tw_scenario_stage *stage,
                                 const tw_run_loading_stress *stress)
{
    const tw_scenario_traits t = tw_scenario_stage_traits(stage);
    const double along = tw_run_loading_path_stress(stage, stress);
    const bool has_sign = t.along == TW_SCENARIO_ALONG_PLANE && !t.cyclic;
    return has_sign ? tw_run_loading_sign(stage) * along : along;
}

double tw_run_loading_ratio(const tw_scenario_stage *stage, const tw_run_loading_stress *stress)
{
    if (along_of(stage) != TW_SCENARIO_ALONG_PLANE)
        return stress->p > 0.0 ? tw_run_loading_q(stage, stress) / stress->p : 0.0;
    const double normal = stress->s[normal_component(stage)];
    return normal > 0.0
               ? tw_run_loading_sign(stage) * tw_run_loading_path_stress(stage, stress) / normal
               : 0.0;
}

double tw_run_loading_mobilised(const tw_scenario_stage *stage, const tw_run_loading_stress *stress)
{
    const double ratio = tw_run_loading_ratio(stage, stress);
    return along_of(stage) == TW_SCENARIO_ALONG_AXIS ? tw_run_loading_sign(stage) * ratio : ratio;
}

double tw_run_loading_cycled(const tw_scenario_stage *stage, const tw_run_loading_stress *stress)
{
    const tw_scenario_traits t = tw_scenario_stage_traits(stage);
    const double along = tw_run_loading_path_stress(stage, stress);
    const bool axial = t.along == TW_SCENARIO_ALONG_AXIS;
    const bool by_q = axial && t.keeps != TW_SCENARIO_KEEPS_LATERAL_STRAIN;
    return by_q ? along - lateral(stage, stress) : along;
}

double tw_run_loading_confining(const tw_scenario_stage *stage, const tw_run_loading_stress *stress)
{
    const tw_scenario_traits t = tw_scenario_stage_traits(stage);
    if (t.keeps != TW_SCENARIO_KEEPS_VOLUME) return (double)NAN;
    return t.along == TW_SCENARIO_ALONG_PLANE ? stress->s[normal_component(stage)]
                                              : lateral(stage, stress);
}

static double value_or(double given, double now)
{
    return given == TW_SCENARIO_HOLD ? now : given;
}

bool tw_run_loading_has_fluid(const tw_scenario_stage *stage)
{
    return stage->fluid.bulk > 0.0;
}

double tw_run_loading_target(const tw_scenario_stage *stage, const tw_run_loading_stress *now,
                             double pore_pressure)
{
    switch (tw_scenario_stage_traits(stage).keeps) {
    case TW_SCENARIO_KEEPS_PRESSURE:
        return stage->pressure;
    case TW_SCENARIO_KEEPS_LATERAL_STRESS:
        return value_or(stage->lateral_stress, lateral(stage, now));
    case TW_SCENARIO_KEEPS_MEAN_STRESS:
        return value_or(stage->pressure, now->p);
    case TW_SCENARIO_KEEPS_NORMAL_STRESS:
        return value_or(stage->normal_stress, now->s[normal_component(stage)]);
    case TW_SCENARIO_KEEPS_VOLUME:
        return tw_run_loading_has_fluid(stage)
                   ? tw_run_loading_confining(stage, now) + pore_pressure
                   : nan("");
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

/* What the servo is asked for. `rate` has the sign of the direction of loading. */
typedef struct request {
    const tw_scenario_stage *stage;
    double rate, target;
    const tw_run_loading_stress *now;
} request;

static void put_isotropic(tw_control *c, const request *r)
{
    *c = tw_run_loading_isotropic(r->target);
    c->rate_max = r->rate;
}

/* Without lateral strain: all other rates are 0. */
static void put_oedometer(tw_control *c, const request *r)
{
    c->row[r->stage->axis] = tw_control_rate(r->stage->axis, -r->rate);
}

static void put_triaxial(tw_control *c, const request *r)
{
    const int x = axis_after(r->stage, 1), y = axis_after(r->stage, 2);
    put_oedometer(c, r);
    c->row[x] = tw_control_stress(x, r->target);
    c->row[y] = tw_control_stress(y, r->target);
}

static void put_plane_strain(tw_control *c, const request *r)
{
    const int y = axis_after(r->stage, 2);
    put_oedometer(c, r);
    c->row[y] = tw_control_stress(y, r->target);
}

static void put_constant_p(tw_control *c, const request *r)
{
    const int x = axis_after(r->stage, 1), y = axis_after(r->stage, 2);
    put_oedometer(c, r);
    c->row[x] = row_of(TW_CONTROL_STRESS, x, 1.0, y, -1.0, 0.0);
    c->row[y] = mean_row(TW_CONTROL_STRESS, 1.0 / 3.0, r->target);
}

static void put_undrained(tw_control *c, const request *r)
{
    const int x = axis_after(r->stage, 1), y = axis_after(r->stage, 2);
    put_oedometer(c, r);
    c->row[x] = row_of(TW_CONTROL_RATE, x, 1.0, y, -1.0, 0.0);
    c->row[y] = isnan(r->target) ? mean_row(TW_CONTROL_RATE, 1.0, 0.0)
                                 : row_of(TW_CONTROL_STRESS, x, 0.5, y, 0.5, r->target);
}

/* Drives the strain conjugate to q and keeps the stress normal to its direction in the pi-plane
 * zero, and p or the smallest stress. */
static void put_true_triaxial(tw_control *c, const request *r)
{
    const tw_scenario_stage *stage = r->stage;
    tw_control_row drive = {.mode = TW_CONTROL_RATE, .target = -r->rate};
    tw_control_row keep = {.mode = TW_CONTROL_STRESS, .target = 0.0};
    for (int k = 0; k < 3; k++) {
        drive.weight[axis_after(stage, k)] = 2.0 / 3.0 * lode_part(stage, k);
        keep.weight[axis_after(stage, k)] =
            tw_math_sin(stage->lode_angle - 2.0 * TW_MATH_PI / 3.0 * k);
    }
    c->row[TW_XX] = drive;
    c->row[TW_YY] = keep;
    c->row[TW_ZZ] = stage->constant == TW_SCENARIO_S3_CONSTANT
                        ? tw_control_stress(minor_axis(stage), r->target)
                        : mean_row(TW_CONTROL_STRESS, 1.0 / 3.0, r->target);
}

/* The direction of a stress path in the space of stresses, a unit vector. */
static void stress_direction(const request *r, double t[TW_COMPONENTS])
{
    const tw_scenario_stage *stage = r->stage;
    const tw_run_loading_stress *now = r->now;
    double dp = 1.0, dq = stage->dq_dp, square = 0.0;
    if (!isnan(stage->eta)) { /* to the point p, q at its end */
        dp = stage->end.pressure - now->p;
        dq = stage->eta * stage->end.pressure - (now->s[stage->axis] - lateral(stage, now));
    }
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const double given = stage->increments.component[k];
        t[k] = isnan(given) ? 0.0 : given;
        if (!isnan(dq)) t[k] = k < TW_YZ ? dp + (k == stage->axis ? 2.0 : -1.0) / 3.0 * dq : 0.0;
        square += t[k] * t[k];
    }
    for (int k = 0; k < TW_COMPONENTS; k++)
        t[k] = square > 0.0 ? t[k] / sqrt(square) : (double)(k == stage->axis);
}

/* Drives the strain conjugate to the stress along the path, so that it goes on past the strength of
 * the specimen, and keeps the stresses across it. */
static void put_stress_path(tw_control *c, const request *r)
{
    double t[TW_COMPONENTS];
    int most = 0;
    stress_direction(r, t);
    for (int k = 0; k < TW_COMPONENTS; k++)
        if (fabs(t[k]) > fabs(t[most])) most = k;
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const double share = t[k] / t[most], *s = r->now->s;
        if (k != most && (k < TW_YZ || !isnan(r->stage->increments.component[k])))
            c->row[k] = row_of(TW_CONTROL_STRESS, k, 1.0, most, -share, s[k] - share * s[most]);
    }
    c->row[most] = (tw_control_row){.mode = TW_CONTROL_RATE, .target = -r->rate};
    memcpy(c->row[most].weight, t, sizeof t);
}

static void put_simple_shear(tw_control *c, const request *r)
{
    const int plane = shear_component(r->stage), normal = normal_component(r->stage);
    c->simple_shear = 1;
    c->row[plane] = tw_control_rate(plane, r->rate);
    if (!isnan(r->target)) c->row[normal] = tw_control_stress(normal, r->target);
}

static void put_relax(tw_control *c, const request *r)
{
    const bool held =
        r->stage->path == TW_SCENARIO_CREEP || r->stage->hold == TW_SCENARIO_HOLD_STRESS;
    for (int k = 0; held && k < TW_COMPONENTS; k++)
        c->row[k] = tw_control_stress(k, r->now->s[k]);
}

/* Rate at which a set point covers `distance` in the time or strain of the ramp; 0: immediately. */
static double ramp_rate(const tw_scenario_component *part, double distance, double rate)
{
    const double time = isnan(part->ramp_strain) ? part->ramp : part->ramp_strain / rate;
    return time > 0.0 ? fabs(distance) / time : 0.0;
}

static void put_general(tw_control *c, const request *r)
{
    const tw_scenario_control *requested = &r->stage->control;
    const tw_run_loading_stress *now = r->now;
    const double along = requested->component[tw_scenario_stage_followed(r->stage)].rate;
    const double factor = isnan(r->stage->inertial_number) ? 1.0 : r->rate / fabs(along);
    c->simple_shear = requested->shear == TW_SCENARIO_SHEAR_SIMPLE;
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_scenario_component *part = &requested->component[k];
        if (isnan(part->stress)) {
            c->row[k] = tw_control_rate(k, isnan(part->rate) ? 0.0 : -factor * part->rate);
            c->row[k].ramp = ramp_rate(part, c->row[k].target - now->rate[k], r->rate);
        } else {
            c->row[k] = tw_control_stress(k, value_or(part->stress, now->s[k]));
            c->row[k].ramp = ramp_rate(part, c->row[k].target - now->s[k], r->rate);
        }
    }
}

tw_control tw_run_loading_isotropic(double pressure)
{
    tw_control c = tw_control_default();
    for (int k = 0; k < TW_COMPONENTS; k++)
        c.row[k] = tw_control_stress(k, k < TW_YZ ? pressure : 0.0);
    return c;
}

tw_control tw_run_loading_press(double pressure, double rate)
{
    tw_control c = tw_control_default();
    c.row[TW_XX] = row_of(TW_CONTROL_RATE, TW_XX, 1.0, TW_YY, -1.0, 0.0);
    c.row[TW_YY] = row_of(TW_CONTROL_RATE, TW_YY, 1.0, TW_ZZ, -1.0, 0.0);
    c.row[TW_ZZ] = mean_row(TW_CONTROL_STRESS, 1.0 / 3.0, pressure);
    c.rate_max = sqrt(3.0) * rate; /* the limit is on the norm of the tensor */
    return c;
}

tw_control tw_run_loading_shrink(double rate)
{
    tw_control c = tw_control_default();
    for (int k = TW_XX; k <= TW_ZZ; k++)
        c.row[k] = tw_control_rate(k, -rate);
    return c;
}

bool tw_run_loading_control(const tw_scenario_stage *stage, double rate, double target,
                            double direction, const tw_run_loading_stress *now, tw_control *control)
{
    static void (*const put[])(tw_control *, const request *) = {
        [TW_SCENARIO_ISOTROPIC] = put_isotropic,
        [TW_SCENARIO_OEDOMETER] = put_oedometer,
        [TW_SCENARIO_TRIAXIAL] = put_triaxial,
        [TW_SCENARIO_PLANE_STRAIN] = put_plane_strain,
        [TW_SCENARIO_CONSTANT_P] = put_constant_p,
        [TW_SCENARIO_TRUE_TRIAXIAL] = put_true_triaxial,
        [TW_SCENARIO_UNDRAINED] = put_undrained,
        [TW_SCENARIO_SIMPLE_SHEAR] = put_simple_shear,
        [TW_SCENARIO_STRESS_PATH] = put_stress_path,
        [TW_SCENARIO_CREEP] = put_relax,
        [TW_SCENARIO_RELAX] = put_relax,
        [TW_SCENARIO_GENERAL] = put_general,
    };
    const request r = {stage, direction * tw_run_loading_sign(stage) * rate, target, now};
    const size_t path = (size_t)tw_scenario_stage_traits(stage).path;
    if (path >= sizeof put / sizeof *put || !put[path]) return false;
    *control = tw_control_default();
    put[path](control, &r);
    for (int k = TW_YZ; stage->shear_stress == TW_SCENARIO_SHEAR_ZERO && k < TW_COMPONENTS; k++)
        if (isnan(stage->increments.component[k])) control->row[k] = tw_control_stress(k, 0.0);
    return true;
}
