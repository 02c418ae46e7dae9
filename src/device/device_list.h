/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of the search: contacts are put aside and bodies sorted, bodies are put into bins, pairs
 * are listed. */
#ifndef TW_DEVICE_LIST_H
#define TW_DEVICE_LIST_H

#include "base/sum.h"
#include "device/device_access.h"
#include "device/device_world.h"
#include "search/list.h"
#include "search/rearrange.h"

/* Before a new list, as in search/search.c: contacts are put aside, bodies are wrapped into the
 * cell and sorted in space, contacts follow them, and the reference state is set. */

/* A body, and item 0 also for the cell: could bins and images be counted? */
TW_INLINE void tw_device_rearrange_check(const tw_state *state, const tw_device_list *list,
                                         tw_device_search *search, uint32_t i)
{
    if (i == 0 && !tw_rearrange_cell_is_sound(&state->cell)) search->flat = 1;
    if (i < list->bodies && !tw_rearrange_body_is_finite(state, i))
        tw_device_atomic_min(&search->bad_body, i);
}

/* ---- Contacts are put aside ---- */

/* A body: contacts among its pairs. */
TW_INLINE void tw_device_rearrange_count(const tw_pairs *pairs, tw_device_search *search,
                                         uint32_t i)
{
    uint32_t count = 0;
    for (uint32_t k = pairs->first[i]; k < pairs->first[i + 1]; k++)
        count += (uint32_t)tw_pairs_touch(pairs, k);
    search->place[i] = count;
}

TW_INLINE void tw_device_rearrange_take(const tw_pairs *pairs, tw_device_search *search, uint32_t i)
{
    uint32_t at = search->place[i];
    for (uint32_t k = pairs->first[i]; k < pairs->first[i + 1]; k++) {
        if (!tw_pairs_touch(pairs, k)) continue;
        search->contact_pair[at] = pairs->pair[k];
        search->contact_slot[at++] = pairs->slot[k];
    }
}

/* A contact whose list could not be made: the next step computes whether it slides. */
TW_INLINE void tw_device_rearrange_forget(const tw_device_search *search, tw_contacts *contacts,
                                          uint32_t k)
{
    contacts->sliding[search->contact_slot[k]] = 0;
}

/* ---- A new order ---- */

/* One item. */
TW_INLINE void tw_device_rearrange_reduce(tw_cell *cell, tw_device_search *search, uint32_t i)
{
    (void)i;
    search->reduced = tw_rearrange_cell(cell, &search->change);
}

/* A body: into the cell; its key. */
TW_INLINE void tw_device_rearrange_wrap(tw_state *state, tw_device_search *search, uint32_t i)
{
    if (search->reduced)
        state->bodies.image[i] = tw_mat3_mul_vec(search->change, state->bodies.image[i]);
    search->wrapped[i] = tw_rearrange_wrap(state, i);
    search->key[i] = tw_rearrange_key(tw_mat3_mul_vec(state->cell.inverse, state->bodies.x[i]));
    search->order[i] = i;
}

/* A body that leaves comes last. */
TW_INLINE void tw_device_rearrange_drop(const tw_bodies *bodies, tw_device_search *search,
                                        uint32_t i)
{
    if (bodies->flags[i] & TW_DEVICE_LEAVES) search->key[i] = 1u << TW_REARRANGE_KEY;
}

/* Bytes of a column, padded so that the next one is aligned. */
TW_INLINE size_t tw_device_rearrange_bytes(size_t bodies, size_t size)
{
    return (bodies * size + 7) / 8 * 8;
}

/* Columns number column_first .. column_end - 1, one after the other in `column`: as many as there
 * is room for. Returns their number. */
static inline int tw_device_rearrange_choose(tw_device_search *search, size_t bodies, size_t room)
{
    size_t used = 0;
    uint32_t k = 0;
#define TW_COLUMN(type, name)                                                                      \
    if (k == search->column_end &&                                                                 \
        used + tw_device_rearrange_bytes(bodies, sizeof(type)) <= room) {                          \
        used += tw_device_rearrange_bytes(bodies, sizeof(type));                                   \
        search->column_end++;                                                                      \
    }                                                                                              \
    k++;
#include "world/body_columns.def"
#undef TW_COLUMN
    return search->column_end > search->column_first;
}

/* A body in the new order, and back to the columns. */
TW_INLINE void tw_device_rearrange_columns(const tw_bodies *bodies, tw_device_search *search,
                                           uint32_t i)
{
    char *at = (char *)search->column;
    const uint32_t from = search->order[i];
    uint32_t k = 0;
#define TW_COLUMN(type, name)                                                                      \
    if (k >= search->column_first && k < search->column_end) {                                     \
        ((type *)(void *)at)[i] = bodies->name[from];                                              \
        at += tw_device_rearrange_bytes(bodies->count, sizeof(type));                              \
    }                                                                                              \
    k++;
#include "world/body_columns.def"
#undef TW_COLUMN
}

TW_INLINE void tw_device_rearrange_back(const tw_device_search *search, tw_bodies *bodies,
                                        uint32_t i)
{
    const char *at = (const char *)search->column;
    uint32_t k = 0;
#define TW_COLUMN(type, name)                                                                      \
    if (k >= search->column_first && k < search->column_end) {                                     \
        bodies->name[i] = ((const type *)(const void *)at)[i];                                     \
        at += tw_device_rearrange_bytes(bodies->count, sizeof(type));                              \
    }                                                                                              \
    k++;
#include "world/body_columns.def"
#undef TW_COLUMN
}

/* A body in the new order. */
TW_INLINE void tw_device_rearrange_now(tw_device_search *search, uint32_t i)
{
    search->now[search->order[i]] = i;
}

/* A body, and one more: number of spheres. */
TW_INLINE void tw_device_rearrange_first(const tw_model *model, const tw_bodies *bodies,
                                         const tw_device_list *list, tw_device_search *search,
                                         uint32_t i)
{
    search->first[i] = i < list->bodies ? (uint32_t)model->shapes[bodies->shape[i]].count : 0;
}

TW_INLINE void tw_device_rearrange_contact(const tw_spheres *spheres, tw_contacts *contacts,
                                           tw_device_search *search, uint32_t k)
{
    const tw_rearrange_maps maps = {search->now, search->first, search->wrapped};
    tw_pair pair = search->contact_pair[k];
    if (search->reduced) pair.shift = tw_rearrange_shift(&search->change, pair.shift);
    tw_rearrange_contact(contacts, spheres, &maps, &pair, search->contact_slot[k]);
    search->contact_pair[k] = pair;
}

/* ---- The reference state ---- */

/* A lane of a tile: its part of the sum of radii, as in tw_search_refresh. */
TW_INLINE void tw_device_rearrange_radius(const tw_model *model, const tw_bodies *bodies,
                                          const tw_tiles *tiles, const tw_device_list *list,
                                          tw_device_search *search, uint32_t i)
{
    const uint32_t size = (uint32_t)tiles->size, tile = i / TW_SUM_LANES;
    const uint32_t begin = tile * size, left = list->bodies - begin;
    const uint32_t end = begin + (left < size ? left : size);
    double sum = 0.0;
    for (uint32_t k = begin + i % TW_SUM_LANES; k < end; k += TW_SUM_LANES)
        sum += tw_rearrange_radius(model, bodies, k);
    search->lane_radius[i] = sum;
}

/* A group of 64 tiles: a branch of the tree over tiles. */
TW_INLINE void tw_device_rearrange_radius_group(const tw_tiles *tiles, tw_device_search *search,
                                                uint32_t i)
{
    const uint32_t count = (uint32_t)tiles->count;
    tw_sum_tree tree;
    tree.count = 0;
    for (uint32_t t = 64 * i; t < 64 * (i + 1) && t < count; t++)
        tw_sum_tree_add(&tree, tw_sum_lanes_join(search->lane_radius + TW_SUM_LANES * t));
    search->group_radius[i] = tw_sum_tree_total(&tree);
}

/* One item. */
TW_INLINE void tw_device_rearrange_reference(const tw_model *model, const tw_tiles *tiles,
                                             const tw_device_list *list,
                                             const tw_device_search *search, tw_state *state,
                                             tw_device_run *run, uint32_t i)
{
    const uint32_t groups = ((uint32_t)tiles->count + 63) / 64;
    state->cell.h_ref = state->cell.h;
    for (size_t k = 0; k < state->wall_count; k++)
        tw_rearrange_wall(&state->walls[k]);
    run->own = run->absolute = 0;
    state->skin = model->skin_requested;
    if (state->skin > 0.0) return;
    tw_sum_tree tree;
    tree.count = 0;
    for (i = 0; i < groups; i++)
        tw_sum_tree_add(&tree, search->group_radius[i]);
    state->skin = tw_rearrange_skin(tw_sum_tree_total(&tree), list->bodies);
}

/* Bodies in bins, as in search/search.c. The members of a bin are in any order: pairs are ordered
 * when all are found. */

/* Extremes are found by this many items: item i has bodies i, i + TW_DEVICE_GRID_ITEMS and so on.
 */
enum { TW_DEVICE_GRID_ITEMS = 16384 };

/* A whole number that has the order of x, and back. */
TW_INLINE uint64_t tw_device_grid_ordered(double x)
{
    const uint64_t bits = tw_math_bits(x), sign = UINT64_C(1) << 63;
    return bits & sign ? ~bits : bits | sign;
}

TW_INLINE double tw_device_grid_unordered(uint64_t number)
{
    const uint64_t sign = UINT64_C(1) << 63;
    return tw_math_of_bits(number & sign ? number & ~sign : ~number);
}

/* Before the extremes are found. */
TW_INLINE void tw_device_grid_begin(const tw_model *model, const tw_state *state,
                                    tw_device_search *search, uint32_t i)
{
    (void)i;
    search->least = search->radius_min = tw_math_bits(DBL_MAX);
    for (int k = 0; k < 3; k++) {
        search->low[k] = tw_device_grid_ordered(DBL_MAX);
        search->high[k] = tw_device_grid_ordered(-DBL_MAX);
    }
    for (int k = 0; k < TW_BINS_CLASSES; k++) {
        search->radius_max[k] = 0;
        search->members[k] = 0;
    }
    search->bins.h = state->cell.h_ref;
    search->bins.inverse = tw_mat3_inverse(state->cell.h_ref);
    search->bins.margin = tw_list_margin(model, state);
    for (int k = 0; k < 3; k++)
        search->bins.periodic[k] = state->cell.periodic[k];
}

/* Sizes, and the range along free edges. */
TW_INLINE void tw_device_grid_measure(const tw_model *model, const tw_state *state,
                                      const tw_spheres *spheres, const tw_device_list *list,
                                      tw_device_search *search, uint32_t i)
{
    const tw_bins *bins = &search->bins;
    const int free = !bins->periodic[0] || !bins->periodic[1] || !bins->periodic[2];
    double least = DBL_MAX, radius_min = DBL_MAX;
    double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
    for (uint32_t k = i; k < list->bodies; k += TW_DEVICE_GRID_ITEMS) {
        const double bound = tw_list_bound(model, state, k);
        search->bound[k] = bound;
        least = tw_math_min(least, bound);
        for (uint32_t p = spheres->first[k]; p < spheres->first[k + 1]; p++)
            radius_min = tw_math_min(radius_min, spheres->radius[p]);
        if (!free) continue;
        const tw_vec3 x = tw_mat3_mul_vec(bins->inverse, state->bodies.x_ref[k]);
        const double at[3] = {x.x, x.y, x.z};
        for (int e = 0; e < 3; e++) {
            low[e] = tw_math_min(low[e], at[e]);
            high[e] = tw_math_max(high[e], at[e]);
        }
    }
    tw_device_atomic_least(&search->least, least);
    tw_device_atomic_least(&search->radius_min, radius_min);
    for (int e = 0; e < 3 && free; e++) {
        tw_device_atomic_min(&search->low[e], tw_device_grid_ordered(low[e]));
        tw_device_atomic_max(&search->high[e], tw_device_grid_ordered(high[e]));
    }
}

/* One item. */
TW_INLINE void tw_device_grid_least(tw_device_search *search, uint32_t i)
{
    (void)i;
    search->bins.least = tw_math_of_bits(search->least);
}

/* Classes. */
TW_INLINE void tw_device_grid_classes(const tw_device_list *list, tw_device_search *search,
                                      uint32_t i)
{
    double radius_max[TW_BINS_CLASSES];
    uint32_t members[TW_BINS_CLASSES];
    for (int k = 0; k < TW_BINS_CLASSES; k++) {
        radius_max[k] = 0.0;
        members[k] = 0;
    }
    for (uint32_t k = i; k < list->bodies; k += TW_DEVICE_GRID_ITEMS) {
        const double bound = search->bound[k];
        const int number = tw_bins_class_of(&search->bins, bound);
        radius_max[number] = tw_math_max(radius_max[number], bound);
        members[number]++;
    }
    for (int k = 0; k < TW_BINS_CLASSES; k++) {
        if (members[k] == 0) continue;
        tw_device_atomic_most(&search->radius_max[k], radius_max[k]);
        tw_device_atomic_add(&search->members[k], members[k]);
    }
}

/* One item: the bins; what the schedule keeps of the sizes. */
TW_INLINE void tw_device_grid_cut(tw_schedule *schedule, tw_device_search *search, uint32_t i)
{
    tw_bins *bins = &search->bins;
    (void)i;
    schedule->bound = 0.0;
    schedule->radius_min = tw_math_of_bits(search->radius_min);
    schedule->stretch = 0.0;
    bins->class_count = 0;
    for (int k = 0; k < TW_BINS_CLASSES; k++) {
        bins->classes[k].radius_max = tw_math_of_bits(search->radius_max[k]);
        bins->classes[k].count = search->members[k];
        if (search->members[k] > 0) bins->class_count = k + 1;
        schedule->bound = tw_math_max(schedule->bound, bins->classes[k].radius_max);
    }
    for (int k = 0; k < 3; k++)
        tw_bins_set_range(bins, k, tw_device_grid_unordered(search->low[k]),
                          tw_device_grid_unordered(search->high[k]));
    search->bin_count = tw_bins_cut_all(bins);
    search->narrow = tw_bins_too_narrow(bins);
}

TW_INLINE size_t tw_device_grid_bin(const tw_bodies *bodies, const tw_device_search *search,
                                    uint32_t i)
{
    const tw_bins *bins = &search->bins;
    const tw_bins_class *c = &bins->classes[tw_bins_class_of(bins, search->bound[i])];
    int bin[3];
    tw_bins_at(bins, c, bodies->x_ref[i], bin);
    return tw_bins_number(c, bin);
}

/* A body: its place in its bin. */
TW_INLINE void tw_device_grid_enter(const tw_bodies *bodies, tw_device_search *search, uint32_t i)
{
    search->place[i] =
        tw_device_atomic_add(&search->start[tw_device_grid_bin(bodies, search, i)], 1);
}

/* Once the bins are counted. */
TW_INLINE void tw_device_grid_fill(const tw_bodies *bodies, tw_device_search *search, uint32_t i)
{
    search->member[search->start[tw_device_grid_bin(bodies, search, i)] + search->place[i]] = i;
}

/* The pair list, as in search/list.c, but without a list of near bodies: each body counts its pairs
 * of spheres as it finds near bodies, then fills them in, and at last they are ordered. */

/* A body: its spheres. */
TW_INLINE void tw_device_list_spheres(const tw_model *model, const tw_bodies *bodies,
                                      const tw_device_list *list, const tw_device_search *search,
                                      tw_spheres *spheres, uint32_t i)
{
    tw_schedule_list_body(model, bodies, spheres, i, search->first[i]);
    if (i + 1 == list->bodies) spheres->first[i + 1] = search->first[i + 1];
}

/* A body of several spheres. */
TW_INLINE void tw_device_list_centres(const tw_bodies *bodies, const tw_spheres *spheres,
                                      tw_device_search *search, uint32_t i)
{
    tw_schedule_body_centres(spheres, i, bodies->x_ref[i], bodies->q_ref[i], search->centre);
}

typedef struct tw_device_list_finding {
    const tw_model *model;
    const tw_state *state;
    const tw_spheres *spheres;
    tw_pairs *pairs;
    tw_device_search *search;
    int fill; /* 0: count only */
} tw_device_list_finding;

/* Pairs of body `owner`: where they go; NULL where they are counted only. */
TW_INLINE tw_pair *tw_device_list_room(const tw_device_list_finding *f, uint32_t owner,
                                       uint32_t count)
{
    const uint32_t place = tw_device_atomic_add(&f->search->place[owner], count);
    return f->fill ? &f->pairs->pair[f->pairs->first[owner] + place] : NULL;
}

TW_INLINE void tw_device_list_add(const tw_device_list_finding *f, uint32_t owner, uint32_t p,
                                  uint32_t q, tw_shift shift, uint32_t surface)
{
    tw_pair *const out = tw_device_list_room(f, owner, 1);
    const tw_pair pair = {p, q, shift, (uint8_t)surface};
    if (out) *out = pair;
}

/* Pairs of spheres of near bodies, p below q. */
TW_INLINE void tw_device_list_bodies(const tw_device_list_finding *f, uint32_t bp, uint32_t bq,
                                     tw_shift shift)
{
    const tw_spheres *s = f->spheres;
    const tw_vec3 *centre = f->search->centre;
    const tw_vec3 offset = tw_cell_offset(&f->state->cell.h_ref, shift);
    const uint32_t begin = s->first[bq], end = s->first[bq + 1];
    const uint32_t *material = f->state->bodies.material;
    const double margin = tw_list_margin_between(f->model, f->state, material[bp], material[bq]);
    for (uint32_t p = s->first[bp]; p < s->first[bp + 1]; p++) {
        const tw_vec3 from = tw_vec3_sub(centre[p], offset);
        for (uint32_t q = begin; q < end; q++) {
            if (tw_list_is_near(from, s->radius[p], centre[q], s->radius[q], margin))
                tw_device_list_add(f, bp, p, q, shift, TW_SURFACE_GRAIN);
        }
    }
}

TW_INLINE void tw_device_list_run(const tw_device_list_finding *f, const tw_bins_view *view,
                                  size_t at, size_t run)
{
    const tw_device_search *search = f->search;
    const uint32_t i = view->body, end = search->start[at + run];
    for (uint32_t k = search->start[at]; k < end; k++) {
        const uint32_t j = search->member[k];
        const tw_vec3 x = f->state->bodies.x_ref[j];
        if (!tw_bins_is_near(view, &search->bins, j, x, search->bound[j])) continue;
        if (i <= j)
            tw_device_list_bodies(f, i, j, view->shift);
        else
            tw_device_list_bodies(f, j, i, tw_shift_negative(view->shift));
    }
}

#define BINS_NAME(name) tw_device_list_##name
#define BINS_CONTEXT const tw_device_list_finding
#define BINS_RUN tw_device_list_run
#include "search/bins_search.inc"

TW_INLINE void tw_device_list_walls(const tw_device_list_finding *f, uint32_t i)
{
    const tw_spheres *s = f->spheres;
    for (uint32_t k = 0; k < (uint32_t)f->state->wall_count; k++) {
        const tw_wall *wall = &f->state->walls[k];
        const double margin = tw_list_margin_between(f->model, f->state,
                                                     f->state->bodies.material[i], wall->material);
        for (uint32_t p = s->first[i]; p < s->first[i + 1]; p++) {
            const tw_vec3 x = f->search->centre[p];
            const double reach = s->radius[p] + margin;
            const uint32_t count = tw_list_wall(f->model, f->state, k, p, x, reach, NULL);
            if (count == 0) continue;
            tw_pair *const out = tw_device_list_room(f, i, count);
            if (out) tw_list_wall(f->model, f->state, k, p, x, reach, out);
        }
    }
}

/* A body: the pairs that it finds, counted or (`fill`) listed. */
TW_INLINE void tw_device_list_find(const tw_model *model, const tw_state *state,
                                   const tw_spheres *spheres, tw_pairs *pairs,
                                   tw_device_search *search, uint32_t i, int fill)
{
    const tw_device_list_finding f = {model, state, spheres, pairs, search, fill};
    tw_bins_view view;
    view.body = i;
    view.x = state->bodies.x_ref[i];
    view.radius = search->bound[i];
    tw_device_list_look_around(&f, &search->bins, &view);
    tw_device_list_walls(&f, i);
}

/* A contact: its pair, if it was not found (tw_list_find); counted or listed. */
TW_INLINE void tw_device_list_far(const tw_model *model, const tw_state *state,
                                  const tw_spheres *spheres, tw_pairs *pairs,
                                  tw_device_search *search, uint32_t k, int fill)
{
    const tw_device_list_finding f = {model, state, spheres, pairs, search, fill};
    const tw_pair *pair = &search->contact_pair[k];
    if (search->contact_target[k] == TW_NO_PAIR)
        tw_device_list_add(&f, spheres->body[pair->p], pair->p, pair->q, pair->shift,
                           pair->surface);
}

/* Bodies i, i + TW_DEVICE_GRID_ITEMS ...: a sum of 64 bits, since offsets of 32 would overflow
 * unnoticed. */
TW_INLINE void tw_device_list_total(const tw_device_list *list, tw_device_search *search,
                                    uint32_t i)
{
    uint64_t total = 0;
    for (uint32_t k = i; k < list->bodies; k += TW_DEVICE_GRID_ITEMS)
        total += search->place[k];
    tw_device_atomic_add_long(&search->total, total);
}

/* A body: its pairs in canonical order. */
TW_INLINE void tw_device_list_order(const tw_spheres *spheres, tw_pairs *pairs, uint32_t i)
{
    const uint32_t count = pairs->first[i + 1] - pairs->first[i];
    tw_pair *pair = pairs->pair + pairs->first[i];
    for (uint32_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (uint32_t k = gap; k < count; k++) {
            const tw_pair one = pair[k];
            uint32_t at = k;
            for (; at >= gap && tw_list_compare(spheres, &one, &pair[at - gap]) < 0; at -= gap)
                pair[at] = pair[at - gap];
            pair[at] = one;
        }
    }
}

/* A contact: its pair. */
TW_INLINE void tw_device_list_target(const tw_pairs *pairs, const tw_spheres *spheres,
                                     tw_device_search *search, uint32_t k)
{
    const uint32_t pair = tw_list_find_pair(spheres, pairs, &search->contact_pair[k]);
    search->contact_target[k] = pair;
    if (pair == TW_NO_PAIR) tw_device_atomic_min(&search->lost, k);
}

#endif
