/* SPDX-License-Identifier: BSD-3-Clause */
/* Friction of pairs at zero gap in the rate problem: docs/theory/statics.md. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "statics/statics_internal.h"

/* Friction of a pair at zero gap: what its two tangential springs take up is `slide` times its
 * closing less `turn` times the motion. Both are zero while it is open; if it sticks `turn` is one;
 * if it slides, they are the derivative of a force along the motion (S39). */
typedef struct grip {
    bool sticks;
    double slide[2], turn[2][2];
} grip;

typedef struct problem {
    const tw_statics_slider *slider;
    size_t count, all, pairs; /* all: rows of m */
    const double *m, *q;
    grip *grip;
    double *a, *b; /* of the springs: matrix, a column */
    double *reduced, *right;
} problem;

static size_t spring_at(const problem *p, size_t pair)
{
    return p->all - 2 * p->pairs + 2 * pair;
}

/* What the springs take up, in p->b, by slider j; by the load: j = count. */
static void take_up(const problem *p, size_t j)
{
    const size_t n = 2 * p->pairs, first = spring_at(p, 0);
    for (size_t i = 0; i < n; i++) {
        const grip *g = &p->grip[i / 2];
        const double *turn = g->turn[i % 2];
        const double *row = p->m + p->all * (first + i / 2 * 2), *other = row + p->all;
        const double *q = p->q + first + i / 2 * 2;
        p->b[i] = j == i / 2 ? g->slide[i % 2] : 0.0;
        p->b[i] -=
            j < p->count ? turn[0] * row[j] + turn[1] * other[j] : turn[0] * q[0] + turn[1] * q[1];
        for (size_t k = 0; k < n; k++)
            p->a[n * i + k] = (i == k ? 1.0 : 0.0) - (k / 2 == i / 2 ? turn[k % 2] : 0.0) +
                              turn[0] * row[first + k] + turn[1] * other[first + k];
    }
    if (n > 0) tw_statics_lcp_eliminate(n, p->a, p->b);
}

static void reduce(problem *p)
{
    for (size_t j = 0; j <= p->count; j++) {
        take_up(p, j);
        for (size_t i = 0; i < p->count; i++) {
            const double *row = p->m + p->all * i;
            double sum = j < p->count ? row[j] : p->q[i];
            for (size_t k = 0; k < 2 * p->pairs; k++)
                sum += row[spring_at(p, 0) + k] * p->b[k];
            *(j < p->count ? &p->reduced[p->count * i + j] : &p->right[i]) = sum;
        }
    }
}

/* The springs of x, whose first `count` are known. */
static void put_springs(const problem *p, double *x)
{
    double *springs = x + spring_at(p, 0);
    memset(springs, 0, 2 * p->pairs * sizeof *springs);
    for (size_t j = 0; j <= p->count; j++) {
        if (j < p->count && x[j] == 0.0) continue;
        take_up(p, j);
        for (size_t k = 0; k < 2 * p->pairs; k++)
            springs[k] += p->b[k] * (j < p->count ? x[j] : 1.0);
    }
}

/* How a pair grips that closes and moves along its plane. `limit`: closing to sliding. It sticks at
 * first, and where its friction reverses the motion. */
static grip grip_of(const grip *before, double limit, double closing, const double motion[2])
{
    grip now = {0};
    const double size = sqrt(motion[0] * motion[0] + motion[1] * motion[1]);
    if (!(closing > 0.0 && limit > 0.0)) return now;
    const double back = motion[0] * before->slide[0] + motion[1] * before->slide[1];
    now.sticks = size <= limit * closing || (!before->sticks && !(back < 0.0));
    const double e[2] = {now.sticks ? 0.0 : motion[0] / size, now.sticks ? 0.0 : motion[1] / size};
    const double share = now.sticks ? 1.0 : limit * closing / size;
    for (int i = 0; i < 2; i++) {
        now.slide[i] = -limit * e[i];
        for (int k = 0; k < 2; k++)
            now.turn[i][k] = share * ((i == k ? 1.0 : 0.0) - e[i] * e[k]);
    }
    return now;
}

/* The friction that x asks for; true if it is another one. */
static bool change_grips(const problem *p, const double *x)
{
    bool changed = false;
    for (size_t pair = 0; pair < p->pairs; pair++) {
        const tw_statics_contact *c = p->slider[pair].contact;
        const double limit = c->kt > 0.0 ? c->mu * c->kn / c->kt : 0.0;
        const grip *before = &p->grip[pair];
        double motion[2] = {0.0, 0.0};
        for (size_t k = 0; k < 2; k++) {
            const size_t i = spring_at(p, pair) + k;
            motion[k] = p->q[i] - x[i];
            for (size_t j = 0; j < p->all; j++)
                if (j < p->count || j >= spring_at(p, 0)) motion[k] += p->m[p->all * i + j] * x[j];
        }
        const grip now = grip_of(before, limit, x[pair], motion);
        const double off =
            fabs(now.slide[0] - before->slide[0]) + fabs(now.slide[1] - before->slide[1]);
        changed = changed || now.sticks != before->sticks || off > 1e-12 * limit;
        p->grip[pair] = now;
    }
    return changed;
}

static tw_statics_lcp_end solve(problem *p, double *x, size_t *turns)
{
    enum { GRIPS = 50 };
    /* Without friction at first; if that leads nowhere, with pairs that stick. */
    for (int turn = 0; turn < 2 * GRIPS; turn++) {
        reduce(p);
        const tw_statics_lcp_end end =
            tw_statics_lcp_solve(p->count, p->reduced, p->right, x, turns);
        if (end == TW_STATICS_LCP_MEMORY) return end;
        const bool lost = end == TW_STATICS_LCP_RAY || turn == GRIPS - 1;
        if (lost && turn >= GRIPS) return TW_STATICS_LCP_RAY;
        if (lost) {
            for (size_t k = 0; k < p->pairs; k++)
                p->grip[k] = (grip){.sticks = true, .turn = {{1.0, 0.0}, {0.0, 1.0}}};
            turn = GRIPS - 1;
            continue;
        }
        put_springs(p, x);
        if (!change_grips(p, x)) return end;
    }
    return TW_STATICS_LCP_RAY;
}

tw_statics_lcp_end tw_statics_grips_solve(const tw_statics_sliders *sliders, size_t count,
                                          const double *m, const double *q, double *x,
                                          size_t *turns)
{
    const size_t all = sliders->count, pairs = sliders->first[TW_STATICS_UNLOADS];
    problem p = {
        .slider = sliders->slider, .count = count, .all = all, .pairs = pairs, .m = m, .q = q};
    tw_statics_lcp_end end = TW_STATICS_LCP_MEMORY;
    if (count == all) return tw_statics_lcp_solve(count, m, q, x, turns);
    if (tw_buffer_zeros(&p.grip, pairs, sizeof *p.grip) &&
        tw_buffer_zeros(&p.a, 4 * pairs * pairs + 2 * pairs + count * (count + 1), sizeof *p.a)) {
        p.b = p.a + 4 * pairs * pairs;
        p.right = p.b + 2 * pairs;
        p.reduced = p.right + count;
        end = solve(&p, x, turns);
    }
    tw_buffer_drop(&p.grip);
    tw_buffer_drop(&p.a);
    return end;
}
