/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot_plane.h"

#include <math.h>

#include <twirl/math.h>

#include "base/error.h"
#include "plot/curve.h"
#include "plot/plot.h"
#include "plot/plot_figure.h"

static const double third = 2.0 * TW_MATH_PI / 3.0;

static bool is_member(const tw_series *s)
{
    return s->kind == TW_PATH_KIND_TRUE_TRIAXIAL && s->count > 1 &&
           s->table->present[TW_HISTORY_stress_xx] && s->table->present[TW_HISTORY_p];
}

bool tw_plot_plane_can(const tw_series *series, size_t count, bool all)
{
    size_t members = 0;
    for (size_t i = 0; i < count; i++)
        members += is_member(&series[i]);
    return all ? members == count && count > 0 : members > 0;
}

/* ---- Strength ---- */

typedef struct peak {
    double x, y, ratio; /* in the plane, and q/p */
} peak;

static peak peak_of(const tw_series *s)
{
    peak best = {0};
    for (size_t i = 0; i < s->count; i++) {
        double v[TW_CURVES];
        tw_curve_values(s, i, v);
        const double ratio = v[TW_CURVE_STRESS_RATIO];
        if (ratio > best.ratio) best = (peak){v[TW_CURVE_PI_X], v[TW_CURVE_PI_Y], ratio};
    }
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
static double mean_strength(const tw_series *series, size_t count)
{
    double sum = 0.0;
    size_t peaks = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_member(&series[i])) continue;
        const peak p = peak_of(&series[i]);
        if (!(p.ratio > 0.0)) return (double)NAN;
        sum += 27.0 / third_invariant(p.ratio, tw_math_atan2(p.x, p.y));
        peaks++;
    }
    return peaks > 1 ? sum / (double)peaks : (double)NAN;
}

/* ---- The figure ---- */

static void add_strength(tw_text_buffer *text, double value)
{
    tw_text_buffer_add(text, "$strength << END\nx,y\n");
    for (int k = 0; k <= 180; k++) {
        const double angle = 2.0 * TW_MATH_PI * k / 180.0;
        const double radius = sqrt(2.0 / 3.0) * ratio_at(value, angle);
        tw_text_buffer_add(text, "%.5f,%.5f\n", radius * tw_math_sin(angle),
                           radius * tw_math_cos(angle));
    }
    tw_text_buffer_add(text, "END\n");
}

static void add_peaks(tw_text_buffer *text, const tw_series *series, size_t count)
{
    tw_text_buffer_add(text, "$peaks << END\nx,y\n");
    for (size_t i = 0; i < count; i++) {
        if (!is_member(&series[i])) continue;
        const peak p = peak_of(&series[i]);
        tw_text_buffer_add(text, "%.9g,%.9g\n", p.x, p.y);
    }
    tw_text_buffer_add(text, "END\n");
}

/* Three axes and circles of equal q/p. `reach` is the length of an axis. */
static void add_axes(tw_text_buffer *text, int axis, double reach)
{
    static const char names[] = "xyz";
    for (int k = 0; k < 3; k++) {
        const double x = tw_math_sin(k * third), y = tw_math_cos(k * third);
        tw_text_buffer_add(text,
                           "set arrow from 0,0 to %.5f,%.5f size graph 0.016,18 filled linewidth 1 "
                           "linecolor rgb '#000000' back\n"
                           "set label '{/:Italic σ}_%c/{/:Italic p}' at %.5f,%.5f center\n",
                           reach * x, reach * y, names[(axis + k) % 3], 1.09 * reach * x,
                           1.09 * reach * y);
    }
    const double step = reach > 1.0 ? 0.5 : reach > 0.4 ? 0.25 : 0.1;
    tw_text_buffer_add(text, "$circles << END\nx,y\n");
    for (int k = 1; k * step * sqrt(2.0 / 3.0) < 0.93 * reach; k++) {
        for (int i = 0; i <= 90; i++) {
            const double angle = TW_MATH_PI * i / 45.0, radius = k * step * sqrt(2.0 / 3.0);
            tw_text_buffer_add(text, "%.5f,%.5f\n", radius * tw_math_cos(angle),
                               radius * tw_math_sin(angle));
        }
        tw_text_buffer_add(text, "\n");
    }
    tw_text_buffer_add(text, "END\n");
    for (int k = 1; k * step * sqrt(2.0 / 3.0) < 0.93 * reach; k++) {
        const double radius = k * step * sqrt(2.0 / 3.0);
        tw_text_buffer_add(
            text,
            "set label '{/*0.85 {/:Italic q}/{/:Italic p} = %g}' at %.5f,%.5f center "
            "textcolor rgb '#777777' front\n",
            k * step, -radius * tw_math_sin(0.5 * third),
            radius * tw_math_cos(0.5 * third) + 0.035 * reach);
    }
}

/* Equal scales: the frame is the whole figure, the plane at its left. */
static void add_frame(tw_text_buffer *text, const tw_plot_style *style, double reach)
{
    const double low = -0.78 * reach, high = 1.2 * reach, left = -1.1 * reach;
    tw_plot_style_add_margins(text, style, &(tw_plot_style_margins){0});
    tw_text_buffer_add(text,
                       "set yrange [%.5f:%.5f]\nset xrange [%.5f:%.5f]\n"
                       "unset border\nunset tics\n"
                       "set key at screen 0.985,0.97 right top vertical Left reverse samplen 2\n",
                       low, high, left, left + style->width / style->height * (high - low));
}

static void add_lines(tw_text_buffer *text, const tw_series *series, size_t count, bool strength,
                      double value)
{
    int lines = 0;
    tw_text_buffer_add(text, "plot $circles using 1:2 with lines linewidth 0.7 linecolor rgb "
                             "'#cccccc' notitle, \\\n   ");
    if (strength)
        tw_text_buffer_add(
            text,
            " $strength using 1:2 with lines linewidth 1.6 linecolor rgb '#999999' "
            "dashtype (6,4) title '{/:Italic I}_1{}^3/{/:Italic I}_3 = %.1f', \\\n   ",
            value);
    for (size_t i = 0; i < count; i++) {
        if (!is_member(&series[i])) continue;
        tw_text_buffer_add(text,
                           "%s 'curves.csv' every :::%zu::%zu using 'pi_x':'pi_y' with lines "
                           "linetype %d linewidth 1.8 title ",
                           lines > 0 ? ", \\\n   " : "", i, i, lines + 1);
        tw_plot_figure_quote(text, series[i].label);
        tw_text_buffer_add(text, " noenhanced");
        lines++;
    }
    tw_text_buffer_add(text, ", \\\n    $peaks using 1:2 with points pointtype 7 pointsize default "
                             "linecolor rgb '#000000' title 'peaks'\n");
}

tw_status tw_plot_plane_draw(const tw_series *series, size_t count, const tw_plot_style *style,
                             const char *directory, tw_error *error)
{
    tw_text_buffer settings = {0}, curves = {0};
    const double value = mean_strength(series, count);
    const bool strength = isfinite(value) && value > 27.0;
    double reach = strength ? sqrt(2.0 / 3.0) * ratio_at(value, 0.0) : 0.0;
    int axis = 2;
    for (size_t i = count; i-- > 0;) {
        if (!is_member(&series[i])) continue;
        reach = tw_math_max(reach, sqrt(2.0 / 3.0) * peak_of(&series[i]).ratio);
        axis = series[i].axis;
    }
    reach *= 1.2;
    tw_plot_style_add_settings(&settings, style);
    add_frame(&settings, style, reach);
    add_axes(&settings, axis, reach);
    add_peaks(&settings, series, count);
    if (strength) add_strength(&settings, value);
    add_lines(&curves, series, count, strength, value);
    const tw_plot plot = {directory, "pi_plane", settings.text, curves.text, style};
    const tw_status status =
        settings.failed || curves.failed ? tw_error_set_memory(error) : tw_plot_draw(&plot, error);
    tw_text_buffer_free(&settings);
    tw_text_buffer_free(&curves);
    return status;
}
