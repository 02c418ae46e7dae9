/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/figure.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include <twirl/math.h>

/* Columns that are added. */
enum { END = -1 };
typedef int columns[5];

static const columns work = {TW_HISTORY_cell, TW_HISTORY_walls, TW_HISTORY_gravity, END};
static const columns friction = {TW_HISTORY_friction, TW_HISTORY_rolling, TW_HISTORY_twisting, END};
static const columns stored = {TW_HISTORY_normal, TW_HISTORY_tangential, TW_HISTORY_stored_rolling,
                               TW_HISTORY_stored_twisting, END};
static const columns residual = {TW_HISTORY_residual, END};
static const columns damping = {TW_HISTORY_body_damping, END};
static const columns pressure = {TW_HISTORY_p, END};

/* A column that a history lacks counts as 0. */
static double sum_of(const tw_figure_row *row, const columns list)
{
    double sum = 0.0;
    for (; *list != END; list++)
        sum += isnan(row->value[*list]) ? 0.0 : row->value[*list];
    return sum;
}

/* Largest magnitude of a sum of columns in a stage, or of its change since the stage began. */
static double largest(tw_figure_rows rows, const columns list, bool since)
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
    switch (stage->path) {
    case TW_SCENARIO_ROTATE:
    case TW_SCENARIO_FREE_FLIGHT:
    case TW_SCENARIO_RELAX:
    case TW_SCENARIO_PROBES:
        return false;
    default:
        return true;
    }
}

/* The limits are those of the table "Check before you trust a result", where quasi-static loading
 * is meant; ten times the recommended inertial number, and three times "a few per cent". Damping of
 * less than a hundredth of the energy replaces nothing. */
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
    if (error > 1e-3 * energy) {
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
    if (lost > 0.0 && damped > 0.1 * lost && damped > 0.01 * energy) {
        snprintf(text, sizeof text,
                 "%s: damping of bodies dissipates %.2g of what friction does: load more slowly",
                 part->stage, damped / lost);
        tell(target, text);
    }
}
