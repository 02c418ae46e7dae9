/* SPDX-License-Identifier: BSD-3-Clause */
/* Events as a caller sees them. */
#include <assert.h>
#include <string.h>

#include <twirl/sim.h>

#include "base/error.h"
#include "sim/sim_internal.h"

_Static_assert(TW_NO_BODY == UINT32_MAX, "events say so");

const char *tw_event_name(tw_event_kind kind)
{
    static const char *const name[] = {
#define TW_EVENT_NAME(NAME, name, text) #name,
        TW_EVENTS(TW_EVENT_NAME)
#undef TW_EVENT_NAME
    };
    return (unsigned)kind < TW_EVENT_KINDS ? name[kind] : NULL;
}

tw_status tw_sim_record_events(tw_sim *sim, uint32_t kinds, tw_error *error)
{
    assert(sim);
    tw_error_clear(error);
    const uint32_t of_contacts = kinds & TW_EVENTS_CONTACTS;
    if (kinds >> TW_EVENT_KINDS)
        return tw_error_set(error, TW_STATUS_INPUT, "there are no events of kind %d",
                            31 - __builtin_clz(kinds));
    if (of_contacts && sim->place->traits & TW_SIM_DEVICE_DIVIDED)
        return tw_sim_internal_no_events(sim->place, error);
    /* A device learns of it with the next upload. */
    if (of_contacts != (sim->events.kinds & TW_EVENTS_CONTACTS)) {
        const tw_status status = tw_sim_device_take(sim, error);
        if (status != TW_STATUS_OK) return status;
    }
    sim->events.kinds = kinds;
    sim->schedule.events = of_contacts ? &sim->events : NULL;
    return TW_STATUS_OK;
}

size_t tw_sim_event_count(const tw_sim *sim)
{
    return sim->events.count;
}

tw_status tw_sim_take_events(tw_sim *sim, tw_event *out, size_t capacity, size_t *count,
                             tw_error *error)
{
    assert(sim && (out || capacity == 0));
    tw_error_clear(error);
    tw_events *events = &sim->events;
    const size_t taken = capacity < events->count ? capacity : events->count,
                 left = events->count - taken;
    if (taken > 0) memcpy(out, events->event, taken * sizeof *out);
    if (taken > 0 && left > 0) memmove(events->event, events->event + taken, left * sizeof *out);
    events->count = left;
    if (count) *count = taken;
    return TW_STATUS_OK;
}
