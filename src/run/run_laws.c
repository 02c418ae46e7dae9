/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static tw_contact_law *laws_of(const tw_sim *sim)
{
    const size_t count = tw_sim_materials(sim);
    tw_contact_law *laws = malloc(count * count * sizeof *laws);
    for (size_t i = 0; laws && i < count * count; i++)
        tw_sim_pair_law(sim, (uint32_t)(i / count), (uint32_t)(i % count), &laws[i], NULL);
    return laws;
}

tw_status tw_run_laws_keep(tw_run *run, const tw_sim *sim)
{
    tw_run_laws_free(run);
    if (!run->scenario->specimen.checkpoint) return TW_STATUS_OK;
    run->laws = laws_of(sim);
    return run->laws ? TW_STATUS_OK : tw_error_set_memory(run->error);
}

void tw_run_laws_free(tw_run *run)
{
    free(run->laws);
    run->laws = NULL;
}

/* Where the list of the scenario has the k-th material of the simulation. */
static size_t place_of(const tw_run *run, size_t k)
{
    const tw_scenario *s = run->scenario;
    const char *name = tw_sim_material_name(run->sim, (uint32_t)k);
    size_t i = 0;
    while (i < s->material_count && strcmp(s->materials[i].name, name) != 0)
        i++;
    return i;
}

tw_status tw_run_laws_set(tw_run *run, const tw_scenario_stage *stage)
{
    const size_t count = tw_sim_materials(run->sim);
    tw_contact_law *laws = malloc(count * count * sizeof *laws);
    if (!laws) return tw_error_set_memory(run->error);
    for (size_t i = 0; i < count * count; i++) {
        laws[i] = run->laws ? run->laws[i] : tw_contact_law_default();
        tw_scenario_put_law(run->scenario, stage, place_of(run, i / count),
                            place_of(run, i % count), &laws[i]);
    }
    const tw_status status = tw_sim_set_laws(run->sim, laws, run->error);
    free(laws);
    return status;
}

tw_status tw_run_laws_set_friction(const tw_run *run, tw_sim *sim, double friction)
{
    const size_t count = tw_sim_materials(sim);
    tw_contact_law *laws = isnan(friction) ? NULL : laws_of(sim);
    if (isnan(friction)) return TW_STATUS_OK;
    if (!laws) return tw_error_set_memory(run->error);
    for (size_t i = 0; i < count * count; i++)
        laws[i].mu = friction;
    const tw_status status = tw_sim_set_laws(sim, laws, run->error);
    free(laws);
    return status;
}
