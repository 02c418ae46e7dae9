/* SPDX-License-Identifier: BSD-3-Clause */
/* Mohr's circles of several tests at their peaks and ends, and q over p at the peaks. */
#include "figure/figure_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

enum { CIRCLE = 60 };

/* ---- Tests ---- */

static double result_of(const double *results, const char *name)
{
    size_t k = 0;
    while (strcmp(tw_figure_result_at(k)->name, name) != 0)
        k++;
    return results[k];
}

size_t tw_figure_strength_points(const tw_figure_set *set, int end,
                                 tw_figure_strength_point *points)
{
    double *results = malloc(tw_figure_result_count() * sizeof *results);
    size_t count = 0;
    for (size_t i = 0; i < set->series_count && results; i++) {
        const tw_figure_series *s = &set->series[i];
        const bool fits =
            tw_figure_series_is_axial(s->kind) || s->kind == TW_FIGURE_SERIES_TRUE_TRIAXIAL;
        if (!s->drawn || !fits || !s->history->rows || !tw_figure_result_compute(s, results))
            continue;
        tw_figure_strength_point *t = &points[count++];
        *t = (tw_figure_strength_point){s->label, result_of(results, "peak_s1"),
                                        result_of(results, "peak_s3"), result_of(results, "peak_p"),
                                        0.0};
        if (end && isfinite(t->p)) {
            tw_figure_quantity_principal(s, s->count - 1, &t->s1, &t->s3);
            t->p = s->history->rows[s->first + s->count - 1].value[TW_HISTORY_p];
        }
        t->q = t->p * result_of(results, end ? "ratio_end" : "peak_ratio");
    }
    free(results);
    return count;
}

/* Tops of circles, m = (s1 + s3)/2 and r = (s1 - s3)/2, are on the line r = c cos(phi) + m sin(phi)
 * where the envelope is tangent to all of them. */
int tw_figure_strength_fit(const tw_figure_strength_point *points, size_t count,
                           tw_figure_strength *strength)
{
    double n = 0.0, m = 0.0, r = 0.0, mm = 0.0, mr = 0.0, pp = 0.0, pq = 0.0;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = 0; i < count; i++) { /* means, and sums of products of deviations from them */
        const tw_figure_strength_point *t = &points[i];
        const double dm = 0.5 * (t->s1 + t->s3) - m, dr = 0.5 * (t->s1 - t->s3) - r;
        if (!isfinite(dm + dr + t->p + t->q)) continue;
        n += 1.0;
        m += dm / n;
        r += dr / n;
        mm += dm * dm * (n - 1.0) / n;
        mr += dm * dr * (n - 1.0) / n;
        pp += t->p * t->p;
        pq += t->p * t->q;
        low = tw_math_min(low, t->s3);
        high = tw_math_max(high, t->s3);
    }
    const double sine = mr / mm;
    if (!(n > 1.0 && high > 1.25 * low && fabs(sine) < 1.0)) return 0;
    const double cosine = sqrt(1.0 - sine * sine);
    *strength = (tw_figure_strength){.cohesion = (r - sine * m) / cosine,
                                     .angle = tw_math_atan2(sine, cosine) * 180.0 / TW_MATH_PI,
                                     .ratio = pq / pp};
    return 1;
}

/* ---- Figures ---- */

typedef struct tests {
    const tw_figure_strength_point *of;
    size_t count;
    bool end; /* of the tests, not their peaks */
} tests;

static tw_figure_axis axis_of(double high, const char *label)
{
    const tw_figure_axis_request r = {
        .dimension = TW_FIGURE_STRESS, .low = 0.0, .high = high, .zero = true};
    tw_figure_axis axis = tw_figure_axis_choose(&r);
    snprintf(axis.label, sizeof axis.label, "%s", label);
    return axis;
}

static tw_figure_shape *add_shape(tw_figure *f, tw_figure_shape_kind kind, const char *title,
                                  size_t count, int style)
{
    tw_figure_shape *s = tw_figure_parts_shape(f, kind, title, count);
    if (!s) return NULL;
    s->style = style;
    s->plain = style > 0;
    s->width = 1.8;
    return s;
}

/* Tests of one label, such as those of several seeds, have one colour and one entry of the key. */
static tw_figure_shape *add_test(tw_figure *f, tw_figure_shape_kind kind, tests p, size_t i,
                                 size_t count)
{
    size_t first = 0;
    while (strcmp(p.of[first].label, p.of[i].label) != 0)
        first++;
    return add_shape(f, kind, first == i ? p.of[i].label : "", count, (int)first + 1);
}

/* A straight line in the units of the axes, from x = 0. */
static bool add_line(tw_figure *f, const char *title, double at_zero, double slope)
{
    tw_figure_shape *s = add_shape(f, TW_FIGURE_CURVE, title, 2, 0);
    if (!s) return false;
    s->at[1][0] = f->x.high;
    s->at[0][1] = at_zero;
    s->at[1][1] = at_zero + slope * f->x.high;
    return true;
}

static bool add_mohr(tw_figure_set *set, tests p, const tw_figure_strength *strength)
{
    char title[TW_FIGURE_TEXT_MAX];
    double most = 0.0;
    tw_figure *f =
        tw_figure_parts_figure(set, p.end ? "mohr_end" : "mohr", "own",
                               p.end ? "Mohr's circles at the end" : "Mohr's circles at the peak");
    if (!f) return false;
    for (size_t i = 0; i < p.count; i++)
        if (p.of[i].s1 > most) most = p.of[i].s1;
    f->x = axis_of(most, "Normal stress\u00a0{σ}");
    f->y = f->x;
    snprintf(f->y.label, sizeof f->y.label, "Shear stress\u00a0{τ}");
    f->y.high *= 0.7; /* circles are below the half, the key is above them */
    f->equal = 1;
    f->key = TW_FIGURE_KEY_TOP_LEFT;
    for (size_t i = 0; i < p.count; i++) {
        const double m = 0.5 * (p.of[i].s1 + p.of[i].s3), r = 0.5 * (p.of[i].s1 - p.of[i].s3);
        if (!isfinite(m)) continue;
        tw_figure_shape *s = add_test(f, TW_FIGURE_CURVE, p, i, CIRCLE + 1);
        if (!s) return false;
        for (int k = 0; k <= CIRCLE; k++) {
            s->at[k][0] = f->x.factor * (m + r * tw_math_cos(TW_MATH_PI * k / CIRCLE));
            s->at[k][1] = f->y.factor * r * tw_math_sin(TW_MATH_PI * k / CIRCLE);
        }
    }
    const double angle = strength->angle * TW_MATH_PI / 180.0;
    snprintf(title, sizeof title, "{c} = %s%.3g %s, {φ} = %.1f°",
             strength->cohesion < 0.0 ? "−" : "", fabs(f->y.factor * strength->cohesion), f->y.unit,
             strength->angle);
    return add_line(f, title, f->y.factor * strength->cohesion,
                    tw_math_sin(angle) / tw_math_cos(angle));
}

static bool add_failure(tw_figure_set *set, tests p, const tw_figure_strength *strength)
{
    char title[TW_FIGURE_TEXT_MAX];
    double most[2] = {0.0, 0.0};
    tw_figure *f = tw_figure_parts_figure(set, "failure", "own", "Strength of the tests");
    if (!f) return false;
    for (size_t i = 0; i < p.count; i++) {
        if (p.of[i].p > most[0]) most[0] = p.of[i].p;
        if (p.of[i].q > most[1]) most[1] = p.of[i].q;
    }
    f->x = axis_of(most[0], "Mean stress at the peak\u00a0{p}_f");
    f->y = axis_of(most[1], "Deviator stress at the peak\u00a0{q}_f");
    f->key = TW_FIGURE_KEY_TOP_LEFT;
    for (size_t i = 0; i < p.count; i++) {
        if (!isfinite(p.of[i].p + p.of[i].q)) continue;
        tw_figure_shape *s = add_test(f, TW_FIGURE_POINTS, p, i, 1);
        if (!s) return false;
        s->mark = 1;
        s->at[0][0] = f->x.factor * p.of[i].p;
        s->at[0][1] = f->y.factor * p.of[i].q;
    }
    snprintf(title, sizeof title, "{M} = %.3f", strength->ratio);
    return add_line(f, title, 0.0, strength->ratio * f->y.factor / f->x.factor);
}

int tw_figure_strength_add(tw_figure_set *set, const tw_figure_strength_point *of, size_t count,
                           int end)
{
    tw_figure_strength strength;
    const tests p = {of, count, end};
    if (!tw_figure_strength_fit(of, count, &strength)) return 1;
    return add_mohr(set, p, &strength) && (end || add_failure(set, p, &strength));
}
