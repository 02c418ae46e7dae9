/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a harness on the files of folders, without libFuzzer, as a normal test. */
#define _XOPEN_SOURCE 700 /* directories */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return 0; /* a folder */
    enum { MOST = 1 << 21 };
    uint8_t *data = malloc(MOST);
    if (!data) fuzz_fail("out of memory");
    const size_t size = fread(data, 1, MOST, file);
    const int whole = !ferror(file);
    fclose(file);
    /* a copy of exactly this size, as in libFuzzer, so that reading past the end is noticed */
    uint8_t *copy = malloc(size + (size == 0));
    if (!copy) fuzz_fail("out of memory");
    memcpy(copy, data, size);
    free(data);
    if (whole) (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    return whole ? 1 : 0;
}

static size_t replay_folder(const char *folder)
{
    size_t count = 0;
    DIR *directory = opendir(folder);
    if (!directory) return 0; /* a file */
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count += replay_folder(path) + replay_file(path);
    }
    closedir(directory);
    return count;
}

int main(int argc, char **argv)
{
    size_t count = 0;
    if (LLVMFuzzerInitialize(&argc, &argv) != 0) fuzz_fail("cannot start the harness");
    for (int i = 1; i < argc; i++) {
        const size_t here = replay_folder(argv[i]);
        if (here == 0) fuzz_fail(argv[i]);
        count += here;
    }
    printf("%zu inputs\n", count);
    return count >= 3 ? 0 : 1;
}
