/* SPDX-License-Identifier: BSD-3-Clause */
/* The search on a device: the tasks in their order, and their memory. Includer: a runtime first. */
#ifndef TW_DEVICE_SEARCH_H
#define TW_DEVICE_SEARCH_H

#include "base/error.h"
#include "device/device_launch.h"
#include "device/device_list.h"
#include "device/device_memory.h"
#include "device/device_tiling.h"
#include "search/list.h"

TW_DEVICE_ITEM(tw_device_rearrange_check, TW_DEVICE_ALWAYS, 1, (state, list),
               (search)) /* a body: is it finite? */
TW_DEVICE_ITEM(tw_device_rearrange_count, TW_DEVICE_ALWAYS, 1, (pairs),
               (search)) /* a body: its contacts */
TW_DEVICE_ITEM(tw_device_rearrange_take, TW_DEVICE_ALWAYS, 1, (pairs),
               (search)) /* a body: its contacts are put aside */
TW_DEVICE_ITEM(tw_device_rearrange_forget, TW_DEVICE_ALWAYS, 1, (search),
               (contacts)) /* a contact without a list */
TW_DEVICE_ITEM(tw_device_rearrange_reduce, TW_DEVICE_ALWAYS, 1, (none),
               (cell, search)) /* one item: the cell */
TW_DEVICE_ITEM(tw_device_rearrange_wrap, TW_DEVICE_ALWAYS, 1, (none),
               (state, search)) /* a body: into the cell; its key */
TW_DEVICE_ITEM(tw_device_rearrange_now, TW_DEVICE_ALWAYS, 1, (none),
               (search)) /* a body: its new index */
TW_DEVICE_ITEM(tw_device_rearrange_first, TW_DEVICE_ALWAYS, 1, (model, bodies, list),
               (search)) /* a body, and one more: number of spheres */
TW_DEVICE_ITEM(tw_device_rearrange_contact, TW_DEVICE_ALWAYS, 1, (spheres),
               (contacts, search)) /* a contact */
TW_DEVICE_ITEM(tw_device_rearrange_radius, TW_DEVICE_ALWAYS, 1, (model, bodies, tiles, list),
               (search)) /* a lane of a tile: sum of radii */
TW_DEVICE_ITEM(tw_device_rearrange_radius_group, TW_DEVICE_ALWAYS, 1, (tiles),
               (search)) /* a group of tiles: likewise */
TW_DEVICE_ITEM(tw_device_rearrange_reference, TW_DEVICE_ALWAYS, 1, (model, tiles, list, search),
               (state, run)) /* one item: reference state */
TW_DEVICE_ITEM(tw_device_list_spheres, TW_DEVICE_ALWAYS, 1, (model, bodies, list, search),
               (spheres)) /* a body: its spheres */
TW_DEVICE_ITEM(tw_device_list_centres, TW_DEVICE_ALWAYS, 1, (bodies, spheres),
               (search)) /* a body: their centres */
TW_DEVICE_ITEM(tw_device_grid_begin, TW_DEVICE_ALWAYS, 1, (model, state), (search)) /* one item */
TW_DEVICE_ITEM(tw_device_grid_measure, TW_DEVICE_ALWAYS, 1, (model, state, spheres, list),
               (search)) /* many bodies: extremes */
TW_DEVICE_ITEM(tw_device_grid_least, TW_DEVICE_ALWAYS, 1, (none), (search)) /* one item */
TW_DEVICE_ITEM(tw_device_grid_classes, TW_DEVICE_ALWAYS, 1, (list),
               (search)) /* many bodies: classes of size */
TW_DEVICE_ITEM(tw_device_grid_cut, TW_DEVICE_ALWAYS, 1, (none),
               (schedule, search)) /* one item: the bins */
TW_DEVICE_ITEM(tw_device_grid_enter, TW_DEVICE_ALWAYS, 1, (bodies),
               (search)) /* a body: its place in its bin */
TW_DEVICE_ITEM(tw_device_grid_fill, TW_DEVICE_ALWAYS, 1, (bodies),
               (search)) /* a body: into its bin */
TW_DEVICE_ITEM(tw_device_list_count, TW_DEVICE_ALWAYS, 1, (state, spheres),
               (pairs, search)) /* a body: number of pairs */
TW_DEVICE_ITEM(tw_device_list_total, TW_DEVICE_ALWAYS, 1, (list),
               (search)) /* many bodies: number of pairs */
TW_DEVICE_ITEM(tw_device_list_fill, TW_DEVICE_ALWAYS, 1, (state, spheres),
               (pairs, search)) /* a body: its pairs */
TW_DEVICE_ITEM(tw_device_list_order, TW_DEVICE_ALWAYS, 1, (spheres),
               (pairs)) /* a body: their order */
TW_DEVICE_ITEM(tw_device_list_target, TW_DEVICE_ALWAYS, 1, (pairs, spheres),
               (search)) /* a contact: its pair */
#define TW_COLUMN(type, name)                                                                      \
    TW_DEVICE_ITEM(tw_device_rearrange_column_##name, TW_DEVICE_ALWAYS, 1, (search), (bodies))
#include "world/body_columns.def"
#undef TW_COLUMN

static inline tw_status tw_device_search_no_memory(tw_error *error, const char *what, uint64_t n)
{
    return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory on the device for %llu %s",
                        (unsigned long long)n, what);
}

/* ---- Contacts are put aside ---- */

static inline tw_status tw_device_search_reserve_contacts(tw_device_instance *d, size_t count)
{
    tw_device_search *search = &d->host.search;
    const int ok =
        tw_device_memory_reserve(d, &search->contact_pair, count, sizeof *search->contact_pair) &&
        tw_device_memory_reserve(d, &search->contact_slot, count, sizeof *search->contact_slot) &&
        tw_device_memory_reserve(d, &search->contact_target, count, sizeof *search->contact_target);
    return ok ? TW_STATUS_OK : TW_STATUS_MEMORY;
}

/* Brings what is known of the state, and checks that it can be searched. */
static inline tw_status tw_device_search_check(tw_device_instance *d, tw_error *error)
{
    const tw_device_search *search = &d->host.search;
    tw_device_memory_pull(d);
    if (search->flat) return tw_search_error_cell(&d->host.state, error);
    if (search->bad_body == UINT64_MAX) return TW_STATUS_OK;
    uint32_t id = 0;
    tw_device_runtime_bring(&d->runtime, &id, d->host.state.bodies.id + search->bad_body,
                            sizeof id);
    return tw_search_error_body(&d->host.state, id, error);
}

static inline tw_status tw_device_search_take(tw_device_instance *d, tw_error *error)
{
    tw_device_search *search = &d->host.search;
    const uint32_t n = d->host.list.bodies;
    uint64_t count = 0;
    search->place = (uint32_t *)tw_device_memory_scratch(d, n, sizeof *search->place);
    if (!search->place) return tw_device_search_no_memory(error, "bodies", n);
    search->flat = 0;
    search->bad_body = UINT64_MAX;
    tw_device_memory_push(d);
    tw_device_rearrange_check_each(&d->runtime, d->world, n > 0 ? n : 1);
    tw_status status = TW_STATUS_OK;
    if (d->host.schedule.valid) {
        tw_device_rearrange_count_each(&d->runtime, d->world, n);
        status = tw_device_runtime_scan(&d->runtime, search->place, search->place, n, &count);
    }
    if (status == TW_STATUS_OK) status = tw_device_search_check(d, error);
    if (status == TW_STATUS_PHYSICS || !d->host.schedule.valid) return status;
    if (status == TW_STATUS_OK) status = tw_device_search_reserve_contacts(d, (size_t)count);
    if (status != TW_STATUS_OK) return tw_device_search_no_memory(error, "contacts", count);
    search->count = (uint32_t)count;
    search->given = 0;
    tw_device_memory_push(d);
    tw_device_rearrange_take_each(&d->runtime, d->world, n);
    return TW_STATUS_OK;
}

/* ---- Bodies in a new order ---- */

static inline int tw_device_search_reserve_sort(tw_device_instance *d)
{
    tw_device_search *search = &d->host.search;
    const size_t n = d->host.list.bodies;
    search->key = (uint32_t *)tw_device_memory_scratch(d, n, sizeof *search->key);
    search->order = (uint32_t *)tw_device_memory_scratch(d, n, sizeof *search->order);
    search->spare_key = (uint32_t *)tw_device_memory_scratch(d, n, sizeof *search->spare_key);
    search->spare_order = (uint32_t *)tw_device_memory_scratch(d, n, sizeof *search->spare_order);
    search->now = (uint32_t *)tw_device_memory_scratch(d, n, sizeof *search->now);
    search->wrapped = (tw_shift *)tw_device_memory_scratch(d, n, sizeof *search->wrapped);
    return search->key && search->order && search->spare_key && search->spare_order &&
           search->now && search->wrapped;
}

/* The reference state is set afterwards: until then its longest column is free. */
static inline void tw_device_search_permute(tw_device_instance *d)
{
    const tw_bodies *b = &d->host.state.bodies;
    const void *column = d->host.search.column;
    const uint32_t n = d->host.list.bodies;
#define TW_COLUMN(type, name)                                                                      \
    if (column != (const void *)b->name) {                                                         \
        tw_device_rearrange_column_##name##_each(&d->runtime, d->world, n);                        \
        tw_device_runtime_copy(&d->runtime, b->name, column, n * sizeof(type));                    \
    }
#include "world/body_columns.def"
#undef TW_COLUMN
}

/* First sphere of each body, and the number of all. `first` has its memory. */
static inline tw_status tw_device_search_count_spheres(tw_device_instance *d, tw_error *error)
{
    const uint32_t n = d->host.list.bodies;
    uint32_t *first = d->host.search.first;
    uint64_t total = 0;
    tw_device_rearrange_first_each(&d->runtime, d->world, n + 1);
    if (tw_device_runtime_scan(&d->runtime, first, first, (size_t)n + 1, &total) != TW_STATUS_OK)
        return tw_device_search_no_memory(error, "bodies", n);
    if (total >= UINT32_MAX / 2)
        return tw_error_set(error, TW_STATUS_INPUT, "too many spheres: %llu",
                            (unsigned long long)total);
    tw_device_memory_pull(d);
    d->host.list.spheres = (uint32_t)total;
    d->host.schedule.spheres.count = (size_t)total;
    d->host.schedule.tiles.single = total == n;
    tw_device_memory_push(d);
    return TW_STATUS_OK;
}

static inline tw_status tw_device_search_reserve_spheres(tw_device_instance *d, tw_error *error)
{
    tw_spheres *s = &d->host.schedule.spheres;
    const size_t n = d->host.list.bodies, count = d->host.list.spheres;
    const int single = d->host.schedule.tiles.single;
    int ok = tw_device_memory_reserve(d, &s->first, n + 1, sizeof *s->first) &&
             tw_device_memory_reserve(d, &s->index_of, n + 1, sizeof *s->index_of) &&
             tw_device_memory_reserve(d, &s->body, count, sizeof *s->body) &&
             tw_device_memory_reserve(d, &s->radius, count, sizeof *s->radius) &&
             (single || tw_device_memory_reserve(d, &s->offset, count, sizeof *s->offset));
    if (!ok) return tw_device_search_no_memory(error, "spheres", count);
    s->body_capacity = n + 1;
    s->capacity = count;
    return TW_STATUS_OK;
}

static inline tw_status tw_device_search_list_spheres(tw_device_instance *d, tw_error *error)
{
    const tw_status status = tw_device_search_reserve_spheres(d, error);
    if (status != TW_STATUS_OK) return status;
    tw_device_memory_push(d);
    tw_device_list_spheres_each(&d->runtime, d->world, d->host.list.bodies);
    return TW_STATUS_OK;
}

static inline tw_status tw_device_search_rearrange(tw_device_instance *d, tw_error *error)
{
    tw_device_search *search = &d->host.search;
    const uint32_t n = d->host.list.bodies;
    /* If every body is one sphere, its number is that of its body in any order. */
    search->first = d->host.schedule.tiles.single
                        ? d->host.schedule.spheres.first
                        : (uint32_t *)tw_device_memory_scratch(d, (size_t)n + 1, sizeof(uint32_t));
    const tw_device_memory_mark mark = tw_device_memory_here(d);
    if (!search->first || !tw_device_search_reserve_sort(d))
        return tw_device_search_no_memory(error, "bodies", n);
    search->column = d->host.state.bodies.q_ref;
    tw_device_memory_push(d);
    tw_device_rearrange_reduce_each(&d->runtime, d->world, 1);
    tw_device_rearrange_wrap_each(&d->runtime, d->world, n);
    tw_status status =
        tw_device_runtime_sort(&d->runtime, search->key, search->order, search->spare_key,
                               search->spare_order, n, TW_REARRANGE_KEY);
    if (status == TW_STATUS_OK) {
        tw_device_search_permute(d);
        tw_device_rearrange_now_each(&d->runtime, d->world, n);
        if (!d->host.schedule.tiles.single) status = tw_device_search_count_spheres(d, error);
    }
    if (status != TW_STATUS_OK) /* bodies are wrapped, contacts are not: nothing can be saved */
        return tw_error_set(error, TW_STATUS_DEVICE,
                            "not enough memory on the device to sort %u bodies", n);
    tw_device_rearrange_contact_each(&d->runtime, d->world, search->count);
    tw_device_memory_go_back(d, mark); /* what comes can use the memory of the sort */
    tw_device_memory_pull(d);
    return tw_device_search_list_spheres(d, error); /* their number is that of before */
}

static inline tw_status tw_device_search_set_reference(tw_device_instance *d, tw_error *error)
{
    tw_device_search *search = &d->host.search;
    const tw_bodies *b = &d->host.state.bodies;
    const uint32_t n = d->host.list.bodies;
    tw_device_runtime_copy(&d->runtime, b->x_ref, b->x, n * sizeof *b->x);
    tw_device_runtime_copy(&d->runtime, b->q_ref, b->q, n * sizeof *b->q);
    tw_device_memory_pull(d);
    tw_tiles_cut(&d->host.schedule.tiles, n);
    const size_t tiles = d->host.schedule.tiles.count, groups = (tiles + 63) / 64;
    const tw_device_memory_mark mark = tw_device_memory_here(d);
    search->lane_radius =
        (double *)tw_device_memory_scratch(d, tiles * TW_SUM_LANES, sizeof(double));
    search->group_radius = (double *)tw_device_memory_scratch(d, groups, sizeof(double));
    if (!search->lane_radius || !search->group_radius)
        return tw_device_search_no_memory(error, "bodies", n);
    tw_device_memory_push(d);
    if (!(d->host.model.skin_requested > 0.0)) {
        tw_device_rearrange_radius_each(&d->runtime, d->world, (uint32_t)tiles * TW_SUM_LANES);
        tw_device_rearrange_radius_group_each(&d->runtime, d->world, (uint32_t)groups);
    }
    tw_device_rearrange_reference_each(&d->runtime, d->world, 1);
    tw_device_memory_go_back(d, mark);
    return TW_STATUS_OK;
}

/* ---- The list ---- */

/* Bodies in bins. */
static inline tw_status tw_device_search_bins(tw_device_instance *d, tw_error *error)
{
    tw_device_search *search = &d->host.search;
    const uint32_t n = d->host.list.bodies;
    const uint32_t items = n < TW_DEVICE_GRID_ITEMS ? n : TW_DEVICE_GRID_ITEMS;
    uint64_t total = 0;
    search->bound = (double *)tw_device_memory_scratch(d, n, sizeof *search->bound);
    search->member = (uint32_t *)tw_device_memory_scratch(d, n, sizeof *search->member);
    search->place = (uint32_t *)tw_device_memory_scratch(d, (size_t)n + 1, sizeof *search->place);
    if (!search->bound || !search->member || !search->place)
        return tw_device_search_no_memory(error, "bodies", n);
    tw_device_memory_push(d);
    tw_device_grid_begin_each(&d->runtime, d->world, 1);
    tw_device_grid_measure_each(&d->runtime, d->world, items);
    tw_device_grid_least_each(&d->runtime, d->world, 1);
    tw_device_grid_classes_each(&d->runtime, d->world, items);
    tw_device_grid_cut_each(&d->runtime, d->world, 1);
    tw_device_memory_pull(d);
    if (search->narrow) return tw_search_error_narrow(error);
    const uint64_t bins = search->bin_count;
    if (bins < UINT32_MAX)
        search->start =
            (uint32_t *)tw_device_memory_scratch(d, (size_t)bins + 1, sizeof *search->start);
    if (bins >= UINT32_MAX || !search->start)
        return tw_device_search_no_memory(error, "bins", bins);
    tw_device_memory_push(d);
    tw_device_runtime_fill(&d->runtime, search->start, 0, ((size_t)bins + 1) * sizeof(uint32_t));
    tw_device_grid_enter_each(&d->runtime, d->world, n);
    if (tw_device_runtime_scan(&d->runtime, search->start, search->start, (size_t)bins + 1,
                               &total) != TW_STATUS_OK)
        return tw_device_search_no_memory(error, "bins", bins);
    tw_device_grid_fill_each(&d->runtime, d->world, n);
    return TW_STATUS_OK;
}

static inline tw_status tw_device_search_reserve_pairs(tw_device_instance *d, tw_error *error)
{
    tw_pairs *p = &d->host.schedule.pairs;
    const uint64_t count = d->host.search.total;
    if (count >= UINT32_MAX / 2)
        return tw_error_set(error, TW_STATUS_INPUT, "too many pairs of spheres: %llu",
                            (unsigned long long)count);
    if (!tw_device_memory_reserve(d, &p->pair, (size_t)count, sizeof *p->pair) ||
        !tw_device_memory_reserve(d, &p->slot, (size_t)count, sizeof *p->slot))
        return tw_device_search_no_memory(error, "pairs", count);
    p->count = p->capacity = (size_t)count;
    d->host.list.pairs = (uint32_t)count;
    return TW_STATUS_OK;
}

static inline tw_status tw_device_search_pairs(tw_device_instance *d, tw_error *error)
{
    tw_device_search *search = &d->host.search;
    tw_pairs *p = &d->host.schedule.pairs;
    const uint32_t n = d->host.list.bodies;
    const size_t bytes = ((size_t)n + 1) * sizeof *search->place;
    uint64_t total = 0;
    search->total = 0;
    tw_device_memory_push(d);
    tw_device_runtime_fill(&d->runtime, search->place, 0, bytes);
    tw_device_list_count_each(&d->runtime, d->world, n);
    tw_device_list_total_each(&d->runtime, d->world,
                              n < TW_DEVICE_GRID_ITEMS ? n : TW_DEVICE_GRID_ITEMS);
    tw_device_memory_pull(d);
    const tw_status status = tw_device_search_reserve_pairs(d, error);
    if (status != TW_STATUS_OK) return status;
    if (tw_device_runtime_scan(&d->runtime, search->place, p->first, (size_t)n + 1, &total) !=
        TW_STATUS_OK)
        return tw_device_search_no_memory(error, "bodies", n);
    tw_device_memory_push(d);
    tw_device_runtime_fill(&d->runtime, search->place, 0, bytes);
    tw_device_runtime_fill(&d->runtime, p->slot, 0xff, (size_t)total * sizeof *p->slot);
    tw_device_list_fill_each(&d->runtime, d->world, n);
    tw_device_list_order_each(&d->runtime, d->world, n);
    return TW_STATUS_OK;
}

static inline uint32_t tw_device_search_id(tw_device_instance *d, uint32_t sphere)
{
    uint32_t body = 0, id = 0;
    tw_device_runtime_bring(&d->runtime, &body, d->host.schedule.spheres.body + sphere,
                            sizeof body);
    tw_device_runtime_bring(&d->runtime, &id, d->host.state.bodies.id + body, sizeof id);
    return id;
}

/* The pairs of the contacts. */
static inline tw_status tw_device_search_find(tw_device_instance *d, tw_error *error)
{
    tw_device_search *search = &d->host.search;
    tw_pair pair;
    search->lost = UINT64_MAX;
    tw_device_memory_push(d);
    tw_device_list_target_each(&d->runtime, d->world, search->count);
    tw_device_memory_pull(d);
    if (search->lost == UINT64_MAX) return TW_STATUS_OK;
    tw_device_runtime_bring(&d->runtime, &pair, search->contact_pair + search->lost, sizeof pair);
    const int plane = tw_pair_is_wall(&pair);
    const uint32_t p = tw_device_search_id(d, pair.p);
    const uint32_t q = plane ? pair.q : tw_device_search_id(d, pair.q);
    return tw_search_error_lost(&d->host.state, p, plane, q, error);
}

/* Centres of the spheres in the reference state, until the tiles are made. */
static inline tw_status tw_device_search_centre(tw_device_instance *d, tw_error *error)
{
    tw_vec3 **centre = &d->host.search.centre;
    *centre = d->host.state.bodies.x_ref;
    if (!d->host.schedule.tiles.single)
        *centre = (tw_vec3 *)tw_device_memory_scratch(d, d->host.list.spheres, sizeof **centre);
    if (!*centre) return tw_device_search_no_memory(error, "spheres", d->host.list.spheres);
    tw_device_memory_push(d);
    if (!d->host.schedule.tiles.single)
        tw_device_list_centres_each(&d->runtime, d->world, d->host.list.bodies);
    return TW_STATUS_OK;
}

/* From the reference state; the spheres are listed. */
static inline tw_status tw_device_search_make_list(tw_device_instance *d, tw_error *error)
{
    tw_pairs *p = &d->host.schedule.pairs;
    const uint32_t n = d->host.list.bodies;
    tw_device_memory_pull(d);
    tw_status status = tw_device_search_centre(d, error);
    if (status != TW_STATUS_OK) return status;
    if (!tw_device_memory_reserve(d, &p->first, (size_t)n + 1, sizeof *p->first))
        return tw_device_search_no_memory(error, "bodies", n);
    p->body_capacity = (size_t)n + 1;
    const tw_device_memory_mark mark = tw_device_memory_here(d);
    status = tw_device_search_bins(d, error);
    if (status == TW_STATUS_OK) status = tw_device_search_pairs(d, error);
    if (status == TW_STATUS_OK) status = tw_device_search_find(d, error);
    tw_device_memory_go_back(d, mark);
    return status;
}

/* The pair list of the reference state, bodies in their order, and the pairs of the contacts. */
static inline tw_status tw_device_search_list(tw_device_instance *d, tw_error *error)
{
    const uint32_t n = (uint32_t)d->host.state.bodies.count;
    d->host.list.bodies = n;
    d->host.search.first = (uint32_t *)tw_device_memory_scratch(d, (size_t)n + 1, sizeof(uint32_t));
    if (!d->host.search.first) return tw_device_search_no_memory(error, "bodies", n);
    tw_device_memory_push(d);
    tw_status status = tw_device_search_count_spheres(d, error);
    if (status == TW_STATUS_OK) status = tw_device_search_list_spheres(d, error);
    return status == TW_STATUS_OK ? tw_device_search_make_list(d, error) : status;
}

/* Tiles for the list, unless `status` says that there is none. After a failure the contacts are
 * those put aside, without a list. */
static inline tw_status tw_device_search_tile(tw_device_instance *d, tw_status status,
                                              tw_error *error)
{
    if (status == TW_STATUS_OK) status = tw_device_tiling_make(d, error);
    if (status == TW_STATUS_OK) status = tw_device_runtime_wait(&d->runtime, error);
    tw_device_memory_pull(d);
    d->host.schedule.valid = status == TW_STATUS_OK;
    if (status != TW_STATUS_OK) d->host.list.pairs = 0;
    tw_device_memory_push(d);
    if (status != TW_STATUS_OK)
        tw_device_rearrange_forget_each(&d->runtime, d->world, d->host.search.count);
    return status;
}

/* As tw_search_refresh. After a failure the contacts are those put aside, without a list. */
static inline tw_status tw_device_search_refresh(tw_device_instance *d, tw_error *error)
{
    tw_device_memory_pull(d);
    tw_device_memory_scratch_reset(d);
    tw_device_tiling_release(d);
    tw_status status = tw_device_search_take(d, error);
    if (status != TW_STATUS_OK) return status;
    tw_device_memory_scratch_reset(d);
    status = tw_device_search_rearrange(d, error);
    if (status != TW_STATUS_OK) return status;
    status = tw_device_search_set_reference(d, error);
    if (status == TW_STATUS_OK) status = tw_device_search_make_list(d, error);
    if (!d->tile_overflowed) d->spare /= 2;
    d->tile_overflowed = 0;
    status = tw_device_search_tile(d, status, error);
    if (status != TW_STATUS_OK) return status;
    d->host.state.searches++;
    tw_device_memory_push(d);
    return status;
}

/* More contact slots, where a tile has none left for its new contacts: the tiles of the same list
 * are made again, with every contact in its slot. */

/* A contact: its slot, counted from the first one of its tile. */
TW_INLINE void tw_device_room_keep(const tw_tiles *tiles, const tw_pairs *pairs,
                                   const tw_spheres *spheres, tw_device_search *search, uint32_t k)
{
    const uint32_t tile =
        tw_device_tiling_tile_of(tiles, pairs, spheres, search->contact_target[k]);
    search->contact_given[k] = 0;
    if (!tw_pair_is_wall(&search->contact_pair[k]))
        search->contact_given[k] = search->contact_slot[k] - tiles->tile[tile].slot;
}

TW_DEVICE_ITEM(tw_device_room_keep, TW_DEVICE_ALWAYS, 1, (tiles, pairs, spheres), (search))

/* Contacts are put aside, with the slots that they have and keep. */
static inline tw_status tw_device_room_take(tw_device_instance *d, tw_error *error)
{
    tw_device_search *search = &d->host.search;
    tw_status status = tw_device_search_take(d, error);
    if (status != TW_STATUS_OK) return status;
    if (!tw_device_memory_reserve(d, &search->contact_given, (size_t)search->count,
                                  sizeof *search->contact_given))
        return tw_device_search_no_memory(error, "contacts", search->count);
    status = tw_device_search_find(d, error);
    if (status != TW_STATUS_OK) return status;
    tw_device_room_keep_each(&d->runtime, d->world, search->count);
    tw_device_memory_pull(d);
    search->given = 1;
    return tw_device_search_centre(d, error);
}

/* After TW_DEVICE_ROOM: the step is resumed from its ghosts. A tile that is full again before the
 * next search gets twice as much. */
static inline tw_status tw_device_room_make(tw_device_instance *d, tw_error *error)
{
    tw_device_memory_pull(d);
    tw_device_memory_scratch_reset(d);
    tw_device_tiling_release(d);
    const double stretch = d->host.schedule.stretch;
    tw_status status = tw_device_room_take(d, error);
    if (status != TW_STATUS_OK) return status;
    if (d->tile_overflowed && d->spare < UINT32_MAX / 4) d->spare *= 2;
    d->tile_overflowed = 1;
    d->overflow_count++;
    status = tw_device_search_tile(d, TW_STATUS_OK, error);
    d->host.schedule.stretch = stretch; /* the list is not new */
    tw_device_memory_push(d);
    return status;
}

#endif
