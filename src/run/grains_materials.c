/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/grains_materials.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

bool tw_grains_materials_add(tw_sim *sim, const tw_scenario *s, tw_error *error)
{
    const size_t count = s->material_count;
    if (count == 0) return true;
    if (tw_sim_name_material(sim, 0, s->materials[0].name, error) != TW_STATUS_OK) return false;
    for (size_t k = 1; k < count; k++) {
        const tw_scenario_material *m = &s->materials[k];
        if (tw_sim_add_material(sim, m->name, m->density, NULL, error) != TW_STATUS_OK)
            return false;
    }
    tw_contact_law *laws = malloc(count * count * sizeof *laws);
    for (size_t i = 0; laws && i < count * count; i++)
        tw_scenario_put_law(s, NULL, i / count, i % count, &laws[i]);
    const tw_status status = laws ? tw_sim_set_laws(sim, laws, error) : tw_error_set_memory(error);
    free(laws);
    return status == TW_STATUS_OK;
}

bool tw_grains_materials_check(const tw_sim *sim, const tw_scenario *s, tw_error *error)
{
    char names[300] = "";
    size_t found = 0;
    if (s->material_count == 0) return true;
    for (uint32_t k = 0; k < tw_sim_materials(sim); k++) {
        const char *name = tw_sim_material_name(sim, k);
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", k > 0 ? ", " : "", name);
        for (size_t i = 0; i < s->material_count; i++)
            found += strcmp(s->materials[i].name, name) == 0;
    }
    if (found == tw_sim_materials(sim) && found == s->material_count) return true;
    tw_error_set(error, TW_STATUS_INPUT,
                 "materials: they are not those of the checkpoint %s, which are: %s",
                 tw_error_shorten_path(s->specimen.checkpoint).text, names);
    return false;
}

bool tw_grains_materials_find(tw_specimen *specimen, const tw_scenario *s, tw_error *error)
{
    for (size_t i = 0; i < specimen->body_count; i++) {
        tw_body_def *body = &specimen->bodies[i];
        size_t k = 0;
        while (k < s->material_count && s->materials[k].type != body->type)
            k++;
        if (k == s->material_count) {
            tw_error_set(error, TW_STATUS_INPUT,
                         "specimen.file: %s has grains of type %u, but none of the materials has "
                         "this type; add 'type: %u' to one of them, or another material",
                         tw_error_shorten_path(s->specimen.file).text, body->type, body->type);
            return false;
        }
        body->material = (uint32_t)k;
    }
    return true;
}
