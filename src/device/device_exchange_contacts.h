/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts to the device and back. Includer: a runtime first. */
#ifndef TW_DEVICE_EXCHANGE_CONTACTS_H
#define TW_DEVICE_EXCHANGE_CONTACTS_H

#include "base/error.h"
#include "device/device_launch.h"
#include "device/device_memory.h"
#include "device/device_tiling.h"
#include "search/list.h"

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
        if (list->extra) tw_extras_put(extras, k, &list->extra[first + k]);
    }
    tw_device_runtime_send(&d->runtime, c->bundle + at, bundle, bundles * sizeof *bundle);
#define TW_EXTRA_VECTOR(bit, name)                                                                 \
    if (extras->name)                                                                              \
        tw_device_runtime_send(&d->runtime, c->extras.name + at, extras->name,                     \
                               bundles * sizeof *extras->name);
#define TW_EXTRA_NUMBER(bit, name) TW_EXTRA_VECTOR(bit, name)
#include "world/extra_parts.def"
#undef TW_EXTRA_VECTOR
#undef TW_EXTRA_NUMBER
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

/* Room for contacts between two lists. */
static inline int tw_device_exchange_reserve_contacts(tw_device_instance *d, size_t count)
{
    tw_device_search *s = &d->host.search;
    return tw_device_memory_reserve(d, &s->contact_pair, count + 1, sizeof *s->contact_pair) &&
           tw_device_memory_reserve(d, &s->contact_slot, count + 1, sizeof *s->contact_slot) &&
           tw_device_memory_reserve(d, &s->contact_target, count + 1, sizeof *s->contact_target) &&
           tw_device_memory_reserve(d, &s->contact_given, count + 1, sizeof *s->contact_given);
}

/* 0: no memory, here or there. */
static inline int tw_device_exchange_send_list(tw_device_instance *d, tw_contact_list *list)
{
    tw_device_world *w = &d->host;
    tw_device_search *s = &w->search;
    tw_device_tiling_need rooms = {d, 0, 0};
    w->slots = (uint32_t)list->count;
    w->state.contacts.capacity = 0; /* nothing is kept */
    w->state.contacts.extras.parts = list->parts | w->run.extras;
    tw_device_tiling_reserve_memories(&rooms, w);
    if (rooms.failed || !tw_device_exchange_reserve_contacts(d, list->count)) return 0;
    if (!tw_device_exchange_send_memories(d, list)) return 0;
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

static inline int tw_device_exchange_send_contacts(tw_device_instance *d, const tw_state *state,
                                                   const tw_schedule *schedule)
{
    tw_contact_list list = {0};
    const int ok = tw_contact_list_gather(state, schedule, 0, 0, &list) &&
                   tw_device_exchange_send_list(d, &list);
    if (schedule->deferred && !schedule->pairs.given) d->host.search.given = 0;
    tw_contact_list_free(&list);
    return ok;
}

/* ---- From the device ---- */

/* A pair, and one more: is it a contact? */
TW_INLINE void tw_device_exchange_mark(tw_device_world *w, uint32_t k)
{
    w->tiling.touch_before[k] = k < w->pairs && tw_pairs_touch(&w->schedule.pairs, k);
}

/* A pair: its place among the contacts. */
TW_INLINE void tw_device_exchange_list(tw_device_world *w, uint32_t k)
{
    if (tw_pairs_touch(&w->schedule.pairs, k)) w->tiling.contact[w->tiling.touch_before[k]] = k;
}

/* A contact, counted from the first one of this round. */
TW_INLINE void tw_device_exchange_gather(tw_device_world *w, uint32_t i)
{
    const tw_schedule *s = &w->schedule;
    const tw_device_tiling *t = &w->tiling;
    const uint32_t k = t->first + i;
    const int listed = s->valid;
    const uint32_t pair = listed ? t->contact[k] : 0;
    const uint32_t slot = listed ? s->pairs.slot[pair] : w->search.contact_slot[k];
    t->pair[i] = listed ? s->pairs.pair[pair] : w->search.contact_pair[k];
    t->slot[i] = 0;
    if (listed && !tw_pair_is_plane(&t->pair[i]))
        t->slot[i] = slot - s->tiles.tile[tw_device_tiling_tile_of(w, pair)].slot;
    t->memory[i] = tw_bundle_get(w->state.contacts.bundle, slot);
    if (t->extra) t->extra[i] = tw_extras_get(&w->state.contacts.extras, slot);
    t->sliding[i] = w->state.contacts.sliding[slot];
}

TW_DEVICE_ITEM(tw_device_exchange_mark, TW_DEVICE_ALWAYS, 1)
TW_DEVICE_ITEM(tw_device_exchange_list, TW_DEVICE_ALWAYS, 1)
TW_DEVICE_ITEM(tw_device_exchange_gather, TW_DEVICE_ALWAYS, 1)

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
    const size_t n = (size_t)w->pairs + 1;
    uint64_t total = 0;
    *count = w->search.count;
    if (!w->schedule.valid) return TW_STATUS_OK;
    t->touch_before = (uint32_t *)tw_device_memory_scratch(d, n, sizeof *t->touch_before);
    if (!t->touch_before) return tw_device_exchange_full(error);
    tw_device_memory_push(d);
    tw_device_exchange_mark_each(&d->runtime, d->world, w->pairs + 1);
    if (tw_device_runtime_scan(&d->runtime, t->touch_before, t->touch_before, n, &total) !=
        TW_STATUS_OK)
        return tw_device_exchange_full(error);
    t->contact = (uint32_t *)tw_device_memory_scratch(d, (size_t)total, sizeof *t->contact);
    if (!t->contact) return tw_device_exchange_full(error);
    tw_device_memory_push(d);
    tw_device_exchange_list_each(&d->runtime, d->world, w->pairs);
    *count = (uint32_t)total;
    return TW_STATUS_OK;
}

static inline int tw_device_exchange_chunk_room(tw_device_instance *d, uint32_t count)
{
    tw_device_tiling *t = &d->host.tiling;
    const size_t n = count < TW_DEVICE_EXCHANGE_CHUNK ? count : TW_DEVICE_EXCHANGE_CHUNK;
    const int extras = d->host.state.contacts.extras.parts != 0;
    t->pair = (tw_pair *)tw_device_memory_scratch(d, n, sizeof *t->pair);
    t->slot = (uint32_t *)tw_device_memory_scratch(d, n, sizeof *t->slot);
    t->memory = (tw_contact_memory *)tw_device_memory_scratch(d, n, sizeof *t->memory);
    t->sliding = (uint8_t *)tw_device_memory_scratch(d, n, sizeof *t->sliding);
    t->extra = NULL;
    if (extras) t->extra = (tw_contact_extra *)tw_device_memory_scratch(d, n, sizeof *t->extra);
    return t->pair && t->slot && t->memory && t->sliding && (t->extra || !extras);
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
    if (t->extra)
        tw_device_runtime_bring(runtime, list->extra + first, t->extra, n * sizeof *t->extra);
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

#endif
