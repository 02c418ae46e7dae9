/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotations of a contact during a step, of any size: tilt of its plane and twist of its bodies
 * (refinement 4). A part of twirl/contact_inline.h. */
#ifndef TWIRL_DETAIL_CONTACT_TURN_H
#define TWIRL_DETAIL_CONTACT_TURN_H

#include <twirl/contact.h>
#include <twirl/contact_law.h>
#include <twirl/math.h>

/* Long functions are not inlined; those that are rarely called are compiled for size. */
#if defined(__CUDACC__)
#define TW_CONTACT_LONG static __noinline__ __host__ __device__
#define TW_CONTACT_RARE static __noinline__ __host__ __device__
#elif defined(__GNUC__)
#define TW_CONTACT_LONG static __attribute__((noinline, unused))
#define TW_CONTACT_RARE static __attribute__((noinline, cold, unused))
#else
#define TW_CONTACT_LONG static inline
#define TW_CONTACT_RARE static inline
#endif

/* Squares of forces between these can be squared again without overflow or loss of digits. */
#define TW_CONTACT_TINY 1e-140
#define TW_CONTACT_HUGE 1e140

/* Squares of half a rotation below which its tangent is a short series. */
#define TW_CONTACT_TURN_SMALL 1e-4

#include <twirl/detail/scalar_params.inc>

#include <twirl/detail/contact_hertz.inc>

#include <twirl/detail/contact_elastic.inc>
#include <twirl/detail/contact_motion.inc>
#include <twirl/detail/contact_slide.inc>

#include <twirl/detail/contact_twisting.inc>

#include <twirl/detail/contact_damping.inc>

#include <twirl/detail/undef.inc>

TW_CONTACT_RARE double tw_contact_gibbs_factor_large(tw_vec3 turn)
{
    const double angle = tw_vec3_norm_scaled(turn);
    return tw_math_tan(0.5 * angle) / angle;
}

TW_INLINE int tw_contact_turns_little(tw_vec3 turn)
{
    return 0.25 * tw_vec3_dot(turn, turn) < TW_CONTACT_TURN_SMALL;
}

/* s such that s * turn is the Gibbs vector tan(|turn|/2) turn/|turn| (Eq. 4). */
TW_INLINE double tw_contact_gibbs_factor(tw_vec3 turn)
{
    const double h = 0.25 * tw_vec3_dot(turn, turn);
    if (h < TW_CONTACT_TURN_SMALL) return tw_contact_gibbs_small(h);
    return tw_contact_gibbs_factor_large(turn);
}

/* Half a rotation as the law defines it. */
TW_INLINE tw_vec3 tw_contact_half(int32_t kind, tw_vec3 turn)
{
    return tw_vec3_scale(kind == TW_CONTACT_EXACT ? tw_contact_gibbs_factor(turn) : 0.5, turn);
}

/* v after this rotation. */
TW_INLINE tw_vec3 tw_contact_carried(tw_vec3 v, tw_vec3 turn)
{
    const tw_vec3 half = tw_contact_half(TW_CONTACT_EXACT, turn);
    const double twice = 2.0 / (1.0 + tw_vec3_dot(half, half));
    const tw_vec3 moved = tw_vec3_cross(half, tw_vec3_add(v, tw_vec3_cross(half, v)));
    return tw_vec3_add_scaled(v, twice, moved);
}

/* Half of the twist by atan(tp) + atan(tq) (Eq. 9), without a trigonometric call: the tangents are
 * complex numbers 1 + i tp and 1 + i tq, their product turns by the sum, its root by half of it. */
TW_INLINE void tw_contact_twist_set(tw_contact_frame *frame, double tp, double tq)
{
    const double im = tp + tq;
    const double inv = 1.0 / sqrt((1.0 + tp * tp) * (1.0 + tq * tq));
    const double cosine = (1.0 - tp * tq) * inv, sine = im * inv;
    if (cosine >= 0.0) {
        frame->cosine = sqrt(0.5 + 0.5 * cosine);
        frame->sine = 0.5 * sine / frame->cosine;
    } else {
        frame->sine = copysign(sqrt(0.5 - 0.5 * cosine), im);
        frame->cosine = 0.5 * sine / frame->sine;
    }
}

/* A unit vector perpendicular to the unit vector n. */
TW_INLINE tw_vec3 tw_contact_perpendicular(tw_vec3 n)
{
    const tw_vec3 v = fabs(n.x) < 0.6 ? tw_vec3_make(0.0, n.z, -n.y) : tw_vec3_make(-n.z, 0.0, n.x);
    return tw_vec3_scale(1.0 / tw_vec3_norm(v), v);
}

/* The frame of any step of the exact law (Eqs. 6, 9, 10). For a normal turned by 180 degrees the
 * direction of rotation is arbitrary. */
TW_CONTACT_RARE tw_contact_frame tw_contact_frame_large(const tw_contact_step *step)
{
    tw_contact_frame frame;
    const tw_vec3 n0 = step->n0, nbar = tw_vec3_scale(0.5, tw_vec3_add(n0, step->n1));
    const double length = tw_vec3_norm(nbar);
    frame.nm = length > 1e-8 ? tw_vec3_scale(1.0 / length, nbar) : tw_contact_perpendicular(n0);
    frame.k = 1.0 / (1.0 + tw_vec3_dot(n0, frame.nm));
    tw_contact_twist_set(&frame, 0.5 * step->twist_p, 0.5 * step->twist_q);
    return frame;
}

#endif
