/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements of a state. */
#include <string.h>

#include <twirl/contact_law.h>

#include "base/error.h"
#include "base/prefix.h"
#include "base/sum.h"
#include "sim/sim_device.h"
#include "step/move.h"
#include "world/pair_law.h"

enum { STRESS = 0, FABRIC = 9, OVERLAP = 18, NORMAL, FORCE, WALLS, CONTACT_SUMS };
enum { KINETIC = 0, SOLID = 9, UNBALANCED, DIAMETER, BODY_SUMS };

static void add_outer(double *sum, double s, tw_vec3 a, tw_vec3 b)
{
    const tw_mat3 m = tw_mat3_outer(a, b);
    for (int k = 0; k < 9; k++)
        sum[k] += s * m.m[k];
}

static void contact_chunk(void *context, size_t begin, size_t end, double *sum)
{
    const tw_sim *sim = context;
    const tw_model *model = &sim->model;
    const tw_state *state = &sim->state;
    const tw_schedule *schedule = &sim->schedule;
    for (size_t k = begin; k < end; k++) {
        const tw_pair *pair = &schedule->pairs.pair[k];
        if (!tw_pairs_touch(&schedule->pairs, k)) continue;
        const uint32_t slot = schedule->pairs.slot[k];
        const tw_contact_memory memory = tw_bundle_get(state->contacts.bundle, slot);
        const tw_contact_law law = tw_pair_law(model, state, schedule, pair);
        const tw_vec3 force = tw_contacts_force(&state->contacts, &law, slot);
        const tw_vec3 xp = state->bodies.x[schedule->spheres.body[pair->p]];
        tw_vec3 branch;
        if (!tw_pair_is_plane(pair)) {
            branch = tw_vec3_sub(state->bodies.x[schedule->spheres.body[pair->q]], xp);
            branch = tw_vec3_add(branch, tw_cell_offset(&state->cell.h, pair->shift));
        } else {
            const double reach = schedule->spheres.radius[pair->p] - 0.5 * memory.zeta;
            branch =
                tw_vec3_sub(tw_vec3_add_scaled(tw_schedule_sphere_centre(state, schedule, pair->p),
                                               reach, memory.n),
                            xp);
            sum[WALLS] += 1.0;
        }
        add_outer(sum + STRESS, -1.0, branch, force);
        add_outer(sum + FABRIC, 1.0, memory.n, memory.n);
        sum[OVERLAP] += memory.zeta;
        sum[NORMAL] += tw_contact_law_normal_force(&law, memory.zeta);
        sum[FORCE] += tw_vec3_norm(force);
    }
}

static void body_chunk(void *context, size_t begin, size_t end, double *sum)
{
    const tw_sim *sim = context;
    const tw_model *model = &sim->model;
    const tw_state *state = &sim->state;
    const tw_bodies *b = &state->bodies;
    for (size_t i = begin; i < end; i++) {
        const double volume = tw_shape_volume(&model->shapes[b->shape[i]], b->size[i]);
        sum[SOLID] += volume;
        sum[DIAMETER] += tw_math_cbrt(6.0 / TW_MATH_PI * volume);
        if (b->flags[i] & TW_BODY_FIXED) continue;
        add_outer(sum + KINETIC, b->mass[i], b->v[i], b->v[i]);
        sum[UNBALANCED] +=
            tw_vec3_norm(tw_vec3_add_scaled(b->force[i], b->mass[i], model->gravity));
    }
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
        const uint32_t q =
            tw_pair_is_plane(pair) ? (uint32_t)n : tw_schedule_body_q(schedule, pair);
        net->other[next[p]++] = q;
        if (q < n) net->other[next[q]++] = p;
    }
    return 1;
}

/* Whether no pair of materials has friction. */
static int is_slippery(const tw_model *model)
{
    for (size_t k = 0; k < tw_model_law_count(model); k++)
        if (model->laws[k].mu > 0.0 && model->laws[k].kt > 0.0) return 0;
    return 1;
}

/* Bodies that carry no force: fewer than two contacts, or than four for spheres without friction.
 * Their contacts do not count for their neighbours, which are then checked again. */
static tw_status count_rattlers(const tw_model *model, tw_state *state, tw_schedule *schedule,
                                tw_measure *m, tw_error *error)
{
    const size_t n = state->bodies.count;
    network net;
    tw_arena_reset(&schedule->scratch);
    uint32_t *left = tw_arena_take(&schedule->scratch, n + 1, sizeof *left);
    uint8_t *out = tw_arena_take(&schedule->scratch, n + 1, 1);
    if (!left || !out || !network_make(state, schedule, &net))
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to measure %zu bodies", n);
    memset(out, 0, n + 1);
    const int slippery = is_slippery(model);
    size_t contacts = m->contacts, walls = m->wall_contacts;
    for (size_t i = 0; i < n; i++)
        left[i] = net.first[i + 1] - net.first[i];
    for (int again = 1; again;) {
        again = 0;
        for (size_t i = 0; i < n; i++) {
            const uint32_t need =
                slippery && model->shapes[state->bodies.shape[i]].count == 1 ? 4 : 2;
            if (out[i] || left[i] >= need || state->bodies.flags[i] & TW_BODY_FIXED) continue;
            out[i] = 1;
            m->rattlers++;
            for (uint32_t k = net.first[i]; k < net.first[i + 1]; k++) {
                const uint32_t other = net.other[k];
                if (other < n && out[other] && other != i)
                    continue; /* has been subtracted with the other */
                contacts--;
                if (other >= n)
                    walls--;
                else if (!out[other])
                    left[other]--;
                again = 1;
            }
        }
    }
    const double bodies = (double)(n - m->rattlers);
    if (bodies > 0.0)
        m->coordination_mechanical = (2.0 * (double)contacts - (double)walls) / bodies;
    return TW_STATUS_OK;
}

static void mobilise(const tw_model *model, const tw_state *state, const tw_schedule *schedule,
                     tw_measure *m)
{
    for (size_t k = 0; k < schedule->pairs.count; k++) {
        if (!tw_pairs_touch(&schedule->pairs, k)) continue;
        const tw_contact_memory memory =
            tw_bundle_get(state->contacts.bundle, schedule->pairs.slot[k]);
        const tw_contact_law law = tw_pair_law(model, state, schedule, &schedule->pairs.pair[k]);
        const double limit = tw_contact_law_friction_limit(&law, memory.zeta);
        const double used = limit > 0.0 ? tw_vec3_norm(memory.ft) / limit : 1.0;
        int bin = (int)(used * TW_MOBILISATION_BINS);
        bin = bin < TW_MOBILISATION_BINS ? bin : TW_MOBILISATION_BINS - 1;
        m->mobilisation[bin] += 1.0 / (double)m->contacts;
        m->overlap_max = tw_math_max(m->overlap_max, memory.zeta);
    }
}

static tw_energy energy_of(const tw_model *model, const tw_state *state, tw_schedule *schedule)
{
    tw_energy e = {0};
    const tw_move_energy now = tw_move_energies(model, state, schedule);
    e.kinetic = now.translation;
    e.rotational = now.rotation;
    e.normal = state->sums.normal;
    e.tangential = state->sums.tangential;
    e.stored_rolling = state->sums.rolling;
    e.stored_twisting = state->sums.twisting;
    e.friction = state->balance.friction;
    e.micro_slip = state->balance.micro_slip;
    e.rolling = state->balance.rolling;
    e.twisting = state->balance.twisting;
    e.contact_damping = state->balance.contact_damping;
    e.body_damping = state->balance.body_damping + now.damping_work;
    e.cell = state->balance.cell + now.cell_work;
    e.walls = state->balance.walls;
    e.gravity = state->balance.gravity;
    e.start = state->balance.start;
    e.residual = e.start + e.cell + e.walls + e.gravity - e.kinetic - e.rotational - e.normal -
                 e.tangential - e.friction - e.contact_damping - e.body_damping;
    e.residual -= e.stored_rolling + e.stored_twisting + e.micro_slip + e.rolling + e.twisting;
    return e;
}

static double rate_of(const tw_state *state)
{
    const tw_mat3 *g = &state->cell.gradient;
    const double mean = tw_mat3_trace(*g) / 3.0;
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double d = 0.5 * (g->m[3 * i + j] + g->m[3 * j + i]) - (i == j ? mean : 0.0);
            sum += d * d;
        }
    }
    return sqrt(2.0 / 3.0 * sum);
}

static void measure_bodies(tw_sim *sim, double contact_force, tw_measure *m)
{
    const tw_model *model = &sim->model;
    const tw_state *state = &sim->state;
    double sum[BODY_SUMS];
    const double n = (double)state->bodies.count;
    tw_sum_chunks(state->bodies.count, BODY_SUMS, body_chunk, sim, sum);
    for (int k = 0; k < 9; k++)
        m->stress_kinetic.m[k] = sum[KINETIC + k] / m->volume;
    m->solid_volume = sum[SOLID];
    m->porosity = 1.0 - m->solid_volume / m->volume;
    m->void_ratio = m->volume / m->solid_volume - 1.0;
    m->coordination = (2.0 * (double)m->contacts - (double)m->wall_contacts) / n;
    if (contact_force > 0.0) m->unbalanced = sum[UNBALANCED] / n / contact_force;
    if (m->p > 0.0)
        m->inertial_number = rate_of(state) * sum[DIAMETER] / n *
                             sqrt(tw_model_density(model, &state->bodies) / m->p);
}

/* sqrt(3/2 s:s) with the symmetric part s of the deviator; p is a third of the trace. */
static double deviator_of(const tw_mat3 *t, double p)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double s = 0.5 * (t->m[3 * i + j] + t->m[3 * j + i]) - (i == j ? p : 0.0);
            sum += s * s;
        }
    }
    return sqrt(1.5 * sum);
}

static void measure_contacts(tw_sim *sim, tw_measure *m, double *mean_force)
{
    double sum[CONTACT_SUMS];
    tw_sum_chunks(sim->schedule.pairs.count, CONTACT_SUMS, contact_chunk, sim, sum);
    m->contacts = sim->state.sums.contacts;
    m->sliding = sim->state.sums.sliding;
    m->wall_contacts = (size_t)sum[WALLS];
    for (int k = 0; k < 9; k++)
        m->stress.m[k] = sum[STRESS + k] / m->volume;
    m->p = tw_mat3_trace(m->stress) / 3.0;
    m->q = deviator_of(&m->stress, m->p);
    *mean_force = 0.0;
    if (m->contacts == 0) return;
    const double n = (double)m->contacts;
    for (int k = 0; k < 9; k++)
        m->fabric.m[k] = sum[FABRIC + k] / n;
    m->fabric_deviator = deviator_of(&m->fabric, 1.0 / 3.0);
    m->overlap_mean = sum[OVERLAP] / n;
    m->force_mean = tw_model_is_uniform(&sim->model)
                        ? tw_contact_law_normal_force(sim->model.laws, m->overlap_mean)
                        : sum[NORMAL] / n;
    m->sliding_fraction = (double)m->sliding / n;
    mobilise(&sim->model, &sim->state, &sim->schedule, m);
    *mean_force = sum[FORCE] / n;
}

/* Of a simulation on a device, too: the arrays are brought, and measured here. */
tw_status tw_sim_measure(tw_sim *sim, tw_measure *measure, tw_error *error)
{
    tw_state *state = &sim->state;
    tw_measure m = {0};
    double mean_force;
    tw_status status = tw_sim_prepare(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_fetch(sim, error);
    if (status != TW_STATUS_OK) return status;
    m.time = state->time;
    m.cell = state->cell.h;
    m.volume = tw_cell_volume(&state->cell);
    measure_contacts(sim, &m, &mean_force);
    measure_bodies(sim, mean_force, &m);
    status = count_rattlers(&sim->model, state, &sim->schedule, &m, error);
    if (status != TW_STATUS_OK) return status;
    m.energy = energy_of(&sim->model, state, &sim->schedule);
    *measure = m;
    return TW_STATUS_OK;
}
