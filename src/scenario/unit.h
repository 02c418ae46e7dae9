/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantities as users write them: "100 kPa", "0.5 mm", "1e-3 /s", "30 deg", "5 %", or a plain
 * number in SI units. */
#ifndef TW_SCENARIO_UNIT_H
#define TW_SCENARIO_UNIT_H

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
    TW_UNIT_ANGLE,     /* a plain number is refused: degrees or radians? */
    TW_UNIT_COUNT
} tw_unit;

/* "Pa"; "-" for a dimensionless number. */
const char *tw_unit_symbol(tw_unit unit);

/* "a stress" */
const char *tw_unit_noun(tw_unit unit);

/* Reads `text`. False: `why` continues a sentence that begins with the quoted text. */
bool tw_unit_read(tw_unit unit, const char *text, double *value, char *why, size_t size);

/* The shortest text that reads back as the same double; an angle is given in rad. */
void tw_unit_write(tw_unit unit, double value, char *text, size_t size);

#endif
