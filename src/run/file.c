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
#include "base/file.h"
#include "base/hash.h"

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

/* False with errno. */
static bool is_regular(int file)
{
    struct stat about;
    if (fstat(file, &about) != 0) return false;
    errno = ESPIPE; /* "not a regular file" */
    return S_ISREG(about.st_mode);
}

int tw_file_open_own(const char *path, tw_error *error)
{
    /* Without O_NONBLOCK, opening a pipe may wait. */
    const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    const int file = open(path, flags, 0666);
    if (file >= 0 && is_regular(file)) return file;
    if (errno == ELOOP)
        tw_error_set(error, TW_STATUS_FILE,
                     "cannot write %s: a symbolic link, which may lead to "
                     "any file",
                     tw_error_shorten_path(path).text);
    else
        tw_error_set_system(error, "write", path);
    if (file >= 0) close(file);
    return -1;
}

char *tw_file_read_bytes(const char *path, size_t *length, tw_error *error)
{
    uint64_t bytes = 0;
    *length = 0;
    const int file = tw_read_file_open(path, &bytes);
    char *text = file >= 0 ? malloc((size_t)bytes + 1) : NULL;
    errno = file >= 0 && !text ? ENOMEM : errno;
    if (text) *length = tw_read_file_next(file, text, (size_t)bytes);
    const bool good = text && (*length == bytes || errno == 0); /* it may shrink */
    if (good)
        text[*length] = '\0';
    else
        tw_error_set_system(error, "read", path);
    if (file >= 0) close(file);
    if (good) return text;
    *length = 0;
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
    char *chunk = malloc(CHUNK);
    const int file = chunk ? tw_read_file_open(path, NULL) : -1;
    bool failed = file < 0;
    for (bool more = !failed; more && sum.length < length;) {
        const uint64_t left = length - sum.length;
        const size_t wanted = left < CHUNK ? (size_t)left : CHUNK;
        const size_t got = tw_read_file_next(file, chunk, wanted);
        more = got == wanted;
        failed = !more && errno != 0;
        tw_hash_add(&sum, chunk, got);
    }
    if (failed) tw_error_set_system(error, "read", path);
    if (file >= 0) close(file);
    free(chunk);
    *found = sum.length;
    *hash = tw_hash_value(&sum);
    return failed ? TW_STATUS_FILE : TW_STATUS_OK;
}

tw_status tw_file_replace(const char *path, tw_text_buffer *text, tw_error *error)
{
    const tw_status status = text->failed
                                 ? tw_error_set_memory(error)
                                 : tw_replace_file_with(path, text->text, text->length, error);
    tw_text_buffer_free(text);
    return status;
}
