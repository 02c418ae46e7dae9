/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl figure: draws a figure that needs no run. */
#include "commands/commands.h"

#include "base/file.h"
#include "base/quat.h"
#include "common/args.h"
#include "common/output.h"
#include "common/row_writer.h"
#include "plot/plot_paint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/contact_law.h>
#include <twirl/math.h>

/* ---- turning: how far the force of a sliding contact turns in one step, law by law ---- */

/* Direction of the force [degrees], measured from that of the movement, after one step of
 * kt|dxi|/(mu fn) = movement that starts at -90 degrees, at constant normal force. */
static double direction_after(int32_t kind, double movement)
{
    tw_contact_law law = tw_contact_law_default();
    law.kn = law.kt = 1.0;
    law.mu = 0.5;
    law.kind = kind;
    tw_contact_memory memory = {.n = {0.0, 0.0, 1.0}, .zeta = 1.0};
    const double limit = tw_contact_law_friction_limit(&law, memory.zeta);
    memory.ft.y = -limit;
    const tw_contact_motion motion = {
        .n = memory.n, .zeta = memory.zeta, .du = {movement * limit / law.kt, 0.0, 0.0}};
    tw_contact_load load;
    tw_contact_advance(&law, &motion, 1.0, &memory, NULL, &load);
    return tw_math_atan2(memory.ft.y, memory.ft.x) * (180.0 / TW_MATH_PI);
}

static void write_turning(tw_row_writer *writer)
{
    enum { POINTS = 101 };
    const double movement_max = 5.0;
    tw_row_writer_add(writer, "movement,theta_exact,theta_paper,theta_conventional\n");
    for (int i = 0; i < POINTS; i++) {
        const double movement = movement_max * i / (POINTS - 1);
        tw_row_writer_add(writer, "%.17g,%.17g,%.17g,%.17g\n", movement,
                          direction_after(TW_CONTACT_EXACT, movement),
                          direction_after(TW_CONTACT_PAPER, movement),
                          direction_after(TW_CONTACT_CONVENTIONAL, movement));
    }
}

/* ---- hertz: error of the tangential force of a Hertz-Mindlin contact against the number of steps,
 * for the exact law and for the conventional one with and without rescaling ---- */

/* Errors are taken at SAMPLES instants of the path, which all step sizes share. */
enum { SAMPLES = 32, LEVELS = 9, FINEST = SAMPLES << 12 };

static const double radius_p = 1.0, radius_q = 0.6, overlap = 0.01, duration = 6.0;

/* The path: the line of centres swings in space while the overlap grows and shrinks, and the
 * spheres roll and slide on each other, at times sticking. Neither turns about the normal: the
 * conventional law knows no twist and would have another limit. */
static tw_vec3 normal_at(double t)
{
    const double polar = 1.1 + 0.4 * tw_math_sin(0.7 * t), turn = 0.5 * t;
    const double s = tw_math_sin(polar);
    return tw_vec3_make(s * tw_math_cos(turn), s * tw_math_sin(turn), tw_math_cos(polar));
}

static double overlap_at(double t)
{
    return overlap * (1.0 + 0.6 * tw_math_sin(2.3 * t));
}

/* Angular velocity: that of the line of centres, and a slow one of the sphere's own. */
static tw_vec3 spin_at(double t, double phase)
{
    const double h = 1e-4;
    const tw_vec3 n = normal_at(t);
    const tw_vec3 rate = tw_vec3_scale(0.5 / h, tw_vec3_sub(normal_at(t + h), normal_at(t - h)));
    const tw_vec3 own = tw_vec3_make(0.02 * tw_math_sin(1.9 * t + phase),
                                     0.015 * tw_math_sin(1.3 * t + 2.0 * phase),
                                     0.02 * tw_math_cos(0.9 * t + phase));
    return tw_vec3_add(tw_vec3_cross(n, rate), tw_vec3_cross(n, own));
}

/* Orientations at all instants of the finest path. */
typedef struct turns {
    tw_quat p[FINEST + 1], q[FINEST + 1];
} turns;

static tw_quat turned(tw_quat from, tw_vec3 spin, double dt)
{
    return tw_quat_normalise(tw_quat_mul(tw_quat_from_rotation(tw_vec3_scale(dt, spin)), from));
}

static void fill_turns(turns *all)
{
    const double dt = duration / FINEST;
    all->p[0] = all->q[0] = tw_quat_identity();
    for (int i = 0; i < FINEST; i++) {
        const double middle = (i + 0.5) * dt;
        all->p[i + 1] = turned(all->p[i], spin_at(middle, 0.4), dt);
        all->q[i + 1] = turned(all->q[i], spin_at(middle, 1.7), dt);
    }
}

static tw_contact_law law_of(int32_t kind, uint32_t refine)
{
    tw_contact_law law = tw_contact_law_default();
    law.kind = kind;
    law.refine = refine;
    law.normal = TW_CONTACT_HERTZ;
    law.kn = 1.0;
    law.kt = 0.8;
    law.mu = 0.4;
    return law;
}

static tw_vec3 branch_at(double t)
{
    return tw_vec3_scale(radius_p + radius_q - overlap_at(t), normal_at(t));
}

/* Tangential forces at the samples. */
static void follow(const tw_contact_law *law, const turns *all, int steps, tw_vec3 *force)
{
    const int stride = FINEST / steps;
    tw_contact_memory memory = tw_contact_memory_fresh(branch_at(0.0), radius_p, radius_q);
    for (int i = 1; i <= steps; i++) {
        const int old = (i - 1) * stride, now = i * stride;
        tw_contact_load load;
        tw_contact_pair pair = {.branch = branch_at(duration * now / FINEST),
                                .radius_p = radius_p,
                                .radius_q = radius_q};
        pair.turn_p = tw_quat_rotation(tw_quat_mul(all->p[now], tw_quat_conj(all->p[old])));
        pair.turn_q = tw_quat_rotation(tw_quat_mul(all->q[now], tw_quat_conj(all->q[old])));
        const tw_contact_motion motion = tw_contact_pair_motion(law->kind, &pair, &memory);
        tw_contact_advance(law, &motion, 1.0, &memory, NULL, &load);
        if (i % (steps / SAMPLES) == 0) force[i / (steps / SAMPLES) - 1] = memory.ft;
    }
}

/* Root mean square, relative to the mean friction limit. */
static double error_of(const tw_contact_law *law, const turns *all, int steps, const tw_vec3 *right)
{
    tw_vec3 force[SAMPLES];
    double sum = 0.0;
    follow(law, all, steps, force);
    for (int i = 0; i < SAMPLES; i++) {
        const tw_vec3 off = tw_vec3_sub(force[i], right[i]);
        sum += tw_vec3_dot(off, off) / SAMPLES;
    }
    return sqrt(sum) / tw_contact_law_friction_limit(law, overlap);
}

static void write_hertz(tw_row_writer *writer)
{
    const tw_contact_law exact = law_of(TW_CONTACT_EXACT, TW_CONTACT_ALL);
    const tw_contact_law rescaled = law_of(TW_CONTACT_CONVENTIONAL, TW_CONTACT_ALL);
    const tw_contact_law plain =
        law_of(TW_CONTACT_CONVENTIONAL, TW_CONTACT_ALL & ~(uint32_t)TW_CONTACT_RESCALE);
    tw_vec3 right[SAMPLES];
    turns *all = tw_exit_unless(malloc(sizeof *all));
    fill_turns(all);
    follow(&exact, all, FINEST, right);
    tw_row_writer_add(writer, "steps,exact,rescaled,conventional\n");
    for (int level = 0; level < LEVELS; level++) {
        const int steps = SAMPLES << level;
        tw_row_writer_add(
            writer, "%d,%.17g,%.17g,%.17g\n", steps, error_of(&exact, all, steps, right),
            error_of(&rescaled, all, steps, right), error_of(&plain, all, steps, right));
    }
    free(all);
}

/* ---- Descriptions ---- */

/* The laws exact and paper coincide: marks on the line. */
static const tw_figure_shape turning_shapes[] = {
    {.title = "exact", .style = 1, .width = 1.8},
    {.kind = TW_FIGURE_POINTS, .title = "paper", .style = 2, .mark = 1, .width = 1.2},
    {.title = "conventional", .dash = 2, .width = 1.8}};

static const tw_figure_shape hertz_shapes[] = {
    {.title = "exact", .style = 1, .mark = 1, .width = 1.8},
    {.title = "conventional, rescaled", .style = 2, .mark = 2, .width = 1.8},
    {.title = "conventional, without rescaling", .dash = 2, .mark = 3, .width = 1.8}};

enum { SHAPES = 3 };

static const struct figure {
    tw_figure of;
    const tw_figure_shape *shapes;
    void (*write)(tw_row_writer *writer);
} figures[] = {{{.name = "turning",
                 .x = {.label = "Movement in the step {k}_t |Δ{ξ}| / ({μ} {f}_n)",
                       .factor = 1.0,
                       .high = 5.0,
                       .step = 1.0},
                 .y = {.label = "Direction of the force after the step",
                       .unit = "°",
                       .factor = 1.0,
                       .low = -92.0,
                       .high = 2.0,
                       .step = 15.0},
                 .key = TW_FIGURE_KEY_BOTTOM_RIGHT},
                turning_shapes,
                write_turning},
               {{.name = "hertz",
                 .x = {.label = "Steps", .factor = 1.0, .low = 24.0, .high = 11000.0, .log = 1},
                 .y = {.label = "Error of the tangential force / ({μ} {f}_n)",
                       .factor = 1.0,
                       .low = 1e-8,
                       .high = 1.0,
                       .log = 1},
                 .key = TW_FIGURE_KEY_BOTTOM_LEFT},
                hertz_shapes,
                write_hertz}};
enum { FIGURES = sizeof figures / sizeof figures[0] };

/* NAME.csv and the figure, in a folder that exists. */
static tw_status draw(const struct figure *figure, const char *folder, tw_error *error)
{
    char name[32];
    tw_row_writer writer;
    tw_figure_shape shapes[SHAPES];
    tw_figure of = figure->of;
    tw_plot_style style = tw_plot_style_default();
    tw_plot_style_finish(&style);
    memcpy(shapes, figure->shapes, sizeof shapes);
    of.shapes = shapes;
    of.shape_count = SHAPES;
    snprintf(name, sizeof name, "%.20s.csv", of.name);
    tw_status status = tw_row_writer_open(&writer, tw_folder_path_join(folder, name).text, error);
    if (status != TW_STATUS_OK) return status;
    figure->write(&writer);
    status = tw_row_writer_finish(&writer, error);
    return status == TW_STATUS_OK ? tw_plot_paint_table(&of, &style, folder, error) : status;
}

/* ---- The command ---- */

typedef struct figure_options {
    const struct figure *figure;
    const char *directory;
} figure_options;

static void read_figure(const struct argp_state *state, const char *name, char *text, void *member)
{
    const struct figure **chosen = member;
    const char *known[FIGURES];
    if (*chosen)
        argp_error(state, "unexpected argument '%s': %s is already '%s'", text, name,
                   (*chosen)->of.name);
    for (size_t i = 0; i < FIGURES; i++)
        known[i] = figures[i].of.name;
    *chosen = &figures[tw_args_choice(state, name, text, strlen(text), "a figure", known, FIGURES)];
}

static const tw_args_option options[] = {{NULL, "NAME", "the figure to draw, such as 'turning'",
                                          read_figure, offsetof(figure_options, figure)},
                                         {"out", "DIR",
                                          "output directory, created if needed; required",
                                          tw_args_folder, offsetof(figure_options, directory)},
                                         {0}};

static void check_settings(const struct argp_state *state, void *settings)
{
    const figure_options *set = settings;
    if (!set->directory) argp_error(state, "--out is missing: the output directory");
}

static const char description[] =
    "Draws a figure: writes NAME.csv (data), NAME.gp (gnuplot script), NAME.svg and NAME.png."
    "\vFigures:\n"
    "  turning  direction of the force after one sliding step, for the three laws\n"
    "  hertz    error of the tangential force of a Hertz-Mindlin contact against the step\n\n"
    "Exit status: 0 success, 1 output not written or gnuplot failed, 2 bad options.";

static const tw_args_command command_line = {
    .own = {options, check_settings}, .arguments = "NAME", .description = description};

int tw_figure_command(int argc, char **argv)
{
    figure_options set = {0};
    tw_error error;
    tw_args_parse(&command_line, argc, argv, &set);
    tw_status status = tw_plot_make_directory(set.directory, &error);
    if (status == TW_STATUS_OK) status = draw(set.figure, set.directory, &error);
    if (status == TW_STATUS_OK) return TW_EXIT_OK;
    return tw_output_fail(argv[0], TW_EXIT_ENVIRONMENT, "%s", error.text);
}
