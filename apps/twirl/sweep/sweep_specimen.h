/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a scenario the preparation of its specimen depends on. */
#ifndef TWIRL_APP_SWEEP_SPECIMEN_H
#define TWIRL_APP_SWEEP_SPECIMEN_H

#include <twirl/scenario.h>

/* A scenario that prepares the specimen and nothing else, for the caller to free; scenarios whose
 * preparations are the same have the same text. NULL: the specimen is not prepared, or out of
 * memory; then the case prepares it itself. */
char *tw_sweep_specimen_text(const tw_scenario *scenario);

#endif
