/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements of a state. */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include <twirl/contact_law.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/sum.h"
#include "sim/sim_internal.h"
#include "step/move.h"
#include "world/tally.h"

static_assert((int)TW_TALLY_BINS == (int)TW_MOBILISATION_BINS, "the bins of a measure");

/* Pair k. False: it does not touch. */
static bool find_contact(const tw_sim *sim, size_t k, tw_tally_touch *c)
{
    if (!tw_pairs_touch(&sim->schedule.pairs, k)) return false;
    *c = tw_tally_touch_of(&sim->model, &sim->state, &sim->schedule, k);
    return true;
}

static void contact_chunk(void *context, size_t begin, size_t end, double *sum)
{
    tw_tally_touch c;
    for (size_t k = begin; k < end; k++)
        if (find_contact(context, k, &c)) tw_tally_contact(&c, sum);
}

/* What chunks of the other sums need besides the simulation. */
typedef struct tally_context {
    const tw_sim *sim;
    double force_mean;
    int slippery;
} tally_context;

static void second_chunk(void *context, size_t begin, size_t end, double *sum)
{
    const tally_context *all = context;
    tw_tally_touch c;
    for (size_t k = begin; k < end; k++)
        if (find_contact(all->sim, k, &c)) tw_tally_second(&c, all->force_mean, sum);
}

static void body_chunk(void *context, size_t begin, size_t end, double *sum)
{
    const tally_context *c = context;
    for (size_t i = begin; i < end; i++)
        tw_tally_body(&c->sim->model, &c->sim->state, c->slippery, i, sum);
}

/* *left: contacts of bodies, by index, without those of rattlers; in scratch memory. */
static tw_status count_rattlers(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                                uint32_t *count, const uint32_t **left, tw_error *error)
{
    const tw_bodies *bodies = &state->bodies;
    const tw_pairs *pairs = &schedule->pairs;
    const int slippery = tw_tally_is_slippery(model);
    uint32_t other;
    tw_arena_reset(&schedule->scratch);
    uint32_t *now = tw_arena_take(&schedule->scratch, bodies->count + 1, sizeof *now);
    uint8_t *loose = tw_arena_take(&schedule->scratch, pairs->count + 1, 1);
    *left = now;
    if (!now || !loose)
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to measure %zu bodies",
                            bodies->count);
    memset(loose, 0, pairs->count + 1);
    tw_schedule_count_contacts(state, schedule, now);
    for (bool more = true; more;) {
        more = false;
        for (size_t k = 0; k < pairs->count; k++) {
            if (loose[k] || !tw_pairs_touch(pairs, k) ||
                !tw_tally_is_loose(model, bodies, schedule, slippery, now, k, &other))
                continue;
            loose[k] = more = true;
            if (other != UINT32_MAX) now[other]--;
            const tw_contact_law law = tw_pair_law(model, state, schedule, &pairs->pair[k]);
            tw_tally_loose(&law, tw_pair_is_wall(&pairs->pair[k]),
                           state->contacts.sliding[pairs->slot[k]], count);
        }
    }
    for (size_t i = 0; i < bodies->count; i++)
        if (tw_tally_is_rattler(model, bodies, i, slippery, now[i]))
            tw_tally_rattler(model, bodies, i, slippery, count);
    return TW_STATUS_OK;
}

static void count_bins(const tw_sim *sim, tw_tally *tally)
{
    tw_tally_touch c;
    for (size_t k = 0; k < sim->schedule.pairs.count; k++) {
        if (!find_contact(sim, k, &c)) continue;
        tally->bins[tw_tally_bin(&c.law, &c.memory, TW_TALLY_BINS)]++;
        tally->overlap_max = tw_math_max(tally->overlap_max, c.memory.zeta);
    }
}

/* `all`: also what takes a walk through the network of contacts. */
static tw_status count_all(tw_sim *sim, bool all, tw_tally *tally, tw_error *error)
{
    memset(tally, 0, sizeof *tally);
    tw_sum_chunks(sim->schedule.pairs.count, TW_TALLY_CONTACT_SUMS, contact_chunk, sim,
                  tally->contact);
    tally_context context = {.sim = sim,
                             .force_mean = tw_tally_force_mean(tally->contact),
                             .slippery = tw_tally_is_slippery(&sim->model)};
    tw_sum_chunks(sim->state.bodies.count, TW_TALLY_BODY_SUMS, body_chunk, &context, tally->body);
    tally->density = tw_model_density(&sim->model, &sim->state.bodies);
    if (!all) return TW_STATUS_OK;
    tw_sum_chunks(sim->schedule.pairs.count, TW_TALLY_SECOND_SUMS, second_chunk, &context,
                  tally->second);
    count_bins(sim, tally);
    const uint32_t *left;
    return count_rattlers(&sim->model, &sim->state, &sim->schedule, tally->rattler, &left, error);
}

tw_status tw_sim_get_rattlers(tw_sim *sim, unsigned char *out, size_t capacity, tw_error *error)
{
    TW_CALL_HERE(sim && (out || capacity == 0));
    const tw_model *model = &sim->model;
    const tw_bodies *bodies = &sim->state.bodies;
    uint32_t count[TW_TALLY_RATTLER_SUMS] = {0};
    const uint32_t *left;
    if (capacity < bodies->count)
        return tw_error_set_count(error, "bodies", bodies->count, capacity);
    tw_status status = tw_sim_prepare(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_list(sim, error);
    if (status == TW_STATUS_OK)
        status = count_rattlers(model, &sim->state, &sim->schedule, count, &left, error);
    for (size_t i = 0; i < bodies->count && status == TW_STATUS_OK; i++)
        out[tw_sim_body_row(sim, bodies->id[i])] = (unsigned char)tw_tally_is_rattler(
            model, bodies, i, tw_tally_is_slippery(model), left[i]);
    return status;
}

static tw_energy energy_of(const tw_state *state, const tw_move_energy *now)
{
    tw_energy e = {0};
    e.kinetic = now->translation;
    e.rotational = now->rotation;
#define TAKE_STORED(to, NAME, name, column, text)                                                  \
    e.column = state->sums.stored.of[TW_CONTACT_STORED_##NAME];
#define TAKE_LOST(to, NAME, name, member, way)                                                     \
    e.name = state->balance.lost.by[TW_CONTACT_LOST_##NAME];
    TW_CONTACT_STORED(TAKE_STORED, )
    TW_CONTACT_LOST(TAKE_LOST, )
    e.body_damping = state->balance.body_damping + now->damping_work;
    e.cell = state->balance.cell + now->cell_work;
    e.walls = state->balance.walls;
    e.gravity = state->balance.gravity;
    e.start = state->balance.start;
#define LESS_STORED(to, NAME, name, column, text) to -= e.column;
#define LESS_LOST(to, NAME, name, member, way) to -= e.name;
    e.residual = e.start + e.cell + e.walls + e.gravity - e.kinetic - e.rotational;
    TW_CONTACT_STORED_FIRST(LESS_STORED, e.residual)
    TW_CONTACT_LOST_FIRST(LESS_LOST, e.residual)
    e.residual -= e.body_damping;
    double more = 0.0;
    TW_CONTACT_STORED_MORE(LESS_STORED, more)
    TW_CONTACT_LOST_MORE(LESS_LOST, more)
    e.residual += more;
    return e;
}

/* Root of `factor` s:s with the symmetric part s of the deviator; p is a third of the trace. */
static double deviator_of(const tw_mat3 *t, double p, double factor)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double s = 0.5 * (t->m[3 * i + j] + t->m[3 * j + i]) - (i == j ? p : 0.0);
            sum += s * s;
        }
    }
    return sqrt(factor * sum);
}

static double rate_of(const tw_mat3 *gradient)
{
    return deviator_of(gradient, tw_mat3_trace(*gradient) / 3.0, 2.0 / 3.0);
}

static tw_mat3 symmetric_of(const double *t)
{
    return (tw_mat3){{t[0], t[5], t[4], t[5], t[1], t[3], t[4], t[3], t[2]}};
}

static tw_mat3 deviator_tensor(tw_mat3 t)
{
    const double mean = tw_mat3_trace(t) / 3.0;
    t.m[0] -= mean;
    t.m[4] -= mean;
    t.m[8] -= mean;
    return t;
}

static double contraction(const tw_mat3 *a, const tw_mat3 *b)
{
    double sum = 0.0;
    for (int k = 0; k < 9; k++)
        sum += a->m[k] * b->m[k];
    return sum;
}

/* docs/theory/measures.md, Eqs. 2 to 6. */
static void measure_anisotropy(const tw_tally *tally, tw_measure *m)
{
    tw_anisotropy *a = &m->anisotropy;
    const tw_mat3 branch = symmetric_of(tally->second + TW_TALLY_BRANCH);
    const tw_mat3 push = symmetric_of(tally->second + TW_TALLY_PUSH);
    const tw_mat3 shear = symmetric_of(tally->second + TW_TALLY_SHEAR);
    const double length = tw_mat3_trace(branch), force = tw_mat3_trace(push);
    a->contacts = tw_mat3_scale(7.5, deviator_tensor(m->fabric));
    a->branches = tw_mat3_sub(tw_mat3_scale(7.5 / length, deviator_tensor(branch)), a->contacts);
    a->normal = tw_mat3_sub(tw_mat3_scale(7.5 / force, deviator_tensor(push)), a->contacts);
    a->tangential = tw_mat3_scale(5.0 / force, deviator_tensor(shear));
    /* of the contacts, with platens as without */
    const double p = tw_mat3_trace(m->stress_volume) / 3.0,
                 q = deviator_of(&m->stress_volume, p, 1.5);
    const double part = q > 0.0 ? 1.5 / q : (double)NAN;
    const tw_mat3 stress = deviator_tensor(m->stress_volume);
    a->a_c = part * contraction(&a->contacts, &stress);
    a->a_d = part * contraction(&a->branches, &stress);
    a->a_n = part * contraction(&a->normal, &stress);
    a->a_t = part * contraction(&a->tangential, &stress);
    a->sum = 0.4 * (a->a_c + a->a_d + a->a_n + 1.5 * a->a_t);
    const tw_mat3 strong = symmetric_of(tally->second + TW_TALLY_STRONG);
    m->strong_fraction = tally->second[TW_TALLY_STRONG_COUNT] / (double)m->contacts;
    m->strong_p = tw_mat3_trace(strong) / 3.0 / m->volume / p;
    m->strong_q = q > 0.02 * p ? part * contraction(&strong, &stress) / m->volume / q : (double)NAN;
}

static void measure_bodies(const tw_sim *sim, const tw_tally *tally, tw_measure *m)
{
    const tw_state *state = &sim->state;
    const double *sum = tally->body, n = (double)state->bodies.count;
    for (int k = 0; k < 9; k++)
        m->stress_kinetic.m[k] = sum[TW_TALLY_KINETIC + k] / m->volume;
    m->solid_volume = sum[TW_TALLY_SOLID];
    m->porosity = 1.0 - m->solid_volume / m->volume;
    m->void_ratio = m->volume / m->solid_volume - 1.0;
    m->coordination = (2.0 * (double)m->contacts - (double)m->wall_contacts) / n;
    const double contact_force =
        m->contacts > 0 ? tally->contact[TW_TALLY_FORCE] / (double)m->contacts : 0.0;
    m->unbalanced =
        contact_force > 0.0 ? sum[TW_TALLY_UNBALANCED] / n / contact_force : (double)INFINITY;
    if (m->p > 0.0)
        m->inertial_number = rate_of(&state->cell.gradient) * sum[TW_TALLY_DIAMETER] / n *
                             sqrt(tally->density / m->p);
    const uint32_t *loose = tally->rattler;
    m->rattlers = loose[TW_TALLY_RATTLERS];
    const double bodies = (double)(state->bodies.count - m->rattlers);
    const size_t contacts = m->contacts - loose[TW_TALLY_LOOSE_CONTACTS];
    const size_t walls = m->wall_contacts - loose[TW_TALLY_LOOSE_WALLS];
    if (bodies > 0.0)
        m->coordination_mechanical = (2.0 * (double)contacts - (double)walls) / bodies;
    const double freedoms = sum[TW_TALLY_FREEDOMS] - loose[TW_TALLY_LOOSE_FREEDOMS];
    if (freedoms > 0.0)
        m->redundancy =
            (tally->contact[TW_TALLY_CONSTRAINTS] - loose[TW_TALLY_LOOSE_CONSTRAINTS]) / freedoms;
}

static void measure_contacts(const tw_sim *sim, const tw_tally *tally, tw_measure *m)
{
    const double *sum = tally->contact;
    m->contacts = sim->state.sums.contacts;
    m->sliding = sim->state.sums.sliding;
    m->wall_contacts = (size_t)sum[TW_TALLY_WALLS];
    for (int k = 0; k < 9; k++)
        m->stress.m[k] = m->stress_volume.m[k] = sum[TW_TALLY_STRESS + k] / m->volume;
    for (int k = 0; k < 3; k++)
        if (sim->state.cell.walled[k])
            m->stress.m[4 * k] =
                tw_servo_steer_platens_at(&sim->state.cell, sim->state.walls, NULL, k).stress;
    m->p = tw_mat3_trace(m->stress) / 3.0;
    m->q = deviator_of(&m->stress, m->p, 1.5);
    if (m->contacts == 0) return;
    const double n = (double)m->contacts;
    for (int k = 0; k < 9; k++)
        m->fabric.m[k] = sum[TW_TALLY_FABRIC + k] / n;
    m->fabric_deviator = deviator_of(&m->fabric, 1.0 / 3.0, 1.5);
    m->overlap_mean = sum[TW_TALLY_OVERLAP] / n;
    m->overlap_max = tally->overlap_max;
    m->force_mean = tw_model_is_uniform(&sim->model)
                        ? tw_contact_law_normal_force(sim->model.laws, m->overlap_mean)
                        : sum[TW_TALLY_NORMAL] / n;
    m->sliding_fraction = (double)m->sliding / n;
    m->friction_mobilised = sum[TW_TALLY_MOBILISED] / n;
    for (int bin = 0; bin < TW_MOBILISATION_BINS; bin++)
        m->mobilisation[bin] = tw_sum_repeated(1.0 / n, tally->bins[bin]);
}

/* On the device, if the arrays there are newer. */
static tw_status look(tw_sim *sim, bool all, tw_tally *tally, tw_move_energy *energy,
                      tw_error *error)
{
    if (tw_sim_device_is_better(sim)) return tw_sim_device_tally(sim, tally, energy, error);
    tw_status status = tw_sim_device_list(sim, error);
    if (status == TW_STATUS_OK) status = count_all(sim, all, tally, error);
    if (status == TW_STATUS_OK)
        *energy = tw_move_energies(&sim->model, &sim->state, &sim->schedule);
    return status;
}

static tw_status measure_all(tw_sim *sim, bool all, tw_measure *measure, tw_error *error)
{
    TW_CALL_HERE(sim && measure);
    TW_SIM_TIMES_HERE(sim);
    TW_CLOCK_HERE(TW_SIM_PHASE_MEASURE);
    tw_state *state = &sim->state;
    tw_measure m = {0};
    tw_tally tally;
    tw_move_energy energy;
    tw_status status = tw_sim_prepare(sim, error);
    if (status == TW_STATUS_OK) status = look(sim, all, &tally, &energy, error);
    if (status != TW_STATUS_OK) return status;
    if (!all) { /* a device counts them with the rest */
        memset(tally.bins, 0, sizeof tally.bins);
        tally.overlap_max = 0.0;
        memset(tally.rattler, 0, sizeof tally.rattler);
    }
    m.time = state->time;
    m.cell = state->cell.h;
    m.volume = tw_cell_volume(&state->cell);
    measure_contacts(sim, &tally, &m);
    measure_bodies(sim, &tally, &m);
    if (all && m.contacts > 0) measure_anisotropy(&tally, &m);
    m.energy = energy_of(state, &energy);
    *measure = m;
    return TW_STATUS_OK;
}

tw_status tw_sim_measure(tw_sim *sim, tw_measure *measure, tw_error *error)
{
    return measure_all(sim, true, measure, error);
}

tw_status tw_sim_measure_balance(tw_sim *sim, tw_measure *measure, tw_error *error)
{
    return measure_all(sim, false, measure, error);
}

/* ---- Contacts by pair of materials ---- */

typedef struct pair_context {
    const tw_sim *sim;
    uint32_t a, b;
} pair_context;

static void pair_chunk(void *context, size_t begin, size_t end, double *sum)
{
    const pair_context *of = context;
    const tw_sim *sim = of->sim;
    for (size_t k = begin; k < end; k++) {
        if (!tw_tally_is_between(&sim->model, &sim->state, &sim->schedule, k, of->a, of->b))
            continue;
        const tw_tally_touch c = tw_tally_touch_of(&sim->model, &sim->state, &sim->schedule, k);
        tw_tally_between(&c, sum);
    }
}

/* As the shares of strong contacts: docs/theory/measures.md. */
static void share_stress(const tw_measure *all, const double *sum, tw_sim_pair_measure *m)
{
    const tw_mat3 part = symmetric_of(sum + TW_TALLY_PAIR_STRESS);
    const tw_mat3 stress = deviator_tensor(all->stress_volume);
    const double p = tw_mat3_trace(all->stress_volume) / 3.0,
                 q = deviator_of(&all->stress_volume, p, 1.5);
    m->share_p = p > 0.0 ? tw_mat3_trace(part) / 3.0 / all->volume / p : (double)NAN;
    m->share_q =
        q > 0.02 * p ? 1.5 * contraction(&part, &stress) / all->volume / (q * q) : (double)NAN;
}

tw_status tw_sim_measure_pairs(tw_sim *sim, tw_sim_pair_measure *out, size_t capacity,
                               size_t *count, tw_error *error)
{
    assert(sim && (out || capacity == 0));
    const uint32_t materials = (uint32_t)sim->model.material_count;
    const size_t needed = (size_t)materials * (materials + 1) / 2;
    size_t found = 0;
    tw_measure all;
    if (count) *count = needed;
    if (capacity < needed) return tw_error_set_count(error, "pairs", needed, capacity);
    tw_status status = tw_sim_measure_balance(sim, &all, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_list(sim, error);
    TW_ARITHMETIC_HERE;
    TW_SIM_TIMES_HERE(sim);
    TW_CLOCK_HERE(TW_SIM_PHASE_MEASURE);
    for (uint32_t a = 0; a < materials && status == TW_STATUS_OK; a++) {
        for (uint32_t b = a; b < materials && status == TW_STATUS_OK; b++, found++) {
            double sum[TW_TALLY_PAIR_SUMS];
            pair_context of = {sim, a, b};
            tw_sum_chunks(sim->schedule.pairs.count, TW_TALLY_PAIR_SUMS, pair_chunk, &of, sum);
            out[found] = (tw_sim_pair_measure){.a = a,
                                               .b = b,
                                               .contacts = (size_t)sum[TW_TALLY_PAIR_COUNT],
                                               .sliding = (size_t)sum[TW_TALLY_PAIR_SLIDING]};
            share_stress(&all, sum, &out[found]);
        }
    }
    return status;
}
