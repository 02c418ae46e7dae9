/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl plot: draws the curves of a run. */
#include "commands/plot_command.h"

#include "base/error.h"
#include "common/args.h"
#include "common/exit_status.h"
#include "plot/plot.h"
#include "plot/plot_history.h"
#include "plot/plot_probes.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { KEY_OUT = 256, KEY_AXIS, KEY_STAGE };

static const struct argp_option options[] = {
    {"out", KEY_OUT, "DIR", 0,
     "output directory, created if needed; default: DIR/plots, or FILE_plots for FILE.csv", 0},
    {"axis", KEY_AXIS, "AXIS", 0, "axial direction: x, y or z; default: z", 0},
    {"stage", KEY_STAGE, "NAME", 0,
     "draw this stage only; default: all except 'specimen', the preparation of the specimen", 0},
    {0}};

typedef struct plot_options {
    const char *input, *output, *stage;
    int axis;
} plot_options;

static const char *const axes[] = {"x", "y", "z"};

static int parse_axis(const struct argp_state *state, const char *text)
{
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, axes[i]) == 0) return i;
    }
    tw_args_refuse_name(state, "--axis", text, strlen(text), "an axis", axes, 3);
    return 0;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    plot_options *set = state->input;
    switch (key) {
    case KEY_OUT:
        if (!*text) argp_error(state, "--out: '' is not a directory");
        set->output = text;
        break;
    case KEY_AXIS:
        set->axis = parse_axis(state, text);
        break;
    case KEY_STAGE:
        set->stage = text;
        break;
    case ARGP_KEY_ARG:
        tw_args_once(state, "DIR", text, &set->input);
        break;
    case ARGP_KEY_END:
        if (!set->input)
            argp_error(state, "DIR is missing: the folder of a run, or a history file");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const char description[] =
    "Draws the curves of a run from its history: DIR/history.csv, or a file written by 'twirl "
    "advance --history'. Columns are found by name; figures without columns are skipped. Each "
    "figure "
    "is written as a gnuplot script, an SVG and a PNG; curves.csv contains the numbers."
    "\vFigures:\n"
    "  stress_ratio       q/p against axial strain\n"
    "  volumetric_strain  volumetric strain against axial strain\n"
    "  stress_path        q against p\n"
    "  energies           input, stored, kinetic and dissipated energy\n"
    "  contacts           coordination number and share of sliding contacts\n"
    "  STAGE_circles      probes in the Rendulic plane, with fitted circles\n"
    "  STAGE_splits       the same for both splits of the strain, if available\n\n"
    "A history without strains is drawn against time.\n\n"
    "Exit status: 0 success, 1 output not written or gnuplot failed, 2 bad options or a history "
    "that "
    "cannot be read or drawn.";

static const struct argp argp = {options, parse_option, "DIR", description, NULL, NULL, NULL};

/* The history to read and the directory to write. */
typedef struct paths {
    char history[PATH_MAX], plots[PATH_MAX];
    bool folder; /* the input is the folder of a run */
} paths;

/* False: too long. */
static bool find_paths(const plot_options *set, paths *at)
{
    struct stat about;
    const bool folder = stat(set->input, &about) == 0 && S_ISDIR(about.st_mode);
    const size_t length = strlen(set->input);
    at->folder = folder;
    const bool csv = length > 4 && strcmp(set->input + length - 4, ".csv") == 0;
    const int stem = (int)(csv ? length - 4 : length);
    const int a =
        snprintf(at->history, sizeof at->history, "%s%s", set->input, folder ? "/history.csv" : "");
    int b;
    if (set->output) {
        b = snprintf(at->plots, sizeof at->plots, "%s", set->output);
    } else if (folder) {
        b = snprintf(at->plots, sizeof at->plots, "%s/plots", set->input);
    } else {
        b = snprintf(at->plots, sizeof at->plots, "%.*s_plots", stem, set->input);
    }
    return a < PATH_MAX && b < PATH_MAX - NAME_MAX;
}

static int refuse(const char *command, const char *text, int status)
{
    fprintf(stderr, "%s: %s\n", command, text);
    return status;
}

static tw_status draw(const plot_options *set, const paths *at, const tw_plot_history *history,
                      tw_text_buffer *names, tw_error *error)
{
    tw_status status = tw_plot_make_directory(at->plots, error);
    if (status == TW_STATUS_OK) status = tw_plot_history_draw(history, at->plots, names, error);
    if (status == TW_STATUS_OK && at->folder)
        status = tw_plot_probes(set->input, set->stage, at->plots, names, error);
    if (status == TW_STATUS_OK && names->failed) status = tw_error_set_memory(error);
    return status;
}

static int plot(const char *command, const plot_options *set, const paths *at,
                const tw_history_table *table)
{
    const tw_plot_history history = tw_plot_history_of(table, set->axis);
    if (!tw_plot_history_any(&history)) {
        fprintf(stderr,
                "%s: %s: nothing to draw: no figure finds its columns, such as time and "
                "coordination; see the figures in '%s --help'\n",
                command, at->history, command);
        return TW_EXIT_USAGE;
    }
    tw_text_buffer names = {0};
    tw_error error;
    int status = TW_EXIT_OK;
    if (draw(set, at, &history, &names, &error) == TW_STATUS_OK)
        printf("%s: %s; each as SVG and PNG\n", at->plots, names.text);
    else
        status = refuse(command, error.text, TW_EXIT_ENVIRONMENT);
    tw_text_buffer_free(&names);
    return status;
}

int tw_plot_command(int argc, char **argv)
{
    plot_options set = {.axis = 2};
    paths at;
    tw_history_table table;
    tw_args_parse(&argp, argc, argv, &set);
    if (!find_paths(&set, &at)) return refuse(argv[0], "DIR: the path is too long", TW_EXIT_USAGE);
    int status;
    if (tw_history_table_read(&table, at.history, set.stage)) {
        status = plot(argv[0], &set, &at, &table);
    } else {
        status = refuse(argv[0], table.error, table.failed ? TW_EXIT_ENVIRONMENT : TW_EXIT_USAGE);
    }
    tw_history_table_free(&table);
    return status;
}
