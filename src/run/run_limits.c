/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_limits.h"

#include <math.h>
#include <stdlib.h>

#include <twirl/math.h>

#include "base/mat3.h"

/* Below two diameters between opposite faces a grain touches another one and its image. A cell that
 * was thinner at the start of the stage is meant to be: a monolayer, the unit cell of a lattice. */
static tw_status check_cell(const tw_run *run)
{
    const tw_mat3 inverse = tw_mat3_inverse(tw_sim_cell(run->sim));
    const double least = 2.0 * run->diameter;
    for (int k = 0; k < 3; k++) {
        const double height = 1.0 / tw_vec3_norm(tw_mat3_row(inverse, k));
        const double start = height * tw_math_exp(run->state.strain[k]);
        if (height >= least || start < least) continue;
        return tw_error_set(run->error, TW_STATUS_PHYSICS,
                            "stage '%s': at a strain of %.3g the cell is thinner than two mean "
                            "diameters along %c (%.3g m): grains touch their own images; end the "
                            "stage at a smaller strain, or use more grains",
                            tw_run_stage_name(run), tw_run_path_strain(run), "xyz"[k], height);
    }
    return TW_STATUS_OK;
}

/* Whether the stage ends or reverses at a stress, and nothing else ends it. */
static bool is_unbounded(const tw_scenario_stage *stage)
{
    const tw_scenario_end *end = &stage->end;
    const bool stress = !isnan(end->stress) || !isnan(end->q) || !isnan(end->pressure) ||
                        !isnan(end->stress_ratio) || !isnan(stage->cycle.stress);
    return stress && isnan(end->strain) && isnan(end->time) && end->steps == TW_SCENARIO_NONE;
}

/* Granular materials reach their peak at a few per cent of strain and the critical state below 50
 * %; simple shear may go on much longer. */
static tw_status check_strain(const tw_run *run, const tw_scenario_stage *stage)
{
    const double most = tw_scenario_stage_traits(stage).strain_most;
    if (!is_unbounded(stage) || fabs(tw_run_path_strain(run)) < most) return TW_STATUS_OK;
    return tw_error_set(run->error, TW_STATUS_PHYSICS,
                        "stage '%s': its stress has not been reached at a strain of %g; it is "
                        "beyond the strength of the specimen. Lower it, or add end.strain",
                        stage->name, most);
}

tw_status tw_run_limits_check(const tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    if (!stage || stage->path == TW_SCENARIO_ROTATE ||
        run->state.stage_steps % TW_RUN_CHECK_STEPS != 0)
        return TW_STATUS_OK;
    const tw_status status = check_cell(run);
    return status == TW_STATUS_OK ? check_strain(run, stage) : status;
}

/* ---- Overlaps at the start ---- */

enum { OVERLAP_PERCENT = 5 }; /* of the mean radius: ten times that of stiff grains under load */

static tw_status log_overlap(tw_run *run, const tw_contact_state *contacts, size_t count)
{
    const double radius = 0.5 * run->diameter, limit = 0.01 * OVERLAP_PERCENT * radius;
    size_t deep = 0, deepest = 0;
    for (size_t i = 0; i < count; i++) {
        deep += contacts[i].zeta > limit;
        if (contacts[i].zeta > contacts[deepest].zeta) deepest = i;
    }
    if (deep == 0) return TW_STATUS_OK;
    const tw_contact_state *c = &contacts[deepest];
    return tw_run_warn(
        run,
        "the grains of specimen.file overlap at the start: grains %u and %u "
        "by %.3g m, %.0f %% of the mean radius; %zu of %zu contacts by more than %d "
        "%%. They are pushed apart with force: make the radii smaller, or begin with "
        "'path: relax' and 'damping: {mass: ...}'",
        c->body_p, c->body_q, c->zeta, 100.0 * c->zeta / radius, deep, count, (int)OVERLAP_PERCENT);
}

tw_status tw_run_limits_log_overlap(tw_run *run)
{
    size_t count;
    if (!run->scenario->specimen.file || run->state.steps > 0) return TW_STATUS_OK;
    tw_status status = tw_sim_contacts(run->sim, &count, run->error);
    if (status != TW_STATUS_OK || count == 0) return status;
    tw_contact_state *contacts = malloc(count * sizeof *contacts);
    if (!contacts) return tw_error_set_memory(run->error);
    status = tw_sim_get_contacts(run->sim, contacts, run->error);
    if (status == TW_STATUS_OK) status = log_overlap(run, contacts, count);
    free(contacts);
    return status;
}
