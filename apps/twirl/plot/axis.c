/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/axis.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <twirl/math.h>

/* ---- Units ---- */

typedef struct axis_unit {
    double size; /* in SI units */
    const char *name;
} axis_unit;

static const axis_unit stresses[] = {{1e9, "GPa"}, {1e6, "MPa"}, {1e3, "kPa"}, {1.0, "Pa"}};
static const axis_unit small[] = {{1e-3, "10^{−3}"}, {1e-6, "10^{−6}"}, {1e-9, "10^{−9}"}};
static const axis_unit energies[] = {
    {1e3, "kJ"}, {1.0, "J"}, {1e-3, "mJ"}, {1e-6, "µJ"}, {1e-9, "nJ"}};
static const axis_unit times[] = {{1.0, "s"}, {1e-3, "ms"}, {1e-6, "µs"}};

/* The unit in which the largest number is at least `least`; a few thousand kPa are usual. */
static axis_unit unit_for(const axis_unit *list, int count, double largest, double least)
{
    int k = 0;
    while (k + 1 < count && !(largest >= least * list[k].size))
        k++;
    return list[k];
}

#define UNIT_FOR(list, largest, least)                                                             \
    unit_for(list, (int)(sizeof(list) / sizeof *(list)), largest, least)

static axis_unit choose_unit(const tw_axis_request *r)
{
    const double largest = tw_math_max(fabs(r->low), fabs(r->high));
    switch (r->dimension) {
    case TW_AXIS_STRAIN:
        if (r->percent) return (axis_unit){0.01, "%"};
        return largest < 2e-3 ? UNIT_FOR(small, largest, 0.02) : (axis_unit){1.0, "–"};
    case TW_AXIS_STRESS:
        return UNIT_FOR(stresses, largest, 3.0);
    case TW_AXIS_ENERGY:
        return UNIT_FOR(energies, largest, 1.0);
    case TW_AXIS_TIME:
        return UNIT_FOR(times, largest, 1.0);
    case TW_AXIS_ANGLE:
        return (axis_unit){1.0, "°"};
    default:
        return (axis_unit){1.0, ""};
    }
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
static void choose_step(tw_axis *a)
{
    const double raw = (a->high - a->low) / 5.0;
    const int decade = decade_of(raw);
    const double power = power_of_ten(decade), first = raw / power;
    a->step = power * (first < 1.5 ? 1.0 : first < 3.5 ? 2.0 : first < 7.5 ? 5.0 : 10.0);
    a->decimals = first < 7.5 ? -decade : -decade - 1;
    if (a->decimals < 0) a->decimals = 0;
}

/* To the next tic if it is near, or a little beyond the data. */
static double round_end(double end, double step, double span, double sign)
{
    const double next =
        sign > 0.0 ? ceil(end / step - 1e-9) * step : floor(end / step + 1e-9) * step;
    return fabs(next - end) < 0.45 * step ? next : end + sign * 0.04 * span;
}

static void choose_linear(tw_axis *a, bool zero)
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

/* 1, 2 or 5 times a power of ten, at or beyond the value. */
static double round_log(double value, double sign)
{
    static const double firsts[] = {1.0, 2.0, 5.0, 10.0};
    const double power = power_of_ten(decade_of(value));
    const double first = value / power;
    for (int k = 0; k < 4 && sign > 0.0; k++)
        if (first <= firsts[k] * (1.0 + 1e-3)) return firsts[k] * power;
    for (int k = 2; k >= 0 && sign < 0.0; k--)
        if (first >= firsts[k] * (1.0 - 1e-3)) return firsts[k] * power;
    return value;
}

static bool is_long(const tw_axis *a)
{
    return a->high > 2e3 * a->low;
}

static void choose_log(tw_axis *a)
{
    a->low = round_log(a->low, -1.0);
    a->high = round_log(a->high, 1.0);
    if (is_long(a)) {
        a->low = power_of_ten(decade_of(a->low));
        a->high = power_of_ten(decade_of(a->high * 0.999) + 1);
    }
    if (!(a->high > a->low)) a->high = 10.0 * a->low;
}

tw_axis tw_axis_choose(const tw_axis_request *request)
{
    tw_axis_request r = *request;
    if (!(r.low <= r.high)) r.low = 0.0, r.high = 1.0;
    const axis_unit u = choose_unit(&r);
    tw_axis a = {.factor = 1.0 / u.size,
                 .unit = u.name,
                 .low = r.low / u.size,
                 .high = r.high / u.size,
                 .log = r.log && r.low > 0.0};
    if (a.log)
        choose_log(&a);
    else
        choose_linear(&a, r.zero);
    return a;
}

double tw_axis_place(const tw_axis *axis, double value)
{
    const double v = axis->factor * value;
    if (!axis->log) return (v - axis->low) / (axis->high - axis->low);
    return v > 0.0 ? tw_math_log(v / axis->low) / tw_math_log(axis->high / axis->low) : (double)NAN;
}

int tw_axis_characters(const tw_axis *axis)
{
    char low[64], high[64];
    if (axis->log && is_long(axis)) return 4;
    snprintf(low, sizeof low, "%.*f", axis->decimals, axis->low);
    snprintf(high, sizeof high, "%.*f", axis->decimals, axis->high);
    return (int)(strlen(low) > strlen(high) ? strlen(low) : strlen(high));
}

/* ---- gnuplot ---- */

/* 20, 50, 100 ... on a few decades; powers of ten on more. */
static void add_log_tics(tw_text_buffer *text, const tw_axis *a, const char *name)
{
    static const double firsts[] = {1.0, 2.0, 5.0};
    tw_text_buffer_add(text, "set logscale %s\n", name);
    if (is_long(a)) {
        const int decades = decade_of(a->high) - decade_of(a->low);
        tw_text_buffer_add(text, "set %stics %g\nset m%stics %d\nset format %s '10^{%%L}'\n", name,
                           power_of_ten(decades / 7 + 1), name, decades > 7 ? 1 : 10, name);
        return;
    }
    const char *comma = "";
    tw_text_buffer_add(text, "set %stics (", name);
    for (int decade = decade_of(a->low); decade <= decade_of(a->high); decade++) {
        for (int k = 0; k < 3; k++) {
            const double tic = firsts[k] * power_of_ten(decade);
            if (tic < a->low * 0.999 || tic > a->high * 1.001) continue;
            tw_text_buffer_add(text, "%s'%g' %.9g", comma, tic, tic);
            comma = ", ";
        }
        for (int k = 3; k < 10; k++) {
            const double tic = k * power_of_ten(decade);
            if (k == 5 || tic < a->low || tic > a->high) continue;
            tw_text_buffer_add(text, "%s'' %.9g 1", comma, tic);
            comma = ", ";
        }
    }
    tw_text_buffer_add(text, ")\n");
}

void tw_axis_add(tw_text_buffer *text, const tw_axis *axis, const char *name)
{
    tw_text_buffer_add(text, "set %srange [%.9g:%.9g]\n", name, axis->low, axis->high);
    if (axis->log)
        add_log_tics(text, axis, name);
    else
        tw_text_buffer_add(
            text, "set %stics %.9g\nset m%stics %d\nset format %s '%%.%df'\n", name, axis->step,
            name, fabs(axis->step / power_of_ten(decade_of(axis->step)) - 5.0) < 0.1 ? 5 : 2, name,
            axis->decimals);
    if (!axis->log && axis->low < 0.0 && axis->high > 0.0)
        tw_text_buffer_add(text,
                           "set %szeroaxis linetype 1 linewidth 0.7 linecolor rgb '#999999'\n",
                           strcmp(name, "x") == 0 ? "y" : "x");
}

void tw_axis_add_column(tw_text_buffer *text, const tw_axis *axis, const char *column)
{
    if (axis->factor == 1.0)
        tw_text_buffer_add(text, "(column('%s'))", column);
    else
        tw_text_buffer_add(text, "(%g*column('%s'))", axis->factor, column);
}
