/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/lammps/lammps_law.h"

#include <stddef.h>
#include <string.h>

typedef struct law_key {
    const char *name, *ratio; /* the second: as a damping ratio */
    size_t at;                /* in tw_contact_law */
} law_key;

static const law_key law_keys[] = {
    {"nu_n", "damping_n", offsetof(tw_contact_law, nu_n)},
    {"nu_t", "damping_t", offsetof(tw_contact_law, nu_t)},
    {"mu_r", NULL, offsetof(tw_contact_law, mu_r)},
    {"k_r", NULL, offsetof(tw_contact_law, k_r)},
    {"nu_r", "damping_r", offsetof(tw_contact_law, nu_r)},
    {"mu_w", NULL, offsetof(tw_contact_law, mu_w)},
    {"k_w", NULL, offsetof(tw_contact_law, k_w)},
    {"nu_w", "damping_w", offsetof(tw_contact_law, nu_w)},
};
enum { LAW_KEYS = sizeof law_keys / sizeof law_keys[0] };

static const struct {
    const char *name;
    int32_t normal;
    uint32_t flags;
} law_forms[] = {{"linear", TW_CONTACT_LINEAR, 0},
                 {"hertz", TW_CONTACT_HERTZ, 0},
                 {"hertz/radius", TW_CONTACT_HERTZ, TW_CONTACT_BY_RADIUS}};
enum { LAW_FORMS = sizeof law_forms / sizeof law_forms[0] };

const tw_lammps_law_columns tw_lammps_law_columns_of_extras[TW_LAMMPS_LAW_COLUMNS] = {
    {"fr", TW_CONTACT_EXTRA_ROLLING, 0, 3},
    {"fw", TW_CONTACT_EXTRA_TWISTING, 3, 1},
    {"drag", TW_CONTACT_EXTRA_DAMPING, 4, 3},
    {"rate", TW_CONTACT_EXTRA_DAMPING, 7, 3},
    {"drag_r", TW_CONTACT_EXTRA_ROLLING_DAMPING, 10, 3},
    {"rate_r", TW_CONTACT_EXTRA_ROLLING_DAMPING, 13, 3},
    {"drag_w", TW_CONTACT_EXTRA_TWISTING_DAMPING, 16, 1},
    {"rate_w", TW_CONTACT_EXTRA_TWISTING_DAMPING, 17, 1},
};
_Static_assert(sizeof(tw_contact_extra) == TW_LAMMPS_LAW_EXTRAS * sizeof(double),
               "the columns are those of tw_contact_extra");

static double *value_of(tw_contact_law *law, const law_key *key)
{
    return (double *)(void *)((char *)law + key->at);
}

void tw_lammps_law_print(tw_outfile *out, const tw_contact_law *law)
{
    const uint32_t by_radius = law->flags & TW_CONTACT_BY_RADIUS;
    const int form = law->normal == TW_CONTACT_LINEAR ? 0 : by_radius ? 2 : 1;
    const bool ratios = (law->flags & TW_CONTACT_BY_MASS) != 0;
    tw_contact_law copy = *law;
    tw_outfile_print(out, " %s %.17g %.17g %.17g", law_forms[form].name, law->kn, law->kt, law->mu);
    for (size_t i = 0; i < LAW_KEYS; i++) {
        const double value = *value_of(&copy, &law_keys[i]);
        const char *name = ratios && law_keys[i].ratio ? law_keys[i].ratio : law_keys[i].name;
        if (value != 0.0) tw_outfile_print(out, " %s %.17g", name, value);
    }
    if (law->flags & TW_CONTACT_NO_TENSION) tw_outfile_print(out, " no_tension yes");
}

static bool read_key(tw_lines *lines, const char *word, char *text, tw_contact_law *law)
{
    if (strcmp(word, "no_tension") == 0) {
        if (strcmp(text, "yes") == 0) law->flags |= TW_CONTACT_NO_TENSION;
        if (strcmp(text, "yes") == 0 || strcmp(text, "no") == 0) return true;
        return tw_lines_refuse(lines, "no_tension must be yes or no, found %s",
                               tw_text_quote(text, strlen(text)).text);
    }
    for (size_t i = 0; i < LAW_KEYS; i++) {
        const law_key *key = &law_keys[i];
        const bool ratio = key->ratio && strcmp(word, key->ratio) == 0;
        if (!ratio && strcmp(word, key->name) != 0) continue;
        if (ratio) law->flags |= TW_CONTACT_BY_MASS;
        return tw_lines_read_number(lines, word, text, value_of(law, key));
    }
    return tw_lines_refuse(lines, "unknown keyword %s", tw_text_quote(word, strlen(word)).text);
}

bool tw_lammps_law_read(tw_lines *lines, char **words, size_t count, tw_contact_law *law)
{
    size_t form = 0;
    while (form < LAW_FORMS && (count == 0 || strcmp(words[0], law_forms[form].name) != 0))
        form++;
    if (form == LAW_FORMS || count < 4 || count % 2 != 0)
        return tw_lines_refuse(lines, "expected linear, hertz or hertz/radius, then kn kt mu and "
                                      "keywords with a value each");
    double constants[3];
    if (!tw_lines_read_numbers(lines, words + 1, 3, constants)) return false;
    const tw_contact_law style = *law;
    *law = tw_contact_law_default();
    law->kind = style.kind;
    law->refine = style.refine;
    law->normal = law_forms[form].normal;
    law->flags = law_forms[form].flags;
    law->kn = constants[0];
    law->kt = constants[1];
    law->mu = constants[2];
    for (size_t i = 4; i + 1 < count; i += 2) {
        if (!read_key(lines, words[i], words[i + 1], law)) return false;
    }
    const char *wrong = tw_contact_law_check(law);
    return !wrong || tw_lines_refuse(lines, "%s", wrong);
}
