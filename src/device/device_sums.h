/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of a step: in lanes per tile, then lanes, tiles and groups of tiles are joined in the order
 * of base/sum_lanes.h and base/sum.h. Contacts that have parted are removed afterwards. */
#ifndef TW_DEVICE_SUMS_H
#define TW_DEVICE_SUMS_H

#include "base/sum_lanes.h"
#include "base/sum_tree.h"
#include "control/servo.h"
#include "device/device_atomic.h"
#include "device/device_move.h"
#include "device/device_walls.h"
#include "device/device_world.h"
#include "step/motion.h"
#include "world/tile_load.h"

/* Numbers are loaded in batches before they are added, so that the loads overlap. */
enum { TW_DEVICE_SUMS_BATCH = 16, TW_DEVICE_SUMS_GROUP = 64 };

/* ---- Places of partial sums ---- */

TW_INLINE double *tw_device_sums_lane(const tw_device_world *w, uint32_t sum, uint32_t tile)
{
    return w->lane_sum + ((size_t)sum * w->tiles + tile) * TW_SUM_LANES;
}

TW_INLINE double *tw_device_sums_tile(const tw_device_world *w, uint32_t sum, uint32_t tile)
{
    return w->tile_sum + ((size_t)sum * w->tiles + tile);
}

TW_INLINE double *tw_device_sums_wall(const tw_device_world *w)
{
    return w->lane_sum + (size_t)TW_DEVICE_SUM_ROOM * w->tiles * TW_SUM_LANES;
}

/* Numbers in w->lane_sum. */
TW_INLINE size_t tw_device_sums_lane_room(size_t tiles, size_t walls)
{
    return (size_t)TW_DEVICE_SUM_ROOM * TW_SUM_LANES * tiles + 3 * walls;
}

/* Numbers in w->sum_count. */
TW_INLINE size_t tw_device_sums_count_room(size_t groups)
{
    return (size_t)TW_DEVICE_SUM_ROOM * (groups + 1);
}

/* ---- Tiles to groups, and groups to the total ---- */

/* Items of a phase before the joining reset the counts. */
TW_INLINE void tw_device_sums_reset(tw_device_world *w, uint32_t i, uint32_t items)
{
    const uint32_t counts = (uint32_t)tw_device_sums_count_room(w->groups);
    for (uint32_t k = i; k < counts; k += items)
        w->sum_count[k] = 0;
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
TW_INLINE void tw_device_sums_put(tw_device_world *w, uint32_t sum, uint32_t tile, double value)
{
    const uint32_t group = tile / TW_DEVICE_SUMS_GROUP, first = group * TW_DEVICE_SUMS_GROUP;
    const uint32_t left = w->tiles - first;
    const uint32_t members = left < TW_DEVICE_SUMS_GROUP ? left : TW_DEVICE_SUMS_GROUP;
    double *groups = w->group_sum + (size_t)sum * w->groups;
    uint32_t *count = w->sum_count + (size_t)sum * (w->groups + 1);
    *tw_device_sums_tile(w, sum, tile) = value;
    if (!tw_device_atomic_last(&count[group], members)) return;
    groups[group] = tw_device_sums_tree(tw_device_sums_tile(w, sum, first), members);
    if (w->groups > 1 && !tw_device_atomic_last(&count[w->groups], w->groups)) return;
    w->total[sum] = w->groups > 1 ? tw_device_sums_tree(groups, w->groups) : groups[group];
}

TW_INLINE double tw_device_sums_join(const tw_device_world *w, uint32_t sum, uint32_t tile)
{
    return tw_sum_lanes_join(tw_device_sums_lane(w, sum, tile));
}

/* ---- Lanes ---- */

/* Contact slots of a lane, in batches. */
typedef struct tw_device_sums_batch {
    uint32_t slot[TW_DEVICE_SUMS_BATCH];
    uint8_t how[TW_DEVICE_SUMS_BATCH], slides[TW_DEVICE_SUMS_BATCH];
} tw_device_sums_batch;

TW_INLINE double tw_device_sums_lost(const tw_device_world *w, const tw_device_sums_batch *b, int k,
                                     int sparse, double sum)
{
    double v[TW_DEVICE_SUMS_BATCH];
    for (int j = 0; j < TW_DEVICE_SUMS_BATCH; j++) {
        const int some = b->how[j] == TW_DEVICE_LANES && (!sparse || b->slides[j]);
        v[j] = some ? w->lost[k][b->slot[j]] : 0.0;
    }
    for (int j = 0; j < TW_DEVICE_SUMS_BATCH; j++)
        sum += v[j];
    return sum;
}

/* Where the slots of a lane with contacts that were advanced one by one are listed: in the list of
 * these contacts, which has been worked off. */
TW_INLINE uint32_t *tw_device_sums_singles(const tw_device_world *w, const tw_tile *tile,
                                           uint32_t lane)
{
    return w->hard + tile->slot + lane * (tw_tile_round_up(tile->slots) / TW_SUM_LANES);
}

/* Work lost in contacts of spheres, and their number. */
TW_INLINE void tw_device_sums_contacts(tw_device_world *w, uint32_t number, uint32_t lane)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const uint32_t end = tile->slot + tile->slots;
    /* By the exact law nothing is lost where a contact sticks. */
    const int sparse = w->run.plain && w->model.laws->kind == TW_CONTACT_EXACT;
    uint32_t *singles = tw_device_sums_singles(w, tile, lane);
    uint32_t single = 0, contacts = 0, sliding = 0;
    double lost[TW_DEVICE_LOSSES] = {0.0};
    for (uint32_t first = tile->slot + lane; first < end;
         first += TW_DEVICE_SUMS_BATCH * TW_SUM_LANES) {
        tw_device_sums_batch b;
        for (uint32_t j = 0; j < TW_DEVICE_SUMS_BATCH; j++) {
            const uint32_t slot = first + j * TW_SUM_LANES;
            b.slot[j] = slot;
            b.how[j] = slot < end ? w->how[slot] : (uint8_t)TW_DEVICE_EMPTY;
            b.slides[j] = slot < end ? w->state.contacts.sliding[slot] : 0;
        }
        for (int k = 0; k < TW_DEVICE_LOSSES; k++)
            if (w->lost[k]) lost[k] = tw_device_sums_lost(w, &b, k, sparse, lost[k]);
        for (uint32_t j = 0; j < TW_DEVICE_SUMS_BATCH; j++) {
            const int touches = b.how[j] == TW_DEVICE_LANES || b.how[j] == TW_DEVICE_SINGLE;
            contacts += touches ? 1 : 0;
            sliding += touches && b.slides[j] ? 1 : 0;
            if (b.how[j] >= TW_DEVICE_SINGLE) singles[single++] = b.slot[j];
        }
    }
    for (uint32_t k = 0; k < TW_DEVICE_LOSSES; k++)
        tw_device_sums_lane(w, TW_DEVICE_SUM_LOST + k, number)[lane] = lost[k];
    tw_device_sums_lane(w, TW_DEVICE_SUM_CONTACTS, number)[lane] = contacts;
    tw_device_sums_lane(w, TW_DEVICE_SUM_SLIDING, number)[lane] = sliding;
    tw_device_sums_lane(w, TW_DEVICE_SUM_SINGLES, number)[lane] = single;
}

/* Stress of the velocities, as in control/servo.c. */
TW_INLINE void tw_device_sums_kinetic(tw_device_world *w, uint32_t number, uint32_t lane)
{
    enum { BATCH = 8 };
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const tw_bodies *b = &w->state.bodies;
    const uint32_t end = tile->body + tile->bodies;
    double sum[TW_COMPONENTS] = {0.0};
    for (uint32_t first = tile->body + lane; first < end; first += BATCH * TW_SUM_LANES) {
        double m[BATCH];
        tw_vec3 v[BATCH];
        for (uint32_t k = 0; k < BATCH; k++) {
            const uint32_t i = first + k * TW_SUM_LANES;
            const tw_vec3 none = tw_vec3_make(0.0, 0.0, 0.0);
            m[k] = i < end && !(b->flags[i] & TW_BODY_FIXED) ? b->mass[i] : 0.0;
            v[k] = i < end ? b->v[i] : none;
        }
        for (uint32_t k = 0; k < BATCH; k++)
            tw_servo_steer_kinetic(m[k], v[k], sum);
    }
    for (uint32_t k = 0; k < TW_COMPONENTS; k++)
        tw_device_sums_lane(w, TW_DEVICE_SUM_KINETIC + k, number)[lane] = sum[k];
}

/* Parts of the move phase. */
TW_INLINE void tw_device_sums_parts(tw_device_world *w, uint32_t number, uint32_t lane)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const uint32_t end = tile->body + tile->bodies;
    for (uint32_t p = 0; p < TW_DEVICE_PART_DRIVEN; p++) {
        const double *part = w->part[p];
        double sum = 0.0;
        if (!tw_device_move_has(w, p)) continue;
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
        tw_device_sums_lane(w, TW_DEVICE_SUM_PART + p, number)[lane] = sum;
    }
}

/* ---- What is summed one by one in a tile ---- */

/* Fixed bodies, in the order of bodies. Those of the move phase have the order of before if there
 * was a search since. */
TW_INLINE void tw_device_sums_driven(tw_device_world *w, uint32_t number)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const tw_bodies *b = &w->state.bodies;
    const uint32_t end = tile->body + tile->bodies;
    const double *part = w->part[TW_DEVICE_PART_DRIVEN];
    double moved = 0.0, gathered = 0.0;
    for (uint32_t first = tile->body; first < end; first += TW_DEVICE_SUMS_BATCH) {
        double v[TW_DEVICE_SUMS_BATCH];
        uint32_t flags[TW_DEVICE_SUMS_BATCH];
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_BATCH; k++) {
            v[k] = first + k < end ? part[first + k] : 0.0;
            flags[k] = first + k < end ? b->flags[first + k] : 0;
        }
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_BATCH; k++) {
            moved += v[k];
            if (flags[k] & TW_BODY_FIXED) gathered -= 0.5 * tw_motion_work(b, first + k);
        }
    }
    *tw_device_sums_tile(w, TW_DEVICE_SUM_PART + TW_DEVICE_PART_DRIVEN, number) = moved;
    *tw_device_sums_tile(w, TW_DEVICE_SUM_DRIVEN_GATHER, number) = gathered;
}

/* Those of body slots are in the sums of tiles: device_accumulate.h. */
TW_INLINE void tw_device_sums_walls(tw_device_world *w, uint32_t number)
{
    double moment[9] = {0.0};
    tw_device_walls_sum(w, number, moment);
    for (uint32_t j = 0; j < 9; j++)
        *tw_device_sums_lane(w, TW_DEVICE_SUM_MOMENT + j, number) = moment[j];
}

/* ---- First phase: lanes, and what is summed one by one ---- */

enum { TW_DEVICE_SUMS_KINDS = 3 };

TW_INLINE uint32_t tw_device_sums_items(const tw_device_world *known)
{
    const uint32_t serial = (known->run.fixed ? 1u : 0u) + (known->state.wall_count > 0 ? 1u : 0u);
    return (TW_DEVICE_SUMS_KINDS * TW_SUM_LANES + serial) * known->tiles;
}

TW_INLINE void tw_device_sums(tw_device_world *w, uint32_t i)
{
    const uint32_t lanes = TW_SUM_LANES * w->tiles, kind = i / lanes, at = i % lanes;
    const uint32_t tile = at / TW_SUM_LANES, lane = at % TW_SUM_LANES;
    tw_device_sums_reset(w, i, tw_device_sums_items(w));
    if (kind == 0)
        tw_device_sums_contacts(w, tile, lane);
    else if (kind == 1)
        tw_device_sums_kinetic(w, tile, lane);
    else if (kind == 2)
        tw_device_sums_parts(w, tile, lane);
    else if (w->run.fixed && at < w->tiles)
        tw_device_sums_driven(w, at);
    else
        tw_device_sums_walls(w, at % w->tiles);
}

/* ---- Second phase: tiles are joined; contacts that have parted are removed ---- */

/* Contacts that were advanced one by one, in the order of slots. */
TW_INLINE double tw_device_sums_lost_singly(const tw_device_world *w, uint32_t number,
                                            const double *lost)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const double *singles = tw_device_sums_lane(w, TW_DEVICE_SUM_SINGLES, number);
    uint32_t next[TW_SUM_LANES], left = 0;
    uint32_t at[TW_SUM_LANES], end[TW_SUM_LANES];
    double sum = 0.0;
    for (uint32_t l = 0; l < TW_SUM_LANES; l++) {
        at[l] = 0;
        end[l] = (uint32_t)singles[l];
        left += end[l];
    }
    if (left == 0) return sum;
    for (uint32_t l = 0; l < TW_SUM_LANES; l++)
        next[l] = end[l] > 0 ? tw_device_sums_singles(w, tile, l)[0] : UINT32_MAX;
    for (; left > 0; left--) {
        uint32_t least = 0;
        for (uint32_t l = 1; l < TW_SUM_LANES; l++)
            if (next[l] < next[least]) least = l;
        sum += lost[next[least]];
        at[least]++;
        next[least] =
            at[least] < end[least] ? tw_device_sums_singles(w, tile, least)[at[least]] : UINT32_MAX;
    }
    return sum;
}

TW_INLINE double tw_device_sums_lost_tile(const tw_device_world *w, uint32_t number, uint32_t k)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const double *lost = w->lost[k];
    double sum = tw_device_sums_lost_singly(w, number, lost);
    sum += tw_device_sums_join(w, TW_DEVICE_SUM_LOST + k, number);
    for (uint32_t j = 0; j < tile->walls; j++)
        if (w->how[tile->wall_slot + j] != TW_DEVICE_EMPTY) sum += lost[tile->wall_slot + j];
    return sum;
}

/* Contacts with walls that touch, or of these those that slide. */
TW_INLINE double tw_device_sums_count_walls(const tw_device_world *w, uint32_t number, int slides)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    uint32_t count = 0;
    for (uint32_t slot = tile->wall_slot; slot < tile->wall_slot + tile->walls; slot++)
        count +=
            w->how[slot] == TW_DEVICE_SINGLE && (!slides || w->state.contacts.sliding[slot] != 0);
    return count;
}

TW_INLINE void tw_device_sums_sum(tw_device_world *w, uint32_t sum, uint32_t tile)
{
    const uint32_t lost = sum - TW_DEVICE_SUM_LOST, part = sum - TW_DEVICE_SUM_PART;
    const int driven = part == TW_DEVICE_PART_DRIVEN || sum == TW_DEVICE_SUM_DRIVEN_GATHER;
    double value = 0.0;
    if ((lost < TW_DEVICE_LOSSES && !w->lost[lost]) || (driven && !w->run.fixed) ||
        (part < TW_DEVICE_PART_DRIVEN && !tw_device_move_has(w, part))) {
        if (tile == 0) w->total[sum] = 0.0;
        return;
    }
    if (sum < TW_DEVICE_SUM_LOST)
        value = (w->state.wall_count > 0 ? *tw_device_sums_lane(w, sum, tile) : 0.0) -
                *tw_device_sums_tile(w, sum, tile);
    else if (lost < TW_DEVICE_LOSSES)
        value = tw_device_sums_lost_tile(w, tile, lost);
    else if (driven)
        value = *tw_device_sums_tile(w, sum, tile);
    else
        value = tw_device_sums_join(w, sum, tile);
    if (sum == TW_DEVICE_SUM_CONTACTS || sum == TW_DEVICE_SUM_SLIDING)
        value += tw_device_sums_count_walls(w, tile, sum == TW_DEVICE_SUM_SLIDING);
    tw_device_sums_put(w, sum, tile, value);
}

/* Empties the slots of contacts that have parted. */
TW_INLINE void tw_device_sums_remove(tw_device_world *w, uint32_t number)
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

/* One component of the force on a wall, in the order of tiles. */
TW_INLINE void tw_device_sums_wall_force(tw_device_world *w, uint32_t wall, uint32_t component)
{
    const size_t walls = w->state.wall_count;
    const tw_tile_accumulator *from = w->schedule.tiles.wall_accumulator + wall;
    double sum = 0.0;
    for (uint32_t first = 0; first < w->tiles; first += TW_DEVICE_SUMS_BATCH) {
        double v[TW_DEVICE_SUMS_BATCH];
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_BATCH; k++)
            v[k] = first + k < w->tiles ? from[(first + k) * walls].force[component] : 0.0;
        for (uint32_t k = 0; k < TW_DEVICE_SUMS_BATCH; k++)
            sum += v[k];
    }
    tw_device_sums_wall(w)[3 * wall + component] = sum;
}

TW_INLINE uint32_t tw_device_sums_group_items(const tw_device_world *known)
{
    return (TW_DEVICE_SUMS + 1) * known->tiles + 3 * (uint32_t)known->state.wall_count;
}

TW_INLINE void tw_device_sums_group(tw_device_world *w, uint32_t i)
{
    const uint32_t sum = i / w->tiles, tile = i % w->tiles,
                   rest = i - (TW_DEVICE_SUMS + 1) * w->tiles;
    if (sum < TW_DEVICE_SUMS)
        tw_device_sums_sum(w, sum, tile);
    else if (sum == TW_DEVICE_SUMS)
        tw_device_sums_remove(w, tile);
    else
        tw_device_sums_wall_force(w, rest / 3, rest % 3);
}

#endif
