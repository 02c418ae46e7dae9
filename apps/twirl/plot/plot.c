/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "common/args.h"
#include "common/output.h"
#include "common/process.h"
#include "common/row_writer.h"

/* ---- Style ---- */

static const double cm_per_pt = 2.54 / 72.0;

/* A line width of 1 is half a point in all formats. */
static const double px_per_cm_svg = 50.0, px_per_cm_png = 100.0;

typedef struct line_type {
    const char *colour, *dash;
} line_type;

enum { LINE_TYPES = 10 };

/* Okabe and Ito: distinct for the colour-blind. Greys have dashes instead. */
static const line_type line_types[2][LINE_TYPES] = {{{"0072b2", "1"},
                                                     {"d55e00", "1"},
                                                     {"009e73", "1"},
                                                     {"cc79a7", "1"},
                                                     {"e69f00", "1"},
                                                     {"000000", "1"},
                                                     {"56b4e9", "1"},
                                                     {"0072b2", "(8,4)"},
                                                     {"d55e00", "(8,4)"},
                                                     {"009e73", "(8,4)"}},
                                                    {{"000000", "1"},
                                                     {"888888", "1"},
                                                     {"000000", "(8,4)"},
                                                     {"777777", "(8,4)"},
                                                     {"000000", "(2,3)"},
                                                     {"777777", "(2,3)"},
                                                     {"000000", "(10,3,2,3)"},
                                                     {"777777", "(10,3,2,3)"},
                                                     {"bbbbbb", "1"},
                                                     {"bbbbbb", "(8,4)"}}};

tw_plot_style tw_plot_style_default(void)
{
    return (tw_plot_style){.font = "Helvetica"};
}

const char *tw_plot_style_length(const char *text, double *centimetres)
{
    tw_picture_length length;
    if (!tw_picture_length_read(text, &length) || length.pixels)
        return "is not a length such as 8.5cm, 85mm or 3.3in";
    *centimetres = length.value;
    return length.value >= 3.0 && length.value <= 100.0 ? NULL : "is not between 3cm and 100cm";
}

const char *tw_plot_style_set_font(tw_plot_style *style, const char *text)
{
    const size_t name = strcspn(text, ",");
    if (name >= TW_PLOT_STYLE_FONT_MAX) return "is too long for the name of a font";
    if (strpbrk(text, "'\"\\\n\r{}")) return "is not a font such as 'Helvetica,8'";
    if (text[name] == ',') {
        const char *problem = tw_text_number(text + name + 1, &style->font_size);
        if (problem)
            return "is not a font such as 'Helvetica,8': no size in points after the comma";
        if (!(style->font_size >= 4.0 && style->font_size <= 72.0))
            return "has a size that is not between 4 and 72 points";
    }
    if (name > 0) snprintf(style->font, sizeof style->font, "%.*s", (int)name, text);
    return NULL;
}

void tw_plot_style_finish(tw_plot_style *style)
{
    if (!(style->width > 0.0)) style->width = 12.0;
    if (!(style->height > 0.0)) style->height = 0.72 * style->width;
    if (!(style->font_size > 0.0)) style->font_size = style->width < 10.0 ? 8.0 : 9.0;
}

double tw_plot_style_em(const tw_plot_style *style)
{
    return style->font_size * cm_per_pt;
}

void tw_plot_style_add_settings(tw_text_buffer *text, const tw_plot_style *style)
{
    tw_text_buffer_add(text, "set datafile separator comma\nset datafile columnheaders\n"
                             "set minussign\nset border 15 linewidth 1 linecolor rgb '#000000'\n"
                             "set tics in scale 0.8,0.4\n");
    for (int k = 0; k < LINE_TYPES; k++) {
        const line_type *type = &line_types[style->grey][k];
        tw_text_buffer_add(text, "set linetype %d linewidth 1.8 linecolor rgb '#%s' dashtype %s\n",
                           k + 1, type->colour, type->dash);
    }
    /* gnuplot's own dashes are as long as a curve of a small figure. */
    tw_text_buffer_add(text, "set linetype cycle %d\nset dashtype 2 (9,5)\n", LINE_TYPES);
}

void tw_plot_style_add_png(tw_text_buffer *text, const tw_plot_style *style, double px_per_cm,
                           const char *background)
{
    const double png = px_per_cm * cm_per_pt;
    tw_text_buffer_add(text, "set terminal pngcairo size %.0f,%.0f", px_per_cm * style->width,
                       px_per_cm * style->height);
    if (background) tw_text_buffer_add(text, " background '%s'", background);
    tw_text_buffer_add(text,
                       " font '%s,%.4g' fontscale %.4g linewidth %.4g enhanced\n"
                       "set key spacing 1.15 width 0\nset pointsize 1.6\n",
                       style->font, style->font_size, 0.75 * png, 0.5 * png);
}

/* In inches, a little more than a whole number of points. */
static double whole_points(double centimetres)
{
    return (floor(centimetres / cm_per_pt + 0.5) + 0.1) / 72.0;
}

/* The cairo terminals take a point of a font for 1/72 inch at 96 pixels to the inch, 4/3 of its
 * size, and cut the width to whole points; the SVG terminal has pixels. */
static void add_outputs(tw_text_buffer *text, const tw_plot_style *style, const char *name,
                        const char *commands)
{
    const double w = style->width, h = style->height;
    if (style->pdf) {
        tw_text_buffer_add(text,
                           "set terminal pdfcairo size %.5gin,%.5gin font '%s,%.4g' fontscale 0.75 "
                           "enhanced\nset key spacing 1.15\nset pointsize 0.35\nset output "
                           "'%s.pdf'\n%sunset output\n",
                           whole_points(w), whole_points(h), style->font, style->font_size, name,
                           commands);
        return;
    }
    const double svg = px_per_cm_svg * cm_per_pt;
    tw_text_buffer_add(
        text,
        "set terminal svg size %.0f,%.0f font '%s,Arial,sans-serif,%.4g' linewidth "
        "%.4g background rgb 'white' enhanced\nset key spacing 0.8\nset pointsize 0.4\n"
        "if (exists('svg_key_width')) set key width svg_key_width\n"
        "set output '%s.svg'\n%s",
        px_per_cm_svg * w, px_per_cm_svg * h, style->font, style->font_size * svg, 0.5 * svg, name,
        commands);
    tw_plot_style_add_png(text, style, px_per_cm_png, NULL);
    tw_text_buffer_add(text, "set output '%s.png'\n%sunset output\n", name, commands);
}

const char *tw_plot_style_formats(const tw_plot_style *style)
{
    return style->pdf ? "PDF" : "SVG and PNG";
}

/* ---- gnuplot ---- */

tw_status tw_plot_make_directory(const char *directory, tw_error *error)
{
    tw_folder_path path = tw_folder_path_join(directory, "");
    tw_status status = TW_STATUS_OK;
    if (!*path.text) {
        errno = ENAMETOOLONG;
        return tw_error_set_system(error, "create the folder", directory);
    }
    for (char *slash = path.text; status == TW_STATUS_OK && (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        status = tw_folder_make(path.text, error);
        *slash = '/';
    }
    return status;
}

static tw_status write_script(const tw_plot *plot, const char *path, tw_error *error)
{
    tw_row_writer writer;
    tw_text_buffer outputs = {0};
    add_outputs(&outputs, plot->style, plot->name, plot->curves);
    tw_exit_unless(outputs.failed ? NULL : outputs.text);
    tw_status status = tw_row_writer_open(&writer, path, error);
    if (status == TW_STATUS_OK) {
        tw_row_writer_add(&writer, "# Draw again with: gnuplot %s.gp\nset encoding utf8\n%s%s",
                          plot->name, plot->settings, outputs.text);
        status = tw_row_writer_finish(&writer, error);
    }
    tw_text_buffer_free(&outputs);
    return status;
}

/* -d: ignore the user's own settings. Without a script it is in the file `in`. */
static tw_status start_gnuplot(const char *directory, char *script, int in, int out, pid_t *child,
                               const char *what, tw_error *error)
{
    char program[] = "gnuplot", defaults[] = "-d";
    char *const argv[] = {program, defaults, script, NULL};
    /* Scripts are in UTF-8, with decimal points, whatever the locale. */
    errno = setenv("LC_ALL", "C.UTF-8", 1) != 0 ? errno
                                                : tw_process_start(argv, directory, in, out, child);
    if (errno == ENOENT)
        return tw_error_set(error, TW_STATUS_FILE,
                            "gnuplot not found: install it (Debian: gnuplot-nox) to draw %s", what);
    return errno ? tw_error_set_system(error, "start", "gnuplot") : TW_STATUS_OK;
}

/* Blanks next to a symbol are lost in some viewers unless the file asks to keep them. */
static tw_status keep_blanks(const tw_plot *plot, tw_error *error)
{
    static const char before[] = "<text>", after[] = "<text xml:space=\"preserve\">";
    char path[PATH_MAX + NAME_MAX], *line = NULL;
    size_t capacity = 0;
    tw_row_writer writer;
    snprintf(path, sizeof path, "%s/%s.svg", plot->directory, plot->name);
    FILE *file = fopen(path, "r");
    if (!file) return tw_error_set_system(error, "read", path);
    tw_status status = tw_row_writer_open(&writer, path, error);
    if (status == TW_STATUS_OK) {
        while (getline(&line, &capacity, file) > 0) {
            char *at = strstr(line, before);
            if (at) *at = '\0';
            tw_row_writer_add(&writer, "%s%s%s", line, at ? after : "",
                              at ? at + sizeof before - 1 : "");
        }
        status = tw_row_writer_finish(&writer, error);
    }
    free(line);
    fclose(file);
    return status;
}

tw_status tw_plot_draw(const tw_plot *plot, tw_error *error)
{
    char script[PATH_MAX];
    snprintf(script, sizeof script, "%s/%s.gp", plot->directory, plot->name);
    const tw_status status = write_script(plot, script, error);
    if (status != TW_STATUS_OK) return status;
    char name[NAME_MAX + 1];
    pid_t child = -1;
    snprintf(name, sizeof name, "%s.gp", plot->name);
    const tw_status started = start_gnuplot(plot->directory, name, -1, -1, &child,
                                            tw_error_shorten_path(script).text, error);
    if (started != TW_STATUS_OK) return started;
    if (tw_process_end(child)) return plot->style->pdf ? TW_STATUS_OK : keep_blanks(plot, error);
    return tw_error_set(error, TW_STATUS_FILE, "gnuplot failed on %s",
                        tw_error_shorten_path(script).text);
}

/* gnuplot reads the script from a file without a name: no files are left if this program is killed,
 * and it draws while pictures are taken from the pipe. */
tw_status tw_plot_stream(const char *script, const char *what, int *pipe_end, pid_t *child,
                         tw_error *error)
{
    int ends[2];
    FILE *file = tmpfile();
    if (!file) return tw_error_set_system(error, "create", "a temporary file");
    tw_status status = TW_STATUS_OK;
    if (fputs(script, file) == EOF || fflush(file) != 0 || lseek(fileno(file), 0, SEEK_SET) != 0 ||
        pipe2(ends, O_CLOEXEC) != 0) {
        status = tw_error_set_system(error, "write", "a temporary file");
    } else {
        status = start_gnuplot(NULL, NULL, fileno(file), ends[1], child, what, error);
        close(ends[1]);
        *pipe_end = ends[0];
        if (status != TW_STATUS_OK) close(ends[0]);
    }
    fclose(file);
    return status;
}
