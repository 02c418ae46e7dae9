// SPDX-License-Identifier: BSD-3-Clause
// Results of the elementary functions and the contact kernel on a CUDA device agree bitwise with
// those of the host: compiled by nvcc for both from the same headers, with fused multiply-add off.
//
//     same_bits [CONTACTS]        default: a million
//
// Exit status 77 without a device.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <twirl/contact_inline.h>
#include <twirl/math.h>

#include "base/math_sample.h"

static void must(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return;
    std::printf("%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

/* An array on the device, filled from the host. */
template <typename T> static T *on_device(const std::vector<T> &from)
{
    T *to = nullptr;
    must(cudaMalloc(&to, from.size() * sizeof(T)), "out of memory on the device");
    must(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "copy");
    return to;
}

template <typename T> static void fetch(std::vector<T> &to, T *from)
{
    must(cudaMemcpy(to.data(), from, to.size() * sizeof(T), cudaMemcpyDeviceToHost), "kernel");
    cudaFree(from);
}

static int blocks(size_t count)
{
    return (int)((count + 127) / 128);
}

/* ---- Elementary functions ---- */

static const char *const names[] = {
#define NAME(name, count) #name,
    SAMPLE_FUNCTIONS(NAME)
#undef NAME
};

static __host__ __device__ double value_of(int function, double x, double y)
{
    (void)y;
    switch (function) {
#define CALL_1(name) tw_math_##name(x)
#define CALL_2(name) tw_math_##name(x, y)
#define CASE(name, count)                                                                          \
    case SAMPLE_##name:                                                                            \
        return CALL_##count(name);
        SAMPLE_FUNCTIONS(CASE)
#undef CASE
    }
    return 0.0;
}

static __global__ void evaluate(int function, int count, const double *x, const double *y,
                                double *z)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) z[i] = value_of(function, x[i], y[i]);
}

static size_t compare_function(int function)
{
    const int count = 1000000;
    std::vector<double> x(count), y(count), z(count);
    tw_random random = tw_random_seed(71);
    for (int i = 0; i < count; i++)
        sample_argument(function, i, &random, &x[i], &y[i]);
    double *dx = on_device(x), *dy = on_device(y), *dz = on_device(z);
    evaluate<<<blocks(count), 128>>>(function, count, dx, dy, dz);
    fetch(z, dz);
    cudaFree(dx);
    cudaFree(dy);
    size_t wrong = 0;
    for (int i = 0; i < count; i++) {
        const double here = value_of(function, x[i], y[i]);
        wrong += here == here ? tw_math_bits(here) != tw_math_bits(z[i]) : z[i] == z[i];
    }
    std::printf("%-8s %d arguments, %zu differ\n", names[function], count, wrong);
    return wrong;
}

/* ---- The kernel ---- */

struct contact {
    tw_contact_motion motion;
    tw_contact_memory memory;
    tw_contact_parts extra;
    tw_contact_load load;
};

static double uniform(tw_random *random, double low, double high)
{
    return low + (high - low) * tw_random_uniform(random);
}

static tw_vec3 any(tw_random *random, double size)
{
    const double x = uniform(random, -size, size);
    const double y = uniform(random, -size, size);
    const double z = uniform(random, -size, size);
    return tw_vec3_make(x, y, z);
}

static tw_vec3 unit(tw_vec3 v)
{
    return tw_vec3_scale(1.0 / tw_vec3_norm(v), v);
}

/* Overlaps of order 1, forces up to the limit, movements from a thousandth to a hundred times the
 * slip distance, rolling of similar size; some contacts open, form, or rotate by large angles. */
static contact sample_contact(const tw_contact_law *law, tw_random *random)
{
    contact c;
    std::memset(&c, 0, sizeof c);
    const double turn = uniform(random, 0.0, 1.0) < 0.95 ? 1e-4 : 0.5;
    c.memory.n = unit(tw_vec3_add(any(random, 1.0), tw_vec3_make(0.0, 0.0, 1.1)));
    c.memory.zeta = uniform(random, -0.05, 1.0);
    const double limit = law->mu * law->kn * (c.memory.zeta > 0.0 ? c.memory.zeta : 0.0);
    tw_vec3 ft = tw_contact_in_plane(any(random, 1.0), c.memory.n);
    c.memory.ft = tw_vec3_scale(limit * uniform(random, 0.0, 1.0), unit(ft));
    c.motion.n = unit(tw_vec3_add(c.memory.n, any(random, turn)));
    c.motion.zeta = c.memory.zeta + uniform(random, -0.1, 0.1);
    const double slip = law->kt > 0.0 ? limit / law->kt : 1.0;
    const double reach = slip * tw_math_exp(uniform(random, -7.0, 5.0));
    c.motion.du = any(random, reach + 1e-6);
    c.motion.turn_p = any(random, turn);
    c.motion.turn_q = any(random, turn);
    c.motion.radius = tw_math_exp(uniform(random, -5.0, 5.0)) * reach / turn;
    c.motion.mass = uniform(random, 0.1, 10.0);
    c.extra.fr = tw_vec3_scale(law->mu_r * uniform(random, 0.0, 1.0), c.memory.ft);
    c.extra.fw = law->mu_w * limit * uniform(random, -1.0, 1.0);
    c.extra.rate = any(random, 0.1);
    c.extra.drag = any(random, 0.1);
    return c;
}

static __global__ void advance(tw_contact_law law, size_t count, contact *all)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    tw_contact_advance_inline(&law, &all[i].motion, 1e-5, &all[i].memory, &all[i].extra,
                              &all[i].load);
}

static size_t compare_law(const char *name, const tw_contact_law *law, size_t count)
{
    tw_random random = tw_random_seed(17);
    std::vector<contact> here(count);
    for (size_t i = 0; i < count; i++)
        here[i] = sample_contact(law, &random);
    std::vector<contact> there = here;
    contact *device = on_device(there);
    advance<<<blocks(count), 128>>>(*law, count, device);
    fetch(there, device);
    size_t wrong = 0, sliding = 0;
    for (size_t i = 0; i < count; i++) {
        tw_contact_advance_inline(law, &here[i].motion, 1e-5, &here[i].memory, &here[i].extra,
                                  &here[i].load);
        sliding += here[i].load.sliding != 0;
        wrong += std::memcmp(&here[i], &there[i], sizeof here[i]) != 0;
    }
    std::printf("%-24s %zu contacts, %zu slide, %zu differ\n", name, count, sliding, wrong);
    return wrong + (sliding == 0); /* without sliding contacts the sample is useless */
}

int main(int argc, char **argv)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::printf("no CUDA device, skipped\n");
        return 77;
    }
    /* The general path of the kernel needs a kilobyte of stack. */
    must(cudaDeviceSetLimit(cudaLimitStackSize, 8192), "stack");
    const size_t count = argc > 1 ? (size_t)std::strtoull(argv[1], nullptr, 10) : 1000000;
    size_t wrong = 0;
    for (int function = 0; function < SAMPLE_COUNT; function++)
        wrong += compare_function(function);
    const struct {
        const char *name;
        double kt, mu, nu, resistance; /* mu_r and mu_w as a fraction of mu */
        int32_t kind, normal;
        uint32_t flags, without; /* refinements */
    } laws[] = {
        {"exact", 1.0, 0.5, 0.0, 0.0, TW_CONTACT_EXACT, TW_CONTACT_LINEAR, 0, 0},
        {"exact, stiff", 50.0, 0.05, 1e-6, 0.0, TW_CONTACT_EXACT, TW_CONTACT_LINEAR, 0, 0},
        {"paper", 1.0, 0.5, 0.0, 0.0, TW_CONTACT_PAPER, TW_CONTACT_LINEAR, 0, 0},
        {"conventional", 1.0, 0.5, 0.0, 0.0, TW_CONTACT_CONVENTIONAL, TW_CONTACT_LINEAR, 0, 0},
        {"exact, resisting", 1.0, 0.5, 1e-6, 0.4, TW_CONTACT_EXACT, TW_CONTACT_LINEAR,
         TW_CONTACT_NO_TENSION, 0},
        {"hertz", 1.0, 0.5, 0.0, 0.0, TW_CONTACT_EXACT, TW_CONTACT_HERTZ, 0, 0},
        {"hertz, resisting", 1.0, 0.5, 0.1, 0.4, TW_CONTACT_EXACT, TW_CONTACT_HERTZ,
         TW_CONTACT_BY_RADIUS | TW_CONTACT_BY_MASS, 0},
        {"hertz, not rescaled", 1.0, 0.5, 0.0, 0.4, TW_CONTACT_EXACT, TW_CONTACT_HERTZ, 0,
         TW_CONTACT_RESCALE},
        {"conventional hertz", 1.0, 0.5, 0.1, 0.4, TW_CONTACT_CONVENTIONAL, TW_CONTACT_HERTZ, 0,
         0}};
    for (const auto &one : laws) {
        tw_contact_law law = {};
        law.kn = 1.0;
        law.kt = law.k_r = law.k_w = one.kt;
        law.mu = one.mu;
        law.mu_r = law.mu_w = one.resistance * one.mu;
        law.nu_n = law.nu_t = law.nu_r = law.nu_w = one.nu;
        law.kind = one.kind;
        law.normal = one.normal;
        law.flags = one.flags;
        law.refine = TW_CONTACT_ALL & ~one.without;
        wrong += compare_law(one.name, &law, count);
    }
    return wrong > 0;
}
