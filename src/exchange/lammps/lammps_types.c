/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/lammps/lammps_types.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Finds the material of each label, and whether each has only one; labels without a body have
 * material 0. */
static bool labels_have_one_material(const tw_sim *sim, uint32_t *material_of, uint32_t labels)
{
    const uint32_t none = UINT32_MAX;
    bool one = true;
    for (uint32_t k = 0; k <= labels; k++)
        material_of[k] = none;
    for (uint32_t id = 0; id < tw_sim_bodies(sim); id++) {
        tw_body_state b;
        tw_sim_body(sim, id, &b, NULL); /* it exists */
        if (material_of[b.type] == none) material_of[b.type] = b.material;
        one = one && material_of[b.type] == b.material;
    }
    for (uint32_t k = 0; k <= labels; k++)
        if (material_of[k] == none) material_of[k] = 0;
    return one;
}

static uint32_t largest_label(const tw_sim *sim)
{
    uint32_t labels = 1;
    for (uint32_t id = 0; id < tw_sim_bodies(sim); id++) {
        tw_body_state b;
        tw_sim_body(sim, id, &b, NULL); /* it exists */
        if (b.type > labels) labels = b.type;
    }
    return labels;
}

static void add_types_of_walls(tw_lammps_types *types, const tw_sim *sim)
{
    for (size_t k = 0; k < tw_sim_walls(sim); k++) {
        tw_wall_state wall;
        tw_sim_wall(sim, k, &wall, NULL); /* it exists */
        if (tw_lammps_types_of_material(types, wall.material) == 0)
            types->material[++types->count] = wall.material;
    }
}

tw_status tw_lammps_types_make(tw_lammps_types *types, const tw_sim *sim, uint32_t movers,
                               tw_error *error)
{
    memset(types, 0, sizeof *types);
    types->labels = largest_label(sim);
    types->movers = movers;
    const uint32_t materials = (uint32_t)tw_sim_materials(sim), labels = types->labels;
    const size_t most = (size_t)labels * materials * movers + materials;
    types->material = calloc(most + 1, sizeof *types->material);
    uint32_t *of_label = calloc((size_t)labels + 1, sizeof *of_label);
    if (!types->material || !of_label) {
        free(of_label);
        tw_lammps_types_free(types);
        return tw_error_set_memory(error);
    }
    const bool one = labels_have_one_material(sim, of_label, labels);
    types->base = one ? labels : labels * materials;
    types->count = types->base * movers;
    for (uint32_t k = 0; k < types->count; k++) {
        const uint32_t base = k % types->base;
        types->material[k + 1] = one ? of_label[base + 1] : base / labels;
    }
    free(of_label);
    add_types_of_walls(types, sim);
    return TW_STATUS_OK;
}

void tw_lammps_types_free(tw_lammps_types *types)
{
    free(types->material);
    memset(types, 0, sizeof *types);
}

uint32_t tw_lammps_types_of_body(const tw_lammps_types *types, const tw_body_state *body,
                                 uint32_t mover)
{
    const uint32_t block = types->base > types->labels ? body->material * types->labels : 0;
    return body->type + block + mover * types->base;
}

uint32_t tw_lammps_types_of_material(const tw_lammps_types *types, uint32_t material)
{
    for (uint32_t k = 1; k <= types->count; k++)
        if (types->material[k] == material) return k;
    return 0;
}
