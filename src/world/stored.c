/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/stored.h"

#include "world/pair_law.h"

tw_stored tw_stored_sum(const tw_model *model, const tw_state *state, const tw_schedule *schedule)
{
    tw_stored sum = {0.0, 0.0, 0.0, 0.0};
    for (size_t k = 0; k < schedule->pairs.count; k++) {
        if (!tw_pairs_touch(&schedule->pairs, k)) continue;
        const uint32_t slot = schedule->pairs.slot[k];
        const tw_contact_law law = tw_pair_law(model, state, schedule, &schedule->pairs.pair[k]);
        const tw_contact_memory memory = tw_bundle_get(state->contacts.bundle, slot);
        const tw_contact_extra extra = tw_extras_get(&state->contacts.extras, slot);
        sum.normal += tw_contact_law_stored_normal(&law, memory.zeta);
        sum.tangential += tw_contact_law_stored_tangential(&law, memory.zeta, memory.ft);
        sum.rolling +=
            tw_stored_spring(&law, law.k_r, memory.zeta, tw_vec3_dot(extra.fr, extra.fr));
        sum.twisting += tw_stored_spring(&law, law.k_w, memory.zeta, extra.fw * extra.fw);
    }
    return sum;
}

void tw_stored_replace(tw_state *state, const tw_stored *now)
{
    tw_sums *sums = &state->sums;
    state->balance.start += now->normal - sums->normal + now->tangential - sums->tangential;
    state->balance.start += now->rolling - sums->rolling + now->twisting - sums->twisting;
    sums->normal = now->normal;
    sums->tangential = now->tangential;
    sums->rolling = now->rolling;
    sums->twisting = now->twisting;
}
