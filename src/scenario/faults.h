/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong with a scenario, collected. */
#ifndef TW_SCENARIO_FAULTS_H
#define TW_SCENARIO_FAULTS_H

#include <stdbool.h>

#include <twirl/scenario.h>

#include "scenario/place.h"

#if defined(__GNUC__)
#define TW_FAULTS_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TW_FAULTS_PRINTF(text, first)
#endif

enum { TW_FAULTS_MAX = 1000 }; /* beyond these a file is no scenario */

typedef struct tw_faults_item {
    tw_place place;
    char *text;
} tw_faults_item;

typedef struct tw_faults {
    const char *name;            /* of the file */
    const char *const *settings; /* as they were given */
    tw_faults_item *item;
    size_t count, capacity;
    bool memory; /* there was none */
} tw_faults;

/* Adds a line; `trail` may be NULL. */
void tw_faults_add(tw_faults *faults, tw_place place, const tw_trail *trail, const char *format,
                   ...) TW_FAULTS_PRINTF(4, 5);

/* No memory: nothing can be said. */
void tw_faults_memory(tw_faults *faults);

static inline bool tw_faults_any(const tw_faults *faults)
{
    return faults->count > 0 || faults->memory;
}

/* Nobody reads more. */
static inline bool tw_faults_full(const tw_faults *faults)
{
    return faults->count >= TW_FAULTS_MAX || faults->memory;
}

/* Hands the lines over, in the order of the file, those of settings last. Leaves `faults` empty. */
void tw_faults_give(tw_faults *faults, tw_scenario_errors *errors);

#endif
