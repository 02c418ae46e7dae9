/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/contact_list.h"

#include <string.h>

#include "base/buffer.h"

int tw_contact_list_make(tw_contact_list *list, size_t count)
{
    list->count = count;
    return tw_buffer_zeros(&list->pair, count, sizeof *list->pair) &&
           tw_buffer_zeros(&list->memory, count, sizeof *list->memory) &&
           tw_buffer_zeros(&list->slot, count, sizeof *list->slot) &&
           tw_buffer_zeros(&list->drag, count, sizeof *list->drag) &&
           tw_buffer_zeros(&list->sliding, count, sizeof *list->sliding);
}

void tw_contact_list_free(tw_contact_list *list)
{
    tw_buffer_drop(&list->pair);
    tw_buffer_drop(&list->memory);
    tw_buffer_drop(&list->slot);
    tw_buffer_drop(&list->drag);
    tw_buffer_drop(&list->sliding);
    memset(list, 0, sizeof *list);
}

/* First slot of the tile that has the contacts of this sphere as p; 0 without tiles. */
static uint32_t first_slot(const tw_schedule *schedule, uint32_t sphere)
{
    const tw_tiles *t = &schedule->tiles;
    if (t->count == 0) return 0;
    return t->tile[tw_tiles_home(t, schedule->spheres.body[sphere])].slot;
}

/* The slot of pair k as a list has it: counted from the first of its tile. */
static uint32_t slot_in_list(const tw_schedule *schedule, size_t k)
{
    if (!schedule->valid) return 0;
    return schedule->pairs.slot[k] - first_slot(schedule, schedule->pairs.pair[k].p);
}

int tw_contact_list_gather(const tw_state *state, const tw_schedule *schedule, size_t more,
                           tw_contact_list *list)
{
    const tw_pairs *pairs = &schedule->pairs;
    const tw_contacts *c = &state->contacts;
    const size_t count = tw_schedule_contacts(schedule);
    if (!tw_contact_list_make(list, count + more)) return 0;
    list->count = count;
    for (size_t k = 0, at = 0; k < pairs->count; k++) {
        if (!tw_pairs_touch(pairs, k)) continue;
        const uint32_t slot = pairs->slot[k];
        list->pair[at] = pairs->pair[k];
        list->slot[at] = slot_in_list(schedule, k);
        list->memory[at] = tw_bundle_get(c->bundle, slot);
        if (c->viscous) list->drag[at] = tw_bundle_force_get(c->drag, slot);
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
