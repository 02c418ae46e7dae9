/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands/info_run.h"

#include "common/exit_status.h"
#include "common/output.h"
#include "response/response.h"
#include "scenario/scenario_summary.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <twirl/run.h>

enum { LABEL_WIDTH = 24 };

bool tw_info_run_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool is_file(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &about) == 0;
}

static bool print_stage(const tw_scenario_stage *stage, tw_history_table *table, const char *path)
{
    tw_history_rows history;
    tw_response response;
    tw_output_line(LABEL_WIDTH, stage->name, "%s", tw_scenario_path_name(stage->path));
    if (!tw_history_table_find(table, path, stage->name, &history)) {
        tw_output_line(LABEL_WIDTH, "", "no rows in the history");
        return true;
    }
    const bool good = tw_response_of(stage, history, &response);
    for (int q = 0; good && q < TW_RESPONSE_QUANTITY_COUNT; q++) {
        char label[LABEL_WIDTH + 1];
        snprintf(label, sizeof label, "  %s", tw_response_names[q]);
        if (!isnan(response.value[q]))
            tw_output_line(LABEL_WIDTH, label, "%.6g", response.value[q]);
    }
    return good;
}

static int print_stages(const tw_scenario *scenario, const char *folder, const char *command)
{
    char path[PATH_MAX];
    tw_history_table table;
    tw_error error;
    snprintf(path, sizeof path, "%s/history.csv", folder);
    if (!tw_history_table_read(&table, path)) {
        fprintf(stderr, "%s: %s\n", command, table.error);
        tw_history_table_free(&table);
        return table.failed ? TW_EXIT_ENVIRONMENT : TW_EXIT_USAGE;
    }
    if (tw_run_results_check(folder, &error) != TW_STATUS_OK)
        fprintf(stderr, "%s: warning: %s\n", command, error.text);
    bool good = true;
    tw_output_line(LABEL_WIDTH, "run", "%zu stage%s, %s", scenario->stage_count,
                   tw_output_plural(scenario->stage_count),
                   is_file(folder, "summary.json") ? "complete" : "not complete");
    tw_scenario_summary_materials(scenario, LABEL_WIDTH);
    for (size_t i = 0; good && i < scenario->stage_count; i++)
        good = print_stage(&scenario->stages[i], &table, path);
    tw_history_table_free(&table);
    if (!good) fprintf(stderr, "%s: out of memory\n", command);
    return good ? TW_EXIT_OK : TW_EXIT_ENVIRONMENT;
}

int tw_info_run_print(const char *folder, const char *command)
{
    tw_scenario_errors errors;
    if (!is_file(folder, "scenario.yaml") || !is_file(folder, "history.csv")) {
        fprintf(stderr,
                "%s: %s: not the folder of a run: it has no scenario.yaml with history.csv\n",
                command, folder);
        return TW_EXIT_USAGE;
    }
    tw_scenario *scenario = tw_run_read_scenario(folder, &errors);
    for (size_t i = 0; !scenario && i < errors.count; i++)
        fprintf(stderr, "%s\n", errors.text[i]);
    tw_scenario_errors_free(&errors);
    if (!scenario) return TW_EXIT_USAGE;
    const int status = print_stages(scenario, folder, command);
    tw_scenario_free(scenario);
    return status;
}
