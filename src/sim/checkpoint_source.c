/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/checkpoint_source.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct extents_text {
    char text[96];
} extents_text;

static extents_text text_of(const tw_checkpoint_set *set)
{
    extents_text made;
    snprintf(made.text, sizeof made.text, "%s", set->rank < 0 ? "something else" : "one value");
    for (int k = 0, used = 0; k < set->rank; k++)
        used += snprintf(made.text + used, sizeof made.text - (size_t)used,
                         k ? " x %" PRIu64 : "%" PRIu64, set->extent[k]);
    return made;
}

static tw_status find(const tw_checkpoint_source *source, const char *group, const char *name,
                      tw_checkpoint_set *found, tw_error *error)
{
    *found = (tw_checkpoint_set){.place = TW_CHECKPOINT_PLACE_HERE};
    if (!source->find(source->context, group, name, found))
        return tw_error_set(error, TW_STATUS_FILE, "%s: the dataset %s/%s is missing", source->name,
                            group, name);
    if (found->place == TW_CHECKPOINT_PLACE_HERE) return TW_STATUS_OK;
    if (found->place == TW_CHECKPOINT_PLACE_SCATTERED)
        return tw_error_set(error, TW_STATUS_FILE,
                            "%s: the dataset %s/%s is not stored as one block of the file",
                            source->name, group, name);
    const bool whole = found->place == TW_CHECKPOINT_PLACE_GROUP_LINKED;
    return tw_error_set(error, TW_STATUS_FILE,
                        "%s: %s%s%s is a link; all data must be in the file itself", source->name,
                        group, whole ? "" : "/", whole ? "" : name);
}

static tw_status check_set(const tw_checkpoint_source *source, const tw_checkpoint_item *item,
                           const tw_checkpoint_set *found, tw_error *error)
{
    static const char *const types[] = {"u8", "i8", "u32", "i32", "u64", "f64"};
    tw_checkpoint_set wanted = {.type = (int)item->form.type};
    wanted.rank = tw_checkpoint_item_extents(item, wanted.extent);
    int same = found->rank == wanted.rank;
    for (int k = 0; k < wanted.rank && same; k++)
        same = found->extent[k] == wanted.extent[k];
    if (!same)
        return tw_error_set(error, TW_STATUS_FILE, "%s: the dataset %s/%s has %s, expected %s",
                            source->name, item->group, item->name, text_of(found).text,
                            text_of(&wanted).text);
    if (found->type == wanted.type) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_FILE, "%s: the dataset %s/%s does not have the type %s",
                        source->name, item->group, item->name, types[wanted.type]);
}

void tw_checkpoint_source_close(tw_checkpoint_source *source)
{
    tw_buffer_free(&source->row, &source->row_capacity);
}

tw_status tw_checkpoint_source_rows(tw_checkpoint_source *source, const char *group,
                                    const char *name, size_t row_bytes, size_t *rows,
                                    tw_error *error)
{
    *rows = 0;
    tw_checkpoint_set found;
    const tw_status status = find(source, group, name, &found, error);
    if (status != TW_STATUS_OK) return status;
    if (found.rank < 1 || found.extent[0] > source->bytes / row_bytes)
        return tw_error_set(error, TW_STATUS_FILE,
                            "%s: the dataset %s/%s has %s, more than a file of %" PRIu64
                            " bytes can hold, or no rows",
                            source->name, group, name, text_of(&found).text, source->bytes);
    *rows = (size_t)found.extent[0];
    return TW_STATUS_OK;
}

tw_status tw_checkpoint_source_read(tw_checkpoint_source *source, const tw_checkpoint_item *item,
                                    tw_error *error)
{
    tw_checkpoint_set found;
    tw_status status = find(source, item->group, item->name, &found, error);
    if (status == TW_STATUS_OK) status = check_set(source, item, &found, error);
    if (status != TW_STATUS_OK || item->rows == 0) return status;
    void *values = tw_checkpoint_item_in_place(item);
    if (values) return source->load(source->context, item, values, error);
    /* rows are limited by those of a dataset that was counted, so the product does not overflow */
    const size_t bytes = item->rows * tw_checkpoint_form_bytes(item->form);
    if (tw_buffer_reserve(&source->row, &source->row_capacity, bytes, 1) != TW_STATUS_OK)
        return tw_error_set(error, TW_STATUS_MEMORY, "%s: no memory for %zu rows of %s/%s",
                            source->name, item->rows, item->group, item->name);
    status = source->load(source->context, item, source->row, error);
    if (status == TW_STATUS_OK) tw_checkpoint_item_unpack(item, source->row);
    return status;
}
