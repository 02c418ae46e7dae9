/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over the contacts of a wall: force, torque, and what resists a movement by its servo. Inline
 * code in C11, C++17 and CUDA. */
#ifndef TW_STEP_TOUCH_WALL_H
#define TW_STEP_TOUCH_WALL_H

#include <twirl/contact_inline.h>

#include "world/schedule.h"
#include "world/surface.h"

/* From the point of a wall to a point relative to the tile's origin. */
TW_INLINE tw_vec3 tw_touch_wall_arm(const tw_wall *wall, tw_vec3 origin, tw_vec3 point)
{
    return tw_vec3_add(point, tw_vec3_sub(origin, wall->point));
}

/* Stiffness and damping of a contact at `arm` against the servo of the wall. Against a plane that
 * presses, one that slides has none along the surface, as for the servo of the cell
 * (control/stiffness.h); against others it counts as if it stuck: where all slide, there would be
 * nothing that tells how fast to go. Of one that shares its load its own part counts. */
TW_INLINE void tw_touch_wall_springs(const tw_model *model, const tw_state *state,
                                     const tw_schedule *schedule, const tw_pair *pair,
                                     const tw_contact_memory *memory, const tw_contact_parts *extra,
                                     tw_vec3 arm, int touching, int sliding, double springs[2])
{
    const tw_wall *wall = &state->walls[pair->q];
    springs[0] = springs[1] = 0.0;
    if (!wall->servo || !touching) return;
    const tw_contact_law law = tw_pair_law(model, state, schedule, pair);
    const tw_contact_stiffness k = tw_contact_law_stiffness(&law, memory);
    const tw_vec3 lever = tw_wall_lever(wall, arm);
    const double along = tw_vec3_dot(memory->n, lever), normal = along * along;
    const double all = wall->servo == TW_WALL_TURNS ? tw_vec3_dot(lever, lever) : 1.0;
    const double tangential = sliding && tw_surface_presses(wall) ? 0.0 : all - normal;
    const double zeta = tw_contact_law_gripped(&law, memory->zeta);
    const double own = tw_contact_parts_own(extra);
    springs[0] = own * (normal * k.kn + tangential * k.kt);
    springs[1] = own * (tw_contact_law_damping_root(&law, zeta) *
                        (normal * law.nu_n + tangential * law.nu_t));
}

/* Adds a contact, with force and couple on the sphere. `point` is relative to the tile's origin. */
TW_INLINE void tw_touch_wall_add(tw_tile_accumulator *sum, const tw_wall *wall, tw_vec3 origin,
                                 tw_vec3 point, tw_vec3 f, tw_vec3 couple, const double springs[2])
{
    const tw_vec3 arm = tw_touch_wall_arm(wall, origin, point),
                  torque = tw_vec3_add(tw_vec3_cross(arm, f), couple);
    const double force_on[3] = {f.x, f.y, f.z}, torque_on[3] = {torque.x, torque.y, torque.z};
    for (int j = 0; j < 3; j++) {
        sum->force[j] -= force_on[j];
        sum->torque[j] -= torque_on[j];
    }
    sum->springs[0] += springs[0];
    sum->springs[1] += springs[1];
}

/* One of the numbers of an accumulator, and what they are in sum over all tiles. */
TW_INLINE double tw_touch_wall_part(const tw_tile_accumulator *sum, size_t j)
{
    return ((const double *)sum)[j];
}

TW_INLINE void tw_touch_wall_set(tw_wall *wall, const double sum[TW_TILE_ACCUMULATOR])
{
    wall->force = tw_vec3_make(sum[0], sum[1], sum[2]);
    wall->torque = tw_vec3_make(sum[3], sum[4], sum[5]);
    wall->stiffness = sum[6];
    wall->damping = sum[7];
}

#endif
