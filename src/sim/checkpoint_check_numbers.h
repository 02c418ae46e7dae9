/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether lengths, masses and positions of a checkpoint can be those of a state that can be run. */
#ifndef TW_SIM_CHECKPOINT_CHECK_NUMBERS_H
#define TW_SIM_CHECKPOINT_CHECK_NUMBERS_H

#include "control/servo.h"
#include "search/list.h"

tw_status tw_checkpoint_check_numbers(const tw_model *model, const tw_state *state,
                                      const tw_servo *servo, const tw_contact_list *contacts,
                                      int listed, const char *path, tw_error *error);

#endif
