/* SPDX-License-Identifier: BSD-3-Clause */
/* What has happened, in the order of steps, until the caller takes it. Contacts that begin and end
 * are found by comparing before and after a step which pairs are contacts, so that steps are the
 * same with and without. */
#ifndef TW_WORLD_EVENTS_H
#define TW_WORLD_EVENTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <twirl/types.h>

#include "world/schedule.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TW_EVENTS_CONTACTS = 1 << TW_EVENT_CONTACT_BEGAN | 1 << TW_EVENT_CONTACT_ENDED };

typedef struct tw_events {
    uint32_t kinds; /* that are recorded: bits by tw_event_kind */
    tw_event *event;
    size_t count, capacity;
    uint8_t *lived; /* before a step, by pair: whether it is a contact */
    size_t lived_capacity;
} tw_events;

void tw_events_free(tw_events *events);

/* Room for so many more, if any are recorded. */
tw_status tw_events_reserve(tw_events *events, size_t more, tw_error *error);

/* Those from number `from` on, in the order of (step, pair). */
void tw_events_sort(tw_events *events, size_t from);

/* Of body i and no other, now. */
TW_INLINE tw_event tw_events_at(const tw_state *state, uint32_t i, uint32_t kind)
{
    tw_event e;
    memset(&e, 0, sizeof e);
    e.step = state->steps;
    e.time = state->time;
    e.kind = kind;
    e.body_p = state->bodies.id[i];
    e.body_q = UINT32_MAX;
    return e;
}

/* Of body i that comes or goes. */
TW_INLINE tw_event tw_events_body(const tw_state *state, uint32_t i, uint32_t kind, double energy)
{
    tw_event e = tw_events_at(state, i, kind);
    e.mass = state->bodies.mass[i];
    e.energy = energy;
    e.x = state->bodies.x[i];
    return e;
}

/* Likewise, if this kind is recorded; there is room. */
void tw_events_add_body(tw_events *events, const tw_state *state, size_t i, tw_event_kind kind,
                        double energy);

TW_INLINE int tw_events_has(uint32_t kinds, uint32_t kind)
{
    return (int)(kinds >> kind & 1);
}

/* Of pair k, seen as tw_sim_get_contacts does. */
TW_INLINE tw_event tw_events_contact(const tw_state *state, const tw_schedule *schedule, uint32_t k,
                                     uint32_t kind)
{
    const tw_pair *pair = &schedule->pairs.pair[k];
    const tw_spheres *s = &schedule->spheres;
    const uint32_t p = s->body[pair->p];
    tw_event e = tw_events_at(state, p, kind);
    e.member_p = pair->p - s->first[p];
    e.member_q = pair->q;
    if (tw_pair_is_wall(pair)) return e;
    const uint32_t q = s->body[pair->q], id = state->bodies.id[q];
    const int turned = id < e.body_p;
    const tw_shift shift = turned ? tw_shift_negative(pair->shift) : pair->shift;
    e.body_q = turned ? e.body_p : id;
    e.member_q = turned ? e.member_p : pair->q - s->first[q];
    if (turned) {
        e.body_p = id;
        e.member_p = pair->q - s->first[q];
    }
    e.shift[0] = shift.i;
    e.shift[1] = shift.j;
    e.shift[2] = shift.k;
    return e;
}

/* Likewise, if this kind is recorded; there is room. */
void tw_events_add_contact(tw_events *events, const tw_state *state, const tw_schedule *schedule,
                           size_t k, tw_event_kind kind);

/* Before contacts begin and end, with the list that they have then, and after: by
 * schedule->events, if any. A failure changes nothing. */
tw_status tw_events_watch(const tw_state *state, const tw_schedule *schedule, tw_error *error);
void tw_events_note(const tw_state *state, const tw_schedule *schedule);

#ifdef __cplusplus
}
#endif

#endif
