/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/checkpoint.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/replace_file.h"
#include "sim/checkpoint_check.h"
#include "sim/checkpoint_file.h"
#include "sim/checkpoint_items.h"
#include "sim/checkpoint_seal.h"

static tw_status no_memory(const char *path, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for the checkpoint %s",
                        tw_error_shorten_path(path).text);
}

bool tw_checkpoint_label_is_good(const char *label)
{
    for (const char *at = label; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 127) return false;
    return strlen(label) <= TW_SIM_LABEL_MAX;
}

/* ---- Writing ---- */

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
    const int done = tw_contact_list_gather(data->state, schedule, 0, &data->contacts);
    data->contact_count = data->contacts.count;
    data->listed = schedule->valid;
    return done;
}

/* More than the file will need: HDF5 adds some 500 bytes per dataset. */
static uint64_t bytes_needed(const tw_checkpoint_list *list)
{
    uint64_t bytes = UINT64_C(65536) + 1024 * (uint64_t)list->count;
    for (size_t k = 0; k < list->count; k++)
        bytes += (uint64_t)list->item[k].rows * tw_checkpoint_form_bytes(list->item[k].form);
    return bytes;
}

static tw_status write_items(tw_checkpoint_data *data, const char *label, const char *path,
                             tw_error *error)
{
    tw_checkpoint_list list;
    tw_checkpoint_list_make(&list, data);
    tw_checkpoint_file file;
    tw_status status = tw_checkpoint_file_create(&file, path, label, bytes_needed(&list), error);
    for (size_t k = 0; k < list.count && status == TW_STATUS_OK; k++)
        status = tw_checkpoint_file_write(&file, &list.item[k], error);
    const tw_status closed = tw_checkpoint_file_close(&file, status == TW_STATUS_OK ? error : NULL);
    return status == TW_STATUS_OK ? closed : status;
}

static tw_status write_all(const tw_model *model, const tw_state *state,
                           const tw_schedule *schedule, const tw_servo *servo, const char *label,
                           const char *path, tw_error *error)
{
    /* The list serves the reader too, so its items are not const; the writer only reads them. */
    tw_checkpoint_data data = {
        .model = (tw_model *)model, .state = (tw_state *)state, .servo = (tw_servo *)servo};
    const tw_status status = gather_shapes(&data) && gather_contacts(&data, schedule)
                                 ? write_items(&data, label, path, error)
                                 : no_memory(path, error);
    tw_buffer_drop(&data.shape_spheres);
    tw_buffer_drop(&data.spheres);
    tw_contact_list_free(&data.contacts);
    return status;
}

tw_status tw_checkpoint_write(const tw_model *model, const tw_state *state,
                              const tw_schedule *schedule, const tw_servo *servo, const char *label,
                              const char *path, tw_error *error)
{
    tw_error_clear(error);
    tw_replace_file file;
    tw_status status = tw_replace_file_begin(&file, path, TW_REPLACE_FILE_REGULAR, error);
    if (status != TW_STATUS_OK) return status;
    status = write_all(model, state, schedule, servo, label, file.temporary, error);
    if (status == TW_STATUS_OK) status = tw_checkpoint_seal_write(file.temporary, error);
    if (status == TW_STATUS_OK) return tw_replace_file_commit(&file, error);
    tw_replace_file_abort(&file);
    return status;
}

/* ---- Reading ---- */

static tw_status read_counts(tw_checkpoint_file *file, tw_checkpoint_data *data, size_t *bodies,
                             size_t *walls, tw_error *error)
{
    tw_model *model = data->model;
    const struct {
        const char *group, *name;
        size_t bytes, *rows;
    } count[] = {
        {"shapes", "axes", sizeof(tw_mat3), &model->shape_count},
        {"shapes", "spheres", sizeof(tw_sphere), &data->sphere_count},
        {"bodies", "x", sizeof(tw_vec3), bodies},
        {"walls", "point", sizeof(tw_vec3), walls},
        {"contacts", "drag", sizeof(tw_vec3), &data->contact_count},
    };
    size_t shapes = 0;
    for (size_t k = 0; k < sizeof count / sizeof *count; k++) {
        /* shape_count is set only when there is room for the shapes */
        size_t *rows = count[k].rows == &model->shape_count ? &shapes : count[k].rows;
        const tw_status status = tw_checkpoint_file_rows(file, count[k].group, count[k].name,
                                                         count[k].bytes, rows, error);
        if (status != TW_STATUS_OK) return status;
    }
    if (!tw_buffer_zeros(&model->shapes, shapes, sizeof *model->shapes))
        return no_memory(file->name.text, error);
    model->shape_count = model->shape_capacity = shapes;
    return TW_STATUS_OK;
}

static tw_status make_room(tw_checkpoint_data *data, size_t bodies, size_t walls, const char *path,
                           tw_error *error)
{
    if (!tw_buffer_zeros(&data->shape_spheres, data->model->shape_count,
                         sizeof *data->shape_spheres) ||
        !tw_buffer_zeros(&data->spheres, data->sphere_count, sizeof *data->spheres) ||
        !tw_contact_list_make(&data->contacts, data->contact_count))
        return no_memory(path, error);
    const tw_wall wall = {0};
    tw_status status = tw_state_reserve_bodies(data->state, bodies, error);
    for (size_t i = 0; i < bodies && status == TW_STATUS_OK; i++)
        status = tw_state_add_body(data->state, error);
    for (size_t i = 0; i < walls && status == TW_STATUS_OK; i++)
        status = tw_state_add_wall(data->state, &wall, error);
    return status;
}

/* Each shape gets its own spheres; the counts have been checked. */
static tw_status scatter_shapes(tw_checkpoint_data *data, const char *path, tw_error *error)
{
    size_t at = 0;
    for (size_t i = 0; i < data->model->shape_count; i++) {
        tw_shape *shape = &data->model->shapes[i];
        const size_t count = (size_t)data->shape_spheres[i];
        if (!tw_buffer_zeros(&shape->spheres, count, sizeof *shape->spheres))
            return no_memory(path, error);
        memcpy(shape->spheres, data->spheres + at, count * sizeof *shape->spheres);
        shape->count = count;
        at += count;
    }
    return TW_STATUS_OK;
}

static tw_status read_items(tw_checkpoint_file *file, tw_checkpoint_data *data, tw_error *error)
{
    size_t bodies = 0, walls = 0;
    tw_status status = read_counts(file, data, &bodies, &walls, error);
    if (status == TW_STATUS_OK) status = make_room(data, bodies, walls, file->name.text, error);
    if (status != TW_STATUS_OK) return status;
    tw_checkpoint_list list;
    tw_checkpoint_list_make(&list, data);
    for (size_t k = 0; k < list.count && status == TW_STATUS_OK; k++)
        status = tw_checkpoint_file_read(file, &list.item[k], error);
    if (status == TW_STATUS_OK) status = tw_checkpoint_check(data, file->name.text, error);
    if (status == TW_STATUS_OK) status = scatter_shapes(data, file->name.text, error);
    return status;
}

tw_status tw_checkpoint_read(tw_model *model, tw_state *state, tw_servo *servo,
                             tw_contact_list *contacts, int *listed,
                             char label[TW_SIM_LABEL_MAX + 1], const char *path, tw_error *error)
{
    assert(model->shape_count == 0 && state->bodies.count == 0 && state->wall_count == 0);
    tw_error_clear(error);
    memset(contacts, 0, sizeof *contacts);
    *listed = 0;
    label[0] = '\0';
    uint64_t bytes;
    tw_status status = tw_checkpoint_seal_check(path, &bytes, error);
    if (status != TW_STATUS_OK) return status;
    tw_checkpoint_data data = {.model = model, .state = state, .servo = servo};
    tw_checkpoint_file file;
    status = tw_checkpoint_file_open(&file, path, bytes, error);
    if (status == TW_STATUS_OK)
        status = tw_checkpoint_file_read_label(&file, label, TW_SIM_LABEL_MAX + 1, error);
    if (status == TW_STATUS_OK && !tw_checkpoint_label_is_good(label))
        status = tw_error_set(error, TW_STATUS_FILE, "%s: the label has control characters",
                              tw_error_shorten_path(path).text);
    if (status == TW_STATUS_OK) status = read_items(&file, &data, error);
    tw_checkpoint_file_close(&file, NULL);
    tw_buffer_drop(&data.shape_spheres);
    tw_buffer_drop(&data.spheres);
    *contacts = data.contacts;
    *listed = data.listed;
    if (status != TW_STATUS_OK) tw_contact_list_free(contacts);
    return status;
}
