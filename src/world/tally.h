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
    TW_TALLY_COUNT,
    TW_TALLY_MOBILISED,
    TW_TALLY_CONSTRAINTS,
    TW_TALLY_CONTACT_SUMS
};

/* Sums over contacts of symmetric tensors xx, yy, zz, yz, xz, xy, by docs/theory/measures.md. */
enum {
    TW_TALLY_BRANCH = 0,  /* of branch lengths along n */
    TW_TALLY_PUSH = 6,    /* of normal forces */
    TW_TALLY_SHEAR = 12,  /* of tangential forces */
    TW_TALLY_STRONG = 18, /* stress of contacts with more than the mean normal force; how many */
    TW_TALLY_STRONG_COUNT = 24,
    TW_TALLY_SECOND_SUMS
};

/* Sums over the contacts between two materials: the stress as a symmetric tensor. */
enum {
    TW_TALLY_PAIR_STRESS = 0,
    TW_TALLY_PAIR_COUNT = 6,
    TW_TALLY_PAIR_SLIDING,
    TW_TALLY_PAIR_SUMS
};

/* Sums over bodies. */
enum {
    TW_TALLY_KINETIC = 0,
    TW_TALLY_SOLID = 9,
    TW_TALLY_UNBALANCED,
    TW_TALLY_DIAMETER,
    TW_TALLY_FREEDOMS,
    TW_TALLY_BODY_SUMS
};

/* Counts of rattlers: bodies that carry no force. */
enum {
    TW_TALLY_RATTLERS = 0,
    TW_TALLY_LOOSE_FREEDOMS,    /* their own motions */
    TW_TALLY_LOOSE_CONTACTS,    /* their contacts, */
    TW_TALLY_LOOSE_WALLS,       /* those with walls, */
    TW_TALLY_LOOSE_CONSTRAINTS, /* and what these contacts prevent */
    TW_TALLY_RATTLER_SUMS
};

enum { TW_TALLY_BINS = 20 };

/* All sums over contacts and bodies that a measure needs. */
typedef struct tw_tally {
    double contact[TW_TALLY_CONTACT_SUMS], second[TW_TALLY_SECOND_SUMS], body[TW_TALLY_BODY_SUMS];
    uint64_t bins[TW_TALLY_BINS]; /* contacts by mobilised friction */
    double overlap_max;
    double density; /* tw_model_density */
    uint32_t rattler[TW_TALLY_RATTLER_SUMS];
} tw_tally;

TW_INLINE void tw_tally_outer(double *sum, double s, tw_vec3 a, tw_vec3 b)
{
    const tw_mat3 m = tw_mat3_outer(a, b);
    for (int k = 0; k < 9; k++)
        sum[k] += s * m.m[k];
}

/* From the centre of the body of p to that of q, or to a wall. */
TW_INLINE tw_vec3 tw_tally_branch(const tw_state *state, const tw_schedule *schedule,
                                  const tw_pair *pair, const tw_contact_memory *memory)
{
    const tw_vec3 xp = state->bodies.x[schedule->spheres.body[pair->p]];
    if (tw_pair_is_wall(pair)) {
        const double reach = schedule->spheres.radius[pair->p] - 0.5 * memory->zeta;
        return tw_vec3_sub(tw_vec3_add_scaled(tw_schedule_sphere_centre(state, schedule, pair->p),
                                              reach, memory->n),
                           xp);
    }
    return tw_vec3_add(tw_vec3_sub(state->bodies.x[schedule->spheres.body[pair->q]], xp),
                       tw_cell_offset(&state->cell.h, pair->shift));
}

/* Share of the friction limit that a contact uses, 0 to 1. Beyond the limit where damping that does
 * not pull raises it, and after a change of friction: then 1, as without friction. */
TW_INLINE double tw_tally_mobilised(const tw_contact_law *law, const tw_contact_memory *memory)
{
    const double limit = tw_contact_law_friction_limit(law, memory->zeta);
    return limit > 0.0 ? tw_math_min(tw_vec3_norm(memory->ft) / limit, 1.0) : 1.0;
}

/* Relative motions that a contact prevents: the normal one, two tangential ones unless it slides;
 * two by rolling and one by twisting resistance, also at their limits. */
TW_INLINE uint32_t tw_tally_constraints(const tw_contact_law *law, int sliding)
{
    return 1u + (law->kt > 0.0 && law->mu > 0.0 && !sliding ? 2u : 0u) +
           (law->k_r > 0.0 && law->mu_r > 0.0 ? 2u : 0u) +
           (law->k_w > 0.0 && law->mu_w > 0.0 ? 1u : 0u);
}

/* A contact, for the sums. */
typedef struct tw_tally_touch {
    tw_contact_law law;
    tw_contact_memory memory;
    tw_vec3 force, branch; /* on the body of p; tw_tally_branch */
    int wall, sliding;
} tw_tally_touch;

/* Pair k, which is in contact. */
TW_INLINE tw_tally_touch tw_tally_touch_of(const tw_model *model, const tw_state *state,
                                           const tw_schedule *schedule, size_t k)
{
    const tw_pair *pair = &schedule->pairs.pair[k];
    const uint32_t slot = schedule->pairs.slot[k];
    tw_tally_touch c;
    c.law = tw_pair_law(model, state, schedule, pair);
    c.memory = tw_bundle_get(state->contacts.bundle, slot);
    c.force = tw_contacts_force(&state->contacts, &c.law, slot);
    c.branch = tw_tally_branch(state, schedule, pair, &c.memory);
    c.wall = tw_pair_is_wall(pair);
    c.sliding = state->contacts.sliding[slot];
    return c;
}

TW_INLINE void tw_tally_contact(const tw_tally_touch *c, double *sum)
{
    if (c->wall) sum[TW_TALLY_WALLS] += 1.0;
    tw_tally_outer(sum + TW_TALLY_STRESS, -1.0, c->branch, c->force);
    tw_tally_outer(sum + TW_TALLY_FABRIC, 1.0, c->memory.n, c->memory.n);
    sum[TW_TALLY_OVERLAP] += c->memory.zeta;
    sum[TW_TALLY_NORMAL] += tw_contact_law_normal_force(&c->law, c->memory.zeta);
    sum[TW_TALLY_FORCE] += tw_vec3_norm(c->force);
    sum[TW_TALLY_COUNT] += 1.0;
    sum[TW_TALLY_MOBILISED] += tw_tally_mobilised(&c->law, &c->memory);
    sum[TW_TALLY_CONSTRAINTS] += tw_tally_constraints(&c->law, c->sliding);
}

/* Mean normal force, from the sums of tw_tally_contact. */
TW_INLINE double tw_tally_force_mean(const double *contact)
{
    return contact[TW_TALLY_NORMAL] / tw_math_max(contact[TW_TALLY_COUNT], 1.0);
}

/* Adds the symmetric part of s a (x) b. */
TW_INLINE void tw_tally_symmetric(double *sum, double s, tw_vec3 a, tw_vec3 b)
{
    sum[0] += s * (a.x * b.x);
    sum[1] += s * (a.y * b.y);
    sum[2] += s * (a.z * b.z);
    sum[3] += s * (0.5 * (a.y * b.z + a.z * b.y));
    sum[4] += s * (0.5 * (a.x * b.z + a.z * b.x));
    sum[5] += s * (0.5 * (a.x * b.y + a.y * b.x));
}

/* Likewise for the second sums. */
TW_INLINE void tw_tally_second(const tw_tally_touch *c, double force_mean, double *sum)
{
    const tw_vec3 force = tw_vec3_scale(-1.0, c->force), n = c->memory.n;
    const double push = tw_vec3_dot(force, n);
    tw_tally_symmetric(sum + TW_TALLY_BRANCH, tw_vec3_dot(c->branch, n), n, n);
    tw_tally_symmetric(sum + TW_TALLY_PUSH, push, n, n);
    tw_tally_symmetric(sum + TW_TALLY_SHEAR, 1.0, tw_vec3_add_scaled(force, -push, n), n);
    if (tw_contact_law_normal_force(&c->law, c->memory.zeta) > force_mean) {
        tw_tally_symmetric(sum + TW_TALLY_STRONG, 1.0, c->branch, force);
        sum[TW_TALLY_STRONG_COUNT] += 1.0;
    }
}

/* Whether pair k is a contact between materials a and b. */
TW_INLINE int tw_tally_is_between(const tw_model *model, const tw_state *state,
                                  const tw_schedule *schedule, size_t k, uint32_t a, uint32_t b)
{
    if (!tw_pairs_touch(&schedule->pairs, k)) return 0;
    const uint16_t law = tw_pair_law_index(model, state, schedule, &schedule->pairs.pair[k]);
    return law == tw_model_law(model, a, b) || law == tw_model_law(model, b, a);
}

/* Likewise for the sums between two materials. */
TW_INLINE void tw_tally_between(const tw_tally_touch *c, double *sum)
{
    tw_tally_symmetric(sum + TW_TALLY_PAIR_STRESS, -1.0, c->branch, c->force);
    sum[TW_TALLY_PAIR_COUNT] += 1.0;
    if (c->sliding) sum[TW_TALLY_PAIR_SLIDING] += 1.0;
}

/* Where the mobilised friction of a contact belongs, of `bins` equal parts. */
TW_INLINE int tw_tally_bin(const tw_contact_law *law, const tw_contact_memory *memory, int bins)
{
    const int bin = (int)(tw_tally_mobilised(law, memory) * bins);
    return bin < bins ? bin : bins - 1;
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

/* Motions that body i is free for: spheres without friction turn without consequence. */
TW_INLINE uint32_t tw_tally_freedoms(const tw_model *model, const tw_bodies *bodies, size_t i,
                                     int slippery)
{
    if (bodies->flags[i] & TW_BODY_FIXED) return 0;
    return slippery && model->shapes[bodies->shape[i]].count == 1 ? 3 : 6;
}

/* Whether body i carries no force: `left` of its contacts are not those of other such bodies. */
TW_INLINE int tw_tally_is_rattler(const tw_model *model, const tw_bodies *bodies, size_t i,
                                  int slippery, uint32_t left)
{
    return left < tw_tally_needs(model, bodies, i, slippery) && !(bodies->flags[i] & TW_BODY_FIXED);
}

/* Whether contact k is that of a rattler. *other: the body for which it is one less; UINT32_MAX:
 * none. To find rattlers, begin with left[] as the numbers of contacts, and take such contacts from
 * the others until there are no more: their order does not matter. */
TW_INLINE int tw_tally_is_loose(const tw_model *model, const tw_bodies *bodies,
                                const tw_schedule *schedule, int slippery, const uint32_t *left,
                                size_t k, uint32_t *other)
{
    const tw_pair *pair = &schedule->pairs.pair[k];
    const uint32_t p = schedule->spheres.body[pair->p];
    const uint32_t q = tw_pair_is_wall(pair) ? UINT32_MAX : tw_schedule_body_q(schedule, pair);
    const int p_rattles = tw_tally_is_rattler(model, bodies, p, slippery, left[p]);
    const int q_rattles =
        q != UINT32_MAX && tw_tally_is_rattler(model, bodies, q, slippery, left[q]);
    *other = !p_rattles ? p : !q_rattles ? q : UINT32_MAX;
    return p_rattles || q_rattles;
}

/* Adds a rattler. */
TW_INLINE void tw_tally_rattler(const tw_model *model, const tw_bodies *bodies, size_t i,
                                int slippery, uint32_t *count)
{
    count[TW_TALLY_RATTLERS]++;
    count[TW_TALLY_LOOSE_FREEDOMS] += tw_tally_freedoms(model, bodies, i, slippery);
}

/* Adds a contact of one or two. */
TW_INLINE void tw_tally_loose(const tw_contact_law *law, int wall, int sliding, uint32_t *count)
{
    count[TW_TALLY_LOOSE_CONTACTS]++;
    if (wall) count[TW_TALLY_LOOSE_WALLS]++;
    count[TW_TALLY_LOOSE_CONSTRAINTS] += tw_tally_constraints(law, sliding);
}

TW_INLINE void tw_tally_body(const tw_model *model, const tw_state *state, int slippery, size_t i,
                             double *sum)
{
    const tw_bodies *b = &state->bodies;
    const double volume = tw_shape_volume(&model->shapes[b->shape[i]], b->size[i]);
    sum[TW_TALLY_SOLID] += volume;
    sum[TW_TALLY_DIAMETER] += tw_math_cbrt(6.0 / TW_MATH_PI * volume);
    sum[TW_TALLY_FREEDOMS] += tw_tally_freedoms(model, b, i, slippery);
    if (b->flags[i] & TW_BODY_FIXED) return;
    tw_tally_outer(sum + TW_TALLY_KINETIC, b->mass[i], b->v[i], b->v[i]);
    sum[TW_TALLY_UNBALANCED] +=
        tw_vec3_norm(tw_vec3_add_scaled(b->force[i], b->mass[i], model->gravity));
}

#endif
