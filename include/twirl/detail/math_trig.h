/* SPDX-License-Identifier: BSD-3-Clause */
/* Sine, cosine and tangent of any number. A part of twirl/math.h. */
#ifndef TWIRL_DETAIL_MATH_TRIG_H
#define TWIRL_DETAIL_MATH_TRIG_H

#include <twirl/detail/math_bits.h>

/* |x| minus the nearest multiple of pi/2, and the last two binary digits of that multiple. */
typedef struct tw_math_angle {
    tw_math_pair rest;
    unsigned quarter;
} tw_math_angle;

/* For 2^20 <= |x|, finite: x is m 2^e with a whole m, so m times the right 192 digits of 2/pi is
 * the angle in quarters of a turn but for multiples of four: two digits before the point, 190
 * behind. No double comes so near to a multiple of pi/2 that fewer than 70 of them would count. */
TW_MATH_CALL tw_math_angle tw_math_angle_large(double x)
{
    /* 64 digits 0, then those of 2/pi behind the point. */
    const uint32_t digits[40] = {
        0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599,
        0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
        0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639,
        0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f,
        0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7,
        0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};
    const uint64_t bits = tw_math_bits(x), low32 = UINT64_C(0xffffffff);
    const uint64_t m = (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x0010000000000000);
    const unsigned first = (unsigned)((bits >> 52) & 0x7ff) - 1075u + 62u; /* of the digits used */
    const unsigned word = first / 32u, shift = first % 32u;

    uint64_t out[7] = {0, 0, 0, 0, 0, 0, 0}; /* 32 digits each, the lowest first */
    for (int part = 0; part < 2; part++) {
        const uint64_t factor = part ? m >> 32 : m & low32;
        uint64_t carry = 0;
        for (unsigned i = 0; i + (unsigned)part < 6u; i++) {
            const unsigned at = word + 5u - i;
            const uint64_t two = (uint64_t)digits[at] << 32 | digits[at + 1u];
            const unsigned to = i + (unsigned)part;
            carry += factor * (two >> (32u - shift) & low32) + out[to];
            out[to] = carry & low32;
            carry >>= 32;
        }
    }
    tw_math_angle a;
    a.quarter = (unsigned)(out[5] >> 30);
    const int beyond = (int)(out[5] >> 29 & 1); /* half a quarter: count from the next one */
    if (beyond) {
        uint64_t carry = 1;
        a.quarter = (a.quarter + 1u) & 3u;
        for (int i = 0; i < 6; i++) {
            carry += ~out[i] & low32;
            out[i] = carry & low32;
            carry >>= 32;
        }
    }
    tw_math_pair sum = tw_math_pair_make((double)(out[5] & 0x3fffffff) * 0x1p-30, 0.0);
    double unit = 0x1p-62;
    for (int i = 4; i >= 0; i--) {
        const tw_math_pair s = tw_math_sum(sum.hi, (double)out[i] * unit);
        sum = tw_math_join(s.hi, sum.lo + s.lo);
        unit *= 0x1p-32;
    }
    const double sign = beyond ? -1.0 : 1.0;
    a.rest = tw_math_pair_product(
        sum, tw_math_pair_make(sign * 0x1.921fb54442d18p+0, sign * 0x1.1a62633145c07p-54));
    return a;
}

/* For any finite x >= 0. */
TW_INLINE tw_math_angle tw_math_angle_of(double x)
{
    tw_math_angle a;
    if (x < 0.78539816339744828) {
        a.rest = tw_math_pair_make(x, 0.0);
        a.quarter = 0;
        return a;
    }
    if (!(x < 0x1p20)) return tw_math_angle_large(x);
    /* pi/2 in four parts; the products with the first three are exact. */
    const double shifted = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, k = shifted - 0x1.8p52;
    const double near = x - k * 0x1.921fb544p+0;
    const tw_math_pair s = tw_math_sum(near, -(k * 0x1.0b4611a6p-34));
    const tw_math_pair t = tw_math_sum(s.hi, -(k * 0x1.3198a2ep-69));
    a.rest = tw_math_sum(t.hi, s.lo + (t.lo - k * 0x1.b839a252049c1p-104));
    a.quarter = (unsigned)(tw_math_bits(shifted) & 3u);
    return a;
}

/* For |r| up to slightly more than pi/4. r - r^3/6 is computed without a significant rounding
 * error: the cube is an exact product of two heads plus a remainder, and the error of its sixth is
 * found by multiplying back. */
TW_INLINE tw_math_pair tw_math_sine_near(tw_math_pair r)
{
    const double z = r.hi * r.hi, w = z * z, sixth = 0x1.5555555555555p-3;
    const double p0 = 0x1.1111111111111p-7 + z * -0x1.a01a01a019ea6p-13;
    const double p1 = 0x1.71de3a5505e48p-19 + z * -0x1.ae6455277a73fp-26;
    const double p2 = 0x1.612250f0243e2p-33 + z * -0x1.ab8de4a824803p-41;
    const double p = p0 + w * (p1 + w * p2);

    const double head = tw_math_head(r.hi), tail = r.hi - head, square = tw_math_head(z);
    const double rest = (head * head - square) + tail * (r.hi + head); /* r^2 - square */
    const double cube = head * square, more = head * rest + tail * z;
    const double q = cube * sixth, off = (cube - 4.0 * q) - 2.0 * q;
    const tw_math_pair s = tw_math_join(r.hi, -q);
    const double low = (r.hi * w * p - sixth * (off + more)) + (r.lo - 0.5 * z * r.lo);
    return tw_math_join(s.hi, s.lo + low);
}

TW_INLINE tw_math_pair tw_math_cosine_near(tw_math_pair r)
{
    const double z = r.hi * r.hi, w = z * z;
    const double p0 = 0x1.5555555555555p-5 + z * -0x1.6c16c16c168ccp-10;
    const double p1 = 0x1.a01a019f38afap-16 + z * -0x1.27e4fa036d38fp-22;
    const double p2 = 0x1.1eeb58509df39p-29 + z * -0x1.9073d444493acp-37;
    const double p = p0 + w * (p1 + w * p2);
    /* 1 - r^2/2 without a rounding error */
    const double head = tw_math_head(r.hi), square = 0.5 * head * head;
    const double off = 0.5 * (r.hi - head) * (r.hi + head);
    const tw_math_pair s = tw_math_join(1.0, -square);
    return tw_math_join(s.hi, s.lo + (w * p - (off + r.hi * r.lo)));
}

TW_MATH_CALL double tw_math_sin(double x)
{
    if (!(fabs(x) < TW_MATH_INFINITY)) return TW_MATH_NAN;
    const tw_math_angle a = tw_math_angle_of(fabs(x));
    const double y = a.quarter & 1u ? tw_math_cosine_near(a.rest).hi : tw_math_sine_near(a.rest).hi;
    return ((a.quarter & 2u) != 0) != tw_math_is_negative(x) ? -y : y;
}

TW_MATH_CALL double tw_math_cos(double x)
{
    if (!(fabs(x) < TW_MATH_INFINITY)) return TW_MATH_NAN;
    const tw_math_angle a = tw_math_angle_of(fabs(x));
    const double y = a.quarter & 1u ? tw_math_sine_near(a.rest).hi : tw_math_cosine_near(a.rest).hi;
    return ((a.quarter + 1u) & 2u) != 0 ? -y : y;
}

TW_MATH_CALL double tw_math_tan(double x)
{
    if (!(fabs(x) < TW_MATH_INFINITY)) return TW_MATH_NAN;
    if (fabs(x) < 0x1p-28) return x;
    const tw_math_angle a = tw_math_angle_of(fabs(x));
    const tw_math_pair s = tw_math_sine_near(a.rest), c = tw_math_cosine_near(a.rest);
    const int turned = (a.quarter & 1u) != 0;
    const tw_math_pair q = turned ? tw_math_pair_quotient(c, s) : tw_math_pair_quotient(s, c);
    const double y = q.hi + q.lo;
    return turned != tw_math_is_negative(x) ? -y : y;
}

#endif
