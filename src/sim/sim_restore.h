/* SPDX-License-Identifier: BSD-3-Clause */
/* The last step of loading: from what a checkpoint holds to a simulation that can run. */
#ifndef TW_SIM_RESTORE_H
#define TW_SIM_RESTORE_H

#include <twirl/sim.h>

#include "search/list.h"

/* Model, state and servo are as tw_checkpoint_read leaves them. Checks the numbers and gives the
 * contacts to the state. On failure the simulation can only be freed. */
tw_status tw_sim_restore(tw_sim *sim, const tw_contact_list *contacts, int listed, const char *path,
                         tw_error *error);

/* Whether tw_sim_restore would accept the numbers of a simulation: one that it refuses is not worth
 * saving, and must not replace a good file. */
tw_status tw_sim_restore_check(const tw_sim *sim, tw_error *error);

#endif
