/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of a step: in lanes per tile, then lanes and tiles are joined in the order of
 * base/sum_lanes.h and base/sum.h. Contacts that have parted are removed afterwards. */
#ifndef TW_DEVICE_SUMS_H
#define TW_DEVICE_SUMS_H

#include "base/sum.h"
#include "control/servo_steer.h"
#include "device/device_access.h"
#include "device/device_laws.h"
#include "device/device_move.h"
#include "device/device_world.h"
#include "step/motion.h"
#include "world/schedule.h"

/* Sums over the contacts of spheres of a tile: work lost, in lanes and one by one, and numbers.
 * Contacts that have parted are removed afterwards.
 *
 * By one exact linear law only those that slid or were advanced one by one have lost anything: a
 * bit by contact slot says which. A sum that starts at +0 is never -0, so terms of 0 change no bit
 * of it, and are left out. */

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
TW_INLINE void tw_device_sums_contacts_all(const tw_contacts *contacts,
                                           const tw_device_touch *touch, uint32_t first,
                                           uint32_t end, uint32_t lane,
                                           tw_device_sums_contacts *sum)
{
    enum { BATCH = TW_DEVICE_SUMS_CONTACTS_BATCH };
    for (uint32_t at = first + lane; at < end; at += BATCH * TW_SUM_LANES) {
        int some[BATCH];
        for (uint32_t j = 0; j < BATCH; j++) {
            const uint32_t slot = at + j * TW_SUM_LANES;
            some[j] = slot < end && touch->slot_state[slot] == TW_DEVICE_LANES;
            sum->sliding += some[j] && contacts->sliding[slot] ? 1 : 0;
        }
        for (int k = 0; k < TW_DEVICE_LOSSES; k++) {
            double v[BATCH];
            if (!touch->lost[k]) continue;
            for (uint32_t j = 0; j < BATCH; j++)
                v[j] = some[j] ? touch->lost[k][at + j * TW_SUM_LANES] : 0.0;
            for (uint32_t j = 0; j < BATCH; j++)
                sum->lost[k] += v[j];
        }
    }
}

TW_INLINE tw_device_sums_contacts tw_device_sums_contacts_lane(const tw_contacts *contacts,
                                                               const tw_tiles *tiles,
                                                               const tw_device_touch *touch,
                                                               uint32_t number, uint32_t lane)
{
    const tw_tile *tile = &tiles->tile[number];
    const uint32_t first = tile->slot, end = first + tile->slots;
    tw_device_sums_contacts sum;
    memset(&sum, 0, sizeof sum);
    tw_device_sums_contacts_all(contacts, touch, first, end, lane, &sum);
    return sum;
}

/* ---- Those that were advanced one by one ---- */

/* In the order of slots. Contacts that have parted do not count any more. */
TW_INLINE tw_device_sums_contacts tw_device_sums_contacts_singly(const tw_contacts *contacts,
                                                                 const tw_tiles *tiles,
                                                                 tw_device_touch *touch,
                                                                 uint32_t number)
{
    enum { WORDS = TW_DEVICE_SUMS_CONTACTS_WORDS };
    const tw_tile *tile = &tiles->tile[number];
    const uint32_t first = tile->slot, end = first + tile->slots;
    tw_device_sums_contacts sum;
    memset(&sum, 0, sizeof sum);
    for (uint32_t at = first / 32; 32 * at < end; at += WORDS) {
        uint32_t any = 0;
        for (uint32_t j = 0; j < WORDS; j++)
            any |= tw_device_bits_word(touch->single, at + j, first, end);
        for (uint32_t j = 0; any && j < WORDS; j++) {
            uint32_t word = tw_device_bits_word(touch->single, at + j, first, end);
            for (; word; word &= word - 1) {
                const uint32_t slot = 32 * (at + j) + tw_device_bits_lowest(word);
                for (int k = 0; k < TW_DEVICE_LOSSES; k++)
                    if (touch->lost[k]) sum.lost[k] += touch->lost[k][slot];
                sum.sliding +=
                    touch->slot_state[slot] == TW_DEVICE_SINGLE && contacts->sliding[slot] ? 1 : 0;
            }
        }
    }
    touch->tile[number].contacts -= touch->tile[number].ended;
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
TW_INLINE void tw_device_sums_contacts_load(const tw_contacts *contacts,
                                            const tw_device_touch *touch,
                                            tw_device_sums_contacts_work *work, const tw_tile *tile,
                                            uint32_t at, uint32_t thread)
{
    enum {
        THREADS = TW_DEVICE_SUMS_CONTACTS_THREADS,
        EACH = 32 * TW_DEVICE_SUMS_CONTACTS_CHUNK / THREADS
    };
    const uint32_t first = tile->slot, end = first + tile->slots, bit = thread % 32;
    const double *lost = touch->lost[TW_DEVICE_FRICTION];
    uint32_t slid[EACH], single[EACH];
    double v[EACH];
    for (uint32_t j = 0; j < EACH; j++) {
        const uint32_t word = at + (j * THREADS + thread) / 32;
        slid[j] = tw_device_bits_word(touch->slid, word, first, end);
        single[j] = tw_device_bits_word(touch->single, word, first, end);
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
                touch->slot_state[slot] == TW_DEVICE_SINGLE && contacts->sliding[slot] != 0;
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
TW_INLINE void tw_device_sums_contacts_team(const tw_contacts *contacts, const tw_tiles *tiles,
                                            const tw_device_touch *touch,
                                            tw_device_sums_contacts_work *work, uint32_t number,
                                            uint32_t stage, uint32_t thread)
{
    const tw_tile *tile = &tiles->tile[number];
    const uint32_t at = tile->slot / 32 + stage / 2 * TW_DEVICE_SUMS_CONTACTS_CHUNK;
    if (stage % 2 == 0) {
        tw_device_sums_contacts_load(contacts, touch, work, tile, at, thread);
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
TW_INLINE double tw_device_sums_contacts_add_walls(const tw_tiles *tiles,
                                                   const tw_device_touch *touch, uint32_t number,
                                                   uint32_t k, double sum)
{
    const tw_tile *tile = &tiles->tile[number];
    for (uint32_t slot = tile->wall_slot; slot < tile->wall_slot + tile->walls; slot++)
        if (touch->slot_state[slot] != TW_DEVICE_EMPTY) sum += touch->lost[k][slot];
    return sum;
}

/* How many touch, or of these how many slide. */
TW_INLINE uint32_t tw_device_sums_contacts_walls(const tw_contacts *contacts, const tw_tiles *tiles,
                                                 const tw_device_touch *touch, uint32_t number,
                                                 int slides)
{
    const tw_tile *tile = &tiles->tile[number];
    uint32_t count = 0;
    for (uint32_t slot = tile->wall_slot; slot < tile->wall_slot + tile->walls; slot++)
        count += touch->slot_state[slot] == TW_DEVICE_SINGLE &&
                 (!slides || contacts->sliding[slot] != 0);
    return count;
}

/* ---- Removal ---- */

/* Empties the slot of a contact that has parted. Its pair is a candidate in every step from now on.
 */
TW_MATH_CALL void tw_device_sums_contacts_empty(tw_state *state, tw_schedule *schedule,
                                                tw_device_touch *touch, tw_device_forces *forces,
                                                uint32_t number, uint32_t slot)
{
    tw_tile *tile = &schedule->tiles.tile[number];
    const uint32_t pair = schedule->slots.pair[slot], p = schedule->slots.body_p[slot],
                   q = schedule->slots.body_q[slot];
    forces->changed[p] = 1;
    forces->changed[q] = 1;
    schedule->pairs.slot[pair] = TW_NO_SLOT;
    touch->rank[pair] = 0;
    tw_tile_load_empty(state, schedule, tile, slot);
    touch->slot_state[slot] = TW_DEVICE_EMPTY;
    tw_device_atomic_min_index(&tile->empty, slot - tile->slot);
}

/* Those of a tile. */
TW_INLINE void tw_device_sums_contacts_remove(tw_state *state, tw_schedule *schedule,
                                              tw_device_touch *touch, tw_device_forces *forces,
                                              uint32_t number)
{
    const uint32_t first = schedule->tiles.tile[number].slot, ended = touch->tile[number].ended;
    for (uint32_t k = 0; k < ended; k++)
        tw_device_sums_contacts_empty(state, schedule, touch, forces, number,
                                      touch->ended[first + k]);
    touch->tile[number].ended = 0;
}

/* With body i: clears bits, before contacts are advanced. */
TW_INLINE void tw_device_sums_contacts_reset(const tw_device_run *run, const tw_device_list *list,
                                             tw_device_touch *touch, uint32_t i)
{
    const uint32_t words = tw_device_bits_words(list->slots);
    for (uint32_t k = i; k < words; k += list->bodies)
        touch->slid[k] = touch->single[k] = touch->sliders[run->slider_buffer][k] = 0;
}

/* Numbers are loaded in batches before they are added, so that the loads overlap. */
enum { TW_DEVICE_SUMS_BATCH = 16, TW_DEVICE_SUMS_TILES = 8, TW_DEVICE_SUMS_GROUP = 64 };

/* Whether only few contacts have lost anything: tw_device_sums_sparse. */
TW_INLINE int tw_device_sums_are_sparse(const tw_device_run *run)
{
    return run->law == TW_DEVICE_LAW_EXACT_LINEAR;
}

/* ---- Places of partial sums ---- */

TW_INLINE double *tw_device_sums_lane(const tw_device_list *list, const tw_device_sums *sums,
                                      uint32_t sum, uint32_t tile)
{
    return sums->lane_sum + ((size_t)sum * list->tiles + tile) * TW_SUM_LANES;
}

TW_INLINE double *tw_device_sums_tile(const tw_device_list *list, const tw_device_sums *sums,
                                      uint32_t sum, uint32_t tile)
{
    return sums->tile_sum + ((size_t)sum * list->tiles + tile);
}

TW_INLINE double *tw_device_sums_wall(const tw_device_list *list, const tw_device_sums *sums)
{
    return sums->lane_sum + (size_t)TW_DEVICE_SUM_ROOM * list->tiles * TW_SUM_LANES;
}

/* Numbers in w->sums.lane_sum. */
TW_INLINE size_t tw_device_sums_lane_room(size_t tiles, size_t walls)
{
    return (size_t)TW_DEVICE_SUM_ROOM * TW_SUM_LANES * tiles + 3 * walls;
}

/* Numbers in w->sums.sum_count. */
TW_INLINE size_t tw_device_sums_count_room(size_t groups)
{
    return (size_t)TW_DEVICE_SUM_ROOM * (groups + 1);
}

/* ---- Tiles to groups, and groups to the total ---- */

/* Items of a phase before the joining reset the counts. */
TW_INLINE void tw_device_sums_reset(const tw_device_list *list, tw_device_sums *sums, uint32_t i,
                                    uint32_t items)
{
    const uint32_t counts = (uint32_t)tw_device_sums_count_room(list->groups);
    for (uint32_t k = i; k < counts; k += items)
        sums->sum_count[k] = 0;
}

TW_INLINE double tw_device_sums_tree(const double *x, uint32_t count)
{
    tw_sum_tree tree;
    tree.count = 0;
    for (uint32_t first = 0; first < count; first += TW_DEVICE_SUMS_BATCH) {
        double v[TW_DEVICE_SUMS_BATCH];
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_BATCH; k++)
            v[k] = first + k < count ? x[first + k] : 0.0;
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_BATCH && first + k < count; k++)
            tw_sum_tree_add(&tree, v[k]);
    }
    return tw_sum_tree_total(&tree);
}

/* The sum of a tile is known. The last tile of a group joins the group, and the last group all. */
TW_INLINE void tw_device_sums_put(const tw_device_list *list, tw_device_sums *sums, uint32_t sum,
                                  uint32_t tile, double value)
{
    const uint32_t group = tile / TW_DEVICE_SUMS_GROUP, first = group * TW_DEVICE_SUMS_GROUP;
    const uint32_t left = list->tiles - first;
    const uint32_t members = left < TW_DEVICE_SUMS_GROUP ? left : TW_DEVICE_SUMS_GROUP;
    double *groups = sums->group_sum + (size_t)sum * list->groups;
    uint32_t *count = sums->sum_count + (size_t)sum * (list->groups + 1);
    *tw_device_sums_tile(list, sums, sum, tile) = value;
    if (!tw_device_atomic_last(&count[group], members)) return;
    groups[group] = tw_device_sums_tree(tw_device_sums_tile(list, sums, sum, first), members);
    if (list->groups > 1 && !tw_device_atomic_last(&count[list->groups], list->groups)) return;
    sums->total[sum] = list->groups > 1 ? tw_device_sums_tree(groups, list->groups) : groups[group];
}

TW_INLINE double tw_device_sums_join(const tw_device_list *list, const tw_device_sums *sums,
                                     uint32_t sum, uint32_t tile)
{
    return tw_sum_lanes_join(tw_device_sums_lane(list, sums, sum, tile));
}

/* ---- Lanes ---- */

/* Work lost in contacts of spheres, and how many slide. */
TW_INLINE void tw_device_sums_lost(const tw_contacts *contacts, const tw_tiles *tiles,
                                   const tw_device_list *list, const tw_device_touch *touch,
                                   tw_device_sums *sums, uint32_t number, uint32_t lane)
{
    const tw_device_sums_contacts sum =
        tw_device_sums_contacts_lane(contacts, tiles, touch, number, lane);
    for (uint32_t k = 0; k < TW_DEVICE_LOSSES; k++)
        tw_device_sums_lane(list, sums, TW_DEVICE_SUM_LOST + k, number)[lane] = sum.lost[k];
    tw_device_sums_lane(list, sums, TW_DEVICE_SUM_SLIDING, number)[lane] = sum.sliding;
}

/* Stress of the velocities, as in control/servo.c: `sum` is set. */
TW_INLINE void tw_device_sums_kinetic(const tw_bodies *bodies, const tw_tiles *tiles,
                                      const tw_device_run *run, uint32_t number, uint32_t lane,
                                      double sum[TW_COMPONENTS])
{
    enum { BATCH = 8 };
    const tw_tile *tile = &tiles->tile[number];
    const uint32_t end = tile->body + tile->bodies;
    for (uint32_t k = 0; k < TW_COMPONENTS; k++)
        sum[k] = 0.0;
    for (uint32_t first = tile->body + lane; first < end; first += BATCH * TW_SUM_LANES) {
        double m[BATCH];
        tw_vec3 v[BATCH];
        for (uint32_t k = 0; k < BATCH; k++) {
            const uint32_t i = first + k * TW_SUM_LANES;
            const tw_vec3 none = tw_vec3_make(0.0, 0.0, 0.0);
            const int fixed = run->fixed && i < end && bodies->flags[i] & TW_BODY_FIXED;
            m[k] = i < end && !fixed ? bodies->mass[i] : 0.0;
            v[k] = i < end ? bodies->v[i] : none;
        }
        for (uint32_t k = 0; k < BATCH; k++)
            tw_servo_steer_kinetic(m[k], v[k], sum);
    }
}

/* A part of the move phase. */
TW_INLINE double tw_device_sums_part(const tw_tiles *tiles, const tw_device_sums *sums,
                                     uint32_t number, uint32_t lane, uint32_t p)
{
    const tw_tile *tile = &tiles->tile[number];
    const uint32_t end = tile->body + tile->bodies;
    const double *part = sums->part[p];
    double sum = 0.0;
    for (uint32_t first = tile->body + lane; first < end;
         first += TW_DEVICE_SUMS_BATCH * TW_SUM_LANES) {
        double v[TW_DEVICE_SUMS_BATCH];
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_BATCH; k++) {
            const uint32_t i = first + k * TW_SUM_LANES;
            v[k] = i < end ? part[i] : 0.0;
        }
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_BATCH; k++)
            sum += v[k];
    }
    return sum;
}

/* ---- What is summed one by one in a tile ---- */

/* Fixed bodies, in the order of bodies. Those of the move phase have the order of before if there
 * was a search since. */
TW_INLINE void tw_device_sums_driven(const tw_bodies *bodies, const tw_tiles *tiles,
                                     const tw_device_list *list, tw_device_sums *sums,
                                     uint32_t number)
{
    const tw_tile *tile = &tiles->tile[number];
    const uint32_t end = tile->body + tile->bodies;
    const double *part = sums->part[TW_DEVICE_PART_DRIVEN];
    double moved = 0.0, gathered = 0.0;
    for (uint32_t first = tile->body; first < end; first += TW_DEVICE_SUMS_BATCH) {
        double v[TW_DEVICE_SUMS_BATCH];
        uint32_t flags[TW_DEVICE_SUMS_BATCH];
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_BATCH; k++) {
            v[k] = first + k < end ? part[first + k] : 0.0;
            flags[k] = first + k < end ? bodies->flags[first + k] : 0;
        }
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_BATCH; k++) {
            moved += v[k];
            if (flags[k] & TW_BODY_FIXED) gathered -= 0.5 * tw_motion_work(bodies, first + k);
        }
    }
    *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_PART + TW_DEVICE_PART_DRIVEN, number) = moved;
    *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_DRIVEN_GATHER, number) = gathered;
}

/* Contacts that were advanced one by one, and the number of all. */
TW_INLINE void tw_device_sums_lost_singly(const tw_contacts *contacts, const tw_tiles *tiles,
                                          const tw_device_list *list, tw_device_touch *touch,
                                          tw_device_sums *sums, uint32_t number)
{
    const tw_device_sums_contacts sum =
        tw_device_sums_contacts_singly(contacts, tiles, touch, number);
    for (uint32_t k = 0; k < TW_DEVICE_LOSSES; k++)
        *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_LOST + k, number) = sum.lost[k];
    *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_SLIDING, number) = sum.sliding;
    *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_CONTACTS, number) = touch->tile[number].contacts;
}

/* Those of body slots are in the sums of tiles: device_accumulate.h. */
TW_INLINE void tw_device_sums_walls(const tw_pairs *pairs, const tw_device_list *list,
                                    const tw_device_touch *touch, tw_tiles *tiles,
                                    tw_device_sums *sums, uint32_t number)
{
    double moment[9] = {0.0};
    tw_device_walls_sum(pairs, list, touch, tiles, number, moment);
    for (uint32_t j = 0; j < 9; j++)
        *tw_device_sums_lane(list, sums, TW_DEVICE_SUM_MOMENT + j, number) = moment[j];
}

/* ---- First phase: lanes, and what is summed one by one ---- */

/* Of bodies, after the move: two for each lane. */
TW_INLINE void tw_device_sums_bodies(const tw_bodies *bodies, const tw_tiles *tiles,
                                     const tw_move_context *move, const tw_device_run *run,
                                     const tw_device_list *list, tw_device_sums *sums, uint32_t i)
{
    const uint32_t lanes = TW_SUM_LANES * list->tiles, at = i % lanes;
    const uint32_t number = at / TW_SUM_LANES, lane = at % TW_SUM_LANES;
    if (i < lanes) {
        double sum[TW_COMPONENTS];
        tw_device_sums_kinetic(bodies, tiles, run, number, lane, sum);
        for (uint32_t k = 0; k < TW_COMPONENTS; k++)
            tw_device_sums_lane(list, sums, TW_DEVICE_SUM_KINETIC + k, number)[lane] = sum[k];
    } else {
        for (uint32_t p = 0; p < TW_DEVICE_PART_DRIVEN; p++)
            if (tw_device_move_has(move, run, p))
                tw_device_sums_lane(list, sums, TW_DEVICE_SUM_PART + p, number)[lane] =
                    tw_device_sums_part(tiles, sums, number, lane, p);
    }
}

/* Of contacts where only few have lost something: a tile. */
TW_INLINE uint32_t tw_device_sums_sparse_stages(const tw_tiles *tiles, uint32_t number)
{
    return 2 * tw_device_sums_contacts_chunks(&tiles->tile[number]) + 1;
}

TW_INLINE void tw_device_sums_sparse(const tw_model *model, const tw_contacts *contacts,
                                     const tw_tiles *tiles, const tw_device_list *list,
                                     tw_device_touch *touch, tw_device_sums *sums,
                                     tw_device_sums_contacts_work *work, uint32_t number,
                                     uint32_t stage, uint32_t thread)
{
    if (stage + 1 < tw_device_sums_sparse_stages(tiles, number)) {
        tw_device_sums_contacts_team(contacts, tiles, touch, work, number, stage, thread);
    } else if (thread == 0) {
        *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_LOST + TW_DEVICE_FRICTION, number) =
            work->alone + tw_sum_lanes_join(work->lane);
    } else if (thread == 32) {
        tw_device_world_tile *tile = &touch->tile[number];
        /* Without friction all the others slide; no bit says so. */
        uint32_t sliding = model->laws->mu > 0.0 ? 0 : tile->contacts - work->singles;
        sliding += work->alone_sliding;
        for (uint32_t lane = 0; lane < TW_SUM_LANES; lane++)
            sliding += work->sliding[lane];
        *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_SLIDING, number) = sliding;
        tile->contacts -= tile->ended;
        *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_CONTACTS, number) = tile->contacts;
    }
}

/* Work items of the dense path: losses per lane, plus work on fixed bodies and walls. */
TW_INLINE uint32_t tw_device_sums_others_items(const tw_device_run *run, const tw_device_list *list)
{
    const uint32_t others = (run->fixed ? 1u : 0u) + (list->walls > 0 ? 1u : 0u);
    const uint32_t contacts = tw_device_sums_are_sparse(run) ? 0u : TW_SUM_LANES + 1u;
    return (contacts + others) * list->tiles;
}

TW_INLINE void tw_device_sums_others(const tw_bodies *bodies, const tw_contacts *contacts,
                                     const tw_pairs *pairs, const tw_device_run *run,
                                     const tw_device_list *list, tw_tiles *tiles,
                                     tw_device_touch *touch, tw_device_sums *sums, uint32_t i)
{
    const uint32_t lanes = tw_device_sums_are_sparse(run) ? 0 : TW_SUM_LANES * list->tiles,
                   singly = tw_device_sums_are_sparse(run) ? 0 : list->tiles;
    const uint32_t at = i < lanes ? i : i - lanes, other = at - singly;
    if (i < lanes)
        tw_device_sums_lost(contacts, tiles, list, touch, sums, at / TW_SUM_LANES,
                            at % TW_SUM_LANES);
    else if (at < singly)
        tw_device_sums_lost_singly(contacts, tiles, list, touch, sums, at);
    else if (run->fixed && other < list->tiles)
        tw_device_sums_driven(bodies, tiles, list, sums, other);
    else
        tw_device_sums_walls(pairs, list, touch, tiles, sums, other % list->tiles);
}

/* ---- Second phase: tiles are joined; contacts that have parted are removed ---- */

/* Is this sum active for the model? If not, it is 0. All inputs are loaded up front to overlap
 * latency. */
TW_INLINE int tw_device_sums_has(const tw_move_context *move, const tw_device_run *run,
                                 const tw_device_touch *touch, uint32_t sum)
{
    const uint32_t lost = sum - TW_DEVICE_SUM_LOST, part = sum - TW_DEVICE_SUM_PART;
    const int loses = touch->lost[lost < TW_DEVICE_LOSSES ? lost : 0] != NULL;
    const int damped = tw_device_move_has(move, run, TW_DEVICE_PART_DAMPING),
              heavy = tw_device_move_has(move, run, TW_DEVICE_PART_GRAVITY),
              driven = tw_device_move_has(move, run, TW_DEVICE_PART_DRIVEN), fixed = run->fixed;
    return (lost >= TW_DEVICE_LOSSES || loses) & (part != TW_DEVICE_PART_DAMPING || damped) &
           (part != TW_DEVICE_PART_GRAVITY || heavy) & (part != TW_DEVICE_PART_DRIVEN || driven) &
           (sum != TW_DEVICE_SUM_DRIVEN_GATHER || fixed);
}

/* Adds contacts of walls to a sum over contacts of spheres. */
TW_MATH_CALL double tw_device_sums_of_walls(const tw_contacts *contacts, const tw_tiles *tiles,
                                            const tw_device_touch *touch, uint32_t sum,
                                            uint32_t tile, double value)
{
    if (sum == TW_DEVICE_SUM_CONTACTS || sum == TW_DEVICE_SUM_SLIDING)
        return value + tw_device_sums_contacts_walls(contacts, tiles, touch, tile,
                                                     sum == TW_DEVICE_SUM_SLIDING);
    return tw_device_sums_contacts_add_walls(tiles, touch, tile, sum - TW_DEVICE_SUM_LOST, value);
}

/* The sums of `count` tiles, loaded together; 0 beyond. Of contacts: those that were advanced one
 * by one, those in lanes, those of walls. Lanes may be joined already: those of bodies where tiles
 * are `few`, those of contacts where few have lost anything. */
TW_INLINE void tw_device_sums_of_tiles(const tw_contacts *contacts, const tw_tiles *tiles,
                                       const tw_device_run *run, const tw_device_list *list,
                                       const tw_device_touch *touch, const tw_device_sums *sums,
                                       int few, uint32_t sum, uint32_t first, uint32_t count,
                                       double v[TW_DEVICE_SUMS_TILES])
{
    const uint32_t lost = sum - TW_DEVICE_SUM_LOST, kinetic = sum - TW_DEVICE_SUM_KINETIC,
                   part = sum - TW_DEVICE_SUM_PART;
    const int walls = list->walls > 0, sparse = tw_device_sums_are_sparse(run);
    const int lanes = !few && (kinetic < TW_COMPONENTS || part < TW_DEVICE_PART_DRIVEN);
    const double *from = tw_device_sums_tile(list, sums, sum, first);
    for (uint32_t k = 0; k < TW_DEVICE_SUMS_TILES; k++)
        v[k] = k < count && !lanes ? from[k] : 0.0;
    if (sum < TW_DEVICE_SUM_LOST) {
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_TILES; k++)
            v[k] = (walls && k < count ? *tw_device_sums_lane(list, sums, sum, first + k) : 0.0) -
                   v[k];
    } else if (lost < TW_DEVICE_LOSSES || sum == TW_DEVICE_SUM_CONTACTS ||
               sum == TW_DEVICE_SUM_SLIDING) {
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_TILES; k++)
            if (k < count && !sparse && sum != TW_DEVICE_SUM_CONTACTS)
                v[k] += tw_device_sums_join(list, sums, sum, first + k);
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_TILES; k++)
            if (k < count && walls)
                v[k] = tw_device_sums_of_walls(contacts, tiles, touch, sum, first + k, v[k]);
    } else if (lanes) {
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_TILES; k++)
            v[k] = k < count ? tw_device_sums_join(list, sums, sum, first + k) : 0.0;
    }
}

/* Joins `count` of these numbers in pairs, pairs of pairs and so on. */
TW_INLINE double tw_device_sums_pairs(double v[TW_DEVICE_SUMS_TILES], uint32_t count)
{
    for (uint32_t step = 1; step < TW_DEVICE_SUMS_TILES; step *= 2)
        for (uint32_t k = 0; k + step < TW_DEVICE_SUMS_TILES; k += 2 * step)
            if (k + step < count) v[k] += v[k + step];
    return v[0];
}

/* The sum of `count` tiles from `first` on, a branch of the tree: `count` is a power of two, or
 * less if there are no more tiles. */
TW_INLINE double tw_device_sums_branch(const tw_contacts *contacts, const tw_tiles *tiles,
                                       const tw_device_run *run, const tw_device_list *list,
                                       const tw_device_touch *touch, const tw_device_sums *sums,
                                       uint32_t sum, uint32_t first, uint32_t count)
{
    tw_sum_tree tree;
    tree.count = 0;
    for (uint32_t at = 0; at < count; at += TW_DEVICE_SUMS_TILES) {
        const uint32_t left = count - at;
        double v[TW_DEVICE_SUMS_TILES];
        tw_device_sums_of_tiles(contacts, tiles, run, list, touch, sums, 0, sum, first + at,
                                left < TW_DEVICE_SUMS_TILES ? left : TW_DEVICE_SUMS_TILES, v);
        tw_sum_tree_add(&tree, tw_device_sums_pairs(v, left));
    }
    return tw_sum_tree_total(&tree);
}

/* One component of the force on a wall, in the order of tiles. */
TW_INLINE void tw_device_sums_wall_force(const tw_tiles *tiles, const tw_device_list *list,
                                         tw_device_sums *sums, uint32_t wall, uint32_t component)
{
    const size_t walls = list->walls;
    const tw_tile_accumulator *from = tiles->wall_accumulator + wall;
    double sum = 0.0;
    for (uint32_t first = 0; first < list->tiles; first += TW_DEVICE_SUMS_BATCH) {
        double v[TW_DEVICE_SUMS_BATCH];
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_BATCH; k++)
            v[k] = first + k < list->tiles ? from[(first + k) * walls].force[component] : 0.0;
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_BATCH; k++)
            sum += v[k];
    }
    tw_device_sums_wall(list, sums)[3 * wall + component] = sum;
}

/* A sum by a team of threads: each has a branch of the tree, then they are joined in pairs. Other
 * teams remove contacts, a thread per tile, or sum forces on walls. */
enum { TW_DEVICE_SUMS_LEVELS = 8, TW_DEVICE_SUMS_THREADS = 1 << TW_DEVICE_SUMS_LEVELS };

typedef struct tw_device_sums_work {
    double branch[TW_DEVICE_SUMS_THREADS];
} tw_device_sums_work;

TW_INLINE uint32_t tw_device_sums_teams(uint32_t items)
{
    return (items + TW_DEVICE_SUMS_THREADS - 1) / TW_DEVICE_SUMS_THREADS;
}

TW_INLINE uint32_t tw_device_sums_total_items(const tw_device_list *list)
{
    return TW_DEVICE_SUMS + tw_device_sums_teams(list->tiles) +
           tw_device_sums_teams(3 * (uint32_t)list->walls);
}

/* How many of `count` numbers are a branch. */
TW_INLINE uint32_t tw_device_sums_branch_size(uint32_t count)
{
    uint32_t size = 1;
    while (size * TW_DEVICE_SUMS_THREADS < count)
        size *= 2;
    return size;
}

/* Stages 1 .. TW_DEVICE_SUMS_LEVELS: then branch 0 is the sum. */
TW_INLINE void tw_device_sums_pair(tw_device_sums_work *work, uint32_t branches, uint32_t stage,
                                   uint32_t thread)
{
    const uint32_t step = 1u << (stage - 1);
    if (thread % (2 * step) == 0 && thread + step < branches)
        work->branch[thread] += work->branch[thread + step];
}

TW_INLINE void tw_device_sums_total_of(const tw_contacts *contacts, const tw_tiles *tiles,
                                       const tw_device_run *run, const tw_device_list *list,
                                       const tw_device_touch *touch, tw_device_sums *sums,
                                       tw_device_sums_work *work, uint32_t sum, uint32_t stage,
                                       uint32_t thread)
{
    const uint32_t size = tw_device_sums_branch_size(list->tiles), first = thread * size;
    const uint32_t branches = (list->tiles + size - 1) / size;
    if (stage == 0) {
        const uint32_t left = list->tiles - first;
        if (thread < branches)
            work->branch[thread] = tw_device_sums_branch(contacts, tiles, run, list, touch, sums,
                                                         sum, first, left < size ? left : size);
    } else {
        tw_device_sums_pair(work, branches, stage, thread);
    }
    if (stage == TW_DEVICE_SUMS_LEVELS && thread == 0) sums->total[sum] = work->branch[0];
}

/* Joins numbers in memory by the tree. *total is set in the last stage. */
TW_INLINE void tw_device_sums_array(const double *x, uint32_t count, tw_device_sums_work *work,
                                    uint32_t stage, uint32_t thread, double *total)
{
    const uint32_t size = tw_device_sums_branch_size(count), first = thread * size;
    const uint32_t branches = count > 0 ? (count - 1) / size + 1 : 0;
    if (stage > 0)
        tw_device_sums_pair(work, branches, stage, thread);
    else if (thread < branches)
        work->branch[thread] =
            tw_device_sums_tree(x + first, count - first < size ? count - first : size);
    if (stage == TW_DEVICE_SUMS_LEVELS && thread == 0)
        *total = branches > 0 ? work->branch[0] : 0.0;
}

TW_INLINE void tw_device_sums_total(const tw_move_context *move, const tw_device_run *run,
                                    const tw_device_list *list, tw_state *state,
                                    tw_schedule *schedule, tw_device_touch *touch,
                                    tw_device_forces *forces, tw_device_sums *sums,
                                    tw_device_sums_work *work, uint32_t i, uint32_t stage,
                                    uint32_t thread)
{
    const uint32_t teams = tw_device_sums_teams(list->tiles);
    if (i < TW_DEVICE_SUMS && tw_device_sums_has(move, run, touch, i)) {
        tw_device_sums_total_of(&state->contacts, &schedule->tiles, run, list, touch, sums, work, i,
                                stage, thread);
        return;
    }
    if (stage > 0) return;
    if (i < TW_DEVICE_SUMS) {
        if (thread == 0) sums->total[i] = 0.0;
    } else if (i - TW_DEVICE_SUMS < teams) {
        const uint32_t tile = (i - TW_DEVICE_SUMS) * TW_DEVICE_SUMS_THREADS + thread;
        if (tile < list->tiles)
            tw_device_sums_contacts_remove(state, schedule, touch, forces, tile);
    } else {
        const uint32_t at = (i - TW_DEVICE_SUMS - teams) * TW_DEVICE_SUMS_THREADS + thread;
        if (at < 3 * (uint32_t)list->walls)
            tw_device_sums_wall_force(&schedule->tiles, list, sums, at / 3, at % 3);
    }
}

#endif
