/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors about which keys a section has: unknown, misplaced, repeated, conflicting or missing. */
#ifndef TW_SCENARIO_KEY_CHECK_H
#define TW_SCENARIO_KEY_CHECK_H

#include <stdint.h>

#include "scenario/diagnostics.h"
#include "scenario/key.h"
#include "scenario/tree.h"

enum { TW_KEY_CHECK_KEYS_MAX = 64 }; /* of a section: bits of a uint64_t */

/* Reports a key that the section does not have. Returns the bit of the key that was suggested
 * instead, or 0. */
uint64_t tw_key_check_unknown(tw_diagnostics *diagnostics, const tw_key_section *section,
                              tw_tree_node *node, const tw_key_path *key_path);

/* Whether an unknown key seems to be meant for the one that selects the kind of the section, which
 * is then not known. */
bool tw_key_check_is_selector_misspelt(const tw_key_section *section, const tw_tree_node *map);

/* Reports a key that the section has, but not in its present kinds. */
void tw_key_check_unused(tw_diagnostics *diagnostics, const tw_key_section *section,
                         const tw_key *key, tw_tree_node *node, const tw_key_path *key_path,
                         uint32_t kinds);

/* Reports a key given before in the same map, and returns true. */
bool tw_key_check_repeated(tw_diagnostics *diagnostics, tw_tree_node *node,
                           const tw_key_path *key_path);

/* Whether the map has the key, or one that excludes it. */
bool tw_key_check_settled(const tw_key_section *section, const tw_tree_node *map,
                          const tw_key *key);

/* Reports keys of `map` that exclude each other. */
void tw_key_check_conflicts(tw_diagnostics *diagnostics, const tw_key_section *section,
                            const tw_tree_node *map, const tw_key_path *key_path);

/* Reports missing keys, except those in `suggested`: the bits from tw_key_check_unknown. */
void tw_key_check_required(tw_diagnostics *diagnostics, const tw_key_section *section,
                           tw_tree_node *map, const tw_key_path *key_path, uint32_t kinds,
                           uint64_t suggested);

#endif
