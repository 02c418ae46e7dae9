/* SPDX-License-Identifier: BSD-3-Clause */
/* One number of a history, named by a text:
 *
 *     [STAGE.]COLUMN                  in the last row
 *     [STAGE.]COLUMN@first            in the first row
 *     [STAGE.]COLUMN@OTHER=NUMBER     where column OTHER first has this value, interpolated
 *     [STAGE.]COLUMN@max(OTHER)       in the row with the largest (min: smallest) value of OTHER
 *     max([STAGE.]COLUMN)             over all rows; also min and mean, the mean over time
 *     mean([STAGE.]COLUMN)@OTHER=A..B rows with OTHER from A to B
 */
#ifndef TWIRL_APP_SWEEP_TAKE_H
#define TWIRL_APP_SWEEP_TAKE_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/figure.h>

enum { TW_SWEEP_TAKE_NAME_MAX = 65 };

typedef enum tw_sweep_function {
    TW_SWEEP_TAKE_VALUE,
    TW_SWEEP_TAKE_MAX,
    TW_SWEEP_TAKE_MIN,
    TW_SWEEP_TAKE_MEAN
} tw_sweep_function;

typedef enum tw_sweep_place {
    TW_SWEEP_TAKE_LAST,
    TW_SWEEP_TAKE_FIRST,
    TW_SWEEP_TAKE_WHERE,      /* other = from */
    TW_SWEEP_TAKE_WITHIN,     /* from <= other <= to */
    TW_SWEEP_TAKE_AT_LARGEST, /* of other */
    TW_SWEEP_TAKE_AT_SMALLEST
} tw_sweep_place;

typedef struct tw_sweep_take {
    const char *text;                   /* as given */
    char stage[TW_SWEEP_TAKE_NAME_MAX]; /* "": the stage that is evaluated */
    tw_history_column column, other;    /* other: where there is a condition */
    tw_sweep_function function;
    tw_sweep_place place;
    double from, to;
} tw_sweep_take;

/* False: `problem` says what is wrong. `text` is kept. Column names are checked against those of
 * `twirl run`. */
bool tw_sweep_take_parse(tw_sweep_take *take, const char *text, char *problem, size_t size);

/* NaN: there is no such row. */
double tw_sweep_take_value(const tw_sweep_take *take, tw_figure_rows history);

#endif
