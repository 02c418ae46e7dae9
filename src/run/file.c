/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
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
    const char *end = strrchr(path, '/');
    if (errno != ENOENT || !end) return tw_error_set_system(error, "create the folder", path);
    tw_file_path parent;
    snprintf(parent.text, sizeof parent.text, "%.*s", (int)(end - path), path);
    return tw_error_set(error, TW_STATUS_FILE,
                        "cannot create the folder %s: there is no folder %s to create it in",
                        tw_error_shorten_path(path).text, tw_error_shorten_path(parent.text).text);
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

char *tw_file_read_bytes(const char *path, size_t *length, tw_error *error)
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
    *length = used >= 0 ? (size_t)used : 0;
    if (used >= 0) return text;
    free(text);
    return NULL;
}

char *tw_file_read(const char *path, tw_error *error)
{
    size_t length;
    return tw_file_read_bytes(path, &length, error);
}

tw_status tw_file_hash(const char *path, uint64_t length, uint64_t *found, uint64_t *hash,
                       tw_error *error)
{
    enum { CHUNK = 1 << 18 };
    tw_hash sum = tw_hash_start(0);
    ssize_t got = 0;
    char *chunk = malloc(CHUNK);
    const int file = chunk ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    while (file >= 0 && sum.length < length) {
        const uint64_t left = length - sum.length;
        got = read_all(file, chunk, left < CHUNK ? (size_t)left : CHUNK);
        if (got <= 0) break;
        tw_hash_add(&sum, chunk, (size_t)got);
    }
    if (file < 0 || got < 0) tw_error_set_system(error, "read", path);
    if (file >= 0) close(file);
    free(chunk);
    *found = sum.length;
    *hash = tw_hash_value(&sum);
    return file < 0 || got < 0 ? TW_STATUS_FILE : TW_STATUS_OK;
}

tw_status tw_file_replace(const char *path, tw_text_buffer *text, tw_error *error)
{
    const tw_status status = text->failed
                                 ? tw_error_set_memory(error)
                                 : tw_replace_file_with(path, text->text, text->length, error);
    tw_text_buffer_free(text);
    return status;
}
