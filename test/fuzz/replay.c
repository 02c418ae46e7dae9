/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a harness without libFuzzer, as a normal test: on the files of folders, or with
 * --random COUNT FIRST BYTES on that many random inputs of up to so many bytes. A harness whose
 * input is a list of changes finds as much in this way, and several times as fast. */
#define _XOPEN_SOURCE 700 /* directories */
#include "fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"

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

static volatile sig_atomic_t running; /* number of the random input */

static void name_input(int number)
{
    char text[64];
    const int size = snprintf(text, sizeof text, "random input %ld\n", (long)running);
    if (write(STDERR_FILENO, text, (size_t)size) != size) _exit(1);
    signal(number, SIG_DFL);
    raise(number);
}

/* Input k depends on k alone: a failure is repeated by "--random 1 k BYTES". */
static int run_random(long count, long first, size_t most)
{
    uint8_t *data = malloc(most);
    if (!data) fuzz_fail("out of memory");
    const time_t start = time(NULL);
    signal(SIGABRT, name_input);
    signal(SIGALRM, name_input);
    for (long k = first; k < first + count; k++) {
        uint64_t state = (uint64_t)k << 32;
        running = (sig_atomic_t)k;
        const size_t size = 1 + (size_t)(tw_random_splitmix(&state) % most);
        for (size_t at = 0; at < size; at++)
            data[at] = (uint8_t)(tw_random_splitmix(&state) >> 32);
        if (k % 1000 == 0) alarm(60); /* so long for a thousand, or one of them hangs */
        (void)LLVMFuzzerTestOneInput(data, size);
        if ((k + 1 - first) % 100000 == 0) fprintf(stderr, "%ld inputs\n", k + 1 - first);
    }
    free(data);
    printf("%ld random inputs from %ld, %.0f s\n", count, first, difftime(time(NULL), start));
    return 0;
}

int main(int argc, char **argv)
{
    size_t count = 0;
    if (LLVMFuzzerInitialize(&argc, &argv) != 0) fuzz_fail("cannot start the harness");
    if (argc == 5 && strcmp(argv[1], "--random") == 0)
        return run_random(atol(argv[2]), atol(argv[3]), (size_t)atol(argv[4]));
    for (int i = 1; i < argc; i++) {
        const size_t here = replay_folder(argv[i]);
        if (here == 0) fuzz_fail(argv[i]);
        count += here;
    }
    printf("%zu inputs\n", count);
    return count >= 3 ? 0 : 1;
}
