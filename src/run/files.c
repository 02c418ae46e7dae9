/* SPDX-License-Identifier: BSD-3-Clause */
/* Files in the folder of a run, and what they are recognised by. */
#include "run/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"

bool tw_run_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool tw_run_file_is_at(int descriptor, const char *path)
{
    struct stat mine, there;
    return fstat(descriptor, &mine) == 0 && stat(path, &there) == 0 &&
           mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

/* False with errno. */
static bool is_regular(int file)
{
    struct stat about;
    if (fstat(file, &about) != 0) return false;
    errno = ESPIPE; /* "not a regular file" */
    return S_ISREG(about.st_mode);
}

int tw_run_file_open_own(const char *path, tw_error *error)
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

tw_status tw_run_file_hash(const char *path, uint64_t length, uint64_t *found, uint64_t *hash,
                           tw_error *error)
{
    tw_hash sum = tw_hash_start(0);
    const int file = tw_read_file_open(path, NULL);
    *found = file >= 0 ? tw_read_file_hash(file, 0, length, &sum) : 0;
    const bool failed = file < 0 || (*found < length && errno != 0);
    if (failed) tw_error_set_system(error, "read", path);
    if (file >= 0) close(file);
    *hash = tw_hash_value(&sum);
    return failed ? TW_STATUS_FILE : TW_STATUS_OK;
}

char *tw_run_file_part(const char *folder, const char *name, uint64_t length, tw_error *error)
{
    size_t found;
    char *text = tw_read_file_all(tw_folder_path_join(folder, name).text, &found, error);
    if (text && found > length) text[length] = '\0';
    return text;
}

/* ---- Files that text is appended to ---- */

tw_status tw_run_append_file_check(const char *path, uint64_t length, uint64_t hash,
                                   tw_error *error)
{
    uint64_t found, has;
    if (!tw_run_file_exists(path))
        return tw_error_set(error, TW_STATUS_INPUT, "%s: missing",
                            tw_error_shorten_path(path).text);
    const tw_status status = tw_run_file_hash(path, length, &found, &has, error);
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
static bool read_kept(tw_run_append_file *file)
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

tw_status tw_run_append_file_open(tw_run_append_file *file, tw_folder_path path, uint64_t length,
                                  tw_error *error)
{
    struct stat about;
    file->path = path;
    file->length = length;
    file->descriptor = tw_run_file_open_own(path.text, error);
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
static tw_status check_length(const tw_run_append_file *file, tw_error *error)
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

tw_status tw_run_append_file_add(tw_run_append_file *file, const char *text, size_t length,
                                 tw_error *error)
{
    const tw_status status = check_length(file, error);
    if (status != TW_STATUS_OK) return status;
    const size_t written = tw_write_all(file->descriptor, text, length);
    file->length += written;
    tw_hash_add(&file->hash, text, written);
    if (written == length) return TW_STATUS_OK;
    return tw_error_set_system(error, "write", file->path.text);
}

tw_status tw_run_append_file_add_text(tw_run_append_file *file, tw_text_buffer *text,
                                      tw_error *error)
{
    const tw_status status = text->failed
                                 ? tw_error_set_memory(error)
                                 : tw_run_append_file_add(file, text->text, text->length, error);
    tw_text_buffer_free(text);
    return status;
}

tw_status tw_run_append_file_sync(tw_run_append_file *file, tw_error *error)
{
    const tw_status status = check_length(file, error);
    if (status != TW_STATUS_OK) return status;
    if (!tw_run_file_is_at(file->descriptor, file->path.text))
        return tw_error_set(error, TW_STATUS_FILE, "%s: removed or replaced by another program",
                            tw_error_shorten_path(file->path.text).text);
    if (tw_write_all_sync(file->descriptor)) return TW_STATUS_OK;
    return tw_error_set_system(error, "write", file->path.text);
}

void tw_run_append_file_close(tw_run_append_file *file)
{
    if (file->descriptor >= 0) close(file->descriptor);
    file->descriptor = -1;
}

/* ---- JSON objects with a check ---- */

enum { END_LENGTH = 30 };

/* , "check": "HASH"} */
static void write_end(char text[END_LENGTH + 1], const char *before, size_t length, uint64_t seed)
{
    snprintf(text, END_LENGTH + 1, ", \"check\": \"%016" PRIx64 "\"}",
             tw_hash_of(before, length, seed));
}

void tw_run_json_close(tw_text_buffer *text, uint64_t seed)
{
    char end[END_LENGTH + 1];
    if (text->failed) return;
    write_end(end, text->text, text->length, seed);
    tw_text_buffer_add(text, "%s", end);
}

bool tw_run_json_is_whole(const char *text, size_t length, uint64_t seed)
{
    char end[END_LENGTH + 1];
    if (length < END_LENGTH) return false;
    write_end(end, text, length - END_LENGTH, seed);
    return memcmp(text + length - END_LENGTH, end, END_LENGTH) == 0;
}

/* ---- The check of the history ---- */

uint32_t tw_run_history_check_start(uint64_t identity, const char *header)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, identity);
    return tw_crc32(tw_crc32(0, text, 16), header, strlen(header));
}

void tw_run_history_check_add(uint32_t *check, tw_text_buffer *row)
{
    tw_text_buffer_add(row, ",");
    if (row->failed) return;
    *check = tw_crc32(*check, row->text, row->length);
    tw_text_buffer_add(row, "%" PRIu32 "\n", *check);
}

/* Advances *check by one row; false if the row ends with another one. */
static bool row_is_right(const char *row, const char *end, uint32_t *check)
{
    char text[16];
    const char *comma = end;
    while (comma > row && comma[-1] != ',')
        comma--;
    *check = tw_crc32(*check, row, (size_t)(comma - row));
    const int length = snprintf(text, sizeof text, "%" PRIu32, *check);
    return end - comma == length && memcmp(comma, text, (size_t)length) == 0;
}

size_t tw_run_history_check_find(uint64_t identity, const char *header, const char *text,
                                 uint32_t *check)
{
    size_t line = 1;
    *check = tw_run_history_check_start(identity, header);
    if (strncmp(text, header, strlen(header)) != 0) return line;
    for (const char *row = text + strlen(header); *row; line++) {
        const char *end = strchr(row, '\n');
        if (!end || !row_is_right(row, end, check)) return line + 1;
        row = end + 1;
    }
    return 0;
}

/* ---- The identity of a run ---- */

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
