/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/pair_law.h"

tw_contact_law tw_pair_law(const tw_model *model, const tw_state *state,
                           const tw_schedule *schedule, const tw_pair *pair)
{
    const tw_contact_law *law = &model->laws[tw_pair_law_index(model, state, schedule, pair)];
    if (!(law->flags & (TW_CONTACT_BY_RADIUS | TW_CONTACT_BY_MASS))) return *law;
    return tw_contact_law_at(law, tw_pair_law_radius(schedule, pair),
                             tw_pair_law_mass(state, schedule, pair));
}
