/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles and ghosts of a pair list, as in search/tiling.c. Ghosts are numbered in the order of the
 * first pair with each. A hash table finds that pair: many items put their pairs into it
 * concurrently, and each entry keeps the lowest one. */
#ifndef TW_DEVICE_TILES_H
#define TW_DEVICE_TILES_H

#include "device/device_access.h"
#include "device/device_world.h"
#include "search/tiling.h"
#include "world/schedule.h"

#define TW_DEVICE_NONE UINT32_MAX

TW_INLINE uint32_t tw_device_tiling_tile_of(const tw_schedule *schedule, uint32_t pair)
{
    return tw_tiles_home(&schedule->tiles, schedule->spheres.body[schedule->pairs.pair[pair].p]);
}

/* A tile: its bodies and pairs. */
TW_INLINE void tw_device_tiling_cut(const tw_state *state, tw_schedule *schedule,
                                    tw_device_touch *touch, uint32_t t)
{
    tw_tiling_cut(state, schedule, t);
    touch->tile[t].hits = touch->tile[t].ended = touch->tile[t].contacts = 0;
}

/* ---- Finding ghosts ---- */

TW_INLINE uint32_t tw_device_tiling_mix(uint32_t h, uint32_t value)
{
    h = (h ^ value) * 2654435761u;
    return h ^ h >> 15;
}

/* q of a pair: the sphere, or its body. */
TW_INLINE uint32_t tw_device_tiling_key(const tw_schedule *schedule, uint32_t pair, int sphere)
{
    const uint32_t q = schedule->pairs.pair[pair].q;
    return sphere ? q : schedule->spheres.body[q];
}

/* Puts a pair into a table; returns where. */
TW_INLINE uint32_t tw_device_tiling_insert(const tw_schedule *schedule,
                                           const tw_device_tiling *tiling, uint32_t *table,
                                           uint32_t k, uint32_t tile, int sphere)
{
    const tw_pair *pair = schedule->pairs.pair;
    const uint32_t key = tw_device_tiling_key(schedule, k, sphere),
                   shift = tw_shift_key(pair[k].shift);
    const uint32_t hash = tw_device_tiling_mix(
        tw_device_tiling_mix(tw_device_tiling_mix(2246822519u, key), shift), tile);
    uint32_t at = (uint32_t)((uint64_t)hash * tiling->table >> 32);
    for (;;) {
        const uint32_t other = tw_device_atomic_put(&table[at], TW_DEVICE_NONE, k);
        if (other == TW_DEVICE_NONE) return at;
        if (tw_device_tiling_key(schedule, other, sphere) == key &&
            tw_shift_key(pair[other].shift) == shift &&
            tw_device_tiling_tile_of(schedule, other) == tile) {
            tw_device_atomic_min_index(&table[at], k);
            return at;
        }
        at = at + 1 < tiling->table ? at + 1 : 0;
    }
}

/* A pair: `ends` gets the places of its ghost in the tables of bodies and of spheres. */
TW_INLINE void tw_device_tiling_find(const tw_schedule *schedule, tw_device_list *list,
                                     tw_device_tiling *tiling, uint32_t k)
{
    const tw_pair *pair = &schedule->pairs.pair[k];
    const uint32_t t = tw_device_tiling_tile_of(schedule, k);
    const int plane = tw_pair_is_wall(pair);
    tw_tiling_ends *ends = &list->ends[k];
    ends->p = ends->q = TW_DEVICE_NONE;
    if (tiling->wall_before) tiling->wall_before[k] = (uint32_t)plane;
    if (plane || !tw_tiling_is_ghost(schedule, &schedule->tiles.tile[t], pair)) return;
    ends->p = ends->q = tw_device_tiling_insert(schedule, tiling, tiling->body_table, k, t, 0);
    if (!schedule->tiles.single)
        ends->q = tw_device_tiling_insert(schedule, tiling, tiling->sphere_table, k, t, 1);
}

/* A pair, and one more: is it the first one with its ghost? */
TW_INLINE void tw_device_tiling_first(const tw_tiles *tiles, const tw_device_list *list,
                                      tw_device_tiling *tiling, uint32_t k)
{
    const uint32_t pairs = list->pairs, p = k < pairs ? list->ends[k].p : TW_DEVICE_NONE;
    tiling->ghost_before[k] = p != TW_DEVICE_NONE && tiling->body_table[p] == k;
    if (!tiles->single)
        tiling->sphere_before[k] =
            p != TW_DEVICE_NONE && tiling->sphere_table[list->ends[k].q] == k;
    if (k == pairs && tiling->wall_before) tiling->wall_before[k] = 0;
}

/* ---- Places of the tiles in the common arrays ---- */

/* Contact slots for contacts of spheres: those in use and some more, but no more than pairs. */
TW_INLINE uint32_t tw_device_tiling_room_for(const tw_device_tiling *tiling, const tw_tile *tile)
{
    const uint32_t most = tile->pairs - tile->walls;
    const uint64_t want = (uint64_t)tile->slots + tile->slots / tiling->share + tiling->spare;
    return want < most ? (uint32_t)want : most;
}

/* A tile, once the pairs are counted. */
TW_INLINE void tw_device_tiling_count(tw_schedule *schedule, tw_device_tiling *tiling, uint32_t t)
{
    tw_tile *tile = &schedule->tiles.tile[t];
    const uint32_t begin = tile->pair, end = tile->pair + tile->pairs;
    tile->ghost = tiling->ghost_before[begin];
    tile->ghosts = tiling->ghost_before[end] - tile->ghost;
    tile->ghost_sphere = tiling->sphere_before[begin];
    tile->ghost_spheres = tiling->sphere_before[end] - tile->ghost_sphere;
    if (tiling->wall_before) {
        tile->wall_pair = tiling->wall_before[begin];
        tile->walls = tiling->wall_before[end] - tile->wall_pair;
    }
    tile->room = tw_device_tiling_room_for(tiling, tile);
    tile->candidate = tile->pair - tile->wall_pair;
    tile->body_slots = tile->bodies + tile->ghosts + 2;
    tile->body_slot = tile->body + tile->ghost + 2 * t;
    tile->sphere_slots = tw_tiling_own_spheres(schedule, tile) + tile->ghost_spheres + 2;
    tile->sphere_slot = schedule->spheres.first[tile->body] + tile->ghost_sphere + 2 * t;
    tiling->bundle_before[t] =
        (tw_tile_round_up(tile->room) + tw_tile_round_up(tile->walls)) / TW_BUNDLE;
}

/* A tile, once all arrays are there. */
TW_INLINE void tw_device_tiling_place(const tw_model *model, const tw_state *state,
                                      const tw_device_tiling *tiling, tw_schedule *schedule,
                                      uint32_t t)
{
    tw_tile *tile = &schedule->tiles.tile[t];
    tile->slot = TW_BUNDLE * tiling->bundle_before[t];
    tile->wall_slot = tile->slot + tw_tile_round_up(tile->room);
    tw_tiling_place_idle(model, state, schedule, tile);
}

/* ---- Pairs and ghosts ---- */

TW_INLINE void tw_device_tiling_add_ghost(tw_schedule *schedule, tw_device_list *list,
                                          const tw_tile *tile, uint32_t k, uint32_t ghost)
{
    tw_tiles *tiles = &schedule->tiles;
    const uint32_t body = tw_device_tiling_key(schedule, k, 0), home = tw_tiles_home(tiles, body);
    const uint32_t slot = tile->body_slot + tile->bodies + ghost - tile->ghost;
    const tw_tile_ghost one = {tiles->tile[home].body_slot + body - tiles->tile[home].body, body,
                               home, schedule->pairs.pair[k].shift};
    const tw_tile_half half = {{0.0, 0.0, 0.0}, 0.0};
    const tw_tile_sphere_slot centre = {{0.0, 0.0, 0.0}, 0.0};
    tiles->ghost[ghost] = one;
    list->ghost_tile[ghost] = (uint32_t)(tile - tiles->tile);
    tiles->half[slot] = half;
    if (!tiles->single) tiles->centre[slot] = centre;
    tw_device_atomic_add(&tiles->ghost_first[body], 1);
}

/* The sphere slot of the ghost in pair k. The first pair of a ghost also sets up the ghost. */
TW_INLINE uint32_t tw_device_tiling_ghost_slot(const tw_device_tiling *tiling,
                                               tw_schedule *schedule, tw_device_list *list,
                                               const tw_tile *tile, uint32_t k)
{
    tw_tiles *tiles = &schedule->tiles;
    const tw_spheres *spheres = &schedule->spheres;
    const uint32_t first_body = tiling->body_table[list->ends[k].p],
                   first_sphere = tiling->sphere_table[list->ends[k].q];
    const uint32_t ghost = tiling->ghost_before[first_body],
                   at = tiling->sphere_before[first_sphere];
    const uint32_t slot =
        tile->sphere_slot + tile->sphere_slots - 2 - tile->ghost_spheres + at - tile->ghost_sphere;
    if (first_body == k) tw_device_tiling_add_ghost(schedule, list, tile, k, ghost);
    if (first_sphere != k) return slot;
    const uint32_t sphere = schedule->pairs.pair[k].q;
    tiles->sphere_slot[slot].radius = spheres->radius[sphere];
    if (tiles->single) return slot;
    const tw_tile *home = &tiles->tile[tw_tiles_home(tiles, spheres->body[sphere])];
    const tw_tile_ghost_sphere one = {home->sphere_slot + sphere - spheres->first[home->body],
                                      tile->body_slot + tile->bodies + ghost - tile->ghost};
    tiles->ghost_sphere[at] = one;
    list->ghost_sphere_tile[at] = (uint32_t)(tile - tiles->tile);
    return slot;
}

/* A pair: its ends, its ghost and its rank, none with a wall. */
TW_INLINE void tw_device_tiling_ends(const tw_model *model, const tw_state *state,
                                     const tw_device_search *search, const tw_device_tiling *tiling,
                                     tw_schedule *schedule, tw_device_list *list,
                                     tw_device_touch *touch, uint32_t k)
{
    const tw_pair *pair = &schedule->pairs.pair[k];
    const tw_tile *tile = &schedule->tiles.tile[tw_device_tiling_tile_of(schedule, k)];
    if (tw_pair_is_wall(pair)) {
        const uint32_t at = tiling->wall_before[k];
        schedule->tiles.wall_pair[at] = k;
        list->ends[k].p = at - tile->wall_pair; /* for its slot */
        return;
    }
    const uint32_t first = schedule->spheres.first[tile->body];
    list->ends[k].q = list->ends[k].p != TW_DEVICE_NONE
                          ? tw_device_tiling_ghost_slot(tiling, schedule, list, tile, k)
                          : tile->sphere_slot + pair->q - first;
    list->ends[k].p = tile->sphere_slot + pair->p - first;
    touch->rank[k] = (uint8_t)tw_tiling_slots_rank(model, state, schedule, pair, search->centre);
}

/* ---- Lists by body and body slot ---- */

/* A ghost: counted among those of its body, then listed. */
TW_INLINE void tw_device_tiling_list_ghost(const tw_device_list *list, tw_tiles *tiles, uint32_t g)
{
    const tw_tile *tile = &tiles->tile[list->ghost_tile[g]];
    const uint32_t body = tiles->ghost[g].body;
    const uint32_t at = tiles->ghost_first[body] + tw_device_atomic_add(&tiles->degree[body], 1);
    tiles->ghost_slot[at] = tile->body_slot + tile->bodies + g - tile->ghost;
}

/* The tile of a body slot. */
TW_INLINE uint32_t tw_device_tiling_tile_with(const tw_tiles *tiles, const tw_device_list *list,
                                              uint32_t body_slot)
{
    const tw_tile *tile = tiles->tile;
    uint32_t low = 0, high = list->tiles;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (tile[middle].body_slot <= body_slot)
            low = middle;
        else
            high = middle;
    }
    return low;
}

TW_INLINE tw_device_image tw_device_tiling_image(const tw_tiles *tiles, const tw_device_list *list,
                                                 uint32_t body_slot)
{
    tw_device_image image;
    image.tile = tw_device_tiling_tile_with(tiles, list, body_slot);
    const tw_tile *tile = &tiles->tile[image.tile];
    image.shift = tiles->ghost[tile->ghost + (body_slot - tile->body_slot - tile->bodies)].shift;
    return image;
}

/* A body: its ghosts in order. Then its own slots are loaded. */
TW_INLINE void tw_device_tiling_load(const tw_model *model, const tw_state *state,
                                     const tw_device_run *run, tw_schedule *schedule,
                                     tw_device_list *list, tw_device_forces *forces, uint32_t i)
{
    const tw_tile *tile = &schedule->tiles.tile[tw_tiles_home(&schedule->tiles, i)];
    const uint32_t first = schedule->tiles.ghost_first[i], end = schedule->tiles.ghost_first[i + 1];
    const uint32_t slot =
        tile->sphere_slot + schedule->spheres.first[i] - schedule->spheres.first[tile->body];
    tw_device_sort(schedule->tiles.ghost_slot + first, end - first, UINT32_MAX);
    for (uint32_t v = first; v < end; v++)
        list->image[v] =
            tw_device_tiling_image(&schedule->tiles, list, schedule->tiles.ghost_slot[v]);
    for (uint32_t k = 0; k < schedule->spheres.first[i + 1] - schedule->spheres.first[i]; k++)
        schedule->tiles.sphere_slot[slot + k].radius =
            schedule->spheres.radius[schedule->spheres.first[i] + k];
    if (!schedule->tiles.single)
        schedule->tiles.centre[tile->body_slot + i - tile->body].radius = 0.0;
    tw_tile_load_body(state, schedule, tile, i - tile->body, model->laws->kind == TW_CONTACT_EXACT,
                      (run->flags & TW_CONTACT_BY_MASS) != 0);
    /* Its force and torque, which the next move gathers. */
    const tw_vec3 none = tw_vec3_make(0.0, 0.0, 0.0);
    tw_device_rows_put_six(forces->body_load + 6 * (size_t)(tile->body_slot + i - tile->body),
                           state->bodies.force[i], state->bodies.torque[i]);
    for (uint32_t v = first; v < end; v++)
        tw_device_rows_put_six(forces->body_load + 6 * (size_t)schedule->tiles.ghost_slot[v], none,
                               none);
}

/* A pair: counted among those near its body slots. */
TW_INLINE void tw_device_tiling_count_near(const tw_schedule *schedule, tw_device_list *list,
                                           uint32_t k)
{
    const tw_tile *tile = &schedule->tiles.tile[tw_device_tiling_tile_of(schedule, k)];
    if (tw_pair_is_wall(&schedule->pairs.pair[k])) return;
    const uint32_t p = tw_tile_load_body_slot(schedule, tile, list->ends[k].p),
                   q = tw_tile_load_body_slot(schedule, tile, list->ends[k].q);
    tw_device_atomic_add(&list->near_first[p], 1);
    tw_device_atomic_add(&list->near_first[q], 1);
}

TW_INLINE void tw_device_tiling_list_near(const tw_schedule *schedule, tw_device_list *list,
                                          tw_device_forces *forces, uint32_t k)
{
    const tw_tile *tile = &schedule->tiles.tile[tw_device_tiling_tile_of(schedule, k)];
    if (tw_pair_is_wall(&schedule->pairs.pair[k])) return;
    const uint32_t p = tw_tile_load_body_slot(schedule, tile, list->ends[k].p),
                   q = tw_tile_load_body_slot(schedule, tile, list->ends[k].q);
    list->near[list->near_first[p] + tw_device_atomic_add(&forces->incident_count[p], 1)] = k;
    list->near[list->near_first[q] + tw_device_atomic_add(&forces->incident_count[q], 1)] =
        k | TW_DEVICE_AS_Q;
}

/* A body slot: its pairs in order. */
TW_INLINE void tw_device_tiling_sort_near(tw_device_list *list, tw_device_forces *forces,
                                          uint32_t b)
{
    tw_device_sort(list->near + list->near_first[b], list->near_first[b + 1] - list->near_first[b],
                   ~TW_DEVICE_AS_Q);
    forces->incident_count[b] = 0;
    forces->changed[b] = 1;
    for (uint32_t k = 0; k < TW_DEVICE_INCIDENT_HEAD;
         k++) /* read before it is made, and not used */
        forces->incident_head[b].slot[k] = TW_DEVICE_NO_CONTACT;
}

/* Contact slots of the tiles, as in search/tiling.c. */

/* A bundle of contact slots: its tile. */
TW_INLINE void tw_device_tiling_bundle(const tw_tiles *tiles, tw_device_list *list, uint32_t bundle)
{
    uint32_t low = 0,
             high = list->tiles; /* the last tile whose first bundle is not beyond this one */
    while (high - low > 1) {
        const uint32_t mid = low + (high - low) / 2;
        if (tiles->tile[mid].slot <= TW_BUNDLE * bundle)
            low = mid;
        else
            high = mid;
    }
    list->bundle_tile[bundle] = low;
}

/* Whether contact k of a list is none, and its pair far apart: it has no slot. */
TW_INLINE int tw_device_tiling_is_far(const tw_device_search *search, uint32_t k)
{
    return search->given && search->contact_given[k] == TW_NO_SLOT;
}

/* A contact: its number goes to the pair. */
TW_INLINE void tw_device_tiling_contact(const tw_device_search *search, tw_pairs *pairs, uint32_t k)
{
    if (!tw_device_tiling_is_far(search, k)) pairs->slot[search->contact_target[k]] = k;
}

/* A pair, and one more: is it a contact of spheres? */
TW_INLINE void tw_device_tiling_mark(const tw_pairs *pairs, const tw_device_list *list,
                                     tw_device_tiling *tiling, uint32_t k)
{
    tiling->touch_before[k] =
        k < list->pairs && tw_pairs_touch(pairs, k) && !tw_pair_is_wall(&pairs->pair[k]);
}

/* A contact: slots in use of its tile. */
TW_INLINE void tw_device_tiling_use(const tw_device_search *search, tw_schedule *schedule,
                                    tw_device_touch *touch, uint32_t k)
{
    const uint32_t pair = search->contact_target[k], t = tw_device_tiling_tile_of(schedule, pair);
    tw_tile *tile = &schedule->tiles.tile[t];
    if (tw_pair_is_wall(&schedule->pairs.pair[pair]) || tw_device_tiling_is_far(search, k)) return;
    tw_device_atomic_add(&touch->tile[t].contacts, 1);
    if (search->given)
        tw_device_atomic_max_index(&tile->slots, search->contact_given[k] + 1);
    else
        tw_device_atomic_add(&tile->slots, 1);
}

/* A pair: `pairs.slot` has the number of its contact, and gets the slot. */
TW_INLINE void tw_device_tiling_assign(const tw_device_list *list, const tw_device_search *search,
                                       const tw_device_tiling *tiling, tw_schedule *schedule,
                                       tw_device_touch *touch, uint32_t k)
{
    const uint32_t contact = schedule->pairs.slot[k];
    const tw_tile *tile = &schedule->tiles.tile[tw_device_tiling_tile_of(schedule, k)];
    if (contact == TW_DEVICE_NONE) return;
    const int wall = tw_pair_is_wall(&schedule->pairs.pair[k]);
    const uint32_t slot =
        wall            ? tile->wall_slot + list->ends[k].p
        : search->given ? tile->slot + search->contact_given[contact]
                        : tile->slot + tiling->touch_before[k] - tiling->touch_before[tile->pair];
    schedule->pairs.slot[k] = slot;
    schedule->slots.pair[slot] = k;
    if (!wall) touch->rank[k] = TW_DEVICE_RANK_NONE;
}

/* ---- Moving memories to their new slots ---- */

/* Numbers of a contact that are moved at a time, by way of `load`, which is free now. */
enum { TW_DEVICE_TILING_WIDTH = 6 };

/* Where number `part` of the memory and the extras in a slot is; NULL: there are fewer. */
TW_INLINE double *tw_device_tiling_number(tw_contacts *contacts, uint32_t slot, uint32_t part)
{
    tw_bundle *b = &contacts->bundle[slot / TW_BUNDLE];
    const uint32_t l = slot % TW_BUNDLE;
    if (part < 3) return &b->n[part][l];
    if (part == 3) return &b->zeta[l];
    if (part < 7) return &b->ft[part - 4][l];
    part -= 7;
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    if (contacts->extras.name) {                                                                   \
        if (part < TW_CONTACT_WIDTH(name))                                                         \
            return tw_extras_at(contacts->extras.name, TW_CONTACT_WIDTH(name), slot, part);        \
        part -= TW_CONTACT_WIDTH(name);                                                            \
    }
#include <twirl/detail/contact_parts.def>
    return NULL;
}

/* A contact: some of its numbers are taken from where they are ... */
TW_INLINE void tw_device_tiling_take(const tw_device_search *search, const tw_device_tiling *tiling,
                                     tw_contacts *contacts, tw_device_touch *touch, uint32_t k)
{
    const uint32_t slot = search->contact_slot[k];
    for (uint32_t j = 0; j < TW_DEVICE_TILING_WIDTH; j++) {
        const double *from =
            tw_device_tiling_number(contacts, slot, TW_DEVICE_TILING_WIDTH * tiling->pass + j);
        if (from) touch->load[6 * (size_t)k + (size_t)j] = *from;
    }
    if (tiling->pass == 0) touch->slot_state[k] = contacts->sliding[slot];
}

/* ... and, when all have been, put to where they belong. */
TW_INLINE void tw_device_tiling_put(const tw_pairs *pairs, const tw_device_search *search,
                                    tw_contacts *contacts, tw_device_touch *touch,
                                    tw_device_tiling *tiling, uint32_t k)
{
    const uint32_t slot = pairs->slot[search->contact_target[k]];
    if (slot == TW_NO_SLOT) return;
    for (uint32_t j = 0; j < TW_DEVICE_TILING_WIDTH; j++) {
        double *to =
            tw_device_tiling_number(contacts, slot, TW_DEVICE_TILING_WIDTH * tiling->pass + j);
        if (to) *to = touch->load[6 * (size_t)k + (size_t)j];
    }
    if (tiling->pass > 0) return;
    contacts->sliding[slot] = touch->slot_state[k]; /* and it is likely to slide again */
    if (!touch->slot_state[k] || tw_pair_is_wall(&search->contact_pair[k])) return;
    tw_device_bits_set(touch->sliders[0], slot); /* in a step one is read, before it the other */
    tw_device_bits_set(touch->sliders[1], slot);
}

TW_INLINE void tw_device_tiling_next(tw_device_tiling *tiling, uint32_t i)
{
    (void)i;
    tiling->pass++;
}

/* A contact slot: what belongs to its contact, or nothing. */
TW_INLINE void tw_device_tiling_fill(const tw_model *model, const tw_device_list *list,
                                     tw_state *state, tw_schedule *schedule, tw_device_touch *touch,
                                     uint32_t slot)
{
    const tw_tile *tile = &schedule->tiles.tile[list->bundle_tile[slot / TW_BUNDLE]];
    const uint32_t pair = schedule->slots.pair[slot];
    touch->slot_state[slot] = TW_DEVICE_EMPTY;
    if (pair == TW_NO_PAIR) {
        tw_tile_load_empty(state, schedule, tile, slot);
        return;
    }
    if (slot >= tile->wall_slot) { /* of a wall: refers to no sphere slots */
        schedule->slots.sphere_p[slot] = schedule->slots.sphere_q[slot] = 0;
        if (!schedule->tiles.single)
            schedule->slots.body_p[slot] = schedule->slots.body_q[slot] = 0;
        return;
    }
    touch->slot_state[slot] = TW_DEVICE_LANES;
    tw_pair_law_seat(model, state, schedule, slot);
    schedule->slots.sphere_p[slot] = list->ends[pair].p;
    schedule->slots.sphere_q[slot] = list->ends[pair].q;
    if (schedule->tiles.single) return;
    schedule->slots.body_p[slot] = tw_tile_load_body_slot(schedule, tile, list->ends[pair].p);
    schedule->slots.body_q[slot] = tw_tile_load_body_slot(schedule, tile, list->ends[pair].q);
}

#endif
