/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of `twirl render`, and what `twirl movie` shares with it. */
#ifndef TWIRL_APP_RENDER_OPTIONS_H
#define TWIRL_APP_RENDER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/args.h"
#include "render/render_content.h"

enum { TW_RENDER_SIDE_MAX = 16384 }; /* [pixels] */

/* Without width and height `usual` wide; without one of them, in the usual proportion to the other.
 */
typedef struct tw_render_size {
    tw_picture_length width, height;
    double dpi;
    double usual;  /* width [cm] */
    double aspect; /* height over width */
} tw_render_size;

typedef enum tw_render_format { TW_RENDER_PNG, TW_RENDER_PDF, TW_RENDER_SVG } tw_render_format;

enum { TW_RENDER_FORMATS = 3 };
extern const char *const tw_render_format_names[TW_RENDER_FORMATS]; /* the endings of files */

typedef struct tw_render_options {
    const char *input, *output; /* output NULL: derived from the input */
    const char *since;          /* the earlier state for displacements and strains, or NULL */
    tw_render_format format;
    tw_render_size size;
    size_t width, height;      /* [pixels] */
    int fine;                  /* samples along the edge of a pixel */
    double azimuth, elevation; /* [degrees] */
    tw_colour background;
    bool transparent;
    bool axes, scale, bar; /* what is drawn besides the content */
    const char *font;
    double font_size; /* [pt] */
    tw_render_choice choice;
} tw_render_options;

/* The options, and what depends on others, which is kept as text. */
typedef struct tw_render_drawing {
    tw_render_options set;
    const char *color, *field, *range, *map;
    bool grains, chains;
} tw_render_drawing;

/* What is drawn, and how: options for a tw_render_drawing. When all are read, `set` is complete but
 * for the input and the output. */
extern const tw_args_table tw_render_options_shared;

/* With all defaults; the size is that of a picture for print. */
tw_render_drawing tw_render_options_default(void);

/* The command line of `twirl render`. Ends the program if it is wrong. */
void tw_render_options_parse(tw_render_options *set, int argc, char **argv);

#endif
