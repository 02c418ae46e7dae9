/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantities with units, and the limits beyond which they can only be mistakes. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <twirl/math.h>

#include "base/text.h"
#include "scenario/schema.h"

/* value = number * times / over: dividing by 1000 rounds once, multiplying by 0.001 twice.
 * Alternative spellings are not listed in messages. */
typedef struct unit_scale {
    tw_unit unit;
    bool spelling;
    const char *symbol;
    double times, over;
} unit_scale;

static const unit_scale scales[] = {
    {TW_UNIT_NONE, false, "%", 1, 100},
    {TW_UNIT_LENGTH, false, "m", 1, 1},
    {TW_UNIT_LENGTH, false, "cm", 1, 100},
    {TW_UNIT_LENGTH, false, "mm", 1, 1e3},
    {TW_UNIT_LENGTH, false, "um", 1, 1e6},
    {TW_UNIT_LENGTH, true, "\xc2\xb5m", 1, 1e6}, /* micro sign */
    {TW_UNIT_LENGTH, true, "\xce\xbcm", 1, 1e6}, /* Greek mu */
    {TW_UNIT_STRESS, false, "Pa", 1, 1},
    {TW_UNIT_STRESS, false, "kPa", 1e3, 1},
    {TW_UNIT_STRESS, false, "MPa", 1e6, 1},
    {TW_UNIT_STRESS, false, "GPa", 1e9, 1},
    {TW_UNIT_TIME, false, "s", 1, 1},
    {TW_UNIT_TIME, false, "ms", 1, 1e3},
    {TW_UNIT_TIME, false, "us", 1, 1e6},
    {TW_UNIT_TIME, false, "min", 60, 1},
    {TW_UNIT_TIME, false, "h", 3600, 1},
    {TW_UNIT_RATE, false, "/s", 1, 1},
    {TW_UNIT_RATE, true, "1/s", 1, 1},
    {TW_UNIT_RATE, true, "s^-1", 1, 1},
    {TW_UNIT_RATE, false, "%/s", 1, 100},
    {TW_UNIT_RATE, false, "/min", 1, 60},
    {TW_UNIT_RATE, false, "%/min", 1, 6000},
    {TW_UNIT_STIFFNESS, false, "N/m", 1, 1},
    {TW_UNIT_STIFFNESS, false, "kN/m", 1e3, 1},
    {TW_UNIT_STIFFNESS, false, "MN/m", 1e6, 1},
    {TW_UNIT_DENSITY, false, "kg/m^3", 1, 1},
    {TW_UNIT_DENSITY, true, "kg/m3", 1, 1},
    {TW_UNIT_DENSITY, false, "g/cm^3", 1e3, 1},
    {TW_UNIT_DENSITY, true, "g/cm3", 1e3, 1},
    {TW_UNIT_VISCOSITY, false, "N s/m", 1, 1},
    {TW_UNIT_ANGLE, false, "deg", TW_MATH_PI, 180},
    {TW_UNIT_ANGLE, true, "\xc2\xb0", TW_MATH_PI, 180}, /* degree sign */
    {TW_UNIT_ANGLE, false, "rad", 1, 1},
    {TW_UNIT_VELOCITY, false, "m/s", 1, 1},
    {TW_UNIT_VELOCITY, false, "mm/s", 1, 1e3},
    {TW_UNIT_VELOCITY, false, "mm/min", 1, 6e4},
    {TW_UNIT_ACCELERATION, false, "m/s^2", 1, 1},
    {TW_UNIT_ACCELERATION, true, "m/s2", 1, 1},
    {TW_UNIT_SPIN, false, "rad/s", 1, 1},
    {TW_UNIT_SPIN, false, "deg/s", TW_MATH_PI, 180},
    {TW_UNIT_SPIN, false, "rpm", TW_MATH_PI, 30},
    {TW_UNIT_FREQUENCY, false, "Hz", 1, 1},
    {TW_UNIT_FREQUENCY, false, "kHz", 1e3, 1},
    {TW_UNIT_FORCE, false, "N", 1, 1},
    {TW_UNIT_FORCE, false, "mN", 1, 1e3},
    {TW_UNIT_FORCE, false, "kN", 1e3, 1},
    {TW_UNIT_TORQUE, false, "N m", 1, 1},
    {TW_UNIT_TORQUE, false, "mN m", 1, 1e3},
    {TW_UNIT_TORQUE, false, "kN m", 1e3, 1},
    {TW_UNIT_AREA, false, "m^2", 1, 1},
    {TW_UNIT_AREA, false, "cm^2", 1, 1e4},
    {TW_UNIT_AREA, false, "mm^2", 1, 1e6},
};
enum { SCALES = sizeof scales / sizeof scales[0] };

/* The limits are those of the absolute value, in SI units: from grains of a nanometre, where
 * contact mechanics ends, to boulders of a kilometre; the others follow from tests on such grains,
 * with room for dimensionless units, in which diameter, density and pressure are 1. */
static const struct {
    const char *symbol, *noun;
    double low, high;
} units[TW_UNIT_COUNT] = {
    [TW_UNIT_NONE] = {"-", "a number", 0.0, HUGE_VAL},
    [TW_UNIT_LENGTH] = {"m", "a length", 1e-9, 1e3},
    [TW_UNIT_STRESS] = {"Pa", "a stress", 1e-6, 1e12},
    [TW_UNIT_TIME] = {"s", "a time", 1e-15, 1e12},
    [TW_UNIT_RATE] = {"1/s", "a rate", 1e-15, 1e9},
    [TW_UNIT_STIFFNESS] = {"N/m", "a stiffness", 1e-9, 1e15},
    [TW_UNIT_DENSITY] = {"kg/m^3", "a density", 1e-3, 1e12}, /* also scaled masses */
    [TW_UNIT_VISCOSITY] = {"N s/m", "a contact damping", 1e-18, 1e12},
    [TW_UNIT_ANGLE] = {"deg, rad", "an angle", 0.0, HUGE_VAL},
    [TW_UNIT_VELOCITY] = {"m/s", "a velocity", 1e-15, 1e6},
    [TW_UNIT_ACCELERATION] = {"m/s^2", "an acceleration", 1e-9, 1e9},
    [TW_UNIT_SPIN] = {"rad/s", "an angular velocity", 1e-15, 1e9},
    [TW_UNIT_FREQUENCY] = {"Hz", "a frequency", 1e-12, 1e9},
    [TW_UNIT_FORCE] = {"N", "a force", 1e-18, 1e15},
    [TW_UNIT_TORQUE] = {"N m", "a torque", 1e-24, 1e15},
    [TW_UNIT_AREA] = {"m^2", "an area", 1e-18, 1e6},
};

const char *tw_unit_symbol(tw_unit unit)
{
    return units[unit].symbol;
}

const char *tw_unit_noun(tw_unit unit)
{
    return units[unit].noun;
}

/* Length of the leading decimal number; hexadecimal numbers, inf and nan have none. */
static size_t number_length(const char *text)
{
    size_t n = text[0] == '+' || text[0] == '-';
    const size_t start = n;
    while (isdigit((unsigned char)text[n]))
        n++;
    size_t digits = n - start;
    if (text[n] == '.') {
        const size_t point = ++n;
        while (isdigit((unsigned char)text[n]))
            n++;
        digits += n - point;
    }
    if (digits == 0) return 0;
    if (text[n] == 'e' || text[n] == 'E') {
        size_t e = n + 1;
        if (text[e] == '+' || text[e] == '-') e++;
        if (isdigit((unsigned char)text[e])) {
            while (isdigit((unsigned char)text[e]))
                e++;
            n = e;
        }
    }
    return n;
}

static const unit_scale *find_scale(const char *symbol, tw_unit unit)
{
    const unit_scale *other = NULL;
    for (size_t i = 0; i < SCALES; i++) {
        if (strcmp(scales[i].symbol, symbol) != 0) continue;
        if (scales[i].unit == unit) return &scales[i];
        other = &scales[i];
    }
    return other;
}

/* "a stress [Pa, kPa, MPa, GPa]" */
static void describe(tw_unit unit, char *text, size_t size)
{
    char symbols[80] = "";
    if (unit == TW_UNIT_NONE) {
        snprintf(text, size, "a number without unit or in %%");
        return;
    }
    for (size_t i = 0; i < SCALES; i++)
        if (scales[i].unit == unit && !scales[i].spelling)
            tw_text_add_word(symbols, sizeof symbols, scales[i].symbol);
    snprintf(text, size, "%s [%s]", tw_unit_noun(unit), symbols);
}

/* Units of other systems, and what they are here. */
static const struct {
    tw_unit unit;
    const char *symbol, *value;
} foreign[] = {{TW_UNIT_STRESS, "bar", "100 kPa"},     {TW_UNIT_STRESS, "mbar", "0.1 kPa"},
               {TW_UNIT_STRESS, "atm", "101.325 kPa"}, {TW_UNIT_STRESS, "psi", "6.894757 kPa"},
               {TW_UNIT_STRESS, "N/mm2", "1 MPa"},     {TW_UNIT_STRESS, "N/mm^2", "1 MPa"},
               {TW_UNIT_STRESS, "kN/m2", "1 kPa"},     {TW_UNIT_STRESS, "kN/m^2", "1 kPa"},
               {TW_UNIT_LENGTH, "in", "25.4 mm"},      {TW_UNIT_LENGTH, "inch", "25.4 mm"}};
enum { FOREIGN = sizeof foreign / sizeof foreign[0] };

/* What to write instead of an unknown unit. */
static void suggest_unit(tw_unit unit, const char *symbol, char *text, size_t size)
{
    for (size_t i = 0; i < SCALES; i++) {
        if (scales[i].unit != unit || strcasecmp(scales[i].symbol, symbol) != 0) continue;
        snprintf(text, size, "write '%s'", scales[i].symbol);
        return;
    }
    for (size_t i = 0; i < FOREIGN; i++) {
        if (foreign[i].unit != unit || strcasecmp(foreign[i].symbol, symbol) != 0) continue;
        snprintf(text, size, "1 %s is %s", foreign[i].symbol, foreign[i].value);
        return;
    }
    const size_t used = (size_t)snprintf(text, size, "expected ");
    describe(unit, text + used, size - used);
}

static bool refuse_unit(tw_unit unit, const char *symbol, char *why, size_t size)
{
    const unit_scale *other = find_scale(symbol, unit);
    const bool looks_like_unit = isalpha((unsigned char)symbol[0]) || symbol[0] == '/' ||
                                 symbol[0] == '%' || (unsigned char)symbol[0] >= 0x80;
    char expected[120], suggested[160];
    describe(unit, expected, sizeof expected);
    suggest_unit(unit, symbol, suggested, sizeof suggested);
    if (other)
        snprintf(why, size, "is %s; expected %s",
                 other->unit == TW_UNIT_NONE ? "a percentage" : tw_unit_noun(other->unit),
                 expected);
    else if (symbol[0] == ',')
        snprintf(why, size, "is not a number (use a decimal point)");
    else if (looks_like_unit)
        snprintf(why, size, "has an unknown unit; %s", suggested);
    else
        snprintf(why, size, "is not a number");
    return false;
}

/* Whether the digits of a number say that it is not 0. */
static bool is_nonzero(const char *text)
{
    const char first = text[strcspn(text, "123456789eE")];
    return first >= '1' && first <= '9';
}

bool tw_unit_read(tw_unit unit, const char *text, double *value, char *why, size_t size)
{
    const size_t length = number_length(text);
    if (length == 0) {
        snprintf(why, size, "is not a number");
        return false;
    }
    const char *symbol = text + length;
    symbol += strspn(symbol, " ");
    const double number = strtod(text, NULL);
    const unit_scale *found = *symbol ? find_scale(symbol, unit) : NULL;
    if (*symbol && (!found || found->unit != unit)) return refuse_unit(unit, symbol, why, size);
    if (!*symbol && unit == TW_UNIT_ANGLE && number != 0.0) {
        snprintf(why, size, "has no unit; write '%.*s deg' or '%.*s rad'",
                 (int)(length < 40 ? length : 40), text, (int)(length < 40 ? length : 40), text);
        return false;
    }
    const double result = found ? number * found->times / found->over : number;
    if (!isfinite(result) || (result == 0.0 && is_nonzero(text))) {
        snprintf(why, size, "is beyond the range of a double");
        return false;
    }
    *value = result;
    return true;
}

void tw_unit_write(tw_unit unit, double value, char *text, size_t size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    const size_t used = strlen(text);
    if (unit == TW_UNIT_ANGLE && value != 0.0 && used < size)
        snprintf(text + used, size - used, " rad");
}

void tw_unit_describe(tw_unit unit, double value, char *text, size_t size)
{
    static const char *const stresses[] = {"Pa", "kPa", "MPa", "GPa"};
    const char *symbol = unit == TW_UNIT_NONE ? "" : units[unit].symbol;
    int k = 0;
    for (; unit == TW_UNIT_STRESS && k < 3 && fabs(value) >= 1000.0; k++)
        value /= 1000.0;
    if (unit == TW_UNIT_STRESS) symbol = stresses[k];
    if (unit == TW_UNIT_ANGLE) value *= 180.0 / TW_MATH_PI, symbol = "deg";
    if (unit == TW_UNIT_LENGTH && fabs(value) < 1.0) value *= 1000.0, symbol = "mm";
    snprintf(text, size, "%.6g%s%s", value, *symbol ? " " : "", symbol);
}

bool tw_unit_is_plausible(tw_unit unit, double value, char *why, size_t size)
{
    const double magnitude = fabs(value), low = units[unit].low, high = units[unit].high;
    if (magnitude == 0.0 || (magnitude >= low && magnitude <= high)) return true;
    snprintf(why, size, "is not plausible as %s; expected %g to %g [%s]", tw_unit_noun(unit), low,
             high, tw_unit_symbol(unit));
    return false;
}
