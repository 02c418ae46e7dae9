/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a control as linear equations for the six strain rates. */
#ifndef TW_CONTROL_ROWS_H
#define TW_CONTROL_ROWS_H

#include <twirl/control.h>

#include "control/stiffness.h"

/* Right-hand sides: what rates ask for, what stresses ask for, a unit of volume. */
enum { TW_ROWS_RATE, TW_ROWS_STRESS, TW_ROWS_VOLUME, TW_ROWS_SIDES };

typedef struct tw_rows {
    double left[TW_COMPONENTS][TW_COMPONENTS];
    double right[TW_COMPONENTS][TW_ROWS_SIDES]; /* the solutions, once solved */
    double scale[TW_COMPONENTS]; /* row k is multiplied by this, so that all are of a size */
} tw_rows;

/* Refuses a control that makes no sense; the text names the row. */
tw_status tw_rows_check(const tw_control *control, tw_error *error);

/* Sum of the magnitudes of the weights. */
double tw_rows_weight(const tw_control_row *row);

/* 1: a rate of the volume and nothing else. */
int tw_rows_is_volume(const tw_control_row *row);

/* The left-hand sides; the right-hand ones are zero. */
void tw_rows_fill(tw_rows *rows, const tw_control *control, const tw_answer *answer, double dt);

/* 0 if the rows are not independent. */
int tw_rows_solve(tw_rows *rows);

#endif
