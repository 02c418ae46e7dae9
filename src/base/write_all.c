/* SPDX-License-Identifier: BSD-3-Clause */
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
