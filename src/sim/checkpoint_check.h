/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the numbers of a checkpoint that index something are in range. */
#ifndef TW_SIM_CHECKPOINT_CHECK_H
#define TW_SIM_CHECKPOINT_CHECK_H

#include "sim/checkpoint_items.h"

tw_status tw_checkpoint_check(const tw_checkpoint_data *data, const char *name, tw_error *error);

#endif
