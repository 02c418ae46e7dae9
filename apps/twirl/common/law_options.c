/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/law_options.h"

#include "base/error.h"
#include "base/text.h"
#include "common/args.h"

#include <twirl/contact_law.h>
#include <twirl/material.h>

#include <math.h>
#include <string.h>

static void read_law(const struct argp_state *state, const char *option, char *text, void *member)
{
    const char *known[TW_CONTACT_KINDS];
    (void)option;
    for (int32_t i = 0; i < TW_CONTACT_KINDS; i++)
        known[i] = tw_contact_kind_name(i);
    *(int32_t *)member = (int32_t)tw_args_choice(state, "--law", text, strlen(text), "a law", known,
                                                 TW_CONTACT_KINDS);
}

static void read_normal(const struct argp_state *state, const char *option, char *text,
                        void *member)
{
    const char *known[TW_CONTACT_NORMALS];
    (void)option;
    for (int32_t i = 0; i < TW_CONTACT_NORMALS; i++)
        known[i] = tw_contact_normal_name(i);
    *(int32_t *)member = (int32_t)tw_args_choice(state, "--normal", text, strlen(text),
                                                 "a normal law", known, TW_CONTACT_NORMALS);
}

static void read_levers(const struct argp_state *state, const char *option, char *text,
                        void *member)
{
    static const char *const known[] = {"reduced", "yade"};
    (void)option;
    *(int32_t *)member =
        (int32_t)tw_args_choice(state, "--levers", text, strlen(text), "a name", known, 2);
}

/* An empty list switches nothing off, for scripts that build the list. */
static void read_without(const struct argp_state *state, const char *option, char *text,
                         void *member)
{
    tw_law_options *given = member;
    const char *known[32];
    size_t count = 0;
    (void)option;
    for (uint32_t bit = 1; bit & TW_CONTACT_ALL; bit <<= 1)
        known[count++] = tw_contact_refinement_name(bit);
    given->without_given = true;
    for (const char *next = text; *text && next;) {
        const size_t length = strcspn(next, ",");
        given->without |=
            1u << tw_args_choice(state, "--without", next, length, "a refinement", known, count);
        next = next[length] ? next + length + 1 : NULL;
    }
}

#define NUMBER(name, which, text)                                                                  \
    {                                                                                              \
        name, "NUMBER", text, tw_args_number, offsetof(tw_law_options, which)                      \
    }

static const tw_args_option options[] = {
    {"law", "NAME", "contact law: exact (default), paper or conventional", read_law,
     offsetof(tw_law_options, kind)},
    {"normal", "NAME", "springs: linear (default) or hertz (Hertz-Mindlin)", read_normal,
     offsetof(tw_law_options, normal)},
    NUMBER("kn", kn,
           "normal stiffness [N/m]; Hertz: force/overlap^1.5 [N/m^1.5]. Required, unless --young "
           "or --modulus is given"),
    NUMBER("kt", kt,
           "tangential stiffness [N/m]; Hertz: stiffness/overlap^0.5 [N/m^1.5]. Required, unless "
           "--young or --modulus is given"),
    NUMBER("mu", mu, "friction coefficient [-], required"),
    NUMBER("young", young,
           "Young's modulus of both spheres [Pa]: Hertz contacts, in place of --kn and --kt"),
    NUMBER("poisson", poisson, "Poisson's ratio, for --young [-]; default: 0.3"),
    NUMBER("modulus", modulus,
           "linear contacts with kn = 2 modulus R, R the reduced radius [Pa], in place of --kn and "
           "--kt"),
    NUMBER("kt-ratio", kt_ratio, "kt/kn, for --modulus [-]; default: 1"),
    NUMBER("nu", nu, "both --nu-n and --nu-t"),
    NUMBER("nu-n", nu_n,
           "normal damping [N s/m]; Hertz: per overlap^0.25 [N s/m^1.25]; default: 0"),
    NUMBER("nu-t", nu_t, "tangential damping, while the contact sticks; default: 0"),
    NUMBER("restitution", restitution,
           "coefficient of restitution, above 0 to 1, in place of --nu-n; the other damping "
           "coefficients are then damping ratios"),
    {"no-tension", NULL, "damping does not pull at parting", tw_args_flag,
     offsetof(tw_law_options, no_tension)},
    NUMBER("rolling", rolling, "rolling friction [-]; default: 0, no rolling resistance"),
    NUMBER("k-r", k_r, "rolling stiffness, as --kt, which is the default"),
    NUMBER("nu-r", nu_r, "rolling damping, as --nu-t; default: 0"),
    NUMBER("twisting", twisting, "twisting friction [-]; default: 0, no twisting resistance"),
    NUMBER("k-w", k_w, "twisting stiffness, as --kt, which is the default"),
    NUMBER("nu-w", nu_w, "twisting damping, as --nu-t; default: 0"),
    {"levers", "NAME",
     "lengths of rolling and twisting: reduced (default), the reduced radius; yade, as in YADE: "
     "stiffness with the product of the radii, limit with the smaller one",
     read_levers, offsetof(tw_law_options, levers)},
    {"without", "LIST",
     "refinements of the law to switch off, separated by commas: fresh, instant, turning, tilt, "
     "twirl, rescale",
     read_without, 0},
    {0}};

/* The number of a row; NaN: it is not given, or no option with a number. */
static double number_of(const tw_args_option *row, const tw_law_options *given)
{
    double number = nan("");
    if (row->read == tw_args_number)
        memcpy(&number, (const char *)given + row->offset, sizeof number);
    return number;
}

const tw_args_table tw_law_options_table = {options, NULL};

tw_law_options tw_law_options_none(void)
{
    tw_law_options given = {.kind = -1, .normal = -1, .levers = -1};
    const double none = nan("");
    for (const tw_args_option *row = options; row->name; row++)
        if (row->read == tw_args_number) memcpy((char *)&given + row->offset, &none, sizeof none);
    return given;
}

static bool has(double number)
{
    return !isnan(number);
}

static bool is_empty(const tw_law_options *given)
{
    for (const tw_args_option *row = options; row->name; row++)
        if (has(number_of(row, given))) return false;
    return given->kind < 0 && given->normal < 0 && given->levers < 0 && !given->no_tension &&
           !given->without_given;
}

static void put(double number, double *value)
{
    if (has(number)) *value = number;
}

/* NULL, or why two of the options do not go together. */
static const char *conflict(const tw_law_options *given)
{
    const bool elastic = has(given->young);
    if (elastic && (has(given->kn) || has(given->kt)))
        return "--young takes the place of --kn and --kt: give either";
    if (elastic && given->normal >= 0 && !tw_material_has(given->normal, "young"))
        return "--young is for Hertz contacts, not for --normal linear";
    if (has(given->modulus) && (elastic || has(given->kn) || has(given->kt)))
        return "--modulus takes the place of --kn and --kt, and of --young: give either";
    if (has(given->modulus) && given->normal >= 0 && !tw_material_has(given->normal, "modulus"))
        return "--modulus is for linear contacts: with --normal hertz, give --young";
    if (!has(given->modulus) && has(given->kt_ratio)) return "--kt-ratio requires --modulus";
    if ((elastic || has(given->modulus)) && (has(given->k_r) || has(given->k_w)))
        return "--k-r and --k-w are not for --young and --modulus: rolling and twisting then have "
               "the tangential "
               "stiffness";
    if (!elastic && has(given->poisson)) return "--poisson requires --young";
    if (has(given->restitution) && (has(given->nu) || has(given->nu_n)))
        return "--restitution takes the place of --nu and --nu-n: give either";
    if (has(given->nu) && (has(given->nu_n) || has(given->nu_t)))
        return "--nu sets both --nu-n and --nu-t: give either";
    return NULL;
}

/* NULL, or what a law from the options alone lacks. */
static const char *missing(const tw_law_options *given)
{
    if (!has(given->young) && !has(given->modulus)) {
        if (!has(given->kn)) return "--kn is missing: the normal stiffness [N/m]";
        if (!has(given->kt)) return "--kt is missing: the tangential stiffness [N/m]";
    }
    if (!has(given->mu)) return "--mu is missing: the friction coefficient";
    if ((has(given->k_r) || has(given->nu_r)) && !has(given->rolling))
        return "--rolling is missing: the rolling friction, for --k-r and --nu-r";
    if ((has(given->k_w) || has(given->nu_w)) && !has(given->twisting))
        return "--twisting is missing: the twisting friction, for --k-w and --nu-w";
    return NULL;
}

/* Whether the stiffnesses will have other units. */
static bool changes_units(const tw_law_options *given, const tw_contact_law *law)
{
    const bool by_radius = law->flags & (uint32_t)TW_CONTACT_BY_RADIUS;
    if (has(given->young)) return !by_radius || !tw_material_has(law->normal, "young");
    if (has(given->modulus)) return !by_radius || !tw_material_has(law->normal, "modulus");
    if (by_radius && (has(given->kn) || has(given->kt))) return true;
    return given->normal >= 0 && given->normal != law->normal;
}

/* By --young or --modulus. */
static const char *apply_elasticity(const tw_law_options *given, tw_contact_law *law)
{
    tw_material material = tw_material_default();
    tw_contact_law pair;
    material.normal = tw_material_normal_with(has(given->young) ? "young" : "modulus");
    put(given->young, &material.young);
    put(given->modulus, &material.modulus);
    put(given->kt_ratio, &material.kt_ratio);
    material.poisson = 0.3;
    put(given->poisson, &material.poisson);
    const char *problem = tw_material_pair_law(&material, &material, &pair);
    if (problem) return problem;
    law->normal = pair.normal;
    law->kn = pair.kn;
    law->kt = pair.kt;
    law->flags |= pair.flags;
    return NULL;
}

/* Where units change, rolling and twisting keep their share of kt, and damping that is not given
 * ends. */
static const char *apply_stiffness(const tw_law_options *given, tw_contact_law *law)
{
    const bool elastic = has(given->young) || has(given->modulus),
               other = changes_units(given, law);
    const tw_contact_law old = *law;
    if (other && !elastic && !(has(given->kn) && has(given->kt)))
        return "the stiffnesses will have other units: give --kn and --kt together, --modulus or "
               "--young";
    put(given->kn, &law->kn);
    put(given->kt, &law->kt);
    if (given->normal >= 0) law->normal = given->normal;
    if (other) law->flags &= ~(uint32_t)TW_CONTACT_BY_RADIUS;
    if (elastic) {
        const char *problem = apply_elasticity(given, law);
        if (problem) return problem;
    }
    if ((other || elastic) && old.kt > 0.0) {
        law->k_r *= law->kt / old.kt;
        law->k_w *= law->kt / old.kt;
    }
    if (law->normal != old.normal && !(law->flags & (uint32_t)TW_CONTACT_BY_MASS))
        tw_contact_law_undamp(law);
    if (has(given->rolling) && !(law->k_r > 0.0)) law->k_r = law->kt;
    if (has(given->twisting) && !(law->k_w > 0.0)) law->k_w = law->kt;
    put(given->rolling, &law->mu_r);
    put(given->k_r, &law->k_r);
    put(given->twisting, &law->mu_w);
    put(given->k_w, &law->k_w);
    if (given->levers >= 0) law->flags &= ~(uint32_t)TW_CONTACT_YADE_LEVERS;
    if (given->levers == 1) law->flags |= (uint32_t)TW_CONTACT_YADE_LEVERS;
    return NULL;
}

/* Ratios do not become coefficients, or the reverse: a change of the flag ends all damping that is
 * not given. */
static void change_damping_flag(tw_contact_law *law, bool by_mass)
{
    if (by_mass == !!(law->flags & (uint32_t)TW_CONTACT_BY_MASS)) return;
    law->flags ^= (uint32_t)TW_CONTACT_BY_MASS;
    tw_contact_law_undamp(law);
}

static const char *apply_damping(const tw_law_options *given, tw_contact_law *law)
{
    if (given->no_tension) law->flags |= (uint32_t)TW_CONTACT_NO_TENSION;
    if (has(given->restitution)) {
        const double e = given->restitution;
        if (!(e > 0.0 && e <= 1.0)) return "--restitution must be above 0 and at most 1";
        change_damping_flag(law, true);
        law->nu_n = tw_contact_law_damping_ratio(e, law->flags);
    } else if (has(given->nu) || has(given->nu_n)) {
        change_damping_flag(law, false);
    }
    put(given->nu, &law->nu_n);
    put(given->nu, &law->nu_t);
    put(given->nu_n, &law->nu_n);
    put(given->nu_t, &law->nu_t);
    put(given->nu_r, &law->nu_r);
    put(given->nu_w, &law->nu_w);
    return NULL;
}

static tw_status refuse(const tw_law_options *given, const char *problem, tw_error *error)
{
    tw_text_buffer list = {0};
    for (const tw_args_option *row = options; row->name; row++)
        if (has(number_of(row, given)))
            tw_text_buffer_add(&list, " --%s %.9g", row->name, number_of(row, given));
    const tw_status status =
        tw_error_set(error, TW_STATUS_INPUT, list.text ? "%s; given:%s" : "%s%s", problem,
                     list.text ? list.text : "");
    tw_text_buffer_free(&list);
    return status;
}

static tw_status apply(const tw_law_options *given, tw_contact_law *law, tw_error *error)
{
    const char *problem = conflict(given);
    if (!problem) problem = apply_stiffness(given, law);
    if (!problem) problem = apply_damping(given, law);
    put(given->mu, &law->mu);
    if (given->kind >= 0) law->kind = given->kind;
    if (given->without_given) law->refine = TW_CONTACT_ALL & ~given->without;
    if (!problem) problem = tw_contact_law_check(law);
    return problem ? refuse(given, problem, error) : TW_STATUS_OK;
}

tw_status tw_law_options_make(const tw_law_options *given, tw_contact_law *law, tw_error *error)
{
    const char *problem = missing(given);
    if (problem) return tw_error_set(error, TW_STATUS_INPUT, "%s", problem);
    *law = tw_contact_law_default();
    return apply(given, law, error);
}

tw_status tw_law_options_change(const tw_law_options *given, tw_contact_law *law, bool *changed,
                                tw_error *error)
{
    *changed = !is_empty(given);
    return *changed ? apply(given, law, error) : TW_STATUS_OK;
}
