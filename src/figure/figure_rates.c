/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates of a state by direction: the response envelope and second-order work. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "figure/figure_internal.h"

/* A row of rates.csv. */
typedef struct rate {
    double angle, at[2], no_slip[2], work; /* [rad]; of the answer; normalised */
} rate;

typedef struct rates {
    rate *rate;
    size_t count, capacity;
    bool by_stress;
} rates;

static bool read_rates(rates *r, tw_csv *csv)
{
    static const char *const names[] = {"angle",     "x",         "y",
                                        "no_slip_x", "no_slip_y", "work_normalised"};
    enum { NUMBERS = sizeof names / sizeof *names };
    const size_t control = tw_csv_find(csv, "control");
    size_t column[NUMBERS];
    bool good = control != TW_CSV_COLUMNS_MAX;
    for (int k = 0; k < NUMBERS; k++) {
        column[k] = tw_csv_find(csv, names[k]);
        good = good && column[k] != TW_CSV_COLUMNS_MAX;
    }
    if (!good) return tw_csv_refuse(csv, "the columns are not those of rates.csv");
    while (tw_csv_next(csv)) {
        double value[NUMBERS];
        for (int k = 0; k < NUMBERS; k++)
            if (!tw_csv_number(csv, column[k], TW_CSV_NAN, &value[k])) return false;
        if (tw_buffer_reserve(&r->rate, &r->capacity, r->count + 1, sizeof *r->rate) !=
            TW_STATUS_OK)
            return tw_error_set_memory(csv->error) == TW_STATUS_OK;
        r->by_stress = strcmp(csv->field[control].text, "stress") == 0;
        r->rate[r->count++] = (rate){.angle = value[0] * (TW_MATH_PI / 180.0),
                                     .at = {value[1], value[2]},
                                     .no_slip = {value[3], value[4]},
                                     .work = value[5]};
    }
    return csv->error->status == TW_STATUS_OK;
}

static tw_figure_shape *add_curve(tw_figure *f, const char *title, size_t count, int style,
                                  int dash)
{
    tw_figure_shape *s = tw_figure_parts_shape(f, TW_FIGURE_CURVE, title, count);
    if (!s) return NULL;
    s->style = style;
    s->dash = dash;
    s->width = style > 0 ? 1.8 : 1.0;
    return s;
}

static void label(tw_figure *f, const char *x, const char *y, const char *unit)
{
    snprintf(f->x.label, sizeof f->x.label, "%s", x);
    snprintf(f->y.label, sizeof f->y.label, "%s", y);
    snprintf(f->x.unit, sizeof f->x.unit, "%s", unit);
    snprintf(f->y.unit, sizeof f->y.unit, "%s", unit);
}

/* Responses to unit rates: stresses [MPa], or strains [1/GPa]. */
static bool draw_envelope(tw_figure *f, const rates *r)
{
    const double scale = r->by_stress ? 1e9 : 1e-6;
    double reach = 0.0;
    for (int slip = 0; slip < 2; slip++) {
        tw_figure_shape *s =
            add_curve(f, slip ? "with slip" : "no slip", r->count + 1, slip ? 1 : -2, slip ? 1 : 2);
        if (!s) return false;
        for (size_t k = 0; k <= r->count; k++)
            for (int i = 0; i < 2; i++) {
                const rate *of = &r->rate[k % r->count];
                s->at[k][i] = scale * (slip ? of->at : of->no_slip)[i];
                if (isfinite(s->at[k][i])) reach = tw_math_max(reach, fabs(s->at[k][i]));
            }
    }
    f->x = f->y = tw_figure_axis_around(-reach, reach);
    if (r->by_stress)
        label(f, "Volumetric strain rate", "Deviatoric strain rate", "1/GPa");
    else
        label(f, "Mean stress rate", "Deviatoric stress rate", "MPa");
    return true;
}

static void put_polar(double at[2], double radius, double angle)
{
    at[0] = radius * tw_math_cos(angle);
    at[1] = radius * tw_math_sin(angle);
}

/* Normalised second-order work over the direction, as the distance from a circle: negative inside
 * it. The directions in which it is negative, or has no solution, are lines from the centre. */
static bool draw_work(tw_figure *f, const rates *r)
{
    enum { CIRCLE = 180 };
    static const char *const titles[] = {"", "{W}_2 < 0", "no solution",
                                         "{W}_2 < 0 or no solution"};
    unsigned found = 0;
    for (size_t k = 0; k < r->count; k++)
        found |= r->rate[k].work > 0.0 ? 0u : isnan(r->rate[k].work) ? 2u : 1u;
    tw_figure_shape *cone = add_curve(f, titles[found], 3 * r->count, 2, 1);
    if (!cone) return false;
    cone->width = 1.0;
    for (size_t k = 0; k < r->count; k++) {
        put_polar(cone->at[3 * k], 0.0, 0.0);
        put_polar(cone->at[3 * k + 1], r->rate[k].work > 0.0 ? (double)NAN : 1.0, r->rate[k].angle);
        put_polar(cone->at[3 * k + 2], (double)NAN, 0.0);
    }
    tw_figure_shape *zero = add_curve(f, "{W}_2 = 0", CIRCLE + 1, -2, 2);
    if (!zero) return false;
    for (int k = 0; k <= CIRCLE; k++)
        put_polar(zero->at[k], 1.0, 2.0 * TW_MATH_PI * k / CIRCLE);
    tw_figure_shape *work = add_curve(f, "1 + {W}_2, normalised", r->count + 1, 1, 1);
    if (!work) return false;
    for (size_t k = 0; k <= r->count; k++) {
        const rate *of = &r->rate[k % r->count];
        put_polar(work->at[k], 1.0 + of->work, of->angle);
    }
    f->x = f->y = tw_figure_axis_around(-2.3, 2.3);
    label(f, "Volumetric direction", "Deviatoric direction", "");
    return true;
}

static bool add_figure(tw_figure_set *set, const rates *r, const char *name, const char *kind,
                       const char *title, bool (*draw)(tw_figure *, const rates *))
{
    tw_figure *f = tw_figure_parts_figure(set, kind, "probes", title);
    if (!f) return false;
    if (*name) snprintf(f->name, sizeof f->name, "%.*s_%s", TW_FIGURE_NAME_MAX, name, kind);
    f->equal = 1;
    f->key = TW_FIGURE_KEY_ABOVE;
    return draw(f, r);
}

tw_status tw_figure_rates_add(tw_figure_set *set, const char *path, const char *name,
                              tw_error *error)
{
    assert(set && path && name);
    rates r = {.rate = NULL};
    tw_csv csv;
    tw_error unused;
    if (!error) error = &unused;
    FILE *file = tw_read_file_stream(path);
    tw_error_clear(error);
    if (!file) return tw_error_set_system(error, "read", path);
    if (tw_csv_open(&csv, file, path, error)) (void)read_rates(&r, &csv);
    tw_csv_close(&csv);
    if (error->status == TW_STATUS_OK && r.count > 0 &&
        (!add_figure(set, &r, name, "rates_envelope", "Response envelope", draw_envelope) ||
         !add_figure(set, &r, name, "rates_work", "Second-order work", draw_work)))
        tw_error_set_memory(error);
    free(r.rate);
    return error->status;
}
