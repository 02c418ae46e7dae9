/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/touch.h"

#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/sum.h"
#include "step/touch_candidates.h"
#include "step/touch_laws.h"
#include "step/touch_spheres.h"
#include "step/touch_walls.h"
#include "world/schedule.h"

enum {
    DAMPING = TW_CONTACT_EXTRA_DAMPING | TW_CONTACT_EXTRA_ROLLING_DAMPING |
              TW_CONTACT_EXTRA_TWISTING_DAMPING
};

typedef void (*touch_function)(tw_touch_context *touch, tw_tile *tile, double *sum);

static const touch_function touch_spheres[] = {TW_SIMD_EACH(tw_touch_spheres)};
static const touch_function touch_laws[] = {TW_SIMD_EACH(tw_touch_laws)};

/* Moves torques to the bodies' centres, and sums the moments of forces at these centres: forces
 * come in pairs, so this is the sum over the branches between bodies. For the body slots of one
 * lane of the sum. */
static void finish_lane(const tw_tiles *t, const tw_tile *tile, uint32_t lane,
                        double moment[9][TW_SUM_LANES])
{
    double m[9] = {0.0};
    for (uint32_t k = lane; k < tile->body_slots; k += TW_SUM_LANES) {
        const double *x = t->centre[tile->body_slot + k].x;
        tw_tile_accumulator *accumulator = &t->accumulator[tile->body_slot + k];
        const double *f = accumulator->force;
        accumulator->torque[0] -= x[1] * f[2] - x[2] * f[1];
        accumulator->torque[1] -= x[2] * f[0] - x[0] * f[2];
        accumulator->torque[2] -= x[0] * f[1] - x[1] * f[0];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++)
                m[3 * i + j] += x[i] * f[j];
        }
    }
    for (int j = 0; j < 9; j++)
        moment[j][lane] = m[j];
}

static void finish_accumulators(const tw_tiles *t, const tw_tile *tile, double *sum)
{
    double moment[9][TW_SUM_LANES];
    for (uint32_t lane = 0; lane < TW_SUM_LANES; lane++)
        finish_lane(t, tile, lane, moment);
    for (int j = 0; j < 9; j++)
        sum[TW_TOUCH_MOMENT + j] -= tw_sum_lanes_join(moment[j]);
}

static void touch_tile(void *context, size_t number, double *sum)
{
    tw_touch_context *touch = context;
    tw_state *state = touch->state;
    tw_schedule *schedule = touch->schedule;
    const tw_tiles *t = &schedule->tiles;
    tw_tile *tile = &t->tile[number];
    const double start = tw_clock();
    tw_tile_load_ghosts(state, schedule, tile);
    memset(t->accumulator + tile->body_slot, 0, tile->body_slots * sizeof *t->accumulator);
    memset(t->wall_accumulator + number * state->wall_count, 0,
           state->wall_count * sizeof *t->wall_accumulator);
    tw_touch_candidates_begin(touch->model, state, schedule, tile);
    const double met = tw_clock();
    if (touch->plain)
        touch_spheres[tw_simd_level()](touch, tile, sum);
    else
        touch_laws[tw_simd_level()](touch, tile, sum);
    tw_touch_walls_advance(touch, tile, sum);
    finish_accumulators(t, tile, sum);
    sum[TW_TOUCH_DETECT_SECONDS] = met - start;
    sum[TW_TOUCH_FORCE_SECONDS] = tw_clock() - met;
}

static tw_status report_overlap(const tw_state *state, const tw_schedule *schedule, size_t k,
                                tw_error *error)
{
    const tw_pair *pair = &schedule->pairs.pair[k];
    const uint32_t *body = schedule->spheres.body, *id = state->bodies.id;
    const double *radius = schedule->spheres.radius;
    const double zeta = tw_bundle_get(state->contacts.bundle, schedule->pairs.slot[k]).zeta;
    const unsigned long long step = state->steps;
    const char *advice =
        "use stiffer contacts or a smaller dt, or see whether bodies overlapped at the start";
    if (tw_pair_is_plane(pair) && step == 0)
        return tw_error_set(error, TW_STATUS_PHYSICS,
                            "body %u overlaps wall %u by %g m at the start (radius %g m): place it "
                            "further away",
                            id[body[pair->p]], pair->q, zeta, radius[pair->p]);
    if (tw_pair_is_plane(pair))
        return tw_error_set(error, TW_STATUS_PHYSICS,
                            "step %llu: excessive overlap of body %u with wall %u: %g m, radius %g "
                            "m; %s",
                            step, id[body[pair->p]], pair->q, zeta, radius[pair->p], advice);
    if (step == 0)
        return tw_error_set(error, TW_STATUS_PHYSICS,
                            "bodies %u and %u overlap by %g m at the start (radii %g and %g m): "
                            "place them further apart",
                            id[body[pair->p]], id[body[pair->q]], zeta, radius[pair->p],
                            radius[pair->q]);
    return tw_error_set(
        error, TW_STATUS_PHYSICS,
        "step %llu: excessive overlap of bodies %u and %u: %g m, radii %g and %g m; "
        "%s",
        step, id[body[pair->p]], id[body[pair->q]], zeta, radius[pair->p], radius[pair->q], advice);
}

tw_status tw_touch_contacts(const tw_model *model, tw_state *state, tw_schedule *schedule,
                            const tw_vec3 *rigid_turn, int still, tw_error *error)
{
    const uint32_t parts = tw_model_extras(model);
    const int plain = tw_model_is_uniform(model) && !parts;
    tw_touch_context touch = {model, state,   schedule, rigid_turn, still, (parts & DAMPING) != 0,
                              plain, SIZE_MAX};
    double sum[TW_TOUCH_SUMS];
    tw_extras_keep(&state->contacts.extras, parts);
    tw_sum_parts(schedule->tiles.count, TW_TOUCH_SUMS, touch_tile, &touch, schedule->tiles.sum,
                 sum);
    for (int j = 0; j < 9; j++)
        state->sums.moment.m[j] = sum[TW_TOUCH_MOMENT + j];
    state->sums.normal = sum[TW_TOUCH_NORMAL];
    state->sums.tangential = sum[TW_TOUCH_TANGENTIAL];
    state->sums.rolling = sum[TW_TOUCH_ROLLING];
    state->sums.twisting = sum[TW_TOUCH_TWISTING];
    state->sums.contacts = (size_t)sum[TW_TOUCH_CONTACTS];
    state->sums.sliding = (size_t)sum[TW_TOUCH_SLIDING];
    state->balance.friction += sum[TW_TOUCH_FRICTION];
    state->balance.micro_slip += sum[TW_TOUCH_MICRO_SLIP];
    state->balance.rolling += sum[TW_TOUCH_LOST_ROLLING];
    state->balance.twisting += sum[TW_TOUCH_LOST_TWISTING];
    state->balance.contact_damping += sum[TW_TOUCH_VISCOUS];
    schedule->times.detect += sum[TW_TOUCH_DETECT_SECONDS];
    schedule->times.force += sum[TW_TOUCH_FORCE_SECONDS];
    const size_t bad = atomic_load(&touch.bad);
    return bad == SIZE_MAX ? TW_STATUS_OK : report_overlap(state, schedule, bad, error);
}

/* Mirrors tw_touch_single_count. */
static int is_bad(const tw_model *model, const tw_state *state, const tw_schedule *schedule,
                  size_t k)
{
    const tw_pair *pair = &schedule->pairs.pair[k];
    const uint32_t slot = schedule->pairs.slot[k];
    const tw_contact_law law = tw_pair_law(model, state, schedule, pair);
    const tw_vec3 f = tw_contacts_force(&state->contacts, &law, slot);
    double radius = schedule->spheres.radius[pair->p];
    if (!tw_pair_is_plane(pair)) radius = tw_math_min(radius, schedule->spheres.radius[pair->q]);
    const double zeta = tw_bundle_get(state->contacts.bundle, slot).zeta;
    return !(fabs(f.x + f.y + f.z) < 1e300) || !(zeta < 0.5 * radius);
}

tw_status tw_touch_explain(const tw_model *model, const tw_state *state,
                           const tw_schedule *schedule, tw_error *error)
{
    for (size_t k = 0; k < schedule->pairs.count; k++) {
        if (tw_pairs_touch(&schedule->pairs, k) && is_bad(model, state, schedule, k))
            return report_overlap(state, schedule, k, error);
    }
    return TW_STATUS_OK;
}
