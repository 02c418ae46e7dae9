/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/simd.h"

#include <float.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0
#error "twirl needs a processor and a compiler that round every operation to double"
#endif

/* Narrowest first, in the order of TW_SIMD_EACH. */
static const char *const names[] = {
#if defined(__x86_64__)
    "sse2", "avx2", "avx512"
#elif defined(__aarch64__)
    "neon"
#else
    "plain"
#endif
};
enum { LEVELS = sizeof names / sizeof names[0] };

static int has(int level)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (level == 1) return __builtin_cpu_supports("avx2");
    if (level == 2) {
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    }
#endif
    return level == 0;
}

/* The level that TWIRL_SIMD names, -1 if that is not available, LEVELS if it is not set. */
static int requested(void)
{
    const char *name = getenv("TWIRL_SIMD");
    if (!name || !*name) return LEVELS;
    for (int k = 0; k < LEVELS; k++) {
        if (strcmp(name, names[k]) == 0) return has(k) ? k : -1;
    }
    return -1;
}

static int choose(void)
{
    const int level = requested();
    int widest = 0;
    for (int k = 1; k < LEVELS && has(k); k++)
        widest = k;
    return level >= 0 && level < LEVELS ? level : widest;
}

/* 1 + the level, found once. Threads that get here at the same time find the same. */
static atomic_int tw_simd_known;

int tw_simd_level(void)
{
    int level = atomic_load_explicit(&tw_simd_known, memory_order_relaxed) - 1;
    if (level < 0) {
        level = choose();
        atomic_store_explicit(&tw_simd_known, level + 1, memory_order_relaxed);
    }
    return level;
}

const char *tw_simd_name(void)
{
    return names[tw_simd_level()];
}

const char *tw_simd_available(int k)
{
    return k >= 0 && k < LEVELS && has(k) ? names[k] : NULL;
}

static size_t append(char *text, size_t size, size_t at, const char *more)
{
    for (; *more && at + 1 < size; more++)
        text[at++] = *more;
    if (size > 0) text[at] = '\0';
    return at;
}

int tw_simd_check(char *text, size_t size)
{
    if (requested() >= 0) return 1;
    size_t at = append(text, size, 0, "TWIRL_SIMD=");
    at = append(text, size < 60 ? size : 60, at, getenv("TWIRL_SIMD"));
    at = append(text, size, at, ": not available here; this processor has ");
    for (int k = 0; k < LEVELS && has(k); k++) {
        if (k > 0) at = append(text, size, at, ", ");
        at = append(text, size, at, names[k]);
    }
    return 0;
}
