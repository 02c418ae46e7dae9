/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/tiling.h"

#include <stdatomic.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/prefix.h"
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

static int is_guest(const tw_world *w, const tw_tile *tile, const tw_pair *pair)
{
    const uint32_t body = w->spheres.body[pair->q];
    return (pair->shift.i | pair->shift.j | pair->shift.k) != 0 || body < tile->body ||
           body - tile->body >= tile->bodies;
}

/* Pairs whose q is a guest; fills in what can be counted without knowing the guests. */
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
    uint32_t guests = 0;
    for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
        const tw_pair *pair = &w->pairs.pair[k];
        if (is_wall(w, pair))
            tile->walls++;
        else
            guests += (uint32_t)is_guest(w, tile, pair);
    }
    tile->room = tile->pairs - tile->walls;
    return guests;
}

/* ---- Guests ---- */

/* What a tile finds out about its guests, in the scratch memory: there is room for one guest and
 * one spot per pair with a guest. */
typedef struct finds {
    tw_guest *guest;
    tw_guest_spot *spot;       /* seats counted from the first guest */
    uint32_t *table, *entries; /* hash table of guest spots: 2^bits heads, chains through entries */
    uint32_t *seats;           /* and of guest seats */
    uint32_t *seat_next;
    tw_shift *shift; /* of each spot */
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

/* Number of the guest seat for this body and image, a new one if need be. */
static uint32_t find_seat(const tw_world *w, tw_tile *tile, finds *f, uint32_t mask, uint32_t body,
                          tw_shift shift)
{
    uint32_t *head = &f->seats[mix(body, shift) & mask];
    for (uint32_t k = *head; k != NOBODY; k = f->seat_next[k]) {
        if (f->guest[k].body == body && same_shift(f->guest[k].shift, shift)) return k;
    }
    const uint32_t at = tile->guests++, home = tw_tiles_home(&w->tiles, body);
    f->guest[at] = (tw_guest){0, body, home, shift};
    f->seat_next[at] = *head;
    *head = at;
    return at;
}

static uint32_t find_spot(const tw_world *w, tw_tile *tile, finds *f, uint32_t mask,
                          const tw_pair *pair)
{
    uint32_t *head = &f->table[mix(pair->q, pair->shift) & mask];
    for (uint32_t k = *head; k != NOBODY; k = f->entries[k]) {
        if (f->sphere[k] == pair->q && same_shift(f->shift[k], pair->shift)) return k;
    }
    const uint32_t seat = find_seat(w, tile, f, mask, w->spheres.body[pair->q], pair->shift);
    const uint32_t at = tile->visits++;
    f->spot[at] = (tw_guest_spot){0, seat};
    f->sphere[at] = pair->q;
    f->shift[at] = pair->shift;
    f->entries[at] = *head;
    *head = at;
    return at;
}

static uint32_t table_size(uint32_t guests)
{
    uint32_t size = 16;
    while (size < guests)
        size *= 2;
    return size;
}

/* places[k].q of a pair with a guest becomes the number of the guest's spot. */
static void find_guests(tw_world *w, tw_tile *tile, finds *f, uint32_t table, tw_place *places)
{
    memset(f->table, 0xff, table * sizeof *f->table);
    memset(f->seats, 0xff, table * sizeof *f->seats);
    for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
        const tw_pair *pair = &w->pairs.pair[k];
        if (!is_wall(w, pair) && is_guest(w, tile, pair))
            places[k].q = find_spot(w, tile, f, table - 1, pair);
    }
}

typedef struct scratch {
    uint32_t *guest_pairs; /* first of each tile */
    uint32_t *tables;
    finds all;
} scratch;

static finds finds_of(const scratch *s, size_t tile)
{
    const uint32_t at = s->guest_pairs[tile], table = s->tables[tile];
    const finds *a = &s->all;
    return (finds){a->guest + at,    a->spot + at,      a->table + table, a->entries + at,
                   a->seats + table, a->seat_next + at, a->shift + at,    a->sphere + at};
}

typedef struct tiling {
    tw_world *world;
    scratch *scratch;
    tw_place *places;
} tiling;

static void cut_part(void *context, size_t k)
{
    const tiling *t = context;
    t->scratch->guest_pairs[k] = cut_tile(t->world, k);
    t->scratch->tables[k] = table_size(t->scratch->guest_pairs[k]);
}

static tw_status scratch_make(tw_world *w, scratch *s, tw_error *error)
{
    const size_t tiles = w->tiles.count;
    tw_arena *arena = &w->scratch;
    s->guest_pairs = tw_arena_take(arena, tiles + 1, sizeof *s->guest_pairs);
    s->tables = tw_arena_take(arena, tiles + 1, sizeof *s->tables);
    if (!s->guest_pairs || !s->tables) return no_memory(error);
    tiling cutting = {w, s, NULL};
    tw_parallel_run(tiles, cut_part, &cutting);
    s->guest_pairs[tiles] = s->tables[tiles] = 0;
    const size_t pairs = tw_prefix_sum_u32(s->guest_pairs, s->guest_pairs, tiles + 1);
    const size_t heads = tw_prefix_sum_u32(s->tables, s->tables, tiles + 1);
    finds *a = &s->all;
    a->guest = tw_arena_take(arena, pairs + 1, sizeof *a->guest);
    a->spot = tw_arena_take(arena, pairs + 1, sizeof *a->spot);
    a->table = tw_arena_take(arena, heads, sizeof *a->table);
    a->seats = tw_arena_take(arena, heads, sizeof *a->seats);
    a->entries = tw_arena_take(arena, pairs + 1, sizeof *a->entries);
    a->seat_next = tw_arena_take(arena, pairs + 1, sizeof *a->seat_next);
    a->shift = tw_arena_take(arena, pairs + 1, sizeof *a->shift);
    a->sphere = tw_arena_take(arena, pairs + 1, sizeof *a->sphere);
    return a->guest && a->spot && a->table && a->seats && a->entries && a->seat_next && a->shift &&
                   a->sphere
               ? TW_STATUS_OK
               : no_memory(error);
}

/* ---- Room ---- */

static uint32_t round_up(uint32_t n)
{
    return (n + TW_BUNDLE - 1) / TW_BUNDLE * TW_BUNDLE;
}

static uint32_t own_spots(const tw_world *w, const tw_tile *tile)
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
        tile->seats = tile->bodies + tile->guests + 2;
        tile->spots = own_spots(w, tile) + tile->visits + 2;
        tile->seat = total->seat;
        tile->spot = total->spot;
        tile->guest = total->guest;
        tile->visit = total->visit;
        tile->slot = total->slot;
        tile->wall_slot = tile->slot + round_up(tile->room);
        tile->wall_pair = total->wall_pair;
        tile->suitor = total->suitor;
        total->seat += tile->seats;
        total->spot += tile->spots;
        total->guest += tile->guests;
        total->visit += tile->visits;
        total->slot = tile->wall_slot + round_up(tile->walls);
        total->wall_pair += tile->walls;
        total->suitor += tile->room;
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
    if (t->centre == t->spot) t->centre = NULL;
    size_t halves = t->seat_capacity, centres = t->centre ? halves : 0;
    size_t bodies = t->body_capacity, degrees = bodies, suitors = t->suitor_capacity;
    const int ok =
        reserve(&t->half, &halves, total->seat, sizeof *t->half) &&
        (t->single || reserve(&t->centre, &centres, total->seat, sizeof *t->centre)) &&
        reserve(&t->push, &t->seat_capacity, total->seat, sizeof *t->push) &&
        reserve(&t->spot, &t->spot_capacity, total->spot, sizeof *t->spot) &&
        reserve(&t->guest, &t->guest_capacity, total->guest, sizeof *t->guest) &&
        reserve(&t->guest_spot, &t->guest_spot_capacity, total->visit, sizeof *t->guest_spot) &&
        reserve(&t->visit_seat, &t->visit_capacity, total->guest, sizeof *t->visit_seat) &&
        reserve(&t->visit_first, &bodies, w->bodies.count + 1, sizeof *t->visit_first) &&
        reserve(&t->degree, &degrees, w->bodies.count + 1, sizeof *t->degree) &&
        reserve(&t->suitor, &suitors, total->suitor, sizeof *t->suitor) &&
        reserve(&t->hit, &t->suitor_capacity, total->suitor, sizeof *t->hit) &&
        reserve(&t->wall_pair, &t->wall_pair_capacity, total->wall_pair, sizeof *t->wall_pair) &&
        reserve(&t->wall_push, &t->wall_push_capacity, t->count * w->wall_count,
                sizeof *t->wall_push);
    t->body_capacity = bodies;
    if (!ok) return no_memory(error);
    if (t->single) {
        if (t->centre) tw_buffer_free(&t->centre, &centres);
        t->centre = t->spot;
    }
    const size_t slots = total->slot;
    return slots > w->contacts.capacity ? tw_world_reserve_slots(w, slots + slots / 2, error)
                                        : tw_world_reserve_slots(w, slots, error);
}

/* ---- Filling in ---- */

/* The idle spots lie just as far apart that they do not overlap. */
static void place_idle(const tw_world *w, const tw_tile *tile)
{
    tw_spot *spot = w->tiles.spot + tile->spot + tile->spots - 2;
    const uint32_t seat = tile->seat + tile->seats - 2;
    spot[0] = (tw_spot){{0.0, 0.0, 0.0}, w->skin};
    spot[1] = (tw_spot){{2.0 * w->skin, 0.0, 0.0}, w->skin};
    w->tiles.half[seat] = w->tiles.half[seat + 1] = (tw_half){{0.0}, 0.0};
    if (!w->tiles.single) w->tiles.centre[seat] = w->tiles.centre[seat + 1] = (tw_spot){{0.0}, 0.0};
}

static void take_guests(const tw_world *w, const tw_tile *tile, const finds *f)
{
    const tw_tiles *t = &w->tiles;
    const uint32_t *first = w->bodies.sphere_first;
    for (uint32_t k = 0; k < tile->guests; k++) {
        tw_guest guest = f->guest[k];
        const tw_tile *home = &t->tile[guest.tile];
        guest.source = home->seat + guest.body - home->body;
        t->guest[tile->guest + k] = guest;
    }
    tw_spot *spot = t->spot + tile->spot + (tile->spots - 2 - tile->visits);
    for (uint32_t k = 0; k < tile->visits; k++) {
        const uint32_t sphere = f->sphere[k];
        const tw_tile *home = &t->tile[tw_tiles_home(t, w->spheres.body[sphere])];
        t->guest_spot[tile->visit + k] = (tw_guest_spot){
            home->spot + sphere - first[home->body], tile->seat + tile->bodies + f->spot[k].seat};
        spot[k].radius = w->spheres.radius[sphere];
    }
}

static void fill_tile(tw_world *w, tw_tile *tile, const finds *f, tw_place *places)
{
    const tw_tiles *t = &w->tiles;
    const uint32_t sphere = w->bodies.sphere_first[tile->body], own = own_spots(w, tile);
    for (uint32_t k = 0; k < own; k++)
        t->spot[tile->spot + k].radius = w->spheres.radius[sphere + k];
    memset(t->half + tile->seat, 0, tile->seats * sizeof *t->half);
    if (!t->single) memset(t->centre + tile->seat, 0, tile->seats * sizeof *t->centre);
    take_guests(w, tile, f);
    place_idle(w, tile);
    uint32_t walls = 0;
    for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
        const tw_pair *pair = &w->pairs.pair[k];
        w->pairs.slot[k] = TW_NO_SLOT;
        if (is_wall(w, pair)) {
            t->wall_pair[tile->wall_pair + walls++] = k;
            continue;
        }
        places[k].p = tile->spot + pair->p - sphere;
        places[k].q = is_guest(w, tile, pair) ? tile->spot + own + places[k].q
                                              : tile->spot + pair->q - sphere;
    }
}

/* Which seats a body has as a guest. */
static void index_visits(tw_world *w)
{
    tw_tiles *t = &w->tiles;
    const size_t bodies = w->bodies.count;
    uint32_t *first = t->visit_first;
    memset(first, 0, (bodies + 1) * sizeof *first);
    for (size_t k = 0; k < t->count; k++) {
        for (uint32_t g = t->tile[k].guest; g < t->tile[k].guest + t->tile[k].guests; g++)
            first[t->guest[g].body]++;
    }
    tw_prefix_sum_u32(first, first, bodies + 1);
    for (size_t k = 0; k < t->count; k++) {
        const tw_tile *tile = &t->tile[k];
        for (uint32_t g = 0; g < tile->guests; g++)
            t->visit_seat[first[t->guest[tile->guest + g].body]++] = tile->seat + tile->bodies + g;
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
    find_guests(t->world, &t->world->tiles.tile[k], &f, s->tables[k + 1] - s->tables[k], t->places);
}

static void fill_part(void *context, size_t k)
{
    const tiling *t = context;
    const finds f = finds_of(t->scratch, k);
    fill_tile(t->world, &t->world->tiles.tile[k], &f, t->places);
}

tw_status tw_tiling_make(tw_world *world, tw_place **places, tw_error *error)
{
    tw_tiles *t = &world->tiles;
    const size_t n = world->bodies.count;
    tw_tiles_cut(t, n);
    t->single = all_single(world);
    *places = tw_arena_take(&world->scratch, world->pairs.count + 1, sizeof **places);
    if (!*places || !reserve(&t->tile, &t->tile_capacity, t->count, sizeof *t->tile) ||
        !reserve(&t->sum, &t->sum_capacity, t->count * TW_SUM_WIDTH_MAX, sizeof *t->sum))
        return no_memory(error);
    const tw_arena_mark mark = tw_arena_here(&world->scratch);
    scratch s;
    tw_status status = scratch_make(world, &s, error);
    if (status != TW_STATUS_OK) return status;
    tiling filling = {world, &s, *places};
    tw_parallel_run(t->count, find_part, &filling);
    tw_tile total;
    lay_out(world, &total);
    status = reserve_all(world, &total, error);
    if (status != TW_STATUS_OK) return status;
    tw_parallel_run(t->count, fill_part, &filling);
    index_visits(world);
    tw_arena_go_back(&world->scratch, mark);
    return TW_STATUS_OK;
}

/* Contact k of `from`, or of the world, gets its slot; `place` is NULL for a wall. */
static void seat_contact(tw_world *w, const tw_tile *tile, const tw_place *place, uint32_t slot,
                         const tw_search_contacts *from, size_t k)
{
    tw_contacts *c = &w->contacts;
    if (from->memory) tw_bundle_put(c->bundle, slot, &from->memory[k]);
    c->sliding[slot] = from->sliding ? from->sliding[k] : 0;
    if (from->drag) tw_bundle_force_put(c->drag, slot, from->drag[k]);
    if (!place) return;
    c->suitor[slot] = TW_NO_PAIR;
    c->spot_p[slot] = place->p;
    c->spot_q[slot] = place->q;
    if (w->tiles.single) return;
    c->seat_p[slot] = tw_tile_seat_of(w, tile, place->p);
    c->seat_q[slot] = tw_tile_seat_of(w, tile, place->q);
}

/* Gives the contacts of a tile their slots, in pairs.slot. `contact` of a pair is its number in
 * `from`, or NOBODY. Returns 0 if a slot does not exist. */
static int assign_slots(tw_world *w, tw_tile *tile, const uint32_t *contact,
                        const tw_search_contacts *from)
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
static int seat_tile(tw_world *w, tw_tile *tile, const tw_place *places, const uint32_t *contact,
                     const tw_search_contacts *from)
{
    for (uint32_t s = 0; s < round_up(tile->slots); s++)
        w->contacts.pair[tile->slot + s] = TW_NO_PAIR;
    for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
        const uint32_t slot = w->pairs.slot[k];
        const int wall = is_wall(w, &w->pairs.pair[k]);
        if (contact[k] == NOBODY) continue;
        if (!wall && w->contacts.pair[slot] != TW_NO_PAIR) return 0;
        w->contacts.pair[slot] = k;
        seat_contact(w, tile, wall ? NULL : &places[k], slot, from, contact[k]);
    }
    for (uint32_t s = tile->slot; s < tile->slot + round_up(tile->slots); s++) {
        if (w->contacts.pair[s] == TW_NO_PAIR) tw_tile_empty(w, tile, s);
    }
    return 1;
}

/* Moves the memories from their present slots to the new ones, in place: each exchange brings one
 * home. */
static tw_status move_memories(tw_world *w, const tw_search_contacts *contacts,
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

typedef struct seating {
    tw_world *world;
    const tw_place *places;
    const uint32_t *contact;
    const tw_search_contacts *contacts;
    atomic_bool bad;
} seating;

static void seat_part(void *context, size_t k)
{
    seating *s = context;
    tw_tile *tile = &s->world->tiles.tile[k];
    if (!seat_tile(s->world, tile, s->places, s->contact, s->contacts)) atomic_store(&s->bad, true);
}

tw_status tw_tiling_seat(tw_world *world, const tw_place *places,
                         const tw_search_contacts *contacts, const uint32_t *pairs, tw_error *error)
{
    tw_tiles *t = &world->tiles;
    uint32_t *contact = tw_arena_take(&world->scratch, world->pairs.count + 1, sizeof *contact);
    if (!contact) return no_memory(error);
    memset(contact, 0xff, (world->pairs.count + 1) * sizeof *contact);
    for (size_t k = 0; k < contacts->count; k++)
        contact[pairs[k]] = (uint32_t)k;
    world->contacts.dragged = contacts->drag != NULL;
    int bad = 0;
    for (size_t k = 0; k < t->count; k++)
        bad += !assign_slots(world, &t->tile[k], contact, contacts);
    if (bad > 0) return no_such_slot(error);
    if (contacts->count > 0 && !contacts->memory) {
        const tw_status status = move_memories(world, contacts, pairs, error);
        if (status != TW_STATUS_OK) return status;
    }
    seating s = {world, places, contact, contacts, false};
    tw_parallel_run(t->count, seat_part, &s);
    return atomic_load(&s.bad) ? no_such_slot(error) : TW_STATUS_OK;
}

static int rank_of(const tw_world *w, const tw_pair *pair, const tw_vec3 *centres)
{
    tw_vec3 b = tw_vec3_sub(centres[pair->q], centres[pair->p]);
    b = tw_vec3_add(b, tw_cell_offset(&w->cell.h_ref, pair->shift));
    const double gap = tw_vec3_norm(b) - w->spheres.radius[pair->p] - w->spheres.radius[pair->q];
    const double rank = floor(gap / w->skin * TW_SUITOR_RANKS);
    return rank < 0.0 ? 0 : (rank < TW_SUITOR_RANKS ? (int)rank : TW_SUITOR_RANKS - 1);
}

static void list_suitors(tw_world *w, tw_tile *tile, const tw_place *places, const tw_vec3 *centres)
{
    tw_suitor *suitor = w->tiles.suitor + tile->suitor;
    uint32_t next[TW_SUITOR_RANKS + 1] = {0};
    for (int run = 0; run < 2; run++) { /* counts, then fills */
        for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
            const tw_pair *pair = &w->pairs.pair[k];
            if (tw_pairs_touch(&w->pairs, k) || is_wall(w, pair)) continue;
            const int rank = rank_of(w, pair, centres);
            if (run == 0) {
                next[rank + 1]++;
                continue;
            }
            suitor[next[rank]++] = (tw_suitor){places[k].p, places[k].q, k};
        }
        for (int rank = 0; rank < TW_SUITOR_RANKS && run == 0; rank++)
            next[rank + 1] += next[rank];
    }
    for (int rank = 0; rank < TW_SUITOR_RANKS; rank++)
        tile->rank_end[rank] = next[rank];
    tile->suitors = next[TW_SUITOR_RANKS - 1];
}

typedef struct finishing {
    tw_world *world;
    const tw_place *places;
    const tw_vec3 *centres;
} finishing;

static void finish_part(void *context, size_t k)
{
    const finishing *f = context;
    list_suitors(f->world, &f->world->tiles.tile[k], f->places, f->centres);
    tw_tile_seat_own(f->world, &f->world->tiles.tile[k], 0);
}

void tw_tiling_finish(tw_world *world, const tw_place *places, const tw_vec3 *centres)
{
    finishing f = {world, places, centres};
    tw_parallel_run(world->tiles.count, finish_part, &f);
}
