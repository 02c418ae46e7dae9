/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/search.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/sum.h"
#include "search/list.h"
#include "search/rearrange.h"
#include "search/tiling.h"

static tw_travel farther(tw_travel a, tw_travel b)
{
    return (tw_travel){a.relative > b.relative ? a.relative : b.relative,
                       a.absolute > b.absolute ? a.absolute : b.absolute};
}

/* Single spheres without walls: only the displacement relative to the flow matters. */
static tw_travel travel_single(const tw_bodies *b, const tw_mat3 *affine, size_t begin, size_t end)
{
    double square = 0.0;
    for (size_t i = begin; i < end; i++) {
        const tw_vec3 d = tw_vec3_sub(b->x[i], tw_mat3_mul_vec(*affine, b->x_ref[i]));
        const double d2 = tw_vec3_dot(d, d);
        square = d2 > square ? d2 : square;
    }
    return (tw_travel){sqrt(square), 0.0};
}

static tw_travel travel_any(const tw_model *model, const tw_state *state, const tw_mat3 *affine,
                            size_t begin, size_t end)
{
    const tw_bodies *b = &state->bodies;
    tw_travel most = {0.0, 0.0};
    for (size_t i = begin; i < end; i++) {
        const tw_shape *shape = &model->shapes[b->shape[i]];
        const double radius = shape->radius * b->size[i];
        const double swing = shape->count > 1 ? radius * tw_quat_angle(b->q[i], b->q_ref[i]) : 0.0;
        const tw_vec3 carried = tw_mat3_mul_vec(*affine, b->x_ref[i]);
        const tw_travel one = {tw_vec3_norm(tw_vec3_sub(b->x[i], carried)) + swing,
                               tw_vec3_norm(tw_vec3_sub(b->x[i], b->x_ref[i])) + swing};
        most = farther(most, one);
    }
    return most;
}

void tw_travel_of_tile(const tw_model *model, const tw_state *state, const tw_tiles *tiles,
                       const tw_mat3 *affine, tw_tile *tile, uint32_t first)
{
    const size_t begin = tile->body + first, end = tile->body + tile->bodies;
    const tw_travel most = tiles->single && state->wall_count == 0
                               ? travel_single(&state->bodies, affine, begin, end)
                               : travel_any(model, state, affine, begin, end);
    tile->travel_relative = most.relative;
    tile->travel_absolute = most.absolute;
}

int tw_search_stale(const tw_state *state, tw_schedule *schedule)
{
    if (!schedule->valid) return 1;
    tw_travel most = {0.0, 0.0}; /* of all tiles */
    for (size_t k = 0; k < schedule->tiles.count; k++) {
        const tw_tile *tile = &schedule->tiles.tile[k];
        most = farther(most, (tw_travel){tile->travel_relative, tile->travel_absolute});
    }
    schedule->stretch = tw_travel_stretch(&state->cell);
    return tw_travel_exceeds(state, schedule, most);
}

/* ---- Contacts between two lists ---- */

enum { GRAIN = 2000 }; /* bodies, pairs or contacts in a chunk of work */

typedef struct taking {
    const tw_pairs *pairs;
    const uint8_t *sliding;
    size_t parts;                        /* of the pairs, */
    size_t first[TW_PARALLEL_PARTS_MAX]; /* and where the contacts of each go */
    const tw_contact_list *out;
} taking;

static void count_part(void *context, size_t part)
{
    taking *t = context;
    const tw_parallel_range range = tw_parallel_part(t->pairs->count, t->parts, part);
    size_t count = 0;
    for (size_t k = range.begin; k < range.end; k++)
        count += (size_t)tw_pairs_touch(t->pairs, k);
    t->first[part] = count;
}

static void take_part(void *context, size_t part)
{
    const taking *t = context;
    const tw_pairs *p = t->pairs;
    const tw_parallel_range range = tw_parallel_part(p->count, t->parts, part);
    size_t at = t->first[part];
    for (size_t k = range.begin; k < range.end; k++) {
        if (!tw_pairs_touch(p, k)) continue;
        t->out->pair[at] = p->pair[k];
        t->out->sliding[at] = t->sliding[p->slot[k]];
        t->out->slot[at++] = p->slot[k];
    }
}

static tw_status take_contacts(const tw_state *state, tw_schedule *schedule, tw_contact_list *out,
                               tw_error *error)
{
    const tw_pairs *p = &schedule->pairs;
    taking t = {.pairs = p,
                .sliding = state->contacts.sliding,
                .parts = tw_parallel_parts(p->count, GRAIN),
                .out = out};
    tw_parallel_run(t.parts, count_part, &t);
    size_t count = 0;
    for (size_t part = 0; part < t.parts; part++) {
        const size_t here = t.first[part];
        t.first[part] = count;
        count += here;
    }
    out->count = count;
    out->pair = tw_arena_take(&schedule->scratch, count + 1, sizeof *out->pair);
    out->slot = tw_arena_take(&schedule->scratch, count + 1, sizeof *out->slot);
    out->sliding = tw_arena_take(&schedule->scratch, count + 1, sizeof *out->sliding);
    if (!out->pair || !out->slot || !out->sliding) {
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to keep %zu contacts",
                            count);
    }
    tw_parallel_run(t.parts, take_part, &t);
    return TW_STATUS_OK;
}

typedef struct putting {
    const tw_pairs *pairs;
    tw_contacts *contacts;
    const tw_contact_list *list;
} putting;

static void put_part(void *context, size_t begin, size_t end)
{
    const putting *put = context;
    const tw_pairs *p = put->pairs;
    tw_contacts *c = put->contacts;
    const tw_contact_list *contacts = put->list;
    for (size_t k = begin; k < end; k++) {
        p->pair[k] = contacts->pair[k];
        const int none = contacts->slot && contacts->slot[k] == TW_NO_SLOT;
        p->slot[k] = contacts->memory && !none ? (uint32_t)k : contacts->slot[k];
        if (!contacts->memory || none) continue;
        tw_bundle_put(c->bundle, p->slot[k], &contacts->memory[k]);
        c->sliding[k] = contacts->sliding ? contacts->sliding[k] : 0;
        const tw_contact_parts extra = tw_contact_list_get(contacts, k);
        tw_extras_put(&c->extras, p->slot[k], &extra);
    }
}

/* `pairs` and the slots have room for them. */
static void put_contacts(tw_state *state, tw_schedule *schedule, const tw_contact_list *contacts)
{
    enum { PUT = 512 * TW_BUNDLE }; /* a bundle is in one part */
    tw_pairs *p = &schedule->pairs;
    putting put = {p, &state->contacts, contacts};
    tw_parallel_for(contacts->count, PUT, put_part, &put);
    p->count = contacts->count;
    schedule->valid = schedule->deferred = 0;
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

/* ---- Equivalent descriptions of the state ---- */

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

typedef struct rearranging {
    const tw_spheres *spheres;
    tw_state *state;
    const tw_contact_list *contacts;
    sorting *sorting;
    tw_mat3 change; /* of the cell */
} rearranging;

static void turn_images(void *context, size_t begin, size_t end)
{
    const rearranging *r = context;
    tw_vec3 *image = r->state->bodies.image;
    for (size_t i = begin; i < end; i++)
        image[i] = tw_mat3_mul_vec(r->change, image[i]);
}

static void turn_shifts(void *context, size_t begin, size_t end)
{
    const rearranging *r = context;
    tw_pair *pair = r->contacts->pair;
    for (size_t k = begin; k < end; k++)
        pair[k].shift = tw_rearrange_shift(&r->change, pair[k].shift);
}

static void wrap_part(void *context, size_t begin, size_t end)
{
    const rearranging *r = context;
    const tw_state *state = r->state;
    sorting *s = r->sorting;
    for (size_t i = begin; i < end; i++) {
        s->wrapped[i] = tw_rearrange_wrap(r->state, i);
        s->keys[i] = tw_rearrange_key(tw_mat3_mul_vec(state->cell.inverse, state->bodies.x[i]));
        s->order[i] = (uint32_t)i;
    }
}

static void renumber_part(void *context, size_t begin, size_t end)
{
    const rearranging *r = context;
    const sorting *s = r->sorting;
    const tw_contact_list *contacts = r->contacts;
    const tw_rearrange_maps maps = {s->now, s->first, s->wrapped};
    for (size_t k = begin; k < end; k++)
        tw_rearrange_contact(&r->state->contacts, r->spheres, &maps, &contacts->pair[k],
                             contacts->slot[k]);
}

static void sort_bodies(const tw_model *model, tw_state *state, sorting *s)
{
    const tw_bodies *b = &state->bodies;
    tw_sort_u32(s->keys, s->order, s->spare_keys, s->spare_order, b->count, 21);
    tw_state_permute_bodies(state, s->order, s->values);
    uint32_t total = 0;
    for (size_t i = 0; i < b->count; i++) {
        s->now[s->order[i]] = (uint32_t)i;
        s->first[i] = total;
        total += (uint32_t)model->shapes[b->shape[i]].count;
    }
}

typedef struct radius_context {
    const tw_model *model;
    const tw_bodies *bodies;
    size_t size; /* bodies in a tile */
} radius_context;

/* Sums over the bodies of a tile. */
static void radius_part(void *context, size_t tile, double *sum)
{
    const radius_context *c = context;
    const size_t begin = tile * c->size;
    double lane[TW_SUM_LANES] = {0.0};
    for (size_t i = begin; i < begin + c->size && i < c->bodies->count; i++)
        lane[(i - begin) % TW_SUM_LANES] += tw_rearrange_radius(c->model, c->bodies, i);
    *sum = tw_sum_lanes_join(lane);
}

static double skin_for(const tw_model *model, const tw_state *state)
{
    const tw_bodies *b = &state->bodies;
    if (model->skin_requested > 0.0) return model->skin_requested;
    tw_tiles cut;
    tw_tiles_cut(&cut, b->count);
    radius_context c = {model, b, cut.size};
    double sum;
    tw_sum_parts(cut.count, 1, radius_part, &c, NULL, &sum);
    return tw_rearrange_skin(sum, b->count);
}

static void set_reference(const tw_model *model, tw_state *state)
{
    tw_bodies *b = &state->bodies;
    memcpy(b->x_ref, b->x, b->count * sizeof *b->x);
    memcpy(b->q_ref, b->q, b->count * sizeof *b->q);
    state->cell.h_ref = state->cell.h;
    for (size_t k = 0; k < state->wall_count; k++)
        tw_rearrange_wall(&state->walls[k]);
    state->skin = skin_for(model, state);
}

/* Wraps, sorts and renumbers. On failure nothing has changed but the memory of the tiles. */
static tw_status rearrange(const tw_model *model, tw_state *state, tw_schedule *schedule,
                           tw_contact_list *contacts, tw_error *error)
{
    sorting s;
    rearranging r = {&schedule->spheres, state, contacts, &s, {{0.0}}};
    const size_t bodies = state->bodies.count;
    const tw_status status = sorting_make(&s, &schedule->tiled, bodies, error);
    if (status != TW_STATUS_OK) return status;
    if (tw_rearrange_cell(&state->cell, &r.change)) {
        tw_parallel_for(contacts->count, GRAIN, turn_shifts, &r);
        tw_parallel_for(bodies, GRAIN, turn_images, &r);
    }
    tw_parallel_for(bodies, GRAIN, wrap_part, &r);
    sort_bodies(model, state, &s);
    tw_parallel_for(contacts->count, GRAIN, renumber_part, &r);
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
    tw_arena_reset(&schedule->tiled);
    tw_status status = tw_list_make(model, state, schedule, centres, error);
    uint32_t *pairs = NULL;
    tw_tiling_ends *ends = NULL;
    if (status == TW_STATUS_OK) status = tw_list_find(state, schedule, contacts, &pairs, error);
    if (status == TW_STATUS_OK) status = tw_tiling_make(model, state, schedule, &ends, error);
    if (status == TW_STATUS_OK)
        status =
            tw_tiling_slots_assign(model, state, schedule, ends, contacts, pairs, centres, error);
    measure_sizes(model, state, schedule);
    schedule->stretch = 0.0;
    schedule->valid = status == TW_STATUS_OK;
    schedule->deferred = 0;
    if (schedule->valid) tw_arena_reset(&schedule->scratch);
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
typedef struct finite_check {
    const tw_state *state;
    atomic_size_t bad; /* the first body that is not finite */
} finite_check;

static void finite_part(void *context, size_t begin, size_t end)
{
    finite_check *check = context;
    for (size_t i = begin; i < end; i++) {
        if (!tw_rearrange_body_is_finite(check->state, i)) tw_parallel_note_first(&check->bad, i);
    }
}

static tw_status check_finite(const tw_state *state, tw_error *error)
{
    if (!tw_rearrange_cell_is_sound(&state->cell)) return tw_search_error_cell(state, error);
    finite_check check = {state, SIZE_MAX};
    tw_parallel_for(state->bodies.count, GRAIN, finite_part, &check);
    const size_t bad = atomic_load(&check.bad);
    return bad == SIZE_MAX ? TW_STATUS_OK
                           : tw_search_error_body(state, state->bodies.id[bad], error);
}

tw_status tw_search_refresh(const tw_model *model, tw_state *state, tw_schedule *schedule,
                            tw_error *error)
{
    TW_CLOCK_HERE(TW_SIM_PHASE_SEARCH);
    tw_contact_list contacts = {0};
    tw_arena_reset(&schedule->scratch);
    tw_status status = check_finite(state, error);
    if (status == TW_STATUS_OK) status = tw_schedule_reserve_spheres(model, state, schedule, error);
    /* Bodies that were added since are the last ones and in no contact yet. */
    if (status == TW_STATUS_OK && schedule->pairs.count > 0)
        status = take_contacts(state, schedule, &contacts, error);
    if (status != TW_STATUS_OK) return status;
    tw_arena_reset(&schedule->tiled); /* sorting and list use the memory of the old tiles */
    status = rearrange(model, state, schedule, &contacts, error);
    if (status == TW_STATUS_OK) {
        set_reference(model, state);
        status = make_list(model, state, schedule, &contacts, error);
    }
    if (status == TW_STATUS_OK)
        state->searches++;
    else
        keep_after_failure(state, schedule, &contacts);
    return status;
}

tw_status tw_search_restore(const tw_model *model, tw_state *state, tw_schedule *schedule,
                            const tw_contact_list *contacts, tw_error *error)
{
    TW_CLOCK_HERE(TW_SIM_PHASE_SEARCH);
    tw_arena_reset(&schedule->scratch);
    tw_status status = tw_schedule_reserve_spheres(model, state, schedule, error);
    if (status == TW_STATUS_OK) status = tw_state_need_extras(state, contacts->parts, error);
    if (status != TW_STATUS_OK) return status;
    tw_schedule_list_spheres(model, state, schedule);
    return make_list(model, state, schedule, contacts, error);
}

/* ---- A list that is made later ---- */

static tw_status keep_given(tw_pairs *pairs, const tw_contact_list *contacts, tw_error *error)
{
    if (!contacts->slot) {
        tw_buffer_free(&pairs->given, &pairs->given_capacity);
        return TW_STATUS_OK;
    }
    if (tw_buffer_reserve(&pairs->given, &pairs->given_capacity, contacts->count + 1,
                          sizeof *pairs->given) != TW_STATUS_OK)
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for %zu contacts",
                            contacts->count);
    memcpy(pairs->given, contacts->slot, contacts->count * sizeof *pairs->given);
    return TW_STATUS_OK;
}

tw_status tw_search_defer(const tw_model *model, tw_state *state, tw_schedule *schedule,
                          const tw_contact_list *contacts, tw_error *error)
{
    tw_status status = tw_schedule_reserve_spheres(model, state, schedule, error);
    if (status != TW_STATUS_OK) return status;
    tw_schedule_list_spheres(model, state, schedule);
    status = keep_given(&schedule->pairs, contacts, error);
    if (status == TW_STATUS_OK) status = tw_search_keep(state, schedule, contacts, error);
    schedule->valid = schedule->deferred = status == TW_STATUS_OK;
    return status;
}

tw_status tw_search_complete(const tw_model *model, tw_state *state, tw_schedule *schedule,
                             tw_error *error)
{
    tw_contact_list contacts = {0};
    if (!schedule->valid || !schedule->deferred) return TW_STATUS_OK;
    tw_status status = TW_STATUS_OK;
    if (!tw_contact_list_gather(model, state, schedule, 1, 0, 0, &contacts))
        status = tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to keep the contacts");
    if (!schedule->pairs.given) tw_buffer_drop(&contacts.slot);
    if (status == TW_STATUS_OK) {
        status = tw_search_restore(model, state, schedule, &contacts, error);
        if (status != TW_STATUS_OK) /* there is room for them */
            (void)tw_search_defer(model, state, schedule, &contacts, NULL);
    }
    tw_contact_list_free(&contacts);
    return status;
}
