/* SPDX-License-Identifier: BSD-3-Clause */
/* The elastic step, and what short slides need, written once for one contact and once more for
 * lanes of contacts: included by twirl/contact_turn.h and by code for lanes, with TW_REAL (a
 * number, or lanes of them), TW_MASK (the result of comparing two), TW_VEC, TW_VEC_NAME, TW_NAME
 * (prefixes) and TW_SPLAT (a number for all lanes) defined. No call, no branch on data; in the
 * elastic step no root and no quotient.
 */

/* What a step starts from and does. */
typedef struct TW_NAME(step) {
    TW_VEC n0, ft0, n1, du, turn_p, turn_q;
    TW_REAL zeta0, zeta1;
} TW_NAME(step);

/* The frame in which the force of the step is computed. For the exact law it is half-way through
 * the rotation of the contact: plane normal nm, to which the old force is carried (Eq. 8) and from
 * which the new one is carried on (Eq. 11) by equal halves of the tilt, k = 1/(1 + n0.nm), and of
 * the twist. For the other laws it is the plane at the end of the step, and both carries do
 * nothing. */
typedef struct TW_NAME(frame) {
    TW_VEC nm;
    TW_REAL k, cosine, sine;
} TW_NAME(frame);

/* Half of the tilt: v from the plane of a to the plane of b (Eq. 7). */
TW_INLINE TW_VEC TW_NAME(tilt_half)(TW_VEC v, TW_VEC a, TW_VEC b, TW_REAL k)
{
    return TW_VEC_NAME(add_scaled)(v, -k * TW_VEC_NAME(dot)(v, b), TW_VEC_NAME(add)(a, b));
}

/* Half of the twist. A vector that was not tilted into the plane keeps its component along nm. */
TW_INLINE TW_VEC TW_NAME(twist_half)(uint32_t refine, TW_VEC v, const TW_NAME(frame) * frame)
{
    TW_VEC w = TW_VEC_NAME(add_scaled)(TW_VEC_NAME(scale)(frame->cosine, v), frame->sine,
                                       TW_VEC_NAME(cross)(frame->nm, v));
    if (!(refine & TW_CONTACT_TILT)) {
        const TW_REAL along = TW_VEC_NAME(dot)(v, frame->nm);
        w = TW_VEC_NAME(add_scaled)(w, along - along * frame->cosine, frame->nm);
    }
    return w;
}

TW_INLINE TW_VEC TW_NAME(carry_in)(int32_t kind, uint32_t refine, const TW_NAME(frame) * frame,
                                   TW_VEC v, TW_VEC n0)
{
    if (kind != TW_CONTACT_EXACT) return v;
    if (refine & TW_CONTACT_TILT) v = TW_NAME(tilt_half)(v, n0, frame->nm, frame->k);
    if (refine & TW_CONTACT_TWIRL) v = TW_NAME(twist_half)(refine, v, frame);
    return v;
}

TW_INLINE TW_VEC TW_NAME(in_plane)(TW_VEC v, TW_VEC n)
{
    return TW_VEC_NAME(add_scaled)(v, -TW_VEC_NAME(dot)(v, n), n);
}

/* The paper's first-order carry, after the update (Eqs. 31, 32). */
TW_INLINE TW_VEC TW_NAME(carry_after)(uint32_t refine, const TW_NAME(step) * step, TW_VEC v)
{
    const TW_VEC n = step->n1;
    if (refine & TW_CONTACT_TILT) v = TW_NAME(in_plane)(v, n);
    if (refine & TW_CONTACT_TWIRL) {
        const TW_VEC turns = TW_VEC_NAME(add)(step->turn_p, step->turn_q);
        v = TW_VEC_NAME(add_scaled)(v, 0.5 * TW_VEC_NAME(dot)(turns, n), TW_VEC_NAME(cross)(n, v));
    }
    return v;
}

TW_INLINE TW_VEC TW_NAME(carry_out)(int32_t kind, uint32_t refine, const TW_NAME(frame) * frame,
                                    TW_VEC v, const TW_NAME(step) * step)
{
    if (kind != TW_CONTACT_EXACT) return TW_NAME(carry_after)(refine, step, v);
    if (refine & TW_CONTACT_TWIRL) v = TW_NAME(twist_half)(refine, v, frame);
    if (refine & TW_CONTACT_TILT) v = TW_NAME(tilt_half)(v, frame->nm, step->n1, frame->k);
    return v;
}

/* Tangent of half a body's twist: its Gibbs vector along nbar = sum/2 (Eqs. 4, 9), for turns below
 * 2e-3 rad; the next term of the series is below rounding. h is a quarter of the turn's square. */
TW_INLINE TW_REAL TW_NAME(twist_small)(TW_VEC turn, TW_REAL h, TW_VEC sum)
{
    return (0.25 + h * (1.0 / 12)) * TW_VEC_NAME(dot)(turn, sum);
}

/* The frame of a step that tilts and turns by less than 2e-3 rad, as nearly all do: every root and
 * quotient is a short series in d = |n1 - n0|^2/4 or in the twists. Sets *small to whether it does.
 */
TW_INLINE TW_NAME(frame)
    TW_NAME(frame_small)(int32_t kind, uint32_t refine, const TW_NAME(step) * step, TW_MASK *small)
{
    TW_NAME(frame) frame;
    frame.nm = step->n1;
    frame.k = TW_SPLAT(0.5);
    frame.cosine = TW_SPLAT(1.0);
    frame.sine = TW_SPLAT(0.0);
    *small = frame.k > 0.0;
    if (kind != TW_CONTACT_EXACT) return frame;

    const TW_VEC dn = TW_VEC_NAME(sub)(step->n1, step->n0);
    const TW_VEC sum = TW_VEC_NAME(add)(step->n1, step->n0);
    const TW_REAL d = 0.25 * TW_VEC_NAME(dot)(dn, dn);
    frame.nm = TW_VEC_NAME(scale)(0.5 + d * (0.25 + d * (3.0 / 16)), sum);
    frame.k = 0.5 + d * (1.0 / 8 + d * (1.0 / 16));
    *small = d < 1e-6;
    if (refine & TW_CONTACT_TWIRL) {
        const TW_REAL hp = 0.25 * TW_VEC_NAME(dot)(step->turn_p, step->turn_p);
        const TW_REAL hq = 0.25 * TW_VEC_NAME(dot)(step->turn_q, step->turn_q);
        const TW_REAL tp = TW_NAME(twist_small)(step->turn_p, hp, sum);
        const TW_REAL tq = TW_NAME(twist_small)(step->turn_q, hq, sum);
        /* phi = (atan(tp) + atan(tq))/2 by the mean and half the difference of the tangents. */
        const TW_REAL mean = 0.5 * (tp + tq), off = 0.5 * (tp - tq);
        const TW_REAL m2 = mean * mean, o2 = off * off;
        const TW_REAL phi = mean * (1.0 - m2 * (1.0 / 3) - o2);
        const TW_REAL p2 = phi * phi;
        frame.sine = phi * (1.0 - p2 * (1.0 / 6));
        frame.cosine = 1.0 - p2 * (0.5 - p2 * (1.0 / 24));
        *small = *small & (hp < 1e-6) & (hq < 1e-6);
    }
    return frame;
}

/* A step tried as if the contact touched all through it, stuck and turned little, as most do. */
typedef struct TW_NAME(trial) {
    TW_NAME(frame) frame;
    TW_VEC ft0, dxi; /* old force and movement, in the frame */
    TW_VEC ft;       /* tangential force at the end */
    TW_REAL work;    /* tangential work */
    TW_REAL change;  /* of |ft|^2 */
    TW_MASK small;   /* the frame holds: it turned little */
    TW_MASK sticks;  /* the whole trial holds */
} TW_NAME(trial);

TW_INLINE TW_NAME(trial) TW_NAME(try)(int32_t kind, uint32_t refine, const tw_contact_law *law,
                                      const TW_NAME(step) * step)
{
    TW_NAME(trial) t;
    t.frame = TW_NAME(frame_small)(kind, refine, step, &t.small);
    t.ft0 = TW_NAME(carry_in)(kind, refine, &t.frame, step->ft0, step->n0);
    t.dxi = TW_NAME(in_plane)(step->du, t.frame.nm);
    const TW_VEC end = TW_VEC_NAME(add_scaled)(t.ft0, TW_SPLAT(law->kt), t.dxi);
    /* Within the friction limit at the end (Eq. 12). The limit minus |ft| is concave along the
     * path: inside at both ends is inside throughout. */
    const TW_REAL limit = law->mu * law->kn * step->zeta1, limit2 = limit * limit;
    /* A limit whose powers leave the range of numbers is not for here. */
    t.sticks = t.small & (TW_VEC_NAME(dot)(end, end) <= limit2) & (limit2 > TW_CONTACT_TINY) &
               (limit2 < TW_CONTACT_HUGE) & (step->zeta0 > 0.0) & (step->zeta1 > 0.0);
    t.work = 0.5 * TW_VEC_NAME(dot)(TW_VEC_NAME(add)(t.ft0, end), t.dxi);
    t.ft = TW_NAME(carry_out)(kind, refine, &t.frame, end, step);
    t.change = TW_VEC_NAME(dot)(TW_VEC_NAME(sub)(t.ft, t.ft0), TW_VEC_NAME(add)(t.ft, t.ft0));
    return t;
}

/* Mean of fn cos(theta) over a short slide, over fn at its start: the values and first three
 * derivatives at both ends are known in closed form, and the two-point Hermite rule on them is of
 * order 8 (Eqs. 26, 27). x and q as in Eq. 18. */
TW_INLINE TW_REAL TW_NAME(slip_mean)(TW_REAL x, TW_REAL q, TW_REAL cos0, TW_REAL cos1)
{
    const TW_REAL u = 1.0 + x, inv = 1.0 / u;
    const TW_REAL s0 = 1.0 - cos0 * cos0, s1 = 1.0 - cos1 * cos1;
    const TW_REAL d0 = x * cos0 + q * s0, d1 = x * cos1 + q * s1;
    const TW_REAL qs0 = q * s0, qs1 = q * s1 * inv;
    const TW_REAL e0 = -qs0 * (2.0 * q * cos0 - x), e1 = -qs1 * (2.0 * q * cos1 - x);
    const TW_REAL k = x * x + 2.0 * q * q, l = 6.0 * q * q;
    const TW_REAL g0 = -qs0 * (k - l * cos0 * cos0), g1 = -qs1 * inv * (k - l * cos1 * cos1);
    return 0.5 * (cos0 + u * cos1) + (3.0 / 28) * (d0 - d1) + (1.0 / 84) * (e0 + e1) +
           (1.0 / 1680) * (g0 - g1);
}
