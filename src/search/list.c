/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/list.h"

#include "base/parallel.h"
#include "base/prefix.h"
#include "base/status.h"
#include "search/grid.h"

#include <stdatomic.h>

enum { GRAIN = 250 /* bodies that a thread takes at once */ };

double tw_list_bound(const tw_world *world, size_t i)
{
    return world->bodies.size[i] * world->shapes[world->bodies.shape[i]].radius;
}

/* Bodies that are near each other. */
typedef struct listing {
    tw_world *world;
    const tw_vec3 *centres; /* of the spheres */
    const tw_near *near;
    const uint32_t *near_first;
} listing;

typedef struct filling {
    tw_pair *out; /* NULL: count only */
    uint32_t count;
} filling;

static inline void fill(filling *f, uint32_t p, uint32_t q, tw_shift shift)
{
    if (f->out) f->out[f->count] = (tw_pair){p, q, shift};
    f->count++;
}

static void list_bodies(const listing *l, tw_near near, filling *f)
{
    const tw_world *w = l->world;
    const tw_spheres *s = &w->spheres;
    const uint32_t *first = w->bodies.sphere_first;
    const tw_vec3 offset = tw_cell_offset(&w->cell.h_ref, near.shift);
    for (uint32_t p = first[near.p]; p < first[near.p + 1]; p++) {
        const tw_vec3 from = tw_vec3_sub(l->centres[p], offset);
        for (uint32_t q = first[near.q]; q < first[near.q + 1]; q++) {
            const tw_vec3 b = tw_vec3_sub(l->centres[q], from);
            const double reach = s->radius[p] + s->radius[q] + w->skin;
            if (tw_vec3_dot(b, b) < reach * reach) fill(f, p, q, near.shift);
        }
    }
}

static void list_walls(const listing *l, size_t body, filling *f)
{
    const tw_world *w = l->world;
    const uint32_t *first = w->bodies.sphere_first;
    for (size_t k = 0; k < w->wall_count; k++) {
        const tw_wall *wall = &w->walls[k];
        for (uint32_t p = first[body]; p < first[body + 1]; p++) {
            const double d = tw_vec3_dot(tw_vec3_sub(l->centres[p], wall->point), wall->normal);
            if (d < w->spheres.radius[p] + w->skin) {
                fill(f, p, (uint32_t)(w->spheres.count + k), (tw_shift){0, 0, 0, 0});
            }
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
        l->world->pairs.first[i] = list_body(l, i, NULL);
}

static void fill_pairs(void *context, size_t begin, size_t end)
{
    const listing *l = context;
    const tw_pairs *p = &l->world->pairs;
    for (size_t i = begin; i < end; i++)
        list_body(l, i, p->pair + p->first[i]);
}

static tw_status find_near(tw_world *world, listing *l, tw_error *error)
{
    const tw_bodies *b = &world->bodies;
    double *bound = tw_arena_take(&world->scratch, b->count + 1, sizeof *bound);
    if (!bound) return tw_error_set(error, TW_STATUS_MEMORY, "no memory for the search");
    for (size_t i = 0; i < b->count; i++)
        bound[i] = tw_list_bound(world, i);
    const tw_grid_input input = {b->x_ref,
                                 bound,
                                 b->count,
                                 world->cell.h_ref,
                                 tw_mat3_inverse(world->cell.h_ref),
                                 world->cell.periodic,
                                 world->skin};
    tw_near *near;
    uint32_t *first;
    size_t count;
    const tw_status status = tw_grid_find(&input, &world->scratch, &near, &count, &first, error);
    l->near = near;
    l->near_first = first;
    return status;
}

tw_status tw_list_make(tw_world *world, const tw_vec3 *centres, tw_error *error)
{
    tw_pairs *p = &world->pairs;
    const size_t bodies = world->bodies.count;
    listing l = {world, centres, NULL, NULL};
    tw_status status = find_near(world, &l, error);
    if (status != TW_STATUS_OK) return status;
    status = tw_world_reserve_pairs(world, 0, error);
    if (status != TW_STATUS_OK) return status;
    tw_parallel_for(bodies, GRAIN, count_pairs, &l);
    p->first[bodies] = 0;
    const uint64_t count = tw_prefix_sum_u32(p->first, p->first, bodies + 1);
    /* Room to spare, so that a list that grows a little does not allocate again; pages that are
     * never touched cost nothing. */
    const size_t room = count + count / 2 > 8 * bodies ? count + count / 2 : 8 * bodies;
    if (count > p->capacity || p->capacity == 0)
        status = tw_world_reserve_pairs(world, room, error);
    if (status != TW_STATUS_OK) return status;
    p->count = count;
    tw_parallel_for(bodies, GRAIN, fill_pairs, &l);
    return TW_STATUS_OK;
}

static int pair_compare(const tw_world *w, const tw_pair *a, const tw_pair *b)
{
    const uint32_t qa = tw_world_body_of(w, a->q), qb = tw_world_body_of(w, b->q);
    if (qa != qb) return qa < qb ? -1 : 1;
    const uint32_t sa = tw_shift_key(a->shift), sb = tw_shift_key(b->shift);
    if (sa != sb) return sa < sb ? -1 : 1;
    /* Walls are listed wall by wall, bodies sphere by sphere: in both cases p, then q. */
    if (a->p != b->p) return a->p < b->p ? -1 : 1;
    return a->q < b->q ? -1 : a->q > b->q;
}

typedef struct looking_up {
    const tw_world *world;
    const tw_contact_list *contacts;
    uint32_t *pairs;
    atomic_size_t lost; /* the first that is not in the list */
} looking_up;

static void look_up(void *context, size_t begin, size_t end)
{
    looking_up *l = context;
    const tw_world *world = l->world;
    const tw_pairs *p = &world->pairs;
    for (size_t k = begin; k < end; k++) {
        const tw_pair *wanted = &l->contacts->pair[k];
        const uint32_t body = world->spheres.body[wanted->p];
        size_t low = p->first[body], high = p->first[body + 1];
        while (low < high) {
            const size_t mid = low + (high - low) / 2;
            if (pair_compare(world, &p->pair[mid], wanted) < 0)
                low = mid + 1;
            else
                high = mid;
        }
        if (low == p->first[body + 1] || pair_compare(world, &p->pair[low], wanted) != 0) {
            size_t known = atomic_load(&l->lost);
            while (k < known && !atomic_compare_exchange_weak(&l->lost, &known, k)) {
            }
            continue;
        }
        l->pairs[k] = (uint32_t)low;
    }
}

tw_status tw_list_find(tw_world *world, const tw_contact_list *contacts, uint32_t **pairs,
                          tw_error *error)
{
    *pairs = tw_arena_take(&world->scratch, contacts->count + 1, sizeof **pairs);
    if (!*pairs) return tw_error_set(error, TW_STATUS_MEMORY, "no memory to find the contacts");
    looking_up l = {world, contacts, *pairs, SIZE_MAX};
    tw_parallel_for(contacts->count, 2 * GRAIN, look_up, &l);
    const size_t lost = atomic_load(&l.lost);
    if (lost != SIZE_MAX) {
        const tw_pair *pair = &contacts->pair[lost];
        const uint32_t q = tw_world_body_of(world, pair->q);
        return tw_error_set(
            error, TW_STATUS_PHYSICS,
            "step %llu: body %u and %s %u parted by more than the skin of %g m in one "
            "step: take a larger skin or a smaller dt",
            (unsigned long long)world->steps, world->bodies.id[world->spheres.body[pair->p]],
            q < world->bodies.count ? "body" : "wall",
            q < world->bodies.count ? world->bodies.id[q] : q - (uint32_t)world->bodies.count,
            world->skin);
    }
    return TW_STATUS_OK;
}
