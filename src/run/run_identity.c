/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/hash.h"

/* Whether a line of the scenario names an input file. */
static bool names_file(const char *line)
{
    static const char *const keys[] = {"file: ", "checkpoint: "};
    line += strspn(line, " -");
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (strncmp(line, keys[k], strlen(keys[k])) == 0) return true;
    return false;
}

/* Where the name of the file begins: behind the last slash. */
static size_t folder_length(const char *line, size_t length)
{
    while (length > 0 && line[length - 1] != '/')
        length--;
    return length;
}

uint64_t tw_run_identity(const char *resolved, uint64_t first)
{
    tw_hash hash = tw_hash_start(first);
    for (const char *line = resolved; *line;) {
        const size_t length = strcspn(line, "\n");
        const size_t skipped = names_file(line) ? folder_length(line, length) : 0;
        tw_hash_add(&hash, line + skipped, length - skipped);
        tw_hash_add(&hash, "\n", 1);
        line += length + (line[length] == '\n');
    }
    return tw_hash_value(&hash);
}
