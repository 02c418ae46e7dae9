/* SPDX-License-Identifier: BSD-3-Clause */
/* A history in memory, that of a run (history.csv) or of `twirl advance --history`. Columns are
 * found by their names, in any order; an energy may also be called energy_NAME. Columns with names
 * that are not in twirl/history_columns.h are ignored. */
#ifndef TWIRL_APP_HISTORY_TABLE_H
#define TWIRL_APP_HISTORY_TABLE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <twirl/history_columns.h>

/* Names of the columns, by tw_history_column. */
extern const char *const tw_history_table_names[TW_HISTORY_COLUMN_COUNT];

typedef struct tw_history_row {
    double value[TW_HISTORY_COLUMN_COUNT]; /* NaN: no such column, empty, "nan", or a text */
} tw_history_row;

typedef struct tw_history_rows {
    const tw_history_row *row;
    size_t count;
} tw_history_rows;

/* Names of stages are truncated to this size. */
enum { TW_HISTORY_STAGE_MAX = 128 };

/* Successive rows of one stage. */
typedef struct tw_history_part {
    char stage[TW_HISTORY_STAGE_MAX]; /* "" if there is no column `stage` */
    size_t first, count;
} tw_history_part;

typedef struct tw_history_table {
    bool present[TW_HISTORY_COLUMN_COUNT];
    tw_history_part *part;
    size_t parts, part_capacity;
    tw_history_row *row;
    size_t count, capacity;
    bool failed; /* out of memory or a read error, not bad input */
    char error[PATH_MAX + 512];
} tw_history_table;

/* False: see error, which names file, line and column. Free the table even after a failure. */
bool tw_history_table_read(tw_history_table *table, const char *path);

/* NULL: there is no row of this stage. */
const tw_history_part *tw_history_table_part(const tw_history_table *table, const char *stage);

/* The rows of a stage of the table read from `path`. False: there are none, see error. */
bool tw_history_table_find(tw_history_table *table, const char *path, const char *stage,
                           tw_history_rows *rows);

void tw_history_table_free(tw_history_table *table);

#endif
