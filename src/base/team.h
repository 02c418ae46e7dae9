/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that work on the parts of a loop together. Each thread that runs loops has a team of its
 * own, which lives as long as that thread does. */
#ifndef TW_BASE_TEAM_H
#define TW_BASE_TEAM_H

#include <stdbool.h>
#include <stddef.h>

enum { TW_TEAM_MAX = 4096 };

/* Calls `body` for the parts 0 .. parts - 1 on at most so many threads, the calling one among them,
 * and returns when all parts are done. Who does which part is left to chance. Fewer threads do it
 * all where no more can be had; the calling one alone does it within a part of another loop.
 * Returns for how long the parts kept processors busy, by those that the calling thread did [s];
 * negative: it did none. */
double tw_team_run(size_t parts, int threads, void (*body)(void *context, size_t part),
                   void *context);

/* Whether the calling thread is within a part of a loop that several threads share. */
bool tw_team_inside(void);

/* Processors that the calling thread may use. */
int tw_team_processors(void);

#endif
