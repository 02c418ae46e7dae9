/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of surface that a sphere can touch: another sphere, or a wall of some form.
 *
 * Contacts of two spheres are found by bins and advanced in lanes, tile by tile. All that the
 * engine knows of the form of a wall is here: a row of TW_SURFACES and five functions
 *
 *     distance  of a point from the wall, negative behind it [m]
 *     normal    unit, from the wall towards a point
 *     travel    how far it can have moved towards any point since the list was made, at most [m]
 *     begin     the memory of a contact that begins in this step
 *     motion    the movement of a contact in this step
 *
 * in the common subset of C11, C++17 and CUDA. A kind with several contacts for a sphere and a wall
 * (meshes) also needs a search of its own in list_walls (search/list.c), whose pairs count them in
 * the shift, and a memory of where they are; accumulators are by wall, whatever its form. */
#ifndef TW_WORLD_SURFACE_H
#define TW_WORLD_SURFACE_H

#include <twirl/contact_inline.h>

#include "world/state.h"

/* Forms of walls: kind and name of its functions; a and b are passed on. */
#define TW_SURFACES(X, a, b) X(PLANE, plane, a, b)

enum {
    TW_SURFACE_SPHERE,
#define TW_SURFACE_KIND(KIND, name, a, b) TW_SURFACE_##KIND,
    TW_SURFACES(TW_SURFACE_KIND, , )
#undef TW_SURFACE_KIND
        TW_SURFACE_KINDS
};

/* A sphere at a wall, after a step. */
typedef struct tw_surface_sphere {
    tw_vec3 x;     /* centre [m] */
    tw_vec3 moved; /* displacement in the step [m] */
    tw_vec3 turn;  /* rotation vector of its body in the step */
    double radius; /* [m] */
    double mass;   /* of its body [kg] */
} tw_surface_sphere;

/* ---- A plane through `point` ---- */

TW_INLINE double tw_surface_plane_distance(const tw_wall *wall, tw_vec3 x)
{
    return tw_vec3_dot(tw_vec3_sub(x, wall->point), wall->normal);
}

TW_INLINE tw_vec3 tw_surface_plane_normal(const tw_wall *wall, tw_vec3 x)
{
    (void)x;
    return wall->normal;
}

TW_INLINE double tw_surface_plane_travel(const tw_wall *wall)
{
    return fabs(tw_vec3_dot(wall->travel, wall->normal));
}

TW_INLINE tw_contact_plane tw_surface_plane_at(const tw_wall *wall, const tw_surface_sphere *s)
{
    const double d = tw_surface_plane_distance(wall, s->x);
    const tw_contact_plane plane = {wall->normal, d,         tw_vec3_sub(wall->dx, s->moved),
                                    s->turn,      s->radius, s->mass};
    return plane;
}

TW_INLINE tw_contact_memory tw_surface_plane_begin(const tw_wall *wall, const tw_surface_sphere *s)
{
    const tw_contact_plane plane = tw_surface_plane_at(wall, s);
    return tw_contact_plane_memory_fresh_inline(&plane);
}

TW_INLINE tw_contact_motion tw_surface_plane_motion(const tw_wall *wall, const tw_surface_sphere *s,
                                                    int32_t law, const tw_contact_memory *memory)
{
    const tw_contact_plane plane = tw_surface_plane_at(wall, s);
    return tw_contact_plane_motion_inline(law, &plane, memory);
}

/* ---- Any wall ---- */

#define TW_SURFACE_CASE(KIND, name, verb, arguments)                                               \
    case TW_SURFACE_##KIND:                                                                        \
        return tw_surface_##name##_##verb arguments;
#define TW_SURFACE_ASK(verb, arguments)                                                            \
    switch (wall->surface) {                                                                       \
        TW_SURFACES(TW_SURFACE_CASE, verb, arguments)                                              \
    default:                                                                                       \
        break;                                                                                     \
    }                                                                                              \
    return tw_surface_plane_##verb arguments;

TW_INLINE double tw_surface_distance(const tw_wall *wall,
                                     tw_vec3 x){TW_SURFACE_ASK(distance, (wall, x))}

TW_INLINE tw_vec3
    tw_surface_normal(const tw_wall *wall, tw_vec3 x){TW_SURFACE_ASK(normal, (wall, x))}

TW_INLINE double tw_surface_travel(const tw_wall *wall){TW_SURFACE_ASK(travel, (wall))}

TW_INLINE tw_contact_memory tw_surface_begin(const tw_wall *wall, const tw_surface_sphere *s){
    TW_SURFACE_ASK(begin, (wall, s))}

TW_INLINE tw_contact_motion tw_surface_motion(const tw_wall *wall, const tw_surface_sphere *s,
                                              int32_t law, const tw_contact_memory *memory)
{
    TW_SURFACE_ASK(motion, (wall, s, law, memory))
}

#undef TW_SURFACE_ASK
#undef TW_SURFACE_CASE

#endif
