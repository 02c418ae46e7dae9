/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/probes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_law(tw_probes_law *out, int32_t kind, uint32_t without)
{
    out->kind = kind;
    out->without = without;
    size_t used = (size_t)snprintf(out->label, sizeof out->label, "%s", tw_contact_kind_name(kind));
    for (uint32_t bit = 1; bit <= TW_CONTACT_ALL; bit <<= 1)
        if (without & bit)
            used += (size_t)snprintf(out->label + used, sizeof out->label - used, "-%s",
                                     tw_contact_refinement_name(bit));
}

static bool make_laws(tw_probes *probes)
{
    const tw_scenario_probes *requested = &probes->stage->probes;
    probes->laws = calloc(TW_CONTACT_KINDS + requested->variant_count, sizeof *probes->laws);
    if (!probes->laws) return false;
    for (int32_t kind = 0; kind < TW_CONTACT_KINDS; kind++)
        if (requested->laws & 1u << kind) make_law(&probes->laws[probes->law_count++], kind, 0);
    for (size_t i = 0; i < requested->variant_count; i++)
        make_law(&probes->laws[probes->law_count++], requested->variants[i].law,
                 requested->variants[i].without);
    return true;
}

bool tw_probes_make(const tw_run *run, tw_probes *probes)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const tw_scenario_probes *requested = &stage->probes;
    memset(probes, 0, sizeof *probes);
    probes->stage = stage;
    probes->directions.sphere = requested->space == TW_SCENARIO_SPHERE_OF_DIRECTIONS;
    probes->directions.axis = stage->axis;
    probes->directions.count = requested->count;
    probes->by_stress = isnan(requested->strain);
    probes->magnitude = probes->by_stress ? requested->stress : requested->strain;
    probes->elastic = requested->no_slip == 1 && !probes->by_stress ? TW_COMPONENTS : 0;
    probes->each = 1 + requested->count + probes->elastic;
    if (!make_laws(probes)) return false;
    probes->total = probes->law_count * probes->each;
    probes->result = calloc(probes->total, sizeof *probes->result);
    probes->done = calloc(probes->total, sizeof *probes->done);
    return probes->result && probes->done;
}

void tw_probes_free(tw_probes *probes)
{
    free(probes->laws);
    free(probes->result);
    free(probes->done);
}

size_t tw_probes_index(const tw_probes *probes, size_t law, size_t number)
{
    return law * probes->each + number;
}

tw_probe_def tw_probes_definition(const tw_probes *probes, size_t index)
{
    const tw_scenario_probes *requested = &probes->stage->probes;
    const size_t number = index % probes->each, count = probes->directions.count;
    const tw_probes_law *law = &probes->laws[index / probes->each];
    tw_probe_def def = {.kind = law->kind,
                        .without = law->without,
                        .by_stress = probes->by_stress,
                        .magnitude = probes->magnitude,
                        .steps = requested->steps,
                        .rest = requested->rest,
                        .rest_steps = requested->rest_steps,
                        .load = number <= count,
                        .unload = number > 0 && number <= count && requested->unload == 1,
                        .no_slip = number > 0 && requested->no_slip == 1};
    if (number > 0 && number <= count)
        tw_directions_at(&probes->directions, number - 1, def.change);
    else if (number > count)
        def.change[number - count - 1] = number - count - 1 < TW_YZ ? 1.0 : sqrt(2.0);
    for (int k = 0; k < TW_COMPONENTS; k++)
        def.change[k] *= probes->magnitude;
    return def;
}

uint64_t tw_probes_steps(const tw_probes *probes)
{
    uint64_t steps = 0;
    for (size_t i = 0; i < probes->total; i++)
        for (int k = 0; k < TW_PROBE_PHASES && probes->done[i]; k++)
            steps += probes->result[i].steps[k];
    return steps;
}

tw_file_path tw_probes_path(const tw_run *run, const char *stage, const char *name)
{
    return tw_file_path_join(tw_file_path_in(run->plan->folder, "stages", stage, "").text, name);
}
