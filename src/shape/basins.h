/* SPDX-License-Identifier: BSD-3-Clause */
/* The contacts of a sphere with a surface that is made of elements: facets of a mesh, segments of a
 * profile.
 *
 * A contact is a local minimum of the distance from the centre to the surface: the lowest point of
 * a basin. Two basins meet at a pass, the lowest point on a way from one to the other. With f(zeta)
 * the normal force of the law and Phi its energy, the energy of the sphere is
 *
 *     sum over contacts Phi(R - d)  -  sum over passes Phi(R - d)
 *
 * where passes outside the sphere, and those that close a loop, do not count. This is the integral
 * of f(R - r) times the number of separate pieces of the surface nearer than r: it knows the
 * surface as a set of points, so how that is cut into elements does not matter, and force is its
 * gradient. A pass is shared by its two contacts in proportion to the way from the other contact to
 * it, which splits its force over their normals where two planes meet.
 *
 * In the common subset of C11, C++17 and CUDA. */
#ifndef TW_SHAPE_BASINS_H
#define TW_SHAPE_BASINS_H

#include <math.h>
#include <stdint.h>

#include <twirl/vec3.h>

/* Points that are closer than this are one, relative to the radius. */
#define TW_BASIN_SAME 1e-9

/* What of an element is nearest. */
enum { TW_NEAR_FACE, TW_NEAR_EDGE, TW_NEAR_VERTEX };

/* The nearest point of an element. */
typedef struct tw_near {
    tw_vec3 to; /* from the centre of the sphere to it [m] */
    tw_vec3 n;  /* unit, likewise; of a face its own normal, without cancellation */
    double d;   /* distance [m] */
    uint32_t element;
    uint32_t feature; /* number of the element, edge or vertex */
    uint32_t edge[3]; /* of the element */
    int kind;         /* TW_NEAR_FACE ... */
    int edges;        /* of the element: 3, or 2 of a segment */
    int gates;        /* bit k: edge k is or ends at the nearest feature */
    int basin;        /* which contact it belongs to */
} tw_near;

/* The lowest point of the way from contact a to contact b. */
typedef struct tw_pass {
    tw_vec3 n; /* unit, from the centre of the sphere [-] */
    double d;  /* [m] */
    uint32_t edge;
    int a, b;
    double share; /* of a; the rest is of b */
} tw_pass;

/* ---- Basins ---- */

/* `basin` of an element is the lowest element of its set while sets are joined. */
TW_INLINE int tw_basin_root(const tw_near *near, int i)
{
    while (near[i].basin != i)
        i = near[i].basin;
    return i;
}

TW_INLINE void tw_basin_join(tw_near *near, int i, int j)
{
    const int a = tw_basin_root(near, i), b = tw_basin_root(near, j);
    if (a < b)
        near[b].basin = a;
    else
        near[a].basin = b;
}

TW_INLINE int tw_basin_is_same_point(const tw_near *p, const tw_near *q, double radius)
{
    if (p->kind != TW_NEAR_FACE && p->kind == q->kind && p->feature == q->feature) return 1;
    const tw_vec3 apart = tw_vec3_sub(p->to, q->to);
    return tw_vec3_dot(apart, apart) < TW_BASIN_SAME * TW_BASIN_SAME * radius * radius;
}

/* Whether the way down from p leads through one of its edges into q. */
TW_INLINE int tw_basin_flows(const tw_near *p, const tw_near *q)
{
    if (p->kind == TW_NEAR_FACE || !(q->d < p->d || (q->d == p->d && q->kind == TW_NEAR_FACE)))
        return 0;
    for (int k = 0; k < p->edges; k++)
        for (int l = 0; l < q->edges; l++)
            if (p->gates >> k & 1 && p->edge[k] == q->edge[l]) return 1;
    return 0;
}

TW_INLINE int tw_basin_is_lower(const tw_near *p, const tw_near *q)
{
    return p->d < q->d || (p->d == q->d && p->element < q->element);
}

/* Elements nearer than the radius, in ascending order of their numbers: sets `basin` to the number
 * of the contact, 0, 1, ..., and lowest[k] to the element of contact k that is nearest. Returns the
 * number of contacts. `down` is workspace; both have `count` places. */
TW_INLINE int tw_basin_find(tw_near *near, int count, double radius, int *down, int *lowest)
{
    int contacts = 0;
    for (int i = 0; i < count; i++) {
        near[i].basin = i;
        for (int j = 0; j < i; j++)
            if (tw_basin_is_same_point(&near[i], &near[j], radius)) tw_basin_join(near, i, j);
    }
    /* Each set goes down to the lowest element behind its nearest feature. */
    for (int i = 0; i < count; i++)
        down[i] = -1;
    for (int i = 0; i < count; i++) {
        const int set = tw_basin_root(near, i);
        for (int j = 0; j < count; j++)
            if (tw_basin_root(near, j) != set && tw_basin_flows(&near[i], &near[j]) &&
                (down[set] < 0 || tw_basin_is_lower(&near[j], &near[down[set]])))
                down[set] = j;
    }
    for (int i = 0; i < count; i++)
        if (down[i] >= 0) tw_basin_join(near, i, down[i]);
    for (int i = 0; i < count; i++)
        down[i] = tw_basin_root(near, i);
    for (int i = 0; i < count; i++) {
        const int set = down[i];
        if (set == i) {
            lowest[contacts] = i;
            near[i].basin = contacts++;
        } else {
            near[i].basin = near[set].basin;
            if (tw_basin_is_lower(&near[i], &near[lowest[near[i].basin]]))
                lowest[near[i].basin] = i;
        }
    }
    return contacts;
}

/* ---- Passes ---- */

TW_INLINE int tw_pass_is_lower(const tw_pass *p, const tw_pass *q)
{
    return p->d < q->d || (p->d == q->d && p->edge < q->edge);
}

/* Takes a way between two contacts: of several the lowest counts. Passes are kept in ascending
 * order of distance. Returns their number. */
TW_INLINE int tw_pass_add(tw_pass *passes, int count, const tw_pass *found)
{
    int at = 0;
    while (at < count && !(passes[at].a == found->a && passes[at].b == found->b))
        at++;
    if (at == count)
        count++;
    else if (!tw_pass_is_lower(found, &passes[at]))
        return count;
    for (; at > 0 && tw_pass_is_lower(found, &passes[at - 1]); at--)
        passes[at] = passes[at - 1];
    passes[at] = *found;
    return count;
}

/* Keeps those that close no loop, which is the spanning tree of lowest passes, and finds the
 * shares; `near` and `lowest` are those of tw_basin_find. `tree` is workspace of as many places as
 * there are contacts. Returns their number. */
TW_INLINE int tw_pass_choose(tw_pass *passes, int count, const tw_near *near, const int *lowest,
                             int contacts, int *tree)
{
    int kept = 0;
    for (int k = 0; k < contacts; k++)
        tree[k] = k;
    for (int i = 0; i < count; i++) {
        tw_pass pass = passes[i];
        const int a = tree[pass.a], b = tree[pass.b];
        if (a == b) continue;
        for (int k = 0; k < contacts; k++)
            if (tree[k] == b) tree[k] = a;
        const double d_a = near[lowest[pass.a]].d, d_b = near[lowest[pass.b]].d;
        const double to_a = sqrt(fabs((pass.d - d_a) * (pass.d + d_a)));
        const double to_b = sqrt(fabs((pass.d - d_b) * (pass.d + d_b)));
        pass.share = to_a + to_b > 0.0 ? to_b / (to_a + to_b) : 0.5;
        passes[kept++] = pass;
    }
    return kept;
}

/* Defines FORM_passes: the passes inside the sphere between the contacts of tw_basin_find, of which
 * tw_pass_choose keeps some, with room for three times `count`. FORM_nearest_edge gives the nearest
 * point of an edge. Returns their number. */
#define TW_BASIN_PASSES(FORM)                                                                      \
    TW_INLINE int FORM##_pass(const FORM *form, const tw_near *p, const tw_near *q, tw_vec3 x,     \
                              double radius, tw_pass *passes, int found)                           \
    {                                                                                              \
        for (int k = 0; k < p->edges; k++)                                                         \
            for (int l = 0; l < q->edges; l++) {                                                   \
                tw_near at;                                                                        \
                if (p->edge[k] != q->edge[l]) continue;                                            \
                FORM##_nearest_edge(form, p->edge[k], x, &at);                                     \
                if (!(at.d < radius)) continue;                                                    \
                const tw_pass pass = {                                                             \
                    tw_vec3_scale(1.0 / at.d, at.to), at.d, p->edge[k], p->basin, q->basin, 0.0};  \
                found = tw_pass_add(passes, found, &pass);                                         \
            }                                                                                      \
        return found;                                                                              \
    }                                                                                              \
    TW_INLINE int FORM##_passes(const FORM *form, const tw_near *near, int count, tw_vec3 x,       \
                                double radius, tw_pass *passes)                                    \
    {                                                                                              \
        int found = 0;                                                                             \
        for (int i = 0; i < count; i++)                                                            \
            for (int j = 0; j < count; j++)                                                        \
                if (near[i].basin < near[j].basin)                                                 \
                    found = FORM##_pass(form, &near[i], &near[j], x, radius, passes, found);       \
        return found;                                                                              \
    }

#endif
