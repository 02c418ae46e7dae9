/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects the errors and warnings of a scenario, each with its source location and key. */
#ifndef TW_SCENARIO_DIAGNOSTICS_H
#define TW_SCENARIO_DIAGNOSTICS_H

#include <stdarg.h>
#include <stdbool.h>

#include <twirl/scenario.h>

#include "base/error.h"
#include "scenario/key_path.h"
#include "scenario/location.h"

enum { TW_DIAGNOSTICS_MAX = 1000 }; /* further errors are dropped, and further warnings */

typedef struct tw_diagnostics_item {
    tw_location location;
    char *text;
    bool warning;
} tw_diagnostics_item;

typedef struct tw_diagnostics {
    const char *name;            /* of the file */
    const char *const *settings; /* as given by the user */
    tw_diagnostics_item *item;
    size_t count, capacity;
    size_t warnings; /* among the items */
    bool out_of_memory;
} tw_diagnostics;

/* Adds a line "LOCATION: KEY: message"; `key_path` may be NULL. */
void tw_diagnostics_add(tw_diagnostics *diagnostics, tw_location location,
                        const tw_key_path *key_path, const char *format, ...) TW_PRINTF_LIKE(4, 5);
void tw_diagnostics_add_list(tw_diagnostics *diagnostics, tw_location location,
                             const tw_key_path *key_path, const char *format, va_list arguments);

/* Adds a line "LOCATION: KEY: warning: message", which does not make the scenario invalid. */
void tw_diagnostics_warn_list(tw_diagnostics *diagnostics, tw_location location,
                              const tw_key_path *key_path, const char *format, va_list arguments);

void tw_diagnostics_out_of_memory(tw_diagnostics *diagnostics);

/* Errors alone. */
static inline size_t tw_diagnostics_errors(const tw_diagnostics *diagnostics)
{
    return diagnostics->count - diagnostics->warnings;
}

static inline bool tw_diagnostics_any(const tw_diagnostics *diagnostics)
{
    return tw_diagnostics_errors(diagnostics) > 0 || diagnostics->out_of_memory;
}

static inline bool tw_diagnostics_full(const tw_diagnostics *diagnostics)
{
    return tw_diagnostics_errors(diagnostics) >= TW_DIAGNOSTICS_MAX || diagnostics->out_of_memory;
}

/* Moves the lines to `errors`, sorted by location with settings last. Leaves `diagnostics` empty.
 */
void tw_diagnostics_release(tw_diagnostics *diagnostics, tw_scenario_errors *errors);

#endif
