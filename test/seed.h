/* SPDX-License-Identifier: BSD-3-Clause */
/* Random specimens by the seed of the environment's TWIRL_TEST_SEED: see CONTRIBUTING.md. */
#ifndef TEST_SEED_H
#define TEST_SEED_H

#include <stdint.h>
#include <stdlib.h>

static inline uint64_t seed_or(uint64_t usual)
{
    const char *text = getenv("TWIRL_TEST_SEED");
    return text && *text ? strtoull(text, NULL, 10) : usual;
}

/* In [0, 1); splitmix64. */
static inline double seed_uniform(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Within +-width; 0 and no draw for the seed 0, that of a regular specimen. */
static inline double seed_jitter(uint64_t *state, double width)
{
    return *state ? width * (2.0 * seed_uniform(state) - 1.0) : 0.0;
}

#endif
