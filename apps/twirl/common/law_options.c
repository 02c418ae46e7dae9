/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/law_options.h"

#include "base/error.h"
#include "common/args.h"

#include <math.h>
#include <string.h>

/* Clear of the keys of the commands, which start at 256. */
enum { KEY_LAW = 1024, KEY_KN, KEY_KT, KEY_MU, KEY_NU, KEY_WITHOUT };

static const struct argp_option options[] = {
    {"law", KEY_LAW, "NAME", 0, "contact law: exact (default), paper or conventional", 0},
    {"kn", KEY_KN, "NUMBER", 0, "normal stiffness [N/m], required", 0},
    {"kt", KEY_KT, "NUMBER", 0, "tangential stiffness [N/m], required", 0},
    {"mu", KEY_MU, "NUMBER", 0, "friction coefficient [-], required", 0},
    {"nu", KEY_NU, "NUMBER", 0, "contact damping [N s/m]; default: 0", 0},
    {"without", KEY_WITHOUT, "LIST", 0,
     "refinements of the law to switch off, separated by commas: fresh, instant, turning, tilt, "
     "twirl",
     0},
    {0}};

static int32_t parse_law(const struct argp_state *state, const char *text)
{
    const int32_t kind = tw_contact_kind_named(text);
    if (kind >= 0) return kind;
    const char *known[TW_CONTACT_KINDS];
    for (int32_t i = 0; i < TW_CONTACT_KINDS; i++)
        known[i] = tw_contact_kind_name(i);
    tw_args_refuse_name(state, "--law", text, strlen(text), "a law", known, TW_CONTACT_KINDS);
    return kind;
}

static uint32_t parse_refinement(const struct argp_state *state, const char *text, size_t length)
{
    const char *known[32];
    size_t count = 0;
    for (uint32_t bit = 1; bit & TW_CONTACT_ALL; bit <<= 1) {
        const char *name = tw_contact_refinement_name(bit);
        if (strlen(name) == length && strncmp(name, text, length) == 0) return bit;
        known[count++] = name;
    }
    tw_args_refuse_name(state, "--without", text, length, "a refinement", known, count);
    return 0;
}

/* An empty list switches nothing off, for scripts that build the list. */
static uint32_t parse_without(const struct argp_state *state, const char *text)
{
    uint32_t off = 0;
    for (const char *next = text; *text && next;) {
        const size_t length = strcspn(next, ",");
        off |= parse_refinement(state, next, length);
        next = next[length] ? next + length + 1 : NULL;
    }
    return off;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    tw_law_options *given = state->input;
    switch (key) {
    case KEY_LAW:
        given->kind = parse_law(state, text);
        break;
    case KEY_KN:
        given->kn = tw_args_number(state, "kn", text);
        break;
    case KEY_KT:
        given->kt = tw_args_number(state, "kt", text);
        break;
    case KEY_MU:
        given->mu = tw_args_number(state, "mu", text);
        break;
    case KEY_NU:
        given->nu = tw_args_number(state, "nu", text);
        break;
    case KEY_WITHOUT:
        given->without_given = true;
        given->without |= parse_without(state, text);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp tw_law_options_argp = {options, parse_option, NULL, NULL, NULL, NULL, NULL};

tw_law_options tw_law_options_none(void)
{
    return (tw_law_options){.kn = nan(""), .kt = nan(""), .mu = nan(""), .nu = nan(""), .kind = -1};
}

static bool put(double given, double *value)
{
    if (isnan(given)) return false;
    *value = given;
    return true;
}

static bool apply(const tw_law_options *given, tw_contact_law *law)
{
    bool any = put(given->kn, &law->kn);
    any |= put(given->kt, &law->kt);
    any |= put(given->mu, &law->mu);
    any |= put(given->nu, &law->nu_n);
    if (given->kind >= 0) law->kind = given->kind;
    if (given->without_given) law->refine = TW_CONTACT_ALL & ~given->without;
    return any || given->kind >= 0 || given->without_given;
}

static tw_status check(const tw_contact_law *law, tw_error *error)
{
    const char *problem = tw_contact_law_check(law);
    if (!problem) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT,
                        "%s; given: --kn %.9g --kt %.9g --mu %.9g --nu %.9g", problem, law->kn,
                        law->kt, law->mu, law->nu_n);
}

tw_status tw_law_options_make(const tw_law_options *given, tw_contact_law *law, tw_error *error)
{
    const char *missing = NULL;
    if (isnan(given->mu)) missing = "--mu is missing: the friction coefficient";
    if (isnan(given->kt)) missing = "--kt is missing: the tangential stiffness [N/m]";
    if (isnan(given->kn)) missing = "--kn is missing: the normal stiffness [N/m]";
    if (missing) return tw_error_set(error, TW_STATUS_INPUT, "%s", missing);
    *law = tw_contact_law_default();
    apply(given, law);
    return check(law, error);
}

tw_status tw_law_options_change(const tw_law_options *given, tw_contact_law *law, bool *changed,
                                tw_error *error)
{
    *changed = apply(given, law);
    return *changed ? check(law, error) : TW_STATUS_OK;
}
