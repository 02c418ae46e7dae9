/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_identity.h"

#include <stddef.h>
#include <string.h>

#include "base/hash.h"

/* Length of the line up to the path of an input file; 0 if it names none. */
static size_t path_begin(const char *line)
{
    static const char *const keys[] = {"file: ", "checkpoint: "};
    const size_t indent = strspn(line, " -");
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (strncmp(line + indent, keys[k], strlen(keys[k])) == 0) return indent + strlen(keys[k]);
    return 0;
}

/* The name of the file at the end of a path, which may be quoted. */
static void add_name(tw_hash *hash, const char *path, size_t length)
{
    if (length > 1 && (*path == '"' || *path == '\'') && path[length - 1] == *path) {
        path++;
        length -= 2;
    }
    size_t folder = length;
    while (folder > 0 && path[folder - 1] != '/')
        folder--;
    tw_hash_add(hash, path + folder, length - folder);
}

uint64_t tw_run_identity(const char *resolved, uint64_t first)
{
    tw_hash hash = tw_hash_start(first);
    for (const char *line = resolved; *line;) {
        const size_t length = strcspn(line, "\n"), path = path_begin(line);
        tw_hash_add(&hash, line, path > 0 ? path : length);
        if (path > 0) add_name(&hash, line + path, length - path);
        tw_hash_add(&hash, "\n", 1);
        line += length + (line[length] == '\n');
    }
    return tw_hash_value(&hash);
}
