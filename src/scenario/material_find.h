/* SPDX-License-Identifier: BSD-3-Clause */
/* Materials by name. */
#ifndef TW_SCENARIO_MATERIAL_FIND_H
#define TW_SCENARIO_MATERIAL_FIND_H

#include <twirl/scenario.h>

/* The index of one of `materials`; their number if there is none of that name. */
size_t tw_material_find(const tw_scenario *scenario, const char *name);

#endif
