/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/report_json.h"

bool tw_report_run_exists(const char *folder)
{
    return tw_report_file_exists(folder, "scenario.yaml") &&
           tw_report_file_exists(folder, "history.csv");
}

/* The last part of the path; of "." and the like, that of the folder it stands for. */
static void set_name(tw_report_run *run)
{
    char *full = realpath(run->folder, NULL);
    const char *path = full ? full : run->folder;
    const char *slash = strrchr(path, '/');
    snprintf(run->name, sizeof run->name, "%s", slash && slash[1] ? slash + 1 : path);
    free(full);
}

static void read_scenario(tw_report_run *run)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/scenario.yaml", run->folder);
    run->scenario = tw_figure_scenario_read(path, &run->errors);
    snprintf(path, sizeof path, "%s/history.csv", run->folder);
    (void)tw_figure_history_read(&run->rows, path);
}

tw_status tw_report_run_open(tw_report_run *run, const char *folder, tw_error *error)
{
    *run = (tw_report_run){.folder = folder};
    tw_error_clear(error);
    if (!tw_report_run_exists(folder))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s: not the folder of a run: it has no scenario.yaml with history.csv",
                            tw_error_shorten_path(folder).text);
    set_name(run);
    read_scenario(run);
    if (!tw_report_history_read(&run->history, folder)) return tw_error_set_memory(error);
    run->state = tw_run_status_of(folder);
    run->log = tw_report_file_read(folder, "run.log");
    tw_report_file_cut(&run->log);
    (void)tw_run_saved_read(folder, &run->saved, NULL);
    return TW_STATUS_OK;
}

void tw_report_run_free(tw_report_run *run)
{
    tw_report_file_free(&run->log);
    tw_report_history_free(&run->history);
    tw_figure_history_free(&run->rows);
    tw_scenario_errors_free(&run->errors);
    tw_scenario_free(run->scenario);
    run->scenario = NULL;
}

void tw_report_run_add_text(tw_text_buffer *out, const tw_report_run *run, const char *member,
                            const char *file)
{
    tw_report_file read = tw_report_file_read(run->folder, file);
    tw_text_buffer_add(out, ", \"%s\": ", member);
    if (read.text)
        tw_text_buffer_add_json_bytes(out, read.text, read.length);
    else
        tw_text_buffer_add(out, "null");
    tw_report_file_free(&read);
}

void tw_report_run_add_json(tw_text_buffer *out, const tw_report_run *run, const char *member,
                            const char *file)
{
    tw_report_file read = tw_report_file_read(run->folder, file);
    tw_text_buffer_add(out, ", \"%s\": ", member);
    (void)tw_report_json_copy(out, read.text ? read.text : "", read.length);
    tw_report_file_free(&read);
}
