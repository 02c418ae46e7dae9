/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_FIGURE_TURNING_H
#define TWIRL_APP_FIGURE_TURNING_H

#include <twirl/types.h>

/* How far the force of a sliding contact turns in one step, law by law: turning.csv and the figure,
 * in a directory that exists. */
tw_status tw_figure_turning(const char *directory, tw_error *error);

#endif
