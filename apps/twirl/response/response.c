/* SPDX-License-Identifier: BSD-3-Clause */
#include "response/response.h"

#include <math.h>
#include <stdlib.h>

#include <twirl/math.h>

#include "common/output.h"

/* docs/guide/sweep.md states these. */
static const double small_strain = 1e-3;    /* of the secant modulus */
static const double dilation_window = 0.01; /* strain over which a rate of dilation is taken */
static const double critical_share = 0.2;   /* last part of the strain */
static const double steady_change = 0.1;    /* of stress ratio and p between its halves */
static const double steady_dilation = 0.1;  /* volumetric strain over strain */
static const double p_least = 0.01;         /* of p at the start: below, stress ratios are noise */
static const double liquefied = 0.95;       /* pore-pressure ratio */
static const double degree = 180.0 / TW_MATH_PI;

const char *const tw_response_names[TW_RESPONSE_QUANTITY_COUNT] = {
#define NAME(name, kinds, unit, text) #name,
    TW_RESPONSE_QUANTITIES(NAME)
#undef NAME
};

const char *const tw_response_units[TW_RESPONSE_QUANTITY_COUNT] = {
#define UNIT(name, kinds, unit, text) unit,
    TW_RESPONSE_QUANTITIES(UNIT)
#undef UNIT
};

const char *const tw_response_texts[TW_RESPONSE_QUANTITY_COUNT] = {
#define TEXT(name, kinds, unit, text) text,
    TW_RESPONSE_QUANTITIES(TEXT)
#undef TEXT
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
    case TW_SCENARIO_PLANE_STRAIN:
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_STRESS_PATH:
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
#define KINDS(name, kinds, unit, text) kinds,
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

/* ---- Piecewise linear curves ---- */

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

/* Integral mean of y over x from `from` to `to`, for x that increases; NaN if the series does not
 * cover the range. */
static double series_mean(tw_response_series s, double from, double to)
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

/* The first row with the largest y; SIZE_MAX if no y is a number. */
static size_t series_largest(tw_response_series s)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < s.count; i++)
        if (!isnan(s.y[i]) && (best == SIZE_MAX || s.y[i] > s.y[best])) best = i;
    return best;
}

/* ---- What the evaluation needs of each row ---- */

/* In the direction of the stage: an extension test has positive strains and deviators here.
 * Compression keeps its signs. */
typedef enum row_column {
    ROW_STRAIN,     /* of the path */
    ROW_STRESS,     /* conjugate to it: deviator, shear stress, axial stress, p [Pa] */
    ROW_RATIO,      /* q/p, or shear over normal stress; NaN near p = 0 */
    ROW_ANGLE,      /* mobilised friction angle [rad]; NaN near p = 0 */
    ROW_VOLUME,     /* volumetric strain */
    ROW_P,          /* [Pa] */
    ROW_LATERAL,    /* mean lateral stress of axial paths [Pa] */
    ROW_LOG_STRESS, /* natural logarithm of the stress */
    ROW_VOID_RATIO,
    ROW_COORDINATION,
    ROW_CYCLE,
    ROW_RU,
    ROW_COLUMNS
} row_column;

typedef struct stage_rows {
    double *column[ROW_COLUMNS];
    size_t count;
    double *values; /* the memory of all columns */
} stage_rows;

static const tw_history_column stresses[] = {TW_HISTORY_stress_xx, TW_HISTORY_stress_yy,
                                             TW_HISTORY_stress_zz, TW_HISTORY_stress_yz,
                                             TW_HISTORY_stress_xz, TW_HISTORY_stress_xy};
enum { COMPONENTS = 6 };

typedef struct row_source {
    const tw_scenario_stage *stage;
    tw_figure_rows history;
    int32_t path; /* the base of a cyclic one */
    double sign;  /* -1 for shear in extension or backward */
} row_source;

static row_source source_of(const tw_scenario_stage *stage, tw_figure_rows history)
{
    const bool back =
        stage->path != TW_SCENARIO_OEDOMETER &&
        (stage->direction == TW_SCENARIO_EXTENSION || stage->direction == TW_SCENARIO_BACKWARD);
    return (row_source){.stage = stage,
                        .history = history,
                        .path = stage->path == TW_SCENARIO_CYCLIC ? stage->cycle.base : stage->path,
                        .sign = back ? -1.0 : 1.0};
}

static double component(const row_source *s, size_t row, int k)
{
    return s->history.row[row].value[stresses[k]];
}

static double lateral_stress(const row_source *s, size_t row)
{
    const double normal[] = {component(s, row, 0), component(s, row, 1), component(s, row, 2)};
    return tw_scenario_lateral_stress(s->stage, s->stage->axis, normal);
}

/* Conjugate to the strain of the path. */
static double stress_along(const row_source *s, size_t row)
{
    const double along = s->history.row[row].value[TW_HISTORY_stress];
    switch (s->path) {
    case TW_SCENARIO_TRIAXIAL:
    case TW_SCENARIO_PLANE_STRAIN:
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_STRESS_PATH:
    case TW_SCENARIO_UNDRAINED:
        return s->sign * (along - lateral_stress(s, row));
    case TW_SCENARIO_SIMPLE_SHEAR:
        return s->sign * along;
    default:
        return along; /* q of true_triaxial, the axial stress of oedometer, p */
    }
}

static double stress_ratio(const row_source *s, size_t row)
{
    if (s->path != TW_SCENARIO_SIMPLE_SHEAR)
        return s->history.row[row].value[TW_HISTORY_stress_ratio];
    const int normal = s->stage->plane == TW_SCENARIO_XY ? 1 : 2;
    return stress_along(s, row) / component(s, row, normal);
}

static double mobilised_angle(const row_source *s, size_t row)
{
    double stress[COMPONENTS];
    for (int k = 0; k < COMPONENTS; k++)
        stress[k] = component(s, row, k);
    return tw_figure_friction_angle(stress);
}

static void fill_row(const stage_rows *rows, const row_source *s, size_t i, double least)
{
    const double *v = s->history.row[i].value;
    double *const *out = rows->column;
    const double p = v[TW_HISTORY_p];
    const bool carries = p >= least;
    out[ROW_STRAIN][i] = s->sign * v[TW_HISTORY_strain];
    out[ROW_STRESS][i] = stress_along(s, i);
    out[ROW_RATIO][i] = carries ? stress_ratio(s, i) : (double)NAN;
    out[ROW_ANGLE][i] = carries ? mobilised_angle(s, i) : (double)NAN;
    out[ROW_VOLUME][i] = v[TW_HISTORY_strain_volume];
    out[ROW_P][i] = p;
    out[ROW_LATERAL][i] = lateral_stress(s, i);
    out[ROW_LOG_STRESS][i] = tw_math_log(stress_along(s, i));
    out[ROW_VOID_RATIO][i] = v[TW_HISTORY_void_ratio];
    out[ROW_COORDINATION][i] = v[TW_HISTORY_coordination];
    out[ROW_CYCLE][i] = v[TW_HISTORY_cycle];
    out[ROW_RU][i] = v[TW_HISTORY_ru];
}

/* Ratios and angles are NaN where p is below `p_least` times its value in the first row. */
static stage_rows rows_make(const tw_scenario_stage *stage, tw_figure_rows history)
{
    const row_source s = source_of(stage, history);
    stage_rows rows = {.count = history.count};
    rows.values = tw_exit_unless(calloc(ROW_COLUMNS * history.count, sizeof *rows.values));
    for (size_t c = 0; c < ROW_COLUMNS; c++)
        rows.column[c] = rows.values + c * history.count;
    const double least = p_least * history.row[0].value[TW_HISTORY_p];
    for (size_t i = 0; i < history.count; i++)
        fill_row(&rows, &s, i, least);
    return rows;
}

/* A column over the strain. */
static tw_response_series rows_series(const stage_rows *rows, row_column column)
{
    return (tw_response_series){rows->column[ROW_STRAIN], rows->column[column], rows->count};
}

/* ---- Monotonic shear ---- */

static void find_peak(const stage_rows *r, tw_response *out)
{
    double *v = out->value;
    const size_t peak = series_largest(rows_series(r, ROW_RATIO));
    const size_t strongest = series_largest(rows_series(r, ROW_STRESS));
    if (peak != SIZE_MAX) {
        v[TW_RESPONSE_peak_ratio] = r->column[ROW_RATIO][peak];
        v[TW_RESPONSE_peak_strain] = r->column[ROW_STRAIN][peak];
        v[TW_RESPONSE_peak_angle] = degree * r->column[ROW_ANGLE][peak];
    }
    if (strongest != SIZE_MAX) {
        v[TW_RESPONSE_strength] = r->column[ROW_STRESS][strongest];
        v[TW_RESPONSE_strength_strain] = r->column[ROW_STRAIN][strongest];
    }
}

static double secant_modulus(const stage_rows *r)
{
    const tw_response_series stress = rows_series(r, ROW_STRESS);
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

static void find_dilation(const tw_scenario_stage *stage, const stage_rows *r, tw_response *out)
{
    const tw_response_series volume = rows_series(r, ROW_VOLUME);
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

static double mean_of(const stage_rows *r, row_column column, double from, double to)
{
    return series_mean(rows_series(r, column), from, to);
}

/* The mean over the second half of the range less that over the first. */
static double drift_of(const stage_rows *r, row_column column, double from, double to)
{
    const double middle = 0.5 * (from + to);
    return mean_of(r, column, middle, to) - mean_of(r, column, from, middle);
}

/* Small specimens fluctuate: means over halves do so less than values at the ends. */
static bool is_steady(const stage_rows *r, double from, double to)
{
    static const row_column columns[] = {ROW_RATIO, ROW_P};
    bool steady = fabs(drift_of(r, ROW_VOLUME, from, to)) <= steady_dilation * 0.5 * (to - from);
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        steady = steady && fabs(drift_of(r, columns[k], from, to)) <=
                               steady_change * fabs(mean_of(r, columns[k], from, to));
    return steady;
}

static void find_critical_state(const stage_rows *r, tw_response *out)
{
    double *v = out->value;
    const double to = r->column[ROW_STRAIN][r->count - 1];
    const double from = (1.0 - critical_share) * to;
    if (!(to > 0.0)) return;
    v[TW_RESPONSE_critical_ratio] = mean_of(r, ROW_RATIO, from, to);
    v[TW_RESPONSE_critical_angle] = degree * mean_of(r, ROW_ANGLE, from, to);
    v[TW_RESPONSE_critical_p] = mean_of(r, ROW_P, from, to);
    v[TW_RESPONSE_critical_void_ratio] = mean_of(r, ROW_VOID_RATIO, from, to);
    v[TW_RESPONSE_critical_coordination] = mean_of(r, ROW_COORDINATION, from, to);
    v[TW_RESPONSE_steady] = is_steady(r, from, to);
}

static void find_smallest_p(const stage_rows *r, tw_response *out)
{
    const double *p = r->column[ROW_P];
    size_t least = 0;
    for (size_t i = 1; i < r->count; i++)
        if (p[i] < p[least]) least = i;
    out->value[TW_RESPONSE_p_min] = p[least];
    out->value[TW_RESPONSE_p_min_strain] = r->column[ROW_STRAIN][least];
}

/* ---- Loops ---- */

typedef struct stage_loop {
    double modulus; /* double amplitude of stress over that of strain [Pa] */
    double damping; /* energy of the loop over 4 pi times that of the elastic triangle [-] */
} stage_loop;

/* The polygon of the rows from cycle `from` to `from` + 1, closed. */
static stage_loop loop_of(const stage_rows *rows, double from)
{
    const double *x = rows->column[ROW_STRAIN];
    const double *y = rows->column[ROW_STRESS];
    const double *cycle = rows->column[ROW_CYCLE];
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
    stage_loop loop = {(double)NAN, (double)NAN};
    if (before == SIZE_MAX || !(right > left) || !(high > low)) return loop;
    area += 0.5 * (x[before] * y[first] - x[first] * y[before]);
    loop.modulus = (high - low) / (right - left);
    loop.damping = 2.0 * fabs(area) / (TW_MATH_PI * (high - low) * (right - left));
    return loop;
}

static void find_loops(const stage_rows *r, tw_response *out)
{
    double *v = out->value;
    const double *cycle = r->column[ROW_CYCLE];
    const tw_response_series ru = {cycle, r->column[ROW_RU], r->count};
    const size_t most = series_largest(ru);
    const double cycles = cycle[r->count - 1], complete = floor(cycles + 1e-6);
    v[TW_RESPONSE_cycles] = cycles;
    if (most != SIZE_MAX) v[TW_RESPONSE_ru_max] = ru.y[most];
    v[TW_RESPONSE_liquefaction_cycles] =
        tw_response_series_value((tw_response_series){ru.y, cycle, r->count}, liquefied);
    if (complete < 1.0) return;
    const stage_loop first = loop_of(r, 0.0), last = loop_of(r, complete - 1.0);
    v[TW_RESPONSE_loop_modulus_first] = first.modulus;
    v[TW_RESPONSE_loop_damping_first] = first.damping;
    v[TW_RESPONSE_loop_modulus_last] = last.modulus;
    v[TW_RESPONSE_loop_damping_last] = last.damping;
}

/* ---- Compression ---- */

/* Slope of the void ratio over the decimal logarithm of the stress, between the stress at the end
 * and half of it; after unloading, twice. */
static double compression_index(const stage_rows *r)
{
    const double *stress = r->column[ROW_LOG_STRESS];
    const double end = stress[r->count - 1], octave = tw_math_log(2.0);
    const tw_response_series curve = {stress, r->column[ROW_VOID_RATIO], r->count};
    const double from = end > stress[0] ? end - octave : end + octave;
    const double e_from = tw_response_series_value(curve, from);
    return (e_from - curve.y[r->count - 1]) / (end - from) * tw_math_log(10.0);
}

/* ---- All ---- */

static void find_all(const tw_scenario_stage *stage, const stage_rows *r, tw_figure_rows history,
                     tw_response *out)
{
    const unsigned kind = kind_of(stage);
    const size_t last = r->count - 1;
    double *v = out->value;
    v[TW_RESPONSE_p_start] = r->column[ROW_P][0];
    v[TW_RESPONSE_void_ratio_start] = r->column[ROW_VOID_RATIO][0];
    v[TW_RESPONSE_coordination_start] = r->column[ROW_COORDINATION][0];
    v[TW_RESPONSE_strain_end] = history.row[last].value[TW_HISTORY_strain];
    v[TW_RESPONSE_void_ratio_end] = r->column[ROW_VOID_RATIO][last];
    v[TW_RESPONSE_coordination_end] = r->column[ROW_COORDINATION][last];
    if (kind & SHEAR) {
        find_peak(r, out);
        find_critical_state(r, out);
    }
    if (kind & (SHEAR | COMPRESSION)) v[TW_RESPONSE_modulus] = secant_modulus(r);
    if (kind & DRAINED) find_dilation(stage, r, out);
    if (kind & UNDRAINED) find_smallest_p(r, out);
    if (kind & COMPRESSION) v[TW_RESPONSE_compression_index] = compression_index(r);
    if (kind & OEDOMETER)
        v[TW_RESPONSE_K0] = r->column[ROW_LATERAL][last] / r->column[ROW_STRESS][last];
    if (kind & CYCLIC) find_loops(r, out);
}

tw_response tw_response_of(const tw_scenario_stage *stage, tw_figure_rows history)
{
    tw_response response;
    for (int q = 0; q < TW_RESPONSE_QUANTITY_COUNT; q++)
        response.value[q] = (double)NAN;
    const stage_rows rows = rows_make(stage, history);
    find_all(stage, &rows, history, &response);
    free(rows.values);
    return response;
}
