/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <twirl/material.h>
#include <twirl/math.h>

/* Sets of normal laws, and how damping is given, as bits. */
enum {
    FOR_LINEAR = 1 << TW_CONTACT_LINEAR,
    FOR_HERTZ = 1 << TW_CONTACT_HERTZ,
    FOR_EVERY = (1 << TW_CONTACT_NORMALS) - 1
};
enum { NEITHER, COEFFICIENTS, RATIOS, BOTH };

int tw_material_has(int32_t normal, const char *name)
{
#define TW_MATERIAL_CONSTANT(constant, least, of, damping, rule, law, word)                        \
    if (strcmp(name, #constant) == 0) return (FOR_##of >> normal & 1) != 0;
#include <twirl/detail/material_constants.def>
    return 0;
}

int32_t tw_material_normal_with(const char *name)
{
    int32_t normal = 0;
    while (normal < TW_CONTACT_NORMALS && !tw_material_has(normal, name))
        normal++;
    return normal < TW_CONTACT_NORMALS ? normal : -1;
}

static int damping_of(const tw_material *m)
{
    const tw_material none = tw_material_default();
    int damping = NEITHER;
#define TW_MATERIAL_CONSTANT(name, least, of, way, rule, law, word)                                \
    if (m->name != none.name) damping |= way;
#include <twirl/detail/material_constants.def>
    return damping;
}

tw_material tw_material_default(void)
{
    tw_material material = {.struct_size = sizeof material};
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
    if (m->struct_size != sizeof *m) return "tw_material was not made by tw_material_default";
    const char *wrong = elastic_wrong(m);
    if (wrong) return wrong;
    if (!(m->restitution > 0.0 && m->restitution <= 1.0)) {
        return "restitution must be above 0, at most 1";
    }
#define TW_MATERIAL_CONSTANT(name, least, of, damping, rule, law, word)                            \
    if (!(m->name >= (least) && m->name <= DBL_MAX))                                               \
        return #name " must be a finite number, " #least " or above";
#include <twirl/detail/material_constants.def>
    if (damping_of(m) == BOTH) {
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

/* Constants that follow from those of the materials by the rules of the table. */
#define MIX_OWN(rule_of, law, name)
#define MIX_SERIES(way, member, name)                                                              \
    if (way == NEITHER || way == damping) law->member = in_series(a->name, b->name);
#define MIX_LEAST(way, member, name)                                                               \
    if (way == NEITHER || way == damping) law->member = tw_math_min(a->name, b->name);
#define MIX_MEAN(way, member, name)                                                                \
    if (way == NEITHER || way == damping) law->member = mean(a->name, b->name);

static void mix_by_rule(const tw_material *a, const tw_material *b, int damping,
                        tw_contact_law *law)
{
#define TW_MATERIAL_CONSTANT(name, least, of, way, rule, member, word) MIX_##rule(way, member, name)
#include <twirl/detail/material_constants.def>
}

static void mix_restitution(const tw_material *a, const tw_material *b, tw_contact_law *law)
{
    const double restitution =
        a->restitution == b->restitution ? a->restitution : sqrt(a->restitution * b->restitution);
    law->flags |= TW_CONTACT_BY_MASS;
    law->nu_n = tw_contact_law_damping_ratio(restitution, law->flags);
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
    if (damping == BOTH) {
        return "both materials must have damping of the same form: coefficients (nu_n, nu_t) or "
               "ratios (restitution, tangential_damping, rolling_damping, twisting_damping)";
    }
    *law = tw_contact_law_default();
    if (a->normal == TW_CONTACT_LINEAR)
        mix_linear(a, b, law);
    else
        mix_hertz(a, b, law);
    if (a->yade_levers) law->flags |= TW_CONTACT_YADE_LEVERS;
    if (a->no_tension || b->no_tension) law->flags |= TW_CONTACT_NO_TENSION;
    mix_by_rule(a, b, damping, law);
    law->k_r = law->kt * mean(a->kr_ratio, b->kr_ratio);
    law->k_w = law->kt * mean(a->kw_ratio, b->kw_ratio);
    if (damping == RATIOS) mix_restitution(a, b, law);
    return tw_contact_law_check(law);
}
