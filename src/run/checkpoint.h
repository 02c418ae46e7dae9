/* SPDX-License-Identifier: BSD-3-Clause */
/* States of the run in its folder. Each has a label: identity of the run, name, step. A state is
 * read only under the label that it was written with. */
#ifndef TW_RUN_CHECKPOINT_H
#define TW_RUN_CHECKPOINT_H

#include "run/run.h"

/* Saves the simulation as FOLDER/NAME.h5, a file of the results. */
tw_status tw_run_checkpoint_keep(tw_run *run, const char *name);

/* Saves the result FOLDER/NAME.h5 also as FOLDER/COPY.h5. */
tw_status tw_run_checkpoint_copy(tw_run *run, const char *name, const char *copy);

/* Loads FOLDER/NAME.h5; NULL on failure. */
tw_sim *tw_run_checkpoint_open(const tw_run *run, const char *name, tw_error *error);

/* Replaces the simulation of the run by FOLDER/NAME.h5. */
tw_status tw_run_checkpoint_return(tw_run *run, const char *name);

/* Writes the next pair of checkpoint and run state, over the older one. At any moment the other
 * pair is whole. */
tw_status tw_run_checkpoint_commit(tw_run *run);

/* Adds to an error of a device from where, and how, the run can be continued. Returns its status.
 */
tw_status tw_run_checkpoint_tell(const tw_run *run, tw_error *error);

/* Replaces the simulation of the run by the checkpoint that belongs to its run state. */
tw_status tw_run_checkpoint_load(tw_run *run);

#endif
