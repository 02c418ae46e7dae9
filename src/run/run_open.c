/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_open.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/simd.h>

#include "base/replace_file.h"
#include "run/grains.h"
#include "run/report.h"
#include "run/run_view.h"

/* Longest path of a folder: the paths of files in it must fit a tw_file_path. */
enum { FOLDER_MAX = 3500 };

/* ---- A new run ---- */

static bool is_generated(const tw_scenario *s)
{
    return !s->specimen.file && !s->specimen.checkpoint;
}

static bool is_prepared(const tw_scenario *s)
{
    return is_generated(s) && (s->specimen.arrangement == TW_SCENARIO_RANDOM ||
                               !isnan(s->specimen.preparation.pressure));
}

static tw_status make_folders(tw_run *run, const char *resolved)
{
    static const char *const parts[] = {"states", "stages"};
    const char *folder = run->plan->folder;
    tw_status status = tw_file_make_folder(folder, run->error);
    for (size_t k = 0; status == TW_STATUS_OK && k < sizeof parts / sizeof *parts; k++)
        status = tw_file_make_folder(tw_file_path_join(folder, parts[k]).text, run->error);
    if (status != TW_STATUS_OK) return status;
    return tw_replace_file_with(tw_file_path_join(folder, "scenario.yaml").text, resolved,
                                strlen(resolved), run->error);
}

/* The state to which the search for friction returns, or the specimen if it is not prepared. */
static tw_status save_start(const tw_run *run)
{
    const tw_scenario *s = run->scenario;
    if (!is_prepared(s)) return tw_run_save(run, "states", "specimen");
    if (s->specimen.preparation.friction != TW_SCENARIO_AUTO) return TW_STATUS_OK;
    const tw_file_path path = tw_file_path_join(run->plan->folder, "loose.h5");
    return tw_sim_save(run->sim, path.text, run->error);
}

static tw_status start(tw_run *run, const char *resolved)
{
    double porosity;
    const tw_scenario *s = run->scenario;
    const tw_scatter_watch watch = {tw_run_view_report_placed, run};
    run->sim = tw_grains_make(s, &watch, &porosity, run->error);
    if (!run->sim) {
        if (run->error->status == TW_STATUS_FILE) run->error->status = TW_STATUS_INPUT;
        return run->error->status;
    }
    tw_sim_set_threads(run->sim, run->plan->threads);
    tw_run_measure_grains(run);
    run->specimen = tw_sim_definition(run->sim);
    tw_status status = make_folders(run, resolved);
    if (status == TW_STATUS_OK) status = tw_report_open(run);
    if (status == TW_STATUS_OK && run->plan->program)
        status = tw_run_log(run, "%s, %s", run->plan->program, tw_simd_name());
    if (status == TW_STATUS_OK && is_generated(s))
        status =
            tw_run_log(run, "specimen: %zu grains, mean diameter %g m, placed at porosity %.4f",
                       tw_sim_bodies(run->sim), run->diameter, porosity);
    if (status == TW_STATUS_OK) status = save_start(run);
    run->state.phase = is_prepared(s)       ? TW_RUN_STATE_COMPRESS
                       : s->stage_count > 0 ? TW_RUN_STATE_STAGES
                                            : TW_RUN_STATE_DONE;
    return status;
}

/* ---- The same scenario? ---- */

/* Whether the line names the specimen's file. Projects may be moved between runs, so only the name
 * of the file counts, not its folder. */
static bool names_file(const char *line, size_t length)
{
    static const char *const keys[] = {"  file: ", "  checkpoint: "};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (length > strlen(keys[k]) && strncmp(line, keys[k], strlen(keys[k])) == 0) return true;
    return false;
}

/* Length up to and including the last slash. */
static size_t folder_length(const char *line, size_t length)
{
    while (length > 0 && line[length - 1] != '/')
        length--;
    return length;
}

static bool same_line(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (names_file(a, a_length) && names_file(b, b_length)) {
        const size_t a_folder = folder_length(a, a_length), b_folder = folder_length(b, b_length);
        a += a_folder;
        a_length -= a_folder;
        b += b_folder;
        b_length -= b_folder;
    }
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static bool same_scenario(const char *a, const char *b)
{
    while (*a && *b) {
        const size_t a_length = strcspn(a, "\n"), b_length = strcspn(b, "\n");
        if (!same_line(a, a_length, b, b_length)) return false;
        a += a_length + (a[a_length] == '\n');
        b += b_length + (b[b_length] == '\n');
    }
    return *a == *b;
}

static tw_status check_scenario(const tw_run *run, const char *resolved)
{
    const tw_file_path path = tw_file_path_join(run->plan->folder, "scenario.yaml");
    char *before = tw_file_read(path.text, run->error);
    if (!before) return run->error->status;
    const bool same = same_scenario(before, resolved);
    free(before);
    if (same) return TW_STATUS_OK;
    return tw_error_set(run->error, TW_STATUS_INPUT,
                        "%s holds a run of another scenario, see its scenario.yaml: resume with "
                        "the same file and settings, or choose another folder with --out",
                        run->plan->folder);
}

/* ---- A resumed run ---- */

/* A checkpoint brings its own law and damping; the first state of the run still has them. */
static tw_status recall_specimen(tw_run *run)
{
    if (!run->scenario->specimen.checkpoint) {
        run->specimen = tw_grains_definition(run->scenario);
        return TW_STATUS_OK;
    }
    const tw_file_path path = tw_file_path_in(run->plan->folder, "states", "specimen", ".h5");
    tw_sim *sim = tw_sim_load(path.text, run->error);
    if (!sim) return run->error->status;
    run->specimen = tw_sim_definition(sim);
    tw_sim_free(sim);
    return TW_STATUS_OK;
}

static tw_status resume(tw_run *run, const char *state_path)
{
    tw_run_state *state = &run->state;
    tw_status status = recall_specimen(run);
    if (status == TW_STATUS_OK) status = tw_run_state_read(state, state_path, run->error);
    if (status != TW_STATUS_OK) return status;
    if (state->phase == TW_RUN_STATE_STAGES && state->stage >= run->scenario->stage_count)
        return tw_error_set(run->error, TW_STATUS_INPUT, "%s: there is no stage %d", state_path,
                            (int)state->stage + 1);
    status = tw_run_load(run, tw_run_checkpoint_path(run).text);
    if (status != TW_STATUS_OK) return status;
    tw_run_measure_grains(run);
    run->travelled_before = state->travelled;
    return tw_report_open(run);
}

static tw_status open_folder(tw_run *run, const char *resolved)
{
    const char *folder = run->plan->folder;
    if (strlen(folder) > FOLDER_MAX)
        return tw_error_set(run->error, TW_STATUS_INPUT,
                            "the path of the folder has %zu characters, the limit is %d",
                            strlen(folder), (int)FOLDER_MAX);
    const tw_file_path state = tw_file_path_join(folder, "run_state.txt");
    const bool begun = tw_file_exists(tw_file_path_join(folder, "scenario.yaml").text);
    if (begun && !run->plan->resume)
        return tw_error_set(
            run->error, TW_STATUS_INPUT,
            "%s already holds a run: add --resume to continue it, or choose another "
            "folder with --out",
            folder);
    if (!begun) return start(run, resolved);
    const tw_status status = check_scenario(run, resolved);
    if (status != TW_STATUS_OK) return status;
    tw_replace_file_clean(folder);
    return tw_file_exists(state.text) ? resume(run, state.text) : start(run, resolved);
}

tw_status tw_run_open(tw_run *run)
{
    char *resolved = tw_scenario_write_text(run->scenario);
    if (!resolved) return tw_error_set_memory(run->error);
    const tw_status status = open_folder(run, resolved);
    free(resolved);
    return status;
}
