/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime of a device: CUDA. All calls of the CUDA runtime are here. */
#ifndef TW_DEVICE_RUNTIME_CUDA_H
#define TW_DEVICE_RUNTIME_CUDA_H

#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "device/device_world.h"

/* How the time of steps is divided among phases: in one batch of many, events between the phases of
 * a step say how long they take, one after the other. */
enum { TW_DEVICE_SAMPLE_BATCHES = 64, TW_DEVICE_SAMPLE_MARKS = 8 };

typedef struct tw_device_sample {
    uint32_t batches;                                     /* since kernels were chosen */
    int taken, marking;                                   /* in this batch; in this step */
    cudaEvent_t begin, end, mark[TW_DEVICE_SAMPLE_MARKS]; /* of the batch; of phases */
    tw_sim_phase phase[TW_DEVICE_SAMPLE_MARKS]; /* that begins at a mark; the last: none */
    int marks;
    double share[TW_SIM_PHASE_COUNT]; /* of the time in which the host waits for a batch */
} tw_device_sample;

/* Steps that are repeated are captured as graphs of CUDA: kernels of a graph start faster. */
typedef struct tw_device_graphs {
    cudaGraphExec_t steps[TW_DEVICE_GRAPHS]; /* NULL: not captured */
    int current[TW_DEVICE_GRAPHS];           /* it has the numbers of items of the present list */
    int off;                                 /* not possible */
    int capturing;
    int failed;  /* a call has failed meanwhile */
    int started; /* the kernels have been started before: others may still have to be loaded */
} tw_device_graphs;

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
    tw_device_graphs graph;
    tw_device_sample sample;
} tw_device_runtime_cuda;

#define tw_device_runtime tw_device_runtime_cuda

static inline void tw_device_runtime_note(tw_device_runtime *runtime, cudaError_t result)
{
    if (result == cudaSuccess) return;
    if (runtime->graph.capturing)
        runtime->graph.failed = 1;
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
    return TW_STATUS_OK;
}

static inline void tw_device_runtime_close(tw_device_runtime *runtime)
{
    for (int k = 0; k < TW_DEVICE_GRAPHS; k++)
        if (runtime->graph.steps[k]) cudaGraphExecDestroy(runtime->graph.steps[k]);
    if (runtime->scratch) cudaFree(runtime->scratch);
    if (runtime->pinned) cudaFreeHost(runtime->pinned);
    if (runtime->sample.begin) {
        cudaEventDestroy(runtime->sample.begin);
        cudaEventDestroy(runtime->sample.end);
        for (int k = 0; k < TW_DEVICE_SAMPLE_MARKS; k++)
            cudaEventDestroy(runtime->sample.mark[k]);
    }
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

/* Exclusive prefix sum of n counts, in place or not; *total, if it is asked for, receives their
 * sum, for which the host waits. */
static inline tw_status tw_device_runtime_scan(tw_device_runtime *runtime, const uint32_t *counts,
                                               uint32_t *offsets, size_t n, uint64_t *total)
{
    size_t bytes = 0;
    uint32_t *ends = (uint32_t *)(void *)runtime->pinned; /* the last count, and those before it */
    if (total) *total = 0;
    if (n == 0) return TW_STATUS_OK;
    cub::DeviceScan::ExclusiveSum(NULL, bytes, counts, offsets, n, runtime->stream);
    if (!tw_device_runtime_scratch(runtime, bytes)) return TW_STATUS_MEMORY;
    if (total)
        tw_device_runtime_note(runtime, cudaMemcpyAsync(&ends[0], counts + n - 1, sizeof *ends,
                                                        cudaMemcpyDeviceToHost, runtime->stream));
    tw_device_runtime_note(runtime, cub::DeviceScan::ExclusiveSum(runtime->scratch, bytes, counts,
                                                                  offsets, n, runtime->stream));
    if (!total) return TW_STATUS_OK;
    tw_device_runtime_note(runtime, cudaMemcpyAsync(&ends[1], offsets + n - 1, sizeof *ends,
                                                    cudaMemcpyDeviceToHost, runtime->stream));
    tw_device_runtime_note(runtime, cudaStreamSynchronize(runtime->stream));
    runtime->sent = 0;
    *total = (uint64_t)ends[0] + ends[1];
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

/* What follows may run concurrently with what comes after tw_device_runtime_back, until both are
 * joined. */
static inline void tw_device_runtime_fork(tw_device_runtime *runtime, int side)
{
    if (runtime->sample.marking) return;
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
    if (runtime->sample.marking) return;
    tw_device_runtime_note(runtime, cudaEventRecord(runtime->joined, runtime->side[side]));
    tw_device_runtime_note(runtime, cudaStreamWaitEvent(runtime->main, runtime->joined, 0));
}

/* ---- Graphs ---- */

/* The numbers of items have changed, or (`others`) the choice of kernels. */
static inline void tw_device_runtime_renew(tw_device_runtime *runtime, int others)
{
    memset(runtime->graph.current, 0, sizeof runtime->graph.current);
    if (others) runtime->graph.started = 0;
    if (others) runtime->sample.batches = 0;
}

/* 1: the launches that follow are captured as this graph, until tw_device_runtime_captured. */
static inline int tw_device_runtime_capture(tw_device_runtime *runtime, int which)
{
    tw_device_graphs *graph = &runtime->graph;
    const int started = graph->started;
    graph->started = 1;
    if (graph->off || graph->current[which] || !started) return 0;
    /* Other threads may allocate meanwhile. */
    graph->off =
        cudaStreamBeginCapture(runtime->main, cudaStreamCaptureModeThreadLocal) != cudaSuccess;
    if (graph->off) (void)cudaGetLastError();
    graph->capturing = !graph->off;
    graph->failed = 0;
    return graph->capturing;
}

/* If there is no graph, kernels are launched one by one as before. */
static inline void tw_device_runtime_captured(tw_device_runtime *runtime, int which)
{
    tw_device_graphs *graph = &runtime->graph;
    cudaGraphExec_t *steps = &graph->steps[which];
    cudaGraph_t made = NULL;
    cudaError_t result = cudaStreamEndCapture(runtime->main, &made);
    graph->capturing = 0;
    if (cudaGetLastError() != cudaSuccess || graph->failed) result = cudaErrorUnknown;
    if (*steps) cudaGraphExecDestroy(*steps);
    *steps = NULL;
    if (result == cudaSuccess) result = cudaGraphInstantiateWithFlags(steps, made, 0);
    if (made) cudaGraphDestroy(made);
    (void)cudaGetLastError();
    graph->current[which] = result == cudaSuccess;
    graph->off = !graph->current[which];
}

/* Repeats what was captured; returns how often. */
static inline uint32_t tw_device_runtime_replay(tw_device_runtime *runtime, int which,
                                                uint32_t times)
{
    tw_device_graphs *graph = &runtime->graph;
    if (!graph->current[which] || graph->off) return 0;
    runtime->stale = 1;
    for (uint32_t k = 0; k < times; k++) {
        if (cudaGraphLaunch(graph->steps[which], runtime->main) == cudaSuccess) continue;
        (void)cudaGetLastError();
        graph->off = 1;
        return k;
    }
    return times;
}

/* ---- Samples of times ---- */

/* A batch begins. 1: a step of it is to be a sample. Not the first ones: kernels may have to be
 * loaded. */
static inline uint32_t tw_device_runtime_sample(tw_device_runtime *runtime)
{
    tw_device_sample *s = &runtime->sample;
    s->taken = s->batches++ % TW_DEVICE_SAMPLE_BATCHES == 2;
    if (!s->taken) return 0;
    if (!s->begin) {
        tw_device_runtime_note(runtime, cudaEventCreate(&s->begin));
        tw_device_runtime_note(runtime, cudaEventCreate(&s->end));
        for (int k = 0; k < TW_DEVICE_SAMPLE_MARKS; k++)
            tw_device_runtime_note(runtime, cudaEventCreate(&s->mark[k]));
    }
    s->marks = 0;
    tw_device_runtime_note(runtime, cudaEventRecord(s->begin, runtime->main));
    return 1;
}

static inline void tw_device_runtime_sample_begin(tw_device_runtime *runtime)
{
    runtime->sample.marking = runtime->sample.taken;
}

/* What follows is of this phase. */
static inline void tw_device_runtime_mark(tw_device_runtime *runtime, tw_sim_phase phase)
{
    tw_device_sample *s = &runtime->sample;
    if (!s->marking || s->marks == TW_DEVICE_SAMPLE_MARKS) return;
    s->phase[s->marks] = phase;
    tw_device_runtime_note(runtime, cudaEventRecord(s->mark[s->marks++], runtime->main));
}

/* The step is complete; and the batch, when called for its last step. */
static inline void tw_device_runtime_sample_end(tw_device_runtime *runtime)
{
    tw_device_sample *s = &runtime->sample;
    if (!s->taken) return;
    tw_device_runtime_mark(runtime, TW_SIM_PHASE_WAITING);
    s->marking = 0;
    tw_device_runtime_note(runtime, cudaEventRecord(s->end, runtime->main));
}

static inline double tw_device_runtime_between(tw_device_runtime *runtime, cudaEvent_t a,
                                               cudaEvent_t b)
{
    float milliseconds = 0.0F;
    tw_device_runtime_note(runtime, cudaEventElapsedTime(&milliseconds, a, b));
    return 1e-3 * (double)milliseconds;
}

/* The host has waited for a batch. `all`: it was taken to its end. */
static inline void tw_device_runtime_share(tw_device_runtime *runtime, double seconds, int all)
{
    tw_device_sample *s = &runtime->sample;
    if (s->taken && all && s->marks > 1) {
        const double batch = tw_device_runtime_between(runtime, s->begin, s->end),
                     step = tw_device_runtime_between(runtime, s->mark[0], s->mark[s->marks - 1]);
        const double busy = batch < seconds ? batch / seconds : 1.0,
                     scale = step > 0.0 ? busy / step : 0.0;
        memset(s->share, 0, sizeof s->share);
        for (int k = 0; k + 1 < s->marks; k++)
            s->share[s->phase[k]] +=
                scale * tw_device_runtime_between(runtime, s->mark[k], s->mark[k + 1]);
    }
    s->taken = 0;
    for (int k = 0; k < TW_SIM_PHASE_COUNT; k++)
        if (s->share[k] > 0.0) tw_clock_give((tw_sim_phase)k, seconds * s->share[k]);
}

/* ---- Kernels: device_launch.h ---- */

#define TW_DEVICE_KERNEL(f, threads, resident, ...)                                                \
    __global__ void __launch_bounds__(threads, resident)                                           \
        f##_kernel(tw_device_world *__restrict__ world, const uint32_t n)                          \
    {                                                                                              \
        const uint32_t block = blockIdx.x, blocks = gridDim.x;                                     \
        (void)n;                                                                                   \
        (void)blocks;                                                                              \
        __VA_ARGS__                                                                                \
    }                                                                                              \
    static inline void f##_launch(tw_device_runtime *runtime, tw_device_world *world, uint32_t n,  \
                                  uint32_t grid)                                                   \
    {                                                                                              \
        runtime->stale = 1;                                                                        \
        f##_kernel<<<grid, threads, 0, runtime->stream>>>(world, n);                               \
        tw_device_runtime_note(runtime, cudaPeekAtLastError());                                    \
    }
#define TW_DEVICE_THREADS(thread, threads)                                                         \
    for (uint32_t thread = threadIdx.x, left = 1; left > 0; left = 0)
#define TW_DEVICE_SHARED(type, work) __shared__ type work
#define TW_DEVICE_BARRIER() __syncthreads()
#define TW_DEVICE_UNROLL _Pragma("unroll")
#define TW_DEVICE_LEAVE return
/* Another block may halt the steps: the threads of a team must not see it one by one, or those that
 * remain would work with what the others have not set. */
#define TW_DEVICE_UNLESS_HALTED(together)                                                          \
    ((together) ? (uint32_t)__syncthreads_or((int)world->run.halt) : world->run.halt)

#endif
