/* SPDX-License-Identifier: BSD-3-Clause */
/* What the harnesses share. Each defines what libFuzzer calls, the first of the two where it has
 * something to prepare; replay.c calls them for the files of a folder instead. */
#ifndef TWIRL_TEST_FUZZ_H
#define TWIRL_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process with a message: a property does not hold. */
_Noreturn void fuzz_fail(const char *what);

/* A file in memory that can be opened by its path, and its content. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
