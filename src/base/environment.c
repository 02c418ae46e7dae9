/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700 /* locales of a thread, clock_gettime */
#include "base/environment.h"

#include <locale.h>
#include <stdatomic.h>
#include <time.h>

tw_arithmetic tw_arithmetic_enter(void)
{
    tw_arithmetic arithmetic;
    fegetenv(&arithmetic.of_caller);
    fesetenv(FE_DFL_ENV);
    return arithmetic;
}

void tw_arithmetic_leave(tw_arithmetic *arithmetic)
{
    fesetenv(&arithmetic->of_caller);
}

int tw_c_locale_push(tw_c_locale *locale)
{
    locale->c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!locale->c) return 0;
    locale->before = uselocale((locale_t)locale->c);
    return 1;
}

void tw_c_locale_pop(tw_c_locale *locale)
{
    if (!locale->c) return;
    uselocale((locale_t)locale->before);
    freelocale((locale_t)locale->c);
    locale->c = NULL;
}

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double tw_clock(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double tw_clock_thread(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- Phases ---- */

struct tw_clock_sheet {
    _Atomic double seconds[TW_SIM_PHASE_COUNT]; /* written by its thread alone */
    double since;                               /* start of the present phase; 0: none yet */
    tw_sim_phase phase;
};

static _Thread_local tw_clock_sheet own = {.phase = TW_SIM_PHASE_OTHER};

static void add_seconds(tw_sim_phase phase, double seconds)
{
    _Atomic double *sum = &own.seconds[phase];
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + seconds,
                          memory_order_relaxed);
}

tw_sim_phase tw_clock_enter(tw_sim_phase phase)
{
    const double now = tw_clock(), since = own.since > 0.0 ? own.since : now;
    const tw_sim_phase before = own.phase;
    add_seconds(before, now - since);
    own.since = now;
    own.phase = phase;
    return before;
}

void tw_clock_give(tw_sim_phase phase, double seconds)
{
    add_seconds(phase, seconds);
    add_seconds(own.phase, -seconds);
}

void tw_clock_leave(const tw_sim_phase *before)
{
    tw_clock_enter(*before);
}

tw_sim_phase tw_clock_phase(void)
{
    return own.phase;
}

const tw_clock_sheet *tw_clock_own(void)
{
    tw_clock_enter(own.phase);
    return &own;
}

void tw_clock_add(const tw_clock_sheet *sheet, tw_sim_times *sum)
{
#define ADD(NAME, name, text)                                                                      \
    sum->name += atomic_load_explicit(&sheet->seconds[TW_SIM_PHASE_##NAME], memory_order_relaxed);
    TW_SIM_PHASES(ADD)
#undef ADD
}

void tw_clock_add_between(const tw_sim_times *before, const tw_sim_times *after, tw_sim_times *sum)
{
#define ADD(NAME, name, text) sum->name += after->name - before->name;
    TW_SIM_PHASES(ADD)
#undef ADD
}
