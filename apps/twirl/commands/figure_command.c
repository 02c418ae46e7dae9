/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl figure: draws a figure that needs no run. */
#include "commands/figure_command.h"

#include "common/args.h"
#include "common/exit_status.h"
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

enum { KEY_OUT = 256 };

static const struct argp_option options[] = {
    {"out", KEY_OUT, "DIR", 0, "output directory, created if needed; required", 0}, {0}};

typedef struct figure_options {
    const figure *figure;
    const char *directory;
} figure_options;

static const figure *parse_figure(const struct argp_state *state, const char *text)
{
    const char *known[FIGURES];
    for (size_t i = 0; i < FIGURES; i++) {
        if (strcmp(figures[i].name, text) == 0) return &figures[i];
        known[i] = figures[i].name;
    }
    tw_args_refuse_name(state, "NAME", text, strlen(text), "a figure", known, FIGURES);
    return NULL;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    figure_options *set = state->input;
    switch (key) {
    case KEY_OUT:
        if (!*text) argp_error(state, "--out: '' is not a directory");
        set->directory = text;
        break;
    case ARGP_KEY_ARG:
        if (set->figure)
            argp_error(state, "unexpected argument '%s': NAME is already '%s'", text,
                       set->figure->name);
        set->figure = parse_figure(state, text);
        break;
    case ARGP_KEY_END:
        if (!set->figure)
            argp_error(state, "NAME is missing: the figure to draw, such as 'turning'");
        if (!set->directory) argp_error(state, "--out is missing: the output directory");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const char description[] =
    "Draws a figure: writes NAME.csv (data), NAME.gp (gnuplot script), NAME.svg and NAME.png."
    "\vFigures:\n"
    "  turning  direction of the force after one sliding step, for the three laws\n"
    "  hertz    error of the tangential force of a Hertz-Mindlin contact against the step\n\n"
    "Exit status: 0 success, 1 output not written or gnuplot failed, 2 bad options.";

static const struct argp argp = {options, parse_option, "NAME", description, NULL, NULL, NULL};

int tw_figure_command(int argc, char **argv)
{
    figure_options set = {0};
    tw_error error;
    tw_args_parse(&argp, argc, argv, &set);
    tw_status status = tw_plot_make_directory(set.directory, &error);
    if (status == TW_STATUS_OK) status = set.figure->draw(set.directory, &error);
    if (status == TW_STATUS_OK) return TW_EXIT_OK;
    fprintf(stderr, "%s: %s\n", argv[0], error.text);
    return TW_EXIT_ENVIRONMENT;
}
