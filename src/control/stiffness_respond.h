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

/* The damping force at the end of a step is extrapolated from the means of this step and the one
 * before (docs/theory/contact.md): the first answer to a change of velocity is half as large again.
 */
#define TW_STIFFNESS_RESPOND_FIRST 1.5

/* Element (i, j) without the least stiffness. */
TW_INLINE void tw_stiffness_respond_at(const tw_stiffness *stiffness,
                                       const tw_stiffness_respond_constants *c, int i, int j,
                                       tw_stiffness_response *response)
{
    const int row = i > j ? i : j, column = i > j ? j : i;
    const double normal = stiffness->normal[row * (row + 1) / 2 + column];
    const double spread = tw_stiffness_respond_spread(stiffness->branch, i, j);
    response->elastic[i][j] = (c->kn - c->kt) * normal + c->kt * spread;
    response->viscous[i][j] = TW_STIFFNESS_RESPOND_FIRST * (c->nu_n - c->nu_t) * normal +
                              TW_STIFFNESS_RESPOND_FIRST * c->nu_t * spread;
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
