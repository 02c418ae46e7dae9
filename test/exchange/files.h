/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the tests of src/exchange: cmocka with its prerequisites, and files in a temporary
 * directory, which is the working directory while the test runs. */
#ifndef TWIRL_TEST_EXCHANGE_FILES_H
#define TWIRL_TEST_EXCHANGE_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exchange/specimen.h"

/* Group fixtures: create a directory and enter it; leave and remove it. */
int files_enter(void **state);
int files_leave(void **state);

void files_write(const char *name, const char *text);
void files_write_bytes(const char *name, const void *bytes, size_t count);

/* The whole file, for the caller to free. */
char *files_read(const char *name);

/* The number of files in the working directory. */
size_t files_count(void);

/* Fails unless value <= bound; a NaN fails. */
#define check_at_most(value, bound) check_bound((value), (bound), #value, __FILE__, __LINE__)
void check_bound(double value, double bound, const char *text, const char *file, int line);

/* Fails unless the error message contains the words. */
void check_text(const tw_error *error, const char *words);

/* Default settings with kn = kt = 1e4 N/m and mu = 0.5. */
tw_sim_def check_def(void);

#endif
