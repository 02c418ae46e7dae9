/* SPDX-License-Identifier: BSD-3-Clause */
/* The curves of all cases in one figure: the colour is the first varied value, the dashes the
 * second; replicates are thin. */
#ifndef TWIRL_APP_SWEEP_CURVES_H
#define TWIRL_APP_SWEEP_CURVES_H

#include <twirl/types.h>

#include "sweep/sweep_figure.h"
#include "sweep/sweep_results.h"

/* Writes the points to FOLDER/curves.csv. `stage` as in tw_sweep_request. Free the figure even
 * after a failure. */
tw_status tw_sweep_curves_draw(tw_sweep_figure *figure, const tw_sweep_results *results,
                               const char *folder, const char *stage, tw_error *error);

#endif
