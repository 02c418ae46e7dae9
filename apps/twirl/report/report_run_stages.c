/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_run_stages.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/report_json.h"
#include "response/response.h"

static const char preparation[] = "specimen";

/* A stage as far as it is known: without the scenario only from the history. */
typedef struct stage_of_run {
    const char *name;
    const tw_scenario_stage *of; /* NULL: the preparation, or not known */
} stage_of_run;

typedef struct file_name {
    char text[300];
} file_name;

/* stages/NAME and what follows. */
static file_name file_of(const stage_of_run *s, const char *rest)
{
    file_name name;
    snprintf(name.text, sizeof name.text, "stages/%.200s%s", s->name, rest);
    return name;
}

/* Names become parts of paths: those of a damaged history may be anything. */
static bool is_name(const char *name)
{
    return *name && *name != '.' && !strchr(name, '/');
}

/* ---- Members ---- */

static void add_choice(tw_text_buffer *out, const char *member, int32_t choice,
                       const char *const *words, int32_t count)
{
    tw_text_buffer_add(out, ", \"%s\": ", member);
    tw_text_buffer_add_json_string(out, choice >= 0 && choice < count ? words[choice] : NULL);
}

static void add_path(tw_text_buffer *out, const stage_of_run *s)
{
    static const char *const axes[] = {"x", "y", "z"}, *const planes[] = {"xy", "xz", "yz"};
    const bool prepares = strcmp(s->name, preparation) == 0;
    tw_text_buffer_add(out, ", \"path\": ");
    tw_text_buffer_add_json_string(out, s->of      ? tw_scenario_path_name(s->of->path)
                                        : prepares ? "preparation"
                                                   : NULL);
    add_choice(out, "axis", s->of ? s->of->axis : -1, axes, 3);
    add_choice(out, "plane", s->of ? s->of->plane : -1, planes, 3);
}

/* The text after `before` in the file, up to a quotation mark. */
static void add_end(tw_text_buffer *out, const tw_report_run *run, const stage_of_run *s)
{
    static const char before[] = "\"end\": \"";
    tw_report_file file = tw_report_file_read(run->folder, file_of(s, ".json").text);
    const char *found = file.text ? strstr(file.text, before) : NULL;
    tw_text_buffer_add(out, ", \"end\": ");
    if (found) {
        found += sizeof before - 1;
        tw_text_buffer_add_json_bytes(out, found, strcspn(found, "\""));
    } else {
        tw_text_buffer_add(out, "null");
    }
    tw_report_file_free(&file);
}

/* "NAME: ended ..." in the log. The last one: a stage that was repeated is there twice. */
static void add_end_text(tw_text_buffer *out, const tw_report_run *run, const stage_of_run *s)
{
    char before[300];
    const int used = snprintf(before, sizeof before, "%.200s: ended", s->name);
    const char *found = NULL;
    for (const char *line = run->log.text; line && *line;) {
        const size_t length = strcspn(line, "\n");
        if (strncmp(line, before, (size_t)used) == 0) found = line;
        line += length + (line[length] == '\n');
    }
    tw_text_buffer_add(out, ", \"end_text\": ");
    if (found) {
        found += strlen(s->name) + 2;
        tw_text_buffer_add_json_bytes(out, found, strcspn(found, "\n"));
    } else {
        tw_text_buffer_add(out, "null");
    }
}

static bool is_done(const tw_report_run *run, const stage_of_run *s)
{
    if (strcmp(s->name, preparation) == 0)
        return tw_report_file_exists(run->folder, "states/specimen.h5");
    return tw_report_file_exists(run->folder, file_of(s, ".json").text);
}

static tw_figure_rows rows_of(const tw_figure_history *history, const tw_figure_part *part)
{
    return part ? (tw_figure_rows){history->rows + part->first, part->count}
                : (tw_figure_rows){NULL, 0};
}

/* A stage that is still going on has no response yet. */
static void add_response(tw_text_buffer *out, const stage_of_run *s, const tw_report_run *run,
                         bool done)
{
    const tw_figure_history *history = &run->rows;
    const tw_figure_part *part = s->of && done ? tw_figure_history_part(history, s->name) : NULL;
    tw_response response;
    bool first = true;
    tw_text_buffer_add(out, ", \"response\": ");
    if (!part || !tw_response_of(s->of, rows_of(history, part), &response)) {
        tw_text_buffer_add(out, "null");
        return;
    }
    for (int k = 0; k < TW_RESPONSE_QUANTITY_COUNT; k++) {
        if (!isfinite(response.value[k])) continue;
        tw_text_buffer_add(out, "%s\"%s\": ", first ? "{" : ", ", tw_response_names[k]);
        tw_text_buffer_add_json_number(out, response.value[k]);
        first = false;
    }
    tw_text_buffer_add(out, first ? "{}" : "}");
}

static void add_stage(tw_text_buffer *out, const tw_report_run *run, const stage_of_run *s)
{
    const tw_figure_part *part = tw_figure_history_part(&run->rows, s->name);
    const bool done = is_done(run, s);
    tw_text_buffer_add(out, "{\"name\": ");
    tw_text_buffer_add_json_string(out, s->name);
    add_path(out, s);
    tw_text_buffer_add(out, ", \"state\": \"%s\", \"first_row\": %zu, \"rows\": %zu",
                       done   ? "done"
                       : part ? "current"
                              : "waiting",
                       part ? part->first : 0, part ? part->count : 0);
    add_end(out, run, s);
    add_end_text(out, run, s);
    add_response(out, s, run, done);
    tw_text_buffer_add(out, ", \"energy_error\": ");
    tw_text_buffer_add_json_number(out, tw_figure_energy_error(rows_of(&run->rows, part)));
    tw_report_run_add_json(out, run, "summary", file_of(s, ".json").text);
    tw_report_run_add_text(out, run, "probes", file_of(s, "/probes.csv").text);
    tw_report_run_add_text(out, run, "fits", file_of(s, "/fits.csv").text);
    tw_text_buffer_add(out, "}");
}

/* ---- All ---- */

static void add_next(tw_text_buffer *out, const tw_report_run *run, const stage_of_run *s,
                     bool *first)
{
    if (!is_name(s->name)) return;
    if (!*first) tw_text_buffer_add(out, ", ");
    *first = false;
    add_stage(out, run, s);
}

void tw_report_run_stages_add(tw_text_buffer *out, const tw_report_run *run)
{
    const tw_scenario *scenario = run->scenario;
    const tw_figure_history *history = &run->rows;
    bool first = true;
    tw_text_buffer_add(out, ", \"stages\": [");
    if (scenario && tw_figure_history_part(history, preparation))
        add_next(out, run, &(stage_of_run){preparation, NULL}, &first);
    for (size_t k = 0; scenario && k < scenario->stage_count; k++)
        add_next(out, run, &(stage_of_run){scenario->stages[k].name, &scenario->stages[k]}, &first);
    for (size_t k = 0; !scenario && k < history->part_count; k++)
        add_next(out, run, &(stage_of_run){history->parts[k].stage, NULL}, &first);
    tw_text_buffer_add(out, "]");
}
