/* SPDX-License-Identifier: BSD-3-Clause */
/* The tiles of a pair list, on a device: the same tiles, ghosts and contact slots as those of
 * src/search, and the lists of the device. Includer: a runtime first. */
#ifndef TW_DEVICE_TILING_H
#define TW_DEVICE_TILING_H

#include "base/error.h"
#include "device/device_events.h"
#include "device/device_launch.h"
#include "device/device_memory.h"
#include "device/device_sums.h"
#include "device/device_tiles.h"

TW_DEVICE_TASK(tw_device_tiling_cut, (state), (schedule, touch))
TW_DEVICE_TASK(tw_device_tiling_find, (schedule), (list, tiling))
TW_DEVICE_TASK(tw_device_tiling_first, (tiles, list), (tiling))
TW_DEVICE_TASK(tw_device_tiling_count, (none), (schedule, tiling))
TW_DEVICE_TASK(tw_device_tiling_place, (model, state, tiling), (schedule))
TW_DEVICE_TASK(tw_device_tiling_ends, (model, state, search, tiling), (schedule, list, touch))
TW_DEVICE_TASK(tw_device_tiling_list_ghost, (list), (tiles))
TW_DEVICE_TASK(tw_device_tiling_load, (model, state, run), (schedule, list, forces))
TW_DEVICE_TASK(tw_device_tiling_count_near, (schedule), (list))
TW_DEVICE_TASK(tw_device_tiling_list_near, (schedule), (list, forces))
TW_DEVICE_TASK(tw_device_tiling_sort_near, (none), (list, forces))
TW_DEVICE_TASK(tw_device_tiling_bundle, (tiles), (list))
TW_DEVICE_TASK(tw_device_tiling_contact, (search), (pairs))
TW_DEVICE_TASK(tw_device_tiling_mark, (pairs, list), (tiling))
TW_DEVICE_TASK(tw_device_tiling_use, (search), (schedule, touch))
TW_DEVICE_TASK(tw_device_tiling_assign, (list, search, tiling), (schedule, touch))
TW_DEVICE_TASK(tw_device_tiling_take, (search, tiling), (contacts, touch))
TW_DEVICE_TASK(tw_device_tiling_put, (pairs, search), (contacts, touch, tiling))
TW_DEVICE_TASK(tw_device_tiling_next, (none), (tiling))
TW_DEVICE_TASK(tw_device_tiling_fill, (model, list), (state, schedule, touch))
TW_DEVICE_TASK(tw_device_events_watch, (schedule), (events)) /* a pair */

/* ---- Memory ---- */

static inline tw_status tw_device_tiling_no_memory(tw_device_instance *d, size_t bytes,
                                                   tw_error *error)
{
    return tw_error_set(error, TW_STATUS_MEMORY,
                        "not enough memory on the device for the neighbour list of %u bodies: it "
                        "needs %.3g GB, and %.3g GB are left",
                        d->host.list.bodies, 1e-9 * (double)bytes,
                        1e-9 * (double)tw_device_runtime_room(&d->runtime));
}

static inline void tw_device_tiling_reserve_memories(tw_device_rooms *rooms, tw_device_world *w)
{
    tw_contacts *c = &w->state.contacts;
    const size_t slots = w->list.slots, bundles = slots / TW_BUNDLE + 1,
                 had = c->capacity > 0 ? c->capacity / TW_BUNDLE + 1 : 0,
                 keep = had < bundles ? had : bundles;
    const uint32_t parts = c->extras.parts;
    tw_device_memory_room(rooms, &c->bundle, "bundle", bundles, sizeof *c->bundle, keep);
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    tw_device_memory_room(rooms, &c->extras.name, #name, parts &(need) ? bundles : 0,              \
                          (count) * sizeof *c->extras.name, keep);
#include <twirl/detail/contact_parts.def>
    tw_device_memory_room(rooms, &c->sliding, "sliding", bundles * TW_BUNDLE, sizeof *c->sliding,
                          keep * TW_BUNDLE);
    if (rooms->device && !rooms->failed && slots > c->capacity) c->capacity = slots;
}

static inline void tw_device_tiling_reserve_slots(tw_device_rooms *rooms, tw_device_world *w)
{
    const size_t slots = w->list.slots + 1;
    TW_DEVICE_ROOM(schedule.slots.sphere_p, slots);
    TW_DEVICE_ROOM(schedule.slots.sphere_q, slots);
    TW_DEVICE_ROOM(schedule.slots.body_p, w->schedule.tiles.single ? 0 : slots);
    TW_DEVICE_ROOM(schedule.slots.body_q, w->schedule.tiles.single ? 0 : slots);
    TW_DEVICE_ROOM(schedule.slots.pair, slots);
    TW_DEVICE_ROOM(schedule.slots.law, tw_device_world_is_plain(&w->run) ? 0 : slots);
    TW_DEVICE_ROOM(schedule.slots.root, tw_device_world_is_plain(&w->run) ? 0 : slots);
    TW_DEVICE_ROOM(schedule.slots.inv_root, tw_device_world_is_plain(&w->run) ? 0 : slots);
    TW_DEVICE_ROOM(touch.load, 6 * slots);
#define TW_DEVICE_TILING_LOST(to, NAME, name, member, way)                                         \
    TW_DEVICE_ROOM(touch.lost[TW_CONTACT_LOST_##NAME],                                             \
                   tw_device_world_loses(&w->run, TW_CONTACT_LOST_##NAME) ? slots : 0);
    TW_CONTACT_LOST(TW_DEVICE_TILING_LOST, )
#undef TW_DEVICE_TILING_LOST
    TW_DEVICE_ROOM(touch.zeta_before, tw_device_world_is_plain(&w->run) ? 0 : slots);
    TW_DEVICE_ROOM(touch.ended, slots);
    TW_DEVICE_ROOM(events.event, tw_device_events_room(w));
    TW_DEVICE_ROOM(touch.slot_state, slots);
    TW_DEVICE_ROOM(touch.slid, tw_device_bits_words(w->list.slots));
    TW_DEVICE_ROOM(touch.single, tw_device_bits_words(w->list.slots));
    TW_DEVICE_ROOM(touch.sliders[0], tw_device_bits_words(w->list.slots));
    TW_DEVICE_ROOM(touch.sliders[1], tw_device_bits_words(w->list.slots));
    TW_DEVICE_ROOM(touch.slide_queue, tw_device_world_is_plain(&w->run) ? 0 : slots);
    TW_DEVICE_ROOM(touch.general_queue, slots);
    TW_DEVICE_ROOM(list.bundle_tile, w->list.slots / TW_BUNDLE + 1);
    if (!rooms->device || rooms->failed) return;
    if (!w->schedule.tiles.single) return;
    w->schedule.slots.body_p = w->schedule.slots.sphere_p;
    w->schedule.slots.body_q = w->schedule.slots.sphere_q;
}

static inline void tw_device_tiling_reserve_tiles(tw_device_rooms *rooms, tw_device_world *w)
{
    const size_t body_slots = w->list.body_slots, bodies = w->list.bodies,
                 sphere_slots =
                     (size_t)w->list.spheres + w->list.ghost_spheres + 2 * (size_t)w->list.tiles;
    TW_DEVICE_ROOM(schedule.tiles.half, body_slots + 1);
    TW_DEVICE_ROOM(schedule.tiles.centre, w->schedule.tiles.single ? 0 : body_slots + 1);
    TW_DEVICE_ROOM(schedule.tiles.sphere_slot, sphere_slots + 1);
    TW_DEVICE_ROOM(schedule.tiles.ghost, (size_t)w->list.ghosts + 1);
    TW_DEVICE_ROOM(schedule.tiles.ghost_sphere,
                   w->schedule.tiles.single ? 0 : (size_t)w->list.ghost_spheres + 1);
    TW_DEVICE_ROOM(schedule.tiles.ghost_slot, (size_t)w->list.ghosts + 1);
    TW_DEVICE_ROOM(schedule.tiles.ghost_first, bodies + 1);
    TW_DEVICE_ROOM(schedule.tiles.degree, bodies + 1);
    TW_DEVICE_ROOM(schedule.tiles.wall_pair, (size_t)w->list.wall_pairs + 1);
    TW_DEVICE_ROOM(list.ghost_tile, (size_t)w->list.ghosts + 1);
    TW_DEVICE_ROOM(list.image, (size_t)w->list.ghosts + 1);
    TW_DEVICE_ROOM(list.ghost_sphere_tile,
                   w->schedule.tiles.single ? 0 : (size_t)w->list.ghost_spheres + 1);
    TW_DEVICE_ROOM(touch.rank, (size_t)w->list.pairs + 4); /* it is read four at a time */
    TW_DEVICE_ROOM(touch.hit, (size_t)w->list.pairs + 1);
    TW_DEVICE_ROOM(events.lived, w->run.event_kinds ? (size_t)w->list.pairs + 1 : 0);
    TW_DEVICE_ROOM(list.near, 2 * (size_t)w->list.pairs);
    TW_DEVICE_ROOM(forces.incident, 2 * (size_t)w->list.pairs);
    TW_DEVICE_ROOM(list.near_first, body_slots + 1);
    TW_DEVICE_ROOM(forces.incident_count, body_slots + 1);
    TW_DEVICE_ROOM(forces.body_load, 6 * (body_slots + 1));
    TW_DEVICE_ROOM(forces.incident_head, body_slots + 1);
    TW_DEVICE_ROOM(forces.changed, body_slots + 1);
    TW_DEVICE_ROOM(sums.tile_sum, (size_t)TW_DEVICE_SUM_ROWS * w->list.tiles);
    TW_DEVICE_ROOM(sums.wall_sum, TW_TILE_ACCUMULATOR * (size_t)w->list.walls);
    TW_DEVICE_ROOM(touch.wall_load, TW_DEVICE_WALL_LOAD * (size_t)w->list.wall_pairs);
    TW_DEVICE_ROOM(schedule.tiles.wall_work,
                   w->model.surface_count > 0 ? TW_TILES_WALL_WORK * (size_t)w->list.wall_pairs + 1
                                              : 0);
    TW_DEVICE_ROOM(schedule.tiles.wall_accumulator, w->list.tiles * w->list.walls);
    if (rooms->device && w->schedule.tiles.single)
        w->schedule.tiles.centre = w->schedule.tiles.sphere_slot;
}

/* Entries of a table of ghosts. */
static inline size_t tw_device_tiling_table(size_t pairs)
{
    return pairs + pairs / 2 + 16;
}

/* Before the ghosts are known. */
static inline void tw_device_tiling_reserve_first(tw_device_rooms *rooms, tw_device_world *w)
{
    TW_DEVICE_ROOM(schedule.tiles.tile, w->list.tiles);
    TW_DEVICE_ROOM(touch.tile, w->list.tiles);
    TW_DEVICE_ROOM(list.ends, (size_t)w->list.pairs + 1);
}

/* Whether a search has to do with as little memory as possible, at the cost of some time: more than
 * a third of it is in use, or was when the search began. */
static inline int tw_device_tiling_is_tight(tw_device_instance *d)
{
    if (d->bytes != d->bytes_of_left) d->left = tw_device_runtime_room(&d->runtime);
    d->bytes_of_left = d->bytes;
    if (d->bytes > d->left / 2) d->tight = 1;
    return d->tight;
}

/* Gives back what only steps need, before a search. */
static inline void tw_device_tiling_release(tw_device_instance *d)
{
    tw_device_world *w = &d->host;
    d->tight = 0;
    if (!tw_device_tiling_is_tight(d)) return;
    tw_device_memory_drop(d, &w->touch.load);
    for (int k = 0; k < TW_CONTACT_LOST_KINDS; k++)
        tw_device_memory_drop(d, &w->touch.lost[k]);
    tw_device_memory_drop(d, &w->touch.slide_queue);
    tw_device_memory_drop(d, &w->touch.general_queue);
    tw_device_memory_drop(d, &w->touch.ended);
    tw_device_memory_drop(d, &w->touch.hit);
    tw_device_memory_drop(d, &w->list.near);
    tw_device_memory_drop(d, &w->forces.incident);
    tw_device_memory_push(d);
}

/* Gives back what only a search needs. */
static inline void tw_device_tiling_settle(tw_device_instance *d)
{
    tw_device_search *search = &d->host.search;
    tw_device_memory_drop(d, &search->contact_given);
    if (!tw_device_tiling_is_tight(d)) return;
    tw_device_memory_drop(d, &search->contact_pair);
    tw_device_memory_drop(d, &search->contact_slot);
    tw_device_memory_drop(d, &search->contact_target);
    tw_device_memory_scratch_free(d);
}

/* Bytes of the workspace. */
static inline size_t tw_device_tiling_scratch_bytes(const tw_device_world *w)
{
    const size_t pairs = w->list.pairs, walls = w->list.walls > 0 ? 1 : 0,
                 clusters = w->schedule.tiles.single ? 0 : 1;
    return sizeof(uint32_t) * ((1 + walls + clusters) * pairs +
                               (1 + clusters) * tw_device_tiling_table(pairs) + w->list.tiles);
}

/* Contact slots of a tile beyond those in use. Tests ask for another number than usual, so that
 * tiles are full sooner. */
static inline void tw_device_tiling_choose_spare(tw_device_instance *d)
{
    uint64_t least = TW_DEVICE_TILING_SPARE;
    const int few = tw_device_test("spare", &least);
    const uint32_t share = tw_device_tiling_is_tight(d) ? TW_DEVICE_TILING_SHARE : 4;
    if (d->spare < least) d->spare = (uint32_t)least;
    d->host.tiling.spare = d->spare;
    d->host.tiling.share = few ? UINT32_MAX : share;
}

static inline tw_status tw_device_tiling_workspace(tw_device_instance *d, tw_error *error)
{
    tw_device_tiling *t = &d->host.tiling;
    const size_t pairs = (size_t)d->host.list.pairs + 1;
    const size_t table = tw_device_tiling_table(d->host.list.pairs);
    const int single = d->host.schedule.tiles.single, walls = d->host.list.walls > 0;
    memset(t, 0, sizeof *t);
    tw_device_tiling_choose_spare(d);
    t->table = (uint32_t)table;
    if (!TW_DEVICE_SCRATCH(t->body_table, table) || !TW_DEVICE_SCRATCH(t->ghost_before, pairs) ||
        !TW_DEVICE_SCRATCH(t->bundle_before, d->host.list.tiles) ||
        (!single && !TW_DEVICE_SCRATCH(t->sphere_table, table)) ||
        (!single && !TW_DEVICE_SCRATCH(t->sphere_before, pairs)) ||
        (walls && !TW_DEVICE_SCRATCH(t->wall_before, pairs)))
        return tw_device_tiling_no_memory(d, tw_device_tiling_scratch_bytes(&d->host), error);
    tw_device_runtime_fill(&d->runtime, t->body_table, 0xff, table * sizeof *t->body_table);
    if (!single)
        tw_device_runtime_fill(&d->runtime, t->sphere_table, 0xff, table * sizeof *t->sphere_table);
    if (single) t->sphere_table = t->body_table;
    if (single) t->sphere_before = t->ghost_before;
    return TW_STATUS_OK;
}

/* ---- Steps of the tiling ---- */

static inline tw_status tw_device_tiling_too_many(const char *what, uint64_t count, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_INPUT, "too many %s for a device: %llu", what,
                        (unsigned long long)count);
}

/* `total`: NULL if it is known. */
static inline tw_status tw_device_tiling_scan(tw_device_instance *d, uint32_t *counts, size_t n,
                                              uint32_t *total, tw_error *error)
{
    uint64_t sum = 0;
    if (tw_device_runtime_scan(&d->runtime, counts, counts, n, total ? &sum : NULL) != TW_STATUS_OK)
        return tw_device_tiling_no_memory(d, n * sizeof *counts, error);
    if (!total) return TW_STATUS_OK;
    if (sum >= UINT32_MAX) return tw_device_tiling_too_many("neighbours of spheres", sum, error);
    *total = (uint32_t)sum;
    return TW_STATUS_OK;
}

/* Finds the ghosts, and the lengths of everything. */
static inline tw_status tw_device_tiling_measure(tw_device_instance *d, tw_error *error)
{
    tw_device_world *w = &d->host;
    tw_device_runtime *runtime = &d->runtime;
    const size_t pairs = (size_t)w->list.pairs + 1;
    uint32_t bundles = 0;
    tw_device_tiling_cut_each(runtime, d->world, w->list.tiles);
    tw_device_tiling_find_each(runtime, d->world, w->list.pairs);
    tw_device_tiling_first_each(runtime, d->world, w->list.pairs + 1);
    tw_status status =
        tw_device_tiling_scan(d, w->tiling.ghost_before, pairs, &w->list.ghosts, error);
    w->list.ghost_spheres = w->list.ghosts;
    w->list.wall_pairs = 0;
    if (status == TW_STATUS_OK && !w->schedule.tiles.single)
        status =
            tw_device_tiling_scan(d, w->tiling.sphere_before, pairs, &w->list.ghost_spheres, error);
    if (status == TW_STATUS_OK && w->tiling.wall_before)
        status = tw_device_tiling_scan(d, w->tiling.wall_before, pairs, &w->list.wall_pairs, error);
    if (status != TW_STATUS_OK) return status;
    tw_device_tiling_use_each(runtime, d->world, w->search.count);
    tw_device_tiling_count_each(runtime, d->world, w->list.tiles);
    status = tw_device_tiling_scan(d, w->tiling.bundle_before, w->list.tiles, &bundles, error);
    if (status == TW_STATUS_OK && bundles >= TW_DEVICE_AS_Q / TW_BUNDLE)
        return tw_device_tiling_too_many("contact slots", (uint64_t)TW_BUNDLE * bundles, error);
    w->list.slots = TW_BUNDLE * bundles;
    w->list.body_slots = w->list.bodies + w->list.ghosts + 2 * w->list.tiles;
    return status;
}

/* Ghosts, ends of pairs, and lists by body and body slot. */
static inline tw_status tw_device_tiling_list(tw_device_instance *d, tw_error *error)
{
    tw_device_world *w = &d->host;
    tw_tiles *t = &w->schedule.tiles;
    tw_device_runtime *runtime = &d->runtime;
    tw_device_runtime_fill(runtime, t->ghost_first, 0, (w->list.bodies + 1) * sizeof(uint32_t));
    tw_device_runtime_fill(runtime, t->degree, 0, (w->list.bodies + 1) * sizeof(uint32_t));
    tw_device_runtime_fill(runtime, w->list.near_first, 0,
                           (w->list.body_slots + 1) * sizeof(uint32_t));
    tw_device_runtime_fill(runtime, w->forces.incident_count, 0,
                           (w->list.body_slots + 1) * sizeof(uint32_t));
    tw_device_runtime_fill(runtime, w->sums.tile_sum, 0,
                           (size_t)TW_DEVICE_SUM_ROWS * w->list.tiles * sizeof(double));
    tw_device_runtime_fill(runtime, w->touch.rank, TW_DEVICE_RANK_NONE, (size_t)w->list.pairs + 4);
    tw_device_tiling_place_each(runtime, d->world, w->list.tiles);
    tw_device_tiling_ends_each(runtime, d->world, w->list.pairs);
    tw_device_tiling_count_near_each(runtime, d->world, w->list.pairs);
    tw_status status =
        tw_device_tiling_scan(d, t->ghost_first, (size_t)w->list.bodies + 1, NULL, error);
    if (status == TW_STATUS_OK)
        status = tw_device_tiling_scan(d, w->list.near_first, (size_t)w->list.body_slots + 1, NULL,
                                       error);
    if (status != TW_STATUS_OK) return status;
    tw_device_tiling_list_ghost_each(runtime, d->world, w->list.ghosts);
    tw_device_tiling_list_near_each(runtime, d->world, w->list.pairs);
    tw_device_tiling_sort_near_each(runtime, d->world, w->list.body_slots);
    tw_device_tiling_load_each(runtime, d->world, w->list.bodies);
    return TW_STATUS_OK;
}

/* Contacts to their slots. What can fail comes first: then memories are where they were. */
static inline tw_status tw_device_tiling_assign_slots(tw_device_instance *d, tw_error *error)
{
    tw_device_world *w = &d->host;
    tw_device_runtime *runtime = &d->runtime;
    const uint32_t contacts = w->search.count;
    const uint32_t numbers = 7 + tw_contact_parts_numbers(w->state.contacts.extras.parts);
    tw_device_runtime_fill(runtime, w->schedule.pairs.slot, 0xff, w->list.pairs * sizeof(uint32_t));
    tw_device_runtime_fill(runtime, w->schedule.slots.pair, 0xff, w->list.slots * sizeof(uint32_t));
    tw_device_tiling_contact_each(runtime, d->world, contacts);
    if (!w->search.given) {
        if (!TW_DEVICE_SCRATCH(w->tiling.touch_before, (size_t)w->list.pairs + 1))
            return tw_device_tiling_no_memory(d, w->list.pairs * sizeof(uint32_t), error);
        tw_device_memory_push(d);
        tw_device_tiling_mark_each(runtime, d->world, w->list.pairs + 1);
        const tw_status status = tw_device_tiling_scan(d, w->tiling.touch_before,
                                                       (size_t)w->list.pairs + 1, NULL, error);
        if (status != TW_STATUS_OK) return status;
    }
    tw_device_tiling_assign_each(runtime, d->world, w->list.pairs);
    uint32_t *const bits[] = {w->touch.slid, w->touch.single, w->touch.sliders[0],
                              w->touch.sliders[1]};
    for (size_t k = 0; k < sizeof bits / sizeof *bits; k++)
        tw_device_runtime_fill(runtime, bits[k], 0,
                               tw_device_bits_words(w->list.slots) * sizeof(uint32_t));
    for (uint32_t k = 0; k < numbers; k += TW_DEVICE_TILING_WIDTH) {
        tw_device_tiling_take_each(runtime, d->world, contacts);
        tw_device_tiling_put_each(runtime, d->world, contacts);
        tw_device_tiling_next_each(runtime, d->world, 1);
    }
    tw_device_tiling_bundle_each(runtime, d->world, w->list.slots / TW_BUNDLE);
    tw_device_tiling_fill_each(runtime, d->world, w->list.slots);
    tw_device_runtime_fill(runtime, w->touch.load, 0, 6 * (size_t)w->list.slots * sizeof(double));
    for (int k = 0; k < TW_CONTACT_LOST_KINDS; k++)
        if (w->touch.lost[k])
            tw_device_runtime_fill(runtime, w->touch.lost[k], 0, w->list.slots * sizeof(double));
    return TW_STATUS_OK;
}

static inline tw_status tw_device_tiling_try(tw_device_instance *d, tw_error *error)
{
    tw_device_world *w = &d->host;
    tw_device_rooms rooms = {d, 0, 0};
    tw_device_tiling_reserve_first(&rooms, w);
    if (rooms.failed) return tw_device_tiling_no_memory(d, rooms.bytes, error);
    tw_status status = tw_device_tiling_workspace(d, error);
    if (status != TW_STATUS_OK) return status;
    tw_device_memory_push(d);
    status = tw_device_tiling_measure(d, error);
    if (status != TW_STATUS_OK) return status;
    tw_device_tiling_reserve_memories(&rooms, w); /* first: for a while there are two of them */
    tw_device_tiling_reserve_tiles(&rooms, w);
    if (rooms.failed) return tw_device_tiling_no_memory(d, rooms.bytes, error);
    tw_device_memory_push(d);
    status = tw_device_tiling_list(d, error);
    if (status != TW_STATUS_OK) return status;
    if (tw_device_tiling_is_tight(d)) tw_device_memory_scratch_free(d);
    memset(&w->tiling, 0, sizeof w->tiling);
    tw_device_tiling_reserve_slots(&rooms, w);
    if (rooms.failed) return tw_device_tiling_no_memory(d, rooms.bytes, error);
    tw_device_memory_push(d);
    return tw_device_tiling_assign_slots(d, error);
}

/* Makes the tiles of the pair list on the device, with the contacts of d->host.search in their
 * slots. d->host is the world as the device has it. On failure the memories are where they were,
 * and the schedule is not valid. */
static inline tw_status tw_device_tiling_make(tw_device_instance *d, tw_error *error)
{
    tw_device_world *w = &d->host;
    tw_tiles_cut(&w->schedule.tiles, w->state.bodies.count);
    w->list.tiles = (uint32_t)w->schedule.tiles.count;
    w->list.bodies = (uint32_t)w->state.bodies.count;
    w->list.spheres = (uint32_t)w->schedule.spheres.count;
    w->list.pairs = (uint32_t)w->schedule.pairs.count;
    w->schedule.valid = 0;
    const tw_status status = tw_device_tiling_try(d, error);
    if (status == TW_STATUS_OK) {
        w->schedule.stretch = 0.0;
        w->schedule.valid = 1;
        w->run.slide_queue = w->run.general_queue = 0;
        tw_device_tiling_settle(d);
        if (w->run.event_kinds) tw_device_events_watch_each(&d->runtime, d->world, w->list.pairs);
    }
    tw_device_runtime_renew(&d->runtime, 0);
    d->bytes_of_left = SIZE_MAX; /* not known at the next search */
    w->search.given = 0;
    memset(&w->tiling, 0, sizeof w->tiling);
    tw_device_memory_push(d); /* also after a failure: arrays have moved */
    return status == TW_STATUS_OK ? tw_device_runtime_wait(&d->runtime, error) : status;
}

#endif
