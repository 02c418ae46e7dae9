/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/stable.h"

#include <string.h>

#include <twirl/contact_law.h>

#include "base/error.h"
#include "world/pair_law.h"

/* A Hertz contact is at least as stiff as with this overlap, in units of the reduced radius. */
static const double least_overlap = 1e-4;

static double bound_of(const tw_model *model, const tw_bodies *b, size_t i)
{
    return model->shapes[b->shape[i]].radius * b->size[i];
}

static double moment_of(const tw_bodies *b, size_t i)
{
    const tw_vec3 moments = b->inertia[i];
    return tw_math_min(moments.x, tw_math_min(moments.y, moments.z));
}

/* Largest mobility of body i at the end of any arm up to its bound: 1/m + r^2/I. */
static double mobility(const tw_model *model, const tw_bodies *b, size_t i)
{
    const double r = bound_of(model, b, i);
    return 1.0 / b->mass[i] + r * r / moment_of(b, i);
}

/* ---- Contacts that differ ---- */

/* Velocity with which a body may meet others: its own, and that of the flow across it. */
static double speed_of(const tw_model *model, const tw_state *state, size_t i)
{
    const tw_bodies *b = &state->bodies;
    return tw_vec3_norm(b->v[i]) +
           2.0 * bound_of(model, b, i) * tw_mat3_max_abs(state->cell.gradient);
}

/* The springs of one contact. A Hertz contact stiffens as it is compressed: what its bodies can do
 * to it with their velocities counts, so that a step holds for a collision as well. `law` is that
 * of this radius and mass. */
static tw_tile_springs springs_of(const tw_contact_law *law, double radius, double mass,
                                  double speed, double zeta)
{
    double root = 1.0, fourth = 1.0; /* of the overlap, for stiffnesses and coefficients */
    double kn = law->kn;
    if (law->normal == TW_CONTACT_HERTZ) {
        const double energy = 0.5 * mass * speed * speed; /* (2/5) kn overlap^(5/2) */
        const double reached = tw_math_pow(2.5 * energy / law->kn, 0.4);
        root = sqrt(tw_math_max(least_overlap * radius, tw_math_max(zeta, reached)));
        fourth = sqrt(root);
        kn *= 1.5;
    }
    const int rolls = law->mu_r > 0.0, twists = law->mu_w > 0.0;
    const double k_turn = tw_math_max(rolls ? law->k_r : 0.0, twists ? law->k_w : 0.0);
    const double nu_turn = tw_math_max(rolls ? law->nu_r : 0.0, twists ? law->nu_w : 0.0);
    return (tw_tile_springs){root * tw_math_max(kn, law->kt),
                             fourth * tw_math_max(law->nu_n, law->nu_t),
                             root * radius * radius * k_turn, fourth * radius * radius * nu_turn};
}

static void add(tw_tile_springs *sum, const tw_tile_springs *one)
{
    sum->k += one->k;
    sum->nu += one->nu;
    sum->k_turn += one->k_turn;
    sum->nu_turn += one->nu_turn;
}

/* Sums over the contacts of all bodies. */
static void sum_springs(const tw_model *model, const tw_state *state, tw_schedule *schedule)
{
    const tw_pairs *pairs = &schedule->pairs;
    tw_tile_springs *springs = schedule->tiles.springs;
    memset(springs, 0, state->bodies.count * sizeof *springs);
    for (size_t k = 0; k < pairs->count; k++) {
        if (!tw_pairs_touch(pairs, k)) continue;
        const tw_pair *pair = &pairs->pair[k];
        const size_t p = schedule->spheres.body[pair->p];
        const tw_contact_law law = tw_pair_law(model, state, schedule, pair);
        const double zeta = tw_bundle_get(state->contacts.bundle, pairs->slot[k]).zeta;
        double speed = speed_of(model, state, p);
        if (!tw_pair_is_plane(pair))
            speed += speed_of(model, state, tw_schedule_body_q(schedule, pair));
        const tw_tile_springs one =
            springs_of(&law, tw_pair_law_radius(schedule, pair),
                       tw_pair_law_mass(state, schedule, pair), speed, zeta);
        add(&springs[p], &one);
        if (!tw_pair_is_plane(pair)) add(&springs[tw_schedule_body_q(schedule, pair)], &one);
    }
}

/* The first contact of a body: with another like it. */
static tw_tile_springs first_spring(const tw_model *model, const tw_state *state, size_t i)
{
    const tw_bodies *b = &state->bodies;
    const double radius = 0.5 * bound_of(model, b, i), mass = 0.5 * b->mass[i];
    const uint16_t own = tw_model_law(model, b->material[i], b->material[i]);
    const tw_contact_law law = tw_contact_law_at(&model->laws[own], radius, mass);
    return springs_of(&law, radius, mass, 2.0 * speed_of(model, state, i), 0.0);
}

static tw_stable_limit limit_of(const tw_model *model, const tw_state *state,
                                const tw_schedule *schedule, size_t i)
{
    const tw_bodies *b = &state->bodies;
    const uint32_t contacts = schedule->tiles.degree[i];
    const tw_tile_springs s = contacts ? schedule->tiles.springs[i] : first_spring(model, state, i);
    const double turn = 1.0 / moment_of(b, i), m = mobility(model, b, i);
    const double w2 = 2.0 * (s.k * m + s.k_turn * turn), c = s.nu * m + s.nu_turn * turn;
    return (tw_stable_limit){tw_contact_law_stable_oscillator(w2, c), i, s.k, contacts};
}

/* ---- All contacts ---- */

static tw_stable_limit uniform_limit_of(const tw_model *model, const tw_state *state,
                                        const tw_schedule *schedule, size_t i)
{
    const tw_contact_stiffness k = tw_contact_law_stiffness(model->laws, NULL);
    const uint32_t contacts = schedule->tiles.degree[i];
    const double n = contacts ? contacts : 1.0;
    const double dt =
        tw_contact_law_stable_step(model->laws, n, mobility(model, &state->bodies, i));
    return (tw_stable_limit){dt, i, n * tw_math_max(k.kn, k.kt), contacts};
}

tw_stable_limit tw_stable_find(const tw_model *model, const tw_state *state, tw_schedule *schedule)
{
    const tw_bodies *b = &state->bodies;
    const uint32_t rotation = tw_model_extras(model) & ~(uint32_t)TW_CONTACT_EXTRA_DAMPING;
    const int uniform = tw_model_is_uniform(model) && !rotation;
    tw_schedule_count_contacts(state, schedule, schedule->tiles.degree);
    if (!uniform) sum_springs(model, state, schedule);
    tw_stable_limit limit = {DBL_MAX, 0, 0.0, 0};
    for (size_t i = 0; i < b->count; i++) {
        if (b->flags[i] & TW_BODY_FIXED) continue;
        const tw_stable_limit one = uniform ? uniform_limit_of(model, state, schedule, i)
                                            : limit_of(model, state, schedule, i);
        if (one.dt < limit.dt) limit = one;
    }
    return limit;
}

tw_status tw_stable_refuse(const tw_state *state, const tw_stable_limit *limit, tw_error *error)
{
    const uint32_t id = state->bodies.id[limit->body];
    const double mass = state->bodies.mass[limit->body];
    if (limit->contacts == 0)
        return tw_error_set(
            error, TW_STATUS_PHYSICS,
            "dt = %g s is above the stable step of %g s for a single contact of "
            "stiffness %g N/m on body %u with a mass of %g kg: use a smaller dt, or "
            "set dt_forced",
            state->dt, limit->dt, limit->stiffness, id, mass);
    return tw_error_set(
        error, TW_STATUS_PHYSICS,
        "dt = %g s is above the stable step of %g s: body %u has a mass of %g kg and "
        "%u contact%s with a total stiffness of %g N/m: use a smaller dt, or set dt_forced",
        state->dt, limit->dt, id, mass, limit->contacts, limit->contacts == 1 ? "" : "s",
        limit->stiffness);
}
