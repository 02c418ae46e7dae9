/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/stored.h"

#include <twirl/contact_law.h>

#include "world/pair_law.h"

tw_stored tw_stored_sum(const tw_model *model, const tw_state *state, const tw_schedule *schedule)
{
    tw_stored sum = {0.0, 0.0};
    for (size_t k = 0; k < schedule->pairs.count; k++) {
        if (!tw_pairs_touch(&schedule->pairs, k)) continue;
        const tw_contact_law law = tw_pair_law(model, state, schedule, &schedule->pairs.pair[k]);
        const tw_contact_memory memory =
            tw_bundle_get(state->contacts.bundle, schedule->pairs.slot[k]);
        sum.normal += tw_contact_law_stored_normal(&law, memory.zeta);
        sum.tangential += tw_contact_law_stored_tangential(&law, memory.zeta, memory.ft);
    }
    return sum;
}
