/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/events.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

void tw_events_free(tw_events *events)
{
    tw_buffer_free(&events->event, &events->capacity);
    tw_buffer_free(&events->lived, &events->lived_capacity);
    events->count = 0;
}

tw_status tw_events_reserve(tw_events *events, size_t more, tw_error *error)
{
    if (events->kinds == 0 ||
        tw_buffer_reserve(&events->event, &events->capacity, events->count + more,
                          sizeof *events->event) == TW_STATUS_OK)
        return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for %zu events",
                        events->count + more);
}

static int by_pair(const void *left, const void *right)
{
    const tw_event *a = left, *b = right;
    if (a->step != b->step) return a->step < b->step ? -1 : 1;
    if (a->body_p != b->body_p) return a->body_p < b->body_p ? -1 : 1;
    if (a->body_q != b->body_q) return a->body_q < b->body_q ? -1 : 1;
    if (a->member_p != b->member_p) return a->member_p < b->member_p ? -1 : 1;
    if (a->member_q != b->member_q) return a->member_q < b->member_q ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (a->shift[k] != b->shift[k]) return a->shift[k] < b->shift[k] ? -1 : 1;
    return 0;
}

void tw_events_sort(tw_events *events, size_t from)
{
    if (events->count > from + 1)
        qsort(events->event + from, events->count - from, sizeof *events->event, by_pair);
}

void tw_events_add_body(tw_events *events, const tw_state *state, size_t i, tw_event_kind kind,
                        double energy)
{
    if (tw_events_has(events->kinds, kind))
        events->event[events->count++] = tw_events_body(state, (uint32_t)i, kind, energy);
}

void tw_events_add_contact(tw_events *events, const tw_state *state, const tw_schedule *schedule,
                           size_t k, tw_event_kind kind)
{
    if (tw_events_has(events->kinds, kind))
        events->event[events->count++] = tw_events_contact(state, schedule, (uint32_t)k, kind);
}

/* Each event has a contact slot of its own. */
tw_status tw_events_watch(const tw_state *state, const tw_schedule *schedule, tw_error *error)
{
    tw_events *events = schedule->events;
    const tw_pairs *pairs = &schedule->pairs;
    if (!events) return TW_STATUS_OK;
    const size_t slots = state->contacts.capacity,
                 most = pairs->count < slots ? pairs->count : slots;
    if (tw_buffer_reserve(&events->lived, &events->lived_capacity, pairs->count + 1, 1) !=
        TW_STATUS_OK)
        return tw_error_set_memory(error);
    for (size_t k = 0; k < pairs->count; k++)
        events->lived[k] = (uint8_t)tw_schedule_touch(schedule, k);
    return tw_events_reserve(events, most, error);
}

void tw_events_note(const tw_state *state, const tw_schedule *schedule)
{
    tw_events *events = schedule->events;
    const tw_pairs *pairs = &schedule->pairs;
    if (!events) return;
    const size_t from = events->count;
    for (size_t k = 0; k < pairs->count; k++) {
        const int lives = tw_schedule_touch(schedule, k);
        if (lives != events->lived[k])
            tw_events_add_contact(events, state, schedule, k,
                                  lives ? TW_EVENT_CONTACT_BEGAN : TW_EVENT_CONTACT_ENDED);
    }
    tw_events_sort(events, from);
}
