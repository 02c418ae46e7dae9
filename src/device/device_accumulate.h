/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces on body slots and the sum of their moments: what step/touch.c computes, in the order of
 * contact slots. */
#ifndef TW_DEVICE_ACCUMULATE_H
#define TW_DEVICE_ACCUMULATE_H

#include "device/device_atomic.h"
#include "device/device_plain.h"
#include "device/device_rows.h"
#include "device/device_sums.h"
#include "device/device_walls.h"
#include "device/device_world.h"

/* Lists the contact slots of body slot b in ascending order. */
TW_INLINE void tw_device_accumulate_list(tw_device_world *w, uint32_t b)
{
    const uint32_t first = w->near_first[b], end = w->near_first[b + 1];
    uint32_t next = first;
    for (uint32_t k = first; k < end; k++) {
        const uint32_t pair = w->near[k] & ~TW_DEVICE_AS_Q, side = w->near[k] & TW_DEVICE_AS_Q;
        const uint32_t slot = w->schedule.pairs.slot[pair];
        if (slot == TW_NO_SLOT) continue;
        uint32_t at = next++;
        for (; at > first && (w->seat[at - 1] & ~TW_DEVICE_AS_Q) > slot; at--)
            w->seat[at] = w->seat[at - 1];
        w->seat[at] = slot | side;
    }
    w->seats[b] = next - first;
    w->changed[b] = 0;
}

/* Adds the forces of walls on a body, after those of all contacts of spheres. */
TW_INLINE void tw_device_accumulate_walls(const tw_device_world *w, uint32_t body,
                                          tw_device_rows_six *sum)
{
    double force[3] = {sum->a.x, sum->a.y, sum->a.z}, torque[3] = {sum->b.x, sum->b.y, sum->b.z};
    tw_device_walls_add(w, body, force, torque);
    sum->a = tw_vec3_make(force[0], force[1], force[2]);
    sum->b = tw_vec3_make(torque[0], torque[1], torque[2]);
}

/* Notes the body of a body slot, counted in its tile, whose force is not finite. A position that is
 * not finite shows in the torque. The sums over slots of a body that are finite are so too: forces
 * of contacts are limited. */
TW_INLINE void tw_device_accumulate_watch(tw_device_world *w, const tw_tile *tile, uint32_t k,
                                          tw_vec3 f, tw_vec3 torque)
{
    const uint32_t ghost = k - tile->bodies;
    if (0.0 * ((f.x + f.y) + (f.z + torque.x) + (torque.y + torque.z)) == 0.0) return;
    if (k < tile->bodies)
        tw_device_atomic_min(&w->run.bad_body, tile->body + k);
    else if (ghost < tile->ghosts)
        tw_device_atomic_min(&w->run.bad_body, w->schedule.tiles.ghost[tile->ghost + ghost].body);
}

/* Force on p and torque about the tile's origin of the contact in slot s; on q they are the
 * opposite. By a plain law they follow from the memory; one that has parted has none. */
TW_INLINE tw_device_rows_six tw_device_accumulate_row(const tw_device_world *w, uint32_t s)
{
    if (!w->run.plain) return tw_device_rows_get_six(w->load + 6 * (size_t)s);
    const int ended = w->how[s] == TW_DEVICE_ENDED;
    const tw_contact_law law = tw_device_plain_law(w);
    const tw_contact_memory memory = tw_bundle_get(w->state.contacts.bundle, s);
    const tw_vec3 f = tw_contact_law_elastic_force(&law, &memory),
                  none = tw_vec3_make(0.0, 0.0, 0.0);
    const tw_vec3 point = tw_device_plain_point(w, s, memory.zeta, memory.n);
    const tw_vec3 t = tw_vec3_cross(point, f);
    tw_device_rows_six row;
    row.a = ended ? none : f;
    row.b = ended ? none : t;
    return row;
}

/* ---- A tile, shared by threads ---- */

/* Forces of a tile's contacts are first put into memory that its threads share: body slots read
 * them in any order, each twice. So many contacts at a time, for so many body slots: a multiple of
 * TW_SUM_LANES. Together they may take 99 kB, the least that devices have. */
#ifndef TW_DEVICE_ACCUMULATE_CONTACTS
#define TW_DEVICE_ACCUMULATE_CONTACTS 1000
#define TW_DEVICE_ACCUMULATE_SLOTS 1000
#endif

/* With many tiles two of them share a multiprocessor; with few each has all of its threads. */
enum { TW_DEVICE_ACCUMULATE_THREADS = 512, TW_DEVICE_ACCUMULATE_WIDE = 1024 };

typedef struct tw_device_accumulate_work {
    double row[TW_DEVICE_ACCUMULATE_CONTACTS][6];
    double sum[6][TW_DEVICE_ACCUMULATE_SLOTS]; /* force, torque about the tile's origin */
    uint32_t next[TW_DEVICE_ACCUMULATE_SLOTS]; /* contact to be added: entry of `seat` */
    double moment[9][TW_SUM_LANES];
} tw_device_accumulate_work;

/* What is done in a stage: contacts first .. end - 1 of the tile, for `count` of its body slots. */
typedef struct tw_device_accumulate_plan {
    const tw_tile *tile;
    uint32_t slot, count;  /* body slots */
    uint32_t first, end;   /* contact slots */
    uint32_t step, chunks; /* of this part of the body slots: two for each chunk of contacts, and
                              one for the moments */
} tw_device_accumulate_plan;

TW_INLINE uint32_t tw_device_accumulate_chunks(uint32_t n, uint32_t size)
{
    return n > 0 ? (n - 1) / size + 1 : 1;
}

/* Those of all parts; then the lanes are joined. */
TW_INLINE uint32_t tw_device_accumulate_stages(const tw_device_world *w, uint32_t number)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const uint32_t chunks = tw_device_accumulate_chunks(tile->slots, TW_DEVICE_ACCUMULATE_CONTACTS);
    return tw_device_accumulate_chunks(tile->body_slots, TW_DEVICE_ACCUMULATE_SLOTS) *
               (2 * chunks + 1) +
           1;
}

TW_INLINE tw_device_accumulate_plan tw_device_accumulate_plan_of(const tw_tile *tile,
                                                                 uint32_t stage)
{
    const uint32_t chunks = tw_device_accumulate_chunks(tile->slots, TW_DEVICE_ACCUMULATE_CONTACTS);
    const uint32_t part = stage / (2 * chunks + 1), step = stage % (2 * chunks + 1);
    const uint32_t slot = part * TW_DEVICE_ACCUMULATE_SLOTS, left = tile->body_slots - slot;
    const uint32_t first = step / 2 * TW_DEVICE_ACCUMULATE_CONTACTS;
    const uint32_t end = first + TW_DEVICE_ACCUMULATE_CONTACTS;
    const tw_device_accumulate_plan plan = {
        tile,
        tile->body_slot + slot,
        left < TW_DEVICE_ACCUMULATE_SLOTS ? left : TW_DEVICE_ACCUMULATE_SLOTS,
        tile->slot + first,
        tile->slot + (end < tile->slots ? end : tile->slots),
        step,
        chunks};
    return plan;
}

TW_INLINE void tw_device_accumulate_load(tw_device_world *w, tw_device_accumulate_work *work,
                                         const tw_device_accumulate_plan *plan, uint32_t thread,
                                         uint32_t threads)
{
    for (uint32_t s = plan->first + thread; s < plan->end; s += threads) {
        const tw_device_rows_six row = tw_device_accumulate_row(w, s);
        tw_device_rows_put_six(work->row[s - plan->first], row.a, row.b);
    }
    if (plan->step > 0) return;
    for (uint32_t at = thread; at < plan->count; at += threads) {
        if (w->changed[plan->slot + at]) tw_device_accumulate_list(w, plan->slot + at);
        for (int k = 0; k < 6; k++)
            work->sum[k][at] = 0.0;
        work->next[at] = w->near_first[plan->slot + at];
    }
}

/* Adds the contacts at hand of a body slot. Where there is none, a 0 changes no bit of a sum that
 * started at 0. */
TW_INLINE tw_device_rows_six tw_device_accumulate_add(const tw_device_world *w,
                                                      tw_device_accumulate_work *work,
                                                      const tw_device_accumulate_plan *plan,
                                                      uint32_t at)
{
    enum { BATCH = 4 }; /* is read before it is used, so that the accesses overlap */
    const uint32_t b = plan->slot + at, end = w->near_first[b] + w->seats[b];
    uint32_t next = work->next[at];
    tw_device_rows_six sum;
    sum.a = tw_vec3_make(work->sum[0][at], work->sum[1][at], work->sum[2][at]);
    sum.b = tw_vec3_make(work->sum[3][at], work->sum[4][at], work->sum[5][at]);
    for (int more = 1; more;) {
        uint32_t seat[BATCH];
        for (uint32_t j = 0; j < BATCH; j++)
            seat[j] = next + j < end ? w->seat[next + j] : ~0u;
        for (uint32_t j = 0; j < BATCH; j++) {
            const uint32_t slot = seat[j] & ~TW_DEVICE_AS_Q;
            more = more && slot < plan->end; /* no slot has the number of the entries without one */
            if (!more) continue;
            const tw_device_rows_six row = tw_device_rows_get_six(work->row[slot - plan->first]);
            const double sign = seat[j] & TW_DEVICE_AS_Q ? -1.0 : 1.0;
            sum.a = tw_vec3_add_scaled(sum.a, sign, row.a);
            sum.b = tw_vec3_add_scaled(sum.b, sign, row.b);
            next++;
        }
    }
    work->next[at] = next;
    return sum;
}

/* All contacts of a body slot are added. After an excessive overlap the forces stay those of
 * before, as on the CPU. */
TW_INLINE tw_vec3 tw_device_accumulate_put(tw_device_world *w,
                                           const tw_device_accumulate_plan *plan, uint32_t at,
                                           tw_device_rows_six sum)
{
    const uint32_t b = plan->slot + at, k = b - plan->tile->body_slot;
    const tw_tile_sphere_slot centre = tw_device_rows_sphere(&w->schedule.tiles.centre[b]);
    if (w->state.wall_count > 0 && k < plan->tile->bodies)
        tw_device_accumulate_walls(w, plan->tile->body + k, &sum);
    const tw_vec3 x = tw_vec3_make(centre.x[0], centre.x[1], centre.x[2]);
    const tw_vec3 torque = tw_vec3_sub(sum.b, tw_vec3_cross(x, sum.a));
    if (w->run.bad_pair == UINT64_MAX)
        tw_device_rows_put_six(w->body_load + 6 * (size_t)b, sum.a, torque);
    tw_device_accumulate_watch(w, plan->tile, k, sum.a, torque);
    return sum.a;
}

TW_INLINE void tw_device_accumulate_sum(tw_device_world *w, tw_device_accumulate_work *work,
                                        const tw_device_accumulate_plan *plan, uint32_t thread,
                                        uint32_t threads)
{
    const int last = plan->step / 2 + 1 == plan->chunks;
    for (uint32_t at = thread; at < plan->count; at += threads) {
        const tw_device_rows_six sum = tw_device_accumulate_add(w, work, plan, at);
        const tw_vec3 f = last ? tw_device_accumulate_put(w, plan, at, sum) : sum.a;
        work->sum[0][at] = f.x;
        work->sum[1][at] = f.y;
        work->sum[2][at] = f.z;
        if (last) continue;
        work->sum[3][at] = sum.b.x;
        work->sum[4][at] = sum.b.y;
        work->sum[5][at] = sum.b.z;
    }
}

/* Adds the moments of the forces on body slots, as in step/touch.c: an element, a lane. */
TW_INLINE double tw_device_accumulate_moment(const tw_device_world *w,
                                             const tw_device_accumulate_work *work,
                                             const tw_device_accumulate_plan *plan,
                                             uint32_t element, uint32_t lane, double sum)
{
    enum { BATCH = 8 };
    const tw_tile_sphere_slot *centre = w->schedule.tiles.centre + plan->slot;
    const double *f = work->sum[element % 3];
    const uint32_t row = element / 3;
    for (uint32_t first = lane; first < plan->count; first += BATCH * TW_SUM_LANES) {
        double x[BATCH];
        for (uint32_t j = 0; j < BATCH; j++) {
            const uint32_t k = first + j * TW_SUM_LANES;
            x[j] = k < plan->count ? centre[k].x[row] : 0.0;
        }
        for (uint32_t j = 0; j < BATCH; j++) {
            const uint32_t k = first + j * TW_SUM_LANES;
            if (k < plan->count) sum += x[j] * f[k];
        }
    }
    return sum;
}

/* A tile: forces on its body slots, and the sum of their moments. */
TW_INLINE void tw_device_accumulate_tile(tw_device_world *w, tw_device_accumulate_work *work,
                                         uint32_t number, uint32_t stage, uint32_t thread,
                                         uint32_t threads)
{
    const tw_device_accumulate_plan plan =
        tw_device_accumulate_plan_of(&w->schedule.tiles.tile[number], stage);
    if (stage + 1 == tw_device_accumulate_stages(w, number)) {
        if (thread < 9)
            *tw_device_sums_tile(w, TW_DEVICE_SUM_MOMENT + thread, number) =
                tw_sum_lanes_join(work->moment[thread]);
    } else if (plan.step == 2 * plan.chunks) {
        const uint32_t element = thread / TW_SUM_LANES, lane = thread % TW_SUM_LANES;
        if (element < 9)
            work->moment[element][lane] =
                tw_device_accumulate_moment(w, work, &plan, element, lane,
                                            stage == plan.step ? 0.0 : work->moment[element][lane]);
    } else if (plan.step % 2 == 0) {
        tw_device_accumulate_load(w, work, &plan, thread, threads);
    } else {
        tw_device_accumulate_sum(w, work, &plan, thread, threads);
    }
    if (number == 0 && stage == 0 && thread == 0 && w->run.bad_pair == UINT64_MAX)
        w->run.gathered = 0;
}

TW_INLINE void tw_device_accumulate(tw_device_world *w, tw_device_accumulate_work *work,
                                    uint32_t number, uint32_t stage, uint32_t thread)
{
    tw_device_accumulate_tile(w, work, number, stage, thread, TW_DEVICE_ACCUMULATE_THREADS);
}

TW_INLINE uint32_t tw_device_accumulate_wide_stages(const tw_device_world *w, uint32_t number)
{
    return tw_device_accumulate_stages(w, number);
}

TW_INLINE void tw_device_accumulate_wide(tw_device_world *w, tw_device_accumulate_work *work,
                                         uint32_t number, uint32_t stage, uint32_t thread)
{
    tw_device_accumulate_tile(w, work, number, stage, thread, TW_DEVICE_ACCUMULATE_WIDE);
}

#endif
