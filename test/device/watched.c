/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated device, which sees whether a phase changes what it says that it only reads: the
 * parts in the list `reads` of its launch, and the arrays whose addresses are in them. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "device/device_runtime_host.h"

typedef struct watched_range {
    size_t begin, bytes;
} watched_range;

static uint64_t sum_of(tw_device_runtime *runtime, const tw_device_world *world,
                       const watched_range *ranges);

/* Launches of a phase that are watched: the first ones, then some. */
static int is_watched(unsigned number)
{
    return number < 40 || number % 61 == 0;
}

#define RANGE(type, path) {offsetof(tw_device_world, path), sizeof(type)},
#define TW_DEVICE_BEFORE(reads)                                                                    \
    static unsigned number;                                                                        \
    const int watched = is_watched(number++);                                                      \
    const watched_range ranges[] = {TW_DEVICE_EACH(RANGE, TW_DEVICE_UNPACK reads){0, 0}};          \
    const uint64_t before = watched ? sum_of(runtime, world, ranges) : 0;
#define TW_DEVICE_AFTER(f)                                                                         \
    if (watched && before != sum_of(runtime, world, ranges)) {                                     \
        fprintf(stderr, "%s has changed what it only reads\n", #f);                                \
        abort();                                                                                   \
    }

#define TW_DEVICE_KIND tw_device_emulated
#include "device/device_drive.h"

static uint64_t sum_of(tw_device_runtime *runtime, const tw_device_world *world,
                       const watched_range *ranges)
{
    const tw_device_instance *d =
        (const void *)((const char *)runtime - offsetof(tw_device_instance, runtime));
    tw_hash hash = tw_hash_start(0);
    for (; ranges->bytes > 0; ranges++) {
        tw_hash_add(&hash, (const char *)world + ranges->begin, ranges->bytes);
        for (size_t k = 0; k < d->arrays; k++) {
            const size_t at = (size_t)((const char *)d->array[k].at - (const char *)&d->host);
            if (at >= ranges->begin && at < ranges->begin + ranges->bytes && d->array[k].room)
                tw_hash_add(&hash, d->array[k].room, d->array[k].need);
        }
    }
    return tw_hash_value(&hash);
}
