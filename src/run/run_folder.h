/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of a run, before anything is written to it. */
#ifndef TW_RUN_RUN_FOLDER_H
#define TW_RUN_RUN_FOLDER_H

#include <stdbool.h>

#include <twirl/scenario.h>
#include <twirl/types.h>

#include "run/file.h"

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
tw_status tw_run_folder_set_aside(const char *folder, tw_file_path *aside, tw_error *error);

#endif
