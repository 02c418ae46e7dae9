/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of gpu_cuda.cu in a build without CUDA. */
#include "gpu_cuda.h"

void gpu_cuda_name(char *name, size_t size)
{
    (void)name;
    (void)size;
}

double gpu_cuda_copy(size_t bytes)
{
    (void)bytes;
    return 0.0;
}

size_t gpu_cuda_used(void)
{
    return 0;
}
