/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/schedule.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"

void tw_schedule_init(tw_schedule *schedule)
{
    memset(schedule, 0, sizeof *schedule);
}

void tw_schedule_free(tw_schedule *schedule)
{
    tw_spheres *s = &schedule->spheres;
    tw_buffer_drop(&s->first);
    tw_buffer_drop(&s->index_of);
    tw_buffer_drop(&s->body);
    tw_buffer_drop(&s->radius);
    tw_buffer_drop(&s->offset);
    tw_buffer_drop(&schedule->pairs.pair);
    tw_buffer_drop(&schedule->pairs.slot);
    tw_buffer_drop(&schedule->pairs.given);
    tw_buffer_drop(&schedule->pairs.first);
    tw_arena_free(&schedule->tiled);
    tw_arena_free(&schedule->scratch);
    tw_schedule_init(schedule);
}

void tw_schedule_drop_arrays(tw_schedule *schedule)
{
    tw_schedule had = *schedule;
    tw_schedule_free(schedule);
    had.spheres = (tw_spheres){.count = had.spheres.count};
    had.pairs = schedule->pairs;
    had.slots = schedule->slots;
    had.tiles = schedule->tiles;
    had.tiled = schedule->tiled;
    had.scratch = schedule->scratch;
    *schedule = had;
}

static tw_status no_memory(tw_error *error, const char *what, size_t count)
{
    return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for %zu %s", count, what);
}

static tw_status reserve_bodies(tw_spheres *s, size_t bodies, size_t ids, tw_error *error)
{
    if (tw_buffer_reserve(&s->first, &s->body_capacity, bodies + 1, sizeof *s->first) ==
            TW_STATUS_OK &&
        tw_buffer_reserve(&s->index_of, &s->id_capacity, ids + 1, sizeof *s->index_of) ==
            TW_STATUS_OK)
        return TW_STATUS_OK;
    return no_memory(error, "bodies", bodies);
}

static tw_status reserve_spheres(tw_spheres *s, size_t count, tw_error *error)
{
    if (count <= s->capacity) return TW_STATUS_OK;
    if (!tw_buffer_grow(&s->body, s->capacity, count, sizeof *s->body) ||
        !tw_buffer_grow(&s->radius, s->capacity, count, sizeof *s->radius) ||
        !tw_buffer_grow(&s->offset, s->capacity, count, sizeof *s->offset))
        return no_memory(error, "spheres", count);
    s->capacity = count;
    return TW_STATUS_OK;
}

static size_t count_spheres(const tw_model *model, const tw_bodies *b)
{
    size_t total = 0;
    for (size_t i = 0; i < b->count; i++)
        total += model->shapes[b->shape[i]].count;
    return total;
}

tw_status tw_schedule_reserve_spheres(const tw_model *model, const tw_state *state,
                                      tw_schedule *schedule, tw_error *error)
{
    const size_t total = count_spheres(model, &state->bodies);
    if (total >= UINT32_MAX / 2)
        return tw_error_set(error, TW_STATUS_INPUT, "too many spheres: %zu", total);
    const tw_status status =
        reserve_bodies(&schedule->spheres, state->bodies.count, tw_state_next_id(state), error);
    if (status != TW_STATUS_OK) return status;
    return reserve_spheres(&schedule->spheres, total > 0 ? total : 1, error);
}

void tw_schedule_list_spheres(const tw_model *model, const tw_state *state, tw_schedule *schedule)
{
    const tw_bodies *b = &state->bodies;
    tw_spheres *s = &schedule->spheres;
    size_t at = 0;
    s->ids = tw_state_next_id(state);
    if (state->departed > 0) memset(s->index_of, 0xff, s->ids * sizeof *s->index_of);
    for (size_t i = 0; i < b->count; i++) {
        tw_schedule_list_body(model, b, s, i, at);
        at += model->shapes[b->shape[i]].count;
    }
    s->first[b->count] = (uint32_t)at;
    s->count = at;
}

typedef struct centres_context {
    const tw_spheres *spheres;
    const tw_vec3 *x;
    const tw_quat *q;
    tw_vec3 *centres;
} centres_context;

static void compute_centres(void *context, size_t begin, size_t end)
{
    const centres_context *c = context;
    for (size_t i = begin; i < end; i++)
        tw_schedule_body_centres(c->spheres, i, c->x[i], c->q[i], c->centres);
}

void tw_schedule_sphere_centres(const tw_state *state, const tw_schedule *schedule,
                                const tw_vec3 *x, const tw_quat *q, tw_vec3 *centres)
{
    centres_context c = {&schedule->spheres, x, q, centres};
    tw_parallel_for(state->bodies.count, 500, compute_centres, &c);
}

void tw_schedule_count_contacts(const tw_state *state, const tw_schedule *schedule,
                                uint32_t *counts)
{
    const tw_pairs *p = &schedule->pairs;
    memset(counts, 0, state->bodies.count * sizeof *counts);
    for (size_t k = 0; k < p->count; k++) {
        if (!tw_pairs_touch(p, k)) continue;
        counts[schedule->spheres.body[p->pair[k].p]]++;
        if (!tw_pair_is_wall(&p->pair[k])) counts[tw_schedule_body_q(schedule, &p->pair[k])]++;
    }
}

size_t tw_schedule_contacts(const tw_schedule *schedule)
{
    size_t count = 0;
    for (size_t k = 0; k < schedule->pairs.count; k++)
        count += (size_t)tw_pairs_touch(&schedule->pairs, k);
    return count;
}

tw_status tw_schedule_reserve_pairs(tw_schedule *schedule, size_t bodies, size_t count,
                                    tw_error *error)
{
    tw_pairs *p = &schedule->pairs;
    if (count >= UINT32_MAX / 2)
        return tw_error_set(error, TW_STATUS_INPUT, "too many pairs of spheres: %zu", count);
    if (count > p->capacity) {
        if (!tw_buffer_grow(&p->pair, p->capacity, count, sizeof *p->pair) ||
            !tw_buffer_grow(&p->slot, p->capacity, count, sizeof *p->slot))
            return no_memory(error, "pairs", count);
        p->capacity = count;
    }
    if (bodies >= p->body_capacity) {
        if (!tw_buffer_grow(&p->first, p->body_capacity, bodies + 1, sizeof *p->first))
            return no_memory(error, "bodies in the pair list", bodies);
        p->body_capacity = bodies + 1;
    }
    return TW_STATUS_OK;
}

void tw_tile_load_own(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                      const tw_tile *tile, uint32_t first)
{
    const int exact = model->laws->kind == TW_CONTACT_EXACT;
    const int masses = (tw_model_flags(model) & TW_CONTACT_BY_MASS) != 0;
    for (uint32_t k = first; k < tile->bodies; k++)
        tw_tile_load_body(state, schedule, tile, k, exact, masses);
}

enum { AHEAD = 16 }; /* ghosts that are fetched before they are used */

void tw_tile_load_ghosts(const tw_state *state, tw_schedule *schedule, tw_tile *tile)
{
    const tw_tiles *t = &schedule->tiles;
    const uint32_t first = tile->body_slot + tile->bodies;
    const tw_tile_ghost *ghost = t->ghost + tile->ghost;
    double farthest = tile->travel_relative;
    for (uint32_t k = 0; k < tile->ghosts; k++) {
        /* They may be in the cache of another thread. */
        const uint32_t soon = ghost[k + AHEAD < tile->ghosts ? k + AHEAD : k].source;
        __builtin_prefetch(&t->centre[soon]);
        __builtin_prefetch(&t->half[soon]);
        const tw_tile_sphere_slot *home = &t->centre[ghost[k].source];
        const tw_tile *from = &t->tile[ghost[k].tile];
        tw_vec3 moved = tw_vec3_sub(from->origin, tile->origin);
        farthest = from->travel_relative > farthest ? from->travel_relative : farthest;
        moved = tw_vec3_add(moved, tw_cell_offset(&state->cell.h, ghost[k].shift));
        t->half[first + k] = t->half[ghost[k].source];
        tw_tile_sphere_slot *here = &t->centre[first + k];
        here->x[0] = home->x[0] + moved.x;
        here->x[1] = home->x[1] + moved.y;
        here->x[2] = home->x[2] + moved.z;
    }
    tile->travel_neighbours = farthest; /* once: others read this tile meanwhile */
    if (t->single) return;
    tw_tile_sphere_slot *sphere_slot =
        t->sphere_slot + (tile->sphere_slot + tile->sphere_slots - 2 - tile->ghost_spheres);
    for (uint32_t k = 0; k < tile->ghost_spheres; k++) {
        const tw_tile_ghost_sphere *from = &t->ghost_sphere[tile->ghost_sphere + k];
        const tw_tile_sphere_slot *here = &t->centre[from->body_slot];
        const tw_tile_sphere_slot *home = &t->centre[ghost[from->body_slot - first].source];
        for (int j = 0; j < 3; j++)
            sphere_slot[k].x[j] = t->sphere_slot[from->source].x[j] + (here->x[j] - home->x[j]);
    }
}

tw_contact_stored tw_stored_sum(const tw_model *model, const tw_state *state,
                                const tw_schedule *schedule)
{
    tw_contact_stored sum = {{0.0}};
    for (size_t k = 0; k < schedule->pairs.count; k++) {
        if (!tw_pairs_touch(&schedule->pairs, k)) continue;
        const uint32_t slot = schedule->pairs.slot[k];
        const tw_contact_law law = tw_pair_law(model, state, schedule, &schedule->pairs.pair[k]);
        const tw_contact_memory memory = tw_bundle_get(state->contacts.bundle, slot);
        const tw_contact_parts extra = tw_extras_get(&state->contacts.extras, slot);
        const tw_contact_stored one = tw_contact_stored_of(&law, &memory, &extra);
        tw_stored_add(&sum, &one);
    }
    return sum;
}

void tw_stored_replace(tw_state *state, const tw_contact_stored *now)
{
    const tw_contact_stored *before = &state->sums.stored;
    for (int k = 0; k < TW_CONTACT_STORED_KINDS;) {
        const int end = k < TW_CONTACT_STORED_EARLY ? (int)TW_CONTACT_STORED_EARLY
                                                    : (int)TW_CONTACT_STORED_KINDS;
        double change = 0.0;
        for (; k < end; k++)
            change = change + now->of[k] - before->of[k];
        state->balance.start += change;
    }
    state->sums.stored = *now;
}
