/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/tiling_slots.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "world/schedule.h"

#define NONE UINT32_MAX

static tw_status no_memory(tw_error *error)
{
    return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for the contact slots");
}

/* Fills the slot of contact k of `from`; `ends` is NULL for a plane. */
static void fill_slot(const tw_model *model, tw_state *state, tw_schedule *schedule,
                      const tw_tile *tile, const tw_tiling_ends *ends, uint32_t slot,
                      const tw_contact_list *from, size_t k)
{
    tw_contacts *c = &state->contacts;
    if (from->memory) tw_bundle_put(c->bundle, slot, &from->memory[k]);
    c->sliding[slot] = from->sliding ? from->sliding[k] : 0;
    if (from->extra) tw_extras_put(&c->extras, slot, &from->extra[k]);
    if (!ends) return;
    tw_pair_law_seat(model, state, schedule, slot);
    schedule->slots.candidate[slot] = TW_NO_PAIR;
    schedule->slots.sphere_p[slot] = ends->p;
    schedule->slots.sphere_q[slot] = ends->q;
    if (schedule->tiles.single) return;
    schedule->slots.body_p[slot] = tw_tile_load_body_slot(schedule, tile, ends->p);
    schedule->slots.body_q[slot] = tw_tile_load_body_slot(schedule, tile, ends->q);
}

/* Sets pairs.slot for the contacts of a tile. `contact` of a pair is its number in `from`, or NONE.
 * Returns 0 if a slot does not exist. */
static int assign_slots(tw_schedule *schedule, tw_tile *tile, const uint32_t *contact,
                        const tw_contact_list *from)
{
    uint32_t next = 0, walls = 0;
    for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
        const int wall = tw_pair_is_plane(&schedule->pairs.pair[k]);
        const uint32_t fixed = tile->wall_slot + walls;
        walls += (uint32_t)wall;
        if (contact[k] == NONE) continue;
        if (wall) {
            schedule->pairs.slot[k] = fixed;
            continue;
        }
        const int given = from->memory && from->slot;
        const uint32_t at = given ? from->slot[contact[k]] : next++;
        if (at >= tile->room) return 0;
        if (at >= tile->slots) tile->slots = at + 1;
        schedule->pairs.slot[k] = tile->slot + at;
    }
    return 1;
}

/* Returns 0 if a slot is assigned twice. */
static int fill_slots(const tw_model *model, tw_state *state, tw_schedule *schedule, tw_tile *tile,
                      const tw_tiling_ends *ends, const uint32_t *contact,
                      const tw_contact_list *from)
{
    for (uint32_t s = 0; s < tw_tile_round_up(tile->slots); s++)
        schedule->slots.pair[tile->slot + s] = TW_NO_PAIR;
    for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
        const uint32_t slot = schedule->pairs.slot[k];
        const int wall = tw_pair_is_plane(&schedule->pairs.pair[k]);
        if (contact[k] == NONE) continue;
        if (!wall && schedule->slots.pair[slot] != TW_NO_PAIR) return 0;
        schedule->slots.pair[slot] = k;
        fill_slot(model, state, schedule, tile, wall ? NULL : &ends[k], slot, from, contact[k]);
    }
    for (uint32_t s = tile->slot; s < tile->slot + tw_tile_round_up(tile->slots); s++) {
        if (schedule->slots.pair[s] == TW_NO_PAIR) tw_tile_load_empty(state, schedule, tile, s);
    }
    return 1;
}

static void exchange_extras(tw_extras *extras, uint32_t a, uint32_t b)
{
    const tw_contact_extra mine = tw_extras_get(extras, a), theirs = tw_extras_get(extras, b);
    tw_extras_put(extras, b, &mine);
    tw_extras_put(extras, a, &theirs);
}

/* Moves the memories from their present slots to the new ones, in place. Each exchange puts one
 * where it belongs. */
static tw_status move_memories(tw_state *state, tw_schedule *schedule,
                               const tw_contact_list *contacts, const uint32_t *pairs,
                               tw_error *error)
{
    tw_bundle *bundle = state->contacts.bundle;
    tw_extras *extras = &state->contacts.extras;
    size_t slots = 0;
    for (size_t k = 0; k < contacts->count; k++) {
        const uint32_t old = contacts->slot[k], new = schedule->pairs.slot[pairs[k]];
        slots = old >= slots ? old + 1 : slots;
        slots = new >= slots ? new + 1 : slots;
    }
    uint32_t *home = tw_arena_take(&schedule->scratch, slots + 1, sizeof *home);
    if (!home) return no_memory(error);
    memset(home, 0xff, (slots + 1) * sizeof *home); /* NONE */
    for (size_t k = 0; k < contacts->count; k++)
        home[contacts->slot[k]] = schedule->pairs.slot[pairs[k]];
    for (uint32_t i = 0; i < slots; i++) {
        while (home[i] != NONE && home[i] != i) {
            const uint32_t to = home[i], other = home[to];
            const tw_contact_memory mine = tw_bundle_get(bundle, i);
            const tw_contact_memory theirs = tw_bundle_get(bundle, to);
            tw_bundle_put(bundle, to, &mine);
            tw_bundle_put(bundle, i, &theirs);
            if (extras->parts) exchange_extras(extras, i, to);
            home[to] = to;
            home[i] = other;
        }
    }
    return TW_STATUS_OK;
}

static tw_status no_such_slot(tw_error *error)
{
    return tw_error_set(error, TW_STATUS_FILE,
                        "contacts/slot: two contacts in one slot, or a slot that does not exist");
}

typedef struct slot_filling {
    const tw_model *model;
    tw_state *state;
    tw_schedule *schedule;
    const tw_tiling_ends *ends;
    const uint32_t *contact;
    const tw_contact_list *contacts;
    atomic_bool bad;
} slot_filling;

static void fill_slots_part(void *context, size_t k)
{
    slot_filling *s = context;
    tw_tile *tile = &s->schedule->tiles.tile[k];
    if (!fill_slots(s->model, s->state, s->schedule, tile, s->ends, s->contact, s->contacts))
        atomic_store(&s->bad, true);
}

tw_status tw_tiling_slots_assign(const tw_model *model, tw_state *state, tw_schedule *schedule,
                                 const tw_tiling_ends *ends, const tw_contact_list *contacts,
                                 const uint32_t *pairs, tw_error *error)
{
    tw_tiles *t = &schedule->tiles;
    uint32_t *contact =
        tw_arena_take(&schedule->scratch, schedule->pairs.count + 1, sizeof *contact);
    if (!contact) return no_memory(error);
    memset(contact, 0xff, (schedule->pairs.count + 1) * sizeof *contact);
    for (size_t k = 0; k < contacts->count; k++)
        contact[pairs[k]] = (uint32_t)k;
    int bad = 0;
    for (size_t k = 0; k < t->count; k++)
        bad += !assign_slots(schedule, &t->tile[k], contact, contacts);
    if (bad > 0) return no_such_slot(error);
    if (contacts->count > 0 && !contacts->memory) {
        const tw_status status = move_memories(state, schedule, contacts, pairs, error);
        if (status != TW_STATUS_OK) return status;
    }
    slot_filling s = {model, state, schedule, ends, contact, contacts, false};
    tw_parallel_run(t->count, fill_slots_part, &s);
    return atomic_load(&s.bad) ? no_such_slot(error) : TW_STATUS_OK;
}

static void list_candidates(const tw_state *state, tw_schedule *schedule, tw_tile *tile,
                            const tw_tiling_ends *ends, const tw_vec3 *centres)
{
    tw_tile_candidate *candidate = schedule->tiles.candidate + tile->candidate;
    uint32_t next[TW_CANDIDATE_RANKS + 1] = {0};
    for (int run = 0; run < 2; run++) { /* counts, then fills */
        for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
            const tw_pair *pair = &schedule->pairs.pair[k];
            if (tw_pairs_touch(&schedule->pairs, k) || tw_pair_is_plane(pair)) continue;
            const int rank = tw_tiling_slots_rank(state, schedule, pair, centres);
            if (run == 0) {
                next[rank + 1]++;
                continue;
            }
            candidate[next[rank]++] = (tw_tile_candidate){ends[k].p, ends[k].q, k};
        }
        for (int rank = 0; rank < TW_CANDIDATE_RANKS && run == 0; rank++)
            next[rank + 1] += next[rank];
    }
    for (int rank = 0; rank < TW_CANDIDATE_RANKS; rank++)
        tile->rank_end[rank] = next[rank];
    tile->candidates = next[TW_CANDIDATE_RANKS - 1];
}

typedef struct candidate_listing {
    const tw_model *model;
    const tw_state *state;
    tw_schedule *schedule;
    const tw_tiling_ends *ends;
    const tw_vec3 *centres;
} candidate_listing;

static void list_part(void *context, size_t k)
{
    const candidate_listing *f = context;
    list_candidates(f->state, f->schedule, &f->schedule->tiles.tile[k], f->ends, f->centres);
    tw_tile_load_own(f->model, f->state, f->schedule, &f->schedule->tiles.tile[k], 0);
}

void tw_tiling_slots_list_candidates(const tw_model *model, const tw_state *state,
                                     tw_schedule *schedule, const tw_tiling_ends *ends,
                                     const tw_vec3 *centres)
{
    candidate_listing f = {model, state, schedule, ends, centres};
    tw_parallel_run(schedule->tiles.count, list_part, &f);
}
