/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/append_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

tw_status tw_append_file_check(const char *path, uint64_t length, uint64_t hash, tw_error *error)
{
    uint64_t found, has;
    if (!tw_file_exists(path))
        return tw_error_set(error, TW_STATUS_INPUT, "%s: missing",
                            tw_error_shorten_path(path).text);
    const tw_status status = tw_file_hash(path, length, &found, &has, error);
    if (status != TW_STATUS_OK) return status;
    const tw_error_path name = tw_error_shorten_path(path);
    if (found < length)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s: cut short: %" PRIu64 " of %" PRIu64 " bytes", name.text, found,
                            length);
    if (has == hash) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT, "%s: damaged, or changed by hand", name.text);
}

/* Hashes what was kept, and leaves the position behind it. */
static bool read_kept(tw_append_file *file)
{
    char chunk[4096];
    file->hash = tw_hash_start(0);
    if (lseek(file->descriptor, 0, SEEK_SET) < 0) return false;
    while (file->hash.length < file->length) {
        const ssize_t got = read(file->descriptor, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        tw_hash_add(&file->hash, chunk, (size_t)got);
    }
    return true;
}

tw_status tw_append_file_open(tw_append_file *file, tw_file_path path, uint64_t length,
                              tw_error *error)
{
    struct stat about;
    file->path = path;
    file->length = length;
    file->descriptor = tw_file_open_own(path.text, error);
    if (file->descriptor < 0) return TW_STATUS_FILE;
    if (fstat(file->descriptor, &about) != 0 || (uint64_t)about.st_size < length)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s is shorter than it was at the last checkpoint", path.text);
    if (ftruncate(file->descriptor, (off_t)length) != 0 || !read_kept(file))
        return tw_error_set_system(error, "truncate", path.text);
    return TW_STATUS_OK;
}

/* Whether the file is as long as it was left: text behind one that another program has cut would
 * begin with zeros. */
static tw_status check_length(const tw_append_file *file, tw_error *error)
{
    struct stat about;
    if (fstat(file->descriptor, &about) != 0)
        return tw_error_set_system(error, "write", file->path.text);
    if ((uint64_t)about.st_size == file->length) return TW_STATUS_OK;
    return tw_error_set(
        error, TW_STATUS_FILE,
        "%s: %" PRIu64 " bytes, but the run wrote %" PRIu64 ": changed by another program",
        tw_error_shorten_path(file->path.text).text, (uint64_t)about.st_size, file->length);
}

/* Whether the path still leads to this file. */
static tw_status check_place(const tw_append_file *file, tw_error *error)
{
    struct stat mine, there;
    if (fstat(file->descriptor, &mine) == 0 && stat(file->path.text, &there) == 0 &&
        mine.st_ino == there.st_ino && mine.st_dev == there.st_dev)
        return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_FILE, "%s: removed or replaced by another program",
                        tw_error_shorten_path(file->path.text).text);
}

tw_status tw_append_file_add(tw_append_file *file, const char *text, size_t length, tw_error *error)
{
    const tw_status status = check_length(file, error);
    if (status != TW_STATUS_OK) return status;
    const size_t written = tw_write_all(file->descriptor, text, length);
    file->length += written;
    tw_hash_add(&file->hash, text, written);
    if (written == length) return TW_STATUS_OK;
    return tw_error_set_system(error, "write", file->path.text);
}

tw_status tw_append_file_add_text(tw_append_file *file, tw_text_buffer *text, tw_error *error)
{
    const tw_status status = text->failed
                                 ? tw_error_set_memory(error)
                                 : tw_append_file_add(file, text->text, text->length, error);
    tw_text_buffer_free(text);
    return status;
}

tw_status tw_append_file_sync(tw_append_file *file, tw_error *error)
{
    tw_status status = check_length(file, error);
    if (status == TW_STATUS_OK) status = check_place(file, error);
    if (status != TW_STATUS_OK || tw_write_all_sync(file->descriptor)) return status;
    return tw_error_set_system(error, "write", file->path.text);
}

void tw_append_file_close(tw_append_file *file)
{
    if (file->descriptor >= 0) close(file->descriptor);
    file->descriptor = -1;
}
