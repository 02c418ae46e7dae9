/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* flock, gethostname */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <twirl/run.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "run/files.h"
#include "run/folder.h"

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
    {"run_state_a.txt", true},
    {"run_state_b.txt", false},
    {"run_state.txt", false},
    {"checkpoint_a.h5", false},
    {"checkpoint_b.h5", true},
    {"scenario.yaml", true},
    {"scenario.json", true},
    {"history.csv", true},
    {"run.log", true},
    {"files.txt", true},
    {"warnings.txt", true},
    {"failure.txt", true},
    {"loose.h5", true},
    {"states", true},
    {"surfaces", true},
    {"stages", false},
    {"vtk", false},
    {"lammps", false},
    {"summary.json", false},
    {"timing.json", false},
    {"datapackage.json", true},
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
    for (size_t k = 0; tw_run_series_at(k); k++) {
        char name[64];
        snprintf(name, sizeof name, "%s.csv", tw_run_series_at(k)->name);
        if (holds(folder, name)) tw_text_add_word(content.found, sizeof content.found, name);
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
    static const char *const parts[] = {".", "states", "stages", "vtk", "lammps", "surfaces"};
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
