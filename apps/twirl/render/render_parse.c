/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_parse.h"

#include "base/text.h"
#include "common/args.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    double azimuth, elevation;
} views[] = {{"x", 0.0, 0.0}, {"y", -90.0, 0.0}, {"z", -90.0, 90.0}, {"iso", -60.0, 25.0}};
enum { VIEWS = sizeof views / sizeof views[0] };

const char *tw_render_parse_quote(const char *text)
{
    static tw_text_quotation shown; /* used for one message before the program ends */
    shown = tw_text_quote(text, strlen(text));
    return shown.text;
}

void tw_render_parse_size(const struct argp_state *state, const char *text, tw_render_size *size)
{
    char end;
    unsigned width = 0, height = 0;
    const bool digits = strspn(text, "0123456789x") == strlen(text) && strlen(text) < 16;
    if (!digits || sscanf(text, "%ux%u%c", &width, &height, &end) != 2 || width == 0 ||
        height == 0) {
        argp_error(state, "--size: %s is not WxH, two integers from 1 to %d, such as 1200x900",
                   tw_render_parse_quote(text), TW_RENDER_SIDE_MAX);
    }
    size->width = (tw_picture_length){width, true};
    size->height = (tw_picture_length){height, true};
}

void tw_render_parse_length(const struct argp_state *state, const char *option, const char *text,
                            tw_picture_length *length)
{
    if (!tw_picture_length_read(text, length))
        argp_error(state, "--%s: %s is not a length such as 8.5cm, 85mm, 3.3in, 240pt or 850",
                   option, tw_render_parse_quote(text));
    if (length->pixels && length->value != floor(length->value))
        argp_error(state,
                   "--%s: %s is not a whole number of pixels; a length on paper has a unit: 8.5cm",
                   option, tw_render_parse_quote(text));
}

void tw_render_parse_background(const struct argp_state *state, const char *text, tw_colour *colour,
                                bool *transparent)
{
    unsigned code = strcmp(text, "black") == 0 ? 0 : 0xffffff;
    *transparent = strcmp(text, "transparent") == 0;
    if (text[0] == '#') {
        if (strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6)
            argp_error(state, "--background: %s is not #rrggbb, such as #f0f0f0",
                       tw_render_parse_quote(text));
        code = (unsigned)strtoul(text + 1, NULL, 16);
    } else if (!*transparent && strcmp(text, "white") != 0 && code != 0) {
        static const char *const known[] = {"white", "black", "transparent"};
        tw_args_refuse_name(state, "--background", text, strlen(text), "a background or #rrggbb",
                            known, 3);
    }
    *colour = (tw_colour){(code >> 16) / 255.0, (code >> 8 & 255) / 255.0, (code & 255) / 255.0};
}

void tw_render_parse_font(const struct argp_state *state, char *text, const char **font,
                          double *size)
{
    char *mark = strrchr(text, ',');
    if (mark) {
        *mark = '\0';
        if (tw_text_number(mark + 1, size) || !(*size >= 1.0) || !(*size <= 100.0))
            argp_error(state, "--font: the size '%s' is not a number of points from 1 to 100",
                       mark + 1);
    }
    if (*text) *font = text;
}

/* Cuts `text` in place at each mark. Returns the number of fields, of which up to `most` are
 * stored. */
static size_t split(char *text, char mark, char **field, size_t most)
{
    size_t count = 0;
    for (char *next = text; next; count++) {
        char *end = strchr(next, mark);
        if (end) *end++ = '\0';
        if (count < most) field[count] = next;
        next = end;
    }
    return count;
}

void tw_render_parse_view(const struct argp_state *state, const char *text, double *azimuth,
                          double *elevation)
{
    const char *known[VIEWS];
    for (size_t i = 0; i < VIEWS; i++) {
        known[i] = views[i].name;
        if (strcmp(text, views[i].name) != 0) continue;
        *azimuth = views[i].azimuth;
        *elevation = views[i].elevation;
        return;
    }
    char copy[64], *field[2] = {NULL};
    if (!strchr(text, ','))
        tw_args_refuse_name(state, "--view", text, strlen(text), "a view or AZIMUTH,ELEVATION",
                            known, VIEWS);
    snprintf(copy, sizeof copy, "%s", text);
    if (strlen(text) >= sizeof copy || split(copy, ',', field, 2) != 2 ||
        tw_text_number(field[0], azimuth) || tw_text_number(field[1], elevation)) {
        argp_error(state, "--view: %s is not AZIMUTH,ELEVATION, two numbers in degrees",
                   tw_render_parse_quote(text));
    }
    if (!(*azimuth >= -360.0 && *azimuth <= 360.0))
        argp_error(state, "--view: azimuth '%s' is not between -360 and 360", field[0]);
    if (!(*elevation >= -90.0 && *elevation <= 90.0))
        argp_error(state, "--view: elevation '%s' is not between -90 and 90", field[1]);
}

void tw_render_parse_slice(const struct argp_state *state, const char *text,
                           tw_render_choice *choice)
{
    char copy[64], *field[3] = {NULL};
    snprintf(copy, sizeof copy, "%s", text);
    if (strlen(text) >= sizeof copy || split(copy, ':', field, 3) != 3 || strlen(field[0]) != 1 ||
        !strchr("abc", field[0][0]) || tw_text_number(field[1], &choice->from) ||
        tw_text_number(field[2], &choice->to)) {
        argp_error(state,
                   "--slice: %s is not EDGE:FROM:TO, an edge (a, b or c) and two fractions of it, "
                   "such as b:0.4:0.6",
                   tw_render_parse_quote(text));
    }
    if (!(choice->from < choice->to))
        argp_error(state, "--slice: FROM '%s' is not below TO '%s'", field[1], field[2]);
    choice->sliced = true;
    choice->edge = field[0][0] - 'a';
}

void tw_render_parse_cut(const struct argp_state *state, const char *text, tw_render_choice *choice)
{
    const bool edge = strlen(text) > 2 && strchr("abc", text[0]) && text[1] == ':';
    if (!edge || tw_text_number(text + 2, &choice->cut_at) ||
        !(choice->cut_at > 0.0 && choice->cut_at < 1.0))
        argp_error(
            state,
            "--cut: %s is not EDGE:AT, an edge (a, b or c) and a fraction of it between 0 and "
            "1, such as b:0.5",
            tw_render_parse_quote(text));
    choice->cut = true;
    choice->cut_edge = text[0] - 'a';
}
