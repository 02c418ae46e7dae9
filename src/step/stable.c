/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/stable.h"

#include <string.h>

#include "base/environment.h"
#include "base/error.h"

/* Sums over the contacts of all bodies. */
static void sum_springs(const tw_model *model, const tw_state *state, const tw_schedule *schedule,
                        tw_tile_springs *springs)
{
    const tw_pairs *pairs = &schedule->pairs;
    memset(springs, 0, state->bodies.count * sizeof *springs);
    for (size_t k = 0; k < pairs->count; k++) {
        if (!tw_pairs_touch(pairs, k)) continue;
        const tw_pair *pair = &pairs->pair[k];
        const tw_tile_springs one = tw_stable_contact(model, state, schedule, k);
        tw_stable_add(&springs[schedule->spheres.body[pair->p]], &one);
        if (!tw_pair_is_wall(pair))
            tw_stable_add(&springs[tw_schedule_body_q(schedule, pair)], &one);
    }
}

tw_stable_limit tw_stable_find(const tw_model *model, const tw_state *state, tw_schedule *schedule)
{
    TW_CLOCK_HERE(TW_SIM_PHASE_STABLE);
    const tw_bodies *b = &state->bodies;
    const int uniform = tw_stable_is_uniform(model, tw_model_extras(model));
    /* In the memory of the force accumulators: forces have been gathered. */
    tw_tile_springs *springs = (tw_tile_springs *)schedule->tiles.accumulator;
    tw_schedule_count_contacts(state, schedule, schedule->tiles.degree);
    if (!uniform) sum_springs(model, state, schedule, springs);
    tw_stable_limit limit = {DBL_MAX, 0, 0.0, 0};
    for (size_t i = 0; i < b->count; i++) {
        if (b->flags[i] & TW_BODY_FIXED) continue;
        const uint32_t contacts = schedule->tiles.degree[i];
        const tw_stable_limit one = uniform
                                        ? tw_stable_of_uniform(model, state, contacts, i)
                                        : tw_stable_of_body(model, state, &springs[i], contacts, i);
        if (one.dt < limit.dt) limit = one;
    }
    return limit;
}

tw_status tw_stable_refuse(const tw_state *state, const tw_stable_limit *limit, tw_error *error)
{
    const uint32_t id = state->bodies.id[limit->body];
    const double mass = state->bodies.mass[limit->body];
    if (limit->contacts == 0)
        return tw_error_set(
            error, TW_STATUS_PHYSICS,
            "dt = %g s is above the stable step of %g s for a single contact of "
            "stiffness %g N/m on body %u with a mass of %g kg: use a smaller dt, or "
            "set dt_forced",
            state->dt, limit->dt, limit->stiffness, id, mass);
    return tw_error_set(
        error, TW_STATUS_PHYSICS,
        "dt = %g s is above the stable step of %g s: body %u has a mass of %g kg and "
        "%u contact%s with a total stiffness of %g N/m: use a smaller dt, or set dt_forced",
        state->dt, limit->dt, id, mass, limit->contacts, limit->contacts == 1 ? "" : "s",
        limit->stiffness);
}
