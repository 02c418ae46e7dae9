/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/scatter.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <twirl/math.h>

/* Attempts for one grain before the cell counts as full. */
enum { ATTEMPTS = 2000 };

/* Grains between two calls of the watch: at most a tenth of a second. */
enum { WATCHED = 64 };

static const uint64_t none = UINT64_MAX;

/* A grid of boxes, each with a list of its grains. No box is thinner than the largest grain, so
 * overlapping grains are in the same box or in neighbours. */
typedef struct boxes {
    const tw_mat3 *cell;
    int64_t many[3];
    uint64_t *first, *next;
    double (*at)[3]; /* positions, as fractions of the edges */
} boxes;

static tw_vec3 position_of(const tw_mat3 *cell, const double at[3])
{
    const double *m = cell->m;
    return tw_vec3_make(m[0] * at[0] + m[1] * at[1] + m[2] * at[2],
                        m[3] * at[0] + m[4] * at[1] + m[5] * at[2],
                        m[6] * at[0] + m[7] * at[1] + m[8] * at[2]);
}

/* Distances between opposite faces of the cell. */
static void heights(const tw_mat3 *cell, double height[3])
{
    tw_vec3 edge[3];
    for (int k = 0; k < 3; k++)
        edge[k] = tw_vec3_make(cell->m[k], cell->m[3 + k], cell->m[6 + k]);
    for (int k = 0; k < 3; k++) {
        const tw_vec3 face = tw_vec3_cross(edge[(k + 1) % 3], edge[(k + 2) % 3]);
        height[k] = fabs(tw_vec3_dot(edge[k], face)) / tw_vec3_norm(face);
    }
}

static int64_t box_along(const boxes *b, int k, double at)
{
    const int64_t i = (int64_t)(at * (double)b->many[k]); /* 0 <= at < 1 */
    return i < b->many[k] ? i : b->many[k] - 1;
}

static bool box_is_free(const boxes *b, const int64_t box[3], const double at[3], double mine,
                        const double *radius)
{
    double shift[3];
    int64_t index = 0;
    for (int k = 2; k >= 0; k--) {
        const int64_t turns = box[k] < 0 ? -1 : box[k] >= b->many[k] ? 1 : 0;
        shift[k] = (double)turns - at[k];
        index = index * b->many[k] + (box[k] - turns * b->many[k]);
    }
    for (uint64_t i = b->first[index]; i != none; i = b->next[i]) {
        const double away[3] = {b->at[i][0] + shift[0], b->at[i][1] + shift[1],
                                b->at[i][2] + shift[2]};
        const tw_vec3 branch = position_of(b->cell, away);
        const double apart = mine + radius[i];
        if (tw_vec3_dot(branch, branch) < apart * apart) return false;
    }
    return true;
}

static bool is_free(const boxes *b, const double at[3], double mine, const double *radius)
{
    int64_t box[3], home[3];
    for (int k = 0; k < 3; k++)
        home[k] = box_along(b, k, at[k]);
    for (int n = 0; n < 27; n++) {
        box[0] = home[0] + n % 3 - 1;
        box[1] = home[1] + n / 3 % 3 - 1;
        box[2] = home[2] + n / 9 - 1;
        if (!box_is_free(b, box, at, mine, radius)) return false;
    }
    return true;
}

static bool place(boxes *b, uint64_t grain, const double *radius, tw_random *random)
{
    double *at = b->at[grain];
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        for (int k = 0; k < 3; k++)
            at[k] = tw_random_uniform(random);
        if (!is_free(b, at, radius[grain], radius)) continue;
        const int64_t index =
            (box_along(b, 2, at[2]) * b->many[1] + box_along(b, 1, at[1])) * b->many[0] +
            box_along(b, 0, at[0]);
        b->next[grain] = b->first[index];
        b->first[index] = grain;
        return true;
    }
    return false;
}

typedef struct ranked {
    double radius;
    uint64_t grain;
} ranked;

static int larger_first(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->radius != y->radius) return x->radius < y->radius ? 1 : -1;
    return x->grain < y->grain ? -1 : x->grain > y->grain;
}

/* Number of boxes, not many more than grains; 0 if the largest grain is too large for the cell.
 * Which positions are free does not depend on it. */
static int64_t divide(boxes *b, double largest, uint64_t count)
{
    double most[3], all = 1.0;
    heights(b->cell, most);
    for (int k = 0; k < 3; k++) {
        most[k] = tw_math_min(floor(most[k] / (2.0 * largest)), 1024.0);
        all *= most[k];
    }
    const double shrink = tw_math_cbrt(all / (4.0 * (double)count + 64.0));
    for (int k = 0; k < 3; k++) {
        if (shrink > 1.0) most[k] = tw_math_max(floor(most[k] / shrink), 1.0);
        b->many[k] = (int64_t)most[k];
    }
    return b->many[0] * b->many[1] * b->many[2];
}

int tw_scatter_poll(const tw_scatter_watch *watch, uint64_t grain, double share)
{
    return watch->placed && grain % WATCHED == 0 ? watch->placed(share, watch->context) : 0;
}

static int place_all(boxes *b, const ranked *order, const double *radius, uint64_t count,
                     tw_random *random, const tw_scatter_watch *watch)
{
    for (uint64_t i = 0; i < count; i++) {
        if (!place(b, order[i].grain, radius, random)) return TW_SCATTER_FULL;
        if (tw_scatter_poll(watch, i, (double)i / (double)count)) return TW_SCATTER_STOPPED;
    }
    return TW_SCATTER_DONE;
}

int tw_scatter(tw_body_def *bodies, const double *radius, uint64_t count, const tw_mat3 *cell,
               tw_random *random, const tw_scatter_watch *watch)
{
    boxes b = {.cell = cell};
    ranked *order = malloc(count * sizeof *order);
    if (!order) return TW_SCATTER_NO_MEMORY;
    for (uint64_t i = 0; i < count; i++)
        order[i] = (ranked){radius[i], i};
    qsort(order, count, sizeof *order, larger_first);
    const int64_t all = divide(&b, order[0].radius, count);
    b.first = malloc((size_t)(all + 1) * sizeof *b.first);
    b.next = malloc(count * sizeof *b.next);
    b.at = malloc(count * sizeof *b.at);
    int result = !(b.first && b.next && b.at) ? TW_SCATTER_NO_MEMORY
                 : all > 0                    ? TW_SCATTER_DONE
                                              : TW_SCATTER_FULL;
    for (int64_t k = 0; result == TW_SCATTER_DONE && k < all; k++)
        b.first[k] = none;
    if (result == TW_SCATTER_DONE) result = place_all(&b, order, radius, count, random, watch);
    for (uint64_t i = 0; result == TW_SCATTER_DONE && i < count; i++)
        bodies[i].x = position_of(cell, b.at[i]);
    free(order);
    free(b.first);
    free(b.next);
    free(b.at);
    return result;
}
