/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/list.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "search/bins.h"
#include "world/state.h"

tw_status tw_search_error_cell(const tw_state *state, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_PHYSICS,
                        "step %llu: the cell has no volume, or is not finite",
                        (unsigned long long)state->steps);
}

tw_status tw_search_error_body(const tw_state *state, uint32_t id, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_PHYSICS,
                        "step %llu: body %u has a non-finite position or force",
                        (unsigned long long)state->steps, id);
}

tw_status tw_search_error_narrow(tw_error *error)
{
    return tw_error_set(error, TW_STATUS_INPUT,
                        "the cell is more than a hundred times narrower than its bodies");
}

tw_status tw_search_error_lost(const tw_state *state, uint32_t p, int wall, uint32_t q,
                               tw_error *error)
{
    return tw_error_set(error, TW_STATUS_PHYSICS,
                        "step %llu: body %u and %s %u separated by more than the skin of %g m in "
                        "one step: use a larger skin or a smaller dt%s",
                        (unsigned long long)state->steps, p, wall ? "wall" : "body", q, state->skin,
                        wall ? ", or a smaller v_max of a servo wall" : "");
}

int tw_contact_list_make(tw_contact_list *list, size_t count, uint32_t parts)
{
    list->count = count;
    list->parts = parts;
    if (parts && !tw_buffer_zeros(&list->extra, count,
                                  tw_contact_parts_numbers(parts) * sizeof *list->extra))
        return 0;
    return tw_buffer_grow(&list->pair, 0, count + 1, sizeof *list->pair) &&
           tw_buffer_grow(&list->memory, 0, count + 1, sizeof *list->memory) &&
           tw_buffer_grow(&list->slot, 0, count + 1, sizeof *list->slot) &&
           tw_buffer_grow(&list->sliding, 0, count + 1, sizeof *list->sliding);
}

void tw_contact_list_free(tw_contact_list *list)
{
    tw_buffer_drop(&list->pair);
    tw_buffer_drop(&list->memory);
    tw_buffer_drop(&list->slot);
    tw_buffer_drop(&list->extra);
    tw_buffer_drop(&list->sliding);
    memset(list, 0, sizeof *list);
}

void tw_contact_list_keep(tw_contact_list *list, uint32_t parts)
{
    tw_contact_list to = *list;
    to.parts &= parts;
    for (size_t k = 0; k < list->count; k++) {
        const tw_contact_parts extra = tw_contact_list_get(list, k);
        tw_contact_list_put(&to, k, &extra);
    }
    *list = to;
}

/* The slot of pair k as a list has it, counted from the first of its tile. That of a wall follows
 * from the pairs, and is not kept. */
static uint32_t slot_in_list(const tw_schedule *schedule, size_t k)
{
    const tw_tiles *t = &schedule->tiles;
    const tw_pair *pair = &schedule->pairs.pair[k];
    if (!schedule->valid || tw_pair_is_wall(pair)) return 0;
    if (!schedule->deferred && !tw_pairs_touch(&schedule->pairs, k)) return TW_NO_SLOT;
    if (schedule->deferred) return schedule->pairs.given ? schedule->pairs.given[k] : 0;
    if (t->count == 0) return schedule->pairs.slot[k];
    const tw_tile *tile = &t->tile[tw_tiles_home(t, schedule->spheres.body[pair->p])];
    return schedule->pairs.slot[k] - tile->slot;
}

/* Whether a list of contacts has pair k. */
static int is_listed(const tw_model *model, const tw_state *state, const tw_schedule *schedule,
                     int far, size_t k)
{
    if (tw_pairs_touch(&schedule->pairs, k)) return 1;
    if (!far || !schedule->valid) return 0;
    if (schedule->deferred) return 1;
    return schedule->tiles.count > 0 &&
           tw_list_is_far(model, state, schedule, &schedule->pairs.pair[k]);
}

enum { GATHERED = 4096 }; /* pairs that a thread goes through at a time */

typedef struct gathering {
    const tw_model *model;
    const tw_state *state;
    const tw_schedule *schedule;
    const tw_contact_list *list;
    int far;
    size_t *first; /* where the contacts of each part of the pairs go */
} gathering;

static void gather_count(void *context, size_t begin, size_t end)
{
    const gathering *g = context;
    size_t count = 0;
    for (size_t k = begin; k < end; k++)
        count += (size_t)is_listed(g->model, g->state, g->schedule, g->far, k);
    g->first[begin / GATHERED] = count;
}

static void gather_part(void *context, size_t begin, size_t end)
{
    const gathering *g = context;
    const tw_pairs *pairs = &g->schedule->pairs;
    const tw_contacts *c = &g->state->contacts;
    const tw_contact_list *list = g->list;
    const tw_contact_memory idle = {{1.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}};
    size_t at = g->first[begin / GATHERED];
    for (size_t k = begin; k < end; k++) {
        if (!is_listed(g->model, g->state, g->schedule, g->far, k)) continue;
        const uint32_t slot = pairs->slot[k];
        list->pair[at] = pairs->pair[k];
        list->slot[at] = slot_in_list(g->schedule, k);
        if (slot == TW_NO_SLOT) { /* its extras are zero */
            list->sliding[at] = 0;
            list->memory[at++] = idle;
            continue;
        }
        list->memory[at] = tw_bundle_get(c->bundle, slot);
        const tw_contact_parts extra = tw_extras_get(&c->extras, slot);
        tw_contact_list_put(list, at, &extra);
        list->sliding[at++] = c->sliding[slot];
    }
}

int tw_contact_list_gather(const tw_model *model, const tw_state *state,
                           const tw_schedule *schedule, int far, size_t more, uint32_t parts,
                           tw_contact_list *list)
{
    const size_t pairs = schedule->pairs.count, chunks = pairs / GATHERED + 1;
    gathering g = {model, state, schedule, list, far, NULL};
    if (!tw_buffer_zeros(&g.first, chunks, sizeof *g.first)) return 0;
    tw_parallel_for(pairs, GATHERED, gather_count, &g);
    size_t count = 0;
    for (size_t k = 0; k < chunks; k++) {
        const size_t here = g.first[k];
        g.first[k] = count;
        count += here;
    }
    const int made = tw_contact_list_make(list, count + more, parts | state->contacts.extras.parts);
    list->count = count;
    if (made) tw_parallel_for(pairs, GATHERED, gather_part, &g);
    tw_buffer_drop(&g.first);
    return made;
}

int tw_contact_list_holds(const tw_contact_list *list, const tw_model *model, const tw_state *state,
                          const tw_schedule *schedule)
{
    const tw_pairs *pairs = &schedule->pairs;
    size_t at = 0;
    for (size_t k = 0; k < pairs->count; k++) {
        if (!is_listed(model, state, schedule, 1, k)) continue;
        if (at == list->count || list->slot[at] != slot_in_list(schedule, k) ||
            memcmp(&list->pair[at], &pairs->pair[k], sizeof *pairs->pair) != 0)
            return 0;
        at++;
    }
    return at == list->count;
}

/* Which bodies are near each other: bins in the cell's own coordinates, one set per class of size.
 */

/* Bodies p and q, and the image of q near p. p < q, or p = q with an image "above" itself. */
typedef struct near_bodies {
    uint32_t p, q;
    tw_shift shift;
} near_bodies;

enum {
    GRAIN = 250, /* bodies in a chunk of work */
    SHORT = 64   /* neighbours of a body: so many are ordered by insertion */
};

typedef struct grid {
    const tw_vec3 *x;     /* centres, inside the cell along periodic edges [m] */
    const double *radius; /* bounding radii [m] */
    size_t count;
    tw_bins bins;
    uint32_t *start; /* first entry of each bin in `member` */
    uint32_t *member;
    uint32_t *bin;      /* of each body */
    near_bodies *found; /* NULL: they are only counted */
    uint32_t *at; /* first entry in `found` of body i; its number of them where they are counted */
} grid;

/* Least and greatest coordinates in the cell, for each of the parts that the bodies are cut into.
 */
typedef struct ranging {
    const grid *g;
    size_t parts;
    double low[TW_PARALLEL_PARTS_MAX][3], high[TW_PARALLEL_PARTS_MAX][3];
} ranging;

static void range_part(void *context, size_t part)
{
    ranging *r = context;
    const grid *g = r->g;
    const tw_parallel_range range = tw_parallel_part(g->count, r->parts, part);
    double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
    for (size_t i = range.begin; i < range.end; i++) {
        const tw_vec3 s = tw_mat3_mul_vec(g->bins.inverse, g->x[i]);
        const double at[3] = {s.x, s.y, s.z};
        for (int k = 0; k < 3; k++) {
            low[k] = tw_math_min(low[k], at[k]);
            high[k] = tw_math_max(high[k], at[k]);
        }
    }
    memcpy(r->low[part], low, sizeof low);
    memcpy(r->high[part], high, sizeof high);
}

static void set_ranges(grid *g)
{
    ranging r = {.g = g, .parts = tw_parallel_parts(g->count, GRAIN)};
    tw_parallel_run(r.parts, range_part, &r);
    for (int k = 0; k < 3; k++) {
        for (size_t part = 1; part < r.parts; part++) {
            r.low[0][k] = tw_math_min(r.low[0][k], r.low[part][k]);
            r.high[0][k] = tw_math_max(r.high[0][k], r.high[part][k]);
        }
        tw_bins_set_range(&g->bins, k, r.low[0][k], r.high[0][k]);
    }
}

static void set_classes(grid *g)
{
    tw_bins *bins = &g->bins;
    bins->least = DBL_MAX;
    for (size_t i = 0; i < g->count; i++)
        bins->least = tw_math_min(bins->least, g->radius[i]);
    for (size_t i = 0; i < g->count; i++) {
        const int number = tw_bins_class_of(bins, g->radius[i]);
        tw_bins_class *c = &bins->classes[number];
        c->count++;
        c->radius_max = tw_math_max(c->radius_max, g->radius[i]);
        if (number >= bins->class_count) bins->class_count = number + 1;
    }
}

static size_t bin_of(const grid *g, size_t i)
{
    const tw_bins_class *c = &g->bins.classes[tw_bins_class_of(&g->bins, g->radius[i])];
    int bin[3];
    tw_bins_at(&g->bins, c, g->x[i], bin);
    return tw_bins_number(c, bin);
}

static void find_bins(void *context, size_t begin, size_t end)
{
    const grid *g = context;
    for (size_t i = begin; i < end; i++)
        g->bin[i] = (uint32_t)bin_of(g, i);
}

static tw_status fill_bins(grid *g, size_t bins, tw_arena *arena)
{
    uint32_t *next = tw_arena_take(arena, bins + 1, sizeof *next);
    g->start = tw_arena_take(arena, bins + 1, sizeof *g->start);
    g->member = tw_arena_take(arena, g->count + 1, sizeof *g->member);
    g->bin = tw_arena_take(arena, g->count + 1, sizeof *g->bin);
    if (!next || !g->start || !g->member || !g->bin) return TW_STATUS_MEMORY;
    memset(next, 0, (bins + 1) * sizeof *next);
    tw_parallel_for(g->count, GRAIN, find_bins, g);
    for (size_t i = 0; i < g->count; i++)
        next[g->bin[i]]++;
    tw_prefix_sum_u32(next, g->start, bins + 1);
    memcpy(next, g->start, (bins + 1) * sizeof *next);
    for (size_t i = 0; i < g->count; i++)
        g->member[next[g->bin[i]]++] = (uint32_t)i;
    return TW_STATUS_OK;
}

/* The neighbours of one body. */
typedef struct finding {
    const grid *g;
    near_bodies *out; /* NULL: they are only counted */
    size_t count;
} finding;

static void search_run(finding *f, const tw_bins_view *view, size_t at, size_t run)
{
    const grid *g = f->g;
    for (uint32_t k = g->start[at]; k < g->start[at + run]; k++) {
        const uint32_t i = view->body, j = g->member[k];
        if (!tw_bins_is_near(view, &g->bins, j, g->x[j], g->radius[j])) continue;
        if (f->out) {
            const int low = i <= j;
            f->out[f->count] = (near_bodies){low ? i : j, low ? j : i,
                                             low ? view->shift : tw_shift_negative(view->shift)};
        }
        f->count++;
    }
}

#define BINS_NAME(name) name
#define BINS_CONTEXT finding
#define BINS_RUN search_run
#include "search/bins_search.inc"

static int near_order(const void *left, const void *right)
{
    const near_bodies *a = left, *b = right;
    if (a->q != b->q) return a->q < b->q ? -1 : 1;
    const uint32_t key = tw_shift_key(a->shift), other = tw_shift_key(b->shift);
    return key < other ? -1 : key > other;
}

/* Groups the pairs by p. */
static tw_status regroup(const near_bodies *found, size_t count, tw_arena *arena,
                         near_bodies **near, uint32_t **first, size_t bodies)
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
    near_bodies *near;
    const uint32_t *first;
} order_context;

/* Orders the pairs of each p by q and image; these lists are short, as a rule. */
static void order_near(void *context, size_t begin, size_t end)
{
    const order_context *o = context;
    const uint32_t *first = o->first;
    near_bodies *near = o->near;
    for (size_t i = begin; i < end; i++) {
        if (first[i + 1] - first[i] > SHORT) {
            qsort(near + first[i], first[i + 1] - first[i], sizeof *near, near_order);
            continue;
        }
        for (uint32_t k = first[i] + 1; k < first[i + 1]; k++) {
            const near_bodies one = near[k];
            uint32_t at = k;
            for (; at > first[i] && near_order(&one, &near[at - 1]) < 0; at--)
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

static void search_bodies(void *context, size_t begin, size_t end)
{
    const grid *g = context;
    for (size_t i = begin; i < end; i++) {
        finding f = {g, g->found ? g->found + g->at[i] : NULL, 0};
        tw_bins_view view;
        view.body = (uint32_t)i;
        view.x = g->x[i];
        view.radius = g->radius[i];
        look_around(&f, &g->bins, &view);
        if (!g->found) g->at[i] = (uint32_t)f.count;
    }
}

/* All near pairs, ordered by p, then q, then image. *first[i] is the first with p = i; there are
 * count + 1 entries. Everything is taken from the arena. */
static tw_status grid_find(grid *g, tw_arena *arena, near_bodies **near, uint32_t **first,
                           tw_error *error)
{
    const size_t bodies = g->count;
    set_classes(g);
    set_ranges(g);
    g->at = tw_arena_take(arena, bodies + 1, sizeof *g->at);
    if (!g->at || fill_bins(g, tw_bins_cut_all(&g->bins), arena) != TW_STATUS_OK)
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to search %zu bodies",
                            bodies);
    if (tw_bins_too_narrow(&g->bins)) return tw_search_error_narrow(error);
    tw_parallel_for(bodies, GRAIN, search_bodies, g);
    g->at[bodies] = 0;
    const uint64_t count = tw_prefix_sum_u32(g->at, g->at, bodies + 1);
    if (count <= UINT32_MAX / 2) g->found = tw_arena_take(arena, count + 1, sizeof *g->found);
    tw_status status = g->found ? TW_STATUS_OK : TW_STATUS_MEMORY;
    if (status == TW_STATUS_OK) {
        tw_parallel_for(bodies, GRAIN, search_bodies, g);
        /* With a single class pairs are found from their lower body and already grouped. */
        *near = g->found;
        *first = g->at;
        if (populated(&g->bins) > 1) status = regroup(g->found, count, arena, near, first, bodies);
    }
    if (status != TW_STATUS_OK)
        return tw_error_set(error, status, "not enough memory for %llu pairs of bodies",
                            (unsigned long long)count);
    order_context o = {*near, *first};
    tw_parallel_for(bodies, GRAIN, order_near, &o);
    return TW_STATUS_OK;
}

typedef struct listing {
    const tw_model *model;
    const tw_state *state;
    tw_schedule *schedule;
    const tw_vec3 *centres; /* of the spheres */
    double margin;
    const near_bodies *near;
    const uint32_t *near_first;
} listing;

typedef struct filling {
    tw_pair *out; /* NULL: count only */
    uint32_t count;
} filling;

static inline void fill(filling *f, uint32_t p, uint32_t q, tw_shift shift, uint32_t surface)
{
    if (f->out) f->out[f->count] = (tw_pair){p, q, shift, (uint8_t)surface};
    f->count++;
}

static void list_bodies(const listing *l, near_bodies near, filling *f)
{
    const tw_state *state = l->state;
    const tw_schedule *schedule = l->schedule;
    const tw_spheres *s = &schedule->spheres;
    const uint32_t *first = schedule->spheres.first, *material = state->bodies.material;
    const double margin =
        tw_list_margin_between(l->model, state, material[near.p], material[near.q]);
    const tw_vec3 offset = tw_cell_offset(&state->cell.h_ref, near.shift);
    for (uint32_t p = first[near.p]; p < first[near.p + 1]; p++) {
        const tw_vec3 from = tw_vec3_sub(l->centres[p], offset);
        for (uint32_t q = first[near.q]; q < first[near.q + 1]; q++) {
            if (tw_list_is_near(from, s->radius[p], l->centres[q], s->radius[q], margin))
                fill(f, p, q, near.shift, TW_SURFACE_GRAIN);
        }
    }
}

static void list_walls(const listing *l, size_t body, filling *f)
{
    const tw_state *state = l->state;
    const tw_schedule *schedule = l->schedule;
    const uint32_t *first = schedule->spheres.first;
    for (size_t k = 0; k < state->wall_count; k++) {
        const tw_wall *wall = &state->walls[k];
        const double margin =
            tw_list_margin_between(l->model, state, state->bodies.material[body], wall->material);
        for (uint32_t p = first[body]; p < first[body + 1]; p++) {
            tw_pair *out = f->out ? f->out + f->count : NULL;
            f->count += tw_list_wall(l->model, state, (uint32_t)k, p, l->centres[p],
                                     schedule->spheres.radius[p] + margin, out);
        }
    }
}

static uint32_t list_body(const listing *l, size_t i, tw_pair *out)
{
    filling f = {out, 0};
    for (uint32_t k = l->near_first[i]; k < l->near_first[i + 1]; k++)
        list_bodies(l, l->near[k], &f);
    list_walls(l, i, &f);
    return f.count;
}

static void count_pairs(void *context, size_t begin, size_t end)
{
    const listing *l = context;
    for (size_t i = begin; i < end; i++)
        l->schedule->pairs.first[i] = list_body(l, i, NULL);
}

static void fill_pairs(void *context, size_t begin, size_t end)
{
    const listing *l = context;
    const tw_pairs *p = &l->schedule->pairs;
    for (size_t i = begin; i < end; i++)
        list_body(l, i, p->pair + p->first[i]);
}

typedef struct bounding {
    const tw_model *model;
    const tw_state *state;
    double *bound;
} bounding;

static void bound_part(void *context, size_t begin, size_t end)
{
    const bounding *b = context;
    for (size_t i = begin; i < end; i++)
        b->bound[i] = tw_list_bound(b->model, b->state, i);
}

static tw_status find_near(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                           listing *l, tw_error *error)
{
    const tw_bodies *b = &state->bodies;
    double *bound = tw_arena_take(&schedule->tiled, b->count + 1, sizeof *bound);
    if (!bound) return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for the search");
    bounding bounds = {model, state, bound};
    tw_parallel_for(b->count, GRAIN, bound_part, &bounds);
    grid g = {.x = b->x_ref, .radius = bound, .count = b->count};
    g.bins.h = state->cell.h_ref;
    g.bins.inverse = tw_mat3_inverse(state->cell.h_ref);
    g.bins.margin = l->margin;
    memcpy(g.bins.periodic, state->cell.periodic, sizeof g.bins.periodic);
    near_bodies *near = NULL;
    uint32_t *first = NULL;
    const tw_status status = grid_find(&g, &schedule->tiled, &near, &first, error);
    l->near = near;
    l->near_first = first;
    return status;
}

tw_status tw_list_make(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                       const tw_vec3 *centres, tw_error *error)
{
    tw_pairs *p = &schedule->pairs;
    const size_t bodies = state->bodies.count;
    listing l = {model, state, schedule, centres, tw_list_margin(model, state), NULL, NULL};
    tw_status status = find_near(model, state, schedule, &l, error);
    if (status != TW_STATUS_OK) return status;
    status = tw_schedule_reserve_pairs(schedule, bodies, 0, error);
    if (status != TW_STATUS_OK) return status;
    tw_parallel_for(bodies, GRAIN, count_pairs, &l);
    p->first[bodies] = 0;
    const uint64_t count = tw_prefix_sum_u32(p->first, p->first, bodies + 1);
    /* Half as much again, so that a list that grows a little does not allocate; pages that are
     * never touched take no memory. */
    const size_t room = count + count / 2 > 8 * bodies ? count + count / 2 : 8 * bodies;
    if (count > p->capacity || p->capacity == 0)
        status = tw_schedule_reserve_pairs(schedule, bodies, room, error);
    if (status != TW_STATUS_OK) return status;
    p->count = count;
    tw_parallel_for(bodies, GRAIN, fill_pairs, &l);
    return TW_STATUS_OK;
}

typedef struct lookup {
    const tw_schedule *schedule;
    const tw_contact_list *contacts;
    uint32_t *pairs;
    atomic_size_t lost; /* the first that is not in the list */
} lookup;

static void find_pairs(void *context, size_t begin, size_t end)
{
    lookup *l = context;
    const tw_spheres *spheres = &l->schedule->spheres;
    const tw_pairs *p = &l->schedule->pairs;
    for (size_t k = begin; k < end; k++) {
        l->pairs[k] = tw_list_find_pair(spheres, p, &l->contacts->pair[k]);
        if (l->pairs[k] == TW_NO_PAIR) tw_parallel_note_first(&l->lost, k);
    }
}

/* Lists the pairs of contacts that have no number, in their places. */
static tw_status list_far(const tw_state *state, tw_schedule *schedule,
                          const tw_contact_list *contacts, const uint32_t *numbers, tw_error *error)
{
    tw_pairs *p = &schedule->pairs;
    const uint32_t *body = schedule->spheres.body;
    const size_t bodies = state->bodies.count;
    uint32_t far = 0, *next = tw_arena_take(&schedule->scratch, bodies + 1, sizeof *next);
    if (!next) return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for the search");
    memset(next, 0, (bodies + 1) * sizeof *next);
    for (size_t k = 0; k < contacts->count; k++) {
        next[body[contacts->pair[k].p]] += numbers[k] == TW_NO_PAIR;
        far += numbers[k] == TW_NO_PAIR;
    }
    const tw_status status = tw_schedule_reserve_pairs(schedule, bodies, p->count + far, error);
    if (status != TW_STATUS_OK) return status;
    uint32_t end = p->first[bodies], to = end + far;
    for (size_t i = bodies; i-- > 0;) { /* room for those of body i behind its pairs */
        const uint32_t begin = p->first[i], count = end - begin;
        p->first[i + 1] = to;
        to -= count + next[i];
        next[i] = to + count;
        memmove(p->pair + to, p->pair + begin, count * sizeof *p->pair);
        end = begin;
    }
    p->count += far;
    for (size_t k = 0; k < contacts->count; k++) {
        const tw_pair *pair = &contacts->pair[k];
        const uint32_t i = body[pair->p];
        if (numbers[k] != TW_NO_PAIR) continue;
        uint32_t at = next[i]++;
        for (; at > p->first[i] && tw_list_compare(&schedule->spheres, pair, &p->pair[at - 1]) < 0;
             at--)
            p->pair[at] = p->pair[at - 1];
        p->pair[at] = *pair;
    }
    return TW_STATUS_OK;
}

tw_status tw_list_find(const tw_state *state, tw_schedule *schedule,
                       const tw_contact_list *contacts, uint32_t **pairs, tw_error *error)
{
    *pairs = tw_arena_take(&schedule->scratch, contacts->count + 1, sizeof **pairs);
    if (!*pairs)
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory to find the contacts");
    lookup l = {schedule, contacts, *pairs, SIZE_MAX};
    tw_parallel_for(contacts->count, (size_t)2 * GRAIN, find_pairs, &l);
    const size_t lost = atomic_load(&l.lost);
    if (lost == SIZE_MAX) return TW_STATUS_OK;
    if (state->contacts.extras.parts & TW_CONTACT_EXTRA_ALIVE) {
        const tw_status status = list_far(state, schedule, contacts, *pairs, error);
        tw_parallel_for(contacts->count, (size_t)2 * GRAIN, find_pairs, &l);
        return status;
    }
    const tw_pair *pair = &contacts->pair[lost];
    const uint32_t *id = state->bodies.id, *body = schedule->spheres.body;
    const int wall = tw_pair_is_wall(pair);
    return tw_search_error_lost(state, id[body[pair->p]], wall, wall ? pair->q : id[body[pair->q]],
                                error);
}
