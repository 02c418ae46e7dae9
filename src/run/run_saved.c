/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/run.h>

#include <stdio.h>

#include "base/error.h"
#include "run/run_state.h"

tw_status tw_run_saved_read(const char *folder, tw_run_saved *saved, tw_error *error)
{
    tw_error unused;
    tw_run_state state = {0};
    bool found;
    if (!error) error = &unused;
    tw_error_clear(error);
    *saved = (tw_run_saved){.found = 0};
    const tw_status status = tw_run_state_newest(&state, folder, &found, error);
    if (status != TW_STATUS_OK || !found) return status;
    saved->found = 1;
    saved->finished = state.phase == TW_RUN_STATE_DONE;
    saved->within = state.begun != 0;
    saved->stage_number = state.phase < TW_RUN_STATE_STAGES ? 0 : (size_t)state.stage + 1;
    saved->steps = state.steps;
    saved->time = state.time;
    if (state.commit > 0)
        snprintf(saved->checkpoint, sizeof saved->checkpoint, "checkpoint_%s.h5",
                 tw_run_state_pair(&state));
    return TW_STATUS_OK;
}
