/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_warnings.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "report/report_json.h"

void tw_report_warnings_add(tw_text_buffer *out, bool *first, const char *format, ...)
{
    tw_text_buffer text = {0};
    va_list rest;
    va_start(rest, format);
    tw_text_buffer_add_list(&text, format, rest);
    va_end(rest);
    if (!*first) tw_text_buffer_add(out, ", ");
    *first = false;
    tw_report_json_text(out, text.text);
    tw_text_buffer_free(&text);
}

void tw_report_warnings_of_scenario(tw_text_buffer *out, bool *first, const char *warning)
{
    static const char mark[] = ": warning: ";
    const char *text = strstr(warning, mark), *key = text;
    while (key && key > warning && key[-1] != ' ')
        key--;
    if (key)
        tw_report_warnings_add(out, first, "%.*s: %s", (int)(text - key), key,
                               text + sizeof mark - 1);
    else
        tw_report_warnings_add(out, first, "%s", warning);
}

void tw_report_warnings_of_log(tw_text_buffer *out, bool *first, const char *log)
{
    static const char mark[] = "warning: "; /* of tw_run_warn */
    const size_t skip = sizeof mark - 1;
    for (const char *line = log; line && *line;) {
        const size_t length = strcspn(line, "\n");
        if (strncmp(line, mark, skip) == 0)
            tw_report_warnings_add(out, first, "%.*s", (int)(length - skip), line + skip);
        line += length + (line[length] == '\n');
    }
}

/* ---- Checks of the history ---- */

/* A column that a history lacks counts as 0. */
static double sum_of(const tw_report_history *history, size_t row, const char *const *columns)
{
    double sum = 0.0;
    for (; *columns; columns++) {
        const double value = tw_report_history_value(history, row, *columns);
        sum += isnan(value) ? 0.0 : value;
    }
    return sum;
}

/* Largest magnitude of a sum of columns in a stage, or of its change since the stage began. */
static double largest(const tw_report_history *history, const tw_history_part *part,
                      const char *const *columns, bool since)
{
    const double start = since ? sum_of(history, part->first, columns) : 0.0;
    double most = 0.0;
    for (size_t k = 0; k < part->count; k++)
        most = tw_math_max(most, fabs(sum_of(history, part->first + k, columns) - start));
    return most;
}

static const char *const work[] = {"cell", "walls", "gravity", NULL};
static const char *const friction[] = {"friction", "rolling", "twisting", NULL};
static const char *const stored[] = {"normal", "tangential", "stored_rolling", "stored_twisting",
                                     NULL};
static const char *const residual[] = {"residual", NULL};
static const char *const damping[] = {"body_damping", NULL};
static const char *const pressure[] = {"p", NULL};

/* The energy that a stage is about: put in, dissipated by friction or stored, whichever is most.
 * Where nothing happens, as in settling, that is what is stored. The same rule is in
 * python/twirl/results.py and web/src/data/results.ts. */
static double energy_of(const tw_report_history *history, const tw_history_part *part)
{
    return tw_math_max(
        largest(history, part, stored, false),
        tw_math_max(largest(history, part, work, true), largest(history, part, friction, true)));
}

/* The inertial number means nothing as long as grains hardly touch: it counts from a tenth of the
 * largest p on. */
static double largest_inertia(const tw_report_history *history, const tw_history_part *part)
{
    const double least = 0.1 * largest(history, part, pressure, false);
    double most = 0.0;
    for (size_t k = part->first; k < part->first + part->count; k++) {
        const double value = tw_report_history_value(history, k, "inertial_number");
        if (tw_report_history_value(history, k, "p") >= least && value > most) most = value;
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
void tw_report_warnings_of_stage(tw_text_buffer *out, bool *first, const tw_scenario_stage *stage,
                                 const tw_report_history *history)
{
    const tw_history_part *part = tw_report_history_part(history, stage->name);
    if (!part || part->count < 2 || !is_loading(stage)) return;
    const double energy = energy_of(history, part), error = largest(history, part, residual, true);
    const double lost = largest(history, part, friction, true);
    const double damped = largest(history, part, damping, true);
    const double inertia = largest_inertia(history, part);
    if (error > 1e-3 * energy)
        tw_report_warnings_add(out, first,
                               "%s: the residual of the energy balance is %.2g of the energy put "
                               "in or stored: the time step is too large",
                               stage->name, error / energy);
    if (inertia > 1e-2)
        tw_report_warnings_add(out, first,
                               "%s: the inertial number reaches %.2g: not quasi-static; load more "
                               "slowly",
                               stage->name, inertia);
    if (lost > 0.0 && damped > 0.1 * lost && damped > 0.01 * energy)
        tw_report_warnings_add(out, first,
                               "%s: damping of bodies dissipates %.2g of what friction does: load "
                               "more slowly",
                               stage->name, damped / lost);
}
