/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl figure: draws a figure that needs no run. */
#include "commands/commands.h"

#include "common/args.h"
#include "common/output.h"
#include "plot/figure_hertz.h"
#include "plot/figure_turning.h"
#include "plot/plot.h"

#include <stdio.h>
#include <string.h>

typedef struct figure {
    const char *name;
    tw_status (*draw)(const char *directory, tw_error *error);
} figure;

static const figure figures[] = {{"turning", tw_figure_turning}, {"hertz", tw_figure_hertz}};
enum { FIGURES = sizeof figures / sizeof figures[0] };

typedef struct figure_options {
    const figure *figure;
    const char *directory;
} figure_options;

static void read_figure(const struct argp_state *state, const char *name, char *text, void *member)
{
    const figure **chosen = member;
    const char *known[FIGURES];
    if (*chosen)
        argp_error(state, "unexpected argument '%s': %s is already '%s'", text, name,
                   (*chosen)->name);
    for (size_t i = 0; i < FIGURES; i++) {
        if (strcmp(figures[i].name, text) == 0) *chosen = &figures[i];
        known[i] = figures[i].name;
    }
    if (!*chosen) tw_args_refuse_name(state, name, text, strlen(text), "a figure", known, FIGURES);
}

static const tw_args_option options[] = {
    {NULL, "NAME", NULL, read_figure, offsetof(figure_options, figure)},
    {"out", "DIR", "output directory, created if needed; required", tw_args_folder,
     offsetof(figure_options, directory)},
    {0}};

static void check_settings(const struct argp_state *state, void *settings)
{
    const figure_options *set = settings;
    if (!set->figure) argp_error(state, "NAME is missing: the figure to draw, such as 'turning'");
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
    if (status == TW_STATUS_OK) status = set.figure->draw(set.directory, &error);
    if (status == TW_STATUS_OK) return TW_EXIT_OK;
    return tw_output_fail(argv[0], TW_EXIT_ENVIRONMENT, "%s", error.text);
}
