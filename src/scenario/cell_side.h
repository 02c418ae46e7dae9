/* SPDX-License-Identifier: BSD-3-Clause */
/* How large the cell of a random specimen will be, before it is prepared. */
#ifndef TW_SCENARIO_CELL_SIDE_H
#define TW_SCENARIO_CELL_SIDE_H

#include <twirl/scenario.h>

/* The side of a cube of the volume of the cell, in mean diameters. */
double tw_cell_side(const tw_scenario_specimen *specimen);

#endif
