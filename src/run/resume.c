/* SPDX-License-Identifier: BSD-3-Clause */
/* How a run begins: in a new folder, from a saved state, or with the specimen of another run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twirl/simd.h>

#include "base/file.h"
#include "base/parallel.h"
#include "base/text.h"
#include "run/checkpoint.h"
#include "run/file_list.h"
#include "run/progress.h"
#include "run/regions.h"
#include "run/report.h"
#include "run/resume.h"
#include "run/series.h"
#include "run/specimen.h"
#include "run/stage.h"
#include "run/surfaces.h"

/* ---- Which pair to continue from ---- */

enum { PAIRS = 2 };

typedef struct candidate {
    const char *name; /* of the run state */
    bool readable;    /* the run state is whole and of this scenario */
    bool other;       /* it is whole and of another scenario */
    tw_run_state state;
    tw_error problem; /* why it cannot be used */
} candidate;

/* ---- What belongs to a pair ---- */

static tw_status check_outputs(tw_run *run)
{
    tw_run_state_file list[TW_RUN_STATE_FILES];
    const size_t count = tw_run_state_files(&run->state, list);
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; k < count && status == TW_STATUS_OK; k++) {
        const tw_folder_path path = tw_folder_path_join(run->plan->folder, list[k].name);
        status = tw_run_append_file_check(path.text, *list[k].length, *list[k].hash, run->error);
    }
    return status;
}

/* Nothing has been computed, so the run begins again; unless there is more than its start leaves.
 */
static tw_status check_start(const tw_run *run)
{
    const tw_run_folder_content content = tw_run_folder_look(run->plan->folder);
    if (!content.results && !tw_run_report_has_rows(run->plan->folder)) return TW_STATUS_OK;
    return tw_error_set(run->error, TW_STATUS_INPUT,
                        "run_state_a.txt: it says that nothing was computed yet, but the folder "
                        "holds results");
}

static tw_status check_pair(tw_run *run)
{
    tw_run_state *state = &run->state;
    if (state->phase == TW_RUN_STATE_START) return check_start(run);
    if (state->phase == TW_RUN_STATE_STAGES && state->stage >= run->scenario->stage_count)
        return tw_error_set(run->error, TW_STATUS_INPUT, "there is no stage %" PRIu64,
                            state->stage + 1);
    tw_status status = tw_run_report_check(run); /* names the row, if it can */
    if (status == TW_STATUS_OK) status = check_outputs(run);
    if (status == TW_STATUS_OK)
        status = tw_run_files_check(run->plan->folder, state->files, true, run->error);
    return status == TW_STATUS_OK ? tw_run_checkpoint_load(run) : status;
}

/* ---- The two pairs ---- */

static void read_candidate(const tw_run *run, const char *resolved, candidate *c)
{
    const tw_folder_path path = tw_folder_path_join(run->plan->folder, c->name);
    c->readable = c->other = false;
    if (!tw_run_file_exists(path.text)) {
        tw_error_set(&c->problem, TW_STATUS_INPUT, "%s: missing", c->name);
        return;
    }
    if (tw_run_state_read(&c->state, path.text, &c->problem) != TW_STATUS_OK) return;
    c->readable = c->state.scenario == tw_run_identity(resolved, c->state.first);
    c->other = !c->readable;
    if (c->other) tw_error_set(&c->problem, TW_STATUS_INPUT, "%s: of another scenario", c->name);
}

/* The problem, with the name of the file in the folder instead of its path. */
static const char *brief(const tw_run *run, const candidate *c)
{
    const char *text = c->problem.text, *folder = run->plan->folder;
    const size_t length = strlen(folder);
    if (strncmp(text, folder, length) != 0 || text[length] != '/') return text;
    return text + length + 1;
}

static tw_status refuse_both(const tw_run *run, const candidate *newer, const candidate *older)
{
    const tw_error_path folder = tw_error_shorten_path(run->plan->folder);
    if (!newer->readable && !older->readable && (newer->other || older->other))
        return tw_error_set(run->error, TW_STATUS_INPUT,
                            "%s holds a run of another scenario, see its scenario.yaml: resume "
                            "with the same file and settings, add --extend if it goes on from "
                            "there, or choose another folder with --out",
                            folder.text);
    return tw_error_set(run->error, TW_STATUS_INPUT,
                        "the run cannot be resumed. Its two saved states: %.170s; %.130s. "
                        "Put the files back as they were, or add --restart to move %.60s aside and "
                        "start over",
                        brief(run, newer), brief(run, older), folder.text);
}

/* Takes over the newer pair if it and all files it depends on are as the run has left them, else
 * the older one, with a line to the caller; refuses if neither is. Changes nothing in the folder.
 * Sets state and simulation of the run; there is no simulation if nothing had been saved yet
 * (TW_RUN_STATE_START). `resolved` is the text of the scenario. */
static tw_status find_pair(tw_run *run, const char *resolved)
{
    candidate pair[PAIRS] = {{.name = "run_state_a.txt"}, {.name = "run_state_b.txt"}};
    for (int k = 0; k < PAIRS; k++)
        read_candidate(run, resolved, &pair[k]);
    /* One that cannot be read may be the newer. */
    const bool a_is_newer =
        !pair[0].readable || (pair[1].readable && pair[0].state.commit > pair[1].state.commit);
    candidate *newer = &pair[a_is_newer ? 0 : 1], *older = &pair[a_is_newer ? 1 : 0];
    for (int k = 0; k < PAIRS; k++) {
        candidate *c = k == 0 ? newer : older;
        if (!c->readable) continue;
        run->state = c->state;
        if (check_pair(run) == TW_STATUS_OK) {
            /* At the start of a run there is only one. */
            if (c == older && c->state.phase != TW_RUN_STATE_START)
                tw_run_remark(
                    run,
                    "a saved state cannot be used (%s); the run continues from the other, "
                    "step %" PRIu64,
                    brief(run, newer), run->state.steps);
            return TW_STATUS_OK;
        }
        if (run->error->status == TW_STATUS_MEMORY) return TW_STATUS_MEMORY;
        c->problem = *run->error;
    }
    return refuse_both(run, newer, older);
}

/* ---- The preparation as a scenario ---- */

char *tw_run_preparation(const tw_scenario *scenario)
{
    tw_scenario rest;
    if (!tw_run_is_prepared(scenario) || !tw_scenario_without_stages(scenario, &rest)) return NULL;
    char *text = tw_scenario_write_text(&rest);
    tw_scenario_without_stages_free(&rest);
    return text;
}

/* ---- History and log ---- */

static char *after_line(char *text)
{
    return text + strcspn(text, "\n") + (text[strcspn(text, "\n")] == '\n');
}

/* Of the history or a series. Rows get the checks of this run. */
static tw_status copy_rows(tw_run *run, const tw_run *other, const tw_run_state_file *file,
                           size_t number)
{
    char *text = tw_run_file_part(other->plan->folder, file->name, *file->length, run->error);
    tw_status status = text ? TW_STATUS_OK : run->error->status;
    for (char *row = text ? after_line(text) : NULL; status == TW_STATUS_OK && *row;) {
        char *next = after_line(row), *check = next;
        while (check > row && check[-1] != ',')
            check--;
        tw_text_buffer copy = {0};
        if (check > row) tw_text_buffer_add_bytes(&copy, row, (size_t)(check - row - 1));
        tw_run_history_check_add(&run->output.check[number], &copy);
        status = tw_run_append_file_add_text(&run->output.file[number], &copy, run->error);
        row = next;
    }
    free(text);
    return status;
}

/* This run writes the lines before and after the preparation by itself. */
static tw_status copy_log(tw_run *run, const tw_run *other)
{
    const uint64_t to = other->state.prepared[1],
                   from = tw_run_min_steps(other->state.prepared[0], to);
    char *text = tw_run_file_part(other->plan->folder, "run.log", to, run->error);
    if (!text) return run->error->status;
    const tw_status status =
        tw_run_append_file_add(&run->output.log, text + from, to - from, run->error);
    free(text);
    return status;
}

/* ---- The state ---- */

/* As it was when the preparation ended, before the stages got their friction. */
static tw_status take_state(tw_run *run, tw_run *other)
{
    const tw_status status =
        tw_run_laws_set_friction(other->sim, other->state.friction, run->error);
    if (status != TW_STATUS_OK) return status;
    const tw_run_state own = run->state;
    run->state = other->state;
    run->state.identity = own.identity;
    run->state.scenario = own.scenario;
    run->state.first = own.first;
    run->state.commit = own.commit;
    run->state.prepared[0] = own.prepared[0];
    run->state.phase = TW_RUN_STATE_SETTLE;
    run->state.begun = 1;
    run->ended = true;
    tw_sim_free(run->sim);
    run->sim = other->sim;
    other->sim = NULL;
    tw_sim_set_threads(run->sim, run->plan->threads);
    return TW_STATUS_OK;
}

static tw_status refuse_specimen(const tw_run *run, const char *why)
{
    return tw_error_set(run->error, TW_STATUS_INPUT, "--specimen %s: %s",
                        tw_error_shorten_path(run->plan->specimen).text, why);
}

/* Refuses plan->specimen if the run there is not one of tw_run_preparation's scenario. */
static tw_status check_other_run(const tw_run *run)
{
    const tw_folder_path path = tw_folder_path_join(run->plan->specimen, "scenario.yaml");
    if (!tw_run_is_prepared(run->scenario))
        return refuse_specimen(
            run, "the specimen of this scenario is not prepared, so it cannot be taken "
                 "from another run");
    char *expected = tw_run_preparation(run->scenario);
    if (!expected) return tw_error_set_memory(run->error);
    char *found = tw_read_file_all(path.text, NULL, run->error);
    tw_status status = TW_STATUS_OK;
    if (!found)
        status = refuse_specimen(run, "the folder holds no run");
    else if (strcmp(found, expected) != 0)
        status = refuse_specimen(run, "the run there prepares another specimen; compare its "
                                      "scenario.yaml with this scenario");
    free(expected);
    free(found);
    return status;
}

static tw_status take_over(tw_run *run, tw_run *other, const char *resolved)
{
    tw_run_state_file list[TW_RUN_STATE_FILES];
    tw_status status = find_pair(other, resolved);
    if (status == TW_STATUS_OK && other->state.phase != TW_RUN_STATE_DONE)
        status = refuse_specimen(run, "the run there has not ended: resume it first");
    const size_t count = tw_run_state_files(&other->state, list);
    for (size_t k = TW_RUN_STATE_HISTORY; k < TW_RUN_STATE_FILES && status == TW_STATUS_OK; k++) {
        const size_t n = k - TW_RUN_STATE_HISTORY - 1; /* of a series */
        if (k > TW_RUN_STATE_HISTORY &&
            strcmp(other->state.series[n].name, run->state.series[n].name) != 0)
            status = refuse_specimen(run, "the run there is of another version of twirl, which "
                                          "has other series");
        else if (k < count)
            status = copy_rows(run, other, &list[k], k);
    }
    if (status == TW_STATUS_OK) status = copy_log(run, other);
    return status == TW_STATUS_OK ? take_state(run, other) : status;
}

/* Brings a run that has taken no step to the end of its preparation: state, history and log are
 * those that it would have by itself. Refuses if the other run has not ended. Nothing is committed:
 * a run that is interrupted now begins again. */
static tw_status take_specimen(tw_run *run)
{
    const tw_run_plan plan = {.folder = run->plan->specimen, .threads = run->plan->threads};
    char *resolved = tw_run_preparation(run->scenario);
    tw_scenario scenario;
    if (!resolved || !tw_scenario_without_stages(run->scenario, &scenario)) {
        free(resolved);
        return tw_error_set_memory(run->error);
    }
    tw_run other = {.scenario = &scenario, .plan = &plan, .error = run->error};
    const tw_status status = take_over(run, &other, resolved);
    tw_sim_free(other.sim);
    tw_scenario_without_stages_free(&scenario);
    free(resolved);
    return status;
}

/* ---- Start or resume ---- */

/* Longest path of a folder: the paths of files in it must fit a tw_folder_path. */
enum { FOLDER_MAX = 3500 };

/* ---- A new run ---- */

static tw_status make_grains(tw_run *run, double *porosity)
{
    const tw_run_scatter_watch watch = {tw_run_view_report_placed, run};
    const int threads = run->plan->threads;
    tw_parallel_set_threads(threads > 0 ? threads : tw_parallel_default());
    run->sim = tw_run_grains_make(run->scenario, run->plan->device, &watch, porosity, run->error);
    if (!run->sim) {
        if (run->error->status == TW_STATUS_FILE) run->error->status = TW_STATUS_INPUT;
        return run->error->status;
    }
    tw_sim_set_threads(run->sim, threads);
    run->grains = tw_run_measure_grains(run->sim);
    run->specimen = tw_sim_get_definition(run->sim);
    return tw_run_laws_keep(run, run->sim);
}

/* Grains by regions may be where the device has made them: their sizes tell them. */
static uint64_t hash_grains(const tw_run *run)
{
    if (run->scenario->specimen.arrangement != TW_SCENARIO_REGIONS) return tw_sim_hash(run->sim);
    const tw_mat3 cell = tw_sim_cell(run->sim);
    const double sizes[] = {run->grains.diameter, run->grains.solid, run->grains.density};
    tw_hash hash = tw_hash_start(1);
    tw_hash_add(&hash, &cell, sizeof cell);
    tw_hash_add(&hash, sizes, sizeof sizes);
    return tw_hash_value(&hash);
}

/* Where a run begins again, its grains must be those of the first time. */
static tw_status identify(tw_run *run, const char *resolved)
{
    tw_run_state *state = &run->state;
    const uint64_t first = hash_grains(run), before = state->first;
    const bool again = state->identity != 0;
    state->first = first;
    state->identity = state->scenario = tw_run_identity(resolved, first);
    if (!again || first == before) return TW_STATUS_OK;
    return tw_error_set(run->error, TW_STATUS_INPUT,
                        "%s: the grains are not those that the run began with: the file of the "
                        "specimen has changed, or this is another version of twirl",
                        tw_error_shorten_path(run->plan->folder).text);
}

/* This run state says that nothing has been computed yet. */
static tw_status mark_start(tw_run *run)
{
    const tw_folder_path path = tw_folder_path_join(run->plan->folder, "run_state_a.txt");
    return tw_run_state_write(&run->state, path.text, run->error);
}

/* Also of a resumed run: tools that copy or archive folders leave out empty ones. */
static tw_status make_folders(const tw_run *run)
{
    static const char *const parts[] = {"states", "stages"};
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; status == TW_STATUS_OK && k < sizeof parts / sizeof *parts; k++)
        status = tw_folder_make(tw_folder_path_join(run->plan->folder, parts[k]).text, run->error);
    return status;
}

static tw_status write_listed(tw_run *run, const char *name, const char *text)
{
    const tw_status status = tw_replace_file_with(tw_folder_path_join(run->plan->folder, name).text,
                                                  text, strlen(text), run->error);
    return status == TW_STATUS_OK ? tw_run_files_add(run, name, 0.0) : status;
}

/* An absolute path as it is from a folder, or as it is where they have nothing in common. For the
 * caller to free; NULL: no path, or no memory. */
static char *path_from(const char *folder, const char *path)
{
    tw_text_buffer here = {0}, text = {0};
    size_t same = 0;
    if (!path) return NULL;
    char *real = realpath(folder, NULL);
    tw_text_buffer_add(&here, "%s/", real ? real : "");
    for (size_t i = 0; !here.failed && path[i] && path[i] == here.text[i]; i++)
        if (path[i] == '/') same = i + 1;
    if (same == 1) same = 0; /* the root alone */
    for (const char *at = here.text + same; same > 0 && (at = strchr(at, '/')); at++)
        tw_text_buffer_add(&text, "../");
    tw_text_buffer_add(&text, "%s", path + same);
    tw_text_buffer_free(&here);
    free(real);
    return tw_text_buffer_take(&text);
}

/* The path of a file as it is from the folder of the run. *good: memory is left. */
static char *move_path(const tw_run *run, char *path, bool *good)
{
    char *moved = path_from(run->plan->folder, path);
    *good = *good && !path == !moved;
    return moved;
}

/* For people and for `twirl run`, and for other programs, which need no reader of YAML. Files are
 * named from the folder, so that both can be moved together. */
static tw_status write_scenario(tw_run *run)
{
    tw_scenario here = *run->scenario;
    const size_t count = here.surface_count;
    tw_scenario_surface *surfaces = calloc(count + 1, sizeof *surfaces);
    bool good = surfaces != NULL;
    char *file = move_path(run, here.specimen.file, &good);
    char *checkpoint = move_path(run, here.specimen.checkpoint, &good);
    for (size_t k = 0; surfaces && k < count; k++) {
        surfaces[k] = here.surfaces[k];
        surfaces[k].file = move_path(run, surfaces[k].file, &good);
    }
    here.specimen.file = file;
    here.specimen.checkpoint = checkpoint;
    here.surfaces = surfaces;
    char *text = good ? tw_scenario_write_text(&here) : NULL;
    char *json = text ? tw_scenario_write_json(&here) : NULL;
    tw_status status =
        json ? write_listed(run, "scenario.yaml", text) : tw_error_set_memory(run->error);
    if (status == TW_STATUS_OK) status = write_listed(run, "scenario.json", json);
    for (size_t k = 0; surfaces && k < count; k++)
        free(surfaces[k].file);
    free(surfaces);
    free(file);
    free(checkpoint);
    free(text);
    free(json);
    return status;
}

static tw_status write_dictionary(tw_run *run)
{
    char *text = tw_run_report_dictionary(run);
    if (!text) return tw_error_set_memory(run->error);
    const tw_status status = write_listed(run, "datapackage.json", text);
    free(text);
    return status;
}

/* The scenario warns of what is to be expected; this is what was drawn. */
static tw_status log_grading(tw_run *run)
{
    const tw_scenario_sizes *given = &run->scenario->specimen.sizes;
    const double *v = given->curve.value;
    tw_sim_sizes sizes;
    if (given->distribution != TW_SCENARIO_GRADING) return TW_STATUS_OK;
    const tw_status status = tw_sim_get_sizes(run->sim, &sizes, run->error);
    size_t last = given->curve.count - 1;
    while (last > 1 && v[2 * last + 1] == v[2 * last - 1])
        last--;
    if (status != TW_STATUS_OK || sizes.largest >= v[2 * last - 2]) return status;
    return tw_run_warn(run,
                       "the largest of %zu grains has a diameter of %.3g mm: none is in the "
                       "coarsest part of the grading, %.3g mm to %.3g mm; more grains reach it",
                       tw_sim_body_count(run->sim), 1e3 * sizes.largest, 1e3 * v[2 * last - 2],
                       1e3 * v[2 * last]);
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
    if (status == TW_STATUS_OK && tw_scenario_is_generated(run->scenario))
        status =
            tw_run_log(run, "specimen: %zu grains, mean diameter %g m, placed at porosity %.4f",
                       tw_sim_body_count(run->sim), run->grains.diameter, porosity);
    if (status == TW_STATUS_OK && tw_scenario_is_generated(run->scenario))
        status = log_grading(run);
    if (status == TW_STATUS_OK) status = tw_run_series_warn(run);
    run->state.prepared[0] = run->output.log.length;
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
static tw_status begin(tw_run *run, double porosity)
{
    const tw_scenario *s = run->scenario;
    run->state.phase = TW_RUN_STATE_START;
    tw_run_series_choose(run->sim, &run->state);
    tw_status status = mark_start(run);
    if (status == TW_STATUS_OK) status = tw_run_report_open(run);
    if (status == TW_STATUS_OK) status = make_folders(run);
    if (status == TW_STATUS_OK) status = write_scenario(run);
    if (status == TW_STATUS_OK) status = write_dictionary(run);
    if (status == TW_STATUS_OK) status = log_start(run, porosity);
    if (status == TW_STATUS_OK) status = tw_run_surfaces_write(run);
    if (status == TW_STATUS_OK) status = save_start(run);
    run->state.phase = tw_run_is_prepared(s) ? TW_RUN_STATE_COMPRESS
                       : s->stage_count > 0  ? TW_RUN_STATE_STAGES
                                             : TW_RUN_STATE_DONE;
    return status == TW_STATUS_OK ? tw_run_checkpoint_commit(run) : status;
}

/* The old folder keeps its lock until the new one has its own. */
static tw_status set_aside(tw_run *run)
{
    tw_folder_path aside;
    tw_status status = tw_run_folder_set_aside(run->plan->folder, &aside, run->error);
    if (status != TW_STATUS_OK) return status;
    tw_run_lock old = run->lock;
    old.path = tw_folder_path_join(aside.text, "lock");
    status = tw_folder_make(run->plan->folder, run->error);
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
    tw_status status = run->plan->specimen ? check_other_run(run) : TW_STATUS_OK;
    if (status == TW_STATUS_OK) status = make_grains(run, &porosity);
    if (status == TW_STATUS_OK) /* its memory may be too small for them */
        status = tw_run_grains_set_device(run->scenario, run->sim, run->plan->device, run->error);
    if (status == TW_STATUS_OK) status = identify(run, resolved);
    if (status == TW_STATUS_OK && aside) status = set_aside(run);
    return status == TW_STATUS_OK ? begin(run, porosity) : status;
}

/* ---- A resumed run ---- */

/* A checkpoint brings its own laws and damping; the first state of the run still has them. */
static tw_status recall_specimen(tw_run *run)
{
    if (!run->scenario->specimen.checkpoint) {
        run->specimen = tw_run_grains_definition(run->scenario);
        return TW_STATUS_OK;
    }
    tw_sim *sim = tw_run_checkpoint_open(run, "states/specimen", run->error);
    if (!sim) return run->error->status;
    run->specimen = tw_sim_get_definition(sim);
    const tw_status status = tw_run_laws_keep(run, sim);
    tw_sim_free(sim);
    return status;
}

/* What the state of the pair implies. */
static tw_status recall(tw_run *run)
{
    tw_status status = make_folders(run);
    if (status == TW_STATUS_OK) status = recall_specimen(run);
    if (status != TW_STATUS_OK) return status;
    run->grains = tw_run_measure_grains(run->sim);
    run->travelled_before = run->state.travelled;
    return TW_STATUS_OK;
}

/* What an extended run has to replace; it may have been interrupted before. */
static tw_status bring_up_to_date(tw_run *run)
{
    const tw_folder_path summary = tw_folder_path_join(run->plan->folder, "summary.json");
    if (run->state.phase != TW_RUN_STATE_DONE) (void)unlink(summary.text);
    return tw_run_files_has(run, "scenario.yaml") ? TW_STATUS_OK : write_scenario(run);
}

static tw_status resume(tw_run *run, const char *resolved)
{
    tw_status status = find_pair(run, resolved);
    if (status != TW_STATUS_OK) return status;
    if (run->state.phase == TW_RUN_STATE_START) return start(run, resolved, false);
    status = recall(run);
    if (status == TW_STATUS_OK) status = tw_run_report_open(run);
    return status == TW_STATUS_OK ? bring_up_to_date(run) : status;
}

/* ---- An extended run ---- */

typedef struct extension {
    tw_run *run;
    const tw_scenario *before;
    size_t open;    /* index of the first stage that has not begun */
    bool end;       /* the stage before it gets another end */
    bool earlier;   /* a stage that was followed by another would get one */
    size_t refused; /* differences */
    char why[240];  /* the first of them */
    char what[400]; /* what is different and can be */
} extension;

/* The part of the key within the stage: "end.strain"; "" for the whole stage. */
static const char *key_in_stage(const tw_scenario_difference *d)
{
    const char *end = strchr(d->key, ']');
    return end && end[1] == '.' ? end + 2 : "";
}

static bool is_below(const char *key, const char *section)
{
    const size_t length = strlen(section);
    return strncmp(key, section, length) == 0 && (key[length] == '.' || key[length] == '\0');
}

static bool is_finished(const extension *x, size_t stage)
{
    return stage + 1 < x->open || (stage + 1 == x->open && !x->run->state.begun);
}

/* A state can still be saved under another name. */
static bool is_new_save(const extension *x, const tw_scenario_difference *d)
{
    return d->stage < x->open && is_finished(x, d->stage) && strcmp(key_in_stage(d), "save") == 0 &&
           !x->before->stages[d->stage].save;
}

static bool is_allowed(extension *x, const tw_scenario_difference *d)
{
    if (d->stage == SIZE_MAX) return is_below(d->key, "output") || is_below(d->key, "title");
    const char *key = key_in_stage(d);
    const bool end = is_below(key, "end");
    if (d->stage >= x->open || is_below(key, "output") || is_new_save(x, d)) return true;
    if (d->stage + 1 == x->open && end) return x->end = true;
    x->earlier |= end;
    return d->stage + 1 == x->open && !is_finished(x, d->stage) && strcmp(key, "save") == 0;
}

static void judge(const tw_scenario_difference *d, void *context)
{
    extension *x = context;
    char text[240];
    snprintf(text, sizeof text, "%.100s was %.50s, is now %.50s", d->key, d->before, d->after);
    if (is_allowed(x, d))
        tw_text_add_word(x->what, sizeof x->what, text);
    else if (x->refused++ == 0)
        snprintf(x->why, sizeof x->why, "%s", text);
}

static tw_status refuse_extension(const extension *x)
{
    char more[60] = "";
    if (x->refused > 1) snprintf(more, sizeof more, ", and %zu more keys differ", x->refused - 1);
    const char *advice =
        x->earlier ? "a stage that another has followed cannot go on: add a stage with `from`, the "
                     "state that it has saved (its `save` can be added), at the end of the list"
                   : "only the end of the last stage, stages after it and output can be changed; "
                     "choose another folder with --out for another run";
    return tw_error_set(x->run->error, TW_STATUS_INPUT,
                        "not an extension of the run in %s: %s%s; %s",
                        tw_error_shorten_path(x->run->plan->folder).text, x->why, more, advice);
}

/* The stage goes on from its end if its new end conditions let it. */
static tw_status reopen(extension *x)
{
    tw_run *run = x->run;
    const tw_run_state done = run->state;
    char why[160];
    run->state.phase = TW_RUN_STATE_STAGES;
    run->state.stage = x->open - 1;
    run->state.begun = 1;
    const tw_scenario_stage *stage = tw_run_stage(run);
    if (!tw_run_stage_end_can_replace(run, &x->before->stages[x->open - 1].end, why, sizeof why))
        return tw_error_set(run->error, TW_STATUS_INPUT,
                            "not an extension of the run in %s: stages[%s].%s; "
                            "add another stage after it",
                            tw_error_shorten_path(run->plan->folder).text, stage->name, why);
    if (done.phase == TW_RUN_STATE_STAGES && done.begun) return TW_STATUS_OK;
    const tw_status status = tw_run_stage_check(run);
    x->end = !run->ended; /* otherwise it ends where it has ended */
    if (run->ended) run->state = done;
    run->ended = false;
    return status;
}

/* Results at the former end of the stage. */
static tw_status withdraw_results(tw_run *run, const tw_scenario_stage *before, bool remove)
{
    const struct {
        const char *group, *name, *ending;
    } results[] = {{"stages", before->name, ".json"},
                   {"stages", before->name, ".h5"},
                   {"states", before->save, ".h5"}};
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; k < sizeof results / sizeof *results && status == TW_STATUS_OK; k++) {
        if (!results[k].name) continue;
        char path[300];
        snprintf(path, sizeof path, "%s/%s%s", results[k].group, results[k].name,
                 results[k].ending);
        if (remove)
            (void)unlink(tw_folder_path_join(run->plan->folder, path).text);
        else
            status = tw_run_files_withdraw(run, path);
    }
    return status;
}

static tw_status save_finished(const extension *x)
{
    const tw_scenario *s = x->run->scenario;
    tw_status status = TW_STATUS_OK;
    for (size_t i = 0; i < x->open && status == TW_STATUS_OK; i++)
        if (s->stages[i].save && !x->before->stages[i].save && is_finished(x, i))
            status = tw_run_checkpoint_copy(x->run,
                                            tw_folder_path_join("stages", s->stages[i].name).text,
                                            tw_folder_path_join("states", s->stages[i].save).text);
    return status;
}

/* Two commits: both pairs are of the new scenario before anything that the old one has listed
 * changes. */
static tw_status take_new_scenario(extension *x, const char *resolved)
{
    tw_run *run = x->run;
    tw_run_state *state = &run->state;
    const tw_scenario_stage *last = x->end ? &x->before->stages[x->open - 1] : NULL;
    const bool done = state->stage >= run->scenario->stage_count;
    if (state->phase >= TW_RUN_STATE_STAGES && !state->begun)
        state->phase = done ? TW_RUN_STATE_DONE : TW_RUN_STATE_STAGES;
    state->scenario = tw_run_identity(resolved, state->first);
    tw_status status = tw_run_log(run, "extended at step %" PRIu64 ": %s", state->steps, x->what);
    if (status == TW_STATUS_OK) status = save_finished(x);
    if (status == TW_STATUS_OK) status = tw_run_files_withdraw(run, "scenario.yaml");
    if (status == TW_STATUS_OK) status = tw_run_files_withdraw(run, "scenario.json");
    if (status == TW_STATUS_OK && last) status = withdraw_results(run, last, false);
    if (status == TW_STATUS_OK && last) status = tw_run_report_reopen(run);
    for (int k = 0; k < PAIRS && status == TW_STATUS_OK; k++)
        status = tw_run_checkpoint_commit(run);
    if (status == TW_STATUS_OK && last) status = withdraw_results(run, last, true);
    return status == TW_STATUS_OK ? bring_up_to_date(run) : status;
}

static tw_status extend_from(tw_run *run, const tw_scenario *before, const char *resolved,
                             const char *old)
{
    const tw_scenario *after = run->scenario;
    run->scenario = before; /* whose stages the pair knows */
    tw_status status = find_pair(run, old);
    run->scenario = after;
    if (status != TW_STATUS_OK) return status;
    const tw_run_state *state = &run->state;
    if (state->phase == TW_RUN_STATE_START) return start(run, resolved, false);
    const bool stages = state->phase >= TW_RUN_STATE_STAGES;
    extension x = {.run = run, .before = before};
    x.open = stages ? (size_t)state->stage + (state->begun ? 1 : 0) : 0;
    if (!tw_scenario_compare(before, after, judge, &x)) return tw_error_set_memory(run->error);
    if (x.refused > 0) return refuse_extension(&x);
    status = recall(run);
    if (status == TW_STATUS_OK && x.end) status = reopen(&x);
    if (status == TW_STATUS_OK) status = tw_run_report_open(run);
    return status == TW_STATUS_OK ? take_new_scenario(&x, resolved) : status;
}

/* Goes on with a scenario that begins as that of the run in the folder. */
static tw_status extend(tw_run *run, const char *resolved)
{
    const tw_folder_path path = tw_folder_path_join(run->plan->folder, "scenario.yaml");
    tw_run_state newest = {0};
    bool found;
    tw_status status = tw_run_state_newest(&newest, run->plan->folder, &found, run->error);
    if (status != TW_STATUS_OK) return status;
    if (found && newest.scenario == tw_run_identity(resolved, newest.first))
        return resume(run, resolved);
    char *old = tw_read_file_all(path.text, NULL, run->error);
    if (!old) return run->error->status;
    tw_scenario_errors errors;
    tw_scenario *before = tw_scenario_read_begun(path.text, NULL, 0, &errors);
    status = before ? extend_from(run, before, resolved, old)
                    : tw_error_set(run->error, TW_STATUS_INPUT, "cannot be extended: %.400s",
                                   errors.count > 0 ? errors.text[0] : "out of memory");
    tw_scenario_errors_free(&errors);
    tw_scenario_free(before);
    free(old);
    return status;
}

/* ---- Either ---- */

static tw_status check_plan(const tw_run *run)
{
    const char *folder = run->plan->folder;
    if (strlen(folder) > FOLDER_MAX)
        return tw_error_set(run->error, TW_STATUS_INPUT,
                            "the path of the folder has %zu characters, the limit is %d",
                            strlen(folder), (int)FOLDER_MAX);
    if ((run->plan->resume || run->plan->extend) && run->plan->restart)
        return tw_error_set(run->error, TW_STATUS_INPUT,
                            "--%s continues the run in %s, --restart moves it aside: give one "
                            "of them",
                            run->plan->extend ? "extend" : "resume",
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
    if (content.state && !plan->resume && !plan->extend)
        return tw_error_set(
            run->error, TW_STATUS_INPUT,
            "%s already holds a run: add --resume to continue it, --extend to go on with a longer "
            "scenario, --restart to move it aside and start over, or choose another folder with "
            "--out",
            tw_error_shorten_path(plan->folder).text);
    if (!content.state) {
        const tw_status status = tw_run_folder_refuse(plan->folder, &content, run->error);
        if (status != TW_STATUS_OK) return status;
    }
    tw_run_folder_clean(plan->folder, run->scenario);
    if (!content.state) return start(run, resolved, false);
    const tw_status status = plan->extend ? extend(run, resolved) : resume(run, resolved);
    if (status == TW_STATUS_OK && *run->lock.before && !run->lock.unsupported)
        tw_run_remark(run, "%s did not shut down cleanly; resuming from step %" PRIu64,
                      run->lock.before, run->state.steps);
    return status;
}

/* A run that has taken no step may take its specimen from another. */
static tw_status adopt_specimen(tw_run *run)
{
    const tw_run_state *state = &run->state;
    if (!run->plan->specimen || state->phase != TW_RUN_STATE_COMPRESS || state->steps > 0)
        return TW_STATUS_OK;
    const tw_status status = take_specimen(run);
    if (status == TW_STATUS_OK && run->plan->log)
        run->plan->log("specimen: as prepared by another run", run->plan->context);
    return status;
}

/* Which program has taken which steps, where these have other roundings than those of the engine.
 */
static tw_status log_steps(tw_run *run)
{
    const bool now = (tw_sim_device_traits(tw_sim_device(run->sim)) & TW_SIM_DEVICE_DIVIDED) != 0;
    if (now == (run->state.lammps == 1) || run->state.phase == TW_RUN_STATE_DONE)
        return TW_STATUS_OK;
    run->state.lammps = now;
    return tw_run_log(run, "from step %" PRIu64 " on: steps by %s", run->state.steps,
                      now ? "LAMMPS: other roundings than those of the engine" : "the engine");
}

/* Devices are not in the log, which does not depend on where a run is computed, but for LAMMPS. */
static tw_status move_to_device(tw_run *run)
{
    const tw_status status = tw_sim_set_device(run->sim, run->plan->device, run->error);
    if (status != TW_STATUS_OK) return status;
    const char *device = tw_sim_device(run->sim);
    if (!(tw_sim_device_traits(device) & (TW_SIM_DEVICE_HOST | TW_SIM_DEVICE_DIVIDED)))
        tw_run_remark(run, "steps are computed on the device %s", device);
    return log_steps(run);
}

tw_status tw_run_open(tw_run *run)
{
    const char *folder = run->plan->folder;
    tw_status status = check_plan(run);
    if (status != TW_STATUS_OK) return status;
    char *resolved = tw_scenario_write_text(run->scenario);
    if (!resolved) return tw_error_set_memory(run->error);
    const bool made = !tw_run_file_exists(folder);
    status = tw_folder_make(folder, run->error);
    if (status == TW_STATUS_OK) status = tw_run_lock_take(&run->lock, folder, run->error);
    if (status == TW_STATUS_OK) status = open_folder(run, resolved);
    if (status == TW_STATUS_OK) status = adopt_specimen(run);
    if (status == TW_STATUS_OK) status = move_to_device(run);
    free(resolved);
    if (status != TW_STATUS_OK && made) {
        tw_run_report_close(run);
        (void)tw_run_lock_release(&run->lock);
        (void)rmdir(folder); /* nothing was written, or it stays */
    }
    return status;
}
