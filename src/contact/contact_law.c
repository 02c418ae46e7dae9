/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <twirl/contact_law.h>
#include <twirl/math.h>

static const char *const kind_names[TW_CONTACT_KINDS] = {"exact", "paper", "conventional"};

static const char *const normal_names[TW_CONTACT_NORMALS] = {TW_CONTACT_NORMAL_NAMES};

static const char *const refinement_names[] = {"fresh", "instant", "turning",
                                               "tilt",  "twirl",   "rescale"};
enum { FLAGS = TW_CONTACT_BY_SIZE | TW_CONTACT_NO_TENSION };
enum { REFINEMENTS = sizeof refinement_names / sizeof refinement_names[0] };

tw_contact_law tw_contact_law_default(void)
{
    tw_contact_law law = {0};
    law.kind = TW_CONTACT_EXACT;
    law.refine = TW_CONTACT_ALL;
    return law;
}

static const char *numbers_wrong(const tw_contact_law *law)
{
    if (!(law->kn > 0.0 && law->kn <= DBL_MAX)) return "kn must be a finite number above 0";
#define TW_CONTACT_CONSTANT(name, units, change, scale, word, ratio)                               \
    if (!(law->name >= 0.0 && law->name <= DBL_MAX))                                               \
        return #name " must be a finite number, 0 or above";
#include <twirl/detail/contact_constants.def>
    return NULL;
}

const char *tw_contact_law_check(const tw_contact_law *law)
{
    const char *wrong = numbers_wrong(law);
    if (wrong) return wrong;
    if (law->kind < 0 || law->kind >= TW_CONTACT_KINDS) {
        return "kind must be one of exact, paper, conventional";
    }
    if (law->refine & ~(uint32_t)TW_CONTACT_ALL) {
        return "refine must be a combination of fresh, instant, turning, tilt, twirl, rescale";
    }
    if (law->normal < 0 || law->normal >= TW_CONTACT_NORMALS) {
        return "normal must be one of linear, hertz";
    }
    if (!tw_contact_normal_is_linear(law->normal) && law->kind == TW_CONTACT_PAPER) {
        return "the law of the paper is linear: normal must be linear, or kind exact or "
               "conventional";
    }
    if (law->flags & ~(uint32_t)FLAGS) {
        return "flags must be a combination of TW_CONTACT_BY_RADIUS, TW_CONTACT_BY_MASS, "
               "TW_CONTACT_NO_TENSION and TW_CONTACT_YADE_LEVERS";
    }
    return NULL;
}

uint32_t tw_contact_law_extras(const tw_contact_law *law)
{
    return tw_contact_law_extras_inline(law);
}

tw_contact_law tw_contact_law_at(const tw_contact_law *law, double radius, double mass,
                                 double ratio)
{
    return tw_contact_law_at_inline(law, radius, mass, ratio);
}

/* -ln(e) of a contact that ends when its force does, by its damping ratio (Eq. 67): 2 ratio
 * arccos(ratio)/sqrt(1 - ratio^2), or with the functions of a hyperbola beyond 1. */
static double decrement_without_tension(double ratio)
{
    const double off = ratio - 1.0, s = sqrt(fabs(off) * (1.0 + ratio));
    const double angle = off < 0.0 ? tw_math_atan2(s, ratio) : tw_math_log1p(off + s);
    return 2.0 * ratio * (s > 0.0 ? angle / s : 1.0);
}

double tw_contact_law_damping_ratio(double restitution, uint32_t flags)
{
    const double decrement = -tw_math_log(restitution);
    if (!(flags & TW_CONTACT_NO_TENSION))
        return decrement / sqrt(TW_MATH_PI * TW_MATH_PI + decrement * decrement);
    /* The decrement grows with the ratio, and beyond 1 exceeds twice its logarithm. Bisection ends
     * when the bounds are neighbours. */
    double low = 0.0, high = restitution < 1.0 ? 1.0 / sqrt(restitution) : 0.0;
    for (;;) {
        const double middle = low + 0.5 * (high - low);
        if (!(middle > low && middle < high)) return low;
        if (decrement_without_tension(middle) < decrement)
            low = middle;
        else
            high = middle;
    }
}

const char *tw_contact_kind_name(int32_t kind)
{
    return kind >= 0 && kind < TW_CONTACT_KINDS ? kind_names[kind] : NULL;
}

int32_t tw_contact_kind_named(const char *name)
{
    for (int32_t kind = 0; kind < TW_CONTACT_KINDS; kind++) {
        if (strcmp(name, kind_names[kind]) == 0) return kind;
    }
    return -1;
}

const char *tw_contact_constant_unit(int32_t normal, const char *name)
{
    static const struct {
        const char *name, *unit[TW_CONTACT_NORMALS];
    } constants[] = {
#define TW_CONTACT_CONSTANT(name, units, change, scale, word, ratio) {#name, {units}},
#define TW_CONTACT_UNITS(linear, hertz) linear, hertz
#include <twirl/detail/contact_constants.def>
    };
    if (normal < 0 || normal >= TW_CONTACT_NORMALS) return NULL;
    for (size_t k = 0; k < sizeof constants / sizeof *constants; k++)
        if (strcmp(name, constants[k].name) == 0) return constants[k].unit[normal];
    return NULL;
}

const char *tw_contact_normal_name(int32_t normal)
{
    return normal >= 0 && normal < TW_CONTACT_NORMALS ? normal_names[normal] : NULL;
}

int32_t tw_contact_normal_named(const char *name)
{
    for (int32_t normal = 0; normal < TW_CONTACT_NORMALS; normal++) {
        if (strcmp(name, normal_names[normal]) == 0) return normal;
    }
    return -1;
}

const char *tw_contact_refinement_name(uint32_t refinement)
{
    for (uint32_t i = 0; i < REFINEMENTS; i++) {
        if (refinement == 1u << i) return refinement_names[i];
    }
    return NULL;
}

uint32_t tw_contact_refinement_named(const char *name)
{
    for (uint32_t i = 0; i < REFINEMENTS; i++) {
        if (strcmp(name, refinement_names[i]) == 0) return 1u << i;
    }
    return 0;
}
