/* SPDX-License-Identifier: BSD-3-Clause */
/* The cell is a lattice of regions. Along the planes between them, the lines where two planes meet
 * and the points where three do, there are parts of their own:
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
#include "base/random.h"

enum { PARTS = 8, ATTEMPTS = 2000, EDGE = 10 }; /* of a region, in diameters, at least */

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
    return (2 * planes - 1) * r->reach[axis] / 2;
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

bool tw_run_regions_divide(tw_run_regions *r)
{
    const tw_mat3 inverse = tw_mat3_inverse(r->cell);
    for (int k = 0; k < 3; k++) { /* a row of the inverse is normal to two edges */
        const double across = 1.0 / (tw_vec3_norm(tw_mat3_row(inverse, k)) * 2.0 * r->largest);
        if (!(across >= EDGE)) return false;
        r->many[k] = (int64_t)tw_math_min(across / EDGE, 1024.0);
        const double reach = (double)r->many[k] / across * (double)REGION;
        r->reach[k] = 2 * ((int64_t)(0.5 * reach) + 2); /* even, and more than rounding may need */
    }
    double sum = 0.0;
    for (int n = 0; n < PARTS; n++)
        r->portion[n] = sum += share_of(r, masks[n]);
    return true;
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

/* The stream of a part of a region, beyond those of 2^32 grains; the last one, PARTS, rounds the
 * numbers of grains in parts. */
static tw_random stream(const tw_run_regions *r, uint64_t region, int part)
{
    return tw_random_keyed(r->seed, (UINT64_C(1) << 32) + region * (PARTS + 1) + (uint64_t)part);
}

/* First grain of a part. Rounding up and down by chance favours no part. */
static uint64_t first_of(const tw_run_regions *r, uint64_t region, int part)
{
    const uint64_t first = tw_run_regions_first(r, region),
                   next = tw_run_regions_first(r, region + 1);
    if (part == 0) return first;
    if (part == PARTS) return next;
    tw_random random = stream(r, region, PARTS);
    const uint64_t some =
        (uint64_t)((double)(next - first) * r->portion[part - 1] + tw_random_uniform(&random));
    return some < next - first ? first + some : next;
}

/* ---- One region and what is around it ---- */

typedef struct part_grain {
    int64_t at[3];
    double radius;
    uint32_t before; /* in the same box */
} part_grain;

typedef struct part_rank {
    double radius;
    uint64_t grain;
} part_rank;

typedef struct surroundings {
    const tw_run_regions *regions;
    int64_t own[3]; /* the region among those along the edges */
    tw_mat3 unit;   /* from units of a region to lengths */
    int64_t boxes[3];
    uint32_t *last; /* grain of each box, which is as wide as the largest grain */
    part_grain *grains;
    size_t count;
    part_rank *order; /* of the grains of a part */
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

/* A position in the part, seen from its region. */
static void draw_position(const tw_run_regions *r, int mask, tw_random *random, int64_t at[3])
{
    const int planes = planes_of(mask);
    do {
        for (int k = 0; k < 3; k++) {
            const bool thin = mask >> k & 1;
            const int64_t from = thin ? -width(r, k, planes) : width(r, k, planes + 1);
            const int64_t to = thin ? -from : REGION - from;
            at[k] = from + (int64_t)(tw_random_uniform(random) * (double)(to - from));
        }
    } while (mask_at(r, at) != mask);
}

/* The first box begins 4 diameters before the region, and no part reaches further than 2.5: all
 * positions have boxes around their own. */
static int64_t box_at(const surroundings *s, const int64_t at[3])
{
    int64_t i[3];
    for (int k = 0; k < 3; k++)
        i[k] = at[k] / s->regions->reach[k] + 4 - (at[k] % s->regions->reach[k] < 0);
    return i[0] + s->boxes[0] * (i[1] + s->boxes[1] * i[2]);
}

static bool is_free(const surroundings *s, const int64_t at[3], double radius)
{
    const int64_t own = box_at(s, at);
    for (int n = 0; n < 27; n++) {
        const int64_t box =
            own + n % 3 - 1 + s->boxes[0] * (n / 3 % 3 - 1 + s->boxes[1] * (n / 9 - 1));
        for (uint32_t i = s->last[box]; i != none; i = s->grains[i].before) {
            const part_grain *other = &s->grains[i];
            const tw_vec3 away = {(double)(other->at[0] - at[0]), (double)(other->at[1] - at[1]),
                                  (double)(other->at[2] - at[2])};
            const tw_vec3 branch = tw_mat3_mul_vec(s->unit, away);
            const double apart = radius + other->radius;
            if (tw_vec3_dot(branch, branch) < apart * apart) return false;
        }
    }
    return true;
}

static int larger_first(const void *a, const void *b)
{
    const part_rank *x = a, *y = b;
    if (x->radius != y->radius) return x->radius < y->radius ? 1 : -1;
    return x->grain < y->grain ? -1 : x->grain > y->grain;
}

static bool reserve(surroundings *s, size_t more)
{
    part_rank *order = realloc(s->order, more * sizeof *order);
    if (order) s->order = order;
    part_grain *grains = realloc(s->grains, (s->count + more) * sizeof *grains);
    if (grains) s->grains = grains;
    return order && grains;
}

/* Fills part `part` of the region `offset` further along the edges. `x`: of the grains in it; NULL
 * if they belong to another region. */
static tw_run_scatter_result fill(surroundings *s, int part, const int64_t offset[3], tw_vec3 *x)
{
    const tw_run_regions *r = s->regions;
    int64_t region = 0, at[3];
    for (int k = 2; k >= 0; k--)
        region = region * r->many[k] + (s->own[k] + offset[k]) % r->many[k];
    const uint64_t first = first_of(r, (uint64_t)region, part),
                   end = first_of(r, (uint64_t)region, part + 1);
    if (first == end) return TW_SCATTER_DONE;
    if (!reserve(s, end - first)) return TW_SCATTER_NO_MEMORY;
    for (uint64_t i = first; i < end; i++)
        s->order[i - first] = (part_rank){r->radius(i, r->context), i};
    qsort(s->order, end - first, sizeof *s->order, larger_first);
    tw_random random = stream(r, (uint64_t)region, part);
    for (uint64_t i = 0; i < end - first; i++) {
        const part_rank *one = &s->order[i];
        int attempts = 0;
        do {
            if (attempts++ == ATTEMPTS) return TW_SCATTER_FULL;
            draw_position(r, masks[part], &random, at);
            for (int k = 0; k < 3; k++)
                at[k] += REGION * offset[k];
        } while (!is_free(s, at, one->radius));
        uint32_t *last = &s->last[box_at(s, at)];
        s->grains[s->count] = (part_grain){{at[0], at[1], at[2]}, one->radius, *last};
        *last = (uint32_t)s->count++;
        if (!x) continue;
        double fraction[3];
        for (int k = 0; k < 3; k++) {
            const int64_t all = REGION * r->many[k], from = REGION * s->own[k] + at[k];
            fraction[k] = (double)(from < 0 ? from + all : from) / (double)all;
        }
        x[one->grain - first] =
            tw_mat3_mul_vec(r->cell, tw_vec3_make(fraction[0], fraction[1], fraction[2]));
    }
    return TW_SCATTER_DONE;
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

tw_run_scatter_result tw_run_regions_scatter(const tw_run_regions *r, uint64_t region, tw_vec3 *x)
{
    surroundings s = {.regions = r};
    int64_t rest = (int64_t)region, boxes = 1;
    for (int k = 0; k < 3; k++) {
        s.own[k] = rest % r->many[k];
        rest /= r->many[k];
        s.boxes[k] = REGION / r->reach[k] + 9;
        boxes *= s.boxes[k];
        for (int i = 0; i < 3; i++)
            s.unit.m[3 * i + k] = r->cell.m[3 * i + k] / (double)(REGION * r->many[k]);
    }
    s.last = malloc((size_t)boxes * sizeof *s.last);
    for (int64_t k = 0; s.last && k < boxes; k++)
        s.last[k] = none;
    tw_run_scatter_result result = s.last ? TW_SCATTER_DONE : TW_SCATTER_NO_MEMORY;
    for (int part = 0; part < PARTS && result == TW_SCATTER_DONE; part++)
        result = fill_all(&s, region, part, x);
    free(s.last);
    free(s.grains);
    free(s.order);
    return result;
}
