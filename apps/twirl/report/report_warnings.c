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

static double change(const tw_report_history *history, const tw_history_part *part,
                     const char *column)
{
    return tw_report_history_value(history, part->first + part->count - 1, column) -
           tw_report_history_value(history, part->first, column);
}

static double largest(const tw_report_history *history, const tw_history_part *part,
                      const char *column)
{
    double most = 0.0;
    for (size_t k = 0; k < part->count; k++) {
        const double value = tw_report_history_value(history, part->first + k, column);
        if (value > most) most = value;
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
 * is meant; ten times the recommended inertial number, and three times "a few per cent". */
void tw_report_warnings_of_stage(tw_text_buffer *out, bool *first, const tw_scenario_stage *stage,
                                 const tw_report_history *history)
{
    const tw_history_part *part = tw_report_history_part(history, stage->name);
    if (!part || part->count < 2 || !is_loading(stage)) return;
    const double work = fabs(change(history, part, "cell"));
    const double residual = fabs(change(history, part, "residual"));
    const double friction = change(history, part, "friction") + change(history, part, "rolling") +
                            change(history, part, "twisting");
    const double damping = change(history, part, "body_damping");
    const double inertia = largest(history, part, "inertial_number");
    if (work > 0.0 && residual > 1e-3 * work)
        tw_report_warnings_add(out, first,
                               "%s: the residual of the energy balance is %.2g of the work on the "
                               "cell: the time step is too large",
                               stage->name, residual / work);
    if (inertia > 1e-2)
        tw_report_warnings_add(out, first,
                               "%s: the inertial number reaches %.2g: not quasi-static; load more "
                               "slowly",
                               stage->name, inertia);
    if (friction > 0.0 && damping > 0.1 * friction)
        tw_report_warnings_add(out, first,
                               "%s: damping of bodies dissipates %.2g of what friction does: load "
                               "more slowly",
                               stage->name, damping / friction);
}
