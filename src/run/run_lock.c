/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* flock, gethostname */
#include "run/run_lock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

enum { TRIES = 100 };

static tw_status refuse(const char *folder, int file, tw_error *error)
{
    char holder[200] = "";
    const ssize_t got = pread(file, holder, sizeof holder - 1, 0);
    holder[got > 0 ? strcspn(holder, "\n") : 0] = '\0';
    return tw_error_set(error, TW_STATUS_INPUT,
                        "%s is in use by %s: wait until that run has ended, or choose another "
                        "folder with --out",
                        tw_error_shorten_path(folder).text, *holder ? holder : "another process");
}

/* Whether the path still leads to this file: its last holder may have removed it meanwhile. */
static bool is_current(int file, const char *path)
{
    struct stat mine, there;
    return fstat(file, &mine) == 0 && stat(path, &there) == 0 && mine.st_ino == there.st_ino &&
           mine.st_dev == there.st_dev;
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
    lock->path = tw_file_path_join(folder, "lock");
    lock->unsupported = false;
    lock->descriptor = -1;
    for (int k = 0; k < TRIES; k++) {
        const int file = tw_file_open_own(lock->path.text, error);
        if (file < 0) return TW_STATUS_FILE;
        const bool held = flock(file, LOCK_EX | LOCK_NB) == 0;
        const int number = held ? 0 : errno;
        if (!held && number == EINTR) {
            close(file);
            continue;
        }
        if (!held && (number == EWOULDBLOCK || number == EACCES)) {
            const tw_status status = refuse(folder, file, error);
            close(file);
            return status;
        }
        if (held && !is_current(file, lock->path.text)) {
            close(file);
            continue;
        }
        lock->unsupported = !held;
        lock->descriptor = file;
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
    close(lock->descriptor);
    lock->descriptor = -1;
    errno = number;
    return removed;
}
