/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_warnings.h"

#include <stdarg.h>
#include <string.h>

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
    tw_text_buffer_add_json_string(out, text.text);
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

typedef struct list {
    tw_text_buffer *out;
    bool *first;
} list;

static void add_one(void *target, const char *text)
{
    const list *l = target;
    tw_report_warnings_add(l->out, l->first, "%s", text);
}

void tw_report_warnings_of_stage(tw_text_buffer *out, bool *first, const tw_scenario_stage *stage,
                                 const tw_figure_history *history)
{
    list l = {out, first};
    tw_figure_warnings(history, stage, add_one, &l);
}
