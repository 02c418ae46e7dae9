/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/report_json.h"
#include "report/report_run_stages.h"
#include "report/report_snapshots.h"
#include "report/report_warnings.h"

/* ---- Members of a run ---- */

static void add_warnings(tw_text_buffer *out, const tw_report_run *run, const tw_text_buffer *more)
{
    tw_error error;
    bool first = true;
    tw_text_buffer_add(out, ", \"warnings\": [");
    /* Reads all of it: not every few seconds while the run goes on. */
    if (run->state != TW_RUN_STATUS_RUNNING &&
        tw_run_results_check(run->folder, &error) != TW_STATUS_OK)
        tw_report_warnings_add(out, &first, "%s", error.text);
    if (run->state != TW_RUN_STATUS_RUNNING && run->history.rows == 0)
        tw_report_warnings_add(out, &first, "history.csv has no rows: there are no curves");
    if (run->state != TW_RUN_STATUS_RUNNING && *run->rows.error)
        tw_report_warnings_add(out, &first, "%s", run->rows.error);
    if (!run->scenario && run->errors.count > 0)
        tw_report_warnings_add(out, &first, "%s", run->errors.text[0]);
    for (size_t k = 0; k < run->errors.warning_count; k++)
        tw_report_warnings_of_scenario(out, &first, run->errors.warning[k]);
    tw_report_warnings_of_log(out, &first, run->log.text);
    for (size_t k = 0; run->scenario && k < run->scenario->stage_count; k++)
        tw_report_warnings_of_stage(out, &first, &run->scenario->stages[k], &run->rows);
    if (more->length > 0) {
        if (!first) tw_text_buffer_add(out, ", ");
        tw_text_buffer_add_bytes(out, more->text, more->length);
    }
    tw_text_buffer_add(out, "]");
}

static void add_history(tw_text_buffer *out, const tw_report_history *history, size_t from)
{
    const size_t begin = from > 0 ? history->row[from] : 0;
    tw_text_buffer_add(out, ", \"from\": %zu, \"rows\": %zu, \"history\": ", from, history->rows);
    tw_text_buffer_add_json_bytes(out, history->file.text ? history->file.text + begin : "",
                                  history->file.length - begin);
}

static void add_resolved(tw_text_buffer *out, const tw_report_run *run)
{
    char *json = run->scenario ? tw_scenario_write_json(run->scenario) : NULL;
    tw_text_buffer_add(out, ", \"resolved\": ");
    (void)tw_report_json_copy(out, json ? json : "", json ? strlen(json) : 0);
    free(json);
}

static void add_run(tw_text_buffer *out, const tw_report_run *run, const char *name, size_t from,
                    const tw_text_buffer *warnings)
{
    const char *title = run->scenario && run->scenario->title ? run->scenario->title : "";
    const bool failed = run->state == TW_RUN_STATUS_FAILED;
    tw_text_buffer_add(out, "\"name\": ");
    tw_text_buffer_add_json_string(out, name);
    tw_text_buffer_add(out, ", \"title\": ");
    tw_text_buffer_add_json_string(out, title);
    tw_text_buffer_add(out, ", \"id\": \"%s\", \"state\": \"%s\", \"failure\": ", run->history.id,
                       tw_run_status_name(run->state));
    const char *failure = failed ? tw_run_status_failure(run->log.text) : NULL;
    if (failure)
        tw_text_buffer_add_json_bytes(out, failure, strcspn(failure, "\n"));
    else
        tw_text_buffer_add(out, "null");
    tw_report_run_add_text(out, run, "scenario", "scenario.yaml");
    add_resolved(out, run);
    tw_report_run_add_json(out, run, "summary", "summary.json");
    tw_text_buffer_add(out, ", \"log\": ");
    tw_text_buffer_add_json_bytes(out, run->log.text ? run->log.text : "", run->log.length);
    add_warnings(out, run, warnings);
    add_history(out, &run->history, from);
    tw_report_run_stages_add(out, run);
}

/* ---- Documents ---- */

static void begin(tw_text_buffer *out)
{
    tw_text_buffer_add(out, "{\"format\": %d, \"program\": \"twirl %s\", \"runs\": [",
                       TW_REPORT_DOCUMENT_FORMAT, TWIRL_VERSION);
}

/* null: a history cannot be read, as the warnings of its run say. */
static void add_figures(tw_text_buffer *out, const tw_report_run *runs, size_t count, size_t from)
{
    char *text = NULL;
    const char **inputs = calloc(count + 1, sizeof *inputs);
    tw_figure_request request = tw_figure_request_default();
    for (size_t k = 0; inputs && k < count; k++)
        inputs[k] = runs[k].folder;
    request.inputs = inputs;
    request.input_count = count;
    request.every = request.columns = request.percent = 1;
    request.from = from;
    out->failed |= !inputs;
    if (inputs && count > 0) (void)tw_figure_document_write(&request, &text, NULL);
    tw_text_buffer_add(out, "],\n\"figures\": ");
    tw_text_buffer_add_bytes(out, text ? text : "null", text ? strlen(text) : 4);
    tw_text_buffer_add(out, "}\n");
    free(text);
    free(inputs);
}

/* Two runs in folders of the same name are told apart by their paths. */
static const char *name_of(const tw_report_run *runs, size_t count, size_t k)
{
    for (size_t other = 0; other < count; other++)
        if (other != k && strcmp(runs[other].name, runs[k].name) == 0) return runs[k].folder;
    return runs[k].name;
}

tw_status tw_report_document_add(tw_text_buffer *out, const tw_report_run *runs, size_t count,
                                 const tw_report_snapshots_wish *wish, tw_error *error)
{
    begin(out);
    for (size_t k = 0; k < count; k++) {
        tw_text_buffer warnings = {0}, snapshots = {0};
        const bool good =
            tw_report_snapshots_add(&snapshots, &runs[k], wish, wish->bytes / count, &warnings);
        tw_text_buffer_add(out, "%s{", k > 0 ? ",\n" : "");
        add_run(out, &runs[k], name_of(runs, count, k), 0, &warnings);
        tw_text_buffer_add(out, ", \"snapshots\": [");
        if (snapshots.length > 0) tw_text_buffer_add_bytes(out, snapshots.text, snapshots.length);
        tw_text_buffer_add(out, "]}");
        out->failed = out->failed || !good || snapshots.failed || warnings.failed;
        tw_text_buffer_free(&warnings);
        tw_text_buffer_free(&snapshots);
    }
    add_figures(out, runs, count, 0);
    return out->failed ? tw_error_set_memory(error) : TW_STATUS_OK;
}

static tw_status add_headings(tw_text_buffer *out, const tw_report_run *run, tw_error *error)
{
    tw_report_snapshots list;
    if (!tw_report_snapshots_find(&list, run)) return tw_error_set_memory(error);
    for (size_t k = 0; k < list.count; k++) {
        if (k > 0) tw_text_buffer_add(out, ", ");
        tw_report_snapshots_add_heading(out, run, &list.of[k], k);
    }
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
        tw_text_buffer_add(out, "{");
        add_run(out, run, run->name, first, &none);
        tw_text_buffer_add(out, ", \"snapshots\": [");
        status = add_headings(out, run, error);
        tw_text_buffer_add(out, "]}");
    }
    add_figures(out, run, run ? 1 : 0, first);
    return status == TW_STATUS_OK && out->failed ? tw_error_set_memory(error) : status;
}
