/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_results.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "common/output.h"
#include "common/row_writer.h"
#include "sweep/sweep_folder.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Stages ---- */

static const char preparation[] = "specimen"; /* counts as a stage */

static bool has_stage(const tw_scenario *scenario, const char *name, size_t length)
{
    bool has = strncmp(preparation, name, length) == 0 && length + 1 == sizeof preparation;
    for (size_t i = 0; i < scenario->stage_count && !has; i++)
        has = strncmp(scenario->stages[i].name, name, length) == 0 &&
              scenario->stages[i].name[length] == '\0';
    return has;
}

/* Every name of `stages`, which are separated by commas. */
static int check_stages(const tw_sweep_grid *grid, const char *option, const char *text,
                        const char *stages, const char *command)
{
    for (const char *name = stages; *name; name += strspn(name, ",")) {
        const size_t length = strcspn(name, ",");
        for (size_t i = 0; i < grid->case_count; i++)
            if (!has_stage(grid->cases[i].scenario, name, length))
                return tw_output_fail(command, TW_EXIT_USAGE, "%s %s: case %s has no stage '%.*s'",
                                      option, text, grid->cases[i].name, (int)length, name);
        name += length;
    }
    return TW_EXIT_OK;
}

int tw_sweep_results_check(const tw_sweep_grid *grid, const tw_sweep_request *request,
                           const char *command)
{
    int status = TW_EXIT_OK;
    if (request->stage)
        status = check_stages(grid, "--stage", request->stage, request->stage, command);
    for (size_t i = 0; status == TW_EXIT_OK && i < request->take_count; i++)
        status =
            check_stages(grid, "--take", request->take[i].text, request->take[i].stage, command);
    return status;
}

/* ---- Evaluation ---- */

typedef struct case_reading {
    tw_sweep_results *results;
    const tw_sweep_request *request;
    const char *command;
    double *value; /* of each case: all results, then what is taken */
    bool *used;    /* results that the test of any case has */
} case_reading;

/* "load,unload,reload" */
static char *test_of(const tw_figure_series *s)
{
    tw_text_buffer text = {0};
    for (size_t k = 0; k < s->part_count; k++)
        tw_text_buffer_add(&text, "%s%s", k > 0 ? "," : "", s->history->parts[s->part + k].stage);
    return tw_exit_unless(tw_text_buffer_take(&text));
}

static tw_status evaluate_takes(const case_reading *r, const tw_figure_series *s,
                                tw_figure_run *run, double *taken, tw_error *error)
{
    for (size_t i = 0; i < r->request->take_count; i++) {
        const tw_sweep_take *take = &r->request->take[i];
        tw_figure_rows rows = {s->history->rows + s->first, s->count};
        if (*take->stage &&
            !tw_figure_history_find(&run->history, run->input, take->stage, &rows)) {
            *error = run->history.error;
            return error->status;
        }
        taken[i] = tw_sweep_take_value(take, rows);
    }
    return TW_STATUS_OK;
}

/* The last test of the run, or the stages that were asked for. */
static tw_status evaluate(const case_reading *r, size_t number, const char *folder, tw_error *error)
{
    const size_t count = tw_figure_result_count(), all = count + r->request->take_count;
    const bool bare = r->results->grid->cases[number].scenario->stage_count == 0;
    const char *stage = bare ? preparation : r->request->stage;
    tw_figure_request request = tw_figure_request_default();
    tw_figure_set set;
    request.inputs = &folder;
    request.input_count = 1;
    request.stages = &stage;
    request.stage_count = stage != NULL;
    tw_status status = tw_figure_set_read(&set, &request, error);
    const tw_figure_series *s = status == TW_STATUS_OK ? tw_figure_set_main(&set, 0) : NULL;
    if (status == TW_STATUS_OK && !s)
        status = tw_error_set(error, TW_STATUS_INPUT, "%s: no row of a stage that loads",
                              tw_error_shorten_path(folder).text);
    if (s) {
        double *row = r->value + number * all;
        tw_exit_unless(tw_figure_result_compute(s, row) ? row : NULL);
        for (size_t k = 0; k < count; k++)
            r->used[k] = r->used[k] || tw_figure_result_applies(s, k);
        status = evaluate_takes(r, s, set.runs, row + count, error);
        r->results->test[number] = test_of(s);
    }
    tw_figure_set_free(&set);
    return status;
}

/* The columns: results that any case has, then what is taken. */
static void choose_columns(const case_reading *r)
{
    tw_sweep_results *to = r->results;
    const size_t count = tw_figure_result_count(), all = count + r->request->take_count;
    for (size_t k = 0; k < all; k++) {
        if (k < count && !r->used[k]) continue;
        to->result[to->columns] = k;
        to->name[to->columns++] =
            k < count ? tw_figure_result_at(k)->name : r->request->take[k - count].text;
    }
    for (size_t i = 0; i < to->grid->case_count; i++)
        for (size_t c = 0; c < to->columns; c++)
            to->value[i * to->columns + c] =
                to->done[i] ? r->value[i * all + to->result[c]] : (double)NAN;
}

int tw_sweep_results_read(tw_sweep_results *results, const tw_sweep_grid *grid, const char *folder,
                          const tw_sweep_request *request, const char *command)
{
    const size_t all = tw_figure_result_count() + request->take_count, cases = grid->case_count;
    tw_error error;
    *results = (tw_sweep_results){.grid = grid,
                                  .name = tw_exit_unless(calloc(all, sizeof *results->name)),
                                  .result = tw_exit_unless(calloc(all, sizeof *results->result)),
                                  .value = tw_exit_unless(calloc(all * cases, sizeof(double))),
                                  .done = tw_exit_unless(calloc(cases, sizeof *results->done)),
                                  .test = tw_exit_unless(calloc(cases, sizeof *results->test))};
    const case_reading r = {.results = results,
                            .request = request,
                            .command = command,
                            .value = tw_exit_unless(calloc(all * cases, sizeof(double))),
                            .used = tw_exit_unless(calloc(all, sizeof(bool)))};
    int status = TW_EXIT_OK;
    for (size_t i = 0; i < cases && status == TW_EXIT_OK; i++) {
        const tw_folder_path run = tw_folder_path_in(folder, "cases", grid->cases[i].name, "");
        if (grid->cases[i].failed || !tw_sweep_folder_is_finished(run.text)) continue;
        const tw_status read = evaluate(&r, i, run.text, &error);
        results->done[i] = read == TW_STATUS_OK;
        if (read != TW_STATUS_OK)
            status = tw_output_fail(command, tw_exit_status_running(read), "%s", error.text);
    }
    choose_columns(&r);
    free(r.value);
    free(r.used);
    return status;
}

void tw_sweep_results_free(tw_sweep_results *results)
{
    free(results->name);
    for (size_t i = 0; results->test && i < results->grid->case_count; i++)
        free(results->test[i]);
    free(results->result);
    free(results->value);
    free(results->done);
    free(results->test);
    *results = (tw_sweep_results){.columns = 0};
}

size_t tw_sweep_results_find(const tw_sweep_results *results, const char *name)
{
    for (size_t c = 0; c < results->columns; c++)
        if (strcmp(results->name[c], name) == 0) return c;
    return SIZE_MAX;
}

static double value_at(const tw_sweep_results *results, size_t index, size_t column)
{
    return results->value[index * results->columns + column];
}

/* ---- Replicates ---- */

tw_sweep_statistics tw_sweep_results_statistics(const tw_sweep_results *results, size_t group,
                                                size_t column)
{
    tw_sweep_statistics s = {0, (double)NAN, (double)NAN};
    const tw_sweep_grid *grid = results->grid;
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < grid->case_count; i++) {
        const double value = value_at(results, i, column);
        if (grid->cases[i].group != group || isnan(value)) continue;
        sum += value;
        s.count++;
    }
    if (s.count == 0) return s;
    s.mean = sum / (double)s.count;
    for (size_t i = 0; i < grid->case_count; i++) {
        const double value = value_at(results, i, column);
        if (grid->cases[i].group != group || isnan(value)) continue;
        squares += (value - s.mean) * (value - s.mean);
    }
    if (s.count > 1) s.deviation = sqrt(squares / (double)(s.count - 1));
    return s;
}

/* ---- Tables ---- */

/* Quoted if need be: RFC 4180. */
static void add_text(tw_row_writer *writer, const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        tw_row_writer_add(writer, "%s", text);
        return;
    }
    tw_row_writer_add(writer, "\"");
    for (; *text; text++)
        tw_row_writer_add(writer, *text == '"' ? "\"\"" : "%c", *text);
    tw_row_writer_add(writer, "\"");
}

static void add_number(tw_row_writer *writer, double value)
{
    if (isnan(value)) /* printf may write "-nan" */
        tw_row_writer_add(writer, ",nan");
    else
        tw_row_writer_add(writer, ",%.17g", value + 0.0);
}

static void add_case(tw_row_writer *writer, const tw_sweep_results *r, size_t i)
{
    const tw_sweep_grid *grid = r->grid;
    add_text(writer, grid->cases[i].name);
    for (size_t k = 0; k < grid->vary_count; k++) {
        tw_row_writer_add(writer, ",");
        add_text(writer, tw_sweep_grid_value(grid, &grid->cases[i], k));
    }
    tw_row_writer_add(writer, r->done[i] ? ",done" : ",failed");
    for (size_t c = 0; c < r->columns; c++)
        add_number(writer, value_at(r, i, c));
    tw_row_writer_add(writer, "\n");
}

tw_status tw_sweep_results_write(const tw_sweep_results *r, const char *folder, tw_error *error)
{
    tw_row_writer writer;
    const tw_folder_path path = tw_folder_path_join(folder, "table.csv");
    const tw_status status = tw_row_writer_open(&writer, path.text, error);
    if (status != TW_STATUS_OK) return status;
    tw_row_writer_add(&writer, "case");
    for (size_t k = 0; k < r->grid->vary_count; k++)
        tw_row_writer_add(&writer, ",%s", r->grid->vary[k].key);
    tw_row_writer_add(&writer, ",status");
    for (size_t c = 0; c < r->columns; c++) {
        tw_row_writer_add(&writer, ",");
        add_text(&writer, r->name[c]);
    }
    tw_row_writer_add(&writer, "\n");
    for (size_t i = 0; i < r->grid->case_count; i++)
        add_case(&writer, r, i);
    return tw_row_writer_finish(&writer, error);
}

static void add_mean_header(tw_row_writer *writer, const tw_sweep_results *r)
{
    for (size_t k = 0; k < r->grid->vary_count; k++)
        if (!tw_sweep_vary_is_seed(&r->grid->vary[k]))
            tw_row_writer_add(writer, "%s,", r->grid->vary[k].key);
    tw_row_writer_add(writer, "count");
    for (size_t c = 0; c < r->columns; c++) {
        tw_row_writer_add(writer, ",");
        add_text(writer, r->name[c]);
        tw_row_writer_add(writer, ",");
        char *deviation = tw_exit_text("%s_sd", r->name[c]);
        add_text(writer, deviation);
        free(deviation);
    }
    tw_row_writer_add(writer, "\n");
}

/* Adds the means of the group whose first case is number `first`. */
static void add_mean(tw_row_writer *writer, const tw_sweep_results *r, size_t first)
{
    const tw_sweep_grid *grid = r->grid;
    const size_t group = grid->cases[first].group;
    size_t count = 0;
    for (size_t i = 0; i < grid->case_count; i++)
        count += grid->cases[i].group == group && r->done[i];
    for (size_t k = 0; k < grid->vary_count; k++) {
        if (tw_sweep_vary_is_seed(&grid->vary[k])) continue;
        add_text(writer, tw_sweep_grid_value(grid, &grid->cases[first], k));
        tw_row_writer_add(writer, ",");
    }
    tw_row_writer_add(writer, "%zu", count);
    for (size_t c = 0; c < r->columns; c++) {
        const tw_sweep_statistics s = tw_sweep_results_statistics(r, group, c);
        add_number(writer, s.mean);
        add_number(writer, s.deviation);
    }
    tw_row_writer_add(writer, "\n");
}

tw_status tw_sweep_results_write_means(const tw_sweep_results *r, const char *folder,
                                       tw_error *error)
{
    tw_row_writer writer;
    const tw_folder_path path = tw_folder_path_join(folder, "table_mean.csv");
    const tw_status status = tw_row_writer_open(&writer, path.text, error);
    if (status != TW_STATUS_OK) return status;
    add_mean_header(&writer, r);
    for (size_t i = 0; i < r->grid->case_count; i++)
        if (r->grid->cases[i].first) add_mean(&writer, r, i);
    return tw_row_writer_finish(&writer, error);
}

/* ---- Data dictionary ---- */

static bool is_number(const char *text)
{
    char *end;
    (void)strtod(text, &end);
    return end != text && *end == 0;
}

/* "stages[shear].rate" is "stages[].rate" in the list of keys. "1": without unit, or not found. */
static const char *unit_of_key(const char *key, tw_scenario_key_buffer *buffer)
{
    char name[400], known[400];
    size_t length = 0;
    bool inside = false;
    for (; *key && length + 1 < sizeof name; key++) {
        inside = inside && *key != ']';
        if (!inside) name[length++] = *key;
        inside = inside || *key == '[';
    }
    name[length] = 0;
    for (size_t k = 0; k < tw_scenario_key_count(); k++) {
        const tw_scenario_key one = tw_scenario_key_at(k, buffer);
        snprintf(known, sizeof known, "%s%s%s", one.section, *one.section ? "." : "", one.name);
        if (strcmp(known, name) == 0 && *one.unit && strcmp(one.unit, "-") != 0) return one.unit;
    }
    return "1";
}

static void add_varied(tw_text_buffer *out, const tw_sweep_results *r, size_t k)
{
    bool number = true;
    for (size_t i = 0; i < r->grid->case_count; i++)
        number = number && is_number(tw_sweep_grid_value(r->grid, &r->grid->cases[i], k));
    tw_scenario_key_buffer buffer;
    const char *unit = unit_of_key(r->grid->vary[k].key, &buffer);
    tw_json_table_add(out, (tw_json_field){r->grid->vary[k].key, number ? "number" : "string", unit,
                                           "varied value", "value of this key, as given"});
}

/* The field of a quantity that was taken: the column of the history. */
static tw_json_field taken(const tw_sweep_take *take)
{
    static const char *const units[] = {
#define UNIT(name, dimension, text) TW_HISTORY_UNIT_##dimension,
        TW_HISTORY_COLUMNS(UNIT)
#undef UNIT
    };
    return (tw_json_field){take->text, "number", units[take->column],
                           tw_figure_history_text(take->column),
                           "taken from the history, as its name says"};
}

static tw_json_field field_of(const tw_sweep_results *r, size_t c, const tw_sweep_request *request)
{
    const size_t count = tw_figure_result_count();
    if (r->result[c] >= count) return taken(&request->take[r->result[c] - count]);
    const tw_figure_result *result = tw_figure_result_at(r->result[c]);
    const char *unit = tw_figure_result_unit(result);
    return (tw_json_field){r->name[c], "number", *unit ? unit : "1", result->text, result->text};
}

/* The table of cases, or that of means over the seeds. */
static void add_table(tw_text_buffer *out, const tw_sweep_results *r,
                      const tw_sweep_request *request, bool means)
{
    static const tw_json_field names[] = {
        {"case", "string", NULL, "name of the case", "its run is in the folder cases"},
        {"status", "string", NULL, "how the run ended", "done or failed"},
        {"count", "integer", "1", "number of cases", "with different seeds"}};
    tw_json_table_begin(out, means ? "table_mean" : "table");
    if (!means) tw_json_table_add(out, names[0]);
    for (size_t k = 0; k < r->grid->vary_count; k++)
        if (!means || !tw_sweep_vary_is_seed(&r->grid->vary[k])) add_varied(out, r, k);
    tw_json_table_add(out, names[means ? 2 : 1]);
    for (size_t c = 0; c < r->columns; c++) {
        tw_json_field field = field_of(r, c, request);
        if (means) field.description = "mean over the seeds";
        tw_json_table_add(out, field);
        if (!means) continue;
        char *deviation = tw_exit_text("%s_sd", r->name[c]);
        field.name = deviation;
        field.description = "standard deviation over the seeds, with n - 1";
        tw_json_table_add(out, field);
        free(deviation);
    }
    tw_json_table_end(out);
}

tw_status tw_sweep_results_write_dictionary(const tw_sweep_results *r, const char *folder,
                                            const tw_sweep_request *request, tw_error *error)
{
    const tw_folder_path path = tw_folder_path_join(folder, "datapackage.json");
    tw_text_buffer text = {0};
    tw_json_package_begin(&text, "twirl-sweep");
    add_table(&text, r, request, false);
    if (tw_sweep_grid_has_seeds(r->grid)) add_table(&text, r, request, true);
    tw_json_package_end(&text);
    const tw_status status = text.failed
                                 ? tw_error_set_memory(error)
                                 : tw_replace_file_with(path.text, text.text, text.length, error);
    tw_text_buffer_free(&text);
    return status;
}
