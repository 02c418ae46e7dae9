/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy stored in the contacts after the last step, with the bits of the CPU: no step needs it, so
 * it is summed when the host looks. Includer: a runtime first. */
#ifndef TW_DEVICE_STORED_H
#define TW_DEVICE_STORED_H

#include "base/sum.h"
#include "device/device_launch.h"
#include "device/device_laws.h"
#include "device/device_memory.h"
#include "device/device_sums.h"
#include "world/schedule.h"

enum {
    TW_DEVICE_STORED_NORMAL,
    TW_DEVICE_STORED_TANGENTIAL,
    TW_DEVICE_STORED_ROLLING,
    TW_DEVICE_STORED_TWISTING,
    TW_DEVICE_STORED_SUMS
};

/* Threads that share an item: for contacts of spheres, and for those of walls. */
enum { TW_DEVICE_STORED_THREADS = 256, TW_DEVICE_STORED_WALL_THREADS = 32 };

/* How many of the sums there are. The others are 0. */
TW_INLINE uint32_t tw_device_stored_count(const tw_device_world *w)
{
    const tw_extras *extras = &w->state.contacts.extras;
    if (tw_device_world_is_plain(w) || (!extras->fr && !extras->fw))
        return TW_DEVICE_STORED_ROLLING;
    return extras->fw ? TW_DEVICE_STORED_SUMS : TW_DEVICE_STORED_TWISTING;
}

/* ---- Energies of a contact ---- */

/* One that was advanced one by one. */
TW_INLINE void tw_device_stored_single(const tw_device_world *w, uint32_t s, double *term)
{
    const tw_pair *pair = &w->schedule.pairs.pair[w->schedule.slots.pair[s]];
    const tw_contact_law law = tw_pair_law(&w->model, &w->state, &w->schedule, pair);
    const tw_contact_memory memory = tw_bundle_get(w->state.contacts.bundle, s);
    const tw_contact_extra extra = tw_extras_get(&w->state.contacts.extras, s);
    const tw_stored stored = tw_touch_one_stored(&law, &memory, &extra);
    term[TW_DEVICE_STORED_NORMAL] = stored.normal;
    term[TW_DEVICE_STORED_TANGENTIAL] = stored.tangential;
    term[TW_DEVICE_STORED_ROLLING] = stored.rolling;
    term[TW_DEVICE_STORED_TWISTING] = stored.twisting;
}

/* One of step/touch_laws.c that was advanced in lanes. */
TW_INLINE void tw_device_stored_lanes(const tw_device_world *w, uint32_t s, double *term)
{
    const tw_device_laws_traits h = tw_device_laws_any(w);
    const tw_extras *extras = &w->state.contacts.extras;
    const tw_contact_memory memory = tw_bundle_get(w->state.contacts.bundle, s);
    const double zeta0 = h.normal == TW_CONTACT_HERTZ ? w->zeta_before[s] : memory.zeta;
    tw_device_laws_contact c;
    tw_device_laws_law(h, w, s, &c);
    const tw_contact_course course =
        tw_contact_course_of(h.kind, h.refine, &c.law, zeta0, memory.zeta);
    term[TW_DEVICE_STORED_NORMAL] =
        tw_contact_law_stored_normal_by(&c.law, memory.zeta, course.fn1);
    term[TW_DEVICE_STORED_TANGENTIAL] =
        tw_contact_touch_stored(h.normal, &course, c.soft, tw_vec3_dot(memory.ft, memory.ft));
    if (extras->fr) {
        const tw_vec3 fr = tw_bundle_force_get(extras->fr, s);
        term[TW_DEVICE_STORED_ROLLING] = tw_contact_touch_stored(
            h.normal, &course, tw_contact_law_compliance(c.law.k_r), tw_vec3_dot(fr, fr));
    }
    if (extras->fw) {
        const double fw = extras->fw[s / TW_BUNDLE].x[s % TW_BUNDLE];
        term[TW_DEVICE_STORED_TWISTING] = tw_contact_touch_stored(
            h.normal, &course, tw_contact_law_compliance(c.law.k_w) * fw, fw);
    }
}

/* One of step/touch_spheres.c, up to a factor. */
TW_INLINE void tw_device_stored_plain(const tw_device_world *w, uint32_t s, double *term)
{
    const tw_contact_memory memory = tw_bundle_get(w->state.contacts.bundle, s);
    term[TW_DEVICE_STORED_NORMAL] = tw_contact_law_normal_term(memory.zeta);
    term[TW_DEVICE_STORED_TANGENTIAL] = tw_contact_law_tangential_term(memory.ft);
}

TW_INLINE double tw_device_stored_factor(const tw_device_world *w, uint32_t which)
{
    return which == TW_DEVICE_STORED_NORMAL ? tw_contact_law_normal_factor(w->model.laws)
                                            : tw_contact_law_tangential_factor(w->model.laws);
}

/* ---- Contacts of spheres: a lane of a tile, or those of a tile that were advanced one by one ----

   Threads compute as many contacts at a time; then each adds one of the sums, in the order of
   slots. Contacts that do not belong to the item are terms of 0: they change no bit of a sum that
   starts at +0. */

typedef struct tw_device_stored_work {
    double term[TW_DEVICE_STORED_SUMS][TW_DEVICE_STORED_THREADS + 1];
    double sum[TW_DEVICE_STORED_SUMS]; /* so far */
} tw_device_stored_work;

/* The contact slots of an item: of this tile from `slot` on, every `step`-th, `count` in all. */
typedef struct tw_device_stored_part {
    uint32_t tile, slot, step, count;
} tw_device_stored_part;

TW_INLINE tw_device_stored_part tw_device_stored_part_of(const tw_device_world *w, uint32_t i)
{
    const uint32_t lanes = TW_SUM_LANES * w->tiles, lane = i % TW_SUM_LANES;
    tw_device_stored_part part;
    part.tile = i < lanes ? i / TW_SUM_LANES : i - lanes;
    const tw_tile *tile = &w->schedule.tiles.tile[part.tile];
    part.slot = i < lanes ? tile->slot + lane : tile->slot;
    part.step = i < lanes ? TW_SUM_LANES : 1;
    part.count = i < lanes ? (tile->slots + TW_SUM_LANES - 1 - lane) / TW_SUM_LANES : tile->slots;
    return part;
}

/* By a plain law contacts that were advanced one by one are in the lanes, too. */
TW_INLINE uint32_t tw_device_stored_items(const tw_device_world *host)
{
    return (tw_device_world_is_plain(host) ? TW_SUM_LANES : TW_SUM_LANES + 1) * host->tiles;
}

/* Two for as many contacts as there are threads; two even if there are none. */
TW_INLINE uint32_t tw_device_stored_stages(const tw_device_world *w, uint32_t i)
{
    const uint32_t count = tw_device_stored_part_of(w, i).count;
    return count > 0 ? 2 * ((count - 1) / TW_DEVICE_STORED_THREADS + 1) : 2;
}

TW_INLINE void tw_device_stored_terms(const tw_device_world *w, uint32_t slot, int single,
                                      double *term)
{
    const int how = w->slot_state[slot];
    if (tw_device_world_is_plain(w)) {
        if (how == TW_DEVICE_LANES || how == TW_DEVICE_SINGLE)
            tw_device_stored_plain(w, slot, term);
    } else if (single) {
        if (how == TW_DEVICE_SINGLE) tw_device_stored_single(w, slot, term);
    } else if (how == TW_DEVICE_LANES) {
        tw_device_stored_lanes(w, slot, term);
    }
}

TW_INLINE void tw_device_stored(tw_device_world *w, tw_device_stored_work *work, uint32_t i,
                                uint32_t stage, uint32_t thread)
{
    enum { THREADS = TW_DEVICE_STORED_THREADS };
    const tw_device_stored_part part = tw_device_stored_part_of(w, i);
    const uint32_t sums = tw_device_stored_count(w), first = stage / 2 * THREADS;
    const uint32_t left = part.count - first, count = left < THREADS ? left : THREADS;
    const int single = part.step == 1;
    if (stage % 2 == 0) {
        double term[TW_DEVICE_STORED_SUMS] = {0.0};
        if (thread < count)
            tw_device_stored_terms(w, part.slot + (first + thread) * part.step, single, term);
        for (uint32_t k = 0; k < TW_DEVICE_STORED_SUMS; k++)
            if (k < sums) work->term[k][thread] = term[k];
    } else if (thread < sums) {
        double sum = stage == 1 ? 0.0 : work->sum[thread];
        for (uint32_t k = 0; k < count; k++)
            sum += work->term[thread][k];
        work->sum[thread] = sum;
        if (left > THREADS) return;
        if (single)
            *tw_device_sums_tile(w, thread, part.tile) = sum;
        else
            tw_device_sums_lane(w, thread, part.tile)[i % TW_SUM_LANES] = sum;
    }
}

/* ---- A tile: contacts one by one, the lanes, then contacts with walls ---- */

typedef struct tw_device_stored_wall_work {
    double term[TW_DEVICE_STORED_SUMS][TW_DEVICE_STORED_WALL_THREADS + 1];
} tw_device_stored_wall_work;

TW_INLINE uint32_t tw_device_stored_tile_stages(const tw_device_world *w, uint32_t number)
{
    const uint32_t walls = w->schedule.tiles.tile[number].walls,
                   each = TW_DEVICE_STORED_WALL_THREADS;
    return 1 + 2 * ((walls + each - 1) / each);
}

TW_INLINE void tw_device_stored_tile(tw_device_world *w, tw_device_stored_wall_work *work,
                                     uint32_t number, uint32_t stage, uint32_t thread)
{
    enum { THREADS = TW_DEVICE_STORED_WALL_THREADS };
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const uint32_t sums = tw_device_stored_count(w);
    const uint32_t first = stage > 0 ? (stage - 1) / 2 * THREADS : 0, left = tile->walls - first;
    double *sum = tw_device_sums_tile(w, thread < sums ? thread : 0, number);
    if (stage % 2 == 1) {
        double term[TW_DEVICE_STORED_SUMS] = {0.0};
        const uint32_t slot = tile->wall_slot + first + thread;
        if (thread < left && w->slot_state[slot] == TW_DEVICE_SINGLE)
            tw_device_stored_single(w, slot, term);
        for (uint32_t k = 0; k < TW_DEVICE_STORED_SUMS; k++)
            work->term[k][thread] = term[k];
    } else if (thread < sums) {
        double value = stage > 0 || !tw_device_world_is_plain(w) ? *sum : 0.0;
        if (stage > 0) {
            for (uint32_t k = 0; k < THREADS && k < left; k++)
                value += work->term[thread][k];
        } else {
            const double all = tw_device_sums_join(w, thread, number);
            value += tw_device_world_is_plain(w) ? tw_device_stored_factor(w, thread) * all : all;
        }
        *sum = value;
    }
}

/* ---- A sum over all tiles ---- */

TW_INLINE uint32_t tw_device_stored_join_stages(const tw_device_world *w, uint32_t which)
{
    return which < tw_device_stored_count(w) ? TW_DEVICE_SUMS_LEVELS + 1 : 1;
}

TW_INLINE void tw_device_stored_join(tw_device_world *w, tw_device_sums_work *work, uint32_t which,
                                     uint32_t stage, uint32_t thread)
{
    tw_sums *sums = &w->state.sums;
    double *total = which == TW_DEVICE_STORED_NORMAL       ? &sums->normal
                    : which == TW_DEVICE_STORED_TANGENTIAL ? &sums->tangential
                    : which == TW_DEVICE_STORED_ROLLING    ? &sums->rolling
                                                           : &sums->twisting;
    if (which < tw_device_stored_count(w))
        tw_device_sums_array(tw_device_sums_tile(w, which, 0), w->tiles, work, stage, thread,
                             total);
    else if (thread == 0)
        *total = 0.0;
}

TW_DEVICE_TEAM(tw_device_stored, TW_DEVICE_ALWAYS, tw_device_stored_work,
               tw_device_stored_stages(world, block), TW_DEVICE_STORED_THREADS, 2)
TW_DEVICE_TEAM(tw_device_stored_tile, TW_DEVICE_ALWAYS, tw_device_stored_wall_work,
               tw_device_stored_tile_stages(world, block), TW_DEVICE_STORED_WALL_THREADS, 8)
TW_DEVICE_TEAM(tw_device_stored_join, TW_DEVICE_ALWAYS, tw_device_sums_work,
               tw_device_stored_join_stages(world, block), TW_DEVICE_SUMS_THREADS, 2)

/* Sets state.sums.normal, tangential, rolling and twisting of the world on the device, after a step
 * or rotation that is complete and before the next search. */
static inline void tw_device_stored_all(tw_device_runtime *runtime, tw_device_world *world,
                                        const tw_device_world *host)
{
    tw_device_stored_each(runtime, world, tw_device_stored_items(host));
    tw_device_stored_tile_each(runtime, world, host->tiles);
    tw_device_stored_join_each(runtime, world, TW_DEVICE_STORED_SUMS);
}

#endif
