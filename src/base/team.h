/* SPDX-License-Identifier: BSD-3-Clause */
/* A pool of threads that share the parts of a loop. Each thread that runs loops has a team of its
 * own, which lives as long as the thread. */
#ifndef TW_BASE_TEAM_H
#define TW_BASE_TEAM_H

#include <stdbool.h>
#include <stddef.h>

enum { TW_TEAM_MAX = 4096 };

/* Calls `body` for the parts 0 .. parts - 1 on at most `threads` threads, including the calling
 * one, and returns when all parts are done. Which thread runs which part is not defined. Fewer
 * threads run all parts if no more can be created; a loop within a part of another loop runs on the
 * calling thread. Returns the processor time of all parts, extrapolated from those that the calling
 * thread ran [s]; negative if it ran none. */
double tw_team_run(size_t parts, int threads, void (*body)(void *context, size_t part),
                   void *context);

/* Whether the calling thread is running a part of a shared loop. */
bool tw_team_inside(void);

/* Processors that the calling thread may use. */
int tw_team_processors(void);

#endif
