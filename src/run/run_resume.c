/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_resume.h"

#include <inttypes.h>
#include <string.h>

#include "run/report.h"
#include "run/run_checkpoint.h"
#include "run/run_files.h"
#include "run/run_folder.h"
#include "run/run_identity.h"

enum { PAIRS = 2 };

typedef struct candidate {
    const char *name; /* of the run state */
    bool readable;    /* the run state is whole and of this scenario */
    bool other;       /* it is whole and of another scenario */
    tw_run_state state;
    tw_error problem; /* why it cannot be used */
} candidate;

/* ---- What belongs to a pair ---- */

static tw_status check_outputs(const tw_run *run, tw_error *error)
{
    const tw_run_state *state = &run->state;
    const struct {
        const char *name;
        uint64_t length, hash;
    } part[] = {{"files.txt", state->files, state->files_hash},
                {"history.csv", state->history, state->history_hash},
                {"run.log", state->log, state->log_hash}};
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; k < sizeof part / sizeof *part && status == TW_STATUS_OK; k++) {
        const tw_file_path path = tw_file_path_join(run->plan->folder, part[k].name);
        status = tw_append_file_check(path.text, part[k].length, part[k].hash, error);
    }
    return status;
}

/* Nothing has been computed, so the run begins again; unless there is more than its start leaves.
 */
static tw_status check_start(const tw_run *run)
{
    const tw_run_folder_content content = tw_run_folder_look(run->plan->folder);
    if (!content.results && !tw_report_has_rows(run->plan->folder)) return TW_STATUS_OK;
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
    tw_status status = tw_report_check(run); /* names the row, if it can */
    if (status == TW_STATUS_OK) status = check_outputs(run, run->error);
    if (status == TW_STATUS_OK)
        status = tw_run_files_check(run->plan->folder, state->files, true, run->error);
    return status == TW_STATUS_OK ? tw_run_checkpoint_load(run) : status;
}

/* ---- The two pairs ---- */

static void read_candidate(const tw_run *run, const char *resolved, candidate *c)
{
    const tw_file_path path = tw_file_path_join(run->plan->folder, c->name);
    c->readable = c->other = false;
    if (!tw_file_exists(path.text)) {
        tw_error_set(&c->problem, TW_STATUS_INPUT, "%s: missing", c->name);
        return;
    }
    if (tw_run_state_read(&c->state, path.text, &c->problem) != TW_STATUS_OK) return;
    c->readable = c->state.identity == tw_run_identity(resolved, c->state.first);
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

static tw_status refuse(const tw_run *run, const candidate *newer, const candidate *older)
{
    const tw_error_path folder = tw_error_shorten_path(run->plan->folder);
    if (!newer->readable && !older->readable && (newer->other || older->other))
        return tw_error_set(run->error, TW_STATUS_INPUT,
                            "%s holds a run of another scenario, see its scenario.yaml: resume "
                            "with the same file and settings, or choose another folder with --out",
                            folder.text);
    return tw_error_set(run->error, TW_STATUS_INPUT,
                        "the run cannot be resumed. Its two saved states: %.170s; %.130s. "
                        "Put the files back as they were, or add --restart to move %.60s aside and "
                        "start over",
                        brief(run, newer), brief(run, older), folder.text);
}

tw_status tw_run_resume(tw_run *run, const char *resolved)
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
    return refuse(run, newer, older);
}
