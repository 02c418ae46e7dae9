/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arithmetic.h"

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
