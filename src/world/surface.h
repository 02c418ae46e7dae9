/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of surface that a sphere can touch: a grain, that is a sphere of a body, or a wall of some
 * form.
 *
 * Contacts of two grains are found by bins and advanced in lanes, tile by tile. All that the engine
 * knows of the form of a wall is here: a row of TW_SURFACES and two functions
 *
 *     nearest   the point of an element that is nearest to a point of space
 *     travel    how far it can have moved towards any point since the list was made, at most [m]
 *
 * in the common subset of C11, C++17 and CUDA. Surfaces that consist of elements, facets of a mesh
 * or segments of a profile, have a frame of their own that moves with the wall; what is in it
 * belongs to the model and never changes. A sphere has a pair with each element that is near, one
 * after the other: a group, which shape/basins.h turns into contacts. A contact is that of the pair
 * with the element where it is. */
#ifndef TW_WORLD_SURFACE_H
#define TW_WORLD_SURFACE_H

#include <twirl/contact_inline.h>

#include "base/error.h"
#include "shape/facets.h"
#include "shape/profile.h"
#include "world/model.h"
#include "world/state.h"

/* The nearest point of a surface: from the centre of a sphere. */
typedef struct tw_surface_point {
    tw_vec3 n; /* unit, towards it [-] */
    double d;  /* negative: behind it [m] */
} tw_surface_point;

/* A point of space in the frame of a wall. */
TW_INLINE tw_vec3 tw_surface_inwards(const tw_wall *wall, tw_vec3 x)
{
    return tw_quat_rotate_back(wall->q, tw_vec3_sub(x, wall->point));
}

/* ---- A plane through `point` ---- */

TW_INLINE tw_surface_point tw_surface_plane_nearest(const tw_model *model, const tw_wall *wall,
                                                    uint32_t element, tw_vec3 x)
{
    tw_surface_point point;
    (void)model;
    (void)element;
    point.n = tw_vec3_scale(-1.0, wall->normal);
    point.d = tw_vec3_dot(tw_vec3_sub(x, wall->point), wall->normal);
    return point;
}

TW_INLINE double tw_surface_plane_travel(const tw_wall *wall)
{
    return fabs(tw_vec3_dot(wall->travel, wall->normal));
}

/* ---- A sphere about `point`; of a negative radius: its inside ---- */

TW_INLINE tw_surface_point tw_surface_sphere_nearest(const tw_model *model, const tw_wall *wall,
                                                     uint32_t element, tw_vec3 x)
{
    tw_surface_point point;
    double length;
    const double side = wall->radius < 0.0 ? -1.0 : 1.0;
    (void)model;
    (void)element;
    point.n = tw_vec3_scale(
        side, tw_contact_branch_normal(tw_vec3_sub(wall->point, x), wall->normal, &length));
    point.d = side * length - wall->radius;
    return point;
}

TW_INLINE double tw_surface_sphere_travel(const tw_wall *wall)
{
    return tw_vec3_norm(wall->travel);
}

/* ---- Elements ---- */

TW_INLINE tw_near tw_surface_near(const tw_model_surface *surface, uint32_t element, tw_vec3 x)
{
    return surface->kind == TW_SURFACE_MESH ? tw_facets_nearest(&surface->facets, element, x)
                                            : tw_profile_nearest(&surface->profile, element, x);
}

/* Whether a point is on the side of a facet to which its normal does not point. */
TW_INLINE int tw_surface_is_behind(const tw_model_surface *surface, uint32_t element, tw_vec3 x)
{
    const tw_facets_facet *f = &surface->facets.facet[element];
    return surface->kind == TW_SURFACE_MESH &&
           !(tw_vec3_dot(tw_vec3_sub(x, f->point), f->normal) > 0.0);
}

TW_INLINE int tw_surface_passes(const tw_model_surface *surface, const tw_near *near, int count,
                                tw_vec3 x, double radius, tw_pass *passes)
{
    return surface->kind == TW_SURFACE_MESH
               ? tw_facets_passes(&surface->facets, near, count, x, radius, passes)
               : tw_profile_passes(&surface->profile, near, count, x, radius, passes);
}

TW_INLINE tw_surface_point tw_surface_mesh_nearest(const tw_model *model, const tw_wall *wall,
                                                   uint32_t element, tw_vec3 x)
{
    tw_surface_point point;
    const tw_near near =
        tw_surface_near(&model->surfaces[wall->model], element, tw_surface_inwards(wall, x));
    point.n = tw_quat_rotate(wall->q, near.n);
    point.d = near.d;
    return point;
}

TW_INLINE tw_surface_point tw_surface_profile_nearest(const tw_model *model, const tw_wall *wall,
                                                      uint32_t element, tw_vec3 x)
{
    return tw_surface_mesh_nearest(model, wall, element, x);
}

/* Of the middle of its box. */
TW_INLINE double tw_surface_middle_travel(const tw_wall *wall)
{
    const tw_vec3 turned = tw_vec3_sub(tw_quat_rotate(wall->q, wall->middle),
                                       tw_quat_rotate(wall->q_ref, wall->middle));
    return tw_vec3_norm(tw_vec3_add(wall->travel, turned));
}

/* A turn by the angle a about the unit vector u moves p by 2 sin(a/2) |u x p|. */
TW_INLINE double tw_surface_mesh_travel(const tw_wall *wall)
{
    const tw_quat d = tw_quat_mul(tw_quat_conj(wall->q_ref), wall->q);
    const double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    const tw_vec3 h = wall->half;
    return tw_surface_middle_travel(wall) +
           2.0 *
               tw_vec3_norm(tw_vec3_make(y * h.z + z * h.y, z * h.x + x * h.z, x * h.y + y * h.x));
}

/* Turns about its axis do not move it. */
TW_INLINE double tw_surface_profile_travel(const tw_wall *wall)
{
    const tw_vec3 axis = tw_vec3_make(0.0, 0.0, 1.0);
    const tw_vec3 tilt =
        tw_vec3_sub(tw_quat_rotate(wall->q, axis), tw_quat_rotate(wall->q_ref, axis));
    return tw_surface_middle_travel(wall) + tw_vec3_norm(wall->half) * tw_vec3_norm(tilt);
}

/* A plane that only a servo along its normal may move: all that it touches resists it. */
TW_INLINE int tw_surface_presses(const tw_wall *wall)
{
    return wall->surface == TW_SURFACE_PLANE && wall->servo != TW_WALL_TURNS &&
           tw_vec3_max_abs(tw_vec3_sub(wall->along, wall->normal)) == 0.0;
}

/* ---- Any wall ---- */

#define TW_SURFACE_CASE_NEAREST(KIND, name, a)                                                     \
    case TW_SURFACE_##KIND:                                                                        \
        return tw_surface_##name##_nearest a;
#define TW_SURFACE_CASE_TRAVEL(KIND, name, a)                                                      \
    case TW_SURFACE_##KIND:                                                                        \
        return tw_surface_##name##_travel a;

TW_INLINE tw_surface_point tw_surface_nearest(const tw_model *model, const tw_wall *wall,
                                              uint32_t element, tw_vec3 x)
{
    switch (wall->surface) {
        TW_SURFACES(TW_SURFACE_CASE_NEAREST, (model, wall, element, x))
    default:
        return tw_surface_plane_nearest(model, wall, element, x);
    }
}

TW_INLINE double tw_surface_travel(const tw_wall *wall)
{
    switch (wall->surface) {
        TW_SURFACES(TW_SURFACE_CASE_TRAVEL, (wall))
    default:
        return tw_surface_plane_travel(wall);
    }
}

#undef TW_SURFACE_CASE_NEAREST
#undef TW_SURFACE_CASE_TRAVEL

/* The numbers of elements that are closer than this to the centre of a sphere in the reference
 * state, in ascending order; 0 of a surface that has none. Returns how many there are; at most
 * `capacity` are written. */
TW_INLINE uint32_t tw_surface_list(const tw_model *model, const tw_wall *wall, tw_vec3 x,
                                   double reach, uint32_t *out, uint32_t capacity)
{
    const tw_model_surface *surface;
    tw_vec3 from;
    uint32_t count = 0;
    if (!tw_surface_has_elements(wall->surface)) {
        from = tw_vec3_add(x, wall->travel);
        if (!(tw_surface_nearest(model, wall, 0, from).d < reach)) return 0;
        if (capacity > 0) out[0] = 0;
        return 1;
    }
    surface = &model->surfaces[wall->model];
    from = tw_quat_rotate_back(wall->q_ref, tw_vec3_sub(x, tw_vec3_sub(wall->point, wall->travel)));
    if (surface->kind == TW_SURFACE_MESH)
        return tw_facets_near(&surface->facets, &surface->grid, from, reach, out, capacity);
    for (uint32_t k = 0; k < surface->elements; k++) {
        if (!(tw_surface_near(surface, k, from).d < reach)) continue;
        if (count < capacity) out[count] = k;
        count++;
    }
    return count;
}

/* Planes do not rotate with the cell: they would be cut by a periodic edge that tilts. Other walls
 * stand in a cell that does not deform. */

/* Whether the velocity gradient shears across a face of the cell with platens. */
TW_INLINE int tw_wall_tilt_shears(const tw_cell *cell, int across)
{
    double most = 0.0;
    for (int k = 0; k < 9; k++)
        if (k % 4 != 0 && (k / 3 == across || k % 3 == across))
            most = tw_math_max(most, fabs(cell->gradient.m[k]));
    return most > 0.0;
}

/* Finds the first wall that the velocity gradient tilts an edge out of, or (edge 3) that is no
 * plane, or (edge 4) a platen that would be sheared; 0: there is none. */
TW_INLINE int tw_wall_tilt_find(const tw_state *state, uint32_t *wall, uint32_t *edge)
{
    const tw_mat3 tilt = tw_mat3_mul(state->cell.gradient, state->cell.h);
    for (uint32_t k = 0; k < state->wall_count; k++) {
        *wall = k;
        *edge = 3;
        if (state->walls[k].surface != TW_SURFACE_PLANE) {
            if (tw_mat3_max_abs(state->cell.gradient) > 0.0) return 1;
            continue;
        }
        *edge = 4;
        if (state->walls[k].servo == TW_WALL_PLATEN &&
            tw_wall_tilt_shears(&state->cell, tw_wall_across(&state->walls[k])))
            return 1;
        for (int e = 0; e < 3; e++) {
            const double along = tw_vec3_dot(state->walls[k].normal, tw_mat3_column(tilt, e));
            if (!state->cell.periodic[e] || !(fabs(along) > 1e-9 * tw_mat3_max_abs(tilt))) continue;
            *edge = (uint32_t)e;
            return 1;
        }
    }
    return 0;
}

static inline tw_status tw_wall_tilt_refuse(uint32_t wall, uint32_t edge, tw_error *error)
{
    if (edge == 3)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "wall %u: the cell cannot deform, as this wall is not a plane", wall);
    if (edge == 4)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "wall %u: it is a platen, and the velocity gradient shears its face of "
                            "the cell: platens only come nearer and part",
                            wall);
    return tw_error_set(error, TW_STATUS_INPUT,
                        "wall %u: the velocity gradient tilts edge %c of the cell, which is "
                        "periodic, out of the plane of the wall",
                        wall, "abc"[edge]);
}

#endif
