/* SPDX-License-Identifier: BSD-3-Clause */
/* Before a new list, as in search/search.c: contacts are put aside, bodies are wrapped into the
 * cell and sorted in space, contacts follow them, and the reference state is set. */
#ifndef TW_DEVICE_REARRANGE_H
#define TW_DEVICE_REARRANGE_H

#include "base/sum.h"
#include "device/device_atomic.h"
#include "device/device_world.h"
#include "search/rearrange.h"

/* A body, and item 0 also for the cell: could bins and images be counted? */
TW_INLINE void tw_device_rearrange_check(tw_device_world *w, uint32_t i)
{
    if (i == 0 && !tw_rearrange_cell_is_sound(&w->state.cell)) w->search.flat = 1;
    if (i < w->bodies && !tw_rearrange_body_is_finite(&w->state, i))
        tw_device_atomic_min(&w->search.bad_body, i);
}

/* ---- Contacts are put aside ---- */

/* A body: contacts among its pairs. */
TW_INLINE void tw_device_rearrange_count(tw_device_world *w, uint32_t i)
{
    const tw_pairs *pairs = &w->schedule.pairs;
    uint32_t count = 0;
    for (uint32_t k = pairs->first[i]; k < pairs->first[i + 1]; k++)
        count += (uint32_t)tw_pairs_touch(pairs, k);
    w->search.place[i] = count;
}

TW_INLINE void tw_device_rearrange_take(tw_device_world *w, uint32_t i)
{
    const tw_pairs *pairs = &w->schedule.pairs;
    tw_device_search *search = &w->search;
    uint32_t at = search->place[i];
    for (uint32_t k = pairs->first[i]; k < pairs->first[i + 1]; k++) {
        if (!tw_pairs_touch(pairs, k)) continue;
        search->contact_pair[at] = pairs->pair[k];
        search->contact_slot[at++] = pairs->slot[k];
    }
}

/* A contact whose list could not be made: the next step computes whether it slides. */
TW_INLINE void tw_device_rearrange_forget(tw_device_world *w, uint32_t k)
{
    w->state.contacts.sliding[w->search.contact_slot[k]] = 0;
}

/* ---- A new order ---- */

/* One item. */
TW_INLINE void tw_device_rearrange_reduce(tw_device_world *w, uint32_t i)
{
    (void)i;
    w->search.reduced = tw_rearrange_cell(&w->state.cell, &w->search.change);
}

/* A body: into the cell; its key. */
TW_INLINE void tw_device_rearrange_wrap(tw_device_world *w, uint32_t i)
{
    tw_device_search *search = &w->search;
    tw_bodies *b = &w->state.bodies;
    if (search->reduced) b->image[i] = tw_mat3_mul_vec(search->change, b->image[i]);
    search->wrapped[i] = tw_rearrange_wrap(&w->state, i);
    search->key[i] = tw_rearrange_key(tw_mat3_mul_vec(w->state.cell.inverse, b->x[i]));
    search->order[i] = i;
}

/* A body in the new order, column by column. */
#define TW_COLUMN(type, name)                                                                      \
    TW_INLINE void tw_device_rearrange_column_##name(tw_device_world *w, uint32_t i)               \
    {                                                                                              \
        type *column = (type *)w->search.column;                                                   \
        column[i] = w->state.bodies.name[w->search.order[i]];                                      \
    }
#include "world/body_columns.def"
#undef TW_COLUMN

/* A body in the new order. */
TW_INLINE void tw_device_rearrange_now(tw_device_world *w, uint32_t i)
{
    w->search.now[w->search.order[i]] = i;
}

/* A body, and one more: number of spheres. */
TW_INLINE void tw_device_rearrange_first(tw_device_world *w, uint32_t i)
{
    w->search.first[i] =
        i < w->bodies ? (uint32_t)w->model.shapes[w->state.bodies.shape[i]].count : 0;
}

TW_INLINE void tw_device_rearrange_contact(tw_device_world *w, uint32_t k)
{
    tw_device_search *search = &w->search;
    const tw_rearrange_maps maps = {search->now, search->first, search->wrapped};
    tw_pair pair = search->contact_pair[k];
    if (search->reduced) pair.shift = tw_rearrange_shift(&search->change, pair.shift);
    tw_rearrange_contact(&w->state.contacts, &w->schedule.spheres, &maps, &pair,
                         search->contact_slot[k]);
    search->contact_pair[k] = pair;
}

/* ---- The reference state ---- */

/* A lane of a tile: its part of the sum of radii, as in tw_search_refresh. */
TW_INLINE void tw_device_rearrange_radius(tw_device_world *w, uint32_t i)
{
    const uint32_t size = (uint32_t)w->schedule.tiles.size, tile = i / TW_SUM_LANES;
    const uint32_t begin = tile * size, left = w->bodies - begin;
    const uint32_t end = begin + (left < size ? left : size);
    double sum = 0.0;
    for (uint32_t k = begin + i % TW_SUM_LANES; k < end; k += TW_SUM_LANES)
        sum += tw_rearrange_radius(&w->model, &w->state.bodies, k);
    w->search.lane_radius[i] = sum;
}

/* A group of 64 tiles: a branch of the tree over tiles. */
TW_INLINE void tw_device_rearrange_radius_group(tw_device_world *w, uint32_t i)
{
    const uint32_t tiles = (uint32_t)w->schedule.tiles.count;
    tw_sum_tree tree;
    tree.count = 0;
    for (uint32_t t = 64 * i; t < 64 * (i + 1) && t < tiles; t++)
        tw_sum_tree_add(&tree, tw_sum_lanes_join(w->search.lane_radius + TW_SUM_LANES * t));
    w->search.group_radius[i] = tw_sum_tree_total(&tree);
}

/* One item. */
TW_INLINE void tw_device_rearrange_reference(tw_device_world *w, uint32_t i)
{
    tw_state *state = &w->state;
    const uint32_t groups = ((uint32_t)w->schedule.tiles.count + 63) / 64;
    state->cell.h_ref = state->cell.h;
    for (size_t k = 0; k < state->wall_count; k++)
        state->walls[k].travel = tw_vec3_make(0.0, 0.0, 0.0);
    w->run.own = w->run.absolute = 0;
    state->skin = w->model.skin_requested;
    if (state->skin > 0.0) return;
    tw_sum_tree tree;
    tree.count = 0;
    for (i = 0; i < groups; i++)
        tw_sum_tree_add(&tree, w->search.group_radius[i]);
    state->skin = tw_rearrange_skin(tw_sum_tree_total(&tree), w->bodies);
}

#endif
