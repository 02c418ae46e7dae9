/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies that come and go between steps: src/sim/sim_bodies.c on a device. Those that leave are
 * marked, and dropped by the sort of the search; those that come are appended before it. What
 * changes with them are short lists, which one thread goes through in the order of the host. A copy
 * of bodies and contacts is kept meanwhile: if the host would refuse the change, or memory runs
 * out, the state is as it was. Includer: a runtime first. */
#ifndef TW_DEVICE_BODIES_H
#define TW_DEVICE_BODIES_H

#include "device/device_exchange.h"
#include "device/device_launch.h"
#include "device/device_measure.h"
#include "device/device_search.h"
#include "device/device_stable.h"
#include "device/device_step.h"
#include "step/kick.h"
#include "step/touch_force.h"
#include "world/events.h"

/* ---- Lists of pairs and bodies ---- */

enum {
    TW_DEVICE_BODIES_ENDED,   /* contacts of bodies that leave */
    TW_DEVICE_BODIES_BEGUN,   /* contacts of bodies that come */
    TW_DEVICE_BODIES_NEW,     /* bodies that come with velocities half a step earlier, */
    TW_DEVICE_BODIES_EARLIER, /* all that have these, */
    TW_DEVICE_BODIES_PRESENT  /* and those with present ones */
};

TW_INLINE int tw_device_bodies_is_in(const tw_state *state, const tw_schedule *schedule,
                                     const tw_device_change *change, uint32_t k)
{
    const tw_bodies *b = &state->bodies;
    const int present = change->what > TW_DEVICE_BODIES_BEGUN && b->flags[k] & TW_BODY_PRESENT;
    if (change->what == TW_DEVICE_BODIES_NEW) return !present && b->id[k] >= change->first;
    if (change->what == TW_DEVICE_BODIES_EARLIER) return tw_kick_is_earlier(b, k);
    if (change->what == TW_DEVICE_BODIES_PRESENT) return present;
    if (!tw_pairs_touch(&schedule->pairs, k)) return 0;
    const tw_pair *pair = &schedule->pairs.pair[k];
    const uint32_t *body = schedule->spheres.body, p = body[pair->p],
                   q = tw_pair_is_wall(pair) ? p : body[pair->q];
    return change->what == TW_DEVICE_BODIES_ENDED
               ? ((b->flags[p] | b->flags[q]) & TW_DEVICE_LEAVES) != 0
               : b->id[p] >= change->first || b->id[q] >= change->first;
}

/* An item, and one more: is it in the list? */
TW_INLINE void tw_device_bodies_mark(const tw_state *state, const tw_schedule *schedule,
                                     tw_device_change *change, uint32_t k)
{
    change->before[k] = k < change->items && tw_device_bodies_is_in(state, schedule, change, k);
}

TW_INLINE void tw_device_bodies_list(tw_device_change *change, uint32_t k)
{
    if (change->before[k + 1] > change->before[k]) change->list[change->before[k]] = k;
}

/* ---- What changes ---- */

/* One item: those who leave take their kinetic energy with them, and hold no velocity. */
TW_INLINE void tw_device_bodies_leave(const tw_model *model, const tw_spheres *spheres,
                                      const tw_device_change *change, tw_state *state, uint32_t i)
{
    for (uint32_t k = 0; k < change->leaving; k++) {
        i = spheres->index_of[change->id[k]];
        tw_kick_account(model, state, i, -1.0);
        state->bodies.flags[i] |= TW_DEVICE_LEAVES | TW_BODY_PRESENT;
    }
}

/* One item: contacts end or begin. */
TW_INLINE void tw_device_bodies_touch(const tw_model *model, const tw_device_change *change,
                                      tw_state *state, tw_schedule *schedule, uint32_t i)
{
    const int ends = change->what == TW_DEVICE_BODIES_ENDED;
    for (uint32_t k = 0; k < change->count; k++) {
        i = change->list[k];
        tw_touch_force_change(model, state, schedule, i, ends ? -1.0 : 1.0, change->first, state);
        if (ends) schedule->pairs.slot[i] = TW_NO_SLOT;
    }
}

/* A body of the list: holds its velocity, or its velocity is converted; its energy. */
TW_INLINE void tw_device_bodies_kick(const tw_model *model, tw_state *state,
                                     tw_device_change *change, uint32_t k)
{
    const uint32_t i = change->list[k];
    if (change->what == TW_DEVICE_BODIES_PRESENT) tw_kick_convert_body(model, state, i);
    change->energy[k] = tw_kick_energy(model, state, i);
    if (change->what == TW_DEVICE_BODIES_EARLIER) tw_kick_hold_velocity(model, state, i);
}

/* One item: their energies. */
TW_INLINE void tw_device_bodies_book(const tw_device_change *change, tw_state *state, uint32_t i)
{
    const double factor = change->what == TW_DEVICE_BODIES_EARLIER ? -1.0 : 1.0;
    for (i = 0; i < change->count; i++)
        tw_kick_book(&state->balance, &change->energy[i], factor);
}

/* An event: of a contact of the list, or of a body. */
TW_INLINE void tw_device_bodies_note(const tw_model *model, const tw_state *state,
                                     const tw_schedule *schedule, tw_device_change *change,
                                     uint32_t k)
{
    if (tw_events_has(TW_EVENTS_CONTACTS, change->kind)) {
        change->event[k] = tw_events_contact(state, schedule, change->list[k], change->kind);
        return;
    }
    const uint32_t id = change->kind == TW_EVENT_BODY_LEFT ? change->id[k] : change->first + k,
                   i = schedule->spheres.index_of[id];
    const tw_move_energy energy = tw_kick_energy(model, state, i);
    change->event[k] = tw_events_body(state, i, change->kind, energy.translation + energy.rotation);
}

/* One item: no motion in the step. */
TW_INLINE void tw_device_bodies_still(tw_state *state, uint32_t i)
{
    for (i = 0; i < state->wall_count; i++)
        state->walls[i].dx = state->walls[i].turn = tw_vec3_make(0.0, 0.0, 0.0);
}

/* A pair with a wall: does a contact begin? As in tw_touch_begin_still. */
TW_INLINE void tw_device_bodies_wall(const tw_model *model, tw_state *state, tw_schedule *schedule,
                                     uint32_t k)
{
    const uint32_t at = schedule->tiles.wall_pair[k],
                   body = schedule->spheres.body[schedule->pairs.pair[at].p];
    const tw_tile *tile = &schedule->tiles.tile[tw_tiles_home(&schedule->tiles, body)];
    tw_touch_wall_start(model, state, schedule, at, tile->wall_slot + (k - tile->wall_pair),
                        tw_tiles_wall_work(&schedule->tiles, k));
}

/* A slot: new contacts are as those of a new list. */
TW_INLINE void tw_device_bodies_seat(const tw_schedule *schedule, const tw_device_list *list,
                                     tw_device_touch *touch, uint32_t slot)
{
    const tw_tile *tile = &schedule->tiles.tile[list->bundle_tile[slot / TW_BUNDLE]];
    if (slot < tile->slot + tile->slots && schedule->slots.pair[slot] != TW_NO_PAIR)
        touch->slot_state[slot] = TW_DEVICE_LANES;
}

/* A pair: would the host refuse it? */
TW_INLINE void tw_device_bodies_check(const tw_model *model, const tw_state *state,
                                      const tw_schedule *schedule, tw_device_run *run, uint32_t k)
{
    if (tw_pairs_touch(&schedule->pairs, k) && tw_touch_force_is_bad(model, state, schedule, k))
        tw_device_atomic_min(&run->bad_pair, k);
}

/* One item: the stable step. dt stays what it was until velocities are held. */
TW_INLINE void tw_device_bodies_choose(const tw_model *model, tw_state *state, tw_device_run *run,
                                       uint32_t i)
{
    const double was = state->dt;
    tw_device_stable_choose(model, state, run, i);
    run->dt_before = state->dt;
    state->dt = was;
}

/* A body: its force and torque, which the next move gathers. Ghosts have none. */
TW_INLINE void tw_device_bodies_load(const tw_bodies *bodies, const tw_tiles *tiles,
                                     tw_device_forces *forces, uint32_t i)
{
    tw_device_rows_put_six(forces->body_load + 6 * (size_t)tw_device_stable_own(tiles, i),
                           bodies->force[i], bodies->torque[i]);
}

/* A contact that is to be restored: its slot, counted from the first one of its tile. */
TW_INLINE void tw_device_bodies_keep(const tw_schedule *schedule, const tw_device_tiling *tiling,
                                     tw_device_search *search, uint32_t k)
{
    const uint32_t pair = tiling->contact[k], slot = schedule->pairs.slot[pair];
    search->contact_pair[k] = schedule->pairs.pair[pair];
    search->contact_slot[k] = search->contact_given[k] = slot;
    if (slot == TW_NO_SLOT) return;
    const uint32_t first = schedule->tiles.tile[tw_device_tiling_tile_of(schedule, pair)].slot;
    search->contact_given[k] = tw_pair_is_wall(&schedule->pairs.pair[pair]) ? 0 : slot - first;
}

TW_DEVICE_TASK(tw_device_bodies_mark, (state, schedule), (change))
TW_DEVICE_TASK(tw_device_bodies_list, (none), (change))
TW_DEVICE_TASK(tw_device_bodies_leave, (model, spheres, change), (state))
TW_DEVICE_TASK(tw_device_bodies_touch, (model, change), (state, schedule))
TW_DEVICE_TASK(tw_device_bodies_kick, (model), (state, change))
TW_DEVICE_TASK(tw_device_bodies_book, (change), (state))
TW_DEVICE_TASK(tw_device_bodies_note, (model, state, schedule), (change))
TW_DEVICE_TASK(tw_device_bodies_still, (none), (state))
TW_DEVICE_TASK(tw_device_bodies_wall, (model), (state, schedule))
TW_DEVICE_TASK(tw_device_bodies_seat, (schedule, list), (touch))
TW_DEVICE_TASK(tw_device_bodies_check, (model, state, schedule), (run))
TW_DEVICE_TASK(tw_device_bodies_choose, (model), (state, run))
TW_DEVICE_TASK(tw_device_bodies_load, (bodies, tiles), (forces))
TW_DEVICE_TASK(tw_device_bodies_keep, (schedule, tiling), (search))

/* ---- The state of before ---- */

typedef struct tw_device_bodies_saved {
    tw_device_world world; /* the numbers */
    uint32_t contacts;
    size_t bytes; /* of the arrays that have been passed */
} tw_device_bodies_saved;

enum { TW_DEVICE_BODIES_COUNT, TW_DEVICE_BODIES_SAVE, TW_DEVICE_BODIES_RESTORE };

static inline void tw_device_bodies_pass(tw_device_instance *d, tw_device_bodies_saved *saved,
                                         int how, void *array, size_t bytes)
{
    char *room = (char *)d->saved + saved->bytes;
    if (how == TW_DEVICE_BODIES_SAVE) tw_device_runtime_copy(&d->runtime, room, array, bytes);
    if (how == TW_DEVICE_BODIES_RESTORE) tw_device_runtime_copy(&d->runtime, array, room, bytes);
    saved->bytes += (bytes + 15) / 16 * 16;
}

/* Counts the bytes of all arrays, or copies them. */
static inline void tw_device_bodies_pass_all(tw_device_instance *d, tw_device_bodies_saved *saved,
                                             int how)
{
    tw_device_world *w = &d->host;
    tw_contacts *c = &w->state.contacts;
    const size_t bodies = saved->world.state.bodies.count, contacts = saved->contacts,
                 slots = saved->world.list.slots, bundles = slots / TW_BUNDLE;
    saved->bytes = 0;
#define TW_DEVICE_BODIES_PASS(array, count)                                                        \
    tw_device_bodies_pass(d, saved, how, array, (count) * sizeof *(array));
#define TW_COLUMN(type, name) TW_DEVICE_BODIES_PASS(w->state.bodies.name, bodies)
#include "world/body_columns.def"
#undef TW_COLUMN
    TW_DEVICE_BODIES_PASS(w->state.walls, w->state.wall_count)
    TW_DEVICE_BODIES_PASS(c->bundle, bundles)
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    if (c->extras.name) TW_DEVICE_BODIES_PASS(c->extras.name, bundles *(count))
#include <twirl/detail/contact_parts.def>
    TW_DEVICE_BODIES_PASS(c->sliding, slots)
    TW_DEVICE_BODIES_PASS(w->search.contact_pair, contacts)
    TW_DEVICE_BODIES_PASS(w->search.contact_slot, contacts)
    TW_DEVICE_BODIES_PASS(w->search.contact_given, contacts)
#undef TW_DEVICE_BODIES_PASS
}

static inline int tw_device_bodies_room(tw_device_instance *d, uint32_t contacts)
{
    tw_device_rooms rooms = {d, 0, 0};
    tw_device_tiling_reserve_memories(&rooms, &d->host);
    tw_device_search_reserve_contacts(&rooms, &d->host, contacts);
    tw_device_search_reserve_given(&rooms, &d->host, contacts);
    return !rooms.failed;
}

/* 0: no memory, and nothing has changed. Forces are in the columns of bodies. */
static inline int tw_device_bodies_save(tw_device_instance *d, tw_device_bodies_saved *saved)
{
    tw_device_memory_pull(d);
    tw_device_memory_scratch_reset(d);
    int ok = tw_device_exchange_find(d, &saved->contacts, NULL) == TW_STATUS_OK &&
             tw_device_bodies_room(d, saved->contacts);
    if (ok) {
        tw_device_memory_push(d);
        tw_device_bodies_keep_each(&d->runtime, d->world, saved->contacts);
        tw_device_memory_pull(d);
        saved->world = d->host;
        tw_device_bodies_pass_all(d, saved, TW_DEVICE_BODIES_COUNT);
        ok = tw_device_memory_reserve_kept(d, &d->saved, "saved", saved->bytes, 0);
    }
    if (ok) tw_device_bodies_pass_all(d, saved, TW_DEVICE_BODIES_SAVE);
    memset(&d->host.tiling, 0, sizeof d->host.tiling);
    tw_device_memory_push(d);
    return ok;
}

/* As it was, without a list: the host fetches it. */
static inline tw_status tw_device_bodies_restore(tw_device_instance *d,
                                                 tw_device_bodies_saved *saved, tw_error *error)
{
    tw_device_world *w = &d->host;
    tw_device_memory_pull(d);
    tw_device_memory_scratch_free(d);
    tw_device_copy_state(&w->state, &saved->world.state);
    w->list.bodies = saved->world.list.bodies;
    w->list.slots = saved->world.list.slots;
    if (!tw_device_bodies_room(d, saved->contacts))
        return tw_device_search_no_memory(error, "contacts", saved->contacts);
    tw_device_bodies_pass_all(d, saved, TW_DEVICE_BODIES_RESTORE);
    w->search.count = saved->contacts;
    w->search.given = 1;
    w->schedule.valid = 0;
    tw_device_memory_push(d);
    return TW_STATUS_OK;
}

/* ---- The change: each returns 0 if it is to be undone ---- */

static inline int tw_device_bodies_find(tw_device_instance *d, uint32_t what, uint32_t items)
{
    tw_device_change *c = &d->host.change;
    const size_t n = (size_t)items + 1;
    uint64_t count = 0;
    tw_device_memory_pull(d);
    c->what = what;
    c->items = items;
    if (!TW_DEVICE_SCRATCH(c->before, n)) return 0;
    tw_device_memory_push(d);
    tw_device_bodies_mark_each(&d->runtime, d->world, items + 1);
    if (tw_device_runtime_scan(&d->runtime, c->before, c->before, n, &count) != TW_STATUS_OK ||
        !TW_DEVICE_SCRATCH(c->list, (size_t)count) || !TW_DEVICE_SCRATCH(c->energy, (size_t)count))
        return 0;
    c->count = (uint32_t)count;
    tw_device_memory_push(d);
    tw_device_bodies_list_each(&d->runtime, d->world, items);
    return 1;
}

static inline int tw_device_bodies_account(tw_device_instance *d, uint32_t what)
{
    if (!tw_device_bodies_find(d, what, d->host.list.bodies)) return 0;
    if (d->host.change.count == 0) return 1;
    tw_device_bodies_kick_each(&d->runtime, d->world, d->host.change.count);
    tw_device_bodies_book_each(&d->runtime, d->world, 1);
    return 1;
}

/* Events, sorted, from number `at` on. */
static inline int tw_device_bodies_tell(tw_device_instance *d, tw_events *events, uint32_t kind,
                                        size_t count, size_t at)
{
    tw_device_change *c = &d->host.change;
    if (count == 0 || !tw_events_has(events->kinds, kind)) return 1;
    tw_device_memory_pull(d);
    c->kind = kind;
    if (tw_events_reserve(events, count, NULL) != TW_STATUS_OK ||
        !TW_DEVICE_SCRATCH(c->event, count))
        return 0;
    tw_device_memory_push(d);
    tw_device_bodies_note_each(&d->runtime, d->world, (uint32_t)count);
    tw_device_runtime_bring(&d->runtime, events->event + at, c->event, count * sizeof *c->event);
    if (tw_device_runtime_wait(&d->runtime, NULL) != TW_STATUS_OK) return 0;
    if (at < events->count) return 1; /* once more */
    events->count += count;
    tw_events_sort(events, at);
    return 1;
}

/* Bodies leave, and their contacts end. */
static inline int tw_device_bodies_part(tw_device_instance *d, const tw_device_bodies *by)
{
    tw_device_change *c = &d->host.change;
    tw_events *events = by->events;
    tw_device_memory_scratch_reset(d);
    c->leaving = (uint32_t)by->leaving;
    c->first = by->first;
    if (by->leaving == 0) return 1;
    if (!TW_DEVICE_SCRATCH(c->id, by->leaving)) return 0;
    tw_device_runtime_send(&d->runtime, c->id, by->gone, by->leaving * sizeof *c->id);
    tw_device_memory_push(d);
    if (!tw_device_bodies_tell(d, events, TW_EVENT_BODY_LEFT, by->leaving, events->count)) return 0;
    tw_device_bodies_leave_each(&d->runtime, d->world, 1);
    if (!tw_device_bodies_find(d, TW_DEVICE_BODIES_ENDED, d->host.list.pairs) ||
        !tw_device_bodies_tell(d, events, TW_EVENT_CONTACT_ENDED, c->count, events->count))
        return 0;
    tw_device_bodies_touch_each(&d->runtime, d->world, 1);
    return 1;
}

/* Bodies come. */
static inline int tw_device_bodies_append(tw_device_instance *d, const tw_bodies *coming)
{
    tw_device_world *w = &d->host;
    tw_device_rooms rooms = {d, 0, 0};
    tw_device_memory_pull(d);
    const size_t n = w->state.bodies.count, all = n + coming->count;
    for (size_t k = 0; k < coming->count; k++)
        w->run.fixed |= (coming->flags[k] & TW_BODY_FIXED) != 0;
    tw_device_exchange_reserve_bodies(&rooms, w, all, n);
    if (rooms.failed) return 0;
#define TW_COLUMN(type, name)                                                                      \
    tw_device_runtime_send(&d->runtime, w->state.bodies.name + n, coming->name,                    \
                           coming->count * sizeof(type));
#include "world/body_columns.def"
#undef TW_COLUMN
    w->state.bodies.count = all;
    w->list.bodies = (uint32_t)all;
    tw_device_runtime_fill(&d->runtime, w->state.bodies.dx, 0, all * sizeof(tw_vec3));
    tw_device_runtime_fill(&d->runtime, w->state.bodies.gibbs, 0, all * sizeof(tw_vec3));
    w->state.cell.h_before = w->state.cell.h;
    w->schedule.tiles.single = 0; /* the search counts the spheres */
    tw_device_memory_push(d);
    tw_device_bodies_still_each(&d->runtime, d->world, 1);
    tw_device_rearrange_check_each(&d->runtime, d->world, (uint32_t)all);
    return tw_device_search_check(d, NULL) == TW_STATUS_OK;
}

/* Contacts begin: those of spheres as in a step. */
static inline int tw_device_bodies_meet(tw_device_instance *d)
{
    tw_device_world *w = &d->host;
    tw_device_runtime *runtime = &d->runtime;
    for (;;) {
        tw_device_memory_pull(d);
        w->run.halt = 0;
        tw_device_memory_push(d);
        tw_device_move_ghost_each(runtime, d->world, w->list.ghosts);
        if (!w->schedule.tiles.single)
            tw_device_move_ghost_sphere_each(runtime, d->world, w->list.ghost_spheres);
        tw_device_candidates_each(runtime, d->world, tw_device_candidates_teams(&w->list));
        tw_device_begin_each(runtime, d->world, w->list.tiles);
        tw_device_memory_pull(d);
        if (!w->run.halt) break;
        tw_device_gather_all(d);
        if (!(w->run.halt & TW_DEVICE_ROOM) || tw_device_room_make(d, NULL) != TW_STATUS_OK)
            return 0;
    }
    tw_device_bodies_wall_each(runtime, d->world, w->list.wall_pairs);
    tw_device_bodies_seat_each(runtime, d->world, w->list.slots);
    if (w->run.event_kinds) tw_device_events_watch_each(runtime, d->world, w->list.pairs);
    return 1;
}

/* Overlaps are allowed, and there is a step; dt then is the old one, and run.dt_before the new. */
static inline int tw_device_bodies_allow(tw_device_instance *d)
{
    tw_device_runtime *runtime = &d->runtime;
    tw_device_bodies_check_each(runtime, d->world, d->host.list.pairs);
    tw_device_stable_begin_each(runtime, d->world, 1);
    tw_device_stable_body_each(runtime, d->world, d->host.list.bodies);
    tw_device_bodies_choose_each(runtime, d->world, 1);
    tw_device_memory_pull(d);
    return !d->host.run.halt && d->host.run.bad_pair == UINT64_MAX;
}

/* Forces, dt, velocities and energies. */
static inline int tw_device_bodies_settle(tw_device_instance *d, const tw_device_bodies *by)
{
    tw_device_world *w = &d->host;
    tw_events *events = by->events;
    const size_t came = events->count;
    tw_device_memory_scratch_reset(d);
    if (!tw_device_bodies_tell(d, events, TW_EVENT_BODY_CAME, by->coming->count, came) ||
        !tw_device_bodies_find(d, TW_DEVICE_BODIES_BEGUN, w->list.pairs) ||
        !tw_device_bodies_tell(d, events, TW_EVENT_CONTACT_BEGAN, w->change.count, events->count))
        return 0;
    tw_device_bodies_touch_each(&d->runtime, d->world, 1);
    if (!tw_device_bodies_account(d, TW_DEVICE_BODIES_NEW) || !tw_device_bodies_allow(d)) return 0;
    const double dt = w->run.dt_before;
    if (w->state.dt != dt && !tw_device_bodies_account(d, TW_DEVICE_BODIES_EARLIER)) return 0;
    tw_device_memory_pull(d);
    w->state.dt = dt;
    tw_device_memory_push(d);
    /* Events of bodies that have come get the energies with which they move. */
    return tw_device_bodies_account(d, TW_DEVICE_BODIES_PRESENT) &&
           tw_device_bodies_tell(d, events, TW_EVENT_BODY_CAME, by->coming->count, came);
}

static inline int tw_device_bodies_change(tw_device_instance *d, const tw_device_bodies *by)
{
    tw_device_world *w = &d->host;
    if (!tw_device_bodies_part(d, by)) return 0;
    tw_device_memory_pull(d);
    tw_device_memory_scratch_reset(d);
    tw_device_tiling_release(d);
    if (tw_device_search_take(d, NULL) != TW_STATUS_OK || !tw_device_bodies_append(d, by->coming) ||
        tw_device_search_renew(d, (uint32_t)by->leaving, NULL) != TW_STATUS_OK ||
        !tw_device_bodies_meet(d) || !tw_device_bodies_settle(d, by))
        return 0;
    tw_device_bodies_load_each(&d->runtime, d->world, w->list.bodies);
    tw_device_stable_kinetic_each(&d->runtime, d->world, w->list.tiles);
    tw_device_stable_kinetic_total_each(&d->runtime, d->world, TW_COMPONENTS);
    tw_device_memory_pull(d);
    memset(&w->change, 0, sizeof w->change);
    w->run.before = w->state.sums.contacts;
    w->measure.density_of = 0;
    tw_servo_forget(&w->servo);
    tw_device_runtime_renew(&d->runtime, 1);
    tw_device_memory_push(d);
    return tw_device_runtime_wait(&d->runtime, NULL) == TW_STATUS_OK;
}

/* The host has the world as it is, and forces are in the columns of bodies. */
static inline tw_status tw_device_bodies_exchange(tw_device_instance *d, const tw_device_bodies *by,
                                                  int *done, tw_error *error)
{
    tw_device_world *w = &d->host;
    tw_device_bodies_saved saved;
    const size_t had = by->events->count;
    tw_status status = TW_STATUS_OK;
    if (!w->schedule.valid || w->schedule.pending ||
        w->state.bodies.count + by->coming->count == by->leaving)
        return TW_STATUS_OK;
    tw_device_stored_renew(d);
    tw_device_memory_pull(d);
    w->run.halt = 0;
    w->run.rigid = 0;
    w->run.bad_pair = w->run.bad_body = UINT64_MAX;
    tw_device_memory_push(d);
    if (tw_device_bodies_save(d, &saved)) {
        *done = tw_device_bodies_change(d, by);
        if (!*done) {
            by->events->count = had;
            status = tw_device_bodies_restore(d, &saved, error);
        }
    }
    tw_device_memory_drop(d, &d->saved);
    return status;
}

#endif
