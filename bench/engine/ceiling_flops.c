/* SPDX-License-Identifier: BSD-3-Clause */
/* Peak arithmetic of one thread. Compiled once per level of base/simd.h. */
#include "base/lanes.h"
#include "base/simd.h"
#include "ceiling.h"

/* Independent chains of unfused products and sums: enough to hide the latency of all units, but no
 * more than there are registers. Each is a separate variable, because compilers keep an array in
 * memory; each uses the product of its neighbour, because a constant one would be hoisted out of
 * the loop. */
#define FIRST(X)                                                                                   \
    X(0, 1) X(1, 2) X(2, 3) X(3, 4) X(4, 5) X(5, 6) X(6, 7) X(7, 8) X(8, 9) X(9, 10) X(10, 11)
#if TW_LANES == 2
#define EACH_CHAIN(X)                                                                              \
    FIRST(X)                                                                                       \
    X(11, 12)                                                                                      \
    X(12, 13)                                                                                      \
    X(13, 14)                                                                                      \
    X(14, 15)                                                                                      \
    X(15, 16) X(16, 17) X(17, 18) X(18, 19) X(19, 20) X(20, 21) X(21, 22) X(22, 23) X(23, 0)
#else
#define EACH_CHAIN(X) FIRST(X) X(11, 0)
#endif
#define START_CHAIN(k, next) tw_lanes chain##k = TW_SPLAT_LANES(0.1 * k);
#define TURN_CHAIN(k, next) chain##k += a * chain##next;
#define COUNT_CHAIN(k, next) +1
#define SUM_CHAIN(k, next) +chain##k[0]

double TW_SIMD_NAME(ceiling_flops)(void)
{
    const long turns = 2000000, chains = EACH_CHAIN(COUNT_CHAIN);
    const tw_lanes a = TW_SPLAT_LANES(1e-9);
    EACH_CHAIN(START_CHAIN)
    const double start = ceiling_worked();
    for (long turn = 0; turn < turns; turn++) {
        EACH_CHAIN(TURN_CHAIN)
    }
    volatile double keep = EACH_CHAIN(SUM_CHAIN);
    (void)keep;
    return 2.0 * (double)(TW_LANES * chains * turns) / (ceiling_worked() - start);
}
