/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of the engine's measurements. */
#ifndef BENCH_ENGINE_OPTIONS_H
#define BENCH_ENGINE_OPTIONS_H

#include "scene.h"

enum { OPTIONS_COUNTS = 16 };

typedef struct options {
    scene_def scene;
    uint64_t steps;  /* against the clock */
    int rounds;      /* of bench_threads */
    int busy;        /* likewise: processes beside it */
    int apart;       /* in sessions of their own */
    const char *csv; /* file for the table as CSV; NULL: none */
    size_t count[OPTIONS_COUNTS];
    int counts;
} options;

/* `known` is what the program wants, `usage` its own line of help. Ends the program with status 2
 * if the command line is wrong. */
options options_read(int argc, char **argv, options known, const char *usage);

#endif
