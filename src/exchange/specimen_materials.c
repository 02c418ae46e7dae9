/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/specimen_materials.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

bool tw_specimen_materials_used(const tw_specimen *specimen, const tw_sim_def *def)
{
    return specimen->laws && def->law.kn == 0.0;
}

static tw_contact_law law_of(const tw_specimen *specimen, const tw_sim_def *def, uint32_t a,
                             uint32_t b)
{
    tw_contact_law law = specimen->laws[(size_t)a * specimen->types + b];
    law.kind = def->law.kind;
    law.refine = def->law.refine;
    return law;
}

tw_contact_law tw_specimen_materials_law(const tw_specimen *specimen, const tw_sim_def *def)
{
    return law_of(specimen, def, 0, 0);
}

/* Whether two types have the same laws with all others, and so are of one material. Laws come from
 * a calloc and have no padding. */
static bool are_alike(const tw_specimen *specimen, uint32_t a, uint32_t b)
{
    const size_t n = specimen->types;
    return memcmp(&specimen->laws[a * n], &specimen->laws[b * n], n * sizeof *specimen->laws) == 0;
}

/* Fills the material of each type and the first type of each material; returns the number of
 * materials. */
static uint32_t classify(const tw_specimen *specimen, uint32_t *material, uint32_t *first)
{
    uint32_t count = 0;
    for (uint32_t a = 0; a < specimen->types; a++) {
        uint32_t k = 0;
        while (k < count && !are_alike(specimen, a, first[k]))
            k++;
        if (k == count) first[count++] = a;
        material[a] = k;
    }
    return count;
}

static bool add_materials(const tw_specimen *specimen, const tw_sim_def *def, tw_sim *sim,
                          const uint32_t *first, uint32_t count, tw_error *error)
{
    for (uint32_t k = 1; k < count; k++) {
        char name[32];
        snprintf(name, sizeof name, "type%lu", (unsigned long)first[k] + 1);
        if (tw_sim_add_material(sim, name, def->density, NULL, error) != TW_STATUS_OK) return false;
    }
    tw_contact_law *laws = malloc((size_t)count * count * sizeof *laws);
    if (!laws) {
        tw_error_set_memory(error);
        return false;
    }
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < count; b++)
            laws[(size_t)a * count + b] = law_of(specimen, def, first[a], first[b]);
    const tw_status status = tw_sim_set_laws(sim, laws, error);
    free(laws);
    return status == TW_STATUS_OK;
}

uint32_t *tw_specimen_materials_add(const tw_specimen *specimen, const tw_sim_def *def, tw_sim *sim,
                                    tw_error *error)
{
    uint32_t *material = calloc(specimen->types, sizeof *material);
    uint32_t *first = calloc(specimen->types, sizeof *first);
    bool added = material && first;
    if (!added) tw_error_set_memory(error);
    if (added)
        added =
            add_materials(specimen, def, sim, first, classify(specimen, material, first), error);
    free(first);
    if (added) return material;
    free(material);
    return NULL;
}
