/* SPDX-License-Identifier: BSD-3-Clause */
/* The three ways to launch a phase, for every runtime. Includer: a runtime first.
 *
 * ITEM   f(parts, i) for i below n
 * QUEUE  the same, where the number of items is a member of tw_device_run that the device alone
 *        knows: some blocks of threads share them
 * TEAM   f(parts, work, i, stage, thread) for i below n: `threads` threads share an item and
 *        `work`, of the given type, not set before. A stage begins when all of them have ended the
 *        one before. `stages` is a constant, or an expression of `world` and `block`, the item,
 *        that does not change meanwhile.
 *
 * `reads` and `writes` are lists in parentheses of the parts (device_world.h) that f takes: first
 * those that it only reads, as pointers to const, then those that it writes. The signature of f is
 * declared from them, so it cannot be another one. Each defines f_each(runtime, world, n).
 * ..._WITH(phase, f, with, ...) defines phase_each, which calls f with a last argument that the
 * compiler knows. A TASK is an item that is also done while the steps are halted; teams say
 * (`halted`) TW_DEVICE_UNLESS_HALTED or TW_DEVICE_ALWAYS. `resident`: blocks that a multiprocessor
 * of a GPU is to work on concurrently, which limits registers. A team must not halt the steps in
 * its first stage, in which threads may still ask for it.
 *
 * A runtime defines TW_DEVICE_KERNEL(f, threads, resident, code), in which f_launch(runtime, world,
 * n, grid) is defined to run the code for `block` 0, 1 ... of `blocks`, and what the code is made
 * of: TW_DEVICE_THREADS, a loop over the threads of a block, TW_DEVICE_SHARED, TW_DEVICE_BARRIER,
 * TW_DEVICE_UNROLL, TW_DEVICE_LEAVE, which ends the block, and TW_DEVICE_UNLESS_HALTED(together),
 * true if the steps are halted; `together`: for all threads of a block or for none. */
#ifndef TW_DEVICE_LAUNCH_H
#define TW_DEVICE_LAUNCH_H

#include "device/device_world.h"

/* Threads of a block of items, and those that wait for each other where they do different things:
 * few items of a queue are in as many warps as a large device starts at the same time. */
enum { TW_DEVICE_BLOCK = 128, TW_DEVICE_WARP = 32, TW_DEVICE_WARPS = 528 };

#define TW_DEVICE_ALWAYS(together) 0

/* Tests see here whether a phase changes what it only reads: test/device/watched.c. */
#ifndef TW_DEVICE_BEFORE
#define TW_DEVICE_BEFORE(reads)
#define TW_DEVICE_AFTER(f)
#endif

/* use(part) for each part of a list, up to eight. */
#define TW_DEVICE_EACH_1(use, a) TW_DEVICE_PART_##a(use)
#define TW_DEVICE_EACH_2(use, a, ...) TW_DEVICE_PART_##a(use) TW_DEVICE_EACH_1(use, __VA_ARGS__)
#define TW_DEVICE_EACH_3(use, a, ...) TW_DEVICE_PART_##a(use) TW_DEVICE_EACH_2(use, __VA_ARGS__)
#define TW_DEVICE_EACH_4(use, a, ...) TW_DEVICE_PART_##a(use) TW_DEVICE_EACH_3(use, __VA_ARGS__)
#define TW_DEVICE_EACH_5(use, a, ...) TW_DEVICE_PART_##a(use) TW_DEVICE_EACH_4(use, __VA_ARGS__)
#define TW_DEVICE_EACH_6(use, a, ...) TW_DEVICE_PART_##a(use) TW_DEVICE_EACH_5(use, __VA_ARGS__)
#define TW_DEVICE_EACH_7(use, a, ...) TW_DEVICE_PART_##a(use) TW_DEVICE_EACH_6(use, __VA_ARGS__)
#define TW_DEVICE_EACH_8(use, a, ...) TW_DEVICE_PART_##a(use) TW_DEVICE_EACH_7(use, __VA_ARGS__)
#define TW_DEVICE_EACH_OF(a, b, c, d, e, f, g, h, each, ...) each
#define TW_DEVICE_EACH(use, ...)                                                                   \
    TW_DEVICE_EACH_OF(__VA_ARGS__, TW_DEVICE_EACH_8, TW_DEVICE_EACH_7, TW_DEVICE_EACH_6,           \
                      TW_DEVICE_EACH_5, TW_DEVICE_EACH_4, TW_DEVICE_EACH_3, TW_DEVICE_EACH_2,      \
                      TW_DEVICE_EACH_1, 0)                                                         \
    (use, __VA_ARGS__)
#define TW_DEVICE_UNPACK(...) __VA_ARGS__
#define TW_DEVICE_READ(type, path) const type *,
#define TW_DEVICE_WRITE(type, path) type *,
#define TW_DEVICE_PASS(type, path) &world->path,

/* The parameters of a phase, and its arguments: parts, then others. */
#define TW_DEVICE_TAKES(reads, writes, ...)                                                        \
    TW_DEVICE_EACH(TW_DEVICE_READ, TW_DEVICE_UNPACK reads)                                         \
    TW_DEVICE_EACH(TW_DEVICE_WRITE, TW_DEVICE_UNPACK writes)                                       \
    __VA_ARGS__
#define TW_DEVICE_PARTS(reads, writes, ...)                                                        \
    TW_DEVICE_EACH(TW_DEVICE_PASS, TW_DEVICE_UNPACK reads)                                         \
    TW_DEVICE_EACH(TW_DEVICE_PASS, TW_DEVICE_UNPACK writes)                                        \
    __VA_ARGS__

/* phase_each(runtime, world, n), in so many blocks. */
#define TW_DEVICE_START(phase, grid, reads)                                                        \
    static inline void phase##_each(tw_device_runtime *runtime, tw_device_world *world,            \
                                    uint32_t n)                                                    \
    {                                                                                              \
        TW_DEVICE_BEFORE(reads)                                                                    \
        if (n > 0) phase##_launch(runtime, world, n, grid);                                        \
        TW_DEVICE_AFTER(phase)                                                                     \
    }

/* `phase` calls `f`, whose parameters after the parts have these types, with these arguments. */
#define TW_DEVICE_ITEM_OF(phase, f, types, arguments, halted, resident, reads, writes)             \
    TW_INLINE void f(TW_DEVICE_TAKES(reads, writes, TW_DEVICE_UNPACK types));                      \
    TW_DEVICE_KERNEL(phase, TW_DEVICE_BLOCK, resident, {                                           \
        const uint32_t stop = halted(0);                                                           \
        TW_DEVICE_THREADS(thread, TW_DEVICE_BLOCK)                                                 \
        {                                                                                          \
            const uint32_t i = block * TW_DEVICE_BLOCK + thread;                                   \
            if (i < n && !stop) f(TW_DEVICE_PARTS(reads, writes, TW_DEVICE_UNPACK arguments));     \
        }                                                                                          \
    })                                                                                             \
    TW_DEVICE_START(phase, (n - 1) / TW_DEVICE_BLOCK + 1, reads)
#define TW_DEVICE_ITEM(f, resident, reads, writes)                                                 \
    TW_DEVICE_ITEM_OF(f, f, (uint32_t), (i), TW_DEVICE_UNLESS_HALTED, resident, reads, writes)
#define TW_DEVICE_ITEM_WITH(phase, f, with, resident, reads, writes)                               \
    TW_DEVICE_ITEM_OF(phase, f, (uint32_t, int), (i, with), TW_DEVICE_UNLESS_HALTED, resident,     \
                      reads, writes)
#define TW_DEVICE_TASK(f, reads, writes)                                                           \
    TW_DEVICE_ITEM_OF(f, f, (uint32_t), (i), TW_DEVICE_ALWAYS, 1, reads, writes)

#define TW_DEVICE_TASK_WITH(task, f, with, reads, writes)                                          \
    TW_DEVICE_ITEM_OF(task, f, (uint32_t, int), (i, with), TW_DEVICE_ALWAYS, 1, reads, writes)

/* phase_each is called with a number of blocks. */
#define TW_DEVICE_QUEUE_OF(phase, f, types, arguments, member, resident, reads, writes)            \
    TW_INLINE void f(TW_DEVICE_TAKES(reads, writes, TW_DEVICE_UNPACK types));                      \
    TW_DEVICE_KERNEL(phase, TW_DEVICE_BLOCK, resident, {                                           \
        const uint32_t count = TW_DEVICE_UNLESS_HALTED(0) ? 0 : world->run.member;                 \
        const uint32_t most = TW_DEVICE_WARP;                                                      \
        const uint32_t warps = blocks * (TW_DEVICE_BLOCK / most),                                  \
                       some = warps < TW_DEVICE_WARPS ? warps : TW_DEVICE_WARPS;                   \
        const uint32_t need = (count - 1) / some + 1, share = need < most ? need : most;           \
        for (uint32_t first = 0; first < count; first += warps * share)                            \
            TW_DEVICE_THREADS(thread, TW_DEVICE_BLOCK)                                             \
            {                                                                                      \
                const uint32_t warp = (block * TW_DEVICE_BLOCK + thread) / most;                   \
                const uint32_t i = first + warp * share + thread % most;                           \
                if (thread % most < share && i < count)                                            \
                    f(TW_DEVICE_PARTS(reads, writes, TW_DEVICE_UNPACK arguments));                 \
            }                                                                                      \
    })                                                                                             \
    TW_DEVICE_START(phase, n, reads)
#define TW_DEVICE_QUEUE(f, member, resident, reads, writes)                                        \
    TW_DEVICE_QUEUE_OF(f, f, (uint32_t), (i), member, resident, reads, writes)
#define TW_DEVICE_QUEUE_WITH(phase, f, with, member, resident, reads, writes)                      \
    TW_DEVICE_QUEUE_OF(phase, f, (uint32_t, int), (i, with), member, resident, reads, writes)

#define TW_DEVICE_TEAM(f, halted, work_type, stages, threads, resident, reads, writes)             \
    TW_INLINE void f(TW_DEVICE_TAKES(reads, writes, work_type *, uint32_t, uint32_t, uint32_t));   \
    TW_DEVICE_KERNEL(f, threads, resident, {                                                       \
        TW_DEVICE_SHARED(work_type, work);                                                         \
        if (halted(1)) TW_DEVICE_LEAVE;                                                            \
        const uint32_t last = (stages);                                                            \
        TW_DEVICE_UNROLL for (uint32_t stage = 0; stage < last; stage++)                           \
        {                                                                                          \
            TW_DEVICE_THREADS(thread, threads)                                                     \
            f(TW_DEVICE_PARTS(reads, writes, &work, block, stage, thread));                        \
            TW_DEVICE_BARRIER();                                                                   \
        }                                                                                          \
    })                                                                                             \
    TW_DEVICE_START(f, n, reads)

#endif
