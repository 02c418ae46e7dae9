/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/plausible.h"

#include <math.h>
#include <stdio.h>

/* From grains of a nanometre, where contact mechanics ends, to boulders of a kilometre; the other
 * limits follow from tests on such grains, with room for dimensionless units, in which diameter,
 * density and pressure are 1. */
tw_plausible_range tw_plausible_find(tw_unit unit)
{
    switch (unit) {
    case TW_UNIT_LENGTH:
        return (tw_plausible_range){1e-9, 1e3};
    case TW_UNIT_STRESS:
        return (tw_plausible_range){1e-6, 1e12};
    case TW_UNIT_TIME:
        return (tw_plausible_range){1e-15, 1e12};
    case TW_UNIT_RATE:
        return (tw_plausible_range){1e-15, 1e9};
    case TW_UNIT_STIFFNESS:
        return (tw_plausible_range){1e-9, 1e15};
    case TW_UNIT_DENSITY: /* also scaled masses */
        return (tw_plausible_range){1e-3, 1e12};
    case TW_UNIT_VISCOSITY:
        return (tw_plausible_range){1e-18, 1e12};
    default:
        return (tw_plausible_range){0.0, HUGE_VAL};
    }
}

bool tw_plausible_check(tw_unit unit, double value, char *why, size_t size)
{
    const tw_plausible_range range = tw_plausible_find(unit);
    const double magnitude = fabs(value);
    if (magnitude == 0.0 || (magnitude >= range.low && magnitude <= range.high)) return true;
    snprintf(why, size, "is not plausible as %s; expected %g to %g [%s]", tw_unit_noun(unit),
             range.low, range.high, tw_unit_symbol(unit));
    return false;
}
