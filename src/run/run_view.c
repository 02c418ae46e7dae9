/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_view.h"

#include "run/stage.h"

int tw_run_view_report(tw_run *run, uint64_t probe_steps, size_t done, size_t count)
{
    const tw_run_plan *plan = run->plan;
    if (!plan->step) return 0;
    const bool stages = run->state.phase == TW_RUN_STATE_STAGES;
    const tw_run_view view = {.stage = tw_run_stage_name(run),
                              .stage_number = stages ? run->state.stage + 1 : 0,
                              .stage_count = run->scenario->stage_count,
                              .progress =
                                  count > 0 ? (double)done / (double)count : tw_stage_progress(run),
                              .strain = run->state.before,
                              .steps = run->state.steps + probe_steps,
                              .sim = run->sim,
                              .probes_done = done,
                              .probe_count = count};
    return plan->step(&view, plan->context);
}
