/* SPDX-License-Identifier: BSD-3-Clause */
/* The search on a device: the tasks in their order, and their memory. Includer: a runtime first. */
#ifndef TW_DEVICE_SEARCH_H
#define TW_DEVICE_SEARCH_H

#include "base/error.h"
#include "device/device_launch.h"
#include "device/device_list.h"
#include "device/device_memory.h"
#include "device/device_move.h"
#include "device/device_tiling.h"
#include "search/list.h"

TW_DEVICE_TASK(tw_device_rearrange_check, (state, list), (search)) /* a body: is it finite? */
TW_DEVICE_TASK(tw_device_rearrange_count, (pairs), (search))       /* a body: its contacts */
TW_DEVICE_TASK(tw_device_rearrange_take, (pairs), (search)) /* a body: its contacts are put aside */
TW_DEVICE_TASK(tw_device_rearrange_forget, (search), (contacts))   /* a contact without a list */
TW_DEVICE_TASK(tw_device_rearrange_reduce, (none), (cell, search)) /* one item: the cell */
TW_DEVICE_TASK(tw_device_rearrange_wrap, (none),
               (state, search))                              /* a body: into the cell; its key */
TW_DEVICE_TASK(tw_device_rearrange_drop, (bodies), (search)) /* a body: does it leave? */
TW_DEVICE_TASK(tw_device_rearrange_now, (none), (search))    /* a body: its new index */
TW_DEVICE_TASK(tw_device_rearrange_first, (model, bodies, list),
               (search)) /* a body, and one more: number of spheres */
TW_DEVICE_TASK(tw_device_rearrange_contact, (spheres), (contacts, search)) /* a contact */
TW_DEVICE_TASK(tw_device_rearrange_radius, (model, bodies, tiles, list),
               (search)) /* a lane of a tile: sum of radii */
TW_DEVICE_TASK(tw_device_rearrange_radius_group, (tiles), (search)) /* a group of tiles: likewise */
TW_DEVICE_TASK(tw_device_rearrange_reference, (model, tiles, list, search),
               (state, run)) /* one item: reference state */
TW_DEVICE_TASK(tw_device_list_spheres, (model, bodies, list, search),
               (spheres))                                           /* a body: its spheres */
TW_DEVICE_TASK(tw_device_list_centres, (bodies, spheres), (search)) /* a body: their centres */
TW_DEVICE_TASK(tw_device_grid_begin, (model, state), (search))      /* one item */
TW_DEVICE_TASK(tw_device_grid_measure, (model, state, spheres, list),
               (search))                                       /* many bodies: extremes */
TW_DEVICE_TASK(tw_device_grid_least, (none), (search))         /* one item */
TW_DEVICE_TASK(tw_device_grid_classes, (list), (search))       /* many bodies: classes of size */
TW_DEVICE_TASK(tw_device_grid_cut, (none), (schedule, search)) /* one item: the bins */
TW_DEVICE_TASK(tw_device_grid_enter, (bodies), (search))       /* a body: its place in its bin */
TW_DEVICE_TASK(tw_device_grid_fill, (bodies), (search))        /* a body: into its bin */
TW_DEVICE_TASK_WITH(tw_device_list_count, tw_device_list_find, 0, (model, state, spheres),
                    (pairs, search))                   /* a body: number of pairs */
TW_DEVICE_TASK(tw_device_list_total, (list), (search)) /* many bodies: number of pairs */
TW_DEVICE_TASK_WITH(tw_device_list_fill, tw_device_list_find, 1, (model, state, spheres),
                    (pairs, search)) /* a body: its pairs */
TW_DEVICE_TASK_WITH(tw_device_list_far_count, tw_device_list_far, 0, (model, state, spheres),
                    (pairs, search)) /* a contact that is not in the list */
TW_DEVICE_TASK_WITH(tw_device_list_far_fill, tw_device_list_far, 1, (model, state, spheres),
                    (pairs, search))                              /* likewise */
TW_DEVICE_TASK(tw_device_list_order, (spheres), (pairs))          /* a body: their order */
TW_DEVICE_TASK(tw_device_list_target, (pairs, spheres), (search)) /* a contact: its pair */
TW_DEVICE_TASK(tw_device_gather, (schedule, forces), (state)) /* a body: force, torque, rotation */
TW_DEVICE_TASK(tw_device_rearrange_columns, (bodies), (search)) /* a body: some columns */
TW_DEVICE_TASK(tw_device_rearrange_back, (search), (bodies))    /* a body: likewise */

static inline tw_status tw_device_search_no_memory(tw_error *error, const char *what, uint64_t n)
{
    return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory on the device for %llu %s",
                        (unsigned long long)n, what);
}

/* ---- Memory that a search reserves ---- */

static inline void tw_device_search_reserve_contacts(tw_device_rooms *rooms, tw_device_world *w,
                                                     size_t count)
{
    TW_DEVICE_ROOM(search.contact_pair, count + 1);
    TW_DEVICE_ROOM(search.contact_slot, count + 1);
    TW_DEVICE_ROOM(search.contact_target, count + 1);
}

static inline void tw_device_search_reserve_given(tw_device_rooms *rooms, tw_device_world *w,
                                                  size_t count)
{
    TW_DEVICE_ROOM(search.contact_given, count + 1);
}

static inline void tw_device_search_reserve_spheres(tw_device_rooms *rooms, tw_device_world *w)
{
    const size_t bodies = w->list.bodies, spheres = w->list.spheres;
    TW_DEVICE_ROOM(schedule.spheres.first, bodies + 1);
    TW_DEVICE_ROOM(schedule.spheres.index_of, bodies + w->state.departed + 1);
    TW_DEVICE_ROOM(schedule.spheres.body, spheres + 1);
    TW_DEVICE_ROOM(schedule.spheres.radius, spheres + 1);
    TW_DEVICE_ROOM(schedule.spheres.offset, w->schedule.tiles.single ? 0 : spheres + 1);
    TW_DEVICE_ROOM(schedule.pairs.first, bodies + 1);
}

static inline void tw_device_search_reserve_pairs(tw_device_rooms *rooms, tw_device_world *w)
{
    TW_DEVICE_ROOM(schedule.pairs.pair, (size_t)w->list.pairs + 1);
    TW_DEVICE_ROOM(schedule.pairs.slot, (size_t)w->list.pairs + 1);
}

/* Forces and rotations to the columns of bodies. Without a list they are there. */
static inline void tw_device_gather_all(tw_device_instance *d)
{
    tw_device_memory_pull(d);
    if (d->host.schedule.valid) tw_device_gather_each(&d->runtime, d->world, d->host.list.bodies);
}

/* ---- Contacts are put aside ---- */

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
    tw_device_rooms rooms = {d, 0, 0};
    if (!TW_DEVICE_SCRATCH(search->place, n)) return tw_device_search_no_memory(error, "bodies", n);
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
    if (status == TW_STATUS_OK) tw_device_search_reserve_contacts(&rooms, &d->host, (size_t)count);
    if (status != TW_STATUS_OK || rooms.failed)
        return tw_device_search_no_memory(error, "contacts", count);
    search->count = (uint32_t)count;
    search->given = 0;
    tw_device_memory_push(d);
    tw_device_rearrange_take_each(&d->runtime, d->world, n);
    return TW_STATUS_OK;
}

/* ---- Bodies in a new order ---- */

/* Entries of `column`: one column of many bodies, all columns of some. */
static inline size_t tw_device_search_column_room(size_t bodies)
{
    const size_t all = 16 * bodies + 32, some = (size_t)1 << 20, few = all < some ? all : some;
    return bodies > few ? bodies : few;
}

static inline int tw_device_search_reserve_sort(tw_device_instance *d)
{
    tw_device_search *search = &d->host.search;
    const size_t n = d->host.list.bodies;
    return TW_DEVICE_SCRATCH(search->key, n) && TW_DEVICE_SCRATCH(search->order, n) &&
           TW_DEVICE_SCRATCH(search->spare_key, n) && TW_DEVICE_SCRATCH(search->spare_order, n) &&
           TW_DEVICE_SCRATCH(search->now, n) && TW_DEVICE_SCRATCH(search->wrapped, n) &&
           TW_DEVICE_SCRATCH(search->column, tw_device_search_column_room(n));
}

/* Columns of bodies: those that there is room for, then again some. */
static inline void tw_device_search_permute(tw_device_instance *d)
{
    tw_device_search *search = &d->host.search;
    const uint32_t n = d->host.list.bodies;
    const size_t room = tw_device_search_column_room(n) * sizeof *search->column;
    search->column_first = search->column_end = 0;
    while (tw_device_rearrange_choose(search, n, room)) {
        tw_device_runtime_send(&d->runtime, &d->world->search.column_first, &search->column_first,
                               2 * sizeof search->column_first);
        tw_device_rearrange_columns_each(&d->runtime, d->world, n);
        tw_device_rearrange_back_each(&d->runtime, d->world, n);
        search->column_first = search->column_end;
    }
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

static inline tw_status tw_device_search_list_spheres(tw_device_instance *d, tw_error *error)
{
    tw_device_rooms rooms = {d, 0, 0};
    tw_spheres *s = &d->host.schedule.spheres;
    tw_device_search_reserve_spheres(&rooms, &d->host);
    if (rooms.failed) return tw_device_search_no_memory(error, "spheres", d->host.list.spheres);
    s->body_capacity = d->host.schedule.pairs.body_capacity = (size_t)d->host.list.bodies + 1;
    s->capacity = d->host.list.spheres;
    tw_device_memory_push(d);
    tw_device_list_spheres_each(&d->runtime, d->world, d->host.list.bodies);
    return TW_STATUS_OK;
}

/* The last bodies are no longer there. */
static inline void tw_device_search_drop(tw_device_instance *d, uint32_t gone)
{
    tw_device_memory_pull(d);
    d->host.list.bodies -= gone;
    d->host.state.bodies.count -= gone;
    d->host.state.departed += gone;
    tw_device_memory_push(d);
}

/* `gone`: bodies that leave. */
static inline tw_status tw_device_search_rearrange(tw_device_instance *d, uint32_t gone,
                                                   tw_error *error)
{
    tw_device_search *search = &d->host.search;
    const uint32_t n = d->host.list.bodies;
    /* If every body is one sphere, its number is that of its body in any order. */
    const int single = d->host.schedule.tiles.single;
    search->first = d->host.schedule.spheres.first;
    if (!single && !TW_DEVICE_SCRATCH(search->first, (size_t)n + 1))
        return tw_device_search_no_memory(error, "bodies", n);
    const tw_device_memory_mark mark = tw_device_memory_here(d);
    if (!tw_device_search_reserve_sort(d)) return tw_device_search_no_memory(error, "bodies", n);
    tw_device_memory_push(d);
    tw_device_rearrange_reduce_each(&d->runtime, d->world, 1);
    tw_device_rearrange_wrap_each(&d->runtime, d->world, n);
    if (gone > 0) tw_device_rearrange_drop_each(&d->runtime, d->world, n);
    tw_status status =
        tw_device_runtime_sort(&d->runtime, search->key, search->order, search->spare_key,
                               search->spare_order, n, TW_REARRANGE_KEY + (gone > 0));
    if (status == TW_STATUS_OK) {
        tw_device_search_permute(d);
        tw_device_rearrange_now_each(&d->runtime, d->world, n);
        if (gone > 0) tw_device_search_drop(d, gone);
        if (!single) status = tw_device_search_count_spheres(d, error);
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
    if (!TW_DEVICE_SCRATCH(search->lane_radius, tiles * TW_SUM_LANES) ||
        !TW_DEVICE_SCRATCH(search->group_radius, groups))
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
    if (!TW_DEVICE_SCRATCH(search->bound, n) || !TW_DEVICE_SCRATCH(search->member, n) ||
        !TW_DEVICE_SCRATCH(search->place, (size_t)n + 1))
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
    if (bins >= UINT32_MAX || !TW_DEVICE_SCRATCH(search->start, (size_t)bins + 1))
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

/* `far`: contacts that a list without them does not have are in it. */
static inline tw_status tw_device_search_pairs(tw_device_instance *d, int far, tw_error *error)
{
    tw_device_search *search = &d->host.search;
    tw_pairs *p = &d->host.schedule.pairs;
    const uint32_t n = d->host.list.bodies;
    const size_t bytes = ((size_t)n + 1) * sizeof *search->place;
    tw_device_rooms rooms = {d, 0, 0};
    uint64_t total = 0;
    search->total = 0;
    tw_device_memory_push(d);
    tw_device_runtime_fill(&d->runtime, search->place, 0, bytes);
    tw_device_list_count_each(&d->runtime, d->world, n);
    if (far) tw_device_list_far_count_each(&d->runtime, d->world, search->count);
    tw_device_list_total_each(&d->runtime, d->world,
                              n < TW_DEVICE_GRID_ITEMS ? n : TW_DEVICE_GRID_ITEMS);
    tw_device_memory_pull(d);
    if (search->total >= UINT32_MAX / 2)
        return tw_error_set(error, TW_STATUS_INPUT, "too many pairs of spheres: %llu",
                            (unsigned long long)search->total);
    p->count = p->capacity = (size_t)search->total;
    d->host.list.pairs = (uint32_t)search->total;
    tw_device_search_reserve_pairs(&rooms, &d->host);
    if (rooms.failed) return tw_device_search_no_memory(error, "pairs", search->total);
    if (tw_device_runtime_scan(&d->runtime, search->place, p->first, (size_t)n + 1, &total) !=
        TW_STATUS_OK)
        return tw_device_search_no_memory(error, "bodies", n);
    tw_device_memory_push(d);
    tw_device_runtime_fill(&d->runtime, search->place, 0, bytes);
    tw_device_runtime_fill(&d->runtime, p->slot, 0xff, (size_t)total * sizeof *p->slot);
    tw_device_list_fill_each(&d->runtime, d->world, n);
    if (far) tw_device_list_far_fill_each(&d->runtime, d->world, search->count);
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
    const int single = d->host.schedule.tiles.single;
    d->host.search.centre = d->host.state.bodies.x_ref;
    if (!single && !TW_DEVICE_SCRATCH(d->host.search.centre, d->host.list.spheres))
        return tw_device_search_no_memory(error, "spheres", d->host.list.spheres);
    tw_device_memory_push(d);
    if (!single) tw_device_list_centres_each(&d->runtime, d->world, d->host.list.bodies);
    return TW_STATUS_OK;
}

/* From the reference state; the spheres are listed. */
static inline tw_status tw_device_search_make_list(tw_device_instance *d, tw_error *error)
{
    tw_device_memory_pull(d);
    tw_status status = tw_device_search_centre(d, error);
    if (status != TW_STATUS_OK) return status;
    const tw_device_memory_mark mark = tw_device_memory_here(d);
    status = tw_device_search_bins(d, error);
    if (status == TW_STATUS_OK) status = tw_device_search_pairs(d, 0, error);
    if (status == TW_STATUS_OK) status = tw_device_search_find(d, error);
    if (status != TW_STATUS_OK && d->host.search.lost != UINT64_MAX &&
        (d->host.state.contacts.extras.parts & TW_CONTACT_EXTRA_ALIVE)) {
        status = tw_device_search_pairs(d, 1, error);
        if (status == TW_STATUS_OK) status = tw_device_search_find(d, error);
    }
    tw_device_memory_go_back(d, mark);
    return status;
}

/* The pair list of the reference state, bodies in their order, and the pairs of the contacts. */
static inline tw_status tw_device_search_list(tw_device_instance *d, tw_error *error)
{
    const uint32_t n = (uint32_t)d->host.state.bodies.count;
    d->host.list.bodies = n;
    if (!TW_DEVICE_SCRATCH(d->host.search.first, (size_t)n + 1))
        return tw_device_search_no_memory(error, "bodies", n);
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

/* A new list, once contacts have been put aside. `gone`: bodies that leave. */
static inline tw_status tw_device_search_renew(tw_device_instance *d, uint32_t gone,
                                               tw_error *error)
{
    tw_device_memory_scratch_reset(d);
    tw_status status = tw_device_search_rearrange(d, gone, error);
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

/* As tw_search_refresh. After a failure the contacts are those put aside, without a list. */
static inline tw_status tw_device_search_refresh(tw_device_instance *d, tw_error *error)
{
    tw_device_memory_pull(d);
    tw_device_memory_scratch_reset(d);
    tw_device_tiling_release(d);
    const tw_status status = tw_device_search_take(d, error);
    return status == TW_STATUS_OK ? tw_device_search_renew(d, 0, error) : status;
}

/* More contact slots, where a tile has none left for its new contacts: the tiles of the same list
 * are made again, with every contact in its slot. */

/* A contact: its slot, counted from the first one of its tile. */
TW_INLINE void tw_device_room_keep(const tw_schedule *schedule, tw_device_search *search,
                                   uint32_t k)
{
    const uint32_t tile = tw_device_tiling_tile_of(schedule, search->contact_target[k]);
    search->contact_given[k] = 0;
    if (!tw_pair_is_wall(&search->contact_pair[k]))
        search->contact_given[k] = search->contact_slot[k] - schedule->tiles.tile[tile].slot;
}

TW_DEVICE_TASK(tw_device_room_keep, (schedule), (search))

/* Contacts are put aside, with the slots that they have and keep. */
static inline tw_status tw_device_room_take(tw_device_instance *d, tw_error *error)
{
    tw_device_search *search = &d->host.search;
    tw_device_rooms rooms = {d, 0, 0};
    tw_status status = tw_device_search_take(d, error);
    if (status != TW_STATUS_OK) return status;
    tw_device_search_reserve_given(&rooms, &d->host, search->count);
    if (rooms.failed) return tw_device_search_no_memory(error, "contacts", search->count);
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
