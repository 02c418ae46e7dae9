/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/time_step.h"

#include <twirl/contact_law.h>

#include "scenario/grain_sizes.h"

double tw_time_step_stable(const tw_scenario *s, double contacts)
{
    if (s->specimen.file || s->specimen.checkpoint) return nan("");
    const double density = s->material.density * s->time_step.mass_scale;
    const double d = tw_grain_sizes_find(&s->specimen.sizes).smallest;
    const double mass = density * TW_MATH_PI / 6.0 * d * d * d;
    tw_contact_law law = {0};
    tw_scenario_put_law(s, NULL, &law);
    return tw_contact_law_stable_step(&law, contacts, 3.5 / mass); /* r^2/I = 2.5/m */
}
