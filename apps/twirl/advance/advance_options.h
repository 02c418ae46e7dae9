/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of `twirl advance`. */
#ifndef TWIRL_APP_ADVANCE_OPTIONS_H
#define TWIRL_APP_ADVANCE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <twirl/types.h>

#include "advance/advance_run.h"
#include "common/law_options.h"

typedef struct tw_advance_options {
    const char *input;
    tw_law_options law;
    double density, dt, local, mass, spin; /* NaN: not given */
    tw_args_matrix gradient;
    bool force_dt, resume, hash;
    int threads;        /* 0: not given */
    const char *device; /* NULL: not given */
    uint64_t steps;
    tw_advance_plan plan; /* without begin, target, resumed and saved */
} tw_advance_options;

/* Ends the program if something is missing or wrong. */
void tw_advance_options_parse(tw_advance_options *set, int argc, char **argv);

#endif
