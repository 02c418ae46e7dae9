/* SPDX-License-Identifier: BSD-3-Clause */
/* Results over the first varied value, with standard deviations over the replicates. */
#ifndef TWIRL_APP_SWEEP_VALUES_H
#define TWIRL_APP_SWEEP_VALUES_H

#include <twirl/types.h>

#include "sweep/sweep_figure.h"
#include "sweep/sweep_results.h"

/* Free the figure even after a failure. */
tw_status tw_sweep_values_draw(tw_sweep_figure *figure, const tw_sweep_results *results,
                               tw_error *error);

#endif
