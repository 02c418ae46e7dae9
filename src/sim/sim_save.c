/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/memory.h"
#include "search/search.h"
#include "sim/checkpoint.h"
#include "sim/sim_internal.h"
#include "world/schedule.h"

static int pair_compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(tw_pair));
}

/* A contact that is there twice. */
static tw_status check_unique(const tw_contact_list *contacts, const char *path, tw_error *error)
{
    tw_pair *sorted = NULL;
    if (!tw_buffer_grow(&sorted, 0, contacts->count + 1, sizeof *sorted))
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to check %s", path);
    memcpy(sorted, contacts->pair, contacts->count * sizeof *sorted);
    qsort(sorted, contacts->count, sizeof *sorted, pair_compare);
    size_t k = 1;
    while (k < contacts->count && pair_compare(&sorted[k - 1], &sorted[k]) != 0)
        k++;
    tw_buffer_drop(&sorted);
    if (k >= contacts->count) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_FILE, "%s: contacts has a contact twice",
                        tw_error_shorten_path(path).text);
}

/* Bodies or walls were added after the last search: contacts wait for the next. The list of spheres
 * says where each body is. */
static tw_status keep_contacts(tw_sim *sim, const tw_contact_list *contacts, const char *path,
                               tw_error *error)
{
    tw_status status = tw_schedule_reserve_spheres(&sim->model, &sim->state, &sim->schedule, error);
    if (status == TW_STATUS_OK) status = check_unique(contacts, path, error);
    if (status != TW_STATUS_OK) return status;
    tw_schedule_list_spheres(&sim->model, &sim->state, &sim->schedule);
    if (contacts->count == 0) return TW_STATUS_OK;
    return tw_search_keep(&sim->state, &sim->schedule, contacts, error);
}

tw_status tw_sim_restore(tw_sim *sim, tw_checkpoint_data *data, const char *path, tw_error *error)
{
    const tw_contact_list *contacts = &data->contacts;
    tw_status status = tw_checkpoint_check_numbers(data, path, error);
    if (status == TW_STATUS_OK)
        status = tw_state_need_extras(&sim->state, tw_model_extras(&sim->model), error);
    if (status != TW_STATUS_OK) return status;
    if (data->listed)
        status = tw_search_restore(&sim->model, &sim->state, &sim->schedule, contacts, error);
    else
        status = keep_contacts(sim, contacts, path, error);
    if (status == TW_STATUS_OK)
        status = tw_sim_internal_order_ids(&sim->state, &sim->schedule.spheres, &sim->ids,
                                           &sim->id_capacity, error);
    if (status != TW_STATUS_OK ||
        tw_contact_list_holds(contacts, &sim->model, &sim->state, &sim->schedule))
        return status;
    return tw_error_set(error, TW_STATUS_FILE,
                        "%s: contacts are not in the order and the slots of the neighbour list",
                        tw_error_shorten_path(path).text);
}

static tw_status check_numbers(tw_checkpoint_data *data, tw_error *error)
{
    tw_error why;
    if (tw_checkpoint_check_numbers(data, "state", &why) == TW_STATUS_OK) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_PHYSICS,
                        "step %llu: the state cannot be continued and is not saved: %s",
                        (unsigned long long)data->state->steps, why.text);
}

static tw_status no_memory(tw_error *error)
{
    return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for a checkpoint");
}

tw_status tw_sim_gather(const tw_sim *sim, tw_checkpoint_data *data, tw_error *error)
{
    if (!tw_checkpoint_data_gather(data, &sim->model, &sim->state, &sim->schedule, &sim->servo))
        return no_memory(error);
    return check_numbers(data, error);
}

int tw_sim_hash_known(const tw_sim *sim)
{
    return (sim->valid & TW_SIM_VALID_HASH) || !tw_sim_device_streams(sim);
}

uint64_t tw_sim_hash(const tw_sim *sim)
{
    TW_CALL_HERE(sim);
    if (sim->valid & TW_SIM_VALID_HASH) return sim->hash;
    if (tw_sim_device_fetch(sim, NULL) != TW_STATUS_OK && tw_sim_device_streams(sim))
        return 0; /* the next call that runs or saves says why */
    tw_checkpoint_data data = {0};
    uint64_t value = 0;
    tw_sim_internal_use_threads(sim);
    if (tw_checkpoint_data_gather(&data, &sim->model, &sim->state, &sim->schedule, &sim->servo)) {
        /* Those that no law uses are gone after the next step. */
        tw_contact_list_keep(&data.contacts, tw_model_extras(&sim->model));
        value = tw_checkpoint_hash(&data);
    }
    tw_checkpoint_data_free(&data);
    return value;
}

/* A step that ran out of memory is incomplete; a checkpoint has no place for that. */
static tw_status refuse_pending(const tw_sim *sim, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_MEMORY,
                        "step %llu ran out of memory and is incomplete: it cannot be saved before "
                        "tw_sim_prepare or tw_sim_run has completed it",
                        (unsigned long long)sim->state.steps);
}

static tw_status refuse_label(tw_error *error)
{
    return tw_error_set(
        error, TW_STATUS_INPUT,
        "the label of a checkpoint is one line of at most %d bytes without control characters",
        TW_SIM_LABEL_MAX);
}

/* ---- In parts ---- */

/* A state that a device streams: what is at hand is written, and hashed. */
typedef struct saving {
    const tw_sim *sim;
    tw_checkpoint_writer *file;
    tw_checkpoint_data data;
    tw_state state; /* numbers, and the bodies at hand */
} saving;

static tw_status save_part(saving *s, const char *group, tw_error *error)
{
    const tw_status status = check_numbers(&s->data, error);
    return status == TW_STATUS_OK ? tw_checkpoint_put(s->file, &s->data, group, error) : status;
}

static tw_status save_bodies(void *context, const tw_bodies *part, tw_error *error)
{
    saving *s = context;
    s->state = s->sim->state;
    s->state.cell.h_ref = s->state.cell.h;
    s->data.bodies.all = s->state.bodies.count;
    s->state.bodies = *part;
    const tw_status status = save_part(s, "bodies", error);
    s->data.bodies.first += part->count;
    s->state.bodies = (tw_bodies){.count = 0};
    return status;
}

static tw_status save_contacts(void *context, const tw_device_contacts *part, tw_error *error)
{
    saving *s = context;
    s->data.contacts = *part->list;
    s->data.contact_rows.all = part->all;
    const tw_status status = save_part(s, "contacts", error);
    s->data.contact_rows.first += part->list->count;
    s->data.contacts = (tw_contact_list){0}; /* those of the device */
    return status;
}

static tw_status give_all(tw_sim *sim, saving *s, tw_error *error)
{
    const tw_device_sink sink = {s, save_bodies, save_contacts};
    const tw_checkpoint_rows *bodies = &s->data.bodies, *contacts = &s->data.contact_rows;
    const tw_status status = tw_sim_device_stream(sim, &sink, error);
    if (status != TW_STATUS_OK) return status;
    if (bodies->first != sim->state.bodies.count || contacts->first != contacts->all)
        return tw_error_set(error, TW_STATUS_DEVICE,
                            "the device gave %zu of %zu bodies and %zu of %zu contacts",
                            bodies->first, sim->state.bodies.count, contacts->first, contacts->all);
    return save_part(s, NULL, error);
}

static tw_status save_given(tw_sim *sim, const char *path, const char *label, tw_error *error)
{
    saving s = {.sim = sim};
    tw_status status = TW_STATUS_OK;
    if (!tw_checkpoint_data_gather(&s.data, &sim->model, &s.state, NULL, &sim->servo))
        status = no_memory(error);
    if (status == TW_STATUS_OK) status = tw_checkpoint_begin(&s.file, label, path, error);
    if (status == TW_STATUS_OK) {
        status = give_all(sim, &s, error);
        sim->hash = tw_checkpoint_written_hash(s.file);
        status = tw_checkpoint_end(s.file, status, error);
    }
    tw_checkpoint_data_free(&s.data);
    if (status == TW_STATUS_OK)
        sim->valid |= TW_SIM_VALID_HASH;
    else
        sim->valid &= ~(unsigned)TW_SIM_VALID_HASH;
    return status;
}

tw_status tw_sim_save_labelled(const tw_sim *sim, const char *path, const char *label,
                               tw_error *error)
{
    TW_CALL_HERE(sim && path && label);
    tw_error_clear(error);
    if (!tw_checkpoint_label_is_good(label)) return refuse_label(error);
    if (sim->failed) return tw_sim_internal_refuse_failed(sim, error);
    if (sim->schedule.pending) return refuse_pending(sim, error);
    if (sim->events.count > 0)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%zu events have not been taken, and a checkpoint has none: call "
                            "tw_sim_take_events before it is saved",
                            sim->events.count);
    tw_sim_internal_use_threads(sim);
    tw_checkpoint_data data = {0};
    uint64_t whole;
    if (tw_sim_device_streams(sim) && !tw_device_test("whole", &whole))
        return save_given((tw_sim *)(uintptr_t)sim, path, label, error);
    tw_status status = tw_sim_device_fetch(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_gather(sim, &data, error);
    if (status == TW_STATUS_OK) status = tw_checkpoint_write(&data, label, path, error);
    tw_checkpoint_data_free(&data);
    return status;
}

tw_status tw_sim_save(const tw_sim *sim, const char *path, tw_error *error)
{
    return tw_sim_save_labelled(sim, path, "", error);
}

const char *tw_sim_label(const tw_sim *sim)
{
    return sim->label;
}

tw_sim *tw_sim_load(const char *path, tw_error *error)
{
    TW_CALL_HERE(path);
    tw_error_clear(error);
    tw_sim *sim = tw_sim_internal_make(error);
    if (!sim) return NULL;
    tw_checkpoint_data data = {.model = &sim->model, .state = &sim->state, .servo = &sim->servo};
    tw_status status = tw_checkpoint_read(&data, sim->label, path, error);
    if (status == TW_STATUS_OK) status = tw_sim_restore(sim, &data, path, error);
    tw_checkpoint_data_free(&data);
    if (status == TW_STATUS_OK) return sim;
    tw_sim_free(sim);
    return NULL;
}

/* ---- Copies ---- */

static const tw_checkpoint_item *find_item(const tw_checkpoint_list *list, const char *group,
                                           const char *name)
{
    for (size_t k = 0; k < list->count; k++)
        if (strcmp(list->item[k].group, group) == 0 && strcmp(list->item[k].name, name) == 0)
            return &list->item[k];
    return NULL;
}

static bool copy_find(void *context, const char *group, const char *name, tw_checkpoint_set *found)
{
    const tw_checkpoint_item *item = find_item(context, group, name);
    if (!item || item->absent) return false;
    found->place = TW_CHECKPOINT_PLACE_HERE;
    found->type = (int)item->form.type;
    found->rank = tw_checkpoint_item_extents(item, found->extent);
    return true;
}

static tw_status copy_load(void *context, const tw_checkpoint_item *item, void *values,
                           tw_error *error)
{
    (void)error;
    tw_checkpoint_item_copy(find_item(context, item->group, item->name), values, false);
    return TW_STATUS_OK;
}

tw_sim *tw_sim_copy(const tw_sim *sim, tw_error *error)
{
    TW_CALL_HERE(sim);
    tw_error_clear(error);
    if (sim->failed || sim->schedule.pending) {
        (void)(sim->failed ? tw_sim_internal_refuse_failed(sim, error)
                           : refuse_pending(sim, error));
        return NULL;
    }
    tw_sim *copy = tw_sim_internal_make(error);
    if (!copy) return NULL;
    tw_checkpoint_data from = {0};
    tw_checkpoint_data data = {.model = &copy->model, .state = &copy->state, .servo = &copy->servo};
    tw_checkpoint_list list;
    const tw_checkpoint_source source = {"the copy", UINT64_MAX, &list, copy_find, copy_load, NULL};
    tw_status status = tw_sim_device_fetch(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_gather(sim, &from, error);
    if (status == TW_STATUS_OK) {
        tw_checkpoint_list_make(&list, &from);
        status = tw_checkpoint_read_from(&source, &data, error);
    }
    if (status == TW_STATUS_OK) status = tw_sim_restore(copy, &data, source.name, error);
    tw_checkpoint_data_free(&from);
    tw_checkpoint_data_free(&data);
    copy->place = sim->place;
    copy->threads = sim->threads;
    if (status == TW_STATUS_OK) return copy;
    tw_sim_free(copy);
    return NULL;
}
