/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/hash.h"
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
    if (status != TW_STATUS_OK || tw_contact_list_holds(contacts, &sim->schedule)) return status;
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

/* Hash and checkpoint of a simulation. */

static void hash_settings(tw_hash *hash, const tw_model *model, const tw_state *state)
{
    const tw_contact_law *law = &model->laws[0];
    const double numbers[] = {state->time,
                              state->dt,
                              model->dt_fraction,
                              state->skin,
                              model->skin_requested,
                              law->kn,
                              law->kt,
                              law->mu,
                              law->nu_n,
                              model->gravity.x,
                              model->gravity.y,
                              model->gravity.z,
                              model->damping_mass,
                              model->damping_spin,
                              model->damping_local};
    const int32_t choices[] = {law->kind,
                               (int32_t)(law->refine & ~(uint32_t)TW_CONTACT_RESCALE),
                               model->dt_automatic,
                               model->dt_forced,
                               state->cell.periodic[0],
                               state->cell.periodic[1],
                               state->cell.periodic[2]};
    tw_hash_add(hash, numbers, sizeof numbers);
    tw_hash_add(hash, choices, sizeof choices);
    tw_hash_add(hash, &state->cell.gradient, sizeof state->cell.gradient);
    tw_hash_add(hash, &state->cell.h, sizeof state->cell.h);
    tw_hash_add(hash, &state->cell.h_ref, sizeof state->cell.h_ref);
    tw_hash_add(hash, &state->balance, offsetof(tw_energy_balance, micro_slip));
    for (size_t k = 0; k < state->wall_count; k++) {
        const tw_wall *wall = &state->walls[k];
        tw_hash_add(hash, wall, offsetof(tw_wall, surface));
        if (wall->surface != TW_SURFACE_PLANE) /* that of a plane is what it always was */
            tw_hash_add(hash, &wall->surface, sizeof wall->surface);
    }
}

/* A column of bodies. `file`: it was written there in parts; NULL: it is in memory. */
static tw_status hash_column(tw_hash *hash, const tw_checkpoint_writer *file, const char *name,
                             const void *values, size_t bytes, tw_error *error)
{
    if (file) return tw_checkpoint_hash(file, name, hash, error);
    tw_hash_add(hash, values, bytes);
    return TW_STATUS_OK;
}

/* What a simulation with a single material and a law of linear springs and friction alone does not
 * have: its hash is what it always was. */
static tw_status hash_materials(tw_hash *hash, const tw_model *model, const tw_state *state,
                                const tw_checkpoint_writer *file, tw_error *error)
{
    const tw_energy_balance *balance = &state->balance;
    const double lost[] = {balance->micro_slip, balance->rolling, balance->twisting};
    const tw_contact_law *law = &model->laws[0];
    tw_contact_law plain = {.kn = law->kn, .kt = law->kt, .mu = law->mu, .nu_n = law->nu_n};
    plain.kind = law->kind;
    plain.refine = law->refine;
    if (lost[0] != 0.0 || lost[1] != 0.0 || lost[2] != 0.0) tw_hash_add(hash, lost, sizeof lost);
    if (model->material_count == 1 && memcmp(&plain, law, sizeof plain) == 0) return TW_STATUS_OK;
    tw_hash_add(hash, model->laws, tw_model_law_count(model) * sizeof *model->laws);
    if (model->material_count == 1) return TW_STATUS_OK;
    return hash_column(hash, file, "material", state->bodies.material,
                       state->bodies.count * sizeof *state->bodies.material, error);
}

/* All but the contacts. */
static tw_status hash_bodies(tw_hash *hash, const tw_model *model, const tw_state *state,
                             const tw_servo *servo, const tw_checkpoint_writer *file,
                             tw_error *error)
{
    const tw_bodies *b = &state->bodies;
    hash_settings(hash, model, state);
    tw_status status = hash_materials(hash, model, state, file, error);
    tw_servo_hash(servo, hash);
#define TW_COLUMN(type, name)                                                                      \
    if (status == TW_STATUS_OK)                                                                    \
        status = hash_column(hash, file, #name, b->name, b->count * sizeof *b->name, error);
#define TW_COLUMN_NOTE(type, name) /* not part of the motion */
#include "world/body_columns.def"
    return status;
}

/* Bytes of several contacts that are hashed together: calls with a few bytes each take longer than
 * the hash itself. */
typedef struct hash_buffer {
    tw_hash *hash;
    size_t used;
    unsigned char bytes[1 << 14];
} hash_buffer;

static void hash_flush(hash_buffer *buffer)
{
    tw_hash_add(buffer->hash, buffer->bytes, buffer->used);
    buffer->used = 0;
}

static void hash_later(hash_buffer *buffer, const void *bytes, size_t count)
{
    if (count > sizeof buffer->bytes - buffer->used) hash_flush(buffer);
    memcpy(buffer->bytes + buffer->used, bytes, count);
    buffer->used += count;
}

/* Walls are numbered after all spheres. */
static void hash_pair(hash_buffer *hash, size_t spheres, const tw_pair *pair)
{
    const uint32_t q = tw_pair_is_wall(pair) ? (uint32_t)spheres + pair->q : pair->q;
    const int8_t shift[4] = {pair->shift.i, pair->shift.j, pair->shift.k, 0};
    hash_later(hash, &pair->p, sizeof pair->p);
    hash_later(hash, &q, sizeof q);
    hash_later(hash, shift, sizeof shift);
}

/* Of extras only parts that the laws use: others are gone after the next step. */
static void hash_contact(hash_buffer *hash, const tw_contact_memory *memory, tw_vec3 force,
                         const tw_contact_extra *extra, uint32_t parts)
{
    hash_later(hash, memory, sizeof *memory);
    hash_later(hash, &force, sizeof force);
#define TW_EXTRA_VECTOR(bit, name)                                                                 \
    if (parts & (bit)) hash_later(hash, &extra->name, sizeof extra->name);
#include "world/extra_parts.def"
}

int tw_sim_hash_known(const tw_sim *sim)
{
    return sim->hashed || !tw_sim_device_gives(sim);
}

uint64_t tw_sim_hash(const tw_sim *sim)
{
    TW_ARITHMETIC_HERE;
    const tw_model *model = &sim->model;
    const tw_state *state = &sim->state;
    const tw_schedule *schedule = &sim->schedule;
    const size_t spheres = tw_sim_spheres(sim);
    const uint32_t parts = tw_model_extras(model);
    if (sim->hashed) return sim->hash;
    if (tw_sim_device_fetch(sim, NULL) != TW_STATUS_OK && tw_sim_device_gives(sim))
        return 0; /* the next call that runs or saves says why */
    tw_hash hash = tw_hash_start(1);
    (void)hash_bodies(&hash, model, state, &sim->servo, NULL, NULL); /* in memory: cannot fail */
    hash_buffer buffer = {.hash = &hash};
    for (size_t k = 0; k < schedule->pairs.count; k++) {
        if (!tw_pairs_touch(&schedule->pairs, k)) continue;
        const tw_pair *pair = &schedule->pairs.pair[k];
        const uint32_t slot = schedule->pairs.slot[k];
        const tw_contact_memory memory = tw_bundle_get(state->contacts.bundle, slot);
        const tw_contact_extra extra = tw_extras_get(&state->contacts.extras, slot);
        const tw_contact_law law = tw_pair_law(model, state, schedule, pair);
        const tw_vec3 force = tw_contacts_force(&state->contacts, &law, slot);
        hash_pair(&buffer, spheres, pair);
        hash_contact(&buffer, &memory, force, &extra, parts);
    }
    hash_flush(&buffer);
    return tw_hash_value(&hash);
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

/* A state that a device gives: what is at hand is written, and hashed. */
typedef struct saving {
    const tw_sim *sim;
    tw_checkpoint_writer *file;
    tw_checkpoint_data data;
    tw_state state; /* numbers, and the bodies at hand */
    tw_hash hash;
    hash_buffer buffer;
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
    if (status != TW_STATUS_OK || s->data.bodies.first < s->data.bodies.all) return status;
    return hash_bodies(&s->hash, s->data.model, &s->state, s->data.servo, s->file, error);
}

static tw_status save_contacts(void *context, const tw_device_contacts *part, tw_error *error)
{
    static const tw_contact_extra none = {0};
    saving *s = context;
    const tw_contact_list *list = part->list;
    s->data.contacts = *list;
    s->data.contact_rows.all = part->all;
    const tw_status status = save_part(s, "contacts", error);
    s->data.contact_rows.first += list->count;
    s->data.contacts = (tw_contact_list){0}; /* those of the device */
    for (size_t k = 0; k < list->count && status == TW_STATUS_OK; k++) {
        hash_pair(&s->buffer, 0, &list->pair[k]);
        hash_contact(&s->buffer, &list->memory[k], part->force[k],
                     list->extra ? &list->extra[k] : &none, list->parts);
    }
    return status;
}

static tw_status give_all(tw_sim *sim, saving *s, tw_error *error)
{
    const tw_device_taker taker = {s, save_bodies, save_contacts};
    const tw_checkpoint_rows *bodies = &s->data.bodies, *contacts = &s->data.contact_rows;
    const tw_status status = tw_sim_device_give(sim, &taker, error);
    if (status != TW_STATUS_OK) return status;
    if (bodies->first != sim->state.bodies.count || contacts->first != contacts->all)
        return tw_error_set(error, TW_STATUS_DEVICE,
                            "the device gave %zu of %zu bodies and %zu of %zu contacts",
                            bodies->first, sim->state.bodies.count, contacts->first, contacts->all);
    hash_flush(&s->buffer);
    return save_part(s, NULL, error);
}

static tw_status save_given(tw_sim *sim, const char *path, const char *label, tw_error *error)
{
    saving s = {.sim = sim, .hash = tw_hash_start(1)};
    s.buffer.hash = &s.hash;
    tw_status status = TW_STATUS_OK;
    if (!tw_checkpoint_data_gather(&s.data, &sim->model, &s.state, NULL, &sim->servo))
        status = no_memory(error);
    if (status == TW_STATUS_OK) status = tw_checkpoint_begin(&s.file, label, path, error);
    if (status == TW_STATUS_OK) status = tw_checkpoint_end(s.file, give_all(sim, &s, error), error);
    tw_checkpoint_data_free(&s.data);
    sim->hashed = status == TW_STATUS_OK;
    sim->hash = tw_hash_value(&s.hash);
    return status;
}

tw_status tw_sim_save_labelled(const tw_sim *sim, const char *path, const char *label,
                               tw_error *error)
{
    TW_ARITHMETIC_HERE;
    tw_error_clear(error);
    if (!tw_checkpoint_label_is_good(label)) return refuse_label(error);
    if (sim->failed) return tw_sim_internal_refuse_failed(sim, error);
    if (sim->schedule.pending) return refuse_pending(sim, error);
    tw_sim_internal_use_threads(sim);
    tw_checkpoint_data data = {0};
    uint64_t whole;
    if (tw_sim_device_gives(sim) && !tw_device_test("whole", &whole))
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
    TW_ARITHMETIC_HERE;
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
    if (!item) return false;
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
    TW_ARITHMETIC_HERE;
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
    const tw_checkpoint_source source = {"the copy", UINT64_MAX, &list, copy_find, copy_load};
    tw_status status = tw_sim_device_fetch(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_gather(sim, &from, error);
    if (status == TW_STATUS_OK) {
        tw_checkpoint_list_make(&list, &from);
        status = tw_checkpoint_read_from(&source, &data, error);
    }
    if (status == TW_STATUS_OK) status = tw_sim_restore(copy, &data, source.name, error);
    tw_checkpoint_data_free(&from);
    tw_checkpoint_data_free(&data);
    copy->backend = sim->backend;
    copy->threads = sim->threads;
    if (status == TW_STATUS_OK) return copy;
    tw_sim_free(copy);
    return NULL;
}
