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
    free_array(&world->spheres.x);
    free_array(&world->pairs.pair);
    free_array(&world->pairs.slot);
    free_array(&world->pairs.memory);
    free_array(&world->pairs.push);
    free_array(&world->pairs.sliding);
    free_array(&world->pairs.first);
    free_array(&world->pairs.touch_first);
    free_array(&world->pairs.touch_pair);
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
    const int ok =
        TW_RESERVE(s->body, s->capacity, count) && TW_RESERVE(s->radius, s->capacity, count) &&
        TW_RESERVE(s->offset, s->capacity, count) && TW_RESERVE(s->x, s->capacity, count);
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
            s->offset[at] = tw_vec3_scale(b->size[i], shape->spheres[k].centre);
        }
    }
    tw_world_move_spheres(world);
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

void tw_world_spheres_at(tw_world *world, const tw_vec3 *x, const tw_quat *q)
{
    const tw_bodies *b = &world->bodies;
    const tw_spheres *s = &world->spheres;
    TW_PARALLEL_LOOP(b->count > 1000)
    for (size_t i = 0; i < b->count; i++) {
        const uint32_t first = b->sphere_first[i], last = b->sphere_first[i + 1];
        if (last == first + 1) {
            s->x[first] = tw_vec3_add(x[i], tw_quat_rotate(q[i], s->offset[first]));
            continue;
        }
        const tw_mat3 r = tw_quat_matrix(q[i]);
        for (uint32_t k = first; k < last; k++)
            s->x[k] = tw_vec3_add(x[i], tw_mat3_mul_vec(r, s->offset[k]));
    }
}

void tw_world_move_spheres(tw_world *world)
{
    tw_world_spheres_at(world, world->bodies.x, world->bodies.q);
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
    size_t capacity = p->capacity;
    const size_t bodies = world->bodies.count + world->wall_count + 1;
    if (count >= UINT32_MAX / 2) {
        return tw_error_set(error, TW_STATUS_INPUT, "too many pairs of spheres: %zu", count);
    }
    if (count > p->capacity) {
        /* Of the contacts only the slots in use are copied: pages never touched cost nothing. */
        const size_t used = p->slots < p->capacity ? p->slots : p->capacity;
        const int ok = TW_RESERVE(p->pair, p->capacity, count) &&
                       TW_RESERVE(p->slot, p->capacity, count) &&
                       TW_RESERVE(p->touch_pair, 2 * p->capacity, 2 * count) &&
                       TW_RESERVE(p->memory, used, count) && TW_RESERVE(p->push, used, count) &&
                       TW_RESERVE(p->sliding, used, count);
        if (!ok) return no_memory(error, "pairs", count);
        p->capacity = count;
    }
    if (bodies > p->body_capacity) {
        const int ok = TW_RESERVE(p->first, p->body_capacity, bodies) &&
                       TW_RESERVE(p->touch_first, p->body_capacity, bodies);
        if (!ok) return no_memory(error, "bodies in the pair list", bodies);
        p->body_capacity = bodies;
    }
    return TW_STATUS_OK;
}
