/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that are the same on every platform: integer arithmetic and comparisons only, no
 * libm. */
#ifndef TW_BASE_RANDOM_H
#define TW_BASE_RANDOM_H

#include <stdint.h>

/* xoshiro256++ (Blackman & Vigna). Plain data: a copy repeats the stream. */
typedef struct tw_random {
    uint64_t s[4];
} tw_random;

/* splitmix64, one step: expands a seed to the state. */
static inline uint64_t tw_random_splitmix(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline tw_random tw_random_seed(uint64_t seed)
{
    tw_random random;
    for (int k = 0; k < 4; k++)
        random.s[k] = tw_random_splitmix(&seed);
    return random;
}

/* A key of three numbers; keys of others are unrelated to it. */
static inline uint64_t tw_random_key(uint64_t seed, uint64_t a, uint64_t b)
{
    uint64_t key = tw_random_splitmix(&seed) + a;
    key = tw_random_splitmix(&key) + b;
    return tw_random_splitmix(&key);
}

/* Draw number `index` under a key, in [0, 1), without those before it. */
static inline double tw_random_at(uint64_t key, uint64_t index)
{
    key += index * UINT64_C(0xd1342543de82ef95); /* odd: each index has another word */
    return (double)(tw_random_splitmix(&key) >> 11) * 0x1p-53;
}

static inline uint64_t tw_random_next(tw_random *random)
{
    uint64_t *s = random->s;
    const uint64_t sum = s[0] + s[3], result = ((sum << 23) | (sum >> 41)) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return result;
}

/* In [0, 1), a multiple of 2^-53. */
static inline double tw_random_uniform(tw_random *random)
{
    return (double)(tw_random_next(random) >> 11) * 0x1p-53;
}

/* Normal distribution of mean 0 and variance 1. Takes a varying number of draws, about 30. */
double tw_random_normal(tw_random *random);

#endif
