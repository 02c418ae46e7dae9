/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation to the device and back, as by a checkpoint: bodies, and contacts with their slots.
 * The list is made where it is needed. Includer: a runtime first. */
#ifndef TW_DEVICE_EXCHANGE_H
#define TW_DEVICE_EXCHANGE_H

#include "base/error.h"
#include "device/device_events.h"
#include "device/device_launch.h"
#include "device/device_laws.h"
#include "device/device_memory.h"
#include "device/device_plain.h"
#include "device/device_search.h"
#include "device/device_tiling.h"
#include "search/list.h"
#include "search/search.h"
#include "world/tally.h"

/* ---- To the device ---- */

/* Contacts that are sent or gathered at a time: room for all of them may not be left. */
enum { TW_DEVICE_EXCHANGE_CHUNK = 1 << 16 };

/* Memories and extras of contacts from number `first` on, in these bundles. */
static inline void tw_device_exchange_send_bundles(tw_device_instance *d,
                                                   const tw_contact_list *list, size_t first,
                                                   tw_bundle *bundle, tw_extras *extras)
{
    tw_contacts *c = &d->host.state.contacts;
    const size_t left = list->count - first, at = first / TW_BUNDLE,
                 n = left < TW_DEVICE_EXCHANGE_CHUNK ? left : TW_DEVICE_EXCHANGE_CHUNK,
                 bundles = (n + TW_BUNDLE - 1) / TW_BUNDLE;
    for (uint32_t k = 0; k < n; k++) {
        tw_bundle_put(bundle, k, &list->memory[first + k]);
        const tw_contact_parts parts = tw_contact_list_get(list, first + k);
        tw_extras_put(extras, k, &parts);
    }
    tw_device_runtime_send(&d->runtime, c->bundle + at, bundle, bundles * sizeof *bundle);
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    if (extras->name)                                                                              \
        tw_device_runtime_send(&d->runtime, c->extras.name + (count)*at, extras->name,             \
                               bundles * (count) * sizeof *extras->name);
#include <twirl/detail/contact_parts.def>
}

/* Memories and extras in slots 0, 1, 2 ... of the device. */
static inline int tw_device_exchange_send_memories(tw_device_instance *d,
                                                   const tw_contact_list *list)
{
    const tw_contacts *c = &d->host.state.contacts;
    const size_t bundles = TW_DEVICE_EXCHANGE_CHUNK / TW_BUNDLE;
    tw_bundle *bundle = (tw_bundle *)calloc(bundles, sizeof *bundle);
    tw_extras extras, none;
    memset(&none, 0, sizeof none);
    if (!bundle || !tw_extras_copy(&extras, &none, c->extras.parts, 0, bundles)) {
        free(bundle);
        return 0;
    }
    for (size_t first = 0; first < list->count; first += TW_DEVICE_EXCHANGE_CHUNK)
        tw_device_exchange_send_bundles(d, list, first, bundle, &extras);
    tw_device_runtime_send(&d->runtime, c->sliding, list->sliding,
                           list->count * sizeof *list->sliding);
    tw_extras_free(&extras);
    free(bundle);
    return 1;
}

/* 0: no memory, here or there. */
static inline int tw_device_exchange_send_list(tw_device_instance *d, tw_contact_list *list)
{
    tw_device_world *w = &d->host;
    tw_device_search *s = &w->search;
    tw_device_rooms rooms = {d, 0, 0};
    w->list.slots = (uint32_t)list->count;
    w->state.contacts.capacity = 0; /* nothing is kept */
    w->state.contacts.extras.parts = list->parts | w->run.extras;
    tw_device_tiling_reserve_memories(&rooms, w);
    tw_device_search_reserve_contacts(&rooms, w, list->count);
    tw_device_search_reserve_given(&rooms, w, list->count);
    if (rooms.failed || !tw_device_exchange_send_memories(d, list)) return 0;
    tw_device_runtime_send(&d->runtime, s->contact_pair, list->pair,
                           list->count * sizeof *list->pair);
    tw_device_runtime_send(&d->runtime, s->contact_given, list->slot,
                           list->count * sizeof *list->slot);
    for (uint32_t k = 0; k < list->count; k++)
        list->slot[k] = k;
    tw_device_runtime_send(&d->runtime, s->contact_slot, list->slot,
                           list->count * sizeof *list->slot);
    s->count = (uint32_t)list->count;
    s->given = 1;
    return 1;
}

static inline int tw_device_exchange_send_contacts(tw_device_instance *d, const tw_model *model,
                                                   const tw_state *state,
                                                   const tw_schedule *schedule)
{
    tw_contact_list list = {0};
    const int ok = tw_contact_list_gather(model, state, schedule, 1, 0, 0, &list) &&
                   tw_device_exchange_send_list(d, &list);
    if (schedule->deferred && !schedule->pairs.given) d->host.search.given = 0;
    tw_contact_list_free(&list);
    return ok;
}

/* ---- From the device ---- */

/* A pair, and one more: is it in the list of contacts? */
TW_INLINE void tw_device_exchange_mark(const tw_model *model, const tw_state *state,
                                       const tw_schedule *schedule, const tw_device_list *list,
                                       tw_device_tiling *tiling, uint32_t k)
{
    const tw_pairs *pairs = &schedule->pairs;
    tiling->touch_before[k] =
        k < list->pairs &&
        (tw_pairs_touch(pairs, k) || tw_list_is_far(model, state, schedule, &pairs->pair[k]));
}

/* A pair: its place there. */
TW_INLINE void tw_device_exchange_list(tw_device_tiling *tiling, uint32_t k)
{
    if (tiling->touch_before[k + 1] > tiling->touch_before[k])
        tiling->contact[tiling->touch_before[k]] = k;
}

/* A contact, counted from the first one of this round. */
TW_INLINE void tw_device_exchange_gather(const tw_contacts *contacts, const tw_schedule *schedule,
                                         const tw_device_search *search, tw_device_tiling *tiling,
                                         uint32_t i)
{
    const uint32_t k = tiling->first + i;
    const int listed = schedule->valid;
    const uint32_t pair = listed ? tiling->contact[k] : 0;
    const uint32_t slot = listed ? schedule->pairs.slot[pair] : search->contact_slot[k];
    tiling->pair[i] = listed ? schedule->pairs.pair[pair] : search->contact_pair[k];
    tiling->slot[i] = !listed && search->given ? search->contact_given[k] : 0;
    if (slot == TW_NO_SLOT) { /* as tw_contact_list_gather: far apart */
        const tw_contact_memory idle = {{1.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}};
        const uint32_t numbers = tw_contact_parts_numbers(contacts->extras.parts);
        for (uint32_t j = 0; j < numbers; j++)
            tiling->extra[i * numbers + j] = 0.0;
        tiling->slot[i] = slot;
        tiling->memory[i] = idle;
        tiling->sliding[i] = 0;
        return;
    }
    if (listed && !tw_pair_is_wall(&tiling->pair[i]))
        tiling->slot[i] =
            slot - schedule->tiles.tile[tw_device_tiling_tile_of(schedule, pair)].slot;
    tiling->memory[i] = tw_bundle_get(contacts->bundle, slot);
    if (tiling->extra) {
        const uint32_t needs = contacts->extras.parts;
        const tw_contact_parts parts = tw_extras_get(&contacts->extras, slot);
        tw_contact_parts_pack(&parts, needs, tiling->extra + i * tw_contact_parts_numbers(needs));
    }
    tiling->sliding[i] = contacts->sliding[slot];
}

TW_DEVICE_TASK(tw_device_exchange_mark, (model, state, schedule, list), (tiling))
TW_DEVICE_TASK(tw_device_exchange_list, (none), (tiling))
TW_DEVICE_TASK(tw_device_exchange_gather, (contacts, schedule, search), (tiling))

static inline tw_status tw_device_exchange_full(tw_error *error)
{
    return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to fetch the contacts");
}

/* Lists the pairs in contact; without a valid list the contacts are where the search has left them.
 */
static inline tw_status tw_device_exchange_find(tw_device_instance *d, uint32_t *count,
                                                tw_error *error)
{
    tw_device_world *w = &d->host;
    tw_device_tiling *t = &w->tiling;
    const size_t n = (size_t)w->list.pairs + 1;
    uint64_t total = 0;
    *count = w->search.count;
    if (!w->schedule.valid) return TW_STATUS_OK;
    if (!TW_DEVICE_SCRATCH(t->touch_before, n)) return tw_device_exchange_full(error);
    tw_device_memory_push(d);
    tw_device_exchange_mark_each(&d->runtime, d->world, w->list.pairs + 1);
    if (tw_device_runtime_scan(&d->runtime, t->touch_before, t->touch_before, n, &total) !=
        TW_STATUS_OK)
        return tw_device_exchange_full(error);
    if (!TW_DEVICE_SCRATCH(t->contact, (size_t)total)) return tw_device_exchange_full(error);
    tw_device_memory_push(d);
    tw_device_exchange_list_each(&d->runtime, d->world, w->list.pairs);
    *count = (uint32_t)total;
    return TW_STATUS_OK;
}

static inline int tw_device_exchange_chunk_room(tw_device_instance *d, uint32_t count)
{
    tw_device_tiling *t = &d->host.tiling;
    const size_t n = count < TW_DEVICE_EXCHANGE_CHUNK ? count : TW_DEVICE_EXCHANGE_CHUNK;
    const size_t numbers = tw_contact_parts_numbers(d->host.state.contacts.extras.parts);
    t->extra = NULL;
    return TW_DEVICE_SCRATCH(t->pair, n) && TW_DEVICE_SCRATCH(t->slot, n) &&
           TW_DEVICE_SCRATCH(t->memory, n) && TW_DEVICE_SCRATCH(t->sliding, n) &&
           (numbers == 0 || TW_DEVICE_SCRATCH(t->extra, n * numbers));
}

static inline void tw_device_exchange_bring_chunk(tw_device_instance *d, tw_contact_list *list,
                                                  uint32_t first, uint32_t n)
{
    tw_device_runtime *runtime = &d->runtime;
    tw_device_tiling *t = &d->host.tiling;
    t->first = first;
    tw_device_memory_push(d);
    tw_device_exchange_gather_each(runtime, d->world, n);
    tw_device_runtime_bring(runtime, list->pair + first, t->pair, n * sizeof *t->pair);
    tw_device_runtime_bring(runtime, list->slot + first, t->slot, n * sizeof *t->slot);
    tw_device_runtime_bring(runtime, list->memory + first, t->memory, n * sizeof *t->memory);
    tw_device_runtime_bring(runtime, list->sliding + first, t->sliding, n * sizeof *t->sliding);
    const size_t numbers = t->extra ? tw_contact_parts_numbers(list->parts) : 0;
    if (t->extra)
        tw_device_runtime_bring(runtime, list->extra + first * numbers, t->extra,
                                n * numbers * sizeof *t->extra);
}

/* The contacts, in the order of pairs. The caller frees the list in either case. */
static inline tw_status tw_device_exchange_bring_contacts(tw_device_instance *d,
                                                          tw_contact_list *list, tw_error *error)
{
    tw_device_world *w = &d->host;
    uint32_t count = 0;
    tw_device_memory_scratch_reset(d);
    tw_status status = tw_device_exchange_find(d, &count, error);
    if (status == TW_STATUS_OK &&
        (!tw_contact_list_make(list, count, w->state.contacts.extras.parts) ||
         !tw_device_exchange_chunk_room(d, count)))
        status = tw_device_exchange_full(error);
    for (uint32_t first = 0; first < count && status == TW_STATUS_OK;
         first += TW_DEVICE_EXCHANGE_CHUNK) {
        const uint32_t left = count - first;
        tw_device_exchange_bring_chunk(
            d, list, first, left < TW_DEVICE_EXCHANGE_CHUNK ? left : TW_DEVICE_EXCHANGE_CHUNK);
    }
    memset(&w->tiling, 0, sizeof w->tiling);
    tw_device_memory_push(d);
    return status;
}

/* ---- Numbers ---- */

static inline void tw_device_exchange_schedule(tw_schedule *to, const tw_schedule *from)
{
    to->bound = from->bound;
    to->radius_min = from->radius_min;
    to->stretch = from->stretch;
    to->cell_back = from->cell_back;
    to->pending = from->pending;
}

/* What the phases of a step are to do. */
static inline void tw_device_exchange_choose(tw_device_run *run, const tw_model *model)
{
    run->extras = tw_model_extras(model);
    run->flags = tw_model_flags(model);
    run->law = tw_device_laws_choose(model);
}

static inline void tw_device_exchange_choose_bodies(tw_device_world *w, const tw_model *model,
                                                    const tw_state *state)
{
    const tw_bodies *b = &state->bodies;
    w->run.fixed = 0;
    w->schedule.tiles.single = 1;
    for (size_t i = 0; i < b->count; i++) {
        w->run.fixed |= (b->flags[i] & TW_BODY_FIXED) != 0;
        w->schedule.tiles.single &= model->shapes[b->shape[i]].count == 1;
    }
}

static inline void tw_device_exchange_choose_events(tw_device_run *run, const tw_schedule *schedule)
{
    uint64_t limit = TW_DEVICE_EVENTS_LIMIT;
    (void)tw_device_test("events", &limit);
    run->event_limit = (uint32_t)limit;
    run->event_kinds = schedule->events ? schedule->events->kinds & TW_EVENTS_CONTACTS : 0;
}

/* ---- Memory ---- */

static inline size_t tw_device_exchange_shape_spheres(const tw_model *model)
{
    size_t count = 0;
    for (size_t k = 0; k < model->shape_count; k++)
        count += model->shapes[k].count;
    return count;
}

/* So many bodies, the first of which are kept. */
static inline void tw_device_exchange_reserve_bodies(tw_device_rooms *rooms, tw_device_world *w,
                                                     size_t bodies, size_t keep)
{
#define TW_COLUMN(type, name)                                                                      \
    tw_device_memory_room(rooms, &w->state.bodies.name, "state.bodies." #name, bodies + 1,         \
                          sizeof(type), keep);
#include "world/body_columns.def"
#undef TW_COLUMN
    for (int k = 0; k < TW_DEVICE_PARTS; k++)
        TW_DEVICE_ROOM(sums.part[k], k == TW_DEVICE_PART_DRIVEN && !w->run.fixed ? 0 : bodies + 1);
}

static inline size_t tw_device_exchange_surface_bytes(const tw_model *model)
{
    size_t bytes = 0;
    for (size_t k = 0; k < model->surface_count; k++)
        bytes += model->surfaces[k].bytes;
    return bytes;
}

/* Arrays that stay as they are until the next upload. */
static inline void tw_device_exchange_reserve(tw_device_rooms *rooms, tw_device_world *w,
                                              const tw_model *model, const tw_state *state)
{
    tw_device_exchange_reserve_bodies(rooms, w, state->bodies.count, 0);
    TW_DEVICE_ROOM(state.walls, state->wall_count + 1);
    TW_DEVICE_ROOM(model.shapes, model->shape_count + 1);
    TW_DEVICE_ROOM(shape_sphere, tw_device_exchange_shape_spheres(model) + 1);
    TW_DEVICE_ROOM(model.surfaces, model->surface_count + 1);
    TW_DEVICE_ROOM(surface_block, tw_device_exchange_surface_bytes(model) + 1);
    TW_DEVICE_ROOM(model.drive, model->drive_count + 1);
    TW_DEVICE_ROOM(model.drive_row, model->drive_row_count + 1);
    TW_DEVICE_ROOM(model.materials, model->material_count);
    TW_DEVICE_ROOM(model.laws, tw_model_law_count(model));
}

/* About the numbers of a world whose list is not known, rather more than less: pairs of a dense
 * packing, and ghosts on half the surface of a tile. */
static inline void tw_device_exchange_guess(tw_device_world *w, size_t contacts)
{
    tw_tiles cut;
    tw_tiles_cut(&cut, w->list.bodies);
    const double side = tw_math_cbrt((double)cut.size), many = w->schedule.tiles.single ? 4.5 : 9.0;
    const double ghosts = many * side * side * (double)cut.count;
    w->list.tiles = (uint32_t)cut.count;
    w->list.pairs = (uint32_t)(contacts + 2 * (size_t)w->list.spheres);
    w->list.ghosts = ghosts < (double)w->list.pairs ? (uint32_t)ghosts : w->list.pairs;
    const double ghost_spheres =
        (double)w->list.ghosts * w->list.spheres / ((double)w->list.bodies + 1.0);
    w->list.ghost_spheres = (uint32_t)tw_math_min(ghost_spheres, UINT32_MAX - 1.0) + 1;
    w->list.body_slots = w->list.bodies + w->list.ghosts + 2 * w->list.tiles;
    w->list.wall_pairs = w->state.wall_count > 0 ? w->list.spheres / 10 : 0;
    w->list.slots = (uint32_t)(contacts + contacts / TW_DEVICE_TILING_SHARE + w->list.wall_pairs) +
                    (TW_DEVICE_TILING_SPARE + 2 * TW_BUNDLE) * w->list.tiles;
}

static inline size_t tw_device_exchange_spheres(const tw_model *model, const tw_state *state)
{
    size_t count = 0;
    for (size_t i = 0; i < state->bodies.count; i++)
        count += model->shapes[state->bodies.shape[i]].count;
    return count;
}

/* Contacts that there are, or in a dense packing will be. */
static inline size_t tw_device_exchange_contacts(const tw_device_world *w,
                                                 const tw_schedule *schedule)
{
    return schedule->valid ? tw_schedule_contacts(schedule)
                           : (size_t)(w->schedule.tiles.single ? 3 : 6) * w->list.bodies;
}

/* The numbers of a world with the list of the host. */
static inline void tw_device_exchange_sizes(tw_device_world *w, const tw_model *model,
                                            const tw_state *state, const tw_schedule *schedule)
{
    const tw_tiles *t = &schedule->tiles;
    const tw_tile *last = t->count > 0 ? &t->tile[t->count - 1] : NULL;
    tw_device_exchange_choose(&w->run, model);
    tw_device_exchange_choose_bodies(w, model, state);
    tw_device_exchange_choose_events(&w->run, schedule);
    w->state.wall_count = state->wall_count;
    w->state.contacts.extras.parts = state->contacts.extras.parts | w->run.extras;
    w->list.tiles = (uint32_t)t->count;
    w->list.bodies = (uint32_t)state->bodies.count;
    w->list.walls = (uint32_t)state->wall_count;
    w->list.spheres = (uint32_t)tw_device_exchange_spheres(model, state);
    if (!schedule->valid || schedule->deferred) {
        tw_device_exchange_guess(w, tw_device_exchange_contacts(w, schedule));
        return;
    }
    w->list.pairs = (uint32_t)schedule->pairs.count;
    if (!last) return;
    w->list.body_slots = last->body_slot + last->body_slots;
    w->list.ghosts = last->ghost + last->ghosts;
    w->list.ghost_spheres = last->ghost_sphere + last->ghost_spheres;
    for (size_t k = 0; k < t->count; k++) {
        const tw_tile *tile = &t->tile[k];
        w->list.slots += tw_tile_round_up(tw_device_tiling_room_for(&w->tiling, tile)) +
                         tw_tile_round_up(tile->walls);
    }
    w->list.wall_pairs = last->wall_pair + last->walls;
}

/* Arrays that the search reserves, and its workspace. */
static inline void tw_device_exchange_count_list(tw_device_rooms *rooms, tw_device_world *w,
                                                 size_t contacts)
{
    const size_t bodies = w->list.bodies;
    tw_device_search_reserve_contacts(rooms, w, contacts);
    tw_device_search_reserve_spheres(rooms, w);
    tw_device_search_reserve_pairs(rooms, w);
    /* Six numbers by body, among them bins, and centres. */
    const size_t scratch = 6 * sizeof(uint32_t) * bodies +
                           (w->schedule.tiles.single ? 0 : w->list.spheres * sizeof(tw_vec3)) +
                           tw_device_tiling_scratch_bytes(w);
    const size_t least = (size_t)1 << 22; /* of a block */
    rooms->bytes += scratch > least ? scratch : least;
}

/* Bytes that an upload will take on the device. */
static inline size_t tw_device_exchange_need(const tw_model *model, const tw_state *state,
                                             const tw_schedule *schedule)
{
    tw_device_world w;
    tw_device_rooms rooms = {NULL, sizeof w, 0};
    memset(&w, 0, sizeof w);
    w.tiling.share = TW_DEVICE_TILING_SHARE;
    w.tiling.spare = TW_DEVICE_TILING_SPARE;
    tw_device_exchange_sizes(&w, model, state, schedule);
    tw_device_exchange_reserve(&rooms, &w, model, state);
    tw_device_tiling_reserve_first(&rooms, &w);
    tw_device_tiling_reserve_memories(&rooms, &w);
    tw_device_tiling_reserve_tiles(&rooms, &w);
    tw_device_tiling_reserve_slots(&rooms, &w);
    tw_device_exchange_count_list(&rooms, &w, tw_device_exchange_contacts(&w, schedule));
    return rooms.bytes;
}

/* Rounded down to two digits. */
static inline double tw_device_exchange_round(double x)
{
    double unit = 1.0;
    while (x >= 100.0 * unit)
        unit *= 10.0;
    return unit * floor(x / unit);
}

static inline tw_status tw_device_exchange_too_little(size_t bodies, double need, double room,
                                                      tw_error *error)
{
    return tw_error_set(error, TW_STATUS_MEMORY,
                        "the device has too little memory: %zu bodies need %.3g GB, %.3g GB are "
                        "free, enough for about %.0f bodies of this kind",
                        bodies, 1e-9 * need, 1e-9 * room,
                        tw_device_exchange_round(0.95 * room / need * (double)bodies));
}

/* Whether the memory that is free is enough for this state, before anything is sent. */
static inline tw_status tw_device_exchange_fits(tw_device_instance *d, const tw_model *model,
                                                const tw_state *state, const tw_schedule *schedule,
                                                tw_error *error)
{
    const double need = (double)tw_device_exchange_need(model, state, schedule);
    const double room = (double)tw_device_runtime_room(&d->runtime);
    if (state->bodies.count == 0 || need <= room) return TW_STATUS_OK;
    return tw_device_exchange_too_little(state->bodies.count, need, room, error);
}

/* All memory of the device has been given back. */
static inline tw_status tw_device_exchange_no_memory(tw_device_instance *d, const tw_model *model,
                                                     const tw_state *state,
                                                     const tw_schedule *schedule, tw_error *error)
{
    const double need = (double)tw_device_exchange_need(model, state, schedule);
    const double room = (double)tw_device_runtime_room(&d->runtime);
    if (need < 0.9 * room)
        return tw_error_set(error, TW_STATUS_MEMORY,
                            "not enough memory on the host to send %zu bodies to the device",
                            state->bodies.count);
    return tw_device_exchange_too_little(state->bodies.count, need, room, error);
}

/* ---- Upload ---- */

/* Shapes refer to their spheres in the memory of the device. */
static inline int tw_device_exchange_send_shapes(tw_device_instance *d, const tw_model *model)
{
    const size_t count = model->shape_count;
    tw_shape *shapes = (tw_shape *)malloc((count + 1) * sizeof *shapes);
    size_t at = 0;
    if (!shapes) return 0;
    for (size_t k = 0; k < count; k++) {
        shapes[k] = model->shapes[k];
        shapes[k].spheres = d->host.shape_sphere + at;
        tw_device_runtime_send(&d->runtime, shapes[k].spheres, model->shapes[k].spheres,
                               shapes[k].count * sizeof *shapes[k].spheres);
        at += shapes[k].count;
    }
    tw_device_runtime_send(&d->runtime, d->host.model.shapes, shapes, count * sizeof *shapes);
    free(shapes);
    return 1;
}

/* Likewise surfaces to their blocks; and motions of walls. */
static inline int tw_device_exchange_send_surfaces(tw_device_instance *d, const tw_model *model)
{
    const size_t count = model->surface_count;
    tw_model_surface *surfaces = (tw_model_surface *)malloc((count + 1) * sizeof *surfaces);
    size_t at = 0;
    if (!surfaces) return 0;
    for (size_t k = 0; k < count; k++) {
        surfaces[k] = model->surfaces[k];
        tw_model_set_surface_block(&surfaces[k], d->host.surface_block + at);
        tw_device_runtime_send(&d->runtime, surfaces[k].block, model->surfaces[k].block,
                               surfaces[k].bytes);
        at += surfaces[k].bytes;
    }
    tw_device_runtime_send(&d->runtime, d->host.model.surfaces, surfaces, count * sizeof *surfaces);
    tw_device_runtime_send(&d->runtime, d->host.model.drive, model->drive,
                           model->drive_count * sizeof *model->drive);
    tw_device_runtime_send(&d->runtime, d->host.model.drive_row, model->drive_row,
                           model->drive_row_count * sizeof *model->drive_row);
    free(surfaces);
    return 1;
}

static inline void tw_device_exchange_send_laws(tw_device_instance *d, const tw_model *model)
{
    tw_device_runtime_send(&d->runtime, d->host.model.materials, model->materials,
                           model->material_count * sizeof *model->materials);
    tw_device_runtime_send(&d->runtime, d->host.model.laws, model->laws,
                           tw_model_law_count(model) * sizeof *model->laws);
    d->slippery = tw_tally_is_slippery(model);
}

static inline void tw_device_exchange_send_bodies(tw_device_instance *d, const tw_state *state)
{
    const tw_bodies *b = &state->bodies;
#define TW_COLUMN(type, name)                                                                      \
    tw_device_runtime_send(&d->runtime, d->host.state.bodies.name, b->name,                        \
                           b->count * sizeof *b->name);
#include "world/body_columns.def"
#undef TW_COLUMN
    tw_device_runtime_send(&d->runtime, d->host.state.walls, state->walls,
                           state->wall_count * sizeof *state->walls);
}

/* Everything but contacts and lists. */
static inline int tw_device_exchange_send(tw_device_instance *d, const tw_model *model,
                                          const tw_state *state, const tw_schedule *schedule,
                                          const tw_servo *servo)
{
    tw_device_world *w = &d->host;
    tw_device_rooms rooms = {d, 0, 0};
    tw_device_copy_model(&w->model, model);
    tw_device_copy_state(&w->state, state);
    tw_device_exchange_schedule(&w->schedule, schedule);
    w->servo = *servo;
    memset(&w->run, 0, sizeof w->run);
    w->run.bad_pair = w->run.bad_body = UINT64_MAX;
    w->run.before = state->sums.contacts;
    d->events = schedule->events;
    tw_device_exchange_choose_events(&w->run, schedule);
    w->measure.density_of = 0;
    tw_device_exchange_choose(&w->run, model);
    tw_device_exchange_choose_bodies(w, model, state);
    w->schedule.tiles.gibbs_in_half = model->laws->kind == TW_CONTACT_EXACT;
    w->list.bodies = (uint32_t)state->bodies.count;
    w->list.walls = (uint32_t)state->wall_count;
    tw_servo_kinetic(&state->bodies, w->sums.kinetic);
    tw_device_exchange_reserve(&rooms, w, model, state);
    if (rooms.failed || !tw_device_exchange_send_shapes(d, model) ||
        !tw_device_exchange_send_surfaces(d, model))
        return 0;
    tw_device_exchange_send_laws(d, model);
    tw_device_exchange_send_bodies(d, state);
    return 1;
}

/* Gives all memory back, after an upload that failed. */
static inline void tw_device_exchange_drop(tw_device_instance *d)
{
    for (size_t k = 0; k < d->arrays; k++)
        tw_device_memory_drop(d, d->array[k].at);
    tw_device_memory_scratch_free(d);
    d->host.state.contacts.capacity = 0;
    d->host.schedule.valid = 0;
    tw_device_memory_push(d);
}

static inline tw_status tw_device_exchange_upload(tw_device_instance *d, const tw_model *model,
                                                  const tw_state *state,
                                                  const tw_schedule *schedule,
                                                  const tw_servo *servo, tw_error *error)
{
    tw_status status = TW_STATUS_MEMORY;
    tw_device_memory_scratch_reset(d);
    tw_device_runtime_renew(&d->runtime, 1);
    d->stored = 1;
    if (tw_device_exchange_send(d, model, state, schedule, servo) &&
        tw_device_exchange_send_contacts(d, model, state, schedule)) {
        tw_device_memory_push(d);
        status = tw_device_search_list(d, error);
        if (status == TW_STATUS_OK) status = tw_device_tiling_make(d, error);
    }
    if (status != TW_STATUS_OK) tw_device_exchange_drop(d);
    if (status == TW_STATUS_MEMORY)
        return tw_device_exchange_no_memory(d, model, state, schedule, error);
    return status;
}

/* ---- Numbers alone ---- */

/* Laws may change, as long as their number, refinements and extras stay; otherwise everything is
 * uploaded again. */
static inline void tw_device_exchange_update(tw_device_instance *d, const tw_model *model,
                                             const tw_state *state, const tw_servo *servo)
{
    tw_device_world *w = &d->host;
    tw_device_memory_pull(d);
    tw_device_copy_model(&w->model, model);
    tw_device_copy_state(&w->state, state);
    w->servo = *servo;
    tw_device_exchange_choose(&w->run, model);
    w->run.before = state->sums.contacts;
    tw_device_runtime_renew(&d->runtime, 1);
    tw_device_exchange_send_laws(d, model);
    tw_device_runtime_send(&d->runtime, w->state.walls, state->walls,
                           state->wall_count * sizeof *state->walls);
    tw_device_memory_push(d);
}

static inline void tw_device_exchange_reset_displacements(tw_device_instance *d,
                                                          const tw_state *state)
{
    const tw_bodies *to = &d->host.state.bodies, *from = &state->bodies;
    tw_device_runtime_send(&d->runtime, to->x_start, from->x_start,
                           from->count * sizeof *from->x_start);
    tw_device_runtime_send(&d->runtime, to->image, from->image, from->count * sizeof *from->image);
}

static inline void tw_device_exchange_numbers(tw_device_instance *d, tw_state *state,
                                              tw_schedule *schedule, tw_servo *servo)
{
    tw_device_memory_pull(d);
    tw_device_copy_state(state, &d->host.state);
    tw_device_exchange_schedule(schedule, &d->host.schedule);
    schedule->spheres.count = d->host.schedule.spheres.count;
    memcpy(schedule->momentum_flux, d->host.sums.kinetic, sizeof schedule->momentum_flux);
    *servo = d->host.servo;
    tw_device_runtime_bring(&d->runtime, state->walls, d->host.state.walls,
                            state->wall_count * sizeof *state->walls);
}

/* ---- Fetch ---- */

static inline void tw_device_exchange_bring_bodies(tw_device_instance *d, tw_state *state)
{
    tw_bodies *b = &state->bodies;
#define TW_COLUMN(type, name)                                                                      \
    tw_device_runtime_bring(&d->runtime, b->name, d->host.state.bodies.name,                       \
                            b->count * sizeof *b->name);
#include "world/body_columns.def"
#undef TW_COLUMN
}

/* A step that is not complete, or has failed in a search, has no list: the next search makes it.
 * One that would be restored might not be seen to be stale. Contacts with given slots are those of
 * a list that there was. */
static inline tw_status tw_device_exchange_restore(const tw_device_world *w, const tw_model *model,
                                                   tw_state *state, tw_schedule *schedule,
                                                   const tw_contact_list *contacts, tw_error *error)
{
    if ((w->schedule.valid || w->search.given) && !w->schedule.pending)
        return tw_search_defer(model, state, schedule, contacts, error);
    const tw_status status = tw_schedule_reserve_spheres(model, state, schedule, error);
    if (status != TW_STATUS_OK) return status;
    tw_schedule_list_spheres(model, state, schedule);
    return tw_search_keep(state, schedule, contacts, error);
}

static inline tw_status tw_device_exchange_fetch(tw_device_instance *d, const tw_model *model,
                                                 tw_state *state, tw_schedule *schedule,
                                                 tw_error *error)
{
    tw_contact_list contacts = {0};
    tw_servo unused;
    tw_device_exchange_numbers(d, state, schedule, &unused);
    tw_status status = tw_device_exchange_bring_contacts(d, &contacts, error);
    if (status == TW_STATUS_OK) {
        tw_device_exchange_bring_bodies(d, state);
        status = tw_device_runtime_wait(&d->runtime, error);
    }
    if (status == TW_STATUS_OK)
        status = tw_device_exchange_restore(&d->host, model, state, schedule, &contacts, error);
    tw_contact_list_free(&contacts);
    return status;
}

#endif
