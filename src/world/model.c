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
    for (size_t i = 0; i < model->surface_count; i++)
        tw_buffer_drop(&model->surfaces[i].block);
    tw_buffer_free(&model->surfaces, &model->surface_capacity);
    tw_buffer_drop(&model->drive);
    tw_buffer_drop(&model->drive_row);
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

/* Takes an array of `count` from a block, of which `at` bytes are in use; at most eight more. */
static void *part_of(void *block, size_t *at, size_t count, size_t size)
{
    void *const part = (char *)block + *at;
    *at += (count * size + 7) / 8 * 8;
    return part;
}

/* Sets the arrays of a surface to their places in a block. Returns the bytes that it takes. */
static size_t set_arrays(tw_model_surface *s, void *block)
{
    const size_t cells = (size_t)s->grid.cells[0] * s->grid.cells[1] * s->grid.cells[2];
    size_t at = 0;
    if (s->kind == TW_SURFACE_PROFILE) {
        s->profile.point = part_of(block, &at, s->profile.points, sizeof *s->profile.point);
        s->profile.segment = part_of(block, &at, s->elements, sizeof *s->profile.segment);
        return at;
    }
    s->vertex = part_of(block, &at, s->vertices, sizeof *s->vertex);
    s->facets.edge = part_of(block, &at, s->edges, sizeof *s->facets.edge);
    s->facets.facet = part_of(block, &at, s->elements, sizeof *s->facets.facet);
    s->grid.first = part_of(block, &at, cells + 1, sizeof *s->grid.first);
    s->grid.entry = part_of(block, &at, s->entries, sizeof *s->grid.entry);
    return at;
}

void tw_model_set_surface_block(tw_model_surface *surface, void *block)
{
    surface->block = block;
    surface->bytes = set_arrays(surface, block);
}

/* Room for a surface whose numbers are known. */
static tw_status add_surface(tw_model *model, tw_model_surface *s, tw_error *error)
{
    const size_t count = model->surface_count;
    char none;
    void *block = NULL;
    if (tw_buffer_reserve(&model->surfaces, &model->surface_capacity, count + 1,
                          sizeof *model->surfaces) != TW_STATUS_OK ||
        !tw_buffer_zeros(&block, set_arrays(s, &none), 1))
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for surface %zu", count);
    tw_model_set_surface_block(s, block);
    model->surfaces[count] = *s;
    model->surface_count = count + 1;
    return TW_STATUS_OK;
}

tw_status tw_model_add_mesh(tw_model *model, const tw_mesh *mesh, tw_error *error)
{
    tw_facets_grid grid;
    tw_model_surface s = {.kind = TW_SURFACE_MESH,
                          .elements = (uint32_t)mesh->facet_count,
                          .vertices = (uint32_t)mesh->vertex_count,
                          .edges = (uint32_t)mesh->edge_count};
    tw_status status = tw_facets_grid_make(&grid, mesh, 0, error);
    if (status != TW_STATUS_OK) return status;
    const size_t cells = (size_t)grid.cells[0] * grid.cells[1] * grid.cells[2];
    s.grid = grid;
    s.entries = grid.first[cells];
    s.half = tw_vec3_scale(0.5, tw_vec3_sub(mesh->high, mesh->low));
    s.middle = tw_vec3_add(mesh->low, s.half);
    status = add_surface(model, &s, error);
    if (status == TW_STATUS_OK) {
        memcpy((void *)s.vertex, mesh->vertex, s.vertices * sizeof *s.vertex);
        memcpy((void *)s.grid.first, grid.first, (cells + 1) * sizeof *grid.first);
        memcpy((void *)s.grid.entry, grid.entry, s.entries * sizeof *grid.entry);
        tw_facets_derive(mesh, (void *)s.facets.edge, (void *)s.facets.facet);
    }
    tw_facets_grid_free(&grid);
    return status;
}

tw_status tw_model_add_profile(tw_model *model, const tw_profile_point *point, size_t points,
                               int closed, tw_error *error)
{
    tw_model_surface s = {.kind = TW_SURFACE_PROFILE,
                          .elements = (uint32_t)(points - (closed ? 0 : 1)),
                          .profile.points = (uint32_t)points};
    double low = point[0].z, high = low;
    for (size_t k = 0; k < points; k++) {
        low = tw_math_min(low, point[k].z);
        high = tw_math_max(high, point[k].z);
        s.half.x = tw_math_max(s.half.x, point[k].rho);
    }
    s.half.z = 0.5 * (high - low);
    s.middle.z = low + s.half.z;
    const tw_status status = add_surface(model, &s, error);
    if (status != TW_STATUS_OK) return status;
    memcpy((void *)s.profile.point, point, points * sizeof *point);
    for (size_t k = 0; k < s.elements; k++)
        ((tw_profile_segment *)s.profile.segment)[k] =
            tw_profile_segment_make(point[k], point[(k + 1) % points]);
    return TW_STATUS_OK;
}

tw_status tw_model_set_drive(tw_model *model, tw_state *state, size_t wall,
                             const tw_drive_part *part, size_t count, const tw_drive_row *row,
                             tw_error *error)
{
    tw_model now = *model;
    now.drive_count = now.drive_row_count = 0;
    for (size_t k = 0; k < state->wall_count; k++) {
        const tw_wall *w = &state->walls[k];
        const tw_drive_part *from = k == wall ? part : model->drive + w->drive_first;
        const size_t parts = k == wall ? count : w->drive_count;
        now.drive_count += parts;
        for (size_t i = 0; i < parts; i++)
            now.drive_row_count += from[i].rows;
    }
    if (!tw_buffer_zeros(&now.drive, now.drive_count, sizeof *now.drive)) now.drive = NULL;
    if (!now.drive ||
        !tw_buffer_zeros(&now.drive_row, now.drive_row_count, sizeof *now.drive_row)) {
        tw_buffer_drop(&now.drive);
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for the motion of wall %zu",
                            wall);
    }
    size_t at = 0, row_at = 0;
    for (size_t k = 0; k < state->wall_count; k++) {
        tw_wall *w = &state->walls[k];
        const tw_drive_part *from = k == wall ? part : model->drive + w->drive_first;
        const tw_drive_row *rows = k == wall ? row : model->drive_row;
        if (k == wall) w->drive_count = (uint32_t)count;
        w->drive_first = (uint32_t)(w->drive_count > 0 ? at : 0);
        for (size_t i = 0; i < w->drive_count; i++) {
            tw_drive_part *to = &now.drive[at++];
            *to = from[i];
            if (to->rows == 0) continue;
            memcpy(now.drive_row + row_at, rows + to->first, to->rows * sizeof *rows);
            to->first = (uint32_t)row_at;
            row_at += to->rows;
        }
    }
    tw_buffer_drop(&model->drive);
    tw_buffer_drop(&model->drive_row);
    *model = now;
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
    return model->surface_count > 0 ? extras | TW_CONTACT_EXTRA_SHARED : extras;
}

uint32_t tw_model_flags(const tw_model *model)
{
    uint32_t flags = 0;
    for (size_t k = 0; k < tw_model_law_count(model); k++)
        flags |= model->laws[k].flags;
    return flags;
}
