/* SPDX-License-Identifier: BSD-3-Clause */
#include "figure/figure_internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <twirl/math.h>

/* ---- Units ---- */

#define UNITS(name, si, list)                                                                      \
    {                                                                                              \
        name, si, list, sizeof(list) / sizeof *(list)                                              \
    }

static const tw_figure_axis_unit ratios[] = {{"", 1.0, 0.0}};
static const tw_figure_axis_unit strains[] = {
    {"–", 1.0, 2e-3}, {"10^{−3}", 1e-3, 2e-5}, {"10^{−6}", 1e-6, 2e-8}, {"10^{−9}", 1e-9, 0.0}};
/* A few thousand kPa are usual. */
static const tw_figure_axis_unit stresses[] = {
    {"GPa", 1e9, 3e9}, {"MPa", 1e6, 3e6}, {"kPa", 1e3, 3e3}, {"Pa", 1.0, 0.0}};
static const tw_figure_axis_unit energies[] = {
    {"kJ", 1e3, 1e3}, {"J", 1.0, 1.0}, {"mJ", 1e-3, 1e-3}, {"µJ", 1e-6, 1e-6}, {"nJ", 1e-9, 0.0}};
static const tw_figure_axis_unit times[] = {{"s", 1.0, 1.0}, {"ms", 1e-3, 1e-3}, {"µs", 1e-6, 0.0}};
static const tw_figure_axis_unit angles[] = {{"°", 1.0, 0.0}};
static const tw_figure_axis_unit volumes[] = {
    {"m^{3}", 1.0, 1.0}, {"cm^{3}", 1e-6, 1e-6}, {"mm^{3}", 1e-9, 0.0}};
/* Grains and forces are often a little less than a unit. */
static const tw_figure_axis_unit lengths[] = {
    {"m", 1.0, 0.5}, {"mm", 1e-3, 5e-4}, {"µm", 1e-6, 0.0}};
static const tw_figure_axis_unit forces[] = {
    {"kN", 1e3, 1e2}, {"N", 1.0, 0.1}, {"mN", 1e-3, 1e-4}, {"µN", 1e-6, 0.0}};
static const tw_figure_axis_unit speeds[] = {
    {"m/s", 1.0, 0.5}, {"mm/s", 1e-3, 5e-4}, {"µm/s", 1e-6, 5e-7}, {"nm/s", 1e-9, 0.0}};
static const tw_figure_axis_unit torques[] = {
    {"kN m", 1e3, 1e2}, {"N m", 1.0, 0.1}, {"mN m", 1e-3, 1e-4}, {"µN m", 1e-6, 0.0}};

const tw_figure_axis_units tw_figure_axis_dimensions[TW_FIGURE_DIMENSIONS] = {
    [TW_FIGURE_RATIO] = UNITS("ratio", "", ratios),
    [TW_FIGURE_STRAIN] = UNITS("strain", "", strains),
    [TW_FIGURE_STRESS] = UNITS("stress", "Pa", stresses),
    [TW_FIGURE_ENERGY] = UNITS("energy", "J", energies),
    [TW_FIGURE_TIME] = UNITS("time", "s", times),
    [TW_FIGURE_ANGLE] = UNITS("angle", "°", angles),
    [TW_FIGURE_VOLUME] = UNITS("volume", "m³", volumes),
    [TW_FIGURE_LENGTH] = UNITS("length", "m", lengths),
    [TW_FIGURE_FORCE] = UNITS("force", "N", forces),
    [TW_FIGURE_SPEED] = UNITS("speed", "m/s", speeds),
    [TW_FIGURE_TORQUE] = UNITS("torque", "N m", torques)};

tw_figure_axis_unit tw_figure_axis_unit_of(tw_figure_dimension dimension, double largest)
{
    const tw_figure_axis_units *units = &tw_figure_axis_dimensions[dimension];
    size_t k = 0;
    while (k + 1 < units->count && !(largest >= units->unit[k].from))
        k++;
    return units->unit[k];
}

static tw_figure_axis_unit choose_unit(const tw_figure_axis_request *r)
{
    static const tw_figure_axis_unit per_cent = {"%", 0.01, 0.0};
    if (r->dimension == TW_FIGURE_STRAIN && r->percent) return per_cent;
    return tw_figure_axis_unit_of(r->dimension, tw_math_max(fabs(r->low), fabs(r->high)));
}

/* ---- Ranges ---- */

static double power_of_ten(int exponent)
{
    double power = 1.0;
    for (int k = 0; k < exponent; k++)
        power *= 10.0;
    for (int k = 0; k > exponent; k--)
        power /= 10.0;
    return power;
}

static int decade_of(double value)
{
    const double decade = floor(tw_math_log(value) / tw_math_log(10.0) + 1e-9);
    return (int)tw_math_min(tw_math_max(decade, DBL_MIN_10_EXP), DBL_MAX_10_EXP);
}

/* About five intervals of 1, 2 or 5 times a power of ten. */
static void choose_step(tw_figure_axis *a)
{
    const double raw = (a->high - a->low) / 5.0;
    const int decade = decade_of(raw);
    const double power = power_of_ten(decade), first = raw / power;
    a->step = power * (first < 1.5 ? 1.0 : first < 3.5 ? 2.0 : first < 7.5 ? 5.0 : 10.0);
    a->decimals = first < 7.5 ? -decade : -decade - 1;
    if (a->decimals < 0) a->decimals = 0;
}

/* To the next tick if it is near, or a little beyond the data. */
static double round_end(double end, double step, double span, double sign)
{
    const double next =
        sign > 0.0 ? ceil(end / step - 1e-9) * step : floor(end / step + 1e-9) * step;
    return fabs(next - end) < 0.45 * step ? next : end + sign * 0.04 * span;
}

static void choose_linear(tw_figure_axis *a, bool zero)
{
    const double wide = tw_math_max(fabs(a->low), fabs(a->high));
    if (zero) {
        a->low = tw_math_min(a->low, 0.0);
        a->high = tw_math_max(a->high, 0.0);
        /* A hundredth on the other side of zero, such as q of a specimen at rest, is not shown. */
        const double little = 0.01 * (a->high - a->low);
        if (a->low > -little) a->low = 0.0;
        if (a->high < little) a->high = 0.0;
    }
    if (!(a->high - a->low > 1e-9 * wide)) { /* a constant */
        const double half = wide > 0.0 ? 0.1 * wide : 1.0;
        a->low -= half;
        a->high += half;
    }
    choose_step(a);
    const double span = a->high - a->low;
    if (a->low != 0.0) a->low = round_end(a->low, a->step, span, -1.0);
    if (a->high != 0.0) a->high = round_end(a->high, a->step, span, 1.0);
}

static const double firsts[] = {1.0, 2.0, 5.0, 10.0};

/* 1, 2 or 5 times a power of ten, at or beyond the value. */
static double round_log(double value, double sign)
{
    const double power = power_of_ten(decade_of(value));
    const double first = value / power;
    for (int k = 0; k < 4 && sign > 0.0; k++)
        if (first <= firsts[k] * (1.0 + 1e-3)) return firsts[k] * power;
    for (int k = 2; k >= 0 && sign < 0.0; k--)
        if (first >= firsts[k] * (1.0 - 1e-3)) return firsts[k] * power;
    return value;
}

static bool is_long(const tw_figure_axis *a)
{
    return a->high > 2e3 * a->low;
}

static void choose_log(tw_figure_axis *a)
{
    a->low = round_log(a->low, -1.0);
    a->high = round_log(a->high, 1.0);
    if (is_long(a)) {
        a->low = power_of_ten(decade_of(a->low));
        a->high = power_of_ten(decade_of(a->high * 0.999) + 1);
    }
    if (!(a->high > a->low)) a->high = 10.0 * a->low;
}

tw_figure_axis tw_figure_axis_choose(const tw_figure_axis_request *request)
{
    tw_figure_axis_request r = *request;
    if (!(r.low <= r.high)) r.low = 0.0, r.high = 1.0;
    const tw_figure_axis_unit u = choose_unit(&r);
    tw_figure_axis a = {.factor = 1.0 / u.size,
                        .low = r.low / u.size,
                        .high = r.high / u.size,
                        .zero = r.zero,
                        .log = r.log && r.low > 0.0};
    snprintf(a.unit, sizeof a.unit, "%s", u.name);
    if (a.log)
        choose_log(&a);
    else
        choose_linear(&a, r.zero);
    return a;
}

tw_figure_axis tw_figure_axis_fixed(double low, double high)
{
    tw_figure_axis a = {.factor = 1.0, .low = low, .high = high};
    choose_step(&a);
    return a;
}

void tw_figure_axis_thin(tw_figure_axis *a)
{
    while (a->high - a->low > 5.0 * a->step) {
        const double first = a->step / power_of_ten(decade_of(a->step));
        a->step *= first > 1.5 && first < 3.5 ? 2.5 : 2.0;
    }
    a->decimals = a->step < 1.0 ? -decade_of(a->step) : 0;
}

tw_figure_axis tw_figure_axis_around(double low, double high)
{
    return tw_figure_axis_choose(&(tw_figure_axis_request){.low = low, .high = high});
}

int tw_figure_axis_characters(const tw_figure_axis *axis)
{
    char low[64], high[64];
    if (axis->log && is_long(axis)) return 4;
    snprintf(low, sizeof low, "%.*f", axis->decimals, axis->low);
    snprintf(high, sizeof high, "%.*f", axis->decimals, axis->high);
    return (int)(strlen(low) > strlen(high) ? strlen(low) : strlen(high));
}

/* ---- Ticks ---- */

typedef struct ticks {
    const tw_figure_axis *axis;
    tw_figure_tick *of;
    size_t count, capacity;
    char nowhere[sizeof((tw_figure_tick *)NULL)->text]; /* texts of ticks that are left out */
} ticks;

/* Adds a tick if it is in the range, and returns where its text goes. */
static char *add_tick(ticks *t, double at)
{
    const double slack = t->axis->log ? 1e-3 * at : 1e-6 * (t->axis->high - t->axis->low);
    if (at < t->axis->low - slack || at > t->axis->high + slack) return t->nowhere;
    if (t->count++ >= t->capacity) return t->nowhere;
    t->of[t->count - 1] = (tw_figure_tick){.at = at};
    return t->of[t->count - 1].text;
}

/* 20, 50, 100 ... with small ones between, on a few decades; powers of ten on more. */
static void add_log(ticks *t)
{
    const tw_figure_axis *a = t->axis;
    enum { SIZE = sizeof t->of->text };
    const int first = decade_of(a->low), last = decade_of(a->high);
    const int every = is_long(a) ? (last - first) / 7 + 1 : 1;
    for (int decade = first; decade <= last; decade++) {
        for (int k = 1; k < 10; k++) {
            const double at = k * power_of_ten(decade);
            const bool shown =
                is_long(a) ? k == 1 && (decade - first) % every == 0 : k == 1 || k == 2 || k == 5;
            if (is_long(a) && !shown && k > 1 && last - first > 7) continue;
            char *text = add_tick(t, at);
            if (shown && is_long(a))
                snprintf(text, SIZE, "10^{%s%d}", decade < 0 ? "−" : "",
                         decade < 0 ? -decade : decade);
            else if (shown)
                snprintf(text, SIZE, "%g", at);
        }
    }
}

/* One small tick between two, or four where the step is 5. */
static void add_linear(ticks *t)
{
    const tw_figure_axis *a = t->axis;
    const int parts = fabs(a->step / power_of_ten(decade_of(a->step)) - 5.0) < 0.1 ? 5 : 2;
    const double first = floor(a->low / a->step - 1e-6);
    for (int k = 0; k <= parts * ((a->high - a->low) / a->step + 2.0); k++) {
        const double at = (first + (double)(k / parts) + (double)(k % parts) / parts) * a->step;
        char *text = add_tick(t, at);
        if (k % parts == 0) snprintf(text, sizeof t->of->text, "%.*f", a->decimals, at + 0.0);
    }
}

size_t tw_figure_axis_ticks(const tw_figure_axis *axis, tw_figure_tick *of, size_t capacity)
{
    ticks t = {.axis = axis, .of = of, .capacity = capacity};
    if (axis->log)
        add_log(&t);
    else if (axis->step > 0.0)
        add_linear(&t);
    return t.count < capacity ? t.count : capacity;
}

/* ---- The key ---- */

double tw_figure_axis_place(const tw_figure_axis *axis, double v)
{
    if (!axis->log) return (v - axis->low) / (axis->high - axis->low);
    return v > 0.0 ? tw_math_log(v / axis->low) / tw_math_log(axis->high / axis->low) : (double)NAN;
}

/* At points so near that a curve does not get past the box between them. */
static bool is_crossed(const tw_figure_axis_box *b, const double from[2], const double to[2])
{
    const double longest = tw_math_max(fabs(to[0] - from[0]), fabs(to[1] - from[1]));
    const int parts = isfinite(longest) ? 1 + (int)tw_math_min(100.0 * longest, 1000.0) : 1;
    for (int k = 0; k <= parts; k++) {
        const double t = (double)k / parts;
        const double x = from[0] + t * (to[0] - from[0]), y = from[1] + t * (to[1] - from[1]);
        if (x >= b->from[0] && x <= b->to[0] && y >= b->from[1] && y <= b->to[1]) return true;
    }
    return false;
}

bool tw_figure_axis_is_free(const tw_figure_axis_box *b, const tw_figure_axis axes[2],
                            const double (*point)[2], size_t count)
{
    double here[2] = {(double)NAN, (double)NAN}, next[2] = {(double)NAN, (double)NAN};
    for (size_t i = 0; i <= count; i++) {
        for (int k = 0; k < 2; k++)
            next[k] = i < count ? tw_figure_axis_place(&axes[k], point[i][k]) : (double)NAN;
        const bool ends = isnan(next[0]) || isnan(next[1]);
        if (i > 0 && is_crossed(b, here, ends ? here : next)) return false;
        memcpy(here, next, sizeof here);
    }
    return true;
}

tw_figure_key tw_figure_axis_key(const tw_figure_axis axes[2], const double (*point)[2],
                                 size_t count, double width, double height)
{
    static const struct {
        tw_figure_key key;
        bool right, top;
    } corners[] = {{TW_FIGURE_KEY_TOP_RIGHT, true, true},
                   {TW_FIGURE_KEY_TOP_LEFT, false, true},
                   {TW_FIGURE_KEY_BOTTOM_RIGHT, true, false},
                   {TW_FIGURE_KEY_BOTTOM_LEFT, false, false}};
    if (width > 0.95 || height > 0.95) return TW_FIGURE_KEY_ABOVE;
    for (int k = 0; k < 4; k++) {
        const bool right = corners[k].right, top = corners[k].top;
        const tw_figure_axis_box b = {{right ? 1.0 - width : 0.0, top ? 1.0 - height : 0.0},
                                      {right ? 1.0 : width, top ? 1.0 : height}};
        bool clear = tw_figure_axis_is_free(&b, axes, point, count);
        for (int c = 0; c < 2; c++) { /* of lines at zero, too */
            const double zero = axes[c].log ? -1.0 : tw_figure_axis_place(&axes[c], 0.0);
            clear = clear && !(zero > 0.0 && zero < 1.0 && b.from[c] < zero && zero < b.to[c]);
        }
        if (clear) return corners[k].key;
    }
    return TW_FIGURE_KEY_ABOVE;
}
