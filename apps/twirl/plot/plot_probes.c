/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot_probes.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <twirl/math.h>

#include "common/row_writer.h"
#include "plot/plot.h"

/* ---- The fits ---- */

enum { FITS_MAX = 256, LABEL_MAX = 64 };

typedef struct fit {
    char law[LABEL_MAX], split[16], circle[16];
    double modulus, diameter, rms, angle, direction[2], flow[2];
} fit;

typedef struct fits {
    fit of[FITS_MAX];
    int count;
} fits;

/* What is no circle of the plane, such as a sphere, is left out. */
static bool parse_fit(const char *line, fit *out)
{
    size_t points;
    double z, flow_angle;
    return sscanf(line, "%63[a-z-],%15[a-z_],%15[a-z],%zu,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf",
                  out->law, out->split, out->circle, &points, &out->modulus, &out->diameter,
                  &out->rms, &out->angle, &out->direction[0], &out->direction[1], &z, &flow_angle,
                  &out->flow[0], &out->flow[1]) == 14 &&
           isfinite(out->angle) && isfinite(out->modulus);
}

static bool read_fits(const char *path, fits *out, char *error, size_t size)
{
    char line[1024];
    FILE *file = fopen(path, "r");
    out->count = 0;
    if (!file) {
        snprintf(error, size, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    fit next;
    bool room = true;
    while (room && fgets(line, sizeof line, file)) {
        if (!parse_fit(line, &next)) continue;
        room = out->count < FITS_MAX;
        if (room) out->of[out->count++] = next;
    }
    fclose(file);
    if (!room) snprintf(error, size, "%s: more than %d circles", path, (int)FITS_MAX);
    return room;
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

/* ---- The points, beside the figures ---- */

static bool copy_points(const char *from, const char *to, char *error, size_t size)
{
    char line[TW_ROW_WRITER_ROW_MAX];
    tw_row_writer writer;
    FILE *file = fopen(from, "r");
    if (!file) {
        snprintf(error, size, "cannot read %s: %s", from, strerror(errno));
        return false;
    }
    bool good = tw_row_writer_open(&writer, to);
    if (good) {
        while (good && fgets(line, sizeof line, file))
            good = tw_row_writer_add(&writer, "%s", line);
        if (good)
            good = tw_row_writer_finish(&writer);
        else
            tw_row_writer_abandon(&writer);
    }
    if (!good) snprintf(error, size, "%s", writer.error);
    fclose(file);
    return good;
}

/* ---- The figures ---- */

typedef struct words {
    char text[16384];
    size_t used;
} words;

static void say(words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(words *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(w->text + w->used, sizeof w->text - w->used, format, list);
    va_end(list);
    w->used += (size_t)length;
    if (w->used >= sizeof w->text) w->used = sizeof w->text - 1;
}

typedef struct unit {
    double pascals;
    const char *name;
} unit;

static const unit units[] = {{1.0, "Pa"}, {1e3, "kPa"}, {1e6, "MPa"}, {1e9, "GPa"}, {1e12, "TPa"}};
enum { UNITS = sizeof units / sizeof units[0] };

/* A unit in which the modulus has digits before the point. */
static unit unit_of(double modulus)
{
    int k = 0;
    while (k + 1 < UNITS && modulus >= units[k + 1].pascals)
        k++;
    return units[k];
}

/* A unit in whose inverse the diameter has them. */
static unit inverse_unit_of(double modulus)
{
    int k = 0;
    while (k + 1 < UNITS && modulus > units[k].pascals)
        k++;
    return units[k];
}

/* The range: that of the points and of the circle about the origin in which the arrows end. */
static void say_settings(words *w, const char *style, const char *title, const char *stage,
                         const fit *first, unit u)
{
    say(w,
        "%sstats '%s_probes.csv' using (%g*column('x')):(%g*column('y')) nooutput\n"
        "low(a, b) = a < b ? a : b\n"
        "high(a, b) = a > b ? a : b\n",
        style, stage, u.pascals, u.pascals);
    const double d = first->diameter * u.pascals;
    static const char *const axes[] = {"x", "y"};
    for (int k = 0; k < 2; k++) {
        const double middle = 0.5 * d * first->direction[k];
        const double end[2] = {1.2 * d * first->direction[k], 1.2 * d * first->flow[k]};
        const double below = tw_math_min(tw_math_min(end[0], end[1]), middle - 0.5 * d) - 0.1 * d;
        const double above = tw_math_max(tw_math_max(end[0], end[1]), middle + 0.5 * d) + 0.1 * d;
        say(w, "set %srange [low(STATS_min_%s - %.9g, %.9g):high(STATS_max_%s + %.9g, %.9g)]\n",
            axes[k], axes[k], 0.05 * d, below, axes[k], 0.05 * d, above);
    }
    say(w,
        "set title '%s'\n"
        "set xlabel 'Volumetric direction  [1/%s]'\n"
        "set ylabel 'Deviatoric direction  [1/%s]'\n"
        "set size ratio -1\n"
        "set samples 181\n"
        "set xzeroaxis linetype -1 linewidth 1.5 linecolor rgb '#444444'\n"
        "set yzeroaxis linetype -1 linewidth 1.5 linecolor rgb '#444444'\n"
        "set lmargin at screen 0.13\nset rmargin at screen 0.67\n"
        "set bmargin at screen 0.13\nset tmargin at screen 0.92\n"
        "set key at screen 0.61, screen 0.9 left top vertical Left reverse spacing 1.3 samplen "
        "1.5\n"
        "set border 3\n",
        title, u.name, u.name);
}

/* The first curve is the widest, so that all are seen where they coincide. */
static void say_circle(words *w, const fit *f, unit u, int number, bool dashed, const char *title)
{
    const double r = 0.5 * f->diameter * u.pascals;
    say(w,
        "%s[t=0:6.4] '+' using (%.9g + %.9g*cos($1)):(%.9g + %.9g*sin($1)) with lines linetype "
        "%d linewidth %g dashtype %d %s%s%s",
        w->used > sizeof "plot sample" - 1 ? ", \\\n    " : " ", r * f->direction[0], r,
        r * f->direction[1], r, number + 1,
        number == 0   ? 6.0
        : number == 1 ? 3.5
                      : 1.8,
        dashed ? 2 : 1, title ? "title '" : "notitle", title ? title : "", title ? "'" : "");
}

static void say_points(words *w, const char *stage, const fit *f, unit u, int number)
{
    static const int types[] = {7, 4, 8, 12, 2, 1};
    const char *x = strcmp(f->split, "unload") == 0 ? "" : "no_slip_";
    const unit own = unit_of(f->modulus);
    say(w,
        ", \\\n    '%s_probes.csv' using (strcol('law') eq '%s' ? %g*column('%sx') : NaN):"
        "(%g*column('%sy')) with points linetype %d linewidth 1.5 pointtype %d pointsize default "
        "title '{/*0.8 modulus %.4g %s, rms %.1f %%}'",
        stage, f->law, u.pascals, x, u.pascals, x, number + 1, types[number % 6],
        f->modulus / own.pascals, own.name, 100.0 * f->rms);
}

/* From the origin across the circle: the normal of the yield surface; and the flow. Labels on the
 * sides that are turned away from each other. */
static void say_directions(words *w, const fit *f, unit u)
{
    const double d = 1.12 * f->diameter * u.pascals;
    const bool left = f->flow[0] * f->direction[1] - f->flow[1] * f->direction[0] > 0.0;
    static const char *const names[] = {"yield", "flow"};
    for (int k = 0; k < 2; k++) {
        const double *way = k == 0 ? f->direction : f->flow;
        const bool on_left = (k == 0) == left;
        say(w,
            "set arrow from 0,0 to %.9g,%.9g linewidth 2 dashtype %d linecolor rgb '#444444' "
            "front\nset label '%s' at %.9g,%.9g %s offset character %g,0.3 textcolor rgb "
            "'#444444'\n",
            d * way[0], d * way[1], k + 1, names[k], d * way[0], d * way[1],
            on_left ? "right" : "left", on_left ? -0.5 : 0.5);
    }
}

static void say_fit(words *w, const fits *all, const fit *f, const char *stage, const char *name,
                    unit u, int number)
{
    const fit *small = find(all, f->law, f->split, "unloading");
    say_circle(w, f, u, number, false, name);
    if (small) say_circle(w, small, u, number, true, NULL);
    say_points(w, stage, f, u, number);
}

static bool draw(const char *plots, const char *stage, const char *figure, words *settings,
                 words *curves, char *error, size_t size)
{
    char name[2 * NAME_MAX];
    snprintf(name, sizeof name, "%s_%s", stage, figure);
    say(curves, "\n");
    const tw_plot plot = {plots, name, settings->text, curves->text};
    return tw_plot_draw(&plot, error, size);
}

/* One curve a law, of the split by unloading, or of the other where there is no such. */
static bool draw_laws(const char *plots, const char *stage, const char *style, const fits *all,
                      const char *split, char *error, size_t size)
{
    static words settings, curves; /* large, and one drawing at a time */
    int number = 0;
    const fit *first = find(all, NULL, split, "loading");
    const unit u = inverse_unit_of(first->modulus);
    settings.used = curves.used = 0;
    say_settings(&settings, style, "Irreversible strain over stress increment", stage, first, u);
    say_directions(&settings, first, u);
    say(&curves, "plot sample");
    for (int i = 0; i < all->count; i++) {
        const fit *f = &all->of[i];
        if (strcmp(f->split, split) != 0 || strcmp(f->circle, "loading") != 0) continue;
        say_fit(&curves, all, f, stage, f->law, u, number++);
    }
    return draw(plots, stage, "circles", &settings, &curves, error, size);
}

/* The two splits of the first law. */
static bool draw_splits(const char *plots, const char *stage, const char *style, const fits *all,
                        const fit *one, const fit *other, char *error, size_t size)
{
    static words settings, curves;
    const unit u = inverse_unit_of(one->modulus);
    settings.used = curves.used = 0;
    say_settings(&settings, style, "Irreversible strain over stress increment, by two splits",
                 stage, one, u);
    say(&curves, "plot sample");
    say_fit(&curves, all, one, stage, "by unloading", u, 0);
    say_fit(&curves, all, other, stage, "by the twin without slip", u, 1);
    return draw(plots, stage, "splits", &settings, &curves, error, size);
}

static bool draw_stage(const char *run, const char *stage, const char *plots, const char *style,
                       char *names, size_t room, char *error, size_t size)
{
    char from[PATH_MAX + NAME_MAX], to[PATH_MAX + NAME_MAX];
    static fits all;
    snprintf(from, sizeof from, "%s/stages/%s/fits.csv", run, stage);
    if (!read_fits(from, &all, error, size)) return false;
    const fit *one = find(&all, NULL, "unload", "loading");
    const fit *other = find(&all, one ? one->law : NULL, "no_slip", "loading");
    if (!one && !other) return true;
    const size_t used = strlen(names);
    snprintf(names + used, room - used, one && other ? ", %s_circles, %s_splits" : ", %s_circles",
             stage, stage);
    snprintf(from, sizeof from, "%s/stages/%s/probes.csv", run, stage);
    snprintf(to, sizeof to, "%s/%s_probes.csv", plots, stage);
    return copy_points(from, to, error, size) &&
           draw_laws(plots, stage, style, &all, one ? "unload" : "no_slip", error, size) &&
           (!one || !other || draw_splits(plots, stage, style, &all, one, other, error, size));
}

bool tw_plot_probes(const char *run, const char *stage, const char *plots, const char *style,
                    char *names, size_t room, char *error, size_t size)
{
    char path[PATH_MAX + 2 * NAME_MAX];
    snprintf(path, sizeof path, "%s/stages", run);
    DIR *folder = opendir(path);
    bool good = true;
    if (!folder) return true; /* a history that is not that of a run */
    for (struct dirent *entry = readdir(folder); good && entry; entry = readdir(folder)) {
        if (entry->d_name[0] == '.' || (stage && strcmp(stage, entry->d_name) != 0)) continue;
        snprintf(path, sizeof path, "%s/stages/%s/fits.csv", run, entry->d_name);
        FILE *file = fopen(path, "r");
        if (!file) continue;
        fclose(file);
        good = draw_stage(run, entry->d_name, plots, style, names, room, error, size);
    }
    closedir(folder);
    return good;
}
