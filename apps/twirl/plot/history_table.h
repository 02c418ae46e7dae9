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
} tw_history_row;

/* Names of stages are truncated to this size. */
enum { TW_HISTORY_STAGE_MAX = 128 };

/* Successive rows of one stage. */
typedef struct tw_history_part {
    char stage[TW_HISTORY_STAGE_MAX]; /* "" if there is no column `stage` */
    size_t first, count;
} tw_history_part;

typedef struct tw_history_table {
    bool present[TW_HISTORY_COLUMN_COUNT];
    bool has_stages; /* there is a column `stage` */
    tw_history_part *part;
    size_t parts, part_capacity;
    tw_history_row *row;
    size_t count, capacity;
    bool failed; /* out of memory or a read error, not bad input */
    char error[PATH_MAX + 512];
} tw_history_table;

/* False: see error. Free the table even after a failure. */
bool tw_history_table_read(tw_history_table *table, const char *path);
void tw_history_table_free(tw_history_table *table);

#endif
