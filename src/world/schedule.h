/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedule: which computations a step does, and where. Spheres, neighbour list, tiles and
 * contact slots follow from model and state; they are rebuilt by the search and never saved. */
#ifndef TW_WORLD_SCHEDULE_H
#define TW_WORLD_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

#include "base/arena.h"
#include "world/model.h"
#include "world/state.h"
#include "world/tile.h"

/* Spheres of all bodies: body by body, in the order of the shape. */
typedef struct tw_spheres {
    uint32_t *first;    /* first sphere of body i; bodies + 1 entries */
    uint32_t *index_of; /* index of the body with this id */
    size_t body_capacity;
    uint32_t *body;
    double *radius;  /* [m] */
    tw_vec3 *offset; /* from the body's centre, in its frame [m]; not set for single spheres */
    size_t count, capacity;
} tw_spheres;

/* What a sphere can touch. A new kind needs a distance (search/list.c, tw_list_make), a contact law
 * call (src/step) and a way into tw_contact_state (src/sim). */
typedef enum tw_surface { TW_SURFACE_SPHERE, TW_SURFACE_PLANE } tw_surface;

/* A sphere, and a surface near enough to touch it before the next search. Of two spheres, body p
 * comes before body q, or both are the same body and q is another image of it. */
typedef struct tw_pair {
    uint32_t p;      /* sphere */
    uint32_t q;      /* number of the surface among those of its kind: sphere, or wall */
    tw_shift shift;  /* periodic image of q; zero for a plane */
    uint8_t surface; /* tw_surface */
} tw_pair;

_Static_assert(sizeof(tw_pair) == 12, "the longest list of all has no padding");

static inline int tw_pair_is_plane(const tw_pair *pair)
{
    return pair->surface == TW_SURFACE_PLANE;
}

/* Pairs in canonical order: by body p; spheres before planes; body q, image, sphere p, sphere q, or
 * plane, sphere p. */
typedef struct tw_pairs {
    tw_pair *pair;
    uint32_t *slot; /* contact slot of a pair; TW_NO_SLOT: not in contact */
    size_t count, capacity;
    uint32_t *first; /* first pair with body p = i; bodies + 1 entries */
    size_t body_capacity;
} tw_pairs;

static inline int tw_pairs_touch(const tw_pairs *pairs, size_t k)
{
    return pairs->slot[k] != TW_NO_SLOT;
}

/* Contact slots: what the memories in tw_contacts belong to. An empty slot refers to the tile's
 * idle sphere and body slots. */
typedef struct tw_slots {
    uint32_t *sphere_p, *sphere_q; /* sphere slots */
    uint32_t *body_p, *body_q; /* body slots; the same arrays as above if all bodies are single */
    uint32_t *pair;            /* TW_NO_PAIR: empty */
    uint32_t *candidate;       /* it was this one; TW_NO_PAIR: in contact since the list was made */
    size_t capacity;
} tw_slots;

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
    int32_t valid;   /* spheres, list, tiles and slots belong to the present state; if not, `pairs`
                        holds the contacts alone, until the next search */
    int32_t pending; /* bodies have moved, but memory ran out before the forces were computed: the
                        next step completes this one */
    tw_arena scratch;
    tw_sim_times times; /* diagnostics only */
} tw_schedule;

void tw_schedule_init(tw_schedule *schedule);
void tw_schedule_free(tw_schedule *schedule);

/* Room for the spheres of all bodies, then the list of them. */
tw_status tw_schedule_reserve_spheres(const tw_model *model, const tw_state *state,
                                      tw_schedule *schedule, tw_error *error);
void tw_schedule_list_spheres(const tw_model *model, const tw_state *state, tw_schedule *schedule);

/* Centres of all spheres for these positions and orientations of their bodies. */
void tw_schedule_sphere_centres(const tw_state *state, const tw_schedule *schedule,
                                const tw_vec3 *x, const tw_quat *q, tw_vec3 *centres);

/* Present centre of one sphere. */
tw_vec3 tw_schedule_sphere_centre(const tw_state *state, const tw_schedule *schedule,
                                  uint32_t sphere);

/* Room for this many pairs between `bodies` bodies. */
tw_status tw_schedule_reserve_pairs(tw_schedule *schedule, size_t bodies, size_t pairs,
                                    tw_error *error);

/* Room for this many contact slots; their contents are lost. */
tw_status tw_schedule_reserve_slots(tw_schedule *schedule, size_t slots, tw_error *error);

/* Number of contacts of each body, those with walls included. */
void tw_schedule_count_contacts(const tw_state *state, const tw_schedule *schedule,
                                uint32_t *counts);

/* Number of contacts. */
size_t tw_schedule_contacts(const tw_schedule *schedule);

/* Body of the sphere q of a pair of spheres. */
static inline uint32_t tw_schedule_body_q(const tw_schedule *schedule, const tw_pair *pair)
{
    return schedule->spheres.body[pair->q];
}

#endif
