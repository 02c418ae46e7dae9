/* SPDX-License-Identifier: BSD-3-Clause */
/* How long a step may be. */
#include "step/step.h"

/* Largest mobility of body i at the end of any arm up to its bound: 1/m + r^2/I. */
static double mobility(const tw_world *w, size_t i, double *stiffness)
{
    const tw_bodies *b = &w->bodies;
    const double r = w->shapes[b->shape[i]].radius * b->size[i];
    const double moment =
        tw_math_min(b->inertia[i].x, tw_math_min(b->inertia[i].y, b->inertia[i].z));
    *stiffness = tw_math_max(w->law.kn, w->law.kt);
    return 1.0 / b->mass[i] + r * r / moment;
}

/* With a contact's spring energy k |a + b|^2/2 <= k (|a|^2 + |b|^2) the bodies come apart, and the
 * highest frequency is at most that of a body on twice its springs: w^2 <= 2 sum k (1/m + r^2/I).
 * Leap-frog is stable for dt < 2/w. Contact damping shortens this: dt < 2 (sqrt(w^2 + c^2) - c)/w^2
 * with c = sum nu (1/m + r^2/I) likewise. */
tw_stable_limit tw_stable_find(const tw_world *world)
{
    const tw_bodies *b = &world->bodies;
    tw_world_count_contacts(world, world->tiles.degree);
    tw_stable_limit bound = {DBL_MAX, 0, 0.0, 0};
    for (size_t i = 0; i < b->count; i++) {
        const uint32_t contacts = world->tiles.degree[i];
        double k;
        if (b->flags[i] & TW_BODY_FIXED) continue;
        const double give = mobility(world, i, &k), n = contacts ? contacts : 1.0;
        const double w2 = 2.0 * n * k * give, c = n * world->law.nu * give;
        const double dt = 2.0 * (sqrt(w2 + c * c) - c) / w2;
        if (dt < bound.dt) bound = (tw_stable_limit){dt, i, n * k, contacts};
    }
    return bound;
}
