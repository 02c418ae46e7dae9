/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl/math_ops.h for LANES lanes, with the prefix lanesN_; no include guard. */
#define LANES_PASTE(a, b, c) a##b##c
#define LANES_NAME(n, verb) LANES_PASTE(lanes, n, verb)
#define LANES_REAL LANES_NAME(LANES, _real)
#define LANES_INT LANES_NAME(LANES, _int)
#define LANES_MASK LANES_NAME(LANES, _mask)

typedef double LANES_REAL __attribute__((vector_size(8 * LANES)));
typedef uint64_t LANES_INT __attribute__((vector_size(8 * LANES)));
typedef int64_t LANES_MASK __attribute__((vector_size(8 * LANES)));

static inline __attribute__((always_inline)) LANES_REAL
LANES_NAME(LANES, _select)(LANES_MASK mask, LANES_REAL yes, LANES_REAL no)
{
    return (LANES_REAL)((mask & (LANES_MASK)yes) | (~mask & (LANES_MASK)no));
}

#define TW_REAL LANES_REAL
#define TW_INT LANES_INT
#define TW_MATH_NAME(verb) LANES_NAME(LANES, _##verb)
#define TW_SPLAT(number) ((LANES_REAL){0} + (number))
#define TW_BITS(real) ((LANES_INT)(real))
#define TW_OF_BITS(bits) ((LANES_REAL)(bits))
#define TW_SELECT(mask, yes, no) LANES_NAME(LANES, _select)((mask), (yes), (no))
#include <twirl/math_ops.h>
#undef TW_REAL
#undef TW_INT
#undef TW_MATH_NAME
#undef TW_SPLAT
#undef TW_BITS
#undef TW_OF_BITS
#undef TW_SELECT

/* The functions of SAMPLE_exp to SAMPLE_log1p for arrays of LANES. */
static __attribute__((noinline)) void LANES_NAME(LANES, _apply)(int function, const double *in,
                                                                double *out)
{
    LANES_REAL x, y;
    memcpy(&x, in, sizeof x);
    switch (function) {
    case SAMPLE_exp:
        y = LANES_NAME(LANES, _exp)(x);
        break;
    case SAMPLE_expm1:
        y = LANES_NAME(LANES, _expm1)(x);
        break;
    case SAMPLE_log:
        y = LANES_NAME(LANES, _log)(x);
        break;
    default:
        y = LANES_NAME(LANES, _log1p)(x);
        break;
    }
    memcpy(out, &y, sizeof y);
}
#undef LANES_PASTE
#undef LANES_NAME
#undef LANES_REAL
#undef LANES_INT
#undef LANES_MASK
