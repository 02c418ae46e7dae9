/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_bar.h"

#include <stdio.h>

#include "render/render_text.h"

static const tw_colour ink = {0.15, 0.15, 0.18};

/* In dots of the letters. */
enum { MARGIN = 6, BAR_WIDTH = 120, BAR_HEIGHT = 7, LINE = TW_RENDER_TEXT_ROWS + 2 };

typedef struct corner {
    tw_render_picture *picture;
    size_t dot; /* [pixels] */
    size_t x, y;
} corner;

static void draw_line(const corner *c, size_t x, const char *text)
{
    tw_render_text(c->picture, x, c->y, c->dot, ink, text);
}

/* The colours from left to right, and a word next to them. */
static void draw_bar(corner *c, tw_colour_scale scale, const char *beside)
{
    const size_t width = BAR_WIDTH * c->dot;
    for (size_t i = 0; i < width; i++) {
        const tw_colour colour = tw_colour_at(scale, (double)i, 0.0, (double)(width - 1));
        tw_render_fill(c->picture, c->x + i, c->y, 1, BAR_HEIGHT * c->dot, colour);
    }
    draw_line(c, c->x + (BAR_WIDTH + 3) * c->dot, beside);
    c->y += LINE * c->dot;
}

void tw_render_bar(tw_render_picture *picture, const tw_render_choice *choice,
                   const tw_render_legend *legend)
{
    static const char *const name[] = {"size [m]", "contacts", "velocity [m/s]"};
    if (!choice->chains && choice->by == TW_RENDER_BY_ID) return;
    const size_t dot = 1 + picture->height / 600, lines = choice->chains ? 4 : 3;
    corner c = {picture, dot, MARGIN * dot, 0};
    if (picture->width < 2 * BAR_WIDTH * dot || picture->height < 4 * lines * LINE * dot) return;
    c.y = picture->height - (MARGIN + lines * LINE) * dot;

    draw_line(&c, c.x, choice->chains ? "normal force [N]" : name[choice->by]);
    c.y += LINE * dot;
    if (choice->chains) {
        draw_bar(&c, TW_COLOUR_STICKS, "sticks");
        draw_bar(&c, TW_COLOUR_SLIDES, "slides");
    } else {
        draw_bar(&c, TW_COLOUR_VALUE, "");
    }
    char low[32], high[32];
    snprintf(low, sizeof low, "%.3g", legend->low);
    snprintf(high, sizeof high, "%.3g", legend->high);
    draw_line(&c, c.x, low);
    draw_line(&c, c.x + BAR_WIDTH * dot - tw_render_text_width(high, dot), high);
}
