/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* gethostname */
#include <twirl/run.h>

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "run/file.h"

/* ---- The scenario ---- */

/* The file of a specimen is not read, so that any other file will do. */
tw_scenario *tw_run_read_scenario(const char *folder, tw_scenario_errors *errors)
{
    static const char *const keys[] = {"specimen.file", "specimen.checkpoint"};
    const tw_file_path path = tw_file_path_join(folder, "scenario.yaml");
    tw_scenario *scenario = tw_scenario_read(path.text, NULL, 0, errors);
    for (int k = 0; !scenario && k < 2; k++) {
        char full[PATH_MAX], setting[PATH_MAX + 32];
        tw_scenario_errors other;
        if (!realpath(path.text, full)) break;
        snprintf(setting, sizeof setting, "%s=%s", keys[k], full);
        const char *const settings[] = {setting};
        scenario = tw_scenario_read(path.text, settings, 1, &other);
        tw_scenario_errors_free(&other);
    }
    return scenario;
}

/* ---- Whether the run goes on ---- */

/* A run saves its state every few minutes. */
enum { SILENT_SECONDS = 900 };

static bool is_recent(const char *folder)
{
    static const char *const names[] = {"history.csv", "run_state_a.txt", "run_state_b.txt"};
    const time_t now = time(NULL);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct stat about;
        if (stat(tw_file_path_join(folder, names[k]).text, &about) == 0 &&
            now - about.st_mtime < SILENT_SECONDS)
            return true;
    }
    return false;
}

/* Whether the process holds the file open, as the holder of a lock does: its number may have gone
 * to another process since. A process of another user cannot be asked, and counts if it exists. */
static bool holds(long process, const struct stat *file)
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
    const tw_file_path path = tw_file_path_join(folder, "lock");
    char host[100] = "", there[101] = "";
    long process = 0;
    struct stat about;
    tw_error error;
    if (stat(path.text, &about) != 0) return false;
    char *text = tw_file_read(path.text, &error);
    const bool named = text && sscanf(text, "process %ld on %100s", &process, there) == 2;
    free(text);
    (void)gethostname(host, sizeof host - 1);
    if (named && process > 0 && strcmp(host, there) == 0) return holds(process, &about);
    return is_recent(folder);
}

const char *tw_run_status_failure(const char *log)
{
    static const char mark[] = "failed: ";
    if (!log) return NULL;
    const char *last = log, *end = log + strlen(log);
    for (const char *k = log; k < end; k++)
        if (*k == '\n' && k + 1 < end) last = k + 1;
    return strncmp(last, mark, sizeof mark - 1) == 0 ? last + sizeof mark - 1 : NULL;
}

static bool has_failed(const char *folder)
{
    tw_error error;
    char *log = tw_file_read(tw_file_path_join(folder, "run.log").text, &error);
    const bool failed = tw_run_status_failure(log);
    free(log);
    return failed;
}

tw_run_status tw_run_status_of(const char *folder)
{
    /* The lock first: a run that ends meanwhile has its summary before it gives up the lock. */
    const bool held = is_held(folder);
    if (tw_file_exists(tw_file_path_join(folder, "summary.json").text))
        return TW_RUN_STATUS_FINISHED;
    if (held) return TW_RUN_STATUS_RUNNING;
    return has_failed(folder) ? TW_RUN_STATUS_FAILED : TW_RUN_STATUS_INTERRUPTED;
}

const char *tw_run_status_name(tw_run_status status)
{
    static const char *const names[] = {"running", "finished", "interrupted", "failed"};
    return names[status];
}
