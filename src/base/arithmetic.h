/* SPDX-License-Identifier: BSD-3-Clause */
/* The floating-point environment of the library, whatever that of the program: rounding to nearest,
 * no traps, subnormal numbers. */
#ifndef TW_BASE_ARITHMETIC_H
#define TW_BASE_ARITHMETIC_H

#include <fenv.h>

/* The environment of the caller. */
typedef struct tw_arithmetic {
    fenv_t of_caller;
} tw_arithmetic;

tw_arithmetic tw_arithmetic_enter(void);

/* Back to that of the caller, with its flags: exceptions in between leave no trace. */
void tw_arithmetic_leave(tw_arithmetic *arithmetic);

/* At the start of a public function: from here to wherever it returns.
 * The compiler does not know that calculations depend on the environment, and could move one over
 * the two calls. But it cannot see into them, so it must not move accesses to memory over them; and
 * numbers come from memory, and results go there. */
#define TW_ARITHMETIC_HERE                                                                         \
    tw_arithmetic arithmetic __attribute__((cleanup(tw_arithmetic_leave), unused)) =               \
        tw_arithmetic_enter()

#endif
