/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of a sweep:
 *
 *     sweep.yaml              what was asked for
 *     inputs/NAME.yaml        the resolved scenario of each case and of each shared specimen
 *     specimens/NAME/         runs that prepare shared specimens
 *     cases/NAME/             runs of the cases
 *     logs/NAME.log           what they printed
 *     table.csv ...           results
 */
#ifndef TWIRL_APP_SWEEP_FOLDER_H
#define TWIRL_APP_SWEEP_FOLDER_H

#include <stdbool.h>

#include "base/file.h"
#include "sweep/sweep_grid.h"

/* Whether the run in this folder has ended. */
bool tw_sweep_folder_is_finished(const char *run);

/* Creates the folder and its scenarios, or with `resume` finds the same sweep there, or one
 * with fewer cases. The folder
 * stays locked as long as this process or one of its children lives. Returns an exit status; errors
 * have been printed. */
int tw_sweep_folder_open(const char *folder, const tw_sweep_grid *grid, const char *scenario,
                         const char *const *settings, size_t setting_count, bool resume,
                         const char *command);

/* Removes the lock of an opened folder, which holds until the program ends: the next sweep makes a
 * new file. */
void tw_sweep_folder_close(const char *folder);

#endif
