/* SPDX-License-Identifier: BSD-3-Clause */
#include "response/response_series.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether x passes `at` between rows i and i + 1, or is there at one of them. */
static bool passes(tw_response_series s, size_t i, double at)
{
    return (s.x[i] <= at && at <= s.x[i + 1]) || (s.x[i] >= at && at >= s.x[i + 1]);
}

static double between(tw_response_series s, size_t i, double at)
{
    const double width = s.x[i + 1] - s.x[i];
    if (width == 0.0 || at == s.x[i]) return s.y[i];
    if (at == s.x[i + 1]) return s.y[i + 1];
    return s.y[i] + (at - s.x[i]) / width * (s.y[i + 1] - s.y[i]);
}

double tw_response_series_value(tw_response_series s, double at)
{
    if (s.count == 1 && s.x[0] == at) return s.y[0];
    for (size_t i = 0; i + 1 < s.count; i++)
        if (passes(s, i, at)) return between(s, i, at);
    return (double)NAN;
}

double tw_response_series_mean(tw_response_series s, double from, double to)
{
    double sum = 0.0, covered = 0.0;
    for (size_t i = 0; i + 1 < s.count; i++) {
        const double a = s.x[i] > from ? s.x[i] : from;
        const double b = s.x[i + 1] < to ? s.x[i + 1] : to;
        if (!(b > a)) continue;
        sum += 0.5 * (b - a) * (between(s, i, a) + between(s, i, b));
        covered += b - a;
    }
    return covered > (1.0 - 1e-9) * (to - from) ? sum / covered : (double)NAN;
}

size_t tw_response_series_largest(tw_response_series s)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < s.count; i++)
        if (!isnan(s.y[i]) && (best == SIZE_MAX || s.y[i] > s.y[best])) best = i;
    return best;
}
