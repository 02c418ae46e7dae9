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

enum { BODY = TW_STATICS_BODY, SIX = TW_COMPONENTS };

struct tw_statics_rates {
    tw_statics *s;
    tw_statics_sliders all;
    double *m[2];        /* count x count: with given strain, with given stress (S33, S34) */
    double *by_strain;   /* count x 6: yield by strain */
    double *relief;      /* count x 6: stress by slip [Pa] */
    double c[SIX * SIX]; /* stiffness without slip */
    double seconds;
};

/* A contact is at its limit if its force is within this of it, relative. */
static const double at_limit = 1e-9;

/* Largest unbalanced force of a body, in mean normal forces, up to which there is a verdict. */
static const double at_rest = 1e-6;

/* The unknowns of the problem: all but the tangential springs of pairs at zero gap. */
static size_t unknowns(const tw_statics_rates *r)
{
    return r->all.first[TW_STATICS_GRIPS];
}

/* ---- The matrices ---- */

/* Product of the bodies' part of a row of a contact and a column of all bodies. */
static double times(const tw_statics_slider *s, const double *row, const double *x)
{
    const double *p = x + (size_t)BODY * s->contact->p, *q = x + (size_t)BODY * s->contact->q;
    double sum = 0.0;
    for (int j = 0; j < BODY; j++)
        sum += row[j] * p[j] + row[BODY + j] * q[j];
    return sum;
}

/* Yield of sliders by strains, with the motions of bodies by them, u. */
static void put_strains(tw_statics_rates *r, const double *u)
{
    const size_t n = BODY * r->s->bodies;
    for (size_t a = 0; a < r->all.count; a++)
        for (int j = 0; j < SIX; j++)
            r->by_strain[SIX * a + (size_t)j] =
                times(&r->all.slider[a], r->all.slider[a].yield, u + (size_t)j * n) +
                tw_statics_by_strain(r->all.slider[a].yield + TW_STATICS_PAIR, 1, j);
}

/* Motions of bodies by slips, x: (S33), and the stress that they relieve. */
static void put_slips(tw_statics_rates *r, size_t from, size_t count, const double *x)
{
    const size_t n = BODY * r->s->bodies;
    for (size_t b = from; b < from + count; b++) {
        const double *column = x + (b - from) * n;
        for (size_t a = 0; a < r->all.count; a++)
            r->m[0][r->all.count * a + b] =
                (a == b                            ? 1.0
                 : r->all.slider[a].unloading == b ? r->all.slider[a].falls
                                                   : 0.0) -
                times(&r->all.slider[a], r->all.slider[a].yield, column);
        for (int i = 0; i < SIX; i++)
            r->relief[SIX * b + (size_t)i] =
                tw_statics_stress_by(r->s, i, column) -
                r->all.slider[b].k *
                    tw_statics_by_strain(r->all.slider[b].slip + TW_STATICS_PAIR, 1, i) /
                    r->s->volume;
    }
}

/* With given stress the strain follows it and the slips: e = C^-1 (dsigma - relief lambda). */
static bool put_stress_control(tw_statics_rates *r)
{
    double strain[SIX];
    for (size_t b = 0; b < r->all.count; b++) {
        memcpy(strain, r->relief + SIX * b, sizeof strain);
        if (!tw_statics_soften(r->c, strain)) return false;
        for (size_t i = 0; i < r->all.count; i++) {
            double sum = r->m[0][r->all.count * i + b];
            for (size_t k = 0; k < SIX; k++)
                sum += r->by_strain[SIX * i + k] * strain[k];
            r->m[1][r->all.count * i + b] = sum;
        }
    }
    return true;
}

/* The load on the bodies by slips of a slider. */
static void add_load(const tw_statics_slider *one, double slip, double *column)
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
    tw_status status = tw_statics_put_stiffness(s, x, r->c, error);
    if (status == TW_STATUS_OK) put_strains(r, x);
    for (size_t from = 0; from < r->all.count && status == TW_STATUS_OK; from += AT_A_TIME) {
        const size_t count = r->all.count - from < AT_A_TIME ? r->all.count - from : AT_A_TIME;
        memset(x, 0, n * count * sizeof *x);
        for (size_t b = 0; b < count; b++)
            add_load(&r->all.slider[from + b], 1.0, x + b * n);
        status = tw_statics_solve(s, count, x, error);
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
    for (size_t k = 0; k < s->contacts; k++)
        tw_statics_tangent(&s->contact[k], 0, &s->contact[k].tangent);
}

static tw_status set_up(tw_statics_rates *r, tw_error *error)
{
    tw_statics *s = r->s;
    tw_status status = tw_statics_check(s, "rates", error);
    if (status == TW_STATUS_OK && s->hertz) load_all(s);
    if (status == TW_STATUS_OK) status = tw_statics_sliders_find(s, at_limit, &r->all, error);
    if (status != TW_STATUS_OK) return status;
    if (s->carrying == 0)
        return tw_error_set(error, TW_STATUS_PHYSICS,
                            "nothing carries a load: the contacts of all bodies but %zu "
                            "rattlers slide",
                            s->rattlers);
    const size_t m = r->all.count;
    if (!tw_buffer_zeros(&r->m[0], m * (2 * m + 2 * SIX), sizeof(double)))
        return tw_error_set_memory(error);
    r->m[1] = r->m[0] + m * m;
    r->by_strain = r->m[1] + m * m;
    r->relief = r->by_strain + SIX * m;
    status = tw_statics_factor(s, s->def.shift, true, error);
    return status == TW_STATUS_OK ? put_matrices(r, error) : status;
}

tw_statics_rates *tw_statics_rates_create(tw_statics *statics, tw_error *error)
{
    TW_CALL_HERE(statics);
    const double began = tw_clock_thread();
    tw_statics_rates *r = NULL;
    tw_error_clear(error);
    if (!tw_buffer_zeros(&r, 1, sizeof *r)) {
        tw_error_set_memory(error);
        return NULL;
    }
    r->s = statics;
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
    tw_buffer_drop(&r->all.slider);
    tw_buffer_drop(&r->m[0]); /* has all matrices */
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
    double relief[SIX] = {0};
    for (size_t b = 0; b < r->all.count; b++)
        for (size_t i = 0; i < SIX; i++)
            relief[i] += r->relief[SIX * b + i] * slip[b];
    if (by_stress) tw_statics_soften(r->c, relief);
    for (int i = 0; i < SIX; i++)
        out[i] += by_stress ? -relief[i] : relief[i];
}

/* The problem of the first `count` sliders, for a response without them; slips of the others are
 * zero, but for the springs of pairs at zero gap. */
static tw_statics_lcp_end solve_first(const tw_statics_rates *r, size_t count, int by_stress,
                                      const double *strain, double *slip, size_t *turns)
{
    double *q = NULL, scale = 0.0;
    if (!tw_buffer_zeros(&q, r->all.count, sizeof *q)) return TW_STATICS_LCP_MEMORY;
    for (size_t i = 0; i < r->all.count; i++) {
        q[i] = -product(r->by_strain + SIX * i, strain);
        if (fabs(q[i]) > scale) scale = fabs(q[i]);
    }
    for (size_t i = 0; i < r->all.count && scale > 0.0; i++)
        q[i] /= scale;
    memset(slip, 0, r->all.count * sizeof *slip);
    const tw_statics_lcp_end end =
        tw_statics_grips_solve(&r->all, count, r->m[by_stress ? 1 : 0], q, slip, turns);
    for (size_t i = 0; i < r->all.count; i++)
        slip[i] *= scale;
    tw_buffer_drop(&q);
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
    if (r->all.first[TW_STATICS_SLIDES] > 0) {
        stuck =
            solve_first(r, r->all.first[TW_STATICS_SLIDES], by_stress, strain, slip, &out->turns);
        add_slips(r, by_stress, slip, out->no_slip);
    }
    const tw_statics_lcp_end end =
        solve_first(r, unknowns(r), by_stress, strain, slip, &out->turns);
    add_slips(r, by_stress, slip, answer);
    for (size_t i = r->all.first[TW_STATICS_SLIDES]; i < unknowns(r); i++)
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
    *out = (tw_statics_rate){0};
    memcpy(out->strain, direction, sizeof out->strain);
    memcpy(out->stress, direction, sizeof out->stress);
    if (by_stress)
        tw_statics_soften(r->c, out->strain);
    else
        multiply(r->c, out->strain, out->stress);
    return respond(r, by_stress, slip, out, error);
}

tw_status tw_statics_rates_solve(const tw_statics_rates *r, int by_stress,
                                 const double direction[SIX], tw_statics_rate *out, tw_error *error)
{
    TW_CALL_HERE(r && direction && out);
    double *slip = NULL, against[SIX];
    tw_error_clear(error);
    if (!tw_buffer_zeros(&slip, r->all.count, sizeof *slip)) return tw_error_set_memory(error);
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
    if (!tw_buffer_zeros(&slip, r->all.count, sizeof *slip) ||
        !tw_buffer_zeros(&x, SIX * n, sizeof *x))
        status = tw_error_set_memory(error);
    if (status == TW_STATUS_OK) status = respond_to(r, by_stress, direction, slip, &rate, error);
    if (status == TW_STATUS_OK && rate.found != TW_STATICS_NOTHING) {
        tw_statics_put_strains(r->s, x);
        for (size_t i = 0; i < SIX * n; i++)
            z[i % n] += x[i] * rate.strain[i / n];
        for (size_t b = 0; b < r->all.count; b++)
            add_load(&r->all.slider[b], slip[b], z);
        status = tw_statics_solve(r->s, 1, z, error);
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
    TW_CALL_HERE(r && out);
    static const tw_statics_verdict verdicts[] = {TW_STATICS_UNIQUE, TW_STATICS_NOT_UNIQUE,
                                                  TW_STATICS_UNDECIDED};
    tw_statics_lcp_verdict verdict;
    const size_t count = unknowns(r);
    double *m = NULL;
    *out = (tw_statics_judgement){.verdict = TW_STATICS_NO_VERDICT};
    tw_error_clear(error);
    if (!tw_buffer_zeros(&m, count * count, sizeof *m)) return tw_error_set_memory(error);
    for (size_t i = 0; i < count; i++)
        memcpy(m + count * i, r->m[by_stress ? 1 : 0] + r->all.count * i, count * sizeof *m);
    const bool done =
        tw_statics_lcp_judge(count, m, &verdict, out->certificate, &out->certificate_count);
    tw_buffer_drop(&m);
    if (!done) return tw_error_set_memory(error);
    for (size_t k = 0; k < r->all.first[TW_STATICS_UNLOADS] && verdict == TW_STATICS_LCP_UNIQUE;
         k++) {
        const tw_statics_contact *c = r->all.slider[k].contact;
        if (c->mu > 0.0 && (r->s->pinched[c->p] || r->s->pinched[c->q]))
            verdict = TW_STATICS_LCP_UNKNOWN; /* friction holds the rattler, or it is pushed out */
    }
    const size_t found = out->certificate_count;
    out->certificate_count = 0;
    for (size_t k = 0; k < found; k++) { /* a contact may have several sliders */
        const size_t contact = r->all.slider[out->certificate[k]].contact->index;
        if (contact == UINT32_MAX) continue; /* a pair that does not touch */
        size_t at = 0;
        while (at < out->certificate_count && out->certificate[at] != contact)
            at++;
        out->certificate[at] = contact;
        if (at == out->certificate_count) out->certificate_count++;
    }
    if (r->s->worst_force <= at_rest * r->s->force_mean) out->verdict = verdicts[verdict];
    return TW_STATUS_OK;
}

tw_statics_problem tw_statics_rates_problem(const tw_statics_rates *r)
{
    const tw_statics *s = r->s;
    tw_statics_problem out = {.bodies = s->bodies,
                              .contacts = s->contacts,
                              .at_limit = unknowns(r) - r->all.first[TW_STATICS_SLIDES],
                              .zero_gap = r->all.first[TW_STATICS_UNLOADS],
                              .rattlers = s->rattlers,
                              .weak = r->all.weak,
                              .residual = s->worst_force / s->force_mean,
                              .worst = s->worst,
                              .force_mean = s->force_mean,
                              .seconds = r->seconds};
    memcpy(out.stiffness, r->c, sizeof out.stiffness);
    return out;
}
