/* SPDX-License-Identifier: BSD-3-Clause */
/* The sums of a measure, on a device: what the host would compute from the whole state. Includer: a
 * runtime first. */
#ifndef TW_DEVICE_MEASURE_H
#define TW_DEVICE_MEASURE_H

#include "base/error.h"
#include "base/sum.h"
#include "device/device_access.h"
#include "device/device_launch.h"
#include "device/device_laws.h"
#include "device/device_memory.h"
#include "device/device_sums.h"
#include "step/motion.h"
#include "step/move_begin.h"
#include "world/schedule.h"
#include "world/tally.h"

/* Energy stored in the contacts after the last step, with the bits of the CPU: no step needs it, so
 * it is summed when the host asks for it. */

/* Threads that share a tile. */
enum { TW_DEVICE_STORED_THREADS = 256 };

/* ---- Energies of a contact ---- */

/* One that was advanced one by one. */
TW_INLINE void tw_device_stored_single(const tw_model *model, const tw_state *state,
                                       const tw_schedule *schedule, uint32_t s, double *term)
{
    const tw_pair *pair = &schedule->pairs.pair[schedule->slots.pair[s]];
    const tw_contact_law law = tw_pair_law(model, state, schedule, pair);
    const tw_contact_memory memory = tw_bundle_get(state->contacts.bundle, s);
    const tw_contact_parts extra = tw_extras_get(&state->contacts.extras, s);
    const tw_contact_stored stored = tw_contact_stored_of(&law, &memory, &extra);
    for (int k = 0; k < TW_CONTACT_STORED_KINDS; k++)
        term[k] = stored.of[k];
}

/* One of a plain law, up to a factor. */
TW_INLINE void tw_device_stored_plain(const tw_contacts *contacts, uint32_t s, double *term)
{
    const tw_contact_memory memory = tw_bundle_get(contacts->bundle, s);
    term[TW_CONTACT_STORED_NORMAL] = tw_contact_law_normal_term(memory.zeta);
    term[TW_CONTACT_STORED_TANGENTIAL] = tw_contact_law_tangential_term(memory.ft);
}

/* By a plain law contacts that were advanced one by one are in the lanes, too. */
TW_INLINE double tw_device_stored_factor(const tw_model *model, const tw_device_run *run,
                                         uint32_t which)
{
    if (!tw_device_world_is_plain(run) || which >= TW_CONTACT_STORED_ROLLING) return 1.0;
    return which == TW_CONTACT_STORED_NORMAL ? tw_contact_law_normal_factor(model->laws)
                                             : tw_contact_law_tangential_factor(model->laws);
}

/* ---- A tile: contacts one by one, the lanes, then contacts with walls ----

   Threads compute as many contacts at a time; then each adds one of the sums, in the order of
   slots: in a lane, or of contacts that were advanced one by one. Contacts that do not belong to a
   sum are terms of 0: they change no bit of one that starts at +0. */

typedef struct tw_device_stored_work {
    double term[TW_CONTACT_STORED_KINDS][TW_DEVICE_STORED_THREADS + 1];   /* in lanes */
    double single[TW_CONTACT_STORED_KINDS][TW_DEVICE_STORED_THREADS + 1]; /* one by one */
    double lane[TW_CONTACT_STORED_KINDS][TW_SUM_LANES], alone[TW_CONTACT_STORED_KINDS]; /* so far */
} tw_device_stored_work;

/* Stages of the stored energies of a tile. Walls have two for as many as there are threads, after
 * the lanes are joined. */
TW_INLINE uint32_t tw_device_stored_stages(const tw_tile *tile)
{
    const uint32_t threads = TW_DEVICE_STORED_THREADS;
    return tw_device_sums_tile_stages(tile->slots, threads) +
           2 * ((tile->walls + threads - 1) / threads);
}

/* The contact in a slot, if there is one. */
TW_INLINE void tw_device_stored_terms(const tw_model *model, const tw_state *state,
                                      const tw_schedule *schedule, const tw_device_run *run,
                                      const tw_device_touch *touch, uint32_t slot, int wall,
                                      double *term, double *single)
{
    const int how = touch->slot_state[slot];
    const int in_lanes = how == TW_DEVICE_LANES, alone = how == TW_DEVICE_SINGLE;
    if (!wall && tw_device_world_is_plain(run) && (in_lanes || alone))
        tw_device_stored_plain(&state->contacts, slot, term);
    else if (alone)
        tw_device_stored_single(model, state, schedule, slot, single);
    else if (in_lanes)
        tw_device_stored_lanes(model, &state->contacts, schedule, run, touch, slot, term);
}

TW_INLINE void tw_device_stored(const tw_model *model, const tw_state *state,
                                const tw_schedule *schedule, const tw_device_run *run,
                                const tw_device_list *list, const tw_device_touch *touch,
                                tw_device_sums *sums, tw_device_stored_work *work, uint32_t number,
                                uint32_t stage, uint32_t thread)
{
    enum { THREADS = TW_DEVICE_STORED_THREADS, ALONE = TW_CONTACT_STORED_KINDS * TW_SUM_LANES };
    const tw_tile *tile = &schedule->tiles.tile[number];
    const uint32_t used = TW_CONTACT_STORED_KINDS,
                   joined = tw_device_sums_tile_stages(tile->slots, THREADS) - 1;
    const int wall = stage > joined;
    const uint32_t part = wall ? stage - joined - 1 : stage, at = part / 2 * THREADS + thread,
                   count = wall ? tile->walls : tile->slots,
                   slot = (wall ? tile->wall_slot : tile->slot) + at;
    const uint32_t sum = thread / TW_SUM_LANES, lane = thread % TW_SUM_LANES,
                   alone = thread - ALONE;
    if (stage == joined) {
        if (thread < used)
            work->alone[thread] +=
                tw_device_stored_factor(model, run, thread) * tw_sum_lanes_join(work->lane[thread]);
    } else if (part % 2 == 0) {
        double term[TW_CONTACT_STORED_KINDS] = {0.0}, single[TW_CONTACT_STORED_KINDS] = {0.0};
        if (at < count)
            tw_device_stored_terms(model, state, schedule, run, touch, slot, wall, term, single);
        for (uint32_t k = 0; k < TW_CONTACT_STORED_KINDS; k++) {
            work->term[k][thread] = term[k];
            work->single[k][thread] = single[k];
        }
    } else if (sum < used) {
        work->lane[sum][lane] = tw_device_sums_add_lane(work->term[sum], THREADS, lane,
                                                        stage == 1 ? 0.0 : work->lane[sum][lane]);
    } else if (alone < used) {
        double value = stage == 1 ? 0.0 : work->alone[alone];
        for (uint32_t k = 0; k < THREADS; k++)
            value += work->single[alone][k];
        work->alone[alone] = value;
    }
    if (stage + 1 == tw_device_stored_stages(tile) && (wall ? alone : thread) < used)
        *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_STORED + (wall ? alone : thread), number) =
            work->alone[wall ? alone : thread];
}

/* ---- A sum over all tiles ---- */

TW_INLINE void tw_device_stored_join(const tw_device_list *list, const tw_device_sums *sums,
                                     tw_state *state, tw_device_sums_work *work, uint32_t which,
                                     uint32_t stage, uint32_t thread)
{
    double *total = &state->sums.stored.of[which];
    tw_device_sums_array(tw_device_sums_tile(list, sums, TW_DEVICE_SUM_STORED + which, 0),
                         list->tiles, work, stage, thread, total);
}

TW_DEVICE_TEAM(tw_device_stored, TW_DEVICE_ALWAYS, tw_device_stored_work,
               tw_device_stored_stages(&world->schedule.tiles.tile[block]),
               TW_DEVICE_STORED_THREADS, 2, (model, state, schedule, run, list, touch), (sums))
TW_DEVICE_TEAM(tw_device_stored_join, TW_DEVICE_ALWAYS, tw_device_sums_work,
               TW_DEVICE_SUMS_LEVELS + 1, TW_DEVICE_SUMS_THREADS, 2, (list, sums), (state))

/* Sets state.sums.stored of the world on the device, after a step
 * or rotation that is complete and before the next search. */
static inline void tw_device_stored_all(tw_device_runtime *runtime, tw_device_world *world,
                                        const tw_device_world *host)
{
    tw_device_stored_each(runtime, world, host->list.tiles);
    tw_device_stored_join_each(runtime, world, TW_CONTACT_STORED_KINDS);
}

/* Unless they are known. */
static inline void tw_device_stored_renew(tw_device_instance *d)
{
    if (!d->stored) tw_device_stored_all(&d->runtime, d->world, &d->host);
    d->stored = 1;
}

enum { TW_DEVICE_ENERGIES_THREADS = 256 }; /* that share a tile */

typedef struct tw_device_energies_work {
    double term[TW_DEVICE_ENERGIES_SUMS][TW_DEVICE_ENERGIES_THREADS + 1];
    double lane[TW_DEVICE_ENERGIES_SUMS][TW_SUM_LANES]; /* so far */
} tw_device_energies_work;

/* Energies of body i in the kick to come. */
TW_INLINE void tw_device_energies_of(const tw_model *model, const tw_bodies *bodies,
                                     const tw_move_context *move, uint32_t i, double *term)
{
    tw_motion_body_kicked k;
    if (bodies->flags[i] & TW_BODY_FIXED) return;
    k.mass = bodies->mass[i];
    k.inertia = bodies->inertia[i];
    k.v0 = bodies->v[i];
    k.l0 = bodies->l[i];
    k.q = bodies->q[i];
    k.damping = 0.0;
    tw_motion_body_kick(model, &move->kick, bodies->force[i], bodies->torque[i], &k);
    const tw_vec3 spin = tw_motion_body_omega(k.q, k.inertia, k.l);
    if (move->kick.has_damping) term[TW_DEVICE_ENERGIES_DAMPING] = k.damping;
    term[TW_DEVICE_ENERGIES_CELL] = k.cell;
    term[TW_DEVICE_ENERGIES_TRANSLATION] = 0.5 * k.mass * tw_vec3_dot(k.v0, k.v);
    term[TW_DEVICE_ENERGIES_ROTATION] = 0.5 * tw_vec3_dot(k.l0, spin);
}

/* A tile. Threads compute the energies of as many bodies at a time; then each adds those of one
 * lane and sum. Fixed bodies are terms of 0, which change no bit. */
TW_INLINE void tw_device_energies(const tw_model *model, const tw_bodies *bodies,
                                  const tw_tiles *tiles, const tw_move_context *move,
                                  const tw_device_list *list, tw_device_sums *sums,
                                  tw_device_energies_work *work, uint32_t number, uint32_t stage,
                                  uint32_t thread)
{
    enum { THREADS = TW_DEVICE_ENERGIES_THREADS };
    const tw_tile *tile = &tiles->tile[number];
    const uint32_t first = stage / 2 * THREADS, left = tile->bodies - first;
    if (stage + 1 == tw_device_sums_tile_stages(tile->bodies, THREADS)) {
        if (thread < TW_DEVICE_ENERGIES_SUMS)
            *tw_device_sums_tile(list, sums, TW_DEVICE_SUM_ENERGIES + thread, number) =
                tw_sum_lanes_join(work->lane[thread]);
    } else if (stage % 2 == 0) {
        double term[TW_DEVICE_ENERGIES_SUMS] = {0.0};
        if (thread < left)
            tw_device_energies_of(model, bodies, move, tile->body + first + thread, term);
        for (uint32_t k = 0; k < TW_DEVICE_ENERGIES_SUMS; k++)
            work->term[k][thread] = term[k];
    } else if (thread < TW_DEVICE_ENERGIES_SUMS * TW_SUM_LANES) {
        const uint32_t which = thread / TW_SUM_LANES, lane = thread % TW_SUM_LANES;
        work->lane[which][lane] = tw_device_sums_add_lane(
            work->term[which], THREADS, lane, stage == 1 ? 0.0 : work->lane[which][lane]);
    }
}

TW_DEVICE_TEAM(tw_device_energies, TW_DEVICE_ALWAYS, tw_device_energies_work,
               tw_device_sums_tile_stages(world->schedule.tiles.tile[block].bodies,
                                          TW_DEVICE_ENERGIES_THREADS),
               TW_DEVICE_ENERGIES_THREADS, 2, (model, bodies, tiles, move, list), (sums))

/* ---- Sums, in the chunks of tw_sum_chunks ---- */

/* A chunk is an item. Its threads compute a contact or body each; then each adds one of the sums,
 * in the order of pairs or bodies. Pairs that do not touch are terms of 0: they change no bit of a
 * sum that starts at +0. */
enum { TW_DEVICE_MEASURE_THREADS = TW_SUM_CHUNK, TW_DEVICE_MEASURE_STAGES = 2 };

TW_INLINE uint32_t tw_device_measure_chunks(uint32_t n)
{
    return n / TW_SUM_CHUNK + (n % TW_SUM_CHUNK > 0 ? 1 : 0);
}

/* One of the sums over contacts or bodies: an entry for each chunk. */
TW_INLINE double *tw_device_measure_sum(const tw_device_list *list,
                                        const tw_device_measure *measure, uint32_t sum)
{
    const size_t contacts = tw_device_measure_chunks(list->pairs);
    const size_t bodies = tw_device_measure_chunks(list->bodies);
    return measure->sum +
           (sum < TW_DEVICE_MEASURE_BODY
                ? sum * contacts
                : TW_DEVICE_MEASURE_BODY * contacts + (sum - TW_DEVICE_MEASURE_BODY) * bodies);
}

TW_INLINE double tw_device_measure_add(const double *term)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < TW_SUM_CHUNK; k++)
        sum += term[k];
    return sum;
}

/* Odd rows: threads that add different sums read different banks of memory. */
typedef struct tw_device_measure_contacts_work {
    double term[TW_TALLY_CONTACT_SUMS][TW_SUM_CHUNK + 1];
    uint8_t bin[TW_SUM_CHUNK]; /* of a contact; TW_TALLY_BINS: none */
} tw_device_measure_contacts_work;

/* Besides the sums of a contact: counts it for its bodies. Returns its bin. */
TW_INLINE uint8_t tw_device_measure_count(const tw_schedule *schedule, const tw_tally_touch *c,
                                          tw_device_measure *measure, uint32_t k)
{
    const tw_pair *pair = &schedule->pairs.pair[k];
    tw_device_atomic_most(&measure->overlap, c->memory.zeta > 0.0 ? c->memory.zeta : 0.0);
    tw_device_atomic_add(&measure->left[schedule->spheres.body[pair->p]], 1);
    if (!c->wall) tw_device_atomic_add(&measure->left[tw_schedule_body_q(schedule, pair)], 1);
    return (uint8_t)tw_tally_bin(&c->law, &c->memory, TW_TALLY_BINS);
}

TW_INLINE void tw_device_measure_contacts(const tw_model *model, const tw_state *state,
                                          const tw_schedule *schedule, const tw_device_list *list,
                                          tw_device_measure *measure,
                                          tw_device_measure_contacts_work *work, uint32_t i,
                                          uint32_t stage, uint32_t thread)
{
    enum { WORDS = TW_SUM_CHUNK / 32, BINS = 32 }; /* bins are counted by another warp */
    const uint32_t k = i * TW_SUM_CHUNK + thread;
    if (stage == 0) {
        double term[TW_TALLY_CONTACT_SUMS] = {0.0};
        uint8_t bin = TW_TALLY_BINS;
        if (k < list->pairs && tw_pairs_touch(&schedule->pairs, k)) {
            const tw_tally_touch c = tw_tally_touch_of(model, state, schedule, k);
            tw_tally_contact(&c, term);
            bin = tw_device_measure_count(schedule, &c, measure, k);
        }
        for (uint32_t j = 0; j < TW_TALLY_CONTACT_SUMS; j++)
            work->term[j][thread] = term[j];
        work->bin[thread] = bin;
        if (thread < WORDS) measure->gone[i * WORDS + thread] = 0;
    } else if (thread < TW_TALLY_CONTACT_SUMS) {
        tw_device_measure_sum(list, measure, thread)[i] = tw_device_measure_add(work->term[thread]);
    } else if (thread >= BINS && thread < BINS + TW_TALLY_BINS) {
        uint32_t count = 0;
        for (uint32_t j = 0; j < TW_SUM_CHUNK; j++)
            count += work->bin[j] == thread - BINS;
        if (count > 0) tw_device_atomic_add(&measure->bins[thread - BINS], count);
    }
}

typedef struct tw_device_measure_second_work {
    double term[TW_TALLY_SECOND_SUMS][TW_SUM_CHUNK + 1];
} tw_device_measure_second_work;

/* When the totals of the first sums are known. */
TW_INLINE void tw_device_measure_second(const tw_model *model, const tw_state *state,
                                        const tw_schedule *schedule, const tw_device_list *list,
                                        tw_device_measure *measure,
                                        tw_device_measure_second_work *work, uint32_t i,
                                        uint32_t stage, uint32_t thread)
{
    const uint32_t k = i * TW_SUM_CHUNK + thread;
    if (stage == 0) {
        double term[TW_TALLY_SECOND_SUMS] = {0.0};
        if (k < list->pairs && tw_pairs_touch(&schedule->pairs, k)) {
            const tw_tally_touch c = tw_tally_touch_of(model, state, schedule, k);
            tw_tally_second(&c, tw_tally_force_mean(measure->total), term);
        }
        for (uint32_t j = 0; j < TW_TALLY_SECOND_SUMS; j++)
            work->term[j][thread] = term[j];
    } else if (thread < TW_TALLY_SECOND_SUMS) {
        tw_device_measure_sum(list, measure, TW_DEVICE_MEASURE_SECOND + thread)[i] =
            tw_device_measure_add(work->term[thread]);
    }
}

typedef struct tw_device_measure_bodies_work {
    double term[TW_TALLY_BODY_SUMS][TW_SUM_CHUNK + 1];
} tw_device_measure_bodies_work;

/* Before the contacts, which are counted in `left`. */
TW_INLINE void tw_device_measure_bodies(const tw_model *model, const tw_state *state,
                                        const tw_device_list *list, tw_device_measure *measure,
                                        tw_device_measure_bodies_work *work, uint32_t i,
                                        uint32_t stage, uint32_t thread)
{
    const uint32_t body = i * TW_SUM_CHUNK + thread;
    if (stage == 0) {
        double term[TW_TALLY_BODY_SUMS] = {0.0};
        if (body < list->bodies) {
            tw_tally_body(model, state, measure->slippery, body, term);
            measure->left[body] = 0;
        }
        for (uint32_t j = 0; j < TW_TALLY_BODY_SUMS; j++)
            work->term[j][thread] = term[j];
    } else if (thread < TW_TALLY_BODY_SUMS) {
        tw_device_measure_sum(list, measure, TW_DEVICE_MEASURE_BODY + thread)[i] =
            tw_device_measure_add(work->term[thread]);
    }
}

/* A sum: chunks are joined, or tiles. */
TW_INLINE void tw_device_measure_total(const tw_device_list *list, const tw_device_sums *sums,
                                       tw_device_measure *measure, tw_device_sums_work *work,
                                       uint32_t sum, uint32_t stage, uint32_t thread)
{
    const uint32_t energy = sum - TW_DEVICE_MEASURE_ENERGY;
    if (sum >= TW_DEVICE_MEASURE_ENERGY)
        tw_device_sums_array(tw_device_sums_tile(list, sums, TW_DEVICE_SUM_ENERGIES + energy, 0),
                             list->tiles, work, stage, thread, &measure->total[sum]);
    else
        tw_device_sums_array(
            tw_device_measure_sum(list, measure, sum),
            tw_device_measure_chunks(sum < TW_DEVICE_MEASURE_BODY ? list->pairs : list->bodies),
            work, stage, thread, &measure->total[sum]);
}

/* ---- Rattlers: bodies that carry no force ---- */

/* Passes over the pairs before the host asks whether all were found. */
enum { TW_DEVICE_MEASURE_PASSES = 4 };

/* Pairs see what other pairs of the same pass have done, or not: how many passes it takes depends
 * on that, but not which rattlers there are in the end. */
TW_INLINE void tw_device_measure_peel(const tw_model *model, const tw_bodies *bodies,
                                      const tw_schedule *schedule, tw_device_measure *measure,
                                      uint32_t i)
{
    uint32_t other;
    if (!tw_pairs_touch(&schedule->pairs, i) || tw_device_bits_has(measure->gone, i) ||
        !tw_tally_is_loose(model, bodies, schedule, measure->slippery, measure->left, i, &other))
        return;
    tw_device_bits_set(measure->gone, i);
    if (other != UINT32_MAX) tw_device_atomic_add(&measure->left[other], UINT32_MAX);
}

/* A pair, or a body. */
TW_INLINE void tw_device_measure_rattlers(const tw_model *model, const tw_state *state,
                                          const tw_schedule *schedule, const tw_device_list *list,
                                          tw_device_measure *measure, uint32_t i)
{
    const tw_bodies *bodies = &state->bodies;
    const int slippery = measure->slippery;
    uint32_t count[TW_TALLY_RATTLER_SUMS] = {0}, other;
    if (i >= list->pairs) {
        const uint32_t body = i - list->pairs;
        if (!tw_tally_is_rattler(model, bodies, body, slippery, measure->left[body])) return;
        tw_tally_rattler(model, bodies, body, slippery, count);
    } else {
        const tw_pair *pair = &schedule->pairs.pair[i];
        if (!tw_pairs_touch(&schedule->pairs, i) ||
            !tw_tally_is_loose(model, bodies, schedule, slippery, measure->left, i, &other))
            return;
        const tw_contact_law law = tw_pair_law(model, state, schedule, pair);
        tw_tally_loose(&law, tw_pair_is_wall(pair),
                       state->contacts.sliding[schedule->pairs.slot[i]], count);
        if (!tw_device_bits_has(measure->gone, i)) tw_device_atomic_add(&measure->missed, 1);
    }
    for (int k = 0; k < TW_TALLY_RATTLER_SUMS; k++)
        if (count[k] > 0) tw_device_atomic_add(&measure->rattler[k], count[k]);
}

TW_DEVICE_TEAM(tw_device_measure_contacts, TW_DEVICE_ALWAYS, tw_device_measure_contacts_work,
               TW_DEVICE_MEASURE_STAGES, TW_DEVICE_MEASURE_THREADS, 8,
               (model, state, schedule, list), (measure))
TW_DEVICE_TEAM(tw_device_measure_second, TW_DEVICE_ALWAYS, tw_device_measure_second_work,
               TW_DEVICE_MEASURE_STAGES, TW_DEVICE_MEASURE_THREADS, 8,
               (model, state, schedule, list), (measure))
TW_DEVICE_TEAM(tw_device_measure_bodies, TW_DEVICE_ALWAYS, tw_device_measure_bodies_work,
               TW_DEVICE_MEASURE_STAGES, TW_DEVICE_MEASURE_THREADS, 8, (model, state, list),
               (measure))
TW_DEVICE_TEAM(tw_device_measure_total, TW_DEVICE_ALWAYS, tw_device_sums_work,
               TW_DEVICE_SUMS_LEVELS + 1, TW_DEVICE_SUMS_THREADS, 2, (list, sums), (measure))
TW_DEVICE_TASK(tw_device_measure_peel, (model, bodies, schedule), (measure))
TW_DEVICE_TASK(tw_device_measure_rattlers, (model, state, schedule, list), (measure))

/* ---- The host's part ---- */

static inline void tw_device_measure_reserve(tw_device_rooms *rooms, tw_device_world *w)
{
    const size_t contacts = tw_device_measure_chunks(w->list.pairs),
                 bodies = tw_device_measure_chunks(w->list.bodies);
    TW_DEVICE_ROOM(measure.sum,
                   contacts * TW_DEVICE_MEASURE_BODY + bodies * TW_TALLY_BODY_SUMS + 1);
    TW_DEVICE_ROOM(measure.left, (size_t)w->list.bodies + 1);
    TW_DEVICE_ROOM(measure.gone, contacts * (TW_SUM_CHUNK / 32) + 1);
}

static inline void tw_device_measure_find_rattlers(tw_device_instance *d)
{
    tw_device_runtime *runtime = &d->runtime;
    for (int k = 0; k < TW_DEVICE_MEASURE_PASSES; k++)
        tw_device_measure_peel_each(runtime, d->world, d->host.list.pairs);
    tw_device_measure_rattlers_each(runtime, d->world, d->host.list.pairs + d->host.list.bodies);
}

static inline void tw_device_measure_forget_rattlers(tw_device_measure *m)
{
    memset(m->rattler, 0, sizeof m->rattler);
    m->missed = 0;
}

/* Energies are computed concurrently with the rest, which takes as long. */
static inline void tw_device_measure_start(tw_device_instance *d)
{
    tw_device_runtime *runtime = &d->runtime;
    tw_device_world *world = d->world;
    const tw_device_world *host = &d->host;
    tw_device_runtime_fork(runtime, TW_DEVICE_SIDE_SUMS);
    tw_device_energies_each(runtime, world, host->list.tiles);
    tw_device_stored_renew(d);
    tw_device_runtime_back(runtime);
    tw_device_measure_bodies_each(runtime, world, tw_device_measure_chunks(host->list.bodies));
    tw_device_measure_contacts_each(runtime, world, tw_device_measure_chunks(host->list.pairs));
    tw_device_measure_total_each(runtime, world, TW_DEVICE_MEASURE_SECOND);
    tw_device_measure_second_each(runtime, world, tw_device_measure_chunks(host->list.pairs));
    tw_device_measure_find_rattlers(d);
    tw_device_runtime_join(runtime, TW_DEVICE_SIDE_SUMS);
    tw_device_measure_total_each(runtime, world, TW_DEVICE_MEASURE_SUMS);
}

/* The mean density of the bodies is summed one after the other, in their order, which only a search
 * changes: what it needs is brought once. */
static inline int tw_device_measure_density(tw_device_instance *d, const tw_model *model)
{
    const tw_bodies *b = &d->host.state.bodies;
    tw_device_measure *m = &d->host.measure;
    const uint64_t search = d->host.state.searches + 1;
    const size_t n = d->host.list.bodies;
    tw_bodies here;
    memset(&here, 0, sizeof here);
    if (model->material_count == 1) m->density = tw_model_density(model, &here);
    if (model->material_count == 1 || m->density_of == search) return 1;
    here.count = n;
    here.mass = (double *)malloc((n + 1) * sizeof *here.mass);
    here.size = (double *)malloc((n + 1) * sizeof *here.size);
    here.shape = (uint32_t *)malloc((n + 1) * sizeof *here.shape);
    const int ok = here.mass && here.size && here.shape;
    if (ok) {
        tw_device_runtime_bring(&d->runtime, here.mass, b->mass, n * sizeof *here.mass);
        tw_device_runtime_bring(&d->runtime, here.size, b->size, n * sizeof *here.size);
        tw_device_runtime_bring(&d->runtime, here.shape, b->shape, n * sizeof *here.shape);
        m->density = tw_model_density(model, &here);
        m->density_of = search;
    }
    free(here.mass);
    free(here.size);
    free(here.shape);
    return ok;
}

static inline void tw_device_measure_report(const tw_device_measure *m, tw_tally *tally,
                                            tw_move_energy *energy)
{
    const double *total = m->total, *now = total + TW_DEVICE_MEASURE_ENERGY;
    memset(tally, 0, sizeof *tally);
    memcpy(tally->contact, total, sizeof tally->contact);
    memcpy(tally->second, total + TW_DEVICE_MEASURE_SECOND, sizeof tally->second);
    memcpy(tally->body, total + TW_DEVICE_MEASURE_BODY, sizeof tally->body);
    for (int k = 0; k < TW_TALLY_BINS; k++)
        tally->bins[k] = m->bins[k];
    tally->overlap_max = tw_math_of_bits(m->overlap);
    tally->density = m->density;
    memcpy(tally->rattler, m->rattler, sizeof tally->rattler);
    energy->translation = now[TW_DEVICE_ENERGIES_TRANSLATION];
    energy->rotation = now[TW_DEVICE_ENERGIES_ROTATION];
    energy->damping_work = 0.5 * now[TW_DEVICE_ENERGIES_DAMPING];
    energy->cell_work = 0.5 * now[TW_DEVICE_ENERGIES_CELL];
}

/* The host has the world as it is, and forces are in the columns of bodies. It waits once, unless
 * there are chains of rattlers, or several materials and a new list. state.sums of the world
 * receives the energies stored in the contacts. */
static inline tw_status tw_device_measure_all(tw_device_instance *d, const tw_model *model,
                                              tw_tally *tally, tw_move_energy *energy,
                                              tw_error *error)
{
    tw_device_measure *m = &d->host.measure;
    tw_device_rooms rooms = {d, 0, 0};
    tw_device_measure_reserve(&rooms, &d->host);
    if (rooms.failed)
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory on the device to measure");
    if (!tw_device_measure_density(d, model))
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to measure");
    memset(m->bins, 0, sizeof m->bins);
    tw_device_measure_forget_rattlers(m);
    m->overlap = 0;
    m->slippery = d->slippery;
    d->host.move.kick = tw_move_begin_kick(&d->host.model, &d->host.state);
    tw_device_memory_push(d);
    tw_device_measure_start(d);
    tw_device_memory_pull(d);
    tw_status status = tw_device_runtime_wait(&d->runtime, error);
    while (status == TW_STATUS_OK && m->missed > 0) {
        tw_device_measure_forget_rattlers(m);
        tw_device_memory_push(d);
        tw_device_measure_find_rattlers(d);
        tw_device_memory_pull(d);
        status = tw_device_runtime_wait(&d->runtime, error);
    }
    tw_device_measure_report(m, tally, energy);
    return status;
}

#endif
