/* SPDX-License-Identifier: BSD-3-Clause */
/* What is drawn as one line: rows of a history, and the stage of the scenario that made them. */
#ifndef TWIRL_APP_SERIES_H
#define TWIRL_APP_SERIES_H

#include <twirl/scenario.h>

#include "common/history_table.h"
#include "plot/path_kind.h"

enum { TW_SERIES_LABEL_MAX = 256 };

typedef struct tw_series {
    const tw_history_table *table;
    size_t first, count;
    const tw_scenario_stage *stage; /* NULL: not known */
    tw_path_kind kind;
    int axis; /* the axial direction, 0 to 2 */
    char label[TW_SERIES_LABEL_MAX];
    char name[TW_HISTORY_STAGE_MAX]; /* of the stage; "" if there is none */
} tw_series;

/* A run, or a history on its own. */
typedef struct tw_series_run {
    char folder[PATH_MAX]; /* "" for a history on its own */
    tw_history_table table;
    tw_scenario *scenario; /* NULL: none */
} tw_series_run;

typedef struct tw_series_list {
    tw_series_run *run;
    size_t runs;
    tw_series *series;
    size_t count, capacity;
} tw_series_list;

/* Which stages to draw. One input: its stages that load, or those named. Several inputs: one curve
 * of each, the last that loads or the one named; a single name stands for all inputs. */
typedef struct tw_series_wish {
    char *const *input; /* folders of runs, or histories */
    size_t inputs;
    const char *stages, *labels; /* separated by commas; NULL: not given */
    int axis;                    /* of histories without scenario */
} tw_series_wish;

typedef struct tw_series_problem {
    bool failed; /* out of memory or a read error, not bad input */
    char text[PATH_MAX + 512];
    char warning[PATH_MAX + 512]; /* "": none */
} tw_series_problem;

/* False: see problem. Free the list even after a failure. */
bool tw_series_list_read(tw_series_list *list, const tw_series_wish *wish,
                         tw_series_problem *problem);
void tw_series_list_free(tw_series_list *list);

#endif
