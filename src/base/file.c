/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700 /* fdopen, fsync, kill, pread, realpath */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static int give_up(int descriptor, int number)
{
    close(descriptor);
    errno = number;
    return -1;
}

int tw_read_file_open(const char *path, uint64_t *bytes)
{
    struct stat about;
    /* Without O_NONBLOCK, opening a pipe waits for its writer. */
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return -1;
    if (fstat(descriptor, &about) != 0) return give_up(descriptor, errno);
    if (S_ISDIR(about.st_mode)) return give_up(descriptor, EISDIR);
    if (!S_ISREG(about.st_mode)) return give_up(descriptor, ESPIPE); /* "not a regular file" */
    if (bytes) *bytes = (uint64_t)about.st_size;
    return descriptor;
}

FILE *tw_read_file_stream(const char *path)
{
    const int descriptor = tw_read_file_open(path, NULL);
    FILE *stream = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    if (descriptor >= 0 && !stream) (void)give_up(descriptor, errno);
    return stream;
}

size_t tw_read_file_at(int descriptor, void *bytes, size_t count, uint64_t at)
{
    size_t done = 0;
    while (done < count) {
        const ssize_t got =
            pread(descriptor, (char *)bytes + done, count - done, (off_t)(at + done));
        if (got == 0) errno = 0; /* the end of the file */
        if (got > 0)
            done += (size_t)got;
        else if (got == 0 || errno != EINTR)
            break;
    }
    return done;
}

uint64_t tw_read_file_hash(int descriptor, uint64_t begin, uint64_t end, tw_hash *hash)
{
    unsigned char chunk[1 << 16];
    for (uint64_t at = begin; at < end;) {
        const size_t wanted = end - at < sizeof chunk ? (size_t)(end - at) : sizeof chunk;
        const size_t got = tw_read_file_at(descriptor, chunk, wanted, at);
        tw_hash_add(hash, chunk, got);
        at += got;
        if (got < wanted) return at - begin;
    }
    return end - begin;
}

char *tw_read_file_all(const char *path, size_t *length, tw_error *error)
{
    uint64_t bytes = 0;
    size_t got = 0;
    const int file = tw_read_file_open(path, &bytes);
    char *text = file >= 0 ? malloc((size_t)bytes + 1) : NULL;
    errno = file >= 0 && !text ? ENOMEM : errno;
    if (text) got = tw_read_file_at(file, text, (size_t)bytes, 0);
    const bool good = text && (got == bytes || errno == 0); /* it may shrink */
    if (good)
        text[got] = '\0';
    else
        tw_error_set_system(error, "read", path);
    if (file >= 0) close(file);
    if (!good) free(text);
    if (length) *length = good ? got : 0;
    return good ? text : NULL;
}

size_t tw_write_all(int descriptor, const void *bytes, size_t count)
{
    size_t done = 0;
    while (done < count) {
        const ssize_t written = write(descriptor, (const char *)bytes + done, count - done);
        if (written >= 0)
            done += (size_t)written;
        else if (errno != EINTR)
            break;
    }
    return done;
}

size_t tw_write_all_at(int descriptor, const void *bytes, size_t count, uint64_t at)
{
    size_t done = 0;
    while (done < count) {
        const ssize_t written =
            pwrite(descriptor, (const char *)bytes + done, count - done, (off_t)(at + done));
        if (written >= 0)
            done += (size_t)written;
        else if (errno != EINTR)
            break;
    }
    return done;
}

bool tw_write_all_sync(int descriptor)
{
    while (fsync(descriptor) != 0)
        if (errno != EINTR) return false;
    return true;
}

enum { STREAM_BUFFER = 1 << 18, NAME_TRIES = 10000 };

#if defined(PATH_MAX)
_Static_assert((int)TW_REPLACE_FILE_PATH_MAX >= (int)PATH_MAX, "realpath writes PATH_MAX bytes");
#endif

/* Fills `target`, or leaves it "" for what cannot be replaced. False with errno. */
static bool choose_target(tw_replace_file *file, tw_replace_file_kind kind)
{
    struct stat about;
    const bool exists = stat(file->path, &about) == 0;
    errno = 0;
    if (exists && S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (exists && !S_ISREG(about.st_mode)) return kind == TW_REPLACE_FILE_OR_DEVICE;
    /* A rename would replace a read-only file as well. */
    if (exists) return access(file->path, W_OK) == 0 && realpath(file->path, file->target);
    memcpy(file->target, file->path, sizeof file->target);
    return true;
}

/* An unused name: another thread or process may be writing the same target, and a killed process
 * leaves its temporary file behind. */
static bool open_temporary(tw_replace_file *file)
{
    for (int i = 0; i < NAME_TRIES; i++) {
        const int used = snprintf(file->temporary, sizeof file->temporary, "%s.%ld.%d.tmp",
                                  file->target, (long)getpid(), i);
        if (used < 0 || (size_t)used >= sizeof file->temporary) {
            errno = ENAMETOOLONG;
            return false;
        }
        file->descriptor = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file->descriptor >= 0) return true;
        if (errno != EEXIST) return false;
    }
    return false;
}

static bool open_in_place(tw_replace_file *file)
{
    file->descriptor = open(file->path, O_WRONLY | O_CLOEXEC);
    return file->descriptor >= 0;
}

tw_status tw_replace_file_begin(tw_replace_file *file, const char *path, tw_replace_file_kind kind,
                                tw_error *error)
{
    file->path[0] = file->target[0] = file->temporary[0] = '\0';
    file->descriptor = -1;
    file->stream = NULL;
    file->number = 0;
    const size_t length = strlen(path);
    if (length >= sizeof file->path) {
        errno = ENAMETOOLONG;
        return tw_error_set_system(error, "write", path);
    }
    memcpy(file->path, path, length + 1);
    if (!choose_target(file, kind)) {
        if (errno != 0) return tw_error_set_system(error, "write", path);
        return tw_error_set(error, TW_STATUS_FILE, "cannot write %s: not a regular file",
                            tw_error_shorten_path(path).text);
    }
    if (file->target[0] ? open_temporary(file) : open_in_place(file)) return TW_STATUS_OK;
    return tw_error_set_system(error, "write", path);
}

static void keep_reason(tw_replace_file *file)
{
    if (file->number == 0) file->number = errno ? errno : EIO;
}

bool tw_replace_file_write(tw_replace_file *file, const void *bytes, size_t count)
{
    if (file->number == 0 && tw_write_all(file->descriptor, bytes, count) < count)
        keep_reason(file);
    return file->number == 0;
}

FILE *tw_replace_file_stream(tw_replace_file *file)
{
    if (file->stream) return file->stream;
    file->stream = fdopen(file->descriptor, "wb");
    if (file->stream) (void)setvbuf(file->stream, NULL, _IOFBF, STREAM_BUFFER);
    return file->stream;
}

/* A rename outlives a power failure for sure only after its folder is synced. File systems that
 * cannot do that say EINVAL, and a folder that may not be read cannot be opened; neither is a
 * reason to call the write failed. */
static bool sync_folder(tw_replace_file *file)
{
    char *folder = file->temporary; /* needed no more */
    const char *slash = strrchr(file->target, '/');
    const size_t length = slash ? (size_t)(slash - file->target) + 1 : 0;
    memcpy(folder, file->target, length);
    memcpy(folder + length, ".", 2);
    const int opened = open(folder, O_RDONLY | O_CLOEXEC);
    if (opened < 0) return true;
    const bool synced = tw_write_all_sync(opened) || errno == EINVAL || errno == ENOTSUP;
    const int number = errno;
    close(opened);
    errno = number;
    return synced;
}

/* Some file systems report a full disk only when the file is closed. */
static void close_file(tw_replace_file *file)
{
    errno = 0;
    const int failed = file->stream ? fclose(file->stream) : close(file->descriptor);
    if (failed != 0) keep_reason(file);
    file->stream = NULL;
    file->descriptor = -1;
}

tw_status tw_replace_file_commit(tw_replace_file *file, tw_error *error)
{
    errno = 0;
    if (file->stream && (fflush(file->stream) != 0 || ferror(file->stream))) keep_reason(file);
    if (file->number == 0 && file->target[0] && !tw_write_all_sync(file->descriptor))
        keep_reason(file);
    close_file(file);
    if (file->number == 0 && file->target[0] && rename(file->temporary, file->target) != 0)
        keep_reason(file);
    if (file->number != 0 && file->target[0]) (void)unlink(file->temporary);
    if (file->number == 0 && file->target[0] && !sync_folder(file)) keep_reason(file);
    if (file->number == 0) return TW_STATUS_OK;
    errno = file->number;
    return tw_error_set_system(error, "write", file->path);
}

void tw_replace_file_abort(tw_replace_file *file)
{
    close_file(file);
    if (file->target[0]) (void)unlink(file->temporary);
}

bool tw_replace_file_link(const char *path, const char *existing)
{
    tw_replace_file file;
    tw_error unused;
    if (tw_replace_file_begin(&file, path, TW_REPLACE_FILE_REGULAR, &unused) != TW_STATUS_OK)
        return false;
    (void)unlink(file.temporary);
    if (link(existing, file.temporary) == 0)
        return tw_replace_file_commit(&file, &unused) == TW_STATUS_OK;
    tw_replace_file_abort(&file);
    return false;
}

/* NAME.PID.NUMBER.tmp, as above: the length of NAME, or 0 for other names. */
static size_t length_of_target(const char *name)
{
    const char *end = strrchr(name, '.');
    if (!end || strcmp(end, ".tmp") != 0) return 0;
    for (int k = 0; k < 2; k++) {
        const char *digits = end;
        while (digits > name && digits[-1] >= '0' && digits[-1] <= '9')
            digits--;
        if (digits == end || digits == name || digits[-1] != '.') return 0;
        end = digits - 1;
    }
    return (size_t)(end - name);
}

/* This process does not write the target yet; its number may have been that of a killed one, as in
 * containers. */
static bool has_ended(long process)
{
    if (process <= 0 || process == (long)getpid()) return true;
    return kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

/* Removes the temporary files of `target` whose processes have ended; NULL: all in the folder. */
static void clean(const char *folder, const char *target)
{
    DIR *opened = opendir(folder);
    for (struct dirent *entry; opened && (entry = readdir(opened)) != NULL;) {
        const size_t length = length_of_target(entry->d_name);
        if (length == 0) continue;
        if (target && (strlen(target) != length || strncmp(entry->d_name, target, length) != 0 ||
                       !has_ended(strtol(entry->d_name + length + 1, NULL, 10))))
            continue;
        (void)unlink(tw_folder_path_join(folder, entry->d_name).text);
    }
    if (opened) closedir(opened);
}

void tw_replace_file_clean(const char *folder)
{
    clean(folder, NULL);
}

void tw_replace_file_clean_target(const char *path)
{
    char target[TW_REPLACE_FILE_PATH_MAX];
    if (strlen(path) >= sizeof target) return;
    if (!realpath(path, target)) snprintf(target, sizeof target, "%s", path);
    char *slash = strrchr(target, '/');
    if (slash) *slash = '\0';
    clean(!slash ? "." : *target ? target : "/", slash ? slash + 1 : target);
}

tw_status tw_replace_file_with(const char *path, const void *bytes, size_t count, tw_error *error)
{
    tw_replace_file file;
    const tw_status status = tw_replace_file_begin(&file, path, TW_REPLACE_FILE_REGULAR, error);
    if (status != TW_STATUS_OK) return status;
    (void)tw_replace_file_write(&file, bytes, count);
    return tw_replace_file_commit(&file, error);
}

tw_status tw_replace_file_text(const char *path, tw_text_buffer *text, tw_error *error)
{
    const tw_status status = text->failed
                                 ? tw_error_set_memory(error)
                                 : tw_replace_file_with(path, text->text, text->length, error);
    tw_text_buffer_free(text);
    return status;
}

tw_folder_path tw_folder_path_join(const char *folder, const char *name)
{
    tw_folder_path path;
    const int used = snprintf(path.text, sizeof path.text, "%s/%s", folder, name);
    if (used < 0 || (size_t)used >= sizeof path.text) *path.text = '\0';
    return path;
}

tw_folder_path tw_folder_path_in(const char *folder, const char *group, const char *name,
                                 const char *ending)
{
    tw_folder_path path;
    const int used =
        snprintf(path.text, sizeof path.text, "%s/%s/%s%s", folder, group, name, ending);
    if (used < 0 || (size_t)used >= sizeof path.text) *path.text = '\0';
    return path;
}

tw_status tw_folder_make(const char *path, tw_error *error)
{
    struct stat about;
    if (mkdir(path, 0777) == 0) return TW_STATUS_OK;
    if (errno == EEXIST && stat(path, &about) == 0) {
        if (S_ISDIR(about.st_mode)) return TW_STATUS_OK;
        errno = ENOTDIR;
    }
    const char *end = strrchr(path, '/');
    if (errno != ENOENT || !end) return tw_error_set_system(error, "create the folder", path);
    char parent[TW_REPLACE_FILE_PATH_MAX];
    snprintf(parent, sizeof parent, "%.*s", (int)(end - path), path);
    return tw_error_set(error, TW_STATUS_FILE,
                        "cannot create the folder %s: there is no folder %s to create it in",
                        tw_error_shorten_path(path).text, tw_error_shorten_path(parent).text);
}
