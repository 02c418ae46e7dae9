/* SPDX-License-Identifier: BSD-3-Clause */
/* The three ways to launch a phase, for every runtime. Includer: a runtime first.
 *
 * ITEM  f(world, i) for i below n
 * LIST  the same, where the number of items is a member of tw_device_run that the device alone
 *       knows: some blocks of threads share them
 * TEAM  f(world, work, i, stage, thread) for i below n: `threads` threads share an item and `work`,
 *       of the given type, not set before. A stage begins when all of them have ended the one
 *       before. `stages` is a constant, or an expression of `world` and `block`, the item, that
 *       does not change meanwhile.
 *
 * Each defines f_each(runtime, world, n). `halted` is TW_DEVICE_UNLESS_HALTED, or TW_DEVICE_ALWAYS
 * for what is also done while the steps are halted. `resident`: blocks that a multiprocessor of a
 * GPU is to work on at once, which limits registers. A team must not halt the steps in its first
 * stage, in which threads may still ask for it.
 *
 * A runtime defines TW_DEVICE_KERNEL(f, threads, resident, code), in which f_launch(runtime, world,
 * n, grid) is defined to run the code for `block` 0, 1 ... of `blocks`, and what the code is made
 * of: TW_DEVICE_THREADS, a loop over the threads of a block, TW_DEVICE_SHARED, TW_DEVICE_BARRIER,
 * TW_DEVICE_UNROLL, TW_DEVICE_LEAVE, which ends the block, and TW_DEVICE_UNLESS_HALTED(together),
 * true if the steps are halted; `together`: for all threads of a block or for none. */
#ifndef TW_DEVICE_LAUNCH_H
#define TW_DEVICE_LAUNCH_H

#include "device/device_world.h"

/* Threads of a block of items. */
enum { TW_DEVICE_BLOCK = 128 };

#define TW_DEVICE_ALWAYS(together) 0

#define TW_DEVICE_ITEM(f, halted, resident)                                                        \
    TW_DEVICE_KERNEL(f, TW_DEVICE_BLOCK, resident, {                                               \
        const uint32_t stop = halted(0);                                                           \
        TW_DEVICE_THREADS(thread, TW_DEVICE_BLOCK)                                                 \
        {                                                                                          \
            const uint32_t i = block * TW_DEVICE_BLOCK + thread;                                   \
            if (i < n && !stop) f(world, i);                                                       \
        }                                                                                          \
    })                                                                                             \
    static inline void f##_each(tw_device_runtime *runtime, tw_device_world *world, uint32_t n)    \
    {                                                                                              \
        if (n > 0) f##_launch(runtime, world, n, (n - 1) / TW_DEVICE_BLOCK + 1);                   \
    }

/* f_each is called with a number of blocks. */
#define TW_DEVICE_LIST(f, member)                                                                  \
    TW_DEVICE_KERNEL(f, TW_DEVICE_BLOCK, 1, {                                                      \
        const uint32_t count = TW_DEVICE_UNLESS_HALTED(0) ? 0 : world->run.member;                 \
        for (uint32_t k = block; k * TW_DEVICE_BLOCK < count; k += blocks)                         \
            TW_DEVICE_THREADS(thread, TW_DEVICE_BLOCK)                                             \
            {                                                                                      \
                const uint32_t i = k * TW_DEVICE_BLOCK + thread;                                   \
                if (i < count) f(world, i);                                                        \
            }                                                                                      \
    })                                                                                             \
    static inline void f##_each(tw_device_runtime *runtime, tw_device_world *world, uint32_t n)    \
    {                                                                                              \
        f##_launch(runtime, world, n, n);                                                          \
    }

#define TW_DEVICE_TEAM(f, halted, type, stages, threads, resident)                                 \
    TW_DEVICE_KERNEL(f, threads, resident, {                                                       \
        TW_DEVICE_SHARED(type, work);                                                              \
        if (halted(1)) TW_DEVICE_LEAVE;                                                            \
        const uint32_t last = (stages);                                                            \
        TW_DEVICE_UNROLL for (uint32_t stage = 0; stage < last; stage++)                           \
        {                                                                                          \
            TW_DEVICE_THREADS(thread, threads) f(world, &work, block, stage, thread);              \
            TW_DEVICE_BARRIER();                                                                   \
        }                                                                                          \
    })                                                                                             \
    static inline void f##_each(tw_device_runtime *runtime, tw_device_world *world, uint32_t n)    \
    {                                                                                              \
        if (n > 0) f##_launch(runtime, world, n, n);                                               \
    }

#endif
