/* SPDX-License-Identifier: BSD-3-Clause */
/* The instruction sets among which the library chooses at run time. */
#ifndef TWIRL_TEST_GOLDEN_SIMD_H
#define TWIRL_TEST_GOLDEN_SIMD_H

#include <stddef.h>

/* The k-th name that TWIRL_SIMD may have on this processor, NULL behind the last. "default": what
 * the library takes by itself. */
const char *golden_simd_at(size_t k);

/* Has the library use it from now on; called before any of its functions. 0: it cannot. */
int golden_simd_use(const char *name);

#endif
