/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces on bodies and walls: what each has got at its body slots, in the order of tiles. */
#include <stdatomic.h>

#include "base/clock.h"
#include "base/status.h"
#include "base/sum.h"
#include "step/motion.h"
#include "step/step.h"

typedef struct gather_context {
    tw_world *world;
    atomic_size_t bad; /* the first body with a number that is none */
} gather_context;

static inline void add(double *sum, const tw_accumulator *accumulator)
{
    for (int k = 0; k < 3; k++) {
        sum[k] += accumulator->force[k];
        sum[3 + k] += accumulator->torque[k];
    }
}

/* Remembers the first body of a tile that has gone wrong. */
static void report(gather_context *c, const tw_tile *tile)
{
    const tw_bodies *b = &c->world->bodies;
    for (size_t i = tile->body; i < tile->body + tile->bodies; i++) {
        const double probe = tw_vec3_dot(b->force[i], b->force[i]) +
                             tw_vec3_dot(b->torque[i], b->torque[i]) +
                             tw_vec3_dot(b->x[i], b->x[i]);
        if (probe <= DBL_MAX) continue;
        size_t known = atomic_load(&c->bad);
        while (i < known && !atomic_compare_exchange_weak(&c->bad, &known, i)) {
        }
    }
}

enum { DRIVEN, SECONDS, GATHER_SUMS };

static void gather_tile(void *context, size_t number, double *sums)
{
    gather_context *c = context;
    const double start = tw_clock();
    const tw_world *w = c->world;
    const tw_tiles *t = &w->tiles;
    const tw_bodies *b = &w->bodies;
    const tw_tile *tile = &t->tile[number];
    double poison = 0.0; /* no number as soon as one is not finite */
    for (uint32_t k = 0; k < tile->bodies; k++) {
        const size_t i = tile->body + k;
        double sum[6] = {0.0};
        add(sum, &t->accumulator[tile->body_slot + k]);
        for (uint32_t v = t->ghost_first[i]; v < t->ghost_first[i + 1]; v++)
            add(sum, &t->accumulator[t->ghost_slot[v]]);
        b->force[i] = tw_vec3_make(sum[0], sum[1], sum[2]);
        b->torque[i] = tw_vec3_make(sum[3], sum[4], sum[5]);
        const double place = b->x[i].x + b->x[i].y + b->x[i].z;
        poison += 0.0 * ((sum[0] + sum[1]) + (sum[2] + sum[3]) + (sum[4] + sum[5]) + place);
        if (b->flags[i] & TW_BODY_FIXED) sums[DRIVEN] -= 0.5 * tw_motion_work(b, i);
    }
    if (poison != 0.0) report(c, tile);
    sums[SECONDS] = tw_clock() - start;
}

static void gather_wall(tw_world *world, size_t number)
{
    const tw_tiles *t = &world->tiles;
    tw_wall *wall = &world->walls[number];
    double sum[6] = {0.0};
    for (size_t k = 0; k < t->count; k++)
        add(sum, &t->wall_accumulator[k * world->wall_count + number]);
    wall->force = tw_vec3_make(sum[0], sum[1], sum[2]);
    world->balance.walls -= 0.5 * tw_vec3_dot(wall->force, wall->dx);
}

tw_status tw_gather_forces(tw_world *world, tw_error *error)
{
    gather_context context = {world, SIZE_MAX};
    double sums[GATHER_SUMS];
    tw_sum_parts(world->tiles.count, GATHER_SUMS, gather_tile, &context, world->tiles.sum, sums);
    world->balance.walls += sums[DRIVEN];
    world->times.gather += sums[SECONDS];
    for (size_t k = 0; k < world->wall_count; k++)
        gather_wall(world, k);
    const size_t bad = atomic_load(&context.bad);
    if (bad != SIZE_MAX) {
        return tw_error_set(error, TW_STATUS_PHYSICS,
                            "step %llu: body %u has a position or force that is not a number",
                            (unsigned long long)world->steps, world->bodies.id[bad]);
    }
    return TW_STATUS_OK;
}
