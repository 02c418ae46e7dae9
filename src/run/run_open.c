/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_open.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twirl/simd.h>

#include "base/file.h"
#include "run/grains.h"
#include "run/report.h"
#include "run/run_adopt.h"
#include "run/run_checkpoint.h"
#include "run/run_files.h"
#include "run/run_folder.h"
#include "run/run_identity.h"
#include "run/run_laws.h"
#include "run/run_resume.h"
#include "run/run_view.h"

/* Longest path of a folder: the paths of files in it must fit a tw_file_path. */
enum { FOLDER_MAX = 3500 };

/* ---- A new run ---- */

static bool is_generated(const tw_scenario *s)
{
    return !s->specimen.file && !s->specimen.checkpoint;
}

static tw_status make_grains(tw_run *run, double *porosity)
{
    const tw_scatter_watch watch = {tw_run_view_report_placed, run};
    run->sim = tw_grains_make(run->scenario, &watch, porosity, run->error);
    if (!run->sim) {
        if (run->error->status == TW_STATUS_FILE) run->error->status = TW_STATUS_INPUT;
        return run->error->status;
    }
    tw_sim_set_threads(run->sim, run->plan->threads);
    tw_run_measure_grains(run);
    run->specimen = tw_sim_definition(run->sim);
    return tw_run_laws_keep(run, run->sim);
}

/* Where a run begins again, its grains must be those of the first time. */
static tw_status identify(tw_run *run, const char *resolved)
{
    tw_run_state *state = &run->state;
    const uint64_t first = tw_sim_hash(run->sim), before = state->first;
    const bool again = state->identity != 0;
    state->first = first;
    state->identity = tw_run_identity(resolved, first);
    if (!again || first == before) return TW_STATUS_OK;
    return tw_error_set(run->error, TW_STATUS_INPUT,
                        "%s: the grains are not those that the run began with: the file of the "
                        "specimen has changed, or this is another version of twirl",
                        tw_error_shorten_path(run->plan->folder).text);
}

/* This run state says that nothing has been computed yet. */
static tw_status mark_start(tw_run *run)
{
    const tw_file_path path = tw_file_path_join(run->plan->folder, "run_state_a.txt");
    return tw_run_state_write(&run->state, path.text, run->error);
}

/* Also of a resumed run: tools that copy or archive folders leave out empty ones. */
static tw_status make_folders(const tw_run *run)
{
    static const char *const parts[] = {"states", "stages"};
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; status == TW_STATUS_OK && k < sizeof parts / sizeof *parts; k++)
        status =
            tw_file_make_folder(tw_file_path_join(run->plan->folder, parts[k]).text, run->error);
    return status;
}

static tw_status write_listed(tw_run *run, const char *name, const char *text)
{
    const tw_status status = tw_replace_file_with(tw_file_path_join(run->plan->folder, name).text,
                                                  text, strlen(text), run->error);
    return status == TW_STATUS_OK ? tw_run_files_add(run, name, 0.0) : status;
}

/* For people and for `twirl run`, and for other programs, which need no reader of YAML. */
static tw_status write_scenario(tw_run *run, const char *resolved)
{
    char *json = tw_scenario_write_json(run->scenario);
    if (!json) return tw_error_set_memory(run->error);
    tw_status status = write_listed(run, "scenario.yaml", resolved);
    if (status == TW_STATUS_OK) status = write_listed(run, "scenario.json", json);
    free(json);
    return status;
}

static tw_status log_start(tw_run *run, double porosity)
{
    const tw_run_plan *plan = run->plan;
    tw_status status = TW_STATUS_OK;
    if (plan->program) status = tw_run_log(run, "%s", plan->program);
    /* Not in the log, which does not depend on where a run is computed. */
    if (plan->program && plan->log) {
        char line[80];
        snprintf(line, sizeof line, "vector instructions: %s", tw_simd_name());
        plan->log(line, plan->context);
    }
    if (status == TW_STATUS_OK && is_generated(run->scenario))
        status =
            tw_run_log(run, "specimen: %zu grains, mean diameter %g m, placed at porosity %.4f",
                       tw_sim_bodies(run->sim), run->diameter, porosity);
    return status;
}

/* The state to which the search for friction returns, or the specimen if it is not prepared. */
static tw_status save_start(tw_run *run)
{
    const tw_scenario *s = run->scenario;
    if (!tw_run_is_prepared(s)) return tw_run_checkpoint_keep(run, "states/specimen");
    if (s->specimen.preparation.friction != TW_SCENARIO_AUTO) return TW_STATUS_OK;
    return tw_run_checkpoint_keep(run, "loose");
}

/* Everything that the new run leaves in its folder before the first step. */
static tw_status begin(tw_run *run, const char *resolved, double porosity)
{
    const tw_scenario *s = run->scenario;
    run->state.phase = TW_RUN_STATE_START;
    tw_status status = mark_start(run);
    if (status == TW_STATUS_OK) status = tw_report_open(run);
    if (status == TW_STATUS_OK) status = make_folders(run);
    if (status == TW_STATUS_OK) status = write_scenario(run, resolved);
    if (status == TW_STATUS_OK) status = log_start(run, porosity);
    if (status == TW_STATUS_OK) status = save_start(run);
    run->state.phase = tw_run_is_prepared(s) ? TW_RUN_STATE_COMPRESS
                       : s->stage_count > 0  ? TW_RUN_STATE_STAGES
                                             : TW_RUN_STATE_DONE;
    return status == TW_STATUS_OK ? tw_run_checkpoint_commit(run) : status;
}

/* The old folder keeps its lock until the new one has its own. */
static tw_status set_aside(tw_run *run)
{
    tw_file_path aside;
    tw_status status = tw_run_folder_set_aside(run->plan->folder, &aside, run->error);
    if (status != TW_STATUS_OK) return status;
    tw_run_lock old = run->lock;
    old.path = tw_file_path_join(aside.text, "lock");
    status = tw_file_make_folder(run->plan->folder, run->error);
    if (status == TW_STATUS_OK)
        status = tw_run_lock_take(&run->lock, run->plan->folder, run->error);
    if (!tw_run_lock_release(&old)) tw_run_remark_left(run, old.path.text);
    if (status != TW_STATUS_OK) return status;
    tw_run_remark(run, "the earlier content of %s is now in %s",
                  tw_error_shorten_path(run->plan->folder).text,
                  tw_error_shorten_path(aside.text).text);
    const tw_run_folder_content content = tw_run_folder_look(run->plan->folder);
    return tw_run_folder_refuse(run->plan->folder, &content, run->error);
}

/* The folder stays as it was until the grains are made. */
static tw_status start(tw_run *run, const char *resolved, bool aside)
{
    double porosity;
    tw_status status = run->plan->specimen ? tw_run_adopt_check(run) : TW_STATUS_OK;
    if (status == TW_STATUS_OK) status = make_grains(run, &porosity);
    if (status == TW_STATUS_OK) /* its memory may be too small for them */
        status = tw_sim_set_device(run->sim, run->plan->device, run->error);
    if (status == TW_STATUS_OK) status = identify(run, resolved);
    if (status == TW_STATUS_OK && aside) status = set_aside(run);
    return status == TW_STATUS_OK ? begin(run, resolved, porosity) : status;
}

/* ---- A resumed run ---- */

/* A checkpoint brings its own laws and damping; the first state of the run still has them. */
static tw_status recall_specimen(tw_run *run)
{
    if (!run->scenario->specimen.checkpoint) {
        run->specimen = tw_grains_definition(run->scenario);
        return TW_STATUS_OK;
    }
    tw_sim *sim = tw_run_checkpoint_open(run, "states/specimen", run->error);
    if (!sim) return run->error->status;
    run->specimen = tw_sim_definition(sim);
    const tw_status status = tw_run_laws_keep(run, sim);
    tw_sim_free(sim);
    return status;
}

static tw_status resume(tw_run *run, const char *resolved)
{
    tw_status status = tw_run_resume(run, resolved);
    if (status != TW_STATUS_OK) return status;
    if (run->state.phase == TW_RUN_STATE_START) return start(run, resolved, false);
    status = make_folders(run);
    if (status == TW_STATUS_OK) status = recall_specimen(run);
    if (status != TW_STATUS_OK) return status;
    tw_run_measure_grains(run);
    run->travelled_before = run->state.travelled;
    return tw_report_open(run);
}

/* ---- Either ---- */

static tw_status check_plan(const tw_run *run)
{
    const char *folder = run->plan->folder;
    if (strlen(folder) > FOLDER_MAX)
        return tw_error_set(run->error, TW_STATUS_INPUT,
                            "the path of the folder has %zu characters, the limit is %d",
                            strlen(folder), (int)FOLDER_MAX);
    if (run->plan->resume && run->plan->restart)
        return tw_error_set(run->error, TW_STATUS_INPUT,
                            "--resume continues the run in %s, --restart moves it aside: give one "
                            "of them",
                            tw_error_shorten_path(folder).text);
    return tw_sim_check_device(run->plan->device, run->error);
}

/* Under the lock. */
static tw_status open_folder(tw_run *run, const char *resolved)
{
    const tw_run_plan *plan = run->plan;
    const tw_run_folder_content content = tw_run_folder_look(plan->folder);
    if (run->lock.unsupported)
        tw_run_remark(run,
                      "this file system has no locks: make sure that no other run uses the folder");
    if (plan->restart) return start(run, resolved, *content.found != '\0');
    if (content.state && !plan->resume)
        return tw_error_set(
            run->error, TW_STATUS_INPUT,
            "%s already holds a run: add --resume to continue it, --restart to move "
            "it aside and start over, or choose another folder with --out",
            tw_error_shorten_path(plan->folder).text);
    if (!content.state) {
        const tw_status status = tw_run_folder_refuse(plan->folder, &content, run->error);
        if (status != TW_STATUS_OK) return status;
    }
    tw_run_folder_clean(plan->folder, run->scenario);
    return content.state ? resume(run, resolved) : start(run, resolved, false);
}

/* A run that has taken no step may take its specimen from another. */
static tw_status adopt_specimen(tw_run *run)
{
    const tw_run_state *state = &run->state;
    if (!run->plan->specimen || state->phase != TW_RUN_STATE_COMPRESS || state->steps > 0)
        return TW_STATUS_OK;
    const tw_status status = tw_run_adopt(run);
    if (status == TW_STATUS_OK && run->plan->log)
        run->plan->log("specimen: as prepared by another run", run->plan->context);
    return status;
}

/* Not in the log, which does not depend on where a run is computed. */
static tw_status move_to_device(tw_run *run)
{
    const tw_status status = tw_sim_set_device(run->sim, run->plan->device, run->error);
    if (status == TW_STATUS_OK && strcmp(tw_sim_device(run->sim), "cpu") != 0)
        tw_run_remark(run, "steps are computed on the device %s", tw_sim_device(run->sim));
    return status;
}

tw_status tw_run_open(tw_run *run)
{
    const char *folder = run->plan->folder;
    tw_status status = check_plan(run);
    if (status != TW_STATUS_OK) return status;
    char *resolved = tw_scenario_write_text(run->scenario);
    if (!resolved) return tw_error_set_memory(run->error);
    const bool made = !tw_file_exists(folder);
    status = tw_file_make_folder(folder, run->error);
    if (status == TW_STATUS_OK) status = tw_run_lock_take(&run->lock, folder, run->error);
    if (status == TW_STATUS_OK) status = open_folder(run, resolved);
    if (status == TW_STATUS_OK) status = adopt_specimen(run);
    if (status == TW_STATUS_OK) status = move_to_device(run);
    free(resolved);
    if (status != TW_STATUS_OK && made) {
        tw_report_close(run);
        (void)tw_run_lock_release(&run->lock);
        (void)rmdir(folder); /* nothing was written, or it stays */
    }
    return status;
}
