/* SPDX-License-Identifier: BSD-3-Clause */
/* Contact slots of the tiles, as in search/tiling.c. */
#ifndef TW_DEVICE_TILING_SLOTS_H
#define TW_DEVICE_TILING_SLOTS_H

#include "device/device_bits.h"
#include "device/device_tiling_ghosts.h"
#include "world/schedule.h"

/* A bundle of contact slots: its tile. */
TW_INLINE void tw_device_tiling_bundle(tw_device_world *w, uint32_t bundle)
{
    uint32_t low = 0, high = w->tiles; /* the last tile whose first bundle is not beyond this one */
    while (high - low > 1) {
        const uint32_t mid = low + (high - low) / 2;
        if (w->schedule.tiles.tile[mid].slot <= TW_BUNDLE * bundle)
            low = mid;
        else
            high = mid;
    }
    w->bundle_tile[bundle] = low;
}

/* A contact: its number goes to the pair. */
TW_INLINE void tw_device_tiling_contact(tw_device_world *w, uint32_t k)
{
    w->schedule.pairs.slot[w->search.contact_target[k]] = k;
}

/* A pair, and one more: is it a contact of spheres? */
TW_INLINE void tw_device_tiling_touch(tw_device_world *w, uint32_t k)
{
    const tw_pairs *p = &w->schedule.pairs;
    w->tiling.touch_before[k] =
        k < w->pairs && p->slot[k] != TW_DEVICE_NONE && !tw_pair_is_plane(&p->pair[k]);
}

/* A contact: slots in use of its tile. */
TW_INLINE void tw_device_tiling_use(tw_device_world *w, uint32_t k)
{
    const uint32_t pair = w->search.contact_target[k], t = tw_device_tiling_tile_of(w, pair);
    tw_tile *tile = &w->schedule.tiles.tile[t];
    if (tw_pair_is_plane(&w->schedule.pairs.pair[pair])) return;
    tw_device_atomic_add(&w->tile[t].contacts, 1);
    if (w->search.given)
        tw_device_atomic_max_index(&tile->slots, w->search.contact_given[k] + 1);
    else
        tw_device_atomic_add(&tile->slots, 1);
}

/* A pair: `pairs.slot` has the number of its contact, and gets the slot. */
TW_INLINE void tw_device_tiling_assign(tw_device_world *w, uint32_t k)
{
    tw_schedule *s = &w->schedule;
    const uint32_t contact = s->pairs.slot[k];
    const uint32_t t = tw_device_tiling_tile_of(w, k);
    tw_tile *tile = &s->tiles.tile[t];
    if (contact == TW_DEVICE_NONE) return;
    if (tw_pair_is_plane(&s->pairs.pair[k])) {
        const uint32_t slot = tile->wall_slot + w->ends[k].p;
        s->pairs.slot[k] = slot;
        s->slots.pair[slot] = k;
        return;
    }
    const uint32_t at = w->search.given
                            ? w->search.contact_given[contact]
                            : w->tiling.touch_before[k] - w->tiling.touch_before[tile->pair];
    const uint32_t slot = tile->slot + at;
    s->pairs.slot[k] = slot;
    s->slots.pair[slot] = k;
    w->rank[k] = TW_DEVICE_RANK_NONE;
}

/* ---- Moving memories to their new slots ---- */

/* Numbers of a contact that are moved at a time, by way of `load`, which no one needs now. */
enum { TW_DEVICE_TILING_WIDTH = 6 };

/* Where number `part` of the memory and the extras in a slot is; NULL: there are fewer. */
TW_INLINE double *tw_device_tiling_number(tw_device_world *w, uint32_t slot, uint32_t part)
{
    tw_contacts *c = &w->state.contacts;
    tw_bundle *b = &c->bundle[slot / TW_BUNDLE];
    const uint32_t l = slot % TW_BUNDLE;
    if (part < 3) return &b->n[part][l];
    if (part == 3) return &b->zeta[l];
    if (part < 7) return &b->ft[part - 4][l];
    part -= 7;
#define TW_EXTRA_VECTOR(bit, name)                                                                 \
    if (c->extras.name) {                                                                          \
        if (part < 3) return &c->extras.name[slot / TW_BUNDLE].f[part][l];                         \
        part -= 3;                                                                                 \
    }
#define TW_EXTRA_NUMBER(bit, name)                                                                 \
    if (c->extras.name) {                                                                          \
        if (part == 0) return &c->extras.name[slot / TW_BUNDLE].x[l];                              \
        part--;                                                                                    \
    }
#include "world/extra_parts.def"
#undef TW_EXTRA_VECTOR
#undef TW_EXTRA_NUMBER
    return NULL;
}

/* A contact: some of its numbers are taken from where they are ... */
TW_INLINE void tw_device_tiling_take(tw_device_world *w, uint32_t k)
{
    const uint32_t slot = w->search.contact_slot[k];
    for (uint32_t j = 0; j < TW_DEVICE_TILING_WIDTH; j++) {
        const double *from =
            tw_device_tiling_number(w, slot, TW_DEVICE_TILING_WIDTH * w->tiling.pass + j);
        if (from) w->load[6 * (size_t)k + (size_t)j] = *from;
    }
    if (w->tiling.pass == 0) w->slot_state[k] = w->state.contacts.sliding[slot];
}

/* ... and, when all have been, put to where they belong. */
TW_INLINE void tw_device_tiling_put(tw_device_world *w, uint32_t k)
{
    const uint32_t slot = w->schedule.pairs.slot[w->search.contact_target[k]];
    for (uint32_t j = 0; j < TW_DEVICE_TILING_WIDTH; j++) {
        double *to = tw_device_tiling_number(w, slot, TW_DEVICE_TILING_WIDTH * w->tiling.pass + j);
        if (to) *to = w->load[6 * (size_t)k + (size_t)j];
    }
    if (w->tiling.pass > 0) return;
    /* What slid is not known after a search; but that it is likely to slide again. */
    w->state.contacts.sliding[slot] = w->search.given ? w->slot_state[k] : 0;
    if (!w->slot_state[k] || tw_pair_is_plane(&w->search.contact_pair[k])) return;
    tw_device_bits_set(w->sliders[0], slot); /* in a step one is read, before it the other */
    tw_device_bits_set(w->sliders[1], slot);
}

TW_INLINE void tw_device_tiling_next(tw_device_world *w, uint32_t i)
{
    (void)i;
    w->tiling.pass++;
}

/* A contact slot: what belongs to its contact, or nothing. */
TW_INLINE void tw_device_tiling_fill(tw_device_world *w, uint32_t slot)
{
    tw_schedule *s = &w->schedule;
    const tw_tile *tile = &s->tiles.tile[w->bundle_tile[slot / TW_BUNDLE]];
    const uint32_t pair = s->slots.pair[slot];
    w->slot_state[slot] = TW_DEVICE_EMPTY;
    if (pair == TW_NO_PAIR) {
        tw_tile_load_empty(&w->state, s, tile, slot);
        return;
    }
    if (slot >= tile->wall_slot) { /* of a wall: refers to no sphere slots */
        s->slots.sphere_p[slot] = s->slots.sphere_q[slot] = 0;
        if (!s->tiles.single) s->slots.body_p[slot] = s->slots.body_q[slot] = 0;
        return;
    }
    w->slot_state[slot] = TW_DEVICE_LANES;
    tw_pair_law_seat(&w->model, &w->state, s, slot);
    s->slots.sphere_p[slot] = w->ends[pair].p;
    s->slots.sphere_q[slot] = w->ends[pair].q;
    if (s->tiles.single) return;
    s->slots.body_p[slot] = tw_tile_load_body_slot(s, tile, w->ends[pair].p);
    s->slots.body_q[slot] = tw_tile_load_body_slot(s, tile, w->ends[pair].q);
}

#endif
