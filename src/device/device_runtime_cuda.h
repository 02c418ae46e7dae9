/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime of a device: CUDA. All calls of the CUDA runtime are here. */
#ifndef TW_DEVICE_RUNTIME_CUDA_H
#define TW_DEVICE_RUNTIME_CUDA_H

#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <string.h>

#include "base/error.h"
#include "device/device_world.h"

enum { TW_DEVICE_TIMES = 96 };

/* Time of the kernels of a phase, where it is asked for. */
typedef struct tw_device_time {
    const char *name;
    double seconds;
    uint64_t calls;
} tw_device_time;

/* Short copies go through pinned memory: from other memory they would take several times as long.
 * It is divided into places of this length; the first is for what is brought. */
enum { TW_DEVICE_PLACE = 16384, TW_DEVICE_PLACES = 16 };

typedef struct tw_device_runtime_cuda {
    cudaStream_t stream;
    cudaStream_t main, side; /* `stream` is one of them */
    cudaEvent_t forked, joined;
    void *scratch; /* of scans and sorts */
    size_t scratch_bytes;
    int stale;    /* phases have run since the world was brought */
    char *pinned; /* memory of the host that the device can read and write: for short copies */
    int sent;     /* places of it that are in use */
    cudaError_t failed; /* the first error of a call without a status */
    int timed;          /* kernels are timed one by one */
    cudaEvent_t begin, end;
    tw_device_time time[TW_DEVICE_TIMES];
} tw_device_runtime_cuda;

#define tw_device_runtime tw_device_runtime_cuda

static inline void tw_device_runtime_note(tw_device_runtime *runtime, cudaError_t result)
{
    if (result != cudaSuccess && runtime->failed == cudaSuccess) runtime->failed = result;
}

static inline tw_status tw_device_runtime_open(tw_device_runtime *runtime, tw_error *error)
{
    int count = 0;
    memset(runtime, 0, sizeof *runtime);
    cudaError_t result = cudaGetDeviceCount(&count);
    if (result == cudaSuccess && count == 0) result = cudaErrorNoDevice;
    if (result == cudaSuccess)
        result = cudaStreamCreateWithFlags(&runtime->main, cudaStreamNonBlocking);
    if (result == cudaSuccess)
        result = cudaStreamCreateWithFlags(&runtime->side, cudaStreamNonBlocking);
    if (result == cudaSuccess)
        result = cudaEventCreateWithFlags(&runtime->forked, cudaEventDisableTiming);
    if (result == cudaSuccess)
        result = cudaEventCreateWithFlags(&runtime->joined, cudaEventDisableTiming);
    if (result == cudaSuccess)
        result = cudaHostAlloc((void **)&runtime->pinned,
                               (size_t)TW_DEVICE_PLACES * TW_DEVICE_PLACE, cudaHostAllocDefault);
    runtime->stream = runtime->main;
    if (result != cudaSuccess)
        return tw_error_set(error, TW_STATUS_DEVICE, "no CUDA device can be used: %s",
                            cudaGetErrorString(result));
    runtime->timed = getenv("TWIRL_DEVICE_TIMES") != NULL;
    return TW_STATUS_OK;
}

static inline void tw_device_runtime_close(tw_device_runtime *runtime)
{
    if (runtime->scratch) cudaFree(runtime->scratch);
    if (runtime->pinned) cudaFreeHost(runtime->pinned);
    if (runtime->begin) cudaEventDestroy(runtime->begin);
    if (runtime->end) cudaEventDestroy(runtime->end);
    if (runtime->forked) cudaEventDestroy(runtime->forked);
    if (runtime->joined) cudaEventDestroy(runtime->joined);
    if (runtime->side) cudaStreamDestroy(runtime->side);
    if (runtime->main) cudaStreamDestroy(runtime->main);
}

/* NULL: no memory. The contents are undefined. */
static inline void *tw_device_runtime_alloc(tw_device_runtime *runtime, size_t bytes)
{
    void *room = NULL;
    (void)runtime;
    if (cudaMalloc(&room, bytes > 0 ? bytes : 1) == cudaSuccess) return room;
    (void)cudaGetLastError(); /* it is not lasting */
    return NULL;
}

static inline void tw_device_runtime_free(tw_device_runtime *runtime, void *room, size_t bytes)
{
    (void)runtime;
    (void)bytes;
    if (room) cudaFree(room);
}

static inline size_t tw_device_runtime_room(tw_device_runtime *runtime)
{
    size_t left = 0, all = 0;
    tw_device_runtime_note(runtime, cudaMemGetInfo(&left, &all));
    return left;
}

static inline void tw_device_runtime_send(tw_device_runtime *runtime, void *to, const void *from,
                                          size_t bytes)
{
    if (bytes == 0) return;
    if (bytes <= TW_DEVICE_PLACE && runtime->pinned) {
        if (++runtime->sent == TW_DEVICE_PLACES) {
            tw_device_runtime_note(runtime, cudaStreamSynchronize(runtime->stream));
            runtime->sent = 1;
        }
        from = memcpy(runtime->pinned + (size_t)runtime->sent * TW_DEVICE_PLACE, from, bytes);
    }
    tw_device_runtime_note(
        runtime, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, runtime->stream));
}

/* Waits for the data. */
static inline void tw_device_runtime_bring(tw_device_runtime *runtime, void *to, const void *from,
                                           size_t bytes)
{
    const int placed = bytes <= TW_DEVICE_PLACE && runtime->pinned;
    if (bytes == 0) return;
    tw_device_runtime_note(runtime, cudaMemcpyAsync(placed ? runtime->pinned : to, from, bytes,
                                                    cudaMemcpyDeviceToHost, runtime->stream));
    tw_device_runtime_note(runtime, cudaStreamSynchronize(runtime->stream));
    runtime->sent = 0;
    if (placed) memcpy(to, runtime->pinned, bytes);
}

static inline void tw_device_runtime_copy(tw_device_runtime *runtime, void *to, const void *from,
                                          size_t bytes)
{
    if (bytes > 0)
        tw_device_runtime_note(
            runtime, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, runtime->stream));
}

static inline void tw_device_runtime_fill(tw_device_runtime *runtime, void *to, int byte,
                                          size_t bytes)
{
    if (bytes > 0)
        tw_device_runtime_note(runtime, cudaMemsetAsync(to, byte, bytes, runtime->stream));
}

static inline int tw_device_runtime_scratch(tw_device_runtime *runtime, size_t bytes)
{
    if (bytes <= runtime->scratch_bytes) return 1;
    cudaStreamSynchronize(runtime->stream);
    if (runtime->scratch) cudaFree(runtime->scratch);
    runtime->scratch = tw_device_runtime_alloc(runtime, bytes + bytes / 4);
    runtime->scratch_bytes = runtime->scratch ? bytes + bytes / 4 : 0;
    return runtime->scratch != NULL;
}

/* Exclusive prefix sum of n counts, in place or not; *total receives their sum. */
static inline tw_status tw_device_runtime_scan(tw_device_runtime *runtime, const uint32_t *counts,
                                               uint32_t *offsets, size_t n, uint64_t *total)
{
    size_t bytes = 0;
    uint32_t last = 0, before = 0;
    *total = 0;
    if (n == 0) return TW_STATUS_OK;
    tw_device_runtime_bring(runtime, &last, counts + n - 1, sizeof last);
    cub::DeviceScan::ExclusiveSum(NULL, bytes, counts, offsets, n, runtime->stream);
    if (!tw_device_runtime_scratch(runtime, bytes)) return TW_STATUS_MEMORY;
    tw_device_runtime_note(runtime, cub::DeviceScan::ExclusiveSum(runtime->scratch, bytes, counts,
                                                                  offsets, n, runtime->stream));
    tw_device_runtime_bring(runtime, &before, offsets + n - 1, sizeof before);
    *total = (uint64_t)before + last;
    return TW_STATUS_OK;
}

/* Stable, by the lowest `bits` bits. The spare arrays are workspace of the same lengths. */
static inline tw_status tw_device_runtime_sort(tw_device_runtime *runtime, uint32_t *keys,
                                               uint32_t *values, uint32_t *spare_keys,
                                               uint32_t *spare_values, size_t n, int bits)
{
    size_t bytes = 0;
    if (n == 0) return TW_STATUS_OK;
    cub::DoubleBuffer<uint32_t> k(keys, spare_keys), v(values, spare_values);
    cub::DeviceRadixSort::SortPairs(NULL, bytes, k, v, n, 0, bits, runtime->stream);
    if (!tw_device_runtime_scratch(runtime, bytes)) return TW_STATUS_MEMORY;
    tw_device_runtime_note(runtime, cub::DeviceRadixSort::SortPairs(runtime->scratch, bytes, k, v,
                                                                    n, 0, bits, runtime->stream));
    if (k.Current() != keys) {
        tw_device_runtime_copy(runtime, keys, k.Current(), n * sizeof *keys);
        tw_device_runtime_copy(runtime, values, v.Current(), n * sizeof *values);
    }
    return TW_STATUS_OK;
}

/* Waits for everything so far. */
static inline tw_status tw_device_runtime_wait(tw_device_runtime *runtime, tw_error *error)
{
    tw_device_runtime_note(runtime, cudaStreamSynchronize(runtime->stream));
    tw_device_runtime_note(runtime, cudaGetLastError());
    if (runtime->failed == cudaSuccess) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_DEVICE, "the CUDA device has failed: %s",
                        cudaGetErrorString(runtime->failed));
}

/* What follows may run beside what comes after tw_device_runtime_back, until both are joined. */
static inline void tw_device_runtime_fork(tw_device_runtime *runtime)
{
    if (runtime->timed) return;
    tw_device_runtime_note(runtime, cudaEventRecord(runtime->forked, runtime->main));
    tw_device_runtime_note(runtime, cudaStreamWaitEvent(runtime->side, runtime->forked, 0));
    runtime->stream = runtime->side;
}

static inline void tw_device_runtime_back(tw_device_runtime *runtime)
{
    runtime->stream = runtime->main;
}

static inline void tw_device_runtime_join(tw_device_runtime *runtime)
{
    if (runtime->timed) return;
    tw_device_runtime_note(runtime, cudaEventRecord(runtime->joined, runtime->side));
    tw_device_runtime_note(runtime, cudaStreamWaitEvent(runtime->main, runtime->joined, 0));
}

static inline void tw_device_runtime_before(tw_device_runtime *runtime)
{
    if (!runtime->timed) return;
    if (!runtime->begin) {
        cudaEventCreate(&runtime->begin);
        cudaEventCreate(&runtime->end);
    }
    cudaEventRecord(runtime->begin, runtime->stream);
}

static inline void tw_device_runtime_after(tw_device_runtime *runtime, const char *name)
{
    float milliseconds = 0.0F;
    if (!runtime->timed) return;
    cudaEventRecord(runtime->end, runtime->stream);
    cudaEventSynchronize(runtime->end);
    cudaEventElapsedTime(&milliseconds, runtime->begin, runtime->end);
    for (int k = 0; k < TW_DEVICE_TIMES; k++) {
        tw_device_time *time = &runtime->time[k];
        if (time->name && strcmp(time->name, name) != 0) continue;
        time->name = name;
        time->seconds += 1e-3 * (double)milliseconds;
        time->calls++;
        return;
    }
}

/* 0: no such phase. */
static inline int tw_device_runtime_phase(tw_device_runtime *runtime, size_t number,
                                          const char **name, double *seconds, uint64_t *calls)
{
    if (number >= TW_DEVICE_TIMES || !runtime->time[number].name) return 0;
    *name = runtime->time[number].name;
    *seconds = runtime->time[number].seconds;
    *calls = runtime->time[number].calls;
    return 1;
}

enum { TW_DEVICE_BLOCK = 128 };

/* Starts the kernel of f. */
#define TW_DEVICE_START(f)                                                                         \
    static inline void f##_each(tw_device_runtime *runtime, tw_device_world *world, uint32_t n)    \
    {                                                                                              \
        if (n == 0) return;                                                                        \
        runtime->stale = 1;                                                                        \
        tw_device_runtime_before(runtime);                                                         \
        f##_kernel<<<(n - 1) / TW_DEVICE_BLOCK + 1, TW_DEVICE_BLOCK, 0, runtime->stream>>>(world,  \
                                                                                           n);     \
        tw_device_runtime_after(runtime, #f);                                                      \
    }

/* See device_runtime_host.h. */
#define TW_DEVICE_TASK(f)                                                                          \
    __global__ void __launch_bounds__(TW_DEVICE_BLOCK)                                             \
        f##_kernel(tw_device_world *world, uint32_t n)                                             \
    {                                                                                              \
        const uint32_t i = blockIdx.x * TW_DEVICE_BLOCK + threadIdx.x;                             \
        if (i < n) f(world, i);                                                                    \
    }                                                                                              \
    TW_DEVICE_START(f)
#define TW_DEVICE_PHASE(f)                                                                         \
    __global__ void __launch_bounds__(TW_DEVICE_BLOCK)                                             \
        f##_kernel(tw_device_world *world, uint32_t n)                                             \
    {                                                                                              \
        const uint32_t i = blockIdx.x * TW_DEVICE_BLOCK + threadIdx.x;                             \
        if (i < n && !world->run.halt) f(world, i);                                                \
    }                                                                                              \
    TW_DEVICE_START(f)
#define TW_DEVICE_LIST(f, member)                                                                  \
    __global__ void __launch_bounds__(TW_DEVICE_BLOCK) f##_kernel(tw_device_world *world)          \
    {                                                                                              \
        if (world->run.halt) return;                                                               \
        const uint32_t n = world->run.member, stride = gridDim.x * TW_DEVICE_BLOCK;                \
        for (uint32_t i = blockIdx.x * TW_DEVICE_BLOCK + threadIdx.x; i < n; i += stride)          \
            f(world, i);                                                                           \
    }                                                                                              \
    static inline void f##_each(tw_device_runtime *runtime, tw_device_world *world)                \
    {                                                                                              \
        runtime->stale = 1;                                                                        \
        tw_device_runtime_before(runtime);                                                         \
        f##_kernel<<<528, TW_DEVICE_BLOCK, 0, runtime->stream>>>(world);                           \
        tw_device_runtime_after(runtime, #f);                                                      \
    }
#define TW_DEVICE_START_TEAM(f, threads)                                                           \
    static inline void f##_each(tw_device_runtime *runtime, tw_device_world *world, uint32_t n)    \
    {                                                                                              \
        if (n == 0) return;                                                                        \
        runtime->stale = 1;                                                                        \
        tw_device_runtime_before(runtime);                                                         \
        f##_kernel<<<n, threads, 0, runtime->stream>>>(world);                                     \
        tw_device_runtime_after(runtime, #f);                                                      \
    }
#define TW_DEVICE_TEAM(f, stages, threads)                                                         \
    __global__ void __launch_bounds__(threads) f##_kernel(tw_device_world *world)                  \
    {                                                                                              \
        if (world->run.halt) return;                                                               \
        for (uint32_t stage = 0; stage < (stages); stage++) {                                      \
            f(world, blockIdx.x, stage, threadIdx.x);                                              \
            __syncthreads();                                                                       \
        }                                                                                          \
    }                                                                                              \
    TW_DEVICE_START_TEAM(f, threads)

#define TW_DEVICE_TEAM_PARTS(f, type, threads, blocks)                                             \
    __global__ void __launch_bounds__(threads, blocks) f##_kernel(tw_device_world *world)          \
    {                                                                                              \
        __shared__ type work;                                                                      \
        if (world->run.halt) return;                                                               \
        const uint32_t stages = f##_stages(world, blockIdx.x);                                     \
        for (uint32_t stage = 0; stage < stages; stage++) {                                        \
            f(world, &work, blockIdx.x, stage, threadIdx.x);                                       \
            __syncthreads();                                                                       \
        }                                                                                          \
    }                                                                                              \
    TW_DEVICE_START_TEAM(f, threads)

#endif
