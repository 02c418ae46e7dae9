/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl plot: draws the curves of runs. */
#include "commands/commands.h"

#include "base/error.h"
#include "base/text.h"
#include "common/args.h"
#include "common/output.h"
#include "plot/plot_paint.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <twirl/figure.h>
#include <twirl/run.h>

typedef struct plot_options {
    tw_figure_request request;
    const char *output;
    tw_plot_style style;
    tw_args_list input, stages, labels, figures;
} plot_options;

static void read_axis(const struct argp_state *state, const char *option, char *text, void *member)
{
    static const char *const axes[] = {"x", "y", "z"};
    (void)option;
    *(int *)member = (int)tw_args_choice(state, "--axis", text, strlen(text), "an axis", axes, 3);
}

static void refuse_if(const struct argp_state *state, const char *option, const char *text,
                      const char *problem)
{
    if (problem)
        argp_error(state, "--%s: %s %s", option, tw_text_quote(text, strlen(text)).text, problem);
}

static void read_length(const struct argp_state *state, const char *option, char *text,
                        void *member)
{
    refuse_if(state, option, text, tw_plot_style_length(text, member));
}

static void read_font(const struct argp_state *state, const char *option, char *text, void *member)
{
    refuse_if(state, option, text, tw_plot_style_set_font(member, text));
}

static void read_log(const struct argp_state *state, const char *option, char *text, void *member)
{
    int *log = member;
    if (!*text || text[strspn(text, "xy")]) refuse_if(state, option, text, "is not x, y or xy");
    log[0] = strchr(text, 'x') != NULL;
    log[1] = strchr(text, 'y') != NULL;
}

/* A:B, A: or :B */
static void read_range(const struct argp_state *state, const char *option, char *text, void *member)
{
    double *range = member;
    char *colon = strchr(text, ':');
    bool good = colon != NULL && colon[1] + (colon - text) > 0;
    if (colon) *colon = '\0';
    good = good && (!*text || !tw_text_number(text, &range[0])) &&
           (!colon[1] || !tw_text_number(colon + 1, &range[1])) && !(range[0] >= range[1]);
    if (colon) *colon = ':';
    if (!good)
        refuse_if(state, option, text,
                  "is not a range such as 0:400, 50: or :400, in the numbers of the axis");
}

static const tw_args_option options[] = {
    {NULL, "DIR", "the folder of a run, or a history file", tw_args_add,
     offsetof(plot_options, input)},
    {"out", "DIR",
     "output directory, created if needed; default: DIR/plots, or FILE_plots for FILE.csv; plots "
     "for several inputs",
     tw_args_folder, offsetof(plot_options, output)},
    {"stage", "NAME,...",
     "stages to draw; default: those that load the specimen. With several inputs: one stage, or "
     "one "
     "for each; default: the last that loads",
     tw_args_words, offsetof(plot_options, stages)},
    {"stages", NULL,
     "each stage as a curve of its own; default: successive ones without 'from' are "
     "one test, and one curve with its stages marked",
     tw_args_flag, offsetof(plot_options, request.apart)},
    {"figure", "NAME,...", "only these figures, such as stress_ratio; default: all of the path",
     tw_args_words, offsetof(plot_options, figures)},
    {"y", "QUANTITY",
     "a figure of your own, 'curve', and no other unless --figure names it: a column of "
     "history.csv, of curves.csv, such as coordination or q, or of a series beside the history, "
     "such "
     "as materials.share_p:quartz:rubber",
     tw_args_text, offsetof(plot_options, request.y)},
    {"x", "QUANTITY", "with --y: over this; default: that of the path", tw_args_text,
     offsetof(plot_options, request.x)},
    {"log", "AXES", "logarithmic axes: x, y or xy", read_log, offsetof(plot_options, request.log)},
    {"xrange", "A:B",
     "ends of the axis in the numbers that it shows; without A or B that end is chosen", read_range,
     offsetof(plot_options, request.range[0])},
    {"yrange", "A:B", "likewise", read_range, offsetof(plot_options, request.range[1])},
    {"labels", "TEXT,...", "texts of the key, one for each curve; default: stages, or folders",
     tw_args_words, offsetof(plot_options, labels)},
    {"axis", "AXIS", "axial direction of a history without scenario: x, y or z; default: z",
     read_axis, offsetof(plot_options, request.axis)},
    {.help = "For print:"},
    {"pdf", NULL, "PDF instead of SVG and PNG", tw_args_flag, offsetof(plot_options, style.pdf)},
    {"width", "LENGTH", "such as 8.5cm, 85mm or 3.3in; default: 12cm", read_length,
     offsetof(plot_options, style.width)},
    {"height", "LENGTH", "default: 0.72 times the width", read_length,
     offsetof(plot_options, style.height)},
    {"font", "NAME,SIZE", "size in points; default: Helvetica,9, or 8 points below a width of 10cm",
     read_font, offsetof(plot_options, style)},
    {"percent", NULL, "strains in per cent", tw_args_flag, offsetof(plot_options, style.percent)},
    {"grey", NULL, "greys and dashes instead of colours", tw_args_flag,
     offsetof(plot_options, style.grey)},
    {0}};

static const char description[] =
    "Draws the curves of a run from its history: DIR/history.csv, or such a file on its own. The "
    "figures are those of the loading path, which DIR/scenario.yaml tells. "
    "Several DIRs are drawn in the same figures. Each figure is written as a gnuplot script, an "
    "SVG "
    "and a PNG, or a PDF; curves.csv contains the numbers."
    "\vFigures, as far as the path and the columns of the history allow:\n"
    "  stress_ratio       q/p or shear stress over normal stress\n"
    "  deviator_stress    q, negative in extension\n"
    "  shear_stress, normal_stress   of simple shear\n"
    "  stress_volume      q or shear stress and, on a second axis, volumetric strain\n"
    "  stress_pressure    the same with the pore-pressure ratio at constant volume\n"
    "  volumetric_strain, void_ratio\n"
    "  friction_angle     mobilised\n"
    "  pore_pressure      pore-pressure ratio of undrained tests; fluid_pressure: in kPa\n"
    "  total_stress_path  q over the mean total stress, of undrained tests\n"
    "  stress_path        q over p, or shear stress over normal stress\n"
    "  loops              stress over strain in cycles\n"
    "  strain_cycles, stress_cycles  over the number of cycles\n"
    "  compression_curve  void ratio over stress; k0: lateral over axial stress\n"
    "  pi_plane, intermediate_stress   of true triaxial paths\n"
    "  mohr, failure      circles and q over p at the peaks of several tests: c, phi, M\n"
    "  mohr_end           circles at the ends of these tests\n"
    "  moduli             of states that were kept\n"
    "  turn_error         of a rigid rotation: stress that did not rotate\n"
    "  strains, stresses  over time, of creep and of relaxation\n"
    "  unbalanced         of stages at rest\n"
    "  coordination, sliding, fabric   of the contacts\n"
    "  energies           since the curve began; one figure for each curve\n"
    "  materials_contacts, materials_share_p ...   by pair of materials, if there are several\n"
    "  surfaces_force_x, surfaces_work ...   by wall, if there are walls\n"
    "  STAGE_circles      probes in the Rendulic plane, with fitted circles\n"
    "  STAGE_splits       the same for both splits of the strain, if available\n"
    "  STAGE_envelope     probes in all directions: response envelope, with sections;\n"
    "                     STAGE_envelope_deviatoric: the section at constant volume\n"
    "  STAGE_rates_envelope, STAGE_rates_work   rates: response envelope, second-order work\n\n"
    "Exit status: 0 success, 1 output not written or gnuplot failed, 2 bad options or a history "
    "that cannot be read or drawn.";

static void check_settings(const struct argp_state *state, void *settings)
{
    const plot_options *set = settings;
    const double(*range)[2] = set->request.range;
    if (set->request.x && !set->request.y) argp_error(state, "--x has no effect without --y");
    if (!(isnan(range[0][0]) && isnan(range[0][1]) && isnan(range[1][0]) && isnan(range[1][1])) &&
        !set->request.y && set->figures.count == 0)
        argp_error(state, "--xrange and --yrange are for figures of --y or --figure");
}

static const tw_args_command command_line = {
    .own = {options, check_settings}, .arguments = "DIR...", .description = description};

/* False: too long. */
static bool find_output(const plot_options *set, const tw_figure_set *figures, char *path)
{
    const char *input = set->input.of[0];
    const size_t length = strlen(input);
    const bool csv = length > 4 && strcmp(input + length - 4, ".csv") == 0;
    int used;
    if (set->output)
        used = snprintf(path, PATH_MAX, "%s", set->output);
    else if (set->input.count > 1)
        used = snprintf(path, PATH_MAX, "plots");
    else if (figures->runs[0].folder)
        used = snprintf(path, PATH_MAX, "%s/plots", input);
    else
        used = snprintf(path, PATH_MAX, "%.*s_plots", (int)(csv ? length - 4 : length), input);
    return used < PATH_MAX - NAME_MAX;
}

static bool is_listed(const tw_args_list *list, const tw_figure *f)
{
    for (size_t k = 0; k < list->count; k++)
        if (strcmp(list->of[k], f->name) == 0 || strcmp(list->of[k], f->kind) == 0) return true;
    return false;
}

static bool is_wanted(const plot_options *set, const tw_figure *f)
{
    const bool own = strcmp(f->kind, "curve") == 0;
    if (set->request.y && own) return true;
    return set->figures.count > 0 ? is_listed(&set->figures, f) : !set->request.y;
}

/* A name that no figure has, or NULL. */
static const char *unknown_figure(const plot_options *set, const tw_figure_set *figures)
{
    for (size_t i = 0; i < set->figures.count; i++) {
        const tw_args_list one = {&set->figures.of[i], 1};
        bool found = false;
        for (size_t k = 0; k < figures->figure_count && !found; k++)
            found = is_listed(&one, &figures->figures[k]);
        if (!found) return set->figures.of[i];
    }
    return NULL;
}

static int refuse_figure(const char *command, const tw_figure_set *figures, const char *name)
{
    char names[2000] = "";
    for (size_t k = 0; k < figures->figure_count; k++)
        tw_text_add_word(names, sizeof names, figures->figures[k].name);
    return tw_output_fail(command, TW_EXIT_USAGE, "--figure: there is no figure %s; there are %s",
                          tw_text_quote(name, strlen(name)).text, names);
}

/* Names of the figures, separated by ", ", are added to `names`. */
static tw_status draw(const plot_options *set, const tw_figure_set *figures, const char *plots,
                      tw_text_buffer *names, tw_error *error)
{
    tw_status status = tw_plot_make_directory(plots, error);
    if (status == TW_STATUS_OK)
        status = tw_plot_paint_curves(figures, figures->figure_count, plots, error);
    for (size_t k = 0, next; k < figures->figure_count && status == TW_STATUS_OK; k = next) {
        const tw_figure *f = &figures->figures[k];
        next = tw_plot_paint_next(figures, k);
        if (!is_wanted(set, f)) continue;
        tw_text_buffer_add(names, "%s%s", names->length > 0 ? ", " : "", f->name);
        status = tw_plot_paint(figures, f, next - k, &set->style, plots, error);
    }
    if (status == TW_STATUS_OK && names->failed) status = tw_error_set_memory(error);
    return status;
}

static int refuse_empty(const char *command, const plot_options *set, const tw_figure_set *figures)
{
    char kinds[400] = "";
    if (set->input.count < 2)
        return tw_output_fail(
            command, TW_EXIT_USAGE,
            "%s: nothing to draw: no figure finds its columns; see the figures in "
            "'%s --help'",
            set->input.of[0], command);
    for (size_t i = 0; i < figures->series_count; i++)
        tw_text_add_word(kinds, sizeof kinds, tw_figure_kind_name(figures->series[i].kind));
    return tw_output_fail(
        command, TW_EXIT_USAGE,
        "nothing to draw: these paths (%s) have no figure over the same quantity; "
        "draw each alone, or choose one: --y coordination --x strain",
        kinds);
}

static int plot(const char *command, const plot_options *set, const tw_figure_set *figures)
{
    char plots[PATH_MAX];
    tw_text_buffer names = {0};
    tw_error error;
    int status = TW_EXIT_OK;
    if (!find_output(set, figures, plots))
        return tw_output_fail(command, TW_EXIT_USAGE, "DIR: the path is too long");
    if (figures->figure_count == 0) return refuse_empty(command, set, figures);
    const char *unknown = unknown_figure(set, figures);
    if (unknown) return refuse_figure(command, figures, unknown);
    const tw_status drawn = draw(set, figures, plots, &names, &error);
    if (drawn == TW_STATUS_OK)
        printf("%s: %s; each as %s\n", plots, names.text, tw_plot_style_formats(&set->style));
    else
        status = tw_output_fail(command, tw_exit_status_running(drawn), "%s", error.text);
    tw_text_buffer_free(&names);
    return status;
}

/* A changed result is drawn all the same: the user may have had reasons. */
static void warn(const char *command, const tw_figure_set *figures)
{
    tw_error error;
    for (size_t i = 0; i < figures->run_count; i++) {
        const tw_figure_run *run = &figures->runs[i];
        if (*run->warning) fprintf(stderr, "%s: %s\n", command, run->warning);
        if (run->folder && tw_run_results_check(run->input, &error) != TW_STATUS_OK)
            fprintf(stderr, "%s: warning: %s\n", command, error.text);
    }
}

/* Members of a request are options here. */
static int refuse_set(const char *command, const tw_error *error)
{
    const char *text = error->text;
    const bool option = strncmp(text, "stage: ", 7) == 0 || strncmp(text, "labels: ", 8) == 0 ||
                        strncmp(text, "x: ", 3) == 0 || strncmp(text, "y: ", 3) == 0;
    return tw_output_fail(command, tw_exit_status_running(error->status), "%s%s",
                          option ? "--" : "", text);
}

int tw_plot_command(int argc, char **argv)
{
    plot_options set = {.request = tw_figure_request_default(), .style = tw_plot_style_default()};
    tw_figure_set figures;
    tw_error error;
    tw_args_parse(&command_line, argc, argv, &set);
    tw_plot_style_finish(&set.style);
    set.request.inputs = set.input.of;
    set.request.input_count = set.input.count;
    set.request.stages = set.stages.of;
    set.request.stage_count = set.stages.count;
    set.request.labels = set.labels.of;
    set.request.label_count = set.labels.count;
    set.request.width = set.style.width;
    set.request.height = set.style.height;
    set.request.font_size = set.style.font_size;
    set.request.percent = set.style.percent;
    const tw_status made = tw_figure_set_make(&figures, &set.request, &error);
    if (made == TW_STATUS_OK) warn(argv[0], &figures);
    const int status =
        made == TW_STATUS_OK ? plot(argv[0], &set, &figures) : refuse_set(argv[0], &error);
    tw_figure_set_free(&figures);
    free(set.input.of);
    free(set.stages.of);
    free(set.labels.of);
    free(set.figures.of);
    return status;
}
