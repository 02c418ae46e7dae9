/* SPDX-License-Identifier: BSD-3-Clause */
/* Grains are placed one after the other, largest first, each at the first of its own draws at which
 * it overlaps no other. Where the cell is not divided, that is all. Otherwise the cell is a lattice
 * of regions. Along the planes between them, the lines where two planes meet and the points where
 * three do, there are parts of their own:
 *
 *   points    nearer than 2.5 D to planes of all three directions
 *   lines     nearer than 1.5 D to planes of two
 *   planes    nearer than 0.5 D to a plane
 *   interior  the rest
 *
 * D is the diameter of the largest grain, and the first that is true counts. Two parts of the same
 * row are at least D apart, so that their grains never meet: between two lines of different
 * directions, for instance, there is 2.5 D - 1.5 D. And a part is D or more from every part that is
 * not on its own border. So points are filled first, each alone; then lines, which see the grains
 * of their two end points; then planes, and then the interior, which sees 26 parts. Whoever makes
 * a region makes these 27, of which 8 belong to it: the point at its lowest corner, the three lines
 * and three planes there, and the interior. The numbers of grains in parts follow their volumes.
 *
 * Coordinates are whole numbers, so that a part comes out the same seen from either side. */
#include "run/regions.h"

#include <stdlib.h>

#include <twirl/math.h>

#include "base/mat3.h"
#include "base/parallel.h"
#include "base/random.h"

enum { PARTS = 8, EDGE = 10 }; /* of a region, in diameters, at least */

/* Draws of a grain before there is no room for it, and grains between two calls of a watch. */
enum { ATTEMPTS = 2000, WATCHED = 64 };

#define REGION (INT64_C(1) << 40) /* units of an edge of a region */

static const uint32_t none = UINT32_MAX;

/* Axes along which a part is at a plane, in the order in which parts are filled. */
static const int masks[PARTS] = {7, 6, 5, 3, 4, 2, 1, 0};

static int planes_of(int mask)
{
    return (mask & 1) + (mask >> 1 & 1) + (mask >> 2);
}

/* ---- Division of the cell ---- */

/* How far a part reaches from each of its planes: 0.5, 1.5 or 2.5 diameters. */
static int64_t width(const tw_run_regions *r, int axis, int planes)
{
    return r->divided[axis] ? (2 * planes - 1) * r->reach[axis] / 2 : 0;
}

static double share_of(const tw_run_regions *r, int mask)
{
    double a[3], b[3], c[3], share = 1.0;
    for (int k = 0; k < 3; k++) {
        a[k] = 2.0 * (double)width(r, k, 1) / (double)REGION;
        b[k] = 2.0 * (double)width(r, k, 2) / (double)REGION;
        c[k] = 2.0 * (double)width(r, k, 3) / (double)REGION;
    }
    if (planes_of(mask) == 3) return c[0] * c[1] * c[2];
    if (planes_of(mask) == 2) {
        for (int k = 0; k < 3; k++)
            share *= mask >> k & 1 ? b[k] : 1.0 - c[k];
        return share;
    }
    if (planes_of(mask) == 1) {
        const int i = mask >> 1, j = (i + 1) % 3, k = (i + 2) % 3;
        return a[i] * ((1.0 - b[j]) * (1.0 - b[k]) - (c[j] - b[j]) * (c[k] - b[k]));
    }
    for (int m = 1; m < PARTS; m++)
        share -= share_of(r, m);
    return share;
}

void tw_run_regions_divide(tw_run_regions *r)
{
    const tw_mat3 inverse = tw_mat3_inverse(r->cell);
    for (int k = 0; k < 3; k++) { /* a row of the inverse is normal to two edges */
        const double across = 1.0 / (tw_vec3_norm(tw_mat3_row(inverse, k)) * 2.0 * r->largest);
        r->divided[k] = !r->whole && across >= EDGE;
        r->many[k] = r->divided[k] ? (int64_t)tw_math_min(across / EDGE, 1024.0) : 1;
        const double reach = tw_math_min((double)r->many[k] / across, 2.0) * (double)REGION;
        r->reach[k] = 2 * ((int64_t)(0.5 * reach) + 2); /* even, and more than rounding may need */
    }
    double sum = 0.0;
    for (int n = 0; n < PARTS; n++)
        r->portion[n] = sum += share_of(r, masks[n]);
}

uint64_t tw_run_regions_count(const tw_run_regions *r)
{
    return (uint64_t)(r->many[0] * r->many[1] * r->many[2]);
}

/* There are at most 2^30 regions, and 2^32 grains in a simulation. */
uint64_t tw_run_regions_first(const tw_run_regions *r, uint64_t region)
{
    return region * r->count / tw_run_regions_count(r);
}

/* Its points reach furthest beyond its lower corner. */
bool tw_run_regions_meets(const tw_run_regions *r, uint64_t region, const double low[3],
                          const double high[3])
{
    const double rounding = 1e-9;
    for (int k = 0; k < 3; k++) {
        const double edge = 1.0 / (double)r->many[k], at = (double)(region % (uint64_t)r->many[k]),
                     reach = (double)width(r, k, 3) / (double)REGION,
                     from = (at - reach) * edge - rounding, to = (at + 1.0) * edge + rounding;
        const bool own = from < high[k] && low[k] < to,
                   image = from + 1.0 < high[k] && low[k] < to + 1.0;
        if (!own && !image) return false;
        region /= (uint64_t)r->many[k];
    }
    return true;
}

/* First grain of a part. Rounding up and down by chance favours no part. */
static uint64_t first_of(const tw_run_regions *r, uint64_t region, int part)
{
    const uint64_t first = tw_run_regions_first(r, region),
                   next = tw_run_regions_first(r, region + 1);
    if (part == 0) return first;
    if (part == PARTS) return next;
    const double chance = tw_random_at(tw_random_key(r->seed, r->fill, ~region), 0);
    const uint64_t some = (uint64_t)((double)(next - first) * r->portion[part - 1] + chance);
    return some < next - first ? first + some : next;
}

/* ---- One region and what is around it ---- */

typedef struct placed_grain {
    double at[3]; /* whole numbers */
    double radius;
    uint32_t before; /* in the same box */
} placed_grain;

typedef struct ranked_grain {
    double radius;
    uint64_t grain;
} ranked_grain;

/* Where the next grain may go, and how many of its draws have been used: all, and those that are
 * in its part. */
typedef struct proposal {
    int64_t at[3];
    uint64_t draws;
    int attempts;
} proposal;

/* Boxes are as wide as the largest grain or wider, so that grains that overlap are in the same box
 * or in neighbours. Which positions are free does not depend on them. */
typedef struct surroundings {
    const tw_run_regions *regions;
    const tw_run_scatter_watch *watch; /* NULL: none */
    int64_t own[3];                    /* the region among those along the edges */
    tw_mat3 unit;                      /* from units of a region to lengths */
    int64_t boxes[3];                  /* along the edges */
    double per[3];                     /* boxes in a unit */
    uint32_t *last;                    /* grain of each box */
    placed_grain *grains;
    size_t count;
    ranked_grain *order; /* of the grains of a part */
    proposal *proposals;
    /* The part that is filled: */
    int64_t offset[3]; /* of its region */
    int64_t low[3];    /* a box that has it: its lowest corner, and its edges */
    double span[3];
    int mask; /* -1: it is all of the box */
} surroundings;

/* The part that has a position, by its distances from planes. */
static int mask_at(const tw_run_regions *r, const int64_t at[3])
{
    int near[4] = {0, 0, 0, 0};
    for (int k = 0; k < 3; k++) {
        const int64_t in = at[k] < 0 ? -at[k] : at[k], away = in < REGION - in ? in : REGION - in;
        for (int planes = 1; planes <= 3; planes++)
            if (away < width(r, k, planes)) near[planes] |= 1 << k;
    }
    if (near[3] == 7) return 7;
    return planes_of(near[2]) == 2 ? near[2] : near[1];
}

/* The next of the grain's positions in the part, seen from the own region. */
static void draw_position(const surroundings *s, uint64_t key, proposal *p)
{
    do {
        for (int k = 0; k < 3; k++) {
            const double part = tw_random_at(key, 3 * p->draws + (uint64_t)k);
            p->at[k] = s->low[k] + (int64_t)(part * s->span[k]);
        }
        p->draws++;
    } while (s->mask >= 0 && mask_at(s->regions, p->at) != s->mask);
    for (int k = 0; k < 3; k++)
        p->at[k] += REGION * s->offset[k];
}

/* Boxes near a position: along each edge the one before, its own and the one behind, with what
 * takes the position there to the image of the box. Where the cell is divided, the first box begins
 * 4 diameters before the region, and no part reaches further than 2.5. */
typedef struct nearby {
    int64_t box[3][3];
    double shift[3][3];
} nearby;

static nearby near_to(const surroundings *s, const int64_t at[3])
{
    nearby near;
    int64_t stride = 1;
    for (int k = 0; k < 3; k++) {
        const double before = s->regions->divided[k] ? 4.0 : 0.0;
        const int64_t many = s->boxes[k], box = (int64_t)((double)at[k] * s->per[k] + before);
        const int64_t own = box < many ? box : many - 1;
        for (int j = 0; j < 3; j++) {
            const int64_t i = own + j - 1, turns = i < 0 ? -1 : i >= many ? 1 : 0;
            near.box[k][j] = stride * (i - turns * many);
            near.shift[k][j] = (double)(turns * REGION - at[k]);
        }
        stride *= many;
    }
    return near;
}

/* The own box is the first of the 27, most likely to have a grain that is in the way. */
static int64_t near_box(const nearby *near, int n, double shift[3])
{
    const int of = n == 0 ? 13 : n <= 13 ? n - 1 : n;
    const int j[3] = {of % 3, of / 3 % 3, of / 9};
    for (int k = 0; k < 3; k++)
        shift[k] = near->shift[k][j[k]];
    return near->box[0][j[0]] + near->box[1][j[1]] + near->box[2][j[2]];
}

/* Whether grains from number `from` on leave room. The last of a box comes first. */
static bool is_free(const surroundings *s, const int64_t at[3], double radius, size_t from)
{
    const nearby near = near_to(s, at);
    for (int n = 0; n < 27; n++) {
        double shift[3];
        const int64_t box = near_box(&near, n, shift);
        for (uint32_t i = s->last[box]; i != none && i >= from; i = s->grains[i].before) {
            const placed_grain *other = &s->grains[i];
            const tw_vec3 away = {other->at[0] + shift[0], other->at[1] + shift[1],
                                  other->at[2] + shift[2]};
            const tw_vec3 branch = tw_mat3_mul_vec(s->unit, away);
            const double apart = radius + other->radius;
            if (tw_vec3_dot(branch, branch) < apart * apart) return false;
        }
    }
    return true;
}

/* Goes on to the first of the grain's positions that is free; p->attempts is ATTEMPTS if none is.
 */
static void find_place(const surroundings *s, const ranked_grain *one, proposal *p)
{
    const tw_run_regions *r = s->regions;
    const uint64_t key = tw_random_key(r->seed, r->fill, one->grain);
    for (; p->attempts < ATTEMPTS; p->attempts++) {
        draw_position(s, key, p);
        if (is_free(s, p->at, one->radius, 0)) return;
    }
}

static void settle(surroundings *s, const proposal *p, double radius)
{
    double shift[3];
    const nearby near = near_to(s, p->at);
    uint32_t *last = &s->last[near_box(&near, 0, shift)];
    s->grains[s->count] =
        (placed_grain){{(double)p->at[0], (double)p->at[1], (double)p->at[2]}, radius, *last};
    *last = (uint32_t)s->count++;
}

static tw_vec3 position(const surroundings *s, const int64_t at[3])
{
    const tw_run_regions *r = s->regions;
    double fraction[3];
    for (int k = 0; k < 3; k++) {
        const int64_t all = REGION * r->many[k], from = REGION * s->own[k] + at[k];
        fraction[k] = (double)(from < 0 ? from + all : from) / (double)all;
    }
    return tw_mat3_mul_vec(r->cell, tw_vec3_make(fraction[0], fraction[1], fraction[2]));
}

static int larger_first(const void *a, const void *b)
{
    const ranked_grain *x = a, *y = b;
    if (x->radius != y->radius) return x->radius < y->radius ? 1 : -1;
    return x->grain < y->grain ? -1 : x->grain > y->grain;
}

/* Many grains look for their places at the same time, among those that have theirs. Who then finds
 * another of this round there goes on looking, so that all is as if they came one by one. */
enum { ROUND_MAX = 1 << 14, CHUNK = 16 };

static uint64_t together_after(size_t placed, uint64_t left)
{
    const uint64_t some = tw_parallel_threads() > 1 ? placed / 16 + 1 : 1,
                   most = some < ROUND_MAX ? some : ROUND_MAX;
    return most < left ? most : left;
}

typedef struct seekers {
    const surroundings *s;
    const ranked_grain *order;
} seekers;

static void propose(void *context, size_t begin, size_t end)
{
    const seekers *those = context;
    for (size_t i = begin; i < end; i++) {
        those->s->proposals[i].draws = 0;
        those->s->proposals[i].attempts = 0;
        find_place(those->s, &those->order[i], &those->s->proposals[i]);
    }
}

/* `x`: of the grains from number `first` on; NULL: they belong to another region. */
static tw_run_scatter_result place_all(surroundings *s, uint64_t first, uint64_t count, tw_vec3 *x)
{
    uint64_t some;
    for (uint64_t next = 0; next < count; next += some) {
        const size_t before = s->count;
        some = together_after(before, count - next);
        seekers those = {s, s->order + next};
        if (some > 1)
            tw_parallel_for(some, CHUNK, propose, &those);
        else
            propose(&those, 0, 1);
        for (uint64_t i = 0; i < some; i++) {
            const ranked_grain *one = &s->order[next + i];
            proposal *p = &s->proposals[i];
            if (p->attempts < ATTEMPTS && !is_free(s, p->at, one->radius, before)) {
                p->attempts++;
                find_place(s, one, p);
            }
            if (p->attempts == ATTEMPTS) return TW_SCATTER_FULL;
            settle(s, p, one->radius);
            if (x) x[one->grain - first] = position(s, p->at);
            if (s->watch && (next + i) % WATCHED == 0 &&
                s->watch->placed((double)(next + i) / (double)count, s->watch->context))
                return TW_SCATTER_STOPPED;
        }
    }
    return TW_SCATTER_DONE;
}

/* Room for more grains. False: out of memory. */
static bool reserve(surroundings *s, size_t more)
{
    const size_t together = together_after(s->count + more, more);
    ranked_grain *order = realloc(s->order, more * sizeof *order);
    if (order) s->order = order;
    placed_grain *grains = realloc(s->grains, (s->count + more) * sizeof *grains);
    if (grains) s->grains = grains;
    proposal *proposals = realloc(s->proposals, together * sizeof *proposals);
    if (proposals) s->proposals = proposals;
    return order && grains && proposals;
}

/* Fills part `part` of the region `offset` further along the edges. `x`: of the grains in it; NULL
 * if they belong to another region. */
static tw_run_scatter_result fill(surroundings *s, int part, const int64_t offset[3], tw_vec3 *x)
{
    const tw_run_regions *r = s->regions;
    int64_t region = 0;
    for (int k = 2; k >= 0; k--) {
        region = region * r->many[k] + (s->own[k] + offset[k]) % r->many[k];
        s->offset[k] = offset[k];
    }
    const bool *divided = r->divided;
    s->mask = divided[0] || divided[1] || divided[2] ? masks[part] : -1;
    for (int k = 0, planes = planes_of(masks[part]); k < 3; k++) {
        const bool thin = masks[part] >> k & 1;
        s->low[k] = thin ? -width(r, k, planes) : width(r, k, planes + 1);
        s->span[k] = (double)(thin ? -2 * s->low[k] : REGION - 2 * s->low[k]);
    }
    const uint64_t first = first_of(r, (uint64_t)region, part),
                   end = first_of(r, (uint64_t)region, part + 1);
    if (first == end) return TW_SCATTER_DONE;
    if (!reserve(s, end - first)) return TW_SCATTER_NO_MEMORY;
    for (uint64_t i = first; i < end; i++)
        s->order[i - first] = (ranked_grain){r->radius(i, r->context), i};
    qsort(s->order, end - first, sizeof *s->order, larger_first);
    return place_all(s, first, end - first, x);
}

/* Parts of kind `part` on the border of the region: at the lower or upper end along each axis at
 * whose planes they are. */
static tw_run_scatter_result fill_all(surroundings *s, uint64_t region, int part, tw_vec3 *x)
{
    const int mask = masks[part];
    tw_run_scatter_result result = TW_SCATTER_DONE;
    for (int corner = 0; corner < 8 && result == TW_SCATTER_DONE; corner++) {
        if (corner & ~mask) continue;
        const int64_t offset[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
        const uint64_t before =
            first_of(s->regions, region, part) - tw_run_regions_first(s->regions, region);
        result = fill(s, part, offset, corner == 0 ? x + before : NULL);
    }
    return result;
}

/* Number of boxes; 0 if the largest grain is too large for the cell. Where the cell is not divided
 * there are not many more than grains. */
static int64_t make_boxes(surroundings *s)
{
    const tw_run_regions *r = s->regions;
    double most = 1.0, some[3];
    int64_t all = 1;
    for (int k = 0; k < 3; k++)
        most *= some[k] = tw_math_min((double)(REGION / r->reach[k]), 1024.0);
    const double shrink = tw_math_cbrt(tw_math_max(most / (4.0 * (double)r->count + 64.0), 1.0));
    for (int k = 0; k < 3; k++) {
        const int64_t fit = REGION / r->reach[k];
        const double fewer = tw_math_max(some[k] / shrink, 1.0);
        s->boxes[k] = r->divided[k] ? fit + 9 : fit < 1 ? 0 : (int64_t)fewer;
        s->per[k] = 1.0 / (double)(r->divided[k] ? r->reach[k] : REGION / (int64_t)fewer);
        all *= s->boxes[k];
    }
    return all;
}

tw_run_scatter_result tw_run_regions_scatter(const tw_run_regions *r, uint64_t region,
                                             const tw_run_scatter_watch *watch, tw_vec3 *x)
{
    surroundings s = {.regions = r, .watch = watch && watch->placed ? watch : NULL};
    int64_t rest = (int64_t)region;
    for (int k = 0; k < 3; k++) {
        s.own[k] = rest % r->many[k];
        rest /= r->many[k];
        for (int i = 0; i < 3; i++)
            s.unit.m[3 * i + k] = r->cell.m[3 * i + k] / (double)(REGION * r->many[k]);
    }
    const int64_t boxes = make_boxes(&s);
    if (boxes == 0) return TW_SCATTER_FULL;
    s.last = malloc((size_t)boxes * sizeof *s.last);
    for (int64_t k = 0; s.last && k < boxes; k++)
        s.last[k] = none;
    tw_run_scatter_result result = s.last ? TW_SCATTER_DONE : TW_SCATTER_NO_MEMORY;
    for (int part = 0; part < PARTS && result == TW_SCATTER_DONE; part++)
        result = fill_all(&s, region, part, x);
    free(s.last);
    free(s.grains);
    free(s.order);
    free(s.proposals);
    return result;
}
