/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/checkpoint_data.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Spheres of all shapes in one array. */
static int gather_shapes(tw_checkpoint_data *data)
{
    const tw_model *model = data->model;
    for (size_t i = 0; i < model->shape_count; i++)
        data->sphere_count += model->shapes[i].count;
    if (!tw_buffer_zeros(&data->shape_spheres, model->shape_count, sizeof *data->shape_spheres) ||
        !tw_buffer_zeros(&data->spheres, data->sphere_count, sizeof *data->spheres))
        return 0;
    size_t at = 0;
    for (size_t i = 0; i < model->shape_count; i++) {
        const tw_shape *shape = &model->shapes[i];
        memcpy(data->spheres + at, shape->spheres, shape->count * sizeof *shape->spheres);
        data->shape_spheres[i] = shape->count;
        at += shape->count;
    }
    return 1;
}

static int gather_contacts(tw_checkpoint_data *data, const tw_schedule *schedule)
{
    const int done = tw_contact_list_gather(data->state, schedule, 0, 0, &data->contacts);
    data->contact_count = data->contacts.count;
    data->listed = schedule->valid;
    return done;
}

int tw_checkpoint_data_gather(tw_checkpoint_data *data, const tw_model *model,
                              const tw_state *state, const tw_schedule *schedule,
                              const tw_servo *servo)
{
    /* The data serve the reader too, so they are not const. */
    *data = (tw_checkpoint_data){
        .model = (tw_model *)model, .state = (tw_state *)state, .servo = (tw_servo *)servo};
    return gather_shapes(data) && gather_contacts(data, schedule);
}

tw_status tw_checkpoint_data_reserve(tw_checkpoint_data *data, size_t materials, size_t shapes,
                                     size_t bodies, size_t walls, tw_error *error)
{
    tw_model *model = data->model;
    const tw_wall wall = {0};
    for (size_t i = 0; i < materials; i++) {
        const tw_status added = tw_model_add_material(model, "", 0.0, error);
        if (added != TW_STATUS_OK) return added;
    }
    if (!tw_buffer_zeros(&model->shapes, shapes, sizeof *model->shapes))
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for %zu shapes", shapes);
    model->shape_count = model->shape_capacity = shapes;
    if (!tw_buffer_zeros(&data->shape_spheres, shapes, sizeof *data->shape_spheres) ||
        !tw_buffer_zeros(&data->spheres, data->sphere_count, sizeof *data->spheres) ||
        !tw_contact_list_make(&data->contacts, data->contact_count, data->contacts.parts))
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for %zu contacts",
                            data->contact_count);
    tw_status status = tw_state_reserve_bodies(data->state, bodies, error);
    for (size_t i = 0; i < bodies && status == TW_STATUS_OK; i++)
        status = tw_state_add_body(data->state, error);
    for (size_t i = 0; i < walls && status == TW_STATUS_OK; i++)
        status = tw_state_add_wall(data->state, &wall, error);
    return status;
}

int tw_checkpoint_data_scatter(tw_checkpoint_data *data)
{
    size_t at = 0;
    for (size_t i = 0; i < data->model->shape_count; i++) {
        tw_shape *shape = &data->model->shapes[i];
        const size_t count = (size_t)data->shape_spheres[i];
        if (!tw_buffer_zeros(&shape->spheres, count, sizeof *shape->spheres)) return 0;
        memcpy(shape->spheres, data->spheres + at, count * sizeof *shape->spheres);
        shape->count = count;
        at += count;
    }
    return 1;
}

void tw_checkpoint_data_free(tw_checkpoint_data *data)
{
    tw_buffer_drop(&data->shape_spheres);
    tw_buffer_drop(&data->spheres);
    tw_contact_list_free(&data->contacts);
}
