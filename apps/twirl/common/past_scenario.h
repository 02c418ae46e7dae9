/* SPDX-License-Identifier: BSD-3-Clause */
/* The scenario of a run that has been made, from its folder. */
#ifndef TWIRL_APP_PAST_SCENARIO_H
#define TWIRL_APP_PAST_SCENARIO_H

#include <twirl/scenario.h>

/* As tw_scenario_read. A file that the specimen came from may be elsewhere by now. */
tw_scenario *tw_past_scenario_read(const char *path, tw_scenario_errors *errors);

#endif
