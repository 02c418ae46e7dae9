/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl rates: the response of a state to small further loads, and whether it is the only one. */
#include "commands/commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/figure.h>
#include <twirl/math.h>
#include <twirl/statics.h>

#include "base/file.h"
#include "base/json.h"
#include "common/args.h"
#include "common/output.h"
#include "common/row_writer.h"
#include "plot/plot_paint.h"

enum { LABEL_WIDTH = 16, SIX = TW_COMPONENTS };

#define PRINT(...) tw_output_line(stdout, LABEL_WIDTH, __VA_ARGS__)

typedef struct rates_options {
    const char *path, *out, *axis, *control;
    uint64_t count;
} rates_options;

/* Everything that is found out about a state. */
typedef struct findings {
    const rates_options *set;
    int axis, by_stress;
    tw_statics_increment relaxed; /* on the way to equilibrium */
    tw_statics_problem problem;
    tw_statics_judgement judgement;
    tw_contact_state *contact;
    size_t contacts;
    tw_statics_rate *rate; /* by direction */
    size_t unsolved, negative, sliding;
} findings;

/* ---- Directions in the Rendulic plane ---- */

/* From the volumetric axis towards that of axial compression [rad]. */
static double angle_of(const findings *f, size_t k)
{
    return 2.0 * TW_MATH_PI * (double)k / (double)f->set->count;
}

static void put_direction(const findings *f, size_t k, double unit[SIX])
{
    const double volumetric = tw_math_cos(angle_of(f, k)) / sqrt(3.0);
    const double deviatoric = tw_math_sin(angle_of(f, k)) / sqrt(6.0);
    for (int i = 0; i < SIX; i++)
        unit[i] = i >= 3 ? 0.0 : volumetric + (i == f->axis ? 2.0 : -1.0) * deviatoric;
}

/* Coordinates of a tensor in the plane. */
static void put_point(const findings *f, const double tensor[SIX], double scale, double at[2])
{
    const double axial = tensor[f->axis], all = tensor[0] + tensor[1] + tensor[2];
    at[0] = scale * all / sqrt(3.0);
    at[1] = scale * sqrt(2.0 / 3.0) * (axial - 0.5 * (all - axial));
}

/* ---- Tables ---- */

static const char *const found_names[] = {"sticks", "active set", "lemke", "none"};
static const char *const verdict_names[] = {"unique", "not unique", "undecided", "no verdict"};
static const char *const component_names[] = {"xx", "yy", "zz", "yz", "xz", "xy"};

static tw_status write_rates(const findings *f, tw_error *error)
{
    tw_row_writer out;
    const tw_status status =
        tw_row_writer_open(&out, tw_folder_path_join(f->set->out, "rates.csv").text, error);
    if (status != TW_STATUS_OK) return status;
    tw_row_writer_add(&out, "angle");
    for (int k = 0; k < 3 * SIX; k++)
        tw_row_writer_add(&out, ",%s_%s",
                          k < SIX       ? "strain"
                          : k < 2 * SIX ? "stress"
                                        : "no_slip",
                          component_names[k % SIX]);
    tw_row_writer_add(&out, ",work,work_normalised,sliding,found,turns\n");
    for (size_t k = 0; k < f->set->count; k++) {
        const tw_statics_rate *r = &f->rate[k];
        tw_row_writer_add(&out, "%.17g", 360.0 * (double)k / (double)f->set->count);
        for (int i = 0; i < 3 * SIX; i++)
            tw_row_writer_add(&out, ",%.17g",
                              i < SIX       ? r->strain[i]
                              : i < 2 * SIX ? r->stress[i - SIX]
                                            : r->no_slip[i - 2 * SIX]);
        tw_row_writer_add(&out, ",%.17g,%.17g,%zu,%s,%zu\n", r->work, r->work_normalised,
                          r->sliding, found_names[r->found], r->turns);
    }
    return tw_row_writer_finish(&out, error);
}

static void add_contact(tw_text_buffer *out, const findings *f, size_t k)
{
    const tw_contact_state *c = &f->contact[k];
    tw_json_begin(out, NULL, '{');
    tw_json_count(out, "body_p", c->body_p);
    tw_json_count(out, "body_q", c->body_q);
    tw_json_number(out, "normal_force", c->fn);
    tw_json_number(out, "tangential_force", tw_vec3_norm(c->ft));
    tw_json_end(out, '}');
}

static tw_status write_json(const findings *f, tw_error *error)
{
    const tw_statics_problem *p = &f->problem;
    tw_text_buffer out = {0};
    tw_json_begin(&out, NULL, '{');
    tw_json_text(&out, "state", f->set->path);
    tw_json_text(&out, "control", f->set->control);
    tw_json_text(&out, "axis", f->set->axis);
    tw_json_count(&out, "bodies", p->bodies);
    tw_json_count(&out, "contacts", p->contacts);
    tw_json_count(&out, "at_limit", p->at_limit);
    tw_json_count(&out, "rattlers", p->rattlers);
    tw_json_count(&out, "weak", p->weak);
    tw_json_begin(&out, "equilibrium", '{');
    tw_json_count(&out, "reached", (uint64_t)f->relaxed.reached);
    tw_json_count(&out, "iterations", f->relaxed.iterations);
    tw_json_number(&out, "moved", f->relaxed.moved);
    tw_json_numbers(&out, "stress", f->relaxed.stress, SIX, 1);
    tw_json_count(&out, "contacts_gained", f->relaxed.gained);
    tw_json_count(&out, "contacts_lost", f->relaxed.lost);
    tw_json_end(&out, '}');
    tw_json_number(&out, "residual", p->residual);
    tw_json_count(&out, "worst_body", p->worst);
    tw_json_numbers(&out, "stiffness", p->stiffness, SIX * SIX, 1);
    tw_json_text(&out, "verdict", verdict_names[f->judgement.verdict]);
    tw_json_begin(&out, "certificate", '[');
    for (size_t k = 0; k < f->judgement.certificate_count; k++)
        add_contact(&out, f, f->judgement.certificate[k]);
    tw_json_end(&out, ']');
    tw_json_count(&out, "directions", f->set->count);
    tw_json_count(&out, "without_solution", f->unsolved);
    tw_json_count(&out, "negative_work", f->negative);
    tw_json_number(&out, "seconds", p->seconds);
    tw_json_end(&out, '}');
    return tw_row_writer_document(f->set->out, "rates.json", &out, error);
}

/* ---- Figures ---- */

static tw_figure_shape *add_curve(tw_figure *f, const char *title, size_t count, int style,
                                  int dash)
{
    tw_figure_shape *s = tw_exit_unless(tw_figure_parts_shape(f, TW_FIGURE_CURVE, title, count));
    s->style = style;
    s->dash = dash;
    s->width = style > 0 ? 1.8 : 1.0;
    return s;
}

/* Responses to unit rates: stresses [MPa], or strains [1/GPa]. */
static void draw_envelope(const findings *f, tw_figure *figure)
{
    const double scale = f->by_stress ? 1e9 : 1e-6;
    const size_t n = f->set->count;
    double reach = 0.0;
    tw_figure_shape *elastic = add_curve(figure, "no slip", n + 1, -2, 2);
    for (size_t k = 0; k <= n; k++)
        put_point(f, f->rate[k % n].no_slip, scale, elastic->at[k]);
    tw_figure_shape *slides = add_curve(figure, "with slip", n + 1, 1, 1);
    for (size_t k = 0; k <= n; k++) {
        const tw_statics_rate *r = &f->rate[k % n];
        put_point(f, f->by_stress ? r->strain : r->stress, scale, slides->at[k]);
    }
    for (size_t s = 0; s < figure->shape_count; s++)
        for (size_t k = 0; k <= n; k++)
            for (int i = 0; i < 2; i++)
                if (isfinite(figure->shapes[s].at[k][i]))
                    reach = tw_math_max(reach, fabs(figure->shapes[s].at[k][i]));
    figure->x = figure->y = tw_figure_axis_around(-reach, reach);
    snprintf(figure->x.label, sizeof figure->x.label, "%s",
             f->by_stress ? "Volumetric strain rate" : "Mean stress rate");
    snprintf(figure->y.label, sizeof figure->y.label, "%s",
             f->by_stress ? "Deviatoric strain rate" : "Deviatoric stress rate");
    snprintf(figure->x.unit, sizeof figure->x.unit, "%s", f->by_stress ? "1/GPa" : "MPa");
    snprintf(figure->y.unit, sizeof figure->y.unit, "%s", f->by_stress ? "1/GPa" : "MPa");
}

/* Normalised second-order work over the direction, as the distance from a circle: negative inside
 * it. The directions in which it is negative, or has no solution, are lines from the centre. */
static void draw_work(const findings *f, tw_figure *figure)
{
    const size_t n = f->set->count;
    tw_figure_shape *cone = add_curve(
        figure, f->negative + f->unsolved > 0 ? "{W}_2 < 0 or no solution" : "", 3 * n, 2, 1);
    cone->width = 1.0;
    for (size_t k = 0; k < n; k++) {
        const double w = f->rate[k].work_normalised;
        const double length = w > 0.0 ? (double)NAN : 1.0;
        cone->at[3 * k][0] = cone->at[3 * k][1] = 0.0;
        cone->at[3 * k + 1][0] = length * tw_math_cos(angle_of(f, k));
        cone->at[3 * k + 1][1] = length * tw_math_sin(angle_of(f, k));
        cone->at[3 * k + 2][0] = cone->at[3 * k + 2][1] = (double)NAN;
    }
    tw_figure_shape *zero = add_curve(figure, "{W}_2 = 0", 181, -2, 2);
    for (int k = 0; k <= 180; k++) {
        zero->at[k][0] = tw_math_cos(TW_MATH_PI * k / 90.0);
        zero->at[k][1] = tw_math_sin(TW_MATH_PI * k / 90.0);
    }
    tw_figure_shape *work = add_curve(figure, "1 + {W}_2, normalised", n + 1, 1, 1);
    for (size_t k = 0; k <= n; k++) {
        const double radius = 1.0 + f->rate[k % n].work_normalised;
        work->at[k][0] = radius * tw_math_cos(angle_of(f, k));
        work->at[k][1] = radius * tw_math_sin(angle_of(f, k));
    }
    figure->x = figure->y = tw_figure_axis_around(-2.3, 2.3);
    snprintf(figure->x.label, sizeof figure->x.label, "Volumetric direction");
    snprintf(figure->y.label, sizeof figure->y.label, "Deviatoric direction");
}

static tw_status draw(const findings *f, tw_error *error)
{
    tw_plot_style style = tw_plot_style_default();
    tw_status status = TW_STATUS_OK;
    tw_plot_style_finish(&style);
    style.width = style.height = tw_math_max(style.width, style.height);
    for (int k = 0; k < 2 && status == TW_STATUS_OK; k++) {
        tw_figure_set set = {.run_count = 0};
        tw_figure *figure = tw_exit_unless(
            tw_figure_parts_figure(&set, k == 0 ? "rates_envelope" : "rates_work", "own",
                                   k == 0 ? "Response envelope" : "Second-order work"));
        figure->equal = 1;
        figure->key = TW_FIGURE_KEY_ABOVE;
        if (k == 0)
            draw_envelope(f, figure);
        else
            draw_work(f, figure);
        status = tw_plot_paint(NULL, figure, 1, &style, f->set->out, error);
        tw_figure_set_free(&set);
    }
    return status;
}

/* ---- For people ---- */

static void print_verdict(const findings *f)
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
    if (f->relaxed.snaps > 0 && j->verdict != TW_STATICS_NO_VERDICT)
        PRINT("", "for the equilibrium after the snap, not for the state as it was saved");
    if (j->verdict != TW_STATICS_NOT_UNIQUE) return;
    if (j->certificate_count == 0) PRINT("", "by the determinant of all contacts at the limit");
    for (size_t k = 0; k < j->certificate_count; k++) {
        const tw_contact_state *c = &f->contact[j->certificate[k]];
        PRINT(k == 0 ? "certificate" : "", "bodies %u and %u, normal force %.3g of the mean",
              c->body_p, c->body_q, c->fn / f->problem.force_mean);
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

static void print_findings(const findings *f)
{
    const tw_statics_problem *p = &f->problem;
    const uint64_t n = f->set->count;
    PRINT("state", "%zu bodies, %zu contacts, %zu at the friction limit", p->bodies, p->contacts,
          p->at_limit);
    PRINT("not carrying", "%zu rattler%s, %zu weak grain%s", p->rattlers,
          tw_output_plural(p->rattlers), p->weak, tw_output_plural(p->weak));
    print_equilibrium(&f->relaxed);
    PRINT("residual", "%.2g of the mean contact force, on body %u", p->residual, p->worst);
    PRINT("directions", "%llu by %s, about %s; up to %zu contacts slide", (unsigned long long)n,
          f->set->control, f->set->axis, f->sliding);
    PRINT("second order", "work is negative in %zu of them", f->negative);
    if (f->unsolved > 0)
        PRINT("limit state", "no solution in %zu of %llu directions", f->unsolved,
              (unsigned long long)n);
    print_verdict(f);
}

/* ---- The command ---- */

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

static tw_status investigate(findings *f, tw_sim *sim, tw_error *error)
{
    const tw_statics_def def = {.geometric = 1, .shift = 1e-8};
    const tw_statics_rates_def rates_def = tw_statics_rates_def_default();
    tw_statics *statics = tw_statics_create(sim, &def, error);
    tw_statics_rates *rates = statics ? tw_statics_rates_create(statics, &rates_def, error) : NULL;
    tw_status status = rates ? TW_STATUS_OK : error->status;
    if (rates) {
        f->problem = tw_statics_rates_problem(rates);
        f->contact = tw_exit_unless(calloc(f->problem.contacts, sizeof *f->contact));
        f->rate = tw_exit_unless(calloc(f->set->count, sizeof *f->rate));
        status = tw_sim_get_contacts(sim, f->contact, error);
    }
    for (size_t k = 0; k < f->set->count && status == TW_STATUS_OK; k++) {
        double unit[SIX];
        put_direction(f, k, unit);
        status = tw_statics_rates_solve(rates, f->by_stress, unit, &f->rate[k], error);
        f->unsolved += f->rate[k].found == TW_STATICS_NOTHING;
        f->negative += f->rate[k].work < 0.0;
        if (f->rate[k].sliding > f->sliding) f->sliding = f->rate[k].sliding;
    }
    if (status == TW_STATUS_OK)
        status = tw_statics_rates_judge(rates, f->by_stress, &f->judgement, error);
    tw_statics_rates_free(rates);
    tw_statics_free(statics);
    return status;
}

int tw_rates_command(int argc, char **argv)
{
    rates_options set = {.axis = "z", .control = "strain", .count = 72};
    tw_error error;
    tw_args_parse(&command_line, argc, argv, &set);
    findings f = {.set = &set, .axis = set.axis[0] - 'x', .by_stress = set.control[3] == 'e'};
    tw_sim *sim = tw_sim_load(set.path, &error);
    if (!sim)
        return tw_output_fail(argv[0], tw_exit_status_reading(error.status), "%s", error.text);
    const tw_statics_increment_def rest = tw_statics_increment_def_default();
    tw_sim *still = tw_statics_increase(sim, &rest, &f.relaxed, &error);
    tw_status status = still ? investigate(&f, still, &error) : error.status;
    int end = TW_EXIT_OK;
    tw_sim_free(sim);
    tw_sim_free(still);
    if (status != TW_STATUS_OK) {
        end =
            tw_output_fail(argv[0], tw_exit_status_running(status), "%s: %s", set.path, error.text);
    } else {
        print_findings(&f);
        if (set.out) {
            status = tw_plot_make_directory(set.out, &error);
            if (status == TW_STATUS_OK) status = write_rates(&f, &error);
            if (status == TW_STATUS_OK) status = write_json(&f, &error);
            if (status == TW_STATUS_OK) status = draw(&f, &error);
            if (status != TW_STATUS_OK)
                end = tw_output_fail(argv[0], tw_exit_status_running(status), "%s", error.text);
        }
    }
    free(f.contact);
    free(f.rate);
    return tw_output_finish(argv[0], end);
}
