/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* pwrite, fsync */
#include "base/write_all.h"

#include <errno.h>
#include <unistd.h>

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
