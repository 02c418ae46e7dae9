/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot_probes.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <twirl/math.h>

#include "base/error.h"
#include "base/file.h"
#include "common/row_writer.h"
#include "plot/plot.h"
#include "plot/plot_envelope.h"

/* ---- The fits ---- */

enum { FITS_MAX = 256, LABEL_MAX = 64 };

typedef struct fit {
    char law[LABEL_MAX], split[16], circle[16];
    double modulus, diameter, angle, direction[2], flow[2];
} fit;

typedef struct fits {
    fit of[FITS_MAX];
    int count;
} fits;

/* False for what is not a circle in the plane, such as a sphere. */
static bool parse_fit(const char *line, fit *out)
{
    size_t points;
    double rms, z, flow_angle;
    return sscanf(line, "%63[a-z-],%15[a-z_],%15[a-z],%zu,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf",
                  out->law, out->split, out->circle, &points, &out->modulus, &out->diameter, &rms,
                  &out->angle, &out->direction[0], &out->direction[1], &z, &flow_angle,
                  &out->flow[0], &out->flow[1]) == 14 &&
           isfinite(out->angle) && isfinite(out->modulus);
}

static tw_status read_fits(const char *path, fits *out, tw_error *error)
{
    char line[1024];
    FILE *file = tw_read_file_stream(path);
    out->count = 0;
    if (!file) return tw_error_set_system(error, "read", path);
    fit next;
    bool room = true;
    while (room && fgets(line, sizeof line, file)) {
        if (!parse_fit(line, &next)) continue;
        room = out->count < FITS_MAX;
        if (room) out->of[out->count++] = next;
    }
    fclose(file);
    if (room) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT, "%s: exceeds the limit of %d circles",
                        tw_error_shorten_path(path).text, (int)FITS_MAX);
}

static const fit *find(const fits *all, const char *law, const char *split, const char *circle)
{
    for (int i = 0; i < all->count; i++) {
        const fit *f = &all->of[i];
        if ((!law || strcmp(f->law, law) == 0) && (!split || strcmp(f->split, split) == 0) &&
            strcmp(f->circle, circle) == 0)
            return f;
    }
    return NULL;
}

/* ---- The points, copied beside the figures ---- */

static tw_status copy_points(const char *from, const char *to, tw_error *error)
{
    char line[4096];
    tw_row_writer writer;
    FILE *file = tw_read_file_stream(from);
    if (!file) return tw_error_set_system(error, "read", from);
    tw_status status = tw_row_writer_open(&writer, to, error);
    if (status == TW_STATUS_OK) {
        while (fgets(line, sizeof line, file) && tw_row_writer_add(&writer, "%s", line))
            ;
        status = tw_row_writer_finish(&writer, error);
    }
    fclose(file);
    return status;
}

/* ---- The figures ---- */

typedef struct unit {
    double pascals;
    const char *name, *inverse;
} unit;

static const unit units[] = {{1.0, "Pa", "1/Pa"},
                             {1e3, "kPa", "1/kPa"},
                             {1e6, "MPa", "1/MPa"},
                             {1e9, "GPa", "1/GPa"},
                             {1e12, "TPa", "1/TPa"}};
enum { UNITS = sizeof units / sizeof units[0] };

/* The unit in which the modulus has digits before the decimal point. */
static unit unit_of(double modulus)
{
    int k = 0;
    while (k + 1 < UNITS && modulus >= units[k + 1].pascals)
        k++;
    return units[k];
}

/* The unit in whose inverse the diameter has digits before the decimal point. */
static unit inverse_unit_of(double modulus)
{
    int k = 0;
    while (k + 1 < UNITS && modulus > units[k].pascals)
        k++;
    return units[k];
}

/* Equal scales; the key is beside the frame. */
static void add_frame(tw_text_buffer *text, const tw_plot_style *style, unit u)
{
    const double em = tw_plot_style_em(style);
    const tw_plot_style_margins m = {4.2, 1.0, 3.7, 0.8};
    tw_plot_style_add_margins(text, style, &m);
    tw_plot_style_add_x_label(text, style, "Volumetric direction", u.inverse);
    tw_plot_style_add_y_label(text, style, "Deviatoric direction", u.inverse);
    tw_text_buffer_add(text,
                       "set size ratio -1\n"
                       "right = low(0.66, %.4f + %.4f*(x2 - x1)/(y2 - y1))\n"
                       "set rmargin at screen right\n"
                       "set key at screen right + %.4f, screen 0.97 left top vertical Left reverse "
                       "samplen 1.5\n"
                       "set samples 181\n"
                       "set xzeroaxis linetype 1 linewidth 0.7 linecolor rgb '#999999'\n"
                       "set yzeroaxis linetype 1 linewidth 0.7 linecolor rgb '#999999'\n",
                       m.left * em / style->width,
                       (style->height - (m.bottom + m.top) * em) / style->width,
                       0.5 * em / style->width);
}

/* The range covers the points, the first circle and the arrows. */
static void add_settings(tw_text_buffer *text, const tw_plot_style *style, const char *stage,
                         const fit *first, unit u)
{
    tw_plot_style_add_settings(text, style);
    tw_text_buffer_add(text,
                       "stats '%s_probes.csv' using (%g*column('x')):(%g*column('y')) nooutput\n"
                       "low(a, b) = a < b ? a : b\n"
                       "high(a, b) = a > b ? a : b\n",
                       stage, u.pascals, u.pascals);
    const double d = first->diameter * u.pascals;
    static const char *const axes[] = {"x", "y"};
    for (int k = 0; k < 2; k++) {
        const double middle = 0.5 * d * first->direction[k];
        const double end[2] = {1.2 * d * first->direction[k], 1.2 * d * first->flow[k]};
        const double below = tw_math_min(tw_math_min(end[0], end[1]), middle - 0.5 * d) - 0.1 * d;
        const double above = tw_math_max(tw_math_max(end[0], end[1]), middle + 0.5 * d) + 0.1 * d;
        tw_text_buffer_add(text,
                           "%s1 = low(STATS_min_%s - %.9g, %.9g)\n"
                           "%s2 = high(STATS_max_%s + %.9g, %.9g)\n"
                           "set %srange [%s1:%s2]\n",
                           axes[k], axes[k], 0.05 * d, below, axes[k], axes[k], 0.05 * d, above,
                           axes[k], axes[k], axes[k]);
    }
    add_frame(text, style, u);
}

/* The first line is the widest, so that lines that coincide are all visible. */
static void add_circle(tw_text_buffer *text, const fit *f, unit u, int number, bool dashed,
                       const char *title)
{
    const double r = 0.5 * f->diameter * u.pascals;
    tw_text_buffer_add(
        text,
        "%s[t=0:6.4] '+' using (%.9g + %.9g*cos($1)):(%.9g + %.9g*sin($1)) with lines linetype "
        "%d linewidth %g dashtype %d %s%s%s",
        text->length > sizeof "plot sample" - 1 ? ", \\\n    " : " ", r * f->direction[0], r,
        r * f->direction[1], r, number + 1,
        number == 0   ? 3.0
        : number == 1 ? 1.8
                      : 1.0,
        dashed ? 2 : 1, title ? "title '" : "notitle", title ? title : "", title ? "'" : "");
}

static void add_points(tw_text_buffer *text, const char *stage, const fit *f, unit u, int number)
{
    static const int types[] = {7, 4, 8, 12, 2, 1};
    const char *x = strcmp(f->split, "unload") == 0 ? "" : "no_slip_";
    const unit own = unit_of(f->modulus);
    tw_text_buffer_add(
        text,
        ", \\\n    '%s_probes.csv' using (strcol('law') eq '%s' ? %g*column('%sx') : NaN):"
        "(%g*column('%sy')) with points linetype %d linewidth 1 pointtype %d pointsize default "
        "title '{/*0.85 modulus %.4g %s}'",
        stage, f->law, u.pascals, x, u.pascals, x, number + 1, types[number % 6],
        f->modulus / own.pascals, own.name);
}

/* Arrows from the origin: the normal of the yield surface, across the circle, and the direction of
 * flow. The labels are on the outer sides. */
static void add_directions(tw_text_buffer *text, const fit *f, unit u)
{
    const double d = 1.12 * f->diameter * u.pascals;
    const bool left = f->flow[0] * f->direction[1] - f->flow[1] * f->direction[0] > 0.0;
    static const char *const names[] = {"yield", "flow"};
    for (int k = 0; k < 2; k++) {
        const double *way = k == 0 ? f->direction : f->flow;
        const bool on_left = (k == 0) == left;
        tw_text_buffer_add(
            text,
            "set arrow from 0,0 to %.9g,%.9g linewidth 1.4 dashtype %d linecolor rgb '#444444' "
            "front\nset label '%s' at %.9g,%.9g %s offset character %g,0.3 textcolor rgb "
            "'#444444'\n",
            d * way[0], d * way[1], k + 1, names[k], d * way[0], d * way[1],
            on_left ? "right" : "left", on_left ? -0.5 : 0.5);
    }
}

static void add_fit(tw_text_buffer *text, const fits *all, const fit *f, const char *stage,
                    const char *name, unit u, int number)
{
    const fit *small = find(all, f->law, f->split, "unloading");
    add_circle(text, f, u, number, false, name);
    if (small) add_circle(text, small, u, number, true, NULL);
    add_points(text, stage, f, u, number);
}

typedef struct drawing {
    const char *plots, *stage; /* directory of the figures, name of the stage */
    const tw_plot_style *style;
    tw_text_buffer settings, curves;
} drawing;

static void start(drawing *d, const fit *first, unit u)
{
    add_settings(&d->settings, d->style, d->stage, first, u);
    tw_text_buffer_add(&d->curves, "plot sample");
}

static tw_status finish(drawing *d, const char *figure, tw_error *error)
{
    char name[2 * NAME_MAX];
    snprintf(name, sizeof name, "%s_%s", d->stage, figure);
    tw_text_buffer_add(&d->curves, "\n");
    const tw_plot plot = {d->plots, name, d->settings.text, d->curves.text, d->style};
    const tw_status status = d->settings.failed || d->curves.failed ? tw_error_set_memory(error)
                                                                    : tw_plot_draw(&plot, error);
    tw_text_buffer_free(&d->settings);
    tw_text_buffer_free(&d->curves);
    return status;
}

/* One curve per law. */
static tw_status draw_laws(drawing d, const fits *all, const char *split, tw_error *error)
{
    int number = 0;
    const fit *first = find(all, NULL, split, "loading");
    const unit u = inverse_unit_of(first->modulus);
    start(&d, first, u);
    add_directions(&d.settings, first, u);
    for (int i = 0; i < all->count; i++) {
        const fit *f = &all->of[i];
        if (strcmp(f->split, split) != 0 || strcmp(f->circle, "loading") != 0) continue;
        add_fit(&d.curves, all, f, d.stage, f->law, u, number++);
    }
    return finish(&d, "circles", error);
}

/* The two splits of the first law. */
static tw_status draw_splits(drawing d, const fits *all, const fit *unloading, const fit *no_slip,
                             tw_error *error)
{
    const unit u = inverse_unit_of(unloading->modulus);
    start(&d, unloading, u);
    add_fit(&d.curves, all, unloading, d.stage, "unloading", u, 0);
    add_fit(&d.curves, all, no_slip, d.stage, "no-slip companion", u, 1);
    return finish(&d, "splits", error);
}

/* Splits by unloading, or by the no-slip companion if there are no others. */
static tw_status draw_stage(const char *run, drawing d, tw_text_buffer *names, tw_error *error)
{
    const char *stage = d.stage, *plots = d.plots;
    char from[PATH_MAX + NAME_MAX], to[PATH_MAX + NAME_MAX];
    fits all;
    snprintf(from, sizeof from, "%s/stages/%s/fits.csv", run, stage);
    tw_status status = read_fits(from, &all, error);
    if (status != TW_STATUS_OK) return status;
    const fit *unloading = find(&all, NULL, "unload", "loading");
    const fit *no_slip = find(&all, unloading ? unloading->law : NULL, "no_slip", "loading");
    snprintf(from, sizeof from, "%s/stages/%s/probes.csv", run, stage);
    snprintf(to, sizeof to, "%s/%s_probes.csv", plots, stage);
    status = copy_points(from, to, error);
    if (status == TW_STATUS_OK && !unloading && !no_slip)
        return tw_plot_envelope(from, stage, plots, d.style, names, error);
    if (status == TW_STATUS_OK)
        status = draw_laws(d, &all, unloading ? "unload" : "no_slip", error);
    tw_text_buffer_add(names, "%s%s_circles", names->length > 0 ? ", " : "", stage);
    if (status != TW_STATUS_OK || !unloading || !no_slip) return status;
    tw_text_buffer_add(names, ", %s_splits", stage);
    return draw_splits(d, &all, unloading, no_slip, error);
}

/* The next stage with fits, or `stage` alone; false: no more. */
static bool next_stage(DIR *folder, const char *run, const char *stage, const char **name)
{
    char path[PATH_MAX + 2 * NAME_MAX];
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (entry->d_name[0] == '.' || (stage && strcmp(stage, entry->d_name) != 0)) continue;
        snprintf(path, sizeof path, "%s/stages/%s/fits.csv", run, entry->d_name);
        *name = entry->d_name;
        if (access(path, F_OK) == 0) return true;
    }
    return false;
}

static DIR *open_stages(const char *run)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/stages", run);
    return opendir(path);
}

bool tw_plot_probes_any(const char *run, const char *stage)
{
    const char *name;
    DIR *folder = open_stages(run);
    const bool any = folder && next_stage(folder, run, stage, &name);
    if (folder) closedir(folder);
    return any;
}

tw_status tw_plot_probes(const char *run, const char *stage, const char *plots,
                         const tw_plot_style *style, tw_text_buffer *names, tw_error *error)
{
    drawing d = {.plots = plots, .style = style};
    DIR *folder = open_stages(run);
    tw_status status = TW_STATUS_OK;
    if (!folder) return status; /* a history on its own, without the run */
    while (status == TW_STATUS_OK && next_stage(folder, run, stage, &d.stage))
        status = draw_stage(run, d, names, error);
    closedir(folder);
    return status;
}
