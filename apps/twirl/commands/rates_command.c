/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl rates: the response of a state to small further loads, and whether it is the only one. */
#include "commands/commands.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include <twirl/figure.h>
#include <twirl/math.h>
#include <twirl/statics.h>

#include "base/environment.h"
#include "base/file.h"
#include "common/args.h"
#include "common/output.h"
#include "plot/plot_paint.h"

enum { LABEL_WIDTH = 16, SIX = TW_COMPONENTS };

#define PRINT(...) tw_output_line(stdout, LABEL_WIDTH, __VA_ARGS__)

typedef struct rates_options {
    const char *path, *out, *axis, *control;
    uint64_t count;
} rates_options;

/* ---- For people ---- */

static void print_verdict(const tw_statics_survey *f)
{
    const tw_statics_judgement *j = &f->judgement;
    switch (j->verdict) {
    case TW_STATICS_UNIQUE:
        PRINT("verdict", "unique: every load has one response");
        break;
    case TW_STATICS_UNDECIDED:
        PRINT("verdict", "undecided: neither uniqueness nor its loss could be shown");
        break;
    case TW_STATICS_NO_VERDICT:
        PRINT("verdict",
              "none: the state is not in equilibrium. The unbalanced force on body "
              "%u is %.2g of the mean contact force",
              f->problem.worst, f->problem.residual);
        break;
    case TW_STATICS_NOT_UNIQUE:
        PRINT("verdict", "not unique: some loads have several responses or none");
        break;
    }
    if (f->equilibrium.snaps > 0 && j->verdict != TW_STATICS_NO_VERDICT)
        PRINT("", "for the equilibrium after the snap, not for the state as it was saved");
    if (j->verdict != TW_STATICS_NOT_UNIQUE) return;
    if (j->certificate_count == 0) PRINT("", "by the determinant of all contacts at the limit");
    for (size_t k = 0; k < j->certificate_count; k++) {
        const tw_contact_state *c = &f->certificate[k];
        char bodies[TW_STATICS_BODIES_TEXT];
        tw_statics_print_bodies(c, bodies);
        PRINT(k == 0 ? "certificate" : "", "%s, normal force %.3g of the mean", bodies,
              c->fn / f->problem.force_mean);
    }
}

static void print_equilibrium(const tw_statics_increment *r)
{
    double stress = 0.0;
    for (int k = 0; k < SIX; k++)
        stress = tw_math_max(stress, fabs(r->stress[k]));
    if (r->reached)
        PRINT("equilibrium",
              "after %zu iterations%s: grains moved by up to %.2g m, stress by %.2g kPa; %zu "
              "contact%s gained, %zu lost",
              r->iterations, r->snaps > 0 ? " and a snap" : "", r->moved, 1e-3 * stress, r->gained,
              tw_output_plural(r->gained), r->lost);
    else
        PRINT("equilibrium", "not reached in %zu iterations: this is the state as it was saved",
              r->iterations);
}

static void print_survey(const tw_statics_survey *f, const rates_options *set)
{
    const tw_statics_problem *p = &f->problem;
    PRINT("state", "%zu bodies, %zu contacts, %zu at the friction limit", p->bodies, p->contacts,
          p->at_limit);
    PRINT("not carrying", "%zu rattler%s, %zu weak grain%s", p->rattlers,
          tw_output_plural(p->rattlers), p->weak, tw_output_plural(p->weak));
    print_equilibrium(&f->equilibrium);
    PRINT("residual", "%.2g of the mean contact force, on body %u", p->residual, p->worst);
    PRINT("directions", "%zu by %s, about %s; up to %zu contacts slide", f->def.count, set->control,
          set->axis, f->sliding);
    PRINT("second order", "work is negative in %zu of them", f->negative);
    if (f->unsolved > 0)
        PRINT("limit state", "no solution in %zu of %zu directions", f->unsolved, f->def.count);
    print_verdict(f);
}

/* ---- The command ---- */

typedef struct rates_progress {
    const tw_statics_survey *survey;
    size_t turns;
    double said; /* when */
} rates_progress;

/* On a terminal: the iterations of the way to equilibrium, then the directions. */
static int show_turn(void *context)
{
    rates_progress *p = context;
    const double now = tw_clock();
    p->turns++;
    if (now - p->said < 0.5) return 0;
    p->said = now;
    if (p->survey->solved > 0)
        fprintf(stderr, "\rtwirl rates: direction %zu of %zu      ", p->survey->solved,
                p->survey->def.count);
    else
        fprintf(stderr, "\rtwirl rates: equilibrium, iteration %zu ", p->turns);
    return 0;
}

static const tw_args_option options[] = {
    {NULL, "STATE", "the state: a checkpoint", tw_args_once, offsetof(rates_options, path)},
    {"count", "N", "directions, evenly in the Rendulic plane; default 72", tw_args_count,
     offsetof(rates_options, count)},
    {"axis", "AXIS", "axis of that plane: x, y or z (default)", tw_args_text,
     offsetof(rates_options, axis)},
    {"control", "WHAT", "what is prescribed: strain (default) or stress", tw_args_text,
     offsetof(rates_options, control)},
    {"out", "DIR", "write rates.csv, rates.json and figures into this folder", tw_args_folder,
     offsetof(rates_options, out)},
    {0}};

static void check(const struct argp_state *state, void *settings)
{
    const rates_options *set = settings;
    if (strlen(set->axis) != 1 || !strchr("xyz", set->axis[0]))
        argp_error(state, "--axis=%s: use x, y or z", set->axis);
    if (strcmp(set->control, "strain") != 0 && strcmp(set->control, "stress") != 0)
        argp_error(state, "--control=%s: use strain or stress", set->control);
}

static const tw_args_command command_line = {
    .own = {.options = options, .check = check},
    .arguments = "STATE",
    .description =
        "Finds the response of a state to small further loads in many directions, with contacts "
        "at their friction limit that stick or slide as the load wants it, without a step: "
        "response envelope, second-order work, directions without a solution, and whether the "
        "response is unique. The state is brought to static equilibrium first. The cell must be "
        "periodic along all edges. It needs the sparse solver MUMPS.\n\n"
        "    twirl rates run/states/sheared.h5 --control stress --out rates"
        "\vExit status: 0 success, 1 out of memory, no MUMPS or output not written, 2 bad options "
        "or a state that it cannot work on, 3 the equations have no solution."};

static tw_status write_survey(const tw_statics_survey *survey, const rates_options *set,
                              tw_error *error)
{
    tw_figure_set figures = {.run_count = 0};
    tw_status status = tw_plot_make_directory(set->out, error);
    if (status == TW_STATUS_OK)
        status = tw_statics_survey_write(survey, set->path, set->out, error);
    if (status == TW_STATUS_OK)
        status = tw_figure_rates_add(&figures, tw_folder_path_join(set->out, "rates.csv").text, "",
                                     error);
    if (status == TW_STATUS_OK) return tw_plot_paint_set(&figures, set->out, error);
    tw_figure_set_free(&figures);
    return status;
}

int tw_rates_command(int argc, char **argv)
{
    rates_options set = {.axis = "z", .control = "strain", .count = 72};
    tw_statics_survey_def def = tw_statics_survey_def_default();
    tw_statics_survey survey;
    tw_error error;
    tw_args_parse(&command_line, argc, argv, &set);
    def.count = set.count;
    def.axis = set.axis[0] - 'x';
    def.by_stress = set.control[3] == 'e';
    tw_sim *sim = tw_sim_load(set.path, &error);
    if (!sim)
        return tw_output_fail(argv[0], tw_exit_status_reading(error.status), "%s", error.text);
    rates_progress progress = {.survey = &survey, .said = tw_clock()};
    def.watch = isatty(STDERR_FILENO) ? show_turn : NULL;
    def.context = &progress;
    tw_status status = tw_statics_compute_survey(sim, &def, &survey, &error);
    tw_sim_free(sim);
    if (def.watch) fprintf(stderr, "\r%50s\r", "");
    if (status != TW_STATUS_OK)
        return tw_output_fail(argv[0], tw_exit_status_running(status), "%s: %s", set.path,
                              error.text);
    print_survey(&survey, &set);
    if (set.out) status = write_survey(&survey, &set, &error);
    tw_statics_survey_free(&survey);
    if (status != TW_STATUS_OK)
        return tw_output_fail(argv[0], tw_exit_status_running(status), "%s", error.text);
    return tw_output_finish(argv[0], TW_EXIT_OK);
}
