/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/stiffness.h"

#include <math.h>

#include <twirl/contact_law.h>

#include "base/sum.h"
#include "world/pair_law.h"

enum {
    BRANCH = TW_STIFFNESS_PAIRS,
    KN = BRANCH + TW_COMPONENTS, /* of all contacts, as the following */
    KT,
    NU_N,
    NU_T,
    SUMS
};

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
    const tw_model *model;
    const tw_state *state;
    const tw_schedule *schedule;
} stiffness_context;

/* Adds the constants of a contact to the sums; returns its normal stiffness. */
static double add_constants(const stiffness_context *c, const tw_pair *pair,
                            const tw_contact_memory *memory, double *sum)
{
    const tw_contact_law law = tw_pair_law(c->model, c->state, c->schedule, pair);
    const tw_contact_stiffness spring = tw_contact_law_stiffness(&law, memory);
    /* Coefficients of a Hertz contact grow with the fourth root of the overlap. */
    const double root = law.normal == TW_CONTACT_HERTZ ? sqrt(sqrt(memory->zeta)) : 1.0;
    sum[KN] += spring.kn;
    sum[KT] += spring.kt;
    sum[NU_N] += law.nu_n * root;
    sum[NU_T] += law.nu_t * root;
    return spring.kn;
}

static void contact_chunk(void *context, size_t begin, size_t end, double *sum)
{
    const stiffness_context *c = context;
    const tw_state *state = c->state;
    const tw_schedule *schedule = c->schedule;
    const int uniform = tw_model_is_uniform(c->model);
    for (size_t k = begin; k < end; k++) {
        const tw_pair *pair = &schedule->pairs.pair[k];
        const uint32_t slot = schedule->pairs.slot[k];
        if (slot == TW_NO_SLOT || tw_pair_is_plane(pair)) continue;
        const tw_contact_memory memory = tw_bundle_get(state->contacts.bundle, slot);
        const tw_vec3 n = memory.n;
        const tw_vec3 xp = state->bodies.x[schedule->spheres.body[pair->p]];
        const tw_vec3 xq = state->bodies.x[schedule->spheres.body[pair->q]];
        const tw_vec3 branch =
            tw_vec3_add(tw_vec3_sub(xq, xp), tw_cell_offset(&state->cell.h, pair->shift));
        double a[TW_COMPONENTS], b[TW_COMPONENTS];
        symmetric(n, branch, a);
        symmetric(branch, branch, b);
        if (!uniform) {
            const double kn = add_constants(c, pair, &memory, sum);
            for (int i = 0; i < TW_COMPONENTS; i++) {
                a[i] *= sqrt(kn);
                b[i] *= kn;
            }
        }
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

void tw_stiffness_refresh(tw_stiffness *stiffness, const tw_model *model, const tw_state *state,
                          const tw_schedule *schedule)
{
    if (!is_stale(stiffness, state)) return;
    double sum[SUMS];
    stiffness_context c = {model, state, schedule};
    const double volume = tw_cell_volume(&state->cell);
    tw_sum_chunks(schedule->pairs.count, SUMS, contact_chunk, &c, sum);
    for (int k = 0; k < TW_STIFFNESS_PAIRS; k++)
        stiffness->normal[k] = sum[k] / volume;
    for (int k = 0; k < TW_COMPONENTS; k++)
        stiffness->branch[k] = sum[BRANCH + k] / volume;
    const double kn = sum[KN];
    stiffness->kt = kn > 0.0 ? sum[KT] / kn : 0.0;
    stiffness->nu_n = kn > 0.0 ? sum[NU_N] / kn : 0.0;
    stiffness->nu_t = kn > 0.0 ? sum[NU_T] / kn : 0.0;
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
