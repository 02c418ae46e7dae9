/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/world.h"

#include <string.h>

#include "base/buffer.h"
#include "base/parallel.h"
#include "base/status.h"

void tw_world_init(tw_world *world)
{
    memset(world, 0, sizeof *world);
    world->mass_scale = 1.0;
}

static void free_array(void *array)
{
    size_t capacity = 0;
    tw_buffer_free(array, &capacity);
}

static void free_contacts(tw_contacts *c)
{
    if (c->body_p != c->sphere_p) {
        free_array(&c->body_p);
        free_array(&c->body_q);
    }
    free_array(&c->sphere_p);
    free_array(&c->sphere_q);
    free_array(&c->bundle);
    free_array(&c->drag);
    free_array(&c->pair);
    free_array(&c->candidate);
    free_array(&c->sliding);
    memset(c, 0, sizeof *c);
}

static void free_tiles(tw_tiles *t)
{
    free_array(&t->tile);
    if (t->centre != t->sphere_slot) free_array(&t->centre);
    free_array(&t->half);
    free_array(&t->accumulator);
    free_array(&t->sphere_slot);
    free_array(&t->ghost);
    free_array(&t->ghost_sphere);
    free_array(&t->ghost_first);
    free_array(&t->ghost_slot);
    free_array(&t->degree);
    free_array(&t->candidate);
    free_array(&t->hit);
    free_array(&t->wall_pair);
    free_array(&t->wall_accumulator);
    free_array(&t->sum);
}

void tw_world_free(tw_world *world)
{
#define TW_COLUMN(type, name) free_array(&world->bodies.name);
#include "world/body_columns.def"
#undef TW_COLUMN
    free_array(&world->bodies.sphere_first);
    free_array(&world->bodies.index_of);
    free_array(&world->spheres.body);
    free_array(&world->spheres.radius);
    free_array(&world->spheres.offset);
    free_array(&world->pairs.pair);
    free_array(&world->pairs.slot);
    free_array(&world->pairs.first);
    free_contacts(&world->contacts);
    free_tiles(&world->tiles);
    for (size_t i = 0; i < world->shape_count; i++) {
        tw_shape_free(&world->shapes[i]);
    }
    free_array(&world->shapes);
    free_array(&world->walls);
    tw_arena_free(&world->scratch);
    tw_world_init(world);
}

static tw_status no_memory(tw_error *error, const char *what, size_t count)
{
    return tw_error_set(error, TW_STATUS_MEMORY, "no memory for %zu %s", count, what);
}

/* Each array has the same number of elements; a capacity that grew for one is right for all. */
#define TW_RESERVE(array, capacity_before, count)                                                  \
    (capacity = (capacity_before),                                                                 \
     tw_buffer_reserve(&(array), &capacity, (count), sizeof *(array)) == TW_STATUS_OK)

tw_status tw_world_reserve_bodies(tw_world *world, size_t count, tw_error *error)
{
    tw_bodies *b = &world->bodies;
    size_t capacity = b->capacity;
    if (count <= b->capacity) return TW_STATUS_OK;
    int ok = 1;
#define TW_COLUMN(type, name) ok = ok && TW_RESERVE(b->name, b->capacity, count);
#include "world/body_columns.def"
#undef TW_COLUMN
    ok = ok && TW_RESERVE(b->index_of, b->capacity, count);
    ok = ok && TW_RESERVE(b->sphere_first, b->capacity, count + 1);
    if (!ok) return no_memory(error, "bodies", count);
    b->capacity = count; /* the least that every column has */
    return TW_STATUS_OK;
}

tw_status tw_world_add_body(tw_world *world, tw_error *error)
{
    tw_bodies *b = &world->bodies;
    const size_t i = b->count;
    if (i >= UINT32_MAX / 2) {
        return tw_error_set(error, TW_STATUS_INPUT, "too many bodies: %zu is the limit", i);
    }
    if (i == b->capacity) {
        const tw_status status = tw_world_reserve_bodies(world, i + i / 2 + 16, error);
        if (status != TW_STATUS_OK) return status;
    }
#define TW_COLUMN(type, name) memset(&b->name[i], 0, sizeof b->name[i]);
#include "world/body_columns.def"
#undef TW_COLUMN
    b->count = i + 1;
    world->placed = 0;
    return TW_STATUS_OK;
}

tw_status tw_world_add_wall(tw_world *world, const tw_wall *wall, tw_error *error)
{
    if (tw_buffer_reserve(&world->walls, &world->wall_capacity, world->wall_count + 1,
                          sizeof *world->walls) != TW_STATUS_OK) {
        return no_memory(error, "walls", world->wall_count + 1);
    }
    world->walls[world->wall_count++] = *wall;
    world->placed = 0;
    return TW_STATUS_OK;
}

static tw_status reserve_spheres(tw_spheres *s, size_t count, tw_error *error)
{
    size_t capacity = s->capacity;
    if (count <= s->capacity) return TW_STATUS_OK;
    const int ok = TW_RESERVE(s->body, s->capacity, count) &&
                   TW_RESERVE(s->radius, s->capacity, count) &&
                   TW_RESERVE(s->offset, s->capacity, count);
    if (!ok) return no_memory(error, "spheres", count);
    s->capacity = count;
    return TW_STATUS_OK;
}

tw_status tw_world_place(tw_world *world, tw_error *error)
{
    tw_bodies *b = &world->bodies;
    tw_spheres *s = &world->spheres;
    const tw_status room = tw_world_reserve_bodies(world, b->count > 0 ? b->count : 1, error);
    if (room != TW_STATUS_OK) return room;
    size_t total = 0;
    for (size_t i = 0; i < b->count; i++) {
        b->sphere_first[i] = (uint32_t)total;
        b->index_of[b->id[i]] = (uint32_t)i;
        total += world->shapes[b->shape[i]].count;
    }
    b->sphere_first[b->count] = (uint32_t)total;
    if (total >= UINT32_MAX / 2) {
        return tw_error_set(error, TW_STATUS_INPUT, "too many spheres: %zu", total);
    }
    const tw_status status = reserve_spheres(s, total > 0 ? total : 1, error);
    if (status != TW_STATUS_OK) return status;
    s->count = total;
    for (size_t i = 0; i < b->count; i++) {
        const tw_shape *shape = &world->shapes[b->shape[i]];
        for (size_t k = 0; k < shape->count; k++) {
            const size_t at = b->sphere_first[i] + k;
            s->body[at] = (uint32_t)i;
            s->radius[at] = b->size[i] * shape->spheres[k].radius;
            /* Single spheres have none; pages that are never touched cost nothing. */
            if (shape->count > 1)
                s->offset[at] = tw_vec3_scale(b->size[i], shape->spheres[k].centre);
        }
    }
    return TW_STATUS_OK;
}

size_t tw_world_find_body(const tw_world *world, uint32_t id)
{
    const tw_bodies *b = &world->bodies;
    if (id < b->count && b->id[id] == id) return id;
    for (size_t i = 0; i < b->count; i++) {
        if (b->id[i] == id) return i;
    }
    return 0;
}

typedef struct placing {
    const tw_world *world;
    const tw_vec3 *x;
    const tw_quat *q;
    tw_vec3 *centres;
} placing;

static void place_spheres(void *context, size_t begin, size_t end)
{
    const placing *p = context;
    const uint32_t *first = p->world->bodies.sphere_first;
    for (size_t i = begin; i < end; i++) {
        if (first[i + 1] == first[i] + 1) {
            p->centres[first[i]] = p->x[i];
            continue;
        }
        const tw_mat3 r = tw_quat_matrix(p->q[i]);
        for (uint32_t k = first[i]; k < first[i + 1]; k++) {
            const tw_vec3 arm = tw_mat3_mul_vec(r, p->world->spheres.offset[k]);
            p->centres[k] = tw_vec3_add(p->x[i], arm);
        }
    }
}

void tw_world_spheres_at(const tw_world *world, const tw_vec3 *x, const tw_quat *q,
                         tw_vec3 *centres)
{
    placing p = {world, x, q, centres};
    tw_parallel_for(world->bodies.count, 500, place_spheres, &p);
}

tw_vec3 tw_world_sphere(const tw_world *world, uint32_t sphere)
{
    const uint32_t i = world->spheres.body[sphere];
    if (world->shapes[world->bodies.shape[i]].count == 1) return world->bodies.x[i];
    const tw_mat3 r = tw_quat_matrix(world->bodies.q[i]);
    return tw_vec3_add(world->bodies.x[i], tw_mat3_mul_vec(r, world->spheres.offset[sphere]));
}

void tw_world_count_contacts(const tw_world *world, uint32_t *counts)
{
    const tw_pairs *p = &world->pairs;
    memset(counts, 0, world->bodies.count * sizeof *counts);
    for (size_t k = 0; k < p->count; k++) {
        if (!tw_pairs_touch(p, k)) continue;
        counts[world->spheres.body[p->pair[k].p]]++;
        if (p->pair[k].q < world->spheres.count) counts[world->spheres.body[p->pair[k].q]]++;
    }
}

static void permute_column(void *column, size_t size, const uint32_t *order, size_t count,
                           unsigned char *scratch)
{
    unsigned char *bytes = column;
    for (size_t i = 0; i < count; i++) {
        memcpy(scratch + i * size, bytes + order[i] * size, size);
    }
    memcpy(bytes, scratch, count * size);
}

tw_status tw_world_permute_bodies(tw_world *world, const uint32_t *order, tw_error *error)
{
    tw_bodies *b = &world->bodies;
    unsigned char *scratch = tw_arena_take(&world->scratch, b->count, sizeof(tw_quat));
    if (!scratch) return no_memory(error, "bodies in a new order", b->count);
#define TW_COLUMN(type, name) permute_column(b->name, sizeof *b->name, order, b->count, scratch);
#include "world/body_columns.def"
#undef TW_COLUMN
    return TW_STATUS_OK;
}

tw_status tw_world_reserve_pairs(tw_world *world, size_t count, tw_error *error)
{
    tw_pairs *p = &world->pairs;
    size_t capacity;
    const size_t bodies = world->bodies.count + world->wall_count + 1;
    if (count >= UINT32_MAX / 2) {
        return tw_error_set(error, TW_STATUS_INPUT, "too many pairs of spheres: %zu", count);
    }
    if (count > p->capacity) {
        const int ok =
            TW_RESERVE(p->pair, p->capacity, count) && TW_RESERVE(p->slot, p->capacity, count);
        if (!ok) return no_memory(error, "pairs", count);
        p->capacity = count;
    }
    if (bodies > p->body_capacity) {
        if (!TW_RESERVE(p->first, p->body_capacity, bodies))
            return no_memory(error, "bodies in the pair list", bodies);
        p->body_capacity = bodies;
    }
    return TW_STATUS_OK;
}

tw_status tw_world_reserve_slots(tw_world *world, size_t slots, tw_error *error)
{
    tw_contacts *c = &world->contacts;
    const int alias = c->body_p != NULL && c->body_p == c->sphere_p;
    size_t capacity;
    if (alias) c->body_p = c->body_q = NULL;
    int ok = 1;
    if (slots > c->capacity) {
        const size_t bundles = slots / TW_BUNDLE + 1,
                     had = c->capacity ? c->capacity / TW_BUNDLE + 1 : 0;
        /* Nothing but memories is kept: pages that were never touched are not copied. */
        free_array(&c->drag);
        free_array(&c->sphere_p);
        free_array(&c->sphere_q);
        free_array(&c->body_p);
        free_array(&c->body_q);
        free_array(&c->pair);
        free_array(&c->candidate);
        free_array(&c->sliding);
        ok = TW_RESERVE(c->bundle, had, bundles) && TW_RESERVE(c->drag, 0, bundles) &&
             TW_RESERVE(c->sphere_p, 0, slots + 1) && TW_RESERVE(c->sphere_q, 0, slots + 1) &&
             TW_RESERVE(c->pair, 0, slots + 1) && TW_RESERVE(c->candidate, 0, slots + 1) &&
             TW_RESERVE(c->sliding, 0, slots + 1);
        if (ok) c->capacity = slots;
    }
    if (world->tiles.single) {
        free_array(&c->body_p);
        free_array(&c->body_q);
        c->body_p = c->sphere_p;
        c->body_q = c->sphere_q;
    } else if (ok && !c->body_p) {
        ok = TW_RESERVE(c->body_p, 0, c->capacity + 1) && TW_RESERVE(c->body_q, 0, c->capacity + 1);
    }
    return ok ? TW_STATUS_OK : no_memory(error, "contacts", slots);
}
