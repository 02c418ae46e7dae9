/* SPDX-License-Identifier: BSD-3-Clause */
/* How figures are drawn with gnuplot: size, font, colours, lines, and a script that can be run
 * again by hand. Sizes on paper are the same in all formats. */
#ifndef TWIRL_APP_PLOT_H
#define TWIRL_APP_PLOT_H

#include <stdbool.h>
#include <sys/types.h>

#include <twirl/types.h>

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

/* The PNG terminal; `background`: "#rrggbb", or NULL. */
void tw_plot_style_add_png(tw_text_buffer *text, const tw_plot_style *style, double px_per_cm,
                           const char *background);

/* "PDF", "SVG and PNG". */
const char *tw_plot_style_formats(const tw_plot_style *style);

typedef struct tw_plot {
    const char *directory;
    const char *name;     /* of the files, without extension */
    const char *settings; /* gnuplot: labels, ranges, line styles */
    const char *curves;   /* gnuplot: one plot command; file names are relative to `directory` */
    const tw_plot_style *style;
} tw_plot;

/* Creates the directory and its parents. */
tw_status tw_plot_make_directory(const char *directory, tw_error *error);

/* Writes NAME.gp and runs gnuplot to make NAME.svg and NAME.png, or NAME.pdf. */
tw_status tw_plot_draw(const tw_plot *plot, tw_error *error);

/* Starts gnuplot with a script whose pictures come through a pipe; `what` it draws, for messages.
 * The caller closes the pipe, then waits with tw_process_end. */
tw_status tw_plot_stream(const char *script, const char *what, int *pipe_end, pid_t *child,
                         tw_error *error);

#endif
