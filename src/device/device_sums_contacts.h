/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over the contacts of spheres of a tile: work lost, in lanes and one by one, and numbers.
 * Contacts that have parted are removed afterwards.
 *
 * By one exact linear law only those that slid or were advanced one by one have lost anything: a
 * bit by contact slot says which. A sum that starts at +0 is never -0, so terms of 0 change no bit
 * of it, and are left out. */
#ifndef TW_DEVICE_SUMS_CONTACTS_H
#define TW_DEVICE_SUMS_CONTACTS_H

#include "base/sum.h"
#include "device/device_atomic.h"
#include "device/device_bits.h"
#include "device/device_world.h"
#include "world/schedule.h"

/* Numbers are loaded in batches before they are added, so that the loads overlap. */
enum {
    TW_DEVICE_SUMS_CONTACTS_BATCH = 16,
    TW_DEVICE_SUMS_CONTACTS_WORDS = 16 /* of bits, at a time */
};

/* What contacts of a lane have lost, or those that were advanced one by one, and their number. */
typedef struct tw_device_sums_contacts {
    double lost[TW_DEVICE_LOSSES];
    uint32_t sliding;
} tw_device_sums_contacts;

/* ---- Lanes ---- */

/* All contacts that stuck or slid. */
TW_INLINE void tw_device_sums_contacts_all(const tw_device_world *w, uint32_t first, uint32_t end,
                                           uint32_t lane, tw_device_sums_contacts *sum)
{
    enum { BATCH = TW_DEVICE_SUMS_CONTACTS_BATCH };
    for (uint32_t at = first + lane; at < end; at += BATCH * TW_SUM_LANES) {
        int some[BATCH];
        for (uint32_t j = 0; j < BATCH; j++) {
            const uint32_t slot = at + j * TW_SUM_LANES;
            some[j] = slot < end && w->slot_state[slot] == TW_DEVICE_LANES;
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
    memset(&sum, 0, sizeof sum);
    for (uint32_t at = first / 32; 32 * at < end; at += WORDS) {
        uint32_t any = 0;
        for (uint32_t j = 0; j < WORDS; j++)
            any |= tw_device_bits_word(w->single, at + j, first, end);
        for (uint32_t j = 0; any && j < WORDS; j++) {
            uint32_t word = tw_device_bits_word(w->single, at + j, first, end);
            for (; word; word &= word - 1) {
                const uint32_t slot = 32 * (at + j) + tw_device_bits_lowest(word);
                for (int k = 0; k < TW_DEVICE_LOSSES; k++)
                    if (w->lost[k]) sum.lost[k] += w->lost[k][slot];
                sum.sliding +=
                    w->slot_state[slot] == TW_DEVICE_SINGLE && w->state.contacts.sliding[slot] ? 1
                                                                                               : 0;
            }
        }
    }
    w->tile[number].contacts -= w->tile[number].ended;
    return sum;
}

/* ---- The few that have lost something, by a team of threads ---- */

/* Words of bits at a time: their losses are put into memory that the threads share, then added. */
enum {
    TW_DEVICE_SUMS_CONTACTS_THREADS = 128,
    TW_DEVICE_SUMS_CONTACTS_CHUNK = 32 /* words */
};

typedef struct tw_device_sums_contacts_work {
    double lost[32 * TW_DEVICE_SUMS_CONTACTS_CHUNK];
    uint32_t slid[TW_DEVICE_SUMS_CONTACTS_CHUNK], single[TW_DEVICE_SUMS_CONTACTS_CHUNK];
    uint8_t slides[32 * TW_DEVICE_SUMS_CONTACTS_CHUNK]; /* of those advanced one by one */
    double lane[TW_SUM_LANES], alone;                   /* sums */
    uint32_t sliding[TW_SUM_LANES], alone_sliding, singles;
} tw_device_sums_contacts_work;

TW_INLINE uint32_t tw_device_sums_contacts_chunks(const tw_tile *tile)
{
    const uint32_t words = tile->slots > 0 ? (tile->slot + tile->slots - 1) / 32 + 1 : 0;
    const uint32_t first = tile->slot / 32;
    return words > first ? (words - first - 1) / TW_DEVICE_SUMS_CONTACTS_CHUNK + 1 : 1;
}

/* Losses of a chunk that begins with word `at`. */
TW_INLINE void tw_device_sums_contacts_load(const tw_device_world *w,
                                            tw_device_sums_contacts_work *work, const tw_tile *tile,
                                            uint32_t at, uint32_t thread)
{
    enum {
        THREADS = TW_DEVICE_SUMS_CONTACTS_THREADS,
        EACH = 32 * TW_DEVICE_SUMS_CONTACTS_CHUNK / THREADS
    };
    const uint32_t first = tile->slot, end = first + tile->slots, bit = thread % 32;
    const double *lost = w->lost[TW_DEVICE_FRICTION];
    uint32_t slid[EACH], single[EACH];
    double v[EACH];
    for (uint32_t j = 0; j < EACH; j++) {
        const uint32_t word = at + (j * THREADS + thread) / 32;
        slid[j] = tw_device_bits_word(w->slid, word, first, end);
        single[j] = tw_device_bits_word(w->single, word, first, end);
    }
    for (uint32_t j = 0; j < EACH; j++)
        v[j] = (slid[j] | single[j]) >> bit & 1 ? lost[32 * at + j * THREADS + thread] : 0.0;
    for (uint32_t j = 0; j < EACH; j++) {
        const uint32_t k = j * THREADS + thread, slot = 32 * at + k;
        work->lost[k] = v[j];
        if (bit == 0) {
            work->slid[k / 32] = slid[j];
            work->single[k / 32] = single[j];
        }
        if (single[j] >> bit & 1)
            work->slides[k] =
                w->slot_state[slot] == TW_DEVICE_SINGLE && w->state.contacts.sliding[slot] != 0;
    }
}

/* Those that slid, of a lane. */
TW_INLINE void tw_device_sums_contacts_add_lane(tw_device_sums_contacts_work *work, uint32_t lane)
{
    double sum = work->lane[lane];
    uint32_t count = work->sliding[lane];
    for (uint32_t j = 0; j < TW_DEVICE_SUMS_CONTACTS_CHUNK; j++)
        for (uint32_t left = work->slid[j] & 0x01010101u << lane; left; left &= left - 1, count++)
            sum += work->lost[32 * j + tw_device_bits_lowest(left)];
    work->lane[lane] = sum;
    work->sliding[lane] = count;
}

/* Those that were advanced one by one. */
TW_INLINE void tw_device_sums_contacts_add_single(tw_device_sums_contacts_work *work)
{
    for (uint32_t j = 0; j < TW_DEVICE_SUMS_CONTACTS_CHUNK; j++) {
        for (uint32_t left = work->single[j]; left; left &= left - 1) {
            const uint32_t k = 32 * j + tw_device_bits_lowest(left);
            work->alone += work->lost[k];
            work->alone_sliding += work->slides[k];
            work->singles++;
        }
    }
}

/* Two stages for each chunk: losses are read, and added. */
TW_INLINE void tw_device_sums_contacts_team(tw_device_world *w, tw_device_sums_contacts_work *work,
                                            uint32_t number, uint32_t stage, uint32_t thread)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const uint32_t at = tile->slot / 32 + stage / 2 * TW_DEVICE_SUMS_CONTACTS_CHUNK;
    if (stage % 2 == 0) {
        tw_device_sums_contacts_load(w, work, tile, at, thread);
        if (stage > 0) return;
        if (thread < TW_SUM_LANES) {
            work->lane[thread] = 0.0;
            work->sliding[thread] = 0;
        }
        if (thread == 0) {
            work->alone = 0.0;
            work->alone_sliding = work->singles = 0;
        }
    } else if (thread < TW_SUM_LANES) {
        tw_device_sums_contacts_add_lane(work, thread);
    } else if (thread == 32) { /* of another warp */
        tw_device_sums_contacts_add_single(work);
    }
}

/* ---- Those of walls ---- */

/* Adds their loss, one by one. */
TW_INLINE double tw_device_sums_contacts_add_walls(const tw_device_world *w, uint32_t number,
                                                   uint32_t k, double sum)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    for (uint32_t slot = tile->wall_slot; slot < tile->wall_slot + tile->walls; slot++)
        if (w->slot_state[slot] != TW_DEVICE_EMPTY) sum += w->lost[k][slot];
    return sum;
}

/* How many touch, or of these how many slide. */
TW_INLINE uint32_t tw_device_sums_contacts_walls(const tw_device_world *w, uint32_t number,
                                                 int slides)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    uint32_t count = 0;
    for (uint32_t slot = tile->wall_slot; slot < tile->wall_slot + tile->walls; slot++)
        count += w->slot_state[slot] == TW_DEVICE_SINGLE &&
                 (!slides || w->state.contacts.sliding[slot] != 0);
    return count;
}

/* ---- Removal ---- */

/* Empties the slot of a contact that has parted. Its pair is looked at in every step from now on.
 */
TW_MATH_CALL void tw_device_sums_contacts_empty(tw_device_world *w, uint32_t number, uint32_t slot)
{
    tw_tile *tile = &w->schedule.tiles.tile[number];
    const uint32_t pair = w->schedule.slots.pair[slot], p = w->schedule.slots.body_p[slot],
                   q = w->schedule.slots.body_q[slot];
    w->changed[p] = 1;
    w->changed[q] = 1;
    w->schedule.pairs.slot[pair] = TW_NO_SLOT;
    w->rank[pair] = 0;
    tw_tile_load_empty(&w->state, &w->schedule, tile, slot);
    w->slot_state[slot] = TW_DEVICE_EMPTY;
    tw_device_atomic_min_index(&tile->empty, slot - tile->slot);
}

/* Those of a tile. */
TW_INLINE void tw_device_sums_contacts_remove(tw_device_world *w, uint32_t number)
{
    const uint32_t first = w->schedule.tiles.tile[number].slot, ended = w->tile[number].ended;
    for (uint32_t k = 0; k < ended; k++)
        tw_device_sums_contacts_empty(w, number, w->ended[first + k]);
    w->tile[number].ended = 0;
}

/* With body i: clears bits, before contacts are advanced. */
TW_INLINE void tw_device_sums_contacts_reset(tw_device_world *w, uint32_t i)
{
    const uint32_t words = tw_device_bits_words(w->slots);
    for (uint32_t k = i; k < words; k += w->bodies)
        w->slid[k] = w->single[k] = w->sliders[w->run.slider_buffer][k] = 0;
}

#endif
