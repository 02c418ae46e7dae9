/* SPDX-License-Identifier: BSD-3-Clause */
/* files.txt: the files that the run has completed, one per line with hash, length and, for frames,
 * time. A run is not resumed if one of them has changed. */
#ifndef TW_RUN_FILE_LIST_H
#define TW_RUN_FILE_LIST_H

#include "run/run.h"

/* Lists a file that has been written. `name` is its path within the folder of the run; `time` is
 * that of a frame, else 0. */
tw_status tw_run_files_add(tw_run *run, const char *name, double time);

/* The file will be written again: what was listed under its name does not count any more, and a
 * file that is there is not checked until it is listed again. */
tw_status tw_run_files_withdraw(tw_run *run, const char *name);

/* Whether the file is listed, and not withdrawn. */
bool tw_run_files_has(const tw_run *run, const char *name);

/* Whether the files listed in the first `length` bytes are as they were. All: all of them, by their
 * hashes. Otherwise those that are there: states and frames by their lengths, which takes no time,
 * the others by their hashes. */
tw_status tw_run_files_check(const char *folder, uint64_t length, bool all, tw_error *error);

/* The times of the listed files START<number>END, in their order, for the caller to free. NULL and
 * an error on failure. */
double *tw_run_files_times(const tw_run *run, const char *start, const char *end, size_t *count);

#endif
