/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/list.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/prefix.h"
#include "search/grid.h"

#include <stdatomic.h>

enum { GRAIN = 250 /* bodies in a chunk of work */ };

double tw_list_bound(const tw_model *model, const tw_state *state, size_t i)
{
    return state->bodies.size[i] * model->shapes[state->bodies.shape[i]].radius;
}

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
            const tw_vec3 b = tw_vec3_sub(l->centres[q], from);
            const double reach = s->radius[p] + s->radius[q] + state->skin;
            if (tw_vec3_dot(b, b) < reach * reach) fill(f, p, q, near.shift, TW_SURFACE_SPHERE);
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
            const double d = tw_vec3_dot(tw_vec3_sub(l->centres[p], wall->point), wall->normal);
            if (d < schedule->spheres.radius[p] + state->skin)
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

/* The canonical order among the pairs of a body. */
static int pair_compare(const tw_spheres *spheres, const tw_pair *a, const tw_pair *b)
{
    if (a->surface != b->surface) return a->surface < b->surface ? -1 : 1;
    const uint32_t qa = tw_pair_is_plane(a) ? a->q : spheres->body[a->q];
    const uint32_t qb = tw_pair_is_plane(b) ? b->q : spheres->body[b->q];
    if (qa != qb) return qa < qb ? -1 : 1;
    const uint32_t sa = tw_shift_key(a->shift), sb = tw_shift_key(b->shift);
    if (sa != sb) return sa < sb ? -1 : 1;
    if (a->p != b->p) return a->p < b->p ? -1 : 1;
    return a->q < b->q ? -1 : a->q > b->q;
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
        const tw_pair *wanted = &l->contacts->pair[k];
        const uint32_t body = spheres->body[wanted->p];
        size_t low = p->first[body], high = p->first[body + 1];
        while (low < high) {
            const size_t mid = low + (high - low) / 2;
            if (pair_compare(spheres, &p->pair[mid], wanted) < 0)
                low = mid + 1;
            else
                high = mid;
        }
        if (low < p->first[body + 1] && pair_compare(spheres, &p->pair[low], wanted) == 0)
            l->pairs[k] = (uint32_t)low;
        else
            tw_parallel_note_first(&l->lost, k);
    }
}

static tw_status report_lost(const tw_state *state, const tw_spheres *spheres, const tw_pair *pair,
                             tw_error *error)
{
    const uint32_t *id = state->bodies.id;
    const int plane = tw_pair_is_plane(pair);
    return tw_error_set(error, TW_STATUS_PHYSICS,
                        "step %llu: body %u and %s %u separated by more than the skin of %g m in "
                        "one step: use a larger skin or a smaller dt",
                        (unsigned long long)state->steps, id[spheres->body[pair->p]],
                        plane ? "wall" : "body", plane ? pair->q : id[spheres->body[pair->q]],
                        state->skin);
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
    return report_lost(state, &schedule->spheres, &contacts->pair[lost], error);
}
