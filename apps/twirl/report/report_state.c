/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_state.h"

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

#include "report/report_file.h"

const char *const tw_report_state_names[] = {"running", "finished", "interrupted", "failed"};

/* A run on another machine saves its state every few minutes. */
enum { SILENT_SECONDS = 900 };

static bool is_recent(const char *folder)
{
    static const char *const names[] = {"history.csv", "run_state_a.txt", "run_state_b.txt"};
    const time_t now = time(NULL);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[PATH_MAX];
        struct stat about;
        const int used = snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        if (used < 0 || (size_t)used >= sizeof path || stat(path, &about) != 0) continue;
        if (now - about.st_mtime < SILENT_SECONDS) return true;
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

/* The lock says "process NUMBER on HOST". */
static bool is_held(const char *folder)
{
    char path[PATH_MAX], host[100] = "", there[101] = "";
    long process = 0;
    struct stat about;
    const int used = snprintf(path, sizeof path, "%s/lock", folder);
    if (used < 0 || (size_t)used >= sizeof path || stat(path, &about) != 0) return false;
    tw_report_file lock = tw_report_file_read(folder, "lock");
    const bool named = lock.text && sscanf(lock.text, "process %ld on %100s", &process, there) == 2;
    tw_report_file_free(&lock);
    (void)gethostname(host, sizeof host - 1);
    if (named && process > 0 && strcmp(host, there) == 0) return holds(process, &about);
    return is_recent(folder);
}

const char *tw_report_state_failure(const char *log)
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
    tw_report_file log = tw_report_file_read(folder, "run.log");
    const bool failed = tw_report_state_failure(log.text);
    tw_report_file_free(&log);
    return failed;
}

tw_report_state tw_report_state_of(const char *folder)
{
    /* The lock first: a run that ends meanwhile has its summary before it gives up the lock. */
    const bool held = is_held(folder);
    if (tw_report_file_exists(folder, "summary.json")) return TW_REPORT_STATE_FINISHED;
    if (held) return TW_REPORT_STATE_RUNNING;
    return has_failed(folder) ? TW_REPORT_STATE_FAILED : TW_REPORT_STATE_INTERRUPTED;
}
