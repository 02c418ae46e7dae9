/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700 /* locales of a thread, clock_gettime */
#include "base/environment.h"

#include <locale.h>
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
