/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces on bodies and walls, summed in the order of the pair list. */
#include <stdatomic.h>

#include "base/parallel.h"
#include "base/status.h"
#include "base/sum.h"
#include "step/step.h"

enum { Q_SIDE = 31 };

static void gather_one(const tw_world *w, size_t i, tw_vec3 *force, tw_vec3 *torque)
{
    const tw_pairs *p = &w->pairs;
    tw_vec3 f = {0.0, 0.0, 0.0}, t = f;
    for (uint32_t k = p->touch_first[i]; k < p->touch_first[i + 1]; k++) {
        const uint32_t at = p->touch_pair[k] & ~(1u << Q_SIDE);
        if (!p->pair[at].touching) continue;
        const tw_push *push = &p->push[p->slot[at]];
        if (p->touch_pair[k] >> Q_SIDE) {
            f = tw_vec3_sub(f, push->force);
            t = tw_vec3_add(t, push->torque_q);
        } else {
            f = tw_vec3_add(f, push->force);
            t = tw_vec3_add(t, push->torque_p);
        }
    }
    *force = f;
    *torque = t;
}

typedef struct gather_context {
    tw_world *world;
    atomic_size_t bad; /* the first body with a number that is none */
} gather_context;

static void gather_chunk(void *context, size_t begin, size_t end, double *driven)
{
    gather_context *c = context;
    const tw_world *w = c->world;
    const tw_bodies *b = &w->bodies;
    for (size_t i = begin; i < end; i++) {
        gather_one(w, i, &b->force[i], &b->torque[i]);
        const double probe = tw_vec3_dot(b->force[i], b->force[i]) +
                             tw_vec3_dot(b->torque[i], b->torque[i]) +
                             tw_vec3_dot(b->x[i], b->x[i]);
        if (!(probe <= DBL_MAX)) {
            size_t known = atomic_load(&c->bad);
            while (i < known && !atomic_compare_exchange_weak(&c->bad, &known, i)) {
            }
        }
        if (b->flags[i] & TW_BODY_FIXED) {
            *driven -=
                0.5 * (tw_vec3_dot(b->force[i], b->dx[i]) + tw_vec3_dot(b->torque[i], b->turn[i]));
        }
    }
}

tw_status tw_step_gather(tw_world *world, tw_error *error)
{
    gather_context context = {world, SIZE_MAX};
    double driven;
    tw_sum_chunks(world->bodies.count, 1, gather_chunk, &context, &driven);
    world->books.walls += driven;
    for (size_t k = 0; k < world->wall_count; k++) {
        tw_wall *wall = &world->walls[k];
        tw_vec3 torque;
        gather_one(world, world->bodies.count + k, &wall->force, &torque);
        world->books.walls -= 0.5 * tw_vec3_dot(wall->force, wall->dx);
    }
    const size_t bad = atomic_load(&context.bad);
    if (bad != SIZE_MAX) {
        return tw_error_set(error, TW_STATUS_PHYSICS,
                            "step %llu: body %u has a position or force that is not a number",
                            (unsigned long long)world->steps, world->bodies.id[bad]);
    }
    return TW_STATUS_OK;
}
