/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of a step, in the order of base/sum.h: a team of threads adds those of a tile in lanes and
 * joins these; then the tiles are joined. Contacts that have parted are removed afterwards. */
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

/* Numbers are loaded in batches before they are added, so that the loads overlap. */
enum { TW_DEVICE_SUMS_BATCH = 16, TW_DEVICE_SUMS_TILES = 8 };

/* The sums of a tile, and of those behind it. */
TW_INLINE double *tw_device_sums_tile(const tw_device_list *list, const tw_device_sums *sums,
                                      uint32_t sum, uint32_t tile)
{
    return sums->tile_sum + ((size_t)sum * list->tiles + tile);
}

/* Stages of a tile whose items are taken by `threads` at a time: their terms, which are then added
 * in lanes; at last the lanes are joined. */
TW_INLINE uint32_t tw_device_sums_tile_stages(uint32_t items, uint32_t threads)
{
    return items > 0 ? 2 * ((items - 1) / threads + 1) + 1 : 3;
}

/* A lane of some terms is added to what there is. */
TW_INLINE double tw_device_sums_add_lane(const double *term, uint32_t count, uint32_t lane,
                                         double sum)
{
    for (uint32_t k = lane; k < count; k += TW_SUM_LANES)
        sum += term[k];
    return sum;
}

/* Sums over the contacts of a tile: work lost, in lanes and one by one, and numbers.
 *
 * By one exact linear law only those that slid or were advanced one by one have lost anything: a
 * bit by contact slot says which. A sum that starts at +0 is never -0, so terms of 0 change no bit
 * of it, and are left out. */

/* ---- Those of walls ---- */

/* Adds their loss, one by one. */
TW_INLINE double tw_device_sums_add_walls(const tw_tile *tile, const tw_device_touch *touch,
                                          uint32_t k, double sum)
{
    for (uint32_t slot = tile->wall_slot; slot < tile->wall_slot + tile->walls; slot++)
        if (touch->slot_state[slot] != TW_DEVICE_EMPTY) sum += touch->lost[k][slot];
    return sum;
}

/* Sets the numbers of contacts and of those that slide: of spheres, to which walls are added. */
TW_INLINE void tw_device_sums_count(const tw_contacts *contacts, const tw_tiles *tiles,
                                    const tw_device_list *list, const tw_device_touch *touch,
                                    tw_device_sums *sums, uint32_t number, uint32_t sliding)
{
    const tw_tile *tile = &tiles->tile[number];
    uint32_t count = touch->tile[number].contacts;
    for (uint32_t slot = tile->wall_slot; slot < tile->wall_slot + tile->walls; slot++) {
        if (touch->slot_state[slot] != TW_DEVICE_SINGLE) continue;
        count++;
        sliding += contacts->sliding[slot] != 0;
    }
    *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_CONTACTS, number) = count;
    *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_SLIDING, number) = sliding;
}

/* ---- Any law ---- */

/* Losses of some slots at a time are put into memory that the threads share, then added: a thread
 * for each lane of each loss, and one for each loss of contacts that were advanced one by one. */
enum {
    TW_DEVICE_SUMS_LOST_THREADS = 128,
    TW_DEVICE_SUMS_LOST_WORDS = 16,
    TW_DEVICE_SUMS_LOST_CHUNK = 32 * TW_DEVICE_SUMS_LOST_WORDS /* slots */
};

typedef struct tw_device_sums_lost_work {
    double lost[TW_CONTACT_LOST_KINDS]
               [TW_DEVICE_SUMS_LOST_CHUNK + TW_SUM_LANES]; /* in other banks */
    uint32_t single[TW_DEVICE_SUMS_LOST_WORDS];            /* bits: advanced one by one */
    double lane[TW_CONTACT_LOST_KINDS][TW_SUM_LANES], alone[TW_CONTACT_LOST_KINDS]; /* sums */
    uint32_t sliding;
} tw_device_sums_lost_work;

/* Chunks of so many words of bits for a tile. */
TW_INLINE uint32_t tw_device_sums_chunks(const tw_tile *tile, uint32_t chunk)
{
    const uint32_t words = tile->slots > 0 ? (tile->slot + tile->slots - 1) / 32 + 1 : 0;
    const uint32_t first = tile->slot / 32;
    return words > first ? (words - first - 1) / chunk + 1 : 1;
}

/* The sums are begun; two stages for each chunk: losses are read, and added; the lanes are joined.
 */
TW_INLINE uint32_t tw_device_sums_lost_stages(const tw_tiles *tiles, uint32_t number)
{
    return 2 * tw_device_sums_chunks(&tiles->tile[number], TW_DEVICE_SUMS_LOST_WORDS) + 2;
}

/* Losses of a chunk that begins with word `at`. */
TW_INLINE void tw_device_sums_lost_load(const tw_contacts *contacts, const tw_device_touch *touch,
                                        tw_device_sums_lost_work *work, const tw_tile *tile,
                                        uint32_t at, uint32_t thread)
{
    enum {
        THREADS = TW_DEVICE_SUMS_LOST_THREADS,
        EACH = TW_DEVICE_SUMS_LOST_CHUNK / TW_DEVICE_SUMS_LOST_THREADS
    };
    const uint32_t first = tile->slot, end = first + tile->slots;
    int counts[EACH];
    uint32_t sliding = 0;
    for (uint32_t j = 0; j < EACH; j++) {
        const uint32_t k = j * THREADS + thread, slot = 32 * at + k;
        const uint32_t single = tw_device_bits_word(touch->single, at + k / 32, first, end);
        const uint8_t how = slot >= first && slot < end ? touch->slot_state[slot] : TW_DEVICE_EMPTY;
        counts[j] = how == TW_DEVICE_LANES || single >> k % 32 & 1;
        if (k % 32 == 0) work->single[k / 32] = single;
        if (how == TW_DEVICE_LANES || how == TW_DEVICE_SINGLE)
            sliding += contacts->sliding[slot] ? 1 : 0;
    }
    for (int loss = 0; loss < TW_CONTACT_LOST_KINDS; loss++) {
        double v[EACH];
        if (!touch->lost[loss]) continue;
        for (uint32_t j = 0; j < EACH; j++)
            v[j] = counts[j] ? touch->lost[loss][32 * at + j * THREADS + thread] : 0.0;
        for (uint32_t j = 0; j < EACH; j++)
            work->lost[loss][j * THREADS + thread] = v[j];
    }
    if (sliding > 0) tw_device_atomic_add(&work->sliding, sliding);
}

/* A lane: contacts that stuck or slid. */
TW_INLINE double tw_device_sums_lost_lane(const tw_device_sums_lost_work *work, uint32_t loss,
                                          uint32_t lane, double sum)
{
    for (uint32_t k = lane; k < TW_DEVICE_SUMS_LOST_CHUNK; k += TW_SUM_LANES)
        sum += work->single[k / 32] >> k % 32 & 1 ? 0.0 : work->lost[loss][k];
    return sum;
}

/* Contacts that were advanced one by one, in the order of slots. */
TW_INLINE double tw_device_sums_lost_singly(const tw_device_sums_lost_work *work, uint32_t loss,
                                            double sum)
{
    for (uint32_t j = 0; j < TW_DEVICE_SUMS_LOST_WORDS; j++)
        for (uint32_t left = work->single[j]; left; left &= left - 1)
            sum += work->lost[loss][32 * j + tw_device_bits_lowest(left)];
    return sum;
}

/* The sums of a tile: contacts one by one, the lanes, then contacts with walls. Those that have
 * parted do not count any more. */
TW_INLINE void tw_device_sums_lost_join(const tw_contacts *contacts, const tw_tiles *tiles,
                                        const tw_device_list *list, tw_device_touch *touch,
                                        tw_device_sums *sums, const tw_device_sums_lost_work *work,
                                        uint32_t number, uint32_t thread)
{
    if (thread < TW_CONTACT_LOST_KINDS && touch->lost[thread])
        *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_LOST + thread, number) =
            tw_device_sums_add_walls(&tiles->tile[number], touch, thread,
                                     work->alone[thread] + tw_sum_lanes_join(work->lane[thread]));
    if (thread != 32) return; /* of another warp */
    touch->tile[number].contacts -= touch->tile[number].ended;
    tw_device_sums_count(contacts, tiles, list, touch, sums, number, work->sliding);
}

TW_INLINE void tw_device_sums_lost(const tw_contacts *contacts, const tw_tiles *tiles,
                                   const tw_device_list *list, tw_device_touch *touch,
                                   tw_device_sums *sums, tw_device_sums_lost_work *work,
                                   uint32_t number, uint32_t stage, uint32_t thread)
{
    const tw_tile *tile = &tiles->tile[number];
    const uint32_t at = tile->slot / 32 + (stage - 1) / 2 * TW_DEVICE_SUMS_LOST_WORDS,
                   loss = thread / TW_SUM_LANES, lane = thread % TW_SUM_LANES, single = thread - 64;
    if (stage == 0) {
        if (loss < TW_CONTACT_LOST_KINDS) work->lane[loss][lane] = 0.0;
        if (single < TW_CONTACT_LOST_KINDS) work->alone[single] = 0.0;
        if (thread == 0) work->sliding = 0;
    } else if (stage + 1 == tw_device_sums_lost_stages(tiles, number)) {
        tw_device_sums_lost_join(contacts, tiles, list, touch, sums, work, number, thread);
    } else if (stage % 2 == 1) {
        tw_device_sums_lost_load(contacts, touch, work, tile, at, thread);
    } else if (loss < TW_CONTACT_LOST_KINDS && touch->lost[loss]) {
        work->lane[loss][lane] = tw_device_sums_lost_lane(work, loss, lane, work->lane[loss][lane]);
    } else if (single < TW_CONTACT_LOST_KINDS && touch->lost[single]) {
        work->alone[single] = tw_device_sums_lost_singly(work, single, work->alone[single]);
    }
}

/* ---- One exact linear law: the few that have lost something ---- */

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
    const double *lost = touch->lost[TW_CONTACT_LOST_FRICTION];
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

/* Two stages for each chunk: losses are read, and added; then the lanes are joined. */
TW_INLINE uint32_t tw_device_sums_sparse_stages(const tw_tiles *tiles, uint32_t number)
{
    return 2 * tw_device_sums_chunks(&tiles->tile[number], TW_DEVICE_SUMS_CONTACTS_CHUNK) + 1;
}

/* The sums of a tile are set. */
TW_INLINE void tw_device_sums_sparse_join(const tw_model *model, const tw_contacts *contacts,
                                          const tw_tiles *tiles, const tw_device_list *list,
                                          tw_device_touch *touch, tw_device_sums *sums,
                                          const tw_device_sums_contacts_work *work, uint32_t number,
                                          uint32_t thread)
{
    if (thread == 0) {
        *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_LOST + TW_CONTACT_LOST_FRICTION, number) =
            tw_device_sums_add_walls(&tiles->tile[number], touch, TW_CONTACT_LOST_FRICTION,
                                     work->alone + tw_sum_lanes_join(work->lane));
    } else if (thread == 32) {
        tw_device_world_tile *tile = &touch->tile[number];
        /* Without friction all the others slide; no bit says so. */
        uint32_t sliding = model->laws->mu > 0.0 ? 0 : tile->contacts - work->singles;
        sliding += work->alone_sliding;
        for (uint32_t lane = 0; lane < TW_SUM_LANES; lane++)
            sliding += work->sliding[lane];
        tile->contacts -= tile->ended;
        tw_device_sums_count(contacts, tiles, list, touch, sums, number, sliding);
    }
}

TW_INLINE void tw_device_sums_sparse(const tw_model *model, const tw_contacts *contacts,
                                     const tw_tiles *tiles, const tw_device_list *list,
                                     tw_device_touch *touch, tw_device_sums *sums,
                                     tw_device_sums_contacts_work *work, uint32_t number,
                                     uint32_t stage, uint32_t thread)
{
    const tw_tile *tile = &tiles->tile[number];
    const uint32_t at = tile->slot / 32 + stage / 2 * TW_DEVICE_SUMS_CONTACTS_CHUNK;
    if (stage + 1 == tw_device_sums_sparse_stages(tiles, number)) {
        tw_device_sums_sparse_join(model, contacts, tiles, list, touch, sums, work, number, thread);
    } else if (stage % 2 == 0) {
        tw_device_sums_contacts_load(contacts, touch, work, tile, at, thread);
        if (stage == 0 && thread < TW_SUM_LANES) {
            work->lane[thread] = 0.0;
            work->sliding[thread] = 0;
        }
        if (stage == 0 && thread == 0) {
            work->alone = 0.0;
            work->alone_sliding = work->singles = 0;
        }
    } else if (thread < TW_SUM_LANES) {
        tw_device_sums_contacts_add_lane(work, thread);
    } else if (thread == 32) { /* of another warp */
        tw_device_sums_contacts_add_single(work);
    }
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

/* Removes the contacts of a tile that have parted. */
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

/* ---- Bodies, after the move ---- */

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

enum { TW_DEVICE_SUMS_BODIES_THREADS = 64, TW_DEVICE_SUMS_BODIES_STAGES = 2 };

typedef struct tw_device_sums_bodies_work {
    double kinetic[TW_COMPONENTS][TW_SUM_LANES];
    double part[TW_DEVICE_PART_DRIVEN][TW_SUM_LANES];
} tw_device_sums_bodies_work;

/* A tile: velocities, and by another warp the parts. */
TW_INLINE void tw_device_sums_bodies(const tw_bodies *bodies, const tw_tiles *tiles,
                                     const tw_move_context *move, const tw_device_run *run,
                                     const tw_device_list *list, tw_device_sums *sums,
                                     tw_device_sums_bodies_work *work, uint32_t number,
                                     uint32_t stage, uint32_t thread)
{
    const uint32_t other = thread - 32;
    if (stage == 0 && thread < TW_SUM_LANES) {
        double sum[TW_COMPONENTS];
        tw_device_sums_kinetic(bodies, tiles, run, number, thread, sum);
        for (uint32_t k = 0; k < TW_COMPONENTS; k++)
            work->kinetic[k][thread] = sum[k];
    } else if (stage == 0 && other < TW_SUM_LANES) {
        for (uint32_t p = 0; p < TW_DEVICE_PART_DRIVEN; p++)
            work->part[p][other] = tw_device_move_has(move, run, p)
                                       ? tw_device_sums_part(tiles, sums, number, other, p)
                                       : 0.0;
    } else if (stage == 1 && thread < TW_COMPONENTS) {
        *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_KINETIC + thread, number) =
            tw_sum_lanes_join(work->kinetic[thread]);
    } else if (stage == 1 && other < TW_DEVICE_PART_DRIVEN) {
        *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_PART + other, number) =
            tw_sum_lanes_join(work->part[other]);
    }
}

/* A tile: fixed bodies, one by one in their order. Those of the move phase have the order of before
 * if there was a search since. */
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

/* ---- Tiles are joined; contacts that have parted are removed ---- */

/* Joins `count` of some numbers in pairs, pairs of pairs and so on. */
TW_INLINE double tw_device_sums_pairs(double v[TW_DEVICE_SUMS_TILES], uint32_t count)
{
    for (uint32_t step = 1; step < TW_DEVICE_SUMS_TILES; step *= 2)
        for (uint32_t k = 0; k + step < TW_DEVICE_SUMS_TILES; k += 2 * step)
            if (k + step < count) v[k] += v[k + step];
    return v[0];
}

/* The sums of some tiles, loaded together; 0 beyond `count`. */
TW_INLINE void tw_device_sums_load(const double *x, uint32_t count, double v[TW_DEVICE_SUMS_TILES])
{
    for (uint32_t k = 0; k < TW_DEVICE_SUMS_TILES; k++)
        v[k] = k < count ? x[k] : 0.0;
}

/* A branch of the tree over `count` numbers. */
TW_INLINE double tw_device_sums_tree(const double *x, uint32_t count)
{
    tw_sum_tree tree;
    tree.count = 0;
    for (uint32_t at = 0; at < count; at += TW_DEVICE_SUMS_TILES) {
        double v[TW_DEVICE_SUMS_TILES];
        tw_device_sums_load(x + at, count - at, v);
        tw_sum_tree_add(&tree, tw_device_sums_pairs(v, count - at));
    }
    return tw_sum_tree_total(&tree);
}

/* One number of all walls, in the order of tiles. */
TW_INLINE void tw_device_sums_wall(const tw_tiles *tiles, const tw_device_list *list,
                                   tw_device_sums *sums, uint32_t number)
{
    const uint32_t wall = number / TW_TILE_ACCUMULATOR, part = number % TW_TILE_ACCUMULATOR;
    const size_t walls = list->walls;
    const tw_tile_accumulator *from = tiles->wall_accumulator + wall;
    double sum = 0.0;
    for (uint32_t first = 0; first < list->tiles; first += TW_DEVICE_SUMS_BATCH) {
        double v[TW_DEVICE_SUMS_BATCH];
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_BATCH; k++)
            v[k] = first + k < list->tiles ? tw_touch_wall_part(&from[(first + k) * walls], part)
                                           : 0.0;
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_BATCH; k++)
            sum += v[k];
    }
    sums->wall_sum[number] = sum;
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
           tw_device_sums_teams(TW_TILE_ACCUMULATOR * (uint32_t)list->walls);
}

/* How many of `count` numbers are a branch. */
TW_INLINE uint32_t tw_device_sums_branch_size(uint32_t count)
{
    uint32_t size = 1;
    while (size * TW_DEVICE_SUMS_THREADS < count)
        size *= 2;
    return size;
}

/* Joins numbers in memory by the tree, in TW_DEVICE_SUMS_LEVELS + 1 stages. *total is set in the
 * last one. */
TW_INLINE void tw_device_sums_array(const double *x, uint32_t count, tw_device_sums_work *work,
                                    uint32_t stage, uint32_t thread, double *total)
{
    const uint32_t size = tw_device_sums_branch_size(count), first = thread * size;
    const uint32_t branches = count > 0 ? (count - 1) / size + 1 : 0;
    const uint32_t step = stage > 0 ? 1u << (stage - 1) : 0;
    if (stage == 0 && thread < branches)
        work->branch[thread] =
            tw_device_sums_tree(x + first, count - first < size ? count - first : size);
    if (stage > 0 && thread % (2 * step) == 0 && thread + step < branches)
        work->branch[thread] += work->branch[thread + step];
    if (stage == TW_DEVICE_SUMS_LEVELS && thread == 0)
        *total = branches > 0 ? work->branch[0] : 0.0;
}

TW_INLINE void tw_device_sums_total(const tw_device_list *list, tw_state *state,
                                    tw_schedule *schedule, tw_device_touch *touch,
                                    tw_device_forces *forces, tw_device_sums *sums,
                                    tw_device_sums_work *work, uint32_t i, uint32_t stage,
                                    uint32_t thread)
{
    const uint32_t teams = tw_device_sums_teams(list->tiles);
    if (i < TW_DEVICE_SUMS) {
        tw_device_sums_array(tw_device_sums_tile(list, sums, i, 0), list->tiles, work, stage,
                             thread, &sums->total[i]);
    } else if (stage == 0 && i - TW_DEVICE_SUMS < teams) {
        const uint32_t tile = (i - TW_DEVICE_SUMS) * TW_DEVICE_SUMS_THREADS + thread;
        if (tile < list->tiles)
            tw_device_sums_contacts_remove(state, schedule, touch, forces, tile);
    } else if (stage == 0) {
        const uint32_t at = (i - TW_DEVICE_SUMS - teams) * TW_DEVICE_SUMS_THREADS + thread;
        if (at < TW_TILE_ACCUMULATOR * (uint32_t)list->walls)
            tw_device_sums_wall(&schedule->tiles, list, sums, at);
    }
}

#endif
