/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the scenario tests. */
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

#include "scenario/schema.h"

/* Reads a valid text under the name a.yaml. Settings follow, ending with NULL. */
tw_scenario *support_read(const char *text, ...);

/* The errors of an invalid text, one per line, for the caller to free. */
char *support_errors(const char *text, ...);

/* The errors of `text` must be exactly these lines. */
void support_refused(const char *text, const char *lines);

/* `text` is valid, with exactly these warnings. */
void support_warned(const char *text, const char *lines);

/* `lines` must contain `words`. */
void support_has(const char *lines, const char *words);

/* Compares the bits of all fields; prints the first key that differs. */
bool support_equal(const tw_key_section *section, const void *a, const void *b);

/* The smallest valid scenario; further keys may follow. */
#define SUPPORT_SMALL                                                                              \
    "specimen: {preparation: {pressure: 100 kPa}}\n"                                               \
    "material: {kn: 1e5}\n"

/* The bytes of a file and a final NUL, for the caller to free. */
char *support_file(const char *path, size_t *length);

/* For cmocka_run_group_tests: tests run in a new folder, which is removed afterwards. */
int support_enter_folder(void **state);
int support_leave_folder(void **state);

/* Writes a file there; a group of tests has one name for all of them. */
void support_write(const char *name, const void *bytes, size_t count);

#endif
