/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of scenarios share. */
#ifndef TWIRL_TEST_SCENARIO_SUPPORT_H
#define TWIRL_TEST_SCENARIO_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <twirl/scenario.h>

#include "scenario/key.h"

/* Reads a text named a.yaml, with settings that end with NULL. It must be right. */
tw_scenario *support_read(const char *text, ...);

/* The same for one that must be wrong: all errors, one a line. To be freed. */
char *support_errors(const char *text, ...);

/* The errors of `text` must be exactly these lines. */
void support_refused(const char *text, const char *lines);

/* Some line must have these words. */
void support_has(const char *lines, const char *words);

/* Every field of every key, to the bit. Prints the key where they differ. */
bool support_equal(const tw_key_section *section, const void *a, const void *b);

/* The smallest scenario that is right, and the same with a stage to follow. */
#define SUPPORT_SMALL                                                                              \
    "specimen: {preparation: {pressure: 100 kPa}}\n"                                               \
    "material: {kn: 1e5}\n"

/* The bytes of a file, with a NUL behind; to be freed. */
char *support_file(const char *path, size_t *length);

#endif
