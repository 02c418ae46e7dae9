/* SPDX-License-Identifier: BSD-3-Clause */
/* The force of a contact between two steps, on bodies, walls and in the sum of moments: where
 * contacts come and go with their bodies, or are given. Inline code in C11, C++17 and CUDA. */
#ifndef TW_STEP_TOUCH_FORCE_H
#define TW_STEP_TOUCH_FORCE_H

#include <twirl/contact_inline.h>

#include "step/kick.h"
#include "step/touch_wall.h"
#include "world/schedule.h"

typedef struct tw_touch_force {
    uint32_t p, q; /* bodies; q: or a wall */
    int wall;
    tw_vec3 force, couple; /* on p */
    tw_vec3 point, branch; /* from p to q; or to the point */
} tw_touch_force;

/* Pair k, which is in contact. */
TW_INLINE tw_touch_force tw_touch_force_of(const tw_model *model, const tw_state *state,
                                           const tw_schedule *schedule, size_t k)
{
    const tw_pair *pair = &schedule->pairs.pair[k];
    const uint32_t slot = schedule->pairs.slot[k], *body = schedule->spheres.body;
    const tw_contacts *contacts = &state->contacts;
    const tw_contact_memory memory = tw_bundle_get(contacts->bundle, slot);
    const tw_contact_law law = tw_pair_law(model, state, schedule, pair);
    const tw_vec3 xp = tw_schedule_sphere_centre(state, schedule, pair->p), *x = state->bodies.x;
    tw_touch_force c;
    c.wall = tw_pair_is_wall(pair);
    c.p = body[pair->p];
    c.q = c.wall ? pair->q : body[pair->q];
    c.force = tw_contacts_force(contacts, &law, slot);
    c.couple = tw_vec3_make(0.0, 0.0, 0.0);
    if (contacts->extras.parts) {
        const tw_contact_parts extra = tw_extras_get(&contacts->extras, slot);
        c.couple = tw_contact_parts_turn(
            &extra, tw_vec3_scale(schedule->spheres.radius[pair->p] - 0.5 * memory.zeta, memory.n),
            tw_contact_parts_couple(&extra, tw_pair_law_radius(schedule, pair), memory.n));
    }
    c.point =
        tw_vec3_add_scaled(xp, schedule->spheres.radius[pair->p] - 0.5 * memory.zeta, memory.n);
    c.branch = c.wall ? tw_vec3_sub(c.point, x[c.p])
                      : tw_vec3_add(tw_vec3_sub(x[c.q], x[c.p]),
                                    tw_cell_offset(&state->cell.h, pair->shift));
    return c;
}

/* Not to sums of energies. */
TW_INLINE void tw_touch_force_add(tw_state *state, const tw_touch_force *c)
{
    tw_bodies *b = &state->bodies;
    const uint32_t p = c->p, q = c->q;
    const tw_vec3 arm = tw_vec3_sub(c->point, b->x[p]);
    tw_mat3 *moment = &state->sums.moment;
    b->force[p] = tw_vec3_add(b->force[p], c->force);
    b->torque[p] = tw_vec3_add(b->torque[p], tw_vec3_cross(arm, c->force));
    b->torque[p] = tw_vec3_add(b->torque[p], c->couple);
    if (c->wall) {
        tw_wall *wall = &state->walls[q];
        const tw_vec3 turn = tw_vec3_cross(tw_vec3_sub(c->point, wall->point), c->force);
        wall->force = tw_vec3_sub(wall->force, c->force);
        wall->torque = tw_vec3_sub(wall->torque, tw_vec3_add(turn, c->couple));
        wall->expected -= tw_wall_pressed(wall, c->force, tw_vec3_add(turn, c->couple));
        const tw_vec3 from = tw_vec3_scale(-1.0, b->x[p]);
        *moment = tw_mat3_add(
            *moment, tw_mat3_outer(wall->servo == TW_WALL_PLATEN ? c->branch : from, c->force));
        return;
    }
    b->force[q] = tw_vec3_sub(b->force[q], c->force);
    b->torque[q] = tw_vec3_sub(b->torque[q], tw_vec3_cross(tw_vec3_sub(arm, c->branch), c->force));
    b->torque[q] = tw_vec3_sub(b->torque[q], c->couple);
    *moment = tw_mat3_add(*moment, tw_mat3_outer(c->branch, c->force));
}

/* Contact k of `from` begins (sign 1) or ends (-1) in `to`, which has the same bodies: these hold
 * their present velocities, unless they have just come, with ids from `first` on. The energy that
 * is stored in it is no work. */
TW_INLINE void tw_touch_force_change(const tw_model *model, const tw_state *from,
                                     const tw_schedule *schedule, size_t k, double sign,
                                     uint32_t first, tw_state *to)
{
    const uint32_t slot = schedule->pairs.slot[k], *id = from->bodies.id;
    const tw_contact_law law = tw_pair_law(model, from, schedule, &schedule->pairs.pair[k]);
    const tw_contact_memory memory = tw_bundle_get(from->contacts.bundle, slot);
    const tw_contact_parts extra = tw_extras_get(&from->contacts.extras, slot);
    const tw_contact_stored stored = tw_contact_stored_of(&law, &memory, &extra);
    const size_t one = sign > 0.0 ? 1 : SIZE_MAX;
    tw_touch_force c = tw_touch_force_of(model, from, schedule, k);
    if (id[c.p] < first) tw_kick_hold_body(model, to, c.p);
    if (!c.wall && id[c.q] < first) tw_kick_hold_body(model, to, c.q);
    c.force = tw_vec3_scale(sign, c.force);
    c.couple = tw_vec3_scale(sign, c.couple);
    tw_touch_force_add(to, &c);
    if (c.wall) {
        double springs[2];
        tw_touch_wall_springs(model, from, schedule, &schedule->pairs.pair[k], &memory, &extra,
                              tw_vec3_sub(c.point, from->walls[c.q].point), 1,
                              from->contacts.sliding[slot], springs);
        to->walls[c.q].stiffness += sign * springs[0];
        to->walls[c.q].damping += sign * springs[1];
    }
    to->sums.contacts += one;
    to->sums.sliding += one * from->contacts.sliding[slot];
    for (int j = 0; j < TW_CONTACT_STORED_KINDS; j++) {
        to->sums.stored.of[j] += sign * stored.of[j];
        to->balance.start += sign * stored.of[j];
    }
}

/* Whether the overlap exceeds the allowed one, or the force is not finite: as tw_touch_one_is_bad,
 * of pair k between two steps. */
TW_INLINE int tw_touch_force_is_bad(const tw_model *model, const tw_state *state,
                                    const tw_schedule *schedule, size_t k)
{
    const tw_pair *pair = &schedule->pairs.pair[k];
    const uint32_t slot = schedule->pairs.slot[k];
    const tw_contact_law law = tw_pair_law(model, state, schedule, pair);
    const tw_vec3 f = tw_contacts_force(&state->contacts, &law, slot);
    double radius = schedule->spheres.radius[pair->p];
    if (!tw_pair_is_wall(pair)) radius = tw_math_min(radius, schedule->spheres.radius[pair->q]);
    const double zeta = tw_bundle_get(state->contacts.bundle, slot).zeta;
    return !(fabs(f.x + f.y + f.z) < 1e300) || !(zeta < 0.5 * radius);
}

#endif
