/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_size.h"

#include <math.h>

static const double cm_per_inch = 2.54;

double tw_render_size_dpi(const tw_render_size *size)
{
    return size->dpi > 0.0 ? size->dpi : 254.0;
}

static double pixels_of(tw_picture_length length, double dpi)
{
    return floor((length.pixels ? 1.0 : dpi / cm_per_inch) * length.value + 0.5);
}

bool tw_render_size_pixels(const tw_render_size *size, size_t *width, size_t *height)
{
    const double dpi = tw_render_size_dpi(size);
    double w = pixels_of(size->width, dpi), h = pixels_of(size->height, dpi);
    const bool wide = size->width.value > 0.0, high = size->height.value > 0.0;
    if (!wide) w = high ? floor(h * 4.0 / 3.0 + 0.5) : floor(12.0 / cm_per_inch * dpi + 0.5);
    if (!high) h = floor(w * 0.75 + 0.5);
    if (!(w >= 1.0 && w <= TW_RENDER_SIDE_MAX && h >= 1.0 && h <= TW_RENDER_SIDE_MAX)) return false;
    *width = (size_t)w;
    *height = (size_t)h;
    return true;
}
