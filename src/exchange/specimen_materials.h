/* SPDX-License-Identifier: BSD-3-Clause */
/* From the types of a file with laws to the materials of a simulation. */
#ifndef TW_EXCHANGE_SPECIMEN_MATERIALS_H
#define TW_EXCHANGE_SPECIMEN_MATERIALS_H

#include <stdbool.h>

#include <twirl/exchange.h>

/* Whether a simulation with this definition takes the laws of the file. */
bool tw_specimen_materials_used(const tw_specimen *specimen, const tw_sim_def *def);

/* The law of the first type. */
tw_contact_law tw_specimen_materials_law(const tw_specimen *specimen, const tw_sim_def *def);

/* Adds materials and laws; returns the material of each type, [type - 1], to be freed, or NULL with
 * an error. The simulation has material 0 alone, with the law of the first type. */
uint32_t *tw_specimen_materials_add(const tw_specimen *specimen, const tw_sim_def *def, tw_sim *sim,
                                    tw_error *error);

#endif
