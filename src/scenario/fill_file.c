/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/fill_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

static char *join(const char *folder, const char *name)
{
    tw_text_buffer joined = {0};
    tw_text_buffer_add(&joined, "%s%s%s", folder, *folder ? "/" : "", name);
    return tw_text_buffer_take(&joined);
}

static void refuse(const tw_fill_context *fill, tw_tree_node *node, const tw_key_path *key_path,
                   const char *folder, const char *reason)
{
    const tw_text_quotation quoted = tw_text_quote(node->text, strlen(node->text));
    if (node->text[0] == '/')
        tw_diagnostics_add(fill->diagnostics, node->location, key_path, "%s cannot be read: %s",
                           quoted.text, reason);
    else
        tw_diagnostics_add(fill->diagnostics, node->location, key_path,
                           "%s cannot be read: %s (relative to %s)", quoted.text, reason,
                           *folder ? folder : "the working directory");
    tw_tree_mark_invalid(node);
}

void tw_fill_file(const tw_fill_context *fill, tw_tree_node *node, const tw_key_path *key_path,
                  char **path)
{
    const bool from_setting = node->location.source > 0;
    const char *folder = (*path)[0] == '/' || from_setting ? "" : fill->folder;
    char *joined = join(folder, *path);
    if (!joined) {
        tw_diagnostics_out_of_memory(fill->diagnostics);
        return;
    }
    struct stat about;
    char *whole = realpath(joined, NULL);
    const bool found = whole && stat(whole, &about) == 0;
    const int number = errno;
    free(joined);
    if (!found) {
        refuse(fill, node, key_path, folder, tw_error_reason_of(number).text);
        free(whole);
        return;
    }
    if (!S_ISREG(about.st_mode)) {
        refuse(fill, node, key_path, folder, "not a regular file");
        free(whole);
        return;
    }
    free(*path);
    *path = whole;
}
