/* SPDX-License-Identifier: BSD-3-Clause */
/* Walls as polygons, to be looked at. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/mat3.h"
#include "base/quat.h"
#include "sim/sim_internal.h"
#include "step/touch_force.h"
#include "world/schedule.h"
#include "world/surface.h"

void tw_wall_surface_free(tw_wall_surface *surface)
{
    free(surface->vertex);
    free(surface->corner);
    free(surface->end);
    free(surface->force);
    free(surface->edge);
    memset(surface, 0, sizeof *surface);
}

/* Room for so many; 0: no memory. */
static int reserve(tw_wall_surface *s, size_t vertices, size_t facets, size_t corners)
{
    s->vertex = malloc((vertices + 1) * sizeof *s->vertex);
    s->corner = malloc((corners + 1) * sizeof *s->corner);
    s->end = calloc(facets + 1, sizeof *s->end);
    s->force = malloc((facets + 1) * sizeof *s->force);
    return s->vertex && s->corner && s->end && s->force;
}

static size_t corner_count(const tw_wall_surface *s)
{
    return s->facet_count > 0 ? s->end[s->facet_count - 1] : 0;
}

/* Successive corners that are the same, as at the end of a cone, are one. */
static void add_facet(tw_wall_surface *s, const uint32_t *corner, size_t count)
{
    size_t at = corner_count(s);
    for (size_t k = 0; k < count; k++)
        if (corner[k] != corner[(k + 1) % count]) s->corner[at++] = corner[k];
    s->end[s->facet_count++] = (uint32_t)at;
}

static tw_vec3 outwards(const tw_wall *wall, tw_vec3 x)
{
    return tw_vec3_add(wall->point, tw_quat_rotate(wall->q, x));
}

/* ---- Surfaces of revolution ---- */

enum { AROUND = 64, SPHERE_STRIPS = 32, STRIPS_MAX = 64 };

/* The points between strips of facets; each segment has those from `first` of it to that of the
 * next one. */
typedef struct strips {
    tw_profile_point *point;
    uint32_t *first;
    size_t points, count;
} strips;

static tw_profile_point sphere_point(double radius, size_t k)
{
    const double angle = TW_MATH_PI * (double)k / SPHERE_STRIPS;
    const int pole = k % SPHERE_STRIPS == 0;
    return (tw_profile_point){pole ? 0.0 : fabs(radius) * tw_math_sin(angle),
                              -fabs(radius) * tw_math_cos(angle)};
}

/* Into facets that are up to three times as long as wide. */
static size_t strips_of(tw_profile_point a, tw_profile_point b)
{
    const double width = 2.0 * TW_MATH_PI / AROUND * tw_math_max(a.rho, b.rho);
    const double length = tw_math_hypot(b.rho - a.rho, b.z - a.z);
    return (size_t)tw_math_min(tw_math_max(ceil(length / (3.0 * width)), 1.0), STRIPS_MAX);
}

static int cut_strips(strips *s, const tw_model *model, const tw_wall *wall)
{
    const int sphere = wall->surface == TW_SURFACE_SPHERE;
    const tw_model_surface *surface = sphere ? NULL : &model->surfaces[wall->model];
    const size_t segments = sphere ? SPHERE_STRIPS : surface->elements;
    const size_t points = sphere ? SPHERE_STRIPS + 1 : surface->profile.points;
    s->first = malloc((segments + 1) * sizeof *s->first);
    s->point = malloc((segments * STRIPS_MAX + 1) * sizeof *s->point);
    if (!s->first || !s->point) return 0;
    for (size_t k = 0; k <= segments; k++) {
        const size_t next = (k + 1) % points;
        s->first[k] = (uint32_t)s->count;
        if (k == segments && points == segments) break; /* it is closed */
        const tw_profile_point a =
            sphere ? sphere_point(wall->radius, k) : surface->profile.point[k];
        const tw_profile_point b =
            sphere ? sphere_point(wall->radius, k + 1) : surface->profile.point[next];
        const size_t parts = k == segments || sphere ? 1 : strips_of(a, b);
        for (size_t i = 0; i < parts; i++) {
            const double at = (double)i / (double)parts;
            s->point[s->points++] =
                (tw_profile_point){a.rho + at * (b.rho - a.rho), a.z + at * (b.z - a.z)};
        }
        if (k < segments) s->count += parts;
    }
    return 1;
}

static uint32_t ring_vertex(const strips *s, const uint32_t *ring, size_t k, size_t around)
{
    return ring[k] + (s->point[k].rho > 0.0 ? (uint32_t)(around % AROUND) : 0);
}

static int turn(tw_wall_surface *out, const tw_wall *wall, const strips *s)
{
    uint32_t *ring = malloc((s->points + 1) * sizeof *ring);
    const int good =
        ring && reserve(out, s->points * AROUND, s->count * AROUND, 4 * s->count * AROUND);
    for (size_t k = 0; good && k < s->points; k++) {
        const tw_profile_point p = s->point[k];
        ring[k] = (uint32_t)out->vertex_count;
        for (size_t i = 0; i < (p.rho > 0.0 ? AROUND : 1); i++) {
            const double angle = 2.0 * TW_MATH_PI * (double)i / AROUND;
            out->vertex[out->vertex_count++] = outwards(
                wall, tw_vec3_make(p.rho * tw_math_cos(angle), p.rho * tw_math_sin(angle), p.z));
        }
    }
    for (size_t k = 0; good && k < s->count; k++) {
        const size_t next = (k + 1) % s->points;
        for (size_t i = 0; i < AROUND; i++) {
            const uint32_t corner[] = {ring_vertex(s, ring, k, i), ring_vertex(s, ring, k, i + 1),
                                       ring_vertex(s, ring, next, i + 1),
                                       ring_vertex(s, ring, next, i)};
            add_facet(out, corner, 4);
        }
    }
    free(ring);
    return good;
}

/* The facet at a place that is on a segment; of a sphere the segment follows. */
static size_t facet_at(const strips *s, const tw_model *model, const tw_wall *wall,
                       uint32_t segment, tw_vec3 x)
{
    const tw_vec3 in = tw_surface_inwards(wall, x);
    const double rho = tw_math_hypot(in.x, in.y), turns = tw_math_atan2(in.y, in.x) / TW_MATH_PI;
    double at, strip;
    if (wall->surface == TW_SURFACE_SPHERE) {
        strip = tw_math_atan2(rho, -in.z) / TW_MATH_PI * SPHERE_STRIPS;
        segment = (uint32_t)tw_math_min(strip, SPHERE_STRIPS - 1);
        at = 0.0;
    } else {
        const tw_profile *profile = &model->surfaces[wall->model].profile;
        const tw_profile_segment *side = &profile->segment[segment];
        const tw_profile_point from = profile->point[segment];
        at = ((rho - from.rho) * side->along.rho + (in.z - from.z) * side->along.z) * side->scale;
    }
    const double parts = s->first[segment + 1] - s->first[segment];
    strip = tw_math_min(tw_math_max(floor(at * parts), 0.0), parts - 1.0);
    const double around = floor(0.5 * AROUND * (turns < 0.0 ? turns + 2.0 : turns));
    return (s->first[segment] + (size_t)strip) * AROUND + (size_t)around % AROUND;
}

/* ---- Planes ---- */

enum { CORNERS_MAX = 256 };

typedef struct polygon {
    tw_vec3 x[CORNERS_MAX];
    size_t count;
} polygon;

/* Keeps what is at normal . (x - point) >= 0. */
static void clip(polygon *p, tw_vec3 point, tw_vec3 normal)
{
    polygon out = {.count = 0};
    for (size_t k = 0; k < p->count; k++) {
        const tw_vec3 a = p->x[k], b = p->x[(k + 1) % p->count];
        const double h = tw_vec3_dot(normal, tw_vec3_sub(a, point));
        const double i = tw_vec3_dot(normal, tw_vec3_sub(b, point));
        if (h >= 0.0 && out.count < CORNERS_MAX) out.x[out.count++] = a;
        if ((h >= 0.0) != (i >= 0.0) && out.count < CORNERS_MAX)
            out.x[out.count++] = tw_vec3_add_scaled(a, h / (h - i), tw_vec3_sub(b, a));
    }
    *p = out;
}

static tw_vec3 unit(int axis)
{
    return tw_vec3_make(axis == 0, axis == 1, axis == 2);
}

static tw_vec3 foot(const tw_wall *wall, tw_vec3 x)
{
    return tw_vec3_add_scaled(x, -tw_vec3_dot(tw_vec3_sub(x, wall->point), wall->normal),
                              wall->normal);
}

static const double margin = 0.04; /* of the diagonal of the box, where the cell is open */

/* A plane as far as the box, the periodic edges of the cell and other planes leave it. */
static polygon cut_plane(const tw_state *state, const tw_wall *wall, const tw_vec3 *box)
{
    const double size = tw_vec3_norm(tw_vec3_sub(box[1], box[0]));
    const tw_vec3 middle = tw_vec3_scale(0.5, tw_vec3_add(box[0], box[1])), n = wall->normal;
    const double least = tw_math_min(fabs(n.x), tw_math_min(fabs(n.y), fabs(n.z)));
    const tw_vec3 beside = unit(fabs(n.x) == least ? 0 : fabs(n.y) == least ? 1 : 2);
    const tw_vec3 up = tw_vec3_cross(n, beside), across = tw_vec3_cross(up, n);
    polygon p = {.count = 4};
    for (size_t k = 0; k < 4; k++) {
        const tw_vec3 at = tw_vec3_add_scaled(foot(wall, middle), k < 2 ? 2.0 * size : -2.0 * size,
                                              tw_vec3_scale(1.0 / tw_vec3_norm(up), up));
        p.x[k] = tw_vec3_add_scaled(at, k % 3 ? 2.0 * size : -2.0 * size,
                                    tw_vec3_scale(1.0 / tw_vec3_norm(across), across));
    }
    const tw_vec3 more = tw_vec3_scale(margin * size, tw_vec3_make(1.0, 1.0, 1.0));
    const tw_mat3 inverse = tw_mat3_inverse(state->cell.h);
    for (int k = 0; k < 3; k++) {
        clip(&p, tw_vec3_sub(box[0], more), unit(k));
        clip(&p, tw_vec3_add(box[1], more), tw_vec3_scale(-1.0, unit(k)));
        if (!state->cell.periodic[k]) continue;
        clip(&p, tw_vec3_make(0.0, 0.0, 0.0), tw_mat3_row(inverse, k));
        clip(&p, tw_mat3_column(state->cell.h, k), tw_vec3_scale(-1.0, tw_mat3_row(inverse, k)));
    }
    const polygon whole = p;
    for (size_t k = 0; k < state->wall_count; k++) {
        const tw_wall *other = &state->walls[k];
        if (other == wall || other->surface != TW_SURFACE_PLANE) continue;
        clip(&p, tw_vec3_add_scaled(other->point, -1e-9 * size, other->normal), other->normal);
    }
    return p.count > 2 ? p : whole; /* all of it can be behind another one */
}

/* ---- Edges to draw ---- */

typedef struct side {
    uint32_t low, high, facet, turned;
} side;

static int by_vertices(const void *left, const void *right)
{
    const side *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->facet < b->facet ? -1 : a->facet > b->facet;
}

static tw_vec3 facet_normal(const tw_wall_surface *s, size_t facet)
{
    const size_t first = facet ? s->end[facet - 1] : 0;
    const tw_vec3 origin = s->vertex[s->corner[first]];
    tw_vec3 sum = {0.0, 0.0, 0.0};
    for (size_t k = first + 1; k + 1 < s->end[facet]; k++)
        sum = tw_vec3_add(sum, tw_vec3_cross(tw_vec3_sub(s->vertex[s->corner[k]], origin),
                                             tw_vec3_sub(s->vertex[s->corner[k + 1]], origin)));
    return tw_vec3_scale(1.0 / tw_vec3_norm(sum), sum);
}

static int is_bent(const tw_wall_surface *s, const side *a, const side *b)
{
    const double cosine = tw_vec3_dot(facet_normal(s, a->facet), facet_normal(s, b->facet));
    return (a->turned == b->turned ? -cosine : cosine) < 0.93969262078590838; /* 20 degrees */
}

static int find_edges(tw_wall_surface *s)
{
    const size_t count = corner_count(s);
    side *sides = malloc((count + 1) * sizeof *sides);
    s->edge = malloc((2 * count + 1) * sizeof *s->edge);
    const int good = sides && s->edge;
    for (size_t facet = 0, first = 0; good && facet < s->facet_count; first = s->end[facet++])
        for (size_t k = first; k < s->end[facet]; k++) {
            const uint32_t a = s->corner[k], b = s->corner[k + 1 < s->end[facet] ? k + 1 : first];
            sides[k] = (side){a < b ? a : b, a < b ? b : a, (uint32_t)facet, a > b};
        }
    if (good) qsort(sides, count, sizeof *sides, by_vertices);
    for (size_t k = 0, next; good && k < count; k = next) {
        for (next = k + 1;
             next < count && sides[next].low == sides[k].low && sides[next].high == sides[k].high;)
            next++;
        if (next - k == 2 && !is_bent(s, &sides[k], &sides[k + 1])) continue;
        s->edge[2 * s->edge_count] = sides[k].low;
        s->edge[2 * s->edge_count++ + 1] = sides[k].high;
    }
    free(sides);
    return good;
}

/* ---- The extent ---- */

static void extend(tw_vec3 *box, tw_vec3 x, tw_vec3 by)
{
    const tw_vec3 low = tw_vec3_sub(x, by), high = tw_vec3_add(x, by);
    box[0] = tw_vec3_make(tw_math_min(box[0].x, low.x), tw_math_min(box[0].y, low.y),
                          tw_math_min(box[0].z, low.z));
    box[1] = tw_vec3_make(tw_math_max(box[1].x, high.x), tw_math_max(box[1].y, high.y),
                          tw_math_max(box[1].z, high.z));
}

static tw_vec3 all(double r)
{
    return tw_vec3_make(r, r, r);
}

static void extend_by_wall(tw_vec3 *box, const tw_model *model, const tw_wall *wall)
{
    const tw_model_surface *s = NULL;
    const tw_vec3 axis = tw_quat_rotate(wall->q, unit(2));
    if (wall->surface == TW_SURFACE_SPHERE) extend(box, wall->point, all(fabs(wall->radius)));
    if (tw_surface_has_elements(wall->surface)) s = &model->surfaces[wall->model];
    for (size_t k = 0; s && k < s->vertices; k++)
        extend(box, outwards(wall, s->vertex[k]), all(0.0));
    for (size_t k = 0; s && k < s->profile.points; k++) {
        const tw_profile_point p = s->profile.point[k];
        const double x = 1.0 - axis.x * axis.x, y = 1.0 - axis.y * axis.y;
        const double z = 1.0 - axis.z * axis.z;
        const tw_vec3 wide = tw_vec3_make(sqrt(tw_math_max(x, 0.0)), sqrt(tw_math_max(y, 0.0)),
                                          sqrt(tw_math_max(z, 0.0)));
        extend(box, tw_vec3_add_scaled(wall->point, p.z, axis), tw_vec3_scale(p.rho, wide));
    }
}

/* The place in the other directions. */
static tw_vec3 without_periodic(const tw_cell *cell, const tw_mat3 *inverse, tw_vec3 x)
{
    const tw_vec3 at = x;
    for (int k = 0; k < 3; k++)
        if (cell->periodic[k])
            x = tw_vec3_add_scaled(x, -tw_vec3_dot(tw_mat3_row(*inverse, k), at),
                                   tw_mat3_column(cell->h, k));
    return x;
}

tw_status tw_sim_get_extent(const tw_sim *sim, tw_vec3 *box, tw_error *error)
{
    TW_CALL_HERE(sim && box);
    const tw_state *state = &sim->state;
    const tw_cell *cell = &state->cell;
    const tw_mat3 inverse = tw_mat3_inverse(cell->h);
    const size_t count = tw_sim_sphere_count(sim);
    tw_sphere_state *sphere = malloc((count + 1) * sizeof *sphere);
    if (!sphere) return tw_error_set_memory(error);
    const tw_status status = tw_sim_get_spheres(sim, sphere, count, error);
    box[0] = all(HUGE_VAL);
    box[1] = all(-HUGE_VAL);
    for (size_t k = 0; k < count && status == TW_STATUS_OK; k++)
        extend(box, without_periodic(cell, &inverse, sphere[k].x), all(sphere[k].radius));
    free(sphere);
    for (size_t k = 0; k < state->wall_count; k++)
        if (!state->walls[k].absent) extend_by_wall(box, &sim->model, &state->walls[k]);
    const int empty = !(box[0].x <= box[1].x);
    if (empty) box[0] = box[1] = all(0.0);
    for (int k = 0; k < 3; k++) {
        if (!cell->periodic[k] && !empty) continue;
        const tw_vec3 edge = tw_mat3_column(cell->h, k), from[] = {box[0], box[1]};
        extend(box, tw_vec3_add(from[0], edge), all(0.0));
        extend(box, tw_vec3_add(from[1], edge), all(0.0));
    }
    const tw_vec3 middle = tw_vec3_scale(0.5, tw_vec3_add(box[0], box[1]));
    for (size_t k = 0; k < state->wall_count; k++)
        if (state->walls[k].surface == TW_SURFACE_PLANE && !state->walls[k].absent)
            extend(box, foot(&state->walls[k], middle), all(0.0));
    return status;
}

/* ---- Any wall ---- */

static int cut_polygons(tw_wall_surface *out, const tw_model *model, const tw_state *state,
                        const tw_wall *wall, const tw_vec3 *box, const strips *s)
{
    if (wall->surface == TW_SURFACE_PLANE) {
        const polygon p = cut_plane(state, wall, box);
        uint32_t corner[CORNERS_MAX];
        if (!reserve(out, p.count, 1, p.count)) return 0;
        memcpy(out->vertex, p.x, p.count * sizeof *p.x);
        out->vertex_count = p.count;
        for (size_t k = 0; k < p.count; k++)
            corner[k] = (uint32_t)k;
        add_facet(out, corner, p.count);
        return 1;
    }
    if (wall->surface != TW_SURFACE_MESH) return turn(out, wall, s);
    const tw_model_surface *mesh = &model->surfaces[wall->model];
    if (!reserve(out, mesh->vertices, mesh->elements, 3 * (size_t)mesh->elements)) return 0;
    for (size_t k = 0; k < mesh->vertices; k++)
        out->vertex[k] = outwards(wall, mesh->vertex[k]);
    out->vertex_count = mesh->vertices;
    for (size_t k = 0; k < mesh->elements; k++)
        add_facet(out, mesh->facets.facet[k].vertex, 3);
    return 1;
}

static void add_forces(tw_wall_surface *out, const tw_sim *sim, size_t wall, const strips *s)
{
    const tw_pairs *pairs = &sim->schedule.pairs;
    const tw_wall *w = &sim->state.walls[wall];
    const int known = tw_sim_is_prepared(sim);
    for (size_t k = 0; k < out->facet_count; k++)
        out->force[k] = known ? all(0.0) : all((double)NAN);
    for (size_t k = 0; known && k < pairs->count; k++) {
        const tw_pair *pair = &pairs->pair[k];
        if (!tw_pair_is_wall(pair) || pair->q != wall || !tw_pairs_touch(pairs, k)) continue;
        const tw_touch_force c = tw_touch_force_of(&sim->model, &sim->state, &sim->schedule, k);
        size_t facet = w->surface == TW_SURFACE_MESH ? tw_pair_element(pair) : 0;
        if (s->count > 0) facet = facet_at(s, &sim->model, w, tw_pair_element(pair), c.point);
        out->force[facet] = tw_vec3_sub(out->force[facet], c.force);
    }
}

tw_status tw_sim_get_wall_surface(const tw_sim *sim, size_t wall, const tw_vec3 *box,
                                  tw_wall_surface *surface, tw_error *error)
{
    TW_CALL_HERE(sim && surface);
    tw_wall_state there;
    tw_vec3 own[2];
    strips s = {.count = 0};
    memset(surface, 0, sizeof *surface);
    tw_status status = tw_sim_get_wall(sim, wall, &there, error);
    if (status == TW_STATUS_OK && there.absent) return status;
    if (status == TW_STATUS_OK) status = tw_sim_device_fetch(sim, error);
    if (status == TW_STATUS_OK && !box) status = tw_sim_get_extent(sim, own, error);
    if (status != TW_STATUS_OK) return status;
    const tw_wall *w = &sim->state.walls[wall];
    const int turned = w->surface == TW_SURFACE_SPHERE || w->surface == TW_SURFACE_PROFILE;
    if ((!turned || cut_strips(&s, &sim->model, w)) &&
        cut_polygons(surface, &sim->model, &sim->state, w, box ? box : own, &s) &&
        find_edges(surface)) {
        add_forces(surface, sim, wall, &s);
    } else {
        tw_wall_surface_free(surface);
        status = tw_error_set_memory(error);
    }
    free(s.point);
    free(s.first);
    return status;
}
