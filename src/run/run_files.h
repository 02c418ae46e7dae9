/* SPDX-License-Identifier: BSD-3-Clause */
/* files.txt: the files that the run has completed, one per line with hash, length and, for frames,
 * time. A resumed run refuses to go on if one of them has changed. */
#ifndef TW_RUN_RUN_FILES_H
#define TW_RUN_RUN_FILES_H

#include "run/run.h"

/* Lists a file that has been written. `name` is its path within the folder of the run; `time` is
 * that of a frame, else 0. */
tw_status tw_run_files_add(tw_run *run, const char *name, double time);

/* Whether the files listed in the first `length` bytes are as they were. All: all of them, by their
 * hashes. Otherwise those that are there: states and frames by their lengths, which takes no time,
 * the others by their hashes. */
tw_status tw_run_files_check(const char *folder, uint64_t length, bool all, tw_error *error);

/* Files in states, stages, vtk and lammps that are not listed: names, as many as fit, and how many.
 * 0 if the list cannot be read. */
size_t tw_run_files_foreign(const tw_run *run, char *names, size_t size);

/* The times of the listed files START<number>END, in their order, for the caller to free. NULL and
 * an error on failure. */
double *tw_run_files_times(const tw_run *run, const char *start, const char *end, size_t *count);

#endif
