/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/figure.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/csv.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/memory.h"
#include "figure/figure_internal.h"

static const struct {
    const char *name, *text;
    tw_figure_dimension dimension;
} columns[TW_HISTORY_COLUMN_COUNT] = {
#define COLUMN(name, dimension, text) {#name, text, TW_FIGURE_##dimension},
    TW_HISTORY_COLUMNS(COLUMN)
#undef COLUMN
};

const char *tw_figure_history_name(tw_history_column column)
{
    return columns[column].name;
}

const char *tw_figure_history_text(tw_history_column column)
{
    return columns[column].text;
}

tw_figure_dimension tw_figure_history_dimension(tw_history_column column)
{
    return columns[column].dimension;
}

typedef struct reading {
    tw_figure_history *history;
    tw_csv csv;
    size_t field_of[TW_HISTORY_COLUMN_COUNT]; /* TW_CSV_COLUMNS_MAX: none */
} reading;

static const char *without_prefix(const char *name)
{
    return strncmp(name, "energy_", 7) == 0 ? name + 7 : name;
}

static bool find_columns(reading *r)
{
    for (size_t c = 0; c < TW_HISTORY_COLUMN_COUNT; c++) {
        r->field_of[c] = TW_CSV_COLUMNS_MAX;
        for (size_t f = 0; f < r->csv.columns; f++) {
            if (strcmp(without_prefix(r->csv.column[f].text), columns[c].name) != 0) continue;
            if (r->field_of[c] != TW_CSV_COLUMNS_MAX)
                return tw_csv_refuse(&r->csv, "column '%s' appears twice", columns[c].name);
            r->field_of[c] = f;
            r->history->present[c] = 1;
        }
    }
    return true;
}

static tw_figure_row *new_row(tw_figure_history *h)
{
    if (tw_buffer_reserve(&h->rows, &h->capacity, h->count + 1, sizeof *h->rows) != TW_STATUS_OK)
        return NULL;
    return &h->rows[h->count++];
}

static bool is_stage(const tw_figure_part *part, const char *stage)
{
    return strncmp(stage, part->stage, TW_FIGURE_NAME_MAX - 1) == 0;
}

/* The part that a row of this stage belongs to; NULL: out of memory. */
static tw_figure_part *part_of(tw_figure_history *h, const char *stage)
{
    tw_figure_part *last = h->part_count > 0 ? &h->parts[h->part_count - 1] : NULL;
    if (last && is_stage(last, stage)) return last;
    if (tw_buffer_reserve(&h->parts, &h->part_capacity, h->part_count + 1, sizeof *h->parts) !=
        TW_STATUS_OK)
        return NULL;
    last = &h->parts[h->part_count++];
    *last = (tw_figure_part){.first = h->count};
    snprintf(last->stage, sizeof last->stage, "%.*s", TW_FIGURE_NAME_MAX - 1, stage);
    return last;
}

static bool read_row(reading *r)
{
    const size_t stage = r->field_of[TW_HISTORY_stage];
    tw_figure_part *part =
        part_of(r->history, stage == TW_CSV_COLUMNS_MAX ? "" : r->csv.field[stage].text);
    tw_figure_row *row = part ? new_row(r->history) : NULL;
    if (!row) return tw_error_set_memory(r->csv.error) == TW_STATUS_OK;
    part->count++;
    for (size_t c = 0; c < TW_HISTORY_COLUMN_COUNT; c++) {
        row->value[c] = (double)NAN;
        if (r->field_of[c] == TW_CSV_COLUMNS_MAX || c == TW_HISTORY_stage) continue;
        if (!tw_csv_number(&r->csv, r->field_of[c], TW_CSV_NAN | TW_CSV_EMPTY, &row->value[c]))
            return false;
    }
    return true;
}

/* A row of a run, which ends with a check sum, is there when its line has ended. */
static bool read_rows(reading *r)
{
    if (!find_columns(r)) return false;
    const bool checked = r->history->present[TW_HISTORY_check];
    while (tw_csv_next(&r->csv)) {
        if (checked && !r->csv.ended) return true;
        if (!read_row(r)) return false;
    }
    if (checked && !r->csv.ended && r->csv.error->status == TW_STATUS_INPUT)
        tw_error_clear(r->csv.error);
    return r->csv.error->status == TW_STATUS_OK;
}

int tw_figure_history_read(tw_figure_history *history, const char *path)
{
    reading r = {.history = history};
    *history = (tw_figure_history){.count = 0};
    tw_c_locale plain;
    const int entered = tw_c_locale_push(&plain);
    const bool good =
        tw_csv_open(&r.csv, tw_read_file_stream(path), path, &history->error) && read_rows(&r);
    if (entered) tw_c_locale_pop(&plain);
    tw_csv_close(&r.csv);
    return good;
}

const tw_figure_part *tw_figure_history_part(const tw_figure_history *history, const char *stage)
{
    for (size_t i = 0; i < history->part_count; i++)
        if (is_stage(&history->parts[i], stage)) return &history->parts[i];
    return NULL;
}

int tw_figure_history_find(tw_figure_history *history, const char *path, const char *stage,
                           tw_figure_rows *rows)
{
    const tw_figure_part *part = tw_figure_history_part(history, stage);
    const bool named = history->present[TW_HISTORY_stage];
    if (!named || !part) {
        tw_error_set(&history->error, TW_STATUS_INPUT,
                     named ? "%s: no row of stage '%s'" : "%s: no column 'stage'",
                     tw_error_shorten_path(path).text, stage);
        return false;
    }
    *rows = (tw_figure_rows){history->rows + part->first, part->count};
    return true;
}

void tw_figure_history_free(tw_figure_history *history)
{
    free(history->rows);
    free(history->parts);
    history->rows = NULL;
    history->parts = NULL;
    history->count = history->part_count = 0;
}

/* ---- What to check before trusting a result ---- */

/* Columns that are added. */
enum { END = -1 };
typedef int column_list[TW_CONTACT_STORED_KINDS + 1];

static const column_list work = {TW_HISTORY_cell, TW_HISTORY_walls, TW_HISTORY_gravity, END};
static const column_list friction = {TW_HISTORY_friction, TW_HISTORY_rolling, TW_HISTORY_twisting,
                                     END};
#define STORED_COLUMN(to, NAME, name, column, text) TW_HISTORY_##column,
static const column_list stored = {TW_CONTACT_STORED(STORED_COLUMN, ) END};
static const column_list residual = {TW_HISTORY_residual, END};
static const column_list damping = {TW_HISTORY_body_damping, END};
static const column_list pressure = {TW_HISTORY_p, END};

/* A column that a history lacks counts as 0. */
static double sum_of(const tw_figure_row *row, const column_list list)
{
    double sum = 0.0;
    for (; *list != END; list++)
        sum += isnan(row->value[*list]) ? 0.0 : row->value[*list];
    return sum;
}

/* Largest magnitude of a sum of columns in a stage, or of its change since the stage began. */
static double largest(tw_figure_rows rows, const column_list list, bool since)
{
    const double start = since ? sum_of(rows.row, list) : 0.0;
    double most = 0.0;
    for (size_t k = 0; k < rows.count; k++)
        most = tw_math_max(most, fabs(sum_of(&rows.row[k], list) - start));
    return most;
}

/* The energy that a stage is about: put in, dissipated by friction or stored, whichever is most.
 * Where nothing happens, as in settling, that is what is stored. */
static double energy_of(tw_figure_rows rows)
{
    return tw_math_max(largest(rows, stored, false),
                       tw_math_max(largest(rows, work, true), largest(rows, friction, true)));
}

double tw_figure_energy_error(tw_figure_rows rows)
{
    const double energy = rows.count > 0 ? energy_of(rows) : 0.0;
    return energy > 0.0 ? largest(rows, residual, true) / energy : (double)NAN;
}

/* The inertial number means nothing as long as grains hardly touch: it counts from a tenth of the
 * largest p on. */
static double largest_inertia(tw_figure_rows rows)
{
    const double least = 0.1 * largest(rows, pressure, false);
    double most = 0.0;
    for (size_t k = 0; k < rows.count; k++) {
        const double *v = rows.row[k].value;
        if (v[TW_HISTORY_p] >= least && v[TW_HISTORY_inertial_number] > most)
            most = v[TW_HISTORY_inertial_number];
    }
    return most;
}

static bool is_loading(const tw_scenario_stage *stage)
{
    return stage->path != TW_SCENARIO_ROTATE && stage->path != TW_SCENARIO_FREE_FLIGHT &&
           stage->path != TW_SCENARIO_RELAX && stage->path != TW_SCENARIO_CREEP &&
           stage->path != TW_SCENARIO_RELAXATION && stage->path != TW_SCENARIO_PROBES &&
           stage->path != TW_SCENARIO_RATES;
}

/* The limits are those of the table "Check before you trust a result", where quasi-static loading
 * is meant; ten times the recommended inertial number, and a share of damping with which q/p is
 * some 5 % too high (docs/guide/choosing.md: 0.11, 0.21 and 0.33 make it 2.4, 5.6 and 12 %).
 * Damping of less than a hundredth of the energy replaces nothing. */
void tw_figure_warnings(const tw_figure_history *history, const tw_scenario_stage *stage,
                        void (*tell)(void *target, const char *text), void *target)
{
    char text[256 + TW_FIGURE_NAME_MAX];
    const tw_figure_part *part = tw_figure_history_part(history, stage->name);
    if (!part || part->count < 2 || !is_loading(stage)) return;
    const tw_figure_rows rows = {history->rows + part->first, part->count};
    const double energy = energy_of(rows), error = largest(rows, residual, true);
    const double lost = largest(rows, friction, true), damped = largest(rows, damping, true);
    const double inertia = largest_inertia(rows);
    if (error > TW_FIGURE_ENERGY_LIMIT * energy) {
        snprintf(text, sizeof text,
                 "%s: the residual of the energy balance is %.2g of the energy put in or stored: "
                 "the time step is too large",
                 part->stage, error / energy);
        tell(target, text);
    }
    if (inertia > 1e-2) {
        snprintf(text, sizeof text,
                 "%s: the inertial number reaches %.2g: not quasi-static; load more slowly",
                 part->stage, inertia);
        tell(target, text);
    }
    if (lost > 0.0 && damped > 0.2 * lost && damped > 0.01 * energy) {
        snprintf(text, sizeof text,
                 "%s: damping of bodies dissipates %.2g of what friction does, which makes q/p in "
                 "shear about %.2g %% too high: load more slowly",
                 part->stage, damped / lost, 30.0 * damped / lost);
        tell(target, text);
    }
}
