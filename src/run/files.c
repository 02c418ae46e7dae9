/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/files.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

tw_path tw_path_of(const char *folder, const char *name)
{
    tw_path path;
    snprintf(path.text, sizeof path.text, "%s/%s", folder, name);
    return path;
}

tw_path tw_path_in(const char *folder, const char *group, const char *name, const char *ending)
{
    tw_path path;
    snprintf(path.text, sizeof path.text, "%s/%s/%s%s", folder, group, name, ending);
    return path;
}

tw_status tw_files_failed(tw_error *error, const char *what, const char *path)
{
    return tw_error_set(error, TW_STATUS_FILE, "cannot %s %s: %s", what, path, strerror(errno));
}

bool tw_files_exist(const char *path)
{
    return access(path, F_OK) == 0;
}

tw_status tw_files_make_folder(const char *path, tw_error *error)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return TW_STATUS_OK;
    return tw_files_failed(error, "make the folder", path);
}

static bool write_all(int file, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t done = write(file, text, length);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return false;
        text += done;
        length -= (size_t)done;
    }
    return true;
}

tw_status tw_files_write(const char *path, const char *text, size_t length, tw_error *error)
{
    char fresh[4104];
    snprintf(fresh, sizeof fresh, "%s.new", path);
    const int file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return tw_files_failed(error, "write", fresh);
    const bool whole = write_all(file, text, length) && fsync(file) == 0;
    if ((close(file) != 0) | !whole || rename(fresh, path) != 0) {
        tw_files_failed(error, "write", path);
        unlink(fresh);
        return TW_STATUS_FILE;
    }
    return TW_STATUS_OK;
}

char *tw_files_read(const char *path, tw_error *error)
{
    struct stat about;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &about) != 0) {
        tw_files_failed(error, "read", path);
        if (file >= 0) close(file);
        return NULL;
    }
    size_t used = 0;
    const size_t size = (size_t)about.st_size;
    char *text = malloc(size + 1);
    while (text && used < size) {
        const ssize_t got = read(file, text + used, size - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            tw_files_failed(error, "read", path);
            close(file);
            free(text);
            return NULL;
        }
        if (got == 0) break;
        used += (size_t)got;
    }
    close(file);
    if (!text) {
        tw_error_set(error, TW_STATUS_MEMORY, "no memory for %s", path);
        return NULL;
    }
    text[used] = '\0';
    return text;
}

/* ---- Files that grow ---- */

tw_status tw_growth_open(tw_growth *growth, tw_path path, uint64_t length, tw_error *error)
{
    struct stat about;
    growth->path = path;
    growth->length = length;
    growth->file = open(path.text, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (growth->file < 0) return tw_files_failed(error, "write", path.text);
    if (fstat(growth->file, &about) != 0 || (uint64_t)about.st_size < length)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s is shorter than it was when the run was cut short", path.text);
    if (ftruncate(growth->file, (off_t)length) != 0 ||
        lseek(growth->file, (off_t)length, SEEK_SET) < 0)
        return tw_files_failed(error, "shorten", path.text);
    return TW_STATUS_OK;
}

tw_status tw_growth_add(tw_growth *growth, const char *text, size_t length, tw_error *error)
{
    if (!write_all(growth->file, text, length))
        return tw_files_failed(error, "write", growth->path.text);
    growth->length += length;
    return TW_STATUS_OK;
}

tw_status tw_growth_sync(tw_growth *growth, tw_error *error)
{
    if (fdatasync(growth->file) == 0) return TW_STATUS_OK;
    return tw_files_failed(error, "write", growth->path.text);
}

void tw_growth_close(tw_growth *growth)
{
    if (growth->file >= 0) close(growth->file);
    growth->file = -1;
}

/* ---- Texts that grow ---- */

tw_draft tw_draft_start(void)
{
    tw_draft draft = {malloc(1024), 0, 1024};
    if (draft.text) draft.text[0] = '\0';
    return draft;
}

static bool make_room(tw_draft *draft, size_t more)
{
    if (!draft->text) return false;
    if (draft->length + more < draft->capacity) return true;
    const size_t capacity = 2 * (draft->length + more + 1);
    char *text = realloc(draft->text, capacity);
    if (!text) free(draft->text);
    draft->text = text;
    draft->capacity = capacity;
    return text != NULL;
}

void tw_draft_add(tw_draft *draft, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const int length = vsnprintf(NULL, 0, format, list);
    if (length >= 0 && make_room(draft, (size_t)length)) {
        vsnprintf(draft->text + draft->length, draft->capacity - draft->length, format, again);
        draft->length += (size_t)length;
    }
    va_end(again);
    va_end(list);
}

void tw_draft_quote(tw_draft *draft, const char *text)
{
    tw_draft_add(draft, "\"");
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            tw_draft_add(draft, "\\%c", c);
        else if (c < 0x20)
            tw_draft_add(draft, "\\u%04x", c);
        else
            tw_draft_add(draft, "%c", c);
    }
    tw_draft_add(draft, "\"");
}

void tw_draft_number(tw_draft *draft, double value)
{
    if (isfinite(value))
        tw_draft_add(draft, "%.17g", value + 0.0); /* -0 becomes 0 */
    else
        tw_draft_add(draft, "null");
}
