/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_specimen.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_prepared(const tw_scenario_specimen *specimen)
{
    if (specimen->file || specimen->checkpoint) return false;
    return specimen->arrangement == TW_SCENARIO_RANDOM || !isnan(specimen->preparation.pressure);
}

/* The friction of the material acts in stages only: a resolved scenario names that of the
 * preparation. Frames are written in stages only. The history counts, because the rows of the
 * preparation become the first rows of each case. */
char *tw_sweep_specimen_text(const tw_scenario *scenario)
{
    const char *const without[] = {
        "stages=", "material.friction=", "output.vtk=", "output.lammps=", "title="};
    const size_t count = sizeof without / sizeof *without - (scenario->title ? 0 : 1);
    if (scenario->stage_count == 0 || !is_prepared(&scenario->specimen)) return NULL;
    char *all = tw_scenario_write_text(scenario);
    if (!all) return NULL;
    tw_scenario_errors errors;
    tw_scenario *rest =
        tw_scenario_read_text(all, strlen(all), "specimen", without, count, &errors);
    tw_scenario_errors_free(&errors);
    free(all);
    char *text = rest ? tw_scenario_write_text(rest) : NULL;
    tw_scenario_free(rest);
    return text;
}
