/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/material.h>
#include <twirl/math.h>

/* How the damping of a material is given. */
enum { DAMPING_NONE, DAMPING_COEFFICIENTS, DAMPING_RATIOS, DAMPING_BOTH };

static int damping_of(const tw_material *m)
{
    const int coefficients = m->nu_n > 0.0 || m->nu_t > 0.0;
    const int ratios = m->restitution < 1.0 || m->tangential_damping > 0.0 ||
                       m->rolling_damping > 0.0 || m->twisting_damping > 0.0;
    return (coefficients ? DAMPING_COEFFICIENTS : DAMPING_NONE) |
           (ratios ? DAMPING_RATIOS : DAMPING_NONE);
}

tw_material tw_material_default(void)
{
    tw_material material = {0};
    material.normal = TW_CONTACT_LINEAR;
    material.restitution = 1.0;
    material.kt_ratio = material.kr_ratio = material.kw_ratio = 1.0;
    return material;
}

static int is_finite_positive(double value)
{
    return value > 0.0 && value <= DBL_MAX;
}

static const char *elastic_wrong(const tw_material *m)
{
    if (m->normal == TW_CONTACT_LINEAR) {
        if (m->modulus != 0.0) {
            if (m->kn != 0.0 || m->kt != 0.0)
                return "modulus takes the place of kn and kt: give kt by kt_ratio";
            if (!is_finite_positive(m->modulus)) return "modulus must be a finite number above 0";
            return m->modulus <= DBL_MAX / 4.0 && m->kt_ratio <= DBL_MAX / 4.0 / m->modulus
                       ? NULL
                       : "modulus and kt_ratio are too large";
        }
        if (!is_finite_positive(m->kn)) return "kn must be a finite number above 0";
        if (!(m->kt >= 0.0 && m->kt <= DBL_MAX)) return "kt must be a finite number, 0 or above";
        return NULL;
    }
    if (m->normal != TW_CONTACT_HERTZ) return "normal must be one of linear, hertz";
    if (m->modulus != 0.0) return "modulus is for linear springs: with hertz, give young";
    if (!is_finite_positive(m->young)) return "young must be a finite number above 0";
    if (!(m->poisson > -1.0 && m->poisson <= 0.5)) return "poisson must be above -1, at most 0.5";
    if (m->nu_n > 0.0 || m->nu_t > 0.0) {
        return "nu_n and nu_t are for linear springs: with hertz, give restitution and "
               "tangential_damping";
    }
    return NULL;
}

const char *tw_material_check(const tw_material *m)
{
#define NUMBER(field)                                                                              \
    {                                                                                              \
        m->field, #field " must be a finite number, 0 or above"                                    \
    }
    const struct {
        double value;
        const char *message;
    } numbers[] = {
        NUMBER(friction),         NUMBER(tangential_damping), NUMBER(nu_n),     NUMBER(nu_t),
        NUMBER(rolling_friction), NUMBER(twisting_friction),  NUMBER(kr_ratio), NUMBER(kw_ratio),
        NUMBER(rolling_damping),  NUMBER(twisting_damping),   NUMBER(kt_ratio)};
#undef NUMBER
    const char *wrong = elastic_wrong(m);
    if (wrong) return wrong;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (!(numbers[i].value >= 0.0 && numbers[i].value <= DBL_MAX)) return numbers[i].message;
    }
    if (!(m->restitution > 0.0 && m->restitution <= 1.0)) {
        return "restitution must be above 0, at most 1";
    }
    if (damping_of(m) == DAMPING_BOTH) {
        return "damping must be given by coefficients (nu_n, nu_t) or by ratios (restitution, "
               "tangential_damping, rolling_damping, twisting_damping), not both";
    }
    return NULL;
}

/* Springs or dashpots in series. Two equal ones give the same, without rounding. */
static double in_series(double a, double b)
{
    if (a == b) return a;
    return 2.0 * a * b / (a + b);
}

static double mean(double a, double b)
{
    return 0.5 * (a + b);
}

static void mix_linear(const tw_material *a, const tw_material *b, tw_contact_law *law)
{
    if (a->modulus > 0.0) {
        law->flags |= TW_CONTACT_BY_RADIUS;
        law->kn = 2.0 * in_series(a->modulus, b->modulus);
        law->kt = 2.0 * in_series(a->kt_ratio * a->modulus, b->kt_ratio * b->modulus);
        return;
    }
    law->kn = in_series(a->kn, b->kn);
    law->kt = in_series(a->kt, b->kt);
}

static double normal_compliance(const tw_material *m)
{
    return (1.0 - m->poisson * m->poisson) / m->young;
}

/* (2 - poisson)/G with G = young/(2 (1 + poisson)). */
static double tangential_compliance(const tw_material *m)
{
    return 2.0 * (2.0 - m->poisson) * (1.0 + m->poisson) / m->young;
}

static void mix_hertz(const tw_material *a, const tw_material *b, tw_contact_law *law)
{
    law->normal = TW_CONTACT_HERTZ;
    law->flags |= TW_CONTACT_BY_RADIUS;
    law->kn = 4.0 / 3.0 / (normal_compliance(a) + normal_compliance(b));
    law->kt = 8.0 / (tangential_compliance(a) + tangential_compliance(b));
}

static void mix_damping(const tw_material *a, const tw_material *b, int ratios, tw_contact_law *law)
{
    if (a->no_tension || b->no_tension) law->flags |= TW_CONTACT_NO_TENSION;
    if (!ratios) {
        law->nu_n = in_series(a->nu_n, b->nu_n);
        law->nu_t = in_series(a->nu_t, b->nu_t);
        return;
    }
    const double restitution =
        a->restitution == b->restitution ? a->restitution : sqrt(a->restitution * b->restitution);
    law->flags |= TW_CONTACT_BY_MASS;
    law->nu_n = tw_contact_law_damping_ratio(restitution, law->flags);
    law->nu_t = mean(a->tangential_damping, b->tangential_damping);
    law->nu_r = mean(a->rolling_damping, b->rolling_damping);
    law->nu_w = mean(a->twisting_damping, b->twisting_damping);
}

const char *tw_material_pair_law(const tw_material *a, const tw_material *b, tw_contact_law *law)
{
    const char *wrong = tw_material_check(a);
    if (!wrong) wrong = tw_material_check(b);
    if (wrong) return wrong;
    const int damping = damping_of(a) | damping_of(b);
    if (a->normal != b->normal) return "both materials must have the same normal law";
    if ((a->modulus > 0.0) != (b->modulus > 0.0)) {
        return "both materials must have stiffness of the same form: modulus, or kn and kt";
    }
    if (!a->yade_levers != !b->yade_levers) return "both materials must have the same levers";
    if (damping == DAMPING_BOTH) {
        return "both materials must have damping of the same form: coefficients (nu_n, nu_t) or "
               "ratios (restitution, tangential_damping, rolling_damping, twisting_damping)";
    }
    *law = tw_contact_law_default();
    if (a->normal == TW_CONTACT_LINEAR)
        mix_linear(a, b, law);
    else
        mix_hertz(a, b, law);
    if (a->yade_levers) law->flags |= TW_CONTACT_YADE_LEVERS;
    law->mu = tw_math_min(a->friction, b->friction);
    law->mu_r = tw_math_min(a->rolling_friction, b->rolling_friction);
    law->mu_w = tw_math_min(a->twisting_friction, b->twisting_friction);
    law->k_r = law->kt * mean(a->kr_ratio, b->kr_ratio);
    law->k_w = law->kt * mean(a->kw_ratio, b->kw_ratio);
    mix_damping(a, b, damping == DAMPING_RATIOS, law);
    return tw_contact_law_check(law);
}
