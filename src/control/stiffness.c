/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/stiffness.h"

#include <math.h>

#include "base/sum.h"
#include "base/sum_lanes.h"
#include "control/stiffness_sum.h"

typedef struct stiffness_context {
    const tw_model *model;
    const tw_state *state;
    const tw_schedule *schedule;
} stiffness_context;

/* Of the contacts of spheres of a tile. */
static void contact_part(void *context, size_t number, double *sum)
{
    const stiffness_context *c = context;
    const tw_tile *tile = &c->schedule->tiles.tile[number];
    const int uniform = tw_model_is_uniform(c->model);
    double lane[TW_SUM_LANES][TW_STIFFNESS_SUMS] = {{0.0}};
    for (uint32_t slot = tile->slot; slot < tile->slot + tile->slots; slot++) {
        if (c->schedule->slots.pair[slot] == TW_NO_PAIR) continue;
        const tw_stiffness_sum_contact one =
            tw_stiffness_sum_find(c->model, c->state, c->schedule, uniform, slot);
        tw_stiffness_sum_add(&one, uniform, lane[slot % TW_SUM_LANES]);
    }
    for (int k = 0; k < TW_STIFFNESS_SUMS; k++) {
        double of[TW_SUM_LANES];
        for (int l = 0; l < TW_SUM_LANES; l++)
            of[l] = lane[l][k];
        sum[k] = tw_sum_lanes_join(of);
    }
}

/* A fiftieth of the contacts is a fiftieth of the stiffness, which hardly affects the servo; the
 * directions of contacts change by less in as many steps. */
static int is_stale(const tw_stiffness *stiffness, const tw_state *state)
{
    const double then = (double)stiffness->contacts, now = (double)state->sums.contacts;
    return !stiffness->made || fabs(now - then) > 0.02 * then ||
           state->steps - stiffness->step >= 50;
}

void tw_stiffness_refresh(tw_stiffness *stiffness, const tw_model *model, const tw_state *state,
                          const tw_schedule *schedule)
{
    if (!is_stale(stiffness, state)) return;
    double sum[TW_STIFFNESS_SUMS];
    stiffness_context c = {model, state, schedule};
    const double volume = tw_cell_volume(&state->cell);
    tw_sum_parts(schedule->tiles.count, TW_STIFFNESS_SUMS, contact_part, &c, NULL, sum);
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

/* Column `component` of the stiffness of springs of 1 that resist in every direction: the symmetric
 * part of E B for the strain E of that component, B the sum of branch (x) branch. */
static void spread(const double b[TW_COMPONENTS], int component, double out[TW_COMPONENTS])
{
    static const int row[TW_COMPONENTS] = {0, 1, 2, 1, 0, 0},
                     col[TW_COMPONENTS] = {0, 1, 2, 2, 2, 1};
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
typedef struct constants {
    double kn, kt, nu_n, nu_t;
} constants;

static constants constants_of(const tw_stiffness *stiffness, const tw_model *model,
                              const tw_state *state)
{
    const tw_contact_law *law = model->laws;
    const double contacts = (double)state->sums.contacts, sliding = (double)state->sums.sliding;
    /* Sliding contacts have no tangential stiffness or damping. */
    const double sticking = contacts > 0.0 ? 1.0 - sliding / contacts : 0.0;
    constants c = {1.0, stiffness->kt, stiffness->nu_n, stiffness->nu_t};
    if (tw_model_is_uniform(model)) c = (constants){law->kn, law->kt, law->nu_n, law->nu_t};
    c.kt *= sticking;
    c.nu_t *= sticking;
    return c;
}

/* The damping force at the end of a step is extrapolated from the means of this step and the one
 * before (docs/theory/contact.md): the first answer to a change of velocity is half as large again.
 */
static const double first_answer = 1.5;

tw_stiffness_response tw_stiffness_respond(const tw_stiffness *stiffness, const tw_model *model,
                                           const tw_state *state, double least)
{
    tw_stiffness_response response;
    const constants c = constants_of(stiffness, model, state);
    for (int i = 0, at = 0; i < TW_COMPONENTS; i++) {
        for (int j = 0; j <= i; j++, at++) {
            const double normal = stiffness->normal[at];
            response.elastic[i][j] = response.elastic[j][i] = (c.kn - c.kt) * normal;
            response.viscous[i][j] = response.viscous[j][i] =
                first_answer * (c.nu_n - c.nu_t) * normal;
        }
    }
    for (int j = 0; j < TW_COMPONENTS; j++) {
        double column[TW_COMPONENTS];
        spread(stiffness->branch, j, column);
        for (int i = 0; i < TW_COMPONENTS; i++) {
            response.elastic[i][j] += c.kt * column[i];
            response.viscous[i][j] += first_answer * c.nu_t * column[i];
        }
        response.elastic[j][j] += j < TW_YZ ? least : 0.5 * least;
    }
    return response;
}
