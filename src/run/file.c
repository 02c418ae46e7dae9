/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/replace_file.h"

tw_file_path tw_file_path_join(const char *folder, const char *name)
{
    tw_file_path path;
    snprintf(path.text, sizeof path.text, "%s/%s", folder, name);
    return path;
}

tw_file_path tw_file_path_in(const char *folder, const char *group, const char *name,
                             const char *ending)
{
    tw_file_path path;
    snprintf(path.text, sizeof path.text, "%s/%s/%s%s", folder, group, name, ending);
    return path;
}

bool tw_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

tw_status tw_file_make_folder(const char *path, tw_error *error)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return TW_STATUS_OK;
    return tw_error_set_system(error, "create the folder", path);
}

/* Bytes read, at most `size`; -1 on failure. */
static ssize_t read_all(int file, char *text, size_t size)
{
    size_t used = 0;
    while (used < size) {
        const ssize_t got = read(file, text + used, size - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        used += (size_t)got;
    }
    return (ssize_t)used;
}

char *tw_file_read(const char *path, tw_error *error)
{
    struct stat about;
    char *text = NULL;
    ssize_t used = -1;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0 && fstat(file, &about) == 0) {
        text = malloc((size_t)about.st_size + 1);
        if (text) used = read_all(file, text, (size_t)about.st_size);
    }
    if (used >= 0)
        text[used] = '\0';
    else
        tw_error_set_system(error, "read", path);
    if (file >= 0) close(file);
    if (used >= 0) return text;
    free(text);
    return NULL;
}

tw_status tw_file_replace(const char *path, tw_text_buffer *text, tw_error *error)
{
    const tw_status status = text->failed
                                 ? tw_error_set_memory(error)
                                 : tw_replace_file_with(path, text->text, text->length, error);
    tw_text_buffer_free(text);
    return status;
}
