/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantities as people write them: "100 kPa", "0.5 mm", "1e-3 /s", "30 deg", "5 %", or a plain
 * number in SI. */
#ifndef TW_SCENARIO_UNITS_H
#define TW_SCENARIO_UNITS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum tw_unit {
    TW_UNIT_NONE,
    TW_UNIT_LENGTH,
    TW_UNIT_STRESS,
    TW_UNIT_TIME,
    TW_UNIT_RATE,
    TW_UNIT_STIFFNESS,
    TW_UNIT_DENSITY,
    TW_UNIT_VISCOSITY, /* of a contact */
    TW_UNIT_ANGLE,     /* the one whose plain number is refused: degrees or radians? */
    TW_UNITS
} tw_unit;

/* "Pa"; "-" for a pure number. */
const char *tw_units_symbol(tw_unit unit);

/* "a stress"; and "Pa, kPa, MPa, GPa". */
const char *tw_units_noun(tw_unit unit);
void tw_units_list(tw_unit unit, char *text, size_t size);

/* Reads `text`. False: `why` gets the rest of a sentence that begins with the quoted text. */
bool tw_units_read(tw_unit unit, const char *text, double *value, char *why, size_t size);

/* As short as gives back the same double; an angle gets its unit. */
void tw_units_write(tw_unit unit, double value, char *text, size_t size);

#endif
