/* SPDX-License-Identifier: BSD-3-Clause */
/* The contact kernel as inline code, in the common subset of C11, C++17 and CUDA device code.
 *
 * tw_contact_advance_inline is tw_contact_advance without the call. Equation numbers are those of
 * docs/theory/contact.md. Read in this order: contact_law.h (the formulas of the law),
 * contact_hertz.inc (how springs change in a step), contact_elastic.inc (the step of a sticking
 * contact), contact_slide.inc (short slides), contact_twisting.inc, contact_damping.inc,
 * contact_turn.h (large rotations), contact_slip.h (any slide), contact_pair.h (motions of spheres
 * and planes) and this file, which combines them. The library gives the same bits.
 *
 * Calls may overlap in several threads. Source compatible only, before 1.0.
 */
#ifndef TWIRL_CONTACT_INLINE_H
#define TWIRL_CONTACT_INLINE_H

#include <twirl/contact_energies.h>
#include <twirl/contact_law.h>
#include <twirl/contact_parts.h>
#include <twirl/detail/contact_pair.h>
#include <twirl/detail/contact_slip.h>
#include <twirl/detail/contact_turn.h>

TW_INLINE tw_contact_step tw_contact_step_of(int32_t kind, const tw_contact_motion *motion,
                                             const tw_contact_memory *memory)
{
    tw_contact_step step;
    step.n0 = memory->n;
    step.zeta0 = memory->zeta;
    step.ft0 = memory->ft;
    step.n1 = motion->n;
    step.zeta1 = motion->zeta;
    step.du = motion->du;
    step.twist_p =
        tw_contact_twist_of(kind, tw_contact_half(kind, motion->turn_p), step.n0, step.n1);
    step.twist_q =
        tw_contact_twist_of(kind, tw_contact_half(kind, motion->turn_q), step.n0, step.n1);
    return step;
}

/* The force that presses at an end of a step. */
TW_INLINE double tw_contact_path_pressing(const tw_contact_law *law, int grips, double zeta)
{
    return grips ? tw_contact_law_pressing(law, zeta) : 0.0;
}

/* Writes the load of the springs after a step that ends with slip->ft; `reversible` is the change
 * of the stored tangential energy. */
TW_INLINE void tw_contact_load_set(int32_t kind, const tw_contact_law *law,
                                   const tw_contact_motion *motion, const tw_contact_slip *slip,
                                   double reversible, double alpha_o, tw_contact_load *load)
{
    const int linear = !tw_contact_normal_stiffens(law->normal);
    /* Whether one that ends later than it begins had begun is not known here. */
    load->touching = tw_contact_law_lives(law, 1, motion->zeta);
    const int grips = tw_contact_law_grips(law, motion->zeta);
    const double pressing = tw_contact_path_pressing(law, grips, motion->zeta);
    const double fn = load->touching ? tw_contact_law_force(law, pressing) : 0.0;
    load->sliding = grips && slip->alpha < 1.0;
    load->alpha_o = alpha_o;
    load->alpha_s = slip->alpha;
    load->fn = fn;
    load->f = tw_vec3_add_scaled(slip->ft, -fn, motion->n);
    load->couple = tw_vec3_make(0.0, 0.0, 0.0);
    load->work_normal =
        load->touching ? tw_contact_law_stored_normal_by(law, motion->zeta, pressing) : 0.0;
    load->work_tangential = slip->work;
    load->work_micro = slip->micro;
    /* A contact that grips no more stores nothing, even if its slide was too short to show in
     * alpha. */
    if (kind == TW_CONTACT_EXACT && grips && !(slip->alpha < 1.0)) {
        load->work_reversible = linear ? slip->work : reversible;
        load->work_dissipated = 0.0;
    } else {
        load->work_reversible = reversible; /* Eq. 28 */
        load->work_dissipated = slip->work - reversible;
        if (!linear) load->work_dissipated -= slip->micro;
    }
    load->work_rolling = load->lost_rolling = 0.0;
    load->work_twisting = load->lost_twisting = 0.0;
    load->work_viscous = 0.0;
}

/* Change of the stored tangential energy, from ft0 at overlap zeta0 to ft1 at zeta1. */
TW_INLINE double tw_contact_stored_difference(const tw_contact_law *law, double zeta0, tw_vec3 ft0,
                                              double zeta1, tw_vec3 ft1)
{
    if (!tw_contact_normal_stiffens(law->normal))
        return tw_contact_law_stored_change(law, tw_contact_change(ft0, ft1));
    const int grips = tw_contact_law_grips(law, zeta1), gripped = tw_contact_law_grips(law, zeta0);
    return (grips ? tw_contact_law_stored_tangential(law, zeta1, ft1) : 0.0) -
           (gripped ? tw_contact_law_stored_tangential(law, zeta0, ft0) : 0.0);
}

/* Part of a step in which a contact grips. */
TW_INLINE double tw_contact_share(const tw_contact_law *law, double zeta0, double zeta1)
{
    const double edge = tw_contact_law_grip(law), z0 = zeta0 - edge, z1 = zeta1 - edge;
    if (z0 > 0.0) return z1 > 0.0 ? 1.0 : 1.0 / (1.0 - z1 / z0);
    return z1 > 0.0 ? 1.0 / (1.0 - z0 / z1) : 0.0;
}

/* Any step, without the guard against overflow. Starts from a trial that did not hold; returns the
 * new tangential force. If `deferred` is not NULL the work of a long slide by a linear law is not
 * in the load yet: tw_contact_load_add. */
TW_INLINE tw_vec3 tw_contact_step_any(int32_t kind, uint32_t refine, const tw_contact_law *law,
                                      const tw_contact_motion *motion,
                                      const tw_contact_memory *memory,
                                      const tw_contact_trial *trial, tw_contact_load *load,
                                      tw_contact_deferred_work *deferred)
{
    const tw_contact_step step = tw_contact_step_of(kind, motion, memory);
    const double zeta0 = step.zeta0, zeta1 = step.zeta1;
    tw_contact_trial carried = *trial;
    tw_contact_trial_twist(&carried, step.n1);
    const int gripped = tw_contact_law_grips(law, zeta0);
    const int grips = tw_contact_law_grips(law, zeta1);
    const double share = tw_contact_share(law, zeta0, zeta1);
    tw_contact_path path = {tw_contact_path_pressing(law, gripped, zeta0),
                            tw_contact_path_pressing(law, grips, zeta1),
                            carried.ft0,
                            carried.dxi,
                            tw_contact_law_gripped(law, zeta0),
                            tw_contact_law_gripped(law, zeta1)};
    if (!trial->small) {
        const tw_contact_frame frame = tw_contact_frame_large(&step);
        path.ft0 = tw_contact_carry_whole(refine, &frame, &step);
        path.dxi =
            tw_contact_carry_half(refine, &frame, tw_contact_in_plane(step.du, frame.nm), step.n1);
    }
    tw_contact_slip slip = {{0.0, 0.0, 0.0}, 0.0, 1.0, 0.0};
    double alpha_o = 0.0; /* it grips from here */
    if (gripped) {
        const double alpha_c = refine & TW_CONTACT_INSTANT ? share : 1.0; /* to here */
        path.dxi = tw_vec3_scale(alpha_c, path.dxi);
        slip = tw_contact_follow(kind, refine, law, &path, step.n1, deferred);
        if (slip.alpha < 1.0) slip.alpha *= alpha_c;
    } else {
        path.ft0 = tw_vec3_make(0.0, 0.0, 0.0);
        if (grips) {
            if (refine & TW_CONTACT_FRESH) {
                alpha_o = 1.0 - share;
                path.dxi = tw_vec3_scale(share, path.dxi);
            }
            slip = tw_contact_begin(kind, law, &path);
            if (slip.alpha < 1.0) slip.alpha = alpha_o;
        }
    }
    slip.ft = tw_contact_carry_after(kind, refine, &step, slip.ft);
    const double reversible =
        tw_contact_stored_difference(law, path.zeta0, path.ft0, path.zeta1, slip.ft);
    tw_contact_load_set(kind, law, motion, &slip, reversible, alpha_o, load);
    return slip.ft;
}

/* Adds the work of a long slide, with `mean` as tw_contact_slip_mean_large gives it. */
TW_INLINE void tw_contact_load_add(const tw_contact_deferred_work *deferred, double mean,
                                   tw_contact_load *load)
{
    load->work_tangential += deferred->scale * mean;
    load->work_dissipated = load->work_tangential - load->work_reversible;
}

TW_INLINE double tw_contact_saturate(double value, int exponent)
{
    const double out = scalbn(value, exponent);
    if (out != out) return 0.0;
    return tw_math_min(tw_math_max(out, -DBL_MAX), DBL_MAX);
}

TW_INLINE tw_vec3 tw_contact_saturate3(tw_vec3 v, int exponent)
{
    return tw_vec3_make(tw_contact_saturate(v.x, exponent), tw_contact_saturate(v.y, exponent),
                        tw_contact_saturate(v.z, exponent));
}

/* Exponent of a unit for x. A motion that is not finite has none: the sums of exponents below must
 * not overflow. */
TW_INLINE int tw_contact_exponent(double x)
{
    return x > 0.0 && x <= DBL_MAX ? ilogb(x) : 0;
}

/* The step in units in which lengths and forces are of order one, for motions whose squares
 * overflow or underflow; a result beyond the range of double is given as DBL_MAX. */
TW_CONTACT_RARE void tw_contact_step_scaled(int32_t kind, uint32_t refine,
                                            const tw_contact_law *law,
                                            const tw_contact_motion *motion,
                                            const tw_contact_memory *memory, tw_vec3 *ft,
                                            tw_contact_load *load)
{
    const int hertz = tw_contact_normal_stiffens(law->normal);
    const int grips = tw_contact_law_grips(law, motion->zeta);
    const double zeta = grips ? motion->zeta : memory->zeta;
    const double length = tw_vec3_max_abs(motion->du), force = tw_vec3_max_abs(memory->ft);
    /* Exponents of the units of overlap, movement and force: the last is the friction limit, or the
     * old force if that is larger. That of the overlap is even, for its root. */
    const int ez = hertz ? tw_contact_exponent(zeta) / 2 * 2 : tw_contact_exponent(zeta);
    const int root = hertz ? ez / 2 : 0, el = tw_contact_exponent(length);
    const int em = tw_contact_exponent(law->mu);
    int ef = ez + root + ilogb(law->kn) + em;
    if (force > 0.0 && tw_contact_exponent(force) > ef) ef = tw_contact_exponent(force);

    tw_contact_law unit_law = *law;
    unit_law.mu = scalbn(law->mu, -em);
    unit_law.kn = scalbn(law->kn, ez + root + em - ef);
    /* Tangential springs this much stiffer than the limit act as rigid. */
    unit_law.kt = tw_math_min(scalbn(law->kt, root + el - ef), 1e60);
    tw_contact_motion unit_motion = *motion;
    unit_motion.zeta = tw_contact_saturate(motion->zeta, -ez);
    unit_motion.du = tw_contact_saturate3(motion->du, -el);
    tw_contact_memory unit_memory = *memory;
    unit_memory.zeta = tw_contact_saturate(memory->zeta, -ez);
    unit_memory.ft = tw_contact_saturate3(memory->ft, -ef);

    const tw_contact_step step = tw_contact_step_of(kind, &unit_motion, &unit_memory);
    const tw_contact_springs springs =
        tw_contact_springs_of(kind, refine, &unit_law, step.zeta0, step.zeta1);
    const tw_contact_trial trial = tw_contact_try(kind, refine, &unit_law, &springs, &step);
    *ft = tw_contact_step_any(kind, refine, &unit_law, &unit_motion, &unit_memory, &trial, load,
                              NULL);
    *ft = tw_contact_saturate3(*ft, ef);
    if (kind != TW_CONTACT_PAPER && grips && law->mu > 0.0) {
        /* If old force and limit are too far apart for one unit, the limit has lost digits. */
        const int e1 = ilogb(law->kn), e2 = tw_contact_exponent(motion->zeta), e3 = ilogb(law->mu);
        double limit = scalbn(law->kn, -e1) * scalbn(motion->zeta, -e2) * scalbn(law->mu, -e3);
        if (hertz) limit *= sqrt(motion->zeta);
        limit = tw_contact_saturate(limit, e1 + e2 + e3);
        const double size = tw_vec3_norm_scaled(*ft);
        if (size > limit) {
            *ft = tw_vec3_scale(limit, tw_vec3_make(ft->x / size, ft->y / size, ft->z / size));
        }
    }
    /* The normal force may be far from the limit, so it is not taken from the scaled step. */
    const double pressing = tw_contact_path_pressing(law, grips, motion->zeta);
    load->fn = load->touching ? tw_contact_saturate(tw_contact_law_force(law, pressing), 0) : 0.0;
    load->f = tw_contact_saturate3(tw_vec3_add_scaled(*ft, -load->fn, motion->n), 0);
    load->work_normal = tw_contact_saturate(
        tw_contact_law_stored_normal_by(law, tw_contact_law_gripped(law, motion->zeta),
                                        tw_contact_saturate(pressing, 0)),
        0);
    load->work_tangential = tw_contact_saturate(load->work_tangential, ef + el);
    load->work_reversible = tw_contact_saturate(load->work_reversible, ef + el);
    load->work_dissipated = tw_contact_saturate(load->work_dissipated, ef + el);
    load->work_micro = tw_contact_saturate(load->work_micro, ef + el);
}

/* Whether the load has a non-finite value. */
TW_INLINE int tw_contact_overflows(const tw_contact_load *load)
{
    const double probe = load->f.x + load->f.y + load->f.z + load->work_normal +
                         load->work_tangential + load->work_reversible + load->work_dissipated +
                         load->work_micro;
    return !(fabs(probe) <= DBL_MAX);
}

TW_INLINE void tw_contact_remember(tw_contact_memory *memory, const tw_contact_motion *motion,
                                   tw_vec3 ft)
{
    memory->n = motion->n;
    memory->zeta = motion->zeta;
    memory->ft = ft;
}

/* Forces so small or so large that their powers underflow or overflow. */
TW_INLINE int tw_contact_out_of_range(const tw_contact_law *law, const tw_contact_motion *motion,
                                      const tw_contact_memory *memory)
{
    const double zeta = tw_contact_law_grips(law, motion->zeta) ? motion->zeta : memory->zeta;
    const int slides = tw_contact_law_grips(law, zeta) && law->mu > 0.0;
    if (!slides) return 0;
    const double limit = tw_contact_law_friction_limit(law, zeta), limit2 = limit * limit;
    const double k = law->kt * tw_contact_law_root(law, zeta);
    const double d2 = tw_vec3_dot(motion->du, motion->du), v2 = k * k * d2;
    const double f2 = tw_vec3_dot(memory->ft, memory->ft);
    return !(limit2 > TW_CONTACT_TINY && limit2 + v2 + f2 < TW_CONTACT_HUGE &&
             (d2 > TW_CONTACT_TINY || tw_vec3_max_abs(motion->du) == 0.0));
}

/* The refinements that matter to a law. */
TW_INLINE uint32_t tw_contact_refine_of(const tw_contact_law *law)
{
    uint32_t refine = law->refine;
    if (law->kind == TW_CONTACT_CONVENTIONAL) refine &= TW_CONTACT_TILT | TW_CONTACT_RESCALE;
    if (!tw_contact_normal_stiffens(law->normal)) refine |= TW_CONTACT_RESCALE;
    return refine;
}

/* Advances any contact, from a trial that did not hold. */
TW_INLINE void tw_contact_advance_as(int32_t kind, uint32_t refine, const tw_contact_law *law,
                                     const tw_contact_motion *motion, const tw_contact_trial *trial,
                                     tw_contact_memory *memory, tw_contact_load *load)
{
    tw_vec3 ft = tw_contact_step_any(kind, refine, law, motion, memory, trial, load, NULL);
    if (tw_contact_overflows(load) || tw_contact_out_of_range(law, motion, memory)) {
        tw_contact_step_scaled(kind, refine, law, motion, memory, &ft, load);
    }
    tw_contact_remember(memory, motion, ft);
}

/* Compiled out of line: for the exact law with all refinements, known to the compiler, and for any
 * law. */
TW_CONTACT_LONG void tw_contact_advance_exact(const tw_contact_law *law,
                                              const tw_contact_motion *motion,
                                              const tw_contact_trial *trial,
                                              tw_contact_memory *memory, tw_contact_load *load)
{
    tw_contact_advance_as(TW_CONTACT_EXACT, TW_CONTACT_ALL, law, motion, trial, memory, load);
}

TW_CONTACT_LONG void tw_contact_advance_any(int32_t kind, uint32_t refine,
                                            const tw_contact_law *law,
                                            const tw_contact_motion *motion,
                                            const tw_contact_trial *trial,
                                            tw_contact_memory *memory, tw_contact_load *load)
{
    if (kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL) {
        tw_contact_advance_exact(law, motion, trial, memory, load);
    } else {
        tw_contact_advance_as(kind, refine, law, motion, trial, memory, load);
    }
}

/* Writes memory and load of a step that stays in contact and ends as `slip`; `reversible` as in
 * load_set. Returns 0, with memory untouched, if a number overflows. */
TW_INLINE int tw_contact_accept(int32_t kind, const tw_contact_law *law,
                                const tw_contact_motion *motion, const tw_contact_slip *slip,
                                double reversible, tw_contact_memory *memory, tw_contact_load *load)
{
    tw_contact_load_set(kind, law, motion, slip, reversible, 0.0, load);
    if (tw_contact_overflows(load)) return 0;
    tw_contact_remember(memory, motion, slip->ft);
    return 1;
}

/* The result of a trial that holds. ft0 is carried to the end of the step. */
TW_INLINE tw_contact_slip tw_contact_trial_slip(int32_t kind, const tw_contact_law *law,
                                                const tw_contact_springs *springs,
                                                const tw_contact_trial *trial, double *reversible)
{
    tw_contact_slip slip = {trial->ft, 0.0, 1.0, 0.0};
    if (!tw_contact_normal_stiffens(law->normal)) {
        slip.work = tw_contact_trial_work(law, trial);
        *reversible = tw_contact_law_stored_change(law, tw_contact_change(trial->ft0, trial->ft));
        return slip;
    }
    const double compliance = tw_contact_law_compliance(law->kt);
    const double a = tw_vec3_dot(trial->ft0, trial->ft0), b = tw_vec3_dot(trial->ft, trial->ft);
    *reversible = compliance * (b * springs->i1 - a * springs->i0);
    if (kind == TW_CONTACT_EXACT) {
        slip.micro = tw_contact_springs_lost(springs, law->kt, compliance, a, b,
                                             tw_vec3_dot(trial->dxi, trial->dxi));
        slip.work = slip.micro + *reversible;
    } else {
        slip.work = tw_contact_trapezoid(trial->ft0, trial->ft, trial->dxi);
        slip.micro = slip.work - *reversible;
    }
    return slip;
}

/* The result of a slide that holds. */
TW_INLINE tw_contact_slip tw_contact_slide_slip(const tw_contact_law *law,
                                                const tw_contact_springs *springs,
                                                const tw_contact_trial *trial,
                                                const tw_contact_slide *slide, double *reversible)
{
    tw_contact_slip slip = {slide->ft, slide->work, slide->alpha, slide->micro};
    if (!tw_contact_normal_stiffens(law->normal)) {
        *reversible = tw_contact_law_stored_change(law, slide->change);
        return slip;
    }
    const double a = tw_vec3_dot(trial->ft0, trial->ft0), b = tw_vec3_dot(slide->ft, slide->ft);
    *reversible = tw_contact_law_compliance(law->kt) * (b * springs->i1 - a * springs->i0);
    slip.work = *reversible + slide->micro + slide->lost;
    return slip;
}

/* Advances the tangential force, without damping. */
TW_INLINE void tw_contact_advance_springs(int32_t kind, uint32_t refine, const tw_contact_law *law,
                                          const tw_contact_motion *motion,
                                          tw_contact_memory *memory, tw_contact_load *load)
{
    const tw_contact_step step = tw_contact_step_of(kind, motion, memory);
    const tw_contact_springs springs =
        tw_contact_springs_of(kind, refine, law, step.zeta0, step.zeta1);
    tw_contact_trial trial = tw_contact_try(kind, refine, law, &springs, &step);
    double reversible;
    if (kind == TW_CONTACT_EXACT)
        trial.small &=
            tw_contact_turns_little(motion->turn_p) & tw_contact_turns_little(motion->turn_q);
    const int sticks = tw_contact_sticks(law, &springs, &step, &trial);
    tw_contact_trial_twist(&trial, step.n1);
    if (sticks) {
        const tw_contact_slip slip =
            tw_contact_trial_slip(kind, law, &springs, &trial, &reversible);
        if (tw_contact_accept(kind, law, motion, &slip, reversible, memory, load)) return;
    }
    if (kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL) {
        const tw_contact_slide slide = tw_contact_slide_try(law, &springs, &step, &trial);
        const tw_contact_slip slip =
            tw_contact_slide_slip(law, &springs, &trial, &slide, &reversible);
        if (slide.holds && tw_contact_accept(kind, law, motion, &slip, reversible, memory, load))
            return;
    }
    tw_contact_advance_any(kind, refine, law, motion, &trial, memory, load);
}

/* ---- Rolling, twisting, damping ---- */

/* Movements of rolling and twisting: the relative rotation times the reduced radius (Eqs. 54, 55).
 */
TW_INLINE tw_vec3 tw_contact_rolling(const tw_contact_law *law, const tw_contact_motion *motion,
                                     tw_vec3 n0, double *twisting)
{
    const int exact = law->kind == TW_CONTACT_EXACT;
    const tw_vec3 half_p = tw_contact_half(law->kind, motion->turn_p);
    const tw_vec3 half_q = tw_contact_half(law->kind, motion->turn_q);
    const tw_vec3 turn = tw_vec3_scale(motion->radius, tw_vec3_sub(half_q, half_p));
    const tw_vec3 sum = tw_vec3_add(exact ? n0 : motion->n, motion->n);
    *twisting = tw_vec3_dot(sum, turn);
    return tw_vec3_cross(sum, turn);
}

/* Rolling: the tangential force over again, with other constants. */
TW_CONTACT_LONG void tw_contact_advance_rolling(const tw_contact_law *law,
                                                const tw_contact_motion *motion, tw_vec3 rolled,
                                                const tw_contact_memory *before,
                                                tw_contact_parts *extra, tw_contact_load *load)
{
    const tw_contact_law rolling = tw_contact_law_rolling(law);
    tw_contact_motion moved = *motion;
    tw_contact_memory memory = *before;
    tw_contact_load result;
    moved.du = rolled;
    memory.ft = extra->fr;
    tw_contact_advance_springs(law->kind, tw_contact_refine_of(law), &rolling, &moved, &memory,
                               &result);
    extra->fr = memory.ft;
    load->work_rolling = result.work_tangential;
    load->lost_rolling = tw_contact_saturate(result.work_dissipated + result.work_micro, 0);
}

TW_CONTACT_LONG void tw_contact_advance_twisting(const tw_contact_law *law,
                                                 const tw_contact_motion *motion, double twisted,
                                                 const tw_contact_memory *before,
                                                 tw_contact_parts *extra, tw_contact_load *load)
{
    const uint32_t refine = tw_contact_refine_of(law);
    const double zeta0 = before->zeta, zeta1 = motion->zeta;
    const int gripped = tw_contact_law_grips(law, zeta0);
    const int grips = tw_contact_law_grips(law, zeta1);
    const double share = refine & (gripped ? TW_CONTACT_INSTANT : TW_CONTACT_FRESH)
                             ? tw_contact_share(law, zeta0, zeta1)
                             : 1.0;
    if (!gripped && !grips) {
        extra->fw = 0.0;
        return;
    }
    tw_contact_path path = {0.0, 0.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0.0, 0.0};
    path.zeta0 = tw_contact_law_gripped(law, zeta0);
    path.zeta1 = tw_contact_law_gripped(law, zeta1);
    const tw_contact_springs springs =
        tw_contact_normal_stiffens(law->normal)
            ? tw_contact_hertz_springs(law->kind, refine, law, &path)
            : tw_contact_springs_of(law->kind, refine, law, path.zeta0, path.zeta1);
    const tw_contact_twisting t =
        tw_contact_twisting_step(law->kind, law, &springs, extra->fw, share * twisted);
    extra->fw = grips ? tw_contact_saturate(t.fw, 0) : 0.0;
    /* The springs may be those of another overlap: its powers overflow, or are bounded from below.
     */
    const double limit =
        law->mu_w * tw_contact_saturate(tw_contact_path_pressing(law, grips, zeta1), 0);
    if (fabs(extra->fw) > 1.001 * limit) extra->fw = extra->fw < 0.0 ? -limit : limit;
    load->lost_twisting = tw_contact_saturate(t.lost, 0);
    load->work_twisting = tw_contact_saturate(t.stored + t.lost, 0);
}

/* 1/dt of a damped contact; 0 for no damping. */
TW_INLINE double tw_contact_damped_rate(double dt)
{
    return dt > 0.0 ? 1.0 / dt : 0.0;
}

/* The step of a damped contact. */
TW_INLINE tw_contact_damped tw_contact_damped_of(const tw_contact_law *law,
                                                 const tw_contact_motion *motion, double inv_dt,
                                                 const tw_contact_memory *before)
{
    const int grips = tw_contact_law_grips(law, motion->zeta);
    tw_contact_damped s;
    s.n0 = before->n;
    s.n1 = motion->n;
    s.zeta0 = tw_contact_law_gripped(law, before->zeta);
    s.zeta1 = tw_contact_law_gripped(law, motion->zeta);
    s.q0 = tw_contact_law_damping_root(law, s.zeta0);
    s.q1 = tw_contact_law_damping_root(law, s.zeta1);
    s.p1 = tw_contact_saturate(tw_contact_path_pressing(law, grips, motion->zeta), 0);
    s.fn1 = grips ? tw_contact_law_force(law, s.p1) : 0.0;
    s.share = tw_contact_share(law, before->zeta, motion->zeta);
    s.inv_dt = inv_dt;
    s.pulls = !(law->flags & TW_CONTACT_NO_TENSION);
    s.grips = grips;
    return s;
}

/* A damping force that overflows would have any direction: there is none then. */
TW_INLINE tw_vec3 tw_contact_finite(tw_vec3 v)
{
    return fabs(v.x) + fabs(v.y) + fabs(v.z) <= DBL_MAX ? v : tw_vec3_make(0.0, 0.0, 0.0);
}

/* Damping forces and their work where they are surely within their limits, as most are; returns 0
 * otherwise, with nothing changed. The result is that of tw_contact_advance_damping. */
TW_INLINE int tw_contact_damp_within(const tw_contact_law *law, const tw_contact_motion *motion,
                                     double inv_dt, const tw_contact_memory *before, tw_vec3 ft,
                                     tw_contact_parts *extra, tw_contact_load *load)
{
    const tw_contact_damped s = tw_contact_damped_of(law, motion, inv_dt, before);
    const tw_vec3 mean = tw_contact_damping_mean(law, &s, motion->du);
    const tw_vec3 drag = tw_contact_damping_now3(s.grips, mean, extra->rate);
    if (!(inv_dt > 0.0) || !tw_contact_damping_fits(law, &s, drag, ft)) return 0;
    const tw_vec3 sum = tw_vec3_add_scaled(tw_vec3_scale(0.5, extra->drag), 0.5, drag);
    load->work_viscous = tw_contact_saturate(tw_vec3_dot(sum, motion->du), 0);
    load->f = tw_contact_saturate3(tw_vec3_add(load->f, drag), 0);
    extra->drag = drag;
    extra->rate = mean;
    return 1;
}

/* Damping forces at the end of the step and their work. */
TW_CONTACT_LONG void tw_contact_advance_damping(const tw_contact_law *law,
                                                const tw_contact_motion *motion, double dt,
                                                const tw_contact_memory *before, tw_vec3 ft,
                                                tw_contact_parts *extra, tw_contact_load *load)
{
    const tw_contact_damped s =
        tw_contact_damped_of(law, motion, tw_contact_damped_rate(dt), before);
    const tw_vec3 mean = tw_contact_damping_mean(law, &s, motion->du);
    const tw_vec3 now = tw_contact_finite(tw_contact_damping_now3(s.grips, mean, extra->rate));
    tw_vec3 drag = tw_contact_damping_force(law, &s, now, ft);
    if (!(dt > 0.0)) drag = tw_vec3_make(0.0, 0.0, 0.0);
    drag = tw_contact_finite(drag);
    const double weight = tw_contact_damping_weight(s.grips);
    const tw_vec3 sum = tw_vec3_add_scaled(tw_vec3_scale(0.5, extra->drag), weight, drag);
    load->work_viscous = tw_contact_saturate(tw_vec3_dot(sum, motion->du), 0);
    load->f = tw_contact_saturate3(tw_vec3_add(load->f, drag), 0);
    /* Nothing of it is left for a contact that begins later. */
    const tw_vec3 none = tw_vec3_make(0.0, 0.0, 0.0);
    extra->drag = s.grips ? drag : none;
    extra->rate = s.grips ? tw_contact_finite(mean) : none;
}

/* Damping of rolling and twisting, whose movements in the step are `rolled` and `twisted`. */
TW_CONTACT_LONG void
tw_contact_advance_damping_rotation(const tw_contact_law *law, const tw_contact_motion *motion,
                                    double dt, const tw_contact_memory *before, tw_vec3 rolled,
                                    double twisted, tw_contact_parts *extra, tw_contact_load *load)
{
    const tw_contact_damped s =
        tw_contact_damped_of(law, motion, tw_contact_damped_rate(dt), before);
    const double factor = tw_contact_damping_factor(law, &s);
    const double weight = tw_contact_damping_weight(s.grips);

    const double nu_r = tw_contact_law_of_spring(law->k_r, law->nu_r),
                 nu_w = tw_contact_law_of_spring(law->k_w, law->nu_w);
    const tw_vec3 mean = tw_vec3_scale(nu_r * factor, rolled);
    const tw_vec3 now = tw_contact_damping_now3(s.grips, mean, extra->rate_r);
    const tw_vec3 drag =
        tw_contact_finite(tw_contact_damping_within(now, extra->fr, motion->n, law->mu_r * s.p1));
    const tw_vec3 sum = tw_vec3_add_scaled(tw_vec3_scale(0.5, extra->drag_r), weight, drag);

    const double mean_w = nu_w * factor * twisted;
    const double now_w = tw_contact_damping_now(s.grips, mean_w, extra->rate_w);
    const double part = tw_contact_damping_part(extra->fw * extra->fw, extra->fw * now_w,
                                                now_w * now_w, law->mu_w * s.p1);
    const double drag_w = tw_contact_saturate(part * now_w, 0);
    const double sum_w = 0.5 * extra->drag_w + weight * drag_w;

    const double work = tw_vec3_dot(sum, rolled) + sum_w * twisted;
    load->work_viscous = tw_contact_saturate(load->work_viscous + work, 0);
    const tw_vec3 none = tw_vec3_make(0.0, 0.0, 0.0);
    extra->drag_r = s.grips ? drag : none;
    extra->rate_r = s.grips ? tw_contact_finite(mean) : none;
    extra->drag_w = s.grips ? drag_w : 0.0;
    extra->rate_w = s.grips ? tw_contact_saturate(mean_w, 0) : 0.0;
}

/* A tangent at the end of a step: turned as the force of the exact law (Eq. 8). */
TW_INLINE tw_vec3 tw_contact_tangent_carried(tw_vec3 e, tw_vec3 n0, const tw_contact_motion *motion)
{
    const tw_contact_memory memory = {n0, 0.0, e};
    const tw_contact_step step = tw_contact_step_of(TW_CONTACT_EXACT, motion, &memory);
    const tw_contact_frame frame = tw_contact_frame_large(&step);
    const tw_vec3 v = tw_contact_carry_whole(TW_CONTACT_ALL, &frame, &step);
    const double length = tw_vec3_norm(v);
    return length > 0.0 ? tw_vec3_scale(1.0 / length, v) : v;
}

/* Turns what is fixed in a body with it, and tangents. */
#define TW_CONTACT_CARRY_NUMBER(v, n0, motion)
#define TW_CONTACT_CARRY_INDEX(v, n0, motion)
#define TW_CONTACT_CARRY_ALONG(v, n0, motion)
#define TW_CONTACT_CARRY_VECTOR(v, n0, motion)
#define TW_CONTACT_CARRY_AXIAL(v, n0, motion)
#define TW_CONTACT_CARRY_TANGENT(v, n0, motion) *(v) = tw_contact_tangent_carried(*(v), n0, motion)
#define TW_CONTACT_CARRY_IN_P(v, n0, motion) *(v) = tw_contact_carried(*(v), (motion)->turn_p)
#define TW_CONTACT_CARRY_IN_Q(v, n0, motion) *(v) = tw_contact_carried(*(v), (motion)->turn_q)

TW_INLINE void tw_contact_parts_carry(const tw_contact_motion *motion, tw_vec3 n0, uint32_t needs,
                                      tw_contact_parts *parts)
{
    (void)n0;
    (void)motion;
    (void)parts;
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    for (int k = 0; TW_CONTACT_IS_CARRIED_##form && (needs & (need)) && k < (count); k++)          \
        TW_CONTACT_CARRY_##form((tw_vec3 *)&parts->name + k, n0, motion);
#include <twirl/detail/contact_parts.def>
}

/* What the extras add to the load of the springs, which was computed from `before`. */
TW_CONTACT_LONG void tw_contact_advance_extras(const tw_contact_law *law,
                                               const tw_contact_motion *motion, double dt,
                                               const tw_contact_memory *before, tw_vec3 ft,
                                               tw_contact_parts *extra, tw_contact_load *load)
{
    const uint32_t parts = tw_contact_law_extras_inline(law);
    const uint32_t damped = TW_CONTACT_EXTRA_ROLLING_DAMPING | TW_CONTACT_EXTRA_TWISTING_DAMPING;
    tw_contact_parts_carry(motion, before->n, parts, extra);
    if (parts & TW_CONTACT_EXTRA_DAMPING)
        tw_contact_advance_damping(law, motion, dt, before, ft, extra, load);
    if (!(parts & ~(uint32_t)TW_CONTACT_EXTRA_DAMPING)) return;
    double twisted;
    const tw_vec3 rolled = tw_contact_rolling(law, motion, before->n, &twisted);
    if (parts & TW_CONTACT_EXTRA_ROLLING)
        tw_contact_advance_rolling(law, motion, rolled, before, extra, load);
    if (parts & TW_CONTACT_EXTRA_TWISTING)
        tw_contact_advance_twisting(law, motion, twisted, before, extra, load);
    tw_vec3 fr = extra->fr;
    double fw = extra->fw;
    if (parts & damped) {
        tw_contact_advance_damping_rotation(law, motion, dt, before, rolled, twisted, extra, load);
        fr = tw_vec3_add(fr, extra->drag_r);
        fw += extra->drag_w;
    }
    load->couple = tw_contact_saturate3(tw_contact_couple(motion->radius, motion->n, fr, fw), 0);
}

/* The law of a contact whose damping does not pull, in this step: friction follows the normal force
 * that acts at its end. */
TW_INLINE tw_contact_law tw_contact_law_acting(const tw_contact_law *law,
                                               const tw_contact_motion *motion, double dt,
                                               const tw_contact_memory *before,
                                               const tw_contact_parts *extra)
{
    tw_contact_law acting = *law;
    if (!tw_contact_law_grips(law, motion->zeta) || !(dt > 0.0)) return acting;
    const tw_contact_damped s =
        tw_contact_damped_of(law, motion, tw_contact_damped_rate(dt), before);
    const tw_vec3 mean = tw_contact_damping_mean(law, &s, motion->du);
    const tw_vec3 now = tw_contact_finite(tw_contact_damping_now3(s.grips, mean, extra->rate));
    acting.mu = tw_contact_damping_friction(law->mu, &s, tw_contact_damping_normal(&s, now));
    return acting;
}

/* Advances a damped contact that does not pull. The limit of friction jumps with the damping, so
 * the work of a slide is booked as that of damping is: by the trapezoid that leap-frog makes of the
 * force (Eq. 65). */
TW_CONTACT_LONG void tw_contact_advance_acting(const tw_contact_law *law,
                                               const tw_contact_motion *motion, double dt,
                                               tw_contact_memory *memory, tw_contact_parts *extra,
                                               tw_contact_load *load)
{
    const tw_contact_memory before = *memory;
    const tw_contact_law acting = tw_contact_law_acting(law, motion, dt, &before, extra);
    tw_contact_advance_springs(law->kind, tw_contact_refine_of(law), &acting, motion, memory, load);
    if (load->sliding || !tw_contact_law_grips(law, motion->zeta)) {
        const double work = tw_contact_trapezoid(before.ft, memory->ft, motion->du);
        const double more = work - load->work_tangential;
        load->work_tangential = tw_contact_saturate(work, 0);
        load->work_dissipated = tw_contact_saturate(load->work_dissipated + more, 0);
    }
    tw_contact_advance_extras(&acting, motion, dt, &before, memory->ft, extra, load);
}

/* Whether the friction of the law follows its damping. */
TW_INLINE int tw_contact_law_is_acting(const tw_contact_law *law)
{
    return (law->flags & TW_CONTACT_NO_TENSION) && (law->nu_n > 0.0 || law->nu_t > 0.0);
}

/* Whether begin and end of a contact are more than a comparison of its overlap. */
TW_INLINE int tw_contact_law_is_eventful(const tw_contact_law *law)
{
    return tw_contact_law_outlives(law) || tw_contact_law_jumps(law);
}

/* Begin and end by such a law. Where the force jumps, leap-frog gives a whole step of it or none:
 * the impulse over the part of the step in which the contact lives is delivered with the force at
 * the end of that step, once, less the half of it that the step before or after it counts (Eq. 68).
 * What is stored at the jump is lost: the energy is that of separated surfaces. */
TW_INLINE void tw_contact_advance_life(const tw_contact_law *law, const tw_contact_motion *motion,
                                       const tw_contact_memory *before, tw_contact_parts *parts,
                                       tw_contact_load *load)
{
    const int knows = tw_contact_law_outlives(law);
    const double z0 = before->zeta, z1 = motion->zeta;
    const int lived = knows ? parts->alive > 0.0 : tw_contact_law_lives(law, 1, z0);
    const int lives = tw_contact_law_lives(law, lived, z1);
    if (knows) parts->alive = lives;
    if (!lives && load->touching) { /* it has not begun */
        load->f = tw_vec3_add_scaled(load->f, load->fn, motion->n);
        load->fn = load->work_normal = 0.0;
        load->touching = 0;
    }
    const int begins = lives && !lived && !tw_contact_law_begins(law, z0), ends = lived && !lives;
    if (!tw_contact_law_jumps(law) || !(begins || ends)) return;
    const double edge = begins ? tw_contact_law_begin(law) : tw_contact_law_end(law);
    const double alive = begins ? z1 : z0, out = begins ? z0 : z1; /* on either side of it */
    const double given = tw_contact_law_stored_normal(law, edge);
    const double mean = (tw_contact_law_stored_normal(law, alive) - given) / (alive - out);
    const double more = mean - 0.5 * tw_contact_law_normal_force(law, alive);
    load->f = tw_contact_saturate3(tw_vec3_add_scaled(load->f, -more, motion->n), 0);
    load->work_dissipated =
        tw_contact_saturate(load->work_dissipated + (begins ? -given : given), 0);
}

/* Advances a contact whose law is that of its radius and mass. */
TW_INLINE void tw_contact_advance_at(const tw_contact_law *law, const tw_contact_motion *motion,
                                     double dt, tw_contact_memory *memory, tw_contact_parts *extra,
                                     tw_contact_load *load)
{
    const tw_contact_memory before = *memory;
    if (extra && tw_contact_law_is_acting(law)) {
        tw_contact_advance_acting(law, motion, dt, memory, extra, load);
    } else {
        tw_contact_advance_springs(law->kind, tw_contact_refine_of(law), law, motion, memory, load);
        if (extra) tw_contact_advance_extras(law, motion, dt, &before, memory->ft, extra, load);
    }
    if (tw_contact_law_is_eventful(law)) tw_contact_advance_life(law, motion, &before, extra, load);
}

TW_INLINE void tw_contact_advance_inline(const tw_contact_law *law, const tw_contact_motion *motion,
                                         double dt, tw_contact_memory *memory,
                                         tw_contact_parts *extra, tw_contact_load *load)
{
    if (law->flags & TW_CONTACT_BY_SIZE) {
        const tw_contact_law at =
            tw_contact_law_at_inline(law, motion->radius, motion->mass, motion->ratio);
        tw_contact_advance_at(&at, motion, dt, memory, extra, load);
    } else {
        tw_contact_advance_at(law, motion, dt, memory, extra, load);
    }
}

/* ---- Without a step ---- */

/* Adds the damping of the last step to a load. */
TW_INLINE void tw_contact_parts_add_damping(const tw_contact_parts *parts, double radius, tw_vec3 n,
                                            tw_contact_load *load)
{
    load->f = tw_vec3_add(load->f, parts->drag);
    load->couple =
        tw_vec3_add(load->couple, tw_contact_couple(radius, n, parts->drag_r, parts->drag_w));
}

/* What is left at the end of a contact: its last damping force, which acts until the next step. */
TW_INLINE tw_contact_parts tw_contact_parts_end(const tw_contact_parts *parts,
                                                const tw_contact_load *load)
{
    tw_contact_parts end;
    memset(&end, 0, sizeof end);
    end.drag = load->f;
    end.drag_r = parts->drag_r;
    end.drag_w = parts->drag_w;
    return end;
}

/* Energy of a rolling or twisting spring of stiffness k, for a force whose square is f2. */
TW_INLINE double tw_contact_stored_spring(const tw_contact_law *law, double k, double zeta,
                                          double f2)
{
    if (!(k > 0.0)) return 0.0;
    return 0.5 * f2 / (k * tw_contact_law_root(law, zeta));
}

/* `law` is that of the radius and mass of the contact. */
TW_INLINE tw_contact_stored tw_contact_stored_of(const tw_contact_law *law,
                                                 const tw_contact_memory *memory,
                                                 const tw_contact_parts *parts)
{
    tw_contact_stored s;
    const double zeta = memory->zeta;
    memset(&s, 0, sizeof s);
    const double own = 1.0 - parts->ceded;
    s.of[TW_CONTACT_STORED_NORMAL] = tw_contact_law_stored_normal(law, zeta) - parts->pass_energy;
    if (!tw_contact_law_grips(law, zeta)) return s;
    s.of[TW_CONTACT_STORED_TANGENTIAL] =
        own * tw_contact_law_stored_tangential(law, zeta, memory->ft);
    s.of[TW_CONTACT_STORED_ROLLING] =
        own * tw_contact_stored_spring(law, law->k_r, zeta, tw_vec3_dot(parts->fr, parts->fr));
    s.of[TW_CONTACT_STORED_TWISTING] =
        own * tw_contact_stored_spring(law, law->k_w, zeta, parts->fw * parts->fw);
    return s;
}

#endif
