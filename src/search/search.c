/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/search.h"

#include <string.h>

#include "base/parallel.h"
#include "base/sort.h"
#include "base/status.h"
#include "search/list.h"
#include "search/tiling.h"

/* ---- Is the list still good? ---- */

/* No less than the angle between two orientations. */
static double angle_between(tw_quat a, tw_quat b)
{
    const tw_quat d = tw_quat_mul(a, tw_quat_conj(b));
    const double s = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    return s < 0.1 ? 2.004 * s : 3.1416 * s;
}

static tw_travel farther(tw_travel a, tw_travel b)
{
    return (tw_travel){a.own > b.own ? a.own : b.own,
                       a.absolute > b.absolute ? a.absolute : b.absolute};
}

/* Single spheres where there are no walls: only the movement against the flow counts. */
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

static tw_travel travel_any(const tw_world *world, const tw_mat3 *affine, size_t begin, size_t end)
{
    const tw_bodies *b = &world->bodies;
    tw_travel most = {0.0, 0.0};
    for (size_t i = begin; i < end; i++) {
        const tw_shape *shape = &world->shapes[b->shape[i]];
        const double radius = shape->radius * b->size[i];
        const double swing = shape->count > 1 ? radius * angle_between(b->q[i], b->q_ref[i]) : 0.0;
        const tw_vec3 carried = tw_mat3_mul_vec(*affine, b->x_ref[i]);
        const tw_travel one = {tw_vec3_norm(tw_vec3_sub(b->x[i], carried)) + swing,
                               tw_vec3_norm(tw_vec3_sub(b->x[i], b->x_ref[i])) + swing};
        most = farther(most, one);
    }
    return most;
}

void tw_travel_of_tile(const tw_world *world, const tw_mat3 *affine, tw_tile *tile, uint32_t first)
{
    const size_t begin = tile->body + first, end = tile->body + tile->bodies;
    const tw_travel most = world->tiles.single && world->wall_count == 0
                               ? travel_single(&world->bodies, affine, begin, end)
                               : travel_any(world, affine, begin, end);
    tile->own = most.own;
    tile->absolute = most.absolute;
}

tw_travel tw_travel_farthest(const tw_world *world)
{
    tw_travel most = {0.0, 0.0};
    for (size_t k = 0; k < world->tiles.count; k++) {
        const tw_tile *tile = &world->tiles.tile[k];
        most = farther(most, (tw_travel){tile->own, tile->absolute});
    }
    return most;
}

int tw_search_stale(tw_world *world, tw_travel travel)
{
    if (!world->placed) return 1;
    const tw_mat3 affine = tw_mat3_mul(world->cell.h, tw_mat3_inverse(world->cell.h_ref));
    /* How much the affine flow may have shortened a distance: |A b| >= |b| (1 - stretch). */
    tw_mat3 c = tw_mat3_sub(tw_mat3_mul(tw_mat3_transpose(affine), affine), tw_mat3_identity());
    double stretch = 0.0;
    for (int k = 0; k < 9; k++)
        stretch += c.m[k] * c.m[k];
    stretch = sqrt(stretch);
    world->stretch = stretch;
    if (!(tw_search_approach(world, travel.own, travel.own) < world->skin)) return 1;
    for (size_t k = 0; k < world->wall_count; k++) {
        const double moved = fabs(tw_vec3_dot(world->walls[k].travel, world->walls[k].normal));
        if (!(travel.absolute + moved < world->skin)) return 1;
    }
    return 0;
}

/* ---- Contacts that outlive the list ---- */

static tw_status take_contacts(tw_world *world, tw_contact_list *out, tw_error *error)
{
    const tw_pairs *p = &world->pairs;
    size_t count = 0;
    for (size_t k = 0; k < p->count; k++)
        count += (size_t)tw_pairs_touch(p, k);
    out->count = count;
    out->pair = tw_arena_take(&world->scratch, count + 1, sizeof *out->pair);
    out->slot = tw_arena_take(&world->scratch, count + 1, sizeof *out->slot);
    if (!out->pair || !out->slot) {
        return tw_error_set(error, TW_STATUS_MEMORY, "no memory to keep %zu contacts", count);
    }
    size_t at = 0;
    for (size_t k = 0; k < p->count; k++) {
        if (!tw_pairs_touch(p, k)) continue;
        out->pair[at] = p->pair[k];
        out->slot[at++] = p->slot[k];
    }
    return TW_STATUS_OK;
}

/* The same contact seen from q. */
static void turn_around(tw_world *world, tw_contact_list *c, size_t k)
{
    tw_contact_memory memory = tw_bundle_get(world->contacts.bundle, c->slot[k]);
    const uint32_t p = c->pair[k].p;
    c->pair[k].p = c->pair[k].q;
    c->pair[k].q = p;
    c->pair[k].shift = tw_shift_negative(c->pair[k].shift);
    memory.n = tw_vec3_scale(-1.0, memory.n);
    memory.ft = tw_vec3_scale(-1.0, memory.ft);
    tw_bundle_put(world->contacts.bundle, c->slot[k], &memory);
}

/* ---- Another description of the same state ---- */

/* Shorter edges for a cell that has sheared far: whole edges are added to each other. `change`
 * holds the inverse of what was done, for images: offset = h s = h' (change s). */
static int reduce_cell(tw_cell *cell, tw_mat3 *change)
{
    int changed = 0;
    tw_vec3 edge[3], before[3], row[3]; /* worked on apart from the cell, and put back at the end */
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
            /* Above one half by a margin: a cell at the border does not flip to and fro. */
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

static tw_shift shift_through(const tw_mat3 *change, tw_shift s)
{
    const tw_vec3 t = tw_mat3_mul_vec(*change, tw_vec3_make(s.i, s.j, s.k));
    return (tw_shift){(int8_t)t.x, (int8_t)t.y, (int8_t)t.z, 0};
}

/* Brings body i into the cell; returns the image it came from. */
static tw_shift wrap_body(tw_world *world, size_t i)
{
    const tw_vec3 s = tw_mat3_mul_vec(world->cell.inverse, world->bodies.x[i]);
    const double at[3] = {s.x, s.y, s.z};
    int whole[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        if (world->cell.periodic[k] && fabs(at[k]) < 100.0) whole[k] = (int)floor(at[k]);
    }
    const tw_shift w = {(int8_t)whole[0], (int8_t)whole[1], (int8_t)whole[2], 0};
    if (w.i || w.j || w.k) {
        const tw_vec3 now = tw_cell_offset(&world->cell.h, w);
        const tw_vec3 before = tw_cell_offset(&world->cell.h_before, w);
        world->bodies.x[i] = tw_vec3_sub(world->bodies.x[i], now);
        /* The image it becomes came from elsewhere, if the cell deforms. */
        world->bodies.dx[i] = tw_vec3_sub(world->bodies.dx[i], tw_vec3_sub(now, before));
    }
    return w;
}

/* Interleaves the bits of a place in the cell: neighbours in space become neighbours in memory. */
static uint32_t place_key(tw_vec3 s)
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

static tw_status sort_bodies(tw_world *world, uint32_t **order, tw_error *error)
{
    const size_t n = world->bodies.count;
    uint32_t *keys = tw_arena_take(&world->scratch, n + 1, sizeof *keys);
    uint32_t *other = tw_arena_take(&world->scratch, n + 1, sizeof *other);
    uint32_t *spare = tw_arena_take(&world->scratch, n + 1, sizeof *spare);
    *order = tw_arena_take(&world->scratch, n + 1, sizeof **order);
    if (!keys || !other || !spare || !*order) {
        return tw_error_set(error, TW_STATUS_MEMORY, "no memory to sort %zu bodies", n);
    }
    for (size_t i = 0; i < n; i++) {
        keys[i] = place_key(tw_mat3_mul_vec(world->cell.inverse, world->bodies.x[i]));
        (*order)[i] = (uint32_t)i;
    }
    tw_sort_u32(keys, *order, other, spare, n, 21);
    return tw_world_permute_bodies(world, *order, error);
}

/* Contacts in terms of the new order of bodies and the new images. */
static tw_status renumber(tw_world *world, tw_contact_list *c, const uint32_t *order,
                          const uint32_t *old_first, size_t old_spheres, const tw_shift *wrapped,
                          tw_error *error)
{
    const tw_bodies *b = &world->bodies;
    uint32_t *now = tw_arena_take(&world->scratch, b->count + 1, sizeof *now);
    if (!now) return tw_error_set(error, TW_STATUS_MEMORY, "no memory to renumber contacts");
    for (size_t i = 0; i < b->count; i++)
        now[order[i]] = (uint32_t)i;
    for (size_t k = 0; k < c->count; k++) {
        tw_pair *pair = &c->pair[k];
        const uint32_t bp = world->spheres.body[pair->p], p = now[bp];
        pair->p = b->sphere_first[p] + (pair->p - old_first[bp]);
        if (pair->q >= old_spheres) { /* a wall */
            pair->q = b->sphere_first[b->count] + (pair->q - (uint32_t)old_spheres);
            continue;
        }
        const uint32_t bq = world->spheres.body[pair->q], q = now[bq];
        pair->q = b->sphere_first[q] + (pair->q - old_first[bq]);
        pair->shift.i = (int8_t)(pair->shift.i + wrapped[bq].i - wrapped[bp].i);
        pair->shift.j = (int8_t)(pair->shift.j + wrapped[bq].j - wrapped[bp].j);
        pair->shift.k = (int8_t)(pair->shift.k + wrapped[bq].k - wrapped[bp].k);
        if (q < p) turn_around(world, c, k);
    }
    return TW_STATUS_OK;
}

/* A tenth of the mean radius of the spheres. */
static double skin_for(const tw_world *world)
{
    double sum = 0.0;
    if (world->skin_requested > 0.0) return world->skin_requested;
    for (size_t i = 0; i < world->bodies.count; i++) {
        const tw_shape *shape = &world->shapes[world->bodies.shape[i]];
        double radius = 0.0;
        for (size_t k = 0; k < shape->count; k++)
            radius += shape->spheres[k].radius / (double)shape->count;
        sum += radius * world->bodies.size[i];
    }
    return world->bodies.count ? 0.1 * sum / (double)world->bodies.count : 1.0;
}

static void set_reference(tw_world *world)
{
    tw_bodies *b = &world->bodies;
    memcpy(b->x_ref, b->x, b->count * sizeof *b->x);
    memcpy(b->q_ref, b->q, b->count * sizeof *b->q);
    world->cell.h_ref = world->cell.h;
    for (size_t k = 0; k < world->wall_count; k++)
        world->walls[k].travel = tw_vec3_make(0.0, 0.0, 0.0);
    world->skin = skin_for(world);
}

/* Wraps, sorts and renumbers; the spheres of the old order are still in place when it starts. */
static tw_status rearrange(tw_world *world, tw_contact_list *contacts, tw_error *error)
{
    const size_t bodies = world->bodies.count, spheres = world->spheres.count;
    tw_shift *wrapped = tw_arena_take(&world->scratch, bodies + 1, sizeof *wrapped);
    uint32_t *old_first = tw_arena_take(&world->scratch, bodies + 1, sizeof *old_first);
    uint32_t *order;
    tw_mat3 change;
    if (!wrapped || !old_first) {
        return tw_error_set(error, TW_STATUS_MEMORY, "no memory to sort %zu bodies", bodies);
    }
    if (reduce_cell(&world->cell, &change)) {
        for (size_t k = 0; k < contacts->count; k++)
            contacts->pair[k].shift = shift_through(&change, contacts->pair[k].shift);
    }
    for (size_t i = 0; i < bodies; i++)
        wrapped[i] = wrap_body(world, i);
    const tw_status status = sort_bodies(world, &order, error);
    if (status != TW_STATUS_OK || contacts->count == 0) return status;
    /* sphere_first of the new order, beside the old one. */
    memcpy(old_first, world->bodies.sphere_first, (bodies + 1) * sizeof *old_first);
    uint32_t total = 0;
    for (size_t i = 0; i < bodies; i++) {
        world->bodies.sphere_first[i] = total;
        total += (uint32_t)world->shapes[world->bodies.shape[i]].count;
    }
    world->bodies.sphere_first[bodies] = total;
    return renumber(world, contacts, order, old_first, spheres, wrapped, error);
}

static void measure_sizes(tw_world *world)
{
    world->bound = 0.0;
    world->radius_min = DBL_MAX;
    for (size_t i = 0; i < world->bodies.count; i++)
        world->bound = tw_math_max(world->bound, tw_list_bound(world, i));
    for (size_t k = 0; k < world->spheres.count; k++)
        world->radius_min = tw_math_min(world->radius_min, world->spheres.radius[k]);
}

/* The list and its tiles in the reference state, and the contacts in their ends. */
static tw_status make_list(tw_world *world, const tw_contact_list *contacts, tw_error *error)
{
    tw_vec3 *centres = tw_arena_take(&world->scratch, world->spheres.count + 1, sizeof *centres);
    if (!centres) return tw_error_set(error, TW_STATUS_MEMORY, "no memory for the search");
    tw_world_spheres_at(world, world->bodies.x_ref, world->bodies.q_ref, centres);
    const tw_arena_mark mark = tw_arena_here(&world->scratch);
    tw_status status = tw_list_make(world, centres, error);
    tw_arena_go_back(&world->scratch, mark);
    uint32_t *pairs = NULL;
    tw_tiling_ends *ends = NULL;
    if (status == TW_STATUS_OK) status = tw_list_find(world, contacts, &pairs, error);
    if (status == TW_STATUS_OK) status = tw_tiling_make(world, &ends, error);
    if (status == TW_STATUS_OK) status = tw_tiling_assign(world, ends, contacts, pairs, error);
    if (status == TW_STATUS_OK) tw_tiling_finish(world, ends, centres);
    measure_sizes(world);
    world->stretch = 0.0;
    world->placed = status == TW_STATUS_OK;
    return status;
}

tw_status tw_search_refresh(tw_world *world, tw_error *error)
{
    tw_contact_list contacts = {0};
    tw_arena_reset(&world->scratch);
    tw_status status = TW_STATUS_OK;
    /* Bodies that were added since stand at the end and are in no contact yet. */
    if (world->pairs.count > 0) status = take_contacts(world, &contacts, error);
    const tw_arena_mark mark = tw_arena_here(&world->scratch);
    if (status == TW_STATUS_OK) status = rearrange(world, &contacts, error);
    tw_arena_go_back(&world->scratch, mark); /* the list may have the room of the sorting */
    if (status == TW_STATUS_OK) status = tw_world_place(world, error);
    if (status != TW_STATUS_OK) return status;
    set_reference(world);
    status = make_list(world, &contacts, error);
    world->searches++;
    return status;
}

tw_status tw_search_restore(tw_world *world, const tw_contact_list *contacts, tw_error *error)
{
    tw_arena_reset(&world->scratch);
    const tw_status status = tw_world_place(world, error);
    return status == TW_STATUS_OK ? make_list(world, contacts, error) : status;
}
