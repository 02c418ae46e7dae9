/* SPDX-License-Identifier: BSD-3-Clause */
/* An intact seal means that the file is as it was written; these checks are for files made by other
 * means, and for our own mistakes: after them no index is out of range. */
#include "sim/checkpoint_check.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "control/equations.h"

/* Row `row` of a dataset holds an index of which only those below `limit` exist. */
static tw_status refuse(const char *name, const char *set, size_t row, uint64_t value,
                        uint64_t limit, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_FILE,
                        "%s: out of range: %s has %" PRIu64
                        " in row %zu, it must be below %" PRIu64,
                        name, set, value, row, limit);
}

static tw_status check_shapes(const tw_checkpoint_data *data, const char *name, tw_error *error)
{
    uint64_t left = data->sphere_count;
    for (size_t i = 0; i < data->model->shape_count; i++) {
        const uint64_t count = data->shape_spheres[i];
        if (count == 0 || count > left)
            return refuse(name, "shapes/count", i, count, left + 1, error);
        left -= count;
    }
    if (left == 0) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_FILE,
                        "%s: shapes/spheres has %zu rows, of which shapes/count needs %" PRIu64,
                        name, data->sphere_count, data->sphere_count - left);
}

/* Each number below the count of bodies occurs once; `seen` is all zero. */
static tw_status check_ids(const tw_bodies *b, uint8_t *seen, const char *name, tw_error *error)
{
    for (size_t i = 0; i < b->count; i++) {
        const uint32_t id = b->id[i];
        if (id >= b->count) return refuse(name, "bodies/id", i, id, b->count, error);
        if (seen[id])
            return tw_error_set(error, TW_STATUS_FILE, "%s: bodies/id has %" PRIu32 " twice", name,
                                id);
        seen[id] = 1;
    }
    return TW_STATUS_OK;
}

static tw_status check_bodies(const tw_checkpoint_data *data, uint64_t *spheres, const char *name,
                              tw_error *error)
{
    const tw_bodies *b = &data->state->bodies;
    *spheres = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (b->shape[i] >= data->model->shape_count)
            return refuse(name, "bodies/shape", i, b->shape[i], data->model->shape_count, error);
        if (b->flags[i] > (TW_BODY_FIXED | TW_BODY_PRESENT))
            return refuse(name, "bodies/flags", i, b->flags[i],
                          (TW_BODY_FIXED | TW_BODY_PRESENT) + 1, error);
        *spheres += data->shape_spheres[b->shape[i]];
    }
    uint8_t *seen = NULL;
    size_t capacity = 0;
    if (tw_buffer_reserve(&seen, &capacity, b->count + 1, 1) != TW_STATUS_OK)
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to check %s", name);
    for (size_t i = 0; i < b->count; i++)
        seen[i] = 0;
    const tw_status status = check_ids(b, seen, name, error);
    tw_buffer_free(&seen, &capacity);
    return status;
}

static tw_status check_contacts(const tw_checkpoint_data *data, uint64_t spheres, const char *name,
                                tw_error *error)
{
    const uint64_t walls = data->state->wall_count;
    if (spheres >= UINT32_MAX / 2)
        return refuse(name, "bodies/shape", 0, spheres, UINT32_MAX / 2, error);
    for (size_t k = 0; k < data->contact_count; k++) {
        const tw_pair *pair = &data->contacts.pair[k];
        if (pair->p >= spheres) return refuse(name, "contacts/p", k, pair->p, spheres, error);
        if (pair->surface > TW_SURFACE_PLANE)
            return refuse(name, "contacts/surface", k, pair->surface, TW_SURFACE_PLANE + 1, error);
        const uint64_t limit = tw_pair_is_plane(pair) ? walls : spheres;
        if (pair->q >= limit) return refuse(name, "contacts/q", k, pair->q, limit, error);
    }
    return TW_STATUS_OK;
}

static tw_status check_settings(const tw_state *state, const char *name, tw_error *error)
{
    for (size_t k = 0; k < 3; k++)
        if (state->cell.periodic[k] != 0 && state->cell.periodic[k] != 1)
            return refuse(name, "cell/periodic", k, (uint64_t)(uint32_t)state->cell.periodic[k], 2,
                          error);
    return TW_STATUS_OK;
}

static tw_status check_materials(const tw_model *model, const tw_state *state, const char *name,
                                 tw_error *error)
{
    const size_t n = model->material_count;
    for (size_t k = 0; k < n; k++) {
        if (model->materials[k].name[TW_MODEL_NAME - 1])
            return tw_error_set(error, TW_STATUS_FILE, "%s: materials/name: row %zu has no end",
                                name, k);
        if (!tw_text_is_plain(model->materials[k].name))
            return tw_error_set(error, TW_STATUS_FILE,
                                "%s: materials/name: row %zu has control characters", name, k);
    }
    for (size_t k = 0; k < tw_model_law_count(model); k++) {
        const tw_contact_law *law = &model->laws[k];
        const char *why = tw_contact_law_check(law);
        if (why) return tw_error_set(error, TW_STATUS_FILE, "%s: laws: row %zu: %s", name, k, why);
        if (memcmp(law, &model->laws[k % n * n + k / n], sizeof *law) != 0 ||
            law->kind != model->laws->kind || law->refine != model->laws->refine ||
            law->normal != model->laws->normal)
            return tw_error_set(error, TW_STATUS_FILE, "%s: laws: row %zu does not fit the others",
                                name, k);
    }
    for (size_t i = 0; i < state->bodies.count; i++)
        if (state->bodies.material[i] >= n)
            return refuse(name, "bodies/material", i, state->bodies.material[i], n, error);
    for (size_t i = 0; i < state->wall_count; i++)
        if (state->walls[i].material >= n)
            return refuse(name, "walls/material", i, state->walls[i].material, n, error);
    return TW_STATUS_OK;
}

static tw_status check_control(const tw_servo *servo, const char *name, tw_error *error)
{
    const int32_t flags[] = {servo->on, servo->request.simple_shear, servo->predicted, servo->met,
                             servo->stiffness.made};
    static const char *const names[] = {"control/on", "control/simple_shear", "control/predicted",
                                        "control/met", "control/stiffness_made"};
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
        if (flags[k] != 0 && flags[k] != 1)
            return refuse(name, names[k], 0, (uint64_t)(uint32_t)flags[k], 2, error);
    tw_error why;
    if (!servo->on || tw_equations_check(&servo->request, &why) == TW_STATUS_OK)
        return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_FILE, "%s: %s", name, why.text);
}

/* Contacts remember all that their laws need. */
static tw_status check_extras(const tw_checkpoint_data *data, const char *name, tw_error *error)
{
    const uint32_t missing = tw_model_extras(data->model) & ~data->contacts.parts;
    if (data->contact_count == 0 || !missing) return TW_STATUS_OK;
    const char *set = NULL;
#define TW_EXTRA_VECTOR(bit, name)                                                                 \
    if (missing & (bit)) set = #name;
#define TW_EXTRA_NUMBER(bit, name) TW_EXTRA_VECTOR(bit, name)
#include "world/extra_parts.def"
#undef TW_EXTRA_VECTOR
#undef TW_EXTRA_NUMBER
    return tw_error_set(error, TW_STATUS_FILE, "%s: contacts/%s has no rows, but a law needs them",
                        name, set);
}

tw_status tw_checkpoint_check(const tw_checkpoint_data *data, const char *name, tw_error *error)
{
    uint64_t spheres = 0;
    tw_status status = check_shapes(data, name, error);
    if (status == TW_STATUS_OK) status = check_bodies(data, &spheres, name, error);
    if (status == TW_STATUS_OK) status = check_contacts(data, spheres, name, error);
    if (status == TW_STATUS_OK) status = check_settings(data->state, name, error);
    if (status == TW_STATUS_OK) status = check_materials(data->model, data->state, name, error);
    if (status == TW_STATUS_OK) status = check_extras(data, name, error);
    if (status == TW_STATUS_OK) status = check_control(data->servo, name, error);
    return status;
}
