/* SPDX-License-Identifier: BSD-3-Clause */
/* What a distribution of diameters says about the grains. */
#ifndef TW_SCENARIO_GRAIN_SIZES_H
#define TW_SCENARIO_GRAIN_SIZES_H

#include <twirl/scenario.h>

typedef struct tw_grain_sizes {
    double smallest, largest; /* diameters [m] */
    double mean;              /* diameter of the grain of mean volume [m] */
} tw_grain_sizes;

/* NaN where the distribution is not known. */
tw_grain_sizes tw_grain_sizes_find(const tw_scenario_sizes *sizes);

#endif
