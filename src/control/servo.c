/* SPDX-License-Identifier: BSD-3-Clause */
/* The stiffness of the contacts against an affine strain is known, and so is the strain that brings
 * the stress to its set point within a step, except for the non-affine motion of the bodies. That
 * is observed as a drift of stress and assumed to continue. There are no gains to choose. */
#include "control/servo.h"

#include <stddef.h>
#include <string.h>

#include <twirl/contact_law.h>

#include "base/sum.h"
#include "base/sum_lanes.h"
#include "control/equations.h"

/* Weight of the latest step in the drift: an average over about ten steps. A shorter average would
 * follow faster, but ring where the packing yields much more softly than its contacts. */
static const double drift_weight = 0.1;

/* Inertial number of the default limit of the strain rate: a compression without much inertia. */
static const double inertial_max = 1e-2;

/* ---- Stress and strain rate of the cell ---- */

typedef struct kinetic_context {
    const tw_bodies *bodies;
    size_t size; /* bodies in a tile */
} kinetic_context;

/* Of the bodies of a tile. */
static void kinetic_part(void *context, size_t tile, double *sum)
{
    const kinetic_context *c = context;
    const tw_bodies *b = c->bodies;
    const size_t begin = tile * c->size;
    double lane[TW_COMPONENTS][TW_SUM_LANES] = {{0.0}};
    for (size_t i = begin; i < begin + c->size && i < b->count; i++) {
        const size_t l = (i - begin) % TW_SUM_LANES;
        const double m = b->flags[i] & TW_BODY_FIXED ? 0.0 : b->mass[i];
        const tw_vec3 v = b->v[i], mv = tw_vec3_scale(m, v);
        lane[TW_XX][l] += mv.x * v.x;
        lane[TW_YY][l] += mv.y * v.y;
        lane[TW_ZZ][l] += mv.z * v.z;
        lane[TW_YZ][l] += mv.y * v.z;
        lane[TW_XZ][l] += mv.x * v.z;
        lane[TW_XY][l] += mv.x * v.y;
    }
    for (int k = 0; k < TW_COMPONENTS; k++)
        sum[k] = tw_sum_lanes_join(lane[k]);
}

/* By the tiles of so many bodies, whether or not there are any yet. */
void tw_servo_kinetic(const tw_bodies *bodies, double sum[TW_COMPONENTS])
{
    tw_tiles cut;
    tw_tiles_cut(&cut, bodies->count);
    kinetic_context c = {bodies, cut.size};
    tw_sum_parts(cut.count, TW_COMPONENTS, kinetic_part, &c, NULL, sum);
}

/* The symmetric part as components: shear as the sum of both elements, times `share`. */
static void components_of(const tw_mat3 *a, double share, double out[TW_COMPONENTS])
{
    const double *m = a->m;
    out[TW_XX] = m[0];
    out[TW_YY] = m[4];
    out[TW_ZZ] = m[8];
    out[TW_YZ] = share * (m[5] + m[7]);
    out[TW_XZ] = share * (m[2] + m[6]);
    out[TW_XY] = share * (m[1] + m[3]);
}

static void stress_of(const tw_state *state, double stress[TW_COMPONENTS])
{
    double moment[TW_COMPONENTS];
    const double volume = tw_cell_volume(&state->cell);
    if (state->sums.kinetic_known)
        memcpy(stress, state->sums.kinetic, sizeof state->sums.kinetic);
    else
        tw_servo_kinetic(&state->bodies, stress);
    components_of(&state->sums.moment, 0.5, moment);
    for (int k = 0; k < TW_COMPONENTS; k++)
        stress[k] = (stress[k] - moment[k]) / volume;
}

static tw_mat3 gradient_of(const double rate[TW_COMPONENTS], int simple_shear)
{
    const double upper = simple_shear ? 1.0 : 0.5, lower = 1.0 - upper;
    return (tw_mat3){{rate[TW_XX], upper * rate[TW_XY], upper * rate[TW_XZ], /* */
                      lower * rate[TW_XY], rate[TW_YY], upper * rate[TW_YZ], /* */
                      lower * rate[TW_XZ], lower * rate[TW_YZ], rate[TW_ZZ]}};
}

static double dot(const double a[TW_COMPONENTS], const double b[TW_COMPONENTS])
{
    double sum = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Root of the sum of the squares of the tensor. */
static double size_of(const double rate[TW_COMPONENTS])
{
    double sum = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        sum += (k < TW_YZ ? 1.0 : 0.5) * rate[k] * rate[k];
    return sqrt(sum);
}

/* Scale of stress deviations: p, or the set points as long as there is no stress. */
static double scale_of(const tw_control *control, const double set[TW_COMPONENTS],
                       const double stress[TW_COMPONENTS])
{
    double scale = fabs(stress[TW_XX] + stress[TW_YY] + stress[TW_ZZ]) / 3.0;
    for (int k = 0; k < TW_COMPONENTS; k++) {
        if (control->row[k].mode == TW_CONTROL_STRESS)
            scale = tw_math_max(scale, fabs(set[k]) / tw_equations_weight(&control->row[k]));
    }
    return scale;
}

/* Stress of a cell with one contact that carries it all, with an overlap of this part of its size.
 */
static double least_stress(const tw_model *model, const tw_state *state, double overlap)
{
    const double size = tw_math_cbrt(tw_cell_volume(&state->cell));
    if (model->laws->normal == TW_CONTACT_LINEAR)
        return tw_contact_law_normal_force(model->laws, overlap) / size;
    /* grains of about this radius fill the cell */
    const double radius = 0.5 * size / tw_math_cbrt((double)state->bodies.count);
    const tw_contact_law law = tw_contact_law_at(model->laws, 0.5 * radius, 0.0);
    return tw_contact_law_normal_force(&law, overlap * size) / (size * size);
}

/* The same, but never zero. */
static double base_of(const tw_control *control, const tw_model *model, const tw_state *state,
                      const double set[TW_COMPONENTS], const double stress[TW_COMPONENTS])
{
    return tw_math_max(scale_of(control, set, stress), least_stress(model, state, 1e-6));
}

/* ---- Setting ---- */

static double mean_diameter(const tw_model *model, const tw_state *state)
{
    const tw_bodies *b = &state->bodies;
    double sum = 0.0;
    for (size_t i = 0; i < b->count; i++)
        sum += tw_math_cbrt(6.0 / TW_MATH_PI *
                            tw_shape_volume(&model->shapes[b->shape[i]], b->size[i]));
    return sum / (double)b->count;
}

/* Strain rates prescribed by the rows in rate control. */
static void prescribed(const tw_control *control, double rate[TW_COMPONENTS])
{
    memset(rate, 0, TW_COMPONENTS * sizeof *rate);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &control->row[k];
        if (row->mode != TW_CONTROL_RATE) continue;
        for (int j = 0; j < TW_COMPONENTS; j++)
            rate[j] += row->target * row->weight[j] / dot(row->weight, row->weight);
    }
}

static double limit_of(const tw_control *control, const tw_model *model, const tw_state *state,
                       const double stress[TW_COMPONENTS])
{
    if (control->rate_max > 0.0) return control->rate_max;
    double target[TW_COMPONENTS], rate[TW_COMPONENTS];
    for (int k = 0; k < TW_COMPONENTS; k++)
        target[k] = control->row[k].target;
    prescribed(control, rate);
    const double diameter = mean_diameter(model, state),
                 rho = tw_model_density(model, &state->bodies);
    const double base = base_of(control, model, state, target, stress);
    return tw_math_max(inertial_max * sqrt(base / rho) / diameter, 2.0 * size_of(rate));
}

/* The drift observed under an earlier control is kept: a new control does not stop the motion of
 * the bodies. */
void tw_servo_set(tw_servo *servo, const tw_control *control, const tw_model *model,
                  const tw_state *state)
{
    double stress[TW_COMPONENTS], rate[TW_COMPONENTS];
    stress_of(state, stress);
    components_of(&state->cell.gradient, 1.0, rate);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &control->row[k];
        const double now = dot(row->weight, row->mode == TW_CONTROL_STRESS ? stress : rate);
        servo->set[k] = row->ramp > 0.0 ? now : row->target;
        if (!servo->on) servo->drift[k] = 0.0;
    }
    if (!servo->on) tw_servo_forget(servo);
    servo->on = 1;
    servo->request = *control;
    servo->rate_max = limit_of(control, model, state, stress);
    servo->volume = tw_cell_volume(&state->cell);
    servo->met = 0;
    servo->worst = 0.0;
    servo->steps = servo->limited = servo->missed = 0;
}

void tw_servo_forget(tw_servo *servo)
{
    servo->predicted = 0;
    servo->stiffness.made = 0;
}

/* ---- Steering ---- */

static double toward(double from, double to, double most)
{
    if (!(most > 0.0)) return to;
    return from < to ? tw_math_min(from + most, to) : tw_math_max(from - most, to);
}

/* How far the stresses are from their set points, relative to p. */
static double deviation_of(const tw_servo *servo, const double stress[TW_COMPONENTS])
{
    const double scale = scale_of(&servo->request, servo->set, stress);
    double most = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &servo->request.row[k];
        if (row->mode != TW_CONTROL_STRESS) continue;
        const double off =
            fabs(dot(row->weight, stress) - servo->set[k]) / tw_equations_weight(row);
        if (off > 0.0) most = tw_math_max(most, off / scale);
    }
    return most;
}

static void judge(tw_servo *servo, double deviation)
{
    if (deviation <= servo->request.tolerance) servo->met = 1;
    if (!servo->met) return;
    servo->worst = tw_math_max(servo->worst, deviation);
    servo->missed += deviation > servo->request.tolerance;
}

/* The set points of the end of the step. */
static void move_on(tw_servo *servo, double dt)
{
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &servo->request.row[k];
        servo->set[k] = toward(servo->set[k], row->target, row->ramp * dt);
    }
}

static void watch(tw_servo *servo, const double stress[TW_COMPONENTS], double dt)
{
    if (!servo->predicted) return;
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const double surprise = (stress[k] - servo->expected[k]) / dt;
        servo->drift[k] += drift_weight * (surprise - servo->drift[k]);
    }
}

/* Corrects the rates along `give`, which answers a row on the volume, so that the cell ends the
 * step with the required volume. With A = dt/2 grad v the step multiplies it by
 * det(1 + A)/det(1 - A). */
static void keep_volume(tw_servo *servo, const tw_state *state, double weight,
                        const double give[TW_COMPONENTS], double rate[TW_COMPONENTS])
{
    const double ratio = servo->volume / tw_cell_volume(&state->cell);
    const double lack = (1.0 - ratio) / (1.0 + ratio);
    for (int again = 0; again < 3; again++) { /* each gains a factor |A|^2 */
        const tw_mat3 a =
            tw_mat3_scale(0.5 * state->dt, gradient_of(rate, servo->request.simple_shear));
        const double trace = tw_mat3_trace(a);
        const double second = 0.5 * (trace * trace - tw_mat3_trace(tw_mat3_mul(a, a)));
        const double off = trace + tw_mat3_det(a) + lack * (1.0 + second);
        for (int k = 0; k < TW_COMPONENTS; k++)
            rate[k] -= 2.0 / state->dt * off * weight * give[k];
    }
}

/* Solves the equations of the rows. `still`: stress after a step without strain. */
static int solve(const tw_servo *servo, const tw_stiffness_response *response,
                 const double still[TW_COMPONENTS], double dt, tw_equations *rows)
{
    tw_equations_fill(rows, &servo->request, response, dt);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &servo->request.row[k];
        if (row->mode == TW_CONTROL_STRESS)
            rows->right[k][TW_EQUATIONS_STRESS] =
                rows->scale[k] * (dot(row->weight, still) - servo->set[k]);
        else
            rows->right[k][TW_EQUATIONS_RATE] = rows->scale[k] * servo->set[k];
        rows->right[k][TW_EQUATIONS_VOLUME] = tw_equations_is_volume(row) ? rows->scale[k] : 0.0;
    }
    return tw_equations_solve(rows);
}

/* Equal stiffness in every component: the rows are then independent. */
static tw_stiffness_response plain(const tw_stiffness_response *response, double dt)
{
    tw_stiffness_response even = {{{0.0}}, {{0.0}}};
    double trace = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        trace += response->elastic[k][k] + response->viscous[k][k] / dt;
    for (int k = 0; k < TW_COMPONENTS; k++)
        even.elastic[k][k] = trace / TW_COMPONENTS;
    return even;
}

/* Replaces the strain rates of the last step by those of the next. */
static void choose(tw_servo *servo, const tw_state *state, const tw_stiffness_response *response,
                   const double stress[TW_COMPONENTS], double rate[TW_COMPONENTS])
{
    const double dt = state->dt;
    double still[TW_COMPONENTS], pull[TW_COMPONENTS], give[TW_COMPONENTS];
    tw_equations rows;
    for (int k = 0; k < TW_COMPONENTS; k++)
        still[k] = stress[k] + dt * servo->drift[k] + dot(response->viscous[k], rate);
    if (!solve(servo, response, still, dt, &rows)) {
        const tw_stiffness_response even = plain(response, dt);
        solve(servo, &even, still, dt, &rows);
    }
    for (int k = 0; k < TW_COMPONENTS; k++) {
        pull[k] = rows.right[k][TW_EQUATIONS_STRESS];
        give[k] = rows.right[k][TW_EQUATIONS_VOLUME];
    }
    const double size = size_of(pull);
    const double share = size > servo->rate_max ? servo->rate_max / size : 1.0;
    servo->limited += share < 1.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        rate[k] = rows.right[k][TW_EQUATIONS_RATE] + share * pull[k];
    for (int k = 0; k < TW_COMPONENTS; k++) {
        if (!tw_equations_is_volume(&servo->request.row[k])) continue;
        const double weight = servo->request.row[k].weight[TW_XX];
        if (servo->set[k] != 0.0) servo->volume *= tw_math_exp(dt * servo->set[k] / weight);
        keep_volume(servo, state, weight, give, rate);
    }
}

void tw_servo_steer(tw_servo *servo, const tw_model *model, tw_state *state,
                    const tw_schedule *schedule)
{
    if (!servo->on) return;
    double stress[TW_COMPONENTS], rate[TW_COMPONENTS], before[TW_COMPONENTS];
    stress_of(state, stress);
    components_of(&state->cell.gradient, 1.0, rate);
    memcpy(before, rate, sizeof before);
    tw_stiffness_refresh(&servo->stiffness, model, state, schedule);
    /* Least stiffness: that of a gas at this pressure. */
    const tw_stiffness_response response =
        tw_stiffness_respond(&servo->stiffness, model, state,
                             base_of(&servo->request, model, state, servo->set, stress));
    watch(servo, stress, state->dt);
    judge(servo, deviation_of(servo, stress));
    move_on(servo, state->dt);
    choose(servo, state, &response, stress, rate);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        servo->expected[k] = stress[k] - state->dt * dot(response.elastic[k], rate) -
                             dot(response.viscous[k], rate) + dot(response.viscous[k], before);
    }
    servo->predicted = 1;
    servo->steps++;
    state->cell.gradient = gradient_of(rate, servo->request.simple_shear);
}

/* ---- Report ---- */

static tw_control_status status_of(const tw_servo *servo, double deviation)
{
    int stressed = 0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        stressed |= servo->request.row[k].mode == TW_CONTROL_STRESS;
    if (!stressed) return TW_CONTROL_OFF;
    if (deviation <= servo->request.tolerance) return TW_CONTROL_HOLDING;
    return servo->met ? TW_CONTROL_MISSING : TW_CONTROL_APPROACHING;
}

tw_control_report tw_servo_report(const tw_servo *servo, const tw_state *state)
{
    tw_control_report report = {0};
    double rate[TW_COMPONENTS];
    const double *stress = report.stress;
    stress_of(state, report.stress);
    if (!servo->on) return report;
    components_of(&state->cell.gradient, 1.0, rate);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &servo->request.row[k];
        report.set[k] = servo->set[k];
        report.value[k] = dot(row->weight, row->mode == TW_CONTROL_STRESS ? stress : rate);
        report.ramping |= servo->set[k] != row->target;
    }
    report.deviation = deviation_of(servo, stress);
    report.worst = servo->met ? tw_math_max(servo->worst, report.deviation) : 0.0;
    report.status = status_of(servo, report.deviation);
    report.steps = servo->steps;
    report.limited = servo->limited;
    report.missed = servo->missed;
    report.rate_max = servo->rate_max;
    return report;
}

#define ADD(hash, member) tw_hash_add(hash, &(member), sizeof(member))

void tw_servo_hash(const tw_servo *servo, tw_hash *hash)
{
    ADD(hash, servo->on);
    if (!servo->on) return;
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &servo->request.row[k];
        ADD(hash, row->mode);
        ADD(hash, row->weight);
        ADD(hash, row->target);
        ADD(hash, row->ramp);
    }
    ADD(hash, servo->request.simple_shear);
    ADD(hash, servo->request.tolerance);
    ADD(hash, servo->met);
    ADD(hash, servo->predicted);
    ADD(hash, servo->set);
    ADD(hash, servo->expected);
    ADD(hash, servo->drift);
    ADD(hash, servo->rate_max);
    ADD(hash, servo->volume);
    const tw_stiffness *stiffness = &servo->stiffness;
    tw_hash_add(hash, stiffness, offsetof(tw_stiffness, kt));
    if (!(stiffness->kt > 0.0) && !(stiffness->nu_n > 0.0) && !(stiffness->nu_t > 0.0)) return;
    ADD(hash, stiffness->kt);
    ADD(hash, stiffness->nu_n);
    ADD(hash, stiffness->nu_t);
}
