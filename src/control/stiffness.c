/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/stiffness.h"

#include <math.h>

#include <twirl/contact_law.h>

#include "base/sum.h"

enum { BRANCH = TW_STIFFNESS_PAIRS, SUMS = BRANCH + TW_COMPONENTS };

/* Symmetric part of a (x) b. */
static void symmetric(tw_vec3 a, tw_vec3 b, double out[TW_COMPONENTS])
{
    out[TW_XX] = a.x * b.x;
    out[TW_YY] = a.y * b.y;
    out[TW_ZZ] = a.z * b.z;
    out[TW_YZ] = 0.5 * (a.y * b.z + a.z * b.y);
    out[TW_XZ] = 0.5 * (a.x * b.z + a.z * b.x);
    out[TW_XY] = 0.5 * (a.x * b.y + a.y * b.x);
}

/* For tw_sum_chunks. */
typedef struct stiffness_context {
    const tw_state *state;
    const tw_schedule *schedule;
} stiffness_context;

static void contact_chunk(void *context, size_t begin, size_t end, double *sum)
{
    const stiffness_context *c = context;
    const tw_state *state = c->state;
    const tw_schedule *schedule = c->schedule;
    for (size_t k = begin; k < end; k++) {
        const tw_pair *pair = &schedule->pairs.pair[k];
        const uint32_t slot = schedule->pairs.slot[k];
        if (slot == TW_NO_SLOT || tw_pair_is_plane(pair)) continue;
        const tw_vec3 n = tw_bundle_get(state->contacts.bundle, slot).n;
        const tw_vec3 xp = state->bodies.x[schedule->spheres.body[pair->p]];
        const tw_vec3 xq = state->bodies.x[schedule->spheres.body[pair->q]];
        const tw_vec3 branch =
            tw_vec3_add(tw_vec3_sub(xq, xp), tw_cell_offset(&state->cell.h, pair->shift));
        double a[TW_COMPONENTS], b[TW_COMPONENTS];
        symmetric(n, branch, a);
        symmetric(branch, branch, b);
        for (int i = 0, at = 0; i < TW_COMPONENTS; i++) {
            for (int j = 0; j <= i; j++)
                sum[at++] += a[i] * a[j];
            sum[BRANCH + i] += b[i];
        }
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

void tw_stiffness_refresh(tw_stiffness *stiffness, const tw_state *state,
                          const tw_schedule *schedule)
{
    if (!is_stale(stiffness, state)) return;
    double sum[SUMS];
    stiffness_context c = {state, schedule};
    const double volume = tw_cell_volume(&state->cell);
    tw_sum_chunks(schedule->pairs.count, SUMS, contact_chunk, &c, sum);
    for (int k = 0; k < TW_STIFFNESS_PAIRS; k++)
        stiffness->normal[k] = sum[k] / volume;
    for (int k = 0; k < TW_COMPONENTS; k++)
        stiffness->branch[k] = sum[BRANCH + k] / volume;
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
    symmetric(unit[row[component]], rows[col[component]], out);
    symmetric(unit[col[component]], rows[row[component]], other);
    for (int k = 0; k < TW_COMPONENTS; k++)
        out[k] = 0.5 * (out[k] + other[k]);
}

tw_stiffness_response tw_stiffness_respond(const tw_stiffness *stiffness, const tw_model *model,
                                           const tw_state *state, double least)
{
    tw_stiffness_response response;
    const tw_contact_stiffness spring = tw_contact_law_stiffness(model->laws, NULL);
    const double contacts = (double)state->sums.contacts, sliding = (double)state->sums.sliding;
    /* Sliding contacts have no tangential stiffness, but their dashpots resist. */
    const double kt = contacts > 0.0 ? spring.kt * (1.0 - sliding / contacts) : 0.0;
    for (int i = 0, at = 0; i < TW_COMPONENTS; i++) {
        for (int j = 0; j <= i; j++, at++)
            response.elastic[i][j] = response.elastic[j][i] =
                (spring.kn - kt) * stiffness->normal[at];
    }
    for (int j = 0; j < TW_COMPONENTS; j++) {
        double column[TW_COMPONENTS];
        spread(stiffness->branch, j, column);
        for (int i = 0; i < TW_COMPONENTS; i++) {
            response.elastic[i][j] += kt * column[i];
            response.viscous[i][j] = model->laws->nu_n * column[i];
        }
        response.elastic[j][j] += j < TW_YZ ? least : 0.5 * least;
    }
    return response;
}
