/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/list.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "search/grid.h"
#include "search/search_error.h"

#include <stdatomic.h>

enum { GRAIN = 250 /* bodies in a chunk of work */ };

typedef struct listing {
    const tw_state *state;
    tw_schedule *schedule;
    const tw_vec3 *centres; /* of the spheres */
    const tw_grid_near *near;
    const uint32_t *near_first;
} listing;

typedef struct filling {
    tw_pair *out; /* NULL: count only */
    uint32_t count;
} filling;

static inline void fill(filling *f, uint32_t p, uint32_t q, tw_shift shift, tw_pair_surface surface)
{
    if (f->out) f->out[f->count] = (tw_pair){p, q, shift, (uint8_t)surface};
    f->count++;
}

static void list_bodies(const listing *l, tw_grid_near near, filling *f)
{
    const tw_state *state = l->state;
    const tw_schedule *schedule = l->schedule;
    const tw_spheres *s = &schedule->spheres;
    const uint32_t *first = schedule->spheres.first;
    const tw_vec3 offset = tw_cell_offset(&state->cell.h_ref, near.shift);
    for (uint32_t p = first[near.p]; p < first[near.p + 1]; p++) {
        const tw_vec3 from = tw_vec3_sub(l->centres[p], offset);
        for (uint32_t q = first[near.q]; q < first[near.q + 1]; q++) {
            if (tw_list_is_near(from, s->radius[p], l->centres[q], s->radius[q], state->skin))
                fill(f, p, q, near.shift, TW_SURFACE_SPHERE);
        }
    }
}

static void list_walls(const listing *l, size_t body, filling *f)
{
    const tw_state *state = l->state;
    const tw_schedule *schedule = l->schedule;
    const uint32_t *first = schedule->spheres.first;
    for (size_t k = 0; k < state->wall_count; k++) {
        const tw_wall *wall = &state->walls[k];
        for (uint32_t p = first[body]; p < first[body + 1]; p++) {
            if (tw_list_is_at_wall(wall, l->centres[p], schedule->spheres.radius[p], state->skin))
                fill(f, p, (uint32_t)k, (tw_shift){0, 0, 0}, TW_SURFACE_PLANE);
        }
    }
}

static uint32_t list_body(const listing *l, size_t i, tw_pair *out)
{
    filling f = {out, 0};
    for (uint32_t k = l->near_first[i]; k < l->near_first[i + 1]; k++)
        list_bodies(l, l->near[k], &f);
    list_walls(l, i, &f);
    return f.count;
}

static void count_pairs(void *context, size_t begin, size_t end)
{
    const listing *l = context;
    for (size_t i = begin; i < end; i++)
        l->schedule->pairs.first[i] = list_body(l, i, NULL);
}

static void fill_pairs(void *context, size_t begin, size_t end)
{
    const listing *l = context;
    const tw_pairs *p = &l->schedule->pairs;
    for (size_t i = begin; i < end; i++)
        list_body(l, i, p->pair + p->first[i]);
}

static tw_status find_near(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                           listing *l, tw_error *error)
{
    const tw_bodies *b = &state->bodies;
    double *bound = tw_arena_take(&schedule->scratch, b->count + 1, sizeof *bound);
    if (!bound) return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for the search");
    for (size_t i = 0; i < b->count; i++)
        bound[i] = tw_list_bound(model, state, i);
    const tw_grid_input input = {b->x_ref,
                                 bound,
                                 b->count,
                                 state->cell.h_ref,
                                 tw_mat3_inverse(state->cell.h_ref),
                                 state->cell.periodic,
                                 state->skin};
    tw_grid_near *near;
    uint32_t *first;
    size_t count;
    const tw_status status = tw_grid_find(&input, &schedule->scratch, &near, &count, &first, error);
    l->near = near;
    l->near_first = first;
    return status;
}

tw_status tw_list_make(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                       const tw_vec3 *centres, tw_error *error)
{
    tw_pairs *p = &schedule->pairs;
    const size_t bodies = state->bodies.count;
    listing l = {state, schedule, centres, NULL, NULL};
    tw_status status = find_near(model, state, schedule, &l, error);
    if (status != TW_STATUS_OK) return status;
    status = tw_schedule_reserve_pairs(schedule, bodies, 0, error);
    if (status != TW_STATUS_OK) return status;
    tw_parallel_for(bodies, GRAIN, count_pairs, &l);
    p->first[bodies] = 0;
    const uint64_t count = tw_prefix_sum_u32(p->first, p->first, bodies + 1);
    /* Half as much again, so that a list that grows a little does not allocate; pages that are
     * never touched take no memory. */
    const size_t room = count + count / 2 > 8 * bodies ? count + count / 2 : 8 * bodies;
    if (count > p->capacity || p->capacity == 0)
        status = tw_schedule_reserve_pairs(schedule, bodies, room, error);
    if (status != TW_STATUS_OK) return status;
    p->count = count;
    tw_parallel_for(bodies, GRAIN, fill_pairs, &l);
    return TW_STATUS_OK;
}

typedef struct lookup {
    const tw_schedule *schedule;
    const tw_contact_list *contacts;
    uint32_t *pairs;
    atomic_size_t lost; /* the first that is not in the list */
} lookup;

static void find_pairs(void *context, size_t begin, size_t end)
{
    lookup *l = context;
    const tw_spheres *spheres = &l->schedule->spheres;
    const tw_pairs *p = &l->schedule->pairs;
    for (size_t k = begin; k < end; k++) {
        l->pairs[k] = tw_list_find_pair(spheres, p, &l->contacts->pair[k]);
        if (l->pairs[k] == TW_NO_PAIR) tw_parallel_note_first(&l->lost, k);
    }
}

tw_status tw_list_find(const tw_state *state, tw_schedule *schedule,
                       const tw_contact_list *contacts, uint32_t **pairs, tw_error *error)
{
    *pairs = tw_arena_take(&schedule->scratch, contacts->count + 1, sizeof **pairs);
    if (!*pairs)
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to find the contacts");
    lookup l = {schedule, contacts, *pairs, SIZE_MAX};
    tw_parallel_for(contacts->count, (size_t)2 * GRAIN, find_pairs, &l);
    const size_t lost = atomic_load(&l.lost);
    if (lost == SIZE_MAX) return TW_STATUS_OK;
    const tw_pair *pair = &contacts->pair[lost];
    const uint32_t *id = state->bodies.id, *body = schedule->spheres.body;
    const int plane = tw_pair_is_plane(pair);
    return tw_search_error_lost(state, id[body[pair->p]], plane,
                                plane ? pair->q : id[body[pair->q]], error);
}
