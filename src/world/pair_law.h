/* SPDX-License-Identifier: BSD-3-Clause */
/* The law of a pair of surfaces, from their materials, radii and masses. */
#ifndef TW_WORLD_PAIR_LAW_H
#define TW_WORLD_PAIR_LAW_H

#include <twirl/contact_law.h>

#include "world/schedule.h"

/* Where tw_model.laws has it. */
TW_INLINE uint16_t tw_pair_law_index(const tw_model *model, const tw_state *state,
                                     const tw_schedule *schedule, const tw_pair *pair)
{
    if (model->material_count == 1) return 0;
    const uint32_t *material = state->bodies.material, *body = schedule->spheres.body;
    const uint32_t q =
        tw_pair_is_plane(pair) ? state->walls[pair->q].material : material[body[pair->q]];
    return tw_model_law(model, material[body[pair->p]], q);
}

/* Reduced radius: of two spheres, or of a sphere at a plane [m]. */
TW_INLINE double tw_pair_law_radius(const tw_schedule *schedule, const tw_pair *pair)
{
    const double *radius = schedule->spheres.radius, p = radius[pair->p];
    if (tw_pair_is_plane(pair)) return p;
    return p * radius[pair->q] / (p + radius[pair->q]);
}

/* Reduced mass. Fixed bodies and walls count as infinitely heavy; 0 if both are [kg]. */
TW_INLINE double tw_pair_law_mass(const tw_state *state, const tw_schedule *schedule,
                                  const tw_pair *pair)
{
    const tw_bodies *b = &state->bodies;
    const uint32_t *body = schedule->spheres.body;
    const size_t p = body[pair->p];
    const double mp = b->flags[p] & TW_BODY_FIXED ? 0.0 : b->mass[p];
    if (tw_pair_is_plane(pair)) return mp;
    const size_t q = body[pair->q];
    if (b->flags[q] & TW_BODY_FIXED) return mp;
    return b->flags[p] & TW_BODY_FIXED ? b->mass[q] : mp * b->mass[q] / (mp + b->mass[q]);
}

/* What the law of the contact in this slot needs; nothing on a device with one linear law. */
TW_INLINE void tw_pair_law_seat(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                                uint32_t slot)
{
    if (!schedule->slots.law) return;
    const tw_pair *pair = &schedule->pairs.pair[schedule->slots.pair[slot]];
    const double root = sqrt(tw_pair_law_radius(schedule, pair));
    schedule->slots.law[slot] = tw_pair_law_index(model, state, schedule, pair);
    schedule->slots.root[slot] = root;
    schedule->slots.inv_root[slot] = 1.0 / root;
}

/* The law with the constants of this pair: tw_contact_law_at. */
TW_INLINE tw_contact_law tw_pair_law(const tw_model *model, const tw_state *state,
                                     const tw_schedule *schedule, const tw_pair *pair)
{
    const tw_contact_law *law = &model->laws[tw_pair_law_index(model, state, schedule, pair)];
    if (!(law->flags & (TW_CONTACT_BY_RADIUS | TW_CONTACT_BY_MASS))) return *law;
    return tw_contact_law_at_inline(law, tw_pair_law_radius(schedule, pair),
                                    tw_pair_law_mass(state, schedule, pair));
}

#endif
