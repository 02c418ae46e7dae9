/* SPDX-License-Identifier: BSD-3-Clause */
/* The longest stable time step. */
#ifndef TW_STEP_STABLE_H
#define TW_STEP_STABLE_H

#include <twirl/contact_law.h>

#include "search/list.h"
#include "world/schedule.h"

enum { TW_STABLE_STEPS = 100 }; /* between two checks of dt, if no contacts form */

/* A lower bound of the stable step, and the body that sets it. */
typedef struct tw_stable_limit {
    double dt;         /* [s] */
    size_t body;       /* index */
    double stiffness;  /* sum over its contacts [N/m]; of one if it has none */
    uint32_t contacts; /* of the body */
} tw_stable_limit;

tw_stable_limit tw_stable_find(const tw_model *model, const tw_state *state, tw_schedule *schedule);

/* The error of a given dt above the limit. */
tw_status tw_stable_refuse(const tw_state *state, const tw_stable_limit *limit, tw_error *error);

/* ---- One body, and what follows from all, as inline code in C11, C++17 and CUDA ---- */

/* A Hertz contact is at least as stiff as with this overlap, in units of the reduced radius. */
#define TW_STABLE_OVERLAP 1e-4

TW_INLINE double tw_stable_moment(const tw_bodies *b, size_t i)
{
    const tw_vec3 moments = b->inertia[i];
    return tw_math_min(moments.x, tw_math_min(moments.y, moments.z));
}

/* Largest mobility of body i at the end of any arm up to its bound: 1/m + r^2/I. */
TW_INLINE double tw_stable_mobility(const tw_model *model, const tw_state *state, size_t i)
{
    const tw_bodies *b = &state->bodies;
    const double r = tw_list_bound(model, state, i);
    return 1.0 / b->mass[i] + r * r / tw_stable_moment(b, i);
}

/* Velocity with which a body may meet others: its own, and that of the flow across it. */
TW_INLINE double tw_stable_speed(const tw_model *model, const tw_state *state, size_t i)
{
    const tw_bodies *b = &state->bodies;
    return tw_vec3_norm(b->v[i]) +
           2.0 * tw_list_bound(model, state, i) * tw_mat3_max_abs(state->cell.gradient);
}

/* The springs of one contact. A Hertz contact stiffens as it is compressed: what its bodies can do
 * to it with their velocities counts, so that a step holds for a collision as well. `law` is that
 * of this radius and mass. */
TW_INLINE tw_tile_springs tw_stable_springs(const tw_contact_law *law, double radius, double mass,
                                            double speed, double zeta)
{
    const double reached = tw_contact_law_overlap_by_energy(law, 0.5 * mass * speed * speed);
    const double most = tw_math_max(TW_STABLE_OVERLAP * radius, tw_math_max(zeta, reached));
    const double root = tw_contact_law_root(law, most);
    const double fourth = tw_contact_law_damping_root(law, most);
    const int rolls = law->mu_r > 0.0, twists = law->mu_w > 0.0;
    const double k_turn = tw_math_max(rolls ? law->k_r : 0.0, twists ? law->k_w : 0.0);
    const double nu_turn = tw_math_max(rolls ? law->nu_r : 0.0, twists ? law->nu_w : 0.0);
    const tw_tile_springs springs = {tw_math_max(tw_contact_law_slope(law, most), root * law->kt),
                                     fourth * tw_math_max(law->nu_n, law->nu_t),
                                     root * radius * radius * k_turn,
                                     fourth * radius * radius * nu_turn};
    return springs;
}

/* Springs of pair k, which is in contact. */
TW_INLINE tw_tile_springs tw_stable_contact(const tw_model *model, const tw_state *state,
                                            const tw_schedule *schedule, size_t k)
{
    const tw_pair *pair = &schedule->pairs.pair[k];
    const size_t p = schedule->spheres.body[pair->p];
    const tw_contact_law law = tw_pair_law(model, state, schedule, pair);
    const double zeta = tw_bundle_get(state->contacts.bundle, schedule->pairs.slot[k]).zeta;
    double speed = tw_stable_speed(model, state, p);
    if (!tw_pair_is_wall(pair))
        speed += tw_stable_speed(model, state, tw_schedule_body_q(schedule, pair));
    tw_tile_springs springs =
        tw_stable_springs(&law, tw_pair_law_radius(schedule, pair),
                          tw_pair_law_mass(state, schedule, pair), speed, zeta);
    if (state->contacts.extras.parts & TW_CONTACT_EXTRA_SHARED) {
        const tw_contact_parts extra =
            tw_extras_get(&state->contacts.extras, schedule->pairs.slot[k]);
        const double own = tw_contact_parts_own(&extra);
        springs.k *= own;
        springs.nu *= own;
        springs.k_turn *= own;
        springs.nu_turn *= own;
    }
    return springs;
}

TW_INLINE void tw_stable_add(tw_tile_springs *sum, const tw_tile_springs *one)
{
    sum->k += one->k;
    sum->nu += one->nu;
    sum->k_turn += one->k_turn;
    sum->nu_turn += one->nu_turn;
}

/* The first contact of a body: with another like it. */
TW_INLINE tw_tile_springs tw_stable_first(const tw_model *model, const tw_state *state, size_t i)
{
    const tw_bodies *b = &state->bodies;
    const double radius = 0.5 * tw_list_bound(model, state, i), mass = 0.5 * b->mass[i];
    const uint16_t own = tw_model_law(model, b->material[i], b->material[i]);
    const tw_contact_law law = tw_contact_law_at_inline(&model->laws[own], radius, mass, 1.0);
    return tw_stable_springs(&law, radius, mass, 2.0 * tw_stable_speed(model, state, i), 0.0);
}

/* `sum`: over its contacts. */
TW_INLINE tw_stable_limit tw_stable_of_body(const tw_model *model, const tw_state *state,
                                            const tw_tile_springs *sum, uint32_t contacts, size_t i)
{
    const tw_bodies *b = &state->bodies;
    const tw_tile_springs s = contacts ? *sum : tw_stable_first(model, state, i);
    const double turn = 1.0 / tw_stable_moment(b, i), m = tw_stable_mobility(model, state, i);
    const double w2 = 2.0 * (s.k * m + s.k_turn * turn), c = s.nu * m + s.nu_turn * turn;
    const tw_stable_limit limit = {tw_contact_law_stable_oscillator(w2, c), i, s.k, contacts};
    return limit;
}

/* Where all contacts are the same. */
TW_INLINE tw_stable_limit tw_stable_of_uniform(const tw_model *model, const tw_state *state,
                                               uint32_t contacts, size_t i)
{
    const tw_contact_stiffness k = tw_contact_law_stiffness(model->laws, NULL);
    const double n = contacts ? contacts : 1.0;
    const double dt =
        tw_contact_law_stable_step(model->laws, n, tw_stable_mobility(model, state, i));
    const tw_stable_limit limit = {dt, i, n * tw_math_max(k.kn, k.kt), contacts};
    return limit;
}

/* Whether the number of its contacts is all that counts of them. `extras`: tw_model_extras. */
TW_INLINE int tw_stable_is_uniform(const tw_model *model, uint32_t extras)
{
    return tw_model_is_uniform(model) && !(extras & ~(uint32_t)TW_CONTACT_EXTRA_DAMPING);
}

/* An automatic dt follows the stable step down, but never grows by itself. A given dt must stay
 * below the stable step: 0 if it does not. */
TW_INLINE int tw_stable_choose(const tw_model *model, tw_state *state, double limit)
{
    if (!model->dt_automatic) return state->dt <= limit || model->dt_forced;
    const double target = model->dt_fraction * limit;
    if (!(state->dt > 0.0) || state->dt > tw_math_min(1.6 * target, limit)) state->dt = target;
    return 1;
}

/* The stable step decreases as contacts form: dt is checked when many have formed at once, and
 * every TW_STABLE_STEPS steps, after the forces of a step, so that dampers have moved by the dt
 * that they divide by. Never because of a search: when that is depends on the list, which another
 * program, or a restart in it, makes at other times. `before`: contacts at the start of the step.
 */
TW_INLINE int tw_stable_is_due(const tw_state *state, size_t before)
{
    const size_t now = state->sums.contacts;
    return now > 0 && (50 * now > 51 * before || state->steps % TW_STABLE_STEPS == 0);
}

#endif
