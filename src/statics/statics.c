/* SPDX-License-Identifier: BSD-3-Clause */
/* The state, and the tangent of its bodies put together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/mat3.h"
#include "base/memory.h"
#include "base/quat.h"
#include "statics/statics_internal.h"

enum { BODY = TW_STATICS_BODY, CELL = TW_STATICS_CELL, BLOCK = TW_STATICS_BLOCK };

tw_statics_def tw_statics_def_default(void)
{
    return (tw_statics_def){.geometric = 1, .shift = 1e-9, .zero_gap = 1e-5};
}

/* ---- The state ---- */

/* What the engine says about it. */
typedef struct view {
    tw_body_state *body;
    tw_sphere_state *sphere;
    tw_contact_state *contact;
    size_t *first; /* sphere of each body */
    size_t contacts;
} view;

static void free_view(view *v)
{
    tw_buffer_drop(&v->body);
    tw_buffer_drop(&v->sphere);
    free(v->contact);
    tw_buffer_drop(&v->first);
}

static tw_status look(tw_sim *sim, view *v, tw_error *error)
{
    const size_t bodies = tw_sim_body_count(sim), spheres = tw_sim_sphere_count(sim);
    tw_status status = tw_sim_prepare(sim, error);
    if (status == TW_STATUS_OK)
        status = tw_sim_list_contacts(sim, &v->contact, &v->contacts, error);
    if (status != TW_STATUS_OK) return status;
    if (!tw_buffer_zeros(&v->body, bodies, sizeof *v->body) ||
        !tw_buffer_zeros(&v->sphere, spheres, sizeof *v->sphere) ||
        !tw_buffer_zeros(&v->first, bodies + 1, sizeof *v->first))
        return tw_error_set_memory(error);
    status = tw_sim_get_bodies(sim, v->body, bodies, error);
    if (status == TW_STATUS_OK) status = tw_sim_get_spheres(sim, v->sphere, spheres, error);
    for (size_t i = 0; i < spheres; i++)
        v->first[tw_sim_body_row(sim, v->sphere[i].body) + 1] = i + 1;
    return status;
}

const char *tw_statics_tangent(const tw_statics_contact *c, uint32_t branch,
                               tw_contact_tangent *tangent)
{
    const tw_contact_memory memory = {c->n, c->zeta, c->ft};
    tw_contact_parts parts = tw_contact_parts_of_springs(c->fr, c->fw);
    const tw_contact_extra extra = tw_contact_extra_of(TW_CONTACT_EXTRA_ALL, (double *)&parts);
    return tw_contact_derivative_rate(&c->law, &memory, &extra, c->lever, branch, tangent);
}

/* Tangential forces of a Hertz contact go with the root of a shrinking overlap and not of a growing
 * one: the mean of both. */
static tw_status put_tangent(tw_statics_contact *c, tw_error *error)
{
    tw_contact_tangent back, *t = &c->tangent;
    const char *why = tw_statics_tangent(c, 0, t);
    if (why) return tw_error_set(error, TW_STATUS_INPUT, "statics: %s", why);
    if (!tw_contact_normal_stiffens(c->law.normal)) return TW_STATUS_OK;
    tw_statics_tangent(c, TW_CONTACT_UNLOADS, &back);
    for (int i = 0; i < 9; i++) {
        t->f_du[i / 3][i % 3] = 0.5 * (t->f_du[i / 3][i % 3] + back.f_du[i / 3][i % 3]);
        t->couple_du[i / 3][i % 3] =
            0.5 * (t->couple_du[i / 3][i % 3] + back.couple_du[i / 3][i % 3]);
    }
    return TW_STATUS_OK;
}

/* The springs of a contact, by the kernel's own formulas. */
static tw_status put_springs(const tw_sim *sim, const view *v, const tw_contact_state *from,
                             tw_statics_contact *c, tw_error *error)
{
    const bool wall = from->body_q == TW_NO_BODY;
    tw_contact_law law;
    tw_wall_state at = {0};
    if (wall) tw_sim_get_wall(sim, from->member_q, &at, NULL); /* it exists */
    tw_status status = tw_sim_get_pair_law(
        sim, v->body[c->p].material, wall ? at.material : v->body[c->q].material, &law, error);
    if (status != TW_STATUS_OK) return status;
    const double least = c->rp < c->rq ? c->rp : c->rq, most = c->rp < c->rq ? c->rq : c->rp;
    c->lever = wall ? c->rp : c->rp * c->rq / (c->rp + c->rq);
    law = c->law = tw_contact_law_at(&law, c->lever, 0.0, wall ? 0.0 : least / most);
    const tw_contact_memory memory = {from->n, from->zeta, from->ft};
    const tw_contact_stiffness k = tw_contact_law_stiffness(&law, &memory);
    const double root = tw_contact_law_root(&law, from->zeta);
    c->fn = tw_contact_law_normal_force(&law, from->zeta);
    c->pressing = tw_contact_law_pressing(&law, from->zeta);
    c->ft = from->ft;
    c->fr = from->fr;
    c->fw = from->mt / c->lever;
    c->kn = k.kn;
    c->mu = law.mu;
    c->mu_r = law.mu_r;
    c->mu_w = law.mu_w;
    c->kt = law.mu > 0.0 ? k.kt : 0.0;
    c->kr = law.mu_r > 0.0 ? law.k_r * root : 0.0;
    c->kw = law.mu_w > 0.0 ? law.k_w * root : 0.0;
    return TW_STATUS_OK;
}

static tw_status put_contact(const tw_sim *sim, const view *v, size_t k,
                             const tw_contact_state *from, tw_statics_contact *c, tw_error *error)
{
    const uint32_t row = (uint32_t)tw_sim_body_row(sim, from->body_p);
    const tw_sphere_state *p = &v->sphere[v->first[row] + from->member_p];
    *c = (tw_statics_contact){.p = row,
                              .q = (uint32_t)tw_sim_body_row(sim, from->body_q), /* or none */
                              .index = (uint32_t)k,
                              .n = from->n,
                              .zeta = from->zeta,
                              .rp = p->radius,
                              .rq = HUGE_VAL,
                              .b = from->branch};
    c->dp = tw_vec3_sub(p->x, v->body[c->p].x);
    if (c->q == TW_NO_BODY) {
        c->b = tw_vec3_scale(-1.0, v->body[c->p].x);
    } else {
        const tw_sphere_state *q = &v->sphere[v->first[c->q] + from->member_q];
        c->rq = q->radius;
        c->dq = tw_vec3_sub(q->x, v->body[c->q].x);
    }
    return put_springs(sim, v, from, c, error);
}

static void put_body(tw_statics *s, const tw_body_state *body, size_t i)
{
    const tw_vec3 in = body->inertia;
    const tw_mat3 axes = tw_quat_matrix(body->axes);
    const tw_mat3 inverse = tw_mat3_diagonal(1.0 / in.x, 1.0 / in.y, 1.0 / in.z);
    s->mobility[i] = tw_mat3_mul(axes, tw_mat3_mul(inverse, tw_mat3_transpose(axes)));
    s->mass[i] = body->mass;
    s->size[i] = sqrt(2.5 * (in.x + in.y + in.z) / (3.0 * body->mass)); /* of a sphere: radius */
    const double force = tw_vec3_norm(body->force);
    if (!(force <= s->worst_force)) {
        s->worst = body->id;
        s->worst_force = force;
    }
}

/* ---- Pairs at zero gap ---- */

int tw_statics_order_of(const tw_contact_state *a, const tw_contact_state *b)
{
    const uint32_t x[] = {a->body_p, a->body_q, a->member_p, a->member_q};
    const uint32_t y[] = {b->body_p, b->body_q, b->member_p, b->member_q};
    for (int k = 0; k < 4; k++)
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    return 0;
}

/* Pairs that touch in a copy that is smaller by `less`, and do not in the state. */
static tw_status keep_pairs(tw_statics *s, const tw_sim *sim, const view *v, double less,
                            const tw_contact_state *contact, size_t count, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    if (!tw_buffer_zeros(&s->near, count, sizeof *s->near)) return tw_error_set_memory(error);
    for (size_t k = 0, at = 0; k < count && status == TW_STATUS_OK; k++) {
        tw_statics_contact *c = &s->near[s->nears];
        tw_contact_state pair = contact[k];
        while (at < v->contacts && tw_statics_order_of(&v->contact[at], &pair) < 0)
            at++;
        if (at < v->contacts && tw_statics_order_of(&v->contact[at], &pair) == 0) {
            at++;
            continue;
        }
        if (pair.body_q == TW_NO_BODY) continue;
        pair.zeta = 0.0;
        pair.branch = tw_vec3_scale(1.0 / (1.0 - less), pair.branch);
        pair.ft = pair.fr = tw_vec3_make(0.0, 0.0, 0.0);
        pair.mt = 0.0;
        status = put_contact(sim, v, UINT32_MAX, &pair, c, error);
        const tw_vec3 l = tw_vec3_add(pair.branch, tw_vec3_sub(c->dq, c->dp));
        c->n = tw_vec3_scale(1.0 / tw_vec3_norm(l), l);
        if (tw_vec3_norm(l) - c->rp - c->rq <= s->zero) s->nears++;
    }
    return status;
}

/* They are looked for by the engine, in a copy whose cell is smaller. */
static tw_status find_pairs(tw_statics *s, tw_sim *sim, const view *v, double diameter,
                            tw_error *error)
{
    const double less = 10.0 * s->zero / diameter; /* branches of clusters may be oblique */
    const tw_mat3 by = tw_mat3_diagonal(-less, -less, -less);
    double *still = NULL;
    tw_contact_state *contact = NULL;
    size_t count;
    tw_sim *copy = tw_sim_copy(sim, error);
    if (!copy) return error->status;
    tw_status status = TW_STATUS_OK;
    if (!tw_buffer_zeros(&still, BODY * s->bodies, sizeof *still))
        status = tw_error_set_memory(error);
    if (status == TW_STATUS_OK) status = tw_sim_displace(copy, &by, still, BODY * s->bodies, error);
    if (status == TW_STATUS_OK) status = tw_sim_list_contacts(copy, &contact, &count, error);
    if (status == TW_STATUS_OK) status = keep_pairs(s, sim, v, less, contact, count, error);
    tw_buffer_drop(&still);
    free(contact);
    tw_sim_free(copy);
    return status;
}

/* ---- The tangent, put together ---- */

bool tw_statics_carries(const tw_statics *s, const tw_statics_contact *c)
{
    return !c->at_zero && !s->rattler[c->p] && (c->q == TW_NO_BODY || !s->rattler[c->q]);
}

static void add_block(double *out, double block[][TW_STATICS_CONTACT], int row, int column)
{
    for (int i = 0; i < BODY; i++)
        for (int j = 0; j < BODY; j++)
            out[BODY * i + j] += block[row + i][column + j];
}

static void add_body(tw_statics *s, uint32_t body, int first, double block[][TW_STATICS_CONTACT])
{
    add_block(s->self + (size_t)BLOCK * body, block, first, first);
    for (int i = 0; i < BODY; i++)
        for (int j = 0; j < CELL; j++) {
            const size_t at = (size_t)BODY * body + (size_t)i;
            s->by_cell[CELL * at + (size_t)j] += block[first + i][TW_STATICS_PAIR + j];
            s->of_cell[(size_t)j * BODY * s->bodies + at] += block[TW_STATICS_PAIR + j][first + i];
        }
}

void tw_statics_assemble(tw_statics *s, bool geometric)
{
    double block[TW_STATICS_CONTACT][TW_STATICS_CONTACT];
    const size_t n = s->bodies;
    memset(s->self, 0, (BLOCK * (n + 2 * s->contacts) + 2 * BODY * CELL * n) * sizeof *s->self);
    memset(s->cell, 0, sizeof s->cell);
    s->moment = tw_mat3_zero();
    s->geometric = geometric;
    s->pairs = s->carrying = 0;
    for (size_t k = 0; k < s->contacts; k++) {
        const tw_statics_contact *c = &s->contact[k];
        if (!tw_statics_carries(s, c)) continue;
        s->carrying++;
        tw_statics_contact_block(c, geometric, block);
        const tw_vec3 f = tw_vec3_add_scaled(c->ft, -c->fn, c->n);
        s->moment = tw_mat3_add(s->moment, tw_mat3_outer(f, c->b));
        for (int j = 0; j < CELL * CELL; j++)
            s->cell[j] += block[TW_STATICS_PAIR + j / CELL][TW_STATICS_PAIR + j % CELL];
        add_body(s, c->p, 0, block);
        if (c->q == TW_NO_BODY) continue;
        add_body(s, c->q, BODY, block);
        if (c->p == c->q) { /* a body and its image */
            add_block(s->self + (size_t)BLOCK * c->p, block, 0, BODY);
            add_block(s->self + (size_t)BLOCK * c->p, block, BODY, 0);
            continue;
        }
        /* Contacts are ordered by their bodies: those of a pair follow each other. */
        const bool same =
            s->pairs > 0 && s->pair[2 * s->pairs - 2] == c->p && s->pair[2 * s->pairs - 1] == c->q;
        if (!same) {
            s->pair[2 * s->pairs] = c->p;
            s->pair[2 * s->pairs++ + 1] = c->q;
        }
        add_block(s->across + (size_t)(2 * BLOCK) * (s->pairs - 1), block, 0, BODY);
        add_block(s->across + (size_t)(2 * BLOCK) * (s->pairs - 1) + BLOCK, block, BODY, 0);
    }
}

/* ---- Creating ---- */

static tw_status allocate(tw_statics *s, tw_error *error)
{
    const size_t n = s->bodies, blocks = BLOCK * (n + 2 * s->contacts);
    if (tw_buffer_zeros(&s->contact, s->contacts, sizeof *s->contact) &&
        tw_buffer_zeros(&s->pair, 2 * s->contacts, sizeof *s->pair) &&
        tw_buffer_zeros(&s->self, blocks + 2 * BODY * CELL * n, sizeof *s->self) &&
        tw_buffer_zeros(&s->size, 2 * n, sizeof *s->size) &&
        tw_buffer_zeros(&s->mobility, n, sizeof *s->mobility) &&
        tw_buffer_zeros(&s->rattler, n, sizeof *s->rattler)) {
        s->across = s->self + BLOCK * n;
        s->by_cell = s->self + blocks;
        s->of_cell = s->by_cell + BODY * CELL * n;
        s->mass = s->size + n;
        return TW_STATUS_OK;
    }
    return tw_error_set_memory(error);
}

static tw_status measure(tw_statics *s, tw_sim *sim, tw_error *error)
{
    tw_measure m;
    tw_stable_step step;
    const tw_sim_def def = tw_sim_get_definition(sim);
    tw_status status = tw_sim_measure(sim, &m, error);
    if (status == TW_STATUS_OK) status = tw_sim_get_stable_step(sim, &step, error);
    if (status != TW_STATUS_OK) return status;
    s->volume = m.volume;
    s->rattlers = m.rattlers;
    s->unbalanced = m.unbalanced;
    s->force_mean = m.force_mean;
    s->zero = s->def.zero_gap * m.overlap_mean;
    s->engine_step = step.dt;
    s->closed =
        def.periodic[0] && def.periodic[1] && def.periodic[2] && tw_sim_wall_count(sim) == 0;
    return TW_STATUS_OK;
}

static tw_status fill(tw_statics *s, tw_sim *sim, const view *v, tw_error *error)
{
    const double scale = tw_sim_get_definition(sim).mass_scale;
    tw_status status = allocate(s, error);
    for (size_t k = 0; k < s->contacts && status == TW_STATUS_OK; k++) {
        status = put_contact(sim, v, k, &v->contact[k], &s->contact[k], error);
        if (status == TW_STATUS_OK) status = put_tangent(&s->contact[k], error);
        s->kn += s->contact[k].kn / (double)s->contacts;
        if (tw_contact_normal_stiffens(s->contact[k].law.normal)) s->hertz = true;
    }
    if (status == TW_STATUS_OK) status = measure(s, sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_get_rattlers(sim, s->rattler, s->bodies, error);
    if (status != TW_STATUS_OK) return status;
    for (size_t i = 0; i < s->bodies; i++) {
        put_body(s, &v->body[i], i);
        s->density += v->body[i].mass / scale / s->volume;
        if (v->body[i].fixed) s->closed = false;
    }
    tw_statics_assemble(s, s->def.geometric != 0);
    if (!(s->zero > 0.0) || s->hertz || !s->closed) return TW_STATUS_OK;
    double least = HUGE_VAL;
    for (size_t i = 0; i < tw_sim_sphere_count(sim); i++)
        least = v->sphere[i].radius < least ? v->sphere[i].radius : least;
    return find_pairs(s, sim, v, 2.0 * least, error);
}

tw_statics *tw_statics_create(tw_sim *sim, const tw_statics_def *def, tw_error *error)
{
    TW_CALL_HERE(sim && def);
    view v = {0};
    tw_statics *s = NULL;
    tw_error own;
    if (!error) error = &own;
    tw_error_clear(error);
    tw_status status = TW_STATUS_OK;
    if (!(def->shift > 0.0 && def->shift < 1.0))
        status = tw_error_set(error, TW_STATUS_INPUT, "shift = %g: must be above 0 and below 1",
                              def->shift);
    else if (tw_sim_body_count(sim) == 0)
        status = tw_error_set(error, TW_STATUS_INPUT, "the state has no bodies");
    if (status == TW_STATUS_OK) status = look(sim, &v, error);
    if (status == TW_STATUS_OK && v.contacts == 0)
        status = tw_error_set(error, TW_STATUS_PHYSICS,
                              "the state has no contacts: nothing in it resists a motion");
    if (status == TW_STATUS_OK && !tw_buffer_zeros(&s, 1, sizeof *s))
        status = tw_error_set_memory(error);
    if (status == TW_STATUS_OK) {
        s->def = *def;
        s->bodies = tw_sim_body_count(sim);
        s->contacts = v.contacts;
        status = fill(s, sim, &v, error);
    }
    free_view(&v);
    if (status == TW_STATUS_OK) return s;
    tw_statics_free(s);
    return NULL;
}

void tw_statics_free(tw_statics *s)
{
    if (!s) return;
    tw_statics_solver_close(&s->solver);
    tw_buffer_drop(&s->contact);
    tw_buffer_drop(&s->near);
    tw_buffer_drop(&s->pinched);
    tw_buffer_drop(&s->pair);
    tw_buffer_drop(&s->self);
    tw_buffer_drop(&s->size);
    tw_buffer_drop(&s->mobility);
    tw_buffer_drop(&s->rattler);
    tw_buffer_drop(&s);
}

/* ---- Products and solutions ---- */

size_t tw_statics_size(const tw_statics *s)
{
    return BODY * s->bodies + CELL;
}

void tw_statics_product(const tw_statics *s, const double *z, double *out)
{
    TW_ARITHMETIC_HERE;
    double block[TW_STATICS_CONTACT][TW_STATICS_CONTACT];
    memset(out, 0, tw_statics_size(s) * sizeof *out);
    for (size_t k = 0; k < s->contacts; k++) {
        const tw_statics_contact *c = &s->contact[k];
        if (c->at_zero) continue;
        const size_t cell = BODY * s->bodies, p = (size_t)BODY * c->p;
        const size_t q = c->q == TW_NO_BODY ? cell : (size_t)BODY * c->q; /* columns are 0 there */
        tw_statics_contact_block(c, s->def.geometric != 0, block);
        for (size_t i = 0; i < TW_STATICS_CONTACT; i++) {
            const size_t row = i < BODY ? p + i : i < 12 ? q + i - BODY : cell + i - 12;
            double sum = 0.0;
            for (size_t j = 0; j < TW_STATICS_CONTACT; j++)
                sum += block[i][j] * z[j < BODY ? p + j : j < 12 ? q + j - BODY : cell + j - 12];
            out[row] += sum;
        }
    }
}

tw_status tw_statics_check(const tw_statics *s, const char *what, tw_error *error)
{
    if (!s->closed)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s need a cell that is periodic along all edges, without walls and "
                            "fixed bodies",
                            what);
    if (s->carrying == 0)
        return tw_error_set(error, TW_STATUS_PHYSICS,
                            "all %zu bodies are rattlers: nothing carries a load", s->bodies);
    return TW_STATUS_OK;
}

/* The length by which unknown `k` of a body is multiplied: 1, or the size of the body. */
static double scale_of(const tw_statics *s, size_t body, int k)
{
    return k < 3 ? 1.0 : s->size[body];
}

static void put_elements(const tw_statics *s, tw_statics_solver *solver, size_t *at, size_t p,
                         size_t q, const double *block)
{
    for (int i = 0; i < BODY; i++)
        for (int j = 0; j < BODY; j++) {
            solver->row[*at] = (int)((size_t)BODY * p + (size_t)i + 1);
            solver->column[*at] = (int)((size_t)BODY * q + (size_t)j + 1);
            solver->value[(*at)++] = block[BODY * i + j] / (scale_of(s, p, i) * scale_of(s, q, j));
        }
}

/* The line through the two contacts of a body that nothing but them holds. Forces at the contacts
 * have no moment about it, so that no equation decides that spin: in the engine the momentum about
 * it stays zero, and so it does here. */
typedef struct axle {
    int contacts; /* those that may hold the spin count as three */
    tw_vec3 at[2];
} axle;

static void add_end(axle *a, const tw_statics_contact *c, tw_vec3 arm)
{
    if (a->contacts < 2) a->at[a->contacts] = arm;
    a->contacts += c->at_zero || c->kr > 0.0 || c->kw > 0.0 || c->p == c->q ? 3 : 1;
}

/* The number of them; `contacts` of other bodies is 0. */
static size_t find_axles(const tw_statics *s, axle *out)
{
    tw_statics_maps maps;
    size_t count = 0;
    for (size_t k = 0; k < s->contacts; k++) {
        const tw_statics_contact *c = &s->contact[k];
        if (!tw_statics_carries(s, c) && !c->at_zero) continue;
        tw_statics_contact_maps(c, &maps);
        add_end(&out[c->p], c, maps.ap);
        add_end(&out[c->q], c, maps.aq);
    }
    for (size_t k = 0; k < s->nears; k++) /* may hold it */
        out[s->near[k].p].contacts = out[s->near[k].q].contacts = 3;
    for (size_t i = 0; i < s->bodies; i++) {
        const double length = tw_vec3_norm(tw_vec3_sub(out[i].at[1], out[i].at[0]));
        if (out[i].contacts != 2 || !(length > 1e-6 * s->size[i])) out[i].contacts = 0;
        count += out[i].contacts > 0;
    }
    return count;
}

/* Adds a load p for the momentum c.x to the block of a body, scaled as its elements. That load has
 * a moment about the line, and all others have none, so that c.x is zero. */
static void hold_axle(const tw_statics *s, size_t body, const axle *a, double *block)
{
    const tw_vec3 line = tw_vec3_sub(a->at[1], a->at[0]);
    const double size = s->size[body], mass = s->mass[body];
    const tw_vec3 t = tw_vec3_scale(1.0 / tw_vec3_norm(line), line);
    const tw_vec3 u = tw_vec3_cross(a->at[0], t);
    const tw_vec3 spin = tw_mat3_mul_vec(tw_mat3_inverse(s->mobility[body]), t);
    const double inertia = mass * tw_vec3_dot(u, u) + tw_vec3_dot(t, spin);
    const double p[BODY] = {u.x, u.y, u.z, size * t.x, size * t.y, size * t.z};
    const double c[BODY] = {mass * u.x,    mass * u.y,    mass * u.z,
                            spin.x / size, spin.y / size, spin.z / size};
    for (int i = 0; i < BODY; i++)
        for (int j = 0; j < BODY; j++)
            block[BODY * i + j] += s->kn * p[i] * c[j] / inertia;
}

/* Momentum is that against the mean motion of all, which is held by a load on one body. */
static void hold_mean(const tw_statics *s, tw_statics_solver *solver, size_t at, size_t body)
{
    double mass = 0.0;
    for (size_t i = 0; i < s->bodies; i++)
        mass += s->rattler[i] ? 0.0 : s->mass[i];
    for (size_t i = 0; i < s->bodies; i++)
        for (int k = 0; k < 3; k++) {
            solver->row[at] = (int)((size_t)BODY * body + (size_t)k + 1);
            solver->column[at] = (int)((size_t)BODY * i + (size_t)k + 1);
            solver->value[at++] = s->rattler[i] ? 0.0 : s->kn * s->mass[i] / mass;
        }
}

/* Stiffness of a rattler between pairs at zero gap: nothing beside them, and no motion without
 * resistance. */
static const double pinched_shift = 1e-6;

tw_status tw_statics_factor(tw_statics *s, double shift, bool hold, tw_error *error)
{
    axle *axles = NULL;
    if (!tw_buffer_zeros(&axles, s->bodies, sizeof *axles)) return tw_error_set_memory(error);
    const size_t spins = hold && s->closed ? find_axles(s, axles) : 0;
    const size_t blocks = BLOCK * (s->bodies + 2 * s->pairs);
    const bool mean = spins > 0;
    tw_status status = TW_STATUS_OK;
    if (!s->solver.module)
        status = tw_statics_solver_open(&s->solver, BODY * s->bodies,
                                        blocks + (mean ? 3 * s->bodies : 0), error);
    if (status != TW_STATUS_OK) {
        tw_buffer_drop(&axles);
        return status;
    }
    size_t at = 0;
    bool held = !s->closed || !hold; /* one body, against the translation of everything */
    for (size_t i = 0; i < s->bodies; i++) {
        const size_t first = at;
        const bool holds = !held && !s->rattler[i];
        put_elements(s, &s->solver, &at, i, i, s->self + BLOCK * i);
        for (size_t k = 0; k < BODY; k++) /* rattlers have no stiffness but this */
            s->solver.value[first + (BODY + 1) * k] +=
                s->kn * (s->pinched && s->pinched[i]                  ? pinched_shift
                         : s->rattler[i] || (holds && !mean && k < 3) ? 1.0
                                                                      : shift);
        if (holds && mean) hold_mean(s, &s->solver, blocks, i);
        if (axles[i].contacts > 0) hold_axle(s, i, &axles[i], s->solver.value + first);
        held = held || holds;
    }
    tw_buffer_drop(&axles);
    for (size_t k = 0; k < s->pairs; k++) {
        const uint32_t p = s->pair[2 * k], q = s->pair[2 * k + 1];
        put_elements(s, &s->solver, &at, p, q, s->across + 2 * BLOCK * k);
        put_elements(s, &s->solver, &at, q, p, s->across + 2 * BLOCK * k + BLOCK);
    }
    status = tw_statics_solver_factor(&s->solver, hold ? 10.0 * shift * s->kn : 0.0,
                                      &s->small_pivots, error);
    s->small_pivots += spins;
    return status;
}

tw_status tw_statics_solve(tw_statics *s, size_t columns, double *x, tw_error *error)
{
    for (int back = 0; back < 2; back++) {
        for (size_t c = 0; c < columns; c++)
            for (size_t i = 0; i < BODY * s->bodies; i++)
                x[c * BODY * s->bodies + i] /= scale_of(s, i / BODY, (int)(i % BODY));
        if (back) return TW_STATUS_OK;
        const tw_status status = tw_statics_solver_solve(&s->solver, columns, x, error);
        if (status != TW_STATUS_OK) return status;
    }
    return TW_STATUS_OK;
}

/* ---- By strains ---- */

static const int strain_row[TW_COMPONENTS] = {0, 4, 8, 5, 2, 1};
static const int strain_other[TW_COMPONENTS] = {0, 4, 8, 7, 6, 3};

double tw_statics_by_strain(const double *row, size_t step, int e)
{
    return 0.5 * (row[step * (size_t)strain_row[e]] + row[step * (size_t)strain_other[e]]);
}

double tw_statics_strain_of(const double *g, int e)
{
    return g[strain_row[e]] + (e < 3 ? 0.0 : g[strain_other[e]]);
}

void tw_statics_put_gradient(const double strain[TW_COMPONENTS], double *g)
{
    for (int e = 0; e < TW_COMPONENTS; e++)
        g[strain_row[e]] = g[strain_other[e]] = (e < 3 ? 1.0 : 0.5) * strain[e];
}

double tw_statics_stress_by(const tw_statics *s, int i, const double *x)
{
    const size_t n = BODY * s->bodies;
    double sum = 0.0;
    for (size_t k = 0; k < n; k++)
        sum += tw_statics_by_strain(s->of_cell + k, n, i) * x[k];
    return sum / s->volume;
}

void tw_statics_put_strains(const tw_statics *s, double *x)
{
    const size_t n = BODY * s->bodies;
    for (size_t j = 0; j < TW_COMPONENTS; j++)
        for (size_t i = 0; i < n; i++)
            x[j * n + i] = -tw_statics_by_strain(s->by_cell + CELL * i, 1, (int)j);
}

void tw_statics_condense(const tw_statics *s, const double *u,
                         double c[TW_COMPONENTS * TW_COMPONENTS])
{
    for (int i = 0; i < TW_COMPONENTS; i++)
        for (int j = 0; j < TW_COMPONENTS; j++) {
            double column[CELL];
            for (int k = 0; k < CELL; k++)
                column[k] = tw_statics_by_strain(s->cell + CELL * k, 1, j);
            c[TW_COMPONENTS * i + j] =
                tw_statics_by_strain(column, 1, i) / s->volume +
                tw_statics_stress_by(s, i, u + (size_t)j * BODY * s->bodies) -
                (j < 3 && s->geometric ? tw_statics_by_strain(s->moment.m, 1, i) / s->volume : 0.0);
        }
}

tw_status tw_statics_put_stiffness(tw_statics *s, double *u,
                                   double c[TW_COMPONENTS * TW_COMPONENTS], tw_error *error)
{
    tw_statics_put_strains(s, u);
    const tw_status status = tw_statics_solve(s, TW_COMPONENTS, u, error);
    if (status == TW_STATUS_OK) tw_statics_condense(s, u, c);
    return status;
}

bool tw_statics_soften(const double c[TW_COMPONENTS * TW_COMPONENTS], double x[TW_COMPONENTS])
{
    double a[TW_COMPONENTS * TW_COMPONENTS];
    memcpy(a, c, sizeof a);
    return tw_statics_lcp_eliminate(TW_COMPONENTS, a, x) != 0;
}
