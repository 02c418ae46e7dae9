/* SPDX-License-Identifier: BSD-3-Clause */
/* The response of a specimen in a test, as numbers: peak, modulus, dilation, critical state,
 * compression index, loops. docs/guide/sweep.md has the definitions. */
#include "figure/figure_internal.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

/* docs/guide/sweep.md states these. */
static const double small_strain = 1e-3;    /* of the secant modulus */
static const double dilation_window = 0.01; /* strain over which a rate of dilation is taken */
static const double critical_share = 0.2;   /* last part of the strain */
static const double steady_change = 0.1;    /* of stress ratio and p between its halves */
static const double steady_dilation = 0.1;  /* volumetric strain over strain */
static const double p_least = 0.01;         /* of p at the start: below, stress ratios are noise */
static const double liquefied = 0.95;       /* pore-pressure ratio */
static const double beyond_zero = 0.1;      /* of the stress at the start of what is no unloading */

/* ---- The table ---- */

#define BIT TW_FIGURE_SERIES_BIT
enum {
    DRAINED = BIT(TRIAXIAL) | BIT(PLANE_STRAIN) | BIT(CONSTANT_P) | BIT(SHEAR) | BIT(TRUE_TRIAXIAL),
    UNDRAINED = BIT(UNDRAINED) | BIT(SHEAR_UNDRAINED),
    SHEAR = DRAINED | UNDRAINED,
    OEDOMETER = BIT(OEDOMETER),
    COMPRESSION = OEDOMETER | BIT(ISOTROPIC),
    CYCLIC = BIT(CYCLIC) | BIT(CYCLIC_UNDRAINED) | BIT(CYCLIC_SHEAR) | BIT(CYCLIC_SHEAR_UNDRAINED),
    ANY = (1 << TW_FIGURE_SERIES_KIND_COUNT) - 1
};

/* X(name, kinds of paths that have it, dimension, text for people) */
#define RESULTS(X)                                                                                 \
    X(p_start, ANY, STRESS, "p in the first row of the stage")                                     \
    X(void_ratio_start, ANY, RATIO, "void ratio in the first row")                                 \
    X(coordination_start, ANY, RATIO, "coordination number in the first row")                      \
    X(peak_ratio, SHEAR, RATIO,                                                                    \
      "largest stress ratio: q/p, in simple shear shear over normal stress")                       \
    X(peak_strain, SHEAR, STRAIN, "strain at the largest stress ratio")                            \
    X(peak_angle, SHEAR, ANGLE, "mobilised friction angle there")                                  \
    X(peak_p, SHEAR, STRESS, "p there")                                                            \
    X(peak_s1, SHEAR, STRESS, "major principal stress there")                                      \
    X(peak_s3, SHEAR, STRESS, "minor principal stress there")                                      \
    X(strength, SHEAR, STRESS, "largest deviator or shear stress")                                 \
    X(strength_strain, SHEAR, STRAIN, "strain at the largest stress")                              \
    X(modulus, SHEAR | COMPRESSION, STRESS, "secant modulus from the start to a strain of 0.001")  \
    X(dilation_rate, DRAINED, RATIO, "largest rate of volume increase over strain")                \
    X(dilation_strain, DRAINED, STRAIN, "strain where that is")                                    \
    X(dilation_angle, DRAINED, ANGLE, "dilation angle of that rate")                               \
    X(critical_ratio, SHEAR, RATIO, "mean stress ratio over the last fifth of the strain")         \
    X(critical_angle, SHEAR, ANGLE, "mean friction angle over the last fifth of the strain")       \
    X(critical_p, SHEAR, STRESS, "mean p over the last fifth of the strain")                       \
    X(critical_void_ratio, SHEAR, RATIO, "mean void ratio over the last fifth of the strain")      \
    X(critical_coordination, SHEAR, RATIO,                                                         \
      "mean coordination number over the last fifth of the strain")                                \
    X(ratio_end, SHEAR, RATIO, "stress ratio in the last row")                                     \
    X(angle_end, SHEAR, ANGLE, "mobilised friction angle in the last row")                         \
    X(steady, SHEAR, RATIO, "1: the last fifth of the strain is steady, 0: it is not")             \
    X(p_min, UNDRAINED, STRESS, "smallest p at constant volume: phase transformation")             \
    X(p_min_strain, UNDRAINED, STRAIN, "strain at the smallest p")                                 \
    X(K0, OEDOMETER, RATIO, "lateral over axial stress at the end")                                \
    X(compression_index, COMPRESSION, RATIO, "decrease of void ratio per decade of stress")        \
    X(cycles, CYCLIC, RATIO, "number of cycles at the end")                                        \
    X(ru_max, CYCLIC | UNDRAINED, RATIO, "largest pore-pressure ratio")                            \
    X(liquefaction_cycles, CYCLIC, RATIO, "cycles until the pore-pressure ratio is 0.95")          \
    X(loop_modulus_first, CYCLIC, STRESS, "secant modulus of the first cycle")                     \
    X(loop_damping_first, CYCLIC, RATIO, "damping ratio of the first cycle")                       \
    X(loop_modulus_last, CYCLIC, STRESS, "secant modulus of the last complete cycle")              \
    X(loop_damping_last, CYCLIC, RATIO, "damping ratio of the last complete cycle")                \
    X(strain_end, ANY, STRAIN, "strain of the path in the last row")                               \
    X(void_ratio_end, ANY, RATIO, "void ratio in the last row")                                    \
    X(coordination_end, ANY, RATIO, "coordination number in the last row")

enum {
#define MEMBER(name, kinds, dimension, text) AT_##name,
    RESULTS(MEMBER)
#undef MEMBER
        RESULT_COUNT
};

static const struct {
    tw_figure_result of;
    uint32_t kinds;
} results[RESULT_COUNT] = {
#define ROW(name, kinds, dimension, text) {{#name, text, TW_FIGURE_##dimension}, kinds},
    RESULTS(ROW)
#undef ROW
};

size_t tw_figure_result_count(void)
{
    return RESULT_COUNT;
}

const tw_figure_result *tw_figure_result_at(size_t number)
{
    return &results[number].of;
}

const char *tw_figure_result_unit(const tw_figure_result *result)
{
    return result->dimension == TW_FIGURE_STRESS  ? "Pa"
           : result->dimension == TW_FIGURE_ANGLE ? "deg"
                                                  : "";
}

/* An oedometer in cycles has loops. */
static uint32_t kinds_of(const tw_figure_series *s)
{
    const bool cycles = s->definition && s->definition->path == TW_SCENARIO_CYCLIC;
    return cycles && s->kind == TW_FIGURE_SERIES_OEDOMETER ? BIT(CYCLIC) : s->kinds;
}

int tw_figure_result_applies(const tw_figure_series *series, size_t number)
{
    return (kinds_of(series) & results[number].kinds) != 0;
}

const tw_figure_series *tw_figure_set_main(const tw_figure_set *set, size_t run)
{
    const tw_figure_series *last = NULL;
    bool known = false;
    for (size_t i = 0; i < set->series_count; i++) {
        const tw_figure_series *s = &set->series[i];
        const bool has = kinds_of(s) & (SHEAR | COMPRESSION | CYCLIC);
        if (s->run != run || !s->drawn || (known && !has)) continue;
        last = s;
        known = has;
    }
    return last;
}

/* ---- Piecewise linear curves ---- */

/* y(x) */
typedef struct curve {
    const double *x, *y;
    size_t count;
} curve;

/* Whether x passes `at` between rows i and i + 1, or is there at one of them. */
static bool passes(curve s, size_t i, double at)
{
    return (s.x[i] <= at && at <= s.x[i + 1]) || (s.x[i] >= at && at >= s.x[i + 1]);
}

static double between(curve s, size_t i, double at)
{
    const double width = s.x[i + 1] - s.x[i];
    if (width == 0.0 || at == s.x[i]) return s.y[i];
    if (at == s.x[i + 1]) return s.y[i + 1];
    return s.y[i] + (at - s.x[i]) / width * (s.y[i + 1] - s.y[i]);
}

static double value_at(curve s, double at)
{
    if (s.count == 1 && s.x[0] == at) return s.y[0];
    for (size_t i = 0; i + 1 < s.count; i++)
        if (passes(s, i, at)) return between(s, i, at);
    return (double)NAN;
}

double tw_figure_result_where(const double *x, const double *y, size_t count, double at)
{
    return value_at((curve){x, y, count}, at);
}

/* Integral mean of y over x from `from` to `to`, for x that increases; NaN if the series does not
 * cover the range. */
static double series_mean(curve s, double from, double to)
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
static size_t series_largest(curve s)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < s.count; i++)
        if (!isnan(s.y[i]) && (best == SIZE_MAX || s.y[i] > s.y[best])) best = i;
    return best;
}

/* ---- What the evaluation needs of each row ---- */

/* In the direction of the path: an extension test has positive strains and deviators here.
 * Compression keeps its signs. */
typedef enum row_column {
    ROW_STRAIN, /* of the path */
    ROW_STRESS, /* conjugate to it: deviator, shear stress, axial stress, p [Pa] */
    ROW_RATIO,  /* q/p, or shear over normal stress; NaN near p = 0 */
    ROW_ANGLE,  /* mobilised friction angle [degrees]; NaN near p = 0 */
    ROW_VOLUME, /* volumetric strain */
    ROW_P,      /* [Pa] */
    ROW_K0,
    ROW_LOG_STRESS, /* natural logarithm of the axial stress or p */
    ROW_VOID_RATIO,
    ROW_COORDINATION,
    ROW_CYCLE,
    ROW_RU,
    ROW_COLUMNS
} row_column;

typedef struct stage_rows {
    double *column[ROW_COLUMNS];
    size_t count;
    bool several;   /* stages */
    double *values; /* the memory of all columns */
} stage_rows;

static double direction_of(const tw_scenario_stage *stage)
{
    const bool back =
        stage && stage->path != TW_SCENARIO_OEDOMETER &&
        (stage->direction == TW_SCENARIO_EXTENSION || stage->direction == TW_SCENARIO_BACKWARD);
    return back ? -1.0 : 1.0;
}

static double value_of(const tw_figure_series *s, const char *quantity, size_t row)
{
    const double *values = s->values[tw_figure_quantity_find(quantity)];
    return values ? values[row] : (double)NAN;
}

/* Conjugate to the strain of the path. */
static double stress_along(const tw_figure_series *s, size_t row)
{
    const double *v = s->history->rows[s->first + row].value;
    if (s->kind == TW_FIGURE_SERIES_OEDOMETER) return value_of(s, "axial_stress", row);
    if (tw_figure_series_is_axial(s->kind))
        return value_of(s, "axial_stress", row) -
               tw_scenario_lateral_stress(s->definition, s->axis, &v[TW_HISTORY_stress_xx]);
    return value_of(s, "shear_stress", row); /* or the stress of another path */
}

static void fill_row(const stage_rows *rows, const tw_figure_series *s, size_t i, double least)
{
    const double *v = s->history->rows[s->first + i].value;
    double *const *out = rows->column;
    const double sign = direction_of(s->definition), p = v[TW_HISTORY_p];
    const bool carries = p >= least;
    const bool shears = s->definition && s->definition->plane >= 0;
    const bool straight =
        s->kind != TW_FIGURE_SERIES_OEDOMETER && (shears || tw_figure_series_is_axial(s->kind));
    out[ROW_STRAIN][i] = sign * value_of(s, "strain", i);
    out[ROW_STRESS][i] = (straight ? sign : 1.0) * stress_along(s, i);
    out[ROW_RATIO][i] =
        carries ? (straight ? sign : 1.0) * value_of(s, shears ? "shear_ratio" : "stress_ratio", i)
                : (double)NAN;
    out[ROW_ANGLE][i] = carries ? value_of(s, "friction_angle", i) : (double)NAN;
    out[ROW_VOLUME][i] =
        s->part_count > 1 ? value_of(s, "volumetric_strain", i) : v[TW_HISTORY_strain_volume];
    out[ROW_P][i] = p;
    out[ROW_K0][i] = value_of(s, "k0", i);
    out[ROW_LOG_STRESS][i] =
        tw_math_log(s->kind == TW_FIGURE_SERIES_ISOTROPIC ? p : value_of(s, "axial_stress", i));
    out[ROW_VOID_RATIO][i] = v[TW_HISTORY_void_ratio];
    out[ROW_COORDINATION][i] = v[TW_HISTORY_coordination];
    out[ROW_CYCLE][i] = value_of(s, "cycle", i);
    out[ROW_RU][i] = value_of(s, "ru", i);
}

/* Ratios and angles are NaN where p is below `p_least` times its value in the first row. */
static bool rows_make(stage_rows *rows, const tw_figure_series *s)
{
    *rows = (stage_rows){.count = s->count, .several = s->part_count > 1};
    rows->values = calloc(ROW_COLUMNS * s->count + 1, sizeof *rows->values);
    if (!rows->values) return false;
    for (size_t c = 0; c < ROW_COLUMNS; c++)
        rows->column[c] = rows->values + c * s->count;
    const double least = p_least * s->history->rows[s->first].value[TW_HISTORY_p];
    for (size_t i = 0; i < s->count; i++)
        fill_row(rows, s, i, least);
    return true;
}

/* A column over the strain. */
static curve rows_series(const stage_rows *rows, row_column column)
{
    return (curve){rows->column[ROW_STRAIN], rows->column[column], rows->count};
}

/* ---- Monotonic shear ---- */

/* Unloading, from a stress against the direction of the path to about none, shows no strength. */
static void find_peak(const tw_figure_series *s, const stage_rows *r, double *v)
{
    const size_t peak = series_largest(rows_series(r, ROW_RATIO));
    const size_t strongest = series_largest(rows_series(r, ROW_STRESS));
    const double *stress = r->column[ROW_STRESS];
    if (strongest != SIZE_MAX && stress[0] < 0.0 && stress[strongest] <= -beyond_zero * stress[0])
        return;
    if (peak != SIZE_MAX) {
        v[AT_peak_ratio] = r->column[ROW_RATIO][peak];
        v[AT_peak_strain] = r->column[ROW_STRAIN][peak];
        v[AT_peak_angle] = r->column[ROW_ANGLE][peak];
        v[AT_peak_p] = r->column[ROW_P][peak];
        tw_figure_quantity_principal(s, peak, &v[AT_peak_s1], &v[AT_peak_s3]);
    }
    if (strongest != SIZE_MAX) {
        v[AT_strength] = r->column[ROW_STRESS][strongest];
        v[AT_strength_strain] = r->column[ROW_STRAIN][strongest];
    }
}

static double largest(const stage_rows *r, row_column column)
{
    const size_t row = series_largest(rows_series(r, column));
    return row != SIZE_MAX ? r->column[column][row] : (double)NAN;
}

static double secant_modulus(const stage_rows *r)
{
    const curve stress = rows_series(r, ROW_STRESS);
    const double at = stress.x[stress.count - 1] < 0.0 ? -small_strain : small_strain;
    return (value_at(stress, at) - stress.y[0]) / at;
}

/* Vermeer and de Borst for triaxial compression; the inclination of the path of the upper face in
 * simple shear. */
static double dilation_angle(const tw_scenario_stage *stage, double rate)
{
    if (stage->path == TW_SCENARIO_SIMPLE_SHEAR) return (180.0 / TW_MATH_PI) * tw_math_atan(rate);
    if (stage->path == TW_SCENARIO_TRUE_TRIAXIAL || stage->direction == TW_SCENARIO_EXTENSION)
        return (double)NAN;
    const double sine = rate / (2.0 + rate);
    return (180.0 / TW_MATH_PI) * tw_math_atan2(sine, sqrt(1.0 - sine * sine));
}

static void find_dilation(const tw_scenario_stage *stage, const stage_rows *r, double *v)
{
    const curve volume = rows_series(r, ROW_VOLUME);
    double most = (double)NAN, where = (double)NAN;
    for (size_t i = 0; i < volume.count; i++) {
        const double after = value_at(volume, volume.x[i] + dilation_window);
        const double rate = -(after - volume.y[i]) / dilation_window;
        if (isnan(rate) || rate <= most) continue;
        most = rate;
        where = volume.x[i] + 0.5 * dilation_window;
    }
    v[AT_dilation_rate] = most;
    v[AT_dilation_strain] = where;
    if (!isnan(most)) v[AT_dilation_angle] = dilation_angle(stage, most);
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

static void find_critical_state(const stage_rows *r, double *v)
{
    const double to = r->column[ROW_STRAIN][r->count - 1];
    const double from = (1.0 - critical_share) * to;
    if (!(to > 0.0)) return;
    v[AT_critical_ratio] = mean_of(r, ROW_RATIO, from, to);
    v[AT_critical_angle] = mean_of(r, ROW_ANGLE, from, to);
    v[AT_critical_p] = mean_of(r, ROW_P, from, to);
    v[AT_critical_void_ratio] = mean_of(r, ROW_VOID_RATIO, from, to);
    v[AT_critical_coordination] = mean_of(r, ROW_COORDINATION, from, to);
    v[AT_steady] = is_steady(r, from, to);
}

static void find_smallest_p(const stage_rows *r, double *v)
{
    const double *p = r->column[ROW_P];
    size_t least = 0;
    for (size_t i = 1; i < r->count; i++)
        if (p[i] < p[least]) least = i;
    v[AT_p_min] = p[least];
    v[AT_p_min_strain] = r->column[ROW_STRAIN][least];
}

/* ---- Loops ---- */

/* K0 ends where lateral strain begins, cycles where a test goes on otherwise. */
static double last_number(const stage_rows *r, row_column column)
{
    size_t row = r->count;
    while (row > 0 && isnan(r->column[column][row - 1]))
        row--;
    return row > 0 ? r->column[column][row - 1] : (double)NAN;
}

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

static void find_loops(const stage_rows *r, double *v)
{
    const double *cycle = r->column[ROW_CYCLE];
    const curve ru = {cycle, r->column[ROW_RU], r->count};
    const double cycles = last_number(r, ROW_CYCLE), complete = floor(cycles + 1e-6);
    v[AT_cycles] = cycles;
    v[AT_liquefaction_cycles] = value_at((curve){ru.y, cycle, r->count}, liquefied);
    if (!(complete >= 1.0)) return;
    const stage_loop first = loop_of(r, 0.0), last = loop_of(r, complete - 1.0);
    v[AT_loop_modulus_first] = first.modulus;
    v[AT_loop_damping_first] = first.damping;
    v[AT_loop_modulus_last] = last.modulus;
    v[AT_loop_damping_last] = last.damping;
}

/* ---- Compression ---- */

/* Slope of the void ratio over the decimal logarithm of the stress, between the stress at the end
 * and half of it; after unloading, twice. Of several stages that to the largest stress. */
static double compression_index(const stage_rows *r)
{
    const double *stress = r->column[ROW_LOG_STRESS];
    const curve e = {stress, r->column[ROW_VOID_RATIO], r->count};
    size_t last = r->count - 1;
    if (r->several) last = series_largest((curve){stress, stress, r->count});
    if (last == SIZE_MAX) return (double)NAN;
    const double octave = tw_math_log(2.0);
    const double from = stress[last] > stress[0] ? stress[last] - octave : stress[last] + octave;
    return (value_at(e, from) - e.y[last]) / (stress[last] - from) * tw_math_log(10.0);
}

/* ---- All ---- */

int tw_figure_result_compute(const tw_figure_series *s, double *v)
{
    const uint32_t kinds = kinds_of(s);
    const size_t last = s->count - 1;
    stage_rows r;
    for (int k = 0; k < RESULT_COUNT; k++)
        v[k] = (double)NAN;
    if (s->count == 0) return 1;
    if (!rows_make(&r, s)) return 0;
    v[AT_p_start] = r.column[ROW_P][0];
    v[AT_void_ratio_start] = r.column[ROW_VOID_RATIO][0];
    v[AT_coordination_start] = r.column[ROW_COORDINATION][0];
    v[AT_strain_end] = direction_of(s->definition) * r.column[ROW_STRAIN][last];
    v[AT_void_ratio_end] = r.column[ROW_VOID_RATIO][last];
    v[AT_coordination_end] = r.column[ROW_COORDINATION][last];
    if (kinds & SHEAR) {
        find_peak(s, &r, v);
        find_critical_state(&r, v);
    }
    if (kinds & (SHEAR | COMPRESSION)) v[AT_modulus] = secant_modulus(&r);
    if (kinds & DRAINED) find_dilation(s->definition, &r, v);
    if (kinds & SHEAR) v[AT_ratio_end] = r.column[ROW_RATIO][last];
    if (kinds & SHEAR) v[AT_angle_end] = r.column[ROW_ANGLE][last];
    if (kinds & (CYCLIC | UNDRAINED)) v[AT_ru_max] = largest(&r, ROW_RU);
    if (kinds & UNDRAINED) find_smallest_p(&r, v);
    if (kinds & COMPRESSION) v[AT_compression_index] = compression_index(&r);
    if (kinds & OEDOMETER) v[AT_K0] = last_number(&r, ROW_K0);
    if (kinds & CYCLIC) find_loops(&r, v);
    free(r.values);
    return 1;
}
