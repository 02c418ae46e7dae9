/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_size.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const struct {
    const char *name;
    double inches; /* 0: pixels */
} units[] = {{"", 0.0},          {"px", 0.0}, {"cm", 1.0 / 2.54},
             {"mm", 0.1 / 2.54}, {"in", 1.0}, {"pt", 1.0 / 72.0}};

bool tw_render_length_read(const char *text, tw_render_length *length)
{
    char number[32];
    const size_t digits = strspn(text, ".0123456789");
    const char *name = text + digits + strspn(text + digits, " ");
    if (digits == 0 || digits >= sizeof number) return false;
    snprintf(number, sizeof number, "%.*s", (int)digits, text);
    if (tw_text_number(number, &length->value) || !(length->value > 0.0)) return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(name, units[i].name) != 0) continue;
        length->pixels = !(units[i].inches > 0.0);
        if (!length->pixels) length->value *= units[i].inches;
        return true;
    }
    return false;
}

double tw_render_size_dpi(const tw_render_size *size)
{
    return size->dpi > 0.0 ? size->dpi : 254.0;
}

static double pixels_of(tw_render_length length, double dpi)
{
    return floor((length.pixels ? 1.0 : dpi) * length.value + 0.5);
}

bool tw_render_size_pixels(const tw_render_size *size, size_t *width, size_t *height)
{
    const double dpi = tw_render_size_dpi(size);
    double w = pixels_of(size->width, dpi), h = pixels_of(size->height, dpi);
    const bool wide = size->width.value > 0.0, high = size->height.value > 0.0;
    if (!wide) w = high ? floor(h * 4.0 / 3.0 + 0.5) : floor(12.0 / 2.54 * dpi + 0.5);
    if (!high) h = floor(w * 0.75 + 0.5);
    if (!(w >= 1.0 && w <= TW_RENDER_SIDE_MAX && h >= 1.0 && h <= TW_RENDER_SIDE_MAX)) return false;
    *width = (size_t)w;
    *height = (size_t)h;
    return true;
}
