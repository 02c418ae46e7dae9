/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over the contacts of spheres of a tile: work lost, in lanes and one by one, and numbers.
 * Contacts that have parted are removed afterwards.
 *
 * By one exact linear law only those that slid or were advanced one by one have lost anything: a
 * bit by contact slot says which. A sum that starts at +0 is never -0, so terms of 0 change no bit
 * of it, and are left out. */
#ifndef TW_DEVICE_SUMS_CONTACTS_H
#define TW_DEVICE_SUMS_CONTACTS_H

#include "base/sum_lanes.h"
#include "device/device_bits.h"
#include "device/device_world.h"
#include "world/tile_load.h"

/* Numbers are loaded in batches before they are added, so that the loads overlap. */
enum {
    TW_DEVICE_SUMS_CONTACTS_BATCH = 16,
    TW_DEVICE_SUMS_CONTACTS_FEW = 8,   /* of those by bits */
    TW_DEVICE_SUMS_CONTACTS_WORDS = 16 /* of bits, at a time */
};

/* What contacts of a lane have lost, or those that were advanced one by one, and their number. */
typedef struct tw_device_sums_contacts {
    double lost[TW_DEVICE_LOSSES];
    uint32_t sliding;
} tw_device_sums_contacts;

/* Whether only contacts with bits have lost something. */
TW_INLINE int tw_device_sums_contacts_sparse(const tw_device_world *w)
{
    return w->run.plain && w->model.laws->kind == TW_CONTACT_EXACT;
}

/* ---- Lanes ---- */

/* Those that slid: adds to their loss and number. */
TW_INLINE void tw_device_sums_contacts_slid(const tw_device_world *w, uint32_t first, uint32_t end,
                                            uint32_t lane, tw_device_sums_contacts *sum)
{
    const double *lost = w->lost[TW_DEVICE_FRICTION];
    for (uint32_t at = first / 32; 32 * at < end; at += TW_DEVICE_SUMS_CONTACTS_WORDS) {
        uint64_t left = 0; /* a bit for each of the slots of this lane in the words */
        for (uint32_t j = 0; j < TW_DEVICE_SUMS_CONTACTS_WORDS; j++) {
            const uint32_t word = tw_device_bits_word(w->slid, at + j, first, end);
            /* Every eighth bit, put side by side. */
            const uint32_t four = ((word >> lane & 0x01010101u) * 0x01020408u) >> 24 & 15u;
            left |= (uint64_t)four << 4 * j;
        }
        while (left) {
            double v[TW_DEVICE_SUMS_CONTACTS_FEW];
            for (uint32_t j = 0; j < TW_DEVICE_SUMS_CONTACTS_FEW; j++) {
                const int some = left != 0;
                const uint32_t k = some ? tw_device_bits_lowest(left) : 0;
                v[j] = some ? lost[32 * at + TW_SUM_LANES * k + lane] : 0.0;
                sum->sliding += some ? 1 : 0;
                left &= left - 1;
            }
            for (uint32_t j = 0; j < TW_DEVICE_SUMS_CONTACTS_FEW; j++)
                sum->lost[TW_DEVICE_FRICTION] += v[j];
        }
    }
}

/* All contacts that stuck or slid. */
TW_INLINE void tw_device_sums_contacts_all(const tw_device_world *w, uint32_t first, uint32_t end,
                                           uint32_t lane, tw_device_sums_contacts *sum)
{
    enum { BATCH = TW_DEVICE_SUMS_CONTACTS_BATCH };
    for (uint32_t at = first + lane; at < end; at += BATCH * TW_SUM_LANES) {
        int some[BATCH];
        for (uint32_t j = 0; j < BATCH; j++) {
            const uint32_t slot = at + j * TW_SUM_LANES;
            some[j] = slot < end && w->how[slot] == TW_DEVICE_LANES;
            sum->sliding += some[j] && w->state.contacts.sliding[slot] ? 1 : 0;
        }
        for (int k = 0; k < TW_DEVICE_LOSSES; k++) {
            double v[BATCH];
            if (!w->lost[k]) continue;
            for (uint32_t j = 0; j < BATCH; j++)
                v[j] = some[j] ? w->lost[k][at + j * TW_SUM_LANES] : 0.0;
            for (uint32_t j = 0; j < BATCH; j++)
                sum->lost[k] += v[j];
        }
    }
}

TW_INLINE tw_device_sums_contacts tw_device_sums_contacts_lane(const tw_device_world *w,
                                                               uint32_t number, uint32_t lane)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const uint32_t first = tile->slot, end = first + tile->slots;
    tw_device_sums_contacts sum;
    memset(&sum, 0, sizeof sum);
    if (tw_device_sums_contacts_sparse(w))
        tw_device_sums_contacts_slid(w, first, end, lane, &sum);
    else
        tw_device_sums_contacts_all(w, first, end, lane, &sum);
    return sum;
}

/* ---- Those that were advanced one by one ---- */

/* In the order of slots. Contacts that have parted do not count any more. */
TW_INLINE tw_device_sums_contacts tw_device_sums_contacts_singly(tw_device_world *w,
                                                                 uint32_t number)
{
    enum { WORDS = TW_DEVICE_SUMS_CONTACTS_WORDS };
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const uint32_t first = tile->slot, end = first + tile->slots;
    tw_device_sums_contacts sum;
    uint32_t singles = 0;
    memset(&sum, 0, sizeof sum);
    for (uint32_t at = first / 32; 32 * at < end; at += WORDS) {
        uint32_t any = 0;
        for (uint32_t j = 0; j < WORDS; j++)
            any |= tw_device_bits_word(w->single, at + j, first, end);
        for (uint32_t j = 0; any && j < WORDS; j++) {
            uint32_t word = tw_device_bits_word(w->single, at + j, first, end);
            for (; word; word &= word - 1, singles++) {
                const uint32_t slot = 32 * (at + j) + tw_device_bits_lowest(word);
                for (int k = 0; k < TW_DEVICE_LOSSES; k++)
                    if (w->lost[k]) sum.lost[k] += w->lost[k][slot];
                sum.sliding +=
                    w->how[slot] == TW_DEVICE_SINGLE && w->state.contacts.sliding[slot] ? 1 : 0;
            }
        }
    }
    /* Without friction all the others slide; no bit says so. */
    if (tw_device_sums_contacts_sparse(w) && !(w->model.laws->mu > 0.0))
        sum.sliding += w->tile[number].contacts - singles;
    w->tile[number].contacts -= w->tile[number].ended;
    return sum;
}

/* ---- Those of walls ---- */

/* Adds their loss, one by one. */
TW_INLINE double tw_device_sums_contacts_add_walls(const tw_device_world *w, uint32_t number,
                                                   uint32_t k, double sum)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    for (uint32_t slot = tile->wall_slot; slot < tile->wall_slot + tile->walls; slot++)
        if (w->how[slot] != TW_DEVICE_EMPTY) sum += w->lost[k][slot];
    return sum;
}

/* How many touch, or of these how many slide. */
TW_INLINE uint32_t tw_device_sums_contacts_walls(const tw_device_world *w, uint32_t number,
                                                 int slides)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    uint32_t count = 0;
    for (uint32_t slot = tile->wall_slot; slot < tile->wall_slot + tile->walls; slot++)
        count +=
            w->how[slot] == TW_DEVICE_SINGLE && (!slides || w->state.contacts.sliding[slot] != 0);
    return count;
}

/* ---- Removal ---- */

/* Empties the slots of contacts that have parted. Their pairs are looked at in every step from now
 * on. */
TW_INLINE void tw_device_sums_contacts_remove(tw_device_world *w, uint32_t number)
{
    tw_tile *tile = &w->schedule.tiles.tile[number];
    for (uint32_t k = 0; k < w->tile[number].ended; k++) {
        const uint32_t slot = w->ended[tile->slot + k], pair = w->schedule.slots.pair[slot];
        w->changed[w->schedule.slots.body_p[slot]] = 1;
        w->changed[w->schedule.slots.body_q[slot]] = 1;
        w->schedule.pairs.slot[pair] = TW_NO_SLOT;
        w->rank[pair] = 0;
        tw_tile_load_empty(&w->state, &w->schedule, tile, slot);
        w->how[slot] = TW_DEVICE_EMPTY;
        if (slot - tile->slot < tile->empty) tile->empty = slot - tile->slot;
    }
    w->tile[number].ended = 0;
}

/* Clears the bits, before contacts are advanced. */
TW_INLINE void tw_device_sums_contacts_reset(tw_device_world *w, uint32_t i, uint32_t items)
{
    const uint32_t words = tw_device_bits_words(w->slots);
    for (uint32_t k = i; k < words; k += items)
        w->slid[k] = w->single[k] = 0;
}

#endif
