/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of a step where there are few tiles. The phase that needs the totals joins the tiles itself,
 * and removes contacts that have parted: a phase of its own would take longer than that. Lanes are
 * joined before. */
#ifndef TW_DEVICE_SUMS_FEW_H
#define TW_DEVICE_SUMS_FEW_H

#include "device/device_sums.h"

/* ---- Bodies ---- */

/* tw_device_sums_bodies of a tile, whose lanes are joined. */
enum { TW_DEVICE_SUMS_FEW_THREADS = 64 };

typedef struct tw_device_sums_few_lanes {
    double kinetic[TW_COMPONENTS][TW_SUM_LANES];
    double part[TW_DEVICE_PART_DRIVEN][TW_SUM_LANES];
} tw_device_sums_few_lanes;

TW_INLINE uint32_t tw_device_sums_few_bodies_stages(const tw_device_world *w, uint32_t number)
{
    (void)w;
    (void)number;
    return 2;
}

TW_INLINE void tw_device_sums_few_bodies(tw_device_world *w, tw_device_sums_few_lanes *work,
                                         uint32_t number, uint32_t stage, uint32_t thread)
{
    const uint32_t other = thread - 32; /* of another warp */
    if (stage == 0 && thread < TW_SUM_LANES) {
        double sum[TW_COMPONENTS];
        tw_device_sums_kinetic(w, number, thread, sum);
        for (uint32_t k = 0; k < TW_COMPONENTS; k++)
            work->kinetic[k][thread] = sum[k];
    } else if (stage == 0 && other < TW_SUM_LANES) {
        for (uint32_t p = 0; p < TW_DEVICE_PART_DRIVEN; p++)
            if (tw_device_move_has(w, p))
                work->part[p][other] = tw_device_sums_part(w, number, other, p);
    } else if (stage == 1 && thread < TW_COMPONENTS) {
        *tw_device_sums_tile(w, TW_DEVICE_SUM_KINETIC + thread, number) =
            tw_sum_lanes_join(work->kinetic[thread]);
    } else if (stage == 1 && other < TW_DEVICE_PART_DRIVEN && tw_device_move_has(w, other)) {
        *tw_device_sums_tile(w, TW_DEVICE_SUM_PART + other, number) =
            tw_sum_lanes_join(work->part[other]);
    }
}

/* ---- Tiles ---- */

enum {
    TW_DEVICE_SUMS_FEW_BRANCHES = TW_DEVICE_FEW_TILES / TW_DEVICE_SUMS_TILES,
    TW_DEVICE_SUMS_FEW_ITEMS = TW_DEVICE_SUMS * TW_DEVICE_SUMS_FEW_BRANCHES,
    TW_DEVICE_SUMS_FEW_PARTED = 64 /* contacts */
};

/* In memory that threads share. */
typedef struct tw_device_sums_few {
    double branch[TW_DEVICE_SUMS][TW_DEVICE_SUMS_FEW_BRANCHES + 1]; /* in banks of their own */
    double total[TW_DEVICE_SUMS];
    uint32_t first[TW_DEVICE_FEW_TILES], ended[TW_DEVICE_FEW_TILES]; /* contact slots of a tile */
    uint32_t count;                                                  /* of the following */
    uint32_t tile[TW_DEVICE_SUMS_FEW_PARTED], slot[TW_DEVICE_SUMS_FEW_PARTED];
} tw_device_sums_few;

/* Some tiles of a sum; none if they are not `few`. */
TW_INLINE void tw_device_sums_few_branch(const tw_device_world *w, tw_device_sums_few *sums,
                                         uint32_t item, int few)
{
    const uint32_t sum = item / TW_DEVICE_SUMS_FEW_BRANCHES,
                   branch = item % TW_DEVICE_SUMS_FEW_BRANCHES,
                   first = branch * TW_DEVICE_SUMS_TILES, tiles = w->tiles;
    const uint32_t left = first < tiles ? tiles - first : 0,
                   most = left < TW_DEVICE_SUMS_TILES ? left : TW_DEVICE_SUMS_TILES,
                   count = few & tw_device_sums_has(w, sum) ? most : 0;
    double v[TW_DEVICE_SUMS_TILES];
    tw_device_sums_of_tiles(w, 1, sum, first, count, v);
    sums->branch[sum][branch] = tw_device_sums_pairs(v, count);
}

/* A sum. */
TW_INLINE void tw_device_sums_few_total(const tw_device_world *w, tw_device_sums_few *few,
                                        uint32_t sum)
{
    double v[TW_DEVICE_SUMS_FEW_BRANCHES];
    for (uint32_t k = 0; k < TW_DEVICE_SUMS_FEW_BRANCHES; k++)
        v[k] = few->branch[sum][k];
    few->total[sum] =
        tw_device_sums_pairs(v, (w->tiles + TW_DEVICE_SUMS_TILES - 1) / TW_DEVICE_SUMS_TILES);
}

/* ---- Contacts that have parted: three stages, in which few accesses wait for others ---- */

/* A tile: how many are there? */
TW_INLINE void tw_device_sums_few_ended(const tw_device_world *w, tw_device_sums_few *few,
                                        uint32_t tile)
{
    if (tile == 0) few->count = 0;
    if (tile >= w->tiles) return;
    few->first[tile] = w->schedule.tiles.tile[tile].slot;
    few->ended[tile] = w->tile[tile].ended;
}

/* A tile: lists them. Those for which there is no room are removed at once. */
TW_INLINE void tw_device_sums_few_list(tw_device_world *w, tw_device_sums_few *few, uint32_t tile)
{
    const uint32_t ended = tile < w->tiles ? few->ended[tile] : 0;
    if (ended == 0) return;
    const uint32_t at = tw_device_atomic_add(&few->count, ended);
    for (uint32_t k = 0; k < ended; k++) {
        const uint32_t slot = w->ended[few->first[tile] + k];
        if (at + k < TW_DEVICE_SUMS_FEW_PARTED) {
            few->tile[at + k] = tile;
            few->slot[at + k] = slot;
        } else {
            tw_device_sums_contacts_empty(w, tile, slot);
        }
    }
    w->tile[tile].ended = 0;
}

/* One of them. */
TW_INLINE void tw_device_sums_few_remove(tw_device_world *w, const tw_device_sums_few *few,
                                         uint32_t k)
{
    if (k < TW_DEVICE_SUMS_FEW_PARTED && k < few->count)
        tw_device_sums_contacts_empty(w, few->tile[k], few->slot[k]);
}

#endif
