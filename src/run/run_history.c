/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/run.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "run/file.h"
#include "run/history_check.h"
#include "run/run_state.h"

/* Zeros would hide what follows. */
static void show_zeros(char *text, size_t length)
{
    for (size_t k = 0; k < length; k++)
        if (!text[k]) text[k] = '?';
}

static void cut_incomplete_line(char *text, size_t length)
{
    while (length > 0 && text[length - 1] != '\n')
        length--;
    text[length] = '\0';
}

/* The first wrong line. The header is taken as it is: the check of the first row covers it. */
static tw_status find(uint64_t identity, const char *text, size_t *line, tw_error *error)
{
    uint32_t check;
    char *header = strndup(text, strcspn(text, "\n") + 1);
    if (!header) return tw_error_set_memory(error);
    *line = tw_history_check_find(identity, header, text, &check);
    free(header);
    return TW_STATUS_OK;
}

/* The end of a history that is still being written is not known. */
static tw_status judge(const tw_run_state *state, const char *path, size_t length, size_t line,
                       tw_error *error)
{
    const tw_error_path name = tw_error_shorten_path(path);
    if (line == 2)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s:2: the history belongs to another run, or its first lines were "
                            "changed",
                            name.text);
    if (line > 0)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s:%zu: the row was changed, belongs to another run, or rows before "
                            "it are missing",
                            name.text, line);
    if (state->phase == TW_RUN_STATE_DONE && length != state->history)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s: %zu bytes, but the run wrote %" PRIu64
                            ": its end was changed, or rows are missing there",
                            name.text, length, state->history);
    return TW_STATUS_OK;
}

tw_status tw_run_history_check(const char *folder, tw_error *error)
{
    const tw_file_path path = tw_file_path_join(folder, "history.csv");
    tw_error unused;
    tw_run_state state = {0};
    bool found;
    size_t length, line = 0;
    if (!error) error = &unused;
    tw_error_clear(error);
    tw_status status = tw_run_state_newest(&state, folder, &found, error);
    if (status != TW_STATUS_OK || !found || !tw_file_exists(path.text)) return status;
    char *text = tw_file_read_bytes(path.text, &length, error);
    if (!text) return error->status;
    show_zeros(text, length);
    if (state.phase != TW_RUN_STATE_DONE) cut_incomplete_line(text, length);
    status = find(state.identity, text, &line, error);
    free(text);
    return status == TW_STATUS_OK ? judge(&state, path.text, length, line, error) : status;
}
