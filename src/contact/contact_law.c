/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <twirl/contact.h>

static const char *const kind_names[TW_CONTACT_KINDS] = {"exact", "paper", "conventional"};

static const char *const normal_names[TW_CONTACT_NORMALS] = {"linear", "hertz"};

static const char *const refinement_names[] = {"fresh", "instant", "turning",
                                               "tilt",  "twirl",   "rescale"};
enum { REFINEMENTS = sizeof refinement_names / sizeof refinement_names[0] };

tw_contact_law tw_contact_law_default(void)
{
    tw_contact_law law = {0};
    law.kind = TW_CONTACT_EXACT;
    law.refine = TW_CONTACT_ALL;
    return law;
}

static int finite_from_zero(double value)
{
    return value >= 0.0 && value <= DBL_MAX;
}

const char *tw_contact_law_check(const tw_contact_law *law)
{
    if (!(law->kn > 0.0 && law->kn <= DBL_MAX)) return "kn must be a finite number above 0";
    if (!finite_from_zero(law->kt)) return "kt must be a finite number, 0 or above";
    if (!finite_from_zero(law->mu)) return "mu must be a finite number, 0 or above";
    if (!finite_from_zero(law->nu_n)) return "nu must be a finite number, 0 or above";
    if (law->kind < 0 || law->kind >= TW_CONTACT_KINDS) {
        return "kind must be one of exact, paper, conventional";
    }
    if (law->refine & ~(uint32_t)TW_CONTACT_ALL) {
        return "refine must be a combination of fresh, instant, turning, tilt, twirl, rescale";
    }
    return NULL;
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
