/* SPDX-License-Identifier: BSD-3-Clause */
/* Walls as a caller sees them. */
#include "base/environment.h"
#include "base/error.h"
#include "sim/sim_device.h"

static tw_status check_wall(const tw_model *model, const tw_state *state, const tw_wall_def *def,
                            tw_error *error)
{
    const size_t number = state->wall_count;
    if (!(tw_vec3_norm(def->normal) > 0.0) || !tw_sim_inside_is_finite(def->normal) ||
        !tw_sim_inside_is_finite(def->point) || !tw_sim_inside_is_finite(def->v))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "wall %zu: point, normal and v must be finite, normal not zero",
                            number);
    if (def->servo && !(def->force >= 0.0 && isfinite(def->force) && def->gain >= 0.0 &&
                        isfinite(def->gain) && def->v_max >= 0.0))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "wall %zu: force, gain and v_max must not be negative", number);
    if (def->material >= model->material_count)
        return tw_error_set(error, TW_STATUS_INPUT, "wall %zu: there is no material %u", number,
                            def->material);
    return TW_STATUS_OK;
}

tw_status tw_sim_add_wall(tw_sim *sim, const tw_wall_def *def, size_t *number, tw_error *error)
{
    TW_ARITHMETIC_HERE;
    tw_state *state = &sim->state;
    tw_error_clear(error);
    tw_status status = check_wall(&sim->model, state, def, error);
    if (status != TW_STATUS_OK) return status;
    tw_wall wall = {0};
    wall.point = def->point;
    wall.normal = tw_vec3_scale(1.0 / tw_vec3_norm(def->normal), def->normal);
    wall.v = def->v;
    wall.servo = def->servo != 0;
    wall.target = def->force;
    wall.gain = def->gain; /* 0: chosen when dt is known */
    wall.v_max = def->v_max;
    wall.material = def->material;
    const int edge = tw_sim_inside_edge_across(state, &wall);
    if (edge >= 0)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "wall %zu: normal (%g %g %g) is not perpendicular to edge %c of the "
                            "cell, which is periodic: choose another normal, or a cell that is not "
                            "periodic along that edge",
                            state->wall_count, def->normal.x, def->normal.y, def->normal.z,
                            "abc"[edge]);
    status = tw_sim_device_take(sim, error);
    if (status == TW_STATUS_OK) status = tw_state_add_wall(state, &wall, error);
    if (status != TW_STATUS_OK) return status;
    sim->schedule.valid = 0;
    if (number) *number = state->wall_count - 1;
    return TW_STATUS_OK;
}

size_t tw_sim_walls(const tw_sim *sim)
{
    return sim->state.wall_count;
}

static tw_status check_number(const tw_sim *sim, size_t wall, tw_error *error)
{
    tw_error_clear(error);
    if (wall < sim->state.wall_count) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT, "there is no wall %zu: the simulation has %zu",
                        wall, sim->state.wall_count);
}

tw_status tw_sim_wall(const tw_sim *sim, size_t wall, tw_wall_state *out, tw_error *error)
{
    const tw_status status = check_number(sim, wall, error);
    if (status != TW_STATUS_OK) return status;
    const tw_wall *w = &sim->state.walls[wall];
    const tw_vec3 unknown = tw_sim_inside_unknown();
    *out = (tw_wall_state){w->point, w->normal,  w->v, tw_sim_prepared(sim) ? w->force : unknown,
                           w->servo, w->material};
    return TW_STATUS_OK;
}

tw_status tw_sim_set_wall_velocity(tw_sim *sim, size_t wall, tw_vec3 v, tw_error *error)
{
    const tw_status status = check_number(sim, wall, error);
    if (status != TW_STATUS_OK) return status;
    if (!tw_sim_inside_is_finite(v))
        return tw_error_set(error, TW_STATUS_INPUT, "wall %zu: v must be finite", wall);
    sim->state.walls[wall].v = v;
    tw_sim_device_renew(sim);
    return TW_STATUS_OK;
}
