/* SPDX-License-Identifier: BSD-3-Clause */
/* The contact kernel as inline code, in the common subset of C11, C++17 and CUDA device code.
 *
 * tw_contact_advance_inline is tw_contact_advance without the call. Equation numbers are those of
 * docs/theory/contact.md. Read in this order: contact_law.h (the formulas of the law),
 * contact_elastic.inc (the step of a sticking contact), contact_slide.inc (short slides),
 * contact_turn.h (large rotations), contact_slip.h (any slide), contact_pair.h (motions of spheres
 * and planes) and this file, which combines them. The library gives the same bits.
 */
#ifndef TWIRL_CONTACT_INLINE_H
#define TWIRL_CONTACT_INLINE_H

#include <twirl/contact_law.h>
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

/* Writes the load of a step that ends with slip->ft; `change` is |ft|^2 at its end minus at its
 * start. */
TW_INLINE void tw_contact_load_set(int32_t kind, const tw_contact_law *law,
                                   const tw_contact_motion *motion, double dt,
                                   const tw_contact_slip *slip, double change, double alpha_o,
                                   double alpha_c, tw_contact_load *load)
{
    const double fn = motion->zeta > 0.0 ? tw_contact_law_normal_force(law, motion->zeta) : 0.0;
    load->touching = motion->zeta > 0.0;
    load->sliding = load->touching && slip->alpha < 1.0;
    load->alpha_o = alpha_o;
    load->alpha_s = slip->alpha;
    load->fn = fn;
    load->f = tw_vec3_add_scaled(slip->ft, -fn, motion->n);
    load->work_normal =
        load->touching ? tw_contact_law_stored_normal_by(law, motion->zeta, fn) : 0.0;
    load->work_tangential = slip->work;
    /* A contact that opens stores nothing, even if its slide was too short to show in alpha. */
    if (kind == TW_CONTACT_EXACT && load->touching && !(slip->alpha < 1.0)) {
        load->work_reversible = slip->work;
        load->work_dissipated = 0.0;
    } else {
        load->work_reversible = tw_contact_law_stored_change(law, change); /* Eq. 28 */
        load->work_dissipated = slip->work - load->work_reversible;
    }
    load->work_viscous = 0.0;
    if (law->nu_n > 0.0 && dt > 0.0) {
        const double rate = law->nu_n / dt;
        load->work_viscous = (alpha_c - alpha_o) * rate * tw_vec3_dot(motion->du, motion->du);
        if (load->touching) load->f = tw_vec3_add_scaled(load->f, rate, motion->du);
    }
}

/* Any step, without the guard against overflow. Starts from a trial that did not hold; returns the
 * new tangential force. */
TW_INLINE tw_vec3 tw_contact_step_any(int32_t kind, uint32_t refine, const tw_contact_law *law,
                                      const tw_contact_motion *motion, double dt,
                                      const tw_contact_memory *memory,
                                      const tw_contact_trial *trial, tw_contact_load *load)
{
    const tw_contact_step step = tw_contact_step_of(kind, motion, memory);
    const double zeta0 = step.zeta0, zeta1 = step.zeta1;
    tw_contact_trial carried = *trial;
    tw_contact_trial_twist(&carried, step.n1);
    tw_contact_path path = {zeta0 > 0.0 ? tw_contact_law_normal_force(law, zeta0) : 0.0,
                            zeta1 > 0.0 ? tw_contact_law_normal_force(law, zeta1) : 0.0,
                            carried.ft0, carried.dxi};
    if (!trial->small) {
        const tw_contact_frame frame = tw_contact_frame_large(&step);
        path.ft0 = tw_contact_carry_whole(refine, &frame, &step);
        path.dxi =
            tw_contact_carry_half(refine, &frame, tw_contact_in_plane(step.du, frame.nm), step.n1);
    }
    tw_contact_slip slip = {{0.0, 0.0, 0.0}, 0.0, 1.0};
    double alpha_o = 0.0; /* it touches from here */
    double alpha_c = 1.0; /* to here */
    if (zeta0 > 0.0) {
        if (!(zeta1 > 0.0) && (refine & TW_CONTACT_INSTANT)) alpha_c = 1.0 / (1.0 - zeta1 / zeta0);
        path.dxi = tw_vec3_scale(alpha_c, path.dxi);
        slip = tw_contact_follow(kind, refine, law, &path, step.n1);
        if (slip.alpha < 1.0) slip.alpha *= alpha_c;
    } else {
        path.ft0 = tw_vec3_make(0.0, 0.0, 0.0);
        alpha_c = 0.0;
        if (zeta1 > 0.0) {
            alpha_c = 1.0;
            if (refine & TW_CONTACT_FRESH) {
                const double after = 1.0 / (1.0 - zeta0 / zeta1);
                alpha_o = 1.0 - after;
                path.dxi = tw_vec3_scale(after, path.dxi);
            }
            slip = tw_contact_begin(law, &path);
            if (slip.alpha < 1.0) slip.alpha = alpha_o;
        }
    }
    slip.ft = tw_contact_carry_after(kind, refine, &step, slip.ft);
    const double change = tw_contact_change(path.ft0, slip.ft);
    tw_contact_load_set(kind, law, motion, dt, &slip, change, alpha_o, alpha_c, load);
    return slip.ft;
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
                                            const tw_contact_motion *motion, double dt,
                                            const tw_contact_memory *memory, tw_vec3 *ft,
                                            tw_contact_load *load)
{
    const double zeta = motion->zeta > 0.0 ? motion->zeta : memory->zeta;
    const double length = tw_vec3_max_abs(motion->du), force = tw_vec3_max_abs(memory->ft);
    /* Exponents of the units of overlap, movement and force: the last is the friction limit, or the
     * old force if that is larger. */
    const int ez = tw_contact_exponent(zeta), el = tw_contact_exponent(length);
    const int em = tw_contact_exponent(law->mu);
    int ef = ez + ilogb(law->kn) + em;
    if (force > 0.0 && tw_contact_exponent(force) > ef) ef = tw_contact_exponent(force);

    tw_contact_law unit_law = *law;
    unit_law.mu = scalbn(law->mu, -em);
    unit_law.kn = scalbn(law->kn, ez + em - ef);
    /* Tangential springs this much stiffer than the limit act as rigid. */
    unit_law.kt = tw_math_min(scalbn(law->kt, el - ef), 1e60);
    unit_law.nu_n = 0.0;
    tw_contact_motion unit_motion = *motion;
    unit_motion.zeta = tw_contact_saturate(motion->zeta, -ez);
    unit_motion.du = tw_contact_saturate3(motion->du, -el);
    tw_contact_memory unit_memory = *memory;
    unit_memory.zeta = tw_contact_saturate(memory->zeta, -ez);
    unit_memory.ft = tw_contact_saturate3(memory->ft, -ef);

    const tw_contact_step step = tw_contact_step_of(kind, &unit_motion, &unit_memory);
    const tw_contact_trial trial = tw_contact_try(kind, refine, &unit_law, &step);
    *ft =
        tw_contact_step_any(kind, refine, &unit_law, &unit_motion, dt, &unit_memory, &trial, load);
    *ft = tw_contact_saturate3(*ft, ef);
    if (kind != TW_CONTACT_PAPER && motion->zeta > 0.0 && law->mu > 0.0) {
        /* If old force and limit are too far apart for one unit, the limit has lost digits. */
        const int e1 = ilogb(law->kn), e2 = tw_contact_exponent(motion->zeta), e3 = ilogb(law->mu);
        const double limit = tw_contact_saturate(
            scalbn(law->kn, -e1) * scalbn(motion->zeta, -e2) * scalbn(law->mu, -e3), e1 + e2 + e3);
        const double size = tw_vec3_norm_scaled(*ft);
        if (size > limit) {
            *ft = tw_vec3_scale(limit, tw_vec3_make(ft->x / size, ft->y / size, ft->z / size));
        }
    }
    /* The normal force may be far from the limit, so it is not taken from the scaled step. */
    load->fn = motion->zeta > 0.0
                   ? tw_contact_saturate(tw_contact_law_normal_force(law, motion->zeta), 0)
                   : 0.0;
    load->f = tw_contact_saturate3(tw_vec3_add_scaled(*ft, -load->fn, motion->n), 0);
    load->work_normal = tw_contact_saturate(
        tw_contact_law_stored_normal_by(law, tw_math_max(motion->zeta, 0.0), load->fn), 0);
    load->work_tangential = tw_contact_saturate(load->work_tangential, ef + el);
    load->work_reversible = tw_contact_saturate(load->work_reversible, ef + el);
    load->work_dissipated = tw_contact_saturate(load->work_dissipated, ef + el);
    if (law->nu_n > 0.0 && dt > 0.0) {
        /* du/dt is scaled separately: dt may be tiny. */
        const int et = ilogb(dt), en = ilogb(law->nu_n);
        const double rate = scalbn(law->nu_n, -en) / scalbn(dt, -et);
        const double square = tw_vec3_dot(unit_motion.du, unit_motion.du);
        const double z0 = unit_memory.zeta, z1 = unit_motion.zeta;
        const double part =
            load->touching ? 1.0 - load->alpha_o : (z0 > 0.0 ? 1.0 / (1.0 - z1 / z0) : 0.0);
        load->work_viscous = tw_contact_saturate(part * rate * square, en - et + 2 * el);
        if (load->touching) {
            const tw_vec3 drag = tw_contact_saturate3(unit_motion.du, en - et + el);
            load->f = tw_contact_saturate3(tw_vec3_add_scaled(load->f, rate, drag), 0);
        }
    }
}

/* Whether the load has a non-finite value. */
TW_INLINE int tw_contact_overflows(const tw_contact_load *load)
{
    const double probe = load->f.x + load->f.y + load->f.z + load->work_normal +
                         load->work_tangential + load->work_dissipated + load->work_viscous;
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
    const double zeta = motion->zeta > 0.0 ? motion->zeta : memory->zeta;
    const double limit = tw_contact_law_friction_limit(law, zeta), limit2 = limit * limit;
    const double v2 = law->kt * law->kt * tw_vec3_dot(motion->du, motion->du);
    const double f2 = tw_vec3_dot(memory->ft, memory->ft);
    const int slides = zeta > 0.0 && law->mu > 0.0;
    const double d2 = tw_vec3_dot(motion->du, motion->du);
    return slides && !(limit2 > TW_CONTACT_TINY && limit2 + v2 + f2 < TW_CONTACT_HUGE &&
                       (d2 > TW_CONTACT_TINY || tw_vec3_max_abs(motion->du) == 0.0));
}

/* The refinements that a law of this kind has. */
TW_INLINE uint32_t tw_contact_refine_of(int32_t kind, uint32_t refine)
{
    return (kind == TW_CONTACT_CONVENTIONAL ? refine & TW_CONTACT_TILT : refine) |
           TW_CONTACT_RESCALE;
}

/* Advances any contact, from a trial that did not hold. */
TW_INLINE void tw_contact_advance_as(int32_t kind, uint32_t refine, const tw_contact_law *law,
                                     const tw_contact_motion *motion, double dt,
                                     const tw_contact_trial *trial, tw_contact_memory *memory,
                                     tw_contact_load *load)
{
    tw_vec3 ft = tw_contact_step_any(kind, refine, law, motion, dt, memory, trial, load);
    if (tw_contact_overflows(load) || tw_contact_out_of_range(law, motion, memory)) {
        tw_contact_step_scaled(kind, refine, law, motion, dt, memory, &ft, load);
    }
    tw_contact_remember(memory, motion, ft);
}

/* The same out of line: for the exact law with all refinements, known to the compiler, and for any
 * law. */
TW_CONTACT_LONG void tw_contact_advance_exact(const tw_contact_law *law,
                                              const tw_contact_motion *motion, double dt,
                                              const tw_contact_trial *trial,
                                              tw_contact_memory *memory, tw_contact_load *load)
{
    tw_contact_advance_as(TW_CONTACT_EXACT, TW_CONTACT_ALL, law, motion, dt, trial, memory, load);
}

TW_CONTACT_LONG void tw_contact_advance_any(int32_t kind, uint32_t refine,
                                            const tw_contact_law *law,
                                            const tw_contact_motion *motion, double dt,
                                            const tw_contact_trial *trial,
                                            tw_contact_memory *memory, tw_contact_load *load)
{
    if (kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL) {
        tw_contact_advance_exact(law, motion, dt, trial, memory, load);
    } else if (kind == TW_CONTACT_CONVENTIONAL) {
        tw_contact_advance_as(kind, refine & TW_CONTACT_TILT, law, motion, dt, trial, memory, load);
    } else {
        tw_contact_advance_as(kind, refine, law, motion, dt, trial, memory, load);
    }
}

/* Writes memory and load of a step that stays in contact and ends as `slip`; `change` as in
 * load_set. Returns 0, with memory untouched, if a number overflows. */
TW_INLINE int tw_contact_accept(int32_t kind, const tw_contact_law *law,
                                const tw_contact_motion *motion, double dt,
                                const tw_contact_slip *slip, double change,
                                tw_contact_memory *memory, tw_contact_load *load)
{
    tw_contact_load_set(kind, law, motion, dt, slip, change, 0.0, 1.0, load);
    if (tw_contact_overflows(load)) return 0;
    tw_contact_remember(memory, motion, slip->ft);
    return 1;
}

TW_INLINE void tw_contact_advance_inline(const tw_contact_law *law, const tw_contact_motion *motion,
                                         double dt, tw_contact_memory *memory,
                                         tw_contact_extra *extra, tw_contact_load *load)
{
    (void)extra;
    const int32_t kind = law->kind;
    const uint32_t refine = tw_contact_refine_of(kind, law->refine);
    const tw_contact_step step = tw_contact_step_of(kind, motion, memory);
    tw_contact_trial trial = tw_contact_try(kind, refine, law, &step);
    if (kind == TW_CONTACT_EXACT)
        trial.small &=
            tw_contact_turns_little(motion->turn_p) & tw_contact_turns_little(motion->turn_q);
    const int sticks = tw_contact_sticks(law, &step, &trial);
    tw_contact_trial_twist(&trial, step.n1);
    if (sticks) {
        const tw_contact_slip slip = {trial.ft, tw_contact_trial_work(law, &trial), 1.0};
        const double change = tw_contact_change(trial.ft0, trial.ft);
        if (tw_contact_accept(kind, law, motion, dt, &slip, change, memory, load)) return;
    }
    if (kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL) {
        const tw_contact_slide slide = tw_contact_slide_try(law, &step, &trial);
        const tw_contact_slip slip = {slide.ft, slide.work, slide.alpha};
        if (slide.holds &&
            tw_contact_accept(kind, law, motion, dt, &slip, slide.change, memory, load))
            return;
    }
    tw_contact_advance_any(kind, refine, law, motion, dt, &trial, memory, load);
}

#endif
