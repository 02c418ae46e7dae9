/* SPDX-License-Identifier: BSD-3-Clause */
/* The device that bench_gpu runs on: its name, and how fast it copies its memory. */
#ifndef BENCH_GPU_ROOF_H
#define BENCH_GPU_ROOF_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GPU_ROOF_NAME = 128 };

/* Of the GPU if `cuda`, otherwise of the processor; "unknown" without one. No commas. */
void gpu_roof_name(int cuda, char name[GPU_ROOF_NAME]);

/* Bytes read and written per second by a copy of 1 GiB, the best of ten; 0: unknown. */
double gpu_roof_copy(int cuda);

/* Bytes of device memory in use, by this process and others; 0: unknown. */
size_t gpu_roof_used(int cuda);

#ifdef __cplusplus
}
#endif

#endif
