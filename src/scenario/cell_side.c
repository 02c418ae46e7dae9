/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/cell_side.h"

#include <math.h>

#include <twirl/math.h>

double tw_cell_side(const tw_scenario_specimen *specimen)
{
    const tw_scenario_preparation *p = &specimen->preparation;
    double porosity = 0.4; /* of a random packing */
    if (!isnan(p->porosity)) porosity = p->porosity;
    if (!isnan(p->void_ratio)) porosity = p->void_ratio / (1.0 + p->void_ratio);
    return tw_math_cbrt((double)specimen->count * TW_MATH_PI / 6.0 / (1.0 - porosity));
}
