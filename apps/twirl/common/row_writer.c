/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/row_writer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(tw_row_writer *writer)
{
    snprintf(writer->error, sizeof writer->error, "cannot write %s: %s", writer->name,
             strerror(errno));
    return false;
}

/* Fills target and temporary. A device, a pipe or a terminal cannot be replaced: target stays "".
 */
static bool choose_names(tw_row_writer *writer, const char *path)
{
    struct stat about;
    const bool exists = stat(path, &about) == 0;
    if (exists && S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (exists && !S_ISREG(about.st_mode)) return true;
    /* A rename would also replace a file that its owner protected against writing. */
    if (exists && access(path, W_OK) != 0) return false;
    if (exists && !realpath(path, writer->target)) return false;
    if (!exists) snprintf(writer->target, sizeof writer->target, "%s", path);
    const int used = snprintf(writer->temporary, sizeof writer->temporary, "%s.%ld.tmp",
                              writer->target, (long)getpid());
    if (strlen(path) < sizeof writer->target && (size_t)used < sizeof writer->temporary)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

bool tw_row_writer_open(tw_row_writer *writer, const char *path)
{
    const bool standard = !path || strcmp(path, "-") == 0;
    writer->name = standard ? "stdout" : path;
    writer->used = 0;
    writer->target[0] = '\0';
    writer->file = standard ? STDOUT_FILENO : -1;
    if (!standard) {
        if (!choose_names(writer, path)) return fail(writer);
        writer->file = writer->target[0]
                           ? open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)
                           : open(path, O_WRONLY | O_CLOEXEC);
        if (writer->file < 0) return fail(writer);
    }
    writer->each_row = isatty(writer->file);
    return true;
}

static bool flush(tw_row_writer *writer)
{
    const char *next = writer->buffer;
    size_t left = writer->used;
    writer->used = 0;
    while (left > 0) {
        const ssize_t written = write(writer->file, next, left);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return fail(writer);
        next += written;
        left -= (size_t)written;
    }
    return true;
}

bool tw_row_writer_add(tw_row_writer *writer, const char *format, ...)
{
    if (sizeof writer->buffer - writer->used <= TW_ROW_WRITER_ROW_MAX && !flush(writer))
        return false;
    va_list values;
    va_start(values, format);
    const int length =
        vsnprintf(writer->buffer + writer->used, TW_ROW_WRITER_ROW_MAX + 1, format, values);
    va_end(values);
    assert(length >= 0 && length <= TW_ROW_WRITER_ROW_MAX);
    writer->used += (size_t)length;
    return !writer->each_row || flush(writer);
}

static void discard(tw_row_writer *writer)
{
    if (writer->file >= 0 && writer->file != STDOUT_FILENO) close(writer->file);
    if (writer->file >= 0 && writer->target[0]) unlink(writer->temporary);
    writer->file = -1;
}

bool tw_row_writer_finish(tw_row_writer *writer)
{
    if (!flush(writer)) {
        discard(writer);
        return false;
    }
    const int file = writer->file;
    /* Some file systems report a full disk only here; standard output is closed for the same
     * reason. */
    writer->file = -1;
    const bool closed = close(file) == 0;
    if (closed && (!writer->target[0] || rename(writer->temporary, writer->target) == 0))
        return true;
    fail(writer);
    if (writer->target[0]) unlink(writer->temporary);
    return false;
}

void tw_row_writer_abandon(tw_row_writer *writer)
{
    if (writer->file >= 0 && !writer->target[0]) (void)flush(writer);
    discard(writer);
}
