/* SPDX-License-Identifier: BSD-3-Clause */
/* The distribution of normal forces of a state. */
#include "figure/figure_internal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include <twirl/math.h>

#include "base/error.h"

/* Density of the normal force over its mean, of all contacts and of those that slide. */
enum { FORCE_BINS = 80, BINS_TO_MEAN = 4 };

typedef struct forces {
    double density[2][FORCE_BINS]; /* per mean force; the last bin has all beyond, too */
    size_t used;                   /* bins up to the last with a contact */
    double strong;                 /* share of contacts above the mean */
} forces;

static forces measure(const double *force, const unsigned char *sliding, size_t count, double mean)
{
    forces f = {.used = 1};
    for (size_t i = 0; i < count; i++) {
        const double share = force[i] / mean;
        const double place = tw_math_min(BINS_TO_MEAN * share, FORCE_BINS - 1);
        const size_t bin = place > 0.0 ? (size_t)place : 0;
        f.density[0][bin] += (double)BINS_TO_MEAN / (double)count;
        if (sliding[i]) f.density[1][bin] += (double)BINS_TO_MEAN / (double)count;
        if (bin + 1 > f.used) f.used = bin + 1;
        if (share > 1.0) f.strong += 1.0 / (double)count;
    }
    return f;
}

static bool add_forces(tw_figure *f, const forces *of, int which, double *least)
{
    static const char *const titles[] = {"all contacts", "sliding contacts"};
    tw_figure_shape *s = tw_figure_parts_shape(f, TW_FIGURE_CURVE, titles[which], of->used);
    if (!s) return false;
    s->style = 1 + which;
    s->mark = 1 + which;
    s->width = 1.8;
    for (size_t k = 0; k < of->used; k++) {
        const double d = of->density[which][k];
        s->at[k][0] = ((double)k + 0.5) / BINS_TO_MEAN;
        s->at[k][1] = d > 0.0 ? d : (double)NAN; /* none on a logarithmic axis */
        if (d > 0.0) *least = tw_math_min(*least, d);
    }
    return true;
}

/* A line at the mean: contacts above it are strong. */
static bool add_mean(tw_figure *f, double strong)
{
    char text[64];
    tw_figure_shape *s = tw_figure_parts_shape(f, TW_FIGURE_CURVE, "", 2);
    if (!s) return false;
    s->style = -2;
    s->dash = 2;
    s->width = 1.0;
    s->at[0][0] = s->at[1][0] = 1.0;
    s->at[0][1] = f->y.low;
    s->at[1][1] = f->y.high;
    snprintf(text, sizeof text, "strong: %.1f %% of contacts", 100.0 * strong);
    tw_figure_shape *note = tw_figure_parts_shape(f, TW_FIGURE_NOTE, text, 1);
    if (!note) return false;
    note->style = -2;
    note->side = 1;
    note->at[0][0] = 1.0;
    note->at[0][1] = 2.4;
    return true;
}

static bool add_figure(tw_figure_set *set, const forces *found)
{
    double least = 1.0;
    tw_figure *f = tw_figure_parts_figure(set, "forces", "own", "Normal forces");
    if (!f || !add_forces(f, found, 0, &least) || !add_forces(f, found, 1, &least)) return false;
    f->x = tw_figure_axis_around(0.0, (double)found->used / BINS_TO_MEAN);
    f->y = (tw_figure_axis){.factor = 1.0, .log = 1, .low = least / 2.0, .high = 4.0};
    f->key = TW_FIGURE_KEY_TOP_RIGHT;
    snprintf(f->x.label, sizeof f->x.label, "Normal force over its mean\u00a0{f}_n/⟨{f}_n⟩");
    snprintf(f->y.label, sizeof f->y.label, "Probability density");
    return add_mean(f, found->strong);
}

tw_status tw_figure_forces_add(tw_figure_set *set, const double *force,
                               const unsigned char *sliding, size_t count, tw_error *error)
{
    assert(set && ((force && sliding) || count == 0));
    double mean = 0.0;
    for (size_t i = 0; i < count; i++)
        mean += force[i] / (double)count;
    if (!(mean > 0.0))
        return tw_error_set(error, TW_STATUS_INPUT, "the state has no contact forces");
    const forces found = measure(force, sliding, count, mean);
    return add_figure(set, &found) ? TW_STATUS_OK : tw_error_set_memory(error);
}
