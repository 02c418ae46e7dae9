/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts that begin and end, for the caller: world/events.h on a device. A phase of its own looks
 * at each pair once in a step, and is left out where they are not recorded. The host takes the list
 * whenever it brings the world, and the step halts at its end where the list may be too short for
 * another one. */
#ifndef TW_DEVICE_EVENTS_H
#define TW_DEVICE_EVENTS_H

#include "device/device_access.h"
#include "device/device_world.h"
#include "world/events.h"

/* Entries after which a step halts; a step adds one for each contact slot at most. */
enum { TW_DEVICE_EVENTS_LIMIT = 1 << 16 };

TW_INLINE size_t tw_device_events_room(const tw_device_world *w)
{
    return w->run.event_kinds ? (size_t)w->run.event_limit + w->list.slots : 0;
}

TW_INLINE int tw_device_events_are_many(const tw_device_run *run)
{
    return run->event_kinds != 0 && run->events >= run->event_limit;
}

/* A pair: with a new list. */
TW_INLINE void tw_device_events_watch(const tw_schedule *schedule, tw_device_events *events,
                                      uint32_t k)
{
    events->lived[k] = (uint8_t)tw_schedule_touch(schedule, k);
}

/* A pair, once contacts have been advanced. Those of spheres that have parted still have their
 * slots. */
TW_INLINE void tw_device_events_note(const tw_state *state, const tw_schedule *schedule,
                                     const tw_device_touch *touch, tw_device_run *run,
                                     tw_device_events *events, uint32_t k)
{
    const uint32_t slot = schedule->pairs.slot[k];
    const int wall = tw_pair_is_wall(&schedule->pairs.pair[k]),
              lives = wall ? tw_schedule_touch(schedule, k)
                           : slot != TW_NO_SLOT && touch->slot_state[slot] != TW_DEVICE_ENDED;
    if (lives == events->lived[k]) return;
    events->lived[k] = (uint8_t)lives;
    const uint32_t kind = lives ? TW_EVENT_CONTACT_BEGAN : TW_EVENT_CONTACT_ENDED;
    if (!tw_events_has(run->event_kinds, kind)) return;
    events->event[tw_device_atomic_next(&run->events)] =
        tw_events_contact(state, schedule, k, kind);
}

#endif
