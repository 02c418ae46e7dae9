/* SPDX-License-Identifier: BSD-3-Clause */
/* The response of the stress of the cell to an affine strain, from the stiffness of its contacts,
 * as inline code in C11, C++17 and CUDA. */
#ifndef TW_CONTROL_STIFFNESS_RESPOND_H
#define TW_CONTROL_STIFFNESS_RESPOND_H

#include "control/stiffness.h"

typedef struct tw_stiffness_response {
    double elastic[TW_COMPONENTS][TW_COMPONENTS]; /* stress lost per strain [Pa] */
    double viscous[TW_COMPONENTS][TW_COMPONENTS]; /* stress lost per change of the strain rate, at
                                                     the end of its first step [Pa s] */
} tw_stiffness_response;

/* Column `component` of the stiffness of springs of 1 that resist in every direction: the symmetric
 * part of E B for the strain E of that component, B the sum of branch (x) branch. */
TW_INLINE void tw_stiffness_respond_spread(const double b[TW_COMPONENTS], int component,
                                           double out[TW_COMPONENTS])
{
    const int row[TW_COMPONENTS] = {0, 1, 2, 1, 0, 0}, col[TW_COMPONENTS] = {0, 1, 2, 2, 2, 1};
    const tw_vec3 rows[3] = {{b[TW_XX], b[TW_XY], b[TW_XZ]},
                             {b[TW_XY], b[TW_YY], b[TW_YZ]},
                             {b[TW_XZ], b[TW_YZ], b[TW_ZZ]}};
    const tw_vec3 unit[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double other[TW_COMPONENTS];
    tw_stiffness_sum_symmetric(unit[row[component]], rows[col[component]], out);
    tw_stiffness_sum_symmetric(unit[col[component]], rows[row[component]], other);
    for (int k = 0; k < TW_COMPONENTS; k++)
        out[k] = 0.5 * (out[k] + other[k]);
}

/* Constants of all contacts, or relative to the normal stiffness. */
typedef struct tw_stiffness_respond_constants {
    double kn, kt, nu_n, nu_t;
} tw_stiffness_respond_constants;

TW_INLINE tw_stiffness_respond_constants tw_stiffness_respond_with(const tw_stiffness *stiffness,
                                                                   const tw_model *model,
                                                                   const tw_state *state)
{
    const tw_contact_law *law = model->laws;
    const double contacts = (double)state->sums.contacts, sliding = (double)state->sums.sliding;
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

/* The damping force at the end of a step is extrapolated from the means of this step and the one
 * before (docs/theory/contact.md): the first answer to a change of velocity is half as large again.
 */
#define TW_STIFFNESS_RESPOND_FIRST 1.5

/* `least`: a stiffness that is there without any contact [Pa]. */
TW_INLINE tw_stiffness_response tw_stiffness_respond(const tw_stiffness *stiffness,
                                                     const tw_model *model, const tw_state *state,
                                                     double least)
{
    tw_stiffness_response response;
    const tw_stiffness_respond_constants c = tw_stiffness_respond_with(stiffness, model, state);
    for (int i = 0, at = 0; i < TW_COMPONENTS; i++) {
        for (int j = 0; j <= i; j++, at++) {
            const double normal = stiffness->normal[at];
            response.elastic[i][j] = response.elastic[j][i] = (c.kn - c.kt) * normal;
            response.viscous[i][j] = response.viscous[j][i] =
                TW_STIFFNESS_RESPOND_FIRST * (c.nu_n - c.nu_t) * normal;
        }
    }
    for (int j = 0; j < TW_COMPONENTS; j++) {
        double column[TW_COMPONENTS];
        tw_stiffness_respond_spread(stiffness->branch, j, column);
        for (int i = 0; i < TW_COMPONENTS; i++) {
            response.elastic[i][j] += c.kt * column[i];
            response.viscous[i][j] += TW_STIFFNESS_RESPOND_FIRST * c.nu_t * column[i];
        }
        response.elastic[j][j] += j < TW_YZ ? least : 0.5 * least;
    }
    return response;
}

#endif
