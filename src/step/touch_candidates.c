/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/touch_candidates.h"

#include "search/search.h"
#include "step/touch_begin.h"
#include "step/touch_near.h"

static uint32_t (*const near[])(const tw_tiles *tiles, uint32_t begin, uint32_t end,
                                uint32_t *hits) = {TW_SIMD_EACH(tw_touch_near)};

static void make_contact(const tw_model *model, tw_state *state, tw_schedule *schedule,
                         tw_tile *tile, uint32_t candidate)
{
    tw_tile_candidate *s = &schedule->tiles.candidate[candidate];
    const uint32_t slot = tw_touch_begin_contact(model, state, schedule, tile, s->pair, s->p, s->q);
    schedule->slots.candidate[slot] = candidate;
    s->p = tile->sphere_slot + tile->sphere_slots - 2; /* the idle ones do not touch */
    s->q = s->p + 1;
}

/* By pair, so that slots depend on the state alone. They are nearly in order already. */
static void sort_by_pair(uint32_t *hits, uint32_t count, const tw_tile_candidate *candidate)
{
    for (uint32_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (uint32_t i = gap; i < count; i++) {
            const uint32_t one = hits[i];
            uint32_t at = i;
            for (; at >= gap && candidate[hits[at - gap]].pair > candidate[one].pair; at -= gap)
                hits[at] = hits[at - gap];
            hits[at] = one;
        }
    }
}

void tw_touch_candidates_begin(const tw_model *model, tw_state *state, tw_schedule *schedule,
                               tw_tile *tile)
{
    const tw_tiles *t = &schedule->tiles;
    uint32_t *hits = t->hit + tile->candidate;
    const double approach = tw_travel_approach(schedule, state->skin, tile->own, tile->others);
    const double rank = floor(approach / state->skin * (1.0 + 1e-9) * TW_CANDIDATE_RANKS);
    const uint32_t last = TW_CANDIDATE_RANKS - 1, first = tile->candidate;
    const uint32_t listed = tile->rank_end[rank < last ? (uint32_t)rank : last];
    uint32_t count = near[tw_simd_level()](t, first, first + listed, hits);
    count += near[tw_simd_level()](t, first + tile->rank_end[last], first + tile->candidates,
                                   hits + count);
    if (count > 1) sort_by_pair(hits, count, t->candidate);
    for (uint32_t k = 0; k < count; k++)
        make_contact(model, state, schedule, tile, hits[k]);
}

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
