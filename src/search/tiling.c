/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/tiling.h"

#include <stdatomic.h>
#include <string.h>

#include "base/buffer.h"
#include "base/parallel.h"
#include "base/prefix.h"
#include "base/status.h"
#include "base/sum.h"

#define NOBODY UINT32_MAX

static tw_status no_memory(tw_error *error)
{
    return tw_error_set(error, TW_STATUS_MEMORY, "no memory for the tiles");
}

/* ---- Shares ---- */

static int is_wall(const tw_world *w, const tw_pair *pair)
{
    return pair->q >= w->spheres.count;
}

static int is_ghost(const tw_world *w, const tw_tile *tile, const tw_pair *pair)
{
    const uint32_t body = w->spheres.body[pair->q];
    return (pair->shift.i | pair->shift.j | pair->shift.k) != 0 || body < tile->body ||
           body - tile->body >= tile->bodies;
}

/* Pairs whose q is a ghost; fills in what can be counted without knowing the ghosts. */
static uint32_t cut_tile(tw_world *w, size_t number)
{
    const tw_bodies *b = &w->bodies;
    tw_tile *tile = &w->tiles.tile[number];
    const size_t first = number * w->tiles.size, last = first + w->tiles.size;
    memset(tile, 0, sizeof *tile);
    tile->body = (uint32_t)(first < b->count ? first : b->count);
    tile->bodies = (uint32_t)(last < b->count ? last : b->count) - tile->body;
    tile->pair = w->pairs.first[tile->body];
    tile->pairs = w->pairs.first[tile->body + tile->bodies] - tile->pair;
    for (uint32_t i = tile->body; i < tile->body + tile->bodies; i++)
        tile->origin = tw_vec3_add_scaled(tile->origin, 1.0 / tile->bodies, b->x_ref[i]);
    uint32_t ghosts = 0;
    for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
        const tw_pair *pair = &w->pairs.pair[k];
        if (is_wall(w, pair))
            tile->walls++;
        else
            ghosts += (uint32_t)is_ghost(w, tile, pair);
    }
    tile->room = tile->pairs - tile->walls;
    return ghosts;
}

/* ---- Guests ---- */

/* What a tile finds out about its ghosts, in the scratch memory: there is room for one ghost and
 * one sphere slot per pair with a ghost. */
typedef struct finds {
    tw_ghost *ghost;
    tw_ghost_sphere *sphere_slot;       /* body slots counted from the first ghost */
    uint32_t *table, *entries; /* hash table of ghost sphere slots: 2^bits heads, chains through entries */
    uint32_t *body_slots;           /* and of ghost body slots */
    uint32_t *body_next;
    tw_shift *shift; /* of each sphere slot */
    uint32_t *sphere;
} finds;

static uint32_t mix(uint32_t a, tw_shift s)
{
    uint32_t h = a * 2654435761u ^ tw_shift_key(s) * 2246822519u;
    h ^= h >> 15;
    return h * 3266489917u;
}

static int same_shift(tw_shift a, tw_shift b)
{
    return a.i == b.i && a.j == b.j && a.k == b.k;
}

/* Number of the ghost body slot for this body and image, a new one if need be. */
static uint32_t find_body_slot(const tw_world *w, tw_tile *tile, finds *f, uint32_t mask, uint32_t body,
                          tw_shift shift)
{
    uint32_t *head = &f->body_slots[mix(body, shift) & mask];
    for (uint32_t k = *head; k != NOBODY; k = f->body_next[k]) {
        if (f->ghost[k].body == body && same_shift(f->ghost[k].shift, shift)) return k;
    }
    const uint32_t at = tile->ghosts++, home = tw_tiles_home(&w->tiles, body);
    f->ghost[at] = (tw_ghost){0, body, home, shift};
    f->body_next[at] = *head;
    *head = at;
    return at;
}

static uint32_t find_sphere_slot(const tw_world *w, tw_tile *tile, finds *f, uint32_t mask,
                          const tw_pair *pair)
{
    uint32_t *head = &f->table[mix(pair->q, pair->shift) & mask];
    for (uint32_t k = *head; k != NOBODY; k = f->entries[k]) {
        if (f->sphere[k] == pair->q && same_shift(f->shift[k], pair->shift)) return k;
    }
    const uint32_t body_slot = find_body_slot(w, tile, f, mask, w->spheres.body[pair->q], pair->shift);
    const uint32_t at = tile->ghost_spheres++;
    f->sphere_slot[at] = (tw_ghost_sphere){0, body_slot};
    f->sphere[at] = pair->q;
    f->shift[at] = pair->shift;
    f->entries[at] = *head;
    *head = at;
    return at;
}

static uint32_t table_size(uint32_t ghosts)
{
    uint32_t size = 16;
    while (size < ghosts)
        size *= 2;
    return size;
}

/* ends[k].q of a pair with a ghost becomes the number of the ghost's sphere_slot. */
static void find_ghosts(tw_world *w, tw_tile *tile, finds *f, uint32_t table, tw_tiling_ends *ends)
{
    memset(f->table, 0xff, table * sizeof *f->table);
    memset(f->body_slots, 0xff, table * sizeof *f->body_slots);
    for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
        const tw_pair *pair = &w->pairs.pair[k];
        if (!is_wall(w, pair) && is_ghost(w, tile, pair))
            ends[k].q = find_sphere_slot(w, tile, f, table - 1, pair);
    }
}

typedef struct scratch {
    uint32_t *ghost_pairs; /* first of each tile */
    uint32_t *tables;
    finds all;
} scratch;

static finds finds_of(const scratch *s, size_t tile)
{
    const uint32_t at = s->ghost_pairs[tile], table = s->tables[tile];
    const finds *a = &s->all;
    return (finds){a->ghost + at,    a->sphere_slot + at,      a->table + table, a->entries + at,
                   a->body_slots + table, a->body_next + at, a->shift + at,    a->sphere + at};
}

typedef struct tiling {
    tw_world *world;
    scratch *scratch;
    tw_tiling_ends *ends;
} tiling;

static void cut_part(void *context, size_t k)
{
    const tiling *t = context;
    t->scratch->ghost_pairs[k] = cut_tile(t->world, k);
    t->scratch->tables[k] = table_size(t->scratch->ghost_pairs[k]);
}

static tw_status scratch_make(tw_world *w, scratch *s, tw_error *error)
{
    const size_t tiles = w->tiles.count;
    tw_arena *arena = &w->scratch;
    s->ghost_pairs = tw_arena_take(arena, tiles + 1, sizeof *s->ghost_pairs);
    s->tables = tw_arena_take(arena, tiles + 1, sizeof *s->tables);
    if (!s->ghost_pairs || !s->tables) return no_memory(error);
    tiling cutting = {w, s, NULL};
    tw_parallel_run(tiles, cut_part, &cutting);
    s->ghost_pairs[tiles] = s->tables[tiles] = 0;
    const size_t pairs = tw_prefix_sum_u32(s->ghost_pairs, s->ghost_pairs, tiles + 1);
    const size_t heads = tw_prefix_sum_u32(s->tables, s->tables, tiles + 1);
    finds *a = &s->all;
    a->ghost = tw_arena_take(arena, pairs + 1, sizeof *a->ghost);
    a->sphere_slot = tw_arena_take(arena, pairs + 1, sizeof *a->sphere_slot);
    a->table = tw_arena_take(arena, heads, sizeof *a->table);
    a->body_slots = tw_arena_take(arena, heads, sizeof *a->body_slots);
    a->entries = tw_arena_take(arena, pairs + 1, sizeof *a->entries);
    a->body_next = tw_arena_take(arena, pairs + 1, sizeof *a->body_next);
    a->shift = tw_arena_take(arena, pairs + 1, sizeof *a->shift);
    a->sphere = tw_arena_take(arena, pairs + 1, sizeof *a->sphere);
    return a->ghost && a->sphere_slot && a->table && a->body_slots && a->entries && a->body_next && a->shift &&
                   a->sphere
               ? TW_STATUS_OK
               : no_memory(error);
}

/* ---- Room ---- */

static uint32_t round_up(uint32_t n)
{
    return (n + TW_BUNDLE - 1) / TW_BUNDLE * TW_BUNDLE;
}

static uint32_t own_spheres(const tw_world *w, const tw_tile *tile)
{
    const uint32_t *first = w->bodies.sphere_first;
    return first[tile->body + tile->bodies] - first[tile->body];
}

/* Where in the common arrays each tile has its part. Returns the number of slots. */
static size_t lay_out(tw_world *w, tw_tile *total)
{
    memset(total, 0, sizeof *total);
    for (size_t t = 0; t < w->tiles.count; t++) {
        tw_tile *tile = &w->tiles.tile[t];
        tile->body_slots = tile->bodies + tile->ghosts + 2;
        tile->sphere_slots = own_spheres(w, tile) + tile->ghost_spheres + 2;
        tile->body_slot = total->body_slot;
        tile->sphere_slot = total->sphere_slot;
        tile->ghost = total->ghost;
        tile->ghost_sphere = total->ghost_sphere;
        tile->slot = total->slot;
        tile->wall_slot = tile->slot + round_up(tile->room);
        tile->wall_pair = total->wall_pair;
        tile->candidate = total->candidate;
        total->body_slot += tile->body_slots;
        total->sphere_slot += tile->sphere_slots;
        total->ghost += tile->ghosts;
        total->ghost_sphere += tile->ghost_spheres;
        total->slot = tile->wall_slot + round_up(tile->walls);
        total->wall_pair += tile->walls;
        total->candidate += tile->room;
    }
    return total->slot;
}

static int reserve(void *array, size_t *capacity, size_t count, size_t size)
{
    return tw_buffer_reserve(array, capacity, count + 1, size) == TW_STATUS_OK;
}

static tw_status reserve_all(tw_world *w, const tw_tile *total, tw_error *error)
{
    tw_tiles *t = &w->tiles;
    if (t->centre == t->sphere_slot) t->centre = NULL;
    size_t halves = t->body_slot_capacity, centres = t->centre ? halves : 0;
    size_t bodies = t->body_capacity, degrees = bodies, candidates = t->candidate_capacity;
    const int ok =
        reserve(&t->half, &halves, total->body_slot, sizeof *t->half) &&
        (t->single || reserve(&t->centre, &centres, total->body_slot, sizeof *t->centre)) &&
        reserve(&t->accumulator, &t->body_slot_capacity, total->body_slot, sizeof *t->accumulator) &&
        reserve(&t->sphere_slot, &t->sphere_slot_capacity, total->sphere_slot, sizeof *t->sphere_slot) &&
        reserve(&t->ghost, &t->ghost_capacity, total->ghost, sizeof *t->ghost) &&
        reserve(&t->ghost_sphere, &t->ghost_sphere_capacity, total->ghost_sphere, sizeof *t->ghost_sphere) &&
        reserve(&t->ghost_slot, &t->ghost_slot_capacity, total->ghost, sizeof *t->ghost_slot) &&
        reserve(&t->ghost_first, &bodies, w->bodies.count + 1, sizeof *t->ghost_first) &&
        reserve(&t->degree, &degrees, w->bodies.count + 1, sizeof *t->degree) &&
        reserve(&t->candidate, &candidates, total->candidate, sizeof *t->candidate) &&
        reserve(&t->hit, &t->candidate_capacity, total->candidate, sizeof *t->hit) &&
        reserve(&t->wall_pair, &t->wall_pair_capacity, total->wall_pair, sizeof *t->wall_pair) &&
        reserve(&t->wall_accumulator, &t->wall_accumulator_capacity, t->count * w->wall_count,
                sizeof *t->wall_accumulator);
    t->body_capacity = bodies;
    if (!ok) return no_memory(error);
    if (t->single) {
        if (t->centre) tw_buffer_free(&t->centre, &centres);
        t->centre = t->sphere_slot;
    }
    const size_t slots = total->slot;
    return slots > w->contacts.capacity ? tw_world_reserve_slots(w, slots + slots / 2, error)
                                        : tw_world_reserve_slots(w, slots, error);
}

/* ---- Filling in ---- */

/* The idle sphere slots lie just as far apart that they do not overlap. */
static void place_idle(const tw_world *w, const tw_tile *tile)
{
    tw_sphere_slot *sphere_slot = w->tiles.sphere_slot + tile->sphere_slot + tile->sphere_slots - 2;
    const uint32_t body_slot = tile->body_slot + tile->body_slots - 2;
    sphere_slot[0] = (tw_sphere_slot){{0.0, 0.0, 0.0}, w->skin};
    sphere_slot[1] = (tw_sphere_slot){{2.0 * w->skin, 0.0, 0.0}, w->skin};
    w->tiles.half[body_slot] = w->tiles.half[body_slot + 1] = (tw_half){{0.0}, 0.0};
    if (!w->tiles.single) w->tiles.centre[body_slot] = w->tiles.centre[body_slot + 1] = (tw_sphere_slot){{0.0}, 0.0};
}

static void take_ghosts(const tw_world *w, const tw_tile *tile, const finds *f)
{
    const tw_tiles *t = &w->tiles;
    const uint32_t *first = w->bodies.sphere_first;
    for (uint32_t k = 0; k < tile->ghosts; k++) {
        tw_ghost ghost = f->ghost[k];
        const tw_tile *home = &t->tile[ghost.tile];
        ghost.source = home->body_slot + ghost.body - home->body;
        t->ghost[tile->ghost + k] = ghost;
    }
    tw_sphere_slot *sphere_slot = t->sphere_slot + tile->sphere_slot + (tile->sphere_slots - 2 - tile->ghost_spheres);
    for (uint32_t k = 0; k < tile->ghost_spheres; k++) {
        const uint32_t sphere = f->sphere[k];
        const tw_tile *home = &t->tile[tw_tiles_home(t, w->spheres.body[sphere])];
        t->ghost_sphere[tile->ghost_sphere + k] = (tw_ghost_sphere){
            home->sphere_slot + sphere - first[home->body], tile->body_slot + tile->bodies + f->sphere_slot[k].body_slot};
        sphere_slot[k].radius = w->spheres.radius[sphere];
    }
}

static void fill_tile(tw_world *w, tw_tile *tile, const finds *f, tw_tiling_ends *ends)
{
    const tw_tiles *t = &w->tiles;
    const uint32_t sphere = w->bodies.sphere_first[tile->body], own = own_spheres(w, tile);
    for (uint32_t k = 0; k < own; k++)
        t->sphere_slot[tile->sphere_slot + k].radius = w->spheres.radius[sphere + k];
    memset(t->half + tile->body_slot, 0, tile->body_slots * sizeof *t->half);
    if (!t->single) memset(t->centre + tile->body_slot, 0, tile->body_slots * sizeof *t->centre);
    take_ghosts(w, tile, f);
    place_idle(w, tile);
    uint32_t walls = 0;
    for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
        const tw_pair *pair = &w->pairs.pair[k];
        w->pairs.slot[k] = TW_NO_SLOT;
        if (is_wall(w, pair)) {
            t->wall_pair[tile->wall_pair + walls++] = k;
            continue;
        }
        ends[k].p = tile->sphere_slot + pair->p - sphere;
        ends[k].q = is_ghost(w, tile, pair) ? tile->sphere_slot + own + ends[k].q
                                              : tile->sphere_slot + pair->q - sphere;
    }
}

/* Which body slots a body has as a ghost. */
static void index_ghosts(tw_world *w)
{
    tw_tiles *t = &w->tiles;
    const size_t bodies = w->bodies.count;
    uint32_t *first = t->ghost_first;
    memset(first, 0, (bodies + 1) * sizeof *first);
    for (size_t k = 0; k < t->count; k++) {
        for (uint32_t g = t->tile[k].ghost; g < t->tile[k].ghost + t->tile[k].ghosts; g++)
            first[t->ghost[g].body]++;
    }
    tw_prefix_sum_u32(first, first, bodies + 1);
    for (size_t k = 0; k < t->count; k++) {
        const tw_tile *tile = &t->tile[k];
        for (uint32_t g = 0; g < tile->ghosts; g++)
            t->ghost_slot[first[t->ghost[tile->ghost + g].body]++] = tile->body_slot + tile->bodies + g;
    }
    /* Each entry now is the next one's start. */
    memmove(first + 1, first, bodies * sizeof *first);
    first[0] = 0;
}

static int all_single(const tw_world *w)
{
    for (size_t i = 0; i < w->bodies.count; i++) {
        if (w->shapes[w->bodies.shape[i]].count != 1) return 0;
    }
    return 1;
}

static void find_part(void *context, size_t k)
{
    const tiling *t = context;
    const scratch *s = t->scratch;
    finds f = finds_of(s, k);
    find_ghosts(t->world, &t->world->tiles.tile[k], &f, s->tables[k + 1] - s->tables[k], t->ends);
}

static void fill_part(void *context, size_t k)
{
    const tiling *t = context;
    const finds f = finds_of(t->scratch, k);
    fill_tile(t->world, &t->world->tiles.tile[k], &f, t->ends);
}

tw_status tw_tiling_make(tw_world *world, tw_tiling_ends **ends, tw_error *error)
{
    tw_tiles *t = &world->tiles;
    const size_t n = world->bodies.count;
    tw_tiles_cut(t, n);
    t->single = all_single(world);
    *ends = tw_arena_take(&world->scratch, world->pairs.count + 1, sizeof **ends);
    if (!*ends || !reserve(&t->tile, &t->tile_capacity, t->count, sizeof *t->tile) ||
        !reserve(&t->sum, &t->sum_capacity, t->count * TW_SUM_WIDTH_MAX, sizeof *t->sum))
        return no_memory(error);
    const tw_arena_mark mark = tw_arena_here(&world->scratch);
    scratch s;
    tw_status status = scratch_make(world, &s, error);
    if (status != TW_STATUS_OK) return status;
    tiling filling = {world, &s, *ends};
    tw_parallel_run(t->count, find_part, &filling);
    tw_tile total;
    lay_out(world, &total);
    status = reserve_all(world, &total, error);
    if (status != TW_STATUS_OK) return status;
    tw_parallel_run(t->count, fill_part, &filling);
    index_ghosts(world);
    tw_arena_go_back(&world->scratch, mark);
    return TW_STATUS_OK;
}

/* Contact k of `from`, or of the world, gets its slot; `place` is NULL for a wall. */
static void fill_slot(tw_world *w, const tw_tile *tile, const tw_tiling_ends *place, uint32_t slot,
                         const tw_contact_list *from, size_t k)
{
    tw_contacts *c = &w->contacts;
    if (from->memory) tw_bundle_put(c->bundle, slot, &from->memory[k]);
    c->sliding[slot] = from->sliding ? from->sliding[k] : 0;
    if (from->drag) tw_bundle_force_put(c->drag, slot, from->drag[k]);
    if (!place) return;
    c->candidate[slot] = TW_NO_PAIR;
    c->sphere_p[slot] = place->p;
    c->sphere_q[slot] = place->q;
    if (w->tiles.single) return;
    c->body_p[slot] = tw_tile_body_slot(w, tile, place->p);
    c->body_q[slot] = tw_tile_body_slot(w, tile, place->q);
}

/* Gives the contacts of a tile their slots, in pairs.slot. `contact` of a pair is its number in
 * `from`, or NOBODY. Returns 0 if a slot does not exist. */
static int assign_slots(tw_world *w, tw_tile *tile, const uint32_t *contact,
                        const tw_contact_list *from)
{
    uint32_t next = 0, walls = 0;
    for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
        const int wall = is_wall(w, &w->pairs.pair[k]);
        const uint32_t fixed = tile->wall_slot + walls;
        walls += (uint32_t)wall;
        if (contact[k] == NOBODY) continue;
        if (wall) {
            w->pairs.slot[k] = fixed;
            continue;
        }
        const int told = from->memory && from->slot;
        const uint32_t at = told ? from->slot[contact[k]] : next++;
        if (at >= tile->room) return 0;
        if (at >= tile->slots) tile->slots = at + 1;
        w->pairs.slot[k] = tile->slot + at;
    }
    return 1;
}

/* Returns 0 if a slot is asked for twice. */
static int fill_slots(tw_world *w, tw_tile *tile, const tw_tiling_ends *ends, const uint32_t *contact,
                     const tw_contact_list *from)
{
    for (uint32_t s = 0; s < round_up(tile->slots); s++)
        w->contacts.pair[tile->slot + s] = TW_NO_PAIR;
    for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
        const uint32_t slot = w->pairs.slot[k];
        const int wall = is_wall(w, &w->pairs.pair[k]);
        if (contact[k] == NOBODY) continue;
        if (!wall && w->contacts.pair[slot] != TW_NO_PAIR) return 0;
        w->contacts.pair[slot] = k;
        fill_slot(w, tile, wall ? NULL : &ends[k], slot, from, contact[k]);
    }
    for (uint32_t s = tile->slot; s < tile->slot + round_up(tile->slots); s++) {
        if (w->contacts.pair[s] == TW_NO_PAIR) tw_tile_empty(w, tile, s);
    }
    return 1;
}

/* Moves the memories from their present slots to the new ones, in place: each exchange brings one
 * home. */
static tw_status move_memories(tw_world *w, const tw_contact_list *contacts,
                               const uint32_t *pairs, tw_error *error)
{
    tw_bundle *bundle = w->contacts.bundle;
    size_t slots = 0;
    for (size_t k = 0; k < contacts->count; k++) {
        const uint32_t old = contacts->slot[k], new = w->pairs.slot[pairs[k]];
        slots = old >= slots ? old + 1 : slots;
        slots = new >= slots ? new + 1 : slots;
    }
    uint32_t *home = tw_arena_take(&w->scratch, slots + 1, sizeof *home);
    if (!home) return no_memory(error);
    memset(home, 0xff, (slots + 1) * sizeof *home); /* NOBODY's */
    for (size_t k = 0; k < contacts->count; k++)
        home[contacts->slot[k]] = w->pairs.slot[pairs[k]];
    for (uint32_t i = 0; i < slots; i++) {
        while (home[i] != NOBODY && home[i] != i) {
            const uint32_t to = home[i], other = home[to];
            const tw_contact_memory mine = tw_bundle_get(bundle, i);
            const tw_contact_memory theirs = tw_bundle_get(bundle, to);
            tw_bundle_put(bundle, to, &mine);
            tw_bundle_put(bundle, i, &theirs);
            home[to] = to;
            home[i] = other;
        }
    }
    return TW_STATUS_OK;
}

static tw_status no_such_slot(tw_error *error)
{
    return tw_error_set(error, TW_STATUS_FILE,
                        "contacts/slot: two contacts in one slot, or a slot that does not exist");
}

typedef struct slot_filling {
    tw_world *world;
    const tw_tiling_ends *ends;
    const uint32_t *contact;
    const tw_contact_list *contacts;
    atomic_bool bad;
} slot_filling;

static void fill_slots_part(void *context, size_t k)
{
    slot_filling *s = context;
    tw_tile *tile = &s->world->tiles.tile[k];
    if (!fill_slots(s->world, tile, s->ends, s->contact, s->contacts)) atomic_store(&s->bad, true);
}

tw_status tw_tiling_assign(tw_world *world, const tw_tiling_ends *ends,
                         const tw_contact_list *contacts, const uint32_t *pairs, tw_error *error)
{
    tw_tiles *t = &world->tiles;
    uint32_t *contact = tw_arena_take(&world->scratch, world->pairs.count + 1, sizeof *contact);
    if (!contact) return no_memory(error);
    memset(contact, 0xff, (world->pairs.count + 1) * sizeof *contact);
    for (size_t k = 0; k < contacts->count; k++)
        contact[pairs[k]] = (uint32_t)k;
    world->contacts.viscous = contacts->drag != NULL;
    int bad = 0;
    for (size_t k = 0; k < t->count; k++)
        bad += !assign_slots(world, &t->tile[k], contact, contacts);
    if (bad > 0) return no_such_slot(error);
    if (contacts->count > 0 && !contacts->memory) {
        const tw_status status = move_memories(world, contacts, pairs, error);
        if (status != TW_STATUS_OK) return status;
    }
    slot_filling s = {world, ends, contact, contacts, false};
    tw_parallel_run(t->count, fill_slots_part, &s);
    return atomic_load(&s.bad) ? no_such_slot(error) : TW_STATUS_OK;
}

static int rank_of(const tw_world *w, const tw_pair *pair, const tw_vec3 *centres)
{
    tw_vec3 b = tw_vec3_sub(centres[pair->q], centres[pair->p]);
    b = tw_vec3_add(b, tw_cell_offset(&w->cell.h_ref, pair->shift));
    const double gap = tw_vec3_norm(b) - w->spheres.radius[pair->p] - w->spheres.radius[pair->q];
    const double rank = floor(gap / w->skin * TW_CANDIDATE_RANKS);
    return rank < 0.0 ? 0 : (rank < TW_CANDIDATE_RANKS ? (int)rank : TW_CANDIDATE_RANKS - 1);
}

static void list_candidates(tw_world *w, tw_tile *tile, const tw_tiling_ends *ends, const tw_vec3 *centres)
{
    tw_candidate *candidate = w->tiles.candidate + tile->candidate;
    uint32_t next[TW_CANDIDATE_RANKS + 1] = {0};
    for (int run = 0; run < 2; run++) { /* counts, then fills */
        for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
            const tw_pair *pair = &w->pairs.pair[k];
            if (tw_pairs_touch(&w->pairs, k) || is_wall(w, pair)) continue;
            const int rank = rank_of(w, pair, centres);
            if (run == 0) {
                next[rank + 1]++;
                continue;
            }
            candidate[next[rank]++] = (tw_candidate){ends[k].p, ends[k].q, k};
        }
        for (int rank = 0; rank < TW_CANDIDATE_RANKS && run == 0; rank++)
            next[rank + 1] += next[rank];
    }
    for (int rank = 0; rank < TW_CANDIDATE_RANKS; rank++)
        tile->rank_end[rank] = next[rank];
    tile->candidates = next[TW_CANDIDATE_RANKS - 1];
}

typedef struct finishing {
    tw_world *world;
    const tw_tiling_ends *ends;
    const tw_vec3 *centres;
} finishing;

static void finish_part(void *context, size_t k)
{
    const finishing *f = context;
    list_candidates(f->world, &f->world->tiles.tile[k], f->ends, f->centres);
    tw_tile_load_own(f->world, &f->world->tiles.tile[k], 0);
}

void tw_tiling_finish(tw_world *world, const tw_tiling_ends *ends, const tw_vec3 *centres)
{
    finishing f = {world, ends, centres};
    tw_parallel_run(world->tiles.count, finish_part, &f);
}
