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

/* Launches of a part of a step that is recorded, at most; and modes of the record. */
enum { TW_DEVICE_LAUNCHES = 64 };
enum { TW_DEVICE_RECORD_NONE, TW_DEVICE_RECORD_SURVEY, TW_DEVICE_RECORD_ON };

/* What is repeated many times is recorded as a graph of CUDA: kernels of a graph start faster. A
 * survey goes through the launches without launching anything. As long as kernels are the same and
 * the recorded blocks are enough for the items, the graph is replayed; kernels read the numbers of
 * items from `limit`. */
typedef struct tw_device_record {
    int off;            /* not wanted, or not possible */
    int mode;           /* TW_DEVICE_RECORD_NONE ... */
    int fits;           /* the survey has found the launches that were found before */
    int sent;           /* `limit` has the numbers of items */
    int failed;         /* a call has failed while recording */
    uint32_t times;     /* how often they were found; the first time kernels may still be loaded */
    uint32_t count, at; /* launches */
    const void *kernel[TW_DEVICE_LAUNCHES];
    uint32_t blocks[TW_DEVICE_LAUNCHES]; /* a few more than were needed */
    uint32_t items[TW_DEVICE_LAUNCHES];
    uint32_t *limit; /* the same in the memory of the device */
    const tw_device_world *world;
    cudaGraphExec_t graph;
} tw_device_record;

/* Short copies go through pinned memory: from other memory they would take several times as long.
 * It is divided into places of this length; the first is for what is brought. */
enum { TW_DEVICE_PLACE = 16384, TW_DEVICE_PLACES = 16 };

typedef struct tw_device_runtime_cuda {
    cudaStream_t stream;
    cudaStream_t main, side[TW_DEVICE_SIDES]; /* `stream` is one of them */
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
    tw_device_record record;
} tw_device_runtime_cuda;

#define tw_device_runtime tw_device_runtime_cuda

static inline void tw_device_runtime_note(tw_device_runtime *runtime, cudaError_t result)
{
    if (result == cudaSuccess) return;
    if (runtime->record.mode == TW_DEVICE_RECORD_ON)
        runtime->record.failed = 1;
    else if (runtime->failed == cudaSuccess)
        runtime->failed = result;
}

static inline tw_status tw_device_runtime_open(tw_device_runtime *runtime, tw_error *error)
{
    int count = 0;
    memset(runtime, 0, sizeof *runtime);
    cudaError_t result = cudaGetDeviceCount(&count);
    if (result == cudaSuccess && count == 0) result = cudaErrorNoDevice;
    if (result == cudaSuccess)
        result = cudaStreamCreateWithFlags(&runtime->main, cudaStreamNonBlocking);
    for (int k = 0; k < TW_DEVICE_SIDES && result == cudaSuccess; k++)
        result = cudaStreamCreateWithFlags(&runtime->side[k], cudaStreamNonBlocking);
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
    const char *graph = getenv("TWIRL_DEVICE_GRAPH");
    runtime->timed = getenv("TWIRL_DEVICE_TIMES") != NULL;
    runtime->record.off = runtime->timed || (graph && strcmp(graph, "0") == 0);
    return TW_STATUS_OK;
}

static inline void tw_device_runtime_close(tw_device_runtime *runtime)
{
    if (runtime->record.graph) cudaGraphExecDestroy(runtime->record.graph);
    if (runtime->record.limit) cudaFree(runtime->record.limit);
    if (runtime->scratch) cudaFree(runtime->scratch);
    if (runtime->pinned) cudaFreeHost(runtime->pinned);
    if (runtime->begin) cudaEventDestroy(runtime->begin);
    if (runtime->end) cudaEventDestroy(runtime->end);
    if (runtime->forked) cudaEventDestroy(runtime->forked);
    if (runtime->joined) cudaEventDestroy(runtime->joined);
    for (int k = 0; k < TW_DEVICE_SIDES; k++)
        if (runtime->side[k]) cudaStreamDestroy(runtime->side[k]);
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
static inline void tw_device_runtime_fork(tw_device_runtime *runtime, int side)
{
    if (runtime->timed || runtime->record.mode == TW_DEVICE_RECORD_SURVEY) return;
    tw_device_runtime_note(runtime, cudaEventRecord(runtime->forked, runtime->main));
    tw_device_runtime_note(runtime, cudaStreamWaitEvent(runtime->side[side], runtime->forked, 0));
    runtime->stream = runtime->side[side];
}

static inline void tw_device_runtime_back(tw_device_runtime *runtime)
{
    runtime->stream = runtime->main;
}

static inline void tw_device_runtime_join(tw_device_runtime *runtime, int side)
{
    if (runtime->timed || runtime->record.mode == TW_DEVICE_RECORD_SURVEY) return;
    tw_device_runtime_note(runtime, cudaEventRecord(runtime->joined, runtime->side[side]));
    tw_device_runtime_note(runtime, cudaStreamWaitEvent(runtime->main, runtime->joined, 0));
}

/* ---- Records ---- */

/* Begins a survey; 0: nothing is recorded. */
static inline int tw_device_runtime_survey(tw_device_runtime *runtime)
{
    tw_device_record *record = &runtime->record;
    if (record->off) return 0;
    record->mode = TW_DEVICE_RECORD_SURVEY;
    record->at = 0;
    record->fits = 1;
    return 1;
}

/* A launch of a survey. Where it differs from that of before, the graph is of no use. */
static inline void tw_device_runtime_look_at(tw_device_record *record, const void *kernel,
                                             uint32_t items, uint32_t blocks)
{
    const uint32_t k = record->at++;
    if (k >= TW_DEVICE_LAUNCHES) {
        record->fits = 0;
        record->off = 1;
        return;
    }
    /* Numbers of items change a little with every list. A fixed grid has no items. */
    const uint32_t least = blocks, most = items > 0 ? 2 * blocks + 8 : blocks;
    if (k >= record->count || record->kernel[k] != kernel || record->blocks[k] < least ||
        record->blocks[k] > most) {
        record->fits = 0;
        record->kernel[k] = kernel;
        record->blocks[k] = items > 0 && blocks > 1 ? blocks + blocks / 8 + 1 : blocks;
    }
    if (record->items[k] != items) record->sent = 0;
    record->items[k] = items;
}

/* Whether a kernel is to be launched, with how many blocks, and where it reads the number of items:
 * NULL if that is known. */
static inline int tw_device_runtime_launch(tw_device_runtime *runtime, const void *kernel,
                                           uint32_t items, uint32_t *blocks, const uint32_t **limit)
{
    tw_device_record *record = &runtime->record;
    *limit = NULL;
    if (record->mode == TW_DEVICE_RECORD_SURVEY) {
        tw_device_runtime_look_at(record, kernel, items, *blocks);
        return 0;
    }
    if (record->mode == TW_DEVICE_RECORD_ON) {
        const uint32_t k = record->at++ % record->count; /* repeated */
        *blocks = record->blocks[k];
        *limit = record->limit + k;
    }
    return 1;
}

/* Ends a survey. 1: the launches are to be recorded now, as often as they are to be repeated in the
 * graph; tw_device_runtime_recorded follows. */
static inline int tw_device_runtime_record(tw_device_runtime *runtime, tw_device_world *world)
{
    tw_device_record *record = &runtime->record;
    record->mode = TW_DEVICE_RECORD_NONE;
    if (!record->fits || record->at != record->count || record->world != world) {
        if (record->graph) cudaGraphExecDestroy(record->graph);
        record->graph = NULL;
        record->count = record->at;
        record->world = world;
        record->times = 0;
        record->sent = 0;
    }
    if (record->off || record->graph || record->times++ == 0) return 0;
    if (!record->limit)
        record->limit = (uint32_t *)tw_device_runtime_alloc(runtime, sizeof record->items);
    /* Other threads may allocate meanwhile. */
    if (!record->limit ||
        cudaStreamBeginCapture(runtime->main, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
        (void)cudaGetLastError();
        record->off = 1;
        return 0;
    }
    record->mode = TW_DEVICE_RECORD_ON;
    record->failed = 0;
    record->at = 0;
    return 1;
}

/* If there is no graph, kernels are launched one by one as before. */
static inline void tw_device_runtime_recorded(tw_device_runtime *runtime)
{
    tw_device_record *record = &runtime->record;
    cudaGraph_t graph = NULL;
    cudaError_t result = cudaStreamEndCapture(runtime->main, &graph);
    record->mode = TW_DEVICE_RECORD_NONE;
    if (cudaGetLastError() != cudaSuccess || record->failed) result = cudaErrorUnknown;
    if (result == cudaSuccess) result = cudaGraphInstantiateWithFlags(&record->graph, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    if (result == cudaSuccess) return;
    (void)cudaGetLastError();
    record->graph = NULL;
    record->off = 1;
}

/* Repeats what was recorded; returns how often. */
static inline uint32_t tw_device_runtime_replay(tw_device_runtime *runtime, uint32_t times)
{
    tw_device_record *record = &runtime->record;
    if (!record->graph || times == 0) return 0;
    if (!record->sent)
        tw_device_runtime_send(runtime, record->limit, record->items, sizeof record->items);
    record->sent = 1;
    runtime->stale = 1;
    for (uint32_t k = 0; k < times; k++) {
        if (cudaGraphLaunch(record->graph, runtime->main) == cudaSuccess) continue;
        (void)cudaGetLastError();
        record->off = 1;
        return k;
    }
    return times;
}

/* ---- Times ---- */

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

/* ---- Kernels ---- */

enum { TW_DEVICE_BLOCK = 128 };

/* Starts the kernel of f, unless a survey only looks at it. Every kernel is started by this. */
#define TW_DEVICE_LAUNCH(f, items, grid, threads, bytes, ...)                                      \
    uint32_t blocks = (grid);                                                                      \
    const uint32_t *limit;                                                                         \
    if (!tw_device_runtime_launch(runtime, (const void *)f##_kernel, items, &blocks, &limit))      \
        return;                                                                                    \
    runtime->stale = 1;                                                                            \
    tw_device_runtime_before(runtime);                                                             \
    f##_kernel<<<blocks, threads, bytes, runtime->stream>>>(__VA_ARGS__);                          \
    tw_device_runtime_note(runtime, cudaPeekAtLastError());                                        \
    tw_device_runtime_after(runtime, #f)

/* For n items, a block for `each` of them. */
#define TW_DEVICE_START(f, each)                                                                   \
    static inline void f##_each(tw_device_runtime *runtime, tw_device_world *world, uint32_t n)    \
    {                                                                                              \
        if (n == 0) return;                                                                        \
        TW_DEVICE_LAUNCH(f, n, (n - 1) / (each) + 1, f##_threads, 0, world, n, limit);             \
    }

/* With any number of blocks. */
#define TW_DEVICE_START_SOME(f, threads)                                                           \
    static inline void f##_each(tw_device_runtime *runtime, tw_device_world *world,                \
                                uint32_t teams)                                                    \
    {                                                                                              \
        TW_DEVICE_LAUNCH(f, teams, teams, threads, 0, world);                                      \
    }

/* For n items, a block each, that has `bytes` of shared memory: more than 48 kB must be asked for.
 */
#define TW_DEVICE_START_LARGE(f, bytes)                                                            \
    static inline void f##_each(tw_device_runtime *runtime, tw_device_world *world, uint32_t n)    \
    {                                                                                              \
        if (n == 0) return;                                                                        \
        if ((bytes) > 48 * 1024)                                                                   \
            tw_device_runtime_note(                                                                \
                runtime,                                                                           \
                cudaFuncSetAttribute((const void *)f##_kernel,                                     \
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, (int)(bytes)));  \
        TW_DEVICE_LAUNCH(f, n, n, f##_threads, bytes, world, n, limit);                            \
    }

/* See device_runtime_host.h. The number of items is in memory where launches are recorded. */
#define TW_DEVICE_TASK(f)                                                                          \
    enum { f##_threads = TW_DEVICE_BLOCK };                                                        \
    __global__ void __launch_bounds__(TW_DEVICE_BLOCK)                                             \
        f##_kernel(tw_device_world *__restrict__ world, uint32_t items, const uint32_t *limit)     \
    {                                                                                              \
        const uint32_t i = blockIdx.x * TW_DEVICE_BLOCK + threadIdx.x;                             \
        const uint32_t n = limit ? *limit : items;                                                 \
        if (i < n) f(world, i);                                                                    \
    }                                                                                              \
    TW_DEVICE_START(f, TW_DEVICE_BLOCK)
#define TW_DEVICE_PHASE(f) TW_DEVICE_PHASE_AT(f, 1)
#define TW_DEVICE_PHASE_AT(f, resident)                                                            \
    enum { f##_threads = TW_DEVICE_BLOCK };                                                        \
    __global__ void __launch_bounds__(TW_DEVICE_BLOCK, resident)                                   \
        f##_kernel(tw_device_world *__restrict__ world, uint32_t items, const uint32_t *limit)     \
    {                                                                                              \
        const uint32_t i = blockIdx.x * TW_DEVICE_BLOCK + threadIdx.x;                             \
        const uint32_t halt = world->run.halt, n = limit ? *limit : items;                         \
        if (i < n && !halt) f(world, i);                                                           \
    }                                                                                              \
    TW_DEVICE_START(f, TW_DEVICE_BLOCK)
#define TW_DEVICE_LIST(f, member)                                                                  \
    __global__ void __launch_bounds__(TW_DEVICE_BLOCK)                                             \
        f##_kernel(tw_device_world *__restrict__ world)                                            \
    {                                                                                              \
        if (world->run.halt) return;                                                               \
        const uint32_t n = world->run.member, stride = gridDim.x * TW_DEVICE_BLOCK;                \
        for (uint32_t i = blockIdx.x * TW_DEVICE_BLOCK + threadIdx.x; i < n; i += stride)          \
            f(world, i);                                                                           \
    }                                                                                              \
    TW_DEVICE_START_SOME(f, TW_DEVICE_BLOCK)
/* Another block may halt the steps: the threads of a block must not see it one by one, or those
 * that remain would work with what the others have not set. */
static __device__ inline int tw_device_runtime_halted(const tw_device_world *world)
{
    return __syncthreads_or((int)world->run.halt);
}

#define TW_DEVICE_TEAM_WORK(f, type, stages, threads)                                              \
    enum { f##_threads = (threads) };                                                              \
    __global__ void __launch_bounds__(threads)                                                     \
        f##_kernel(tw_device_world *__restrict__ world, uint32_t items, const uint32_t *limit)     \
    {                                                                                              \
        __shared__ type work;                                                                      \
        if (tw_device_runtime_halted(world) || blockIdx.x >= (limit ? *limit : items)) return;     \
        _Pragma("unroll") for (uint32_t stage = 0; stage < (stages); stage++)                      \
        {                                                                                          \
            f(world, &work, blockIdx.x, stage, threadIdx.x);                                       \
            __syncthreads();                                                                       \
        }                                                                                          \
    }                                                                                              \
    TW_DEVICE_START(f, 1)
#define TW_DEVICE_ONE(f, type, stages, threads)                                                    \
    __global__ void __launch_bounds__(threads, 1) f##_kernel(tw_device_world *__restrict__ world)  \
    {                                                                                              \
        __shared__ type work;                                                                      \
        _Pragma("unroll") for (uint32_t stage = 0; stage < (stages); stage++)                      \
        {                                                                                          \
            f(world, &work, stage, threadIdx.x);                                                   \
            __syncthreads();                                                                       \
        }                                                                                          \
    }                                                                                              \
    static inline void f##_each(tw_device_runtime *runtime, tw_device_world *world)                \
    {                                                                                              \
        TW_DEVICE_LAUNCH(f, 1, 1, threads, 0, world);                                              \
    }
#define TW_DEVICE_TEAM_PARTS(f, type, threads, resident)                                           \
    TW_DEVICE_TEAM_UNLESS(tw_device_runtime_halted(world), f, type, threads, resident)
#define TW_DEVICE_TEAM_TASK(f, type, threads, resident)                                            \
    TW_DEVICE_TEAM_UNLESS(0, f, type, threads, resident)
#define TW_DEVICE_TEAM_UNLESS(halted, f, type, threads, resident)                                  \
    enum { f##_threads = (threads) };                                                              \
    __global__ void __launch_bounds__(threads, resident)                                           \
        f##_kernel(tw_device_world *__restrict__ world, uint32_t items, const uint32_t *limit)     \
    {                                                                                              \
        extern __shared__ double tw_device_runtime_shared[];                                       \
        type *work = (type *)tw_device_runtime_shared;                                             \
        if ((halted) || blockIdx.x >= (limit ? *limit : items)) return;                            \
        const uint32_t stages = f##_stages(world, blockIdx.x);                                     \
        for (uint32_t stage = 0; stage < stages; stage++) {                                        \
            f(world, work, blockIdx.x, stage, threadIdx.x);                                        \
            __syncthreads();                                                                       \
        }                                                                                          \
    }                                                                                              \
    TW_DEVICE_START_LARGE(f, sizeof(type))

#define TW_DEVICE_TEAM_LIST(f, member, type, share, stages, threads)                               \
    __global__ void __launch_bounds__(threads, 16) f##_kernel(tw_device_world *__restrict__ world) \
    {                                                                                              \
        __shared__ type shared;                                                                    \
        if (tw_device_runtime_halted(world)) return;                                               \
        const uint32_t n = world->run.member, most = tw_device_world_share(n, gridDim.x, share);   \
        for (uint32_t first = blockIdx.x * most; first < n; first += gridDim.x * most)             \
            for (uint32_t stage = 0; stage < (stages); stage++) {                                  \
                f(world, &shared, first, n - first < most ? n - first : most, stage, threadIdx.x); \
                __syncthreads();                                                                   \
            }                                                                                      \
    }                                                                                              \
    TW_DEVICE_START_SOME(f, threads)

#endif
