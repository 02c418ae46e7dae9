/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of one stage in the history of a run, with all columns. */
#ifndef TWIRL_APP_RESPONSE_HISTORY_H
#define TWIRL_APP_RESPONSE_HISTORY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { TW_RESPONSE_COLUMNS_MAX = 256 };

typedef struct tw_response_history {
    char *header;                        /* cut into names */
    char *name[TW_RESPONSE_COLUMNS_MAX]; /* of the columns */
    double *value;                       /* row by row; NaN where there is no number */
    size_t columns, rows, capacity;
    bool failed; /* out of memory or a read error, not bad input */
    char error[PATH_MAX + 512];
} tw_response_history;

/* False: see error. Free the history even after a failure. A stage without rows is an error. */
bool tw_response_history_read(tw_response_history *history, const char *path, const char *stage);
void tw_response_history_free(tw_response_history *history);

/* The number of a column; SIZE_MAX: there is none. */
size_t tw_response_history_find(const tw_response_history *history, const char *name);

/* NaN for a column that does not exist. */
double tw_response_history_at(const tw_response_history *history, size_t row, size_t column);

#endif
