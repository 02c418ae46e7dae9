/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedule: which computations a step does, and where. Spheres, neighbour list, tiles and
 * contact slots follow from model and state; they are rebuilt by the search and never saved. */
#ifndef TW_WORLD_SCHEDULE_H
#define TW_WORLD_SCHEDULE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>
#include <twirl/vec3.h>

#include "base/memory.h"
#include "world/model.h"
#include "world/state.h"
#include "world/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TW_NO_SLOT UINT32_MAX
#define TW_NO_PAIR UINT32_MAX

/* A sphere, and a surface near enough to touch it before the next search. Of two spheres, body p
 * comes before body q, or both are the same body and q is another image of it. */
typedef struct tw_pair {
    uint32_t p;      /* sphere */
    uint32_t q;      /* number of the surface among those of its kind: sphere, or wall */
    tw_shift shift;  /* periodic image of q; of a wall: its element */
    uint8_t surface; /* its kind: world/surface.h */
} tw_pair;

static_assert(sizeof(tw_pair) == 12, "the longest list of all has no padding");

/* Whether the surface is a wall, of any form; if not, it is a sphere. */
TW_INLINE int tw_pair_is_wall(const tw_pair *pair)
{
    return pair->surface != TW_SURFACE_GRAIN;
}

/* The element of a wall, a number of 24 bits; 0 of a wall without elements. */
enum { TW_PAIR_ELEMENTS_MAX = 1 << 24 };

TW_INLINE uint32_t tw_pair_element(const tw_pair *pair)
{
    return (uint32_t)(uint8_t)pair->shift.i << 16 | (uint32_t)(uint8_t)pair->shift.j << 8 |
           (uint8_t)pair->shift.k;
}

TW_INLINE tw_pair tw_pair_with_wall(uint32_t p, uint32_t wall, uint32_t element, uint32_t kind)
{
    tw_pair pair;
    pair.p = p;
    pair.q = wall;
    pair.shift.i = (int8_t)(uint8_t)(element >> 16);
    pair.shift.j = (int8_t)(uint8_t)(element >> 8);
    pair.shift.k = (int8_t)(uint8_t)element;
    pair.surface = (uint8_t)kind;
    return pair;
}

/* Whether both are pairs of the same sphere with elements of the same wall. */
TW_INLINE int tw_pair_is_grouped(const tw_pair *a, const tw_pair *b)
{
    return tw_surface_has_elements(a->surface) && a->p == b->p && a->q == b->q &&
           a->surface == b->surface;
}

/* Pairs in canonical order: by body p; spheres before walls; body q, image, sphere p, sphere q, or
 * wall, sphere p, element. */
typedef struct tw_pairs {
    tw_pair *pair;
    uint32_t *slot;  /* contact slot of a pair; TW_NO_SLOT: not in contact */
    uint32_t *given; /* where the list is deferred: the slot that a contact gets in it, counted from
                        the first one of its tile; NULL: any */
    size_t count, capacity;
    uint32_t *first; /* first pair with body p = i; bodies + 1 entries */
    size_t body_capacity, given_capacity;
} tw_pairs;

TW_INLINE int tw_pairs_touch(const tw_pairs *pairs, size_t k)
{
    return pairs->slot[k] != TW_NO_SLOT;
}

/* Contact slots: what the memories in tw_contacts belong to. An empty slot refers to the tile's
 * idle sphere and body slots. */
typedef struct tw_slots {
    uint32_t *sphere_p, *sphere_q; /* sphere slots */
    uint32_t *body_p, *body_q; /* body slots; the same arrays as above if all bodies are single */
    uint32_t *pair;            /* TW_NO_PAIR: empty */
    uint32_t *candidate; /* candidate that became this contact; TW_NO_PAIR: in contact since the
                            list was made */
    uint16_t *law;       /* where tw_model.laws has that of the contact */
    double *root;        /* of the reduced radius [m^(1/2)] */
    double *inv_root;    /* its inverse */
} tw_slots;

/* Spheres of all bodies: body by body, in the order of the shape. */
typedef struct tw_spheres {
    uint32_t *first;    /* first sphere of body i; bodies + 1 entries */
    uint32_t *index_of; /* index of the body with this id; UINT32_MAX: it has left */
    size_t ids;         /* of which `index_of` is set; fewer than there are after one is added */
    size_t body_capacity, id_capacity;
    uint32_t *body;
    double *radius;  /* [m] */
    tw_vec3 *offset; /* from the body's centre, in its frame [m]; not set for single spheres */
    size_t count, capacity;
} tw_spheres;

/* Tiles: a tile is a group of bodies, neighbours in space, with copies of all that the computation
 * of their contacts needs.
 *
 * A tile computes the contacts of its own bodies with bodies of a higher index. It has a body slot
 * for each body involved: its own bodies first, then ghosts (bodies of other tiles, and periodic
 * images), and a sphere slot for each of their spheres. Positions are relative to the tile's
 * origin. A tile writes to its own arrays only, so tiles can be computed in parallel; the force on
 * a body is summed over its own body slot and its ghosts, in the order of tiles. The number of
 * tiles depends on the number of bodies alone. */

/* Half of a body's rotation in the last step, in the form that the law takes, and its mass: 0 for a
 * fixed body, and where no law asks for it [kg]. */
typedef struct tw_tile_half {
    double v[3], mass;
} tw_tile_half;

/* Centre of a sphere, relative to the tile's origin, and its radius [m]. Also used for the centres
 * of bodies, without a radius. */
typedef struct tw_tile_sphere_slot {
    double x[3], radius;
} tw_tile_sphere_slot;

/* Force accumulator of a body slot or wall [N], [N m]. The torque is about the tile's origin during
 * the summation, about the body's centre afterwards; that of a wall is about its point. */
typedef struct tw_tile_accumulator {
    double force[3], torque[3];
    double springs[2]; /* stiffness and damping against a servo [N/m], [N s/m]; 0 for bodies */
} tw_tile_accumulator;

enum { TW_TILE_ACCUMULATOR = sizeof(tw_tile_accumulator) / sizeof(double) };

/* Sums over the contacts of a body, for the stable step. */
typedef struct tw_tile_springs {
    double k, nu;           /* stiffness and damping of the contact point [N/m], [N s/m] */
    double k_turn, nu_turn; /* of rolling and twisting [N m], [N m s] */
} tw_tile_springs;

/* A pair of spheres that does not touch, but may before the next search. */
typedef struct tw_tile_candidate {
    uint32_t p, q; /* sphere slots; the idle ones while it is a contact */
    uint32_t pair;
} tw_tile_candidate;

enum { TW_CANDIDATE_RANKS = 16 };

/* Source of a ghost. */
typedef struct tw_tile_ghost {
    uint32_t source; /* its own body slot */
    uint32_t body;
    uint32_t tile; /* that owns the body */
    tw_shift shift;
} tw_tile_ghost;

/* Source of a sphere of a ghost. */
typedef struct tw_tile_ghost_sphere {
    uint32_t source;    /* its own sphere slot */
    uint32_t body_slot; /* of the ghost in this tile */
} tw_tile_ghost_sphere;

typedef struct tw_tile {
    tw_vec3 origin;                       /* [m] */
    uint32_t body, bodies;                /* first, count */
    uint32_t pair, pairs;                 /* in canonical order */
    uint32_t body_slot, body_slots;       /* own bodies, ghosts, two idle ones */
    uint32_t sphere_slot, sphere_slots;   /* likewise */
    uint32_t ghost, ghosts;               /* entries of `ghost` */
    uint32_t ghost_sphere, ghost_spheres; /* entries of `ghost_sphere` */
    uint32_t slot, slots,
        room;           /* sphere contacts: first slot, slots up to the last one in use, limit */
    uint32_t empty;     /* all slots below slot + empty are in use */
    uint32_t wall_slot; /* wall contacts: first slot; one for each pair */
    uint32_t wall_pair, walls; /* entries of `wall_pair` */
    /* Candidates by rank, that is by their gap when the list was made, in fractions of the skin;
     * then contacts that have separated since. */
    uint32_t candidate, candidates;
    uint32_t rank_end[TW_CANDIDATE_RANKS]; /* counted from `candidate` */
    /* Largest displacement of a body since the list was made, relative to the affine flow and in
     * space (tw_travel), and the largest relative one over all tiles that have ghosts here [m]. */
    double travel_relative, travel_absolute, travel_neighbours;
} tw_tile;

typedef struct tw_tiles {
    tw_tile *tile;
    size_t count, size; /* tiles; bodies in each but the last */
    int single;         /* every body is one sphere */
    int gibbs_in_half;  /* on a device, with the exact law: `half` holds the Gibbs vectors of the
                           last  step, the column of bodies may be older */
    tw_tile_half *half; /* by body slot */
    tw_tile_accumulator
        *accumulator; /* by body slot; between steps, workspace of the stable step */
    tw_tile_sphere_slot
        *centre; /* by body slot; the same array as `sphere_slot` if every body is one sphere */
    tw_tile_sphere_slot *sphere_slot;
    tw_tile_ghost *ghost;
    tw_tile_ghost_sphere *ghost_sphere;
    uint32_t *ghost_first, *ghost_slot; /* body slots of body i as a ghost, in the order of tiles */
    uint32_t *degree;                   /* workspace: contacts of body i */
    tw_tile_candidate *candidate;
    uint32_t *hit; /* workspace of the candidates */
    uint32_t *wall_pair;
    double *wall_work; /* TW_TILES_WALL_WORK by wall pair; NULL: no wall has elements */
    tw_tile_accumulator *wall_accumulator; /* by tile, then wall */
    double *sum;                           /* workspace: sums of each tile */
} tw_tiles;

/* Numbers of workspace for each pair with a wall, where some wall has elements:
 * step/touch_surface.h. */
enum { TW_TILES_WALL_WORK = 72 + TW_CONTACT_NUMBERS };

TW_INLINE double *tw_tiles_wall_work(const tw_tiles *tiles, uint32_t wall_pair)
{
    return tiles->wall_work ? tiles->wall_work + (size_t)TW_TILES_WALL_WORK * wall_pair : NULL;
}

/* Whole bundles. */
TW_INLINE uint32_t tw_tile_round_up(uint32_t slots)
{
    return (slots + TW_BUNDLE - 1) / TW_BUNDLE * TW_BUNDLE;
}

/* The tile that owns a body. */
TW_INLINE uint32_t tw_tiles_home(const tw_tiles *tiles, uint32_t body)
{
    return body / (uint32_t)tiles->size;
}

/* Divides n bodies into tiles of 384 to 775, or fewer bodies into up to eight small tiles so that
 * threads can share the work. All tiles but the last have the same size, a multiple of TW_BUNDLE.
 * The order of sums, and so every bit of the results, follows from this: it must not depend on the
 * machine. */
TW_INLINE void tw_tiles_cut(tw_tiles *tiles, size_t n)
{
    size_t parts = 1;
    while (n / (2 * parts) >= 384)
        parts *= 2;
    while (parts < 8 && n / (2 * parts) >= 64)
        parts *= 2;
    const size_t bundles = (n + parts * TW_BUNDLE - 1) / (parts * TW_BUNDLE);
    tiles->size = bundles > 0 ? bundles * TW_BUNDLE : (size_t)TW_BUNDLE;
    tiles->count = n > 0 ? (n + tiles->size - 1) / tiles->size : 1;
}

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
    double momentum_flux[6]; /* sum of m v (x) v of bodies that are on a device: xx, yy, zz, yz, xz,
                                xy [J] */
    tw_arena tiled;          /* memory of tiles and slots, which a new list makes anew, and of the
                                search before it makes them */
    tw_arena scratch;
    struct tw_events *events; /* where contacts that begin and end are recorded; NULL: nowhere. Not
                                 of the schedule, which is freed without it */
} tw_schedule;

void tw_schedule_init(tw_schedule *schedule);
void tw_schedule_free(tw_schedule *schedule);

/* Frees the arrays. It is still that of a state whose arrays a device has: numbers stay. */
void tw_schedule_drop_arrays(tw_schedule *schedule);

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

/* Centres of the spheres of body i, at x with orientation q. */
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

/* How many pairs pair k and those behind it are with elements of the same wall: its contacts are
 * found together. 0 if it is not the first. */
TW_INLINE uint32_t tw_schedule_group(const tw_schedule *schedule, size_t k)
{
    const tw_pair *pair = &schedule->pairs.pair[k];
    size_t at = k + 1;
    if (!tw_surface_has_elements(pair->surface)) return 1;
    if (k > 0 && tw_pair_is_grouped(pair - 1, pair)) return 0;
    const size_t end = schedule->pairs.first[schedule->spheres.body[pair->p] + 1];
    while (at < end && tw_pair_is_grouped(pair, &schedule->pairs.pair[at]))
        at++;
    return (uint32_t)(at - k);
}

/* Whether a sphere touches a surface: pair k, or any of the group that it is the first of. */
TW_INLINE int tw_schedule_touch(const tw_schedule *schedule, size_t k)
{
    const size_t end = k + tw_schedule_group(schedule, k);
    int touch = 0;
    for (; k < end; k++)
        touch |= tw_pairs_touch(&schedule->pairs, k);
    return touch;
}

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

/* The law of a pair of surfaces, from their materials, radii and masses. */

/* Where tw_model.laws has it. */
TW_INLINE uint16_t tw_pair_law_index(const tw_model *model, const tw_state *state,
                                     const tw_schedule *schedule, const tw_pair *pair)
{
    if (model->material_count == 1) return 0;
    const uint32_t *material = state->bodies.material, *body = schedule->spheres.body;
    const uint32_t q =
        tw_pair_is_wall(pair) ? state->walls[pair->q].material : material[body[pair->q]];
    return tw_model_law(model, material[body[pair->p]], q);
}

/* Reduced radius: of two spheres, or of a sphere at a plane [m]. */
TW_INLINE double tw_pair_law_radius(const tw_schedule *schedule, const tw_pair *pair)
{
    const double *radius = schedule->spheres.radius, p = radius[pair->p];
    if (tw_pair_is_wall(pair)) return p;
    return p * radius[pair->q] / (p + radius[pair->q]);
}

/* Ratio of the radii, 0 at a plane. */
TW_INLINE double tw_pair_law_ratio(const tw_schedule *schedule, const tw_pair *pair)
{
    const double *radius = schedule->spheres.radius;
    return tw_pair_is_wall(pair) ? 0.0 : tw_contact_ratio(radius[pair->p], radius[pair->q]);
}

/* Reduced mass. Fixed bodies and walls count as infinitely heavy; 0 if both are [kg]. */
TW_INLINE double tw_pair_law_mass(const tw_state *state, const tw_schedule *schedule,
                                  const tw_pair *pair)
{
    const tw_bodies *b = &state->bodies;
    const uint32_t *body = schedule->spheres.body;
    const size_t p = body[pair->p];
    const double mp = b->flags[p] & TW_BODY_FIXED ? 0.0 : b->mass[p];
    if (tw_pair_is_wall(pair)) return mp;
    const size_t q = body[pair->q];
    if (b->flags[q] & TW_BODY_FIXED) return mp;
    return b->flags[p] & TW_BODY_FIXED ? b->mass[q] : mp * b->mass[q] / (mp + b->mass[q]);
}

/* What the law of the contact in this slot needs; nothing on a device with one linear law. */
TW_INLINE void tw_pair_law_seat(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                                uint32_t slot)
{
    if (!schedule->slots.law) return;
    const tw_pair *pair = &schedule->pairs.pair[schedule->slots.pair[slot]];
    const double root = sqrt(tw_pair_law_radius(schedule, pair));
    schedule->slots.law[slot] = tw_pair_law_index(model, state, schedule, pair);
    schedule->slots.root[slot] = root;
    schedule->slots.inv_root[slot] = 1.0 / root;
}

/* The law with the constants of this pair: tw_contact_law_at. */
TW_INLINE tw_contact_law tw_pair_law(const tw_model *model, const tw_state *state,
                                     const tw_schedule *schedule, const tw_pair *pair)
{
    const tw_contact_law *law = &model->laws[tw_pair_law_index(model, state, schedule, pair)];
    if (!(law->flags & TW_CONTACT_BY_SIZE)) return *law;
    return tw_contact_law_at_inline(law, tw_pair_law_radius(schedule, pair),
                                    tw_pair_law_mass(state, schedule, pair),
                                    tw_pair_law_ratio(schedule, pair));
}

/* Contents of the body, sphere and contact slots of a tile. */

/* Half of the rotation vector of a Gibbs vector. */
TW_INLINE tw_vec3 tw_tile_load_half(tw_vec3 g)
{
    const double t2 = tw_vec3_dot(g, g), t = sqrt(t2);
    /* atan(t)/t */
    return tw_vec3_scale(
        t < 1e-2 ? 1.0 - t2 * (1.0 / 3 - t2 * (1.0 / 5 - t2 * (1.0 / 7))) : tw_math_atan(t) / t, g);
}

/* Copies body k of a tile and its spheres into their slots. `exact`: the law takes Gibbs vectors;
 * `masses`: some law asks for the masses of bodies. */
TW_INLINE void tw_tile_load_body(const tw_state *state, tw_schedule *schedule, const tw_tile *tile,
                                 uint32_t k, int exact, int masses)
{
    const tw_bodies *b = &state->bodies;
    const uint32_t i = tile->body + k, first = schedule->spheres.first[i],
                   end = schedule->spheres.first[i + 1];
    const tw_vec3 x = tw_vec3_sub(b->x[i], tile->origin),
                  turn = exact ? b->gibbs[i] : tw_tile_load_half(b->gibbs[i]);
    const tw_tile_half half = {{turn.x, turn.y, turn.z},
                               masses && !(b->flags[i] & TW_BODY_FIXED) ? b->mass[i] : 0.0};
    double *centre = schedule->tiles.centre[tile->body_slot + k].x;
    schedule->tiles.half[tile->body_slot + k] = half;
    centre[0] = x.x; /* its radius stays */
    centre[1] = x.y;
    centre[2] = x.z;
    if (schedule->tiles.single) return;
    const tw_mat3 r = tw_quat_matrix(b->q[i]);
    for (uint32_t s = first; s < end; s++) {
        tw_vec3 at = x;
        if (end > first + 1) at = tw_vec3_add(x, tw_mat3_mul_vec(r, schedule->spheres.offset[s]));
        const tw_tile_sphere_slot slot = {{at.x, at.y, at.z}, schedule->spheres.radius[s]};
        schedule->tiles.sphere_slot[tile->sphere_slot + s - schedule->spheres.first[tile->body]] =
            slot;
    }
}

/* Copies a tile's own bodies and their spheres into its slots, starting with number `first`. */
void tw_tile_load_own(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                      const tw_tile *tile, uint32_t first);

/* Copies the ghosts of a tile, once all tiles have loaded their own bodies. */
void tw_tile_load_ghosts(const tw_state *state, tw_schedule *schedule, tw_tile *tile);

/* Empties a slot for contacts of spheres. On a device candidates are not listed, and laws only
 * where there are several. */
TW_INLINE void tw_tile_load_empty(tw_state *state, tw_schedule *schedule, const tw_tile *tile,
                                  uint32_t slot)
{
    tw_contacts *c = &state->contacts;
    const tw_contact_memory idle = {{1.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}};
    tw_bundle_put(c->bundle, slot, &idle);
    if (c->extras.parts) {
        const tw_contact_parts none = tw_contact_parts_unpack(0, NULL);
        tw_extras_put(&c->extras, slot, &none);
    }
    schedule->slots.pair[slot] = TW_NO_PAIR;
    if (schedule->slots.candidate) schedule->slots.candidate[slot] = TW_NO_PAIR;
    if (schedule->slots.law) {
        schedule->slots.law[slot] = 0;
        schedule->slots.root[slot] = schedule->slots.inv_root[slot] = 1.0;
    }
    c->sliding[slot] = 0;
    schedule->slots.sphere_p[slot] = tile->sphere_slot + tile->sphere_slots - 2;
    schedule->slots.sphere_q[slot] = schedule->slots.sphere_p[slot] + 1;
    if (schedule->tiles.single) return;
    schedule->slots.body_p[slot] = tile->body_slot + tile->body_slots - 2;
    schedule->slots.body_q[slot] = schedule->slots.body_p[slot] + 1;
}

/* The body slot of a sphere slot. */
TW_INLINE uint32_t tw_tile_load_body_slot(const tw_schedule *schedule, const tw_tile *tile,
                                          uint32_t sphere_slot)
{
    const uint32_t own = tile->sphere_slots - 2 - tile->ghost_spheres,
                   k = sphere_slot - tile->sphere_slot;
    if (schedule->tiles.single) return tile->body_slot + k;
    if (k >= own) return schedule->tiles.ghost_sphere[tile->ghost_sphere + k - own].body_slot;
    const uint32_t sphere = schedule->spheres.first[tile->body] + k;
    return tile->body_slot + schedule->spheres.body[sphere] - tile->body;
}

/* Energy stored in the contacts. */

TW_INLINE void tw_stored_add(tw_contact_stored *sum, const tw_contact_stored *one)
{
    for (int k = 0; k < TW_CONTACT_STORED_KINDS; k++)
        sum->of[k] += one->of[k];
}

/* Over all contacts, in the order of pairs. */
tw_contact_stored tw_stored_sum(const tw_model *model, const tw_state *state,
                                const tw_schedule *schedule);

/* Replaces the sums of the last step by `now`. The change is not work: it goes into the start of
 * the energy balance. */
void tw_stored_replace(tw_state *state, const tw_contact_stored *now);

#ifdef __cplusplus
}
#endif

#endif
