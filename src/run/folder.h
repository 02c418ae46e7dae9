/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_RUN_FOLDER_H
#define TW_RUN_FOLDER_H

#include <stdbool.h>

#include <twirl/scenario.h>

#include "base/file.h"

/* FOLDER/lock: held by the process that runs in the folder, and released by the system when the
 * process ends, however it ends. Its text names the process for the message. */
typedef struct tw_run_lock {
    int descriptor;   /* -1: not held */
    bool unsupported; /* the file system has no locks: nothing is held */
    char before[200]; /* the last holder, if it ended without releasing it; otherwise empty */
    tw_folder_path path;
} tw_run_lock;

/* Refuses if another process, or another run of this one, holds it. */
tw_status tw_run_lock_take(tw_run_lock *lock, const char *folder, tw_error *error);

/* Also removes the file. False, with the reason in errno, if that fails; then it stays, which does
 * no harm. */
bool tw_run_lock_release(tw_run_lock *lock);

/* ---- The folder of a run, before anything is written to it ---- */

typedef struct tw_run_folder_content {
    bool state;      /* run_state_a.txt or run_state_b.txt: a run that may be resumed */
    bool old_state;  /* run_state.txt: a run of an earlier version */
    bool results;    /* more than the start of a run leaves there */
    char found[200]; /* names of files and folders that a run writes, "" for none */
} tw_run_folder_content;

/* A folder that does not exist is empty. */
tw_run_folder_content tw_run_folder_look(const char *folder);

/* Refuses a folder with files that a new run would overwrite. */
tw_status tw_run_folder_refuse(const char *folder, const tw_run_folder_content *content,
                               tw_error *error);

/* Removes temporary files that a killed run has left. */
void tw_run_folder_clean(const char *folder, const tw_scenario *scenario);

/* Renames the folder to FOLDER.old, FOLDER.old2 ..., the first that is not there. */
tw_status tw_run_folder_set_aside(const char *folder, tw_folder_path *aside, tw_error *error);

#endif
