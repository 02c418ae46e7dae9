/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/file_name.h"

#include <stdio.h>
#include <string.h>

static void copy_name(char *name, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
}

void tw_file_name_base(char *name, size_t size, const char *path)
{
    copy_name(name, size, path);
    char *dot = strrchr(name, '.');
    if (dot && dot != name) *dot = '\0';
}

void tw_file_name_stem(char *name, size_t size, const char *path)
{
    static const char *const endings[] = {".csv",  ".h5",   ".hdf5",      ".txt",
                                          ".data", ".dump", ".lammpstrj", ".local"};
    copy_name(name, size, path);
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t ending = strlen(endings[i]);
        if (length > ending && strcmp(name + length - ending, endings[i]) == 0)
            name[length - ending] = '\0';
    }
}
