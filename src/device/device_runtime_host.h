/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime of a device, on the CPU: for tests of the device code where there is no GPU. */
#ifndef TW_DEVICE_RUNTIME_HOST_H
#define TW_DEVICE_RUNTIME_HOST_H

#include <stdlib.h>
#include <string.h>

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
    (void)error;
    const char *memory = getenv("TWIRL_DEVICE_MEMORY"); /* for tests: bytes of the device */
    memset(runtime, 0, sizeof *runtime);
    if (memory) runtime->limit = (size_t)strtoull(memory, NULL, 10);
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

/* Exclusive prefix sum of n counts, in place or not; *total receives their sum. */
static inline tw_status tw_device_runtime_scan(tw_device_runtime *runtime, const uint32_t *counts,
                                               uint32_t *offsets, size_t n, uint64_t *total)
{
    (void)runtime;
    *total = n > 0 ? tw_prefix_sum_u32(counts, offsets, n) : 0;
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

/* Waits for everything so far. */
static inline tw_status tw_device_runtime_wait(tw_device_runtime *runtime, tw_error *error)
{
    (void)runtime;
    (void)error;
    return TW_STATUS_OK;
}

/* Item i of n that is computed: a test with TW_DEVICE_BACKWARDS sees whether their order matters.
 */
#if defined(TW_DEVICE_BACKWARDS)
#define TW_DEVICE_ITEM(i, n) ((n)-1 - (i))
#else
#define TW_DEVICE_ITEM(i, n) (i)
#endif

/* One after the other. */
static inline void tw_device_runtime_fork(tw_device_runtime *runtime, int side)
{
    (void)runtime;
    (void)side;
}

static inline void tw_device_runtime_back(tw_device_runtime *runtime)
{
    (void)runtime;
}

static inline void tw_device_runtime_join(tw_device_runtime *runtime, int side)
{
    (void)runtime;
    (void)side;
}

/* Nothing is recorded: device_runtime_cuda.h has what these do. */
static inline int tw_device_runtime_survey(tw_device_runtime *runtime)
{
    (void)runtime;
    return 0;
}

static inline int tw_device_runtime_record(tw_device_runtime *runtime, tw_device_world *world)
{
    (void)runtime;
    (void)world;
    return 0;
}

static inline void tw_device_runtime_recorded(tw_device_runtime *runtime)
{
    (void)runtime;
}

static inline uint32_t tw_device_runtime_replay(tw_device_runtime *runtime, uint32_t times)
{
    (void)runtime;
    (void)times;
    return 0;
}

/* Times are not taken. */
static inline int tw_device_runtime_phase(tw_device_runtime *runtime, size_t number,
                                          const char **name, double *seconds, uint64_t *calls)
{
    (void)runtime;
    (void)number;
    *name = "";
    *seconds = 0.0;
    *calls = 0;
    return 0;
}

/* TW_DEVICE_PHASE(f) defines f_each(runtime, world, n): f(world, i) for i below n, unless
 * the steps are halted. TW_DEVICE_TASK: even then. */
#define TW_DEVICE_TASK(f)                                                                          \
    static inline void f##_each(tw_device_runtime *runtime, tw_device_world *world, uint32_t n)    \
    {                                                                                              \
        runtime->stale = 1;                                                                        \
        for (uint32_t i = 0; i < n; i++)                                                           \
            f(world, TW_DEVICE_ITEM(i, n));                                                        \
    }
#define TW_DEVICE_PHASE(f)                                                                         \
    static inline void f##_each(tw_device_runtime *runtime, tw_device_world *world, uint32_t n)    \
    {                                                                                              \
        runtime->stale = 1;                                                                        \
        if (world->run.halt) return;                                                               \
        for (uint32_t i = 0; i < n; i++)                                                           \
            f(world, TW_DEVICE_ITEM(i, n));                                                        \
    }
/* `resident`: blocks that a multiprocessor of a GPU is to work on at once, which limits registers.
 */
#define TW_DEVICE_PHASE_AT(f, resident) TW_DEVICE_PHASE(f)
/* The number of items is a member of tw_device_run, known to the device alone. Some teams of
 * threads share them; how many does not matter. */
#define TW_DEVICE_LIST(f, member)                                                                  \
    static inline void f##_each(tw_device_runtime *runtime, tw_device_world *world,                \
                                uint32_t teams)                                                    \
    {                                                                                              \
        (void)teams;                                                                               \
        runtime->stale = 1;                                                                        \
        if (world->run.halt) return;                                                               \
        const uint32_t n = world->run.member;                                                      \
        for (uint32_t i = 0; i < n; i++)                                                           \
            f(world, TW_DEVICE_ITEM(i, n));                                                        \
    }
/* Items that several threads share: f(world, work, i, stage, thread), `work` of the given type in
 * memory of the threads of an item, not set before. A stage begins when all threads of the item
 * have ended the one before. f must not set run.halt in its first stage, in which threads may still
 * ask for it. */
#define TW_DEVICE_TEAM_WORK(f, type, stages, threads)                                              \
    static inline void f##_each(tw_device_runtime *runtime, tw_device_world *world, uint32_t n)    \
    {                                                                                              \
        type work;                                                                                 \
        runtime->stale = 1;                                                                        \
        if (world->run.halt) return;                                                               \
        for (uint32_t i = 0; i < n; i++) {                                                         \
            memset(&work, 0xff, sizeof work); /* what is used without being set shows */           \
            for (uint32_t stage = 0; stage < (stages); stage++)                                    \
                for (uint32_t k = 0; k < (threads); k++)                                           \
                    f(world, &work, TW_DEVICE_ITEM(i, n), stage, TW_DEVICE_ITEM(k, threads));      \
        }                                                                                          \
    }

/* One item: f(world, work, stage, thread). It looks at run.halt itself, so that nothing else has to
 * wait until that is loaded. */
#define TW_DEVICE_ONE(f, type, stages, threads)                                                    \
    static inline void f##_each(tw_device_runtime *runtime, tw_device_world *world)                \
    {                                                                                              \
        type work;                                                                                 \
        runtime->stale = 1;                                                                        \
        memset(&work, 0xff, sizeof work);                                                          \
        for (uint32_t stage = 0; stage < (stages); stage++)                                        \
            for (uint32_t k = 0; k < (threads); k++)                                               \
                f(world, &work, stage, TW_DEVICE_ITEM(k, threads));                                \
    }

/* The same for a list as above: f(world, shared, first, count, stage, thread) takes entries first
 * .. first + count - 1, up to `share` at a time; `shared` is a variable of this type that the
 * threads share. The number of teams does not matter. */
#define TW_DEVICE_TEAM_LIST(f, member, type, share, stages, threads)                               \
    static inline void f##_each(tw_device_runtime *runtime, tw_device_world *world,                \
                                uint32_t teams)                                                    \
    {                                                                                              \
        type shared;                                                                               \
        runtime->stale = 1;                                                                        \
        if (world->run.halt) return;                                                               \
        const uint32_t n = world->run.member, most = tw_device_world_share(n, teams, share);       \
        for (uint32_t first = 0; first < n; first += most)                                         \
            for (uint32_t stage = 0; stage < (stages); stage++)                                    \
                for (uint32_t k = 0; k < (threads); k++)                                           \
                    f(world, &shared, first, n - first < most ? n - first : most, stage,           \
                      TW_DEVICE_ITEM(k, threads));                                                 \
    }

/* The same with memory that the threads of an item share: f(world, work, i, stage, thread), `work`
 * of the given type. The item has f_stages(world, i) stages, which must not change meanwhile.
 * `resident`: items that a multiprocessor of a GPU is to work on at once, which limits registers.
 * TW_DEVICE_TEAM_TASK: even if the steps are halted. */
#define TW_DEVICE_TEAM_PARTS(f, type, threads, resident)                                           \
    TW_DEVICE_TEAM_UNLESS(world->run.halt, f, type, threads)
#define TW_DEVICE_TEAM_TASK(f, type, threads, resident) TW_DEVICE_TEAM_UNLESS(0, f, type, threads)
#define TW_DEVICE_TEAM_UNLESS(halted, f, type, threads)                                            \
    static inline void f##_each(tw_device_runtime *runtime, tw_device_world *world, uint32_t n)    \
    {                                                                                              \
        runtime->stale = 1;                                                                        \
        if (halted) return;                                                                        \
        for (uint32_t i = 0; i < n; i++) {                                                         \
            type work;                                                                             \
            const uint32_t item = TW_DEVICE_ITEM(i, n), stages = f##_stages(world, item);          \
            memset(&work, 0xff, sizeof work); /* what is used without being set shows */           \
            for (uint32_t stage = 0; stage < stages; stage++)                                      \
                for (uint32_t k = 0; k < (threads); k++)                                           \
                    f(world, &work, item, stage, TW_DEVICE_ITEM(k, threads));                      \
        }                                                                                          \
    }

#endif
