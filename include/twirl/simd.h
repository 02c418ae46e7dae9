/* SPDX-License-Identifier: BSD-3-Clause */
/* Which vector instructions the library uses. It takes the widest that the processor has, or the
 * one named by the environment variable TWIRL_SIMD. Results do not depend on it: every choice
 * gives the same bits. */
#ifndef TWIRL_SIMD_H
#define TWIRL_SIMD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The instructions in use: "sse2", "avx2", "avx512", "neon", or "plain" on other processors. */
const char *tw_simd_name(void);

/* Number k of those that this processor has, narrowest first; NULL past the last. */
const char *tw_simd_available(int k);

/* 1: TWIRL_SIMD is not set, or obeyed. 0: it names what this processor does not have, and `text`
 * says so; the library then uses the widest there is. `size` bytes of text; 128 are enough. */
int tw_simd_check(char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
