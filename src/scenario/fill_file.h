/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that a scenario names. */
#ifndef TW_SCENARIO_FILL_FILE_H
#define TW_SCENARIO_FILL_FILE_H

#include "scenario/fill.h"

/* Makes *path, as the file has it, absolute; blames the node if there is no such file. A path is
 * relative to the folder of the scenario, in a setting to the working directory. */
void tw_fill_file(const tw_fill *fill, tw_node *node, const tw_trail *trail, char **path);

#endif
