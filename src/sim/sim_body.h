/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of a new body. */
#ifndef TW_SIM_SIM_BODY_H
#define TW_SIM_SIM_BODY_H

#include <twirl/sim.h>

#include "world/model.h"
#include "world/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is wrong with a definition, or NULL. */
const char *tw_sim_body_wrong(const tw_sim *sim, const tw_body_def *def);

/* Sets body i, whose columns are zero where nothing is said here. */
void tw_sim_body_put(const tw_model *model, tw_bodies *bodies, size_t i, uint32_t id,
                     const tw_body_def *def);

#ifdef __cplusplus
}
#endif

#endif
