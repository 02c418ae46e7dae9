/* SPDX-License-Identifier: BSD-3-Clause */
/* A history in memory: the columns that plots use, found by their names in any order. An energy may
 * also be called energy_NAME. Other columns are skipped, whatever they hold. */
#ifndef TWIRL_APP_HISTORY_TABLE_H
#define TWIRL_APP_HISTORY_TABLE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <twirl/history_columns.h>

typedef struct tw_history_row {
    double value[TW_HISTORY_COLUMN_COUNT]; /* NaN where the file has no number */
    size_t stage;                          /* 0, 1, 2 ...: a new one whenever the column says so */
} tw_history_row;

/* Names are kept of so many stages, cut to so many characters. */
enum { TW_HISTORY_STAGES_MAX = 6, TW_HISTORY_STAGE_MAX = 65 };

typedef struct tw_history_table {
    bool present[TW_HISTORY_COLUMN_COUNT];
    char stage[TW_HISTORY_STAGES_MAX][TW_HISTORY_STAGE_MAX];
    size_t stages; /* may be more than there are names; 0: no such column */
    tw_history_row *row;
    size_t count, capacity;
    bool failed; /* not the input's fault: the file cannot be opened, no memory */
    char error[PATH_MAX + 512];
} tw_history_table;

/* Only the rows of one stage, or all but those of the making of the specimen if `stage` is NULL.
 * False: the text is in error. Free the table whatever the answer. */
bool tw_history_table_read(tw_history_table *table, const char *path, const char *stage);
void tw_history_table_free(tw_history_table *table);

#endif
