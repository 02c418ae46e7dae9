/* SPDX-License-Identifier: BSD-3-Clause */
/* Which figures belong to which kind of path. */
#ifndef TWIRL_APP_FIGURE_TABLE_H
#define TWIRL_APP_FIGURE_TABLE_H

#include "plot/curve.h"
#include "plot/path_kind.h"

enum { TW_FIGURE_TABLE_LINES_MAX = 9 };

typedef enum tw_figure_table_flag {
    TW_FIGURE_TABLE_LOG_Y = 1,
    TW_FIGURE_TABLE_EACH = 2,          /* one figure for each series: it has several lines */
    TW_FIGURE_TABLE_STRESS_CYCLES = 4, /* only cycles of given stress amplitude */
    TW_FIGURE_TABLE_STRAIN_CYCLES = 8  /* only cycles of given strain amplitude */
} tw_figure_table_flag;

typedef struct tw_figure_table_line {
    tw_curve curve;
    const char *title; /* in the key; NULL: the label of the series */
} tw_figure_table_line;

typedef struct tw_figure_table_entry {
    const char *name;
    uint32_t kinds; /* series that it shows */
    uint32_t needs; /* drawn if one of these is among them */
    tw_curve x;     /* TW_CURVES: the abscissa of the group */
    tw_figure_table_line lines[TW_FIGURE_TABLE_LINES_MAX];
    int count;
    unsigned flags;
} tw_figure_table_entry;

extern const tw_figure_table_entry tw_figure_table[];
extern const int tw_figure_table_count;

/* Kinds of paths that share figures. */
typedef struct tw_figure_table_group {
    const char *name; /* added to the name of a figure that another group has, too */
    uint32_t kinds;
    tw_curve x;
    bool log;
} tw_figure_table_group;

extern const tw_figure_table_group tw_figure_table_groups[];
extern const int tw_figure_table_group_count;

#endif
