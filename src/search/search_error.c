/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/search_error.h"

#include "base/error.h"

tw_status tw_search_error_cell(const tw_state *state, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_PHYSICS,
                        "step %llu: the cell has no volume, or is not finite",
                        (unsigned long long)state->steps);
}

tw_status tw_search_error_body(const tw_state *state, uint32_t id, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_PHYSICS,
                        "step %llu: body %u has a non-finite position or force",
                        (unsigned long long)state->steps, id);
}

tw_status tw_search_error_narrow(tw_error *error)
{
    return tw_error_set(error, TW_STATUS_INPUT,
                        "the cell is more than a hundred times narrower than its bodies");
}

tw_status tw_search_error_lost(const tw_state *state, uint32_t p, int plane, uint32_t q,
                               tw_error *error)
{
    return tw_error_set(error, TW_STATUS_PHYSICS,
                        "step %llu: body %u and %s %u separated by more than the skin of %g m in "
                        "one step: use a larger skin or a smaller dt",
                        (unsigned long long)state->steps, p, plane ? "wall" : "body", q,
                        state->skin);
}
