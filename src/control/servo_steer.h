/* SPDX-License-Identifier: BSD-3-Clause */
/* Steering by the servo, as inline code in C11, C++17 and CUDA.
 *
 * The stiffness of the contacts against an affine strain is known, and so is the strain that brings
 * the stress to its set point within a step, except for the non-affine motion of the bodies. That
 * is observed as a drift of stress and assumed to continue. There are no gains to choose.
 *
 * tw_servo_steer_by has the order of the computation. Functions with a number k are for one row or
 * component, so that a device can compute them side by side. */
#ifndef TW_CONTROL_SERVO_STEER_H
#define TW_CONTROL_SERVO_STEER_H

#include <twirl/contact_law.h>

#include "control/equations.h"
#include "step/move_servo.h"
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

/* The two platens across an edge of the cell. Bodies do not follow the cell along it: what presses
 * on the platens is the stress, and their contacts are all that resists them. */
typedef struct tw_servo_steer_platens {
    int32_t there, unused;
    double stress;           /* mean of the forces on both per area [Pa] */
    double elastic, viscous; /* as in tw_stiffness_response [Pa], [Pa s] */
} tw_servo_steer_platens;

/* Numbers on the way to the next strain rates. */
typedef struct tw_servo_steer_work {
    tw_servo_steer_platens platens[3];
    double stress[TW_COMPONENTS];           /* now [Pa] */
    double before[TW_COMPONENTS];           /* strain rates of the last step, */
    double rate[TW_COMPONENTS];             /* and of the next [1/s] */
    double weight[TW_COMPONENTS];           /* tw_equations_weight of a row */
    double set_point_scaled[TW_COMPONENTS]; /* its set point per weight [Pa]; 0 in rate control */
    double set[TW_COMPONENTS];              /* its set point at the end of the step */
    double deviation[TW_COMPONENTS];        /* its deviation, relative to p */
    double stress_floor;                    /* tw_servo_steer_stress_floor [Pa] */
    double volume_gain;                     /* of a row on the volume: (1 - ratio)/(1 + ratio) */
    double pore_pressure;                   /* of the fluid [Pa], */
    double pore_stiffness;                  /* and that of the cell by it [Pa]; 0: no fluid */
    int32_t volume_row;                     /* the row on the volume; -1: there is none */
    int32_t dependent;                      /* the rows are, with this response */
    tw_stiffness_response response;
    tw_equations rows[2]; /* the solution is in the first */
} tw_servo_steer_work;

/* ---- Stress ---- */

/* A component of the symmetric part: shear as the sum of both elements, times `share`. */
TW_INLINE double tw_servo_steer_component(const tw_mat3 *a, double share, int k)
{
    const int row = tw_stiffness_respond_row(k), column = tw_stiffness_respond_column(k);
    return k < TW_YZ ? a->m[4 * k] : share * (a->m[3 * row + column] + a->m[3 * column + row]);
}

/* Strain rates. */
TW_INLINE void tw_servo_steer_rates(const tw_mat3 *gradient, double rate[TW_COMPONENTS])
{
    for (int k = 0; k < TW_COMPONENTS; k++)
        rate[k] = tw_servo_steer_component(gradient, 1.0, k);
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

/* `moment` of the contact forces and `kinetic`, sum of m v (x) v [J]. */
TW_INLINE double tw_servo_steer_stress_at(const tw_mat3 *moment,
                                          const double kinetic[TW_COMPONENTS], double volume, int k)
{
    return (kinetic[k] - tw_servo_steer_component(moment, 0.5, k)) / volume;
}

/* The lower one stays where it is: the upper one moves by the whole strain of the edge, and half of
 * what that changes is in the mean. `sums`: those of tw_touch_wall_set for all walls; NULL: the
 * walls have them. */
TW_INLINE tw_servo_steer_platens tw_servo_steer_platens_at(const tw_cell *cell,
                                                           const tw_wall *walls, const double *sums,
                                                           int edge)
{
    tw_servo_steer_platens platens = {0, 0, 0.0, 0.0, 0.0};
    if (!cell->walled[edge]) return platens;
    const double length = cell->h.m[4 * edge], area = tw_cell_volume(cell) / length;
    double pressed = 0.0, stiffness = 0.0, damping = 0.0; /* of the upper one in the end */
    for (int k = cell->walled[edge] - 1; k <= cell->walled[edge]; k++) {
        const double *sum = sums ? sums + (ptrdiff_t)TW_TILE_ACCUMULATOR * k : NULL;
        const tw_vec3 force = sum ? tw_vec3_make(sum[0], sum[1], sum[2]) : walls[k].force;
        pressed -= tw_vec3_dot(force, walls[k].normal);
        stiffness = sum ? sum[6] : walls[k].stiffness;
        damping = sum ? sum[7] : walls[k].damping;
    }
    platens.there = 1;
    platens.stress = 0.5 * pressed / area;
    platens.elastic = 0.5 * length * stiffness / area;
    /* what resists is not known, after contacts have been set: they stay for a step */
    if (stiffness == 0.0) platens.elastic = 1e6 * fabs(platens.stress);
    platens.viscous = 0.5 * length * TW_MOVE_SERVO_FIRST * damping / area;
    return platens;
}

/* With the stress of platens along edges that have them. */
TW_INLINE void tw_servo_steer_stress(const tw_state *state, const double kinetic[TW_COMPONENTS],
                                     double stress[TW_COMPONENTS])
{
    const double volume = tw_cell_volume(&state->cell);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        stress[k] = tw_servo_steer_stress_at(&state->sums.moment, kinetic, volume, k);
        if (k < 3 && state->cell.walled[k])
            stress[k] = tw_servo_steer_platens_at(&state->cell, state->walls, NULL, k).stress;
    }
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

/* ---- The fluid in the pores ---- */

TW_INLINE double tw_servo_steer_pores(const tw_control_fluid *fluid, double volume)
{
    return tw_math_max(volume - fluid->solid, 1e-9 * fluid->volume);
}

TW_INLINE double tw_servo_steer_pore_pressure(const tw_control_fluid *fluid, double volume)
{
    if (!(fluid->bulk > 0.0)) return 0.0;
    return fluid->pressure + fluid->bulk * tw_math_log((fluid->volume - fluid->solid) /
                                                       tw_servo_steer_pores(fluid, volume));
}

TW_INLINE double tw_servo_steer_pore_stiffness(const tw_control_fluid *fluid, double volume)
{
    if (!(fluid->bulk > 0.0)) return 0.0;
    return fluid->bulk * volume / tw_servo_steer_pores(fluid, volume);
}

/* The part of a set point that the grains carry. */
TW_INLINE double tw_servo_steer_effective(const tw_control_row *row, double set,
                                          double pore_pressure)
{
    if (row->mode != TW_CONTROL_STRESS || pore_pressure == 0.0) return set;
    return set - tw_equations_isotropic(row) * pore_pressure;
}

/* ---- Scales ---- */

/* The stress that a set point asks for. `weight`: tw_equations_weight of the row. */
TW_INLINE double tw_servo_steer_set_point_scaled(const tw_control_row *row, double set,
                                                 double weight)
{
    return row->mode == TW_CONTROL_STRESS ? tw_equations_quotient(fabs(set), weight) : 0.0;
}

/* Scale of stress deviations: p, or the set points as long as there is no stress. */
TW_INLINE double tw_servo_steer_scale(const double scaled[TW_COMPONENTS],
                                      const double stress[TW_COMPONENTS])
{
    double scale = fabs(stress[TW_XX] + stress[TW_YY] + stress[TW_ZZ]) / 3.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        scale = tw_math_max(scale, scaled[k]);
    return scale;
}

/* Stress of a cell with one contact that carries it all, with an overlap of this part of its size.
 */
TW_INLINE double tw_servo_steer_stress_floor(const tw_model *model, double volume, size_t bodies)
{
    const double overlap = 1e-6, size = tw_math_cbrt(volume);
    if (tw_contact_normal_is_linear(model->laws->normal) &&
        !(model->laws->flags & TW_CONTACT_BY_RADIUS))
        return tw_contact_law_normal_force(model->laws, overlap) / size;
    /* grains of about this radius fill the cell */
    const double radius = 0.5 * size / tw_math_cbrt((double)bodies);
    const tw_contact_law law = tw_contact_law_at_inline(model->laws, 0.5 * radius, 0.0, 1.0);
    return tw_contact_law_normal_force(&law, overlap * size) / (size * size);
}

/* ---- Before the equations ---- */

TW_INLINE double tw_servo_steer_toward(double from, double to, double most)
{
    if (!(most > 0.0)) return to;
    return from < to ? tw_math_min(from + most, to) : tw_math_max(from - most, to);
}

/* What is known of row k and component k. The platens are known. */
TW_INLINE void tw_servo_steer_read(const tw_servo *servo, const tw_cell *cell, double dt,
                                   const tw_mat3 *moment, const double kinetic[TW_COMPONENTS],
                                   int k, tw_servo_steer_work *work)
{
    const tw_control_row *row = &servo->request.row[k];
    const tw_control_fluid *fluid = &servo->request.fluid;
    const double pressure = tw_servo_steer_pore_pressure(fluid, tw_cell_volume(cell));
    if (k == TW_XX) {
        work->pore_pressure = pressure;
        work->pore_stiffness = tw_servo_steer_pore_stiffness(fluid, tw_cell_volume(cell));
    }
    work->stress[k] = tw_servo_steer_stress_at(moment, kinetic, tw_cell_volume(cell), k);
    if (k < TW_YZ && work->platens[k].there) work->stress[k] = work->platens[k].stress;
    work->before[k] = tw_servo_steer_component(&cell->gradient, 1.0, k);
    work->weight[k] = tw_equations_weight(row);
    work->set_point_scaled[k] = tw_servo_steer_set_point_scaled(
        row, tw_servo_steer_effective(row, servo->set[k], pressure), work->weight[k]);
    work->set[k] = tw_servo_steer_toward(servo->set[k], row->target, row->ramp * dt);
}

/* Element (i, j) where there are platens, which answer for themselves alone. */
TW_INLINE void tw_servo_steer_respond(tw_servo_steer_work *work, int i, int j)
{
    const int row[2] = {tw_stiffness_respond_row(i), tw_stiffness_respond_row(j)};
    const int column[2] = {tw_stiffness_respond_column(i), tw_stiffness_respond_column(j)};
    int there = 0;
    for (int k = 0; k < 2; k++)
        there |= work->platens[row[k]].there | work->platens[column[k]].there;
    if (!there) return;
    const int own = i == j && i < TW_YZ;
    const int pressed =
        i < TW_YZ && j < TW_YZ && work->platens[i].there; /* by a wider face: less */
    work->response.elastic[i][j] = own       ? work->platens[i].elastic
                                   : pressed ? work->platens[i].stress
                                             : 0.0;
    work->response.viscous[i][j] = own ? work->platens[i].viscous : 0.0;
}

/* Least stiffness: that of a gas at this pressure. Platens are stiff where they are touched at all.
 */
TW_INLINE void tw_servo_steer_stiffen(tw_servo_steer_work *work, int k)
{
    const double scale = tw_servo_steer_scale(work->set_point_scaled, work->stress);
    const double least = tw_math_max(scale, work->stress_floor);
    if (k < TW_YZ && work->platens[k].there)
        work->response.elastic[k][k] = tw_math_max(work->response.elastic[k][k], least);
    else
        tw_stiffness_respond_least(&work->response, k, least);
}

/* The drift. */
TW_INLINE void tw_servo_steer_watch(tw_servo *servo, double dt, int k,
                                    const tw_servo_steer_work *work)
{
    if (!servo->predicted) return;
    const double surprise = (work->stress[k] - servo->expected[k]) / dt;
    servo->drift[k] += TW_MOVE_SERVO_DRIFT * (surprise - servo->drift[k]);
}

/* The stress after a step without strain. */
TW_INLINE double tw_servo_steer_still(const tw_servo *servo, double dt, int k,
                                      const tw_servo_steer_work *work)
{
    return work->stress[k] + dt * servo->drift[k] +
           tw_servo_steer_dot(work->response.viscous[k], work->before);
}

/* How far the stress of row k is from its set point, relative to p. */
TW_INLINE double tw_servo_steer_deviation(const tw_control_row *row, double set, double weight,
                                          double scale, const double stress[TW_COMPONENTS])
{
    if (row->mode != TW_CONTROL_STRESS) return 0.0;
    const double deviation = fabs(tw_servo_steer_dot(row->weight, stress) - set) / weight;
    return deviation > 0.0 ? deviation / scale : 0.0;
}

TW_INLINE void tw_servo_steer_compare(const tw_servo *servo, int k, tw_servo_steer_work *work)
{
    const tw_control_row *row = &servo->request.row[k];
    work->deviation[k] = tw_servo_steer_deviation(
        row, tw_servo_steer_effective(row, servo->set[k], work->pore_pressure), work->weight[k],
        tw_servo_steer_scale(work->set_point_scaled, work->stress), work->stress);
}

/* The largest deviation. */
TW_INLINE double tw_servo_steer_most(const double deviation[TW_COMPONENTS])
{
    double most = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        most = tw_math_max(most, deviation[k]);
    return most;
}

TW_INLINE void tw_servo_steer_judge(tw_servo *servo, double deviation)
{
    if (deviation <= servo->request.tolerance) servo->met = 1;
    if (!servo->met) return;
    servo->worst = tw_math_max(servo->worst, deviation);
    servo->missed += deviation > servo->request.tolerance;
}

/* The set point of the volume, if there is one. The rows are independent: there is one at most. */
TW_INLINE void tw_servo_steer_volume(tw_servo *servo, double volume, double dt,
                                     tw_servo_steer_work *work)
{
    work->volume_row = -1;
    work->volume_gain = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &servo->request.row[k];
        if (!tw_equations_is_volume(row)) continue;
        if (work->set[k] != 0.0)
            servo->volume *= tw_math_exp(dt * work->set[k] / row->weight[TW_XX]);
        const double ratio = servo->volume / volume;
        work->volume_row = k;
        work->volume_gain = (1.0 - ratio) / (1.0 + ratio);
    }
}

/* ---- The equations ---- */

/* A right-hand side of row k. */
TW_INLINE double tw_servo_steer_right(const tw_control_row *row, double scale, double set,
                                      const double still[TW_COMPONENTS], int side)
{
    const int stressed = row->mode == TW_CONTROL_STRESS;
    if (side == TW_EQUATIONS_STRESS)
        return stressed ? scale * (tw_servo_steer_dot(row->weight, still) - set) : 0.0;
    if (side == TW_EQUATIONS_RATE) return stressed ? 0.0 : scale * set;
    return tw_equations_is_volume(row) ? scale : 0.0;
}

TW_INLINE double tw_servo_steer_row_scale(const tw_servo *servo, double dt, int k,
                                          const tw_servo_steer_work *work)
{
    return tw_equations_scale(&servo->request.row[k], work->weight[k],
                              tw_equations_trace(&work->response, dt));
}

/* What row k asks of the grains at the end of the step, were the fluid not strained. */
TW_INLINE double tw_servo_steer_asked(const tw_servo *servo, int k, const tw_servo_steer_work *work)
{
    return tw_servo_steer_effective(&servo->request.row[k], work->set[k], work->pore_pressure);
}

/* Element j on the left-hand side of row k. */
TW_INLINE void tw_servo_steer_fill_left(const tw_servo *servo, double dt, int k, int j,
                                        tw_servo_steer_work *work)
{
    const double scale = tw_servo_steer_row_scale(servo, dt, k, work);
    work->rows[0].left[k][j] = tw_equations_left(&servo->request.row[k], &work->response,
                                                 work->pore_stiffness, dt, scale, j);
}

/* Its right-hand sides. */
TW_INLINE void tw_servo_steer_fill_right(const tw_servo *servo, double dt, int k, int side,
                                         tw_servo_steer_work *work)
{
    const double scale = tw_servo_steer_row_scale(servo, dt, k, work);
    double still[TW_COMPONENTS];
    for (int i = 0; i < TW_COMPONENTS; i++)
        still[i] = tw_servo_steer_still(servo, dt, i, work);
    work->rows[0].right[k][side] = tw_servo_steer_right(
        &servo->request.row[k], scale, tw_servo_steer_asked(servo, k, work), still, side);
}

TW_INLINE int tw_servo_steer_solve(const tw_servo *servo, const tw_stiffness_response *response,
                                   double dt, tw_servo_steer_work *work)
{
    tw_equations *rows = &work->rows[0];
    double still[TW_COMPONENTS];
    for (int k = 0; k < TW_COMPONENTS; k++)
        still[k] = tw_servo_steer_still(servo, dt, k, work);
    tw_equations_fill(rows, &servo->request, response, work->pore_stiffness, dt);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        for (int side = 0; side < TW_EQUATIONS_SIDES; side++)
            rows->right[k][side] =
                tw_servo_steer_right(&servo->request.row[k], rows->scale[k],
                                     tw_servo_steer_asked(servo, k, work), still, side);
    }
    return tw_equations_solve(rows);
}

/* With equal stiffness in every component: the rows are then independent. */
TW_INLINE void tw_servo_steer_solve_plain(const tw_servo *servo, double dt,
                                          tw_servo_steer_work *work)
{
    const tw_stiffness_response *response = &work->response;
    tw_stiffness_response even;
    memset(&even, 0, sizeof even);
    double trace = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        trace += response->elastic[k][k] + response->viscous[k][k] / dt;
    for (int k = 0; k < TW_COMPONENTS; k++)
        even.elastic[k][k] = trace / (double)TW_COMPONENTS;
    tw_servo_steer_solve(servo, &even, dt, work);
}

/* ---- After the equations ---- */

/* Corrects the rates along `give`, which answers a row on the volume, so that the cell ends the
 * step with the required volume. With A = dt/2 grad v the step multiplies it by
 * det(1 + A)/det(1 - A). */
TW_INLINE void tw_servo_steer_keep_volume(const tw_servo *servo, double dt,
                                          const tw_servo_steer_work *work,
                                          const double give[TW_COMPONENTS],
                                          double rate[TW_COMPONENTS])
{
    const double weight = servo->request.row[work->volume_row].weight[TW_XX];
    for (int again = 0; again < 3; again++) { /* each gains a factor |A|^2 */
        const tw_mat3 a =
            tw_mat3_scale(0.5 * dt, tw_servo_steer_gradient(rate, servo->request.simple_shear));
        const double trace = tw_mat3_trace(a);
        const double second = 0.5 * (trace * trace - tw_mat3_trace(tw_mat3_mul(a, a)));
        const double deviation = trace + tw_mat3_det(a) + work->volume_gain * (1.0 + second);
        for (int k = 0; k < TW_COMPONENTS; k++)
            rate[k] -= 2.0 / dt * deviation * weight * give[k];
    }
}

/* The strain rates of the next step. */
TW_INLINE void tw_servo_steer_limit(tw_servo *servo, double dt, tw_servo_steer_work *work)
{
    double rate[TW_COMPONENTS], pull[TW_COMPONENTS], give[TW_COMPONENTS];
    for (int k = 0; k < TW_COMPONENTS; k++) {
        pull[k] = work->rows[0].right[k][TW_EQUATIONS_STRESS];
        give[k] = work->rows[0].right[k][TW_EQUATIONS_VOLUME];
    }
    const double size = tw_servo_steer_size(pull);
    const double share = size > servo->rate_max ? servo->rate_max / size : 1.0;
    servo->limited += share < 1.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        rate[k] = work->rows[0].right[k][TW_EQUATIONS_RATE] + share * pull[k];
    if (work->volume_row >= 0) tw_servo_steer_keep_volume(servo, dt, work, give, rate);
    for (int k = 0; k < TW_COMPONENTS; k++)
        work->rate[k] = rate[k];
}

TW_INLINE void tw_servo_steer_expect(tw_servo *servo, double dt, int k,
                                     const tw_servo_steer_work *work)
{
    const tw_stiffness_response *response = &work->response;
    servo->set[k] = work->set[k];
    servo->expected[k] = work->stress[k] -
                         dt * tw_servo_steer_dot(response->elastic[k], work->rate) -
                         tw_servo_steer_dot(response->viscous[k], work->rate) +
                         tw_servo_steer_dot(response->viscous[k], work->before);
}

TW_INLINE void tw_servo_steer_count(tw_servo *servo)
{
    servo->predicted = 1;
    servo->steps++;
}

/* ---- All of it ---- */

/* The velocity gradient of the next step. `kinetic`: sum of m v (x) v [J]; the stiffness is not
 * stale. */
TW_INLINE void tw_servo_steer_by(tw_servo *servo, const tw_model *model, tw_state *state,
                                 const double kinetic[TW_COMPONENTS])
{
    tw_servo_steer_work work;
    const double volume = tw_cell_volume(&state->cell), dt = state->dt;
    work.response = tw_stiffness_respond(&servo->stiffness, model, state);
    work.stress_floor = tw_servo_steer_stress_floor(model, volume, state->bodies.count);
    for (int k = 0; k < 3; k++)
        work.platens[k] = tw_servo_steer_platens_at(&state->cell, state->walls, NULL, k);
    for (int k = 0; k < TW_COMPONENTS; k++)
        tw_servo_steer_read(servo, &state->cell, dt, &state->sums.moment, kinetic, k, &work);
    for (int i = 0; i < TW_COMPONENTS; i++)
        for (int j = 0; j < TW_COMPONENTS; j++)
            tw_servo_steer_respond(&work, i, j);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        tw_servo_steer_stiffen(&work, k);
        tw_servo_steer_watch(servo, dt, k, &work);
        tw_servo_steer_compare(servo, k, &work);
    }
    tw_servo_steer_judge(servo, tw_servo_steer_most(work.deviation));
    tw_servo_steer_volume(servo, volume, dt, &work);
    if (!tw_servo_steer_solve(servo, &work.response, dt, &work))
        tw_servo_steer_solve_plain(servo, dt, &work);
    tw_servo_steer_limit(servo, dt, &work);
    for (int k = 0; k < TW_COMPONENTS; k++)
        tw_servo_steer_expect(servo, dt, k, &work);
    tw_servo_steer_count(servo);
    state->cell.gradient = tw_servo_steer_gradient(work.rate, servo->request.simple_shear);
}

#endif
