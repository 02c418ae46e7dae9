/* SPDX-License-Identifier: BSD-3-Clause */
/* The inline header in device code and in host code of one file: contacts advanced by a kernel have
 * the bits of those advanced by the host. Without nvcc it is compiled as C++, and the kernel runs
 * in a loop. */
#include <cstdio>
#include <cstring>
#include <vector>

#include <twirl/contact_inline.h>

#ifndef __CUDACC__
#define __global__
static struct {
    unsigned x;
} blockIdx, blockDim, threadIdx;
#endif

struct contact {
    tw_contact_motion motion;
    tw_contact_memory memory;
    tw_contact_load load;
};

__global__ void advance_all(tw_contact_law law, double dt, contact *all, int count)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count)
        tw_contact_advance_inline(&law, &all[i].motion, dt, &all[i].memory, NULL, &all[i].load);
}

#ifdef __CUDACC__
static bool run_kernel(const tw_contact_law &law, std::vector<contact> &all)
{
    contact *there = NULL;
    const size_t bytes = all.size() * sizeof(contact);
    if (cudaMalloc(&there, bytes) != cudaSuccess) return false;
    cudaDeviceSetLimit(cudaLimitStackSize, 8192); /* the general path of the law needs a kilobyte */
    cudaMemcpy(there, all.data(), bytes, cudaMemcpyHostToDevice);
    advance_all<<<static_cast<unsigned>(all.size() / 64 + 1), 64>>>(law, 1e-6, there,
                                                                    static_cast<int>(all.size()));
    const bool good = cudaMemcpy(all.data(), there, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
    cudaFree(there);
    return good;
}
#else
static bool run_kernel(const tw_contact_law &law, std::vector<contact> &all)
{
    blockDim.x = 64;
    for (blockIdx.x = 0; blockIdx.x <= all.size() / 64; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < 64; threadIdx.x++)
            advance_all(law, 1e-6, all.data(), static_cast<int>(all.size()));
    return true;
}
#endif

/* Contacts that stick, slide and part. */
static contact sample(const tw_contact_law &law, int i)
{
    contact c = contact();
    c.memory.n = tw_vec3_make(0.0, 0.0, 1.0);
    c.memory.zeta = 1e-3;
    c.memory.ft = tw_vec3_make(0.001 * i * law.mu * law.kn * 1e-3, 0.0, 0.0);
    c.motion.n = tw_vec3_make(0.0, 0.0, 1.0);
    c.motion.zeta = 1e-3 - 1e-5 * (i % 150);
    c.motion.du = tw_vec3_make(1e-6 * i, 2e-6 * (i % 7), 0.0);
    c.motion.radius = c.motion.mass = 1.0;
    return c;
}

int main()
{
    tw_contact_law law = tw_contact_law_default();
    law.kn = 1e6;
    law.kt = 5e5;
    law.mu = 0.5;
    std::vector<contact> here, there;
    for (int i = 0; i < 1000; i++)
        here.push_back(sample(law, i));
    there = here;
    if (!run_kernel(law, there)) {
        std::printf("no CUDA device: compiled only\n");
        return 0;
    }
    int sliding = 0, wrong = 0;
    for (size_t i = 0; i < here.size(); i++) {
        tw_contact_advance_inline(&law, &here[i].motion, 1e-6, &here[i].memory, NULL,
                                  &here[i].load);
        sliding += here[i].load.sliding != 0;
        wrong += std::memcmp(&here[i], &there[i], sizeof here[i]) != 0;
    }
    std::printf("%zu contacts, %d slide, %d differ\n", here.size(), sliding, wrong);
    return wrong > 0 || sliding == 0 || sliding == static_cast<int>(here.size());
}
