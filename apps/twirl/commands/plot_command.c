/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl plot: the curves of a run. */
#include "commands/commands.h"
#include "common/args.h"
#include "common/row_writer.h"
#include "plot/curves.h"
#include "plot/plot.h"
#include "plot/plot_probes.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <twirl/math.h>
#include <twirl/text.h>

enum { KEY_OUT = 256, KEY_AXIS, KEY_STAGE };

static const struct argp_option options[] = {
    {"out", KEY_OUT, "DIR", 0,
     "directory for the files, made if it is missing; default: DIR/plots, or FILE_plots for "
     "FILE.csv",
     0},
    {"axis", KEY_AXIS, "AXIS", 0, "the axial direction: x, y or z; default z", 0},
    {"stage", KEY_STAGE, "NAME", 0,
     "only the rows of this stage; default: all but those of 'specimen', the making of it", 0},
    {0}};

typedef struct settings {
    const char *input, *output, *stage;
    int axis;
} settings;

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
    settings *set = state->input;
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
        if (set->input) argp_error(state, "one DIR at a time: '%s' is the second", text);
        set->input = text;
        break;
    case ARGP_KEY_END:
        if (!set->input) argp_error(state, "DIR is missing: the folder of a run, or its history");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const char description[] =
    "Draws the curves of a run from its history, DIR/history.csv or a file that 'twirl advance "
    "--history' wrote. Columns are found by their names; what has no columns is left out. Each "
    "figure is a gnuplot script, an SVG and a PNG; curves.csv has the numbers."
    "\vFigures:\n"
    "  stress_ratio       q/p against axial strain\n"
    "  volumetric_strain  against axial strain\n"
    "  stress_path        q against p\n"
    "  energies           put in, stored, dissipated\n"
    "  contacts           coordination number and share of contacts that slide\n"
    "  STAGE_circles      probes in the Rendulic plane, with the circles fitted to them\n"
    "  STAGE_splits       the same by both splits of the strain, if both were made\n\n"
    "A history without strains is drawn against time.\n\n"
    "Exit status: 0 done, 2 bad options or a history that cannot be read or drawn, 1 a file could "
    "not be written or gnuplot not be run.";

static const struct argp argp = {options, parse_option, "DIR", description, NULL, NULL, NULL};

/* ---- The figures ---- */

enum { LINES_MAX = 6 };

typedef struct line {
    tw_curve curve;
    const char *title; /* NULL: no key */
    bool second;       /* on the axis at the right */
} line;

typedef struct figure {
    const char *name, *title;
    tw_curve x; /* TW_CURVES: axial strain, or time */
    const char *settings;
    line lines[LINES_MAX];
    int count;
} figure;

static const figure figures[] = {
    {"stress_ratio",
     "Stress ratio",
     TW_CURVES,
     "set ylabel 'q/p  [–]'\n",
     {{TW_CURVE_STRESS_RATIO, NULL, false}},
     1},
    {"volumetric_strain",
     "Volumetric strain",
     TW_CURVES,
     "set ylabel 'Volumetric strain, compression positive  [–]'\n"
     "set yrange [*<-1e-4:1e-4<*]\n",
     {{TW_CURVE_VOLUMETRIC_STRAIN, NULL, false}},
     1},
    {"stress_path",
     "Stress path",
     TW_CURVE_P,
     "set xlabel 'Mean stress p'\nset ylabel 'Deviator stress q'\n"
     "set xrange [*<0:*]\nset yrange [*<0:*]\n"
     "set format x '{/*0.8 %.0s %cPa}'\nset format y '%.0s %cPa'\n",
     {{TW_CURVE_Q, NULL, false}},
     1},
    {"energies",
     "Energies",
     TW_CURVES,
     "set ylabel 'Energy'\nset format y '%.1s %cJ'\n",
     {{TW_CURVE_WORK, "put in", false},
      {TW_CURVE_STORED, "stored in contacts", false},
      {TW_CURVE_KINETIC, "kinetic", false},
      {TW_CURVE_FRICTION, "lost by friction", false},
      {TW_CURVE_DAMPING, "lost by damping", false},
      {TW_CURVE_RESIDUAL, "residual", false}},
     6},
    {"contacts",
     "Contacts",
     TW_CURVES,
     "set ylabel 'Coordination number  [–]'\nset y2label 'Share of contacts that slide  [–]'\n"
     "set ytics nomirror\nset y2tics\nset y2range [0:*]\nset border 11\n",
     {{TW_CURVE_COORDINATION, "coordination number", false},
      {TW_CURVE_SLIDING_FRACTION, "sliding", true}},
     2},
};
enum { FIGURES = sizeof figures / sizeof figures[0] };

static const char style[] = "set datafile separator comma\n"
                            "set datafile columnheaders\n"
                            "set minussign\n"
                            "set micro\n"
                            "set xtics nomirror\n"
                            "set ytics nomirror\n"
                            "set grid xtics ytics linetype 1 linewidth 1 linecolor rgb '#dddddd'\n"
                            "set border 3 linewidth 1.5 linecolor rgb '#444444'\n"
                            "set key below Left reverse spacing 1.3 samplen 2\n"
                            "set linetype 1 linewidth 3.5 linecolor rgb '#0072b2'\n"
                            "set linetype 2 linewidth 3.5 linecolor rgb '#d55e00'\n"
                            "set linetype 3 linewidth 3.5 linecolor rgb '#009e73'\n"
                            "set linetype 4 linewidth 3.5 linecolor rgb '#cc79a7'\n"
                            "set linetype 5 linewidth 3.5 linecolor rgb '#e69f00'\n"
                            "set linetype 6 linewidth 3.5 linecolor rgb '#444444'\n";

/* gnuplot wants a range that is not empty: a curve that is constant gets one. */
static void widen(char *text, size_t size, const char *axis, double low, double high)
{
    const double middle = 0.5 * (low + high), wide = tw_math_max(fabs(low), fabs(high));
    text[0] = '\0';
    if (low > high || high - low > 1e-9 * wide) return; /* no such axis, or no need */
    const double half = wide > 0.0 ? 0.1 * wide : 1.0;
    snprintf(text, size, "set %srange [%.17g:%.17g]\n", axis, middle - half, middle + half);
}

typedef struct drawing {
    const tw_history_table *table;
    int axis;
    bool present[TW_CURVES];
    tw_curve abscissa; /* axial strain, or time */
} drawing;

static void add_to_range(double value, double *low, double *high)
{
    *low = tw_math_min(*low, value); /* numbers that are NaN do not count */
    *high = tw_math_max(*high, value);
}

static void write_ranges(char *text, size_t size, const drawing *d, const figure *f, tw_curve x)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    static const char *const names[] = {"x", "y", "y2"};
    for (size_t row = 0; row < d->table->count; row++) {
        double value[TW_CURVES];
        tw_curves_at(d->table, row, d->axis, value);
        add_to_range(value[x], &low[0], &high[0]);
        for (int i = 0; i < f->count; i++) {
            const int k = f->lines[i].second ? 2 : 1;
            if (d->present[f->lines[i].curve])
                add_to_range(value[f->lines[i].curve], &low[k], &high[k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        const size_t used = k > 0 ? strlen(text) : 0;
        widen(text + used, size - used, names[k], low[k], high[k]);
    }
}

static void write_curve_list(char *text, size_t size, const drawing *d, const figure *f, tw_curve x)
{
    size_t used = (size_t)snprintf(text, size, "plot");
    for (int i = 0, drawn = 0; i < f->count; i++) {
        const line *l = &f->lines[i];
        if (!d->present[l->curve]) continue;
        used += (size_t)snprintf(text + used, size - used,
                                 "%s 'curves.csv' using '%s':'%s' %swith lines linetype %d %s%s%s",
                                 drawn++ > 0 ? ", \\\n    " : "", tw_curve_names[x],
                                 tw_curve_names[l->curve], l->second ? "axes x1y2 " : "", i + 1,
                                 l->title ? "title '" : "notitle", l->title ? l->title : "",
                                 l->title ? "'" : "");
    }
    snprintf(text + used, size - used, "\n");
}

/* A curve that is alone in its figure has a colour for each stage. */
static bool has_stages(const drawing *d, const figure *f)
{
    return f->count == 1 && d->table->stages > 1 && d->table->stages <= TW_HISTORY_STAGES_MAX;
}

static void write_stage_list(char *text, size_t size, const drawing *d, const figure *f, tw_curve x)
{
    size_t used = (size_t)snprintf(text, size, "plot");
    for (size_t i = 0; i < d->table->stages; i++) {
        char name[TW_HISTORY_STAGE_MAX];
        snprintf(name, sizeof name, "%s", d->table->stage[i]);
        for (char *quote = name; (quote = strchr(quote, '\'')) != NULL;)
            *quote = ' '; /* it would end the title */
        used += (size_t)snprintf(text + used, size - used,
                                 "%s 'curves.csv' every :::%zu::%zu using '%s':'%s' with lines "
                                 "linetype %zu title '%s' noenhanced",
                                 i > 0 ? ", \\\n    " : "", i, i, tw_curve_names[x],
                                 tw_curve_names[f->lines[0].curve], i + 1, name);
    }
    snprintf(text + used, size - used, "\n");
}

static bool draw(const char *directory, const figure *f, const drawing *d, char *error, size_t size)
{
    char text[4096], ranges[256], curves[2048];
    const tw_curve x = f->x == TW_CURVES ? d->abscissa : f->x;
    const char *label = x == TW_CURVE_TIME ? "set xlabel 'Time'\nset format x '{/*0.8 %.1s %cs}'\n"
                                           : "set xlabel 'Axial strain  [–]'\n";
    write_ranges(ranges, sizeof ranges, d, f, x);
    snprintf(text, sizeof text, "%sset title '%s'\n%s%s%s", style, f->title, label, f->settings,
             ranges);
    if (has_stages(d, f))
        write_stage_list(curves, sizeof curves, d, f, x);
    else
        write_curve_list(curves, sizeof curves, d, f, x);
    const tw_plot plot = {directory, f->name, text, curves};
    return tw_plot_draw(&plot, error, size);
}

static bool can_draw(const figure *f, const drawing *d)
{
    bool any = false;
    for (int i = 0; i < f->count; i++)
        any = any || d->present[f->lines[i].curve];
    return any && d->present[f->x == TW_CURVES ? d->abscissa : f->x];
}

/* ---- The numbers ---- */

static bool write_row(tw_row_writer *writer, const drawing *d, size_t row)
{
    char text[TW_ROW_WRITER_ROW_MAX];
    double value[TW_CURVES];
    size_t used = 0;
    tw_curves_at(d->table, row, d->axis, value);
    for (int c = 0; c < TW_CURVES; c++) {
        if (!d->present[c]) continue;
        const char *comma = used > 0 ? "," : "";
        used += (size_t)(isnan(value[c]) ? snprintf(text + used, sizeof text - used, "%snan", comma)
                                         : snprintf(text + used, sizeof text - used, "%s%.17g",
                                                    comma, value[c] + 0.0));
    }
    return tw_row_writer_add(writer, "%s\n", text);
}

/* A blank line between stages: gnuplot does not join across it. */
static bool write_rows(tw_row_writer *writer, const drawing *d)
{
    const tw_history_table *table = d->table;
    bool good = true, first = true;
    for (int c = 0; good && c < TW_CURVES; c++) {
        if (!d->present[c]) continue;
        good = tw_row_writer_add(writer, "%s%s", first ? "" : ",", tw_curve_names[c]);
        first = false;
    }
    good = good && tw_row_writer_add(writer, "\n");
    for (size_t i = 0; good && i < table->count; i++) {
        if (i > 0 && table->row[i].stage != table->row[i - 1].stage)
            good = tw_row_writer_add(writer, "\n");
        good = good && write_row(writer, d, i);
    }
    return good;
}

static bool write_curves(const char *directory, const drawing *d, char *error, size_t size)
{
    char path[PATH_MAX + 16];
    tw_row_writer writer;
    snprintf(path, sizeof path, "%s/curves.csv", directory);
    bool good = tw_row_writer_open(&writer, path);
    if (good) {
        const bool written = write_rows(&writer, d);
        good = written && tw_row_writer_finish(&writer);
        if (!written) tw_row_writer_abandon(&writer);
    }
    if (!good) snprintf(error, size, "%s", writer.error);
    return good;
}

/* ---- The command ---- */

/* Where the history is and where the plots go. */
typedef struct places {
    char history[PATH_MAX], plots[PATH_MAX];
    bool folder; /* of a run */
} places;

static bool find_places(const settings *set, places *at)
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

static void tell(const char *directory, const drawing *d, const char *probes)
{
    const char *before = ": ";
    printf("%s", directory);
    for (int i = 0; i < FIGURES; i++) {
        if (!can_draw(&figures[i], d)) continue;
        printf("%s%s", before, figures[i].name);
        before = ", ";
    }
    printf("%s; each as SVG and PNG\n", probes);
}

static int plot(const char *command, const settings *set, const places *at,
                const tw_history_table *table)
{
    char error[2 * PATH_MAX], probes[1024] = "";
    drawing d = {.table = table, .axis = set->axis};
    bool any = false;
    tw_curves_find(table, set->axis, d.present);
    d.abscissa = d.present[TW_CURVE_AXIAL_STRAIN] ? TW_CURVE_AXIAL_STRAIN : TW_CURVE_TIME;
    for (int i = 0; i < FIGURES; i++)
        any = any || can_draw(&figures[i], &d);
    if (!any) {
        snprintf(error, sizeof error,
                 "%s: no columns to draw: none of the figures finds its own, such as time and p or "
                 "coordination; 'twirl plot --help' has the list of figures",
                 at->history);
        return refuse(command, error, TW_EXIT_USAGE);
    }
    bool good = tw_plot_make_directory(at->plots, error, sizeof error) &&
                write_curves(at->plots, &d, error, sizeof error);
    for (int i = 0; good && i < FIGURES; i++) {
        if (can_draw(&figures[i], &d)) good = draw(at->plots, &figures[i], &d, error, sizeof error);
    }
    if (good && at->folder)
        good = tw_plot_probes(set->input, set->stage, at->plots, style, probes, sizeof probes,
                              error, sizeof error);
    if (!good) return refuse(command, error, TW_EXIT_ENVIRONMENT);
    tell(at->plots, &d, probes);
    return TW_EXIT_OK;
}

int tw_plot_command(int argc, char **argv)
{
    settings set = {.axis = 2};
    places at;
    tw_history_table table;
    tw_args_parse(&argp, argc, argv, &set);
    if (!find_places(&set, &at)) return refuse(argv[0], "DIR: the path is too long", TW_EXIT_USAGE);
    int status;
    if (tw_history_table_read(&table, at.history, set.stage)) {
        status = plot(argv[0], &set, &at, &table);
    } else {
        status = refuse(argv[0], table.error, table.failed ? TW_EXIT_ENVIRONMENT : TW_EXIT_USAGE);
    }
    tw_history_table_free(&table);
    return status;
}
