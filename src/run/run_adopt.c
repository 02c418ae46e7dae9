/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_adopt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "run/history_check.h"
#include "run/run_laws.h"
#include "run/run_resume.h"

/* ---- The preparation as a scenario ---- */

/* Settings that remove what does not act in the preparation. */
typedef struct removals {
    const char **key;
    tw_text_buffer *own; /* of the list, for those with a number */
    size_t count, owned;
} removals;

static void free_removals(removals *r)
{
    for (size_t i = 0; i < r->owned; i++)
        tw_text_buffer_free(&r->own[i]);
    free(r->own);
    free(r->key);
}

static void remove_frictions(removals *r, const char *list, size_t count, const double *first,
                             size_t stride)
{
    for (size_t i = 0; i < count; i++) {
        double friction;
        memcpy(&friction, (const char *)first + i * stride, sizeof friction);
        if (isnan(friction)) continue;
        tw_text_buffer *text = &r->own[r->owned++];
        tw_text_buffer_add(text, "%s[%zu].friction=", list, i + 1);
        if (!text->failed) r->key[r->count++] = text->text;
    }
}

/* Where the preparation has a friction of its own, that of the materials acts in stages only, as do
 * frames. The history counts: its rows are taken over. */
static bool list_removals(const tw_scenario *s, removals *r)
{
    const size_t most = s->material_count + s->pair_count;
    *r = (removals){calloc(most + 5, sizeof *r->key), calloc(most + 1, sizeof *r->own), 0, 0};
    if (!r->key || !r->own) return false;
    if (s->material_count == 0) r->key[r->count++] = "material.friction=";
    if (!isnan(s->specimen.preparation.friction) && most > 0) {
        remove_frictions(r, "materials", s->material_count, &s->materials->friction,
                         sizeof *s->materials);
        if (s->pair_count > 0)
            remove_frictions(r, "pairs", s->pair_count, &s->pairs->values.friction,
                             sizeof *s->pairs);
    }
    r->key[r->count++] = "output.vtk=";
    r->key[r->count++] = "output.lammps=";
    if (s->stage_count > 0) r->key[r->count++] = "stages=";
    if (s->title) r->key[r->count++] = "title=";
    return true;
}

static tw_scenario *preparation_of(const tw_scenario *scenario)
{
    removals without;
    char *text = tw_scenario_write_text(scenario);
    tw_scenario *rest = NULL;
    tw_scenario_errors errors;
    if (list_removals(scenario, &without) && text) {
        rest = tw_scenario_read_text(text, strlen(text), "preparation", without.key, without.count,
                                     &errors);
        tw_scenario_errors_free(&errors);
    }
    free_removals(&without);
    free(text);
    return rest;
}

char *tw_run_preparation(const tw_scenario *scenario)
{
    if (!tw_run_is_prepared(scenario)) return NULL;
    tw_scenario *rest = preparation_of(scenario);
    char *text = rest ? tw_scenario_write_text(rest) : NULL;
    tw_scenario_free(rest);
    return text;
}

/* ---- History and log ---- */

/* Bytes of a file of the other run, as far as it is committed. */
static char *read_part(const tw_run *other, const char *name, uint64_t length, tw_error *error)
{
    size_t found;
    char *text =
        tw_file_read_bytes(tw_file_path_join(other->plan->folder, name).text, &found, error);
    if (text && found > length) text[length] = '\0';
    return text;
}

static char *after_line(char *text)
{
    return text + strcspn(text, "\n") + (text[strcspn(text, "\n")] == '\n');
}

/* Rows get the checks of this run. */
static tw_status copy_rows(tw_run *run, const tw_run *other)
{
    char *text = read_part(other, "history.csv", other->state.history, run->error);
    tw_status status = text ? TW_STATUS_OK : run->error->status;
    for (char *row = text ? after_line(text) : NULL; status == TW_STATUS_OK && *row;) {
        char *next = after_line(row), *check = next;
        while (check > row && check[-1] != ',')
            check--;
        tw_text_buffer copy = {0};
        if (check > row) tw_text_buffer_add_bytes(&copy, row, (size_t)(check - row - 1));
        tw_history_check_add(&run->history_check, &copy);
        status = tw_append_file_add_text(&run->history, &copy, run->error);
        row = next;
    }
    free(text);
    return status;
}

/* What lies between the placement of the grains and the result of the preparation: this run writes
 * the lines before and after by itself. */
static tw_status copy_log(tw_run *run, const tw_run *other)
{
    static const char start[] = "specimen: ";
    const bool searched = run->scenario->specimen.preparation.friction == TW_SCENARIO_AUTO;
    char *text = read_part(other, "run.log", other->state.log, run->error);
    if (!text) return run->error->status;
    char *from = text, *to = text + strlen(text);
    while (*from && strncmp(from, start, strlen(start)) != 0)
        from = after_line(from);
    from = after_line(from);
    for (int lines = searched ? 2 : 1; lines > 0 && to > from; lines--) {
        to--;
        while (to > from && to[-1] != '\n')
            to--;
    }
    const tw_status status = tw_append_file_add(&run->log, from, (size_t)(to - from), run->error);
    free(text);
    return status;
}

/* ---- The state ---- */

/* As it was when the preparation ended, before the stages got their friction. */
static tw_status take_state(tw_run *run, tw_run *other)
{
    const tw_status status = tw_run_laws_set_friction(run, other->sim, other->state.friction);
    if (status != TW_STATUS_OK) return status;
    const tw_run_state own = run->state;
    run->state = other->state;
    run->state.identity = own.identity;
    run->state.first = own.first;
    run->state.commit = own.commit;
    run->state.phase = TW_RUN_STATE_SETTLE;
    run->state.begun = 1;
    run->ended = true;
    tw_sim_free(run->sim);
    run->sim = other->sim;
    other->sim = NULL;
    tw_sim_set_threads(run->sim, run->plan->threads);
    return TW_STATUS_OK;
}

static tw_status refuse(const tw_run *run, const char *why)
{
    return tw_error_set(run->error, TW_STATUS_INPUT, "--specimen %s: %s",
                        tw_error_shorten_path(run->plan->specimen).text, why);
}

tw_status tw_run_adopt_check(const tw_run *run)
{
    const tw_file_path path = tw_file_path_join(run->plan->specimen, "scenario.yaml");
    if (!tw_run_is_prepared(run->scenario))
        return refuse(run, "the specimen of this scenario is not prepared, so it cannot be taken "
                           "from another run");
    char *expected = tw_run_preparation(run->scenario);
    if (!expected) return tw_error_set_memory(run->error);
    char *found = tw_file_read(path.text, run->error);
    tw_status status = TW_STATUS_OK;
    if (!found)
        status = refuse(run, "the folder holds no run");
    else if (strcmp(found, expected) != 0)
        status = refuse(run, "the run there prepares another specimen, or goes on to stages; "
                             "compare its scenario.yaml with this scenario");
    free(expected);
    free(found);
    return status;
}

static tw_status take_over(tw_run *run, tw_run *other, const char *resolved)
{
    tw_status status = tw_run_resume(other, resolved);
    if (status == TW_STATUS_OK && other->state.phase != TW_RUN_STATE_DONE)
        status = refuse(run, "the run there has not ended: resume it first");
    if (status == TW_STATUS_OK) status = copy_rows(run, other);
    if (status == TW_STATUS_OK) status = copy_log(run, other);
    return status == TW_STATUS_OK ? take_state(run, other) : status;
}

tw_status tw_run_adopt(tw_run *run)
{
    const tw_run_plan plan = {.folder = run->plan->specimen, .threads = run->plan->threads};
    char *resolved = tw_run_preparation(run->scenario);
    tw_scenario *scenario = resolved ? preparation_of(run->scenario) : NULL;
    tw_run other = {.scenario = scenario, .plan = &plan, .error = run->error};
    const tw_status status =
        scenario ? take_over(run, &other, resolved) : tw_error_set_memory(run->error);
    tw_sim_free(other.sim);
    tw_scenario_free(scenario);
    free(resolved);
    return status;
}
