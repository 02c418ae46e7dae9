/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"

/* ---- Files ---- */

/* As long as the file was when it was opened: it may grow. */
tw_report_file tw_report_file_read(const char *folder, const char *name)
{
    tw_report_file file;
    file.text = tw_read_file_all(tw_folder_path_join(folder, name).text, &file.length, NULL);
    return file;
}

bool tw_report_file_exists(const char *folder, const char *name)
{
    struct stat about;
    return stat(tw_folder_path_join(folder, name).text, &about) == 0;
}

void tw_report_file_free(tw_report_file *file)
{
    free(file->text);
    *file = (tw_report_file){NULL, 0};
}

tw_report_file tw_report_file_read_lines(const char *folder, const char *name)
{
    tw_report_file file = tw_report_file_read(folder, name);
    while (file.length > 0 && file.text[file.length - 1] != '\n')
        file.length--;
    if (file.text) file.text[file.length] = '\0';
    return file;
}

/* ---- History ---- */

size_t tw_report_history_row(const tw_report_history *history, size_t number)
{
    const char *text = history->file.text;
    size_t at = 0;
    for (size_t line = 0; line <= number && at < history->file.length; at++)
        line += text[at] == '\n'; /* line 0 is the header */
    return at;
}

/* A history that does not exist is empty. */
static void read_history(tw_report_history *history, const char *folder)
{
    history->file = tw_report_file_read_lines(folder, "history.csv");
    for (size_t k = 0; k < history->file.length; k++)
        history->rows += history->file.text[k] == '\n';
    if (history->rows > 0) history->rows--;
    if (history->rows > 0)
        snprintf(history->id, sizeof history->id, "%08x",
                 (unsigned)tw_crc32(0, history->file.text, tw_report_history_row(history, 1)));
}

/* ---- The run ---- */

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

tw_status tw_report_run_open(tw_report_run *run, const char *folder, tw_error *error)
{
    *run = (tw_report_run){.folder = folder};
    tw_error_clear(error);
    if (!tw_report_run_exists(folder))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s: not the folder of a run: it has no scenario.yaml with history.csv",
                            tw_error_shorten_path(folder).text);
    set_name(run);
    run->scenario = tw_scenario_read_begun(tw_folder_path_join(folder, "scenario.yaml").text, NULL,
                                           0, &run->errors);
    (void)tw_figure_history_read(&run->rows, tw_folder_path_join(folder, "history.csv").text);
    read_history(&run->history, folder);
    run->state = tw_run_status_of(folder);
    run->log = tw_report_file_read_lines(folder, "run.log");
    (void)tw_run_saved_read(folder, &run->saved, NULL);
    return TW_STATUS_OK;
}

void tw_report_run_free(tw_report_run *run)
{
    tw_report_file_free(&run->log);
    tw_report_file_free(&run->history.file);
    tw_figure_history_free(&run->rows);
    tw_scenario_errors_free(&run->errors);
    tw_scenario_free(run->scenario);
    run->scenario = NULL;
}
