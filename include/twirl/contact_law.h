/* SPDX-License-Identifier: BSD-3-Clause */
/* What a law makes of a contact: forces, stored energies and stiffnesses, as inline functions.
 *
 *     tw_contact_law_begins(law, zeta)               whether a contact begins at this overlap
 *     tw_contact_law_lives(law, alive, zeta)         whether one is there that was or was not alive
 *     tw_contact_law_grips(law, zeta)                whether it presses, and there is friction
 *
 * are what a law decides about any pair, and
 *
 *     tw_contact_law_pressing(law, zeta)             what presses: mu times it limits friction [N]
 *     tw_contact_law_normal_force(law, zeta)         normal force, compression positive [N]
 *     tw_contact_law_friction_limit(law, zeta)       largest tangential force [N]
 *     tw_contact_law_spring_force(law, n, zeta, ft)  force of both springs on p [N]
 *     tw_contact_law_stored_normal(law, zeta)        energy in the normal spring [J]
 *     tw_contact_law_stored_tangential(law, zeta, ft)    energy in the tangential spring [J]
 *
 * are for contacts that touch; all are for laws as tw_contact_law_at gives them. Callers take
 * forces, energies and stiffnesses from here instead of repeating the formulas of the law.
 *
 * Calls may overlap in several threads. Source compatible only, before 1.0.
 */
#ifndef TWIRL_CONTACT_LAW_H
#define TWIRL_CONTACT_LAW_H

#include <twirl/contact.h>

/* The flags by which the constants of contacts follow from radii and masses: tw_contact_law_at. */
#define TW_CONTACT_BY_SIZE (TW_CONTACT_BY_RADIUS | TW_CONTACT_BY_MASS | TW_CONTACT_YADE_LEVERS)

/* ---- What is asked of a normal law, a tw_contact_normal. Outside the kernel no one compares it
 * with a value: a check of tools/check_names. ---- */

/* Their names, in the order of tw_contact_normal. */
#define TW_CONTACT_NORMAL_NAMES "linear", "hertz"

/* Whether fn = kn zeta and all else is constant: sums over contacts can be multiplied by the
 * constants. */
TW_INLINE int tw_contact_normal_is_linear(int32_t normal)
{
    return normal == TW_CONTACT_LINEAR;
}

/* Whether the other stiffnesses grow with the root of the overlap: a step has a clock of its own
 * (detail/contact_hertz.inc), and micro-slip. */
TW_INLINE int tw_contact_normal_stiffens(int32_t normal)
{
    return normal == TW_CONTACT_HERTZ;
}

/* No damping. */
TW_INLINE void tw_contact_law_undamp(tw_contact_law *law)
{
#define TW_CONTACT_NO_RADIUS(name)
#define TW_CONTACT_NO_MASS(name) law->name = 0.0;
#define TW_CONTACT_NO_AS_IS(name)
#define TW_CONTACT_CONSTANT(name, units, change, scale, word, ratio) TW_CONTACT_NO_##scale(name)
#include <twirl/detail/contact_constants.def>
#undef TW_CONTACT_NO_RADIUS
#undef TW_CONTACT_NO_MASS
#undef TW_CONTACT_NO_AS_IS
}

/* Factors of the sums of tw_contact_law_normal_term and tw_contact_law_tangential_term, for a
 * linear law. */
TW_INLINE double tw_contact_law_normal_factor(const tw_contact_law *law)
{
    return 0.5 * law->kn;
}

TW_INLINE double tw_contact_law_tangential_factor(const tw_contact_law *law)
{
    return law->kt > 0.0 ? 0.5 / law->kt : 0.0;
}

#include <twirl/detail/scalar_params.inc>

#include <twirl/detail/contact_law.inc>

#include <twirl/detail/undef.inc>

TW_INLINE int tw_contact_law_begins(const tw_contact_law *law, double zeta)
{
    return zeta > tw_contact_law_begin(law);
}

TW_INLINE int tw_contact_law_lives(const tw_contact_law *law, int alive, double zeta)
{
    return zeta > (alive ? tw_contact_law_end(law) : tw_contact_law_begin(law));
}

/* Whether a contact remembers that it has begun. */
TW_INLINE int tw_contact_law_outlives(const tw_contact_law *law)
{
    return tw_contact_law_end(law) < tw_contact_law_begin(law);
}

/* Whether the normal force jumps where a contact begins or ends: that of no law there is does. */
TW_INLINE int tw_contact_law_jumps(const tw_contact_law *law)
{
    (void)law;
    return 0;
}

/* The overlap by which springs and damping go: where nothing grips, that at which the grip ends. */
TW_INLINE double tw_contact_law_gripped(const tw_contact_law *law, double zeta)
{
    return tw_math_max(zeta, tw_contact_law_grip(law));
}

/* Force on p of a contact as it is remembered, without damping [N]. */
TW_INLINE tw_vec3 tw_contact_law_elastic_force(const tw_contact_law *law,
                                               const tw_contact_memory *memory)
{
    return tw_contact_law_spring_force(law, memory->n, memory->zeta, memory->ft);
}

/* Energy stored in a contact as it is remembered [J]. */
TW_INLINE double tw_contact_law_stored(const tw_contact_law *law, const tw_contact_memory *memory)
{
    return tw_contact_law_stored_normal(law, memory->zeta) +
           tw_contact_law_stored_tangential(law, memory->zeta, memory->ft);
}

/* Change of the energy stored in a linear tangential spring when |ft|^2 changes by `change` [J]. */
TW_INLINE double tw_contact_law_stored_change(const tw_contact_law *law, double change)
{
    return law->kt > 0.0 ? 0.5 * change / law->kt : 0.0;
}

/* Tangent of the normal force [N/m]. */
TW_INLINE double tw_contact_law_slope(const tw_contact_law *law, double zeta)
{
    return law->normal == TW_CONTACT_HERTZ ? 1.5 * law->kn * sqrt(zeta) : law->kn;
}

/* The overlap at which a force presses [m]. */
TW_INLINE double tw_contact_law_overlap(const tw_contact_law *law, double pressing)
{
    const double ratio = pressing / law->kn;
    return law->normal == TW_CONTACT_HERTZ ? tw_math_pow(ratio, 2.0 / 3.0) : ratio;
}

/* The overlap at which a normal spring stores this energy [m]. */
TW_INLINE double tw_contact_law_overlap_by_energy(const tw_contact_law *law, double energy)
{
    return law->normal == TW_CONTACT_HERTZ ? tw_math_pow(2.5 * energy / law->kn, 0.4)
                                           : sqrt(2.0 * energy / law->kn);
}

/* The overlap at which the friction limit is `limit`, for mu > 0 and a linear law [m]. */
TW_INLINE double tw_contact_law_limit_overlap(const tw_contact_law *law, double limit)
{
    return limit / (law->mu * law->kn);
}

/* Tangent stiffnesses of a contact [N/m]. */
typedef struct tw_contact_stiffness {
    double kn; /* normal */
    double kt; /* tangential, while it sticks */
} tw_contact_stiffness;

/* At the overlap of `memory`, which may be NULL for a linear law. */
TW_INLINE tw_contact_stiffness tw_contact_law_stiffness(const tw_contact_law *law,
                                                        const tw_contact_memory *memory)
{
    const double zeta = tw_contact_law_gripped(law, memory ? memory->zeta : 0.0);
    const tw_contact_stiffness stiffness = {tw_contact_law_slope(law, zeta),
                                            law->kt * tw_contact_law_root(law, zeta)};
    return stiffness;
}

/* The stable step of leap-frog for an oscillator with w^2 = w2 and the damping rate 2 c: damping
 * forces are those of velocities before the present time, extrapolated to it. */
TW_INLINE double tw_contact_law_stable_oscillator(double w2, double c)
{
    const double twice = 2.0 * c;
    return 2.0 * (sqrt(w2 + twice * twice) - twice) / w2;
}

/* A lower bound of the stable step of leap-frog for a body with `contacts` contacts of this law,
 * which is linear and neither rolls nor twists. A contact's spring energy k |a + b|^2/2 <= k (|a|^2
 * + |b|^2) decouples the bodies: the highest frequency is at most that of a body on twice its
 * springs, w^2 <= 2 sum k (1/m + r^2/I), and likewise the damping rate 2 c <= 2 sum nu (1/m +
 * r^2/I). `mobility` is 1/m + r^2/I, the largest of the body [1/kg]. */
TW_INLINE double tw_contact_law_stable_step(const tw_contact_law *law, double contacts,
                                            double mobility)
{
    const tw_contact_stiffness k = tw_contact_law_stiffness(law, NULL);
    const double nu = law->nu_n > law->nu_t ? law->nu_n : law->nu_t;
    return tw_contact_law_stable_oscillator(2.0 * contacts * (k.kn > k.kt ? k.kn : k.kt) * mobility,
                                            contacts * nu * mobility);
}

/* tw_contact_law_extras. */
TW_INLINE uint32_t tw_contact_law_extras_inline(const tw_contact_law *law)
{
    uint32_t parts = 0;
    /* Without a spring or a limit there is no couple, damped or not. */
    if (law->k_r > 0.0 && law->mu_r > 0.0) {
        parts |= TW_CONTACT_EXTRA_ROLLING;
        if (law->nu_r > 0.0) parts |= TW_CONTACT_EXTRA_ROLLING_DAMPING;
    }
    if (law->k_w > 0.0 && law->mu_w > 0.0) {
        parts |= TW_CONTACT_EXTRA_TWISTING;
        if (law->nu_w > 0.0) parts |= TW_CONTACT_EXTRA_TWISTING_DAMPING;
    }
    if (law->nu_n > 0.0 || law->nu_t > 0.0) parts |= TW_CONTACT_EXTRA_DAMPING;
    if (tw_contact_law_outlives(law)) parts |= TW_CONTACT_EXTRA_ALIVE;
    return parts;
}

/* Whether a contact acts once more in the step in which it ends, by force and couple of its load:
 * what remains of an impulse. */
TW_INLINE int tw_contact_law_acts_on(const tw_contact_law *law)
{
    return (tw_contact_law_extras_inline(law) & TW_CONTACT_EXTRA_DAMPED) != 0 ||
           tw_contact_law_jumps(law);
}

#endif
