/* SPDX-License-Identifier: BSD-3-Clause */
/* A history in memory: the columns that plots use, found by their names in any order. An energy may
 * also be called energy_NAME. Other columns are ignored. */
#ifndef TWIRL_APP_HISTORY_TABLE_H
#define TWIRL_APP_HISTORY_TABLE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <twirl/history_columns.h>

typedef struct tw_history_row {
    double value[TW_HISTORY_COLUMN_COUNT]; /* NaN if the file has no number */
    size_t stage;                          /* 0, 1, 2 ...: changes with the column `stage` */
} tw_history_row;

/* The names of the first stages are kept, truncated to this size. */
enum { TW_HISTORY_STAGES_MAX = 6, TW_HISTORY_STAGE_MAX = 65 };

typedef struct tw_history_table {
    bool present[TW_HISTORY_COLUMN_COUNT];
    char stage[TW_HISTORY_STAGES_MAX][TW_HISTORY_STAGE_MAX];
    size_t stages; /* may exceed the number of names kept; 0: no column `stage` */
    tw_history_row *row;
    size_t count, capacity;
    bool failed; /* out of memory or a read error, not bad input */
    char error[PATH_MAX + 512];
} tw_history_table;

/* Reads the rows of one stage, or all except those of the preparation if `stage` is NULL. False:
 * see error. Free the table even after a failure. */
bool tw_history_table_read(tw_history_table *table, const char *path, const char *stage);
void tw_history_table_free(tw_history_table *table);

#endif
