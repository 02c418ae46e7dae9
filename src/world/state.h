/* SPDX-License-Identifier: BSD-3-Clause */
/* The state: all that a step changes and a checkpoint holds. Cell, walls, bodies, memories of
 * contacts, energy balance. */
#ifndef TW_WORLD_STATE_H
#define TW_WORLD_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <twirl/contact.h>
#include <twirl/contact_energies.h>
#include <twirl/contact_law.h>
#include <twirl/contact_parts.h>
#include <twirl/math.h>
#include <twirl/types.h>
#include <twirl/vec3.h>

#include "base/error.h"
#include "base/mat3.h"
#include "base/quat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An image of the cell, counted in edges. */
typedef struct tw_shift {
    int8_t i, j, k;
} tw_shift;

TW_INLINE tw_shift tw_shift_negative(tw_shift s)
{
    const tw_shift r = {(int8_t)-s.i, (int8_t)-s.j, (int8_t)-s.k};
    return r;
}

/* One number that orders shifts. */
TW_INLINE uint32_t tw_shift_key(tw_shift s)
{
    return (uint32_t)(s.i + 128) << 16 | (uint32_t)(s.j + 128) << 8 | (uint32_t)(s.k + 128);
}

/* The cell: three edge vectors, periodic or not, and the velocity gradient that deforms it. */
typedef struct tw_cell {
    tw_mat3 h;        /* edges as columns [m] */
    tw_mat3 inverse;  /* of h [1/m] */
    tw_mat3 h_before; /* h at the start of the last step [m] */
    tw_mat3 h_ref;    /* h when the neighbour list was made [m] */
    tw_mat3 gradient; /* grad v [1/s] */
    int periodic[3];
    int walled[3]; /* 1 + number of the lower of two platens on the faces across an edge; 0: none */
} tw_cell;

/* Element k of the velocity gradient that carries the bodies: along an edge with platens only these
 * follow the cell. */
TW_INLINE double tw_cell_carried_at(const tw_cell *cell, int k)
{
    return cell->walled[k / 3] || cell->walled[k % 3] ? 0.0 : cell->gradient.m[k];
}

TW_INLINE tw_mat3 tw_cell_carried(const tw_cell *cell)
{
    tw_mat3 carried;
    for (int k = 0; k < 9; k++)
        carried.m[k] = tw_cell_carried_at(cell, k);
    return carried;
}

/* Row i of the affine map of the bodies from the cell of the neighbour list, from that row of
 * h h_ref^-1. */
TW_INLINE tw_vec3 tw_cell_affine_row(const tw_cell *cell, int i, tw_vec3 row)
{
    return cell->walled[i] ? tw_vec3_make(i == 0, i == 1, i == 2) : row;
}

TW_INLINE tw_mat3 tw_cell_affine(const tw_cell *cell)
{
    tw_mat3 affine = tw_mat3_mul(cell->h, tw_mat3_inverse(cell->h_ref));
    for (int k = 0; k < 9; k++)
        if (cell->walled[k / 3]) affine.m[k] = k % 4 == 0 ? 1.0 : 0.0;
    return affine;
}

TW_INLINE double tw_cell_volume(const tw_cell *cell)
{
    return fabs(tw_mat3_det(cell->h));
}

/* Vector from the cell to its image. */
TW_INLINE tw_vec3 tw_cell_offset(const tw_mat3 *h, tw_shift s)
{
    return tw_mat3_mul_vec(*h, tw_vec3_make(s.i, s.j, s.k));
}

enum { TW_WALL_NAME = 64 /* bytes, with the final zero */ };

/* What moves a wall: a servo, which chooses the velocity along `along` for a force, or the spin
 * about it for a torque; or the cell, of which a platen is a face. */
enum { TW_WALL_MOVES = 1, TW_WALL_TURNS = 2, TW_WALL_PLATEN = 3 };

/* A rigid wall. Its form is that of its kind of surface, world/surface.h. */
typedef struct tw_wall {
    tw_vec3 point, normal; /* normal: unit, towards the grains */
    tw_vec3 v;             /* [m/s] */
    tw_vec3 dx;            /* displacement of the last step [m] */
    tw_vec3 travel;        /* displacement since the neighbour list was made [m] */
    tw_vec3 force;         /* of the grains on the wall [N] */
    tw_vec3 torque;        /* about `point` [N m] */
    int32_t servo;         /* TW_WALL_MOVES ...; 0: nothing */
    uint32_t material;
    /* Of a servo: units for a force, for a torque. v_max 0: not yet chosen. */
    double target, v_max;      /* [N, N m], [m/s, 1/s] */
    double stiffness, damping; /* of its contacts against it [N/m, N m], [N s/m, N m s] */
    double expected, drift;    /* as those of tw_servo, of what is pressed [N, N m], [N/s, N m/s] */
    int32_t predicted;
    uint32_t surface; /* its kind */
    /* `point` is the centre of its frame. */
    tw_quat q;       /* orientation: from its frame to space */
    tw_quat q_ref;   /* when the neighbour list was made */
    tw_vec3 spin;    /* angular velocity [rad/s] */
    tw_vec3 turn;    /* rotation vector of the last step [rad] */
    double radius;   /* of a sphere, negative: its inside [m] */
    tw_vec3 middle;  /* of the box around its elements, in its frame [m] */
    tw_vec3 half;    /* half the edges of the box; of a profile y is 0 [m] */
    uint32_t model;  /* where tw_model.surfaces has its elements */
    uint32_t front;  /* 1: grains touch facets from the side of their normals only */
    uint32_t absent; /* 1: no grain touches it */
    /* A prescribed motion: which parts of tw_model.drive, none: it moves with v and spin. */
    uint32_t drive_first, drive_count;
    uint32_t unused;
    double drive_start; /* time when it began [s] */
    tw_vec3 drive_point;
    tw_quat drive_q;         /* `point` and q then */
    tw_vec3 along;           /* of a servo: unit, direction or axis */
    double stiffness_before; /* that with which `expected` was made */
    double work;             /* on the grains [J] */
    char name[TW_WALL_NAME];
} tw_wall;

/* The direction along which a platen moves: that of its normal. */
TW_INLINE int tw_wall_across(const tw_wall *wall)
{
    return wall->normal.x != 0.0 ? 0 : wall->normal.y != 0.0 ? 1 : 2;
}

/* Work of the present force and torque of the grains over the movement of the last step [J]. */
TW_INLINE double tw_wall_work(const tw_wall *wall)
{
    return tw_vec3_dot(wall->force, wall->dx) + tw_vec3_dot(wall->torque, wall->turn);
}

/* What a force and torque of the grains, about `point`, are for its servo: the part that resists.
 */
TW_INLINE double tw_wall_pressed(const tw_wall *wall, tw_vec3 force, tw_vec3 torque)
{
    return -tw_vec3_dot(wall->servo == TW_WALL_TURNS ? torque : force, wall->along);
}

/* Velocity at `arm` from `point` when its servo moves it by one. */
TW_INLINE tw_vec3 tw_wall_lever(const tw_wall *wall, tw_vec3 arm)
{
    return wall->servo == TW_WALL_TURNS ? tw_vec3_cross(wall->along, arm) : wall->along;
}

/* Books the work of half a step, with the present force and torque. */
TW_INLINE void tw_wall_book(tw_wall *wall, double *all)
{
    const double work = 0.5 * tw_wall_work(wall);
    wall->work -= work;
    *all -= work;
}

/* Flags. TW_BODY_PRESENT: v and l are those of the present time, until forces and dt are known. */
enum { TW_BODY_FIXED = 1, TW_BODY_PRESENT = 2 };

/* Bodies, as columns. */
typedef struct tw_bodies {
#define TW_COLUMN(type, name) type *name;
#include "world/body_columns.def"
    size_t count, capacity;
} tw_bodies;

/* A value of any column. */
typedef union tw_bodies_value {
#define TW_COLUMN(type, name) type name;
#include "world/body_columns.def"
} tw_bodies_value;

/* Contacts in a bundle, and the number of lanes in sums: the same on every machine, and a multiple
 * of the number of lanes of any machine. */
enum { TW_BUNDLE = 8 };

/* Memories of TW_BUNDLE contacts, one lane per contact. */
typedef struct tw_bundle {
    double n[3][TW_BUNDLE], zeta[TW_BUNDLE], ft[3][TW_BUNDLE];
} tw_bundle;

typedef struct tw_bundle_number {
    double x[TW_BUNDLE];
} tw_bundle_number;

typedef struct tw_bundle_along {
    double x[2][TW_BUNDLE];
} tw_bundle_along;

typedef struct tw_bundle_force {
    double f[3][TW_BUNDLE];
} tw_bundle_force;

TW_INLINE tw_contact_memory tw_bundle_get(const tw_bundle *bundles, uint32_t slot)
{
    const tw_bundle *b = &bundles[slot / TW_BUNDLE];
    const uint32_t l = slot % TW_BUNDLE;
    const tw_contact_memory memory = {
        {b->n[0][l], b->n[1][l], b->n[2][l]}, b->zeta[l], {b->ft[0][l], b->ft[1][l], b->ft[2][l]}};
    return memory;
}

TW_INLINE void tw_bundle_put(tw_bundle *bundles, uint32_t slot, const tw_contact_memory *memory)
{
    tw_bundle *b = &bundles[slot / TW_BUNDLE];
    const uint32_t l = slot % TW_BUNDLE;
    const tw_vec3 n = memory->n, ft = memory->ft;
    const double parts[7] = {n.x, n.y, n.z, memory->zeta, ft.x, ft.y, ft.z};
    for (int k = 0; k < 3; k++) {
        b->n[k][l] = parts[k];
        b->ft[k][l] = parts[4 + k];
    }
    b->zeta[l] = parts[3];
}

TW_INLINE tw_vec3 tw_bundle_force_get(const tw_bundle_force *bundles, uint32_t slot)
{
    const tw_bundle_force *b = &bundles[slot / TW_BUNDLE];
    const uint32_t l = slot % TW_BUNDLE;
    return tw_vec3_make(b->f[0][l], b->f[1][l], b->f[2][l]);
}

TW_INLINE void tw_bundle_force_put(tw_bundle_force *bundles, uint32_t slot, tw_vec3 f)
{
    tw_bundle_force *b = &bundles[slot / TW_BUNDLE];
    const uint32_t l = slot % TW_BUNDLE;
    b->f[0][l] = f.x;
    b->f[1][l] = f.y;
    b->f[2][l] = f.z;
}

/* The parts of what contacts remember that some law needs, in bundles, by contact slot: those of
 * twirl/detail/contact_parts.def. */
#define TW_BUNDLE_OF_NUMBER tw_bundle_number
#define TW_BUNDLE_OF_INDEX tw_bundle_number
#define TW_BUNDLE_OF_ALONG tw_bundle_along
#define TW_BUNDLE_OF_VECTOR tw_bundle_force
#define TW_BUNDLE_OF_AXIAL tw_bundle_force
#define TW_BUNDLE_OF_TANGENT tw_bundle_force
#define TW_BUNDLE_OF_IN_P tw_bundle_force
#define TW_BUNDLE_OF_IN_Q tw_bundle_force

typedef struct tw_extras {
    uint32_t parts; /* in use: bits of tw_contact_law_extras. The arrays of others are NULL */
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner) TW_BUNDLE_OF_##form *name;
#include <twirl/detail/contact_parts.def>
} tw_extras;

/* Where number k of a part is, of which a contact has `numbers`. */
TW_INLINE double *tw_extras_at(void *part, size_t numbers, uint32_t slot, size_t k)
{
    return (double *)part + ((slot / TW_BUNDLE) * numbers + k) * TW_BUNDLE + slot % TW_BUNDLE;
}

/* Parts that are not in use are zero. */
TW_INLINE tw_contact_parts tw_extras_get(const tw_extras *extras, uint32_t slot)
{
    tw_contact_parts parts;
    memset(&parts, 0, sizeof parts);
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    for (size_t k = 0; extras->name && k < TW_CONTACT_WIDTH(name); k++)                            \
        ((double *)&parts.name)[k] = *tw_extras_at(extras->name, TW_CONTACT_WIDTH(name), slot, k);
#include <twirl/detail/contact_parts.def>
    return parts;
}

TW_INLINE void tw_extras_put(tw_extras *extras, uint32_t slot, const tw_contact_parts *parts)
{
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    for (size_t k = 0; extras->name && k < TW_CONTACT_WIDTH(name); k++)                            \
        *tw_extras_at(extras->name, TW_CONTACT_WIDTH(name), slot, k) =                             \
            ((const double *)&parts->name)[k];
#include <twirl/detail/contact_parts.def>
}

/* As they are after a rigid rotation of both bodies. */
TW_INLINE tw_contact_parts tw_extras_turned(const tw_contact_parts *parts, tw_vec3 turn)
{
    const tw_quat q = tw_quat_from_rotation(turn);
    tw_contact_parts turned = *parts;
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    for (size_t k = 0; TW_CONTACT_TURNS_##form && k < (count); k++)                                \
        ((tw_vec3 *)&turned.name)[k] = tw_quat_rotate(q, ((const tw_vec3 *)&parts->name)[k]);
#include <twirl/detail/contact_parts.def>
    return turned;
}

/* A copy for `bundles` bundles with these parts, of which the first `had` are kept, or zero where
 * there were none; the rest is not set, and pages of it that are never touched take no memory.
 * False: no memory, and nothing is left to be freed. */
bool tw_extras_copy(tw_extras *to, const tw_extras *from, uint32_t parts, size_t had,
                    size_t bundles);
void tw_extras_free(tw_extras *extras);

/* Frees all parts but these. */
void tw_extras_keep(tw_extras *extras, uint32_t parts);

/* Memories of contacts, by contact slot. */
typedef struct tw_contacts {
    tw_bundle *bundle;
    tw_extras extras;
    uint8_t *sliding;
    size_t capacity; /* slots */
} tw_contacts;

/* Force of a contact on p, damping included. */
TW_INLINE tw_vec3 tw_contacts_force(const tw_contacts *contacts, const tw_contact_law *law,
                                    uint32_t slot)
{
    const tw_contact_memory memory = tw_bundle_get(contacts->bundle, slot);
    const tw_vec3 f = tw_contact_law_elastic_force(law, &memory);
    if (!(contacts->extras.parts & (TW_CONTACT_EXTRA_DAMPED | TW_CONTACT_EXTRA_SHARED))) return f;
    const tw_contact_parts parts = tw_extras_get(&contacts->extras, slot);
    const tw_vec3 pressing =
        tw_vec3_scale(-tw_contact_law_normal_force(law, memory.zeta), memory.n);
    return tw_contact_parts_force(&parts, pressing, tw_vec3_add(f, tw_contact_parts_drag(&parts)));
}

/* The energy balance: sums over time [J]. */
typedef struct tw_energy_balance {
    tw_contact_lost lost;
    double body_damping;
    double cell, walls, gravity;
    double start; /* kinetic and stored energy at the start, and changes that were not work */
    int32_t started, unused;
} tw_energy_balance;

/* Sums over the contacts and bodies of the last step. */
typedef struct tw_sums {
    tw_mat3 moment; /* sum of branch (x) force on p [J] */
    tw_contact_stored stored;
    size_t contacts, sliding;
} tw_sums;

typedef struct tw_state {
    tw_cell cell;
    tw_bodies bodies;
    tw_wall *walls;
    size_t wall_count, wall_capacity;
    tw_contacts contacts;
    tw_energy_balance balance;
    tw_sums sums;
    double skin; /* of the neighbour list [m] */
    double dt;   /* [s]; 0: not yet chosen */
    double time; /* [s] */
    uint64_t steps;
    uint64_t searches; /* how often the neighbour list was made */
    uint64_t departed; /* bodies that have left */
} tw_state;

/* The id of the next body: that of one that has left is never used again. */
TW_INLINE uint64_t tw_state_next_id(const tw_state *state)
{
    return state->bodies.count + state->departed;
}

void tw_state_init(tw_state *state);
void tw_state_free(tw_state *state);

/* Frees the columns of bodies and the memories of contacts, which a device has; their numbers stay.
 */
void tw_state_drop_arrays(tw_state *state);

tw_status tw_state_reserve_bodies(tw_state *state, size_t count, tw_error *error);

/* One more body with all columns zero; its index is bodies.count - 1. */
tw_status tw_state_add_body(tw_state *state, tw_error *error);
tw_status tw_state_add_wall(tw_state *state, const tw_wall *wall, tw_error *error);

/* Index of the body with this id, by a linear search; SIZE_MAX if there is none. */
size_t tw_state_find_body(const tw_state *state, uint32_t id);

/* Puts the bodies into a new order: new index i holds what was at order[i]. `room` is workspace,
 * one entry per body. */
void tw_state_permute_bodies(tw_state *state, const uint32_t *order, tw_bodies_value *room);

/* Room for this many contact slots. Memories are kept, sliding flags are lost. On failure nothing
 * has changed. */
tw_status tw_state_reserve_contacts(tw_state *state, size_t slots, tw_error *error);

/* Room for these parts, bits of tw_contact_law_extras, in addition to those there are; new ones are
 * zero. On failure nothing has changed. */
tw_status tw_state_need_extras(tw_state *state, uint32_t parts, tw_error *error);

#ifdef __cplusplus
}
#endif

#endif
