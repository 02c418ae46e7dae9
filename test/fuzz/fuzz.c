/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* For harnesses that have nothing to prepare. */
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

void fuzz_fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    abort();
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
    static int file = -1;
    static char path[64];
    if (file < 0) {
        file = memfd_create("fuzz", MFD_CLOEXEC);
        if (file < 0) fuzz_fail("memfd_create");
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size)
        fuzz_fail("cannot write the file in memory");
    return path;
}
