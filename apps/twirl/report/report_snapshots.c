/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_snapshots.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "report/report_arrays.h"
#include "report/report_json.h"
#include "report/report_warnings.h"

static const char preparation[] = "specimen";

/* ---- What there is ---- */

static void add_if_there(tw_report_snapshots *list, const tw_report_run *run, const char *stage,
                         const char *folder)
{
    tw_report_snapshot *next = &list->of[list->count];
    *next = (tw_report_snapshot){.latest = false};
    snprintf(next->stage, sizeof next->stage, "%s", stage);
    const int used = snprintf(next->file, sizeof next->file, "%s/%s.h5", folder, stage);
    if (used < 0 || (size_t)used >= sizeof next->file) return;
    list->count += tw_report_file_exists(run->folder, next->file);
}

/* The stage that was going on when the run saved its state last. */
static const char *present_stage(const tw_report_run *run)
{
    const size_t number = run->saved.stage_number;
    if (number == 0) return preparation;
    return number <= run->scenario->stage_count ? run->scenario->stages[number - 1].name : "";
}

bool tw_report_snapshots_find(tw_report_snapshots *list, const tw_report_run *run)
{
    const tw_scenario *scenario = run->scenario;
    const size_t stages = scenario ? scenario->stage_count : 0;
    *list = (tw_report_snapshots){.of = malloc((stages + 2) * sizeof *list->of)};
    if (!list->of) return false;
    add_if_there(list, run, preparation, "states");
    for (size_t k = 0; k < stages; k++)
        add_if_there(list, run, scenario->stages[k].name, "stages");
    /* Between two stages it is the end of the first one; at the very start it is all there is. */
    const bool latest = scenario && run->state != TW_RUN_STATUS_FINISHED && run->saved.found &&
                        (run->saved.within || list->count == 0) && *run->saved.checkpoint;
    if (!latest) return true;
    tw_report_snapshot *last = &list->of[list->count++];
    *last = (tw_report_snapshot){.latest = true};
    snprintf(last->stage, sizeof last->stage, "%s", present_stage(run));
    snprintf(last->file, sizeof last->file, "%s", run->saved.checkpoint);
    return true;
}

void tw_report_snapshots_free(tw_report_snapshots *list)
{
    free(list->of);
    *list = (tw_report_snapshots){.count = 0};
}

/* ---- One snapshot ---- */

/* The row of the history at which the state was saved; false: there is none. */
static bool find_row(const tw_report_run *run, const tw_report_snapshot *snapshot, size_t *row)
{
    const tw_figure_history *history = &run->rows;
    const tw_figure_part *part = tw_figure_history_part(history, snapshot->stage);
    *row = 0;
    if (snapshot->latest) {
        for (size_t k = history->count; k-- > 0;) {
            *row = k;
            if (history->rows[k].value[TW_HISTORY_step] <= (double)run->saved.steps) return true;
        }
        return false;
    }
    if (part) *row = part->first + part->count - 1;
    /* A specimen that was not prepared is the state in the first row. */
    return part || (history->count > 0 && strcmp(snapshot->stage, preparation) == 0);
}

static void add_place(tw_text_buffer *out, const tw_report_run *run,
                      const tw_report_snapshot *snapshot)
{
    size_t row;
    const bool found = find_row(run, snapshot, &row);
    const double none = (double)NAN;
    const double step = found ? run->rows.rows[row].value[TW_HISTORY_step] : none;
    const double time = found ? run->rows.rows[row].value[TW_HISTORY_time] : none;
    tw_text_buffer_add(out, "{\"stage\": ");
    tw_text_buffer_add_json_string(out, snapshot->stage);
    tw_text_buffer_add(out, ", \"latest\": %s, \"step\": ", snapshot->latest ? "true" : "false");
    tw_text_buffer_add_json_number(out, snapshot->latest ? (double)run->saved.steps : step);
    tw_text_buffer_add(out, ", \"time\": ");
    tw_text_buffer_add_json_number(out, snapshot->latest ? run->saved.time : time);
    tw_text_buffer_add(out, ", \"row\": ");
    tw_text_buffer_add_json_number(out, found ? (double)row : none);
}

tw_status tw_report_snapshots_add_one(tw_text_buffer *out, const tw_report_run *run,
                                      const tw_report_snapshot *snapshot, size_t grains,
                                      size_t *bodies, tw_error *error)
{
    const tw_folder_path path = tw_folder_path_join(run->folder, snapshot->file);
    if (!*path.text) return tw_error_set(error, TW_STATUS_INPUT, "the path is too long");
    tw_sim *sim = tw_sim_load(path.text, error);
    if (!sim) return error->status;
    add_place(out, run, snapshot);
    tw_text_buffer_add(out, ", ");
    const bool good = tw_report_arrays_add(out, sim, grains);
    if (bodies) *bodies = tw_sim_bodies(sim);
    tw_text_buffer_add(out, "}");
    tw_sim_free(sim);
    return good ? TW_STATUS_OK : tw_error_set_memory(error);
}

void tw_report_snapshots_add_heading(tw_text_buffer *out, const tw_report_run *run,
                                     const tw_report_snapshot *snapshot, size_t number)
{
    struct stat about = {0};
    (void)stat(tw_folder_path_join(run->folder, snapshot->file).text, &about);
    add_place(out, run, snapshot);
    tw_text_buffer_add(out, ", \"number\": %zu, \"version\": \"%lld.%09ld\"}", number,
                       (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
}

/* ---- A choice of them ---- */

/* Whether snapshot k of `count` is one of `most` at equal distances, the last included. */
static bool is_chosen(size_t k, size_t count, size_t most)
{
    if (most >= count) return true;
    if (k == count - 1 || most < 2) return k == count - 1;
    for (size_t j = 0; j < most; j++)
        if (j * (count - 1) / (most - 1) == k) return true;
    return false;
}

static void tell_slab(tw_text_buffer *warnings, size_t bodies, size_t grains)
{
    bool first = warnings->length == 0;
    if (bodies > grains)
        tw_report_warnings_add(
            warnings, &first,
            "the specimen has %zu grains: a slab of about %zu is shown; --grains "
            "%zu shows all of them",
            bodies, grains, bodies);
}

static void tell_choice(tw_text_buffer *warnings, size_t most, size_t count)
{
    bool first = warnings->length == 0;
    if (most < count)
        tw_report_warnings_add(warnings, &first,
                               "%zu of %zu states are shown, to keep the report small: "
                               "--snapshots all shows all of them",
                               most, count);
}

/* False: out of memory. One that cannot be read is left out. */
static bool write_one(tw_text_buffer *text, const tw_report_run *run,
                      const tw_report_snapshot *snapshot, size_t grains, size_t *bodies,
                      tw_text_buffer *warnings)
{
    tw_error error;
    bool first = warnings->length == 0;
    const tw_status status =
        tw_report_snapshots_add_one(text, run, snapshot, grains, bodies, &error);
    if (status == TW_STATUS_OK) return true;
    if (status == TW_STATUS_MEMORY) return false;
    tw_report_warnings_add(warnings, &first, "a state is not shown: %s", error.text);
    tw_text_buffer_clear(text);
    return true;
}

static void add_element(tw_text_buffer *out, const tw_text_buffer *element)
{
    if (element->length == 0) return;
    if (out->length > 0) tw_text_buffer_add(out, ",\n");
    tw_text_buffer_add_bytes(out, element->text, element->length);
}

static bool add_chosen(tw_text_buffer *out, const tw_report_run *run,
                       const tw_report_snapshots *list, const tw_report_snapshots_wish *wish,
                       size_t bytes, tw_text_buffer *warnings)
{
    const size_t count = list->count;
    size_t bodies = 0;
    tw_text_buffer last = {0};
    bool good = write_one(&last, run, &list->of[count - 1], wish->grains, &bodies, warnings);
    tell_slab(warnings, bodies, wish->grains);
    size_t most = last.length > 0 ? bytes / last.length : count;
    if (most < 1) most = 1;
    if (most < wish->most) tell_choice(warnings, most, count);
    if (most > wish->most) most = wish->most;
    for (size_t k = 0; good && k + 1 < count; k++) {
        tw_text_buffer one = {0};
        if (!is_chosen(k, count, most)) continue;
        good = write_one(&one, run, &list->of[k], wish->grains, NULL, warnings);
        add_element(out, &one);
        tw_text_buffer_free(&one);
    }
    add_element(out, &last);
    tw_text_buffer_free(&last);
    return good;
}

bool tw_report_snapshots_add(tw_text_buffer *out, const tw_report_run *run,
                             const tw_report_snapshots_wish *wish, size_t bytes,
                             tw_text_buffer *warnings)
{
    tw_report_snapshots list;
    bool good = tw_report_snapshots_find(&list, run);
    if (good && list.count > 0 && wish->most > 0)
        good = add_chosen(out, run, &list, wish, bytes, warnings);
    tw_report_snapshots_free(&list);
    return good && !out->failed;
}
