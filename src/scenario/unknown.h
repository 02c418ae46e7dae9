/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys that are not what they should be, and what was probably meant. */
#ifndef TW_SCENARIO_UNKNOWN_H
#define TW_SCENARIO_UNKNOWN_H

#include <stdint.h>

#include "scenario/faults.h"
#include "scenario/keys.h"
#include "scenario/tree.h"

/* No section has `node->key`, or another one has. Returns the bit of the key that is suggested. */
uint64_t tw_unknown_key(tw_faults *faults, const tw_section *section, tw_node *node,
                        const tw_trail *trail);

/* The section has the key, but not in this kind. */
void tw_unknown_here(tw_faults *faults, const tw_section *section, const tw_key *key, tw_node *node,
                     const tw_trail *trail);

#endif
