/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/frames.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "run/run_files.h"

/* Time does not advance in a rotation, so its frames are numbered by increments. */
static double frame_time(const tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    return stage && stage->path == TW_SCENARIO_ROTATE ? (double)run->state.stage_steps
                                                      : tw_sim_time(run->sim);
}

static tw_status open_series(tw_run *run)
{
    const tw_file_path folder = tw_file_path_join(run->plan->folder, "vtk");
    run->series = tw_export_series_open(folder.text, tw_run_stage_name(run), run->error);
    if (!run->series) return run->error->status;
    char comment[40];
    snprintf(comment, sizeof comment, "run %016" PRIx64, run->state.identity);
    tw_status status = tw_export_series_set_comment(run->series, comment, run->error);
    if (status != TW_STATUS_OK || run->state.frame_at[TW_RUN_STATE_VTK] == 0) return status;
    /* A resumed stage already has frames. */
    char start[300];
    size_t count;
    snprintf(start, sizeof start, "vtk/%s_cell_", tw_run_stage_name(run));
    double *times = tw_run_files_times(run, start, ".vtp", &count);
    if (!times) return run->error->status;
    status = tw_export_series_restore(run->series, times, count, run->error);
    free(times);
    return status;
}

/* Lists the files of a frame, or those with the lists of frames. */
static tw_status list_vtk(tw_run *run, uint64_t frame, double time)
{
    char name[400] = "vtk/";
    tw_status status = TW_STATUS_OK;
    for (int part = 0; part < TW_EXPORT_SERIES_PARTS && status == TW_STATUS_OK; part++) {
        tw_export_series_file_name(run->series, part, frame, name + 4, sizeof name - 4);
        status = tw_run_files_add(run, name, time);
    }
    return status;
}

static tw_status add_vtk(tw_run *run)
{
    if (!run->series) {
        const tw_status status = open_series(run);
        if (status != TW_STATUS_OK) return status;
    }
    const double time = frame_time(run);
    const tw_status status = tw_export_series_add_at(run->series, run->sim, time, run->error);
    if (status != TW_STATUS_OK) return status;
    return list_vtk(run, tw_export_series_frames(run->series) - 1, time);
}

/* lammps/STAGE_STEP.ENDING */
static tw_file_path lammps_name(const tw_run *run, const char *ending)
{
    tw_file_path name;
    snprintf(name.text, sizeof name.text, "lammps/%s_%09" PRIu64 ".%s", tw_run_stage_name(run),
             run->state.stage_steps, ending);
    return name;
}

static tw_status add_lammps(tw_run *run)
{
    const char *folder = run->plan->folder;
    const tw_file_path dump = lammps_name(run, "dump"), local = lammps_name(run, "local");
    tw_status status = tw_file_make_folder(tw_file_path_join(folder, "lammps").text, run->error);
    if (status == TW_STATUS_OK)
        status = tw_export_lammps(run->sim, tw_file_path_join(folder, dump.text).text, run->error);
    if (status == TW_STATUS_OK)
        status = tw_export_lammps_contacts(run->sim, tw_file_path_join(folder, local.text).text,
                                           run->error);
    if (status == TW_STATUS_OK) status = tw_run_files_add(run, dump.text, frame_time(run));
    return status == TW_STATUS_OK ? tw_run_files_add(run, local.text, frame_time(run)) : status;
}

static bool frame_is_due(const tw_run *run, const tw_scenario_frames *requested, bool end)
{
    const uint64_t step = run->state.stage_steps;
    if (end && requested->stages == 1) return true;
    if (requested->steps != TW_SCENARIO_NONE && step % requested->steps == 0) return true;
    if (isnan(requested->strain) || !tw_scenario_stage_traits(tw_run_stage(run)).driven)
        return false;
    return step == 0 || tw_run_passes_multiple(run, requested->strain);
}

static uint64_t steps_until_frame(const tw_run *run, const tw_scenario_frames *requested)
{
    const uint64_t steps = tw_run_steps_until_multiple(run->state.stage_steps, requested->steps);
    if (isnan(requested->strain) || !tw_scenario_stage_traits(tw_run_stage(run)).driven)
        return steps;
    return tw_run_min_steps(steps, tw_run_steps_until_strain(run, requested->strain));
}

uint64_t tw_frames_idle_steps(const tw_run *run)
{
    const tw_scenario_output *output = &run->scenario->output;
    if (!tw_run_stage(run)) return UINT64_MAX;
    return tw_run_min_steps(steps_until_frame(run, &output->vtk),
                            steps_until_frame(run, &output->lammps));
}

tw_status tw_frames_add(tw_run *run, bool end)
{
    const tw_scenario_output *output = &run->scenario->output;
    const tw_scenario_frames *requested[TW_RUN_STATE_FORMATS] = {
        [TW_RUN_STATE_VTK] = &output->vtk, [TW_RUN_STATE_LAMMPS] = &output->lammps};
    const uint64_t mark = run->state.stage_steps + 1;
    for (int k = 0; tw_run_stage(run) && k < TW_RUN_STATE_FORMATS; k++) {
        if (run->state.frame_at[k] == mark || !frame_is_due(run, requested[k], end)) continue;
        const tw_status status = k == TW_RUN_STATE_VTK ? add_vtk(run) : add_lammps(run);
        if (status != TW_STATUS_OK) return status;
        run->state.frame_at[k] = mark;
    }
    return TW_STATUS_OK;
}

tw_status tw_frames_resume(tw_run *run)
{
    const bool any = run->state.begun && run->state.frame_at[TW_RUN_STATE_VTK] > 0;
    return any ? open_series(run) : TW_STATUS_OK;
}

tw_status tw_frames_end(tw_run *run)
{
    const tw_status status = run->series ? list_vtk(run, TW_EXPORT_SERIES_LIST, 0.0) : TW_STATUS_OK;
    tw_frames_close(run);
    return status;
}

void tw_frames_close(tw_run *run)
{
    tw_export_series_close(run->series);
    run->series = NULL;
}
