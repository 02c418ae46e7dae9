// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include <cuda_runtime.h>

#include "gpu_cuda.h"

void gpu_cuda_name(char *name, size_t size)
{
    cudaDeviceProp is;
    if (cudaGetDeviceProperties(&is, 0) == cudaSuccess) std::snprintf(name, size, "%s", is.name);
}

double gpu_cuda_copy(size_t bytes)
{
    void *from = nullptr, *to = nullptr;
    cudaEvent_t begin, end;
    double best = 0.0;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    if (cudaMalloc(&from, bytes) == cudaSuccess && cudaMalloc(&to, bytes) == cudaSuccess) {
        cudaMemset(from, 1, bytes);
        for (int k = 0; k < 10; k++) {
            float ms = 0.0f;
            cudaEventRecord(begin);
            cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice);
            cudaEventRecord(end);
            cudaEventSynchronize(end);
            cudaEventElapsedTime(&ms, begin, end);
            const double speed = ms > 0.0f ? 2e3 * (double)bytes / (double)ms : 0.0;
            if (speed > best) best = speed;
        }
    }
    cudaFree(from);
    cudaFree(to);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    (void)cudaGetLastError();
    return best;
}

size_t gpu_cuda_used(void)
{
    size_t left = 0, all = 0;
    return cudaMemGetInfo(&left, &all) == cudaSuccess ? all - left : 0;
}
