/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/search.h"

#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "search/list.h"
#include "search/tiling.h"
#include "search/tiling_slots.h"
#include "search/travel.h"

int tw_search_stale(const tw_state *state, tw_schedule *schedule)
{
    if (!schedule->valid) return 1;
    schedule->stretch = tw_travel_stretch(&state->cell);
    return tw_travel_exceeds(state, schedule, tw_travel_farthest(&schedule->tiles));
}

/* ---- Contacts between two lists ---- */

static tw_status take_contacts(tw_schedule *schedule, tw_contact_list *out, tw_error *error)
{
    const tw_pairs *p = &schedule->pairs;
    const size_t count = tw_schedule_contacts(schedule);
    out->count = count;
    out->pair = tw_arena_take(&schedule->scratch, count + 1, sizeof *out->pair);
    out->slot = tw_arena_take(&schedule->scratch, count + 1, sizeof *out->slot);
    if (!out->pair || !out->slot) {
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to keep %zu contacts",
                            count);
    }
    size_t at = 0;
    for (size_t k = 0; k < p->count; k++) {
        if (!tw_pairs_touch(p, k)) continue;
        out->pair[at] = p->pair[k];
        out->slot[at++] = p->slot[k];
    }
    return TW_STATUS_OK;
}

/* `pairs` and the slots have room for them. */
static void put_contacts(tw_state *state, tw_schedule *schedule, const tw_contact_list *contacts)
{
    tw_pairs *p = &schedule->pairs;
    tw_contacts *c = &state->contacts;
    for (size_t k = 0; k < contacts->count; k++) {
        p->pair[k] = contacts->pair[k];
        p->slot[k] = contacts->memory ? (uint32_t)k : contacts->slot[k];
        if (!contacts->memory) continue;
        tw_bundle_put(c->bundle, p->slot[k], &contacts->memory[k]);
        c->sliding[k] = contacts->sliding ? contacts->sliding[k] : 0;
        if (contacts->extra) tw_extras_put(&c->extras, p->slot[k], &contacts->extra[k]);
    }
    p->count = contacts->count;
    schedule->valid = 0;
}

tw_status tw_search_keep(tw_state *state, tw_schedule *schedule, const tw_contact_list *contacts,
                         tw_error *error)
{
    const size_t count = contacts->count;
    tw_status status = tw_schedule_reserve_pairs(schedule, state->bodies.count, count, error);
    if (status == TW_STATUS_OK && contacts->memory)
        status = tw_state_reserve_contacts(state, count, error);
    if (status == TW_STATUS_OK) status = tw_state_need_extras(state, contacts->parts, error);
    if (status == TW_STATUS_OK) put_contacts(state, schedule, contacts);
    return status;
}

/* Exchanges p and q. */
static void turn_around(tw_state *state, tw_contact_list *c, size_t k)
{
    tw_contact_memory memory = tw_bundle_get(state->contacts.bundle, c->slot[k]);
    const uint32_t p = c->pair[k].p;
    c->pair[k].p = c->pair[k].q;
    c->pair[k].q = p;
    c->pair[k].shift = tw_shift_negative(c->pair[k].shift);
    memory.n = tw_vec3_scale(-1.0, memory.n);
    memory.ft = tw_vec3_scale(-1.0, memory.ft);
    tw_bundle_put(state->contacts.bundle, c->slot[k], &memory);
    tw_extras *extras = &state->contacts.extras;
    if (!extras->parts) return;
    const tw_contact_extra extra = tw_extras_get(extras, c->slot[k]);
    const tw_contact_extra other = tw_extras_exchanged(&extra);
    tw_extras_put(extras, c->slot[k], &other);
}

/* ---- Equivalent descriptions of the state ---- */

/* Shortens the edges of a strongly sheared cell by adding whole edges to each other. `change` is
 * the inverse of this operation, for images: offset = h s = h' (change s). */
static int reduce_cell(tw_cell *cell, tw_mat3 *change)
{
    int changed = 0;
    tw_vec3 edge[3], before[3], row[3]; /* copies; put back at the end */
    for (int k = 0; k < 3; k++) {
        edge[k] = tw_mat3_column(cell->h, k);
        before[k] = tw_mat3_column(cell->h_before, k);
        row[k] = tw_mat3_row(tw_mat3_identity(), k);
    }
    for (int round = 0, again = 1; again && round < 100; round++) {
        again = 0;
        for (int pair = 0; pair < 9; pair++) {
            const int a = pair / 3, b = pair % 3;
            if (a == b || !cell->periodic[a] || !cell->periodic[b]) continue;
            const double part = tw_vec3_dot(edge[a], edge[b]) / tw_vec3_dot(edge[b], edge[b]);
            /* Above one half by a margin, so that a cell at the limit does not flip back and forth.
             */
            if (fabs(part) < 0.6) continue;
            const double whole = rint(part);
            edge[a] = tw_vec3_add_scaled(edge[a], -whole, edge[b]);
            before[a] = tw_vec3_add_scaled(before[a], -whole, before[b]);
            row[b] = tw_vec3_add_scaled(row[b], whole, row[a]);
            again = changed = 1;
        }
    }
    *change = tw_mat3_from_rows(row[0], row[1], row[2]);
    if (!changed) return 0;
    cell->h = tw_mat3_from_columns(edge[0], edge[1], edge[2]);
    cell->h_before = tw_mat3_from_columns(before[0], before[1], before[2]);
    cell->inverse = tw_mat3_inverse(cell->h);
    return 1;
}

/* An image too far away to be numbered is none that the list knows: the contact is lost, and that
 * is reported. */
static int8_t image_number(double t)
{
    return (int8_t)(fabs(t) <= INT8_MAX ? t : INT8_MAX);
}

static tw_shift shift_through(const tw_mat3 *change, tw_shift s)
{
    const tw_vec3 t = tw_mat3_mul_vec(*change, tw_vec3_make(s.i, s.j, s.k));
    return (tw_shift){image_number(t.x), image_number(t.y), image_number(t.z)};
}

/* Wraps body i into the cell; returns the image it was in. */
static tw_shift wrap_body(tw_state *state, size_t i)
{
    const tw_vec3 s = tw_mat3_mul_vec(state->cell.inverse, state->bodies.x[i]);
    const double at[3] = {s.x, s.y, s.z};
    int whole[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        if (state->cell.periodic[k] && fabs(at[k]) < 100.0) whole[k] = (int)floor(at[k]);
    }
    const tw_shift w = {(int8_t)whole[0], (int8_t)whole[1], (int8_t)whole[2]};
    if (w.i || w.j || w.k) {
        const tw_vec3 now = tw_cell_offset(&state->cell.h, w);
        const tw_vec3 before = tw_cell_offset(&state->cell.h_before, w);
        state->bodies.x[i] = tw_vec3_sub(state->bodies.x[i], now);
        state->bodies.image[i] = tw_vec3_add(state->bodies.image[i], tw_vec3_make(w.i, w.j, w.k));
        /* In a deforming cell the two images have moved differently. */
        state->bodies.dx[i] = tw_vec3_sub(state->bodies.dx[i], tw_vec3_sub(now, before));
    }
    return w;
}

/* Morton code of a position in the cell: neighbours in space become neighbours in memory. */
static uint32_t morton_code(tw_vec3 s)
{
    const double at[3] = {s.x, s.y, s.z};
    uint32_t key = 0;
    for (int k = 0; k < 3; k++) {
        const double part = floor(tw_math_min(tw_math_max(at[k], 0.0), 0.999999) * 128.0);
        const uint32_t bits = (uint32_t)part;
        for (int b = 0; b < 7; b++)
            key |= (bits >> b & 1u) << (3 * b + k);
    }
    return key;
}

/* Workspace of a rearrangement. All of it is taken before anything changes. */
typedef struct sorting {
    uint32_t *keys, *order, *spare_keys, *spare_order;
    uint32_t *now;   /* new index of a body, by its old one */
    uint32_t *first; /* first sphere of a body in the new order */
    tw_shift *wrapped;
    tw_bodies_value *values;
} sorting;

static tw_status sorting_make(sorting *s, tw_arena *arena, size_t bodies, tw_error *error)
{
    const size_t n = bodies + 1;
    s->keys = tw_arena_take(arena, n, sizeof *s->keys);
    s->order = tw_arena_take(arena, n, sizeof *s->order);
    s->spare_keys = tw_arena_take(arena, n, sizeof *s->spare_keys);
    s->spare_order = tw_arena_take(arena, n, sizeof *s->spare_order);
    s->now = tw_arena_take(arena, n, sizeof *s->now);
    s->first = tw_arena_take(arena, n, sizeof *s->first);
    s->wrapped = tw_arena_take(arena, n, sizeof *s->wrapped);
    s->values = tw_arena_take(arena, n, sizeof *s->values);
    if (s->keys && s->order && s->spare_keys && s->spare_order && s->now && s->first &&
        s->wrapped && s->values)
        return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to sort %zu bodies", bodies);
}

static void sort_bodies(const tw_model *model, tw_state *state, sorting *s)
{
    const tw_bodies *b = &state->bodies;
    for (size_t i = 0; i < b->count; i++) {
        s->keys[i] = morton_code(tw_mat3_mul_vec(state->cell.inverse, b->x[i]));
        s->order[i] = (uint32_t)i;
    }
    tw_sort_u32(s->keys, s->order, s->spare_keys, s->spare_order, b->count, 21);
    tw_state_permute_bodies(state, s->order, s->values);
    uint32_t total = 0;
    for (size_t i = 0; i < b->count; i++) {
        s->now[s->order[i]] = (uint32_t)i;
        s->first[i] = total;
        total += (uint32_t)model->shapes[b->shape[i]].count;
    }
}

/* Contacts in terms of the new order of bodies and the new images. `spheres` are still those of the
 * old order. */
static void renumber(tw_state *state, const tw_spheres *spheres, const sorting *s,
                     tw_contact_list *c)
{
    for (size_t k = 0; k < c->count; k++) {
        tw_pair *pair = &c->pair[k];
        const uint32_t bp = spheres->body[pair->p], p = s->now[bp];
        pair->p = s->first[p] + (pair->p - spheres->first[bp]);
        if (tw_pair_is_plane(pair)) continue;
        const uint32_t bq = spheres->body[pair->q], q = s->now[bq];
        pair->q = s->first[q] + (pair->q - spheres->first[bq]);
        pair->shift.i = (int8_t)(pair->shift.i + s->wrapped[bq].i - s->wrapped[bp].i);
        pair->shift.j = (int8_t)(pair->shift.j + s->wrapped[bq].j - s->wrapped[bp].j);
        pair->shift.k = (int8_t)(pair->shift.k + s->wrapped[bq].k - s->wrapped[bp].k);
        if (q < p) turn_around(state, c, k);
    }
}

/* A tenth of the mean radius of the spheres. */
static double skin_for(const tw_model *model, const tw_state *state)
{
    double sum = 0.0;
    if (model->skin_requested > 0.0) return model->skin_requested;
    for (size_t i = 0; i < state->bodies.count; i++) {
        const tw_shape *shape = &model->shapes[state->bodies.shape[i]];
        double radius = 0.0;
        for (size_t k = 0; k < shape->count; k++)
            radius += shape->spheres[k].radius / (double)shape->count;
        sum += radius * state->bodies.size[i];
    }
    return state->bodies.count ? 0.1 * sum / (double)state->bodies.count : 1.0;
}

static void set_reference(const tw_model *model, tw_state *state)
{
    tw_bodies *b = &state->bodies;
    memcpy(b->x_ref, b->x, b->count * sizeof *b->x);
    memcpy(b->q_ref, b->q, b->count * sizeof *b->q);
    state->cell.h_ref = state->cell.h;
    for (size_t k = 0; k < state->wall_count; k++)
        state->walls[k].travel = tw_vec3_make(0.0, 0.0, 0.0);
    state->skin = skin_for(model, state);
}

/* Wraps, sorts and renumbers. On failure nothing has changed. */
static tw_status rearrange(const tw_model *model, tw_state *state, tw_schedule *schedule,
                           tw_contact_list *contacts, tw_error *error)
{
    sorting s;
    tw_mat3 change;
    const tw_status status = sorting_make(&s, &schedule->scratch, state->bodies.count, error);
    if (status != TW_STATUS_OK) return status;
    if (reduce_cell(&state->cell, &change)) {
        for (size_t k = 0; k < contacts->count; k++)
            contacts->pair[k].shift = shift_through(&change, contacts->pair[k].shift);
        for (size_t i = 0; i < state->bodies.count; i++)
            state->bodies.image[i] = tw_mat3_mul_vec(change, state->bodies.image[i]);
    }
    for (size_t i = 0; i < state->bodies.count; i++)
        s.wrapped[i] = wrap_body(state, i);
    sort_bodies(model, state, &s);
    renumber(state, &schedule->spheres, &s, contacts);
    tw_schedule_list_spheres(model, state, schedule);
    return TW_STATUS_OK;
}

static void measure_sizes(const tw_model *model, const tw_state *state, tw_schedule *schedule)
{
    schedule->bound = 0.0;
    schedule->radius_min = DBL_MAX;
    for (size_t i = 0; i < state->bodies.count; i++)
        schedule->bound = tw_math_max(schedule->bound, tw_list_bound(model, state, i));
    for (size_t k = 0; k < schedule->spheres.count; k++)
        schedule->radius_min = tw_math_min(schedule->radius_min, schedule->spheres.radius[k]);
}

/* Makes the list and its tiles from the reference state, and assigns the contacts to slots. */
static tw_status make_list(const tw_model *model, tw_state *state, tw_schedule *schedule,
                           const tw_contact_list *contacts, tw_error *error)
{
    tw_vec3 *centres =
        tw_arena_take(&schedule->scratch, schedule->spheres.count + 1, sizeof *centres);
    if (!centres) return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for the search");
    tw_schedule_sphere_centres(state, schedule, state->bodies.x_ref, state->bodies.q_ref, centres);
    const tw_arena_mark mark = tw_arena_here(&schedule->scratch);
    tw_status status = tw_list_make(model, state, schedule, centres, error);
    tw_arena_go_back(&schedule->scratch, mark);
    uint32_t *pairs = NULL;
    tw_tiling_ends *ends = NULL;
    if (status == TW_STATUS_OK) status = tw_list_find(state, schedule, contacts, &pairs, error);
    if (status == TW_STATUS_OK) status = tw_tiling_make(model, state, schedule, &ends, error);
    if (status == TW_STATUS_OK)
        status = tw_tiling_slots_assign(model, state, schedule, ends, contacts, pairs, error);
    if (status == TW_STATUS_OK)
        tw_tiling_slots_list_candidates(model, state, schedule, ends, centres);
    measure_sizes(model, state, schedule);
    schedule->stretch = 0.0;
    schedule->valid = status == TW_STATUS_OK;
    return status;
}

/* Slots may have grown, and sliding flags are lost then; the next step or preparation computes
 * them.
 */
static void keep_after_failure(tw_state *state, tw_schedule *schedule,
                               const tw_contact_list *contacts)
{
    put_contacts(state, schedule, contacts);
    for (size_t k = 0; k < contacts->count; k++)
        state->contacts.sliding[contacts->slot[k]] = 0;
}

/* A state that has diverged has no list: bins and images could not be counted. */
static tw_status check_finite(const tw_state *state, tw_error *error)
{
    const tw_mat3 *inverse = &state->cell.inverse;
    for (int k = 0; k < 3; k++) {
        const double width = 1.0 / tw_vec3_norm(tw_mat3_row(*inverse, k));
        if (!(width > 0.0 && width <= DBL_MAX))
            return tw_error_set(error, TW_STATUS_PHYSICS,
                                "step %llu: the cell has no volume, or is not finite",
                                (unsigned long long)state->steps);
    }
    for (size_t i = 0; i < state->bodies.count; i++) {
        const tw_vec3 s = tw_mat3_mul_vec(*inverse, state->bodies.x[i]);
        if (!isfinite(s.x) || !isfinite(s.y) || !isfinite(s.z))
            return tw_error_set(error, TW_STATUS_PHYSICS,
                                "step %llu: body %u has a non-finite position or force",
                                (unsigned long long)state->steps, state->bodies.id[i]);
    }
    return TW_STATUS_OK;
}

tw_status tw_search_refresh(const tw_model *model, tw_state *state, tw_schedule *schedule,
                            tw_error *error)
{
    tw_contact_list contacts = {0};
    tw_arena_reset(&schedule->scratch);
    tw_status status = check_finite(state, error);
    if (status == TW_STATUS_OK) status = tw_schedule_reserve_spheres(model, state, schedule, error);
    /* Bodies that were added since are the last ones and in no contact yet. */
    if (status == TW_STATUS_OK && schedule->pairs.count > 0)
        status = take_contacts(schedule, &contacts, error);
    const tw_arena_mark mark = tw_arena_here(&schedule->scratch);
    if (status == TW_STATUS_OK) status = rearrange(model, state, schedule, &contacts, error);
    if (status != TW_STATUS_OK) return status;
    tw_arena_go_back(&schedule->scratch, mark); /* the list can use the memory of the sorting */
    set_reference(model, state);
    status = make_list(model, state, schedule, &contacts, error);
    if (status == TW_STATUS_OK)
        state->searches++;
    else
        keep_after_failure(state, schedule, &contacts);
    return status;
}

tw_status tw_search_restore(const tw_model *model, tw_state *state, tw_schedule *schedule,
                            const tw_contact_list *contacts, tw_error *error)
{
    tw_arena_reset(&schedule->scratch);
    tw_status status = tw_schedule_reserve_spheres(model, state, schedule, error);
    if (status == TW_STATUS_OK) status = tw_state_need_extras(state, contacts->parts, error);
    if (status != TW_STATUS_OK) return status;
    tw_schedule_list_spheres(model, state, schedule);
    return make_list(model, state, schedule, contacts, error);
}
