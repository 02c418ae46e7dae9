/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether what was read can be a world: numbers that index something do. */
#ifndef TW_SIM_CHECKPOINT_CHECK_H
#define TW_SIM_CHECKPOINT_CHECK_H

#include "sim/checkpoint_items.h"

/* Also moves the numbers of walls in the contacts behind all spheres of the bodies. */
tw_status tw_checkpoint_check(tw_checkpoint_data *data, const char *name, tw_error *error);

/* Whether its lengths, masses and places can be those of a state that is to be run. */
tw_status tw_checkpoint_check_numbers(const tw_world *world, const tw_contact_list *contacts,
                                      int listed, const char *path, tw_error *error);

#endif
