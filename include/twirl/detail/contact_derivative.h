/* SPDX-License-Identifier: BSD-3-Clause */
/* tw_contact_derivative and tw_contact_derivative_rate as inline code, as twirl/contact_inline.h
 * has the step: how the forces at the end of a step change with its motion. Equations are those of
 * docs/theory/statics.md.
 */
#ifndef TWIRL_CONTACT_DERIVATIVE_H
#define TWIRL_CONTACT_DERIVATIVE_H

#include <twirl/contact_inline.h>

/* A tangential or rolling force at the end of a step and its change: k dxi + across (turn.dxi) +
 * by_zeta dzeta1. dxi is in the plane at the end of the step. */
typedef struct tw_contact_response {
    tw_vec3 ft;
    double k;
    tw_vec3 across, turn, by_zeta;
    int slides;
} tw_contact_response;

TW_INLINE tw_vec3 tw_contact_response_to(const tw_contact_response *r, tw_vec3 dxi)
{
    return tw_vec3_add_scaled(tw_vec3_scale(r->k, dxi), tw_vec3_dot(r->turn, dxi), r->across);
}

TW_INLINE tw_contact_response tw_contact_response_none(void)
{
    const tw_vec3 zero = tw_vec3_make(0.0, 0.0, 0.0);
    const tw_contact_response none = {zero, 0.0, zero, zero, zero, 0};
    return none;
}

/* The change of the mean root of an overlap that grows, with its end, by the roots at both ends:
 * Eq. S12. */
TW_INLINE double tw_contact_mean_slope(double r0, double r1)
{
    const double sum = r0 + r1;
    return (r1 + 2.0 * r0) / (3.0 * sum * sum);
}

/* The derivative of log1p(x)/x, whose value is `ratio`. */
TW_INLINE double tw_contact_log1p_slope(double x, double ratio)
{
    if (fabs(x) < 0.01) {
        return -1.0 / 2 +
               x * (2.0 / 3 +
                    x * (-3.0 / 4 +
                         x * (4.0 / 5 + x * (-5.0 / 6 + x * (6.0 / 7 + x * (-7.0 / 8))))));
    }
    return (1.0 / (1.0 + x) - ratio) / x;
}

/* Where a slide starts, and how that moves with the motion: `clock` is the fraction of the clock of
 * the springs, in which force and limit are linear, alpha that of the step (Eqs. S8 to S11). */
typedef struct tw_contact_onset {
    tw_vec3 force; /* there, in the units of the clock */
    double k, k_by_zeta, clock, alpha;
    tw_vec3 clock_by_move, alpha_by_move;
    double clock_by_zeta, alpha_by_zeta;
} tw_contact_onset;

/* From the clock of a growing Hertz contact to fractions of the step: Eq. S11. */
TW_INLINE void tw_contact_onset_grow(const tw_contact_springs *c, const tw_contact_path *even,
                                     tw_contact_onset *o)
{
    const double level = 1.0 + o->clock * (even->fn1 - even->fn0) / even->fn0;
    const double rise = tw_contact_slide_cbrt(level), rs = c->r0 * rise;
    o->alpha = tw_contact_slide_hertz_alpha(c, o->clock, rise);
    o->alpha_by_move = tw_vec3_scale(c->mean / rs, o->clock_by_move);
    o->alpha_by_zeta =
        (c->mean * o->clock_by_zeta + o->clock * tw_contact_mean_slope(c->r0, c->r1) -
         o->alpha * o->alpha * tw_contact_mean_slope(c->r0, rs)) /
        rs;
}

TW_INLINE tw_contact_onset tw_contact_onset_of(const tw_contact_law *law,
                                               const tw_contact_path *path,
                                               const tw_contact_springs *c)
{
    const int hertz = tw_contact_normal_stiffens(law->normal), shrinks = hertz && c->shrinks;
    tw_contact_onset o;
    tw_contact_law same = *law;
    tw_contact_path even = *path;
    double end = law->mu * tw_contact_law_slope(law, path->zeta1); /* of the limit at the end */
    o.k_by_zeta = 0.0;
    if (shrinks) {
        same.kt = law->kt * c->r0;
        even.fn1 = c->p0 * (c->t * c->t);
        end = law->mu * law->kn * c->r0;
    } else if (hertz) {
        same.kt = law->kt * c->mean;
        o.k_by_zeta = law->kt * tw_contact_mean_slope(c->r0, c->r1);
    }
    const double clock = tw_contact_slip_instant(&same, &even);
    o.k = same.kt;
    o.clock = clock < 1.0 ? clock : 1.0 - 0.5 * DBL_EPSILON;
    o.force = tw_vec3_add_scaled(path->ft0, o.clock * o.k, path->dxi);
    const double growth = law->mu * (even.fn1 - even.fn0);
    const double limit = law->mu * even.fn0 + o.clock * growth;
    const double power = tw_vec3_dot(o.force, path->dxi), speed = o.k * power - limit * growth;
    /* A slide that starts at once does so whatever the motion. */
    const double rate = clock > 0.0 && clock < 1.0 && speed > 0.0 ? -clock / speed : 0.0;
    o.clock_by_move = tw_vec3_scale(rate * o.k, o.force);
    o.clock_by_zeta = rate * (o.k_by_zeta * power - limit * end);
    o.alpha = o.clock;
    o.alpha_by_move = o.clock_by_move;
    o.alpha_by_zeta = o.clock_by_zeta;
    if (hertz && !shrinks) tw_contact_onset_grow(c, &even, &o);
    return o;
}

/* The angle y by which a slide turns the force, y = c |dxi| stretch, with stretch =
 * ln(zeta1/zetas)/ (zeta1 - zeta0): its change with the end of the step, at fixed alpha and on the
 * whole (Eqs. S13, S14). */
TW_INLINE double tw_contact_stretch(const tw_contact_path *path, const tw_contact_onset *o,
                                    double *zetas, double *by_zeta)
{
    const double growth = path->zeta1 - path->zeta0, rest = 1.0 - o->alpha;
    const double zs = path->zeta0 + o->alpha * growth, x = rest * growth / zs;
    const double ratio = tw_contact_log1p_ratio(x), stretch = rest * ratio / zs;
    const double slope = rest * tw_contact_log1p_slope(x, ratio) / zs;
    *zetas = zs;
    *by_zeta = (slope * (1.0 - (1.0 + x) * o->alpha) - stretch * o->alpha - o->alpha_by_zeta) / zs;
    return stretch;
}

/* A contact that touches throughout and ends beyond its limit, with mu > 0; `trial` is the force of
 * a contact that sticks. Eqs. S7 to S16. */
TW_CONTACT_LONG tw_contact_response tw_contact_response_slide(const tw_contact_law *law,
                                                              const tw_contact_path *path,
                                                              const tw_contact_springs *springs,
                                                              tw_vec3 n, tw_vec3 trial)
{
    tw_contact_response r = tw_contact_response_none();
    const tw_contact_onset o = tw_contact_onset_of(law, path, springs);
    double zetas, stretch_by_zeta;
    const double stretch = tw_contact_stretch(path, &o, &zetas, &stretch_by_zeta);
    const double limit = law->mu * path->fn1, c = law->kt / (law->mu * law->kn);
    const double size = tw_vec3_norm(o.force), inv_size = size > 0.0 ? 1.0 / size : 0.0;
    const double move = tw_vec3_norm(path->dxi);
    tw_vec3 along;
    double angle_by_zeta = 0.0;
    if (c * move > 0.0) {
        const tw_vec3 m = tw_vec3_scale(1.0 / move, path->dxi), mp = tw_vec3_cross(n, m);
        const tw_vec3 es = tw_vec3_scale(inv_size, o.force), ep = tw_vec3_cross(n, es);
        const double cos0 = size > 0.0 ? tw_vec3_dot(m, es) : 1.0, sin0 = tw_vec3_dot(mp, es);
        const double num = cos0 >= 0.0 ? sin0 : 1.0 - cos0, den = cos0 >= 0.0 ? 1.0 + cos0 : sin0;
        const double y = c * move * stretch, fade = tw_math_exp(-y), end = num * fade;
        const double sum = den * den + end * end, inv = sum > 0.0 ? 1.0 / sum : 0.0;
        const double cos1 = sum > 0.0 ? (den - end) * (den + end) * inv : -1.0;
        const double sin1 = 2.0 * den * end * inv;
        /* What is left of a change of the angle at the start, and one minus it. */
        const double left = fade * (num * num + den * den) * inv;
        const double gone = -tw_math_expm1(-y) * (den * den - end * num) * inv;
        const double cross = tw_vec3_dot(ep, path->dxi) * inv_size * left;
        along = tw_vec3_add_scaled(tw_vec3_scale(cos1, m), sin1, mp);
        r.turn = tw_vec3_scale(gone / move, mp);
        r.turn = tw_vec3_add_scaled(r.turn, left * o.clock * o.k * inv_size, ep);
        r.turn = tw_vec3_add_scaled(r.turn, cross * o.k, o.clock_by_move);
        r.turn = tw_vec3_add_scaled(r.turn, -sin1 * c * stretch, m);
        r.turn = tw_vec3_add_scaled(r.turn, sin1 * c * move / zetas, o.alpha_by_move);
        angle_by_zeta = cross * (o.clock * o.k_by_zeta + o.k * o.clock_by_zeta) -
                        sin1 * c * move * stretch_by_zeta;
    } else {
        const double length = tw_vec3_norm(trial);
        along = tw_vec3_scale(length > 0.0 ? 1.0 / length : 0.0, trial);
        r.turn = tw_vec3_scale(c * stretch + o.clock * o.k * inv_size, tw_vec3_cross(n, along));
    }
    r.ft = tw_vec3_scale(limit, along);
    r.across = tw_vec3_scale(limit, tw_vec3_cross(n, along));
    r.by_zeta =
        tw_vec3_add_scaled(tw_vec3_scale(law->mu * tw_contact_law_slope(law, path->zeta1), along),
                           angle_by_zeta, r.across);
    r.slides = 1;
    return r;
}

/* A contact that touches at both ends of the step. */
TW_INLINE tw_contact_response tw_contact_response_along(const tw_contact_law *law,
                                                        const tw_contact_path *path, tw_vec3 n)
{
    tw_contact_response r = tw_contact_response_none();
    const int hertz = tw_contact_normal_stiffens(law->normal);
    const tw_contact_springs c =
        tw_contact_hertz_springs(TW_CONTACT_EXACT, TW_CONTACT_ALL, law, path);
    const tw_vec3 ft = tw_contact_elastic_end(law, &c, path->ft0, path->dxi);
    const double limit = law->mu * path->fn1;
    if (!(limit > 0.0)) return r;
    if (!tw_contact_slip_inside(ft, limit)) return tw_contact_response_slide(law, path, &c, n, ft);
    r.ft = ft;
    r.k = hertz ? law->kt * c.root : law->kt; /* Eqs. S4, S5 */
    if (hertz && c.shrinks) r.by_zeta = tw_vec3_scale(0.5 / path->zeta1, ft);
    if (hertz && !c.shrinks)
        r.by_zeta = tw_vec3_scale(law->kt * tw_contact_mean_slope(c.r0, c.r1), path->dxi);
    return r;
}

/* A contact that begins in the step. Only the share zeta1/(zeta1 - zeta0) of the motion counts:
 * Eq. S6. */
TW_INLINE tw_contact_response tw_contact_response_new(const tw_contact_law *law, double zeta0,
                                                      double zeta1, double fn1, tw_vec3 dxi,
                                                      tw_vec3 n)
{
    tw_contact_response r = tw_contact_response_none();
    const int hertz = tw_contact_normal_stiffens(law->normal);
    const double share = 1.0 / (1.0 - zeta0 / zeta1),
                 share_by_zeta = (1.0 - share) / (zeta1 - zeta0);
    const double k = hertz ? 2.0 / 3 * law->kt * sqrt(zeta1) : law->kt;
    const double limit = law->mu * fn1, move = tw_vec3_norm(dxi);
    if (!(limit > 0.0)) return r;
    const double k_by_zeta = k * share_by_zeta + (hertz ? 0.5 * k * share / zeta1 : 0.0);
    if (k * share * move > limit) {
        const tw_vec3 m = tw_vec3_scale(1.0 / move, dxi);
        r.ft = tw_vec3_scale(limit, m);
        r.across = tw_vec3_scale(limit, tw_vec3_cross(n, m));
        r.turn = tw_vec3_scale(1.0 / move, tw_vec3_cross(n, m));
        r.by_zeta = tw_vec3_scale(law->mu * tw_contact_law_slope(law, zeta1), m);
        r.slides = 1;
        return r;
    }
    r.k = k * share;
    r.ft = tw_vec3_scale(r.k, dxi);
    r.by_zeta = tw_vec3_scale(k_by_zeta, dxi);
    return r;
}

/* A state at rest in which the contact slides or sticks on: Eqs. S18 to S20. */
TW_INLINE tw_contact_response tw_contact_response_rate(const tw_contact_law *law, double zeta,
                                                       tw_vec3 ft, tw_vec3 n, int slides,
                                                       int unloads)
{
    tw_contact_response r = tw_contact_response_none();
    const double size = tw_vec3_norm(ft), k = law->kt * tw_contact_law_root(law, zeta);
    r.ft = ft;
    r.slides = slides && size > 0.0;
    if (!(law->mu > 0.0)) return r;
    if (r.slides) {
        const tw_vec3 e = tw_vec3_scale(1.0 / size, ft);
        r.across = tw_vec3_scale(k, tw_vec3_cross(n, e));
        r.turn = tw_vec3_cross(n, e);
        r.by_zeta = tw_vec3_scale(law->mu * tw_contact_law_slope(law, zeta), e);
    } else {
        r.k = k;
        if (unloads && tw_contact_normal_stiffens(law->normal))
            r.by_zeta = tw_vec3_scale(0.5 / zeta, ft);
    }
    return r;
}

/* Response in twisting: by_move times the change of its movement, by_zeta dzeta1. */
typedef struct tw_contact_response_scalar {
    double by_move, by_zeta;
    int slides;
} tw_contact_response_scalar;

TW_INLINE tw_contact_response_scalar tw_contact_response_twisting(const tw_contact_law *law,
                                                                  double zeta0, double zeta1,
                                                                  double fw0, double moved)
{
    tw_contact_response_scalar r = {0.0, 0.0, 0};
    const int hertz = tw_contact_normal_stiffens(law->normal),
              fresh = !tw_contact_law_grips(law, zeta0);
    const double share = tw_contact_share(law, zeta0, zeta1);
    const double limit = law->mu_w * tw_contact_path_pressing(law, 1, zeta1);
    if (!(limit > 0.0)) return r;
    double root = 1.0, root_by_zeta = 0.0, force = fresh ? 0.0 : fw0, force_by_zeta = 0.0;
    if (hertz) {
        const double r0 = fresh ? 0.0 : sqrt(zeta0), r1 = sqrt(zeta1);
        if (r1 < r0) {
            root = r1;
            root_by_zeta = 0.5 / r1;
            force *= r1 / r0;
            force_by_zeta = 0.5 * force / zeta1;
        } else {
            root = 2.0 / 3 * (r0 * r0 + r0 * r1 + r1 * r1) / (r0 + r1);
            root_by_zeta = tw_contact_mean_slope(r0, r1);
        }
    }
    const double trial = force + law->k_w * root * share * moved;
    if (fabs(trial) > limit) {
        const double slope = law->mu_w * tw_contact_law_slope(law, zeta1);
        r.by_zeta = trial < 0.0 ? -slope : slope;
        r.slides = 1;
        return r;
    }
    r.by_move = law->k_w * root * share;
    r.by_zeta = force_by_zeta + law->k_w * root_by_zeta * share * moved;
    if (fresh) r.by_zeta += law->k_w * root * moved * (1.0 - share) / (zeta1 - zeta0);
    return r;
}

/* The forces of a step that touches at its end, each with the movement it follows, in the plane at
 * the end of the step. */
typedef struct tw_contact_responses {
    tw_contact_response sliding, rolling;
    tw_contact_response_scalar twisting;
    tw_vec3 slid, rolled;
} tw_contact_responses;

TW_INLINE tw_contact_response tw_contact_response_of(const tw_contact_law *law,
                                                     const tw_contact_step *step,
                                                     const tw_contact_frame *frame, tw_vec3 *dxi)
{
    const int gripped = tw_contact_law_grips(law, step->zeta0);
    tw_contact_path path;
    path.fn0 = tw_contact_path_pressing(law, gripped, step->zeta0);
    path.fn1 = tw_contact_path_pressing(law, 1, step->zeta1);
    path.ft0 = tw_contact_carry_whole(TW_CONTACT_ALL, frame, step);
    path.dxi = tw_contact_carry_half(TW_CONTACT_ALL, frame,
                                     tw_contact_in_plane(step->du, frame->nm), step->n1);
    path.zeta0 = step->zeta0;
    path.zeta1 = step->zeta1;
    *dxi = path.dxi;
    return gripped
               ? tw_contact_response_along(law, &path, step->n1)
               : tw_contact_response_new(law, path.zeta0, path.zeta1, path.fn1, path.dxi, step->n1);
}

/* Change of the Gibbs vector of a rotation with component j of the rotation vector (Eq. S3). */
TW_INLINE tw_vec3 tw_contact_gibbs_slope(tw_vec3 turn, int j)
{
    const double square = tw_vec3_dot(turn, turn), h = 0.25 * square;
    const double factor = tw_contact_gibbs_factor(turn);
    const double along = h < TW_CONTACT_TURN_SMALL
                             ? 0.5 * (1.0 / 6 + h * (2.0 / 15 + h * (17.0 / 210)))
                             : (0.5 * (1.0 + factor * factor * square) - factor) / square;
    const double part = j == 0 ? turn.x : j == 1 ? turn.y : turn.z;
    return tw_vec3_add_scaled(
        tw_vec3_make(j == 0 ? factor : 0.0, j == 1 ? factor : 0.0, j == 2 ? factor : 0.0),
        along * part, turn);
}

TW_INLINE void tw_contact_tangent_column(double block[3][3], int j, tw_vec3 column)
{
    const tw_vec3 bounded = tw_contact_saturate3(column, 0);
    block[0][j] = bounded.x;
    block[1][j] = bounded.y;
    block[2][j] = bounded.z;
}

/* A rotation about the normal carries the old force with it, the movement by half (Eq. S17). */
TW_INLINE tw_vec3 tw_contact_response_twirl(const tw_contact_response *r, tw_vec3 n, tw_vec3 dxi)
{
    return tw_vec3_add_scaled(tw_vec3_cross(n, r->ft), -0.5,
                              tw_contact_response_to(r, tw_vec3_cross(n, dxi)));
}

/* Columns j of the blocks by rotations of q (sign 1) or p (sign -1). */
TW_INLINE void tw_contact_tangent_turn(const tw_contact_motion *motion, tw_vec3 n0,
                                       const tw_contact_frame *frame, const tw_contact_responses *r,
                                       double sign, int j, tw_vec3 *f, tw_vec3 *couple)
{
    const tw_vec3 turn = sign > 0.0 ? motion->turn_q : motion->turn_p;
    const tw_vec3 half = tw_contact_half(TW_CONTACT_EXACT, turn), n = motion->n;
    const tw_vec3 change = tw_contact_gibbs_slope(turn, j), sum = tw_vec3_add(n0, n);
    const double tangent = 0.5 * tw_vec3_dot(half, sum);
    const double psi = 0.5 * tw_vec3_dot(change, sum) / (1.0 + tangent * tangent);
    const double lever = sign * motion->radius;
    const tw_vec3 rolled = tw_vec3_scale(lever, tw_vec3_cross(sum, change));
    const tw_vec3 carried =
        tw_contact_carry_half(TW_CONTACT_ALL, frame, tw_contact_in_plane(rolled, frame->nm), n);
    const tw_vec3 fr = tw_vec3_add_scaled(tw_contact_response_to(&r->rolling, carried), psi,
                                          tw_contact_response_twirl(&r->rolling, n, r->rolled));
    const double fw = r->twisting.by_move * lever * tw_vec3_dot(sum, change);
    *f = tw_vec3_scale(psi, tw_contact_response_twirl(&r->sliding, n, r->slid));
    *couple = tw_contact_couple(motion->radius, n, fr, fw);
}

/* All blocks of a step that touches at its end. */
TW_INLINE void tw_contact_tangent_set(const tw_contact_law *law, const tw_contact_motion *motion,
                                      tw_vec3 n0, const tw_contact_frame *frame,
                                      const tw_contact_responses *r, tw_contact_tangent *tangent)
{
    const tw_vec3 n = motion->n;
    const double slope = tw_contact_law_slope(law, motion->zeta);
    for (int j = 0; j < 3; j++) {
        const double part = j == 0 ? n.x : j == 1 ? n.y : n.z;
        const tw_vec3 unit =
            tw_vec3_make(j == 0 ? 1.0 : 0.0, j == 1 ? 1.0 : 0.0, j == 2 ? 1.0 : 0.0);
        const tw_vec3 carried =
            tw_contact_carry_half(TW_CONTACT_ALL, frame, tw_contact_in_plane(unit, frame->nm), n);
        tw_vec3 f = tw_vec3_add_scaled(tw_contact_response_to(&r->sliding, carried), -part,
                                       r->sliding.by_zeta);
        tw_vec3 couple =
            tw_contact_couple(motion->radius, n, tw_vec3_scale(-part, r->rolling.by_zeta),
                              -part * r->twisting.by_zeta);
        tw_contact_tangent_column(tangent->f_du, j, tw_vec3_add_scaled(f, slope * part, n));
        tw_contact_tangent_column(tangent->couple_du, j, couple);
        tw_contact_tangent_turn(motion, n0, frame, r, -1.0, j, &f, &couple);
        tw_contact_tangent_column(tangent->f_turn_p, j, f);
        tw_contact_tangent_column(tangent->couple_turn_p, j, couple);
        tw_contact_tangent_turn(motion, n0, frame, r, 1.0, j, &f, &couple);
        tw_contact_tangent_column(tangent->f_turn_q, j, f);
        tw_contact_tangent_column(tangent->couple_turn_q, j, couple);
    }
    tangent->branch = TW_CONTACT_TOUCHES;
    if (r->sliding.slides) tangent->branch |= TW_CONTACT_SLIDES;
    if (r->rolling.slides) tangent->branch |= TW_CONTACT_ROLLS;
    if (r->twisting.slides) tangent->branch |= TW_CONTACT_TWISTS;
}

TW_INLINE void tw_contact_tangent_clear(tw_contact_tangent *tangent)
{
    const tw_vec3 zero = tw_vec3_make(0.0, 0.0, 0.0);
    for (int j = 0; j < 3; j++) {
        tw_contact_tangent_column(tangent->f_du, j, zero);
        tw_contact_tangent_column(tangent->f_turn_p, j, zero);
        tw_contact_tangent_column(tangent->f_turn_q, j, zero);
        tw_contact_tangent_column(tangent->couple_du, j, zero);
        tw_contact_tangent_column(tangent->couple_turn_p, j, zero);
        tw_contact_tangent_column(tangent->couple_turn_q, j, zero);
    }
    tangent->branch = 0;
}

/* Why a law has no derivative here, or NULL. */
TW_INLINE const char *tw_contact_derivative_refusal(const tw_contact_law *law)
{
    if (law->kind != TW_CONTACT_EXACT)
        return "only the law 'exact' has a derivative, not 'paper' and 'conventional'";
    if (tw_contact_refine_of(law) != TW_CONTACT_ALL)
        return "only a law with all its refinements has a derivative";
    return NULL;
}

/* tw_contact_derivative of a law as tw_contact_law_at gives it. */
TW_INLINE void tw_contact_derivative_at(const tw_contact_law *law, const tw_contact_motion *motion,
                                        const tw_contact_memory *memory,
                                        const tw_contact_parts *extra, tw_contact_tangent *tangent)
{
    tw_contact_tangent_clear(tangent);
    if (!tw_contact_law_grips(law, motion->zeta)) return;
    const uint32_t parts = extra ? tw_contact_law_extras_inline(law) : 0;
    tw_contact_step step = tw_contact_step_of(TW_CONTACT_EXACT, motion, memory);
    const tw_contact_frame frame = tw_contact_frame_large(&step);
    tw_contact_responses r;
    r.sliding = tw_contact_response_of(law, &step, &frame, &r.slid);
    r.rolling = tw_contact_response_none();
    r.rolled = tw_vec3_make(0.0, 0.0, 0.0);
    r.twisting.by_move = r.twisting.by_zeta = 0.0;
    r.twisting.slides = 0;
    double twisted;
    const tw_vec3 rolled = tw_contact_rolling(law, motion, memory->n, &twisted);
    if (parts & TW_CONTACT_EXTRA_TWISTING)
        r.twisting =
            tw_contact_response_twisting(law, memory->zeta, motion->zeta, extra->fw, twisted);
    if (parts & TW_CONTACT_EXTRA_ROLLING) {
        const tw_contact_law rolling = tw_contact_law_rolling(law);
        step.ft0 = extra->fr;
        step.du = rolled;
        r.rolling = tw_contact_response_of(&rolling, &step, &frame, &r.rolled);
    }
    tw_contact_tangent_set(law, motion, memory->n, &frame, &r, tangent);
    if (tw_contact_law_grips(law, memory->zeta) && motion->zeta < memory->zeta)
        tangent->branch |= TW_CONTACT_UNLOADS;
}

TW_INLINE const char *tw_contact_derivative_inline(const tw_contact_law *law,
                                                   const tw_contact_motion *motion,
                                                   const tw_contact_memory *memory,
                                                   const tw_contact_parts *extra,
                                                   tw_contact_tangent *tangent)
{
    const char *why = tw_contact_derivative_refusal(law);
    if (why) return why;
    const tw_contact_law at =
        tw_contact_law_at_inline(law, motion->radius, motion->mass, motion->ratio);
    tw_contact_derivative_at(&at, motion, memory, extra, tangent);
    return NULL;
}

TW_INLINE const char *tw_contact_derivative_rate_inline(const tw_contact_law *law,
                                                        const tw_contact_memory *memory,
                                                        const tw_contact_parts *extra,
                                                        double radius, uint32_t branch,
                                                        tw_contact_tangent *tangent)
{
    const char *why = tw_contact_derivative_refusal(law);
    if (why) return why;
    const tw_vec3 zero = tw_vec3_make(0.0, 0.0, 0.0);
    const double zeta = memory->zeta;
    const uint32_t parts = extra ? tw_contact_law_extras_inline(law) : 0;
    const int unloads = (branch & TW_CONTACT_UNLOADS) != 0;
    const int rescaled = unloads && tw_contact_normal_stiffens(law->normal);
    tw_contact_tangent_clear(tangent);
    if (!tw_contact_law_grips(law, zeta)) return NULL;
    const tw_contact_motion motion = {memory->n, zeta, zero, zero, zero, radius, 0.0, 0.0};
    const tw_contact_frame frame = {memory->n, 0.5, 1.0, 0.0};
    tw_contact_responses r;
    r.slid = r.rolled = zero;
    r.sliding = tw_contact_response_rate(law, zeta, memory->ft, memory->n,
                                         (branch & TW_CONTACT_SLIDES) != 0, unloads);
    r.rolling = tw_contact_response_none();
    r.twisting.by_move = r.twisting.by_zeta = 0.0;
    r.twisting.slides = 0;
    if (parts & TW_CONTACT_EXTRA_ROLLING) {
        const tw_contact_law rolling = tw_contact_law_rolling(law);
        r.rolling = tw_contact_response_rate(&rolling, zeta, extra->fr, memory->n,
                                             (branch & TW_CONTACT_ROLLS) != 0, unloads);
    }
    if (parts & TW_CONTACT_EXTRA_TWISTING) {
        const double slope = law->mu_w * tw_contact_law_slope(law, zeta);
        r.twisting.slides = (branch & TW_CONTACT_TWISTS) && extra->fw != 0.0;
        r.twisting.by_move = r.twisting.slides ? 0.0 : law->k_w * tw_contact_law_root(law, zeta);
        r.twisting.by_zeta = r.twisting.slides ? (extra->fw < 0.0 ? -slope : slope)
                             : rescaled        ? 0.5 * extra->fw / zeta
                                               : 0.0;
    }
    tw_contact_tangent_set(law, &motion, memory->n, &frame, &r, tangent);
    if (unloads) tangent->branch |= TW_CONTACT_UNLOADS;
    return NULL;
}

#endif
