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
#ifndef TWIRL_APP_RESPONSE_TAKE_H
#define TWIRL_APP_RESPONSE_TAKE_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/figure.h>

enum { TW_RESPONSE_NAME_MAX = 65 };

typedef enum tw_response_function {
    TW_RESPONSE_VALUE,
    TW_RESPONSE_MAX,
    TW_RESPONSE_MIN,
    TW_RESPONSE_MEAN
} tw_response_function;

typedef enum tw_response_place {
    TW_RESPONSE_LAST,
    TW_RESPONSE_FIRST,
    TW_RESPONSE_WHERE,      /* other = from */
    TW_RESPONSE_WITHIN,     /* from <= other <= to */
    TW_RESPONSE_AT_LARGEST, /* of other */
    TW_RESPONSE_AT_SMALLEST
} tw_response_place;

typedef struct tw_response_take {
    const char *text;                 /* as given */
    char stage[TW_RESPONSE_NAME_MAX]; /* "": the stage that is evaluated */
    tw_history_column column, other;  /* other: where there is a condition */
    tw_response_function function;
    tw_response_place place;
    double from, to;
} tw_response_take;

/* False: `problem` says what is wrong. `text` is kept. Column names are checked against those of
 * `twirl run`. */
bool tw_response_take_parse(tw_response_take *take, const char *text, char *problem, size_t size);

/* NaN: there is no such row. */
double tw_response_take_value(const tw_response_take *take, tw_figure_rows history);

#endif
