/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/past_scenario.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* The file of a specimen is not read, so that any other file will do. */
tw_scenario *tw_past_scenario_read(const char *path, tw_scenario_errors *errors)
{
    static const char *const keys[] = {"specimen.file", "specimen.checkpoint"};
    tw_scenario *scenario = tw_scenario_read(path, NULL, 0, errors);
    for (int k = 0; !scenario && k < 2; k++) {
        char full[PATH_MAX], setting[PATH_MAX + 32];
        tw_scenario_errors other;
        if (!realpath(path, full)) break;
        snprintf(setting, sizeof setting, "%s=%s", keys[k], full);
        const char *const settings[] = {setting};
        scenario = tw_scenario_read(path, settings, 1, &other);
        tw_scenario_errors_free(&other);
    }
    return scenario;
}
