/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>
#include <twirl/mesh.h>
#include <twirl/vec3.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/memory.h"
#include "shape/mesh_pairs.h"

static bool is_finite(tw_vec3 x)
{
    return fabs(x.x) + fabs(x.y) + fabs(x.z) < 1e100;
}

static tw_status refuse_corner(uint32_t number, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_INPUT, "facet %u has a corner that is not a finite length",
                        (unsigned)number);
}

tw_status tw_mesh_soup_add(tw_mesh_soup *soup, tw_vec3 a, tw_vec3 b, tw_vec3 c, uint32_t number,
                           tw_error *error)
{
    assert(soup);
    if (!is_finite(a) || !is_finite(b) || !is_finite(c)) return refuse_corner(number, error);
    if (soup->count == TW_MESH_FACETS_MAX)
        return tw_error_set(error, TW_STATUS_INPUT, "more than %d facets", TW_MESH_FACETS_MAX);
    size_t corners = 3 * soup->capacity;
    if (tw_buffer_reserve(&soup->corner, &corners, 3 * soup->count + 3, sizeof a) != TW_STATUS_OK ||
        !tw_buffer_grow(&soup->number, soup->capacity, corners / 3, sizeof number))
        return tw_error_set_memory(error);
    soup->capacity = corners / 3;
    tw_vec3 *corner = &soup->corner[3 * soup->count];
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    soup->number[soup->count++] = number;
    return TW_STATUS_OK;
}

void tw_mesh_soup_free(tw_mesh_soup *soup)
{
    tw_buffer_free(&soup->corner, &soup->capacity);
    tw_buffer_drop(&soup->number);
    soup->count = 0;
}

void tw_mesh_free(tw_mesh *mesh)
{
    free(mesh->vertex);
    free(mesh->facet);
    free(mesh->edge);
    free(mesh->sides);
    memset(mesh, 0, sizeof *mesh);
}

const char *tw_mesh_finding_text(tw_mesh_finding finding)
{
    static const char *const text[TW_MESH_FINDINGS] = {
        "corners put on a vertex close by",
        "facets without area, dropped",
        "duplicate facets, dropped",
        "facets divided at vertices on their edges",
        "boundary edges, of holes or rims",
        "non-manifold edges, of three or more facets",
        "edges whose facets look to different sides",
        "pairs of facets that cross"};
    return text[finding];
}

static void count(tw_mesh *mesh, tw_mesh_finding finding, uint32_t number)
{
    tw_mesh_count *c = &mesh->found[finding];
    if (c->count++ == 0 || number < c->first) c->first = number;
}

static int compare_double(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_place(tw_vec3 a, tw_vec3 b)
{
    const int x = compare_double(a.x, b.x), y = compare_double(a.y, b.y);
    return x ? x : y ? y : compare_double(a.z, b.z);
}

static int compare_numbers(const uint32_t *a, const uint32_t *b, int n)
{
    for (int k = 0; k < n; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

static tw_vec3 corner_of(const tw_mesh *mesh, size_t facet, int k)
{
    return mesh->vertex[mesh->facet[facet].vertex[k % 3]];
}

/* ---- Vertices ---- */

typedef struct corner {
    tw_vec3 x;
    size_t index;
} corner;

static int by_place(const void *a, const void *b)
{
    return compare_place(((const corner *)a)->x, ((const corner *)b)->x);
}

/* Equal places are one vertex; vertices come in the order of their places. */
static bool weld_equal(tw_mesh *mesh, const tw_mesh_soup *soup, double scale)
{
    const size_t n = 3 * soup->count;
    corner *all = malloc((n + 1) * sizeof *all);
    if (!all) return false;
    for (size_t i = 0; i < n; i++) {
        all[i].x = tw_vec3_add(tw_vec3_scale(scale, soup->corner[i]), tw_vec3_make(0.0, 0.0, 0.0));
        all[i].index = i;
    }
    qsort(all, n, sizeof *all, by_place);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || compare_place(all[i - 1].x, all[i].x) != 0)
            mesh->vertex[mesh->vertex_count++] = all[i].x;
        tw_mesh_facet *facet = &mesh->facet[all[i].index / 3];
        facet->vertex[all[i].index % 3] = (uint32_t)(mesh->vertex_count - 1);
    }
    for (size_t i = 0; i < soup->count; i++)
        mesh->facet[i].number = soup->number[i];
    free(all);
    return true;
}

/* ---- Edges ---- */

typedef struct half_edge {
    uint32_t vertex[2], facet, k;
} half_edge;

static int by_edge(const void *a, const void *b)
{
    return compare_numbers((const uint32_t *)a, (const uint32_t *)b, 4);
}

/* Of the facets as they are now. */
static bool find_edges(tw_mesh *mesh)
{
    const size_t n = 3 * mesh->facet_count;
    half_edge *half = malloc((n + 1) * sizeof *half);
    free(mesh->edge);
    free(mesh->sides);
    mesh->edge = malloc((n + 1) * sizeof *mesh->edge);
    mesh->sides = malloc((n + 1) * sizeof *mesh->sides);
    mesh->edge_count = 0;
    if (!half || !mesh->edge || !mesh->sides) {
        free(half);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t a = mesh->facet[i / 3].vertex[i % 3];
        const uint32_t b = mesh->facet[i / 3].vertex[(i + 1) % 3];
        half[i] = (half_edge){{a < b ? a : b, a < b ? b : a}, (uint32_t)(i / 3), (uint32_t)(i % 3)};
    }
    qsort(half, n, sizeof *half, by_edge);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || compare_numbers(half[i].vertex, half[i - 1].vertex, 2) != 0)
            mesh->edge[mesh->edge_count++] =
                (tw_mesh_edge){{half[i].vertex[0], half[i].vertex[1]}, (uint32_t)i, 0};
        mesh->edge[mesh->edge_count - 1].count++;
        mesh->facet[half[i].facet].edge[half[i].k] = (uint32_t)(mesh->edge_count - 1);
        mesh->sides[i] = half[i].facet;
    }
    free(half);
    return true;
}

/* ---- Facets ---- */

/* Its height over the longest edge; 0 for a facet that has a vertex twice. */
static double thickness(const tw_mesh *mesh, size_t i)
{
    double longest = 0.0;
    for (int k = 0; k < 3; k++) {
        const double length =
            tw_vec3_norm(tw_vec3_sub(corner_of(mesh, i, k + 1), corner_of(mesh, i, k)));
        longest = tw_math_max(longest, length);
    }
    return longest > 0.0 ? tw_vec3_norm(tw_mesh_pairs_normal(mesh, i)) / longest : 0.0;
}

/* A facet by its vertices in ascending order. */
typedef struct facet_key {
    uint32_t vertex[3], number, index;
} facet_key;

static int by_vertices(const void *a, const void *b)
{
    return compare_numbers((const uint32_t *)a, (const uint32_t *)b, 5);
}

static void put_two_in_order(uint32_t *a, uint32_t *b)
{
    const uint32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low;
    *b = high;
}

static bool drop_facets(tw_mesh *mesh, double tolerance)
{
    facet_key *key = malloc((mesh->facet_count + 1) * sizeof *key);
    bool *keep = calloc(mesh->facet_count + 1, sizeof *keep);
    size_t keys = 0, kept = 0;
    for (size_t i = 0; key && keep && i < mesh->facet_count; i++) {
        const tw_mesh_facet *f = &mesh->facet[i];
        if (!(thickness(mesh, i) > tolerance)) {
            count(mesh, TW_MESH_DEGENERATE, f->number);
            continue;
        }
        facet_key *t = &key[keys++];
        *t = (facet_key){{f->vertex[0], f->vertex[1], f->vertex[2]}, f->number, (uint32_t)i};
        put_two_in_order(&t->vertex[0], &t->vertex[1]);
        put_two_in_order(&t->vertex[1], &t->vertex[2]);
        put_two_in_order(&t->vertex[0], &t->vertex[1]);
    }
    if (key && keep) {
        qsort(key, keys, sizeof *key, by_vertices);
        for (size_t i = 0; i < keys; i++) {
            keep[key[i].index] =
                i == 0 || compare_numbers(key[i].vertex, key[i - 1].vertex, 3) != 0;
            if (!keep[key[i].index]) count(mesh, TW_MESH_DUPLICATE, key[i].number);
        }
        for (size_t i = 0; i < mesh->facet_count; i++)
            if (keep[i]) mesh->facet[kept++] = mesh->facet[i];
        mesh->facet_count = kept;
    }
    const bool done = key && keep;
    free(key);
    free(keep);
    return done;
}

/* ---- Cracks ---- */

typedef struct rim_vertex {
    double along; /* a direction in which no plane of a drawing lies */
    uint32_t vertex;
} rim_vertex;

static int by_along(const void *a, const void *b)
{
    const rim_vertex *p = a, *q = b;
    const int order = compare_double(p->along, q->along);
    return order ? order : (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static uint32_t root_of(const uint32_t *root, uint32_t i)
{
    while (root[i] != i)
        i = root[i];
    return i;
}

/* Vertices of boundary edges that are closer than the tolerance become the lowest of them. */
static bool weld_near(tw_mesh *mesh, double tolerance)
{
    const tw_vec3 direction = {0.5471, 0.6313, 0.5495};
    uint32_t *root = malloc((mesh->vertex_count + 1) * sizeof *root);
    rim_vertex *rim = malloc((2 * mesh->edge_count + 1) * sizeof *rim);
    size_t n = 0;
    for (size_t e = 0; root && rim && e < mesh->edge_count; e++)
        for (int k = 0; k < 2 && mesh->edge[e].count == 1; k++) {
            const uint32_t v = mesh->edge[e].vertex[k];
            rim[n++] = (rim_vertex){tw_vec3_dot(direction, mesh->vertex[v]), v};
        }
    if (root && rim) {
        for (uint32_t v = 0; v < mesh->vertex_count; v++)
            root[v] = v;
        qsort(rim, n, sizeof *rim, by_along);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = i + 1; j < n && rim[j].along - rim[i].along <= tolerance; j++) {
                const uint32_t a = root_of(root, rim[i].vertex), b = root_of(root, rim[j].vertex);
                const tw_vec3 apart =
                    tw_vec3_sub(mesh->vertex[rim[i].vertex], mesh->vertex[rim[j].vertex]);
                if (a == b || tw_vec3_norm(apart) > tolerance) continue;
                root[a > b ? a : b] = a < b ? a : b;
            }
        }
        for (size_t i = 0; i < 3 * mesh->facet_count; i++) {
            uint32_t *v = &mesh->facet[i / 3].vertex[i % 3];
            if (root[*v] != *v) count(mesh, TW_MESH_WELDED, mesh->facet[i / 3].number);
            *v = root_of(root, *v);
        }
    }
    const bool done = root && rim;
    free(root);
    free(rim);
    return done;
}

/* ---- One order ---- */

static int by_facet(const void *a, const void *b)
{
    const tw_mesh_facet *f = a, *g = b;
    const int order = compare_numbers(f->vertex, g->vertex, 3);
    return order ? order : compare_numbers(&f->number, &g->number, 1);
}

/* Vertices in use keep their order; facets begin with the lowest. */
static bool put_in_order(tw_mesh *mesh)
{
    uint32_t *is = calloc(mesh->vertex_count + 1, sizeof *is), used = 0;
    if (!is) return false;
    for (size_t i = 0; i < 3 * mesh->facet_count; i++)
        is[mesh->facet[i / 3].vertex[i % 3]] = 1;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        if (!is[v]) continue;
        mesh->vertex[used] = mesh->vertex[v];
        is[v] = used++;
    }
    mesh->vertex_count = used;
    for (size_t i = 0; i < mesh->facet_count; i++) {
        tw_mesh_facet *f = &mesh->facet[i];
        const uint32_t a = is[f->vertex[0]], b = is[f->vertex[1]], c = is[f->vertex[2]];
        const int low = a < b && a < c ? 0 : b < c ? 1 : 2;
        const uint32_t turned[] = {a, b, c, a, b};
        memcpy(f->vertex, turned + low, sizeof f->vertex);
    }
    free(is);
    qsort(mesh->facet, mesh->facet_count, sizeof *mesh->facet, by_facet);
    return true;
}

/* ---- Vertices on edges ---- */

/* A vertex inside a boundary edge of a facet. */
typedef struct junction {
    uint32_t facet, k;
    double at; /* along the edge [m] */
    uint32_t vertex;
} junction;

typedef struct junctions {
    const tw_mesh *mesh;
    double tolerance;
    junction *all;
    size_t count, capacity;
    bool failed;
} junctions;

static int by_junction(const void *a, const void *b)
{
    const junction *p = a, *q = b;
    const int facet = compare_numbers(&p->facet, &q->facet, 1),
              k = compare_numbers(&p->k, &q->k, 1);
    const int at = compare_double(p->at, q->at);
    return facet ? facet : k ? k : at ? at : compare_numbers(&p->vertex, &q->vertex, 1);
}

static bool has_vertex(const tw_mesh_facet *f, uint32_t v)
{
    return f->vertex[0] == v || f->vertex[1] == v || f->vertex[2] == v;
}

static void find_junctions_of(junctions *j, uint32_t facet, uint32_t other)
{
    const tw_mesh *mesh = j->mesh;
    const tw_mesh_facet *f = &mesh->facet[facet];
    for (uint32_t k = 0; k < 3; k++) {
        if (mesh->edge[f->edge[k]].count != 1) continue;
        const tw_vec3 a = corner_of(mesh, facet, (int)k);
        const tw_vec3 d = tw_vec3_sub(corner_of(mesh, facet, (int)k + 1), a);
        const double length = tw_vec3_norm(d);
        for (int i = 0; i < 3; i++) {
            const uint32_t v = mesh->facet[other].vertex[i];
            const tw_vec3 r = tw_vec3_sub(mesh->vertex[v], a);
            const double at = tw_vec3_dot(r, d) / length;
            if (has_vertex(f, v) || at <= j->tolerance || at >= length - j->tolerance ||
                tw_vec3_norm(tw_vec3_add_scaled(r, -at / length, d)) > j->tolerance)
                continue;
            if (tw_buffer_reserve(&j->all, &j->capacity, j->count + 1, sizeof *j->all) !=
                TW_STATUS_OK) {
                j->failed = true;
                return;
            }
            j->all[j->count++] = (junction){facet, k, at, v};
        }
    }
}

static bool find_junctions(void *context, uint32_t a, uint32_t b)
{
    junctions *j = context;
    find_junctions_of(j, a, b);
    find_junctions_of(j, b, a);
    return !j->failed;
}

/* Divides each facet at the vertices on the first of its edges that has some: a fan from the
 * opposite vertex. */
static bool split_at(tw_mesh *mesh, const junction *all, size_t count_all, size_t *capacity)
{
    for (size_t i = 0, next; i < count_all; i = next) {
        const uint32_t facet = all[i].facet, k = all[i].k;
        const tw_mesh_facet whole = mesh->facet[facet];
        const uint32_t last = whole.vertex[(k + 1) % 3], opposite = whole.vertex[(k + 2) % 3];
        uint32_t from = whole.vertex[k];
        bool first = true;
        for (next = i; next < count_all && all[next].facet == facet; next++) {
            if (all[next].k != k || all[next].vertex == from) continue;
            tw_mesh_facet part = {{from, all[next].vertex, opposite}, {0, 0, 0}, whole.number};
            if (tw_buffer_reserve(&mesh->facet, capacity, mesh->facet_count + 2, sizeof part) !=
                TW_STATUS_OK)
                return false;
            mesh->facet[first ? facet : mesh->facet_count++] = part;
            first = false;
            from = all[next].vertex;
        }
        mesh->facet[mesh->facet_count++] =
            (tw_mesh_facet){{from, last, opposite}, {0, 0, 0}, whole.number};
        count(mesh, TW_MESH_SPLIT, whole.number);
    }
    return true;
}

static bool split_facets(tw_mesh *mesh, double tolerance)
{
    bool done = true;
    size_t found = 1, capacity = mesh->facet_count;
    /* Each round divides one edge of a facet. */
    for (int round = 0; round < 3 && found > 0 && done; round++) {
        junctions j = {mesh, tolerance, NULL, 0, 0, false};
        done = put_in_order(mesh) && find_edges(mesh) &&
               tw_mesh_pairs_visit(mesh, tolerance, find_junctions, &j);
        found = j.count;
        if (found > 0) qsort(j.all, found, sizeof *j.all, by_junction);
        done = done && split_at(mesh, j.all, found, &capacity);
        tw_buffer_drop(&j.all);
    }
    return done;
}

/* ---- Checks ---- */

typedef struct checks {
    tw_mesh *mesh;
    double tolerance;
    uint32_t overlap[2]; /* numbers of facets; 0: none */
} checks;

static bool check_pair(void *context, uint32_t a, uint32_t b)
{
    checks *c = context;
    const uint32_t p = c->mesh->facet[a].number, q = c->mesh->facet[b].number;
    if (tw_mesh_pairs_overlap(c->mesh, a, b, c->tolerance)) {
        const uint32_t low = p < q ? p : q, high = p < q ? q : p;
        if (c->overlap[0] == 0 || low < c->overlap[0] ||
            (low == c->overlap[0] && high < c->overlap[1])) {
            c->overlap[0] = low;
            c->overlap[1] = high;
        }
    } else if (tw_mesh_pairs_cross(c->mesh, a, b, c->tolerance)) {
        count(c->mesh, TW_MESH_CROSSING, p < q ? p : q);
    }
    return true;
}

/* The angle between two facets at an edge, whichever sides they look to. */
static double bend_of(const tw_mesh *mesh, uint32_t a, uint32_t b, bool flipped)
{
    const tw_vec3 n = tw_mesh_pairs_normal(mesh, a);
    const tw_vec3 m = tw_vec3_scale(flipped ? -1.0 : 1.0, tw_mesh_pairs_normal(mesh, b));
    return tw_math_atan2(tw_vec3_norm(tw_vec3_cross(n, m)), tw_vec3_dot(n, m));
}

/* Whether a facet goes along an edge from its lower vertex to its higher. */
static bool goes_up(const tw_mesh *mesh, uint32_t facet, uint32_t edge)
{
    const tw_mesh_facet *f = &mesh->facet[facet];
    const int k = f->edge[0] == edge ? 0 : f->edge[1] == edge ? 1 : 2;
    return f->vertex[k] == mesh->edge[edge].vertex[0];
}

static void measure_edges(tw_mesh *mesh)
{
    mesh->shortest = mesh->gentlest = HUGE_VAL;
    mesh->sharpest = 0.0;
    for (uint32_t e = 0; e < mesh->edge_count; e++) {
        const tw_mesh_edge *edge = &mesh->edge[e];
        const uint32_t *side = &mesh->sides[edge->first];
        mesh->shortest =
            tw_math_min(mesh->shortest, tw_vec3_norm(tw_vec3_sub(mesh->vertex[edge->vertex[0]],
                                                                 mesh->vertex[edge->vertex[1]])));
        if (edge->count == 1) count(mesh, TW_MESH_BOUNDARY, mesh->facet[side[0]].number);
        if (edge->count > 2) count(mesh, TW_MESH_NON_MANIFOLD, mesh->facet[side[0]].number);
        if (edge->count != 2) continue;
        const bool flipped = goes_up(mesh, side[0], e) == goes_up(mesh, side[1], e);
        const double bend = bend_of(mesh, side[0], side[1], flipped);
        if (flipped) count(mesh, TW_MESH_FLIPPED, mesh->facet[side[0]].number);
        if (bend > TW_MESH_TOLERANCE) {
            mesh->gentlest = tw_math_min(mesh->gentlest, bend);
            mesh->sharpest = tw_math_max(mesh->sharpest, bend);
        }
    }
}

static void measure_all(tw_mesh *mesh)
{
    measure_edges(mesh);
    double area = 0.0, volume = 0.0;
    for (size_t i = 0; i < mesh->facet_count; i++) {
        const tw_vec3 n = tw_mesh_pairs_normal(mesh, i);
        area += 0.5 * tw_vec3_norm(n);
        volume += tw_vec3_dot(tw_vec3_sub(corner_of(mesh, i, 0), mesh->low), n) / 6.0;
    }
    mesh->area = area;
    const bool open = mesh->found[TW_MESH_BOUNDARY].count ||
                      mesh->found[TW_MESH_NON_MANIFOLD].count || mesh->found[TW_MESH_FLIPPED].count;
    mesh->volume = volume;
    if (open) mesh->volume = (double)NAN;
}

/* ---- All ---- */

static tw_status check_soup(const tw_mesh_soup *soup, double scale, tw_error *error)
{
    for (size_t i = 0; i < 3 * soup->count; i++)
        if (!is_finite(tw_vec3_scale(scale, soup->corner[i])))
            return refuse_corner(soup->number[i / 3], error);
    if (soup->count == 0) return tw_error_set(error, TW_STATUS_INPUT, "no facets");
    return TW_STATUS_OK;
}

static void find_box(tw_mesh *mesh)
{
    mesh->low = mesh->high = mesh->vertex[0];
    for (size_t v = 1; v < mesh->vertex_count; v++) {
        const tw_vec3 x = mesh->vertex[v];
        mesh->low = tw_vec3_make(tw_math_min(mesh->low.x, x.x), tw_math_min(mesh->low.y, x.y),
                                 tw_math_min(mesh->low.z, x.z));
        mesh->high = tw_vec3_make(tw_math_max(mesh->high.x, x.x), tw_math_max(mesh->high.y, x.y),
                                  tw_math_max(mesh->high.z, x.z));
    }
}

bool tw_mesh_pairs_link(tw_mesh *mesh)
{
    find_box(mesh);
    if (!find_edges(mesh)) return false;
    measure_all(mesh);
    return true;
}

tw_status tw_mesh_make(tw_mesh *mesh, const tw_mesh_soup *soup, double scale, tw_error *error)
{
    TW_CALL_HERE(mesh && soup);
    memset(mesh, 0, sizeof *mesh);
    tw_status status = check_soup(soup, scale, error);
    if (status != TW_STATUS_OK) return status;
    mesh->read = mesh->facet_count = soup->count;
    mesh->vertex = malloc(3 * soup->count * sizeof *mesh->vertex);
    bool done = tw_buffer_zeros(&mesh->facet, soup->count, sizeof *mesh->facet) && mesh->vertex &&
                weld_equal(mesh, soup, scale);
    if (done) find_box(mesh);
    checks c = {mesh, TW_MESH_TOLERANCE * tw_vec3_norm(tw_vec3_sub(mesh->high, mesh->low)), {0}};
    done = done && drop_facets(mesh, c.tolerance) && find_edges(mesh) &&
           weld_near(mesh, c.tolerance) && drop_facets(mesh, c.tolerance) &&
           split_facets(mesh, c.tolerance) && put_in_order(mesh) && find_edges(mesh) &&
           tw_mesh_pairs_visit(mesh, c.tolerance, check_pair, &c);
    if (!done) {
        status = tw_error_set_memory(error);
    } else if (mesh->facet_count == 0) {
        status =
            tw_error_set(error, TW_STATUS_INPUT, "all %zu facets are without area", mesh->read);
    } else if (c.overlap[0] != 0) {
        status =
            tw_error_set(error, TW_STATUS_INPUT,
                         "facets %u and %u overlap in one plane: grains would be pressed twice; "
                         "remove one, or cut both along their common outline",
                         (unsigned)c.overlap[0], (unsigned)c.overlap[1]);
    } else {
        find_box(mesh);
        measure_all(mesh);
    }
    if (status != TW_STATUS_OK) tw_mesh_free(mesh);
    return status;
}
