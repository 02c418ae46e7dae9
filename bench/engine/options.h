/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line of the engine benchmarks. */
#ifndef BENCH_ENGINE_OPTIONS_H
#define BENCH_ENGINE_OPTIONS_H

#include "scene.h"

enum { OPTIONS_COUNTS = 16 };

typedef struct options {
    scene_def scene;
    uint64_t steps;  /* timed steps */
    int rounds;      /* for bench_threads */
    int busy;        /* for bench_threads: number of busy processes */
    int apart;       /* run them in separate sessions */
    const char *csv; /* file for the table as CSV; NULL: none */
    size_t count[OPTIONS_COUNTS];
    int counts;
} options;

/* `known` lists the options of the program, `usage` is its usage line. Exits with status 2 if the
 * command line is wrong. */
options options_read(int argc, char **argv, options known, const char *usage);

#endif
