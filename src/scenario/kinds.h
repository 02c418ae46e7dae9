/* SPDX-License-Identifier: BSD-3-Clause */
/* The kind of a section: the path of a stage, the distribution of sizes, the origin of the
 * specimen.
 */
#ifndef TW_SCENARIO_KINDS_H
#define TW_SCENARIO_KINDS_H

#include "scenario/key.h"
#include "scenario/tree.h"

/* The kinds of a section whose parent has the kinds `above`; 0 if its selector is not a known
 * choice. A cyclic stage has two: its own and its base path. */
uint32_t tw_kinds_of(const tw_key_section *section, const tw_tree_node *map, uint32_t above);

/* The kinds passed to its subsections as `above`. */
uint32_t tw_kinds_below(const tw_key_section *section, uint32_t kinds);

/* "path: triaxial, undrained", or "a generated specimen, specimen.file"; empty for all kinds. */
void tw_kinds_describe(const tw_key_section *section, uint32_t kinds, char *text, size_t size);

/* Why a key for the kinds `used` has no effect in a section of the kinds `found`: "used with path:
 * triaxial", or "not used with specimen.checkpoint". */
void tw_kinds_describe_use(const tw_key_section *section, uint32_t used, uint32_t found, char *text,
                           size_t size);

#endif
