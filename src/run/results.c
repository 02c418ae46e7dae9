/* SPDX-License-Identifier: BSD-3-Clause */
/* For readers of results: whether the run is under way, what it has saved, and whether history and
 * results are its own. */
#define _DEFAULT_SOURCE /* gethostname, kill */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <twirl/run.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "run/file_list.h"

/* ---- Whether the run is under way ---- */

/* A run saves its state every few minutes. */
enum { SILENT_SECONDS = 900 };

static bool is_recent(const char *folder)
{
    static const char *const names[] = {"history.csv", "run_state_a.txt", "run_state_b.txt"};
    const time_t now = time(NULL);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct stat about;
        if (stat(tw_folder_path_join(folder, names[k]).text, &about) == 0 &&
            now - about.st_mtime < SILENT_SECONDS)
            return true;
    }
    return false;
}

/* Whether the process holds the file open, as the holder of a lock does: its number may have gone
 * to another process since. A process of another user cannot be asked, and counts if it exists. */
static bool has_open(long process, const struct stat *file)
{
    if (kill((pid_t)process, 0) != 0) return errno == EPERM;
    for (int descriptor = 0; descriptor < 256; descriptor++) {
        char path[64];
        struct stat about;
        snprintf(path, sizeof path, "/proc/%ld/fd/%d", process, descriptor);
        if (stat(path, &about) == 0 && about.st_ino == file->st_ino && about.st_dev == file->st_dev)
            return true;
    }
    return access("/proc/self/fd", F_OK) != 0;
}

static bool is_held(const char *folder)
{
    const tw_folder_path path = tw_folder_path_join(folder, "lock");
    char host[100] = "", there[101] = "";
    long process = 0;
    struct stat about;
    if (stat(path.text, &about) != 0) return false;
    char *text = tw_read_file_all(path.text, NULL, NULL);
    const bool named = text && sscanf(text, "process %ld on %100s", &process, there) == 2;
    free(text);
    (void)gethostname(host, sizeof host - 1);
    if (named && process > 0 && strcmp(host, there) == 0) return has_open(process, &about);
    return is_recent(folder);
}

char *tw_run_status_failure(const char *folder)
{
    char *text = tw_read_file_all(tw_folder_path_join(folder, "failure.txt").text, NULL, NULL);
    if (text) text[strcspn(text, "\n")] = '\0';
    return text;
}

tw_run_status tw_run_status_of(const char *folder)
{
    /* The lock first: a run that ends meanwhile has its summary before it gives up the lock. */
    const bool held = is_held(folder);
    if (tw_run_file_exists(tw_folder_path_join(folder, "summary.json").text))
        return TW_RUN_STATUS_FINISHED;
    if (held) return TW_RUN_STATUS_RUNNING;
    const bool failed = tw_run_file_exists(tw_folder_path_join(folder, "failure.txt").text);
    return failed ? TW_RUN_STATUS_FAILED : TW_RUN_STATUS_INTERRUPTED;
}

const char *tw_run_status_name(tw_run_status status)
{
    static const char *const names[] = {"running", "finished", "interrupted", "failed"};
    return names[status];
}

/* ---- What is saved ---- */

tw_status tw_run_saved_read(const char *folder, tw_run_saved *saved, tw_error *error)
{
    assert(folder && saved);
    tw_error unused;
    tw_run_state state = {0};
    bool found;
    if (!error) error = &unused;
    tw_error_clear(error);
    *saved = (tw_run_saved){.found = 0};
    const tw_status status = tw_run_state_newest(&state, folder, &found, error);
    if (status != TW_STATUS_OK || !found) return status;
    saved->found = 1;
    saved->finished = state.phase == TW_RUN_STATE_DONE;
    saved->within = state.begun != 0;
    saved->stage_number = state.phase < TW_RUN_STATE_STAGES ? 0 : (size_t)state.stage + 1;
    saved->steps = state.steps;
    saved->time = state.time;
    if (state.commit > 0)
        snprintf(saved->checkpoint, sizeof saved->checkpoint, "checkpoint_%s.h5",
                 tw_run_state_pair(&state));
    return TW_STATUS_OK;
}

/* ---- Whether the history is that of its run ---- */

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

/* The end of a history that is still being written is not known. */
static tw_status judge(const tw_run_state *state, const char *path, size_t length, uint64_t wanted,
                       size_t line, tw_error *error)
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
    if (state->phase == TW_RUN_STATE_DONE && length != wanted)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s: %zu bytes, but the run wrote %" PRIu64
                            ": its end was changed, or rows are missing there",
                            name.text, length, wanted);
    return TW_STATUS_OK;
}

/* Or a series. */
static tw_status check_rows(const char *folder, const tw_run_state *state,
                            const tw_run_state_file *file, tw_error *error)
{
    const tw_folder_path path = tw_folder_path_join(folder, file->name);
    size_t length, line = 0;
    uint32_t check;
    if (!tw_run_file_exists(path.text)) return TW_STATUS_OK;
    char *text = tw_read_file_all(path.text, &length, error);
    if (!text) return error->status;
    show_zeros(text, length);
    if (state->phase != TW_RUN_STATE_DONE) cut_incomplete_line(text, length);
    /* The header is taken as it is: the check of the first row covers it. */
    char *header = strndup(text, strcspn(text, "\n") + 1);
    if (header) line = tw_run_history_check_find(state->identity, header, text, &check);
    const tw_status status = header ? judge(state, path.text, length, *file->length, line, error)
                                    : tw_error_set_memory(error);
    free(header);
    free(text);
    return status;
}

/* ---- Whether all results are those of their run ---- */

/* A file that grows: what it was at the last saved state. */
static tw_status check_grown(const char *folder, const char *name, uint64_t length, uint64_t hash,
                             tw_error *error)
{
    const tw_folder_path path = tw_folder_path_join(folder, name);
    if (!tw_run_file_exists(path.text)) return TW_STATUS_OK;
    return tw_run_append_file_check(path.text, length, hash, error);
}

static tw_status check_listed(const char *folder, const tw_run_state *state, tw_error *error)
{
    const tw_folder_path list = tw_folder_path_join(folder, "files.txt");
    if (!tw_run_file_exists(list.text)) return TW_STATUS_OK;
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
        if (stop < start || !tw_run_json_is_whole(start, (size_t)(stop - start), identity))
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
    const tw_folder_path path = tw_folder_path_join(folder, "summary.json");
    size_t length;
    if (state->phase != TW_RUN_STATE_DONE || !tw_run_file_exists(path.text)) return TW_STATUS_OK;
    char *text = tw_read_file_all(path.text, &length, error);
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
    tw_status status = tw_run_state_newest(&state, folder, &found, error);
    if (status != TW_STATUS_OK || !found) return status;
    tw_run_state_file list[TW_RUN_STATE_FILES];
    const size_t count = tw_run_state_files(&state, list);
    /* The first, files.txt, with what it lists. */
    for (size_t k = 1; k < count && status == TW_STATUS_OK; k++)
        status = k >= TW_RUN_STATE_HISTORY
                     ? check_rows(folder, &state, &list[k], error)
                     : check_grown(folder, list[k].name, *list[k].length, *list[k].hash, error);
    if (status == TW_STATUS_OK) status = check_listed(folder, &state, error);
    return status == TW_STATUS_OK ? check_summary(folder, &state, error) : status;
}

tw_status tw_run_results_check(const char *folder, tw_error *error)
{
    assert(folder);
    tw_error unused;
    tw_c_locale plain; /* files have decimal points, whatever the caller's locale */
    if (!error) error = &unused;
    tw_error_clear(error);
    if (!tw_c_locale_push(&plain)) return tw_error_set_memory(error);
    const tw_status status = check_results(folder, error);
    tw_c_locale_pop(&plain);
    return status;
}
