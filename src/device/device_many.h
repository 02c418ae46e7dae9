/* SPDX-License-Identifier: BSD-3-Clause */
/* Many steps in one kernel, for CUDA: with few bodies the starts of kernels would take longer than
 * the steps. All blocks are on the device at once and wait for each other between phases. For the
 * plain laws without walls: with the code of all the kernel would be slower than the starts. */
#ifndef TW_DEVICE_MANY_H
#define TW_DEVICE_MANY_H

#include <cooperative_groups.h>

#define TW_DEVICE_STEP_MANY /* here */
#include "device/device_step.h"

enum { TW_DEVICE_MANY_THREADS = 256 };

#define TW_DEVICE_MANY_EACH(f, n)                                                                  \
    for (uint32_t i = first; i < (n); i += all)                                                    \
    f(w, i)

/* Called, not inlined: it would take registers from all the others. */
__device__ static __noinline__ void tw_device_many_steer(tw_device_world *w)
{
    tw_device_steer(w, 0);
}

__global__ void __launch_bounds__(TW_DEVICE_MANY_THREADS, 1)
    tw_device_many_kernel(tw_device_world *w, uint32_t steps)
{
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const uint32_t first = blockIdx.x * TW_DEVICE_MANY_THREADS + threadIdx.x;
    const uint32_t all = gridDim.x * TW_DEVICE_MANY_THREADS;
    if (w->run.halt) return; /* the same for all: nobody writes it before the first wait */
    grid.sync();
    if (first == 0) tw_device_many_steer(w);
    grid.sync();
    for (uint32_t k = 0; k < steps && !w->run.halt; k++) {
        TW_DEVICE_MANY_EACH(tw_device_move, w->bodies);
        grid.sync();
        if (!w->run.single) TW_DEVICE_MANY_EACH(tw_device_move_sphere, w->spheres);
        TW_DEVICE_MANY_EACH(tw_device_move_ghost, w->ghosts);
        grid.sync();
        if (!w->run.single) {
            TW_DEVICE_MANY_EACH(tw_device_move_ghost_sphere, w->ghost_spheres);
            grid.sync();
        }
        TW_DEVICE_MANY_EACH(tw_device_candidates, w->pairs > 0 ? w->pairs : 1);
        grid.sync();
        if (w->run.halt) return;
        if (w->run.exact)
            TW_DEVICE_MANY_EACH(tw_device_step_exact, w->tiles + w->slots);
        else
            TW_DEVICE_MANY_EACH(tw_device_step_plain, w->tiles + w->slots);
        grid.sync();
        TW_DEVICE_MANY_EACH(tw_device_plain_rest, w->run.open + w->run.hard);
        grid.sync();
        TW_DEVICE_MANY_EACH(tw_device_accumulate, w->body_slots);
        grid.sync();
        if (w->run.fixed) {
            TW_DEVICE_MANY_EACH(tw_device_accumulate_body, w->bodies);
            grid.sync();
        }
        TW_DEVICE_MANY_EACH(tw_device_step_sums, tw_device_step_sums_items(w));
        grid.sync();
        TW_DEVICE_MANY_EACH(tw_device_sums_group, tw_device_sums_group_items(w));
        grid.sync();
        if (first == 0) {
            tw_device_finish(w, 0);
            if (k + 1 < steps && !w->run.halt) tw_device_many_steer(w);
        }
        grid.sync();
    }
}

static inline void tw_device_step_many(tw_device_runtime *runtime, tw_device_world *world,
                                       const tw_device_world *known, uint32_t steps)
{
    if (runtime->timed || !known->run.plain || known->state.wall_count > 0 ||
        known->bodies > runtime->many) {
        for (uint32_t k = 0; k < steps; k++)
            tw_device_step_all(runtime, world, known);
        return;
    }
    void *arguments[] = {&world, &steps};
    const int blocks = tw_device_runtime_blocks(runtime);
    tw_device_runtime_note(runtime, cudaLaunchCooperativeKernel((const void *)tw_device_many_kernel,
                                                                blocks, TW_DEVICE_MANY_THREADS,
                                                                arguments, 0, runtime->stream));
}

#endif
