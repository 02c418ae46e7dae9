/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of `twirl info` that describes materials and contact laws. */
#ifndef TWIRL_APP_INFO_LAW_H
#define TWIRL_APP_INFO_LAW_H

#include <twirl/sim.h>

/* One line for each law, more where it has rolling, twisting or damping; with several materials
 * their names and densities, and the laws by pair. */
void tw_info_law_print(const tw_sim *sim, int label_width);

#endif
