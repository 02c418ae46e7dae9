/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of a run: its lock, what it holds before a run writes to it, and for readers of
 * results whether the run is under way and whether the results are its own. */
#define _DEFAULT_SOURCE /* flock, gethostname */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <twirl/run.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "run/files.h"
#include "run/run.h"

/* ---- The lock ---- */

enum { TRIES = 100 };

static void read_holder(int file, char holder[200])
{
    const ssize_t got = pread(file, holder, 199, 0);
    holder[got > 0 ? got : 0] = '\0';
    holder[strcspn(holder, "\n")] = '\0';
}

static tw_status refuse(const char *folder, int file, tw_error *error)
{
    char holder[200];
    read_holder(file, holder);
    return tw_error_set(error, TW_STATUS_INPUT,
                        "%s is in use by %s: wait until that run has ended, or choose another "
                        "folder with --out",
                        tw_error_shorten_path(folder).text, *holder ? holder : "another process");
}

static void sign(int file)
{
    char host[100] = "", text[200];
    (void)gethostname(host, sizeof host - 1);
    const int length =
        snprintf(text, sizeof text, "process %ld on %s\n", (long)getpid(), *host ? host : "?");
    if (ftruncate(file, 0) == 0) (void)tw_write_all(file, text, (size_t)length);
}

tw_status tw_run_lock_take(tw_run_lock *lock, const char *folder, tw_error *error)
{
    lock->path = tw_folder_path_join(folder, "lock");
    lock->unsupported = false;
    lock->before[0] = '\0';
    lock->descriptor = -1;
    for (int k = 0; k < TRIES; k++) {
        const int file = tw_run_file_open_own(lock->path.text, error);
        if (file < 0) return TW_STATUS_FILE;
        const bool held = flock(file, LOCK_EX | LOCK_NB) == 0;
        const int number = held ? 0 : errno;
        if (number == EWOULDBLOCK || number == EACCES) {
            const tw_status status = refuse(folder, file, error);
            close(file);
            return status;
        }
        /* Its last holder may have removed it meanwhile. */
        if (number == EINTR || (held && !tw_run_file_is_at(file, lock->path.text))) {
            close(file);
            continue;
        }
        lock->unsupported = !held;
        lock->descriptor = file;
        read_holder(file, lock->before);
        sign(file);
        return TW_STATUS_OK;
    }
    return tw_error_set(error, TW_STATUS_FILE,
                        "%s cannot be locked: other runs start and end there",
                        tw_error_shorten_path(folder).text);
}

bool tw_run_lock_release(tw_run_lock *lock)
{
    if (lock->descriptor < 0) return true;
    /* before it is released: the next holder makes a new file */
    const bool removed = unlink(lock->path.text) == 0 || errno == ENOENT;
    const int number = errno;
    /* One that stays names no holder, so that nobody takes this process for killed. */
    if (!removed) (void)!ftruncate(lock->descriptor, 0);
    close(lock->descriptor);
    lock->descriptor = -1;
    errno = number;
    return removed;
}

/* ---- Before anything is written ---- */

/* What a run writes; an empty folder does not count. `start`: present before the first pair of
 * checkpoint and run state is complete. */
static const struct {
    const char *name;
    bool start;
} known[] = {
    {"run_state_a.txt", true}, {"run_state_b.txt", false},
    {"run_state.txt", false},  {"checkpoint_a.h5", false},
    {"checkpoint_b.h5", true}, {"scenario.yaml", true},
    {"scenario.json", true},   {"history.csv", true},
    {"run.log", true},         {"files.txt", true},
    {"warnings.txt", true},    {"failure.txt", true},
    {"loose.h5", true},        {"states", true},
    {"stages", false},         {"vtk", false},
    {"lammps", false},         {"summary.json", false},
    {"timing.json", false},    {"datapackage.json", true},
};

static bool is_empty_folder(const char *path)
{
    DIR *folder = opendir(path);
    bool empty = folder != NULL;
    for (struct dirent *entry; empty && (entry = readdir(folder)) != NULL;)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (folder) closedir(folder);
    return empty;
}

static bool holds(const char *folder, const char *name)
{
    const tw_folder_path path = tw_folder_path_join(folder, name);
    struct stat about;
    return lstat(path.text, &about) == 0 && !is_empty_folder(path.text);
}

tw_run_folder_content tw_run_folder_look(const char *folder)
{
    tw_run_folder_content content = {0};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (!holds(folder, known[k].name)) continue;
        tw_text_add_word(content.found, sizeof content.found, known[k].name);
        content.results |= !known[k].start;
    }
    content.state = holds(folder, "run_state_a.txt") || holds(folder, "run_state_b.txt");
    content.old_state = holds(folder, "run_state.txt");
    return content;
}

tw_status tw_run_folder_refuse(const char *folder, const tw_run_folder_content *content,
                               tw_error *error)
{
    const tw_error_path name = tw_error_shorten_path(folder);
    if (!*content->found) return TW_STATUS_OK;
    if (content->old_state)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s holds a run of an earlier version of twirl: resume it with that "
                            "version, add --restart to move the folder aside and start over, or "
                            "choose another folder with --out",
                            name.text);
    return tw_error_set(error, TW_STATUS_INPUT,
                        "%s holds %s, but no run that can be resumed: run_state_a.txt and "
                        "run_state_b.txt are missing. Put them back, add --restart to move the "
                        "folder aside and start over, or choose another folder with --out",
                        name.text, content->found);
}

void tw_run_folder_clean(const char *folder, const tw_scenario *scenario)
{
    static const char *const parts[] = {".", "states", "stages", "vtk", "lammps"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        tw_replace_file_clean(tw_folder_path_join(folder, parts[k]).text);
    for (size_t i = 0; i < scenario->stage_count; i++)
        tw_replace_file_clean(
            tw_folder_path_in(folder, "stages", scenario->stages[i].name, "").text);
}

tw_status tw_run_folder_set_aside(const char *folder, tw_folder_path *aside, tw_error *error)
{
    enum { NAMES_MAX = 10000 };
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    errno = EEXIST;
    for (int k = 1; k < NAMES_MAX; k++) {
        char number[16] = "";
        struct stat about;
        if (k > 1) snprintf(number, sizeof number, "%d", k);
        snprintf(aside->text, sizeof aside->text, "%.*s.old%s", (int)length, folder, number);
        if (lstat(aside->text, &about) == 0) continue;
        if (rename(folder, aside->text) == 0) return TW_STATUS_OK;
        if (errno != EEXIST && errno != ENOTEMPTY) break;
    }
    return tw_error_set(error, TW_STATUS_FILE, "cannot rename %s to %s: %s",
                        tw_error_shorten_path(folder).text, tw_error_shorten_path(aside->text).text,
                        tw_error_reason_of(errno).text);
}

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

static tw_status check_history(const char *folder, const tw_run_state *state, tw_error *error)
{
    const tw_folder_path path = tw_folder_path_join(folder, "history.csv");
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
    const tw_status status =
        header ? judge(state, path.text, length, line, error) : tw_error_set_memory(error);
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
    status = check_history(folder, &state, error);
    if (status == TW_STATUS_OK)
        status = check_grown(folder, "run.log", state.log, state.log_hash, error);
    if (status == TW_STATUS_OK)
        status = check_grown(folder, "warnings.txt", state.warnings, state.warnings_hash, error);
    if (status == TW_STATUS_OK) status = check_listed(folder, &state, error);
    return status == TW_STATUS_OK ? check_summary(folder, &state, error) : status;
}

tw_status tw_run_results_check(const char *folder, tw_error *error)
{
    tw_error unused;
    tw_c_locale plain; /* files have decimal points, whatever the caller's locale */
    if (!error) error = &unused;
    tw_error_clear(error);
    if (!tw_c_locale_push(&plain)) return tw_error_set_memory(error);
    const tw_status status = check_results(folder, error);
    tw_c_locale_pop(&plain);
    return status;
}
