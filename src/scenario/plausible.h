/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of physical quantities, beyond which a value can only be a mistake: a wrong unit, a
 * missing exponent. docs/guide/scenario.md has the table. */
#ifndef TW_SCENARIO_PLAUSIBLE_H
#define TW_SCENARIO_PLAUSIBLE_H

#include <stdbool.h>
#include <stddef.h>

#include "scenario/unit.h"

typedef struct tw_plausible_range {
    double low, high; /* of the absolute value, in SI units */
} tw_plausible_range;

/* From 0 to infinity for a quantity without limits. */
tw_plausible_range tw_plausible_find(tw_unit unit);

/* Whether a value is zero or within the limits; if not, `why` continues a sentence that begins with
 * the quoted text. */
bool tw_plausible_check(tw_unit unit, double value, char *why, size_t size);

#endif
