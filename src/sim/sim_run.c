/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a simulation. */
#include <math.h>
#include <string.h>

#include <twirl/contact_law.h>

#include "base/environment.h"
#include "base/error.h"
#include "control/equations.h"
#include "sim/sim_internal.h"
#include "step/move.h"
#include "step/stable.h"
#include "step/step.h"
#include "world/state.h"

static int is_closed(const tw_cell *cell)
{
    int closed = 1;
    for (int k = 0; k < 3; k++)
        closed = closed && (cell->periodic[k] || cell->walled[k]);
    return closed;
}

/* Whether a row asks for more of a shear component across platens than that its rate is 0. */
static int shears_platens(const tw_cell *cell, const tw_control_row *row)
{
    int shears = 0, others = 0;
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const int i = tw_stiffness_respond_row(k), j = tw_stiffness_respond_column(k);
        const int across = k >= TW_YZ && (cell->walled[i] || cell->walled[j]);
        shears |= across && row->weight[k] != 0.0;
        others |= !across && row->weight[k] != 0.0;
    }
    return shears && (others || row->mode != TW_CONTROL_RATE || row->target != 0.0);
}

tw_status tw_sim_set_control(tw_sim *sim, const tw_control *control, tw_error *error)
{
    TW_CALL_HERE(sim && control);
    const tw_state *state = &sim->state;
    tw_error_clear(error);
    if (control->struct_size != sizeof *control)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "tw_control was not made by tw_control_default");
    tw_status status = tw_equations_check(control, error);
    if (status != TW_STATUS_OK) return status;
    if (state->bodies.count == 0)
        return tw_error_set(error, TW_STATUS_INPUT, "control: there are no bodies");
    for (int k = 0; k < TW_COMPONENTS; k++) {
        if (control->row[k].mode == TW_CONTROL_STRESS && !is_closed(&state->cell))
            return tw_error_set(error, TW_STATUS_INPUT,
                                "control: row %d: stress needs a cell that is periodic, or has "
                                "platens, along all three edges; walls have servos of their own",
                                k);
        if (shears_platens(&state->cell, &control->row[k]))
            return tw_error_set(error, TW_STATUS_INPUT,
                                "control: row %d: platens are not sheared: the rates of the "
                                "components across them are 0, each in a row of its own",
                                k);
    }
    status = tw_sim_prepare(sim, error);
    if (status == TW_STATUS_OK && !tw_sim_device_streams(sim))
        status = tw_sim_device_fetch(sim, error);
    if (status != TW_STATUS_OK) return status;
    tw_servo_bodies bodies = sim->bodies;
    if (tw_sim_device_streams(sim))
        memcpy(bodies.kinetic, sim->schedule.momentum_flux, sizeof bodies.kinetic);
    else
        bodies = tw_servo_bodies_of(&sim->model, &sim->state.bodies);
    tw_servo_set(&sim->servo, control, &sim->model, &sim->state, &bodies);
    tw_sim_device_renew(sim);
    return TW_STATUS_OK;
}

tw_control_report tw_sim_get_control_report(const tw_sim *sim)
{
    TW_CALL_HERE(sim);
    tw_sim_internal_use_threads(sim);
    return tw_servo_report(&sim->servo, &sim->state,
                           sim->owner == TW_SIM_OWNER_DEVICE ? sim->schedule.momentum_flux : NULL);
}

/* A part of the overlap at which one contact carries the target of a servo. */
#define SERVO_OVERLAP 0.1

/* Largest distance of a wall from its point [m]: where a torque acts, but for planes. */
static double lever_of(const tw_wall *wall)
{
    if (wall->servo != TW_WALL_TURNS) return 1.0;
    if (wall->surface == TW_SURFACE_SPHERE) return fabs(wall->radius);
    return tw_vec3_norm(tw_vec3_make(fabs(wall->middle.x) + wall->half.x,
                                     fabs(wall->middle.y) + wall->half.y,
                                     fabs(wall->middle.z) + wall->half.z));
}

/* Automatic limits of the speed of servos, so that a grain is not hit harder than by the target:
 * small against the overlap that this gives one contact, and against the grains. Returns 1 if one
 * was chosen. */
static int choose_servos(const tw_model *model, tw_state *state, double bound)
{
    int chosen = 0;
    for (size_t k = 0; k < state->wall_count; k++) {
        tw_wall *wall = &state->walls[k];
        if (!wall->servo || wall->servo == TW_WALL_PLATEN || wall->v_max > 0.0) continue;
        const double lever = lever_of(wall);
        double reach = TW_MOVE_SERVO_REACH * bound;
        for (uint32_t m = 0; m < model->material_count && wall->target > 0.0; m++) {
            const tw_contact_law *law = &model->laws[tw_model_law(model, wall->material, m)];
            const tw_contact_law at = tw_contact_law_at(law, bound, 0.0, 0.0);
            const double overlap = tw_contact_law_overlap(&at, wall->target / lever);
            reach = tw_math_min(reach, SERVO_OVERLAP * overlap);
        }
        wall->v_max = reach / lever / state->dt;
        chosen = 1;
    }
    return chosen;
}

static tw_status check_walls(const tw_state *state, tw_error *error)
{
    uint32_t wall, edge;
    if (!tw_wall_tilt_find(state, &wall, &edge)) return TW_STATUS_OK;
    return tw_wall_tilt_refuse(wall, edge, error);
}

/* Before anything changes: preparation converts velocities with these, and a step moves by them. */
static tw_status check_settings(const tw_sim *sim, tw_error *error)
{
    for (int k = 0; k < 9; k++) {
        if (!isfinite(sim->state.cell.gradient.m[k]))
            return tw_error_set(error, TW_STATUS_INPUT, "the velocity gradient must be finite");
    }
    if (!tw_sim_internal_is_finite(sim->model.gravity))
        return tw_error_set(error, TW_STATUS_INPUT, "gravity must be finite");
    return TW_STATUS_OK;
}

static tw_status advance(tw_sim *sim, tw_error *error)
{
    const tw_status status = tw_step_advance(&sim->model, &sim->state, &sim->schedule, error);
    sim->failed = sim->schedule.pending ? TW_STATUS_OK : status;
    return status;
}

tw_status tw_sim_prepare(tw_sim *sim, tw_error *error)
{
    TW_CALL_HERE(sim);
    tw_error_clear(error);
    tw_sim_internal_use_threads(sim);
    if (sim->state.bodies.count == 0)
        return tw_error_set(error, TW_STATUS_INPUT, "there are no bodies");
    if (tw_sim_is_prepared(sim)) return TW_STATUS_OK;
    TW_SIM_TIMES_HERE(sim);
    TW_CLOCK_HERE(TW_SIM_PHASE_OTHER); /* and those of a step */
    if (sim->failed) return tw_sim_internal_refuse_failed(sim, error);
    const tw_status status = check_settings(sim, error);
    if (status != TW_STATUS_OK) return status;
    if (sim->schedule.pending) return advance(sim, error);
    return tw_step_prepare(&sim->model, &sim->state, &sim->schedule, error);
}

static tw_status run_step(tw_sim *sim, tw_error *error)
{
    TW_CLOCK_HERE(TW_SIM_PHASE_SERVO); /* and those of the step */
    tw_status status = check_settings(sim, error);
    if (status != TW_STATUS_OK) return status;
    tw_servo_steer(&sim->servo, &sim->model, &sim->state, &sim->schedule);
    status = tw_move_check_cell(&sim->state.cell.gradient, sim->state.dt, error);
    if (status == TW_STATUS_OK && sim->state.wall_count > 0)
        status = check_walls(&sim->state, error);
    return status == TW_STATUS_OK ? advance(sim, error) : status;
}

static tw_status device_steps(tw_sim *sim, uint64_t steps, tw_error *error)
{
    const tw_status status = check_settings(sim, error);
    return status == TW_STATUS_OK ? tw_sim_device_run(sim, steps, error) : status;
}

/* Before steps. */
static tw_status begin(tw_sim *sim, tw_error *error)
{
    if (sim->failed) return tw_sim_internal_refuse_failed(sim, error);
    const tw_status status = tw_sim_prepare(sim, error);
    if (status != TW_STATUS_OK) return status;
    if (choose_servos(&sim->model, &sim->state, sim->schedule.bound)) tw_sim_device_renew(sim);
    return tw_sim_device_used(sim) ? TW_STATUS_OK : tw_sim_device_list(sim, error);
}

static tw_status interrupt(const tw_sim *sim, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_INTERRUPTED, "ended by the caller at step %llu",
                        (unsigned long long)sim->state.steps);
}

tw_status tw_sim_run_hooked(tw_sim *sim, uint64_t steps, tw_sim_hook hook, void *context,
                            tw_error *error)
{
    TW_CALL_HERE(sim);
    TW_SIM_TIMES_HERE(sim);
    tw_status status = begin(sim, error);
    if (status != TW_STATUS_OK) return status;
    const int device = tw_sim_device_used(sim);
    if (device && !hook) return device_steps(sim, steps, error);
    for (uint64_t k = 0; k < steps && status == TW_STATUS_OK; k++) {
        status = device ? device_steps(sim, 1, error) : run_step(sim, error);
        if (status != TW_STATUS_OK || !hook) continue;
        tw_arithmetic_leave(&arithmetic); /* the hook has that of the caller, and may set another */
        const int ends = hook(sim, context);
        arithmetic = tw_arithmetic_enter();
        if (ends) status = interrupt(sim, error);
    }
    return status;
}

/* One step, or as many as the device remembers. After a step that failed, those before it are still
 * to be looked at. */
static tw_status watched_steps(tw_sim *sim, uint64_t most, tw_sim_step_record *passed,
                               size_t *count, tw_error *error)
{
    if (tw_sim_device_used(sim)) {
        const uint64_t steps = most < TW_DEVICE_HISTORY_STEPS ? most : TW_DEVICE_HISTORY_STEPS;
        const tw_status status = device_steps(sim, steps, error);
        *count = status == TW_STATUS_OK || status == TW_STATUS_PHYSICS
                     ? tw_sim_device_history(sim, passed)
                     : 0;
        return status;
    }
    const tw_status status = run_step(sim, error);
    *count = status == TW_STATUS_OK;
    passed[0] = (tw_sim_step_record){sim->state.time, sim->state.cell.gradient};
    return status;
}

tw_status tw_sim_run_batched(tw_sim *sim, tw_sim_step_fn after, void *context, tw_error *error)
{
    TW_CALL_HERE(sim);
    TW_SIM_TIMES_HERE(sim);
    tw_sim_step_record passed[TW_DEVICE_HISTORY_STEPS];
    tw_status status = begin(sim, error);
    uint64_t most = 1;
    while (status == TW_STATUS_OK) {
        size_t count = 0;
        status = watched_steps(sim, most, passed, &count, error);
        if (count > 0) {
            tw_arithmetic_leave(&arithmetic);
            most = after(sim, passed, count, context);
            arithmetic = tw_arithmetic_enter();
        }
        if (status == TW_STATUS_OK && most == 0) status = interrupt(sim, error);
    }
    return status;
}

tw_status tw_sim_run(tw_sim *sim, uint64_t steps, tw_error *error)
{
    return tw_sim_run_hooked(sim, steps, NULL, NULL, error);
}

static tw_status refuse_platens(const tw_sim *sim, const char *what, tw_error *error)
{
    const int *walled = sim->state.cell.walled;
    if (!walled[0] && !walled[1] && !walled[2]) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT, "a cell with platens is not %s", what);
}

/* A rotation that runs out of memory cannot be completed: a later call would not know the rest. */
tw_status tw_sim_rotate(tw_sim *sim, tw_vec3 turn, uint64_t steps, tw_error *error)
{
    TW_CALL_HERE(sim);
    TW_SIM_TIMES_HERE(sim);
    TW_CLOCK_HERE(TW_SIM_PHASE_MOVE); /* and those of a step */
    if (sim->failed) return tw_sim_internal_refuse_failed(sim, error);
    tw_status status = refuse_platens(sim, "rotated", error);
    if (status == TW_STATUS_OK) status = tw_sim_prepare(sim, error);
    int there = 0;
    if (status == TW_STATUS_OK && sim->model.drive_count > 0)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "walls with prescribed motions are not rotated: end the motions first");
    if (status == TW_STATUS_OK) status = tw_sim_device_rotates(sim, &there, error);
    if (status == TW_STATUS_OK && !there) status = tw_sim_device_take(sim, error);
    if (status == TW_STATUS_OK && !there) status = tw_sim_device_list(sim, error);
    if (status != TW_STATUS_OK) return status;
    const tw_vec3 part = tw_vec3_scale(1.0 / (double)steps, turn);
    for (uint64_t k = 0; k < steps && status == TW_STATUS_OK; k++)
        status = there ? tw_sim_device_rotate(sim, part, error)
                       : tw_step_rotate(&sim->model, &sim->state, &sim->schedule, part, error);
    tw_servo_forget(&sim->servo);
    tw_sim_device_renew(sim);
    sim->failed = status;
    return status;
}

tw_status tw_sim_displace(tw_sim *sim, const tw_mat3 *gradient, const double *moves, size_t count,
                          tw_error *error)
{
    TW_CALL_HERE(sim && gradient && (moves || count == 0));
    TW_SIM_TIMES_HERE(sim);
    TW_CLOCK_HERE(TW_SIM_PHASE_MOVE);
    const size_t needed = 6 * sim->state.bodies.count;
    if (count != needed) return tw_error_set_count(error, "moves", needed, count);
    if (sim->failed) return tw_sim_internal_refuse_failed(sim, error);
    tw_status status = refuse_platens(sim, "displaced", error);
    if (status == TW_STATUS_OK) status = tw_sim_prepare(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_take(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_list(sim, error);
    if (status != TW_STATUS_OK) return status;
    status = tw_step_displace(&sim->model, &sim->state, &sim->schedule, gradient,
                              sim->state.departed ? sim->ids : NULL, moves, error);
    tw_servo_forget(&sim->servo);
    tw_sim_device_renew(sim);
    sim->failed = status;
    return status;
}

tw_status tw_sim_get_stable_step(tw_sim *sim, tw_stable_step *out, tw_error *error)
{
    TW_CALL_HERE(sim && out);
    const tw_state *state = &sim->state;
    tw_status status = tw_sim_internal_check_prepared(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_list(sim, error);
    if (status != TW_STATUS_OK) return status;
    const tw_stable_limit b = tw_stable_find(&sim->model, state, &sim->schedule);
    *out = (tw_stable_step){b.dt, state->bodies.id[b.body], b.stiffness, state->bodies.mass[b.body],
                            b.contacts};
    return TW_STATUS_OK;
}
