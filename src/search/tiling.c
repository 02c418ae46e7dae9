/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/tiling.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/sum.h"
#include "world/schedule.h"

#define NONE UINT32_MAX

static tw_status no_memory(tw_error *error, const char *what)
{
    return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for the %s", what);
}

/* ---- Division ---- */

/* Fills in what does not depend on the ghosts; returns the number of pairs whose q is a ghost. */
static uint32_t cut_tile(const tw_state *state, tw_schedule *schedule, size_t number)
{
    tw_tile *tile = &schedule->tiles.tile[number];
    tw_tiling_cut(state, schedule, number);
    uint32_t ghosts = 0;
    for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
        const tw_pair *pair = &schedule->pairs.pair[k];
        if (tw_pair_is_wall(pair))
            tile->walls++;
        else
            ghosts += (uint32_t)tw_tiling_is_ghost(schedule, tile, pair);
    }
    tile->room = tile->pairs - tile->walls;
    return ghosts;
}

/* ---- Ghosts ---- */

/* The ghosts of a tile, in scratch memory: there is room for one ghost and one ghost sphere per
 * pair with a ghost. */
typedef struct ghost_finds {
    tw_tile_ghost *ghost;
    tw_tile_ghost_sphere *sphere_slot; /* body slots counted from the first ghost */
    /* Hash tables of ghost spheres and of ghosts: 2^bits heads, and chains. */
    uint32_t *heads, *next;
    uint32_t *body_heads, *body_next;
    tw_shift *shift; /* of each ghost sphere */
    uint32_t *sphere;
} ghost_finds;

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

/* Number of the ghost of this body and image; a new one if it is not listed yet. */
static uint32_t find_ghost(const tw_schedule *schedule, tw_tile *tile, ghost_finds *f,
                           uint32_t mask, uint32_t body, tw_shift shift)
{
    uint32_t *head = &f->body_heads[mix(body, shift) & mask];
    for (uint32_t k = *head; k != NONE; k = f->body_next[k]) {
        if (f->ghost[k].body == body && same_shift(f->ghost[k].shift, shift)) return k;
    }
    const uint32_t at = tile->ghosts++, home = tw_tiles_home(&schedule->tiles, body);
    f->ghost[at] = (tw_tile_ghost){0, body, home, shift};
    f->body_next[at] = *head;
    *head = at;
    return at;
}

static uint32_t find_ghost_sphere(const tw_schedule *schedule, tw_tile *tile, ghost_finds *f,
                                  uint32_t mask, const tw_pair *pair)
{
    uint32_t *head = &f->heads[mix(pair->q, pair->shift) & mask];
    for (uint32_t k = *head; k != NONE; k = f->next[k]) {
        if (f->sphere[k] == pair->q && same_shift(f->shift[k], pair->shift)) return k;
    }
    const uint32_t body_slot =
        find_ghost(schedule, tile, f, mask, schedule->spheres.body[pair->q], pair->shift);
    const uint32_t at = tile->ghost_spheres++;
    f->sphere_slot[at] = (tw_tile_ghost_sphere){0, body_slot};
    f->sphere[at] = pair->q;
    f->shift[at] = pair->shift;
    f->next[at] = *head;
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

/* Sets ends[k].q of a pair with a ghost to the number of the ghost sphere. */
static void find_ghosts(tw_schedule *schedule, tw_tile *tile, ghost_finds *f, uint32_t table,
                        tw_tiling_ends *ends)
{
    memset(f->heads, 0xff, table * sizeof *f->heads);
    memset(f->body_heads, 0xff, table * sizeof *f->body_heads);
    for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
        const tw_pair *pair = &schedule->pairs.pair[k];
        if (!tw_pair_is_wall(pair) && tw_tiling_is_ghost(schedule, tile, pair))
            ends[k].q = find_ghost_sphere(schedule, tile, f, table - 1, pair);
    }
}

typedef struct scratch {
    uint32_t *ghost_pairs; /* first of each tile */
    uint32_t *tables;
    ghost_finds all;
} scratch;

static ghost_finds finds_of(const scratch *s, size_t tile)
{
    const uint32_t at = s->ghost_pairs[tile], table = s->tables[tile];
    const ghost_finds *a = &s->all;
    return (ghost_finds){a->ghost + at, a->sphere_slot + at,   a->heads + table,
                         a->next + at,  a->body_heads + table, a->body_next + at,
                         a->shift + at, a->sphere + at};
}

typedef struct tiling {
    const tw_model *model;
    tw_state *state;
    tw_schedule *schedule;
    scratch *scratch;
    tw_tiling_ends *ends;
    const uint32_t *contact;         /* of each pair; NONE: it does not touch */
    const tw_contact_list *contacts; /* where its number counts */
    const tw_vec3 *centres;
    atomic_bool bad; /* a slot is assigned twice */
} tiling;

static void cut_part(void *context, size_t k)
{
    const tiling *t = context;
    t->scratch->ghost_pairs[k] = cut_tile(t->state, t->schedule, k);
    t->scratch->tables[k] = table_size(t->scratch->ghost_pairs[k]);
}

static tw_status scratch_make(tw_state *state, tw_schedule *schedule, scratch *s, tw_error *error)
{
    const size_t tiles = schedule->tiles.count;
    tw_arena *arena = &schedule->scratch;
    s->ghost_pairs = tw_arena_take(arena, tiles + 1, sizeof *s->ghost_pairs);
    s->tables = tw_arena_take(arena, tiles + 1, sizeof *s->tables);
    if (!s->ghost_pairs || !s->tables) return no_memory(error, "tiles");
    tiling cutting = {.state = state, .schedule = schedule, .scratch = s};
    tw_parallel_run(tiles, cut_part, &cutting);
    s->ghost_pairs[tiles] = s->tables[tiles] = 0;
    const size_t pairs = tw_prefix_sum_u32(s->ghost_pairs, s->ghost_pairs, tiles + 1);
    const size_t heads = tw_prefix_sum_u32(s->tables, s->tables, tiles + 1);
    ghost_finds *a = &s->all;
    a->ghost = tw_arena_take(arena, pairs + 1, sizeof *a->ghost);
    a->sphere_slot = tw_arena_take(arena, pairs + 1, sizeof *a->sphere_slot);
    a->heads = tw_arena_take(arena, heads, sizeof *a->heads);
    a->body_heads = tw_arena_take(arena, heads, sizeof *a->body_heads);
    a->next = tw_arena_take(arena, pairs + 1, sizeof *a->next);
    a->body_next = tw_arena_take(arena, pairs + 1, sizeof *a->body_next);
    a->shift = tw_arena_take(arena, pairs + 1, sizeof *a->shift);
    a->sphere = tw_arena_take(arena, pairs + 1, sizeof *a->sphere);
    return a->ghost && a->sphere_slot && a->heads && a->body_heads && a->next && a->body_next &&
                   a->shift && a->sphere
               ? TW_STATUS_OK
               : no_memory(error, "tiles");
}

/* ---- Memory ---- */

/* Places the parts of each tile in the common arrays; `total` gets their lengths. */
static void lay_out(tw_schedule *schedule, tw_tile *total)
{
    memset(total, 0, sizeof *total);
    for (size_t t = 0; t < schedule->tiles.count; t++) {
        tw_tile *tile = &schedule->tiles.tile[t];
        total->bodies += tile->bodies;
        tile->body_slots = tile->bodies + tile->ghosts + 2;
        tile->sphere_slots = tw_tiling_own_spheres(schedule, tile) + tile->ghost_spheres + 2;
        tile->body_slot = total->body_slot;
        tile->sphere_slot = total->sphere_slot;
        tile->ghost = total->ghost;
        tile->ghost_sphere = total->ghost_sphere;
        tile->slot = total->slot;
        tile->wall_slot = tile->slot + tw_tile_round_up(tile->room);
        tile->wall_pair = total->walls;
        tile->candidate = total->candidate;
        total->body_slot += tile->body_slots;
        total->sphere_slot += tile->sphere_slots;
        total->ghost += tile->ghosts;
        total->ghost_sphere += tile->ghost_spheres;
        total->slot = tile->wall_slot + tw_tile_round_up(tile->walls);
        total->walls += tile->walls;
        total->candidate += tile->room;
    }
}

/* An array of the tiles; `array` is the address of its pointer, of any type. 0: no memory. */
static int take(tw_schedule *schedule, void *array, size_t count, size_t size)
{
    void *const taken = tw_arena_take(&schedule->tiled, count + 1, size);
    memcpy(array, &taken, sizeof taken);
    return taken != NULL;
}

tw_status tw_tiling_take(tw_state *state, tw_schedule *schedule, const tw_tile *total,
                         tw_error *error)
{
    tw_tiles *t = &schedule->tiles;
    tw_slots *s = &schedule->slots;
    const size_t slots = total->slot + total->slot / 2;
    const int ok = take(schedule, &t->half, total->body_slot, sizeof *t->half) &&
                   take(schedule, &t->accumulator, total->body_slot, sizeof *t->accumulator) &&
                   take(schedule, &t->sphere_slot, total->sphere_slot, sizeof *t->sphere_slot) &&
                   take(schedule, &t->ghost, total->ghost, sizeof *t->ghost) &&
                   take(schedule, &t->ghost_sphere, total->ghost_sphere, sizeof *t->ghost_sphere) &&
                   take(schedule, &t->ghost_slot, total->ghost, sizeof *t->ghost_slot) &&
                   take(schedule, &t->ghost_first, total->bodies + 1, sizeof *t->ghost_first) &&
                   take(schedule, &t->degree, total->bodies + 1, sizeof *t->degree) &&
                   take(schedule, &t->candidate, total->candidate, sizeof *t->candidate) &&
                   take(schedule, &t->hit, total->candidate, sizeof *t->hit) &&
                   take(schedule, &t->wall_pair, total->walls, sizeof *t->wall_pair) &&
                   (!(state->contacts.extras.parts & TW_CONTACT_EXTRA_SHARED) ||
                    take(schedule, &t->wall_work, (size_t)total->walls * TW_TILES_WALL_WORK,
                         sizeof *t->wall_work)) &&
                   take(schedule, &t->wall_accumulator, t->count * state->wall_count,
                        sizeof *t->wall_accumulator) &&
                   take(schedule, &s->sphere_p, total->slot, sizeof *s->sphere_p) &&
                   take(schedule, &s->sphere_q, total->slot, sizeof *s->sphere_q) &&
                   take(schedule, &s->pair, total->slot, sizeof *s->pair) &&
                   take(schedule, &s->candidate, total->slot, sizeof *s->candidate) &&
                   take(schedule, &s->law, total->slot, sizeof *s->law) &&
                   take(schedule, &s->root, total->slot, sizeof *s->root) &&
                   take(schedule, &s->inv_root, total->slot, sizeof *s->inv_root);
    if (!ok) return no_memory(error, "tiles");
    t->centre = t->sphere_slot;
    s->body_p = s->sphere_p;
    s->body_q = s->sphere_q;
    if (!t->single && !(take(schedule, &t->centre, total->body_slot, sizeof *t->centre) &&
                        take(schedule, &s->body_p, total->slot, sizeof *s->body_p) &&
                        take(schedule, &s->body_q, total->slot, sizeof *s->body_q)))
        return no_memory(error, "tiles");
    /* Half as much again, so that a list that grows a little does not allocate. */
    return tw_state_reserve_contacts(
        state, total->slot > state->contacts.capacity ? slots : total->slot, error);
}

/* ---- Contents ---- */

static void take_ghosts(tw_schedule *schedule, const tw_tile *tile, const ghost_finds *f)
{
    const tw_tiles *t = &schedule->tiles;
    const uint32_t *first = schedule->spheres.first;
    for (uint32_t k = 0; k < tile->ghosts; k++) {
        tw_tile_ghost ghost = f->ghost[k];
        const tw_tile *home = &t->tile[ghost.tile];
        ghost.source = home->body_slot + ghost.body - home->body;
        t->ghost[tile->ghost + k] = ghost;
    }
    tw_tile_sphere_slot *sphere_slot =
        t->sphere_slot + tile->sphere_slot + (tile->sphere_slots - 2 - tile->ghost_spheres);
    for (uint32_t k = 0; k < tile->ghost_spheres; k++) {
        const uint32_t sphere = f->sphere[k];
        const tw_tile *home = &t->tile[tw_tiles_home(t, schedule->spheres.body[sphere])];
        t->ghost_sphere[tile->ghost_sphere + k] =
            (tw_tile_ghost_sphere){home->sphere_slot + sphere - first[home->body],
                                   tile->body_slot + tile->bodies + f->sphere_slot[k].body_slot};
        sphere_slot[k].radius = schedule->spheres.radius[sphere];
    }
}

static void fill_tile(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                      tw_tile *tile, const ghost_finds *f, tw_tiling_ends *ends)
{
    const tw_tiles *t = &schedule->tiles;
    const uint32_t sphere = schedule->spheres.first[tile->body],
                   own = tw_tiling_own_spheres(schedule, tile);
    for (uint32_t k = 0; k < own; k++)
        t->sphere_slot[tile->sphere_slot + k].radius = schedule->spheres.radius[sphere + k];
    memset(t->half + tile->body_slot, 0, tile->body_slots * sizeof *t->half);
    if (!t->single) memset(t->centre + tile->body_slot, 0, tile->body_slots * sizeof *t->centre);
    take_ghosts(schedule, tile, f);
    tw_tiling_place_idle(model, state, schedule, tile);
    uint32_t walls = 0;
    for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
        const tw_pair *pair = &schedule->pairs.pair[k];
        schedule->pairs.slot[k] = TW_NO_SLOT;
        if (tw_pair_is_wall(pair)) {
            t->wall_pair[tile->wall_pair + walls++] = k;
            continue;
        }
        ends[k].p = tile->sphere_slot + pair->p - sphere;
        ends[k].q = tw_tiling_is_ghost(schedule, tile, pair) ? tile->sphere_slot + own + ends[k].q
                                                             : tile->sphere_slot + pair->q - sphere;
    }
}

/* Lists the ghosts of each body. */
static void index_ghosts(const tw_state *state, tw_schedule *schedule)
{
    tw_tiles *t = &schedule->tiles;
    const size_t bodies = state->bodies.count;
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
            t->ghost_slot[first[t->ghost[tile->ghost + g].body]++] =
                tile->body_slot + tile->bodies + g;
    }
    /* Each entry is now the start of the next. */
    memmove(first + 1, first, bodies * sizeof *first);
    first[0] = 0;
}

static int all_single(const tw_model *model, const tw_state *state)
{
    for (size_t i = 0; i < state->bodies.count; i++) {
        if (model->shapes[state->bodies.shape[i]].count != 1) return 0;
    }
    return 1;
}

static void find_part(void *context, size_t k)
{
    const tiling *t = context;
    const scratch *s = t->scratch;
    ghost_finds f = finds_of(s, k);
    find_ghosts(t->schedule, &t->schedule->tiles.tile[k], &f, s->tables[k + 1] - s->tables[k],
                t->ends);
}

static void fill_part(void *context, size_t k)
{
    const tiling *t = context;
    const ghost_finds f = finds_of(t->scratch, k);
    fill_tile(t->model, t->state, t->schedule, &t->schedule->tiles.tile[k], &f, t->ends);
}

tw_status tw_tiling_make(const tw_model *model, tw_state *state, tw_schedule *schedule,
                         tw_tiling_ends **ends, tw_error *error)
{
    tw_tiles *t = &schedule->tiles;
    const size_t n = state->bodies.count;
    tw_tiles_cut(t, n);
    t->single = all_single(model, state);
    *ends = tw_arena_take(&schedule->scratch, schedule->pairs.count + 1, sizeof **ends);
    tw_arena_reset(&schedule->tiled);
    if (!*ends || !take(schedule, &t->tile, t->count, sizeof *t->tile) ||
        !take(schedule, &t->sum, t->count * TW_SUM_WIDTH_MAX, sizeof *t->sum))
        return no_memory(error, "tiles");
    const tw_arena_mark mark = tw_arena_here(&schedule->scratch);
    scratch s;
    tw_status status = scratch_make(state, schedule, &s, error);
    if (status != TW_STATUS_OK) return status;
    tiling filling = {
        .model = model, .state = state, .schedule = schedule, .scratch = &s, .ends = *ends};
    tw_parallel_run(t->count, find_part, &filling);
    tw_tile total;
    lay_out(schedule, &total);
    status = tw_tiling_take(state, schedule, &total, error);
    if (status != TW_STATUS_OK) return status;
    tw_parallel_run(t->count, fill_part, &filling);
    index_ghosts(state, schedule);
    tw_arena_go_back(&schedule->scratch, mark);
    return TW_STATUS_OK;
}

/* Fills the slot of contact k of `from`; `ends` is NULL for a plane. */
static void fill_slot(const tw_model *model, tw_state *state, tw_schedule *schedule,
                      const tw_tile *tile, const tw_tiling_ends *ends, uint32_t slot,
                      const tw_contact_list *from, size_t k)
{
    tw_contacts *c = &state->contacts;
    if (from->memory) {
        tw_bundle_put(c->bundle, slot, &from->memory[k]);
        const tw_contact_parts extra = tw_contact_list_get(from, k);
        tw_extras_put(&c->extras, slot, &extra);
    }
    c->sliding[slot] = from->sliding ? from->sliding[k] : 0;
    if (!ends) return;
    tw_pair_law_seat(model, state, schedule, slot);
    schedule->slots.candidate[slot] = TW_NO_PAIR;
    schedule->slots.sphere_p[slot] = ends->p;
    schedule->slots.sphere_q[slot] = ends->q;
    if (schedule->tiles.single) return;
    schedule->slots.body_p[slot] = tw_tile_load_body_slot(schedule, tile, ends->p);
    schedule->slots.body_q[slot] = tw_tile_load_body_slot(schedule, tile, ends->q);
}

/* Sets pairs.slot for the contacts of a tile. `contact` of a pair is its number in `from`, or NONE.
 * Returns 0 if a slot does not exist. */
static int assign_slots(tw_schedule *schedule, tw_tile *tile, const uint32_t *contact,
                        const tw_contact_list *from)
{
    uint32_t next = 0, walls = 0;
    for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
        const int wall = tw_pair_is_wall(&schedule->pairs.pair[k]);
        const uint32_t fixed = tile->wall_slot + walls;
        walls += (uint32_t)wall;
        if (contact[k] == NONE) continue;
        if (wall) {
            schedule->pairs.slot[k] = fixed;
            continue;
        }
        const int given = from->memory && from->slot;
        const uint32_t at = given ? from->slot[contact[k]] : next++;
        if (at >= tile->room) return 0;
        if (at >= tile->slots) tile->slots = at + 1;
        schedule->pairs.slot[k] = tile->slot + at;
    }
    return 1;
}

/* Returns 0 if a slot is assigned twice. */
static int fill_slots(const tw_model *model, tw_state *state, tw_schedule *schedule, tw_tile *tile,
                      const tw_tiling_ends *ends, const uint32_t *contact,
                      const tw_contact_list *from)
{
    for (uint32_t s = 0; s < tw_tile_round_up(tile->slots); s++)
        schedule->slots.pair[tile->slot + s] = TW_NO_PAIR;
    for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
        const uint32_t slot = schedule->pairs.slot[k];
        const int wall = tw_pair_is_wall(&schedule->pairs.pair[k]);
        if (contact[k] == NONE) continue;
        if (!wall && schedule->slots.pair[slot] != TW_NO_PAIR) return 0;
        schedule->slots.pair[slot] = k;
        fill_slot(model, state, schedule, tile, wall ? NULL : &ends[k], slot, from, contact[k]);
    }
    for (uint32_t s = tile->slot; s < tile->slot + tw_tile_round_up(tile->slots); s++) {
        if (schedule->slots.pair[s] == TW_NO_PAIR) tw_tile_load_empty(state, schedule, tile, s);
    }
    return 1;
}

static void exchange_extras(tw_extras *extras, uint32_t a, uint32_t b)
{
    const tw_contact_parts mine = tw_extras_get(extras, a), theirs = tw_extras_get(extras, b);
    tw_extras_put(extras, b, &mine);
    tw_extras_put(extras, a, &theirs);
}

/* Moves the memories from their present slots to the new ones, in place. Each exchange puts one
 * where it belongs. */
static tw_status move_memories(tw_state *state, tw_schedule *schedule,
                               const tw_contact_list *contacts, const uint32_t *pairs,
                               tw_error *error)
{
    tw_bundle *bundle = state->contacts.bundle;
    tw_extras *extras = &state->contacts.extras;
    size_t slots = 0;
    for (size_t k = 0; k < contacts->count; k++) {
        const uint32_t old = contacts->slot[k], new = schedule->pairs.slot[pairs[k]];
        slots = old >= slots ? old + 1 : slots;
        slots = new >= slots ? new + 1 : slots;
    }
    uint32_t *home = tw_arena_take(&schedule->scratch, slots + 1, sizeof *home);
    if (!home) return no_memory(error, "contact slots");
    memset(home, 0xff, (slots + 1) * sizeof *home); /* NONE */
    for (size_t k = 0; k < contacts->count; k++)
        home[contacts->slot[k]] = schedule->pairs.slot[pairs[k]];
    for (uint32_t i = 0; i < slots; i++) {
        while (home[i] != NONE && home[i] != i) {
            const uint32_t to = home[i], other = home[to];
            const tw_contact_memory mine = tw_bundle_get(bundle, i);
            const tw_contact_memory theirs = tw_bundle_get(bundle, to);
            tw_bundle_put(bundle, to, &mine);
            tw_bundle_put(bundle, i, &theirs);
            if (extras->parts) exchange_extras(extras, i, to);
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

static void list_candidates(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                            tw_tile *tile, const tw_tiling_ends *ends, const tw_vec3 *centres)
{
    tw_tile_candidate *candidate = schedule->tiles.candidate + tile->candidate;
    uint32_t next[TW_CANDIDATE_RANKS + 1] = {0};
    for (int run = 0; run < 2; run++) { /* counts, then fills */
        for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
            const tw_pair *pair = &schedule->pairs.pair[k];
            if (tw_pairs_touch(&schedule->pairs, k) || tw_pair_is_wall(pair)) continue;
            const int rank = tw_tiling_slots_rank(model, state, schedule, pair, centres);
            if (run == 0) {
                next[rank + 1]++;
                continue;
            }
            candidate[next[rank]++] = (tw_tile_candidate){ends[k].p, ends[k].q, k};
        }
        for (int rank = 0; rank < TW_CANDIDATE_RANKS && run == 0; rank++)
            next[rank + 1] += next[rank];
    }
    for (int rank = 0; rank < TW_CANDIDATE_RANKS; rank++)
        tile->rank_end[rank] = next[rank];
    tile->candidates = next[TW_CANDIDATE_RANKS - 1];
}

static void seat_part(void *context, size_t k)
{
    tiling *t = context;
    if (!assign_slots(t->schedule, &t->schedule->tiles.tile[k], t->contact, t->contacts))
        atomic_store(&t->bad, true);
}

static void assign_part(void *context, size_t k)
{
    tiling *t = context;
    tw_tile *tile = &t->schedule->tiles.tile[k];
    if (!fill_slots(t->model, t->state, t->schedule, tile, t->ends, t->contact, t->contacts))
        atomic_store(&t->bad, true);
    list_candidates(t->model, t->state, t->schedule, tile, t->ends, t->centres);
    tw_tile_load_own(t->model, t->state, t->schedule, tile, 0);
}

tw_status tw_tiling_slots_assign(const tw_model *model, tw_state *state, tw_schedule *schedule,
                                 tw_tiling_ends *ends, const tw_contact_list *contacts,
                                 const uint32_t *pairs, const tw_vec3 *centres, tw_error *error)
{
    tw_tiles *t = &schedule->tiles;
    uint32_t *contact =
        tw_arena_take(&schedule->scratch, schedule->pairs.count + 1, sizeof *contact);
    if (!contact) return no_memory(error, "contact slots");
    memset(contact, 0xff, (schedule->pairs.count + 1) * sizeof *contact);
    for (size_t k = 0; k < contacts->count; k++)
        if (!contacts->slot || contacts->slot[k] != TW_NO_SLOT) contact[pairs[k]] = (uint32_t)k;
    tiling assigning = {model, state, schedule, NULL, ends, contact, contacts, centres, false};
    tw_parallel_run(t->count, seat_part, &assigning);
    if (atomic_load(&assigning.bad)) return no_such_slot(error);
    if (contacts->count > 0 && !contacts->memory) {
        const tw_status status = move_memories(state, schedule, contacts, pairs, error);
        if (status != TW_STATUS_OK) return status;
    }
    tw_parallel_run(t->count, assign_part, &assigning);
    return atomic_load(&assigning.bad) ? no_such_slot(error) : TW_STATUS_OK;
}
