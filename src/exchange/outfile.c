/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/outfile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTFILE_BUFFER = 1 << 18, OUTFILE_TRIES = 100 };

/* Fills target. A device or a pipe cannot be replaced: target stays "". */
static bool outfile_choose_target(tw_outfile *out)
{
    struct stat about;
    const bool exists = stat(out->path, &about) == 0;
    out->target[0] = '\0';
    if (exists && S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (exists && !S_ISREG(about.st_mode)) return true;
    /* A rename would also replace a file that its owner protected against writing. */
    if (exists && access(out->path, W_OK) != 0) return false;
    if (exists) return realpath(out->path, out->target) != NULL;
    if (strlen(out->path) >= sizeof out->target) {
        errno = ENAMETOOLONG;
        return false;
    }
    snprintf(out->target, sizeof out->target, "%s", out->path);
    return true;
}

/* A name that nobody has: two threads, or another process, may be writing the same target. */
static FILE *outfile_open_temporary(tw_outfile *out)
{
    for (int i = 0; i < OUTFILE_TRIES; i++) {
        const int used = snprintf(out->temporary, sizeof out->temporary, "%s.%ld.%d.tmp",
                                  out->target, (long)getpid(), i);
        if (used < 0 || (size_t)used >= sizeof out->temporary) {
            errno = ENAMETOOLONG;
            return NULL;
        }
        FILE *file = fopen(out->temporary, "wbx");
        if (file || errno != EEXIST) return file;
    }
    return NULL;
}

tw_status tw_outfile_open(tw_outfile *out, const char *path, tw_error *error)
{
    out->path = path;
    if (!outfile_choose_target(out)) return tw_fault_system(error, "write", path);
    if (!tw_plain_enter(&out->plain)) return tw_fault_memory(error);
    out->file = out->target[0] ? outfile_open_temporary(out) : fopen(path, "wb");
    if (!out->file) {
        const tw_status status = tw_fault_system(error, "write", path);
        tw_plain_leave(&out->plain);
        return status;
    }
    (void)setvbuf(out->file, NULL, _IOFBF, OUTFILE_BUFFER);
    return TW_STATUS_OK;
}

void tw_outfile_print(tw_outfile *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vfprintf(out->file, format, values);
    va_end(values);
}

void tw_outfile_write(tw_outfile *out, const void *bytes, size_t count)
{
    (void)fwrite(bytes, 1, count, out->file);
}

void tw_outfile_print_xml(tw_outfile *out, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '&'    ? "&amp;"
                             : *text == '<'  ? "&lt;"
                             : *text == '>'  ? "&gt;"
                             : *text == '"'  ? "&quot;"
                             : *text == '\'' ? "&apos;"
                                             : NULL;
        if (entity)
            (void)fputs(entity, out->file);
        else
            (void)putc(*text, out->file);
    }
}

tw_status tw_outfile_finish(tw_outfile *out, tw_error *error)
{
    errno = 0;
    bool good = fflush(out->file) == 0 && !ferror(out->file);
    int number = errno;
    /* Some file systems report a full disk only here. */
    if (fclose(out->file) != 0 && good) {
        number = errno;
        good = false;
    }
    if (good && out->target[0] && rename(out->temporary, out->target) != 0) {
        number = errno;
        good = false;
    }
    if (!good && out->target[0]) (void)unlink(out->temporary);
    tw_plain_leave(&out->plain);
    if (good) return TW_STATUS_OK;
    errno = number ? number : EIO; /* an earlier write failed, and its reason is gone */
    return tw_fault_system(error, "write", out->path);
}
