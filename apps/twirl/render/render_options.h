/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of `twirl render`. */
#ifndef TWIRL_APP_RENDER_OPTIONS_H
#define TWIRL_APP_RENDER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "render/render_content.h"

enum { TW_RENDER_COLOURS = 4, TW_RENDER_SIDE_MAX = 16384 };

/* Names of tw_render_by. */
extern const char *const tw_render_colours[TW_RENDER_COLOURS];

typedef struct tw_render_options {
    const char *input, *output; /* output NULL: derived from the input */
    size_t width, height;
    double azimuth, elevation; /* [degrees] */
    bool bare;
    tw_render_choice choice;
} tw_render_options;

/* Ends the program if the command line is wrong. */
void tw_render_options_parse(tw_render_options *set, int argc, char **argv);

#endif
