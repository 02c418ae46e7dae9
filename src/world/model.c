/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/model.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"

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
