/* SPDX-License-Identifier: BSD-3-Clause */
/* More contact slots, where a tile has none left for its new contacts: the tiles of the same list
 * are made again, with every contact in its slot. Includer: a runtime first. */
#ifndef TW_DEVICE_ROOM_H
#define TW_DEVICE_ROOM_H

#include "device/device_launch.h"
#include "device/device_search.h"

/* A contact: its slot, counted from the first one of its tile. */
TW_INLINE void tw_device_room_keep(tw_device_world *w, uint32_t k)
{
    const uint32_t tile = tw_device_tiling_tile_of(w, w->search.contact_target[k]);
    w->search.contact_given[k] = 0;
    if (!tw_pair_is_plane(&w->search.contact_pair[k]))
        w->search.contact_given[k] = w->search.contact_slot[k] - w->schedule.tiles.tile[tile].slot;
}

TW_DEVICE_ITEM(tw_device_room_keep, TW_DEVICE_ALWAYS, 1)

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

/* After TW_DEVICE_ROOM: the step goes on from its ghosts. A tile that is full again before the next
 * search gets twice as much. */
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
