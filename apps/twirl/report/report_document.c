/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_document.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "common/build.h"
#include "scenario/scenario.h"

enum { FORMAT = 1 };

/* Whole files of the folder as members: a text, or a JSON document; null if there is no such file.
 */
static void add_text_of(tw_text_buffer *out, const tw_report_run *run, const char *member,
                        const char *name)
{
    tw_report_file file = tw_report_file_read(run->folder, name);
    if (file.text)
        tw_json_bytes(out, member, file.text, file.length);
    else
        tw_json_text(out, member, NULL);
    tw_report_file_free(&file);
}

static void add_json_of(tw_text_buffer *out, const tw_report_run *run, const char *member,
                        const char *name)
{
    tw_report_file file = tw_report_file_read(run->folder, name);
    (void)tw_json_copy(out, member, file.text ? file.text : "", file.length);
    tw_report_file_free(&file);
}

/* ---- Warnings: what a reader should know before trusting the results ---- */

/* "FILE:LINE:COLUMN: KEY: warning: TEXT" as KEY: TEXT. */
static void add_scenario_warning(tw_text_buffer *out, const char *warning)
{
    static const char mark[] = ": warning: ";
    const char *text = strstr(warning, mark), *key = text;
    tw_text_buffer line = {0};
    while (key && key > warning && key[-1] != ' ')
        key--;
    if (key) tw_text_buffer_add(&line, "%.*s: %s", (int)(text - key), key, text + sizeof mark - 1);
    tw_json_text(out, NULL, key ? line.text : warning);
    tw_text_buffer_free(&line);
}

static void add_run_warnings(tw_text_buffer *out, const tw_report_run *run)
{
    tw_report_file file = tw_report_file_read_lines(run->folder, "warnings.txt");
    for (char *line = file.text, *end; line && (end = strchr(line, '\n')); line = end + 1)
        tw_json_bytes(out, NULL, line, (size_t)(end - line));
    tw_report_file_free(&file);
}

static void add_stage_warning(void *target, const char *text)
{
    tw_json_text(target, NULL, text);
}

static void add_warnings(tw_text_buffer *out, const tw_report_run *run, const tw_text_buffer *more)
{
    tw_error error;
    const bool ended = run->state != TW_RUN_STATUS_RUNNING;
    tw_json_begin(out, "warnings", '[');
    /* Reads all of it: not every few seconds during the run. */
    if (ended && tw_run_results_check(run->folder, &error) != TW_STATUS_OK)
        tw_json_text(out, NULL, error.text);
    if (ended && run->history.rows == 0)
        tw_json_text(out, NULL, "history.csv has no rows: there are no curves");
    if (ended && run->rows.error.status != TW_STATUS_OK)
        tw_json_text(out, NULL, run->rows.error.text);
    if (!run->scenario && run->errors.count > 0) tw_json_text(out, NULL, run->errors.text[0]);
    for (size_t k = 0; k < run->errors.warning_count; k++)
        add_scenario_warning(out, run->errors.warning[k]);
    add_run_warnings(out, run);
    for (size_t k = 0; run->scenario && k < run->scenario->stage_count; k++)
        tw_figure_warnings(&run->rows, &run->scenario->stages[k], add_stage_warning, out);
    if (more->length > 0) tw_json_plain(out, NULL, more->text);
    tw_json_end(out, ']');
}

/* ---- Stages ---- */

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

/* The text after `name` in the file, up to a quotation mark. */
static void add_end(tw_text_buffer *out, const tw_report_run *run, const stage_of_run *s,
                    const char *name)
{
    char before[40];
    tw_report_file file = tw_report_file_read(run->folder, file_of(s, ".json").text);
    snprintf(before, sizeof before, "\"%s\": \"", name);
    char *found = file.text ? strstr(file.text, before) : NULL;
    if (found) {
        found += strlen(before);
        found[strcspn(found, "\"")] = '\0';
    }
    tw_json_text(out, name, found);
    tw_report_file_free(&file);
}

static bool is_done(const tw_report_run *run, const stage_of_run *s)
{
    if (strcmp(s->name, preparation) == 0)
        return tw_report_file_exists(run->folder, "states/specimen.h5");
    return tw_report_file_exists(run->folder, file_of(s, ".json").text);
}

static void add_stage(tw_text_buffer *out, const tw_report_run *run, const stage_of_run *s)
{
    static const char *const axes[] = {"x", "y", "z"}, *const planes[] = {"xy", "xz", "yz"};
    const tw_scenario_stage *of = s->of;
    const tw_figure_part *part = tw_figure_history_part(&run->rows, s->name);
    const tw_figure_rows rows = {part ? run->rows.rows + part->first : NULL,
                                 part ? part->count : 0};
    const bool done = is_done(run, s), prepares = strcmp(s->name, preparation) == 0;
    /* Names become parts of paths: those of a damaged history may be anything. */
    if (!*s->name || *s->name == '.' || strchr(s->name, '/')) return;
    tw_json_begin(out, NULL, '{');
    tw_json_text(out, "name", s->name);
    tw_json_text(out, "path",
                 of         ? tw_scenario_path_name(of->path)
                 : prepares ? "preparation"
                            : NULL);
    tw_json_text(out, "axis", of && of->axis >= 0 ? axes[of->axis] : NULL);
    tw_json_text(out, "plane", of && of->plane >= 0 ? planes[of->plane] : NULL);
    tw_json_text(out, "state", done ? "done" : part ? "current" : "waiting");
    tw_json_count(out, "first_row", part ? part->first : 0);
    tw_json_count(out, "rows", rows.count);
    add_end(out, run, s, "end");
    add_end(out, run, s, "end_text");
    tw_json_number(out, "energy_error", tw_figure_energy_error(rows));
    add_json_of(out, run, "summary", file_of(s, ".json").text);
    add_text_of(out, run, "probes", file_of(s, "/probes.csv").text);
    add_text_of(out, run, "fits", file_of(s, "/fits.csv").text);
    tw_json_end(out, '}');
}

static void add_stages(tw_text_buffer *out, const tw_report_run *run)
{
    const tw_scenario *scenario = run->scenario;
    const tw_figure_history *history = &run->rows;
    tw_json_begin(out, "stages", '[');
    if (scenario && tw_figure_history_part(history, preparation))
        add_stage(out, run, &(stage_of_run){preparation, NULL});
    for (size_t k = 0; scenario && k < scenario->stage_count; k++)
        add_stage(out, run, &(stage_of_run){scenario->stages[k].name, &scenario->stages[k]});
    for (size_t k = 0; !scenario && k < history->part_count; k++)
        add_stage(out, run, &(stage_of_run){history->parts[k].stage, NULL});
    tw_json_end(out, ']');
}

/* ---- Runs ---- */

/* The scenario in words; null if it cannot be read. */
static void add_about(tw_text_buffer *out, const tw_scenario *scenario)
{
    char *text = NULL;
    size_t length = 0;
    FILE *lines = scenario ? open_memstream(&text, &length) : NULL;
    if (lines) tw_scenario_summary_all(lines, scenario);
    if (scenario && (!lines || fclose(lines) != 0)) out->failed = true;
    tw_json_text(out, "about", text);
    free(text);
}

static void add_run(tw_text_buffer *out, const tw_report_run *run, const char *name, size_t from,
                    const tw_text_buffer *warnings)
{
    const tw_report_history *history = &run->history;
    const char *title = run->scenario && run->scenario->title ? run->scenario->title : "";
    const bool failed = run->state == TW_RUN_STATUS_FAILED;
    const size_t begin = from > 0 ? tw_report_history_row(history, from) : 0;
    tw_json_text(out, "name", name);
    tw_json_text(out, "title", title);
    tw_json_text(out, "id", history->id);
    tw_json_text(out, "state", tw_run_status_name(run->state));
    char *failure = failed ? tw_run_status_failure(run->folder) : NULL;
    tw_json_text(out, "failure", failure);
    free(failure);
    add_text_of(out, run, "scenario", "scenario.yaml");
    add_about(out, run->scenario);
    add_json_of(out, run, "summary", "summary.json");
    tw_json_bytes(out, "log", run->log.text ? run->log.text : "", run->log.length);
    add_warnings(out, run, warnings);
    tw_json_count(out, "from", from);
    tw_json_count(out, "rows", history->rows);
    tw_json_bytes(out, "history", history->file.text ? history->file.text + begin : "",
                  history->file.length - begin);
    add_stages(out, run);
}

/* ---- Documents ---- */

static void begin(tw_text_buffer *out)
{
    tw_json_begin(out, NULL, '{');
    tw_json_count(out, "format", FORMAT);
    char program[64];
    snprintf(program, sizeof program, "twirl %s", tw_build_version());
    tw_json_text(out, "program", program);
    tw_json_begin(out, "runs", '[');
}

/* Two runs in folders of the same name are told apart by their paths. */
static const char *name_of(const tw_report_run *runs, size_t count, size_t k)
{
    for (size_t other = 0; other < count; other++)
        if (other != k && strcmp(runs[other].name, runs[k].name) == 0) return runs[k].folder;
    return runs[k].name;
}

/* Ends the list of runs and the document. If no history can be read, as the warnings say, there are
 * no figures but still the units. */
static void end(tw_text_buffer *out, const tw_report_run *runs, size_t count, size_t from)
{
    char *text = NULL;
    const char **inputs = calloc(2 * count + 1, sizeof *inputs), **labels = inputs + count;
    tw_figure_request request = tw_figure_request_default();
    for (size_t k = 0; inputs && k < count; k++)
        inputs[k] = runs[k].folder, labels[k] = name_of(runs, count, k);
    request.labels = labels;
    request.label_count = count > 1 ? count : 0; /* of one run: its stages */
    request.inputs = inputs;
    request.input_count = count;
    request.every = request.columns = request.percent = 1;
    request.from = from;
    out->failed |= !inputs;
    if (inputs && count > 0) (void)tw_figure_document_write(&request, &text, NULL);
    if (!text) text = tw_figure_document_text(&(tw_figure_set){0}, &request);
    out->failed |= !text;
    tw_json_end(out, ']');
    tw_json_plain(out, "figures", text ? text : "null");
    tw_text_buffer_add(out, "}\n");
    free(text);
    free(inputs);
}

tw_status tw_report_document_add(tw_text_buffer *out, const tw_report_run *runs, size_t count,
                                 const tw_report_snapshots_options *options, tw_error *error)
{
    begin(out);
    for (size_t k = 0; k < count; k++) {
        tw_text_buffer warnings = {0}, snapshots = {0};
        const bool good = tw_report_snapshots_add(&snapshots, &runs[k], options,
                                                  options->bytes / count, &warnings);
        tw_json_begin(out, NULL, '{');
        add_run(out, &runs[k], name_of(runs, count, k), 0, &warnings);
        tw_json_begin(out, "snapshots", '[');
        if (snapshots.length > 0) tw_text_buffer_add_bytes(out, snapshots.text, snapshots.length);
        tw_text_buffer_add(out, "]}");
        out->failed = out->failed || !good || snapshots.failed || warnings.failed;
        tw_text_buffer_free(&warnings);
        tw_text_buffer_free(&snapshots);
    }
    end(out, runs, count, 0);
    return out->failed ? tw_error_set_memory(error) : TW_STATUS_OK;
}

static tw_status add_headings(tw_text_buffer *out, const tw_report_run *run, tw_error *error)
{
    tw_report_snapshots list;
    if (!tw_report_snapshots_find(&list, run)) return tw_error_set_memory(error);
    for (size_t k = 0; k < list.count; k++)
        tw_report_snapshots_add_heading(out, run, &list.of[k], k);
    tw_report_snapshots_free(&list);
    return TW_STATUS_OK;
}

tw_status tw_report_document_add_live(tw_text_buffer *out, const tw_report_run *run, size_t from,
                                      const char *id, tw_error *error)
{
    const tw_text_buffer none = {0};
    tw_status status = TW_STATUS_OK;
    size_t first = 0;
    begin(out);
    if (run) {
        const bool same = *id && strcmp(id, run->history.id) == 0 && from <= run->history.rows;
        first = same ? from : 0;
        tw_json_begin(out, NULL, '{');
        add_run(out, run, run->name, first, &none);
        tw_json_begin(out, "snapshots", '[');
        status = add_headings(out, run, error);
        tw_text_buffer_add(out, "]}");
    }
    end(out, run, run ? 1 : 0, first);
    return status == TW_STATUS_OK && out->failed ? tw_error_set_memory(error) : status;
}
