/* SPDX-License-Identifier: BSD-3-Clause */
/* The motion of two spheres, and of a sphere and a plane. A part of twirl/contact_inline.h. */
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

TW_INLINE tw_contact_memory tw_contact_plane_memory_fresh_inline(const tw_contact_plane *plane)
{
    tw_contact_memory memory;
    const double before = plane->distance + tw_vec3_dot(plane->moved, plane->normal);
    memory.n = tw_vec3_scale(-1.0, plane->normal);
    memory.zeta = plane->radius - before;
    memory.ft = tw_vec3_make(0.0, 0.0, 0.0);
    return memory;
}

/* The limit of a sphere q that does not turn and whose radius grows beyond all bounds. */
TW_INLINE tw_contact_motion tw_contact_plane_motion_inline(int32_t kind,
                                                           const tw_contact_plane *plane,
                                                           const tw_contact_memory *memory)
{
    tw_contact_motion motion;
    motion.n = tw_vec3_scale(-1.0, plane->normal);
    motion.zeta = plane->radius - plane->distance;
    const double half = tw_contact_half_overlap(kind, memory->zeta, motion.zeta);
    const tw_vec3 lever = tw_vec3_scale(plane->radius - half, tw_contact_half(kind, plane->turn_p));
    motion.du = tw_contact_movement(kind, motion.n, motion.n, plane->moved, lever);
    motion.turn_p = plane->turn_p;
    motion.turn_q = tw_vec3_make(0.0, 0.0, 0.0);
    motion.radius = plane->radius;
    motion.mass = plane->mass;
    motion.ratio = 0.0;
    return motion;
}

#endif
