/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "run/checkpoint.h"
#include "run/file_list.h"

typedef struct label {
    char text[TW_SIM_LABEL_MAX + 1];
} label;

/* ---- Results ---- */

/* "run IDENTITY NAME step"; a long name loses its end. */
static label label_of(const tw_run *run, const char *name)
{
    label made;
    snprintf(made.text, sizeof made.text, "run %016" PRIx64 " %.180s step", run->state.identity,
             name);
    return made;
}

static tw_folder_path path_of(const tw_run *run, const char *name)
{
    tw_folder_path file;
    snprintf(file.text, sizeof file.text, "%s.h5", name);
    return tw_folder_path_join(run->plan->folder, file.text);
}

tw_status tw_run_checkpoint_keep(tw_run *run, const char *name)
{
    TW_CLOCK_HERE(TW_SIM_PHASE_OUTPUT);
    label made = label_of(run, name);
    const size_t used = strlen(made.text);
    snprintf(made.text + used, sizeof made.text - used, " %" PRIu64, tw_sim_steps(run->sim));
    const tw_status status =
        tw_sim_save_labelled(run->sim, path_of(run, name).text, made.text, run->error);
    char file[sizeof(tw_folder_path)];
    snprintf(file, sizeof file, "%s.h5", name);
    run->saved.kept = status == TW_STATUS_OK;
    return status == TW_STATUS_OK ? tw_run_files_add(run, file, 0.0) : status;
}

tw_status tw_run_checkpoint_copy(tw_run *run, const char *name, const char *copy)
{
    tw_sim *own = run->sim;
    const bool kept = run->saved.kept;
    run->sim = tw_run_checkpoint_open(run, name, run->error);
    const tw_status status = run->sim ? tw_run_checkpoint_keep(run, copy) : run->error->status;
    tw_sim_free(run->sim);
    run->sim = own;
    run->saved.kept = kept;
    return status;
}

static tw_status refuse_label(const char *path, const tw_sim *sim, const char *expected,
                              tw_error *error)
{
    const char *found = tw_sim_label(sim);
    return tw_error_set(error, TW_STATUS_INPUT,
                        "%s: not the state that this run has saved: its label is '%.100s', "
                        "expected '%.100s'",
                        tw_error_shorten_path(path).text, found, expected);
}

tw_sim *tw_run_checkpoint_open(const tw_run *run, const char *name, tw_error *error)
{
    const tw_folder_path path = path_of(run, name);
    tw_sim *sim = tw_sim_load(path.text, error);
    if (!sim) return NULL;
    const label expected = label_of(run, name);
    if (strncmp(tw_sim_label(sim), expected.text, strlen(expected.text)) == 0) return sim;
    refuse_label(path.text, sim, expected.text, error);
    tw_sim_free(sim);
    return NULL;
}

static void replace_simulation(tw_run *run, tw_sim *sim)
{
    tw_sim_free(run->sim);
    run->sim = sim;
    tw_sim_set_threads(sim, run->plan->threads);
}

tw_status tw_run_checkpoint_return(tw_run *run, const char *name)
{
    tw_sim *sim = tw_run_checkpoint_open(run, name, run->error);
    if (!sim) return run->error->status;
    replace_simulation(run, sim);
    return tw_sim_set_device(sim, run->plan->device, run->error);
}

/* ---- Pairs of checkpoint and run state ---- */

static label label_of_pair(const tw_run_state *state)
{
    label made;
    snprintf(made.text, sizeof made.text, "run %016" PRIx64 " checkpoint %" PRIu64 " step %" PRIu64,
             state->identity, state->commit, state->steps);
    return made;
}

/* FOLDER/STEM_PAIR.ENDING */
static tw_folder_path pair_path(const tw_run *run, const char *stem, const char *ending)
{
    char name[40];
    snprintf(name, sizeof name, "%s_%s.%s", stem, tw_run_state_pair(&run->state), ending);
    return tw_folder_path_join(run->plan->folder, name);
}

/* The state at the end of a stage or of the preparation is a result, GROUP/NAME.h5, and the pair
 * that is committed there has it too. NULL: there is no such result. */
static const char *result_of_pair(const tw_run *run, const char **group)
{
    const tw_run_state *state = &run->state;
    const bool stages = state->phase == TW_RUN_STATE_STAGES || state->phase == TW_RUN_STATE_DONE;
    if (!stages || state->begun) return NULL;
    *group = state->stage == 0 ? "states" : "stages";
    return state->stage == 0 ? "specimen" : run->scenario->stages[state->stage - 1].name;
}

/* Where there is such a result, the pair has another name of its file: writing a large state again
 * takes as long as many steps. A file is never changed, only replaced, so that neither name depends
 * on the other. */
static tw_status save_pair(tw_run *run)
{
    const char *group, *result = run->saved.kept ? result_of_pair(run, &group) : NULL;
    const tw_folder_path path = pair_path(run, "checkpoint", "h5");
    run->saved.kept = false;
    if (result && tw_replace_file_link(
                      path.text, tw_folder_path_in(run->plan->folder, group, result, ".h5").text))
        return TW_STATUS_OK;
    return tw_sim_save_labelled(run->sim, path.text, label_of_pair(&run->state).text, run->error);
}

static bool is_label_of_pair(const tw_run *run, const char *found)
{
    const char *group, *result = result_of_pair(run, &group);
    if (strcmp(found, label_of_pair(&run->state).text) == 0) return true;
    if (!result) return false;
    const label expected = label_of(run, tw_folder_path_join(group, result).text);
    return strncmp(found, expected.text, strlen(expected.text)) == 0;
}

/* To the disk, and their lengths and hashes into the state. */
static tw_status sync_outputs(tw_run *run)
{
    tw_run_state_file list[TW_RUN_STATE_FILES];
    const size_t count = tw_run_state_files(&run->state, list);
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; k < count && status == TW_STATUS_OK; k++)
        status = tw_run_append_file_sync(&run->output.file[k], run->error);
    for (size_t k = 0; k < count && status == TW_STATUS_OK; k++) {
        *list[k].length = run->output.file[k].length;
        *list[k].hash = tw_hash_value(&run->output.file[k].hash);
    }
    return status;
}

tw_status tw_run_checkpoint_commit(tw_run *run)
{
    TW_CLOCK_HERE(TW_SIM_PHASE_OUTPUT);
    tw_run_state *state = &run->state;
    tw_status status = sync_outputs(run);
    if (status != TW_STATUS_OK) return status;
    state->commit++;
    status = save_pair(run);
    state->state = tw_sim_hash(run->sim); /* after a save: it may be known from that */
    if (status == TW_STATUS_OK)
        status = tw_run_state_write(state, pair_path(run, "run_state", "txt").text, run->error);
    if (status != TW_STATUS_OK) {
        state->commit--; /* the pair last saved is still the one before */
        return status;
    }
    run->saved.at = tw_clock();
    run->saved.steps = state->steps;
    return TW_STATUS_OK;
}

tw_status tw_run_checkpoint_tell(const tw_run *run, tw_error *error)
{
    const tw_error why = *error;
    if (run->state.commit == 0) return why.status;
    return tw_error_set(error, why.status,
                        "%.330s; the run was last saved at step %" PRIu64
                        ", in checkpoint_%s.h5: continue from there on the CPU, with --resume "
                        "--device cpu",
                        why.text, run->saved.steps, tw_run_state_pair(&run->state));
}

tw_status tw_run_checkpoint_load(tw_run *run)
{
    const tw_folder_path path = pair_path(run, "checkpoint", "h5");
    tw_sim *sim = tw_sim_load(path.text, run->error);
    if (!sim) return run->error->status;
    tw_status status = TW_STATUS_OK;
    if (!is_label_of_pair(run, tw_sim_label(sim)))
        status = refuse_label(path.text, sim, label_of_pair(&run->state).text, run->error);
    else if (tw_sim_hash(sim) != run->state.state)
        status =
            tw_error_set(run->error, TW_STATUS_INPUT,
                         "%s: its state is not the one that belongs to run_state_%s.txt",
                         tw_error_shorten_path(path.text).text, tw_run_state_pair(&run->state));
    run->saved.steps = run->state.steps;
    if (status == TW_STATUS_OK)
        replace_simulation(run, sim);
    else
        tw_sim_free(sim);
    return status;
}
