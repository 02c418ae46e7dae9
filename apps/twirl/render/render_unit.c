/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const struct {
    const char *prefix, *power;
    double size;
} prefixes[] = {
    {"p", "10⁻¹² ", 1e-12}, {"n", "10⁻⁹ ", 1e-9}, {"µ", "10⁻⁶ ", 1e-6},
    {"m", "10⁻³ ", 1e-3},   {"", "", 1.0},        {"k", "10³ ", 1e3},
    {"M", "10⁶ ", 1e6},     {"G", "10⁹ ", 1e9},   {"T", "10¹² ", 1e12},
};
enum { PREFIXES = sizeof prefixes / sizeof prefixes[0], PLAIN = 4 };

static bool takes_prefix(const char *si)
{
    return *si && strncmp(si, "rad", 3) != 0;
}

tw_render_unit tw_render_unit_for(const char *si, double largest)
{
    tw_render_unit unit;
    size_t i = PLAIN;
    const bool prefixed = takes_prefix(si);
    /* Without a prefix a power of ten is needed, which is worth it for long numbers only. */
    const bool plain = largest == 0.0 || (!prefixed && largest >= 0.01 && largest < 1e4);
    while (!plain && i > 0 && largest < (1.0 - 1e-9) * prefixes[i].size)
        i--;
    while (!plain && i + 1 < PREFIXES && largest >= (1.0 - 1e-9) * prefixes[i + 1].size)
        i++;
    unit.size = prefixes[i].size;
    snprintf(unit.name, sizeof unit.name, "%s%s", prefixed ? prefixes[i].prefix : prefixes[i].power,
             si);
    const size_t length = strlen(unit.name);
    if (length > 0 && unit.name[length - 1] == ' ') unit.name[length - 1] = '\0';
    return unit;
}

/* 0: not this unit. */
static double size_of(const char *name, const char *si)
{
    if (strcmp(name, si) == 0) return 1.0;
    if (!takes_prefix(si)) return 0.0;
    for (size_t i = 0; i < PREFIXES; i++) {
        const size_t length = strlen(prefixes[i].prefix);
        if (strncmp(name, prefixes[i].prefix, length) == 0 && strcmp(name + length, si) == 0)
            return prefixes[i].size;
    }
    return name[0] == 'u' && strcmp(name + 1, si) == 0 ? 1e-6 : 0.0;
}

bool tw_render_unit_read(const char *text, const char *si, double *value)
{
    char number[64];
    size_t length = strspn(text, "+-.0123456789"), more;
    if ((text[length] == 'e' || text[length] == 'E') &&
        (more = strspn(text + length + 1, "+-0123456789")) > 0)
        length += 1 + more;
    if (length >= sizeof number) return false;
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    const char *name = text + length + strspn(text + length, " ");
    const double size = *name ? size_of(name, si) : 1.0;
    if (size == 0.0 || tw_text_number(number, value)) return false;
    *value *= size;
    return true;
}

/* floor(log10(value)) of a positive number that is rounded to ten digits. */
static int exponent_of(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.9e", value);
    return (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

static double power_of_ten(int exponent)
{
    char text[16];
    snprintf(text, sizeof text, "1e%d", exponent);
    return strtod(text, NULL);
}

double tw_render_unit_round(double limit)
{
    const double slack = 1.0 + 1e-9; /* 0.3 / 3 is still 0.1 */
    const double power = power_of_ten(exponent_of(limit * slack)), rest = limit * slack / power;
    return power * (rest >= 5.0 ? 5.0 : rest >= 2.0 ? 2.0 : 1.0);
}

void tw_render_unit_print(char *text, size_t size, double value, double step)
{
    const int exponent = exponent_of(step);
    const double whole = step * floor(value / step + 0.5), shown = fabs(whole);
    snprintf(text, size, "%s%.*f", whole < 0.0 ? "−" : "", exponent < 0 ? -exponent : 0, shown);
}
