/* SPDX-License-Identifier: BSD-3-Clause */
#include "figure/figure_internal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <twirl/math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- Kinds of paths ---- */

const char *tw_figure_kind_name(int kind)
{
    static const char *const names[] = {
#define NAME(name, text) text,
        TW_FIGURE_SERIES_KINDS(NAME)
#undef NAME
    };
    return kind >= 0 && kind < TW_FIGURE_SERIES_KIND_COUNT ? names[kind] : NULL;
}

/* A path that has no name of its own in the list of kinds is drawn as one that has. At constant
 * volume it is the next kind. */
static int kind_of(const tw_scenario_stage *stage)
{
    const tw_scenario_traits t = tw_scenario_stage_traits(stage);
    const char *name = tw_scenario_path_name(t.path);
    const int closed = t.keeps == TW_SCENARIO_KEEPS_VOLUME;
    if (t.along == TW_SCENARIO_ALONG_PLANE)
        return (t.cyclic ? TW_FIGURE_SERIES_CYCLIC_SHEAR : TW_FIGURE_SERIES_SHEAR) + closed;
    if (t.cyclic && t.along == TW_SCENARIO_ALONG_AXIS &&
        t.keeps != TW_SCENARIO_KEEPS_LATERAL_STRAIN)
        return TW_FIGURE_SERIES_CYCLIC + closed;
    if (t.path == TW_SCENARIO_STRESS_PATH) return TW_FIGURE_SERIES_TRIAXIAL;
    if (t.path == TW_SCENARIO_RATES) return TW_FIGURE_SERIES_PROBES;
    for (int k = 0; name && k < TW_FIGURE_SERIES_KIND_COUNT; k++)
        if (strcmp(tw_figure_kind_name(k), name) == 0) return k;
    return TW_FIGURE_SERIES_REST;
}

bool tw_figure_series_is_loading(int kind)
{
    return kind != TW_FIGURE_SERIES_ISOTROPIC && kind != TW_FIGURE_SERIES_REST &&
           kind != TW_FIGURE_SERIES_PROBES;
}

static bool is_shear(int kind)
{
    return (TW_FIGURE_SERIES_BIT(SHEAR) | TW_FIGURE_SERIES_BIT(SHEAR_UNDRAINED) |
            TW_FIGURE_SERIES_BIT(CYCLIC_SHEAR) | TW_FIGURE_SERIES_BIT(CYCLIC_SHEAR_UNDRAINED)) >>
               kind &
           1;
}

/* The axis along which a path compresses: of simple shear the normal of its plane. */
static int compressed_axis(const tw_figure_series *s)
{
    if (!is_shear(s->kind)) return s->axis;
    return s->definition->plane == TW_SCENARIO_XY ? 1 : 2;
}

/* Whether both can be drawn over the strain of one of them: axial paths along the same axis, simple
 * shear in the same plane, also with compression along its normal, and isotropic paths. Histories
 * without strains of the test have curves over stress only. */
static bool fit_together(const tw_figure_series *a, const tw_figure_series *b)
{
    const bool shear_a = is_shear(a->kind), shear_b = is_shear(b->kind);
    if (!a->history->present[TW_HISTORY_total_strain_xx] &&
        (a->kind != b->kind ||
         (a->kind != TW_FIGURE_SERIES_OEDOMETER && a->kind != TW_FIGURE_SERIES_ISOTROPIC)))
        return false;
    if (a->kind == TW_FIGURE_SERIES_ISOTROPIC) return b->kind == TW_FIGURE_SERIES_ISOTROPIC;
    if (shear_a && shear_b) return a->definition->plane == b->definition->plane;
    if (shear_a != shear_b)
        return (shear_a ? b : a)->kind == TW_FIGURE_SERIES_OEDOMETER &&
               compressed_axis(a) == compressed_axis(b);
    return tw_figure_series_is_axial(a->kind) && tw_figure_series_is_axial(b->kind) &&
           a->axis == b->axis;
}

/* ---- Reading a run ---- */

/* Stage of the preparation, whose strains and stress ratios mean little before there is a packing.
 */
static const char preparation[] = "specimen";

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void open_scenario(tw_figure_run *run)
{
    char path[PATH_MAX + 16];
    tw_scenario_errors errors;
    snprintf(path, sizeof path, "%s/scenario.yaml", run->input);
    if (access(path, F_OK) != 0) return;
    run->scenario = tw_scenario_read_begun(path, NULL, 0, &errors);
    if (!run->scenario)
        snprintf(run->warning, sizeof run->warning,
                 "%s; the figures are drawn as for a history without scenario",
                 errors.count > 0 ? errors.text[0] : "out of memory");
    tw_scenario_errors_free(&errors);
}

/* The count of cycles goes back where a specimen that fails does not reach the amplitude: it stays
 * where it was. */
static void hold_cycles(tw_figure_history *history)
{
    for (size_t i = 0; i < history->part_count; i++) {
        tw_figure_row *row = &history->rows[history->parts[i].first];
        for (size_t k = 1; k < history->parts[i].count; k++) {
            double *now = &row[k].value[TW_HISTORY_cycle];
            *now = tw_math_max(*now, row[k - 1].value[TW_HISTORY_cycle]);
        }
    }
}

static tw_status open_run(tw_figure_run *run, const char *input, bool short_too, tw_error *error)
{
    struct stat about;
    char path[PATH_MAX + 16];
    *run = (tw_figure_run){.input = input};
    if (strlen(input) >= PATH_MAX - 16)
        return tw_error_set(error, TW_STATUS_INPUT, "DIR: the path is too long");
    run->folder = stat(input, &about) == 0 && S_ISDIR(about.st_mode);
    snprintf(path, sizeof path, "%s%s", input, run->folder ? "/history.csv" : "");
    if (!tw_figure_history_read(&run->history, path)) {
        *error = run->history.error;
        return error->status;
    }
    if (run->history.count < 2 && !short_too)
        return tw_error_set(error, TW_STATUS_INPUT, "%s: %zu row%s, but a curve needs at least 2",
                            tw_error_shorten_path(path).text, run->history.count,
                            plural(run->history.count));
    hold_cycles(&run->history);
    if (run->folder) open_scenario(run);
    return run->folder && !tw_figure_tables_read(run) ? tw_error_set_memory(error) : TW_STATUS_OK;
}

/* ---- Stages ---- */

static const tw_scenario_stage *find_stage(const tw_figure_run *run, const char *name)
{
    for (size_t i = 0; run->scenario && i < run->scenario->stage_count; i++)
        if (strcmp(run->scenario->stages[i].name, name) == 0) return &run->scenario->stages[i];
    return NULL;
}

/* The kind of a part. Without a scenario the columns of the history tell; the preparation of a
 * specimen is a rest. */
static int kind_of_part(const tw_figure_run *run, const tw_scenario_stage *stage, int axis)
{
    if (stage) return kind_of(stage);
    return run->history.present[TW_HISTORY_strain_xx + axis] ? TW_FIGURE_SERIES_PLAIN
                                                             : TW_FIGURE_SERIES_TIME;
}

static tw_figure_series series_of(const tw_figure_set *set, size_t number,
                                  const tw_figure_part *part, int axis)
{
    const tw_figure_run *run = &set->runs[number];
    const tw_scenario_stage *stage = find_stage(run, part->stage);
    tw_figure_series s = {.run = number,
                          .history = &run->history,
                          .first = part->first,
                          .count = part->count,
                          .part = (size_t)(part - run->history.parts),
                          .part_count = 1,
                          .definition = stage,
                          .kind = kind_of_part(run, stage, axis),
                          .axis = stage && stage->axis >= 0 ? stage->axis : axis,
                          .drawn = 1};
    s.kinds = 1U << s.kind;
    snprintf(s.stage, sizeof s.stage, "%s", part->stage);
    snprintf(s.label, sizeof s.label, "%s", part->stage);
    return s;
}

static tw_status add_series(tw_figure_set *set, const tw_figure_series *series, tw_error *error)
{
    if (tw_buffer_reserve(&set->series, &set->series_capacity, set->series_count + 1,
                          sizeof *set->series) != TW_STATUS_OK)
        return tw_error_set_memory(error);
    set->series[set->series_count++] = *series;
    return TW_STATUS_OK;
}

/* Whether a stage at constant stresses or strains, which is drawn over time, goes on from another.
 */
static bool is_pause(const tw_figure_series *s)
{
    return (s->kind == TW_FIGURE_SERIES_CREEP || s->kind == TW_FIGURE_SERIES_RELAXATION) &&
           s->definition && !s->definition->from;
}

/* Lengthens the last series by one that continues it, and by what is between them; false if it is
 * another curve. A pause is a curve of its own, and part of that of the test. */
static bool join(tw_figure_set *set, size_t from, const tw_figure_series *next)
{
    size_t end = set->series_count;
    while (end > from && is_pause(&set->series[end - 1]))
        end--;
    tw_figure_series *last = end > from ? &set->series[end - 1] : NULL;
    if (!last || !last->definition || !fit_together(last, next)) return false;
    last->count = next->first + next->count - last->first;
    last->part_count = next->part + 1 - last->part;
    last->kinds |= next->kinds;
    if (next->kind < last->kind) {
        last->kind = next->kind;
        last->definition = next->definition;
    }
    const size_t length = strlen(last->label);
    snprintf(last->label + length, sizeof last->label - length, ", %s", next->stage);
    return true;
}

/* Whether a stage goes on from the end of the series since `from`; `near`: with no other stage
 * between them. */
static bool goes_on(const tw_figure_set *set, size_t from, const tw_figure_series *next, bool near)
{
    size_t end = 0;
    for (size_t i = from; i < set->series_count; i++)
        if (set->series[i].part + set->series[i].part_count > end)
            end = set->series[i].part + set->series[i].part_count;
    bool whole = end > 0 && end <= next->part && (!near || end == next->part);
    for (; whole && end <= next->part; end++) {
        const tw_scenario_stage *stage =
            find_stage(&set->runs[next->run], next->history->parts[end].stage);
        whole = stage && !stage->from;
    }
    return whole;
}

/* A curve of its own, or more of the test that the last one is. */
static tw_status add_part(tw_figure_set *set, size_t from, const tw_figure_series *s, bool apart,
                          bool near, tw_error *error)
{
    if (!apart && goes_on(set, from, s, near) && join(set, from, s)) return TW_STATUS_OK;
    return add_series(set, s, error);
}

/* Isotropic stages of a run that also loads: not drawn, but their moduli are. */
static tw_status add_isotropic(tw_figure_set *set, size_t number, const tw_figure_request *request,
                               tw_error *error)
{
    const size_t from = set->series_count;
    const tw_figure_history *history = &set->runs[number].history;
    for (size_t i = 0; i < history->part_count; i++) {
        tw_figure_series s = series_of(set, number, &history->parts[i], request->axis);
        bool known = s.kind != TW_FIGURE_SERIES_ISOTROPIC || s.count < 2;
        for (size_t k = 0; k < from; k++)
            known = known || (set->series[k].run == number && set->series[k].part <= s.part &&
                              s.part < set->series[k].part + set->series[k].part_count);
        s.drawn = 0;
        if (!known && add_part(set, from, &s, request->apart, true, error) != TW_STATUS_OK)
            return TW_STATUS_MEMORY;
    }
    return TW_STATUS_OK;
}

/* The stages that load, or the others if none does: an isotropic compression, a rest. Successive
 * ones are one test, and with them what is between them. */
static tw_status add_loading(tw_figure_set *set, size_t number, const tw_figure_request *request,
                             tw_error *error)
{
    bool loads = false;
    const size_t from = set->series_count;
    const tw_figure_history *history = &set->runs[number].history;
    for (size_t i = 0; i < history->part_count; i++) {
        const tw_figure_series s = series_of(set, number, &history->parts[i], request->axis);
        if (strcmp(s.stage, preparation) != 0)
            loads = loads || (tw_figure_series_is_loading(s.kind) && s.count > 1);
    }
    for (size_t i = 0; i < history->part_count; i++) {
        const tw_figure_series s = series_of(set, number, &history->parts[i], request->axis);
        if (strcmp(s.stage, preparation) == 0 || (loads && !tw_figure_series_is_loading(s.kind)))
            continue;
        if (add_part(set, from, &s, request->apart, false, error) != TW_STATUS_OK)
            return TW_STATUS_MEMORY;
    }
    return TW_STATUS_OK;
}

/* The stages of `names`, separated by commas. */
static tw_status add_named(tw_figure_set *set, size_t number, size_t from, const char *names,
                           const tw_figure_request *request, tw_error *error)
{
    const tw_figure_run *run = &set->runs[number];
    const tw_figure_history *history = &run->history;
    const char *path = run->folder ? run->input : "";
    if (!history->present[TW_HISTORY_stage])
        return tw_error_set(error, TW_STATUS_INPUT, "stage: %s%s has no column 'stage'",
                            tw_error_shorten_path(path).text,
                            *path ? "/history.csv" : "the history");
    for (const char *name = names; name; name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL) {
        char one[TW_FIGURE_TEXT_MAX];
        snprintf(one, sizeof one, "%.*s", (int)strcspn(name, ","), name);
        const tw_figure_part *part = tw_figure_history_part(history, one);
        if (!part) {
            char known[256] = "";
            for (size_t i = 0; i < history->part_count; i++)
                tw_text_add_word(known, sizeof known, history->parts[i].stage);
            return tw_error_set(error, TW_STATUS_INPUT,
                                "stage: %s%sno row of stage %s; there is: %s",
                                tw_error_shorten_path(path).text, *path ? "/history.csv: " : "",
                                tw_text_quote(one, strlen(one)).text, known);
        }
        const tw_figure_series s = series_of(set, number, part, request->axis);
        if (add_part(set, from, &s, request->apart, true, error) != TW_STATUS_OK)
            return TW_STATUS_MEMORY;
    }
    return TW_STATUS_OK;
}

/* ---- All inputs ---- */

static tw_status choose(tw_figure_set *set, const tw_figure_request *request, size_t number,
                        tw_error *error)
{
    const bool several = request->input_count > 1;
    const size_t stages = request->stage_count, from = set->series_count;
    const size_t last = several && stages > 0 ? 1 : stages;
    bool named = false;
    tw_status status = TW_STATUS_OK;
    for (size_t i = 0; i < last && status == TW_STATUS_OK; i++) {
        const char *name = request->stages[several && stages > 1 ? number : i];
        named = named || !several || *name;
        if (named) status = add_named(set, number, from, name, request, error);
    }
    if (!named) status = add_loading(set, number, request, error);
    if (named || status != TW_STATUS_OK) return status;
    if (several && set->series_count > from + 1) {
        size_t latest = from;
        for (size_t i = from; i < set->series_count; i++)
            if (set->series[i].first + set->series[i].count >=
                set->series[latest].first + set->series[latest].count)
                latest = i;
        set->series[from] = set->series[latest];
        set->series_count = from + 1;
    }
    if (several && set->series_count == from && !request->every)
        return tw_error_set(error, TW_STATUS_INPUT, "%s: no stage to draw",
                            tw_error_shorten_path(request->inputs[number]).text);
    return TW_STATUS_OK;
}

tw_figure_name tw_figure_name_of(const char *path)
{
    tw_figure_name name;
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    snprintf(name.text, sizeof name.text, "%.*s", (int)(end - start), path + start);
    return name;
}

/* The name of the folder or file; the whole path where two are alike. */
static void label_by_input(tw_figure_set *set)
{
    bool alike = false;
    for (size_t i = 0; i < set->series_count; i++) {
        snprintf(set->series[i].label, TW_FIGURE_TEXT_MAX, "%s",
                 tw_figure_name_of(set->runs[set->series[i].run].input).text);
        for (size_t k = 0; k < i; k++)
            alike = alike || strcmp(set->series[i].label, set->series[k].label) == 0;
    }
    for (size_t i = 0; alike && i < set->series_count; i++) {
        tw_figure_series *s = &set->series[i];
        snprintf(s->label, TW_FIGURE_TEXT_MAX, "%.*s%s%s", 120, set->runs[s->run].input,
                 *s->stage ? ", " : "", s->stage);
    }
}

static tw_status label(tw_figure_set *set, const tw_figure_request *request, tw_error *error)
{
    const size_t labels = request->label_count;
    if (request->input_count > 1) label_by_input(set);
    if (labels == 0) return TW_STATUS_OK;
    if (labels != (request->every ? request->input_count : set->series_count))
        return tw_error_set(error, TW_STATUS_INPUT, "labels: %zu label%s for %zu curve%s", labels,
                            plural(labels), set->series_count, plural(set->series_count));
    for (size_t i = 0; i < set->series_count; i++)
        snprintf(set->series[i].label, TW_FIGURE_TEXT_MAX, "%s",
                 request->labels[request->every ? set->series[i].run : i]);
    return TW_STATUS_OK;
}

/* The stages that are not drawn, or not alone. */
static tw_status add_others(tw_figure_set *set, int axis, tw_error *error)
{
    const size_t drawn = set->series_count;
    for (size_t number = 0; number < set->run_count; number++) {
        const tw_figure_history *history = &set->runs[number].history;
        for (size_t i = 0; i < history->part_count; i++) {
            tw_figure_series s = series_of(set, number, &history->parts[i], axis);
            bool known = false;
            for (size_t k = 0; k < drawn; k++)
                known = known || (set->series[k].run == number && set->series[k].part == s.part &&
                                  set->series[k].part_count == 1);
            if (known) continue;
            s.drawn = 0;
            if (strcmp(s.stage, preparation) == 0) s.kind = TW_FIGURE_SERIES_REST;
            if (add_series(set, &s, error) != TW_STATUS_OK) return TW_STATUS_MEMORY;
        }
    }
    return TW_STATUS_OK;
}

/* The quantities of series that are new. */
static tw_status compute(tw_figure_set *set, tw_error *error)
{
    for (size_t i = 0; i < set->series_count; i++)
        if (!set->series[i].values && !tw_figure_quantity_compute(&set->series[i]))
            return tw_error_set_memory(error);
    return TW_STATUS_OK;
}

tw_status tw_figure_series_read(tw_figure_set *set, const tw_figure_request *request,
                                tw_error *error)
{
    const size_t inputs = request->input_count, stages = request->stage_count;
    size_t unread = 0;
    tw_status status = TW_STATUS_OK;
    if (inputs > 1 && stages > 1 && stages != inputs)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "stage: %zu stages for %zu runs; give one, or one for each run", stages,
                            inputs);
    set->runs = calloc(inputs + 1, sizeof *set->runs);
    if (!set->runs) return tw_error_set_memory(error);
    for (size_t i = 0; i < inputs; i++) {
        set->run_count = i + 1;
        status = open_run(&set->runs[i], request->inputs[i], request->every, error);
        if (status != TW_STATUS_OK && request->every) {
            snprintf(set->runs[i].warning, TW_FIGURE_ERROR_MAX, "%s", error->text);
            tw_figure_history_free(&set->runs[i].history); /* rows before the damage */
            if (++unread == inputs) return status;
        } else {
            if (status == TW_STATUS_OK) status = choose(set, request, i, error);
            if (status == TW_STATUS_OK) status = compute(set, error);
            if (status != TW_STATUS_OK) return status;
        }
        /* The quantities are all that curves need: one history at a time is in memory. */
        if (request->mixed) {
            free(set->runs[i].history.rows);
            set->runs[i].history.rows = NULL;
            set->runs[i].history.count = 0;
        }
    }
    tw_error_clear(error);
    status = label(set, request, error);
    if (inputs == 1 && stages == 0 && status == TW_STATUS_OK)
        status = add_isotropic(set, 0, request, error);
    if (status == TW_STATUS_OK && request->every) status = add_others(set, request->axis, error);
    return status == TW_STATUS_OK ? compute(set, error) : status;
}

void tw_figure_series_free(tw_figure_set *set)
{
    for (size_t i = 0; i < set->run_count; i++) {
        tw_figure_history_free(&set->runs[i].history);
        tw_figure_tables_free(&set->runs[i]);
        tw_scenario_free(set->runs[i].scenario);
    }
    for (size_t i = 0; i < set->series_count; i++)
        free(set->series[i].values);
    free(set->runs);
    free(set->series);
}
