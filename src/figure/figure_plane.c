/* SPDX-License-Identifier: BSD-3-Clause */
#include "figure/figure_internal.h"

#include <math.h>
#include <stdio.h>

#include <twirl/math.h>

static const double third = 2.0 * TW_MATH_PI / 3.0;

/* Quantities of the plane, by number. */
typedef struct plane {
    size_t x, y, ratio;
    double root; /* distance from the centre over q/p */
} plane;

static plane plane_make(void)
{
    return (plane){tw_figure_quantity_find("pi_x"), tw_figure_quantity_find("pi_y"),
                   tw_figure_quantity_find("stress_ratio"), sqrt(2.0 / 3.0)};
}

static bool is_member(const tw_figure_series *s)
{
    return s->drawn && s->kind == TW_FIGURE_SERIES_TRUE_TRIAXIAL && s->count > 1 &&
           s->history->present[TW_HISTORY_stress_xx] && s->history->present[TW_HISTORY_p];
}

static bool can_draw(const tw_figure_set *set, bool all)
{
    size_t members = 0, drawn = 0;
    for (size_t i = 0; i < set->series_count; i++) {
        members += is_member(&set->series[i]);
        drawn += set->series[i].drawn != 0;
    }
    return members > 0 && (!all || members == drawn);
}

/* ---- Strength: the surface of Lade and Duncan, I1^3/I3 = constant ---- */

typedef struct peak {
    double x, y, ratio; /* in the plane, and q/p */
} peak;

static peak peak_of(const plane *of, const tw_figure_series *s)
{
    peak best = {0};
    const double *ratio = s->values[of->ratio], *x = s->values[of->x], *y = s->values[of->y];
    for (size_t i = 0; ratio && x && y && i < s->count; i++)
        if (ratio[i] > best.ratio) best = (peak){x[i], y[i], ratio[i]};
    return best;
}

/* I3/p^3 = 1 - eta^2/3 + 2/27 eta^3 cos(3 angle), with eta = q/p. */
static double third_invariant(double ratio, double angle)
{
    return 1.0 - ratio * ratio / 3.0 +
           2.0 / 27.0 * ratio * ratio * ratio * tw_math_cos(3.0 * angle);
}

/* q/p at which I1^3/I3 has the value: below the ratio at which a principal stress is zero. */
static double ratio_at(double value, double angle)
{
    double low = 0.0, high = 1.5;
    while (third_invariant(high, angle) > 27.0 / value && high < 3.0)
        high += 0.05;
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        if (third_invariant(middle, angle) > 27.0 / value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Mean of I1^3/I3 over the peaks of the paths; NaN if there are fewer than two directions. */
static double mean_strength(const plane *of, const tw_figure_set *set)
{
    double sum = 0.0;
    size_t peaks = 0;
    for (size_t i = 0; i < set->series_count; i++) {
        if (!is_member(&set->series[i])) continue;
        const peak p = peak_of(of, &set->series[i]);
        if (!(p.ratio > 0.0)) return (double)NAN;
        sum += 27.0 / third_invariant(p.ratio, tw_math_atan2(p.x, p.y));
        peaks++;
    }
    const double mean = peaks > 1 ? sum / (double)peaks : (double)NAN;
    return mean > 27.0 ? mean : (double)NAN;
}

/* ---- The figure ---- */

enum { CIRCLE = 90, STRENGTH = 180 };

static bool add_strength(const plane *of, tw_figure *f, double value)
{
    char title[64];
    if (isnan(value)) return true;
    snprintf(title, sizeof title, "{I}_1³/{I}_3 = %.1f", value);
    tw_figure_shape *s = tw_figure_parts_shape(f, TW_FIGURE_CURVE, title, STRENGTH + 1);
    if (!s) return false;
    s->style = -2;
    s->dash = 2;
    s->width = 1.6;
    for (int k = 0; k <= STRENGTH; k++) {
        const double angle = 2.0 * TW_MATH_PI * k / STRENGTH;
        const double radius = of->root * ratio_at(value, angle);
        s->at[k][0] = radius * tw_math_sin(angle);
        s->at[k][1] = radius * tw_math_cos(angle);
    }
    return true;
}

static bool add_peaks(const plane *of, tw_figure *f, const tw_figure_set *set)
{
    tw_figure_shape *s = tw_figure_parts_shape(f, TW_FIGURE_POINTS, "peaks", set->series_count);
    if (!s) return false;
    s->mark = 1;
    s->count = 0;
    for (size_t i = 0; i < set->series_count; i++) {
        if (!is_member(&set->series[i])) continue;
        const peak p = peak_of(of, &set->series[i]);
        s->at[s->count][0] = p.x;
        s->at[s->count++][1] = p.y;
    }
    return true;
}

static tw_figure_shape *add_note(tw_figure *f, const char *text, double x, double y)
{
    tw_figure_shape *note = tw_figure_parts_shape(f, TW_FIGURE_NOTE, text, 1);
    if (!note) return NULL;
    note->at[0][0] = x;
    note->at[0][1] = y;
    return note;
}

/* Circles of equal q/p. `reach` is the length of an axis. */
static bool add_circles(const plane *of, tw_figure *f, double reach)
{
    const double step = reach > 1.0 ? 0.5 : reach > 0.4 ? 0.25 : 0.1;
    for (int k = 1; k * step * of->root < 0.93 * reach; k++) {
        char text[32];
        const double radius = k * step * of->root;
        tw_figure_shape *s = tw_figure_parts_shape(f, TW_FIGURE_CURVE, "", CIRCLE + 1);
        if (!s) return false;
        s->style = -3;
        s->width = 0.7;
        for (int i = 0; i <= CIRCLE; i++) {
            const double angle = 2.0 * TW_MATH_PI * i / CIRCLE;
            s->at[i][0] = radius * tw_math_cos(angle);
            s->at[i][1] = radius * tw_math_sin(angle);
        }
        snprintf(text, sizeof text, "{q}/{p} = %g", k * step);
        tw_figure_shape *note = add_note(f, text, -radius * tw_math_sin(0.5 * third),
                                         radius * tw_math_cos(0.5 * third) + 0.035 * reach);
        if (!note) return false;
        note->style = -2;
    }
    return true;
}

static bool add_axes(tw_figure *f, int axis, double reach)
{
    for (int k = 0; k < 3; k++) {
        char text[32];
        const double x = tw_math_sin(k * third), y = tw_math_cos(k * third);
        tw_figure_shape *arrow = tw_figure_parts_shape(f, TW_FIGURE_ARROW, "", 2);
        if (!arrow) return false;
        arrow->at[1][0] = reach * x;
        arrow->at[1][1] = reach * y;
        snprintf(text, sizeof text, "{σ}_%c/{p}", "xyz"[(axis + k) % 3]);
        if (!add_note(f, text, 1.09 * reach * x, 1.09 * reach * y)) return false;
    }
    return true;
}

static void set_axes(tw_figure *f, double reach)
{
    f->x = tw_figure_axis_fixed(-1.1 * reach, 1.1 * reach);
    f->y = tw_figure_axis_fixed(-0.96 * reach, 1.2 * reach); /* circles end at 0.93 */
    f->x.quantity = "pi_x";
    f->y.quantity = "pi_y";
    f->equal = f->bare = 1;
    f->key = TW_FIGURE_KEY_BESIDE;
}

bool tw_figure_plane_add(tw_figure_set *set, const tw_figure_request *request)
{
    const plane of = plane_make();
    if (!can_draw(set, set->run_count > 1 && !request->every)) return true;
    tw_figure *f = tw_figure_parts_figure(set, "pi_plane", "true_triaxial", "Deviatoric plane");
    if (!f) return false;
    const double value = mean_strength(&of, set);
    double reach = isnan(value) ? 0.0 : of.root * ratio_at(value, 0.0);
    int axis = 2;
    for (size_t i = set->series_count; i-- > 0;) {
        if (!is_member(&set->series[i])) continue;
        reach = tw_math_max(reach, of.root * peak_of(&of, &set->series[i]).ratio);
        axis = set->series[i].axis;
    }
    reach = tw_math_max(1.2 * reach, 1e-3);
    set_axes(f, reach);
    if (!add_circles(&of, f, reach) || !add_axes(f, axis, reach) || !add_strength(&of, f, value))
        return false;
    for (size_t i = 0; i < set->series_count; i++) {
        const tw_figure_series *s = &set->series[i];
        if (is_member(s) && s->values[of.x] && s->values[of.y] &&
            !tw_figure_parts_line(f, set, i, of.x, of.y, NULL))
            return false;
    }
    return add_peaks(&of, f, set);
}
