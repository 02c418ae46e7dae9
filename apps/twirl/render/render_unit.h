/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for people: SI prefixes, and round steps of 1, 2 or 5 times a power of ten. */
#ifndef TWIRL_APP_RENDER_UNIT_H
#define TWIRL_APP_RENDER_UNIT_H

#include <stdbool.h>
#include <stddef.h>

/* A unit in which numbers are neither large nor small. */
typedef struct tw_render_unit {
    char name[32]; /* "mm/s", or "10⁻³ rad/s" where prefixes are not usual; "" without unit */
    double size;   /* in SI: a power of 1000 */
} tw_render_unit;

/* The unit in which `largest` is between 1 and 1000. */
tw_render_unit tw_render_unit_for(const char *si, double largest);

/* Reads a value with an optional unit: `si`, also with a prefix. False: not that. */
bool tw_render_unit_read(const char *text, const char *si, double *value);

/* The largest of 1, 2, 5 times a power of ten that is not above `limit`, which is positive. */
double tw_render_unit_round(double limit);

/* A multiple of `step`, with the digits that it needs and a real minus sign. */
void tw_render_unit_print(char *text, size_t size, double value, double step);

#endif
