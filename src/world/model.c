/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/model.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

void tw_model_init(tw_model *model)
{
    memset(model, 0, sizeof *model);
    model->mass_scale = 1.0;
}

void tw_model_free(tw_model *model)
{
    for (size_t i = 0; i < model->shape_count; i++)
        tw_shape_free(&model->shapes[i]);
    tw_buffer_free(&model->shapes, &model->shape_capacity);
    tw_buffer_drop(&model->materials);
    tw_buffer_drop(&model->laws);
    tw_model_init(model);
}

tw_status tw_model_add_shape(tw_model *model, const tw_shape *shape, tw_error *error)
{
    const size_t count = model->shape_count;
    if (tw_buffer_reserve(&model->shapes, &model->shape_capacity, count + 1,
                          sizeof *model->shapes) != TW_STATUS_OK)
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for shape %zu", count);
    model->shapes[count] = *shape;
    model->shape_count = count + 1;
    return TW_STATUS_OK;
}

/* The laws of a table with one more material. */
static void extend_laws(const tw_model *model, tw_contact_law *laws)
{
    const size_t had = model->material_count, now = had + 1;
    const tw_contact_law first = had > 0 ? model->laws[0] : tw_contact_law_default();
    for (size_t a = 0; a < now; a++) {
        for (size_t b = 0; b < now; b++)
            laws[a * now + b] = a < had && b < had ? model->laws[a * had + b] : first;
    }
}

tw_status tw_model_add_material(tw_model *model, const char *name, double density, tw_error *error)
{
    const size_t had = model->material_count, now = had + 1;
    tw_contact_law *laws = NULL;
    if (!tw_buffer_grow(&model->materials, had, now, sizeof *model->materials) ||
        !tw_buffer_grow(&laws, 0, now * now, sizeof *laws)) {
        tw_buffer_drop(&laws);
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for material %zu", had);
    }
    extend_laws(model, laws);
    tw_buffer_drop(&model->laws);
    model->laws = laws;
    tw_model_material *material = &model->materials[had];
    memset(material, 0, sizeof *material);
    memcpy(material->name, name, strlen(name)); /* the rest stays zero */
    material->density = density;
    model->material_count = now;
    return TW_STATUS_OK;
}

double tw_model_density(const tw_model *model, const tw_bodies *bodies)
{
    if (model->material_count == 1) return model->materials[0].density * model->mass_scale;
    double mass = 0.0, volume = 0.0;
    for (size_t i = 0; i < bodies->count; i++) {
        mass += bodies->mass[i];
        volume += tw_shape_volume(&model->shapes[bodies->shape[i]], bodies->size[i]);
    }
    return mass / volume;
}

uint32_t tw_model_extras(const tw_model *model)
{
    uint32_t extras = 0;
    for (size_t k = 0; k < tw_model_law_count(model); k++)
        extras |= tw_contact_law_extras(&model->laws[k]);
    return extras;
}

uint32_t tw_model_flags(const tw_model *model)
{
    uint32_t flags = 0;
    for (size_t k = 0; k < tw_model_law_count(model); k++)
        flags |= model->laws[k].flags;
    return flags;
}
