/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/gather.h"

#include "base/environment.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/sum.h"
#include "step/motion.h"

typedef struct gather_context {
    tw_state *state;
    const tw_schedule *schedule;
    atomic_size_t bad; /* the first body with a non-finite value */
} gather_context;

static inline void add(double *sum, const tw_tile_accumulator *accumulator)
{
    for (int k = 0; k < 3; k++) {
        sum[k] += accumulator->force[k];
        sum[3 + k] += accumulator->torque[k];
    }
}

static int is_bad(const tw_bodies *b, size_t i)
{
    const double probe = tw_vec3_dot(b->force[i], b->force[i]) +
                         tw_vec3_dot(b->torque[i], b->torque[i]) + tw_vec3_dot(b->x[i], b->x[i]);
    return !(probe <= DBL_MAX);
}

/* Finds bodies of a tile with a non-finite value. */
static void note_bad(gather_context *c, const tw_tile *tile)
{
    for (size_t i = tile->body; i < tile->body + tile->bodies; i++)
        if (is_bad(&c->state->bodies, i)) tw_parallel_note_first(&c->bad, i);
}

static tw_status report_bad(const tw_state *state, size_t i, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_PHYSICS,
                        "step %llu: body %u has a non-finite position or force",
                        (unsigned long long)state->steps, state->bodies.id[i]);
}

enum { DRIVEN, SECONDS, GATHER_SUMS };

static void gather_tile(void *context, size_t number, double *sums)
{
    gather_context *c = context;
    const double start = tw_clock();
    const tw_tiles *t = &c->schedule->tiles;
    tw_bodies *b = &c->state->bodies;
    const tw_tile *tile = &t->tile[number];
    double poison = 0.0; /* NaN as soon as one value is not finite */
    for (uint32_t k = 0; k < tile->bodies; k++) {
        const size_t i = tile->body + k;
        double sum[6] = {0.0};
        add(sum, &t->accumulator[tile->body_slot + k]);
        for (uint32_t v = t->ghost_first[i]; v < t->ghost_first[i + 1]; v++)
            add(sum, &t->accumulator[t->ghost_slot[v]]);
        b->force[i] = tw_vec3_make(sum[0], sum[1], sum[2]);
        b->torque[i] = tw_vec3_make(sum[3], sum[4], sum[5]);
        const double position = b->x[i].x + b->x[i].y + b->x[i].z;
        poison += 0.0 * ((sum[0] + sum[1]) + (sum[2] + sum[3]) + (sum[4] + sum[5]) + position);
        if (b->flags[i] & TW_BODY_FIXED) sums[DRIVEN] -= 0.5 * tw_motion_work(b, i);
    }
    if (poison != 0.0) note_bad(c, tile);
    sums[SECONDS] = tw_clock() - start;
}

static void gather_wall(tw_state *state, const tw_tiles *t, size_t number)
{
    tw_wall *wall = &state->walls[number];
    double sum[6] = {0.0};
    for (size_t k = 0; k < t->count; k++)
        add(sum, &t->wall_accumulator[k * state->wall_count + number]);
    wall->force = tw_vec3_make(sum[0], sum[1], sum[2]);
    state->balance.walls -= 0.5 * tw_vec3_dot(wall->force, wall->dx);
}

tw_status tw_gather_forces(tw_state *state, tw_schedule *schedule, tw_error *error)
{
    gather_context context = {state, schedule, SIZE_MAX};
    double sums[GATHER_SUMS];
    tw_sum_parts(schedule->tiles.count, GATHER_SUMS, gather_tile, &context, schedule->tiles.sum,
                 sums);
    state->balance.walls += sums[DRIVEN];
    schedule->times.gather += sums[SECONDS];
    for (size_t k = 0; k < state->wall_count; k++)
        gather_wall(state, &schedule->tiles, k);
    const size_t bad = atomic_load(&context.bad);
    return bad == SIZE_MAX ? TW_STATUS_OK : report_bad(state, bad, error);
}

tw_status tw_gather_explain(const tw_state *state, tw_error *error)
{
    for (size_t i = 0; i < state->bodies.count; i++)
        if (is_bad(&state->bodies, i)) return report_bad(state, i, error);
    return TW_STATUS_OK;
}
