/* SPDX-License-Identifier: BSD-3-Clause */
#include "checkpoint_table.h"

#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/checkpoint.h"
#include "sim/sim_internal.h"

enum { ROOM = 1 << 18 }; /* enough for small states, resized many times */

/* One piece of memory for all sets: with sanitizers, an allocation for each would take most of the
 * time. */
static unsigned char *take(checkpoint_table *table, size_t bytes)
{
    if (!table->memory) table->memory = malloc(ROOM);
    if (!table->memory || bytes > ROOM - table->used) fuzz_fail("out of memory");
    unsigned char *taken = table->memory + table->used;
    memset(taken, 0, bytes);
    table->used += (bytes + 7) / 8 * 8;
    return taken;
}

size_t checkpoint_table_row(const checkpoint_table_set *set)
{
    return tw_checkpoint_form_bytes(set->form);
}

size_t checkpoint_table_rows(const checkpoint_table_set *set)
{
    return set->bytes / checkpoint_table_row(set);
}

void checkpoint_table_save(checkpoint_table *table, const tw_sim *sim)
{
    tw_checkpoint_data data;
    tw_checkpoint_list list;
    if (!tw_checkpoint_data_gather(&data, &sim->model, &sim->state, &sim->schedule, &sim->servo))
        fuzz_fail("out of memory");
    tw_checkpoint_list_make(&list, &data);
    *table = (checkpoint_table){.count = list.count};
    for (size_t k = 0; k < list.count; k++) {
        const tw_checkpoint_item *item = &list.item[k];
        checkpoint_table_set *set = &table->set[k];
        *set = (checkpoint_table_set){.group = item->group,
                                      .name = item->name,
                                      .form = item->form,
                                      .about = {.type = (int)item->form.type}};
        set->about.rank = tw_checkpoint_item_extents(item, set->about.extent);
        set->bytes = item->rows * tw_checkpoint_form_bytes(item->form);
        set->values = take(table, set->bytes);
        tw_checkpoint_item_copy(item, set->values, false);
    }
    tw_checkpoint_data_free(&data);
}

void checkpoint_table_copy(checkpoint_table *copy, const checkpoint_table *table)
{
    *copy = *table;
    copy->memory = NULL;
    copy->used = 0;
    for (size_t k = 0; k < copy->count; k++) {
        copy->set[k].values = take(copy, copy->set[k].bytes);
        memcpy(copy->set[k].values, table->set[k].values, copy->set[k].bytes);
    }
}

void checkpoint_table_free(checkpoint_table *table)
{
    free(table->memory);
    table->memory = NULL;
    table->count = table->used = 0;
}

/* Items are read in the order of the table, so the next one is most often the right one. */
static checkpoint_table_set *find_set(checkpoint_table *table, const char *group, const char *name)
{
    for (size_t k = 0; k < table->count; k++) {
        checkpoint_table_set *set = &table->set[(table->next + k) % table->count];
        if (set->gone || strcmp(set->group, group) != 0 || strcmp(set->name, name) != 0) continue;
        table->next = (table->next + k + 1) % table->count;
        return set;
    }
    return NULL;
}

static bool table_find(void *context, const char *group, const char *name, tw_checkpoint_set *found)
{
    const checkpoint_table_set *set = find_set(context, group, name);
    if (set) *found = set->about;
    return set != NULL;
}

static bool table_entry(void *context, const char *group, size_t k, char name[TW_CHECKPOINT_NAME])
{
    const checkpoint_table *table = context;
    const int groups = strcmp(group, "/") == 0;
    for (size_t s = 0; s < table->count; s++) {
        const checkpoint_table_set *set = &table->set[s];
        const char *before = s > 0 ? set[-1].group : ""; /* sets of a group follow each other */
        if (groups ? strcmp(set->group, before) == 0 : strcmp(set->group, group) != 0) continue;
        if ((set->gone && !groups) || k-- > 0) continue;
        snprintf(name, TW_CHECKPOINT_NAME, "%s", groups ? set->group : set->name);
        return true;
    }
    return false;
}

/* Extents that were changed alone claim more or fewer values than there are: the rest is zero, as
 * HDF5 gives for values that were never written. */
static tw_status table_load(void *context, const tw_checkpoint_item *item, void *values,
                            tw_error *error)
{
    (void)error;
    checkpoint_table *table = context;
    table->next = table->next ? table->next - 1 : table->count - 1;
    const checkpoint_table_set *set = find_set(table, item->group, item->name);
    const size_t bytes = item->rows * tw_checkpoint_form_bytes(item->form);
    if (!set) fuzz_fail("a dataset is read that was not found");
    memset(values, 0, bytes);
    memcpy(values, set->values, bytes < set->bytes ? bytes : set->bytes);
    return TW_STATUS_OK;
}

tw_sim *checkpoint_table_load(checkpoint_table *table, tw_error *error)
{
    const tw_checkpoint_source source = {.name = "table",
                                         .bytes = 1 << 16,
                                         .context = table,
                                         .find = table_find,
                                         .load = table_load,
                                         .entry = table_entry};
    tw_sim *sim = tw_sim_internal_make(error);
    if (!sim) fuzz_fail(error->text);
    tw_checkpoint_data data = {.model = &sim->model, .state = &sim->state, .servo = &sim->servo};
    table->next = 0;
    tw_status status = tw_checkpoint_read_from(&source, &data, error);
    if (status == TW_STATUS_OK) status = tw_sim_restore(sim, &data, "table", error);
    tw_checkpoint_data_free(&data);
    if (status == TW_STATUS_OK) return sim;
    tw_sim_free(sim);
    return NULL;
}

void checkpoint_table_resize(checkpoint_table *table, checkpoint_table_set *set, size_t rows)
{
    const size_t bytes = rows * checkpoint_table_row(set);
    unsigned char *values = take(table, bytes);
    memcpy(values, set->values, bytes < set->bytes ? bytes : set->bytes);
    set->values = values;
    set->bytes = bytes;
    set->about.extent[0] = rows;
}

int checkpoint_table_equal(const checkpoint_table_set *a, const checkpoint_table_set *b)
{
    return a->bytes == b->bytes && memcmp(a->values, b->values, a->bytes) == 0;
}
