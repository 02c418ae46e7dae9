/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedule: which computations a step does, and where. Spheres, neighbour list, tiles and
 * contact slots follow from model and state; they are rebuilt by the search and never saved. */
#ifndef TW_WORLD_SCHEDULE_H
#define TW_WORLD_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

#include "base/memory.h"
#include "world/model.h"
#include "world/pair.h"
#include "world/slots.h"
#include "world/spheres.h"
#include "world/state.h"
#include "world/tile.h"

typedef struct tw_schedule {
    tw_spheres spheres;
    tw_pairs pairs;
    tw_slots slots;
    tw_tiles tiles;
    double bound;      /* largest bounding radius of a body [m] */
    double radius_min; /* smallest radius of a sphere [m] */
    double stretch;    /* bound of the relative shortening of distances by the affine flow since the
                          list was made */
    tw_mat3 cell_back; /* 1 - (affine map of the step)^-1; valid within a step */
    int32_t valid;    /* spheres, list, tiles and slots belong to the present state; if not, `pairs`
                         holds the contacts alone, until the next search */
    int32_t deferred; /* valid, but `pairs` holds the contacts alone: tw_search_complete makes the
                         list. For bodies that are on a device */
    int32_t pending;  /* bodies have moved, but memory ran out before the forces were computed: the
                         next step completes this one */
    double kinetic[6]; /* sum of m v (x) v of bodies that are on a device: xx, yy, zz, yz, xz, xy
                          [J] */
    tw_arena scratch;
    tw_sim_times times; /* diagnostics only */
} tw_schedule;

void tw_schedule_init(tw_schedule *schedule);
void tw_schedule_free(tw_schedule *schedule);

/* Room for the spheres of all bodies, then the list of them. */
tw_status tw_schedule_reserve_spheres(const tw_model *model, const tw_state *state,
                                      tw_schedule *schedule, tw_error *error);
void tw_schedule_list_spheres(const tw_model *model, const tw_state *state, tw_schedule *schedule);

/* The spheres of one body, from number `at` on. */
TW_INLINE void tw_schedule_list_body(const tw_model *model, const tw_bodies *bodies, tw_spheres *s,
                                     size_t i, size_t at)
{
    const tw_shape *shape = &model->shapes[bodies->shape[i]];
    s->first[i] = (uint32_t)at;
    s->index_of[bodies->id[i]] = (uint32_t)i;
    for (size_t k = 0; k < shape->count; k++, at++) {
        s->body[at] = (uint32_t)i;
        s->radius[at] = bodies->size[i] * shape->spheres[k].radius;
        /* Not for single spheres: pages that are never touched take no memory. */
        if (shape->count > 1)
            s->offset[at] = tw_vec3_scale(bodies->size[i], shape->spheres[k].centre);
    }
}

/* Centres of all spheres for these positions and orientations of their bodies. */
void tw_schedule_sphere_centres(const tw_state *state, const tw_schedule *schedule,
                                const tw_vec3 *x, const tw_quat *q, tw_vec3 *centres);

/* Those of body i, at x with orientation q. */
TW_INLINE void tw_schedule_body_centres(const tw_spheres *s, size_t i, tw_vec3 x, tw_quat q,
                                        tw_vec3 *centres)
{
    const uint32_t begin = s->first[i], end = s->first[i + 1];
    if (end == begin + 1) {
        centres[begin] = x;
        return;
    }
    const tw_mat3 r = tw_quat_matrix(q);
    for (uint32_t k = begin; k < end; k++)
        centres[k] = tw_vec3_add(x, tw_mat3_mul_vec(r, s->offset[k]));
}

/* Present centre of one sphere. */
TW_INLINE tw_vec3 tw_schedule_sphere_centre(const tw_state *state, const tw_schedule *schedule,
                                            uint32_t sphere)
{
    const tw_spheres *s = &schedule->spheres;
    const uint32_t i = s->body[sphere];
    if (s->first[i + 1] == s->first[i] + 1) return state->bodies.x[i];
    const tw_mat3 r = tw_quat_matrix(state->bodies.q[i]);
    return tw_vec3_add(state->bodies.x[i], tw_mat3_mul_vec(r, s->offset[sphere]));
}

/* Room for `count` pairs between `bodies` bodies. */
tw_status tw_schedule_reserve_pairs(tw_schedule *schedule, size_t bodies, size_t count,
                                    tw_error *error);

/* Room for this many contact slots; their contents are lost. */
tw_status tw_schedule_reserve_slots(tw_schedule *schedule, size_t slots, tw_error *error);

/* Number of contacts of each body, those with walls included. */
void tw_schedule_count_contacts(const tw_state *state, const tw_schedule *schedule,
                                uint32_t *counts);

/* Number of contacts. */
size_t tw_schedule_contacts(const tw_schedule *schedule);

/* Body of the sphere q of a pair of spheres. */
TW_INLINE uint32_t tw_schedule_body_q(const tw_schedule *schedule, const tw_pair *pair)
{
    return schedule->spheres.body[pair->q];
}

#endif
