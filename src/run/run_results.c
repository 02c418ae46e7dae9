/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/run.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/text.h"
#include "run/append_file.h"
#include "run/file.h"
#include "run/json.h"
#include "run/run_files.h"
#include "run/run_state.h"

/* A file that grows: what it was at the last saved state. */
static tw_status check_grown(const char *folder, const char *name, uint64_t length, uint64_t hash,
                             tw_error *error)
{
    const tw_file_path path = tw_file_path_join(folder, name);
    if (!tw_file_exists(path.text)) return TW_STATUS_OK;
    return tw_append_file_check(path.text, length, hash, error);
}

static tw_status check_listed(const char *folder, const tw_run_state *state, tw_error *error)
{
    const tw_file_path list = tw_file_path_join(folder, "files.txt");
    if (!tw_file_exists(list.text)) return TW_STATUS_OK;
    const tw_status status =
        check_grown(folder, "files.txt", state->files, state->files_hash, error);
    return status == TW_STATUS_OK ? tw_run_files_check(folder, state->files, false, error) : status;
}

/* Each stage ends with a check of its own. */
static bool stages_are_whole(const char *text, size_t length, uint64_t identity)
{
    static const char first[] = "\n    {\"name\": ", last[] = "\n  ]\n}\n";
    const size_t end = sizeof last - 1;
    if (length < end || memcmp(text + length - end, last, end) != 0) return false;
    for (const char *at = strstr(text, first), *next; at; at = next) {
        const char *start = at + strspn(at, "\n ");
        next = strstr(start, first);
        const char *stop = next ? next - 1 : text + length - end; /* before a comma */
        if (stop < start || !tw_json_is_whole(start, (size_t)(stop - start), identity))
            return false;
    }
    return true;
}

/* What the run state knows of the lines before the stages. */
static bool head_is_right(const char *text, const tw_run_state *state)
{
    tw_text_buffer run = {0}, time = {0};
    tw_text_buffer_add(&run, "\n  \"run\": \"%016" PRIx64 "\",\n", state->identity);
    tw_text_buffer_add(&time, "\n  \"steps\": %" PRIu64 ",\n  \"time\": ", state->steps);
    tw_text_buffer_add_json_number(&time, state->time);
    tw_text_buffer_add(&time, ",\n  \"stages\": [");
    /* without memory nothing is known */
    const bool right = run.failed || time.failed ||
                       (strstr(text, run.text) != NULL && strstr(text, time.text) != NULL);
    tw_text_buffer_free(&run);
    tw_text_buffer_free(&time);
    return right;
}

/* Not in the list of files: it is written when the list is complete. */
static tw_status check_summary(const char *folder, const tw_run_state *state, tw_error *error)
{
    const tw_file_path path = tw_file_path_join(folder, "summary.json");
    size_t length;
    if (state->phase != TW_RUN_STATE_DONE || !tw_file_exists(path.text)) return TW_STATUS_OK;
    char *text = tw_file_read_bytes(path.text, &length, error);
    if (!text) return error->status;
    const bool whole =
        head_is_right(text, state) && stages_are_whole(text, length, state->identity);
    free(text);
    if (whole) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT,
                        "%s: not the summary that the run has written: damaged, changed, or of "
                        "another run",
                        tw_error_shorten_path(path.text).text);
}

static tw_status check_results(const char *folder, tw_error *error)
{
    tw_run_state state = {0};
    bool found;
    tw_status status = tw_run_history_check(folder, error);
    if (status == TW_STATUS_OK) status = tw_run_state_newest(&state, folder, &found, error);
    if (status != TW_STATUS_OK || !found) return status;
    status = check_grown(folder, "run.log", state.log, state.log_hash, error);
    if (status == TW_STATUS_OK) status = check_listed(folder, &state, error);
    return status == TW_STATUS_OK ? check_summary(folder, &state, error) : status;
}

tw_status tw_run_results_check(const char *folder, tw_error *error)
{
    tw_error unused;
    tw_plain plain; /* files have decimal points, whatever the caller's locale */
    if (!error) error = &unused;
    if (!tw_plain_enter(&plain)) return tw_error_set_memory(error);
    const tw_status status = check_results(folder, error);
    tw_plain_leave(&plain);
    return status;
}
