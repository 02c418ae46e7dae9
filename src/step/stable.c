/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/stable.h"

#include <twirl/contact_law.h>

#include "base/error.h"

/* Largest mobility of body i at the end of any arm up to its bound: 1/m + r^2/I. */
static double mobility(const tw_model *model, const tw_state *state, size_t i)
{
    const tw_bodies *b = &state->bodies;
    const double r = model->shapes[b->shape[i]].radius * b->size[i];
    const double moment =
        tw_math_min(b->inertia[i].x, tw_math_min(b->inertia[i].y, b->inertia[i].z));
    return 1.0 / b->mass[i] + r * r / moment;
}

tw_stable_limit tw_stable_find(const tw_model *model, const tw_state *state, tw_schedule *schedule)
{
    const tw_bodies *b = &state->bodies;
    const tw_contact_stiffness k = tw_contact_law_stiffness(model->laws, NULL);
    tw_schedule_count_contacts(state, schedule, schedule->tiles.degree);
    tw_stable_limit limit = {DBL_MAX, 0, 0.0, 0};
    for (size_t i = 0; i < b->count; i++) {
        const uint32_t contacts = schedule->tiles.degree[i];
        if (b->flags[i] & TW_BODY_FIXED) continue;
        const double n = contacts ? contacts : 1.0;
        const double dt = tw_contact_law_stable_step(model->laws, n, mobility(model, state, i));
        if (dt < limit.dt) limit = (tw_stable_limit){dt, i, n * tw_math_max(k.kn, k.kt), contacts};
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
