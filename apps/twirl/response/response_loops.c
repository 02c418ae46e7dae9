/* SPDX-License-Identifier: BSD-3-Clause */
#include "response/response_loops.h"

#include <math.h>
#include <stdint.h>

#include <twirl/math.h>

static const double liquefied = 0.95; /* pore-pressure ratio */

/* The polygon of the rows from cycle `from` to `from` + 1, closed. */
static tw_response_loop loop_of(const tw_response_rows *rows, double from)
{
    const double *x = rows->column[TW_RESPONSE_ROWS_STRAIN];
    const double *y = rows->column[TW_RESPONSE_ROWS_STRESS];
    const double *cycle = rows->column[TW_RESPONSE_ROWS_CYCLE];
    double left = HUGE_VAL, right = -HUGE_VAL, low = HUGE_VAL, high = -HUGE_VAL, area = 0.0;
    size_t first = SIZE_MAX, before = SIZE_MAX;
    for (size_t i = 0; i < rows->count; i++) {
        if (!(cycle[i] >= from && cycle[i] <= from + 1.0)) continue;
        left = tw_math_min(left, x[i]);
        right = tw_math_max(right, x[i]);
        low = tw_math_min(low, y[i]);
        high = tw_math_max(high, y[i]);
        if (before == SIZE_MAX)
            first = i;
        else
            area += 0.5 * (x[before] * y[i] - x[i] * y[before]);
        before = i;
    }
    tw_response_loop loop = {(double)NAN, (double)NAN};
    if (before == SIZE_MAX || !(right > left) || !(high > low)) return loop;
    area += 0.5 * (x[before] * y[first] - x[first] * y[before]);
    loop.modulus = (high - low) / (right - left);
    loop.damping = 2.0 * fabs(area) / (TW_MATH_PI * (high - low) * (right - left));
    return loop;
}

tw_response_loops tw_response_loops_of(const tw_response_rows *rows)
{
    const double *cycle = rows->column[TW_RESPONSE_ROWS_CYCLE];
    const tw_response_series ru = {cycle, rows->column[TW_RESPONSE_ROWS_RU], rows->count};
    const tw_response_series cycles = {ru.y, cycle, rows->count};
    tw_response_loops loops = {.cycles = cycle[rows->count - 1], .ru_max = (double)NAN};
    const size_t most = tw_response_series_largest(ru);
    if (most != SIZE_MAX) loops.ru_max = ru.y[most];
    loops.liquefaction = tw_response_series_value(cycles, liquefied);
    const double complete = floor(loops.cycles + 1e-6);
    loops.first = loop_of(rows, complete >= 1.0 ? 0.0 : (double)NAN);
    loops.last = loop_of(rows, complete >= 1.0 ? complete - 1.0 : (double)NAN);
    return loops;
}
