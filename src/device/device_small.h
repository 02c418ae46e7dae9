/* SPDX-License-Identifier: BSD-3-Clause */
/* Small specimens, of few tiles, which leave most of a large device without work: their steps take
 * as long as the chain of kernels. In place of the phase tw_device_sums_total, the phase that needs
 * the totals (device_turn.h) joins the tiles and removes contacts that have parted in stages of its
 * own. */
#ifndef TW_DEVICE_SMALL_H
#define TW_DEVICE_SMALL_H

#include "device/device_sums.h"

enum { TW_DEVICE_FEW_TILES = 64 };

/* Tests have another limit. */
#ifndef TW_DEVICE_SMALL_MOST
#define TW_DEVICE_SMALL_MOST TW_DEVICE_FEW_TILES
#endif
TW_INLINE int tw_device_is_small(const tw_device_list *list)
{
    return list->tiles <= TW_DEVICE_SMALL_MOST;
}

/* ---- Tiles ---- */

enum {
    TW_DEVICE_SMALL_BRANCHES = TW_DEVICE_FEW_TILES / TW_DEVICE_SUMS_TILES,
    TW_DEVICE_SMALL_ITEMS = TW_DEVICE_SUMS * TW_DEVICE_SMALL_BRANCHES,
    TW_DEVICE_SMALL_PARTED = 64 /* contacts */
};

/* In memory that threads share. */
typedef struct tw_device_small_sums {
    double branch[TW_DEVICE_SUMS][TW_DEVICE_SMALL_BRANCHES + 1]; /* in banks of their own */
    double total[TW_DEVICE_SUMS];
    uint32_t first[TW_DEVICE_FEW_TILES], ended[TW_DEVICE_FEW_TILES]; /* contact slots of a tile */
    uint32_t count;                                                  /* of the following */
    uint32_t tile[TW_DEVICE_SMALL_PARTED], slot[TW_DEVICE_SMALL_PARTED];
} tw_device_small_sums;

/* Some tiles of a sum. */
TW_INLINE void tw_device_small_branch(const tw_device_list *list, const tw_device_sums *sums,
                                      tw_device_small_sums *to, uint32_t item)
{
    const uint32_t sum = item / TW_DEVICE_SMALL_BRANCHES, branch = item % TW_DEVICE_SMALL_BRANCHES,
                   first = branch * TW_DEVICE_SUMS_TILES,
                   count = first < list->tiles ? list->tiles - first : 0;
    double v[TW_DEVICE_SUMS_TILES];
    tw_device_sums_load(tw_device_sums_tile(list, sums, sum, first), count, v);
    to->branch[sum][branch] = tw_device_sums_pairs(v, count);
}

/* A sum. */
TW_INLINE void tw_device_small_total(const tw_device_list *list, tw_device_small_sums *few,
                                     uint32_t sum)
{
    double v[TW_DEVICE_SMALL_BRANCHES];
    for (uint32_t k = 0; k < TW_DEVICE_SMALL_BRANCHES; k++)
        v[k] = few->branch[sum][k];
    few->total[sum] =
        tw_device_sums_pairs(v, (list->tiles + TW_DEVICE_SUMS_TILES - 1) / TW_DEVICE_SUMS_TILES);
}

/* ---- Contacts that have parted: three stages, in which few accesses wait for others ---- */

/* A tile: how many are there? */
TW_INLINE void tw_device_small_ended(const tw_tiles *tiles, const tw_device_list *list,
                                     const tw_device_touch *touch, tw_device_small_sums *few,
                                     uint32_t tile)
{
    if (tile == 0) few->count = 0;
    if (tile >= list->tiles) return;
    few->first[tile] = tiles->tile[tile].slot;
    few->ended[tile] = touch->tile[tile].ended;
}

/* A tile: lists them. Those for which there is no room are removed here. */
TW_INLINE void tw_device_small_list(const tw_device_list *list, tw_state *state,
                                    tw_schedule *schedule, tw_device_touch *touch,
                                    tw_device_forces *forces, tw_device_small_sums *few,
                                    uint32_t tile)
{
    const uint32_t ended = tile < list->tiles ? few->ended[tile] : 0;
    if (ended == 0) return;
    const uint32_t at = tw_device_atomic_add(&few->count, ended);
    for (uint32_t k = 0; k < ended; k++) {
        const uint32_t slot = touch->ended[few->first[tile] + k];
        if (at + k < TW_DEVICE_SMALL_PARTED) {
            few->tile[at + k] = tile;
            few->slot[at + k] = slot;
        } else {
            tw_device_sums_contacts_empty(state, schedule, touch, forces, tile, slot);
        }
    }
    touch->tile[tile].ended = 0;
}

/* One of them. */
TW_INLINE void tw_device_small_remove(tw_state *state, tw_schedule *schedule,
                                      tw_device_touch *touch, tw_device_forces *forces,
                                      const tw_device_small_sums *few, uint32_t k)
{
    if (k < TW_DEVICE_SMALL_PARTED && k < few->count)
        tw_device_sums_contacts_empty(state, schedule, touch, forces, few->tile[k], few->slot[k]);
}

/* ---- Stages of the phase that needs the totals ---- */

enum { TW_DEVICE_SMALL_WARP = 32 };

/* Some tiles of a sum, of number `item`; forces on walls; contacts of a tile that have parted. They
 * are computed by different threads: for each of them only one of the numbers is in range. */
TW_INLINE void tw_device_small_load(const tw_tiles *tiles, const tw_device_list *list,
                                    const tw_device_touch *touch, tw_device_sums *sums,
                                    tw_device_small_sums *to, uint32_t item, uint32_t wall,
                                    uint32_t tile)
{
    if (!tw_device_is_small(list)) return;
    if (item < TW_DEVICE_SMALL_ITEMS)
        tw_device_small_branch(list, sums, to, item);
    else if (wall < TW_DEVICE_SMALL_WARP)
        for (uint32_t k = wall; k < 3 * list->walls; k += TW_DEVICE_SMALL_WARP)
            tw_device_sums_wall_force(tiles, list, sums, k / 3, k % 3);
    else if (tile < TW_DEVICE_FEW_TILES)
        tw_device_small_ended(tiles, list, touch, to, tile);
}

/* Removes contacts that have parted, in two stages. `k`: a tile, then a contact. */
TW_INLINE void tw_device_small_part(const tw_device_list *list, tw_state *state,
                                    tw_schedule *schedule, tw_device_touch *touch,
                                    tw_device_forces *forces, tw_device_small_sums *few,
                                    uint32_t stage, uint32_t k)
{
    if (k >= TW_DEVICE_FEW_TILES || !tw_device_is_small(list)) return;
    if (stage == 0)
        tw_device_small_list(list, state, schedule, touch, forces, few, k);
    else
        tw_device_small_remove(state, schedule, touch, forces, few, k);
}

#endif
