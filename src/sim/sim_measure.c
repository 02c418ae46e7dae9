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

static void contact_chunk(void *context, size_t begin, size_t end, double *sum)
{
    const tw_sim *sim = context;
    for (size_t k = begin; k < end; k++)
        if (tw_pairs_touch(&sim->schedule.pairs, k))
            tw_tally_contact(&sim->model, &sim->state, &sim->schedule, k, sum);
}

/* What chunks of the other sums need besides the simulation. */
typedef struct tally_context {
    const tw_sim *sim;
    double force_mean;
    int slippery;
} tally_context;

static void second_chunk(void *context, size_t begin, size_t end, double *sum)
{
    const tally_context *c = context;
    const tw_sim *sim = c->sim;
    for (size_t k = begin; k < end; k++)
        if (tw_pairs_touch(&sim->schedule.pairs, k))
            tw_tally_second(&sim->model, &sim->state, &sim->schedule, c->force_mean, k, sum);
}

static void body_chunk(void *context, size_t begin, size_t end, double *sum)
{
    const tally_context *c = context;
    for (size_t i = begin; i < end; i++)
        tw_tally_body(&c->sim->model, &c->sim->state, c->slippery, i, sum);
}

/* For each body the others it touches: entries of `other`, walls as bodies.count. */
typedef struct network {
    uint32_t *first, *other;
} network;

static int network_make(tw_state *state, tw_schedule *schedule, network *net)
{
    const size_t n = state->bodies.count;
    uint32_t *next = tw_arena_take(&schedule->scratch, n + 1, sizeof *next);
    net->first = tw_arena_take(&schedule->scratch, n + 1, sizeof *net->first);
    if (!next || !net->first) return 0;
    tw_schedule_count_contacts(state, schedule, next);
    next[n] = 0;
    const uint64_t total = tw_prefix_sum_u32(next, net->first, n + 1);
    memcpy(next, net->first, (n + 1) * sizeof *next);
    net->other = tw_arena_take(&schedule->scratch, total + 1, sizeof *net->other);
    if (!net->other) return 0;
    for (size_t k = 0; k < schedule->pairs.count; k++) {
        const tw_pair *pair = &schedule->pairs.pair[k];
        if (!tw_pairs_touch(&schedule->pairs, k)) continue;
        const uint32_t p = schedule->spheres.body[pair->p];
        const uint32_t q = tw_pair_is_wall(pair) ? (uint32_t)n : tw_schedule_body_q(schedule, pair);
        net->other[next[p]++] = q;
        if (q < n) net->other[next[q]++] = p;
    }
    return 1;
}

/* Bodies that carry no force: fewer than two contacts, or than four for spheres without friction.
 * Their contacts do not count for their neighbours, which are then checked again. *list: which
 * bodies are, by index, in scratch memory. */
static tw_status count_rattlers(const tw_model *model, tw_state *state, tw_schedule *schedule,
                                tw_tally *tally, const uint8_t **list, tw_error *error)
{
    const size_t n = state->bodies.count;
    network net;
    tw_arena_reset(&schedule->scratch);
    uint32_t *left = tw_arena_take(&schedule->scratch, n + 1, sizeof *left);
    uint8_t *out = tw_arena_take(&schedule->scratch, n + 1, 1);
    *list = out;
    if (!left || !out || !network_make(state, schedule, &net))
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to measure %zu bodies", n);
    memset(out, 0, n + 1);
    const int slippery = tw_tally_is_slippery(model);
    for (size_t i = 0; i < n; i++)
        left[i] = net.first[i + 1] - net.first[i];
    for (int again = 1; again;) {
        again = 0;
        for (size_t i = 0; i < n; i++) {
            const uint32_t need = tw_tally_needs(model, &state->bodies, i, slippery);
            if (out[i] || left[i] >= need || state->bodies.flags[i] & TW_BODY_FIXED) continue;
            out[i] = 1;
            tally->rattlers++;
            tally->rattler_freedoms += tw_tally_freedoms(model, &state->bodies, i, slippery);
            for (uint32_t k = net.first[i]; k < net.first[i + 1]; k++) {
                const uint32_t other = net.other[k];
                if (other < n && out[other] && other != i)
                    continue; /* has been counted with the other */
                tally->rattler_contacts++;
                if (other >= n)
                    tally->rattler_walls++;
                else if (!out[other])
                    left[other]--;
                again = 1;
            }
        }
    }
    for (size_t k = 0; k < schedule->pairs.count; k++) {
        const tw_pair *pair = &schedule->pairs.pair[k];
        if (!tw_pairs_touch(&schedule->pairs, k)) continue;
        if (!out[schedule->spheres.body[pair->p]] &&
            (tw_pair_is_wall(pair) || !out[tw_schedule_body_q(schedule, pair)]))
            continue;
        const tw_contact_law law = tw_pair_law(model, state, schedule, pair);
        tally->rattler_constraints +=
            tw_tally_constraints(&law, state->contacts.sliding[schedule->pairs.slot[k]]);
    }
    return TW_STATUS_OK;
}

static void count_bins(const tw_model *model, const tw_state *state, const tw_schedule *schedule,
                       tw_tally *tally)
{
    for (size_t k = 0; k < schedule->pairs.count; k++) {
        if (!tw_pairs_touch(&schedule->pairs, k)) continue;
        const tw_contact_memory memory =
            tw_bundle_get(state->contacts.bundle, schedule->pairs.slot[k]);
        const tw_contact_law law = tw_pair_law(model, state, schedule, &schedule->pairs.pair[k]);
        tally->bins[tw_tally_bin(&law, &memory, TW_TALLY_BINS)]++;
        tally->overlap_max = tw_math_max(tally->overlap_max, memory.zeta);
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
    count_bins(&sim->model, &sim->state, &sim->schedule, tally);
    const uint8_t *list;
    return count_rattlers(&sim->model, &sim->state, &sim->schedule, tally, &list, error);
}

tw_status tw_sim_get_rattlers(tw_sim *sim, unsigned char *out, tw_error *error)
{
    TW_ARITHMETIC_HERE;
    tw_tally tally = {0};
    const uint8_t *list;
    tw_status status = tw_sim_prepare(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_list(sim, error);
    if (status == TW_STATUS_OK)
        status = count_rattlers(&sim->model, &sim->state, &sim->schedule, &tally, &list, error);
    for (size_t i = 0; i < sim->state.bodies.count && status == TW_STATUS_OK; i++)
        out[sim->state.bodies.id[i]] = list[i];
    return status;
}

static tw_energy energy_of(const tw_state *state, const tw_move_energy *now)
{
    tw_energy e = {0};
    e.kinetic = now->translation;
    e.rotational = now->rotation;
    e.normal = state->sums.normal;
    e.tangential = state->sums.tangential;
    e.stored_rolling = state->sums.rolling;
    e.stored_twisting = state->sums.twisting;
    e.friction = state->balance.friction;
    e.micro_slip = state->balance.micro_slip;
    e.rolling = state->balance.rolling;
    e.twisting = state->balance.twisting;
    e.contact_damping = state->balance.contact_damping;
    e.body_damping = state->balance.body_damping + now->damping_work;
    e.cell = state->balance.cell + now->cell_work;
    e.walls = state->balance.walls;
    e.gravity = state->balance.gravity;
    e.start = state->balance.start;
    e.residual = e.start + e.cell + e.walls + e.gravity - e.kinetic - e.rotational - e.normal -
                 e.tangential - e.friction - e.contact_damping - e.body_damping;
    e.residual -= e.stored_rolling + e.stored_twisting + e.micro_slip + e.rolling + e.twisting;
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
    const double part = m->q > 0.0 ? 1.5 / m->q : (double)NAN;
    const tw_mat3 stress = deviator_tensor(m->stress);
    a->a_c = part * contraction(&a->contacts, &stress);
    a->a_d = part * contraction(&a->branches, &stress);
    a->a_n = part * contraction(&a->normal, &stress);
    a->a_t = part * contraction(&a->tangential, &stress);
    a->sum = 0.4 * (a->a_c + a->a_d + a->a_n + 1.5 * a->a_t);
    const tw_mat3 strong = symmetric_of(tally->second + TW_TALLY_STRONG);
    m->strong_fraction = tally->second[TW_TALLY_STRONG_COUNT] / (double)m->contacts;
    m->strong_p = tw_mat3_trace(strong) / 3.0 / m->volume / m->p;
    m->strong_q =
        m->q > 0.02 * m->p ? part * contraction(&strong, &stress) / m->volume / m->q : (double)NAN;
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
    if (contact_force > 0.0) m->unbalanced = sum[TW_TALLY_UNBALANCED] / n / contact_force;
    if (m->p > 0.0)
        m->inertial_number = rate_of(&state->cell.gradient) * sum[TW_TALLY_DIAMETER] / n *
                             sqrt(tally->density / m->p);
    m->rattlers = tally->rattlers;
    const double bodies = (double)(state->bodies.count - m->rattlers);
    const size_t contacts = m->contacts - tally->rattler_contacts;
    const size_t walls = m->wall_contacts - tally->rattler_walls;
    if (bodies > 0.0)
        m->coordination_mechanical = (2.0 * (double)contacts - (double)walls) / bodies;
    const double freedoms = sum[TW_TALLY_FREEDOMS] - (double)tally->rattler_freedoms;
    if (freedoms > 0.0)
        m->redundancy =
            (tally->contact[TW_TALLY_CONSTRAINTS] - (double)tally->rattler_constraints) / freedoms;
}

static void measure_contacts(const tw_sim *sim, const tw_tally *tally, tw_measure *m)
{
    const double *sum = tally->contact;
    m->contacts = sim->state.sums.contacts;
    m->sliding = sim->state.sums.sliding;
    m->wall_contacts = (size_t)sum[TW_TALLY_WALLS];
    for (int k = 0; k < 9; k++)
        m->stress.m[k] = sum[TW_TALLY_STRESS + k] / m->volume;
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
    TW_ARITHMETIC_HERE;
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
        tally.rattlers = tally.rattler_contacts = tally.rattler_walls = 0;
        tally.rattler_constraints = tally.rattler_freedoms = 0;
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
