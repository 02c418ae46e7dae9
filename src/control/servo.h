/* SPDX-License-Identifier: BSD-3-Clause */
/* The servo: chooses the velocity gradient of each step so that the rows of a tw_control hold.
 * docs/theory/engine.md has the equations. */
#ifndef TW_CONTROL_SERVO_H
#define TW_CONTROL_SERVO_H

#include <twirl/contact_law.h>
#include <twirl/control.h>

#include "base/hash.h"
#include "control/equations.h"
#include "control/stiffness.h"
#include "world/schedule.h"

typedef struct tw_servo {
    int32_t on;        /* 0: the velocity gradient is given */
    int32_t met;       /* all stresses were within tolerance of their set points */
    int32_t predicted; /* `expected` belongs to the last step */
    int32_t unused;
    tw_control request;             /* as given */
    double set[TW_COMPONENTS];      /* set points of the rows now [1/s] or [Pa] */
    double expected[TW_COMPONENTS]; /* stress after the last step, were all movement affine [Pa] */
    double drift[TW_COMPONENTS];    /* rate of the unpredicted change of stress [Pa/s] */
    double rate_max;                /* in force [1/s] */
    double volume;                  /* set point of a row on the volume [m^3] */
    double worst;                   /* as in tw_control_report, with the counts */
    uint64_t steps, limited, missed;
    tw_stiffness stiffness;
} tw_servo;

/* Sum of m v (x) v of the bodies that are free [J]. */
void tw_servo_kinetic(const tw_bodies *bodies, double sum[TW_COMPONENTS]);

/* Starts a control that has passed tw_equations_check. Contacts and forces must be known. */
void tw_servo_set(tw_servo *servo, const tw_control *control, const tw_model *model,
                  const tw_state *state);

/* Sets the velocity gradient of the next step. */
void tw_servo_steer(tw_servo *servo, const tw_model *model, tw_state *state,
                    const tw_schedule *schedule);

/* The state has changed by other means than steps. */
void tw_servo_forget(tw_servo *servo);

/* `kinetic`: as from tw_servo_kinetic, of a state whose bodies are elsewhere; else NULL. */
tw_control_report tw_servo_report(const tw_servo *servo, const tw_state *state,
                                  const double *kinetic);

void tw_servo_hash(const tw_servo *servo, tw_hash *hash);

/* ---- Steering, as inline code in C11, C++17 and CUDA ----
 *
 * The stiffness of the contacts against an affine strain is known, and so is the strain that brings
 * the stress to its set point within a step, except for the non-affine motion of the bodies. That
 * is observed as a drift of stress and assumed to continue. There are no gains to choose. */

/* Weight of the latest step in the drift: an average over about ten steps. A shorter average would
 * follow faster, but ring where the packing yields much more softly than its contacts. */
#define TW_SERVO_STEER_DRIFT 0.1

/* The symmetric part as components: shear as the sum of both elements, times `share`. */
TW_INLINE void tw_servo_steer_components(const tw_mat3 *a, double share, double out[TW_COMPONENTS])
{
    const double *m = a->m;
    out[TW_XX] = m[0];
    out[TW_YY] = m[4];
    out[TW_ZZ] = m[8];
    out[TW_YZ] = share * (m[5] + m[7]);
    out[TW_XZ] = share * (m[2] + m[6]);
    out[TW_XY] = share * (m[1] + m[3]);
}

/* Adds m v (x) v. */
TW_INLINE void tw_servo_steer_kinetic(double m, tw_vec3 v, double sum[TW_COMPONENTS])
{
    const tw_vec3 mv = tw_vec3_scale(m, v);
    sum[TW_XX] += mv.x * v.x;
    sum[TW_YY] += mv.y * v.y;
    sum[TW_ZZ] += mv.z * v.z;
    sum[TW_YZ] += mv.y * v.z;
    sum[TW_XZ] += mv.x * v.z;
    sum[TW_XY] += mv.x * v.y;
}

/* `kinetic`: sum of m v (x) v [J]. */
TW_INLINE void tw_servo_steer_stress(const tw_state *state, const double kinetic[TW_COMPONENTS],
                                     double stress[TW_COMPONENTS])
{
    double moment[TW_COMPONENTS];
    const double volume = tw_cell_volume(&state->cell);
    tw_servo_steer_components(&state->sums.moment, 0.5, moment);
    for (int k = 0; k < TW_COMPONENTS; k++)
        stress[k] = (kinetic[k] - moment[k]) / volume;
}

TW_INLINE tw_mat3 tw_servo_steer_gradient(const double rate[TW_COMPONENTS], int simple_shear)
{
    const double upper = simple_shear ? 1.0 : 0.5, lower = 1.0 - upper;
    const tw_mat3 gradient = {{rate[TW_XX], upper * rate[TW_XY], upper * rate[TW_XZ], /* */
                               lower * rate[TW_XY], rate[TW_YY], upper * rate[TW_YZ], /* */
                               lower * rate[TW_XZ], lower * rate[TW_YZ], rate[TW_ZZ]}};
    return gradient;
}

TW_INLINE double tw_servo_steer_dot(const double a[TW_COMPONENTS], const double b[TW_COMPONENTS])
{
    double sum = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Root of the sum of the squares of the tensor. */
TW_INLINE double tw_servo_steer_size(const double rate[TW_COMPONENTS])
{
    double sum = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        sum += (k < TW_YZ ? 1.0 : 0.5) * rate[k] * rate[k];
    return sqrt(sum);
}

/* Scale of stress deviations: p, or the set points as long as there is no stress. */
TW_INLINE double tw_servo_steer_scale(const tw_control *control, const double set[TW_COMPONENTS],
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
TW_INLINE double tw_servo_steer_least(const tw_model *model, const tw_state *state, double overlap)
{
    const double size = tw_math_cbrt(tw_cell_volume(&state->cell));
    if (model->laws->normal == TW_CONTACT_LINEAR)
        return tw_contact_law_normal_force(model->laws, overlap) / size;
    /* grains of about this radius fill the cell */
    const double radius = 0.5 * size / tw_math_cbrt((double)state->bodies.count);
    const tw_contact_law law = tw_contact_law_at_inline(model->laws, 0.5 * radius, 0.0);
    return tw_contact_law_normal_force(&law, overlap * size) / (size * size);
}

/* The same, but never zero. */
TW_INLINE double tw_servo_steer_base(const tw_control *control, const tw_model *model,
                                     const tw_state *state, const double set[TW_COMPONENTS],
                                     const double stress[TW_COMPONENTS])
{
    return tw_math_max(tw_servo_steer_scale(control, set, stress),
                       tw_servo_steer_least(model, state, 1e-6));
}

TW_INLINE double tw_servo_steer_toward(double from, double to, double most)
{
    if (!(most > 0.0)) return to;
    return from < to ? tw_math_min(from + most, to) : tw_math_max(from - most, to);
}

/* How far the stresses are from their set points, relative to p. */
TW_INLINE double tw_servo_steer_deviation(const tw_servo *servo, const double stress[TW_COMPONENTS])
{
    const double scale = tw_servo_steer_scale(&servo->request, servo->set, stress);
    double most = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &servo->request.row[k];
        if (row->mode != TW_CONTROL_STRESS) continue;
        const double off = fabs(tw_servo_steer_dot(row->weight, stress) - servo->set[k]) /
                           tw_equations_weight(row);
        if (off > 0.0) most = tw_math_max(most, off / scale);
    }
    return most;
}

TW_INLINE void tw_servo_steer_judge(tw_servo *servo, double deviation)
{
    if (deviation <= servo->request.tolerance) servo->met = 1;
    if (!servo->met) return;
    servo->worst = tw_math_max(servo->worst, deviation);
    servo->missed += deviation > servo->request.tolerance;
}

/* The set points of the end of the step. */
TW_INLINE void tw_servo_steer_move_on(tw_servo *servo, double dt)
{
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &servo->request.row[k];
        servo->set[k] = tw_servo_steer_toward(servo->set[k], row->target, row->ramp * dt);
    }
}

TW_INLINE void tw_servo_steer_watch(tw_servo *servo, const double stress[TW_COMPONENTS], double dt)
{
    if (!servo->predicted) return;
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const double surprise = (stress[k] - servo->expected[k]) / dt;
        servo->drift[k] += TW_SERVO_STEER_DRIFT * (surprise - servo->drift[k]);
    }
}

/* Corrects the rates along `give`, which answers a row on the volume, so that the cell ends the
 * step with the required volume. With A = dt/2 grad v the step multiplies it by
 * det(1 + A)/det(1 - A). */
TW_INLINE void tw_servo_steer_keep_volume(tw_servo *servo, const tw_state *state, double weight,
                                          const double give[TW_COMPONENTS],
                                          double rate[TW_COMPONENTS])
{
    const double ratio = servo->volume / tw_cell_volume(&state->cell);
    const double lack = (1.0 - ratio) / (1.0 + ratio);
    for (int again = 0; again < 3; again++) { /* each gains a factor |A|^2 */
        const tw_mat3 a = tw_mat3_scale(0.5 * state->dt,
                                        tw_servo_steer_gradient(rate, servo->request.simple_shear));
        const double trace = tw_mat3_trace(a);
        const double second = 0.5 * (trace * trace - tw_mat3_trace(tw_mat3_mul(a, a)));
        const double off = trace + tw_mat3_det(a) + lack * (1.0 + second);
        for (int k = 0; k < TW_COMPONENTS; k++)
            rate[k] -= 2.0 / state->dt * off * weight * give[k];
    }
}

/* Solves the equations of the rows. `still`: stress after a step without strain. */
TW_INLINE int tw_servo_steer_solve(const tw_servo *servo, const tw_stiffness_response *response,
                                   const double still[TW_COMPONENTS], double dt, tw_equations *rows)
{
    tw_equations_fill(rows, &servo->request, response, dt);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &servo->request.row[k];
        if (row->mode == TW_CONTROL_STRESS)
            rows->right[k][TW_EQUATIONS_STRESS] =
                rows->scale[k] * (tw_servo_steer_dot(row->weight, still) - servo->set[k]);
        else
            rows->right[k][TW_EQUATIONS_RATE] = rows->scale[k] * servo->set[k];
        rows->right[k][TW_EQUATIONS_VOLUME] = tw_equations_is_volume(row) ? rows->scale[k] : 0.0;
    }
    return tw_equations_solve(rows);
}

/* Equal stiffness in every component: the rows are then independent. */
TW_INLINE tw_stiffness_response tw_servo_steer_plain(const tw_stiffness_response *response,
                                                     double dt)
{
    tw_stiffness_response even;
    memset(&even, 0, sizeof even);
    double trace = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        trace += response->elastic[k][k] + response->viscous[k][k] / dt;
    for (int k = 0; k < TW_COMPONENTS; k++)
        even.elastic[k][k] = trace / TW_COMPONENTS;
    return even;
}

/* Replaces the strain rates of the last step by those of the next. */
TW_INLINE void tw_servo_steer_choose(tw_servo *servo, const tw_state *state,
                                     const tw_stiffness_response *response,
                                     const double stress[TW_COMPONENTS], double rate[TW_COMPONENTS])
{
    const double dt = state->dt;
    double still[TW_COMPONENTS], pull[TW_COMPONENTS], give[TW_COMPONENTS];
    tw_equations rows;
    for (int k = 0; k < TW_COMPONENTS; k++)
        still[k] =
            stress[k] + dt * servo->drift[k] + tw_servo_steer_dot(response->viscous[k], rate);
    if (!tw_servo_steer_solve(servo, response, still, dt, &rows)) {
        const tw_stiffness_response even = tw_servo_steer_plain(response, dt);
        tw_servo_steer_solve(servo, &even, still, dt, &rows);
    }
    for (int k = 0; k < TW_COMPONENTS; k++) {
        pull[k] = rows.right[k][TW_EQUATIONS_STRESS];
        give[k] = rows.right[k][TW_EQUATIONS_VOLUME];
    }
    const double size = tw_servo_steer_size(pull);
    const double share = size > servo->rate_max ? servo->rate_max / size : 1.0;
    servo->limited += share < 1.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        rate[k] = rows.right[k][TW_EQUATIONS_RATE] + share * pull[k];
    for (int k = 0; k < TW_COMPONENTS; k++) {
        if (!tw_equations_is_volume(&servo->request.row[k])) continue;
        const double weight = servo->request.row[k].weight[TW_XX];
        if (servo->set[k] != 0.0) servo->volume *= tw_math_exp(dt * servo->set[k] / weight);
        tw_servo_steer_keep_volume(servo, state, weight, give, rate);
    }
}

/* The velocity gradient of the next step. `kinetic`: sum of m v (x) v [J]; the stiffness is not
 * stale. */
TW_INLINE void tw_servo_steer_by(tw_servo *servo, const tw_model *model, tw_state *state,
                                 const double kinetic[TW_COMPONENTS])
{
    double stress[TW_COMPONENTS], rate[TW_COMPONENTS], before[TW_COMPONENTS];
    tw_servo_steer_stress(state, kinetic, stress);
    tw_servo_steer_components(&state->cell.gradient, 1.0, rate);
    memcpy(before, rate, sizeof before);
    /* Least stiffness: that of a gas at this pressure. */
    const tw_stiffness_response response = tw_stiffness_respond(
        &servo->stiffness, model, state,
        tw_servo_steer_base(&servo->request, model, state, servo->set, stress));
    tw_servo_steer_watch(servo, stress, state->dt);
    tw_servo_steer_judge(servo, tw_servo_steer_deviation(servo, stress));
    tw_servo_steer_move_on(servo, state->dt);
    tw_servo_steer_choose(servo, state, &response, stress, rate);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        servo->expected[k] = stress[k] - state->dt * tw_servo_steer_dot(response.elastic[k], rate) -
                             tw_servo_steer_dot(response.viscous[k], rate) +
                             tw_servo_steer_dot(response.viscous[k], before);
    }
    servo->predicted = 1;
    servo->steps++;
    state->cell.gradient = tw_servo_steer_gradient(rate, servo->request.simple_shear);
}

#endif
