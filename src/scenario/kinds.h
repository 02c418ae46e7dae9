/* SPDX-License-Identifier: BSD-3-Clause */
/* Which kind of section this is: of which path a stage, of which distribution the sizes. */
#ifndef TW_SCENARIO_KINDS_H
#define TW_SCENARIO_KINDS_H

#include "scenario/keys.h"
#include "scenario/tree.h"

/* The kinds of a section, where the section around it has the kinds `above`; 0 where its selector
 * is not one of the choices. A cyclic stage has two: its own and its base path. */
uint32_t tw_kinds_of(const tw_section *section, const tw_node *map, uint32_t above);

/* What the sections in it get to see as `above`. */
uint32_t tw_kinds_below(const tw_section *section, uint32_t kinds);

/* Kinds by their words: "path: triaxial, undrained"; empty for all. */
void tw_kinds_words(const tw_section *section, uint32_t kinds, char *text, size_t size);

#endif
