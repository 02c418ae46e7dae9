/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/fill_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <twirl/text.h>

static char *join(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *joined = malloc(size);
    if (joined) snprintf(joined, size, "%s/%s", folder, name);
    return joined;
}

static void refuse(const tw_fill *fill, tw_node *node, const tw_trail *trail, const char *reason)
{
    tw_faults_add(fill->faults, node->place, trail, "%s cannot be read: %s (looked for in %s)",
                  tw_text_quote(node->text, strlen(node->text)).text, reason,
                  node->place.source > 0 ? "the working directory"
                  : *fill->folder        ? fill->folder
                                         : "the working directory");
    tw_tree_blame(node);
}

void tw_fill_file(const tw_fill *fill, tw_node *node, const tw_trail *trail, char **path)
{
    const bool here = (*path)[0] == '/' || node->place.source > 0 || *fill->folder == '\0';
    char *joined = here ? NULL : join(fill->folder, *path);
    if (!here && !joined) {
        tw_faults_memory(fill->faults);
        return;
    }
    struct stat about;
    char reason[128] = "unknown reason";
    errno = 0;
    char *whole = realpath(here ? *path : joined, NULL);
    const int number = errno;
    free(joined);
    if (!whole || stat(whole, &about) != 0) {
        if (strerror_r(number, reason, sizeof reason) != 0) reason[sizeof reason - 1] = '\0';
        refuse(fill, node, trail, reason);
        free(whole);
        return;
    }
    if (!S_ISREG(about.st_mode)) {
        refuse(fill, node, trail, "it is not a file");
        free(whole);
        return;
    }
    free(*path);
    *path = whole;
}
