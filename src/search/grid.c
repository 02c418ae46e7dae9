/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/grid.h"

#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/prefix.h"

/* A class holds bodies whose radii differ by at most a factor of 2, so bins as wide as its largest
 * pair are never much too wide. Each body searches its own class and those of larger bodies: a size
 * ratio of 10:1 costs a few more lookups, but nothing quadratic. */
enum {
    CLASSES_MAX = 24,
    GRAIN = 250, /* bodies in a chunk of work */
    SHORT = 64   /* neighbours of a body: so many are ordered by insertion */
};

typedef struct size_class {
    double radius_max;
    int n[3];        /* bins along each edge */
    int reach[3];    /* largest distance of a near body, in bins */
    uint32_t *start; /* first entry of each bin in `member` */
    uint32_t *member;
    size_t count;
} size_class;

typedef struct grid {
    const tw_grid_input *in;
    size_class classes[CLASSES_MAX];
    int class_count;
    double low[3], scale[3]; /* fractional coordinate to [0, 1] */
    double height[3];        /* width of that range across the planes of constant coordinate [m] */
    uint8_t *class_of;
} grid;

static tw_vec3 fraction(const grid *g, tw_vec3 x)
{
    const tw_vec3 s = tw_mat3_mul_vec(g->in->inverse, x);
    return tw_vec3_make((s.x - g->low[0]) * g->scale[0], (s.y - g->low[1]) * g->scale[1],
                        (s.z - g->low[2]) * g->scale[2]);
}

static int clamp_bin(double s, int n)
{
    const double bin = floor(s * n);
    return bin >= n ? n - 1 : (bin > 0.0 ? (int)bin : 0);
}

static void bin_of(const grid *g, const size_class *c, size_t i, int bin[3])
{
    const tw_vec3 s = fraction(g, g->in->x[i]);
    bin[0] = clamp_bin(s.x, c->n[0]);
    bin[1] = clamp_bin(s.y, c->n[1]);
    bin[2] = clamp_bin(s.z, c->n[2]);
}

static size_t bin_index(const size_class *c, const int bin[3])
{
    return ((size_t)bin[2] * (size_t)c->n[1] + (size_t)bin[1]) * (size_t)c->n[0] + (size_t)bin[0];
}

/* Along a non-periodic edge the bins span the bodies, not the cell. */
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
    for (int k = 0; k < 3; k++) {
        if (in->periodic[k] || !(high[k] > low[k])) {
            low[k] = in->periodic[k] ? 0.0 : low[k];
            high[k] = low[k] + 1.0;
        }
        g->low[k] = low[k];
        g->scale[k] = 1.0 / (high[k] - low[k]);
        g->height[k] = (high[k] - low[k]) / tw_vec3_norm(tw_mat3_row(in->inverse, k));
    }
}

static void set_bins(const grid *g, size_class *c)
{
    const double cut = 2.0 * c->radius_max + g->in->margin;
    double bins = 1.0;
    for (int k = 0; k < 3; k++) {
        const double most = floor(g->height[k] / cut);
        c->n[k] = most < 1.0 ? 1 : (most > 1e6 ? 1000000 : (int)most);
        bins *= c->n[k];
    }
    /* Not many more bins than bodies. */
    const double shrink = tw_math_cbrt(bins / (4.0 * (double)c->count + 64.0));
    for (int k = 0; k < 3; k++) {
        if (shrink > 1.0) c->n[k] = (int)tw_math_max(1.0, floor(c->n[k] / shrink));
        const double width = g->height[k] / c->n[k];
        const double reach = ceil(cut / width * (1.0 - 1e-12));
        /* No images along a non-periodic edge; image numbers end at 127. */
        const double most = g->in->periodic[k] ? 127.0 * c->n[k] : c->n[k];
        c->reach[k] = (int)tw_math_min(reach, most);
    }
}

static tw_status fill_bins(const grid *g, size_class *c, int number, tw_arena *arena)
{
    const size_t bins = (size_t)c->n[0] * (size_t)c->n[1] * (size_t)c->n[2];
    uint32_t *next = tw_arena_take(arena, bins + 1, sizeof *next);
    c->start = tw_arena_take(arena, bins + 1, sizeof *c->start);
    c->member = tw_arena_take(arena, c->count ? c->count : 1, sizeof *c->member);
    if (!next || !c->start || !c->member) return TW_STATUS_MEMORY;
    memset(next, 0, (bins + 1) * sizeof *next);
    for (size_t i = 0; i < g->in->count; i++) {
        int bin[3];
        if (g->class_of[i] != number) continue;
        bin_of(g, c, i, bin);
        next[bin_index(c, bin)]++;
    }
    tw_prefix_sum_u32(next, c->start, bins + 1);
    memcpy(next, c->start, (bins + 1) * sizeof *next);
    for (size_t i = 0; i < g->in->count; i++) {
        int bin[3];
        if (g->class_of[i] != number) continue;
        bin_of(g, c, i, bin);
        c->member[next[bin_index(c, bin)]++] = (uint32_t)i;
    }
    return TW_STATUS_OK;
}

static tw_status grid_make(grid *g, const tw_grid_input *in, tw_arena *arena)
{
    memset(g, 0, sizeof *g);
    g->in = in;
    g->class_of = tw_arena_take(arena, in->count ? in->count : 1, 1);
    if (!g->class_of) return TW_STATUS_MEMORY;
    double least = DBL_MAX;
    for (size_t i = 0; i < in->count; i++)
        least = tw_math_min(least, in->radius[i]);
    for (size_t i = 0; i < in->count; i++) {
        int number = least > 0.0 ? ilogb(in->radius[i] / least) : 0;
        number = number < 0 ? 0 : (number < CLASSES_MAX ? number : CLASSES_MAX - 1);
        g->class_of[i] = (uint8_t)number;
        size_class *c = &g->classes[number];
        c->count++;
        c->radius_max = tw_math_max(c->radius_max, in->radius[i]);
        if (number >= g->class_count) g->class_count = number + 1;
    }
    set_ranges(g);
    for (int k = 0; k < g->class_count; k++) {
        if (g->classes[k].count == 0) continue;
        set_bins(g, &g->classes[k]);
        const tw_status status = fill_bins(g, &g->classes[k], k, arena);
        if (status != TW_STATUS_OK) return status;
    }
    return TW_STATUS_OK;
}

/* Splits bin number `bin` along edge k into a bin of the cell and an image. Returns 0 beyond a free
 * edge. */
static int wrap_bin(const grid *g, const size_class *c, int k, int bin, int *wrapped, int *image)
{
    if (!g->in->periodic[k]) {
        *wrapped = bin;
        *image = 0;
        return bin >= 0 && bin < c->n[k];
    }
    *image = bin >= 0 ? bin / c->n[k] : -((c->n[k] - 1 - bin) / c->n[k]);
    *wrapped = bin - *image * c->n[k];
    return 1;
}

typedef struct finding {
    const grid *g;
    size_t i;
    tw_grid_near *out; /* NULL: count only */
    size_t count;
} finding;

static void search_bin(finding *f, const size_class *c, int own, size_t at, tw_shift shift,
                       const tw_vec3 *offset)
{
    const tw_grid_input *in = f->g->in;
    const size_t i = f->i;
    const int beyond = shift.i || shift.j || shift.k;
    const int above = beyond && tw_shift_key(shift) > tw_shift_key((tw_shift){0, 0, 0});
    const tw_vec3 from = tw_vec3_sub(in->x[i], *offset);
    const double radius = in->radius[i] + in->margin;
    for (uint32_t k = c->start[at]; k < c->start[at + 1]; k++) {
        const size_t j = c->member[k];
        /* Within a class a pair is found from both sides; it counts from the lower one. */
        if (own && (j < i || (j == i && !above))) continue;
        const tw_vec3 b = tw_vec3_sub(in->x[j], from);
        const double reach = radius + in->radius[j];
        if (!(tw_vec3_dot(b, b) < reach * reach)) continue;
        if (f->out) {
            const int low = i <= j;
            f->out[f->count] = (tw_grid_near){(uint32_t)(low ? i : j), (uint32_t)(low ? j : i),
                                              low ? shift : tw_shift_negative(shift)};
        }
        f->count++;
    }
}

/* Searches the row of bins (bin[1], bin[2]) along the first edge. */
static void search_row(finding *f, const size_class *c, int own, int home, const int bin[3],
                       const int image[3])
{
    const grid *g = f->g;
    const int n = c->n[0], periodic = g->in->periodic[0];
    const size_t row = ((size_t)bin[2] * (size_t)c->n[1] + (size_t)bin[1]) * (size_t)n;
    int low = home - c->reach[0], high = home + c->reach[0], at = 0, over = 0;
    if (!periodic) {
        low = low > 0 ? low : 0;
        high = high < n ? high : n - 1;
    }
    wrap_bin(g, c, 0, low, &at, &over);
    for (int k = low; k <= high; over++, at = 0) {
        const tw_shift shift = {(int8_t)over, (int8_t)image[1], (int8_t)image[2]};
        const tw_vec3 offset = tw_cell_offset(&g->in->h, shift);
        for (; at < n && k <= high; at++, k++)
            search_bin(f, c, own, row + (size_t)at, shift, &offset);
    }
}

static void look_around(finding *f)
{
    const grid *g = f->g;
    for (int number = g->class_of[f->i]; number < g->class_count; number++) {
        const size_class *c = &g->classes[number];
        int home[3], bin[3] = {0}, image[3] = {0};
        if (c->count == 0) continue;
        bin_of(g, c, f->i, home);
        for (int dz = -c->reach[2]; dz <= c->reach[2]; dz++) {
            if (!wrap_bin(g, c, 2, home[2] + dz, &bin[2], &image[2])) continue;
            for (int dy = -c->reach[1]; dy <= c->reach[1]; dy++) {
                if (!wrap_bin(g, c, 1, home[1] + dy, &bin[1], &image[1])) continue;
                search_row(f, c, number == g->class_of[f->i], home[0], bin, image);
            }
        }
    }
}

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

static int populated(const grid *g)
{
    int count = 0;
    for (int number = 0; number < g->class_count; number++)
        count += g->classes[number].count > 0;
    return count;
}

static int too_narrow(const grid *g)
{
    for (int number = 0; number < g->class_count; number++) {
        const size_class *c = &g->classes[number];
        for (int k = 0; k < 3; k++) {
            if (c->count > 0 && g->in->periodic[k] && c->reach[k] >= 127 * c->n[k]) return 1;
        }
    }
    return 0;
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
        finding f = {l->grid, i, l->found ? l->found + l->at[i] : NULL, 0};
        look_around(&f);
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
    if (too_narrow(&g)) {
        return tw_error_set(error, TW_STATUS_INPUT,
                            "the cell is more than a hundred times narrower than its bodies");
    }
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
    if (populated(&g) == 1) {
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
