/* SPDX-License-Identifier: BSD-3-Clause */
/* FOLDER/lock: held by the process that runs in the folder, and released by the system when the
 * process ends, however it ends. Its text names the process for the message. */
#ifndef TW_RUN_RUN_LOCK_H
#define TW_RUN_RUN_LOCK_H

#include <stdbool.h>

#include <twirl/types.h>

#include "run/file.h"

typedef struct tw_run_lock {
    int descriptor;   /* -1: not held */
    bool unsupported; /* the file system has no locks: nothing is held */
    tw_file_path path;
} tw_run_lock;

/* Refuses if another process, or another run of this one, holds it. */
tw_status tw_run_lock_take(tw_run_lock *lock, const char *folder, tw_error *error);

/* Also removes the file. False, with the reason in errno, if that fails; then it stays, which does
 * no harm. */
bool tw_run_lock_release(tw_run_lock *lock);

#endif
