/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/scene_figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <twirl/math.h>

#include "base/error.h"

/* ---- Grains ---- */

static int compare_numbers(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Does not use tw_sim_measure, which searches for contacts first: that may take very long for a
 * file with absurd sizes. */
bool tw_scene_grains_measure(tw_scene_grains *g, const tw_sim *sim)
{
    *g = (tw_scene_grains){.count = tw_sim_body_count(sim)};
    g->volume = calloc(g->count + 1, sizeof *g->volume);
    g->body = malloc((g->count + 1) * sizeof *g->body);
    if (!g->volume || !g->body) return false;
    tw_sim_get_bodies(sim, g->body, g->count, NULL); /* they exist */
    for (size_t i = 0; i < g->count; i++) {
        g->volume[i] = tw_sim_body_volume(sim, &g->body[i]);
        g->solid += g->volume[i];
    }
    qsort(g->volume, g->count, sizeof *g->volume, compare_numbers);
    return true;
}

void tw_scene_grains_free(tw_scene_grains *g)
{
    free(g->body);
    free(g->volume);
}

double tw_scene_grains_size(const tw_scene_grains *g, double share)
{
    double below = 0.0;
    size_t at = 0;
    while (at + 1 < g->count && (share >= 1.0 || below + g->volume[at] < share * g->solid))
        below += g->volume[at++];
    return tw_math_cbrt(6.0 / TW_MATH_PI * g->volume[at]);
}

const tw_scene_size tw_scene_sizes[TW_SCENE_SIZES] = {
    {"D10", 0.1}, {"D30", 0.3}, {"D50", 0.5}, {"D60", 0.6}};

/* ---- Grading ---- */

/* Here and below, false: out of memory. */
static bool note(tw_figure *f, const char *text, double x, double y, int side)
{
    tw_figure_shape *s = tw_figure_parts_shape(f, TW_FIGURE_NOTE, text, 1);
    if (!s) return false;
    s->style = -2;
    s->side = side;
    s->at[0][0] = x;
    s->at[0][1] = y;
    return true;
}

enum { PERCENT = 100 };

static bool add_curve(tw_figure *f, const tw_scene_grains *g)
{
    tw_figure_shape *s = tw_figure_parts_shape(f, TW_FIGURE_CURVE, "grading", PERCENT + 1);
    if (!s) return false;
    s->style = 1;
    s->width = 1.8;
    for (int k = 0; k <= PERCENT; k++) {
        s->at[k][0] = 1e3 * tw_scene_grains_size(g, (double)k / PERCENT);
        s->at[k][1] = k;
    }
    return true;
}

/* Linear in the logarithm of the diameter between its points. */
static bool add_asked(tw_figure *f, const tw_scenario_rows *curve)
{
    enum { PARTS = 10 };
    const size_t count = PARTS * (curve->count - 1) + 1;
    tw_figure_shape *s = tw_figure_parts_shape(f, TW_FIGURE_CURVE, "asked for", count);
    if (!s) return false;
    s->style = -2;
    s->dash = 2;
    s->width = 1.4;
    for (size_t k = 0; k < count; k++) {
        const double *a = curve->value + 2 * (k / PARTS), share = (double)(k % PARTS) / PARTS;
        const double *b = k + 1 < count ? a + 2 : a;
        s->at[k][0] = 1e3 * a[0] * tw_math_pow(b[0] / a[0], share);
        s->at[k][1] = PERCENT * (a[1] + share * (b[1] - a[1]));
    }
    return true;
}

/* Marks, and their names at the left. */
static bool add_sizes(tw_figure *f, const tw_scene_grains *g)
{
    tw_figure_shape *s = tw_figure_parts_shape(f, TW_FIGURE_POINTS, "D10 to D60", TW_SCENE_SIZES);
    bool good = s && (s->texts = calloc(TW_SCENE_SIZES, sizeof *s->texts));
    double size[TW_SCENE_SIZES];
    for (int k = 0; good && k < TW_SCENE_SIZES; k++) {
        size[k] = 1e3 * tw_scene_grains_size(g, tw_scene_sizes[k].share);
        s->mark = 1;
        s->at[k][0] = size[k];
        s->at[k][1] = PERCENT * tw_scene_sizes[k].share;
        snprintf(s->texts[k], sizeof s->texts[k], "%s", tw_scene_sizes[k].name);
    }
    for (int k = 0; good && k < TW_SCENE_SIZES; k++)
        good = note(f, tw_scene_sizes[k].name, size[k], PERCENT * tw_scene_sizes[k].share, -1);
    return good;
}

bool tw_scene_figure_grading(tw_figure_set *set, const tw_scene_grains *g,
                             const tw_scenario *scenario)
{
    const tw_scenario_sizes *sizes = scenario ? &scenario->specimen.sizes : NULL;
    const bool asked = sizes && sizes->distribution == TW_SCENARIO_GRADING && sizes->curve.count;
    double low = 1e3 * tw_scene_grains_size(g, 0.0), high = 1e3 * tw_scene_grains_size(g, 1.0);
    if (asked) {
        low = tw_math_min(low, 1e3 * sizes->curve.value[0]);
        high = tw_math_max(high, 1e3 * sizes->curve.value[2 * sizes->curve.count - 2]);
    }
    const double d10 = tw_scene_grains_size(g, 0.1), d30 = tw_scene_grains_size(g, 0.3),
                 d60 = tw_scene_grains_size(g, 0.6);
    char text[64];
    tw_figure *f = tw_figure_parts_figure(set, "grading", "own", "Grading");
    if (!f) return false;
    f->y = tw_figure_axis_around(0.0, PERCENT);
    f->x = tw_figure_axis_around(0.95 * low, 1.05 * high);
    if (high > 5.0 * low) /* a logarithmic axis has numbers enough */
        f->x = (tw_figure_axis){.factor = 1.0, .log = 1, .low = low / 1.25, .high = 1.25 * high};
    snprintf(f->x.label, sizeof f->x.label, "Diameter\u00a0{d}");
    snprintf(f->x.unit, sizeof f->x.unit, "mm");
    snprintf(f->y.label, sizeof f->y.label, "Finer, by volume");
    snprintf(f->y.unit, sizeof f->y.unit, "%%");
    snprintf(text, sizeof text, "{C}_u = %.3g, {C}_c = %.3g", d60 / d10, d30 * d30 / (d10 * d60));
    f->key = asked ? TW_FIGURE_KEY_TOP_LEFT : TW_FIGURE_KEY_NONE;
    return (!asked || add_asked(f, &sizes->curve)) && add_curve(f, g) && add_sizes(f, g) &&
           note(f, text, f->x.high, 3.0, -1);
}

/* ---- Forces ---- */

tw_status tw_scene_figure_forces(tw_figure_set *set, const tw_sim *sim, tw_error *error)
{
    size_t count;
    tw_contact_state *contacts;
    tw_status status = tw_sim_list_contacts(sim, &contacts, &count, error);
    double *force = malloc((count + 1) * sizeof *force);
    unsigned char *sliding = calloc(count + 1, 1);
    if (status == TW_STATUS_OK && !(force && sliding)) status = tw_error_set_memory(error);
    if (status == TW_STATUS_OK) {
        for (size_t i = 0; i < count; i++) {
            force[i] = contacts[i].fn;
            sliding[i] = contacts[i].sliding != 0;
        }
        status = tw_figure_forces_add(set, force, sliding, count, error);
    }
    free(contacts);
    free(force);
    free(sliding);
    return status;
}
