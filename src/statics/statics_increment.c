/* SPDX-License-Identifier: BSD-3-Clause */
/* Static increments: the state in equilibrium under a given change of strain or stress, by Newton's
 * method. A trial is a movement z of all bodies and the cell from the base, which the engine makes
 * on a copy; so search, contacts and forces are its own. docs/theory/statics.md, "Increments". In
 * here tension is positive. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/detail/contact_derivative.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/mat3.h"
#include "base/memory.h"
#include "base/quat.h"
#include "statics/statics_internal.h"

enum { BODY = TW_STATICS_BODY, SIX = TW_COMPONENTS };

static const double least_shift = 1e-7, most_shift = 0.1;

/* Iterations; the first ones are full steps whatever the residual does: they find out which
 * contacts slide and touch. A merit function stalls at the first kink. */
enum { ITERATIONS = 40, FREE = 6, DEEPEST = 6 };

typedef struct attempt {
    tw_sim *sim;
    double *z, *r;    /* movement from the base (with that of the cell); residuals of bodies */
    double left[SIX]; /* stress, or strain, that is still to be applied */
    double size;      /* of the residuals */
} attempt;

/* How soft a tangent is: the strain by the change of stress, times that change, and the sign of the
 * determinant of the bodies. */
typedef struct tangent {
    double work, sign;
} tangent;

typedef struct newton {
    const tw_statics_increment_def *def;
    tw_statics_increment *out;
    tw_sim *base;
    tw_contact_state *before; /* contacts of the base */
    size_t contacts, n;
    tw_body_state *body;
    double *length; /* of bodies: turns rotations into displacements */
    double force, kn, p, modulus;
    double target[SIX]; /* stress, or strain since the base */
    bool relaxing;      /* from a state that moves by itself */
    double *ahead,
        part;        /* motion by the rates of the whole change, or NULL; the part to begin with */
    tangent tangent; /* of the last iteration */
    attempt now, next;
} newton;

tw_statics_increment_def tw_statics_increment_def_default(void)
{
    return (tw_statics_increment_def){.parts = 1, .tolerance = 1e-10};
}

/* ---- Trials ---- */

static tw_status measure_stress(tw_sim *sim, double stress[SIX], tw_error *error)
{
    tw_measure m;
    const tw_status status = tw_sim_measure_balance(sim, &m, error);
    for (int k = 0; k < SIX && status == TW_STATUS_OK; k++)
        stress[k] = -tw_statics_by_strain(m.stress.m, 1, k);
    return status;
}

static double scale_of(const newton *m, size_t i)
{
    return i % BODY < 3 ? 1.0 : m->length[i / BODY];
}

/* Residuals of the state that the trial leads to. */
static tw_status put_residuals(newton *m, attempt *t, tw_error *error)
{
    double sum = 0.0, stress[SIX] = {0};
    tw_status status = tw_sim_get_bodies(t->sim, m->body, m->n / BODY, error);
    if (status == TW_STATUS_OK && m->def->by_stress) status = measure_stress(t->sim, stress, error);
    if (status != TW_STATUS_OK) return status;
    for (size_t i = 0; i < m->n; i++) {
        const tw_body_state *b = &m->body[i / BODY];
        const tw_vec3 load = i % BODY < 3 ? b->force : b->torque;
        const double scale = scale_of(m, i);
        t->r[i] = -(i % 3 == 0 ? load.x : i % 3 == 1 ? load.y : load.z);
        sum += t->r[i] * t->r[i] / (scale * scale);
    }
    sum /= m->force * m->force * (double)(m->n / BODY);
    for (int k = 0; k < SIX; k++) {
        const double now = m->def->by_stress ? stress[k] : tw_statics_strain_of(t->z + m->n, k);
        t->left[k] = m->target[k] - now;
        const double part = (m->def->by_stress ? 1.0 : m->modulus) * t->left[k] / m->p;
        sum += part * part;
    }
    t->size = sqrt(sum);
    return TW_STATUS_OK;
}

/* A movement that the engine refuses, by overlaps that are too large, is one with a large residual.
 */
static tw_status look(newton *m, attempt *t, tw_error *error)
{
    tw_mat3 g;
    memcpy(g.m, t->z + m->n, sizeof g.m);
    tw_sim_free(t->sim);
    t->sim = tw_sim_copy(m->base, error);
    if (!t->sim) return error->status;
    const tw_status status = tw_sim_displace(t->sim, &g, t->z, m->n, error);
    if (status == TW_STATUS_OK) return put_residuals(m, t, error);
    t->size = HUGE_VAL;
    if (status != TW_STATUS_PHYSICS) return status;
    tw_error_clear(error);
    return TW_STATUS_OK;
}

/* ---- Tangents ---- */

static tw_vec3 part_of(const double *z, uint32_t body, int first)
{
    const double *at = z + (size_t)BODY * body + first;
    return tw_vec3_make(at[0], at[1], at[2]);
}

static tw_vec3 turned_back(tw_vec3 turn, tw_vec3 v)
{
    return tw_quat_rotate_back(tw_quat_from_rotation(turn), v);
}

/* The step of a contact from the base, differentiated. `old` is NULL for a new one. */
static void put_step(const newton *m, const double *z, const tw_contact_state *old,
                     tw_statics_contact *c)
{
    tw_mat3 affine = tw_mat3_identity();
    for (int k = 0; k < 9; k++)
        affine.m[k] += z[m->n + (size_t)k];
    const tw_contact_pair pair = {
        .branch = tw_vec3_scale(c->rp + c->rq - c->zeta, c->n),
        .turn_p = part_of(z, c->p, 3),
        .turn_q = part_of(z, c->q, 3),
        .radius_p = c->rp,
        .radius_q = c->rq,
    };
    const tw_vec3 moved = tw_vec3_sub(part_of(z, c->q, 0), part_of(z, c->p, 0));
    const tw_vec3 b = tw_mat3_mul_vec(tw_mat3_inverse(affine), tw_vec3_sub(c->b, moved));
    const tw_vec3 offsets =
        tw_vec3_sub(turned_back(pair.turn_q, c->dq), turned_back(pair.turn_p, c->dp));
    const tw_contact_memory memory =
        old ? (tw_contact_memory){old->n, old->zeta, old->ft}
            : tw_contact_memory_fresh(tw_vec3_add(b, offsets), c->rp, c->rq);
    tw_contact_parts extra = tw_contact_parts_unpack(0, NULL);
    if (old) extra = tw_contact_parts_of_springs(old->fr, old->mt / c->lever);
    const tw_contact_motion motion = tw_contact_pair_motion(TW_CONTACT_EXACT, &pair, &memory);
    tw_contact_derivative_at(&c->law, &motion, &memory, &extra, &c->tangent);
}

static tw_statics *tangent_of(const newton *m, const attempt *t, tw_error *error)
{
    const tw_statics_def def = {.geometric = 1, .shift = least_shift};
    tw_statics *s = tw_statics_create(t->sim, &def, error);
    tw_contact_state *after = NULL;
    size_t count;
    if (!s) return NULL;
    if (tw_sim_list_contacts(t->sim, &after, &count, error) != TW_STATUS_OK) {
        free(after);
        tw_statics_free(s);
        return NULL;
    }
    memset(s->rattler, 0, s->bodies * sizeof *s->rattler); /* the shift holds them */
    for (size_t k = 0, at = 0; k < count; k++) {
        while (at < m->contacts && tw_statics_order_of(&m->before[at], &after[k]) < 0)
            at++;
        const bool old = at < m->contacts && tw_statics_order_of(&m->before[at], &after[k]) == 0;
        put_step(m, t->z, old ? &m->before[at] : NULL, &s->contact[k]);
        if (old) at++; /* two images of a body in contact stand one after the other */
    }
    free(after);
    tw_statics_assemble(s, true);
    return s;
}

/* ---- Steps ---- */

/* `c`: the stiffness by the matrix that is factorised. */
static tangent tangent_measured(const newton *m, const tw_statics *s, const double c[SIX * SIX])
{
    double e[SIX];
    tangent out = {0.0, 0.0};
    int exponent;
    memcpy(e, m->def->change, sizeof e);
    if (!tw_statics_soften(c, e)) return out;
    s->solver.module->determinant(s->solver.handle, &out.sign, &exponent);
    for (int k = 0; k < SIX; k++)
        out.work += m->def->change[k] * e[k];
    return out;
}

/* The step of Newton's method, dz with the nine components of the cell. */
static tw_status solve(newton *m, tw_statics *s, const attempt *t, double shift, double *dz,
                       tw_error *error)
{
    double *x = NULL, e[SIX], c[SIX * SIX];
    if (!tw_buffer_zeros(&x, 7 * m->n, sizeof *x)) return tw_error_set_memory(error);
    tw_status status = tw_statics_factor(s, shift, false, error);
    tw_statics_put_strains(s, x);
    for (size_t i = 0; i < m->n; i++)
        x[SIX * m->n + i] = -t->r[i];
    if (status == TW_STATUS_OK) status = tw_statics_solve(s, 7, x, error);
    if (status == TW_STATUS_OK) {
        const double *own = x + SIX * m->n;
        memcpy(e, t->left, sizeof e);
        tw_statics_condense(s, x, c);
        if (shift < 1e-5) m->tangent = tangent_measured(m, s, c);
        if (m->def->by_stress) {
            for (int k = 0; k < SIX; k++)
                e[k] -= tw_statics_stress_by(s, k, own);
            if (!tw_statics_soften(c, e)) memset(e, 0, sizeof e);
        }
        for (size_t i = 0; i < m->n; i++) {
            dz[i] = own[i];
            for (size_t k = 0; k < SIX; k++)
                dz[i] += x[k * m->n + i] * e[k];
        }
        tw_statics_put_gradient(e, dz + m->n);
    }
    tw_buffer_drop(&x);
    return status;
}

/* No body moves by more than four mean overlaps. */
static void shorten(const newton *m, double *dz)
{
    const double reach = 4.0 * m->force / m->kn;
    for (size_t i = 0; i < m->n; i += BODY) {
        double longest = 0.0;
        for (size_t k = i; k < i + BODY; k++) {
            const double one = fabs(dz[k]) * scale_of(m, k);
            if (one > longest) longest = one;
        }
        for (size_t k = i; k < i + BODY && longest > reach; k++)
            dz[k] *= reach / longest;
    }
}

/* The movement dz after z: positions are those at the end of z. */
static void add_step(const newton *m, const double *z, double part, const double *dz, double *out)
{
    tw_mat3 g, by;
    memcpy(g.m, z + m->n, sizeof g.m);
    memcpy(by.m, dz + m->n, sizeof by.m);
    by = tw_mat3_scale(part, by);
    const tw_mat3 whole =
        tw_mat3_add_scaled(tw_mat3_add_scaled(g, 1.0, by), 1.0, tw_mat3_mul(by, g));
    for (uint32_t i = 0; i < m->n / BODY; i++) {
        const tw_vec3 u = part_of(z, i, 0), gu = tw_mat3_mul_vec(by, u);
        const double carried[BODY] = {gu.x, gu.y, gu.z, 0.0, 0.0, 0.0};
        for (size_t k = 0; k < BODY; k++)
            out[BODY * i + k] = z[BODY * i + k] + carried[k] + part * dz[BODY * i + k];
    }
    memcpy(out + m->n, whole.m, sizeof whole.m);
}

static void swap(newton *m)
{
    const attempt one = m->now;
    m->now = m->next;
    m->next = one;
}

/* From `now` along dz: a whole step at first, later a part that makes the residuals smaller. *good:
 * m->next is to be taken. */
static tw_status search(newton *m, bool free, double worst, double shift, double *dz, bool *good,
                        tw_error *error)
{
    shorten(m, dz);
    *good = false;
    for (double part = 1.0; part > 0.02; part *= 0.5) {
        add_step(m, m->now.z, part, dz, m->next.z);
        const tw_status status = look(m, &m->next, error);
        if (status != TW_STATUS_OK) return status;
        const bool anyway = shift > most_shift && m->next.size < HUGE_VAL;
        if (free)
            *good = m->next.size < 1e3 * worst || anyway;
        else
            *good = m->next.size < (1.0 - 0.1 * part) * m->now.size || (anyway && part < 0.04);
        if (*good || free) break;
    }
    return TW_STATUS_OK;
}

/* One iteration; the shift (S29) grows until a step helps: a shorter step of pseudo-time. */
static tw_status iterate(newton *m, bool free, double worst, double *shift, tw_error *error)
{
    double *dz = NULL;
    if (!tw_buffer_zeros(&dz, m->n + 9, sizeof *dz)) return tw_error_set_memory(error);
    tw_statics *s = tangent_of(m, &m->now, error);
    tw_status status = s ? TW_STATUS_OK : error->status;
    bool good = false;
    while (!good && status == TW_STATUS_OK) {
        status = solve(m, s, &m->now, *shift, dz, error);
        if (status == TW_STATUS_OK) status = search(m, free, worst, *shift, dz, &good, error);
        if (good || *shift > most_shift) break;
        *shift = *shift < 1e-5 ? 1e-4 : 10.0 * *shift;
    }
    swap(m);
    m->out->iterations++;
    tw_statics_free(s);
    tw_buffer_drop(&dz);
    return status;
}

/* Newton's method from the base. *done: m->now is in equilibrium. */
static tw_status converge(newton *m, bool *done, tw_error *error)
{
    double shift = least_shift, *best = NULL;
    if (!tw_buffer_zeros(&best, m->n + 9, sizeof *best)) return tw_error_set_memory(error);
    memset(m->now.z, 0, (m->n + 9) * sizeof *m->now.z);
    tw_status status = look(m, &m->now, error);
    const double worst = m->now.size > 1e-6 ? m->now.size : 1e-6;
    if (m->part > 0.0 && status == TW_STATUS_OK) {
        for (size_t i = 0; i < m->n + 9; i++)
            m->next.z[i] = best[i] = m->part * m->ahead[i];
        status = look(m, &m->next, error);
        swap(m);
    }
    /* Where a state moves by itself, its residuals are small and every direction makes them larger,
     * so that a line search from there stalls: it goes on from one of the first steps. */
    double least = m->relaxing ? HUGE_VAL : m->now.size, earlier = HUGE_VAL;
    *done = false;
    for (int count = 0; count < ITERATIONS && status == TW_STATUS_OK; count++) {
        if (count > FREE && count % 5 == 0) { /* it does not move any more */
            if (m->now.size > 0.8 * earlier) break;
            earlier = m->now.size;
        }
        *done = m->now.size <= m->def->tolerance;
        if (*done || !(m->now.size < HUGE_VAL)) break;
        if (m->def->watch && m->def->watch(m->def->context)) {
            status = tw_error_set(error, TW_STATUS_INTERRUPTED, "interrupted");
            break;
        }
        status = iterate(m, count < FREE, worst, &shift, error);
        if (m->relaxing && shift > most_shift) break; /* no part of a step helped */
        if (count >= FREE) shift = 0.1 * shift > least_shift ? 0.1 * shift : least_shift;
        if (m->now.size < least) {
            least = m->now.size;
            memcpy(best, m->now.z, (m->n + 9) * sizeof *best);
        } else if (count == FREE - 1 && status == TW_STATUS_OK) {
            memcpy(m->now.z, best, (m->n + 9) * sizeof *best);
            status = look(m, &m->now, error);
        }
    }
    tw_buffer_drop(&best);
    return status;
}

/* ---- Bases ---- */

static tw_status set_base(newton *m, tw_sim *base, tw_error *error)
{
    if (base != m->base) tw_sim_free(m->base);
    m->base = base;
    tw_buffer_drop(&m->before);
    return tw_sim_list_contacts(base, &m->before, &m->contacts, error);
}

/* The trial becomes the base; what is prescribed from there on is left over. */
static tw_status advance(newton *m, tw_error *error)
{
    tw_mat3 g;
    memcpy(g.m, m->now.z + m->n, sizeof g.m);
    for (int k = 0; k < SIX; k++) {
        m->out->strain[k] -= tw_statics_strain_of(g.m, k);
        if (!m->def->by_stress) m->target[k] -= tw_statics_strain_of(g.m, k);
    }
    tw_sim *base = m->now.sim;
    m->now.sim = NULL;
    return set_base(m, base, error);
}

static tw_status stop(tw_sim *sim, tw_error *error)
{
    const tw_vec3 zero = tw_vec3_make(0.0, 0.0, 0.0);
    tw_status status = TW_STATUS_OK;
    for (size_t i = 0; i < tw_sim_body_count(sim) && status == TW_STATUS_OK; i++)
        status = tw_sim_set_body_velocity(sim, tw_sim_body_id(sim, i), zero, zero, error);
    return status;
}

/* A piece of motion in time, from rest and to rest, with a viscous force on every body that slow
 * motions do not oscillate under. */
static tw_status creep(newton *m, uint64_t steps, tw_error *error)
{
    const tw_sim_def def = tw_sim_get_definition(m->base);
    const uint32_t bodies = (uint32_t)(m->n / BODY);
    double mass = 0.0;
    tw_status status = tw_sim_get_bodies(m->base, m->body, bodies, error);
    for (uint32_t i = 0; i < bodies; i++)
        mass += m->body[i].mass / bodies;
    const double rate = 0.1 * sqrt(m->kn / mass);
    if (status == TW_STATUS_OK) status = stop(m->base, error);
    if (status == TW_STATUS_OK) status = tw_sim_set_damping(m->base, rate, rate, 0.0, error);
    if (status == TW_STATUS_OK) status = tw_sim_run(m->base, steps, error);
    if (status == TW_STATUS_OK) status = stop(m->base, error);
    if (status == TW_STATUS_OK)
        status = tw_sim_set_damping(m->base, def.damping_mass, def.damping_spin, def.damping_local,
                                    error);
    return status == TW_STATUS_OK ? set_base(m, m->base, error) : status;
}

/* Motion in time to the next equilibrium, in pieces that grow, and are short again where residuals
 * have doubled: the state has given way. Newton's method is tried whenever they are half or twice
 * as large as the last time, long before all is at rest, so that contacts stay at their limits. */
static tw_status relax(newton *m, bool *done, tw_error *error)
{
    enum { FEWEST = 100, LONGEST = 10000, MOST = 200000 };
    tw_status status = TW_STATUS_OK;
    double tried = HUGE_VAL;
    uint64_t steps = FEWEST;
    *done = false;
    m->relaxing = true;
    for (uint64_t taken = 0; taken < MOST && !*done && status == TW_STATUS_OK; taken += steps) {
        if (m->def->watch && m->def->watch(m->def->context))
            status = tw_error_set(error, TW_STATUS_INTERRUPTED, "interrupted");
        if (status == TW_STATUS_OK) status = creep(m, steps, error);
        memset(m->now.z, 0, (m->n + 9) * sizeof *m->now.z);
        if (status == TW_STATUS_OK) status = look(m, &m->now, error);
        const double size = m->now.size;
        steps = size > 2.0 * tried ? FEWEST : steps < LONGEST ? steps * 3 / 2 : steps;
        if (size > 0.5 * tried && size < 2.0 * tried && size > m->def->tolerance) continue;
        tried = size;
        if (status == TW_STATUS_OK) status = converge(m, done, error);
        if (status == TW_STATUS_OK && *done) status = advance(m, error);
    }
    m->relaxing = false;
    m->out->snaps += *done;
    return status;
}

/* Back to where it was if that finds none. */
static tw_status snap(newton *m, bool *done, tw_error *error)
{
    double strain[SIX];
    tw_sim *kept = tw_sim_copy(m->base, error);
    if (!kept) return error->status;
    memcpy(strain, m->out->strain, sizeof strain);
    tw_status status = relax(m, done, error);
    if (status != TW_STATUS_OK || *done) {
        tw_sim_free(kept);
        return status;
    }
    memcpy(m->out->strain, strain, sizeof strain);
    return set_base(m, kept, error);
}

/* Copies of the state are only displaced: no damping, an automatic time step. */
static tw_status undamp(tw_sim *sim, tw_error *error)
{
    const size_t materials = tw_sim_material_count(sim);
    const tw_mat3 still = {{0.0}};
    tw_contact_law *laws = NULL;
    if (!tw_buffer_zeros(&laws, materials * materials, sizeof *laws))
        return tw_error_set_memory(error);
    for (size_t k = 0; k < materials * materials; k++) {
        tw_contact_law *law = &laws[k];
        tw_sim_get_pair_law(sim, (uint32_t)(k / materials), (uint32_t)(k % materials), law, NULL);
        tw_contact_law_undamp(law);
    }
    tw_sim_set_velocity_gradient(sim, &still);
    tw_status status = tw_sim_set_device(sim, "cpu", error);
    if (status == TW_STATUS_OK) status = tw_sim_set_dt(sim, 0.0, 0, error);
    if (status == TW_STATUS_OK) status = tw_sim_set_laws(sim, laws, materials * materials, error);
    tw_buffer_drop(&laws);
    return status;
}

/* ---- Increments ---- */

static bool changes(const tw_statics_increment_def *def)
{
    for (int k = 0; k < SIX; k++)
        if (def->change[k] != 0.0) return true;
    return false;
}

/* Where pairs at zero gap pinch a rattler, Newton's method starts from the solution of the rates:
 * from the state as it is it loses such a rattler, which is another solution. */
static tw_status look_ahead(newton *m, tw_statics *s, tw_error *error)
{
    double change[SIX];
    bool any;
    tw_status status = tw_statics_find_pinched(s, &any, error);
    if (status != TW_STATUS_OK || !any) return status;
    if (!tw_buffer_zeros(&m->ahead, m->n + 9, sizeof *m->ahead)) return tw_error_set_memory(error);
    for (int k = 0; k < SIX; k++)
        change[k] = -m->def->change[k];
    tw_statics_rates *rates = tw_statics_rates_create(s, error);
    status = rates ? tw_statics_rates_move(rates, m->def->by_stress, change, m->ahead, error)
                   : error->status;
    tw_statics_rates_free(rates);
    if (status != TW_STATUS_PHYSICS) return status;
    tw_buffer_drop(&m->ahead); /* the state has no rates */
    tw_error_clear(error);
    return TW_STATUS_OK;
}

static tw_status set_up(newton *m, const tw_sim *from, tw_error *error)
{
    const tw_statics_def def = tw_statics_def_default();
    tw_sim *base = tw_sim_copy(from, error);
    if (!base) return error->status;
    tw_status status = undamp(base, error);
    tw_statics *s = status == TW_STATUS_OK ? tw_statics_create(base, &def, error) : NULL;
    if (!s) {
        tw_sim_free(base);
        return error->status;
    }
    m->n = BODY * s->bodies;
    m->force = s->force_mean;
    m->kn = s->kn;
    m->p = fabs(tw_mat3_trace(s->moment)) / (3.0 * s->volume);
    m->modulus = s->kn / s->size[0];
    status = tw_statics_check(s, "increments", error);
    if (status == TW_STATUS_OK && changes(m->def)) status = look_ahead(m, s, error);
    m->length = s->size;
    s->size = NULL;
    tw_statics_free(s);
    if (status == TW_STATUS_OK)
        status = set_base(m, base, error);
    else
        tw_sim_free(base);
    if (status != TW_STATUS_OK) return status;
    const size_t size = m->n + 9;
    if (tw_buffer_zeros(&m->body, m->n / BODY, sizeof *m->body) &&
        tw_buffer_zeros(&m->now.z, size, sizeof(double)) &&
        tw_buffer_zeros(&m->now.r, m->n, sizeof(double)) &&
        tw_buffer_zeros(&m->next.z, size, sizeof(double)) &&
        tw_buffer_zeros(&m->next.r, m->n, sizeof(double)))
        return TW_STATUS_OK;
    return tw_error_set_memory(error);
}

static void free_newton(newton *m)
{
    tw_sim_free(m->now.sim);
    tw_sim_free(m->next.sim);
    tw_buffer_drop(&m->before);
    tw_buffer_drop(&m->body);
    tw_buffer_drop(&m->length);
    tw_buffer_drop(&m->ahead);
    tw_buffer_drop(&m->now.z);
    tw_buffer_drop(&m->now.r);
    tw_buffer_drop(&m->next.z);
    tw_buffer_drop(&m->next.r);
}

/* The change cannot grow, by however little. It is a limit state if the tangent of the last
 * attempt, with the contacts that slide in it, does not carry a change: its determinant has another
 * sign than if contacts stick, or, where stresses are prescribed, it is much softer or gives way.
 * Otherwise Newton's method has failed. */
static tw_status judge(newton *m, tw_error *error)
{
    static const double soft = 30.0; /* times as soft as if nothing slid: a choice */
    const tw_statics_def def = {.geometric = 1, .shift = least_shift};
    double *x = NULL, most = 0.0, c[SIX * SIX];
    const tangent last = m->tangent;
    m->out->stalled = m->now.size;
    for (uint32_t i = 0; i < m->n / BODY; i++) {
        const double one = tw_vec3_norm(part_of(m->now.r, i, 0));
        if (one > most) m->out->stalled_worst = tw_sim_body_id(m->base, i);
        if (one > most) most = one;
    }
    tw_statics *s = tw_statics_create(m->base, &def, error);
    tw_status status = s ? tw_statics_factor(s, least_shift, false, error) : error->status;
    if (status == TW_STATUS_OK && !tw_buffer_zeros(&x, SIX * m->n, sizeof *x))
        status = tw_error_set_memory(error);
    if (status == TW_STATUS_OK) status = tw_statics_put_stiffness(s, x, c, error);
    if (status == TW_STATUS_OK) {
        const tangent stuck = tangent_measured(m, s, c);
        const bool gives = !(last.work > 0.0 && last.work < soft * stuck.work);
        m->out->limit = !(last.sign * stuck.sign > 0.0) || (m->def->by_stress && gives);
    }
    tw_buffer_drop(&x);
    tw_statics_free(s);
    return status;
}

/* All of the change, in parts that are halved where there is no solution. */
static tw_status follow(newton *m, const double start[SIX], tw_error *error)
{
    const tw_statics_increment_def *def = m->def;
    const double whole = 1.0 / (double)(def->parts > 0 ? def->parts : 1);
    double reached = 0.0, part = whole;
    int in_a_row = 0;
    tw_status status = TW_STATUS_OK;
    for (bool done = false; !done && status == TW_STATUS_OK;) {
        const double to = reached + part < 1.0 - 1e-9 ? reached + part : 1.0;
        bool good;
        for (int k = 0; k < SIX; k++)
            m->target[k] = -(def->by_stress ? to * def->change[k] - start[k]
                                            : (to - reached) * def->change[k]);
        m->part = m->ahead && !(reached > 0.0) ? to : 0.0;
        status = converge(m, &good, error);
        if (status != TW_STATUS_OK) break;
        if (good) {
            status = advance(m, error);
            if (++in_a_row >= 2 && part < whole) part *= 2.0;
        } else if (part > whole * 1.01 / (1 << DEEPEST) && changes(def)) {
            part *= 0.5;
            in_a_row = 0;
            m->out->halvings++;
            continue;
        } else {
            status = changes(def) ? judge(m, error) : snap(m, &good, error);
        }
        m->out->reached = good && to == 1.0;
        done = !good || to == 1.0;
        if (good) reached = to;
    }
    m->out->fraction = reached;
    return status;
}

/* How far bodies have moved relative to the affine motion, without that of all; and which contacts
 * are others. */
static tw_status compare(newton *m, const tw_sim *from, tw_error *error)
{
    const size_t bodies = m->n / BODY;
    const tw_mat3 back = tw_mat3_mul(tw_sim_cell(from), tw_mat3_inverse(tw_sim_cell(m->base)));
    size_t count;
    tw_body_state *before = NULL;
    tw_contact_state *contact = NULL;
    tw_vec3 mean = tw_vec3_make(0.0, 0.0, 0.0);
    tw_status status = tw_sim_list_contacts(from, &contact, &count, error);
    if (status == TW_STATUS_OK && !tw_buffer_zeros(&before, bodies, sizeof *before))
        status = tw_error_set_memory(error);
    if (status == TW_STATUS_OK) status = tw_sim_get_bodies(from, before, bodies, error);
    if (status == TW_STATUS_OK) status = tw_sim_get_bodies(m->base, m->body, bodies, error);
    for (int turn = 0; turn < 2 && status == TW_STATUS_OK; turn++)
        for (size_t i = 0; i < bodies; i++) {
            const tw_vec3 now = tw_vec3_add(m->body[i].displacement,
                                            tw_vec3_sub(before[i].x, before[i].displacement));
            const tw_vec3 u = tw_vec3_sub(tw_mat3_mul_vec(back, now), before[i].x);
            if (turn == 0) mean = tw_vec3_add_scaled(mean, 1.0 / (double)bodies, u);
            const double force = tw_vec3_norm(m->body[i].force) / m->force;
            if (!(force <= m->out->residual)) {
                m->out->residual = force;
                m->out->worst = m->body[i].id;
            }
            const double far = turn ? tw_vec3_norm(tw_vec3_sub(u, mean)) : 0.0;
            if (far > m->out->moved) m->out->moved = far;
        }
    size_t a = 0, b = 0;
    while (status == TW_STATUS_OK && (a < count || b < m->contacts)) {
        const int way = a == count         ? 1
                        : b == m->contacts ? -1
                                           : tw_statics_order_of(&contact[a], &m->before[b]);
        m->out->lost += way < 0;
        m->out->gained += way > 0;
        a += way <= 0;
        b += way >= 0;
    }
    tw_buffer_drop(&before);
    free(contact);
    return status;
}

tw_sim *tw_statics_increase(tw_sim *from, const tw_statics_increment_def *def,
                            tw_statics_increment *out, tw_error *error)
{
    TW_CALL_HERE(from && def && out);
    newton m = {.def = def, .out = out};
    double start[SIX] = {0}, end[SIX] = {0};
    *out = (tw_statics_increment){0};
    tw_error own;
    if (!error) error = &own;
    tw_error_clear(error);
    tw_status status = tw_sim_prepare(from, error);
    if (status == TW_STATUS_OK) status = set_up(&m, from, error);
    if (status == TW_STATUS_OK) status = measure_stress(m.base, start, error);
    if (status == TW_STATUS_OK) status = follow(&m, start, error);
    if (status == TW_STATUS_OK) status = compare(&m, from, error);
    if (status == TW_STATUS_OK) status = stop(m.base, error);
    if (status == TW_STATUS_OK) status = measure_stress(m.base, end, error);
    for (int k = 0; k < SIX; k++)
        out->stress[k] = start[k] - end[k];
    free_newton(&m);
    if (status == TW_STATUS_OK) return m.base;
    tw_sim_free(m.base);
    return NULL;
}
