/* SPDX-License-Identifier: BSD-3-Clause */
/* The motion of two spheres, and of a sphere and a wall. A part of twirl/contact_inline.h. */
#ifndef TWIRL_DETAIL_CONTACT_PAIR_H
#define TWIRL_DETAIL_CONTACT_PAIR_H

#include <twirl/detail/contact_turn.h>

/* Direction and length of a branch. Coincident centres have no direction: `fallback` is kept. */
TW_INLINE tw_vec3 tw_contact_branch_normal(tw_vec3 branch, tw_vec3 fallback, double *length)
{
    *length = tw_vec3_norm(branch);
    if (!(*length > 1e-140) || !(*length < 1e140)) {
        *length = tw_vec3_norm_scaled(branch);
        if (!(*length > 0.0)) return fallback;
        const double big = tw_vec3_max_abs(branch);
        branch = tw_vec3_make(branch.x / big, branch.y / big, branch.z / big);
        return tw_vec3_scale(1.0 / tw_vec3_norm(branch), branch);
    }
    return tw_vec3_scale(1.0 / *length, branch);
}

TW_INLINE tw_contact_memory tw_contact_memory_fresh_inline(tw_vec3 branch, double radius_p,
                                                           double radius_q)
{
    tw_contact_memory memory;
    double length;
    memory.n = tw_contact_branch_normal(branch, tw_vec3_make(1.0, 0.0, 0.0), &length);
    memory.zeta = radius_p + radius_q - length;
    memory.ft = tw_vec3_make(0.0, 0.0, 0.0);
    return memory;
}

/* n and length are those of the branch. */
TW_INLINE tw_contact_motion tw_contact_pair_motion_along(int32_t kind, const tw_contact_pair *pair,
                                                         const tw_contact_memory *memory, tw_vec3 n,
                                                         double length)
{
    tw_contact_spheres spheres;
    spheres.branch = pair->branch;
    spheres.length = length;
    spheres.n = n;
    spheres.radius_p = pair->radius_p;
    spheres.radius_q = pair->radius_q;
    spheres.half_p = tw_contact_half(kind, pair->turn_p);
    spheres.half_q = tw_contact_half(kind, pair->turn_q);

    tw_contact_motion motion;
    motion.n = n;
    motion.du = tw_contact_spheres_movement(kind, &spheres, memory->n, memory->zeta, &motion.zeta);
    motion.turn_p = pair->turn_p;
    motion.turn_q = pair->turn_q;
    motion.radius = tw_contact_reduced(pair->radius_p, pair->radius_q);
    motion.mass = pair->mass;
    motion.ratio = tw_contact_ratio(pair->radius_p, pair->radius_q);
    return motion;
}

TW_INLINE tw_contact_motion tw_contact_pair_motion_inline(int32_t kind, const tw_contact_pair *pair,
                                                          const tw_contact_memory *memory)
{
    double length;
    const tw_vec3 n = tw_contact_branch_normal(pair->branch, memory->n, &length);
    return tw_contact_pair_motion_along(kind, pair, memory, n, length);
}

/* The normal at the start is that which the wall has carried here. */
TW_INLINE tw_contact_memory tw_contact_wall_memory_fresh_inline(const tw_contact_wall *wall)
{
    tw_contact_memory memory;
    const tw_vec3 back = tw_vec3_scale(-1.0, wall->turn_q),
                  from = tw_vec3_add(wall->from, wall->moved),
                  away = tw_vec3_sub(tw_contact_carried(wall->from, back), from);
    memory.n = tw_contact_carried(wall->n, back);
    memory.zeta = wall->radius - (wall->distance + tw_vec3_dot(away, memory.n));
    memory.ft = tw_vec3_make(0.0, 0.0, 0.0);
    return memory;
}

/* The wall carries its points about its centre: half the rotation times the sum of where the
 * contact was and is. */
TW_INLINE tw_contact_motion tw_contact_wall_motion_inline(int32_t kind, const tw_contact_wall *wall,
                                                          const tw_contact_memory *memory)
{
    tw_contact_motion motion;
    motion.n = wall->n;
    motion.zeta = wall->radius - wall->distance;
    const double half = tw_contact_half_overlap(kind, memory->zeta, motion.zeta);
    const tw_vec3 gibbs = tw_contact_half(TW_CONTACT_EXACT, wall->turn_q),
                  both = tw_vec3_add_scaled(wall->moved, 2.0, wall->from),
                  turns = tw_vec3_sub(tw_contact_half(kind, wall->turn_p),
                                      tw_contact_half(kind, wall->turn_q));
    motion.du = tw_contact_movement(kind, memory->n, motion.n,
                                    tw_vec3_add(wall->moved, tw_vec3_cross(gibbs, both)),
                                    tw_vec3_scale(wall->radius - half, turns));
    motion.turn_p = wall->turn_p;
    motion.turn_q = wall->turn_q;
    motion.radius = wall->radius;
    motion.mass = wall->mass;
    motion.ratio = 0.0;
    return motion;
}

TW_INLINE tw_contact_wall tw_contact_wall_of_plane(const tw_contact_plane *plane)
{
    const tw_vec3 none = {0.0, 0.0, 0.0};
    const tw_contact_wall wall = {tw_vec3_scale(-1.0, plane->normal),
                                  plane->moved,
                                  none,
                                  plane->turn_p,
                                  none,
                                  plane->distance,
                                  plane->radius,
                                  plane->mass};
    return wall;
}

TW_INLINE tw_contact_memory tw_contact_plane_memory_fresh_inline(const tw_contact_plane *plane)
{
    const tw_contact_wall wall = tw_contact_wall_of_plane(plane);
    return tw_contact_wall_memory_fresh_inline(&wall);
}

/* The limit of a sphere q that does not turn and whose radius grows beyond all bounds. */
TW_INLINE tw_contact_motion tw_contact_plane_motion_inline(int32_t kind,
                                                           const tw_contact_plane *plane,
                                                           const tw_contact_memory *memory)
{
    tw_contact_memory flat = *memory;
    const tw_contact_wall wall = tw_contact_wall_of_plane(plane);
    flat.n = wall.n;
    return tw_contact_wall_motion_inline(kind, &wall, &flat);
}

#endif
