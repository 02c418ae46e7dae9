/* SPDX-License-Identifier: BSD-3-Clause */
/* The elastic step, and what short slides need, written once for one contact and once more for
 * lanes of contacts: included by twirl/contact_turn.h and by code for lanes, with TW_REAL (a
 * number, or lanes of them), TW_MASK (the result of comparing two), TW_VEC, TW_VEC_NAME, TW_NAME
 * (prefixes) and TW_SPLAT (a number for all lanes) defined. No call, no branch on data; in the
 * elastic step no root and no quotient.
 */

/* What a step starts from and does. twist_p and twist_q are made by TW_NAME(twist_of). */
typedef struct TW_NAME(step) {
    TW_VEC n0, ft0, n1, du;
    TW_REAL zeta0, zeta1, twist_p, twist_q;
} TW_NAME(step);

/* How a body twists the contact. `half` is what the law takes for half of the body's rotation: the
 * Gibbs vector (Eq. 4) for the exact law, half of the rotation vector for the others. The first
 * takes it along n0 + n1, twice the normal half-way, the others along n1. */
TW_INLINE TW_REAL TW_NAME(twist_of)(int32_t kind, TW_VEC half, TW_VEC n0, TW_VEC n1)
{
    return TW_VEC_NAME(dot)(half, kind == TW_CONTACT_EXACT ? TW_VEC_NAME(add)(n1, n0) : n1);
}

/* The rotation of the contact during the step of the exact law: its plane tilts from n0 through nm
 * to n1, by two equal halves with k = 1/(1 + n0.nm), and its bodies twist it by two equal halves
 * of the angle with this cosine and sine. */
typedef struct TW_NAME(frame) {
    TW_VEC nm;
    TW_REAL k, cosine, sine;
} TW_NAME(frame);

/* tan(z)/(2z) for h = z^2 below TW_CONTACT_TURN_SMALL, to rounding. */
TW_INLINE TW_REAL TW_NAME(gibbs_small)(TW_REAL h)
{
    return 1.0 / 2 + h * (1.0 / 6 + h * (1.0 / 15 + h * (17.0 / 630)));
}

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

TW_INLINE TW_VEC TW_NAME(in_plane)(TW_VEC v, TW_VEC n)
{
    return TW_VEC_NAME(add_scaled)(v, -TW_VEC_NAME(dot)(v, n), n);
}

/* The second half: from the middle of the step to its end (Eq. 11). */
TW_INLINE TW_VEC TW_NAME(carry_half)(uint32_t refine, const TW_NAME(frame) * frame, TW_VEC v,
                                     TW_VEC n1)
{
    if (refine & TW_CONTACT_TWIRL) v = TW_NAME(twist_half)(refine, v, frame);
    if (refine & TW_CONTACT_TILT) v = TW_NAME(tilt_half)(v, frame->nm, n1, frame->k);
    return v;
}

/* Both halves: the old force (Eq. 8). */
TW_INLINE TW_VEC TW_NAME(carry_whole)(uint32_t refine, const TW_NAME(frame) * frame,
                                      const TW_NAME(step) * step)
{
    TW_VEC v = step->ft0;
    if (refine & TW_CONTACT_TILT) v = TW_NAME(tilt_half)(v, step->n0, frame->nm, frame->k);
    if (refine & TW_CONTACT_TWIRL) v = TW_NAME(twist_half)(refine, v, frame);
    return TW_NAME(carry_half)(refine, frame, v, step->n1);
}

/* The first-order carry of the other laws, after the update (Eqs. 31, 32). */
TW_INLINE TW_VEC TW_NAME(carry_after)(int32_t kind, uint32_t refine, const TW_NAME(step) * step,
                                      TW_VEC v)
{
    const TW_VEC n = step->n1;
    if (kind == TW_CONTACT_EXACT) return v;
    if (refine & TW_CONTACT_TILT) v = TW_NAME(in_plane)(v, n);
    if (refine & TW_CONTACT_TWIRL) {
        v = TW_VEC_NAME(add_scaled)(v, step->twist_p + step->twist_q, TW_VEC_NAME(cross)(n, v));
    }
    return v;
}

/* Half the twist, for twists below 2e-3 rad. *size tells whether it is: below 1e-6 then. */
TW_INLINE TW_REAL TW_NAME(twist_small)(const TW_NAME(step) * step, TW_REAL *size)
{
    const TW_REAL tp = step->twist_p, tq = step->twist_q;
    /* (atan(tp/2) + atan(tq/2))/2 by the mean and half the difference of the tangents, of which m
     * and o are four times as much: mean (1 - mean^2/3 - off^2). */
    const TW_REAL m = tp + tq, o = tp - tq, m2 = m * m, o2 = o * o;
    *size = (m2 + o2) * (1.0 / 16);
    return m * (0.25 - m2 * (1.0 / 192) - o2 * (1.0 / 64));
}

/* s cos(phi), s sin(phi) and their like for 2 phi, to rounding for phi below 1e-3. */
TW_INLINE TW_REAL TW_NAME(cosine_small)(TW_REAL p2, double s)
{
    return s - p2 * (0.5 * s - p2 * (s / 24));
}

TW_INLINE TW_REAL TW_NAME(sine_small)(TW_REAL phi, TW_REAL p2, double s)
{
    return phi * (s - p2 * (s / 6));
}

TW_INLINE TW_REAL TW_NAME(cosine_double)(TW_REAL p2)
{
    return 1.0 - p2 * (2.0 - p2 * (2.0 / 3));
}

TW_INLINE TW_REAL TW_NAME(sine_double)(TW_REAL phi, TW_REAL p2)
{
    return phi * (2.0 - p2 * (4.0 / 3));
}

/* A step tried as if the contact touched all through it, stuck and turned little, as most do. */
typedef struct TW_NAME(trial) {
    TW_VEC ft0, dxi; /* old force and movement, in the plane at the end of the step; not twisted */
    TW_REAL phi;     /* half the twist [rad] */
    TW_VEC ft;       /* tangential force at the end */
    TW_MASK small;   /* it turned little: all this is right */
    TW_MASK inside;  /* ft is within the friction limit */
} TW_NAME(trial);

/* Old force and movement of a step that tilts and turns by less than 2e-3 rad, as nearly all do:
 * every root and quotient is a short series in d = |n1 - n0|^2/4 or in the twists. With every
 * refinement on, and s = n0 + n1, dn = n1 - n0: the whole tilt of the old force is Eq. 7 with
 * 1 + n0.n1 = 2(1 - d); projecting the movement onto the plane half-way and tilting it by the other
 * half is one linear map of its components along s and dn. */
TW_INLINE void TW_NAME(carry_small)(const TW_NAME(step) * step, TW_NAME(trial) * t)
{
    const TW_VEC n1 = step->n1;
    const TW_VEC sum = TW_VEC_NAME(add)(n1, step->n0), dn = TW_VEC_NAME(sub)(n1, step->n0);
    const TW_REAL d = 0.25 * TW_VEC_NAME(dot)(dn, dn);
    const TW_REAL whole = 0.5 + d * (0.5 + d * 0.5);
    TW_REAL size;
    t->phi = TW_NAME(twist_small)(step, &size);
    t->small = size + d < 1e-6;
    t->ft0 = TW_VEC_NAME(add_scaled)(step->ft0, -whole * TW_VEC_NAME(dot)(step->ft0, n1), sum);
    const TW_REAL along_sum = TW_VEC_NAME(dot)(step->du, sum);
    const TW_REAL along_dn = TW_VEC_NAME(dot)(step->du, dn);
    const TW_REAL off_sum = 0.5 * whole * along_sum + (0.25 + d * 0.125) * along_dn;
    t->dxi = TW_VEC_NAME(add_scaled)(TW_VEC_NAME(add_scaled)(step->du, -off_sum, sum),
                                     -(0.125 + d * (1.0 / 32)) * along_dn, dn);
}

/* The same for a law without one of the refinements; any twist is done here. */
TW_INLINE void TW_NAME(carry_part)(uint32_t refine, const TW_NAME(step) * step, TW_NAME(trial) * t)
{
    TW_NAME(frame) frame;
    const TW_VEC dn = TW_VEC_NAME(sub)(step->n1, step->n0);
    const TW_VEC sum = TW_VEC_NAME(add)(step->n1, step->n0);
    const TW_REAL d = 0.25 * TW_VEC_NAME(dot)(dn, dn);
    frame.nm = TW_VEC_NAME(scale)(0.5 + d * (0.25 + d * (3.0 / 16)), sum);
    frame.k = 0.5 + d * (1.0 / 8 + d * (1.0 / 16));
    TW_REAL size;
    const TW_REAL phi = TW_NAME(twist_small)(step, &size), p2 = phi * phi;
    frame.cosine = TW_NAME(cosine_small)(p2, 1.0);
    frame.sine = TW_NAME(sine_small)(phi, p2, 1.0);
    t->small = size + d < 1e-6;
    t->ft0 = TW_NAME(carry_whole)(refine, &frame, step);
    t->dxi = TW_NAME(carry_half)(refine, &frame, TW_NAME(in_plane)(step->du, frame.nm), step->n1);
    t->phi = TW_SPLAT(0.0);
}

/* Twists v, in the plane of n, by an angle with this cosine and sine. */
TW_INLINE TW_VEC TW_NAME(twist)(TW_VEC v, TW_VEC n, TW_REAL cosine, TW_REAL sine)
{
    return TW_VEC_NAME(add_scaled)(TW_VEC_NAME(scale)(cosine, v), sine, TW_VEC_NAME(cross)(n, v));
}

/* Old force and movement of a trial with the twist: by the whole of it and by half. */
TW_INLINE void TW_NAME(trial_twist)(TW_NAME(trial) * t, TW_VEC n)
{
    const TW_REAL phi = t->phi, p2 = phi * phi;
    t->ft0 = TW_NAME(twist)(t->ft0, n, TW_NAME(cosine_double)(p2), TW_NAME(sine_double)(phi, p2));
    t->dxi = TW_NAME(twist)(t->dxi, n, TW_NAME(cosine_small)(p2, 1.0),
                            TW_NAME(sine_small)(phi, p2, 1.0));
    t->phi = TW_SPLAT(0.0);
}

/* The first half of a trial: old force, movement and twist. */
TW_INLINE TW_NAME(trial)
    TW_NAME(try_carry)(int32_t kind, uint32_t refine, const TW_NAME(step) * step)
{
    TW_NAME(trial) t;
    if (kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL) {
        TW_NAME(carry_small)(step, &t);
    } else {
        t.ft0 = step->ft0;
        t.dxi = TW_NAME(in_plane)(step->du, step->n1);
        t.phi = TW_SPLAT(0.0);
        t.small = t.phi == 0.0;
        if (kind == TW_CONTACT_EXACT) TW_NAME(carry_part)(refine, step, &t);
    }
    return t;
}

/* The second: the force at the end of the step, and whether it is within the limit. Of the step it
 * takes n1, zeta1 and the twists. */
TW_INLINE void TW_NAME(try_limit)(int32_t kind, uint32_t refine, const tw_contact_law *law,
                                  const TW_NAME(step) * step, TW_NAME(trial) * trial)
{
    TW_NAME(trial) t = *trial;
    if (kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL) {
        /* Both twists at once: what is turned goes through one cross product. */
        const TW_REAL phi = t.phi, p2 = phi * phi;
        const TW_VEC stays =
            TW_VEC_NAME(add_scaled)(TW_VEC_NAME(scale)(TW_NAME(cosine_double)(p2), t.ft0),
                                    TW_NAME(cosine_small)(p2, law->kt), t.dxi);
        const TW_VEC turns =
            TW_VEC_NAME(add_scaled)(TW_VEC_NAME(scale)(TW_NAME(sine_double)(phi, p2), t.ft0),
                                    TW_NAME(sine_small)(phi, p2, law->kt), t.dxi);
        t.ft = TW_VEC_NAME(add)(stays, TW_VEC_NAME(cross)(step->n1, turns));
    } else {
        t.ft = TW_VEC_NAME(add_scaled)(t.ft0, TW_SPLAT(law->kt), t.dxi);
    }
    /* Within the friction limit at the end (Eq. 12). The limit minus |ft| is concave along the
     * path: inside at both ends is inside throughout. */
    const TW_REAL limit = law->mu * law->kn * step->zeta1;
    t.inside = TW_VEC_NAME(dot)(t.ft, t.ft) <= limit * limit;
    trial->inside = t.inside;
    trial->ft = TW_NAME(carry_after)(kind, refine, step, t.ft);
}

TW_INLINE TW_NAME(trial) TW_NAME(try)(int32_t kind, uint32_t refine, const tw_contact_law *law,
                                      const TW_NAME(step) * step)
{
    TW_NAME(trial) t = TW_NAME(try_carry)(kind, refine, step);
    TW_NAME(try_limit)(kind, refine, law, step, &t);
    return t;
}

/* Whether a trial holds: a limit whose powers leave the range of numbers is not for here. */
TW_INLINE TW_MASK TW_NAME(sticks)(const tw_contact_law *law, const TW_NAME(step) * step,
                                  const TW_NAME(trial) * t)
{
    const TW_REAL limit = law->mu * law->kn * step->zeta1, limit2 = limit * limit;
    return t->small & t->inside & (limit2 > TW_CONTACT_TINY) & (limit2 < TW_CONTACT_HUGE) &
           (step->zeta0 > 0.0) & (step->zeta1 > 0.0);
}

/* Work of a step that sticks, and the change of |ft|^2 over it. */
TW_INLINE TW_REAL TW_NAME(trial_work)(const tw_contact_law *law, const TW_NAME(trial) * t)
{
    const TW_VEC mean = TW_VEC_NAME(add_scaled)(t->ft0, TW_SPLAT(0.5 * law->kt), t->dxi);
    return TW_VEC_NAME(dot)(mean, t->dxi);
}

TW_INLINE TW_REAL TW_NAME(change)(TW_VEC ft0, TW_VEC ft)
{
    return TW_VEC_NAME(dot)(TW_VEC_NAME(sub)(ft, ft0), TW_VEC_NAME(add)(ft, ft0));
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
