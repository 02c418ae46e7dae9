/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl figure: draws one of the figures of figures.h. */
#include "commands/commands.h"
#include "common/args.h"
#include "plot/figures.h"
#include "plot/plot.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct figure {
    const char *name;
    bool (*draw)(const char *directory, char *error, size_t size);
} figure;

static const figure figures[] = {{"turning", tw_figure_turning}};
enum { FIGURES = sizeof figures / sizeof figures[0] };

enum { KEY_OUT = 256 };

static const struct argp_option options[] = {
    {"out", KEY_OUT, "DIR", 0, "directory for the files, made if it is missing; required", 0}, {0}};

typedef struct settings {
    const figure *figure;
    const char *directory;
} settings;

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
    settings *set = state->input;
    switch (key) {
    case KEY_OUT:
        if (!*text) argp_error(state, "--out: '' is not a directory");
        set->directory = text;
        break;
    case ARGP_KEY_ARG:
        if (set->figure) argp_error(state, "one figure at a time: '%s' is the second", text);
        set->figure = parse_figure(state, text);
        break;
    case ARGP_KEY_END:
        if (!set->figure)
            argp_error(state, "NAME is missing: the figure to draw, such as 'turning'");
        if (!set->directory) argp_error(state, "--out is missing: the directory for the files");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const char description[] =
    "Draws a figure: writes NAME.csv (the data), NAME.gp (a gnuplot script), NAME.svg and NAME.png."
    "\vFigures:\n"
    "  turning  direction of the force after one sliding step, for the three laws\n\n"
    "Exit status: 0 done, 2 bad options, 1 a file could not be written or gnuplot not be run.";

static const struct argp argp = {options, parse_option, "NAME", description, NULL, NULL, NULL};

int tw_figure_command(int argc, char **argv)
{
    settings set = {0};
    char error[PATH_MAX + 256];
    tw_args_parse(&argp, argc, argv, &set);
    if (tw_plot_make_directory(set.directory, error, sizeof error) &&
        set.figure->draw(set.directory, error, sizeof error)) {
        return TW_EXIT_OK;
    }
    fprintf(stderr, "%s: %s\n", argv[0], error);
    return TW_EXIT_ENVIRONMENT;
}
