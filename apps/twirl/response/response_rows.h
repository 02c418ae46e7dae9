/* SPDX-License-Identifier: BSD-3-Clause */
/* What the evaluation of a stage needs of each row, in the direction of the stage: an extension
 * test has positive strains and deviators here. Compression keeps its signs. */
#ifndef TWIRL_APP_RESPONSE_ROWS_H
#define TWIRL_APP_RESPONSE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/scenario.h>

#include "response/response_series.h"
#include <twirl/figure.h>

typedef enum tw_response_rows_column {
    TW_RESPONSE_ROWS_STRAIN,     /* of the path */
    TW_RESPONSE_ROWS_STRESS,     /* conjugate to it: deviator, shear stress, axial stress, p [Pa] */
    TW_RESPONSE_ROWS_RATIO,      /* q/p, or shear over normal stress; NaN near p = 0 */
    TW_RESPONSE_ROWS_ANGLE,      /* mobilised friction angle [rad]; NaN near p = 0 */
    TW_RESPONSE_ROWS_VOLUME,     /* volumetric strain */
    TW_RESPONSE_ROWS_P,          /* [Pa] */
    TW_RESPONSE_ROWS_LATERAL,    /* mean lateral stress of axial paths [Pa] */
    TW_RESPONSE_ROWS_LOG_STRESS, /* natural logarithm of the stress */
    TW_RESPONSE_ROWS_VOID_RATIO,
    TW_RESPONSE_ROWS_COORDINATION,
    TW_RESPONSE_ROWS_CYCLE,
    TW_RESPONSE_ROWS_RU,
    TW_RESPONSE_ROWS_COLUMNS
} tw_response_rows_column;

typedef struct tw_response_rows {
    double *column[TW_RESPONSE_ROWS_COLUMNS];
    size_t count;
    double *values; /* the memory of all columns */
} tw_response_rows;

/* Ratios and angles are NaN where p is below `p_least` times its value in the first row. False: out
 * of memory. */
bool tw_response_rows_make(tw_response_rows *rows, const tw_scenario_stage *stage,
                           tw_figure_rows history, double p_least);
void tw_response_rows_free(tw_response_rows *rows);

/* A column over the strain. */
tw_response_series tw_response_rows_series(const tw_response_rows *rows,
                                           tw_response_rows_column column);

#endif
