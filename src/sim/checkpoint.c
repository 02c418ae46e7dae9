/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/checkpoint.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
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
    return tw_text_is_plain(label) && strlen(label) <= TW_SIM_LABEL_MAX;
}

/* ---- Writing ---- */

static tw_status write_items(tw_checkpoint_data *data, const char *label, int descriptor,
                             const char *path, tw_error *error)
{
    tw_checkpoint_list list;
    tw_checkpoint_list_make(&list, data);
    tw_checkpoint_file file;
    tw_status status = tw_checkpoint_file_create(&file, descriptor, path, label, error);
    for (size_t k = 0; k < list.count && status == TW_STATUS_OK; k++)
        status = tw_checkpoint_file_write(&file, &list.item[k], error);
    const tw_status closed = tw_checkpoint_file_close(&file, status == TW_STATUS_OK ? error : NULL);
    return status == TW_STATUS_OK ? closed : status;
}

static tw_status write_all(const tw_model *model, const tw_state *state,
                           const tw_schedule *schedule, const tw_servo *servo, const char *label,
                           int descriptor, const char *path, tw_error *error)
{
    tw_checkpoint_data data;
    const tw_status status = tw_checkpoint_data_gather(&data, model, state, schedule, servo)
                                 ? write_items(&data, label, descriptor, path, error)
                                 : no_memory(path, error);
    tw_checkpoint_data_free(&data);
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
    status = write_all(model, state, schedule, servo, label, file.descriptor, path, error);
    if (status == TW_STATUS_OK) status = tw_checkpoint_seal_write(file.descriptor, path, error);
    if (status == TW_STATUS_OK) return tw_replace_file_commit(&file, error);
    tw_replace_file_abort(&file);
    return status;
}

/* ---- Reading ---- */

/* Extras of contacts that were in use have rows. */
static tw_status find_parts(tw_checkpoint_source *source, uint32_t *parts, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    size_t rows = 0;
    *parts = 0;
#define TW_EXTRA_VECTOR(bit, name)                                                                 \
    if (status == TW_STATUS_OK)                                                                    \
        status = tw_checkpoint_source_rows(source, "contacts", #name,                              \
                                           sizeof(((tw_contact_extra *)0)->name), &rows, error);   \
    if (status == TW_STATUS_OK && rows > 0) *parts |= (bit);
#define TW_EXTRA_NUMBER(bit, name) TW_EXTRA_VECTOR(bit, name)
#include "world/extra_parts.def"
#undef TW_EXTRA_VECTOR
#undef TW_EXTRA_NUMBER
    return status;
}

static tw_status read_counts(tw_checkpoint_source *source, tw_checkpoint_data *data,
                             tw_error *error)
{
    size_t materials = 0, shapes = 0, bodies = 0, walls = 0;
    const struct {
        const char *group, *name;
        size_t bytes, *rows;
    } count[] = {
        {"materials", "density", sizeof(double), &materials},
        {"shapes", "axes", sizeof(tw_mat3), &shapes},
        {"shapes", "spheres", sizeof(tw_sphere), &data->sphere_count},
        {"bodies", "x", sizeof(tw_vec3), &bodies},
        {"walls", "point", sizeof(tw_vec3), &walls},
        {"contacts", "n", sizeof(tw_vec3), &data->contact_count},
    };
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; k < sizeof count / sizeof *count && status == TW_STATUS_OK; k++)
        status = tw_checkpoint_source_rows(source, count[k].group, count[k].name, count[k].bytes,
                                           count[k].rows, error);
    if (status == TW_STATUS_OK) status = find_parts(source, &data->contacts.parts, error);
    if (status != TW_STATUS_OK) return status;
    if (materials == 0 || materials > TW_MATERIALS_MAX)
        return tw_error_set(error, TW_STATUS_FILE,
                            "%s: materials/density has %zu rows, not 1 to %d", source->name,
                            materials, TW_MATERIALS_MAX);
    return tw_checkpoint_data_reserve(data, materials, shapes, bodies, walls, error);
}

static tw_status read_items(tw_checkpoint_source *source, tw_checkpoint_data *data, tw_error *error)
{
    tw_status status = read_counts(source, data, error);
    if (status != TW_STATUS_OK) return status;
    tw_checkpoint_list list;
    tw_checkpoint_list_make(&list, data);
    for (size_t k = 0; k < list.count && status == TW_STATUS_OK; k++)
        status = tw_checkpoint_source_read(source, &list.item[k], error);
    if (status == TW_STATUS_OK) status = tw_checkpoint_check(data, source->name, error);
    if (status == TW_STATUS_OK && !tw_checkpoint_data_scatter(data))
        status = no_memory(source->name, error);
    return status;
}

tw_status tw_checkpoint_read_from(tw_checkpoint_source *source, tw_model *model, tw_state *state,
                                  tw_servo *servo, tw_contact_list *contacts, int *listed,
                                  tw_error *error)
{
    assert(model->shape_count == 0 && state->bodies.count == 0 && state->wall_count == 0);
    tw_error_clear(error);
    tw_checkpoint_data data = {.model = model, .state = state, .servo = servo};
    const tw_status status = read_items(source, &data, error);
    *listed = status == TW_STATUS_OK ? data.listed : 0;
    *contacts = data.contacts;
    if (status == TW_STATUS_OK)
        memset(&data.contacts, 0, sizeof data.contacts);
    else
        memset(contacts, 0, sizeof *contacts);
    tw_checkpoint_data_free(&data);
    return status;
}

static tw_status read_sealed(int descriptor, uint64_t bytes, tw_model *model, tw_state *state,
                             tw_servo *servo, tw_contact_list *contacts, int *listed,
                             char label[TW_SIM_LABEL_MAX + 1], const char *path, tw_error *error)
{
    tw_checkpoint_file file;
    tw_status status = tw_checkpoint_file_open(&file, descriptor, path, bytes, error);
    if (status == TW_STATUS_OK)
        status = tw_checkpoint_file_read_label(&file, label, TW_SIM_LABEL_MAX + 1, error);
    if (status == TW_STATUS_OK && !tw_checkpoint_label_is_good(label))
        status = tw_error_set(error, TW_STATUS_FILE, "%s: the label has control characters",
                              tw_error_shorten_path(path).text);
    if (status == TW_STATUS_OK) {
        tw_checkpoint_source source = tw_checkpoint_file_source(&file);
        status = tw_checkpoint_read_from(&source, model, state, servo, contacts, listed, error);
        tw_checkpoint_source_close(&source);
    }
    tw_checkpoint_file_close(&file, NULL);
    return status;
}

tw_status tw_checkpoint_read(tw_model *model, tw_state *state, tw_servo *servo,
                             tw_contact_list *contacts, int *listed,
                             char label[TW_SIM_LABEL_MAX + 1], const char *path, tw_error *error)
{
    tw_error_clear(error);
    memset(contacts, 0, sizeof *contacts);
    *listed = 0;
    label[0] = '\0';
    uint64_t bytes;
    const int descriptor = tw_read_file_open(path, &bytes);
    if (descriptor < 0) return tw_error_set_system(error, "read", path);
    tw_status status = tw_checkpoint_seal_check(descriptor, path, bytes, error);
    if (status == TW_STATUS_OK)
        status = read_sealed(descriptor, bytes, model, state, servo, contacts, listed, label, path,
                             error);
    close(descriptor);
    return status;
}
