/* SPDX-License-Identifier: BSD-3-Clause */
/* Command-line settings such as "stages[2].rate=1e-3", applied to the tree before it is checked. */
#ifndef TW_SCENARIO_SETTINGS_H
#define TW_SCENARIO_SETTINGS_H

#include "scenario/diagnostics.h"
#include "scenario/tree.h"

/* Applies diagnostics->settings[source - 1]. List items are addressed by number, from 1, or by
 * name. The value is YAML; an empty value removes the key. */
void tw_settings_apply(tw_tree_node *root, size_t source, tw_diagnostics *diagnostics);

#endif
