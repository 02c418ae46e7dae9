/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot_style.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "common/args.h"

static const double cm_per_pt = 2.54 / 72.0;

/* A line width of 1 is half a point in all formats. */
static const double px_per_cm_svg = 50.0, px_per_cm_png = 100.0;

/* Okabe and Ito: distinct for the colour-blind. */
static const char colours[] =
    "set linetype 1 linewidth 1.8 linecolor rgb '#0072b2' dashtype 1\n"
    "set linetype 2 linewidth 1.8 linecolor rgb '#d55e00' dashtype 1\n"
    "set linetype 3 linewidth 1.8 linecolor rgb '#009e73' dashtype 1\n"
    "set linetype 4 linewidth 1.8 linecolor rgb '#cc79a7' dashtype 1\n"
    "set linetype 5 linewidth 1.8 linecolor rgb '#e69f00' dashtype 1\n"
    "set linetype 6 linewidth 1.8 linecolor rgb '#000000' dashtype 1\n"
    "set linetype 7 linewidth 1.8 linecolor rgb '#56b4e9' dashtype 1\n"
    "set linetype 8 linewidth 1.8 linecolor rgb '#0072b2' dashtype (8,4)\n"
    "set linetype 9 linewidth 1.8 linecolor rgb '#d55e00' dashtype (8,4)\n"
    "set linetype 10 linewidth 1.8 linecolor rgb '#009e73' dashtype (8,4)\n";

static const char greys[] =
    "set linetype 1 linewidth 1.8 linecolor rgb '#000000' dashtype 1\n"
    "set linetype 2 linewidth 1.8 linecolor rgb '#888888' dashtype 1\n"
    "set linetype 3 linewidth 1.8 linecolor rgb '#000000' dashtype (8,4)\n"
    "set linetype 4 linewidth 1.8 linecolor rgb '#777777' dashtype (8,4)\n"
    "set linetype 5 linewidth 1.8 linecolor rgb '#000000' dashtype (2,3)\n"
    "set linetype 6 linewidth 1.8 linecolor rgb '#777777' dashtype (2,3)\n"
    "set linetype 7 linewidth 1.8 linecolor rgb '#000000' dashtype (10,3,2,3)\n"
    "set linetype 8 linewidth 1.8 linecolor rgb '#777777' dashtype (10,3,2,3)\n"
    "set linetype 9 linewidth 1.8 linecolor rgb '#bbbbbb' dashtype 1\n"
    "set linetype 10 linewidth 1.8 linecolor rgb '#bbbbbb' dashtype (8,4)\n";

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
    tw_text_buffer_add(text,
                       "set datafile separator comma\n"
                       "set datafile columnheaders\n"
                       "set minussign\n"
                       "set border 15 linewidth 1 linecolor rgb '#000000'\n"
                       "set tics in scale 0.8,0.4\n"
                       "%sset linetype cycle 10\n",
                       style->grey ? greys : colours);
}

void tw_plot_style_add_margins(tw_text_buffer *text, const tw_plot_style *style,
                               const tw_plot_style_margins *margins)
{
    const double em = tw_plot_style_em(style), w = style->width, h = style->height;
    tw_text_buffer_add(text,
                       "set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
                       "set bmargin at screen %.4f\nset tmargin at screen %.4f\n",
                       margins->left * em / w, 1.0 - margins->right * em / w,
                       margins->bottom * em / h, 1.0 - margins->top * em / h);
}

/* At places of our own: gnuplot's distances from the frame differ from format to format. */
void tw_plot_style_add_x_label(tw_text_buffer *text, const tw_plot_style *style, const char *label,
                               const char *unit)
{
    tw_text_buffer_add(text, "set label 101 '%s%s%s%s' at graph 0.5, screen %.4f center\n", label,
                       *unit ? "\u00a0[" : "", unit, *unit ? "]" : "",
                       tw_plot_style_em(style) / style->height);
}

void tw_plot_style_add_y_label(tw_text_buffer *text, const tw_plot_style *style, const char *label,
                               const char *unit)
{
    tw_text_buffer_add(text, "set label 102 '%s%s%s%s' at screen %.4f, graph 0.5 center rotate\n",
                       label, *unit ? "\u00a0[" : "", unit, *unit ? "]" : "",
                       tw_plot_style_em(style) / style->width);
}

/* In inches, a little more than a whole number of points. */
static double whole_points(double centimetres)
{
    return (floor(centimetres / cm_per_pt + 0.5) + 0.1) / 72.0;
}

/* The cairo terminals take a point of a font for 1/72 inch at 96 pixels to the inch, 4/3 of its
 * size, and cut the width to whole points; the SVG terminal has pixels. */
void tw_plot_style_add_outputs(tw_text_buffer *text, const tw_plot_style *style, const char *name,
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
    const double svg = px_per_cm_svg * cm_per_pt, png = px_per_cm_png * cm_per_pt;
    tw_text_buffer_add(
        text,
        "set terminal svg size %.0f,%.0f font '%s,Arial,sans-serif,%.4g' linewidth "
        "%.4g background rgb 'white' enhanced\nset key spacing 0.8\nset pointsize 0.4\n"
        "if (exists('svg_key_width')) set key width svg_key_width\n"
        "set output '%s.svg'\n%s",
        px_per_cm_svg * w, px_per_cm_svg * h, style->font, style->font_size * svg, 0.5 * svg, name,
        commands);
    tw_text_buffer_add(
        text,
        "set terminal pngcairo size %.0f,%.0f font '%s,%.4g' fontscale %.4g "
        "linewidth %.4g enhanced\nset key spacing 1.15 width 0\nset pointsize 1.6\nset "
        "output '%s.png'\n%sunset output\n",
        px_per_cm_png * w, px_per_cm_png * h, style->font, style->font_size, 0.75 * png, 0.5 * png,
        name, commands);
}

const char *tw_plot_style_formats(const tw_plot_style *style)
{
    return style->pdf ? "PDF" : "SVG and PNG";
}
