/* SPDX-License-Identifier: GPL-2.0-only */
#include "law_arguments.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

using namespace LAMMPS_NS;

namespace twirl_lammps
{

static std::string refinements()
{
    std::string names;
    for (uint32_t bit = 1; bit & TW_CONTACT_ALL; bit <<= 1)
        names += std::string(names.empty() ? "" : ", ") + tw_contact_refinement_name(bit);
    return names;
}

[[noreturn]] static void illegal(LAMMPS *lmp, const std::string &command, const std::string &what)
{
    error_all(lmp->error, "Illegal " + command + " command: " + what);
}

int read_law_arguments(LAMMPS *lmp, const std::string &command, int narg, char **arg, int at,
                       tw_contact_law *law)
{
    const std::string key = arg[at];
    if (key != "law" && key != "without") return 0;
    if (at + 1 >= narg) illegal(lmp, command, key + " needs a value");
    if (key == "law") {
        law->kind = tw_contact_kind_named(arg[at + 1]);
        if (law->kind < 0)
            illegal(lmp, command,
                    "unknown law '" + std::string(arg[at + 1]) +
                        "'; expected exact, paper or conventional");
        return 2;
    }
    std::istringstream names(arg[at + 1]);
    for (std::string name; std::getline(names, name, ',');) {
        const uint32_t bit = tw_contact_refinement_named(name.c_str());
        if (!bit)
            illegal(lmp, command, "unknown refinement '" + name + "'; expected " + refinements());
        law->refine &= ~bit;
    }
    return 2;
}

double read_number(LAMMPS *lmp, const std::string &command, const char *what, const char *word)
{
    char *end;
    const double value = std::strtod(word, &end);
    if (end == word || *end || !std::isfinite(value))
        illegal(lmp, command, std::string(what) + " must be a finite number, not '" + word + "'");
    return value;
}

/* ---- Coefficients ---- */

/* The forms: a word, or none for the first, three constants, and keywords with a value each. */
enum Form { PLAIN, LINEAR, LINEAR_RADIUS, LINEAR_MATERIAL, HERTZ, HERTZ_RADIUS, HERTZ_MATERIAL };

struct FormName {
    Form form;
    const char *name;
    const char *constants[3];
};

static const FormName forms[] = {
    {LINEAR, "linear", {"kn", "kt", "mu"}},
    {LINEAR_RADIUS, "linear/radius", {"kn", "kt", "mu"}},
    {LINEAR_MATERIAL, "linear/material", {"modulus", "kt_ratio", "mu"}},
    {HERTZ, "hertz", {"kn", "kt", "mu"}},
    {HERTZ_RADIUS, "hertz/radius", {"kn", "kt", "mu"}},
    {HERTZ_MATERIAL, "hertz/material", {"young", "poisson", "mu"}}};
static const FormName plain = {PLAIN, "", {"kn", "kt", "mu"}};

static bool is_material(Form form)
{
    return form == PLAIN || form == LINEAR_MATERIAL || form == HERTZ_MATERIAL;
}

/* A keyword with a number; those of damping by coefficients and by ratios exclude each other. */
enum KeyKind { ANY, COEFFICIENT, RATIO };

template <typename Owner> struct Key {
    const char *name;
    double Owner::*value;
    KeyKind kind;
};

/* A row without a word has a place of its own among the constants of a form. */
static const Key<tw_material> material_keys[] = {
#define TW_MATERIAL_CONSTANT(name, least, of, damping, rule, law, word)                            \
    {word, &tw_material::name, ANY},
#include <twirl/detail/material_constants.def>
};

static const Key<tw_contact_law> law_keys[] = {
#define TW_CONTACT_CONSTANT(name, units, change, scale, word, ratio)                               \
    {word, &tw_contact_law::name, *(ratio) ? COEFFICIENT : ANY},                                   \
        {ratio, &tw_contact_law::name, RATIO},
#include <twirl/detail/contact_constants.def>
};

static const FormName &form_of(LAMMPS *lmp, const std::string &command, const char *word)
{
    std::string known;
    for (const FormName &form : forms) {
        if (!std::strcmp(word, form.name)) return form;
        known += std::string(", ") + form.name;
    }
    if (std::strchr("+-.0123456789", word[0])) return plain;
    illegal(lmp, command,
            "unknown law '" + std::string(word) + "'; expected a number, kn, or one of" +
                known.substr(1));
}

/* Reads pairs of keyword and value. Returns the kinds of keywords that were given, as bits. */
template <typename Owner, size_t COUNT>
static int read_keys(LAMMPS *lmp, const std::string &command, int narg, char **arg,
                     const Key<Owner> (&keys)[COUNT], Owner *owner, int *no_tension, int *yade)
{
    int kinds = 0;
    for (int at = 0; at < narg; at += 2) {
        const std::string name = arg[at], word = at + 1 < narg ? arg[at + 1] : "";
        const Key<Owner> *found = nullptr;
        std::string known;
        for (const Key<Owner> &key : keys) {
            if (!*key.name) continue;
            if (name == key.name) found = &key;
            known += std::string(key.name) + ", ";
        }
        if (found) {
            if (at + 1 >= narg) illegal(lmp, command, name + " needs a value");
            owner->*found->value = read_number(lmp, command, found->name, arg[at + 1]);
            kinds |= 1 << found->kind;
        } else if (name == "no_tension") {
            if (word != "yes" && word != "no")
                illegal(lmp, command, "no_tension must be yes or no, not '" + word + "'");
            *no_tension = word == "yes";
        } else if (name == "levers") {
            if (word != "reduced" && word != "yade")
                illegal(lmp, command, "levers must be reduced or yade, not '" + word + "'");
            *yade = word == "yade";
        } else {
            illegal(lmp, command,
                    "unknown keyword '" + name + "'; expected " + known + "no_tension, levers");
        }
    }
    return kinds;
}

/* Springs of rolling and twisting are as stiff as the tangential one unless given. */
static void read_law_keys(LAMMPS *lmp, const std::string &command, int narg, char **arg,
                          tw_contact_law *law)
{
    int no_tension = 0, yade = 0;
    law->k_r = law->k_w = -1.0; /* not given */
    const int kinds = read_keys(lmp, command, narg, arg, law_keys, law, &no_tension, &yade);
    if (law->k_r < 0.0) law->k_r = law->mu_r > 0.0 ? law->kt : 0.0;
    if (law->k_w < 0.0) law->k_w = law->mu_w > 0.0 ? law->kt : 0.0;
    if (no_tension) law->flags |= TW_CONTACT_NO_TENSION;
    if (yade) law->flags |= TW_CONTACT_YADE_LEVERS;
    if (kinds & 1 << COEFFICIENT && kinds & 1 << RATIO)
        illegal(lmp, command,
                "damping is given by coefficients (nu_n, nu_t, nu_r, nu_w) or by ratios "
                "(damping_n, damping_t, damping_r, damping_w), not both");
    if (kinds & 1 << RATIO) law->flags |= TW_CONTACT_BY_MASS;
}

static tw_material material_of(Form form, const double *constants)
{
    tw_material material = tw_material_default();
    if (form == PLAIN) {
        material.kn = constants[0];
        material.kt = constants[1];
    } else if (form == LINEAR_MATERIAL) {
        material.modulus = constants[0];
        material.kt_ratio = constants[1];
    } else {
        material.normal = tw_material_normal_with("young");
        material.young = constants[0];
        material.poisson = constants[1];
    }
    material.friction = constants[2];
    return material;
}

static tw_contact_law law_of_constants(Form form, const double *constants,
                                       const tw_contact_law &style)
{
    tw_contact_law law = style;
    law.kn = constants[0];
    law.kt = constants[1];
    law.mu = constants[2];
    law.normal =
        tw_contact_normal_named(form == LINEAR || form == LINEAR_RADIUS ? "linear" : "hertz");
    if (form == LINEAR_RADIUS || form == HERTZ_RADIUS) law.flags |= TW_CONTACT_BY_RADIUS;
    return law;
}

/* Gives a law of materials the kind and refinements of the style. */
static tw_contact_law styled(tw_contact_law law, const tw_contact_law &style)
{
    law.kind = style.kind;
    law.refine = style.refine;
    return law;
}

LawCoefficients read_law_coefficients(LAMMPS *lmp, const std::string &command, int count,
                                      char **arg, const tw_contact_law &style)
{
    const FormName &form = form_of(lmp, command, count > 0 ? arg[0] : "");
    int at = form.form == PLAIN ? 0 : 1;
    double constants[3];
    if (count < at + 3)
        illegal(lmp, command,
                std::string(form.name) + (at ? " " : "") + form.constants[0] + " " +
                    form.constants[1] + " " + form.constants[2] + " expected");
    for (int k = 0; k < 3; k++)
        constants[k] = read_number(lmp, command, form.constants[k], arg[at++]);
    LawCoefficients out = {style, tw_material_default(), is_material(form.form)};
    if (!out.has_material) {
        out.law = law_of_constants(form.form, constants, style);
        read_law_keys(lmp, command, count - at, arg + at, &out.law);
    } else {
        out.material = material_of(form.form, constants);
        if (form.form == PLAIN && at < count && !std::isalpha(static_cast<unsigned char>(*arg[at])))
            out.material.nu_n = out.material.nu_t = read_number(lmp, command, "nu", arg[at++]);
        read_keys(lmp, command, count - at, arg + at, material_keys, &out.material,
                  &out.material.no_tension, &out.material.yade_levers);
        const char *why = tw_material_check(&out.material);
        if (!why) why = tw_material_pair_law(&out.material, &out.material, &out.law);
        if (why) illegal(lmp, command, why);
        out.law = styled(out.law, style);
    }
    const char *wrong = tw_contact_law_check(&out.law);
    if (wrong) illegal(lmp, command, wrong);
    return out;
}

static void add_value(std::string *text, const char *name, double value)
{
    char number[40];
    std::snprintf(number, sizeof number, " %.17g", value);
    if (name[0]) *text += std::string(" ") + name;
    *text += number;
}

static std::string material_text(const tw_material &m)
{
    const tw_material standard = tw_material_default();
    const bool hertz = tw_material_has(m.normal, "young"), sized = m.modulus > 0.0;
    std::string text = hertz ? " hertz/material" : sized ? " linear/material" : "";
    add_value(&text, "", hertz ? m.young : sized ? m.modulus : m.kn);
    add_value(&text, "", hertz ? m.poisson : sized ? m.kt_ratio : m.kt);
    add_value(&text, "", m.friction);
    for (const Key<tw_material> &key : material_keys) {
        if (*key.name && m.*key.value != standard.*key.value)
            add_value(&text, key.name, m.*key.value);
    }
    if (m.no_tension) text += " no_tension yes";
    return text + (m.yade_levers ? " levers yade" : "");
}

static std::string constants_text(const tw_contact_law &law)
{
    const bool ratios = law.flags & TW_CONTACT_BY_MASS;
    std::string text = std::string(" ") + tw_contact_normal_name(law.normal);
    if (law.flags & TW_CONTACT_BY_RADIUS) text += "/radius";
    add_value(&text, "", law.kn);
    add_value(&text, "", law.kt);
    add_value(&text, "", law.mu);
    for (const Key<tw_contact_law> &key : law_keys) {
        if (*key.name && law.*key.value != 0.0 && key.kind != (ratios ? COEFFICIENT : RATIO))
            add_value(&text, key.name, law.*key.value);
    }
    if (law.flags & TW_CONTACT_NO_TENSION) text += " no_tension yes";
    return text + (law.flags & TW_CONTACT_YADE_LEVERS ? " levers yade" : "");
}

std::string law_coefficients_text(const LawCoefficients &coefficients, bool mixable)
{
    if (mixable && coefficients.has_material) return material_text(coefficients.material);
    return constants_text(coefficients.law);
}

tw_contact_law mix_coefficients(LAMMPS *lmp, const LawCoefficients &a, const LawCoefficients &b,
                                int type_a, int type_b)
{
    const std::string types = std::to_string(type_a) + " " + std::to_string(type_b);
    tw_contact_law law;
    if (!a.has_material || !b.has_material)
        illegal(lmp, "pair_coeff",
                "types " + types +
                    " have no coefficients, and constants of contacts cannot be "
                    "mixed; give pair_coeff " +
                    types +
                    ", or materials: kn kt mu, linear/material modulus kt_ratio mu, or "
                    "hertz/material young poisson mu");
    const char *why = tw_material_pair_law(&a.material, &b.material, &law);
    if (why) illegal(lmp, "pair_coeff", "types " + types + ": " + why);
    return styled(law, a.law);
}

} // namespace twirl_lammps
