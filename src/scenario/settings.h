/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of the command line, "stages[2].rate=1e-3", put into the tree before anything is
 * checked. */
#ifndef TW_SCENARIO_SETTINGS_H
#define TW_SCENARIO_SETTINGS_H

#include "scenario/tree.h"

/* Applies faults->settings[source - 1]. Items of a list go by number, from 1, or by their name. The
 * value is YAML; none at all takes the key out. */
void tw_settings_apply(tw_node *root, size_t source, tw_faults *faults);

#endif
