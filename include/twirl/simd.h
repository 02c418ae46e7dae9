/* SPDX-License-Identifier: BSD-3-Clause */
/* Which vector instructions the library uses: the widest that the processor has, or those named by
 * the environment variable TWIRL_SIMD. Every choice gives the same bits. Calls may overlap in
 * several threads. Source compatible only, before 1.0. */
#ifndef TWIRL_SIMD_H
#define TWIRL_SIMD_H

#include <stddef.h>

#include <twirl/detail/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The instructions in use: "sse2", "avx2", "avx512", "neon", or "plain" on other processors. */
TW_API const char *tw_simd_name(void);

/* Entry k of the list of those that this processor has, narrowest first; NULL past the last. */
TW_API const char *tw_simd_available(int k);

/* 1: TWIRL_SIMD is unset or valid. 0: it is unknown or not available on this processor, `text` says
 * so, and the library uses the widest. `size` is that of `text`; 128 is enough. */
TW_API int tw_simd_check(char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
