/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/material_find.h"

#include <string.h>

size_t tw_material_find(const tw_scenario *scenario, const char *name)
{
    size_t i = 0;
    while (i < scenario->material_count &&
           !(scenario->materials[i].name && strcmp(scenario->materials[i].name, name) == 0))
        i++;
    return i;
}
