/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sim_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/simd.h>

#include "base/error.h"
#include "base/parallel.h"
#include "sim/sim_place.h"

tw_sim *tw_sim_inside_make(tw_error *error)
{
    const char *place;
    if (tw_sim_inside_check_simd(error) != TW_STATUS_OK) return NULL;
    if (tw_sim_place_find(NULL, &place, error) != TW_STATUS_OK) return NULL;
    tw_sim *sim = calloc(1, sizeof *sim);
    if (!sim) {
        tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for a simulation");
        return NULL;
    }
    sim->place = place;
    tw_model_init(&sim->model);
    tw_state_init(&sim->state);
    tw_schedule_init(&sim->schedule);
    return sim;
}

tw_status tw_sim_inside_check_simd(tw_error *error)
{
    char text[128];
    if (tw_simd_check(text, sizeof text)) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT, "%s", text);
}

void tw_sim_inside_use_threads(const tw_sim *sim)
{
    tw_parallel_set_threads(sim->threads > 0 ? sim->threads : tw_parallel_default());
}

tw_status tw_sim_inside_refuse_failed(const tw_sim *sim, tw_error *error)
{
    return tw_error_set(error, sim->failed == TW_STATUS_DEVICE ? sim->failed : TW_STATUS_PHYSICS,
                        "the simulation failed at step %llu: go back to an earlier checkpoint",
                        (unsigned long long)sim->state.steps);
}

tw_status tw_sim_inside_refuse_unprepared(tw_error *error)
{
    return tw_error_set(error, TW_STATUS_INPUT,
                        "contacts and forces are not known yet: call tw_sim_prepare");
}

int tw_sim_inside_is_finite(tw_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

size_t tw_sim_inside_index_of(const tw_sim *sim, uint32_t id)
{
    const tw_bodies *b = &sim->state.bodies;
    const tw_spheres *s = &sim->schedule.spheres;
    if (id >= b->count) return SIZE_MAX;
    if (sim->schedule.valid) return s->index_of[id];
    /* Bodies that were added are at the end; the others are where the last list has them. */
    const size_t i = id < s->bodies ? s->index_of[id] : id;
    return b->id[i] == id ? i : tw_state_find_body(&sim->state, id);
}

/* All images of a body are at the same distance from a wall only if every periodic edge is
 * perpendicular to its normal. The tolerance covers the rounding of a rotated cell. */
int tw_sim_inside_edge_across(const tw_state *state, const tw_wall *wall)
{
    for (int k = 0; k < 3; k++) {
        const tw_vec3 edge = tw_mat3_column(state->cell.h, k);
        if (state->cell.periodic[k] &&
            !(fabs(tw_vec3_dot(wall->normal, edge)) <= 1e-9 * tw_vec3_norm(edge)))
            return k;
    }
    return -1;
}
