/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime of a device, on the CPU: for tests of the device code where there is no GPU. */
#ifndef TW_DEVICE_RUNTIME_HOST_H
#define TW_DEVICE_RUNTIME_HOST_H

#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/sort.h"
#include "device/device_world.h"

typedef struct tw_device_runtime_host {
    size_t used, limit; /* bytes; limit 0: none */
    int stale;          /* phases have run since the world was brought */
} tw_device_runtime_host;

#define tw_device_runtime tw_device_runtime_host

static inline tw_status tw_device_runtime_open(tw_device_runtime *runtime, tw_error *error)
{
    uint64_t limit = 0;
    (void)error;
    memset(runtime, 0, sizeof *runtime);
    if (tw_device_test("memory", &limit)) runtime->limit = (size_t)limit;
    return TW_STATUS_OK;
}

static inline void tw_device_runtime_close(tw_device_runtime *runtime)
{
    (void)runtime;
}

/* NULL: no memory. The contents are undefined. */
static inline void *tw_device_runtime_alloc(tw_device_runtime *runtime, size_t bytes)
{
    if (runtime->limit > 0 && runtime->used + bytes > runtime->limit) return NULL;
    void *room = malloc(bytes > 0 ? bytes : 1);
    if (room) runtime->used += bytes;
    return room;
}

static inline void tw_device_runtime_free(tw_device_runtime *runtime, void *room, size_t bytes)
{
    if (room) runtime->used -= bytes;
    free(room);
}

/* Bytes that can still be allocated. */
static inline size_t tw_device_runtime_room(tw_device_runtime *runtime)
{
    return runtime->limit > 0 ? runtime->limit - runtime->used : SIZE_MAX / 2;
}

static inline void tw_device_runtime_send(tw_device_runtime *runtime, void *to, const void *from,
                                          size_t bytes)
{
    (void)runtime;
    if (bytes > 0) memcpy(to, from, bytes);
}

static inline void tw_device_runtime_bring(tw_device_runtime *runtime, void *to, const void *from,
                                           size_t bytes)
{
    tw_device_runtime_send(runtime, to, from, bytes);
}

static inline void tw_device_runtime_copy(tw_device_runtime *runtime, void *to, const void *from,
                                          size_t bytes)
{
    tw_device_runtime_send(runtime, to, from, bytes);
}

static inline void tw_device_runtime_fill(tw_device_runtime *runtime, void *to, int byte,
                                          size_t bytes)
{
    (void)runtime;
    if (bytes > 0) memset(to, byte, bytes);
}

/* Exclusive prefix sum of n counts, in place or not; *total, if it is asked for, receives their
 * sum.
 */
static inline tw_status tw_device_runtime_scan(tw_device_runtime *runtime, const uint32_t *counts,
                                               uint32_t *offsets, size_t n, uint64_t *total)
{
    (void)runtime;
    const uint64_t sum = n > 0 ? tw_prefix_sum_u32(counts, offsets, n) : 0;
    if (total) *total = sum;
    return TW_STATUS_OK;
}

/* Stable, by the lowest `bits` bits. The spare arrays are workspace of the same lengths. */
static inline tw_status tw_device_runtime_sort(tw_device_runtime *runtime, uint32_t *keys,
                                               uint32_t *values, uint32_t *spare_keys,
                                               uint32_t *spare_values, size_t n, int bits)
{
    (void)runtime;
    if (n > 0) tw_sort_u32(keys, values, spare_keys, spare_values, n, bits);
    return TW_STATUS_OK;
}

/* Phases run one after the other: there is nothing to wait for, to join, to capture or to time.
 * device_runtime_cuda.h has what these do. */
#define tw_device_runtime_wait(runtime, error) ((void)(error), (tw_status)TW_STATUS_OK)
#define tw_device_runtime_fork(runtime, side) ((void)(side))
#define tw_device_runtime_back(runtime) ((void)(runtime))
#define tw_device_runtime_join(runtime, side) ((void)(side))
#define tw_device_runtime_renew(runtime, others) ((void)(others))
#define tw_device_runtime_capture(runtime, which) 0
#define tw_device_runtime_captured(runtime, which) ((void)(which))
#define tw_device_runtime_replay(runtime, which, times) 0u
#define tw_device_runtime_mark(runtime, phase) ((void)tw_clock_enter(phase))
#define tw_device_runtime_sample(runtime) 0u
#define tw_device_runtime_sample_begin(runtime) ((void)(runtime))
#define tw_device_runtime_sample_end(runtime) ((void)(runtime))
#define tw_device_runtime_share(runtime, seconds, all) ((void)(seconds), (void)(all))

/* ---- Kernels: device_launch.h ---- */

/* Item i of n that is computed: a test with TW_DEVICE_BACKWARDS sees whether their order matters.
 */
#if defined(TW_DEVICE_BACKWARDS)
#define TW_DEVICE_NUMBER(i, n) ((n)-1 - (i))
#else
#define TW_DEVICE_NUMBER(i, n) (i)
#endif

#define TW_DEVICE_KERNEL(f, threads, resident, ...)                                                \
    static inline void f##_launch(tw_device_runtime *runtime, tw_device_world *world, uint32_t n,  \
                                  uint32_t blocks)                                                 \
    {                                                                                              \
        (void)n;                                                                                   \
        runtime->stale = 1;                                                                        \
        for (uint32_t b = 0; b < blocks; b++) {                                                    \
            const uint32_t block = TW_DEVICE_NUMBER(b, blocks);                                    \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define TW_DEVICE_THREADS(thread, threads)                                                         \
    for (uint32_t t = 0, thread = TW_DEVICE_NUMBER(0, threads); t < (threads);                     \
         t++, thread = TW_DEVICE_NUMBER(t, threads))
/* What is used without being set shows. */
#define TW_DEVICE_SHARED(type, work)                                                               \
    type work;                                                                                     \
    memset(&work, 0xff, sizeof work)
#define TW_DEVICE_BARRIER() ((void)0)
#define TW_DEVICE_UNROLL
#define TW_DEVICE_LEAVE continue
#define TW_DEVICE_UNLESS_HALTED(together) (world->run.halt)

#endif
