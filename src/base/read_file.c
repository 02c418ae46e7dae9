/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* open, fdopen, pread */
#include "base/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Whether there may be more after a call that returned `got`. */
static bool goes_on(ssize_t got)
{
    if (got == 0) errno = 0; /* the end of the file */
    return got > 0 || (got < 0 && errno == EINTR);
}

size_t tw_read_file_next(int descriptor, void *bytes, size_t count)
{
    size_t done = 0;
    while (done < count) {
        const ssize_t got = read(descriptor, (char *)bytes + done, count - done);
        if (!goes_on(got)) break;
        if (got > 0) done += (size_t)got;
    }
    return done;
}

size_t tw_read_file_at(int descriptor, void *bytes, size_t count, uint64_t at)
{
    size_t done = 0;
    while (done < count) {
        const ssize_t got =
            pread(descriptor, (char *)bytes + done, count - done, (off_t)(at + done));
        if (!goes_on(got)) break;
        if (got > 0) done += (size_t)got;
    }
    return done;
}
