/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/series.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <twirl/math.h>
#include <twirl/run.h>

#include "base/error.h"
#include "base/text.h"
#include "common/output.h"

/* Stage of the preparation, whose strains and stress ratios mean little before there is a packing.
 */
static const char preparation[] = "specimen";

__attribute__((format(printf, 2, 3))) static bool refuse(tw_series_problem *problem,
                                                         const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    vsnprintf(problem->text, sizeof problem->text, format, rest);
    va_end(rest);
    return false;
}

static bool fail(tw_series_problem *problem, const char *why)
{
    problem->failed = true;
    return refuse(problem, "%s", why);
}

/* ---- Reading a run ---- */

static void open_scenario(tw_series_run *run, tw_series_problem *problem)
{
    char path[PATH_MAX + 16];
    tw_scenario_errors errors;
    snprintf(path, sizeof path, "%s/scenario.yaml", run->folder);
    if (access(path, F_OK) != 0) return;
    run->scenario = tw_run_read_scenario(run->folder, &errors);
    if (!run->scenario)
        snprintf(problem->warning, sizeof problem->warning,
                 "%s; the figures are drawn as for a history without scenario",
                 errors.count > 0 ? errors.text[0] : "out of memory");
    tw_scenario_errors_free(&errors);
}

/* The count of cycles goes back where a specimen that fails does not reach the amplitude: it stays
 * where it was. */
static void hold_cycles(tw_history_table *table)
{
    for (size_t i = 0; i < table->parts; i++) {
        const tw_history_part *part = &table->part[i];
        for (size_t k = 1; k < part->count; k++) {
            double *now = &table->row[part->first + k].value[TW_HISTORY_cycle];
            *now = tw_math_max(*now, table->row[part->first + k - 1].value[TW_HISTORY_cycle]);
        }
    }
}

static bool open_run(tw_series_run *run, const char *input, tw_series_problem *problem)
{
    struct stat about;
    char path[PATH_MAX + 16];
    *run = (tw_series_run){.scenario = NULL};
    if (strlen(input) >= PATH_MAX - 16) return refuse(problem, "DIR: the path is too long");
    const bool folder = stat(input, &about) == 0 && S_ISDIR(about.st_mode);
    if (folder) snprintf(run->folder, sizeof run->folder, "%s", input);
    snprintf(path, sizeof path, "%s%s", input, folder ? "/history.csv" : "");
    if (!tw_history_table_read(&run->table, path)) {
        problem->failed = run->table.failed;
        return refuse(problem, "%s", run->table.error);
    }
    if (run->table.count < 2)
        return refuse(problem, "%s: %zu row%s, but a curve needs at least 2", path,
                      run->table.count, tw_output_plural(run->table.count));
    hold_cycles(&run->table);
    if (folder) open_scenario(run, problem);
    return true;
}

/* ---- Stages ---- */

static const tw_scenario_stage *find_stage(const tw_series_run *run, const char *name)
{
    for (size_t i = 0; run->scenario && i < run->scenario->stage_count; i++) {
        if (strcmp(run->scenario->stages[i].name, name) == 0) return &run->scenario->stages[i];
    }
    return NULL;
}

static tw_series series_of(const tw_series_run *run, const tw_history_part *part, int axis)
{
    const tw_scenario_stage *stage = find_stage(run, part->stage);
    tw_series s = {.table = &run->table,
                   .first = part->first,
                   .count = part->count,
                   .stage = stage,
                   .axis = stage && stage->axis >= 0 ? stage->axis : axis};
    if (stage)
        s.kind = tw_path_kind_of(stage);
    else
        s.kind = run->table.present[TW_HISTORY_strain_xx + axis] ? TW_PATH_KIND_PLAIN
                                                                 : TW_PATH_KIND_TIME;
    snprintf(s.name, sizeof s.name, "%s", part->stage);
    snprintf(s.label, sizeof s.label, "%s", part->stage);
    return s;
}

static bool add_series(tw_series_list *list, const tw_series *series, tw_series_problem *problem)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 16;
        tw_series *more = realloc(list->series, capacity * sizeof *more);
        if (!more) return fail(problem, "out of memory");
        list->series = more;
        list->capacity = capacity;
    }
    list->series[list->count++] = *series;
    return true;
}

/* Lengthens the last series by one that goes on from it; false if it is another curve. */
static bool join(tw_series_list *list, size_t from, const tw_series *next)
{
    tw_series *last = list->count > from ? &list->series[list->count - 1] : NULL;
    const bool one = last && last->kind == next->kind && last->axis == next->axis &&
                     tw_path_kind_continues(next->kind) && next->stage && !next->stage->from &&
                     last->first + last->count == next->first;
    if (!one) return false;
    last->count += next->count;
    const size_t length = strlen(last->label);
    snprintf(last->label + length, sizeof last->label - length, ", %s", next->name);
    return true;
}

/* The stages that load, or the others if none does: an isotropic compression, a rest. */
static bool add_loading(tw_series_list *list, const tw_series_run *run, int axis,
                        tw_series_problem *problem)
{
    bool loads = false;
    const size_t from = list->count;
    for (size_t i = 0; i < run->table.parts; i++) {
        const tw_series s = series_of(run, &run->table.part[i], axis);
        if (strcmp(s.name, preparation) != 0)
            loads = loads || (tw_path_kind_is_loading(s.kind) && s.count > 1);
    }
    for (size_t i = 0; i < run->table.parts; i++) {
        const tw_series s = series_of(run, &run->table.part[i], axis);
        if (strcmp(s.name, preparation) == 0 || (loads && !tw_path_kind_is_loading(s.kind)))
            continue;
        if (!join(list, from, &s) && !add_series(list, &s, problem)) return false;
    }
    return true;
}

static bool add_named(tw_series_list *list, const tw_series_run *run, const char *name, int axis,
                      tw_series_problem *problem)
{
    const tw_history_part *part = tw_history_table_part(&run->table, name);
    const char *path = run->folder;
    if (!run->table.present[TW_HISTORY_stage])
        return refuse(problem, "--stage: %s%s has no column 'stage'", path,
                      *path ? "/history.csv" : "the history");
    if (!part) {
        char known[256] = "";
        for (size_t i = 0; i < run->table.parts; i++) {
            const size_t length = strlen(known);
            snprintf(known + length, sizeof known - length, "%s%s", i > 0 ? ", " : "",
                     run->table.part[i].stage);
        }
        return refuse(problem, "--stage: %s%sno row of stage %s; there is: %s", path,
                      *path ? "/history.csv: " : "", tw_text_quote(name, strlen(name)).text, known);
    }
    const tw_series s = series_of(run, part, axis);
    return add_series(list, &s, problem);
}

/* ---- Lists separated by commas ---- */

static size_t words_in(const char *list)
{
    size_t count = list ? 1 : 0;
    for (const char *comma = list; comma && (comma = strchr(comma, ',')); comma++)
        count++;
    return count;
}

static void word_at(const char *list, size_t number, char *word, size_t size)
{
    while (number-- > 0)
        list = strchr(list, ',') + 1;
    while (*list == ' ')
        list++;
    snprintf(word, size, "%.*s", (int)strcspn(list, ","), list);
}

/* ---- All inputs ---- */

static bool choose(tw_series_list *list, const tw_series_wish *wish, size_t number,
                   tw_series_problem *problem)
{
    const tw_series_run *run = &list->run[number];
    const size_t stages = words_in(wish->stages), from = list->count;
    const size_t last = wish->inputs == 1 ? stages : 1;
    char name[TW_HISTORY_STAGE_MAX];
    for (size_t i = 0; stages > 0 && i < last; i++) {
        word_at(wish->stages, wish->inputs > 1 && stages > 1 ? number : i, name, sizeof name);
        if (!add_named(list, run, name, wish->axis, problem)) return false;
    }
    if (stages > 0) return true;
    if (!add_loading(list, run, wish->axis, problem)) return false;
    if (wish->inputs > 1 && list->count > from + 1) {
        list->series[from] = list->series[list->count - 1];
        list->count = from + 1;
    }
    if (wish->inputs > 1 && list->count == from)
        return refuse(problem, "%s: no stage to draw", wish->input[number]);
    return true;
}

/* The name of the folder or file; the whole path where two are alike. */
static void label_by_input(tw_series_list *list, const tw_series_wish *wish)
{
    bool alike = false;
    for (size_t i = 0; i < list->count; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s", wish->input[i]);
        for (size_t length = strlen(path); length > 1 && path[length - 1] == '/';)
            path[--length] = '\0';
        const char *slash = strrchr(path, '/');
        snprintf(list->series[i].label, TW_SERIES_LABEL_MAX, "%.*s", TW_SERIES_LABEL_MAX - 1,
                 slash ? slash + 1 : path);
        for (size_t k = 0; k < i; k++)
            alike = alike || strcmp(list->series[i].label, list->series[k].label) == 0;
    }
    for (size_t i = 0; alike && i < list->count; i++)
        snprintf(list->series[i].label, TW_SERIES_LABEL_MAX, "%.*s%s%s", 120, wish->input[i],
                 *list->series[i].name ? ", " : "", list->series[i].name);
}

static bool label(tw_series_list *list, const tw_series_wish *wish, tw_series_problem *problem)
{
    const size_t labels = words_in(wish->labels);
    if (wish->inputs > 1) label_by_input(list, wish);
    if (labels == 0) return true;
    if (labels != list->count) {
        return refuse(problem, "--labels: %zu label%s for %zu curve%s", labels,
                      tw_output_plural(labels), list->count, tw_output_plural(list->count));
    }
    for (size_t i = 0; i < labels; i++)
        word_at(wish->labels, i, list->series[i].label, TW_SERIES_LABEL_MAX);
    return true;
}

bool tw_series_list_read(tw_series_list *list, const tw_series_wish *wish,
                         tw_series_problem *problem)
{
    *list = (tw_series_list){.count = 0};
    *problem = (tw_series_problem){.failed = false};
    const size_t stages = words_in(wish->stages);
    if (wish->inputs > 1 && stages > 1 && stages != wish->inputs)
        return refuse(problem, "--stage: %zu stages for %zu runs; give one, or one for each run",
                      stages, wish->inputs);
    list->run = calloc(wish->inputs, sizeof *list->run);
    if (!list->run) return fail(problem, "out of memory");
    for (size_t i = 0; i < wish->inputs; i++) {
        list->runs = i + 1;
        if (!open_run(&list->run[i], wish->input[i], problem)) return false;
        if (!choose(list, wish, i, problem)) return false;
    }
    return label(list, wish, problem);
}

void tw_series_list_free(tw_series_list *list)
{
    for (size_t i = 0; i < list->runs; i++) {
        tw_history_table_free(&list->run[i].table);
        tw_scenario_free(list->run[i].scenario);
    }
    free(list->run);
    free(list->series);
    *list = (tw_series_list){.count = 0};
}
