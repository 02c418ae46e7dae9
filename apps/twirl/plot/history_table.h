/* SPDX-License-Identifier: BSD-3-Clause */
/* A history in memory: the columns that are drawn, found by their names, wherever they stand.
 * Columns nobody asks for may hold anything. */
#ifndef TWIRL_APP_HISTORY_TABLE_H
#define TWIRL_APP_HISTORY_TABLE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* name in the file. An energy may also be called energy_NAME. */
#define TW_HISTORY_LIST(X)                                                                         \
    X(time)                                                                                        \
    X(volume)                                                                                      \
    X(p)                                                                                           \
    X(q)                                                                                           \
    X(strain_xx)                                                                                   \
    X(strain_yy)                                                                                   \
    X(strain_zz)                                                                                   \
    X(stress_xx)                                                                                   \
    X(stress_yy)                                                                                   \
    X(stress_zz)                                                                                   \
    X(stress_xy)                                                                                   \
    X(stress_xz)                                                                                   \
    X(stress_yz)                                                                                   \
    X(stress_yx)                                                                                   \
    X(stress_zx)                                                                                   \
    X(stress_zy)                                                                                   \
    X(coordination)                                                                                \
    X(sliding_fraction)                                                                            \
    X(kinetic)                                                                                     \
    X(rotational)                                                                                  \
    X(normal)                                                                                      \
    X(tangential)                                                                                  \
    X(friction)                                                                                    \
    X(contact_damping)                                                                             \
    X(body_damping)                                                                                \
    X(cell)                                                                                        \
    X(walls)                                                                                       \
    X(gravity)                                                                                     \
    X(residual)

typedef enum tw_history_column {
#define TW_HISTORY_MEMBER(name) TW_HISTORY_##name,
    TW_HISTORY_LIST(TW_HISTORY_MEMBER)
#undef TW_HISTORY_MEMBER
        TW_HISTORY_COLUMNS
} tw_history_column;

typedef struct tw_history_row {
    double value[TW_HISTORY_COLUMNS]; /* NaN where the file has no number */
    size_t stage;                     /* 0, 1, 2 ...: a new one whenever the column says so */
} tw_history_row;

/* Names are kept of so many stages, cut to so many characters. */
enum { TW_HISTORY_STAGES_MAX = 6, TW_HISTORY_STAGE_MAX = 65 };

typedef struct tw_history_table {
    bool present[TW_HISTORY_COLUMNS];
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
