/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_SCENARIO_FILL_CONTEXT_H
#define TW_SCENARIO_FILL_CONTEXT_H

#include "scenario/diagnostics.h"

/* Shared by the functions that fill a scenario. */
typedef struct tw_fill_context {
    tw_diagnostics *diagnostics;
    const char
        *folder; /* of the scenario file; relative paths start there. "": working directory */
} tw_fill_context;

#endif
