/* SPDX-License-Identifier: BSD-3-Clause */
/* The response of the stress of the cell to an affine strain, from the springs and dashpots of its
 * contacts. Components in the order of tw_control, shear strains the engineering ones. */
#ifndef TW_CONTROL_STIFFNESS_H
#define TW_CONTROL_STIFFNESS_H

#include <twirl/contact_law.h>
#include <twirl/control.h>

#include "step/move_servo.h"
#include "world/schedule.h"

enum { TW_STIFFNESS_PAIRS = TW_COMPONENTS * (TW_COMPONENTS + 1) / 2 };

enum { TW_STIFFNESS_STEPS = 50 }; /* after so many it is made anew */

/* The contacts between bodies, per volume of the cell. Where all have the same springs
 * (tw_model_is_uniform), these are sums of geometry, otherwise each term is multiplied by the
 * normal stiffness of its contact, and the other constants are means relative to that. */
typedef struct tw_stiffness {
    double normal[TW_STIFFNESS_PAIRS]; /* sum of a (x) a, a = n (x) branch; lower triangle [1/m] */
    double branch[TW_COMPONENTS];      /* sum of branch (x) branch [1/m] */
    uint64_t contacts, step;           /* as they were then */
    int32_t made, unused;              /* 0: not yet */
    double kt, nu_n, nu_t; /* of the normal stiffness; 0 where all contacts are the same [-, s] */
} tw_stiffness;

/* A fiftieth of the contacts is a fiftieth of the stiffness, which hardly affects the servo; the
 * directions of contacts change by less in as many steps. */
TW_INLINE int tw_stiffness_is_stale(const tw_stiffness *stiffness, const tw_state *state)
{
    const double then = (double)stiffness->contacts, now = (double)state->sums.contacts;
    return !stiffness->made || fabs(now - then) > 0.02 * then ||
           state->steps - stiffness->step >= TW_STIFFNESS_STEPS;
}

/* Made anew if it is stale. */
void tw_stiffness_refresh(tw_stiffness *stiffness, const tw_model *model, const tw_state *state,
                          const tw_schedule *schedule);

/* ---- The sums over contacts, as inline code in C11, C++17 and CUDA ---- */

enum {
    TW_STIFFNESS_SUM_BRANCH = TW_STIFFNESS_PAIRS,
    TW_STIFFNESS_SUM_KN = TW_STIFFNESS_SUM_BRANCH + TW_COMPONENTS, /* not for uniform springs, */
    TW_STIFFNESS_SUM_KT,                                           /* as the following */
    TW_STIFFNESS_SUM_NU_N,
    TW_STIFFNESS_SUM_NU_T,
    TW_STIFFNESS_SUMS
};

typedef struct tw_stiffness_sum_contact {
    tw_vec3 n, branch;
    double kn, kt, nu_n, nu_t; /* 0 for uniform springs */
} tw_stiffness_sum_contact;

/* Symmetric part of a (x) b. */
TW_INLINE void tw_stiffness_sum_symmetric(tw_vec3 a, tw_vec3 b, double out[TW_COMPONENTS])
{
    out[TW_XX] = a.x * b.x;
    out[TW_YY] = a.y * b.y;
    out[TW_ZZ] = a.z * b.z;
    out[TW_YZ] = 0.5 * (a.y * b.z + a.z * b.y);
    out[TW_XZ] = 0.5 * (a.x * b.z + a.z * b.x);
    out[TW_XY] = 0.5 * (a.x * b.y + a.y * b.x);
}

/* Springs and dashpots of a contact; `law` is that of its radius and mass. */
TW_INLINE void tw_stiffness_sum_springs(const tw_contact_law *law, const tw_contact_memory *memory,
                                        tw_stiffness_sum_contact *c)
{
    const tw_contact_stiffness spring = tw_contact_law_stiffness(law, memory);
    const double root = tw_contact_law_damping_root(law, memory->zeta);
    c->kn = spring.kn;
    c->kt = spring.kt;
    c->nu_n = law->nu_n * root;
    c->nu_t = law->nu_t * root;
}

/* The contact in a slot that is in use. */
TW_INLINE tw_stiffness_sum_contact tw_stiffness_sum_find(const tw_model *model,
                                                         const tw_state *state,
                                                         const tw_schedule *schedule, int uniform,
                                                         uint32_t slot)
{
    const tw_pair *pair = &schedule->pairs.pair[schedule->slots.pair[slot]];
    const tw_contact_memory memory = tw_bundle_get(state->contacts.bundle, slot);
    const tw_vec3 xp = state->bodies.x[schedule->spheres.body[pair->p]];
    const tw_vec3 xq = state->bodies.x[schedule->spheres.body[pair->q]];
    tw_stiffness_sum_contact c;
    c.n = memory.n;
    c.branch = tw_vec3_add(tw_vec3_sub(xq, xp), tw_cell_offset(&state->cell.h, pair->shift));
    c.kn = c.kt = c.nu_n = c.nu_t = 0.0;
    if (uniform) return c;
    const tw_contact_law law = tw_pair_law(model, state, schedule, pair);
    tw_stiffness_sum_springs(&law, &memory, &c);
    return c;
}

/* a = n (x) branch and b = branch (x) branch, weighted with the normal stiffness. */
TW_INLINE void tw_stiffness_sum_terms(const tw_stiffness_sum_contact *c, int uniform,
                                      double a[TW_COMPONENTS], double b[TW_COMPONENTS])
{
    tw_stiffness_sum_symmetric(c->n, c->branch, a);
    tw_stiffness_sum_symmetric(c->branch, c->branch, b);
    if (uniform) return;
    const double root = sqrt(c->kn);
    for (int i = 0; i < TW_COMPONENTS; i++) {
        a[i] *= root;
        b[i] *= c->kn;
    }
}

TW_INLINE void tw_stiffness_sum_add(const tw_stiffness_sum_contact *c, int uniform, double *sum)
{
    double a[TW_COMPONENTS], b[TW_COMPONENTS];
    tw_stiffness_sum_terms(c, uniform, a, b);
    if (!uniform) {
        sum[TW_STIFFNESS_SUM_KN] += c->kn;
        sum[TW_STIFFNESS_SUM_KT] += c->kt;
        sum[TW_STIFFNESS_SUM_NU_N] += c->nu_n;
        sum[TW_STIFFNESS_SUM_NU_T] += c->nu_t;
    }
    for (int i = 0, at = 0; i < TW_COMPONENTS; i++) {
        for (int j = 0; j <= i; j++)
            sum[at++] += a[i] * a[j];
        sum[TW_STIFFNESS_SUM_BRANCH + i] += b[i];
    }
}

/* The stiffness from the sums over all contacts. */
TW_INLINE void tw_stiffness_sum_set(tw_stiffness *stiffness, const tw_state *state,
                                    const double sum[TW_STIFFNESS_SUMS])
{
    const double volume = tw_cell_volume(&state->cell);
    for (int k = 0; k < TW_STIFFNESS_PAIRS; k++)
        stiffness->normal[k] = sum[k] / volume;
    for (int k = 0; k < TW_COMPONENTS; k++)
        stiffness->branch[k] = sum[TW_STIFFNESS_SUM_BRANCH + k] / volume;
    const double kn = sum[TW_STIFFNESS_SUM_KN];
    stiffness->kt = kn > 0.0 ? sum[TW_STIFFNESS_SUM_KT] / kn : 0.0;
    stiffness->nu_n = kn > 0.0 ? sum[TW_STIFFNESS_SUM_NU_N] / kn : 0.0;
    stiffness->nu_t = kn > 0.0 ? sum[TW_STIFFNESS_SUM_NU_T] / kn : 0.0;
    stiffness->contacts = state->sums.contacts;
    stiffness->step = state->steps;
    stiffness->made = 1;
}

/* The response of the stress of the cell to an affine strain, from the stiffness of its contacts,
 * as inline code in C11, C++17 and CUDA. */

typedef struct tw_stiffness_response {
    double elastic[TW_COMPONENTS][TW_COMPONENTS]; /* stress lost per strain [Pa] */
    double viscous[TW_COMPONENTS][TW_COMPONENTS]; /* stress lost per change of the strain rate, at
                                                     the end of its first step [Pa s] */
} tw_stiffness_response;

/* Row and column of a component in the tensor, and the component of a row and a column. */
TW_INLINE int tw_stiffness_respond_row(int component)
{
    return component < TW_YZ ? component : (component == TW_YZ ? 1 : 0);
}

TW_INLINE int tw_stiffness_respond_column(int component)
{
    return component < TW_YZ ? component : (component == TW_XY ? 1 : 2);
}

TW_INLINE int tw_stiffness_respond_component(int row, int column)
{
    return row == column ? row : TW_COMPONENTS - row - column;
}

/* Component k of the symmetric part of u (x) B v, for unit vectors u and v in the directions of
 * axes. */
TW_INLINE double tw_stiffness_respond_part(const double b[TW_COMPONENTS], int k, int u, int v)
{
    const int r = tw_stiffness_respond_row(k), c = tw_stiffness_respond_column(k);
    const double ur = u == r ? 1.0 : 0.0, uc = u == c ? 1.0 : 0.0;
    const double br = b[tw_stiffness_respond_component(v, r)];
    const double bc = b[tw_stiffness_respond_component(v, c)];
    return r == c ? ur * br : 0.5 * (ur * bc + uc * br);
}

/* Element (i, j) of the stiffness of springs of 1 that resist in every direction: component i of
 * the symmetric part of E B for the strain E of component j, B the sum of branch (x) branch. */
TW_INLINE double tw_stiffness_respond_spread(const double b[TW_COMPONENTS], int i, int j)
{
    const int row = tw_stiffness_respond_row(j), column = tw_stiffness_respond_column(j);
    return 0.5 * (tw_stiffness_respond_part(b, i, row, column) +
                  tw_stiffness_respond_part(b, i, column, row));
}

/* Constants of all contacts, or relative to the normal stiffness. */
typedef struct tw_stiffness_respond_constants {
    double kn, kt, nu_n, nu_t;
} tw_stiffness_respond_constants;

TW_INLINE tw_stiffness_respond_constants tw_stiffness_respond_with(const tw_stiffness *stiffness,
                                                                   const tw_model *model,
                                                                   double contacts, double sliding)
{
    const tw_contact_law *law = model->laws;
    /* Sliding contacts have no tangential stiffness or damping. */
    const double sticking = contacts > 0.0 ? 1.0 - sliding / contacts : 0.0;
    const int uniform = tw_model_is_uniform(model);
    tw_stiffness_respond_constants c;
    c.kn = uniform ? law->kn : 1.0;
    c.kt = uniform ? law->kt : stiffness->kt;
    c.nu_n = uniform ? law->nu_n : stiffness->nu_n;
    c.nu_t = uniform ? law->nu_t : stiffness->nu_t;
    c.kt *= sticking;
    c.nu_t *= sticking;
    return c;
}

/* Element (i, j) without the least stiffness. */
TW_INLINE void tw_stiffness_respond_at(const tw_stiffness *stiffness,
                                       const tw_stiffness_respond_constants *c, int i, int j,
                                       tw_stiffness_response *response)
{
    const int row = i > j ? i : j, column = i > j ? j : i;
    const double normal = stiffness->normal[row * (row + 1) / 2 + column];
    const double spread = tw_stiffness_respond_spread(stiffness->branch, i, j);
    response->elastic[i][j] = (c->kn - c->kt) * normal + c->kt * spread;
    response->viscous[i][j] =
        TW_MOVE_SERVO_FIRST * (c->nu_n - c->nu_t) * normal + TW_MOVE_SERVO_FIRST * c->nu_t * spread;
}

/* `least`: a stiffness that is there without any contact [Pa]. */
TW_INLINE void tw_stiffness_respond_least(tw_stiffness_response *response, int k, double least)
{
    response->elastic[k][k] += k < TW_YZ ? least : 0.5 * least;
}

/* All elements, without a least stiffness. */
TW_INLINE tw_stiffness_response tw_stiffness_respond(const tw_stiffness *stiffness,
                                                     const tw_model *model, const tw_state *state)
{
    tw_stiffness_response response;
    const tw_stiffness_respond_constants c = tw_stiffness_respond_with(
        stiffness, model, (double)state->sums.contacts, (double)state->sums.sliding);
    for (int i = 0; i < TW_COMPONENTS; i++) {
        for (int j = 0; j < TW_COMPONENTS; j++)
            tw_stiffness_respond_at(stiffness, &c, i, j, &response);
    }
    return response;
}

#endif
