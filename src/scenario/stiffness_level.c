/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/stiffness_level.h"

#include <twirl/math.h>

double tw_stiffness_level(const tw_scenario_material *m, double p, double d)
{
    if (m->normal != TW_CONTACT_HERTZ) return m->kn / (p * d);
    return tw_math_pow(m->young / (3.0 * p * (1.0 - m->poisson * m->poisson)), 2.0 / 3.0);
}

double tw_stiffness_level_least(const tw_scenario *s, double p,
                                const tw_scenario_material **softest)
{
    double least = nan("");
    for (size_t i = 0; i < tw_scenario_materials(s); i++) {
        const tw_scenario_material *m = tw_scenario_material_at(s, i);
        const double level = tw_stiffness_level(m, p, tw_scenario_diameter(s));
        if (level >= least) continue;
        least = level;
        *softest = m;
    }
    return least;
}

double tw_stiffness_level_young(double level, double p, double poisson)
{
    return 3.0 * p * (1.0 - poisson * poisson) * level * sqrt(level);
}
