/* SPDX-License-Identifier: BSD-3-Clause */
/* What the process has set up: floating-point environment, locale, clocks. */
#ifndef TW_BASE_ENVIRONMENT_H
#define TW_BASE_ENVIRONMENT_H

#include <assert.h>
#include <fenv.h>

#include <twirl/types.h>

/* The floating-point environment of the library, whatever that of the program: rounding to nearest,
 * no traps, subnormal numbers. */

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

/* The same, after an assertion that the pointers are there that a caller has to give. */
#define TW_CALL_HERE(required)                                                                     \
    assert(required);                                                                              \
    TW_ARITHMETIC_HERE

/* Between push and pop, numbers are read and printed with a decimal point, whatever the locale of
 * the program. Applies to the calling thread only. */
typedef struct tw_c_locale {
    void *c, *before; /* locales */
} tw_c_locale;

/* Returns 0 if out of memory; there is nothing to pop then. */
int tw_c_locale_push(tw_c_locale *locale);
void tw_c_locale_pop(tw_c_locale *locale);

/* Clocks for measuring how long something takes. */

/* Monotonic wall-clock time, from an arbitrary origin [s]. */
double tw_clock(void);

/* Processor time used by the calling thread [s]. */
double tw_clock_thread(void);

/* Where the time of a thread goes: it is in one phase at a time, TW_SIM_PHASE_OTHER at first. */

/* The calling thread is in another phase from now on. Returns the one it was in, for a caller that
 * goes back there. */
tw_sim_phase tw_clock_enter(tw_sim_phase phase);
tw_sim_phase tw_clock_phase(void);

/* Counts time of the present phase as that of another one: what a device did meanwhile [s]. */
void tw_clock_give(tw_sim_phase phase, double seconds);

/* In a phase from here to wherever the function returns. */
void tw_clock_leave(const tw_sim_phase *before);
#define TW_CLOCK_HERE(phase)                                                                       \
    const tw_sim_phase phase_before __attribute__((cleanup(tw_clock_leave), unused)) =             \
        tw_clock_enter(phase)

/* The seconds that a thread has spent in each phase, TW_SIM_PHASE_COUNT of them. Others may read
 * them at any time, without the present phase of the thread. */
typedef struct tw_clock_sheet tw_clock_sheet;
const tw_clock_sheet *tw_clock_own(void); /* of the calling thread, with its present phase */
void tw_clock_add(const tw_clock_sheet *sheet, tw_sim_times *sum);

/* Adds the times from `before` to `after`. */
void tw_clock_add_between(const tw_sim_times *before, const tw_sim_times *after, tw_sim_times *sum);

#endif
