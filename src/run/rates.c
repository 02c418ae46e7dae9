/* SPDX-License-Identifier: BSD-3-Clause */
/* A stage that looks at the state it starts from by statics, without a step. */
#include <inttypes.h>
#include <stdio.h>

#include <twirl/statics.h>

#include "base/error.h"
#include "base/file.h"
#include "run/file_list.h"
#include "run/progress.h"
#include "run/rates.h"

typedef struct watched {
    tw_run *run;
    tw_statics_survey survey;
    uint64_t turns; /* iterations and directions so far */
} watched;

static int watch_turn(void *context)
{
    watched *w = context;
    w->turns++;
    w->run->stopped =
        tw_run_view_report(w->run, w->turns, w->survey.solved, w->survey.def.count) != 0;
    return w->run->stopped;
}

static tw_status write_files(tw_run *run, const tw_statics_survey *survey)
{
    static const char *const files[] = {"rates.csv", "datapackage.json", "rates.json"};
    const char *name = tw_run_stage_name(run);
    const tw_folder_path folder = tw_folder_path_in(run->plan->folder, "stages", name, "");
    char state[300];
    snprintf(state, sizeof state, "stages/%s.h5", name);
    tw_status status = tw_folder_make(folder.text, run->error);
    if (status == TW_STATUS_OK)
        status = tw_statics_survey_write(survey, state, folder.text, run->error);
    for (size_t k = 0; k < sizeof files / sizeof *files && status == TW_STATUS_OK; k++)
        status = tw_run_files_add(run, tw_folder_path_in("stages", name, files[k], "").text, 0.0);
    return status;
}

static tw_status log_certificate(tw_run *run, const tw_statics_survey *s)
{
    const tw_statics_judgement *j = &s->judgement;
    tw_text_buffer list = {0};
    for (size_t k = 0; k < j->certificate_count; k++) {
        char bodies[TW_STATICS_BODIES_TEXT];
        tw_statics_print_bodies(&s->certificate[k], bodies);
        tw_text_buffer_add(&list, "%s%s (%.2g of the mean force)", k > 0 ? ", " : "", bodies,
                           s->certificate[k].fn / s->problem.force_mean);
    }
    const tw_status status =
        list.failed ? tw_error_set_memory(run->error)
                    : tw_run_warn(run,
                                  "not unique: some loads have several responses or "
                                  "none, by %s%s",
                                  list.length > 0 ? "the contacts of "
                                                  : "the determinant of all contacts at the limit",
                                  list.length > 0 ? list.text : "");
    tw_text_buffer_free(&list);
    return status;
}

static tw_status log_equilibrium(tw_run *run, const tw_statics_survey *s)
{
    const char *name = tw_run_stage_name(run);
    const tw_statics_increment *e = &s->equilibrium;
    if (!e->reached)
        return tw_run_warn(run,
                           "no equilibrium: %zu iterations found none; rates are those "
                           "of the state as it is, with an unbalanced force of %.2g of the mean "
                           "contact force on grain %u",
                           e->iterations, s->problem.residual, s->problem.worst);
    if (e->snaps > 0)
        return tw_run_warn(run,
                           "snap: no equilibrium was near, and grains moved by up to "
                           "%.2g m to the next, which the rates are of",
                           e->moved);
    return tw_run_log(run, "%s: equilibrium after %zu iteration%s, grains moved by up to %.2g m",
                      name, e->iterations, e->iterations == 1 ? "" : "s", e->moved);
}

static tw_status log_survey(tw_run *run, const tw_statics_survey *s)
{
    const char *name = tw_run_stage_name(run);
    tw_status status = log_equilibrium(run, s);
    if (status == TW_STATUS_OK)
        status =
            tw_run_log(run, "%s: %zu of %zu contacts at the friction limit, up to %zu slide; %s",
                       name, s->problem.at_limit, s->problem.contacts, s->sliding,
                       tw_statics_verdict_name(s->judgement.verdict));
    if (status == TW_STATUS_OK && s->judgement.verdict == TW_STATICS_NOT_UNIQUE)
        status = log_certificate(run, s);
    if (status == TW_STATUS_OK && s->negative > 0)
        status = tw_run_warn(run, "negative second-order work in %zu of %zu directions",
                             s->negative, s->def.count);
    if (status == TW_STATUS_OK && s->unsolved > 0)
        status = tw_run_warn(run, "%s in %zu of %zu directions%s",
                             s->def.by_stress ? "limit state: no solution" : "no solution",
                             s->unsolved, s->def.count,
                             s->def.by_stress ? ": the state does not carry these loads" : "");
    return status;
}

tw_status tw_run_rates(tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    watched w = {.run = run};
    const tw_statics_survey_def def = {.count = stage->rates.count,
                                       .axis = stage->axis,
                                       .by_stress =
                                           stage->rates.control == TW_SCENARIO_GIVEN_STRESS,
                                       .watch = watch_turn,
                                       .context = &w};
    tw_error reason;
    tw_status status = tw_statics_compute_survey(run->sim, &def, &w.survey, &reason);
    if (status == TW_STATUS_INTERRUPTED) return TW_STATUS_OK;
    if (status != TW_STATUS_OK)
        return tw_error_set(run->error, status, "stage '%s': %.800s", stage->name, reason.text);
    run->state.steps += w.turns;
    status = write_files(run, &w.survey);
    if (status == TW_STATUS_OK) status = log_survey(run, &w.survey);
    tw_statics_survey_free(&w.survey);
    run->ended = status == TW_STATUS_OK;
    return status;
}
