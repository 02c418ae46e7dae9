/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/servo.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include <twirl/control.h>
#include <twirl/math.h>

#include "base/error.h"
#include "base/sum.h"
#include "control/equations.h"
#include "control/stiffness.h"

/* Constructors of controls. */

static tw_control_row row_of(int32_t mode, int component, double target)
{
    tw_control_row row = {mode, {0.0}, target, 0.0};
    /* Without a weight the row is refused by tw_sim_set_control. */
    if (component >= 0 && component < TW_COMPONENTS) row.weight[component] = 1.0;
    return row;
}

tw_control_row tw_control_rate(int component, double rate)
{
    return row_of(TW_CONTROL_RATE, component, rate);
}

tw_control_row tw_control_stress(int component, double stress)
{
    return row_of(TW_CONTROL_STRESS, component, stress);
}

tw_control tw_control_default(void)
{
    tw_control control = {.struct_size = sizeof control, .tolerance = 1e-3};
    for (int k = 0; k < TW_COMPONENTS; k++)
        control.row[k] = tw_control_rate(k, 0.0);
    return control;
}

tw_vec3 tw_control_principal(double p, double q, double lode)
{
    const double third = 2.0 * TW_MATH_PI / 3.0, size = 2.0 / 3.0 * q;
    return tw_vec3_make(p + size * tw_math_cos(lode), p + size * tw_math_cos(lode - third),
                        p + size * tw_math_cos(lode + third));
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

static const char *fluid_wrong(const tw_control_fluid *fluid)
{
    if (!(fluid->bulk >= 0.0 && isfinite(fluid->bulk)))
        return "bulk must be 0 (no fluid) or positive";
    if (fluid->bulk == 0.0) return NULL;
    if (!isfinite(fluid->pressure)) return "pressure must be finite";
    if (!(fluid->solid >= 0.0 && fluid->volume > fluid->solid && isfinite(fluid->volume)))
        return "volume must be that of the cell, and solid below it";
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
    const char *wrong = fluid_wrong(&control->fluid);
    if (wrong) return tw_error_set(error, TW_STATUS_INPUT, "control: fluid: %s", wrong);
    tw_stiffness_response one = {{{0.0}}, {{0.0}}};
    for (int k = 0; k < TW_COMPONENTS; k++)
        one.elastic[k][k] = 1.0;
    tw_equations rows;
    tw_equations_fill(&rows, control, &one, 0.0, 1.0);
    if (tw_equations_solve(&rows)) return TW_STATUS_OK;
    return tw_error_set(
        error, TW_STATUS_INPUT,
        "control: the six rows must be independent: each component controlled once, "
        "in rate or in stress");
}

typedef struct stiffness_context {
    const tw_model *model;
    const tw_state *state;
    const tw_schedule *schedule;
} stiffness_context;

/* `lane` has `width` sums for each lane. */
static void join_lanes(const double *lane, int width, double *sum)
{
    for (int k = 0; k < width; k++) {
        double of[TW_SUM_LANES];
        for (int l = 0; l < TW_SUM_LANES; l++)
            of[l] = lane[l * width + k];
        sum[k] = tw_sum_lanes_join(of);
    }
}

/* Sums over the contacts of the spheres of a tile. */
static void contact_part(void *context, size_t number, double *sum)
{
    const stiffness_context *c = context;
    const tw_tile *tile = &c->schedule->tiles.tile[number];
    const int uniform = tw_model_is_uniform(c->model);
    double lane[TW_SUM_LANES][TW_STIFFNESS_SUMS] = {{0.0}};
    for (uint32_t slot = tile->slot; slot < tile->slot + tile->slots; slot++) {
        if (c->schedule->slots.pair[slot] == TW_NO_PAIR) continue;
        const tw_stiffness_sum_contact one =
            tw_stiffness_sum_find(c->model, c->state, c->schedule, uniform, slot);
        tw_stiffness_sum_add(&one, uniform, lane[slot % TW_SUM_LANES]);
    }
    join_lanes(lane[0], TW_STIFFNESS_SUMS, sum);
}

void tw_stiffness_refresh(tw_stiffness *stiffness, const tw_model *model, const tw_state *state,
                          const tw_schedule *schedule)
{
    if (!tw_stiffness_is_stale(stiffness, state)) return;
    double sum[TW_STIFFNESS_SUMS];
    stiffness_context c = {model, state, schedule};
    tw_sum_parts(schedule->tiles.count, TW_STIFFNESS_SUMS, contact_part, &c, NULL, sum);
    tw_stiffness_sum_set(stiffness, state, sum);
}

/* Inertial number of the default limit of the strain rate: a compression without much inertia. */
static const double inertial_max = 1e-2;

/* ---- Stress of the cell ---- */

typedef struct kinetic_context {
    const tw_bodies *bodies;
    size_t size; /* bodies in a tile */
} kinetic_context;

/* Sums over the bodies of a tile. */
static void kinetic_part(void *context, size_t tile, double *sum)
{
    const kinetic_context *c = context;
    const tw_bodies *b = c->bodies;
    const size_t begin = tile * c->size;
    double lane[TW_SUM_LANES][TW_COMPONENTS] = {{0.0}};
    for (size_t i = begin; i < begin + c->size && i < b->count; i++)
        tw_servo_steer_kinetic(b->flags[i] & TW_BODY_FIXED ? 0.0 : b->mass[i], b->v[i],
                               lane[(i - begin) % TW_SUM_LANES]);
    join_lanes(lane[0], TW_COMPONENTS, sum);
}

/* By the tiles of so many bodies, whether or not there are any yet. */
void tw_servo_kinetic(const tw_bodies *bodies, double sum[TW_COMPONENTS])
{
    tw_tiles cut;
    tw_tiles_cut(&cut, bodies->count);
    kinetic_context c = {bodies, cut.size};
    tw_sum_parts(cut.count, TW_COMPONENTS, kinetic_part, &c, NULL, sum);
}

static void stress_of(const tw_state *state, double stress[TW_COMPONENTS])
{
    double kinetic[TW_COMPONENTS];
    tw_servo_kinetic(&state->bodies, kinetic);
    tw_servo_steer_stress(state, kinetic, stress);
}

/* What a row controls, now. */
static double value_of(const tw_control_row *row, const double stress[TW_COMPONENTS],
                       const double rate[TW_COMPONENTS], double pore_pressure)
{
    if (row->mode != TW_CONTROL_STRESS) return tw_servo_steer_dot(row->weight, rate);
    const double grains = tw_servo_steer_dot(row->weight, stress);
    return pore_pressure == 0.0 ? grains : grains + tw_equations_isotropic(row) * pore_pressure;
}

/* ---- Setting ---- */

static double mean_diameter(const tw_model *model, const tw_bodies *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < b->count; i++)
        sum += tw_math_cbrt(6.0 / TW_MATH_PI *
                            tw_shape_volume(&model->shapes[b->shape[i]], b->size[i]));
    return sum / (double)b->count;
}

tw_servo_bodies tw_servo_bodies_of(const tw_model *model, const tw_bodies *bodies)
{
    tw_servo_bodies of = {.diameter = mean_diameter(model, bodies),
                          .density = tw_model_density(model, bodies)};
    tw_servo_kinetic(bodies, of.kinetic);
    return of;
}

/* Strain rates prescribed by the rows in rate control. */
static void prescribed(const tw_control *control, double rate[TW_COMPONENTS])
{
    memset(rate, 0, TW_COMPONENTS * sizeof *rate);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &control->row[k];
        if (row->mode != TW_CONTROL_RATE) continue;
        for (int j = 0; j < TW_COMPONENTS; j++)
            rate[j] += row->target * row->weight[j] / tw_servo_steer_dot(row->weight, row->weight);
    }
}

static double limit_of(const tw_control *control, const tw_model *model, const tw_state *state,
                       const tw_servo_bodies *bodies, const double stress[TW_COMPONENTS])
{
    if (control->rate_max > 0.0) return control->rate_max;
    double scaled[TW_COMPONENTS], rate[TW_COMPONENTS];
    const double pressure =
        tw_servo_steer_pore_pressure(&control->fluid, tw_cell_volume(&state->cell));
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &control->row[k];
        scaled[k] = tw_servo_steer_set_point_scaled(
            row, tw_servo_steer_effective(row, row->target, pressure), tw_equations_weight(row));
    }
    prescribed(control, rate);
    const double least =
        tw_servo_steer_stress_floor(model, tw_cell_volume(&state->cell), state->bodies.count);
    const double base = tw_math_max(tw_servo_steer_scale(scaled, stress), least);
    return tw_math_max(inertial_max * sqrt(base / bodies->density) / bodies->diameter,
                       2.0 * tw_servo_steer_size(rate));
}

/* The drift observed under an earlier control is kept: a new control does not stop the motion of
 * the bodies. */
void tw_servo_set(tw_servo *servo, const tw_control *control, const tw_model *model,
                  const tw_state *state, const tw_servo_bodies *bodies)
{
    double stress[TW_COMPONENTS], rate[TW_COMPONENTS];
    tw_servo_steer_stress(state, bodies->kinetic, stress);
    tw_servo_steer_rates(&state->cell.gradient, rate);
    const double pressure =
        tw_servo_steer_pore_pressure(&control->fluid, tw_cell_volume(&state->cell));
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &control->row[k];
        const double now = value_of(row, stress, rate, pressure);
        servo->set[k] = row->ramp > 0.0 ? now : row->target;
        if (!servo->on) servo->drift[k] = 0.0;
    }
    if (!servo->on) tw_servo_forget(servo);
    servo->on = 1;
    servo->request = *control;
    servo->rate_max = limit_of(control, model, state, bodies, stress);
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

void tw_servo_steer(tw_servo *servo, const tw_model *model, tw_state *state,
                    const tw_schedule *schedule)
{
    if (!servo->on) return;
    double kinetic[TW_COMPONENTS];
    tw_servo_kinetic(&state->bodies, kinetic);
    tw_stiffness_refresh(&servo->stiffness, model, state, schedule);
    tw_servo_steer_by(servo, model, state, kinetic);
}

/* ---- Report ---- */

/* How far the stresses are from their set points, relative to p. */
static double deviation_of(const tw_servo *servo, const double stress[TW_COMPONENTS],
                           double pore_pressure)
{
    double weight[TW_COMPONENTS], scaled[TW_COMPONENTS], set[TW_COMPONENTS],
        deviation[TW_COMPONENTS];
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &servo->request.row[k];
        weight[k] = tw_equations_weight(row);
        set[k] = tw_servo_steer_effective(row, servo->set[k], pore_pressure);
        scaled[k] = tw_servo_steer_set_point_scaled(row, set[k], weight[k]);
    }
    const double scale = tw_servo_steer_scale(scaled, stress);
    for (int k = 0; k < TW_COMPONENTS; k++)
        deviation[k] =
            tw_servo_steer_deviation(&servo->request.row[k], set[k], weight[k], scale, stress);
    return tw_servo_steer_most(deviation);
}

static tw_control_status status_of(const tw_servo *servo, double deviation)
{
    int stressed = 0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        stressed |= servo->request.row[k].mode == TW_CONTROL_STRESS;
    if (!stressed) return TW_CONTROL_OFF;
    if (deviation <= servo->request.tolerance) return TW_CONTROL_HOLDING;
    return servo->met ? TW_CONTROL_MISSING : TW_CONTROL_APPROACHING;
}

tw_control_report tw_servo_report(const tw_servo *servo, const tw_state *state,
                                  const double *kinetic)
{
    tw_control_report report = {0};
    double rate[TW_COMPONENTS];
    const double *stress = report.stress;
    if (kinetic)
        tw_servo_steer_stress(state, kinetic, report.stress);
    else
        stress_of(state, report.stress);
    if (!servo->on) return report;
    report.pore_pressure =
        tw_servo_steer_pore_pressure(&servo->request.fluid, tw_cell_volume(&state->cell));
    tw_servo_steer_rates(&state->cell.gradient, rate);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &servo->request.row[k];
        report.mode[k] = row->mode;
        report.set[k] = servo->set[k];
        report.value[k] = value_of(row, stress, rate, report.pore_pressure);
        report.ramping |= servo->set[k] != row->target;
    }
    report.deviation = deviation_of(servo, stress, report.pore_pressure);
    report.worst = servo->met ? tw_math_max(servo->worst, report.deviation) : 0.0;
    report.status = status_of(servo, report.deviation);
    report.steps = servo->steps;
    report.limited = servo->limited;
    report.missed = servo->missed;
    report.rate_max = servo->rate_max;
    return report;
}
