/* SPDX-License-Identifier: BSD-3-Clause */
/* Equivalent descriptions of a state: other edges of the cell, other images and another order of
 * bodies. Inline code for every device, item by item. */
#ifndef TW_SEARCH_REARRANGE_H
#define TW_SEARCH_REARRANGE_H

#include "world/model.h"
#include "world/schedule.h"
#include "world/state.h"

/* Shortens the edges of a strongly sheared cell by adding whole edges to each other. `change` is
 * the inverse of this operation, for images: offset = h s = h' (change s). */
TW_INLINE int tw_rearrange_cell(tw_cell *cell, tw_mat3 *change)
{
    int changed = 0;
    tw_vec3 edge[3], before[3], row[3]; /* copies; put back at the end */
    for (int k = 0; k < 3; k++) {
        edge[k] = tw_mat3_column(cell->h, k);
        before[k] = tw_mat3_column(cell->h_before, k);
        row[k] = tw_mat3_row(tw_mat3_identity(), k);
    }
    for (int round = 0, again = 1; again && round < 100; round++) {
        again = 0;
        for (int pair = 0; pair < 9; pair++) {
            const int a = pair / 3, b = pair % 3;
            if (a == b || !cell->periodic[a] || !cell->periodic[b]) continue;
            const double part = tw_vec3_dot(edge[a], edge[b]) / tw_vec3_dot(edge[b], edge[b]);
            /* Above one half by a margin, so that a cell at the limit does not flip back and forth.
             */
            if (fabs(part) < 0.6) continue;
            const double whole = rint(part);
            edge[a] = tw_vec3_add_scaled(edge[a], -whole, edge[b]);
            before[a] = tw_vec3_add_scaled(before[a], -whole, before[b]);
            row[b] = tw_vec3_add_scaled(row[b], whole, row[a]);
            again = changed = 1;
        }
    }
    *change = tw_mat3_from_rows(row[0], row[1], row[2]);
    if (!changed) return 0;
    cell->h = tw_mat3_from_columns(edge[0], edge[1], edge[2]);
    cell->h_before = tw_mat3_from_columns(before[0], before[1], before[2]);
    cell->inverse = tw_mat3_inverse(cell->h);
    return 1;
}

TW_INLINE int tw_rearrange_cell_is_sound(const tw_cell *cell)
{
    int sound = 1;
    for (int k = 0; k < 3; k++) {
        const double width = 1.0 / tw_vec3_norm(tw_mat3_row(cell->inverse, k));
        sound &= width > 0.0 && width <= DBL_MAX;
    }
    return sound;
}

/* Whether the body has a place in the cell. */
TW_INLINE int tw_rearrange_body_is_finite(const tw_state *state, size_t i)
{
    const tw_vec3 s = tw_mat3_mul_vec(state->cell.inverse, state->bodies.x[i]);
    return fabs(s.x) <= DBL_MAX && fabs(s.y) <= DBL_MAX && fabs(s.z) <= DBL_MAX;
}

/* An image too far away to be numbered is none that the list knows: the contact is lost, and that
 * is reported. */
TW_INLINE int8_t tw_rearrange_image(double t)
{
    return (int8_t)(fabs(t) <= INT8_MAX ? t : INT8_MAX);
}

TW_INLINE tw_shift tw_rearrange_shift(const tw_mat3 *change, tw_shift s)
{
    const tw_vec3 t = tw_mat3_mul_vec(*change, tw_vec3_make(s.i, s.j, s.k));
    const tw_shift r = {tw_rearrange_image(t.x), tw_rearrange_image(t.y), tw_rearrange_image(t.z)};
    return r;
}

/* Wraps body i into the cell; returns the image it was in. */
TW_INLINE tw_shift tw_rearrange_wrap(tw_state *state, size_t i)
{
    const tw_vec3 s = tw_mat3_mul_vec(state->cell.inverse, state->bodies.x[i]);
    const double at[3] = {s.x, s.y, s.z};
    int whole[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        if (state->cell.periodic[k] && fabs(at[k]) < 100.0) whole[k] = (int)floor(at[k]);
    }
    const tw_shift w = {(int8_t)whole[0], (int8_t)whole[1], (int8_t)whole[2]};
    if (w.i || w.j || w.k) {
        const tw_vec3 now = tw_cell_offset(&state->cell.h, w);
        const tw_vec3 before = tw_cell_offset(&state->cell.h_before, w);
        state->bodies.x[i] = tw_vec3_sub(state->bodies.x[i], now);
        state->bodies.image[i] = tw_vec3_add(state->bodies.image[i], tw_vec3_make(w.i, w.j, w.k));
        /* In a deforming cell the two images have moved differently. */
        state->bodies.dx[i] = tw_vec3_sub(state->bodies.dx[i], tw_vec3_sub(now, before));
    }
    return w;
}

enum { TW_REARRANGE_KEY = 21 /* bits of a key */ };

/* Morton code of a position in the cell: neighbours in space become neighbours in memory. */
TW_INLINE uint32_t tw_rearrange_key(tw_vec3 s)
{
    const double at[3] = {s.x, s.y, s.z};
    uint32_t key = 0;
    for (int k = 0; k < 3; k++) {
        const double part = floor(tw_math_min(tw_math_max(at[k], 0.0), 0.999999) * 128.0);
        const uint32_t bits = (uint32_t)part;
        for (int b = 0; b < 7; b++)
            key |= (bits >> b & 1u) << (3 * b + k);
    }
    return key;
}

/* From the old order of bodies to the new one. */
typedef struct tw_rearrange_maps {
    const uint32_t *now;     /* new index of a body, by its old one */
    const uint32_t *first;   /* first sphere of a body in the new order */
    const tw_shift *wrapped; /* image that a body was in, by its old index */
} tw_rearrange_maps;

/* Exchanges p and q. */
TW_INLINE void tw_rearrange_turn(tw_contacts *contacts, tw_pair *pair, uint32_t slot)
{
    tw_contact_memory memory = tw_bundle_get(contacts->bundle, slot);
    const uint32_t p = pair->p;
    pair->p = pair->q;
    pair->q = p;
    pair->shift = tw_shift_negative(pair->shift);
    memory.n = tw_vec3_scale(-1.0, memory.n);
    memory.ft = tw_vec3_scale(-1.0, memory.ft);
    tw_bundle_put(contacts->bundle, slot, &memory);
    tw_extras *extras = &contacts->extras;
    if (!extras->parts) return;
    const tw_contact_parts extra = tw_extras_get(extras, slot);
    const tw_contact_parts other = tw_contact_parts_exchanged(&extra);
    tw_extras_put(extras, slot, &other);
}

/* The contact in this slot in terms of the new order of bodies and the new images. `spheres` are
 * still those of the old order. */
TW_INLINE void tw_rearrange_contact(tw_contacts *contacts, const tw_spheres *spheres,
                                    const tw_rearrange_maps *maps, tw_pair *pair, uint32_t slot)
{
    const uint32_t bp = spheres->body[pair->p], p = maps->now[bp];
    pair->p = maps->first[p] + (pair->p - spheres->first[bp]);
    if (tw_pair_is_wall(pair)) return;
    const uint32_t bq = spheres->body[pair->q], q = maps->now[bq];
    const tw_shift wp = maps->wrapped[bp], wq = maps->wrapped[bq];
    pair->q = maps->first[q] + (pair->q - spheres->first[bq]);
    pair->shift.i = (int8_t)(pair->shift.i + wq.i - wp.i);
    pair->shift.j = (int8_t)(pair->shift.j + wq.j - wp.j);
    pair->shift.k = (int8_t)(pair->shift.k + wq.k - wp.k);
    if (q < p) tw_rearrange_turn(contacts, pair, slot);
}

/* The reference state of a wall. */
TW_INLINE void tw_rearrange_wall(tw_wall *wall)
{
    wall->travel = tw_vec3_make(0.0, 0.0, 0.0);
    wall->q_ref = wall->q;
}

/* Mean radius of the spheres of a body [m]. */
TW_INLINE double tw_rearrange_radius(const tw_model *model, const tw_bodies *bodies, size_t i)
{
    const tw_shape *shape = &model->shapes[bodies->shape[i]];
    double radius = 0.0;
    for (size_t k = 0; k < shape->count; k++)
        radius += shape->spheres[k].radius / (double)shape->count;
    return radius * bodies->size[i];
}

/* A tenth of the mean radius of the spheres, from the sum of tw_rearrange_radius. */
TW_INLINE double tw_rearrange_skin(double sum, size_t bodies)
{
    return bodies ? 0.1 * sum / (double)bodies : 1.0;
}

#endif
