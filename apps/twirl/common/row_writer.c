/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/row_writer.h"

#include "common/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

enum { FLUSH_SIZE = 1 << 16 };

tw_status tw_row_writer_open(tw_row_writer *writer, const char *path, tw_error *error)
{
    *writer = (tw_row_writer){.standard = !path || strcmp(path, "-") == 0};
    if (!writer->standard) {
        const tw_status status =
            tw_replace_file_begin(&writer->file, path, TW_REPLACE_FILE_OR_DEVICE, error);
        if (status != TW_STATUS_OK) return status;
    }
    writer->terminal = isatty(writer->standard ? STDOUT_FILENO : writer->file.descriptor);
    return TW_STATUS_OK;
}

static bool write_standard(tw_row_writer *writer)
{
    const tw_text_buffer *rows = &writer->rows;
    errno = 0;
    if (writer->number == 0 &&
        (fwrite(rows->text, 1, rows->length, stdout) != rows->length || fflush(stdout) != 0))
        writer->number = errno ? errno : EIO;
    return writer->number == 0;
}

static bool flush(tw_row_writer *writer)
{
    tw_text_buffer *rows = &writer->rows;
    if (rows->failed) return false;
    if (rows->length == 0) return true;
    const bool good = writer->standard
                          ? write_standard(writer)
                          : tw_replace_file_write(&writer->file, rows->text, rows->length);
    tw_text_buffer_clear(rows);
    return good;
}

bool tw_row_writer_add(tw_row_writer *writer, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    tw_text_buffer_add_list(&writer->rows, format, values);
    va_end(values);
    if (writer->terminal || writer->rows.failed || writer->rows.length >= FLUSH_SIZE)
        return flush(writer);
    return true;
}

/* Some file systems report a full disk only when the file is closed. */
static tw_status finish_standard(tw_row_writer *writer, tw_error *error)
{
    if (fclose(stdout) != 0 && writer->number == 0) writer->number = errno;
    if (writer->number == 0) return TW_STATUS_OK;
    errno = writer->number;
    return tw_error_set_system(error, "write", "stdout");
}

tw_status tw_row_writer_finish(tw_row_writer *writer, tw_error *error)
{
    (void)flush(writer);
    const bool failed = writer->rows.failed;
    tw_text_buffer_free(&writer->rows);
    if (failed) {
        tw_row_writer_abandon(writer);
        return tw_error_set_memory(error);
    }
    return writer->standard ? finish_standard(writer, error)
                            : tw_replace_file_commit(&writer->file, error);
}

void tw_row_writer_abandon(tw_row_writer *writer)
{
    if (writer->standard || !writer->file.target[0]) (void)flush(writer);
    tw_text_buffer_free(&writer->rows);
    if (!writer->standard) tw_replace_file_abort(&writer->file);
}
