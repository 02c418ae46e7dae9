/* SPDX-License-Identifier: BSD-3-Clause */
/* What gpu_roof.c asks of CUDA. */
#ifndef BENCH_GPU_CUDA_H
#define BENCH_GPU_CUDA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void gpu_cuda_name(char *name, size_t size); /* left alone without a device */
double gpu_cuda_copy(size_t bytes);
size_t gpu_cuda_used(void);

#ifdef __cplusplus
}
#endif

#endif
