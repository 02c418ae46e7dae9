/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/colour.h"

#include <math.h>
#include <twirl/math.h>

const char *const tw_colour_map_names[TW_COLOUR_MAPS] = {
    [TW_COLOUR_VIRIDIS] = "viridis",   [TW_COLOUR_INFERNO] = "inferno", [TW_COLOUR_REDS] = "reds",
    [TW_COLOUR_COOLWARM] = "coolwarm", [TW_COLOUR_GREY] = "grey",
};

/* Lightness changes monotonically along each map, and on both sides of the middle of coolwarm.
 * viridis and inferno: S. van der Walt and N. Smith, CC0. coolwarm: K. Moreland, "Diverging color
 * maps for scientific visualization", 2009. */
static const uint32_t stops[TW_COLOUR_MAPS][TW_COLOUR_STOPS] = {
    [TW_COLOUR_VIRIDIS] = {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21908c, 0x27ad81, 0x5dc863,
                           0xaadc32, 0xfde725},
    [TW_COLOUR_INFERNO] = {0x000004, 0x210c4a, 0x56106e, 0x89226a, 0xbb3754, 0xe35932, 0xf98c0a,
                           0xf9c932, 0xfcffa4},
    [TW_COLOUR_REDS] = {0xf7dcb4, 0xf5cc94, 0xf5b573, 0xf59e52, 0xe6612e, 0xd24529, 0xbd2924,
                        0x9e1924, 0x800a24},
    [TW_COLOUR_COOLWARM] = {0x3b4cc0, 0x6282ea, 0x8db0fe, 0xb8d0f9, 0xdddddd, 0xf5c4ad, 0xf49a7b,
                            0xde604d, 0xb40426},
    [TW_COLOUR_GREY] = {0xe8e8e8, 0xd3d3d3, 0xbebebe, 0xa9a9a9, 0x949494, 0x7f7f7f, 0x6a6a6a,
                        0x555555, 0x404040},
};

/* M. Okabe and K. Ito, "Color universal design", with grey for black. */
static const uint32_t classes[] = {0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7,
                                   0x56b4e9, 0xd55e00, 0xf0e442, 0x7a7a7a};
enum { CLASSES = sizeof classes / sizeof classes[0] };

static tw_colour from_code(uint32_t code)
{
    return (tw_colour){(code >> 16 & 255) / 255.0, (code >> 8 & 255) / 255.0, (code & 255) / 255.0};
}

tw_colour tw_colour_mix(tw_colour a, tw_colour b, double fraction)
{
    const double s = fraction;
    return (tw_colour){a.r + s * (b.r - a.r), a.g + s * (b.g - a.g), a.b + s * (b.b - a.b)};
}

double tw_colour_lightness(tw_colour colour)
{
    return 0.299 * colour.r + 0.587 * colour.g + 0.114 * colour.b;
}

tw_colour tw_colour_stop(tw_colour_map map, int stop)
{
    return from_code(stops[map][stop]);
}

tw_colour tw_colour_at(tw_colour_map map, double share)
{
    const double place = tw_math_min(tw_math_max(share, 0.0), 1.0) * (TW_COLOUR_STOPS - 1);
    const int stop = place < TW_COLOUR_STOPS - 1 ? (int)place : TW_COLOUR_STOPS - 2;
    return tw_colour_mix(tw_colour_stop(map, stop), tw_colour_stop(map, stop + 1), place - stop);
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

tw_colour tw_colour_of_class(uint32_t number, uint32_t count, int grey)
{
    if (!grey) return from_code(classes[number % CLASSES]);
    return tw_colour_at(TW_COLOUR_GREY, count > 1 ? (double)number / (count - 1) : 0.5);
}
