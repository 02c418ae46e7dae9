/* SPDX-License-Identifier: BSD-3-Clause */
/* Exponentials and logarithms. A part of twirl/math.h. */
#ifndef TWIRL_DETAIL_MATH_EXP_H
#define TWIRL_DETAIL_MATH_EXP_H

#include <twirl/detail/math_bits.h>

/* A sum with this has its integer part in the last bits; it must stay below 2^51. */
#define TW_MATH_WHOLE 0x1.8p52

/* ln 2 in two parts; the product of the first with an exponent is exact. */
#define TW_MATH_LN2_HI 0x1.62e42fefa3000p-1
#define TW_MATH_LN2_LO 0x1.3de6af278ece6p-42
#define TW_MATH_INV_LN2 0x1.71547652b82fep+0

#include <twirl/detail/scalar_params.inc>
#undef TW_MATH_NAME
#define TW_MATH_NAME(verb) tw_math_inline_##verb
#include <twirl/detail/math_ops.inc>

#include <twirl/detail/undef.inc>

TW_MATH_CALL double tw_math_exp(double x)
{
    return tw_math_inline_exp(x);
}

TW_MATH_CALL double tw_math_expm1(double x)
{
    return tw_math_inline_expm1(x);
}

TW_MATH_CALL double tw_math_log(double x)
{
    return tw_math_inline_log(x);
}

TW_MATH_CALL double tw_math_log1p(double x)
{
    return tw_math_inline_log1p(x);
}

#endif
