/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a control as linear equations for the six strain rates. */
#ifndef TW_CONTROL_EQUATIONS_H
#define TW_CONTROL_EQUATIONS_H

#include <twirl/control.h>

#include "control/stiffness.h"

/* Right-hand sides: of the rows in rate control, of those in stress control, a unit of volume. */
enum { TW_EQUATIONS_RATE, TW_EQUATIONS_STRESS, TW_EQUATIONS_VOLUME, TW_EQUATIONS_SIDES };

typedef struct tw_equations {
    double left[TW_COMPONENTS][TW_COMPONENTS];
    double right[TW_COMPONENTS][TW_EQUATIONS_SIDES]; /* the solutions, once solved */
    double scale[TW_COMPONENTS]; /* row k is multiplied by this, so that all are of a size */
} tw_equations;

/* Refuses an invalid control; the text names the row. */
tw_status tw_equations_check(const tw_control *control, tw_error *error);

/* Sum of the magnitudes of the weights. */
double tw_equations_weight(const tw_control_row *row);

/* 1: a rate of the volume and nothing else. */
int tw_equations_is_volume(const tw_control_row *row);

/* The left-hand sides; the right-hand ones are zero. */
void tw_equations_fill(tw_equations *rows, const tw_control *control,
                       const tw_stiffness_response *response, double dt);

/* 0 if the rows are not independent. */
int tw_equations_solve(tw_equations *rows);

#endif
