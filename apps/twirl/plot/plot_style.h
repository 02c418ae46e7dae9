/* SPDX-License-Identifier: BSD-3-Clause */
/* How figures look: size, font, colours, lines. Sizes on paper are the same in all formats. */
#ifndef TWIRL_APP_PLOT_STYLE_H
#define TWIRL_APP_PLOT_STYLE_H

#include <stdbool.h>

#include "base/text.h"

enum { TW_PLOT_STYLE_FONT_MAX = 64 };

typedef struct tw_plot_style {
    bool pdf;             /* PDF instead of SVG and PNG */
    bool percent;         /* strains in per cent */
    bool grey;            /* greys and dashes instead of colours */
    double width, height; /* [cm]; 0: chosen by tw_plot_style_finish */
    double font_size;     /* [pt]; likewise */
    char font[TW_PLOT_STYLE_FONT_MAX];
} tw_plot_style;

tw_plot_style tw_plot_style_default(void);

/* "8.5cm", "85 mm", "3.3in", "240pt" to centimetres. Returns NULL, or what is wrong, to follow the
 * quoted text. */
const char *tw_plot_style_length(const char *text, double *centimetres);

/* "Helvetica,8", "Helvetica" or ",8". Returns as above. */
const char *tw_plot_style_set_font(tw_plot_style *style, const char *text);

/* Fills in what was not chosen. */
void tw_plot_style_finish(tw_plot_style *style);

/* The font size [cm]. */
double tw_plot_style_em(const tw_plot_style *style);

/* gnuplot: data format, frame, line types. */
void tw_plot_style_add_settings(tw_text_buffer *text, const tw_plot_style *style);

/* Margins around the frame, in ems. */
typedef struct tw_plot_style_margins {
    double left, right, bottom, top;
} tw_plot_style_margins;

void tw_plot_style_add_margins(tw_text_buffer *text, const tw_plot_style *style,
                               const tw_plot_style_margins *margins);

/* gnuplot: labels of the axes, without quotes; `unit` may be "". */
void tw_plot_style_add_x_label(tw_text_buffer *text, const tw_plot_style *style, const char *label,
                               const char *unit);
void tw_plot_style_add_y_label(tw_text_buffer *text, const tw_plot_style *style, const char *label,
                               const char *unit);

/* gnuplot: for each format a terminal, an output file and `commands`. */
void tw_plot_style_add_outputs(tw_text_buffer *text, const tw_plot_style *style, const char *name,
                               const char *commands);

/* "PDF", "SVG and PNG". */
const char *tw_plot_style_formats(const tw_plot_style *style);

#endif
