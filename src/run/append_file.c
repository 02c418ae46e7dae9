/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/append_file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/write_all.h"

tw_status tw_append_file_open(tw_append_file *file, tw_file_path path, uint64_t length,
                              tw_error *error)
{
    struct stat about;
    file->path = path;
    file->length = length;
    file->descriptor = open(path.text, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file->descriptor < 0) return tw_error_set_system(error, "write", path.text);
    if (fstat(file->descriptor, &about) != 0 || (uint64_t)about.st_size < length)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s is shorter than it was at the last checkpoint", path.text);
    if (ftruncate(file->descriptor, (off_t)length) != 0 ||
        lseek(file->descriptor, (off_t)length, SEEK_SET) < 0)
        return tw_error_set_system(error, "truncate", path.text);
    return TW_STATUS_OK;
}

tw_status tw_append_file_add(tw_append_file *file, const char *text, size_t length, tw_error *error)
{
    const size_t written = tw_write_all(file->descriptor, text, length);
    file->length += written;
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
    if (fdatasync(file->descriptor) == 0) return TW_STATUS_OK;
    return tw_error_set_system(error, "write", file->path.text);
}

void tw_append_file_close(tw_append_file *file)
{
    if (file->descriptor >= 0) close(file->descriptor);
    file->descriptor = -1;
}
