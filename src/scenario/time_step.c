/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/time_step.h"

#include <twirl/contact_law.h>
#include <twirl/math.h>

#include "scenario/grain_sizes.h"

/* The law of two spheres of diameter d, linear with the stiffness that it has under the mean force
 * at pressure p. */
static tw_contact_law linearise(const tw_contact_law *law, double d, double mass, double p)
{
    tw_contact_law at = tw_contact_law_at(law, 0.25 * d, 0.5 * mass);
    if (at.normal != TW_CONTACT_HERTZ) return at;
    const tw_contact_memory memory = {.zeta = tw_math_pow(p * d * d / at.kn, 2.0 / 3.0)};
    const tw_contact_stiffness k = tw_contact_law_stiffness(&at, &memory);
    const double root = sqrt(sqrt(memory.zeta));
    at.normal = TW_CONTACT_LINEAR;
    at.kn = k.kn;
    at.kt = k.kt;
    at.nu_n *= root;
    at.nu_t *= root;
    return at;
}

double tw_time_step_stable(const tw_scenario *s, double contacts, double p)
{
    if (s->specimen.file || s->specimen.checkpoint) return nan("");
    const size_t count = tw_scenario_materials(s);
    const double d = tw_grain_sizes_find(&s->specimen.sizes).smallest;
    double least = HUGE_VAL;
    for (size_t i = 0; i < count * count; i++) {
        const double density =
            tw_scenario_material_at(s, i / count)->density * s->time_step.mass_scale;
        const double mass = density * TW_MATH_PI / 6.0 * d * d * d;
        tw_contact_law law = tw_contact_law_default();
        tw_scenario_put_law(s, NULL, i / count, i % count, &law);
        law = linearise(&law, d, mass, p);
        /* r^2/I = 2.5/m. Also NaN, if the pressure of Hertz contacts is not known */
        const double dt = tw_contact_law_stable_step(&law, contacts, 3.5 / mass);
        if (!(dt >= least)) least = dt;
    }
    return least;
}

/* Eight contacts, as in dense packings of spheres. */
double tw_time_step_expected(const tw_scenario *s, double p)
{
    if (!isnan(s->time_step.dt)) return s->time_step.dt;
    return s->time_step.fraction * tw_time_step_stable(s, 8.0, p);
}
