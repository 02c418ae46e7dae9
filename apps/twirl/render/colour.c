/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/colour.h"

#include <math.h>
#include <twirl/math.h>

enum { STOPS = 5 };

/* Lightness changes monotonically along each scale, so that they work in greyscale too. */
static const tw_colour stops[][STOPS] = {
    [TW_COLOUR_VALUE] = {{0.17, 0.20, 0.45},
                         {0.12, 0.40, 0.58},
                         {0.18, 0.60, 0.56},
                         {0.55, 0.76, 0.42},
                         {0.98, 0.87, 0.36}},
    [TW_COLOUR_STICKS] = {{0.96, 0.80, 0.58},
                          {0.96, 0.62, 0.32},
                          {0.90, 0.38, 0.18},
                          {0.74, 0.16, 0.14},
                          {0.50, 0.04, 0.14}},
    [TW_COLOUR_SLIDES] = {{0.62, 0.80, 0.92},
                          {0.36, 0.65, 0.86},
                          {0.16, 0.48, 0.75},
                          {0.08, 0.31, 0.60},
                          {0.05, 0.17, 0.42}},
};

tw_colour tw_colour_mix(tw_colour a, tw_colour b, double fraction)
{
    const double s = fraction;
    return (tw_colour){a.r + s * (b.r - a.r), a.g + s * (b.g - a.g), a.b + s * (b.b - a.b)};
}

static unsigned char byte_of(double share)
{
    return (unsigned char)(255.0 * tw_math_min(tw_math_max(share, 0.0), 1.0) + 0.5);
}

void tw_colour_bytes(tw_colour colour, unsigned char *rgb)
{
    rgb[0] = byte_of(colour.r);
    rgb[1] = byte_of(colour.g);
    rgb[2] = byte_of(colour.b);
}

tw_colour tw_colour_at(tw_colour_scale scale, double value, double low, double high)
{
    const double share = high > low ? (value - low) / (high - low) : 0.5;
    const double place = tw_math_min(tw_math_max(share, 0.0), 1.0) * (STOPS - 1);
    const int stop = place < STOPS - 1 ? (int)place : STOPS - 2;
    return tw_colour_mix(stops[scale][stop], stops[scale][stop + 1], place - stop);
}

/* Steps of the golden ratio spread the hues evenly for any number of ids. */
tw_colour tw_colour_of_id(uint32_t id)
{
    const double golden = 0.61803398874989485, turn = 6.28318530717958648;
    const double hue = turn * fmod(id * golden, 1.0), light = 0.62 + 0.14 * fmod(id * 0.7548, 1.0);
    return (tw_colour){light + 0.22 * tw_math_cos(hue),
                       light + 0.22 * tw_math_cos(hue - turn / 3.0),
                       light + 0.22 * tw_math_cos(hue + turn / 3.0)};
}
