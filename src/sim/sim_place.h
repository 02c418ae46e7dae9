/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the steps of a simulation can be computed. */
#ifndef TW_SIM_PLACE_H
#define TW_SIM_PLACE_H

#include <twirl/types.h>

/* The place with this name; NULL: the one that TWIRL_DEVICE names, or the CPU. The result is one of
 * three constants, which may be compared as pointers. */
tw_status tw_sim_place_find(const char *name, const char **place, tw_error *error);

int tw_sim_place_is_cpu(const char *place);
int tw_sim_place_is_emulated(const char *place);

#endif
