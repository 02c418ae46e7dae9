/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/scenario.h>

void tw_scenario_put_law(const tw_scenario *scenario, const tw_scenario_stage *stage,
                         tw_contact_law *law)
{
    const tw_scenario_material *m = &scenario->material;
    const double ratio = isnan(m->kt_ratio) ? law->kt / law->kn : m->kt_ratio;
    if (!isnan(m->kn)) law->kn = m->kn;
    if (!isnan(m->kn) || !isnan(m->kt_ratio)) law->kt = ratio * law->kn;
    if (!isnan(m->contact_damping)) law->nu_n = m->contact_damping;
    const double mu = stage ? stage->friction : m->friction;
    const int32_t kind = stage && stage->law >= 0 ? stage->law : m->law;
    const uint32_t without = stage ? stage->without : m->without;
    if (!isnan(mu)) law->mu = mu;
    if (kind >= 0) law->kind = kind;
    if (without != TW_SCENARIO_NO_SET) law->refine = TW_CONTACT_ALL & ~without;
}
