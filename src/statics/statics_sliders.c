/* SPDX-License-Identifier: BSD-3-Clause */
/* What may slide, unload or close in a state: the unknowns of its rates. Equations are those of
 * docs/theory/statics.md. In here tension is positive. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "statics/statics_internal.h"

enum { N = TW_STATICS_CONTACT };

/* ---- Limits ---- */

static bool at_limit(double force, double limit, double slack)
{
    return limit > 0.0 && force >= (1.0 - slack) * limit;
}

static bool tangential_at_limit(const tw_statics_contact *c, double slack)
{
    return c->kt > 0.0 && at_limit(tw_vec3_norm(c->ft), c->mu * c->pressing, slack);
}

/* Grains with fewer than four contacts, all at their limits, are mechanisms. */
static tw_status drop_weak(tw_statics *s, double slack, size_t *weak, tw_error *error)
{
    uint32_t *all = NULL;
    if (!tw_buffer_zeros(&all, 2 * s->bodies, sizeof *all)) return tw_error_set_memory(error);
    uint32_t *held = all + s->bodies;
    for (bool more = true; more;) {
        memset(all, 0, 2 * s->bodies * sizeof *all);
        for (size_t k = 0; k < s->contacts; k++) {
            const tw_statics_contact *c = &s->contact[k];
            if (!tw_statics_carries(s, c)) continue;
            const bool holds = !tangential_at_limit(c, slack);
            all[c->p]++;
            all[c->q]++;
            held[c->p] += holds;
            held[c->q] += holds;
        }
        more = false;
        for (size_t i = 0; i < s->bodies; i++) {
            if (s->rattler[i] || all[i] >= 4 || (held[i] > 0 && all[i] >= 2)) continue;
            s->rattler[i] = more = true;
            (*weak)++;
        }
    }
    tw_buffer_drop(&all);
    return TW_STATUS_OK;
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

/* ---- One slider ---- */

/* h . map, for three rows. */
static void along(tw_vec3 h, double map[3][N], double *out)
{
    for (int j = 0; j < N; j++)
        out[j] = h.x * map[0][j] + h.y * map[1][j] + h.z * map[2][j];
}

static tw_statics_slider *add(tw_statics_sliders *out, const tw_statics_contact *c, double k)
{
    tw_statics_slider *one = &out->slider[out->count++];
    *one = (tw_statics_slider){.contact = c, .k = k, .unloading = TW_STATICS_NO_SLIDER};
    return one;
}

/* The spring of a pair at zero gap in one direction: it takes up a motion that is against it. */
static void add_spring(tw_statics_sliders *out, const tw_statics_contact *c, tw_statics_maps *maps,
                       double k, tw_vec3 direction)
{
    tw_statics_slider *one = add(out, c, k);
    along(direction, maps->du, one->slip);
    for (int j = 0; j < N; j++)
        one->yield[j] = -one->slip[j];
}

static void add_grip(tw_statics_sliders *out, const tw_statics_contact *c, tw_statics_maps *maps)
{
    const tw_vec3 n = c->n, aside = fabs(n.x) < 0.5 ? tw_vec3_make(1.0, 0.0, 0.0)
                                                    : tw_vec3_make(0.0, 1.0, 0.0);
    const tw_vec3 across = tw_vec3_cross(n, aside);
    const tw_vec3 t = tw_vec3_scale(1.0 / tw_vec3_norm(across), across);
    add_spring(out, c, maps, c->kt, t);
    add_spring(out, c, maps, c->kt, tw_vec3_cross(n, t));
}

/* While the overlap shrinks all forces of a Hertz contact that stick do so with its root. */
static void add_unloading(tw_statics_sliders *out, const tw_statics_contact *c,
                          tw_statics_maps *maps)
{
    double tangential[N], rolling[N];
    if (!tw_contact_normal_stiffens(c->law.normal)) return;
    if (!(tw_vec3_norm(c->ft) + tw_vec3_norm(c->fr) + fabs(c->fw) > 0.0)) return;
    tw_statics_slider *one = add(out, c, 1.0);
    along(c->n, maps->du, one->yield);
    along(c->ft, maps->du, tangential);
    along(c->fr, maps->roll, rolling);
    for (int j = 0; j < N; j++)
        one->slip[j] = 0.5 / c->zeta * (tangential[j] + rolling[j] + c->fw * maps->twist[j]);
}

/* A spring at its limit, which moves by `slip` along its force. The limit falls with the normal
 * force: mu kn n . du. */
static void add_limit(tw_statics_sliders *out, const tw_statics_contact *c, tw_statics_maps *maps,
                      double k, double mu, double force, const double slip[N], size_t unloading)
{
    tw_statics_slider *one = add(out, c, k);
    double opening[N];
    one->unloading = unloading;
    one->falls = 0.5 / c->zeta * force / k;
    along(c->n, maps->du, opening);
    for (int j = 0; j < N; j++) {
        one->slip[j] = slip[j];
        one->yield[j] = slip[j] + mu * c->kn / k * opening[j];
    }
}

/* `unloading`: the slider for that of the same contact. */
static void add_limits(tw_statics_sliders *out, const tw_statics_contact *c, tw_statics_maps *maps,
                       double slack, size_t unloading)
{
    const double roll = tw_vec3_norm(c->fr), ft = tw_vec3_norm(c->ft);
    double slip[N];
    if (tangential_at_limit(c, slack)) {
        along(tw_vec3_scale(1.0 / ft, c->ft), maps->du, slip);
        add_limit(out, c, maps, c->kt, c->mu, ft, slip, unloading);
    }
    if (c->kr > 0.0 && at_limit(roll, c->mu_r * c->pressing, slack)) {
        along(tw_vec3_scale(1.0 / roll, c->fr), maps->roll, slip);
        add_limit(out, c, maps, c->kr, c->mu_r, roll, slip, unloading);
    }
    if (c->kw > 0.0 && at_limit(fabs(c->fw), c->mu_w * c->pressing, slack)) {
        for (int j = 0; j < N; j++)
            slip[j] = c->fw < 0.0 ? -maps->twist[j] : maps->twist[j];
        add_limit(out, c, maps, c->kw, c->mu_w, fabs(c->fw), slip, unloading);
    }
}

/* ---- All of them, by kind ---- */

static void add_kind(const tw_statics *s, double slack, int kind, tw_statics_sliders *out)
{
    const bool pairs = kind == TW_STATICS_CLOSES || kind == TW_STATICS_GRIPS;
    size_t next = out->first[TW_STATICS_UNLOADS];
    for (size_t k = pairs ? 0 : s->nears; k < s->nears + s->contacts; k++) {
        const tw_statics_contact *c = pair_at(s, k);
        tw_statics_maps maps;
        if (pairs ? !s->pinched || !may_close(s, k) : !tw_statics_carries(s, c)) continue;
        tw_statics_contact_maps(c, &maps);
        if (kind == TW_STATICS_CLOSES) add_spring(out, c, &maps, c->kn, c->n);
        if (kind == TW_STATICS_UNLOADS) add_unloading(out, c, &maps);
        if (kind == TW_STATICS_GRIPS) add_grip(out, c, &maps);
        if (kind != TW_STATICS_SLIDES) continue;
        const bool unloads = next < out->first[kind] && out->slider[next].contact == c;
        add_limits(out, c, &maps, slack, unloads ? next++ : TW_STATICS_NO_SLIDER);
    }
    out->first[kind + 1] = out->count;
}

tw_status tw_statics_sliders_find(tw_statics *s, double slack, tw_statics_sliders *out,
                                  tw_error *error)
{
    const size_t parted = part_contacts(s);
    tw_status status = drop_weak(s, slack, &out->weak, error);
    if (status == TW_STATUS_OK && parted + s->nears > 0) status = find_pinched(s, error);
    if (status != TW_STATUS_OK) return status;
    if (s->hertz || parted + out->weak > 0) tw_statics_assemble(s, s->def.geometric != 0);
    if (!tw_buffer_zeros(&out->slider, 4 * s->contacts + 3 * s->nears, sizeof *out->slider))
        return tw_error_set_memory(error);
    for (int kind = 0; kind < TW_STATICS_SLIDER_KINDS; kind++)
        add_kind(s, slack, kind, out);
    return TW_STATUS_OK;
}
