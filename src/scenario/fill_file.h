/* SPDX-License-Identifier: BSD-3-Clause */
/* Files named in a scenario. */
#ifndef TW_SCENARIO_FILL_FILE_H
#define TW_SCENARIO_FILL_FILE_H

#include "scenario/fill_context.h"
#include "scenario/tree.h"

/* Makes *path absolute; reports an error if there is no such file. A path is relative to the folder
 * of the scenario, in a setting to the working directory. */
void tw_fill_file(const tw_fill_context *fill, tw_tree_node *node, const tw_key_path *key_path,
                  char **path);

#endif
