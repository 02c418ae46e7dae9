/* SPDX-License-Identifier: BSD-3-Clause */
/* Who comes into touch, and who parts. */
#include "search/search.h"
#include "step/touch.h"

static uint32_t (*const near[])(const tw_tiles *tiles, uint32_t begin, uint32_t end,
                                uint32_t *hits) = {TW_SIMD_EACH(tw_touch_near)};

tw_vec3 tw_touch_displacement(const tw_world *w, uint32_t sphere)
{
    const tw_bodies *b = &w->bodies;
    const uint32_t body = w->spheres.body[sphere];
    const tw_vec3 arm = tw_vec3_sub(tw_world_sphere(w, sphere), b->x[body]);
    const tw_vec3 g = b->gibbs[body];
    const tw_quat turned = tw_quat_normalise(tw_quat_make(1.0, g.x, g.y, g.z));
    const tw_vec3 before = tw_quat_rotate_back(turned, arm);
    return tw_vec3_add(b->dx[body], tw_vec3_sub(arm, before));
}

/* The empty slot with the lowest number. */
static uint32_t take_slot(tw_world *w, tw_tile *tile)
{
    while (tile->empty < tile->slots && w->contacts.pair[tile->slot + tile->empty] != TW_NO_PAIR)
        tile->empty++;
    if (tile->empty == tile->slots) {
        if (tile->slots % TW_BUNDLE == 0) {
            for (uint32_t l = 0; l < TW_BUNDLE; l++)
                tw_tile_empty(w, tile, tile->slot + tile->slots + l);
        }
        tile->slots++;
    }
    return tile->slot + tile->empty++;
}

static tw_vec3 branch_of(const tw_world *w, const tw_candidate *s)
{
    const double *p = w->tiles.sphere_slot[s->p].x, *q = w->tiles.sphere_slot[s->q].x;
    return tw_vec3_make(q[0] - p[0], q[1] - p[1], q[2] - p[2]);
}

static void make_contact(tw_world *w, tw_tile *tile, uint32_t candidate)
{
    tw_contacts *c = &w->contacts;
    tw_candidate *s = &w->tiles.candidate[candidate];
    const tw_pair *pair = &w->pairs.pair[s->pair];
    const uint32_t slot = take_slot(w, tile);
    tw_vec3 moved =
        tw_vec3_sub(tw_touch_displacement(w, pair->q), tw_touch_displacement(w, pair->p));
    const tw_vec3 slid = tw_vec3_sub(tw_cell_offset(&w->cell.h, pair->shift),
                                     tw_cell_offset(&w->cell.h_before, pair->shift));
    moved = tw_vec3_add(moved, slid);
    const tw_contact_memory fresh =
        tw_contact_memory_fresh_inline(tw_vec3_sub(branch_of(w, s), moved),
                                       w->spheres.radius[pair->p], w->spheres.radius[pair->q]);
    tw_bundle_put(c->bundle, slot, &fresh);
    c->pair[slot] = s->pair;
    c->candidate[slot] = candidate;
    c->sphere_p[slot] = s->p;
    c->sphere_q[slot] = s->q;
    if (!w->tiles.single) {
        c->body_p[slot] = tw_tile_body_slot(w, tile, s->p);
        c->body_q[slot] = tw_tile_body_slot(w, tile, s->q);
    }
    w->pairs.slot[s->pair] = slot;
    s->p = tile->sphere_slot + tile->sphere_slots - 2; /* the idle ones do not touch */
    s->q = s->p + 1;
}

/* By pair, so that who gets which slot depends on the state alone. They come nearly in order. */
static void sort_by_pair(uint32_t *hits, uint32_t count, const tw_candidate *candidate)
{
    for (uint32_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (uint32_t i = gap; i < count; i++) {
            const uint32_t one = hits[i];
            uint32_t at = i;
            for (; at >= gap && candidate[hits[at - gap]].pair > candidate[one].pair; at -= gap)
                hits[at] = hits[at - gap];
            hits[at] = one;
        }
    }
}

void tw_touch_meet(tw_world *w, tw_tile *tile)
{
    const tw_tiles *t = &w->tiles;
    uint32_t *hits = t->hit + tile->candidate;
    const double approach = tw_search_approach(w, tile->own, tile->others);
    const double rank = floor(approach / w->skin * (1.0 + 1e-9) * TW_CANDIDATE_RANKS);
    const uint32_t last = TW_CANDIDATE_RANKS - 1, first = tile->candidate;
    const uint32_t listed = tile->rank_end[rank < last ? (uint32_t)rank : last];
    uint32_t count = near[tw_simd_level()](t, first, first + listed, hits);
    count +=
        near[tw_simd_level()](t, first + tile->rank_end[last], first + tile->candidates, hits + count);
    if (count > 1) sort_by_pair(hits, count, t->candidate);
    for (uint32_t k = 0; k < count; k++)
        make_contact(w, tile, hits[k]);
}

void tw_touch_part(tw_world *w, tw_tile *tile, uint32_t slot)
{
    const tw_contacts *c = &w->contacts;
    const uint32_t k = c->pair[slot];
    uint32_t at = c->candidate[slot];
    if (at == TW_NO_PAIR) at = tile->candidate + tile->candidates++;
    w->tiles.candidate[at] = (tw_candidate){c->sphere_p[slot], c->sphere_q[slot], k};
    w->pairs.slot[k] = TW_NO_SLOT;
    tw_tile_empty(w, tile, slot);
    if (slot - tile->slot < tile->empty) tile->empty = slot - tile->slot;
}
