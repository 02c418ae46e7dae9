/* SPDX-License-Identifier: BSD-3-Clause */
/* The rate problem: docs/theory/statics.md. In here tension is positive. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/memory.h"
#include "statics/statics_internal.h"
#include "statics/statics_lcp.h"

enum { BODY = TW_STATICS_BODY, N = TW_STATICS_CONTACT, SIX = TW_COMPONENTS };

/* A spring at its limit: of a tangential or rolling force, or of a twisting couple. */
typedef struct slider {
    const tw_statics_contact *contact;
    double k;
    double slip[N];  /* its motion along the force: P */
    double yield[N]; /* how far its elastic force leaves the limit, over k: Q */
} slider;

struct tw_statics_rates {
    tw_statics *s;
    tw_statics_rates_def def;
    slider *slider;
    size_t count, weak;
    double *m[2];        /* count x count: with given strain, with given stress (S33, S34) */
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

static bool carries(const tw_statics *s, const tw_statics_contact *c)
{
    return !s->rattler[c->p] && !s->rattler[c->q];
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
            if (!carries(s, c)) continue;
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

static void add_sliders(tw_statics_rates *r, const tw_statics_contact *c)
{
    tw_statics_maps maps;
    slider one = {0};
    const double roll = tw_vec3_norm(c->fr), ft = tw_vec3_norm(c->ft);
    tw_statics_contact_maps(c, &maps);
    if (tangential_at_limit(r, c)) {
        along(tw_vec3_scale(1.0 / ft, c->ft), maps.du, one.slip);
        r->slider[r->count++] = finish(c, &maps, c->kt, c->mu, one);
    }
    if (c->kr > 0.0 && at_limit(r, roll, c->mu_r * c->fn)) {
        along(tw_vec3_scale(1.0 / roll, c->fr), maps.roll, one.slip);
        r->slider[r->count++] = finish(c, &maps, c->kr, c->mu_r, one);
    }
    if (c->kw > 0.0 && at_limit(r, fabs(c->fw), c->mu_w * c->fn)) {
        for (int j = 0; j < N; j++)
            one.slip[j] = c->fw < 0.0 ? -maps.twist[j] : maps.twist[j];
        r->slider[r->count++] = finish(c, &maps, c->kw, c->mu_w, one);
    }
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
            r->m[0][r->count * a + b] =
                (a == b ? 1.0 : 0.0) - times(&r->slider[a], r->slider[a].yield, column);
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
        for (size_t b = 0; b < count; b++) {
            const slider *one = &r->slider[from + b];
            for (size_t j = 0; j < BODY; j++) {
                x[b * n + (size_t)BODY * one->contact->p + j] += one->k * one->slip[j];
                x[b * n + (size_t)BODY * one->contact->q + j] += one->k * one->slip[BODY + j];
            }
        }
        status = tw_statics_solve(s, false, count, x, error);
        if (status == TW_STATUS_OK) put_slips(r, from, count, x);
    }
    tw_buffer_drop(&x);
    if (status == TW_STATUS_OK && !put_stress_control(r))
        status = tw_error_set(error, TW_STATUS_PHYSICS, "the stiffness of the state is singular");
    return status;
}

static tw_status set_up(tw_statics_rates *r, tw_error *error)
{
    tw_statics *s = r->s;
    tw_status status = tw_statics_check(s, "rates", error);
    if (status == TW_STATUS_OK && s->hertz)
        status = tw_error_set(error, TW_STATUS_INPUT,
                              "rates are for linear contacts: those of Hertz have two stiffnesses "
                              "while they stick");
    if (status == TW_STATUS_OK) status = drop_weak(r, error);
    if (status == TW_STATUS_OK && r->weak > 0) tw_statics_assemble(s, s->def.geometric != 0);
    if (status == TW_STATUS_OK && s->carrying == 0)
        status = tw_error_set(error, TW_STATUS_PHYSICS,
                              "nothing carries a load: the contacts of all bodies but %zu "
                              "rattlers slide",
                              s->rattlers);
    if (status != TW_STATUS_OK) return status;
    if (!tw_buffer_zeros(&r->slider, 3 * s->contacts, sizeof *r->slider))
        return tw_error_set_memory(error);
    for (size_t k = 0; k < s->contacts; k++)
        if (carries(s, &s->contact[k])) add_sliders(r, &s->contact[k]);
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
static void add_slips(const tw_statics_rates *r, int by_stress, const double *slip,
                      tw_statics_rate *out)
{
    double relief[SIX] = {0}, a[SIX * SIX];
    for (size_t b = 0; b < r->count; b++)
        for (size_t i = 0; i < SIX; i++)
            relief[i] += r->relief[SIX * b + i] * slip[b];
    if (by_stress) {
        memcpy(a, r->c, sizeof a);
        tw_statics_lcp_eliminate(SIX, a, relief);
    }
    for (int i = 0; i < SIX; i++) {
        if (by_stress)
            out->strain[i] -= relief[i];
        else
            out->stress[i] += relief[i];
    }
}

tw_status tw_statics_rates_solve(const tw_statics_rates *r, int by_stress,
                                 const double direction[SIX], tw_statics_rate *out, tw_error *error)
{
    TW_ARITHMETIC_HERE;
    static const tw_statics_found ends[] = {TW_STATICS_STICKS, TW_STATICS_ACTIVE, TW_STATICS_LEMKE,
                                            TW_STATICS_NOTHING};
    double *y = NULL, *slip = NULL, a[SIX * SIX], scale = 0.0;
    *out = (tw_statics_rate){0};
    tw_error_clear(error);
    if (!tw_buffer_zeros(&y, r->count, sizeof *y) ||
        !tw_buffer_zeros(&slip, r->count, sizeof *slip)) {
        tw_buffer_drop(&y);
        return tw_error_set_memory(error);
    }
    for (int k = 0; k < SIX; k++)
        out->strain[k] = out->stress[k] = -direction[k]; /* tension positive */
    if (by_stress) {
        memcpy(a, r->c, sizeof a);
        tw_statics_lcp_eliminate(SIX, a, out->strain);
    } else {
        multiply(r->c, out->strain, out->stress);
    }
    memcpy(out->no_slip, by_stress ? out->strain : out->stress, sizeof out->no_slip);
    for (size_t i = 0; i < r->count; i++) {
        y[i] = -product(r->by_strain + SIX * i, out->strain);
        if (fabs(y[i]) > scale) scale = fabs(y[i]);
    }
    for (size_t i = 0; i < r->count && scale > 0.0; i++)
        y[i] /= scale;
    const tw_statics_lcp_end end =
        tw_statics_lcp_solve(r->count, r->m[by_stress ? 1 : 0], y, slip, &out->turns);
    for (size_t i = 0; i < r->count; i++) {
        out->sliding += slip[i] > 0.0;
        slip[i] *= scale;
    }
    if (end != TW_STATICS_LCP_MEMORY) out->found = ends[end];
    add_slips(r, by_stress, slip, out);
    tw_buffer_drop(&y);
    tw_buffer_drop(&slip);
    if (end == TW_STATICS_LCP_MEMORY) return tw_error_set_memory(error);
    for (int k = 0; k < SIX; k++) {
        const double lost = out->found == TW_STATICS_NOTHING ? (double)NAN : -1.0;
        if (by_stress)
            out->strain[k] *= lost;
        else
            out->stress[k] *= lost;
        *(by_stress ? &out->stress[k] : &out->strain[k]) = direction[k];
        out->no_slip[k] = -out->no_slip[k];
    }
    out->work = product(out->stress, out->strain);
    out->work_normalised = out->work / (norm(out->stress, 2.0) * norm(out->strain, 0.5));
    return TW_STATUS_OK;
}

/* ---- Uniqueness ---- */

tw_status tw_statics_rates_judge(const tw_statics_rates *r, int by_stress,
                                 tw_statics_judgement *out, tw_error *error)
{
    TW_ARITHMETIC_HERE;
    static const tw_statics_verdict verdicts[] = {TW_STATICS_UNIQUE, TW_STATICS_NOT_UNIQUE,
                                                  TW_STATICS_UNDECIDED};
    tw_statics_lcp_verdict verdict;
    *out = (tw_statics_judgement){.verdict = TW_STATICS_NO_VERDICT};
    tw_error_clear(error);
    if (!tw_statics_lcp_judge(r->count, r->m[by_stress ? 1 : 0], &verdict, out->certificate,
                              &out->certificate_count))
        return tw_error_set_memory(error);
    for (size_t k = 0; k < out->certificate_count; k++)
        out->certificate[k] = r->slider[out->certificate[k]].contact->index;
    if (r->s->worst_force <= r->def.rest * r->s->force_mean) out->verdict = verdicts[verdict];
    return TW_STATUS_OK;
}

tw_statics_problem tw_statics_rates_problem(const tw_statics_rates *r)
{
    const tw_statics *s = r->s;
    tw_statics_problem out = {.bodies = s->bodies,
                              .contacts = s->contacts,
                              .at_limit = r->count,
                              .rattlers = s->rattlers,
                              .weak = r->weak,
                              .residual = s->worst_force / s->force_mean,
                              .worst = s->worst,
                              .force_mean = s->force_mean,
                              .seconds = r->seconds};
    memcpy(out.stiffness, r->c, sizeof out.stiffness);
    return out;
}
