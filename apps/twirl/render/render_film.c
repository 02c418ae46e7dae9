/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_film.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <twirl/scenario.h>

#include "common/output.h"
#include "common/scene.h"

typedef struct search {
    tw_render_film *film;
    const tw_figure_set *figures;
    const tw_figure_run *run;
    bool states_only;
    const tw_figure_part *before; /* shown, and continued by the present stage; or NULL */
} search;

static double step_of(const tw_figure_history *history, size_t row)
{
    return history->rows[row].value[TW_HISTORY_stage_step];
}

/* The row of a step of a stage, or what lies between two rows. The last row if the step is later:
 * the run may be about to write it. */
static double row_of(const tw_figure_history *history, const tw_figure_part *part, double step)
{
    const size_t last = part->first + part->count - 1;
    for (size_t k = part->first; k < last; k++) {
        const double from = step_of(history, k), to = step_of(history, k + 1);
        if (step <= from) return (double)k;
        if (step < to) return (double)k + (step - from) / (to - from);
    }
    return (double)last;
}

/* SIZE_MAX: no figure shows the row. */
static size_t series_of(const tw_figure_set *figures, const tw_figure_part *part)
{
    for (size_t k = 0; k < figures->series_count; k++) {
        const tw_figure_series *s = &figures->series[k];
        if (s->drawn && part->first >= s->first && part->first < s->first + s->count) return k;
    }
    return SIZE_MAX;
}

/* Figures that show nothing, as of a stage at rest, leave nothing out. */
static bool is_shown(const tw_figure_set *figures, const tw_figure_part *part)
{
    bool any = false;
    for (size_t k = 0; k < figures->series_count; k++)
        any = any || figures->series[k].drawn;
    return !any || series_of(figures, part) != SIZE_MAX;
}

/* A file of step `step` of a stage. The start of a stage is the end of the one before it. */
static void add(const search *s, const tw_figure_part *part, double step, bool state,
                tw_folder_path file)
{
    tw_render_film *film = s->film;
    struct stat about;
    if (stat(file.text, &about) != 0) return;
    double row = row_of(&s->run->history, part, step);
    if (s->before && row <= (double)part->first) {
        part = s->before;
        row = (double)(part->first + part->count - 1);
    }
    tw_render_picture picture = {
        .file = file, .state = state, .row = row, .series = series_of(s->figures, part)};
    snprintf(picture.stage, sizeof picture.stage, "%s", part->stage);
    if (film->count == film->capacity) {
        film->capacity = film->capacity ? 2 * film->capacity : 64;
        film->of = tw_exit_unless(realloc(film->of, film->capacity * sizeof *film->of));
    }
    film->of[film->count++] = picture;
}

/* The step count of a dump, below ITEM: TIMESTEP, which ITEM: UNITS may precede. NaN: it cannot be
 * read. */
static double dump_steps(const char *path)
{
    char line[1000];
    double steps = (double)NAN;
    FILE *file = tw_read_file_stream(path);
    bool found = false;
    for (int k = 0; k < 3 && file && !found && fgets(line, sizeof line, file); k++)
        found = strcmp(line, "ITEM: TIMESTEP\n") == 0;
    if (found && fscanf(file, "%lf", &steps) != 1) steps = (double)NAN;
    if (file) fclose(file);
    return steps;
}

/* Files of a stage in a folder of the run; `begin`: step count of the state that it starts from. */
static void add_folder(const search *s, const tw_figure_part *part, double begin,
                       const char *folder, bool state)
{
    const tw_folder_path path = tw_folder_path_join(s->run->input, folder);
    tw_scene_series list;
    if (!tw_scene_series_find(&list, path.text, part->stage, state ? ".h5" : ".dump"))
        tw_exit_unless(NULL);
    for (size_t k = 0; k < list.count; k++) {
        const tw_folder_path file = tw_folder_path_join(path.text, list.name[k]);
        const double steps = state ? tw_scene_steps(file.text) : dump_steps(file.text);
        if (steps >= begin) add(s, part, steps - begin, state, file);
    }
    tw_scene_series_free(&list);
}

static void add_stage(search *s, size_t k)
{
    const char *folder = s->run->input, *name = s->run->scenario->stages[k].name;
    const tw_figure_part *part = tw_figure_history_part(&s->run->history, name);
    if (!part || !is_shown(s->figures, part)) return;
    const tw_scenario_stage *stages = s->run->scenario->stages;
    s->before = k > 0 && !stages[k].from
                    ? tw_figure_history_part(&s->run->history, stages[k - 1].name)
                    : NULL;
    if (s->before && !is_shown(s->figures, s->before)) s->before = NULL;
    const tw_folder_path start = tw_scene_start(folder, s->run->scenario, k);
    const double begin = tw_scene_steps(start.text);
    add(s, part, 0.0, true, start);
    add_folder(s, part, begin, "states", true);
    if (!s->states_only) add_folder(s, part, begin, "lammps", false);
    add(s, part, (double)UINT64_MAX, true, tw_folder_path_in(folder, "stages", name, ".h5"));
}

/* What an unfinished run would be resumed from. */
static void add_latest(const search *s)
{
    tw_run_saved saved;
    if (tw_run_saved_read(s->run->input, &saved, NULL) != TW_STATUS_OK) return;
    if (!saved.found || !saved.within || saved.stage_number == 0 || !*saved.checkpoint) return;
    const char *name = s->run->scenario->stages[saved.stage_number - 1].name;
    const tw_figure_part *part = tw_figure_history_part(&s->run->history, name);
    if (!part || !is_shown(s->figures, part)) return;
    const double *first = s->run->history.rows[part->first].value;
    const double begin = first[TW_HISTORY_step] - first[TW_HISTORY_stage_step];
    add(s, part, (double)saved.steps - begin, true,
        tw_folder_path_join(s->run->input, saved.checkpoint));
}

static int compare(const void *a, const void *b)
{
    const tw_render_picture *p = a, *q = b;
    if (p->row != q->row) return p->row < q->row ? -1 : 1;
    if (p->state != q->state) return p->state ? -1 : 1; /* has more to show */
    return strcmp(p->file.text, q->file.text);
}

void tw_render_film_find(tw_render_film *film, const tw_figure_set *figures, bool states_only,
                         tw_run_status status)
{
    search s = {film, figures, &figures->runs[0], states_only, NULL};
    *film = (tw_render_film){.count = 0};
    for (size_t k = 0; k < s.run->scenario->stage_count; k++)
        add_stage(&s, k);
    if (status != TW_RUN_STATUS_FINISHED) add_latest(&s);
    if (film->count == 0) return;
    qsort(film->of, film->count, sizeof *film->of, compare);
    size_t kept = 1;
    for (size_t k = 1; k < film->count; k++)
        if (film->of[k].row > film->of[kept - 1].row) film->of[kept++] = film->of[k];
    film->count = kept;
}

void tw_render_film_free(tw_render_film *film)
{
    free(film->of);
    *film = (tw_render_film){.count = 0};
}
