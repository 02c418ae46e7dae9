/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces on bodies and walls: what each has got at its seats, in the order of tiles. */
#include <stdatomic.h>

#include "base/status.h"
#include "base/sum.h"
#include "step/motion.h"
#include "step/step.h"

typedef struct gather_context {
    tw_world *world;
    atomic_size_t bad; /* the first body with a number that is none */
} gather_context;

static inline void add(tw_vec3 *force, tw_vec3 *torque, const tw_push *push)
{
    const double *f = push->force, *t = push->torque;
    *force = tw_vec3_add(*force, tw_vec3_make(f[0], f[1], f[2]));
    *torque = tw_vec3_add(*torque, tw_vec3_make(t[0], t[1], t[2]));
}

static void gather_tile(void *context, size_t number, double *driven)
{
    gather_context *c = context;
    const tw_world *w = c->world;
    const tw_tiles *t = &w->tiles;
    const tw_bodies *b = &w->bodies;
    const tw_tile *tile = &t->tile[number];
    for (uint32_t k = 0; k < tile->bodies; k++) {
        const size_t i = tile->body + k;
        tw_vec3 force = {0.0, 0.0, 0.0}, torque = force;
        add(&force, &torque, &t->push[tile->seat + k]);
        for (uint32_t v = t->visit_first[i]; v < t->visit_first[i + 1]; v++)
            add(&force, &torque, &t->push[t->visit_seat[v]]);
        b->force[i] = force;
        b->torque[i] = torque;
        const double probe =
            tw_vec3_dot(force, force) + tw_vec3_dot(torque, torque) + tw_vec3_dot(b->x[i], b->x[i]);
        if (!(probe <= DBL_MAX)) {
            size_t known = atomic_load(&c->bad);
            while (i < known && !atomic_compare_exchange_weak(&c->bad, &known, i)) {
            }
        }
        if (b->flags[i] & TW_BODY_FIXED) *driven -= 0.5 * tw_motion_work(b, i);
    }
}

static void gather_wall(tw_world *world, size_t number)
{
    const tw_tiles *t = &world->tiles;
    tw_wall *wall = &world->walls[number];
    tw_vec3 force = {0.0, 0.0, 0.0}, torque = force;
    for (size_t k = 0; k < t->count; k++)
        add(&force, &torque, &t->wall_push[k * world->wall_count + number]);
    wall->force = force;
    world->books.walls -= 0.5 * tw_vec3_dot(wall->force, wall->dx);
}

tw_status tw_step_gather(tw_world *world, tw_error *error)
{
    gather_context context = {world, SIZE_MAX};
    double driven;
    tw_sum_parts(world->tiles.count, 1, gather_tile, &context, &driven);
    world->books.walls += driven;
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
