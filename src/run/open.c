/* SPDX-License-Identifier: BSD-3-Clause */
/* How a run begins: with a new folder, or where an earlier one was cut short. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/simd.h>

#include "base/error.h"
#include "run/grains.h"
#include "run/runner.h"

enum { LONGEST = 3500 }; /* name of the folder: those of files in it fit a tw_path then */

tw_status tw_run_check(const tw_scenario *scenario, tw_error *error)
{
    if (scenario->stage_count == 0 && (scenario->specimen.file || scenario->specimen.checkpoint))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "stages: there is none, and the specimen is there already: nothing "
                            "would be run");
    return TW_STATUS_OK;
}

static bool is_generated(const tw_scenario *s)
{
    return !s->specimen.file && !s->specimen.checkpoint;
}

static bool is_prepared(const tw_scenario *s)
{
    return is_generated(s) && (s->specimen.arrangement == TW_SCENARIO_RANDOM ||
                               !isnan(s->specimen.preparation.pressure));
}

static tw_status make_folders(tw_runner *run, const char *resolved)
{
    const char *folder = run->plan->folder;
    tw_status status = tw_files_make_folder(folder, run->error);
    if (status == TW_STATUS_OK)
        status = tw_files_make_folder(tw_path_of(folder, "states").text, run->error);
    if (status == TW_STATUS_OK)
        status = tw_files_make_folder(tw_path_of(folder, "stages").text, run->error);
    if (status == TW_STATUS_OK)
        status = tw_files_write(tw_path_of(folder, "scenario.yaml").text, resolved,
                                strlen(resolved), run->error);
    return status;
}

static tw_status start(tw_runner *run, const char *resolved)
{
    double porosity;
    const tw_scenario *s = run->scenario;
    run->sim = tw_grains_make(s, &porosity, run->error);
    if (!run->sim) {
        if (run->error->status == TW_STATUS_FILE) run->error->status = TW_STATUS_INPUT;
        return run->error->status;
    }
    tw_sim_set_threads(run->sim, run->plan->threads);
    tw_runner_measure_grains(run);
    run->specimen = tw_sim_definition(run->sim);
    tw_status status = make_folders(run, resolved);
    if (status == TW_STATUS_OK) status = tw_report_open(run);
    if (status == TW_STATUS_OK && run->plan->program)
        status = tw_runner_note(run, "%s, %s", run->plan->program, tw_simd_name());
    if (status == TW_STATUS_OK && is_generated(s))
        status = tw_runner_note(run,
                                "specimen: %zu grains, mean diameter %g m, placed at porosity "
                                "%.4f",
                                tw_sim_bodies(run->sim), run->diameter, porosity);
    run->place.phase[0] = is_prepared(s) ? TW_PLACE_COMPRESS : TW_PLACE_STAGES;
    const char *folder = run->plan->folder;
    if (status == TW_STATUS_OK && s->specimen.preparation.friction == TW_SCENARIO_AUTO &&
        is_prepared(s))
        status = tw_sim_save(run->sim, tw_path_of(folder, "loose.h5").text, run->error);
    if (status == TW_STATUS_OK && !is_prepared(s))
        status =
            tw_sim_save(run->sim, tw_path_in(folder, "states", "specimen", ".h5").text, run->error);
    if (run->place.phase[0] == TW_PLACE_STAGES && s->stage_count == 0)
        run->place.phase[0] = TW_PLACE_DONE;
    return status;
}

/* The line says where the specimen's file is: whole projects may be moved while a run is halted. */
static bool is_place(const char *line, size_t length)
{
    static const char *const keys[] = {"  file: ", "  checkpoint: "};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (length > strlen(keys[k]) && strncmp(line, keys[k], strlen(keys[k])) == 0) return true;
    return false;
}

/* Up to and with the last slash. */
static size_t folder_length(const char *line, size_t length)
{
    while (length > 0 && line[length - 1] != '/')
        length--;
    return length;
}

static bool same_line(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (is_place(a, a_length) && is_place(b, b_length)) {
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

/* The folder belongs to one scenario. */
static tw_status check_same(const tw_runner *run, const char *resolved)
{
    const tw_path path = tw_path_of(run->plan->folder, "scenario.yaml");
    char *before = tw_files_read(path.text, run->error);
    if (!before) return run->error->status;
    const bool same = same_scenario(before, resolved);
    free(before);
    if (same) return TW_STATUS_OK;
    return tw_error_set(run->error, TW_STATUS_INPUT,
                        "the run in %s is one of another scenario, as its scenario.yaml says: "
                        "resume with the same file and settings, or choose another folder",
                        run->plan->folder);
}

/* A checkpoint has a law and damping of its own; the first state of the run keeps them. */
static tw_status recall_specimen(tw_runner *run)
{
    if (!run->scenario->specimen.checkpoint) {
        run->specimen = tw_grains_definition(run->scenario);
        return TW_STATUS_OK;
    }
    const tw_path path = tw_path_in(run->plan->folder, "states", "specimen", ".h5");
    tw_sim *sim = tw_sim_load(path.text, run->error);
    if (!sim) return run->error->status;
    run->specimen = tw_sim_definition(sim);
    tw_sim_free(sim);
    return TW_STATUS_OK;
}

static tw_status take_up(tw_runner *run, const char *resolved)
{
    tw_status status = check_same(run, resolved);
    if (status == TW_STATUS_OK) status = recall_specimen(run);
    if (status == TW_STATUS_OK)
        status =
            tw_place_read(&run->place, tw_path_of(run->plan->folder, "place.txt").text, run->error);
    if (status != TW_STATUS_OK) return status;
    if (run->place.phase[0] == TW_PLACE_STAGES && run->place.stage[0] >= run->scenario->stage_count)
        return tw_error_set(run->error, TW_STATUS_INPUT, "%s/place.txt: there is no stage %d",
                            run->plan->folder, (int)run->place.stage[0] + 1);
    run->sim = tw_sim_load(tw_runner_checkpoint(run).text, run->error);
    if (!run->sim) return run->error->status;
    tw_sim_set_threads(run->sim, run->plan->threads);
    tw_runner_measure_grains(run);
    run->travelled_before = run->place.travelled[0];
    return tw_report_open(run);
}

static tw_status open_folder(tw_runner *run, const char *resolved)
{
    const char *folder = run->plan->folder;
    if (strlen(folder) > LONGEST)
        return tw_error_set(run->error, TW_STATUS_INPUT,
                            "the name of the folder has %zu characters; %d are possible",
                            strlen(folder), (int)LONGEST);
    const bool begun = tw_files_exist(tw_path_of(folder, "scenario.yaml").text);
    if (begun && !run->plan->resume)
        return tw_error_set(run->error, TW_STATUS_INPUT,
                            "%s holds a run already: go on with it, or choose another folder",
                            folder);
    if (begun && tw_files_exist(tw_path_of(folder, "place.txt").text))
        return take_up(run, resolved);
    if (begun && check_same(run, resolved) != TW_STATUS_OK) return run->error->status;
    return start(run, resolved);
}

tw_status tw_open(tw_runner *run)
{
    char *resolved = tw_scenario_write_text(run->scenario);
    if (!resolved) return tw_error_set(run->error, TW_STATUS_MEMORY, "no memory for the scenario");
    const tw_status status = open_folder(run, resolved);
    free(resolved);
    return status;
}
