/* SPDX-License-Identifier: BSD-3-Clause */
/* The rate problem: docs/theory/statics.md. In here tension is positive. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/memory.h"
#include "statics/statics_internal.h"
#include "statics/statics_lcp.h"

enum { BODY = TW_STATICS_BODY, N = TW_STATICS_CONTACT, SIX = TW_COMPONENTS };

/* A spring at its limit, of a tangential or rolling force, or of a twisting couple; or a Hertz
 * contact, whose forces fall while its overlap shrinks (S36); or a spring of a pair at zero gap
 * (S38). */
typedef struct slider {
    const tw_statics_contact *contact;
    double k;
    double slip[N];   /* its motion along the force: P */
    double yield[N];  /* how far its elastic force leaves the limit, over k: Q */
    size_t unloading; /* the slider for that of the same contact, or NONE */
    double falls;     /* what that one takes off the yield (S37) */
} slider;

static const size_t NONE = SIZE_MAX;

struct tw_statics_rates {
    tw_statics *s;
    tw_statics_rates_def def;
    slider *slider;
    size_t count, weak;
    size_t stuck; /* of the sliders, the first: what happens without slip, too. Contacts of Hertz
                     that may unload, or pairs at zero gap that may close */
    size_t pairs; /* at zero gap; the last 2 `pairs` sliders are their tangential springs */
    double *m[2]; /* count x count: with given strain, with given stress (S33, S34) */
    double *by_strain;   /* count x 6: yield by strain */
    double *relief;      /* count x 6: stress by slip [Pa] */
    double c[SIX * SIX]; /* stiffness without slip */
    double seconds;
};

tw_statics_rates_def tw_statics_rates_def_default(void)
{
    return (tw_statics_rates_def){.limit = 1e-9, .rest = 1e-6};
}

/* ---- Sliders ---- */

static bool at_limit(const tw_statics_rates *r, double force, double limit)
{
    return limit > 0.0 && force >= (1.0 - r->def.limit) * limit;
}

static bool tangential_at_limit(const tw_statics_rates *r, const tw_statics_contact *c)
{
    return c->kt > 0.0 && at_limit(r, tw_vec3_norm(c->ft), c->mu * c->fn);
}

/* Grains with fewer than four contacts, all at their limits, are mechanisms. */
static tw_status drop_weak(tw_statics_rates *r, tw_error *error)
{
    tw_statics *s = r->s;
    uint32_t *all = NULL, *held = NULL;
    if (!tw_buffer_zeros(&all, s->bodies, sizeof *all) ||
        !tw_buffer_zeros(&held, s->bodies, sizeof *held)) {
        tw_buffer_drop(&all);
        return tw_error_set_memory(error);
    }
    for (bool more = true; more;) {
        memset(all, 0, s->bodies * sizeof *all);
        memset(held, 0, s->bodies * sizeof *held);
        for (size_t k = 0; k < s->contacts; k++) {
            const tw_statics_contact *c = &s->contact[k];
            if (!tw_statics_carries(s, c)) continue;
            const bool holds = !tangential_at_limit(r, c);
            all[c->p]++;
            all[c->q]++;
            held[c->p] += holds;
            held[c->q] += holds;
        }
        more = false;
        for (size_t i = 0; i < s->bodies; i++) {
            if (s->rattler[i] || all[i] >= 4 || (held[i] > 0 && all[i] >= 2)) continue;
            s->rattler[i] = more = true;
            r->weak++;
        }
    }
    tw_buffer_drop(&all);
    tw_buffer_drop(&held);
    return TW_STATUS_OK;
}

/* h . map, for three rows. */
static void along(tw_vec3 h, double map[3][N], double *out)
{
    for (int j = 0; j < N; j++)
        out[j] = h.x * map[0][j] + h.y * map[1][j] + h.z * map[2][j];
}

/* The limit falls with the normal force: mu kn n . du. */
static slider finish(const tw_statics_contact *c, const tw_statics_maps *maps, double k, double mu,
                     slider s)
{
    s.contact = c;
    s.k = k;
    for (int j = 0; j < N; j++) {
        const double opening =
            c->n.x * maps->du[0][j] + c->n.y * maps->du[1][j] + c->n.z * maps->du[2][j];
        s.yield[j] = s.slip[j] + mu * c->kn / k * opening;
    }
    return s;
}

/* While the overlap shrinks all forces of a Hertz contact that stick do so with its root. */
static void add_unloading(tw_statics_rates *r, const tw_statics_contact *c)
{
    tw_statics_maps maps;
    slider one = {.contact = c, .k = 1.0, .unloading = NONE};
    double tangential[N], rolling[N];
    if (c->law.normal != TW_CONTACT_HERTZ) return;
    if (!(tw_vec3_norm(c->ft) + tw_vec3_norm(c->fr) + fabs(c->fw) > 0.0)) return;
    tw_statics_contact_maps(c, &maps);
    along(c->n, maps.du, one.yield);
    along(c->ft, maps.du, tangential);
    along(c->fr, maps.roll, rolling);
    for (int j = 0; j < N; j++)
        one.slip[j] = 0.5 / c->zeta * (tangential[j] + rolling[j] + c->fw * maps.twist[j]);
    r->slider[r->count++] = one;
    r->stuck = r->count;
}

/* `next` is the slider for unloading that comes next, in the order of contacts. */
static void add_sliders(tw_statics_rates *r, const tw_statics_contact *c, size_t *next)
{
    tw_statics_maps maps;
    slider one = {.unloading = NONE};
    if (r->s->hertz && *next < r->stuck && r->slider[*next].contact == c) one.unloading = (*next)++;
    const double half = 0.5 / c->zeta;
    const double roll = tw_vec3_norm(c->fr), ft = tw_vec3_norm(c->ft);
    tw_statics_contact_maps(c, &maps);
    if (tangential_at_limit(r, c)) {
        along(tw_vec3_scale(1.0 / ft, c->ft), maps.du, one.slip);
        one.falls = half * ft / c->kt;
        r->slider[r->count++] = finish(c, &maps, c->kt, c->mu, one);
    }
    if (c->kr > 0.0 && at_limit(r, roll, c->mu_r * c->fn)) {
        along(tw_vec3_scale(1.0 / roll, c->fr), maps.roll, one.slip);
        one.falls = half * roll / c->kr;
        r->slider[r->count++] = finish(c, &maps, c->kr, c->mu_r, one);
    }
    if (c->kw > 0.0 && at_limit(r, fabs(c->fw), c->mu_w * c->fn)) {
        for (int j = 0; j < N; j++)
            one.slip[j] = c->fw < 0.0 ? -maps.twist[j] : maps.twist[j];
        one.falls = half * fabs(c->fw) / c->kw;
        r->slider[r->count++] = finish(c, &maps, c->kw, c->mu_w, one);
    }
}

/* ---- Pairs at zero gap ---- */

/* Contacts that hardly touch are such pairs as well. */
static size_t part_contacts(tw_statics *s)
{
    size_t count = 0;
    for (size_t k = 0; k < s->contacts && !s->hertz; k++) {
        s->contact[k].at_zero = s->contact[k].zeta <= s->zero;
        count += s->contact[k].at_zero;
    }
    return count;
}

static const tw_statics_contact *pair_at(const tw_statics *s, size_t k)
{
    return k < s->nears ? &s->near[k] : &s->contact[k - s->nears];
}

static bool may_close(const tw_statics *s, size_t k)
{
    const tw_statics_contact *c = pair_at(s, k);
    return (k < s->nears || c->at_zero) && (!s->rattler[c->p] || s->pinched[c->p]) &&
           (!s->rattler[c->q] || s->pinched[c->q]);
}

/* Whether a rattler can carry between such pairs: with three or more, or with two where the line
 * between them lies in both cones of friction; else it is pushed out. */
static bool may_carry(const tw_statics *s, uint32_t body)
{
    tw_vec3 at[2], n[2];
    double mu[2];
    size_t count = 0;
    for (size_t k = 0; k < s->nears + s->contacts; k++) {
        const tw_statics_contact *c = pair_at(s, k);
        tw_statics_maps maps;
        if (!may_close(s, k) || (c->p != body && c->q != body)) continue;
        if (count == 2) return true;
        tw_statics_contact_maps(c, &maps);
        at[count] = c->p == body ? maps.ap : maps.aq;
        n[count] = c->n;
        mu[count++] = c->mu;
    }
    if (count < 2) return false;
    const tw_vec3 line = tw_vec3_sub(at[1], at[0]);
    const double length = tw_vec3_norm(line) * (1.0 - 1e-9);
    return fabs(tw_vec3_dot(line, n[0])) * sqrt(1.0 + mu[0] * mu[0]) >= length &&
           fabs(tw_vec3_dot(line, n[1])) * sqrt(1.0 + mu[1] * mu[1]) >= length;
}

/* Rattlers that such pairs alone touch, and which can carry between them. */
static tw_status find_pinched(tw_statics *s, tw_error *error)
{
    tw_buffer_drop(&s->pinched);
    if (!tw_buffer_zeros(&s->pinched, s->bodies, sizeof *s->pinched))
        return tw_error_set_memory(error);
    memcpy(s->pinched, s->rattler, s->bodies * sizeof *s->pinched);
    for (size_t k = 0; k < s->contacts; k++)
        if (!s->contact[k].at_zero)
            s->pinched[s->contact[k].p] = s->pinched[s->contact[k].q] = false;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < s->bodies; i++) {
            if (!s->pinched[i] || may_carry(s, i)) continue;
            s->pinched[i] = false;
            more = true;
        }
    }
    return TW_STATUS_OK;
}

tw_status tw_statics_find_pinched(tw_statics *s, bool *any, tw_error *error)
{
    part_contacts(s);
    const tw_status status = find_pinched(s, error);
    *any = status == TW_STATUS_OK && memchr(s->pinched, true, s->bodies * sizeof *s->pinched);
    return status;
}

/* Its spring in one direction: it takes up a motion that is against it. */
static slider spring_of(const tw_statics_contact *c, double k, tw_vec3 direction)
{
    tw_statics_maps maps;
    slider one = {.contact = c, .k = k, .unloading = NONE};
    tw_statics_contact_maps(c, &maps);
    along(direction, maps.du, one.slip);
    for (int j = 0; j < N; j++)
        one.yield[j] = -one.slip[j];
    return one;
}

static void add_pairs(tw_statics_rates *r, bool tangential)
{
    const tw_statics *s = r->s;
    for (size_t k = 0; k < s->nears + s->contacts; k++) {
        const tw_statics_contact *c = pair_at(s, k);
        if (!s->pinched || !may_close(s, k)) continue;
        const tw_vec3 n = c->n, aside = fabs(n.x) < 0.5 ? tw_vec3_make(1.0, 0.0, 0.0)
                                                        : tw_vec3_make(0.0, 1.0, 0.0);
        const tw_vec3 across = tw_vec3_cross(n, aside);
        const tw_vec3 t = tw_vec3_scale(1.0 / tw_vec3_norm(across), across);
        if (tangential) {
            r->slider[r->count++] = spring_of(c, c->kt, t);
            r->slider[r->count++] = spring_of(c, c->kt, tw_vec3_cross(n, t));
        } else {
            r->slider[r->count++] = spring_of(c, c->kn, n);
            r->pairs++;
            r->stuck = r->count;
        }
    }
}

/* Without the tangential springs of pairs at zero gap. */
static size_t sliders_of(const tw_statics_rates *r)
{
    return r->count - 2 * r->pairs;
}

/* ---- The matrices ---- */

/* Product of the bodies' part of a row of a contact and a column of all bodies. */
static double times(const slider *s, const double *row, const double *x)
{
    const double *p = x + (size_t)BODY * s->contact->p, *q = x + (size_t)BODY * s->contact->q;
    double sum = 0.0;
    for (int j = 0; j < BODY; j++)
        sum += row[j] * p[j] + row[BODY + j] * q[j];
    return sum;
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
    for (size_t j = 0; j < SIX; j++)
        for (size_t i = 0; i < n; i++)
            x[j * n + i] = -tw_statics_by_strain(s->by_cell + TW_STATICS_CELL * i, 1, (int)j);
}

void tw_statics_condense(const tw_statics *s, const double *u, double c[SIX * SIX])
{
    for (int i = 0; i < SIX; i++)
        for (int j = 0; j < SIX; j++) {
            double column[TW_STATICS_CELL];
            for (int k = 0; k < TW_STATICS_CELL; k++)
                column[k] = tw_statics_by_strain(s->cell + TW_STATICS_CELL * k, 1, j);
            c[SIX * i + j] = tw_statics_by_strain(column, 1, i) / s->volume +
                             tw_statics_stress_by(s, i, u + (size_t)j * BODY * s->bodies) -
                             (j < 3 ? tw_statics_by_strain(s->moment.m, 1, i) / s->volume : 0.0);
        }
}

/* Yield of sliders by strains, with the motions of bodies by them, u. */
static void put_strains(tw_statics_rates *r, const double *u)
{
    const size_t n = BODY * r->s->bodies;
    tw_statics_condense(r->s, u, r->c);
    for (size_t a = 0; a < r->count; a++)
        for (int j = 0; j < SIX; j++)
            r->by_strain[SIX * a + (size_t)j] =
                times(&r->slider[a], r->slider[a].yield, u + (size_t)j * n) +
                tw_statics_by_strain(r->slider[a].yield + TW_STATICS_PAIR, 1, j);
}

/* Motions of bodies by slips, x: (S33), and the stress that they relieve. */
static void put_slips(tw_statics_rates *r, size_t from, size_t count, const double *x)
{
    const size_t n = BODY * r->s->bodies;
    for (size_t b = from; b < from + count; b++) {
        const double *column = x + (b - from) * n;
        for (size_t a = 0; a < r->count; a++)
            r->m[0][r->count * a + b] = (a == b                        ? 1.0
                                         : r->slider[a].unloading == b ? r->slider[a].falls
                                                                       : 0.0) -
                                        times(&r->slider[a], r->slider[a].yield, column);
        for (int i = 0; i < SIX; i++)
            r->relief[SIX * b + (size_t)i] =
                tw_statics_stress_by(r->s, i, column) -
                r->slider[b].k * tw_statics_by_strain(r->slider[b].slip + TW_STATICS_PAIR, 1, i) /
                    r->s->volume;
    }
}

/* With given stress the strain follows it and the slips: e = C^-1 (dsigma - relief lambda). */
static bool put_stress_control(tw_statics_rates *r)
{
    double a[SIX * SIX], strain[SIX];
    for (size_t b = 0; b < r->count; b++) {
        memcpy(a, r->c, sizeof a);
        memcpy(strain, r->relief + SIX * b, sizeof strain);
        if (tw_statics_lcp_eliminate(SIX, a, strain) == 0) return false;
        for (size_t i = 0; i < r->count; i++) {
            double sum = r->m[0][r->count * i + b];
            for (size_t k = 0; k < SIX; k++)
                sum += r->by_strain[SIX * i + k] * strain[k];
            r->m[1][r->count * i + b] = sum;
        }
    }
    return true;
}

/* The load on the bodies by slips of a slider. */
static void add_load(const slider *one, double slip, double *column)
{
    for (size_t j = 0; j < BODY; j++) {
        column[(size_t)BODY * one->contact->p + j] += slip * one->k * one->slip[j];
        column[(size_t)BODY * one->contact->q + j] += slip * one->k * one->slip[BODY + j];
    }
}

enum { AT_A_TIME = 64 };

static tw_status put_matrices(tw_statics_rates *r, tw_error *error)
{
    tw_statics *s = r->s;
    const size_t n = BODY * s->bodies;
    double *x = NULL;
    if (!tw_buffer_zeros(&x, n * AT_A_TIME, sizeof *x)) return tw_error_set_memory(error);
    tw_statics_put_strains(s, x);
    tw_status status = tw_statics_solve(s, false, SIX, x, error);
    if (status == TW_STATUS_OK) put_strains(r, x);
    for (size_t from = 0; from < r->count && status == TW_STATUS_OK; from += AT_A_TIME) {
        const size_t count = r->count - from < AT_A_TIME ? r->count - from : AT_A_TIME;
        memset(x, 0, n * count * sizeof *x);
        for (size_t b = 0; b < count; b++)
            add_load(&r->slider[from + b], 1.0, x + b * n);
        status = tw_statics_solve(s, false, count, x, error);
        if (status == TW_STATUS_OK) put_slips(r, from, count, x);
    }
    tw_buffer_drop(&x);
    if (status == TW_STATUS_OK && !put_stress_control(r))
        status = tw_error_set(error, TW_STATUS_PHYSICS, "the stiffness of the state is singular");
    return status;
}

/* The tangent of contacts of Hertz whose overlap grows, in place of the mean of both: sliders do
 * the rest. */
static void load_all(tw_statics *s)
{
    for (size_t k = 0; k < s->contacts; k++) {
        tw_statics_contact *c = &s->contact[k];
        const tw_contact_memory memory = {c->n, c->zeta, c->ft};
        const tw_contact_extra extra = {.fr = c->fr, .fw = c->fw};
        tw_contact_derivative_rate(&c->law, &memory, &extra, c->lever, 0, &c->tangent);
    }
}

static tw_status set_up(tw_statics_rates *r, tw_error *error)
{
    tw_statics *s = r->s;
    tw_status status = tw_statics_check(s, "rates", error);
    const size_t parted = part_contacts(s);
    if (status == TW_STATUS_OK) status = drop_weak(r, error);
    if (status == TW_STATUS_OK && parted + s->nears > 0) status = find_pinched(s, error);
    if (status == TW_STATUS_OK && s->hertz) load_all(s);
    if (status == TW_STATUS_OK && (s->hertz || parted + r->weak > 0))
        tw_statics_assemble(s, s->def.geometric != 0);
    if (status == TW_STATUS_OK && s->carrying == 0)
        status = tw_error_set(error, TW_STATUS_PHYSICS,
                              "nothing carries a load: the contacts of all bodies but %zu "
                              "rattlers slide",
                              s->rattlers);
    if (status != TW_STATUS_OK) return status;
    if (!tw_buffer_zeros(&r->slider, 4 * s->contacts + 3 * s->nears, sizeof *r->slider))
        return tw_error_set_memory(error);
    size_t next = 0;
    add_pairs(r, false);
    for (size_t k = 0; k < s->contacts; k++)
        if (tw_statics_carries(s, &s->contact[k])) add_unloading(r, &s->contact[k]);
    for (size_t k = 0; k < s->contacts; k++)
        if (tw_statics_carries(s, &s->contact[k])) add_sliders(r, &s->contact[k], &next);
    add_pairs(r, true);
    const size_t m = r->count;
    if (!tw_buffer_zeros(&r->m[0], m * m, sizeof(double)) ||
        !tw_buffer_zeros(&r->m[1], m * m, sizeof(double)) ||
        !tw_buffer_zeros(&r->by_strain, SIX * m, sizeof(double)) ||
        !tw_buffer_zeros(&r->relief, SIX * m, sizeof(double)))
        return tw_error_set_memory(error);
    status = tw_statics_factor(s, s->def.shift, true, error);
    return status == TW_STATUS_OK ? put_matrices(r, error) : status;
}

tw_statics_rates *tw_statics_rates_create(tw_statics *statics, const tw_statics_rates_def *def,
                                          tw_error *error)
{
    TW_ARITHMETIC_HERE;
    const double began = tw_clock_thread();
    tw_statics_rates *r = NULL;
    tw_error_clear(error);
    if (!tw_buffer_zeros(&r, 1, sizeof *r)) {
        tw_error_set_memory(error);
        return NULL;
    }
    r->s = statics;
    r->def = *def;
    if (set_up(r, error) == TW_STATUS_OK) {
        r->seconds = tw_clock_thread() - began;
        return r;
    }
    tw_statics_rates_free(r);
    return NULL;
}

void tw_statics_rates_free(tw_statics_rates *r)
{
    if (!r) return;
    tw_buffer_drop(&r->slider);
    tw_buffer_drop(&r->m[0]);
    tw_buffer_drop(&r->m[1]);
    tw_buffer_drop(&r->by_strain);
    tw_buffer_drop(&r->relief);
    tw_buffer_drop(&r);
}

/* ---- One direction ---- */

static double product(const double *stress, const double *strain)
{
    double sum = 0.0;
    for (int k = 0; k < SIX; k++)
        sum += stress[k] * strain[k];
    return sum;
}

/* Norms of the tensors: shear stresses stand twice, engineering shear strains are twice theirs. */
static double norm(const double *tensor, double shear)
{
    double sum = 0.0;
    for (int k = 0; k < SIX; k++)
        sum += (k < 3 ? 1.0 : shear) * tensor[k] * tensor[k];
    return sqrt(sum);
}

static void multiply(const double *c, const double *strain, double *stress)
{
    for (size_t i = 0; i < SIX; i++)
        stress[i] = product(c + SIX * i, strain);
}

/* Adds the slips to the elastic response; stress, or strain where stress is given. */
static void add_slips(const tw_statics_rates *r, int by_stress, const double *slip, double *out)
{
    double relief[SIX] = {0}, a[SIX * SIX];
    for (size_t b = 0; b < r->count; b++)
        for (size_t i = 0; i < SIX; i++)
            relief[i] += r->relief[SIX * b + i] * slip[b];
    if (by_stress) {
        memcpy(a, r->c, sizeof a);
        tw_statics_lcp_eliminate(SIX, a, relief);
    }
    for (int i = 0; i < SIX; i++)
        out[i] += by_stress ? -relief[i] : relief[i];
}

/* Friction of a pair at zero gap: what its two tangential springs take up is `slide` times its
 * closing less `turn` times the motion. Both are zero while it is open; if it sticks `turn` is one;
 * if it slides, they are the derivative of a force along the motion (S39). */
typedef struct grip {
    bool sticks;
    double slide[2], turn[2][2];
} grip;

/* The problem of the first `count` sliders, with the tangential springs of pairs at zero gap. */
typedef struct problem {
    size_t count, all, pairs; /* all: rows of m */
    const double *m, *q;
    grip *grip;
    double *a, *b; /* of the springs: matrix, a column */
    double *reduced, *right;
} problem;

static size_t spring_at(const problem *p, size_t pair)
{
    return p->all - 2 * p->pairs + 2 * pair;
}

/* What the springs take up, in p->b, by slider j; by the load: j = count. */
static void take_up(const problem *p, size_t j)
{
    const size_t n = 2 * p->pairs, first = spring_at(p, 0);
    for (size_t i = 0; i < n; i++) {
        const grip *g = &p->grip[i / 2];
        const double *turn = g->turn[i % 2];
        const double *row = p->m + p->all * (first + i / 2 * 2), *other = row + p->all;
        const double *q = p->q + first + i / 2 * 2;
        p->b[i] = j == i / 2 ? g->slide[i % 2] : 0.0;
        p->b[i] -=
            j < p->count ? turn[0] * row[j] + turn[1] * other[j] : turn[0] * q[0] + turn[1] * q[1];
        for (size_t k = 0; k < n; k++)
            p->a[n * i + k] = (i == k ? 1.0 : 0.0) - (k / 2 == i / 2 ? turn[k % 2] : 0.0) +
                              turn[0] * row[first + k] + turn[1] * other[first + k];
    }
    if (n > 0) tw_statics_lcp_eliminate(n, p->a, p->b);
}

static void reduce(problem *p)
{
    for (size_t j = 0; j <= p->count; j++) {
        take_up(p, j);
        for (size_t i = 0; i < p->count; i++) {
            const double *row = p->m + p->all * i;
            double sum = j < p->count ? row[j] : p->q[i];
            for (size_t k = 0; k < 2 * p->pairs; k++)
                sum += row[spring_at(p, 0) + k] * p->b[k];
            *(j < p->count ? &p->reduced[p->count * i + j] : &p->right[i]) = sum;
        }
    }
}

/* The springs of x, whose first `count` are known. */
static void put_springs(const problem *p, double *x)
{
    double *springs = x + spring_at(p, 0);
    memset(springs, 0, 2 * p->pairs * sizeof *springs);
    for (size_t j = 0; j <= p->count; j++) {
        if (j < p->count && x[j] == 0.0) continue;
        take_up(p, j);
        for (size_t k = 0; k < 2 * p->pairs; k++)
            springs[k] += p->b[k] * (j < p->count ? x[j] : 1.0);
    }
}

/* How a pair grips that closes and moves along its plane. `limit`: closing to sliding. It sticks at
 * first, and where its friction reverses the motion. */
static grip grip_of(const grip *before, double limit, double closing, const double motion[2])
{
    grip now = {0};
    const double size = sqrt(motion[0] * motion[0] + motion[1] * motion[1]);
    if (!(closing > 0.0 && limit > 0.0)) return now;
    const double back = motion[0] * before->slide[0] + motion[1] * before->slide[1];
    now.sticks = size <= limit * closing || (!before->sticks && !(back < 0.0));
    const double e[2] = {now.sticks ? 0.0 : motion[0] / size, now.sticks ? 0.0 : motion[1] / size};
    const double share = now.sticks ? 1.0 : limit * closing / size;
    for (int i = 0; i < 2; i++) {
        now.slide[i] = -limit * e[i];
        for (int k = 0; k < 2; k++)
            now.turn[i][k] = share * ((i == k ? 1.0 : 0.0) - e[i] * e[k]);
    }
    return now;
}

/* The friction that x asks for; true if it is another one. */
static bool change_grips(const problem *p, const slider *sliders, const double *x)
{
    bool changed = false;
    for (size_t pair = 0; pair < p->pairs; pair++) {
        const tw_statics_contact *c = sliders[pair].contact;
        const double limit = c->kt > 0.0 ? c->mu * c->kn / c->kt : 0.0;
        const grip *before = &p->grip[pair];
        double motion[2] = {0.0, 0.0};
        for (size_t k = 0; k < 2; k++) {
            const size_t i = spring_at(p, pair) + k;
            motion[k] = p->q[i] - x[i];
            for (size_t j = 0; j < p->all; j++)
                if (j < p->count || j >= spring_at(p, 0)) motion[k] += p->m[p->all * i + j] * x[j];
        }
        const grip now = grip_of(before, limit, x[pair], motion);
        const double off =
            fabs(now.slide[0] - before->slide[0]) + fabs(now.slide[1] - before->slide[1]);
        changed = changed || now.sticks != before->sticks || off > 1e-12 * limit;
        p->grip[pair] = now;
    }
    return changed;
}

static tw_statics_lcp_end solve_problem(const tw_statics_rates *r, problem *p, double *x,
                                        size_t *turns)
{
    enum { GRIPS = 50 };
    if (p->count == p->all) return tw_statics_lcp_solve(p->count, p->m, p->q, x, turns);
    /* Without friction at first; if that leads nowhere, with pairs that stick. */
    for (int turn = 0; turn < 2 * GRIPS; turn++) {
        reduce(p);
        const tw_statics_lcp_end end =
            tw_statics_lcp_solve(p->count, p->reduced, p->right, x, turns);
        if (end == TW_STATICS_LCP_MEMORY) return end;
        const bool lost = end == TW_STATICS_LCP_RAY || turn == GRIPS - 1;
        if (lost && turn >= GRIPS) return TW_STATICS_LCP_RAY;
        if (lost) {
            for (size_t k = 0; k < p->pairs; k++)
                p->grip[k] = (grip){.sticks = true, .turn = {{1.0, 0.0}, {0.0, 1.0}}};
            turn = GRIPS - 1;
            continue;
        }
        put_springs(p, x);
        if (!change_grips(p, r->slider, x)) return end;
    }
    return TW_STATICS_LCP_RAY;
}

/* The problem of the first `count` sliders, for a response without them; slips of the others are
 * zero, but for the springs of pairs at zero gap. */
static tw_statics_lcp_end solve_first(const tw_statics_rates *r, size_t count, int by_stress,
                                      const double *strain, double *slip, size_t *turns)
{
    const size_t springs = 2 * r->pairs;
    problem p = {.count = count, .all = r->count, .pairs = r->pairs, .m = r->m[by_stress ? 1 : 0]};
    double *y = NULL, scale = 0.0;
    tw_statics_lcp_end end = TW_STATICS_LCP_MEMORY;
    if (tw_buffer_zeros(&y, r->count, sizeof *y) &&
        tw_buffer_zeros(&p.grip, r->pairs, sizeof *p.grip) &&
        tw_buffer_zeros(&p.a, springs * springs, sizeof *p.a) &&
        tw_buffer_zeros(&p.b, springs, sizeof *p.b) &&
        (count == r->count || tw_buffer_zeros(&p.reduced, count * count, sizeof *p.reduced)) &&
        tw_buffer_zeros(&p.right, count, sizeof *p.right)) {
        for (size_t i = 0; i < r->count; i++) {
            y[i] = -product(r->by_strain + SIX * i, strain);
            if (fabs(y[i]) > scale) scale = fabs(y[i]);
        }
        for (size_t i = 0; i < r->count && scale > 0.0; i++)
            y[i] /= scale;
        p.q = y;
        memset(slip, 0, r->count * sizeof *slip);
        end = solve_problem(r, &p, slip, turns);
        for (size_t i = 0; i < r->count; i++)
            slip[i] *= scale;
    }
    tw_buffer_drop(&y);
    tw_buffer_drop(&p.grip);
    tw_buffer_drop(&p.a);
    tw_buffer_drop(&p.b);
    tw_buffer_drop(&p.reduced);
    tw_buffer_drop(&p.right);
    return end;
}

/* Both responses, tension positive: with slip, and without. */
static tw_status respond(const tw_statics_rates *r, int by_stress, double *slip,
                         tw_statics_rate *out, tw_error *error)
{
    static const tw_statics_found ends[] = {TW_STATICS_STICKS, TW_STATICS_ACTIVE, TW_STATICS_LEMKE,
                                            TW_STATICS_NOTHING};
    double *answer = by_stress ? out->strain : out->stress, strain[SIX];
    tw_statics_lcp_end stuck = TW_STATICS_LCP_NONE;
    memcpy(strain, out->strain, sizeof strain);
    memcpy(out->no_slip, answer, sizeof out->no_slip);
    if (r->stuck > 0) {
        stuck = solve_first(r, r->stuck, by_stress, strain, slip, &out->turns);
        add_slips(r, by_stress, slip, out->no_slip);
    }
    const tw_statics_lcp_end end =
        solve_first(r, sliders_of(r), by_stress, strain, slip, &out->turns);
    add_slips(r, by_stress, slip, answer);
    for (size_t i = r->stuck; i < sliders_of(r); i++)
        out->sliding += slip[i] > 0.0;
    if (stuck == TW_STATICS_LCP_MEMORY || end == TW_STATICS_LCP_MEMORY)
        return tw_error_set_memory(error);
    out->found = ends[end];
    if (out->found != TW_STATICS_NOTHING && out->sliding == 0) out->found = TW_STATICS_STICKS;
    for (int k = 0; k < SIX; k++) {
        if (stuck == TW_STATICS_LCP_RAY) out->no_slip[k] = (double)NAN;
        if (end == TW_STATICS_LCP_RAY) answer[k] = (double)NAN;
    }
    return TW_STATUS_OK;
}

/* Tension positive. */
static tw_status respond_to(const tw_statics_rates *r, int by_stress, const double direction[SIX],
                            double *slip, tw_statics_rate *out, tw_error *error)
{
    double a[SIX * SIX];
    *out = (tw_statics_rate){0};
    memcpy(out->strain, direction, sizeof out->strain);
    memcpy(out->stress, direction, sizeof out->stress);
    if (by_stress) {
        memcpy(a, r->c, sizeof a);
        tw_statics_lcp_eliminate(SIX, a, out->strain);
    } else {
        multiply(r->c, out->strain, out->stress);
    }
    return respond(r, by_stress, slip, out, error);
}

tw_status tw_statics_rates_solve(const tw_statics_rates *r, int by_stress,
                                 const double direction[SIX], tw_statics_rate *out, tw_error *error)
{
    TW_ARITHMETIC_HERE;
    double *slip = NULL, against[SIX];
    tw_error_clear(error);
    if (!tw_buffer_zeros(&slip, r->count, sizeof *slip)) return tw_error_set_memory(error);
    for (int k = 0; k < SIX; k++)
        against[k] = -direction[k];
    const tw_status status = respond_to(r, by_stress, against, slip, out, error);
    tw_buffer_drop(&slip);
    if (status != TW_STATUS_OK) return status;
    for (int k = 0; k < SIX; k++) {
        out->strain[k] = by_stress ? -out->strain[k] : direction[k];
        out->stress[k] = by_stress ? direction[k] : -out->stress[k];
        out->no_slip[k] = -out->no_slip[k];
    }
    out->work = product(out->stress, out->strain);
    out->work_normalised = out->work / (norm(out->stress, 2.0) * norm(out->strain, 0.5));
    return TW_STATUS_OK;
}

tw_status tw_statics_rates_move(const tw_statics_rates *r, int by_stress,
                                const double direction[SIX], double *z, tw_error *error)
{
    const size_t n = BODY * r->s->bodies;
    double *slip = NULL, *x = NULL;
    tw_statics_rate rate;
    tw_status status = TW_STATUS_OK;
    memset(z, 0, (n + TW_STATICS_CELL) * sizeof *z);
    if (!tw_buffer_zeros(&slip, r->count, sizeof *slip) || !tw_buffer_zeros(&x, SIX * n, sizeof *x))
        status = tw_error_set_memory(error);
    if (status == TW_STATUS_OK) status = respond_to(r, by_stress, direction, slip, &rate, error);
    if (status == TW_STATUS_OK && rate.found != TW_STATICS_NOTHING) {
        tw_statics_put_strains(r->s, x);
        for (size_t i = 0; i < SIX * n; i++)
            z[i % n] += x[i] * rate.strain[i / n];
        for (size_t b = 0; b < r->count; b++)
            add_load(&r->slider[b], slip[b], z);
        status = tw_statics_solve(r->s, false, 1, z, error);
        tw_statics_put_gradient(rate.strain, z + n);
    }
    tw_buffer_drop(&slip);
    tw_buffer_drop(&x);
    return status;
}

/* ---- Uniqueness ---- */

tw_status tw_statics_rates_judge(const tw_statics_rates *r, int by_stress,
                                 tw_statics_judgement *out, tw_error *error)
{
    TW_ARITHMETIC_HERE;
    static const tw_statics_verdict verdicts[] = {TW_STATICS_UNIQUE, TW_STATICS_NOT_UNIQUE,
                                                  TW_STATICS_UNDECIDED};
    tw_statics_lcp_verdict verdict;
    const size_t count = sliders_of(r);
    double *m = NULL;
    *out = (tw_statics_judgement){.verdict = TW_STATICS_NO_VERDICT};
    tw_error_clear(error);
    if (!tw_buffer_zeros(&m, count * count, sizeof *m)) return tw_error_set_memory(error);
    for (size_t i = 0; i < count; i++)
        memcpy(m + count * i, r->m[by_stress ? 1 : 0] + r->count * i, count * sizeof *m);
    const bool done =
        tw_statics_lcp_judge(count, m, &verdict, out->certificate, &out->certificate_count);
    tw_buffer_drop(&m);
    if (!done) return tw_error_set_memory(error);
    for (size_t k = 0; k < r->pairs && verdict == TW_STATICS_LCP_UNIQUE; k++) {
        const tw_statics_contact *c = r->slider[k].contact;
        if (c->mu > 0.0 && (r->s->pinched[c->p] || r->s->pinched[c->q]))
            verdict = TW_STATICS_LCP_UNKNOWN; /* friction holds the rattler, or it is pushed out */
    }
    const size_t found = out->certificate_count;
    out->certificate_count = 0;
    for (size_t k = 0; k < found; k++) { /* a contact may have several sliders */
        const size_t contact = r->slider[out->certificate[k]].contact->index;
        if (contact == UINT32_MAX) continue; /* a pair that does not touch */
        size_t at = 0;
        while (at < out->certificate_count && out->certificate[at] != contact)
            at++;
        out->certificate[at] = contact;
        if (at == out->certificate_count) out->certificate_count++;
    }
    if (r->s->worst_force <= r->def.rest * r->s->force_mean) out->verdict = verdicts[verdict];
    return TW_STATUS_OK;
}

tw_statics_problem tw_statics_rates_problem(const tw_statics_rates *r)
{
    const tw_statics *s = r->s;
    tw_statics_problem out = {.bodies = s->bodies,
                              .contacts = s->contacts,
                              .at_limit = sliders_of(r) - r->stuck,
                              .zero_gap = r->pairs,
                              .rattlers = s->rattlers,
                              .weak = r->weak,
                              .residual = s->worst_force / s->force_mean,
                              .worst = s->worst,
                              .force_mean = s->force_mean,
                              .seconds = r->seconds};
    memcpy(out.stiffness, r->c, sizeof out.stiffness);
    return out;
}
