/* SPDX-License-Identifier: BSD-3-Clause */
/* Materials, and the laws of their contacts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "sim/sim_internal.h"
#include "step/step.h"
#include "step/touch.h"
#include "world/schedule.h"

_Static_assert(TW_MATERIAL_NAME_MAX + 1 == TW_MODEL_NAME, "names fit");

static const char *name_wrong(const tw_model *model, const char *name)
{
    if (!*name) return "it is empty";
    if (strlen(name) > TW_MATERIAL_NAME_MAX) return "it is longer than 63 bytes";
    if (!tw_text_is_plain(name)) return "it has control characters";
    for (size_t k = 0; k < model->material_count; k++)
        if (strcmp(model->materials[k].name, name) == 0) return "there is a material of this name";
    return NULL;
}

/* The places of laws in the table change with the number of materials. */
static void renumber_laws(tw_sim *sim)
{
    const tw_schedule *schedule = &sim->schedule;
    const tw_pairs *pairs = &schedule->pairs;
    if (!schedule->valid) return;
    for (size_t k = 0; k < pairs->count; k++) {
        if (tw_pairs_touch(pairs, k))
            schedule->slots.law[pairs->slot[k]] =
                tw_pair_law_index(&sim->model, &sim->state, schedule, &pairs->pair[k]);
    }
}

/* The servo sums other things where contacts differ: tw_stiffness. */
static void forget_stiffness(tw_sim *sim, int was_uniform)
{
    if (!was_uniform || !tw_model_is_uniform(&sim->model)) sim->servo.stiffness.made = 0;
}

tw_status tw_sim_add_material(tw_sim *sim, const char *name, double density, uint32_t *number,
                              tw_error *error)
{
    assert(sim && name);
    tw_model *model = &sim->model;
    tw_error_clear(error);
    const char *wrong = name_wrong(model, name);
    if (wrong)
        return tw_error_set(error, TW_STATUS_INPUT, "material %zu: name: %s", model->material_count,
                            wrong);
    if (!(density > 0.0 && isfinite(density)))
        return tw_error_set(error, TW_STATUS_INPUT, "material %s: density must be positive", name);
    if (model->material_count == TW_MATERIALS_MAX)
        return tw_error_set(error, TW_STATUS_INPUT, "material %s: there are %d materials already",
                            name, TW_MATERIALS_MAX);
    tw_status status = tw_sim_device_take(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_list(sim, error);
    if (status == TW_STATUS_OK) status = tw_model_add_material(model, name, density, error);
    if (status != TW_STATUS_OK) return status;
    renumber_laws(sim);
    forget_stiffness(sim, 0);
    if (number) *number = (uint32_t)model->material_count - 1;
    return TW_STATUS_OK;
}

static tw_status check_material(const tw_sim *sim, uint32_t material, tw_error *error)
{
    tw_error_clear(error);
    if (material < sim->model.material_count) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT, "there is no material %u: the simulation has %zu",
                        material, sim->model.material_count);
}

tw_status tw_sim_name_material(tw_sim *sim, uint32_t material, const char *name, tw_error *error)
{
    assert(sim && name);
    tw_model *model = &sim->model;
    const tw_status status = check_material(sim, material, error);
    if (status != TW_STATUS_OK) return status;
    char *own = model->materials[material].name;
    if (strcmp(own, name) == 0) return TW_STATUS_OK;
    const char *wrong = name_wrong(model, name);
    if (wrong)
        return tw_error_set(error, TW_STATUS_INPUT, "material %u: name: %s", material, wrong);
    memset(own, 0, TW_MODEL_NAME);
    memcpy(own, name, strlen(name));
    return TW_STATUS_OK;
}

size_t tw_sim_material_count(const tw_sim *sim)
{
    return sim->model.material_count;
}

const char *tw_sim_material_name(const tw_sim *sim, uint32_t material)
{
    return material < sim->model.material_count ? sim->model.materials[material].name : NULL;
}

double tw_sim_material_density(const tw_sim *sim, uint32_t material)
{
    return material < sim->model.material_count ? sim->model.materials[material].density
                                                : (double)NAN;
}

tw_status tw_sim_get_pair_law(const tw_sim *sim, uint32_t a, uint32_t b, tw_contact_law *law,
                              tw_error *error)
{
    assert(sim && law);
    tw_status status = check_material(sim, a, error);
    if (status == TW_STATUS_OK) status = check_material(sim, b, error);
    if (status == TW_STATUS_OK) *law = sim->model.laws[tw_model_law(&sim->model, a, b)];
    return status;
}

/* ---- Changes of laws ---- */

/* What was before a change: the table of laws, and the material of one body. */
typedef struct past {
    tw_contact_law *laws;
    uint32_t *column; /* where the body has it; NULL: that of none has changed */
    uint32_t material;
} past;

static void exchange_with(tw_sim *sim, past *before)
{
    tw_contact_law *const laws = sim->model.laws;
    sim->model.laws = before->laws;
    before->laws = laws;
    if (!before->column) return;
    const uint32_t material = *before->column;
    *before->column = before->material;
    before->material = material;
}

static tw_contact_law law_before(tw_sim *sim, past *before, const tw_pair *pair)
{
    exchange_with(sim, before);
    const tw_contact_law law = tw_pair_law(&sim->model, &sim->state, &sim->schedule, pair);
    exchange_with(sim, before);
    return law;
}

/* After a change of laws parts of contacts are what their table says, and those of the same wall
 * share anew. Without tangential stiffness there is no spring left that would turn or release a
 * tangential force. `stored`: energies of springs have changed. */
static void renew_contacts(tw_sim *sim, past *before, bool stored)
{
    const tw_pairs *pairs = &sim->schedule.pairs;
    tw_contacts *contacts = &sim->state.contacts;
    for (size_t k = 0; k < pairs->count; k++) {
        if (!tw_pairs_touch(pairs, k)) continue;
        const uint32_t slot = pairs->slot[k];
        const tw_contact_law law =
            tw_pair_law(&sim->model, &sim->state, &sim->schedule, &pairs->pair[k]);
        tw_contact_memory memory = tw_bundle_get(contacts->bundle, slot);
        if (contacts->extras.parts) {
            tw_contact_parts parts = tw_extras_get(&contacts->extras, slot);
            const tw_contact_law was = law_before(sim, before, &pairs->pair[k]);
            const uint32_t less = tw_contact_parts_change(&was, &law, &memory, &parts);
            tw_extras_put(&contacts->extras, slot, &parts);
            stored = stored || (contacts->extras.parts & less);
        }
        if (law.kt > 0.0) continue;
        memory.ft = tw_vec3_make(0.0, 0.0, 0.0);
        tw_bundle_put(contacts->bundle, slot, &memory);
    }
    if (!stored) return;
    if (sim->schedule.valid) tw_touch_share(&sim->model, &sim->state, &sim->schedule);
    const tw_contact_stored now = tw_stored_sum(&sim->model, &sim->state, &sim->schedule);
    tw_stored_replace(&sim->state, &now);
}

/* What differs between two laws, as bits of what follows from it. Friction alone is in no array;
 * with several materials it also decides whether all laws are the same, which more depends on. */
enum { FRICTION = 1, STEP = 2, STORED = 4, PARTS = 8, METHOD = 16 };

static int difference(const tw_contact_law *a, const tw_contact_law *b)
{
    const uint32_t stored = TW_CONTACT_BY_RADIUS | TW_CONTACT_YADE_LEVERS,
                   flags = a->flags ^ b->flags;
    int bits = 0;
#define TW_CONTACT_CONSTANT(name, units, change, scale, word, ratio)                               \
    if (a->name != b->name) bits |= change;
#include <twirl/detail/contact_constants.def>
    if (a->kind != b->kind || a->refine != b->refine) bits |= METHOD;
    if (a->normal != b->normal || flags & stored) bits |= STORED;
    return flags ? bits | STEP : bits;
}

static tw_status check_dt(tw_sim *sim, tw_error *error)
{
    return tw_step_set_dt(&sim->model, &sim->state, &sim->schedule,
                          sim->model.dt_automatic ? 0.0 : sim->state.dt, error);
}

/* Takes over the table `laws`; on failure it is freed and nothing has changed. */
static tw_status replace_laws(tw_sim *sim, tw_contact_law *laws, tw_error *error)
{
    tw_model *model = &sim->model;
    tw_contact_law *old = model->laws;
    const int uniform = tw_model_is_uniform(model);
    int differs = 0;
    for (size_t k = 0; k < tw_model_law_count(model); k++)
        differs |= difference(&laws[k], &old[k]);
    tw_model other = *model;
    other.laws = laws;
    const uint32_t had = tw_model_extras(model), needs = tw_model_extras(&other);
    const bool changed = (differs & ~FRICTION) || model->material_count > 1 || had != needs ||
                         (differs && had & TW_CONTACT_EXTRA_CHANGED);
    tw_status status = TW_STATUS_OK;
    if (!changed) {
        tw_sim_device_renew(sim);
    } else {
        status = tw_sim_device_take(sim, error);
        if (status == TW_STATUS_OK) status = tw_sim_device_list(sim, error);
    }
    model->laws = laws;
    if (status == TW_STATUS_OK) status = tw_state_need_extras(&sim->state, needs, error);
    if (status == TW_STATUS_OK && differs & (STORED | STEP)) status = check_dt(sim, error);
    if (status != TW_STATUS_OK) {
        model->laws = old;
        tw_buffer_drop(&laws);
        return status;
    }
    forget_stiffness(sim, uniform);
    if (changed) renew_contacts(sim, &(past){old, NULL, 0}, (differs & STORED) != 0);
    tw_buffer_drop(&old);
    return TW_STATUS_OK;
}

static tw_status new_table(const tw_model *model, tw_contact_law **laws, tw_error *error)
{
    *laws = NULL;
    if (tw_buffer_grow(laws, 0, tw_model_law_count(model), sizeof **laws)) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for %zu laws",
                        tw_model_law_count(model));
}

static tw_status check_law(const tw_model *model, const tw_contact_law *law, size_t a, size_t b,
                           const tw_contact_law *first, tw_error *error)
{
    const char *wrong = tw_contact_law_check(law);
    if (!wrong && law->kind != first->kind) wrong = "all laws must have the same kind";
    if (!wrong && law->refine != first->refine) wrong = "all laws must have the same refinements";
    if (!wrong) return TW_STATUS_OK;
    if (model->material_count == 1) return tw_error_set(error, TW_STATUS_INPUT, "%s", wrong);
    return tw_error_set(error, TW_STATUS_INPUT, "law of %s and %s: %s", model->materials[a].name,
                        model->materials[b].name, wrong);
}

tw_status tw_sim_set_laws(tw_sim *sim, const tw_contact_law *laws, size_t count, tw_error *error)
{
    TW_CALL_HERE(sim && (laws || count == 0));
    const tw_model *model = &sim->model;
    const size_t n = model->material_count;
    tw_error_clear(error);
    if (count != n * n) return tw_error_set_count(error, "laws", n * n, count);
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            const tw_status status = check_law(model, &laws[a * n + b], a, b, &laws[0], error);
            if (status != TW_STATUS_OK) return status;
            if (memcmp(&laws[a * n + b], &laws[b * n + a], sizeof *laws) != 0)
                return tw_error_set(error, TW_STATUS_INPUT,
                                    "law of %s and %s: not the same as that of %s and %s",
                                    model->materials[a].name, model->materials[b].name,
                                    model->materials[b].name, model->materials[a].name);
        }
    }
    tw_contact_law *table;
    const tw_status status = new_table(model, &table, error);
    if (status != TW_STATUS_OK) return status;
    memcpy(table, laws, tw_model_law_count(model) * sizeof *laws);
    return replace_laws(sim, table, error);
}

tw_status tw_sim_set_pair_law(tw_sim *sim, uint32_t a, uint32_t b, const tw_contact_law *law,
                              tw_error *error)
{
    TW_CALL_HERE(sim && law);
    const tw_model *model = &sim->model;
    tw_status status = check_material(sim, a, error);
    if (status == TW_STATUS_OK) status = check_material(sim, b, error);
    if (status != TW_STATUS_OK) return status;
    const tw_contact_law *first = model->material_count > 1 ? model->laws : law;
    status = check_law(model, law, a, b, first, error);
    tw_contact_law *table;
    if (status == TW_STATUS_OK) status = new_table(model, &table, error);
    if (status != TW_STATUS_OK) return status;
    memcpy(table, model->laws, tw_model_law_count(model) * sizeof *table);
    table[tw_model_law(model, a, b)] = table[tw_model_law(model, b, a)] = *law;
    return replace_laws(sim, table, error);
}

tw_status tw_sim_set_law(tw_sim *sim, const tw_contact_law *law, tw_error *error)
{
    TW_CALL_HERE(sim && law);
    const tw_model *model = &sim->model;
    const char *wrong = tw_contact_law_check(law);
    if (wrong) return tw_error_set(error, TW_STATUS_INPUT, "%s", wrong);
    tw_contact_law *table;
    const tw_status status = new_table(model, &table, error);
    if (status != TW_STATUS_OK) return status;
    for (size_t k = 0; k < tw_model_law_count(model); k++)
        table[k] = *law;
    return replace_laws(sim, table, error);
}

tw_status tw_sim_set_body_material(tw_sim *sim, uint32_t id, uint32_t material, tw_error *error)
{
    TW_CALL_HERE(sim);
    tw_status status = check_material(sim, material, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_take(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_list(sim, error);
    if (status != TW_STATUS_OK) return status;
    const size_t i = tw_sim_internal_index_of(sim, id);
    if (i == SIZE_MAX) return tw_sim_internal_no_body(sim, id, error);
    uint32_t *column = sim->state.bodies.material;
    const uint32_t old = column[i];
    if (material == old) return TW_STATUS_OK;
    column[i] = material;
    renumber_laws(sim);
    status = check_dt(sim, error);
    if (status != TW_STATUS_OK) {
        column[i] = old;
        renumber_laws(sim);
        return status;
    }
    forget_stiffness(sim, 0);
    renew_contacts(sim, &(past){sim->model.laws, &column[i], old}, true);
    return TW_STATUS_OK;
}
