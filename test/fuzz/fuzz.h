/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the harnesses. Each defines LLVMFuzzerTestOneInput and, if it has something to prepare,
 * LLVMFuzzerInitialize. libFuzzer calls them, or replay.c for the files of a folder. */
#ifndef TWIRL_TEST_FUZZ_H
#define TWIRL_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Aborts with a message, because a property does not hold. */
_Noreturn void fuzz_fail(const char *what);

/* Writes a file in memory; returns a path by which it can be opened. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
