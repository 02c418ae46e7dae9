/* SPDX-License-Identifier: BSD-3-Clause */
/* Elementary functions that give the same bits on every processor and with every compiler.
 *
 *     tw_math_exp    tw_math_sin     tw_math_pow      tw_math_min
 *     tw_math_expm1  tw_math_cos     tw_math_cbrt     tw_math_max
 *     tw_math_log    tw_math_tan     tw_math_hypot
 *     tw_math_log1p  tw_math_atan    tw_math_atan2    tw_math_acos
 *
 * They are defined as in <math.h>, for all arguments, with errors below one unit in the last place.
 * Those of libm differ between machines and versions; these use only sums, products, quotients,
 * square roots, comparisons and bit operations, whose results IEEE 754 defines. The compiler must
 * neither reorder nor contract them: no -ffast-math, and -ffp-contract=off.
 * docs/theory/arithmetic.md has the methods.
 *
 * Calls may overlap in several threads. Source compatible only, before 1.0.
 */
#ifndef TWIRL_MATH_H
#define TWIRL_MATH_H

#include <twirl/detail/math_arc.h>
#include <twirl/detail/math_bits.h>
#include <twirl/detail/math_exp.h>
#include <twirl/detail/math_power.h>
#include <twirl/detail/math_trig.h>

#define TW_MATH_PI 3.14159265358979323846

#endif
