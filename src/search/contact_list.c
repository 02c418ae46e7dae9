/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/contact_list.h"

#include <string.h>

#include "base/memory.h"

int tw_contact_list_make(tw_contact_list *list, size_t count, uint32_t parts)
{
    list->count = count;
    list->parts = parts;
    if (parts && !tw_buffer_zeros(&list->extra, count, sizeof *list->extra)) return 0;
    return tw_buffer_zeros(&list->pair, count, sizeof *list->pair) &&
           tw_buffer_zeros(&list->memory, count, sizeof *list->memory) &&
           tw_buffer_zeros(&list->slot, count, sizeof *list->slot) &&
           tw_buffer_zeros(&list->sliding, count, sizeof *list->sliding);
}

void tw_contact_list_free(tw_contact_list *list)
{
    tw_buffer_drop(&list->pair);
    tw_buffer_drop(&list->memory);
    tw_buffer_drop(&list->slot);
    tw_buffer_drop(&list->extra);
    tw_buffer_drop(&list->sliding);
    memset(list, 0, sizeof *list);
}

/* The slot of pair k as a list has it, counted from the first of its tile. That of a wall follows
 * from the pairs, and is not kept. */
static uint32_t slot_in_list(const tw_schedule *schedule, size_t k)
{
    const tw_tiles *t = &schedule->tiles;
    const tw_pair *pair = &schedule->pairs.pair[k];
    if (!schedule->valid || tw_pair_is_plane(pair)) return 0;
    if (schedule->deferred) return schedule->pairs.given ? schedule->pairs.given[k] : 0;
    if (t->count == 0) return schedule->pairs.slot[k];
    const tw_tile *tile = &t->tile[tw_tiles_home(t, schedule->spheres.body[pair->p])];
    return schedule->pairs.slot[k] - tile->slot;
}

int tw_contact_list_gather(const tw_state *state, const tw_schedule *schedule, size_t more,
                           uint32_t parts, tw_contact_list *list)
{
    const tw_pairs *pairs = &schedule->pairs;
    const tw_contacts *c = &state->contacts;
    const size_t count = tw_schedule_contacts(schedule);
    if (!tw_contact_list_make(list, count + more, parts | c->extras.parts)) return 0;
    list->count = count;
    for (size_t k = 0, at = 0; k < pairs->count; k++) {
        if (!tw_pairs_touch(pairs, k)) continue;
        const uint32_t slot = pairs->slot[k];
        list->pair[at] = pairs->pair[k];
        list->slot[at] = slot_in_list(schedule, k);
        list->memory[at] = tw_bundle_get(c->bundle, slot);
        if (list->extra) list->extra[at] = tw_extras_get(&c->extras, slot);
        list->sliding[at++] = c->sliding[slot];
    }
    return 1;
}

int tw_contact_list_holds(const tw_contact_list *list, const tw_schedule *schedule)
{
    const tw_pairs *pairs = &schedule->pairs;
    size_t at = 0;
    for (size_t k = 0; k < pairs->count; k++) {
        if (!tw_pairs_touch(pairs, k)) continue;
        if (at == list->count || list->slot[at] != slot_in_list(schedule, k) ||
            memcmp(&list->pair[at], &pairs->pair[k], sizeof *pairs->pair) != 0)
            return 0;
        at++;
    }
    return at == list->count;
}
