/* SPDX-License-Identifier: BSD-3-Clause */
/* Choice of vector instructions at run time.
 *
 * Files with loops in lanes (base/lanes.h) are compiled once for each level, with TW_SIMD_LEVEL
 * defined by the build as narrow, avx2 or avx512, and name their external functions with
 * TW_SIMD_NAME. The caller keeps them in a table:
 *
 *     static void (*const advance[])(int) = {TW_SIMD_EACH(tw_thing_advance)};
 *     advance[tw_simd_level()](5);
 */
#ifndef TW_BASE_SIMD_H
#define TW_BASE_SIMD_H

#include <twirl/simd.h>

#if defined(__x86_64__)
#define TW_SIMD_EACH(function) function##_narrow, function##_avx2, function##_avx512
#else
#define TW_SIMD_EACH(function) function##_narrow
#endif

/* Declares the functions of all levels. */
#define TW_SIMD_DECLARE(result, function, ...)                                                     \
    result function##_narrow(__VA_ARGS__);                                                         \
    result function##_avx2(__VA_ARGS__);                                                           \
    result function##_avx512(__VA_ARGS__)

#ifdef TW_SIMD_LEVEL
#define TW_SIMD_JOIN(function, level) function##_##level
#define TW_SIMD_JOIN_LEVEL(function, level) TW_SIMD_JOIN(function, level)
#define TW_SIMD_NAME(function) TW_SIMD_JOIN_LEVEL(function, TW_SIMD_LEVEL)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The level in use, an index into TW_SIMD_EACH. */
int tw_simd_level(void);

#ifdef __cplusplus
}
#endif

#endif
