/* SPDX-License-Identifier: BSD-3-Clause */
/* The pair list, as in search/list.c, but without a list of near bodies: each body counts its pairs
 * of spheres as it finds near bodies, then fills them in, and at last they are ordered. */
#ifndef TW_DEVICE_LIST_H
#define TW_DEVICE_LIST_H

#include "device/device_atomic.h"
#include "device/device_grid.h"
#include "device/device_world.h"
#include "search/list.h"

/* Pairs of a body: so many are ordered by insertion. */
enum { TW_DEVICE_LIST_SHORT = 64 };

/* A body: its spheres. */
TW_INLINE void tw_device_list_spheres(tw_device_world *w, uint32_t i)
{
    tw_spheres *s = &w->schedule.spheres;
    tw_schedule_list_body(&w->model, &w->state.bodies, s, i, w->search.first[i]);
    if (i + 1 == w->bodies) s->first[i + 1] = w->search.first[i + 1];
}

/* A body of several spheres. */
TW_INLINE void tw_device_list_centres(tw_device_world *w, uint32_t i)
{
    tw_schedule_body_centres(&w->schedule.spheres, i, w->state.bodies.x_ref[i],
                             w->state.bodies.q_ref[i], w->search.centre);
}

typedef struct tw_device_list_finding {
    tw_device_world *w;
    int fill; /* 0: count only */
} tw_device_list_finding;

/* A pair of body `owner`. */
TW_INLINE void tw_device_list_add(const tw_device_list_finding *f, uint32_t owner, uint32_t p,
                                  uint32_t q, tw_shift shift, int surface)
{
    tw_pairs *pairs = &f->w->schedule.pairs;
    const uint32_t place = tw_device_atomic_add(&f->w->search.place[owner], 1);
    const tw_pair pair = {p, q, shift, (uint8_t)surface};
    if (f->fill) pairs->pair[pairs->first[owner] + place] = pair;
}

/* Pairs of spheres of near bodies, p below q. */
TW_INLINE void tw_device_list_bodies(const tw_device_list_finding *f, uint32_t bp, uint32_t bq,
                                     tw_shift shift)
{
    const tw_device_world *w = f->w;
    const tw_spheres *s = &w->schedule.spheres;
    const tw_vec3 *centre = w->search.centre;
    const tw_vec3 offset = tw_cell_offset(&w->state.cell.h_ref, shift);
    const uint32_t begin = s->first[bq], end = s->first[bq + 1];
    for (uint32_t p = s->first[bp]; p < s->first[bp + 1]; p++) {
        const tw_vec3 from = tw_vec3_sub(centre[p], offset);
        for (uint32_t q = begin; q < end; q++) {
            if (tw_list_is_near(from, s->radius[p], centre[q], s->radius[q], w->state.skin))
                tw_device_list_add(f, bp, p, q, shift, TW_SURFACE_SPHERE);
        }
    }
}

TW_INLINE void tw_device_list_run(const tw_device_list_finding *f, const tw_bins_view *view,
                                  size_t at, size_t run)
{
    const tw_device_search *search = &f->w->search;
    const uint32_t i = view->body, end = search->start[at + run];
    for (uint32_t k = search->start[at]; k < end; k++) {
        const uint32_t j = search->member[k];
        const tw_vec3 x = f->w->state.bodies.x_ref[j];
        if (!tw_bins_is_near(view, &search->bins, j, x, search->bound[j])) continue;
        if (i <= j)
            tw_device_list_bodies(f, i, j, view->shift);
        else
            tw_device_list_bodies(f, j, i, tw_shift_negative(view->shift));
    }
}

#define BINS_NAME(name) tw_device_list_##name
#define BINS_CONTEXT const tw_device_list_finding
#define BINS_RUN tw_device_list_run
#include "search/bins_search.inc"

TW_INLINE void tw_device_list_walls(const tw_device_list_finding *f, uint32_t i)
{
    const tw_device_world *w = f->w;
    const tw_spheres *s = &w->schedule.spheres;
    const tw_shift none = {0, 0, 0};
    for (uint32_t k = 0; k < (uint32_t)w->state.wall_count; k++) {
        const tw_wall *wall = &w->state.walls[k];
        for (uint32_t p = s->first[i]; p < s->first[i + 1]; p++) {
            if (tw_list_is_at_wall(wall, w->search.centre[p], s->radius[p], w->state.skin))
                tw_device_list_add(f, i, p, k, none, TW_SURFACE_PLANE);
        }
    }
}

TW_INLINE void tw_device_list_find(tw_device_world *w, uint32_t i, int fill)
{
    const tw_device_list_finding f = {w, fill};
    tw_bins_view view;
    view.body = i;
    view.x = w->state.bodies.x_ref[i];
    view.radius = w->search.bound[i];
    tw_device_list_look_around(&f, &w->search.bins, &view);
    tw_device_list_walls(&f, i);
}

/* A body: the pairs that it finds. */
TW_INLINE void tw_device_list_count(tw_device_world *w, uint32_t i)
{
    tw_device_list_find(w, i, 0);
}

TW_INLINE void tw_device_list_fill(tw_device_world *w, uint32_t i)
{
    tw_device_list_find(w, i, 1);
}

/* Every so-manieth body: the offsets of its pairs could not tell that there are too many. */
TW_INLINE void tw_device_list_total(tw_device_world *w, uint32_t i)
{
    uint64_t total = 0;
    for (uint32_t k = i; k < w->bodies; k += TW_DEVICE_GRID_ITEMS)
        total += w->search.place[k];
    tw_device_atomic_add_long(&w->search.total, total);
}

/* Sifts the pair at `at` down a heap of `count` pairs with the last one on top. */
TW_INLINE void tw_device_list_sift(const tw_spheres *s, tw_pair *pair, uint32_t at, uint32_t count)
{
    const tw_pair one = pair[at];
    for (uint32_t next = 2 * at + 1; next < count; next = 2 * at + 1) {
        if (next + 1 < count && tw_list_compare(s, &pair[next], &pair[next + 1]) < 0) next++;
        if (tw_list_compare(s, &one, &pair[next]) >= 0) break;
        pair[at] = pair[next];
        at = next;
    }
    pair[at] = one;
}

/* For a body that is large compared with its neighbours, or with the cell. */
TW_INLINE void tw_device_list_order_long(const tw_spheres *s, tw_pair *pair, uint32_t count)
{
    for (uint32_t at = count / 2; at-- > 0;)
        tw_device_list_sift(s, pair, at, count);
    for (uint32_t left = count; left-- > 1;) {
        const tw_pair last = pair[0];
        pair[0] = pair[left];
        pair[left] = last;
        tw_device_list_sift(s, pair, 0, left);
    }
}

/* A body: its pairs in canonical order. */
TW_INLINE void tw_device_list_order(tw_device_world *w, uint32_t i)
{
    const tw_spheres *s = &w->schedule.spheres;
    const uint32_t first = w->schedule.pairs.first[i];
    const uint32_t count = w->schedule.pairs.first[i + 1] - first;
    tw_pair *pair = w->schedule.pairs.pair + first;
    if (count > TW_DEVICE_LIST_SHORT) {
        tw_device_list_order_long(s, pair, count);
        return;
    }
    for (uint32_t k = 1; k < count; k++) {
        const tw_pair one = pair[k];
        uint32_t at = k;
        for (; at > 0 && tw_list_compare(s, &one, &pair[at - 1]) < 0; at--)
            pair[at] = pair[at - 1];
        pair[at] = one;
    }
}

/* A contact: its pair. */
TW_INLINE void tw_device_list_target(tw_device_world *w, uint32_t k)
{
    const uint32_t pair =
        tw_list_find_pair(&w->schedule.spheres, &w->schedule.pairs, &w->search.contact_pair[k]);
    w->search.contact_target[k] = pair;
    if (pair == TW_NO_PAIR) tw_device_atomic_min(&w->search.lost, k);
}

#endif
