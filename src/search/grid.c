/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/grid.h"

#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "search/bins.h"
#include "search/search_error.h"

enum {
    GRAIN = 250, /* bodies in a chunk of work */
    SHORT = 64   /* neighbours of a body: so many are ordered by insertion */
};

typedef struct grid {
    const tw_grid_input *in;
    tw_bins bins;
    uint32_t *start; /* first entry of each bin in `member` */
    uint32_t *member;
} grid;

static void set_ranges(grid *g)
{
    const tw_grid_input *in = g->in;
    double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
    for (size_t i = 0; i < in->count; i++) {
        const tw_vec3 s = tw_mat3_mul_vec(in->inverse, in->x[i]);
        const double at[3] = {s.x, s.y, s.z};
        for (int k = 0; k < 3; k++) {
            low[k] = tw_math_min(low[k], at[k]);
            high[k] = tw_math_max(high[k], at[k]);
        }
    }
    for (int k = 0; k < 3; k++)
        tw_bins_set_range(&g->bins, k, low[k], high[k]);
}

static void set_classes(grid *g)
{
    const tw_grid_input *in = g->in;
    tw_bins *bins = &g->bins;
    bins->least = DBL_MAX;
    for (size_t i = 0; i < in->count; i++)
        bins->least = tw_math_min(bins->least, in->radius[i]);
    for (size_t i = 0; i < in->count; i++) {
        const int number = tw_bins_class_of(bins, in->radius[i]);
        tw_bins_class *c = &bins->classes[number];
        c->count++;
        c->radius_max = tw_math_max(c->radius_max, in->radius[i]);
        if (number >= bins->class_count) bins->class_count = number + 1;
    }
}

static size_t bin_of(const grid *g, size_t i)
{
    const tw_bins_class *c = &g->bins.classes[tw_bins_class_of(&g->bins, g->in->radius[i])];
    int bin[3];
    tw_bins_at(&g->bins, c, g->in->x[i], bin);
    return tw_bins_number(c, bin);
}

static tw_status fill_bins(grid *g, size_t bins, tw_arena *arena)
{
    uint32_t *next = tw_arena_take(arena, bins + 1, sizeof *next);
    g->start = tw_arena_take(arena, bins + 1, sizeof *g->start);
    g->member = tw_arena_take(arena, g->in->count + 1, sizeof *g->member);
    if (!next || !g->start || !g->member) return TW_STATUS_MEMORY;
    memset(next, 0, (bins + 1) * sizeof *next);
    for (size_t i = 0; i < g->in->count; i++)
        next[bin_of(g, i)]++;
    tw_prefix_sum_u32(next, g->start, bins + 1);
    memcpy(next, g->start, (bins + 1) * sizeof *next);
    for (size_t i = 0; i < g->in->count; i++)
        g->member[next[bin_of(g, i)]++] = (uint32_t)i;
    return TW_STATUS_OK;
}

static tw_status grid_make(grid *g, const tw_grid_input *in, tw_arena *arena)
{
    memset(g, 0, sizeof *g);
    g->in = in;
    g->bins.h = in->h;
    g->bins.inverse = in->inverse;
    g->bins.margin = in->margin;
    memcpy(g->bins.periodic, in->periodic, sizeof g->bins.periodic);
    set_classes(g);
    set_ranges(g);
    return fill_bins(g, tw_bins_cut_all(&g->bins), arena);
}

typedef struct finding {
    const grid *g;
    tw_grid_near *out; /* NULL: count only */
    size_t count;
} finding;

static void search_run(finding *f, const tw_bins_view *view, size_t at, size_t run)
{
    const grid *g = f->g;
    for (uint32_t k = g->start[at]; k < g->start[at + run]; k++) {
        const uint32_t i = view->body, j = g->member[k];
        if (!tw_bins_is_near(view, &g->bins, j, g->in->x[j], g->in->radius[j])) continue;
        if (f->out) {
            const int low = i <= j;
            f->out[f->count] = (tw_grid_near){low ? i : j, low ? j : i,
                                              low ? view->shift : tw_shift_negative(view->shift)};
        }
        f->count++;
    }
}

#define BINS_NAME(name) name
#define BINS_CONTEXT finding
#define BINS_RUN search_run
#include "search/bins_search.inc"

static int near_before(tw_grid_near a, tw_grid_near b)
{
    return a.q != b.q ? a.q < b.q : tw_shift_key(a.shift) < tw_shift_key(b.shift);
}

/* Groups the pairs by p. */
static tw_status regroup(const tw_grid_near *found, size_t count, tw_arena *arena,
                         tw_grid_near **near, uint32_t **first, size_t bodies)
{
    *near = tw_arena_take(arena, count + 1, sizeof **near);
    *first = tw_arena_take(arena, bodies + 1, sizeof **first);
    if (!*near || !*first) return TW_STATUS_MEMORY;
    uint32_t *start = *first;
    memset(start, 0, (bodies + 1) * sizeof *start);
    for (size_t k = 0; k < count; k++)
        start[found[k].p]++;
    tw_prefix_sum_u32(start, start, bodies + 1);
    for (size_t k = 0; k < count; k++)
        (*near)[start[found[k].p]++] = found[k];
    for (size_t i = bodies; i > 0; i--)
        start[i] = start[i - 1];
    start[0] = 0;
    return TW_STATUS_OK;
}

typedef struct order_context {
    tw_grid_near *near;
    const uint32_t *first;
} order_context;

/* Sifts the pair at `at` down a heap of `count` pairs with the last one on top. */
static void sift_down(tw_grid_near *near, uint32_t at, uint32_t count)
{
    const tw_grid_near one = near[at];
    for (uint32_t next = 2 * at + 1; next < count; next = 2 * at + 1) {
        if (next + 1 < count && near_before(near[next], near[next + 1])) next++;
        if (!near_before(one, near[next])) break;
        near[at] = near[next];
        at = next;
    }
    near[at] = one;
}

/* For a body that is large compared with its neighbours, or with the cell. */
static void order_long(tw_grid_near *near, uint32_t count)
{
    for (uint32_t at = count / 2; at-- > 0;)
        sift_down(near, at, count);
    for (uint32_t left = count; left-- > 1;) {
        const tw_grid_near last = near[0];
        near[0] = near[left];
        near[left] = last;
        sift_down(near, 0, left);
    }
}

/* Orders the pairs of each p by q and image; these lists are short, as a rule. */
static void order_near(void *context, size_t begin, size_t end)
{
    const order_context *o = context;
    const uint32_t *first = o->first;
    tw_grid_near *near = o->near;
    for (size_t i = begin; i < end; i++) {
        if (first[i + 1] - first[i] > SHORT) {
            order_long(near + first[i], first[i + 1] - first[i]);
            continue;
        }
        for (uint32_t k = first[i] + 1; k < first[i + 1]; k++) {
            const tw_grid_near one = near[k];
            uint32_t at = k;
            for (; at > first[i] && near_before(one, near[at - 1]); at--)
                near[at] = near[at - 1];
            near[at] = one;
        }
    }
}

static int populated(const tw_bins *bins)
{
    int count = 0;
    for (int number = 0; number < bins->class_count; number++)
        count += bins->classes[number].count > 0;
    return count;
}

typedef struct search_context {
    const grid *grid;
    tw_grid_near *found; /* NULL: count only */
    uint32_t *at;
} search_context;

static void search_bodies(void *context, size_t begin, size_t end)
{
    const search_context *l = context;
    for (size_t i = begin; i < end; i++) {
        const grid *g = l->grid;
        finding f = {g, l->found ? l->found + l->at[i] : NULL, 0};
        tw_bins_view view;
        view.body = (uint32_t)i;
        view.x = g->in->x[i];
        view.radius = g->in->radius[i];
        look_around(&f, &g->bins, &view);
        if (!l->found) l->at[i] = (uint32_t)f.count;
    }
}

tw_status tw_grid_find(const tw_grid_input *input, tw_arena *arena, tw_grid_near **near,
                       size_t *near_count, uint32_t **first, tw_error *error)
{
    grid g;
    const size_t bodies = input->count;
    uint32_t *at = tw_arena_take(arena, bodies + 1, sizeof *at);
    if (!at || grid_make(&g, input, arena) != TW_STATUS_OK) {
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to search %zu bodies",
                            bodies);
    }
    if (tw_bins_too_narrow(&g.bins)) return tw_search_error_narrow(error);
    at[bodies] = 0;
    search_context l = {&g, NULL, at};
    tw_parallel_for(bodies, GRAIN, search_bodies, &l);
    const uint64_t count = tw_prefix_sum_u32(at, at, bodies + 1);
    tw_grid_near *found = tw_arena_take(arena, count + 1, sizeof *found);
    if (count > UINT32_MAX / 2 || !found) {
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for %llu pairs of bodies",
                            (unsigned long long)count);
    }
    l.found = found;
    tw_parallel_for(bodies, GRAIN, search_bodies, &l);
    if (populated(&g.bins) == 1) {
        /* With a single class pairs are found from their lower body and already grouped. */
        *near = found;
        *first = at;
    } else if (regroup(found, count, arena, near, first, bodies) != TW_STATUS_OK) {
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for %llu pairs of bodies",
                            (unsigned long long)count);
    }
    order_context o = {*near, *first};
    tw_parallel_for(bodies, GRAIN, order_near, &o);
    *near_count = count;
    return TW_STATUS_OK;
}
