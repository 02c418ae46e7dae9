/* SPDX-License-Identifier: BSD-3-Clause */
/* An intact seal means that the file is as it was written; these checks are for files made by other
 * means, and for our own mistakes: after them no index is out of range. */
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <twirl/math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "control/equations.h"
#include "sim/checkpoint.h"
#include "sim/checkpoint_items.h"
#include "sim/sim_internal.h"

typedef struct short_text {
    char text[96];
} short_text;

static short_text set_name(const tw_checkpoint_item *item)
{
    short_text made;
    snprintf(made.text, sizeof made.text, "%s/%s", item->group, item->name);
    return made;
}

static short_text text_of(const tw_checkpoint_set *set)
{
    short_text made;
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

tw_status tw_checkpoint_source_rows(const tw_checkpoint_source *source, const char *group,
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

/* Without a dataset, which is no error. */
static bool is_missing(const tw_checkpoint_source *source, const tw_checkpoint_item *item)
{
    tw_checkpoint_set found;
    return item->missing && !source->find(source->context, item->group, item->name, &found);
}

tw_status tw_checkpoint_source_read(const tw_checkpoint_source *source,
                                    const tw_checkpoint_item *item, tw_checkpoint_data *data,
                                    tw_error *error)
{
    tw_checkpoint_set found;
    if (is_missing(source, item)) return TW_STATUS_OK;
    tw_status status = find(source, item->group, item->name, &found, error);
    if (status == TW_STATUS_OK) status = check_set(source, item, &found, error);
    if (status != TW_STATUS_OK || item->rows == 0) return status;
    void *values = tw_checkpoint_item_room(item, data, source->name, error);
    status = values ? source->load(source->context, item, values, error) : TW_STATUS_MEMORY;
    if (status == TW_STATUS_OK) tw_checkpoint_item_copy(item, values, true);
    return status;
}

/* Contacts remember all that their laws need: parts that laws began to need after the state was
 * saved come with their values for such states. */
static tw_status add_parts(const tw_checkpoint_source *source, tw_checkpoint_data *data,
                           tw_error *error)
{
    const uint32_t lacking = tw_model_extras(data->model) & ~data->contacts.parts;
    const tw_contact_part *part;
    tw_checkpoint_set found;
    if (data->contacts.count == 0 || !lacking) return TW_STATUS_OK;
    for (uint32_t k = 0; (part = tw_contact_part_at(k)); k++)
        if (lacking & part->need && source->find(source->context, "contacts", part->name, &found))
            return tw_error_set(error, TW_STATUS_FILE,
                                "%s: contacts/%s has no rows, but a law needs them", source->name,
                                part->name);
    if (tw_checkpoint_data_add_parts(data, lacking)) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for the checkpoint %s",
                        source->name);
}

/* Whether the list has this group, or with a name this dataset. The gain of a servo, which earlier
 * versions wrote, means nothing. */
static bool is_known(const tw_checkpoint_list *list, const char *group, const char *name)
{
    if (name && strcmp(group, "walls") == 0 && strcmp(name, "gain") == 0) return true;
    for (size_t k = 0; k < list->count; k++)
        if (strcmp(list->item[k].group, group) == 0 &&
            (!name || strcmp(list->item[k].name, name) == 0))
            return true;
    return false;
}

/* What this version would not save again. */
static tw_status refuse_unknown(const tw_checkpoint_source *source, const tw_checkpoint_list *list,
                                tw_error *error)
{
    char group[TW_CHECKPOINT_NAME], name[TW_CHECKPOINT_NAME] = "";
    bool known = true;
    for (size_t g = 0; known && source->entry(source->context, "/", g, group); g++) {
        known = is_known(list, group, NULL);
        for (size_t k = 0; known && source->entry(source->context, group, k, name); k++)
            known = is_known(list, group, name);
    }
    if (known) return TW_STATUS_OK;
    const bool whole = !is_known(list, group, NULL);
    return tw_error_set(error, TW_STATUS_VERSION,
                        "%s: %s%s%s is unknown to this version of twirl: use the one that wrote "
                        "the file, or a later one",
                        source->name, group, whole ? "" : "/", whole ? "" : name);
}

tw_status tw_checkpoint_source_complete(const tw_checkpoint_source *source,
                                        tw_checkpoint_data *data, tw_error *error)
{
    tw_checkpoint_list list;
    const tw_status status = add_parts(source, data, error);
    if (status != TW_STATUS_OK) return status;
    tw_checkpoint_list_make(&list, data);
    for (size_t k = 0; k < list.count; k++)
        if (is_missing(source, &list.item[k])) tw_checkpoint_item_fill(&list.item[k], data);
    return source->entry ? refuse_unknown(source, &list, error) : TW_STATUS_OK;
}

/* Row `row` of a dataset holds an index of which only those below `limit` exist. */
static tw_status refuse_index(const char *name, const char *set, size_t row, uint64_t value,
                              uint64_t limit, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_FILE,
                        "%s: out of range: %s has %" PRIu64
                        " in row %zu, it must be below %" PRIu64,
                        name, set, value, row, limit);
}

static tw_status check_shape_counts(const tw_checkpoint_data *data, const char *name,
                                    tw_error *error)
{
    uint64_t left = data->sphere_count;
    for (size_t i = 0; i < data->model->shape_count; i++) {
        const uint64_t count = data->shape_spheres[i];
        if (count == 0 || count > left)
            return refuse_index(name, "shapes/count", i, count, left + 1, error);
        left -= count;
    }
    if (left == 0) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_FILE,
                        "%s: shapes/spheres has %zu rows, of which shapes/count needs %" PRIu64,
                        name, data->sphere_count, data->sphere_count - left);
}

/* Points, elements and their corners exist. */
static tw_status check_surfaces(const tw_checkpoint_data *data, const char *name, tw_error *error)
{
    uint64_t points = data->point_count, corners = data->corner_count, at = 0;
    for (size_t i = 0; i < data->surface_count; i++) {
        const struct tw_checkpoint_surface *s = &data->surface[i];
        const int mesh = s->kind == TW_SURFACE_MESH;
        const uint64_t most = mesh ? TW_PAIR_ELEMENTS_MAX : s->points, used = mesh ? 3 : 0;
        if (!tw_surface_has_elements(s->kind))
            return refuse_index(name, "surfaces/kind", i, s->kind, TW_SURFACE_KINDS, error);
        if (s->points < 2 || s->points > points)
            return refuse_index(name, "surfaces/points", i, s->points, points + 1, error);
        if (s->elements < 1 || s->elements > most || used * s->elements > corners ||
            (!mesh && s->elements + 1 < s->points))
            return refuse_index(name, "surfaces/elements", i, s->elements, most + 1, error);
        points -= s->points;
        corners -= used * s->elements;
        for (uint64_t end = at + used * s->elements; at < end; at++)
            if (data->surface_corner[at] >= s->points)
                return refuse_index(name, "surfaces/corner", at, data->surface_corner[at],
                                    s->points, error);
    }
    for (size_t k = 0; k < data->state->wall_count; k++) {
        const tw_wall *wall = &data->state->walls[k];
        if (tw_surface_has_elements(wall->surface) &&
            (data->surface_count == 0 || data->surface[wall->model].kind != wall->surface))
            return refuse_index(name, "walls/model", k, wall->model, data->surface_count, error);
    }
    if (points + corners == 0) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_FILE,
                        "%s: surfaces have %" PRIu64 " points and %" PRIu64
                        " corners that no surface has",
                        name, points, corners);
}

/* Parts of motions and rows of tables exist. */
static tw_status check_motions(const tw_checkpoint_data *data, const char *name, tw_error *error)
{
    const uint64_t parts = data->model->drive_count, rows = data->model->drive_row_count;
    for (size_t k = 0; k < data->state->wall_count; k++) {
        const tw_wall *wall = &data->state->walls[k];
        const uint64_t end = (uint64_t)wall->drive_first + wall->drive_count;
        if (end > parts) return refuse_index(name, "walls/motion_parts", k, end, parts + 1, error);
    }
    for (size_t k = 0; k < parts; k++) {
        const tw_drive_part *part = &data->model->drive[k];
        const uint64_t end = (uint64_t)part->first + part->rows;
        if (end > rows) return refuse_index(name, "motions/rows", k, end, rows + 1, error);
        if ((part->rows > 0) != tw_drive_tabled(part))
            return refuse_index(name, "motions/rows", k, part->rows,
                                tw_drive_tabled(part) ? rows + 1 : 1, error);
    }
    return TW_STATUS_OK;
}

/* Each number occurs once, those of bodies that have left not at all; `seen` is all zero. */
static tw_status check_ids(const tw_bodies *b, uint64_t next, uint8_t *seen, const char *name,
                           tw_error *error)
{
    for (size_t i = 0; i < b->count; i++) {
        const uint32_t id = b->id[i];
        if (id >= next) return refuse_index(name, "bodies/id", i, id, next, error);
        if (seen[id])
            return tw_error_set(error, TW_STATUS_FILE, "%s: bodies/id has %" PRIu32 " twice", name,
                                id);
        seen[id] = 1;
    }
    return TW_STATUS_OK;
}

static tw_status check_body_ids(const tw_state *state, const char *name, tw_error *error)
{
    const uint64_t left = UINT32_MAX / 2 - state->bodies.count;
    uint8_t *seen = NULL;
    if (state->departed > left)
        return refuse_index(name, "state/departed", 0, state->departed, left + 1, error);
    if (!tw_buffer_zeros(&seen, tw_state_next_id(state), 1))
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to check %s", name);
    const tw_status status = check_ids(&state->bodies, tw_state_next_id(state), seen, name, error);
    tw_buffer_drop(&seen);
    return status;
}

/* The surfaces of contacts exist. */
static tw_status check_contacts(const tw_checkpoint_data *data, const char *name, tw_error *error)
{
    const tw_bodies *b = &data->state->bodies;
    const uint64_t walls = data->state->wall_count;
    uint64_t spheres = 0;
    for (size_t i = 0; i < b->count; i++)
        spheres += data->shape_spheres[b->shape[i]];
    if (spheres >= UINT32_MAX / 2)
        return refuse_index(name, "bodies/shape", 0, spheres, UINT32_MAX / 2, error);
    for (size_t k = 0; k < data->contacts.count; k++) {
        const tw_pair *pair = &data->contacts.pair[k];
        const uint64_t limit = tw_pair_is_wall(pair) ? walls : spheres;
        if (pair->p >= spheres) return refuse_index(name, "contacts/p", k, pair->p, spheres, error);
        if (pair->q >= limit) return refuse_index(name, "contacts/q", k, pair->q, limit, error);
        if (!tw_pair_is_wall(pair)) continue;
        const tw_wall *wall = &data->state->walls[pair->q];
        if (pair->surface != wall->surface)
            return refuse_index(name, "contacts/surface", k, pair->surface, wall->surface, error);
        const uint64_t elements =
            tw_surface_has_elements(wall->surface) ? data->surface[wall->model].elements : 1;
        if (tw_pair_element(pair) >= elements)
            return refuse_index(name, "contacts/shift", k, tw_pair_element(pair), elements, error);
    }
    return TW_STATUS_OK;
}

/* `text`: TW_MODEL_NAME bytes of a dataset. */
static tw_status check_name(const char *text, const char *set, size_t row, const char *name,
                            tw_error *error)
{
    const int ends = !text[TW_MODEL_NAME - 1];
    if (ends && tw_text_is_plain(text)) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_FILE, "%s: %s: row %zu has %s", name, set, row,
                        ends ? "control characters" : "no end");
}

static tw_status check_materials(const tw_model *model, const char *name, tw_error *error)
{
    const size_t n = model->material_count;
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; k < n && status == TW_STATUS_OK; k++)
        status = check_name(model->materials[k].name, "materials/name", k, name, error);
    if (status != TW_STATUS_OK) return status;
    for (size_t k = 0; k < tw_model_law_count(model); k++) {
        const tw_contact_law *law = &model->laws[k];
        const char *why = tw_contact_law_check(law);
        if (why) return tw_error_set(error, TW_STATUS_FILE, "%s: laws: row %zu: %s", name, k, why);
        if (memcmp(law, &model->laws[k % n * n + k / n], sizeof *law) != 0 ||
            law->kind != model->laws->kind || law->refine != model->laws->refine)
            return tw_error_set(error, TW_STATUS_FILE, "%s: laws: row %zu does not fit the others",
                                name, k);
    }
    return TW_STATUS_OK;
}

static tw_status check_control(const tw_servo *servo, const char *name, tw_error *error)
{
    tw_error why;
    if (!servo->on || tw_equations_check(&servo->request, &why) == TW_STATUS_OK)
        return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_FILE, "%s: %s", name, why.text);
}

/* An integer of the item, as far as it has a limit. */
static uint64_t integer_of(const tw_checkpoint_item *item, size_t row, size_t k)
{
    const unsigned char *value = tw_checkpoint_item_value(item, row);
    uint32_t whole;
    if (item->form.type == TW_CHECKPOINT_U8) return value[k];
    memcpy(&whole, value + k * sizeof whole, sizeof whole);
    return whole;
}

static tw_status check_integers(const tw_checkpoint_item *item, const char *name, tw_error *error)
{
    for (size_t r = 0; r < item->rows; r++)
        for (size_t k = 0; k < item->form.across; k++)
            if (integer_of(item, r, k) >= item->below)
                return refuse_index(name, set_name(item).text, r, integer_of(item, r, k),
                                    item->below, error);
    return TW_STATUS_OK;
}

tw_status tw_checkpoint_check(const tw_checkpoint_data *data, const tw_checkpoint_list *list,
                              const char *name, tw_error *error)
{
    tw_status status = check_shape_counts(data, name, error);
    for (size_t k = 0; k < list->count && status == TW_STATUS_OK; k++)
        if (list->item[k].below > 0) status = check_integers(&list->item[k], name, error);
    if (status == TW_STATUS_OK) status = check_body_ids(data->state, name, error);
    if (status == TW_STATUS_OK) status = check_surfaces(data, name, error);
    if (status == TW_STATUS_OK) status = check_motions(data, name, error);
    if (status == TW_STATUS_OK) status = check_contacts(data, name, error);
    if (status == TW_STATUS_OK) status = check_materials(data->model, name, error);
    for (size_t k = 0; k < data->state->wall_count && status == TW_STATUS_OK; k++)
        status = check_name(data->state->walls[k].name, "walls/name", k, name, error);
    if (status == TW_STATUS_OK) status = check_control(data->servo, name, error);
    return status;
}

/* Numbers that no valid state can have. An intact seal does not say which program wrote the file;
 * after these checks the search can make its list: lengths are finite and positive, the cell has a
 * volume, and no body is so far away that its image number overflows; and measures are finite. */

/* Far from all that occurs in any units, and such that products and quotients of a few numbers do
 * not overflow, nor the inverse of one that must be positive. */
static const double largest = 1e50, smallest = 1e-100;

static tw_status refuse(const char *path, const char *set, size_t row, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_FILE, "%s: row %zu of %s has an invalid number",
                        tw_error_shorten_path(path).text, row, set);
}

/* Far more than bodies leave the cell between two searches. */
static int is_near(const tw_mat3 *inverse, tw_vec3 x)
{
    const tw_vec3 s = tw_mat3_mul_vec(*inverse, x);
    return fabs(s.x) < 1e6 && fabs(s.y) < 1e6 && fabs(s.z) < 1e6;
}

/* `inverse` is that of `h`, edges neither vanish nor lie in one plane, and their products do not
 * overflow. */
static int is_cell(const tw_mat3 *h, const tw_mat3 *inverse)
{
    const tw_mat3 one = tw_mat3_mul(*h, *inverse);
    if (!(tw_mat3_max_abs(*h) < 1e50 && tw_mat3_max_abs(*inverse) < 1e50)) return 0;
    for (int k = 0; k < 9; k++)
        if (!(fabs(one.m[k] - (k % 4 == 0)) < 1e-6)) return 0;
    return 1;
}

/* Width of the cell across its narrowest periodic edge; the cells of a state are wider than a few
 * bodies, and a body as wide as many cells would touch very many of its images. */
static double width_of(const tw_cell *cell, const tw_mat3 *inverse)
{
    double width = 1e100;
    for (int k = 0; k < 3; k++)
        if (cell->periodic[k])
            width = tw_math_min(width, 1.0 / tw_vec3_norm(tw_mat3_row(*inverse, k)));
    return width;
}

static tw_status check_cell(const tw_cell *cell, int listed, const char *path, tw_error *error)
{
    const tw_mat3 reference = tw_mat3_inverse(cell->h_ref);
    if (!is_cell(&cell->h, &cell->inverse)) return refuse(path, "cell/h", 0, error);
    if (listed && !is_cell(&cell->h_ref, &reference)) return refuse(path, "cell/h_ref", 0, error);
    return TW_STATUS_OK;
}

static tw_status check_shapes(const tw_model *model, const char *path, tw_error *error)
{
    for (size_t i = 0; i < model->shape_count; i++) {
        const tw_shape *shape = &model->shapes[i];
        int good = shape->radius > 0.0;
        for (size_t k = 0; k < shape->count; k++) {
            const tw_sphere *s = &shape->spheres[k];
            good = good && s->radius > 0.0 &&
                   tw_vec3_norm(s->centre) + s->radius <= shape->radius * (1.0 + 1e-6);
        }
        if (!good) return refuse(path, "shapes/spheres", i, error);
    }
    return TW_STATUS_OK;
}

enum { CHECKED = 4096 }; /* rows that a thread looks at before it takes others */

typedef struct body_check {
    const tw_model *model;
    const tw_state *state;
    const tw_mat3 *reference; /* NULL: there is no list */
    double widest;
    atomic_size_t bad; /* the first */
} body_check;

/* The dataset with a number that is wrong, or NULL. */
static const char *body_wrong(const body_check *c, size_t i)
{
    const tw_bodies *b = &c->state->bodies;
    const double size = b->size[i] * c->model->shapes[b->shape[i]].radius;
    if (!(size < c->widest)) return "bodies/size";
    if (!is_near(&c->state->cell.inverse, b->x[i])) return "bodies/x";
    if (c->reference && !is_near(c->reference, b->x_ref[i])) return "bodies/x_ref";
    return NULL;
}

static void check_body_part(void *context, size_t begin, size_t end)
{
    body_check *c = context;
    for (size_t i = begin; i < end; i++)
        if (body_wrong(c, i)) tw_parallel_note_first(&c->bad, i);
}

static tw_status check_bodies(const tw_checkpoint_data *data, const char *path, tw_error *error)
{
    const tw_model *model = data->model;
    const tw_state *state = data->state;
    const tw_bodies *b = &state->bodies;
    const int listed = data->listed;
    const tw_mat3 reference = listed ? tw_mat3_inverse(state->cell.h_ref) : state->cell.inverse;
    const double widest = 3.0 * tw_math_min(width_of(&state->cell, &state->cell.inverse),
                                            width_of(&state->cell, &reference));
    if (!(state->skin < widest)) return refuse(path, "state/skin", 0, error);
    if (!(model->skin_requested < widest)) return refuse(path, "settings/skin_requested", 0, error);
    body_check c = {model, state, listed ? &reference : NULL, widest, SIZE_MAX};
    tw_parallel_for(b->count, CHECKED, check_body_part, &c);
    const size_t bad = atomic_load(&c.bad);
    return bad == SIZE_MAX ? TW_STATUS_OK
                           : refuse(path, body_wrong(&c, bad), data->bodies.first + bad, error);
}

/* Platens are on the faces of a cell that is rectangular there. */
static int are_platens(const tw_state *state, int edge)
{
    const tw_cell *cell = &state->cell;
    const size_t lower = (size_t)cell->walled[edge] - 1;
    int good = !cell->periodic[edge] && lower + 1 < state->wall_count && cell->h.m[4 * edge] > 0.0;
    for (int k = 0; k < 3; k++)
        if (k != edge)
            good = good && cell->h.m[3 * edge + k] == 0.0 && cell->h.m[3 * k + edge] == 0.0;
    for (size_t k = lower; good && k <= lower + 1; k++) {
        const tw_wall *wall = &state->walls[k];
        const double n[3] = {wall->normal.x, wall->normal.y, wall->normal.z};
        good = wall->servo == TW_WALL_PLATEN && wall->surface == TW_SURFACE_PLANE &&
               n[edge] == (k == lower ? 1.0 : -1.0);
    }
    return good;
}

static tw_status check_platens(const tw_state *state, const char *path, tw_error *error)
{
    size_t platens = 0;
    for (int k = 0; k < 3; k++) {
        if (state->cell.walled[k] && !are_platens(state, k))
            return refuse(path, "cell/walled", 0, error);
        platens += state->cell.walled[k] ? 2 : 0;
    }
    for (size_t k = 0; k < state->wall_count; k++)
        platens -= state->walls[k].servo == TW_WALL_PLATEN;
    return platens == 0 ? TW_STATUS_OK : refuse(path, "walls/servo", 0, error);
}

static tw_status check_walls(const tw_model *model, const tw_state *state, const char *path,
                             tw_error *error)
{
    for (size_t k = 0; k < state->wall_count; k++) {
        const tw_wall *wall = &state->walls[k];
        const tw_quat q = wall->drive_q;
        const double unit = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        if (wall->surface == TW_SURFACE_PLANE && tw_sim_internal_edge_across(state, wall) >= 0)
            return refuse(path, "walls/normal", k, error);
        if (wall->drive_count > 0 && !(fabs(unit - 1.0) < 1e-6))
            return refuse(path, "walls/motion_q", k, error);
        if (wall->drive_count > 0 && wall->servo) return refuse(path, "walls/servo", k, error);
        const char *servo = tw_sim_internal_servo_wrong(&state->cell, wall);
        if (servo)
            return tw_error_set(error, TW_STATUS_FILE, "%s: wall %zu: %s",
                                tw_error_shorten_path(path).text, k, servo);
        for (uint32_t i = 0; i < wall->drive_count; i++) {
            const tw_drive_part *part = &model->drive[wall->drive_first + i];
            const char *wrong = tw_sim_internal_drive_wrong(wall, part, model->drive_row);
            if (wrong)
                return tw_error_set(error, TW_STATUS_FILE, "%s: the motion of wall %zu: %s",
                                    tw_error_shorten_path(path).text, k, wrong);
        }
    }
    return TW_STATUS_OK;
}

/* Not a number is in no range. */
static bool is_in_range(const double *value, size_t count, tw_checkpoint_range range)
{
    double square = 0.0;
    bool good = true;
    for (size_t k = 0; k < count; k++) {
        const double x = value[k];
        square += x * x;
        good = good &&
               (fabs(x) < largest || (range == TW_CHECKPOINT_NOT_NEGATIVE_OR_INFINITE && isinf(x)));
        if (range == TW_CHECKPOINT_POSITIVE) good = good && x >= smallest;
        if (range == TW_CHECKPOINT_NOT_NEGATIVE || range == TW_CHECKPOINT_NOT_NEGATIVE_OR_INFINITE)
            good = good && x >= 0.0;
        if (range == TW_CHECKPOINT_WHOLE) good = good && x == rint(x) && fabs(x) < 1e15;
    }
    return good && (range != TW_CHECKPOINT_UNIT || fabs(square - 1.0) < 1e-6);
}

typedef struct range_check {
    const tw_checkpoint_item *item;
    atomic_size_t bad; /* the first row */
} range_check;

static void check_range_part(void *context, size_t begin, size_t end)
{
    range_check *c = context;
    const tw_checkpoint_item *item = c->item;
    const size_t numbers = (size_t)item->form.down * item->form.across;
    for (size_t r = begin; r < end; r++) {
        const bool good = item->form.type == TW_CHECKPOINT_F64
                              ? is_in_range(tw_checkpoint_item_value(item, r), numbers, item->range)
                              : integer_of(item, r, 0) > 0;
        if (!good) tw_parallel_note_first(&c->bad, r);
    }
}

static tw_status check_range(const tw_checkpoint_item *item, const char *path, tw_error *error)
{
    range_check c = {item, SIZE_MAX};
    if (item->form.type != TW_CHECKPOINT_F64 && item->range == TW_CHECKPOINT_ANY)
        return TW_STATUS_OK;
    tw_parallel_for(item->rows, CHECKED, check_range_part, &c);
    const size_t bad = atomic_load(&c.bad);
    return bad == SIZE_MAX ? TW_STATUS_OK
                           : refuse(path, set_name(item).text, item->first + bad, error);
}

tw_status tw_checkpoint_check_numbers(tw_checkpoint_data *data, const char *path, tw_error *error)
{
    tw_checkpoint_list list;
    tw_checkpoint_list_make(&list, data);
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; k < list.count && status == TW_STATUS_OK; k++)
        status = check_range(&list.item[k], path, error);
    if (status == TW_STATUS_OK) status = check_cell(&data->state->cell, data->listed, path, error);
    if (status == TW_STATUS_OK) status = check_shapes(data->model, path, error);
    if (status == TW_STATUS_OK) status = check_bodies(data, path, error);
    if (status == TW_STATUS_OK) status = check_walls(data->model, data->state, path, error);
    if (status == TW_STATUS_OK) status = check_platens(data->state, path, error);
    return status;
}
