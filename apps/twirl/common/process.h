/* SPDX-License-Identifier: BSD-3-Clause */
/* Other programs: gnuplot, ffmpeg. */
#ifndef TWIRL_APP_PROCESS_H
#define TWIRL_APP_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* Starts argv[0], found on the PATH, without a shell, as names may contain anything. `directory`
 * NULL: this one; `in` and `out`: its standard input and output, -1: those of this program. Returns
 * an errno. */
int tw_process_start(char *const *argv, const char *directory, int in, int out, pid_t *child);

/* Waits for it. False: it failed. */
bool tw_process_end(pid_t child);

#endif
