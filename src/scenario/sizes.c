/* SPDX-License-Identifier: BSD-3-Clause */
/* What distributions of diameters say about the grains. */
#include <math.h>

#include <twirl/math.h>
#include <twirl/scenario.h>

#include "scenario/review.h"

/* Density of the distribution over the diameter, up to a factor. */
static double density_at(const tw_scenario_sizes *s, double d)
{
    if (s->distribution == TW_SCENARIO_UNIFORM) return 1.0;
    const double x = tw_math_log(d / s->d50) / s->deviation;
    return tw_math_exp(-0.5 * x * x) / d;
}

/* By number the mean of d^3, by volume the inverse of the mean of 1/d^3; by the midpoint rule. */
static double mean_cube(const tw_scenario_sizes *s)
{
    enum { PARTS = 1000 };
    const double ratio = s->d_max / s->d_min;
    double all = 0.0, sum = 0.0;
    for (int i = 0; i < PARTS; i++) {
        const double d = s->d_min * tw_math_pow(ratio, (i + 0.5) / PARTS);
        const double part = density_at(s, d) * d; /* equal parts of ln d */
        all += part;
        sum += s->by == TW_SCENARIO_VOLUME ? part / (d * d * d) : part * (d * d * d);
    }
    return s->by == TW_SCENARIO_VOLUME ? all / sum : sum / all;
}

/* By mass, and linear in ln d between points: the inverse of the mean of 1/d^3. */
static double mean_cube_of_curve(const tw_scenario_rows *curve)
{
    const double *v = curve->value;
    double sum = 0.0;
    for (size_t i = 1; i < curve->count; i++) {
        const double a = v[2 * i - 2], b = v[2 * i];
        sum += (v[2 * i + 1] - v[2 * i - 1]) * (1.0 / (a * a * a) - 1.0 / (b * b * b)) /
               (3.0 * tw_math_log(b / a));
    }
    return 1.0 / sum;
}

tw_scenario_grain_sizes tw_scenario_find_grain_sizes(const tw_scenario_sizes *s)
{
    const tw_scenario_rows *curve = &s->curve;
    switch (s->distribution) {
    case TW_SCENARIO_MONO:
        return (tw_scenario_grain_sizes){s->d, s->d, s->d};
    case TW_SCENARIO_UNIFORM:
    case TW_SCENARIO_LOGNORMAL:
        return (tw_scenario_grain_sizes){s->d_min, s->d_max, tw_math_cbrt(mean_cube(s))};
    case TW_SCENARIO_GRADING:
        return (tw_scenario_grain_sizes){curve->value[0], curve->value[2 * curve->count - 2],
                                         tw_math_cbrt(mean_cube_of_curve(curve))};
    default:
        return (tw_scenario_grain_sizes){nan(""), nan(""), nan("")};
    }
}

/* Median diameter by mass; linear in ln d between points. */
static double median_diameter(const tw_scenario_rows *curve)
{
    const double *v = curve->value;
    for (size_t i = 1; i < curve->count; i++) {
        const double below = v[2 * i - 1], above = v[2 * i + 1];
        if (above < 0.5) continue;
        const double part = above > below ? (0.5 - below) / (above - below) : 0.0;
        return v[2 * i - 2] * tw_math_pow(v[2 * i] / v[2 * i - 2], part);
    }
    return nan("");
}

double tw_scenario_diameter(const tw_scenario *scenario)
{
    const tw_scenario_sizes *s = &scenario->specimen.sizes;
    switch (s->distribution) {
    case TW_SCENARIO_MONO:
        return s->d;
    case TW_SCENARIO_UNIFORM:
        return 0.5 * (s->d_min + s->d_max);
    case TW_SCENARIO_LOGNORMAL:
        return s->d50;
    case TW_SCENARIO_GRADING:
        return median_diameter(&s->curve);
    default:
        return nan("");
    }
}
