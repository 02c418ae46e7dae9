/* SPDX-License-Identifier: BSD-3-Clause */
/* The sums of a measure, on a device: what the host would compute from the whole state. Includer: a
 * runtime first. */
#ifndef TW_DEVICE_MEASURE_H
#define TW_DEVICE_MEASURE_H

#include "base/error.h"
#include "base/sum.h"
#include "base/sum_tree.h"
#include "device/device_atomic.h"
#include "device/device_energies.h"
#include "device/device_memory.h"
#include "device/device_stored.h"
#include "world/tally.h"

/* ---- Sums, in the chunks of tw_sum_chunks ---- */

TW_INLINE void tw_device_measure_contacts(tw_device_world *w, uint32_t i)
{
    double sum[TW_TALLY_CONTACT_SUMS] = {0.0};
    const size_t length = TW_SUM_CHUNK, begin = i * length;
    const size_t end = w->pairs - begin < length ? w->pairs : begin + length;
    for (size_t k = begin; k < end; k++)
        if (tw_pairs_touch(&w->schedule.pairs, k))
            tw_tally_contact(&w->model, &w->state, &w->schedule, k, sum);
    for (int k = 0; k < TW_TALLY_CONTACT_SUMS; k++)
        w->measure.sum[(size_t)i * TW_TALLY_CONTACT_SUMS + (size_t)k] = sum[k];
}

TW_INLINE void tw_device_measure_bodies(tw_device_world *w, uint32_t i)
{
    double sum[TW_TALLY_BODY_SUMS] = {0.0};
    const size_t length = TW_SUM_CHUNK, begin = i * length;
    const size_t end = w->bodies - begin < length ? w->bodies : begin + length;
    for (size_t k = begin; k < end; k++)
        tw_tally_body(&w->model, &w->state, k, sum);
    for (int k = 0; k < TW_TALLY_BODY_SUMS; k++)
        w->measure.sum[(size_t)i * TW_TALLY_BODY_SUMS + (size_t)k] = sum[k];
}

/* ---- Numbers of contacts ---- */

TW_INLINE uint32_t tw_device_measure_other(const tw_device_world *w, const tw_pair *pair)
{
    return tw_pair_is_plane(pair) ? w->bodies : tw_schedule_body_q(&w->schedule, pair);
}

TW_INLINE void tw_device_measure_pair(tw_device_world *w, uint32_t i)
{
    if (!tw_pairs_touch(&w->schedule.pairs, i)) return;
    const tw_pair *pair = &w->schedule.pairs.pair[i];
    const tw_contact_memory memory =
        tw_bundle_get(w->state.contacts.bundle, w->schedule.pairs.slot[i]);
    const tw_contact_law law = tw_pair_law(&w->model, &w->state, &w->schedule, pair);
    tw_device_atomic_add(&w->measure.bins[tw_tally_bin(&law, &memory, TW_TALLY_BINS)], 1);
    tw_device_atomic_most(&w->measure.overlap, memory.zeta > 0.0 ? memory.zeta : 0.0);
    tw_device_atomic_add(&w->measure.left[w->schedule.spheres.body[pair->p]], 1);
    tw_device_atomic_add(&w->measure.left[tw_device_measure_other(w, pair)], 1);
}

/* ---- Rattlers: bodies that carry no force ---- */

enum { TW_DEVICE_MEASURE_OUT = 1, TW_DEVICE_MEASURE_NEW = 2 };

TW_INLINE void tw_device_measure_peel(tw_device_world *w, uint32_t i)
{
    uint8_t *out = &w->measure.out[i];
    if (*out == TW_DEVICE_MEASURE_NEW) *out = TW_DEVICE_MEASURE_OUT;
    if (*out || w->state.bodies.flags[i] & TW_BODY_FIXED) return;
    if (w->measure.left[i] >= tw_tally_needs(&w->model, &w->state.bodies, i, w->measure.slippery))
        return;
    *out = TW_DEVICE_MEASURE_NEW;
    tw_device_atomic_add(&w->measure.rattlers, 1);
}

/* The contacts of new rattlers are gone for the others. */
TW_INLINE void tw_device_measure_drop(tw_device_world *w, uint32_t i)
{
    if (!tw_pairs_touch(&w->schedule.pairs, i)) return;
    const tw_pair *pair = &w->schedule.pairs.pair[i];
    const uint32_t p = w->schedule.spheres.body[pair->p], q = tw_device_measure_other(w, pair);
    const uint8_t *out = w->measure.out;
    if (out[p] == TW_DEVICE_MEASURE_NEW && !out[q])
        tw_device_atomic_add(&w->measure.left[q], UINT32_MAX);
    if (out[q] == TW_DEVICE_MEASURE_NEW && !out[p])
        tw_device_atomic_add(&w->measure.left[p], UINT32_MAX);
}

/* A body that touches its own image has that contact twice. */
TW_INLINE void tw_device_measure_count(tw_device_world *w, uint32_t i)
{
    if (!tw_pairs_touch(&w->schedule.pairs, i)) return;
    const tw_pair *pair = &w->schedule.pairs.pair[i];
    const uint32_t p = w->schedule.spheres.body[pair->p], q = tw_device_measure_other(w, pair);
    if (!w->measure.out[p] && !w->measure.out[q]) return;
    tw_device_atomic_add(&w->measure.contacts, p == q ? 2 : 1);
    if (tw_pair_is_plane(pair)) tw_device_atomic_add(&w->measure.walls, 1);
}

TW_DEVICE_TASK(tw_device_measure_contacts)
TW_DEVICE_TASK(tw_device_measure_bodies)
TW_DEVICE_TASK(tw_device_measure_pair)
TW_DEVICE_TASK(tw_device_measure_peel)
TW_DEVICE_TASK(tw_device_measure_drop)
TW_DEVICE_TASK(tw_device_measure_count)

/* ---- The host's part ---- */

/* Joins the sums of chunks. */
static inline int tw_device_measure_join(tw_device *d, size_t chunks, int width, double *result)
{
    const size_t count = chunks * (size_t)width;
    double *room = (double *)malloc((count + 1) * sizeof *room);
    if (!room) return 0;
    tw_device_runtime_bring(&d->runtime, room, d->known.measure.sum, count * sizeof *room);
    for (int k = 0; k < width; k++) {
        tw_sum_tree tree;
        tree.count = 0;
        for (size_t c = 0; c < chunks; c++)
            tw_sum_tree_add(&tree, room[c * (size_t)width + (size_t)k]);
        result[k] = tw_sum_tree_total(&tree);
    }
    free(room);
    return 1;
}

static inline size_t tw_device_measure_chunks(size_t n)
{
    return (n + TW_SUM_CHUNK - 1) / TW_SUM_CHUNK;
}

static inline int tw_device_measure_room(tw_device *d)
{
    tw_device_world_measure *m = &d->known.measure;
    const size_t n = d->known.bodies;
    const size_t contacts = tw_device_measure_chunks(d->known.pairs) * TW_TALLY_CONTACT_SUMS;
    const size_t bodies = tw_device_measure_chunks(n) * TW_TALLY_BODY_SUMS;
    return tw_device_memory_reserve(d, &m->sum, contacts > bodies ? contacts : bodies,
                                    sizeof *m->sum) &&
           tw_device_memory_reserve(d, &m->left, n + 1, sizeof *m->left) &&
           tw_device_memory_reserve(d, &m->out, n + 1, sizeof *m->out);
}

/* Bodies that have lost a contact to a rattler may be rattlers too. */
static inline void tw_device_measure_rattlers(tw_device *d)
{
    tw_device_runtime *runtime = &d->runtime;
    uint32_t before, now = 0;
    do {
        before = now;
        tw_device_measure_peel_each(runtime, d->world, d->known.bodies);
        tw_device_measure_drop_each(runtime, d->world, d->known.pairs);
        tw_device_runtime_bring(runtime, &now, &d->world->measure.rattlers, sizeof now);
    } while (now != before);
    tw_device_measure_count_each(runtime, d->world, d->known.pairs);
}

/* The mean density of the bodies is summed one after the other: only what it needs is brought. */
static inline int tw_device_measure_density(tw_device *d, const tw_model *model, double *density)
{
    const tw_bodies *b = &d->known.state.bodies;
    const size_t n = d->known.bodies;
    tw_bodies here;
    memset(&here, 0, sizeof here);
    if (model->material_count > 1) {
        here.count = n;
        here.mass = (double *)malloc((n + 1) * sizeof *here.mass);
        here.size = (double *)malloc((n + 1) * sizeof *here.size);
        here.shape = (uint32_t *)malloc((n + 1) * sizeof *here.shape);
    }
    const int ok = model->material_count == 1 || (here.mass && here.size && here.shape);
    if (ok && model->material_count > 1) {
        tw_device_runtime_bring(&d->runtime, here.mass, b->mass, n * sizeof *here.mass);
        tw_device_runtime_bring(&d->runtime, here.size, b->size, n * sizeof *here.size);
        tw_device_runtime_bring(&d->runtime, here.shape, b->shape, n * sizeof *here.shape);
    }
    if (ok) *density = tw_model_density(model, &here);
    free(here.mass);
    free(here.size);
    free(here.shape);
    return ok;
}

/* *state receives the energies stored in the contacts, with the other sums of the last step. */
static inline tw_status tw_device_measure_all(tw_device *d, const tw_model *model, tw_tally *tally,
                                              tw_move_energy *energy, tw_error *error)
{
    tw_device_runtime *runtime = &d->runtime;
    tw_device_world_measure *m = &d->known.measure;
    const size_t pairs = tw_device_measure_chunks(d->known.pairs);
    const size_t bodies = tw_device_measure_chunks(d->known.bodies);
    memset(tally, 0, sizeof *tally);
    tw_device_memory_pull(d);
    if (!tw_device_measure_room(d))
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory on the device to measure");
    memset(m->bins, 0, sizeof m->bins);
    m->rattlers = m->contacts = m->walls = 0;
    m->overlap = 0;
    m->slippery = d->slippery;
    tw_device_memory_push(d);
    tw_device_runtime_fill(runtime, m->left, 0, ((size_t)d->known.bodies + 1) * sizeof *m->left);
    tw_device_runtime_fill(runtime, m->out, 0, (size_t)d->known.bodies + 1);
    tw_device_measure_contacts_each(runtime, d->world, (uint32_t)pairs);
    int ok = tw_device_measure_join(d, pairs, TW_TALLY_CONTACT_SUMS, tally->contact);
    tw_device_measure_bodies_each(runtime, d->world, (uint32_t)bodies);
    ok = tw_device_measure_join(d, bodies, TW_TALLY_BODY_SUMS, tally->body) && ok;
    tw_device_measure_pair_each(runtime, d->world, d->known.pairs);
    tw_device_measure_rattlers(d);
    tw_device_memory_pull(d); /* what follows pushes the world */
    ok = tw_device_measure_density(d, model, &tally->density) && ok;
    tw_status status = ok ? TW_STATUS_OK : TW_STATUS_MEMORY;
    if (status == TW_STATUS_OK) status = tw_device_energies_refresh(d, energy);
    if (status == TW_STATUS_OK) status = tw_device_stored_refresh(d);
    if (status != TW_STATUS_OK) return tw_error_set(error, status, "not enough memory to measure");
    tw_device_memory_pull(d);
    for (int k = 0; k < TW_TALLY_BINS; k++)
        tally->bins[k] = m->bins[k];
    tally->overlap_max = tw_math_of_bits(m->overlap);
    tally->rattlers = m->rattlers;
    tally->rattler_contacts = m->contacts;
    tally->rattler_walls = m->walls;
    return tw_device_runtime_wait(runtime, error);
}

#endif
