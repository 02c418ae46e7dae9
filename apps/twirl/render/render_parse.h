/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of options of `twirl render`. Each function ends the program if the text is wrong. */
#ifndef TWIRL_APP_RENDER_PARSE_H
#define TWIRL_APP_RENDER_PARSE_H

#include <argp.h>

#include "render/render_content.h"
#include "render/render_size.h"

/* For a message; valid until the next call. */
const char *tw_render_parse_quote(const char *text);

/* WxH in pixels. */
void tw_render_parse_size(const struct argp_state *state, const char *text, tw_render_size *size);

void tw_render_parse_length(const struct argp_state *state, const char *option, const char *text,
                            tw_picture_length *length);

/* white, black, transparent or #rrggbb */
void tw_render_parse_background(const struct argp_state *state, const char *text, tw_colour *colour,
                                bool *transparent);

/* "Liberation Sans", "Liberation Sans,9" or ",9". Cuts the text. */
void tw_render_parse_font(const struct argp_state *state, char *text, const char **font,
                          double *size);

/* x, y, z, iso or AZIMUTH,ELEVATION */
void tw_render_parse_view(const struct argp_state *state, const char *text, double *azimuth,
                          double *elevation);

/* EDGE:FROM:TO */
void tw_render_parse_slice(const struct argp_state *state, const char *text,
                           tw_render_choice *choice);

/* EDGE:AT */
void tw_render_parse_cut(const struct argp_state *state, const char *text,
                         tw_render_choice *choice);

#endif
