/* SPDX-License-Identifier: BSD-3-Clause */
/* What single contacts and bodies add to the sums of a measure, as inline code in C11, C++17 and
 * CUDA. */
#ifndef TW_WORLD_TALLY_H
#define TW_WORLD_TALLY_H

#include <twirl/contact_law.h>

#include "world/schedule.h"

/* Sums over contacts. */
enum {
    TW_TALLY_STRESS = 0,
    TW_TALLY_FABRIC = 9,
    TW_TALLY_OVERLAP = 18,
    TW_TALLY_NORMAL,
    TW_TALLY_FORCE,
    TW_TALLY_WALLS,
    TW_TALLY_CONTACT_SUMS
};

/* Sums over bodies. */
enum {
    TW_TALLY_KINETIC = 0,
    TW_TALLY_SOLID = 9,
    TW_TALLY_UNBALANCED,
    TW_TALLY_DIAMETER,
    TW_TALLY_BODY_SUMS
};

enum { TW_TALLY_BINS = 20 };

/* All sums over contacts and bodies that a measure needs. */
typedef struct tw_tally {
    double contact[TW_TALLY_CONTACT_SUMS], body[TW_TALLY_BODY_SUMS];
    uint64_t bins[TW_TALLY_BINS]; /* contacts by mobilised friction */
    double overlap_max;
    double density;                         /* tw_model_density */
    size_t rattlers;                        /* bodies that carry no force, */
    size_t rattler_contacts, rattler_walls; /* and their contacts */
} tw_tally;

TW_INLINE void tw_tally_outer(double *sum, double s, tw_vec3 a, tw_vec3 b)
{
    const tw_mat3 m = tw_mat3_outer(a, b);
    for (int k = 0; k < 9; k++)
        sum[k] += s * m.m[k];
}

/* Pair k, which is in contact. */
TW_INLINE void tw_tally_contact(const tw_model *model, const tw_state *state,
                                const tw_schedule *schedule, size_t k, double *sum)
{
    const tw_pair *pair = &schedule->pairs.pair[k];
    const uint32_t slot = schedule->pairs.slot[k];
    const tw_contact_memory memory = tw_bundle_get(state->contacts.bundle, slot);
    const tw_contact_law law = tw_pair_law(model, state, schedule, pair);
    const tw_vec3 force = tw_contacts_force(&state->contacts, &law, slot);
    const tw_vec3 xp = state->bodies.x[schedule->spheres.body[pair->p]];
    tw_vec3 branch;
    if (!tw_pair_is_wall(pair)) {
        branch = tw_vec3_sub(state->bodies.x[schedule->spheres.body[pair->q]], xp);
        branch = tw_vec3_add(branch, tw_cell_offset(&state->cell.h, pair->shift));
    } else {
        const double reach = schedule->spheres.radius[pair->p] - 0.5 * memory.zeta;
        branch = tw_vec3_sub(tw_vec3_add_scaled(tw_schedule_sphere_centre(state, schedule, pair->p),
                                                reach, memory.n),
                             xp);
        sum[TW_TALLY_WALLS] += 1.0;
    }
    tw_tally_outer(sum + TW_TALLY_STRESS, -1.0, branch, force);
    tw_tally_outer(sum + TW_TALLY_FABRIC, 1.0, memory.n, memory.n);
    sum[TW_TALLY_OVERLAP] += memory.zeta;
    sum[TW_TALLY_NORMAL] += tw_contact_law_normal_force(&law, memory.zeta);
    sum[TW_TALLY_FORCE] += tw_vec3_norm(force);
}

TW_INLINE void tw_tally_body(const tw_model *model, const tw_state *state, size_t i, double *sum)
{
    const tw_bodies *b = &state->bodies;
    const double volume = tw_shape_volume(&model->shapes[b->shape[i]], b->size[i]);
    sum[TW_TALLY_SOLID] += volume;
    sum[TW_TALLY_DIAMETER] += tw_math_cbrt(6.0 / TW_MATH_PI * volume);
    if (b->flags[i] & TW_BODY_FIXED) return;
    tw_tally_outer(sum + TW_TALLY_KINETIC, b->mass[i], b->v[i], b->v[i]);
    sum[TW_TALLY_UNBALANCED] +=
        tw_vec3_norm(tw_vec3_add_scaled(b->force[i], b->mass[i], model->gravity));
}

/* Where the mobilised friction of a contact belongs, of `bins` equal parts. */
TW_INLINE int tw_tally_bin(const tw_contact_law *law, const tw_contact_memory *memory, int bins)
{
    const double limit = tw_contact_law_friction_limit(law, memory->zeta);
    const double used = limit > 0.0 ? tw_vec3_norm(memory->ft) / limit : 1.0;
    const double part = used * bins;
    /* Beyond the limit where damping that does not pull raises it; far beyond an int after a change
     * of friction. */
    return part < bins ? (int)part : bins - 1;
}

/* Whether no pair of materials has friction. */
TW_INLINE int tw_tally_is_slippery(const tw_model *model)
{
    for (size_t k = 0; k < tw_model_law_count(model); k++)
        if (model->laws[k].mu > 0.0 && model->laws[k].kt > 0.0) return 0;
    return 1;
}

/* Contacts that body i needs to carry a force. */
TW_INLINE uint32_t tw_tally_needs(const tw_model *model, const tw_bodies *bodies, size_t i,
                                  int slippery)
{
    return slippery && model->shapes[bodies->shape[i]].count == 1 ? 4 : 2;
}

#endif
