/* SPDX-License-Identifier: BSD-3-Clause */
#include "response/response.h"

#include "response/response_loops.h"
#include "response/response_rows.h"
#include "response/response_series.h"

#include <math.h>
#include <stdlib.h>

#include <twirl/math.h>

/* docs/guide/sweep.md states these. */
static const double small_strain = 1e-3;    /* of the secant modulus */
static const double dilation_window = 0.01; /* strain over which a rate of dilation is taken */
static const double critical_share = 0.2;   /* last part of the strain */
static const double steady_change = 0.1;    /* of stress ratio and p between its halves */
static const double steady_dilation = 0.1;  /* volumetric strain over strain */
static const double p_least = 0.01;         /* of p at the start: below, stress ratios are noise */
static const double degree = 180.0 / TW_MATH_PI;

const char *const tw_response_names[TW_RESPONSE_QUANTITY_COUNT] = {
#define NAME(name, kinds) #name,
    TW_RESPONSE_QUANTITIES(NAME)
#undef NAME
};

/* ---- Which stages have what ---- */

enum {
    SHEAR = 1,
    DRAINED = 2,
    UNDRAINED = 4,
    OEDOMETER = 8,
    COMPRESSION = 16,
    CYCLIC = 32,
    OTHER = 64,
    ANY = 127
};

static unsigned kind_of(const tw_scenario_stage *stage)
{
    switch (stage->path) {
    case TW_SCENARIO_TRIAXIAL:
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_TRUE_TRIAXIAL:
        return SHEAR | DRAINED;
    case TW_SCENARIO_UNDRAINED:
        return SHEAR | UNDRAINED;
    case TW_SCENARIO_SIMPLE_SHEAR:
        return SHEAR | (stage->constant == TW_SCENARIO_VOLUME_CONSTANT ? UNDRAINED : DRAINED);
    case TW_SCENARIO_OEDOMETER:
        return OEDOMETER | COMPRESSION;
    case TW_SCENARIO_ISOTROPIC:
        return COMPRESSION;
    case TW_SCENARIO_CYCLIC:
        return CYCLIC;
    default:
        return OTHER;
    }
}

bool tw_response_applies(const tw_scenario_stage *stage, tw_response_quantity quantity)
{
    static const unsigned kinds[] = {
#define KINDS(name, kinds) kinds,
        TW_RESPONSE_QUANTITIES(KINDS)
#undef KINDS
    };
    return (kind_of(stage) & kinds[quantity]) != 0;
}

size_t tw_response_stage(const tw_scenario *scenario)
{
    size_t last = SIZE_MAX, isotropic = SIZE_MAX;
    for (size_t i = 0; i < scenario->stage_count; i++) {
        const unsigned kind = kind_of(&scenario->stages[i]);
        if (kind == COMPRESSION)
            isotropic = i;
        else if (kind != OTHER)
            last = i;
    }
    return last != SIZE_MAX ? last : isotropic;
}

/* ---- Monotonic shear ---- */

static void find_peak(const tw_response_rows *r, tw_response *out)
{
    double *v = out->value;
    const size_t peak =
        tw_response_series_largest(tw_response_rows_series(r, TW_RESPONSE_ROWS_RATIO));
    const size_t strongest =
        tw_response_series_largest(tw_response_rows_series(r, TW_RESPONSE_ROWS_STRESS));
    if (peak != SIZE_MAX) {
        v[TW_RESPONSE_peak_ratio] = r->column[TW_RESPONSE_ROWS_RATIO][peak];
        v[TW_RESPONSE_peak_strain] = r->column[TW_RESPONSE_ROWS_STRAIN][peak];
        v[TW_RESPONSE_peak_angle] = degree * r->column[TW_RESPONSE_ROWS_ANGLE][peak];
    }
    if (strongest != SIZE_MAX) {
        v[TW_RESPONSE_strength] = r->column[TW_RESPONSE_ROWS_STRESS][strongest];
        v[TW_RESPONSE_strength_strain] = r->column[TW_RESPONSE_ROWS_STRAIN][strongest];
    }
}

static double secant_modulus(const tw_response_rows *r)
{
    const tw_response_series stress = tw_response_rows_series(r, TW_RESPONSE_ROWS_STRESS);
    const double at = stress.x[stress.count - 1] < 0.0 ? -small_strain : small_strain;
    return (tw_response_series_value(stress, at) - stress.y[0]) / at;
}

/* Vermeer and de Borst for triaxial compression; the inclination of the path of the upper face in
 * simple shear. */
static double dilation_angle(const tw_scenario_stage *stage, double rate)
{
    if (stage->path == TW_SCENARIO_SIMPLE_SHEAR) return degree * tw_math_atan(rate);
    if (stage->path == TW_SCENARIO_TRUE_TRIAXIAL || stage->direction == TW_SCENARIO_EXTENSION)
        return (double)NAN;
    const double sine = rate / (2.0 + rate);
    return degree * tw_math_atan2(sine, sqrt(1.0 - sine * sine));
}

static void find_dilation(const tw_scenario_stage *stage, const tw_response_rows *r,
                          tw_response *out)
{
    const tw_response_series volume = tw_response_rows_series(r, TW_RESPONSE_ROWS_VOLUME);
    double most = (double)NAN, where = (double)NAN;
    for (size_t i = 0; i < volume.count; i++) {
        const double after = tw_response_series_value(volume, volume.x[i] + dilation_window);
        const double rate = -(after - volume.y[i]) / dilation_window;
        if (isnan(rate) || rate <= most) continue;
        most = rate;
        where = volume.x[i] + 0.5 * dilation_window;
    }
    out->value[TW_RESPONSE_dilation_rate] = most;
    out->value[TW_RESPONSE_dilation_strain] = where;
    if (!isnan(most)) out->value[TW_RESPONSE_dilation_angle] = dilation_angle(stage, most);
}

static double mean_of(const tw_response_rows *r, tw_response_rows_column column, double from,
                      double to)
{
    return tw_response_series_mean(tw_response_rows_series(r, column), from, to);
}

/* The mean over the second half of the range less that over the first. */
static double drift_of(const tw_response_rows *r, tw_response_rows_column column, double from,
                       double to)
{
    const double middle = 0.5 * (from + to);
    return mean_of(r, column, middle, to) - mean_of(r, column, from, middle);
}

/* Small specimens fluctuate: means over halves do so less than values at the ends. */
static bool is_steady(const tw_response_rows *r, double from, double to)
{
    static const tw_response_rows_column columns[] = {TW_RESPONSE_ROWS_RATIO, TW_RESPONSE_ROWS_P};
    bool steady =
        fabs(drift_of(r, TW_RESPONSE_ROWS_VOLUME, from, to)) <= steady_dilation * 0.5 * (to - from);
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        steady = steady && fabs(drift_of(r, columns[k], from, to)) <=
                               steady_change * fabs(mean_of(r, columns[k], from, to));
    return steady;
}

static void find_critical_state(const tw_response_rows *r, tw_response *out)
{
    double *v = out->value;
    const double to = r->column[TW_RESPONSE_ROWS_STRAIN][r->count - 1];
    const double from = (1.0 - critical_share) * to;
    if (!(to > 0.0)) return;
    v[TW_RESPONSE_critical_ratio] = mean_of(r, TW_RESPONSE_ROWS_RATIO, from, to);
    v[TW_RESPONSE_critical_angle] = degree * mean_of(r, TW_RESPONSE_ROWS_ANGLE, from, to);
    v[TW_RESPONSE_critical_p] = mean_of(r, TW_RESPONSE_ROWS_P, from, to);
    v[TW_RESPONSE_critical_void_ratio] = mean_of(r, TW_RESPONSE_ROWS_VOID_RATIO, from, to);
    v[TW_RESPONSE_critical_coordination] = mean_of(r, TW_RESPONSE_ROWS_COORDINATION, from, to);
    v[TW_RESPONSE_steady] = is_steady(r, from, to);
}

static void find_smallest_p(const tw_response_rows *r, tw_response *out)
{
    const double *p = r->column[TW_RESPONSE_ROWS_P];
    size_t least = 0;
    for (size_t i = 1; i < r->count; i++)
        if (p[i] < p[least]) least = i;
    out->value[TW_RESPONSE_p_min] = p[least];
    out->value[TW_RESPONSE_p_min_strain] = r->column[TW_RESPONSE_ROWS_STRAIN][least];
}

/* ---- Compression ---- */

/* Slope of the void ratio over the decimal logarithm of the stress, between the stress at the end
 * and half of it; after unloading, twice. */
static double compression_index(const tw_response_rows *r)
{
    const double *stress = r->column[TW_RESPONSE_ROWS_LOG_STRESS];
    const double end = stress[r->count - 1], octave = tw_math_log(2.0);
    const tw_response_series curve = {stress, r->column[TW_RESPONSE_ROWS_VOID_RATIO], r->count};
    const double from = end > stress[0] ? end - octave : end + octave;
    const double e_from = tw_response_series_value(curve, from);
    return (e_from - curve.y[r->count - 1]) / (end - from) * tw_math_log(10.0);
}

/* ---- All ---- */

static void find_all(const tw_scenario_stage *stage, const tw_response_rows *r,
                     tw_figure_rows history, tw_response *out)
{
    const unsigned kind = kind_of(stage);
    const size_t last = r->count - 1;
    double *v = out->value;
    v[TW_RESPONSE_p_start] = r->column[TW_RESPONSE_ROWS_P][0];
    v[TW_RESPONSE_void_ratio_start] = r->column[TW_RESPONSE_ROWS_VOID_RATIO][0];
    v[TW_RESPONSE_coordination_start] = r->column[TW_RESPONSE_ROWS_COORDINATION][0];
    v[TW_RESPONSE_strain_end] = history.row[last].value[TW_HISTORY_strain];
    v[TW_RESPONSE_void_ratio_end] = r->column[TW_RESPONSE_ROWS_VOID_RATIO][last];
    v[TW_RESPONSE_coordination_end] = r->column[TW_RESPONSE_ROWS_COORDINATION][last];
    if (kind & SHEAR) {
        find_peak(r, out);
        find_critical_state(r, out);
    }
    if (kind & (SHEAR | COMPRESSION)) v[TW_RESPONSE_modulus] = secant_modulus(r);
    if (kind & DRAINED) find_dilation(stage, r, out);
    if (kind & UNDRAINED) find_smallest_p(r, out);
    if (kind & COMPRESSION) v[TW_RESPONSE_compression_index] = compression_index(r);
    if (kind & OEDOMETER)
        v[TW_RESPONSE_K0] =
            r->column[TW_RESPONSE_ROWS_LATERAL][last] / r->column[TW_RESPONSE_ROWS_STRESS][last];
    if (kind & CYCLIC) {
        const tw_response_loops loops = tw_response_loops_of(r);
        v[TW_RESPONSE_cycles] = loops.cycles;
        v[TW_RESPONSE_ru_max] = loops.ru_max;
        v[TW_RESPONSE_liquefaction_cycles] = loops.liquefaction;
        v[TW_RESPONSE_loop_modulus_first] = loops.first.modulus;
        v[TW_RESPONSE_loop_damping_first] = loops.first.damping;
        v[TW_RESPONSE_loop_modulus_last] = loops.last.modulus;
        v[TW_RESPONSE_loop_damping_last] = loops.last.damping;
    }
}

bool tw_response_of(const tw_scenario_stage *stage, tw_figure_rows history, tw_response *response)
{
    tw_response_rows rows;
    for (int q = 0; q < TW_RESPONSE_QUANTITY_COUNT; q++)
        response->value[q] = (double)NAN;
    if (!tw_response_rows_make(&rows, stage, history, p_least)) return false;
    find_all(stage, &rows, history, response);
    tw_response_rows_free(&rows);
    return true;
}
