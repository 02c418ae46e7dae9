/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts that are advanced one by one. */
#include "step/touch.h"

#include "base/parallel.h"
#include "world/schedule.h"

void tw_touch_candidates_end(tw_state *state, tw_schedule *schedule, tw_tile *tile, uint32_t slot)
{
    const uint32_t k = schedule->slots.pair[slot];
    uint32_t at = schedule->slots.candidate[slot];
    if (at == TW_NO_PAIR) at = tile->candidate + tile->candidates++;
    schedule->tiles.candidate[at] =
        (tw_tile_candidate){schedule->slots.sphere_p[slot], schedule->slots.sphere_q[slot], k};
    schedule->pairs.slot[k] = TW_NO_SLOT;
    tw_tile_load_empty(state, schedule, tile, slot);
    if (slot - tile->slot < tile->empty) tile->empty = slot - tile->slot;
}

/* Adds a contact to the sums, and checks its overlap against the allowed one. */
static void count_single(tw_touch_context *touch, uint32_t slot, const tw_contact_load *load,
                         double allowed, double zeta, double *sum)
{
    tw_contacts *c = &touch->state->contacts;
    const tw_contact_lost lost = tw_contact_lost_of(load);
    for (int k = 0; k < TW_CONTACT_LOST_KINDS; k++)
        sum[TW_TOUCH_LOST + k] += lost.by[k];
    if (!load->touching) return;
    c->sliding[slot] = (uint8_t)load->sliding;
    if (tw_touch_one_is_bad(load, zeta, allowed))
        tw_parallel_note_first(&touch->bad, touch->schedule->slots.pair[slot]);
    sum[TW_TOUCH_CONTACTS] += 1.0;
    sum[TW_TOUCH_SLIDING] += load->sliding;
}

void tw_touch_single_add(tw_touch_context *touch, uint32_t slot, const tw_touch_one *one,
                         double allowed, double *sum)
{
    const tw_schedule *schedule = touch->schedule;
    const tw_contact_load *load = &one->load;
    count_single(touch, slot, load, allowed, one->memory.zeta, sum);
    if (!load->touching) return;
    const tw_contact_law law = tw_pair_law(touch->model, touch->state, schedule,
                                           &schedule->pairs.pair[schedule->slots.pair[slot]]);
    const tw_contact_stored stored = tw_contact_stored_of(&law, &one->memory, &one->extra);
    for (int k = 0; k < TW_CONTACT_STORED_KINDS; k++)
        sum[TW_TOUCH_STORED + k] += stored.of[k];
}

int tw_touch_single_advance(tw_touch_context *touch, tw_tile *tile, uint32_t slot,
                            const tw_touch_carried *by, tw_contact_memory *memory, double *sum)
{
    tw_state *state = touch->state;
    tw_schedule *schedule = touch->schedule;
    tw_touch_one one = {.memory = tw_bundle_get(state->contacts.bundle, slot)};
    tw_touch_one_plain(state, schedule, touch->rigid_turn, slot, touch->model->laws, by, &one);
    count_single(touch, slot, &one.load,
                 tw_touch_one_allowed(&schedule->tiles, &schedule->slots, slot), one.memory.zeta,
                 sum);
    *memory = one.memory;
    if (one.load.touching) return 1;
    tw_touch_candidates_end(state, schedule, tile, slot);
    *memory = tw_bundle_get(state->contacts.bundle, slot);
    return 0;
}
