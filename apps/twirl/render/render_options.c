/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_options.h"

#include "common/args.h"
#include "render/render_parse.h"
#include "render/render_view.h"

#include <string.h>

enum {
    KEY_GRAINS = 256,
    KEY_CHAINS,
    KEY_VIEW,
    KEY_SLICE,
    KEY_CUT,
    KEY_ABOVE,
    KEY_COLOR,
    KEY_SINCE,
    KEY_RANGE,
    KEY_MAP,
    KEY_GREY,
    KEY_OUT,
    KEY_PDF,
    KEY_SVG,
    KEY_SIZE,
    KEY_WIDTH,
    KEY_HEIGHT,
    KEY_DPI,
    KEY_FONT,
    KEY_BACKGROUND,
    KEY_NO_CELL,
    KEY_NO_AXES,
    KEY_NO_SCALE,
    KEY_NO_BAR,
    KEY_BARE
};

enum { CONTENT = 1, COLOURS, LAYOUT, FILES };

static const struct argp_option options[] = {
    {0, 0, NULL, 0, "What is drawn:", CONTENT},
    {"grains", KEY_GRAINS, NULL, 0, "the grains; default", CONTENT},
    {"chains", KEY_CHAINS, NULL, 0,
     "the force chains: a rod for each contact, as thick as its normal force", CONTENT},
    {"view", KEY_VIEW, "VIEW", 0,
     "position of the viewer: x, y (x to the right), z (above), iso, or AZIMUTH,ELEVATION in "
     "degrees (from x towards y, and above the x-y plane); default: iso, which is -60,25",
     CONTENT},
    {"slice", KEY_SLICE, "EDGE:FROM:TO", 0,
     "only bodies with centres between these fractions of the edge a, b or c of the cell, such "
     "as b:0.4:0.6",
     CONTENT},
    {"cut", KEY_CUT, "EDGE:AT", 0,
     "cut the grains at this fraction of the edge a, b or c and show the section, such as b:0.5",
     CONTENT},
    {"above", KEY_ABOVE, "RATIO", 0,
     "with --chains: only contacts with a normal force of at least RATIO times the mean", CONTENT},

    {0, 0, NULL, 0, "Colours:", COLOURS},
    {"color", KEY_COLOR, "WHAT", 0,
     "grains: size (default; diameter of the sphere of equal volume), coordination, velocity "
     "(relative to the affine motion of the cell), spin, displacement (since the stage began), "
     "nonaffine (displacement since another state, relative to the affine motion of the cell), "
     "pressure, rattlers, type, material, id. Vectors are magnitudes; add _x, _y or _z for a "
     "component. "
     "Chains: force (default), mobilisation (tangential force over friction limit), sliding",
     COLOURS},
    {"colour", 0, NULL, OPTION_ALIAS, NULL, COLOURS},
    {"since", KEY_SINCE, "FILE", 0, "the earlier state for nonaffine", COLOURS},
    {"range", KEY_RANGE, "LOW:HIGH", 0,
     "values at the ends of the colour bar, with or without unit (0:50 kPa), or percentiles "
     "(5%:95%), or all; default: 1%:99%, or from 0 where values cannot be negative",
     COLOURS},
    {"map", KEY_MAP, "MAP", 0,
     "viridis (default for grains), inferno, reds (default for chains), coolwarm (default for "
     "components, which have a sign), grey",
     COLOURS},
    {"grey", KEY_GREY, NULL, 0, "all colours are greys", COLOURS},

    {0, 0, NULL, 0, "Layout:", LAYOUT},
    {"width", KEY_WIDTH, "LENGTH", 0,
     "850 (pixels), 8.5cm, 85mm, 3.3in, 240pt; default: 12cm, or 4/3 of the height", LAYOUT},
    {"height", KEY_HEIGHT, "LENGTH", 0, "default: 3/4 of the width", LAYOUT},
    {"size", KEY_SIZE, "WxH", 0, "width and height in pixels", LAYOUT},
    {"dpi", KEY_DPI, "N", 0, "pixels per inch; default: 254, which is 100 per cm", LAYOUT},
    {"font", KEY_FONT, "NAME[,SIZE]", 0, "font and its size in points; default: DejaVu Sans,8",
     LAYOUT},
    {"background", KEY_BACKGROUND, "COLOUR", 0, "white (default), black, transparent or #rrggbb",
     LAYOUT},
    {"no-cell", KEY_NO_CELL, NULL, 0, "without the edges of the cell", LAYOUT},
    {"no-axes", KEY_NO_AXES, NULL, 0, "without the directions of x, y and z", LAYOUT},
    {"no-scale", KEY_NO_SCALE, NULL, 0, "without scale bar", LAYOUT},
    {"no-bar", KEY_NO_BAR, NULL, 0, "without colour bar", LAYOUT},
    {"bare", KEY_BARE, NULL, 0, "without cell, axes and scale bar; the colour bar stays", LAYOUT},

    {0, 0, NULL, 0, "Output:", FILES},
    {"out", KEY_OUT, "FILE", 0,
     "FILE.png, FILE.pdf or FILE.svg; default: named after the state, with _grains or _chains and "
     ".png",
     FILES},
    {"pdf", KEY_PDF, NULL, 0, "PDF: lines and text as vectors, grains as a bitmap", FILES},
    {"svg", KEY_SVG, NULL, 0, "SVG, in the same way", FILES},
    {0}};

/* State of the parser, beside the options. What depends on other options is kept as text. */
typedef struct parsing {
    tw_render_options *set;
    const char *color, *range, *map;
    bool grains, format_set;
} parsing;

static void parse_out(const struct argp_state *state, parsing *p, const char *text)
{
    const char *mark = strrchr(text, '.');
    for (int i = 0; mark && mark > text && i < TW_RENDER_FORMATS; i++) {
        if (strcmp(mark + 1, tw_render_format_names[i]) != 0) continue;
        p->set->output = text;
        return;
    }
    argp_error(state, "--out: %s is not FILE.png, FILE.pdf or FILE.svg",
               tw_render_parse_quote(text));
}

static void parse_format(const struct argp_state *state, parsing *p, tw_render_format format)
{
    if (p->format_set && p->set->format != format)
        argp_error(state, "--pdf and --svg exclude each other");
    p->format_set = true;
    p->set->format = format;
}

static void finish_format(const struct argp_state *state, const parsing *p)
{
    tw_render_options *set = p->set;
    if (!set->output) return;
    const char *ending = strrchr(set->output, '.') + 1;
    if (p->format_set && strcmp(ending, tw_render_format_names[set->format]) != 0)
        argp_error(state, "--%s: --out %s has another ending", tw_render_format_names[set->format],
                   tw_render_parse_quote(set->output));
    for (int i = 0; i < TW_RENDER_FORMATS; i++)
        if (strcmp(ending, tw_render_format_names[i]) == 0) set->format = (tw_render_format)i;
}

static void finish_quantity(const struct argp_state *state, const parsing *p)
{
    tw_render_choice *choice = &p->set->choice;
    const char *names[TW_RENDER_QUANTITIES];
    const size_t count = tw_render_quantity_names(choice->chains, names);
    choice->quantity = tw_render_quantity_find(p->color ? p->color : names[0]);
    const bool known = choice->quantity != NULL;
    if (known && tw_render_quantity_of_contacts(choice->quantity) != choice->chains)
        argp_error(state, "--color: '%s' is a quantity of %s: %s --chains", p->color,
                   choice->chains ? "grains" : "contacts", choice->chains ? "omit" : "add");
    if (!known)
        tw_args_refuse_name(state, "--color", p->color, strlen(p->color),
                            choice->chains ? "a quantity of contacts" : "a quantity of grains",
                            names, count);
    const bool moved = choice->quantity->what == TW_RENDER_NONAFFINE;
    if (moved && !p->set->since)
        argp_error(state, "--color %s needs --since FILE, the earlier state", p->color);
    if (!moved && p->set->since)
        argp_error(state, "--since has no effect without --color nonaffine");
}

static void finish_colours(const struct argp_state *state, const parsing *p)
{
    tw_render_choice *choice = &p->set->choice;
    const tw_render_scale scale = choice->quantity->scale;
    const bool plain = scale == TW_RENDER_SCALE_CLASSES || scale == TW_RENDER_SCALE_NONE;
    choice->map = scale == TW_RENDER_SCALE_SIGN ? TW_COLOUR_COOLWARM
                  : choice->chains              ? TW_COLOUR_REDS
                                                : TW_COLOUR_VIRIDIS;
    if (choice->grey) choice->map = TW_COLOUR_GREY;
    if (p->map) {
        int i = 0;
        while (i < TW_COLOUR_MAPS && strcmp(p->map, tw_colour_map_names[i]) != 0)
            i++;
        if (i == TW_COLOUR_MAPS)
            tw_args_refuse_name(state, "--map", p->map, strlen(p->map), "a colour map",
                                tw_colour_map_names, TW_COLOUR_MAPS);
        choice->map = (tw_colour_map)i;
    }
    if (plain && (p->range || p->map))
        argp_error(state, "--%s has no effect with --color %s", p->range ? "range" : "map",
                   choice->quantity->name);
    const char *problem =
        p->range ? tw_render_range_read(p->range, choice->quantity, &choice->range) : NULL;
    if (problem)
        argp_error(state, "--range: %s %s; right would be 0:1%s%s, 5%%:95%% or all",
                   tw_render_parse_quote(p->range), problem, choice->quantity->unit[0] ? " " : "",
                   choice->quantity->unit);
}

static void finish(const struct argp_state *state, const parsing *p)
{
    tw_render_options *set = p->set;
    if (!set->input) argp_error(state, "FILE is missing: the checkpoint to draw");
    if (p->grains && set->choice.chains)
        argp_error(state, "--grains and --chains exclude each other");
    if (set->choice.above > 0.0 && !set->choice.chains)
        argp_error(state, "--above has no effect without --chains");
    if (set->choice.cut && set->choice.chains)
        argp_error(state, "--cut has no effect with --chains; --slice has");
    if (p->map && set->choice.grey) argp_error(state, "--grey and --map exclude each other");
    if (!tw_render_size_pixels(&set->size, &set->width, &set->height))
        argp_error(state, "the picture would have sides below 1 or above %d pixels",
                   TW_RENDER_SIDE_MAX);
    set->choice.towards = tw_render_view_from(set->azimuth, set->elevation).towards;
    finish_format(state, p);
    finish_quantity(state, p);
    finish_colours(state, p);
    const tw_colour dark = {0.32, 0.32, 0.32}, light = {0.70, 0.70, 0.70};
    set->choice.line = tw_colour_lightness(set->background) > 0.5 ? dark : light;
}

/* Options of the content and its colours. False: not one of them. */
static bool parse_content(int key, char *text, const struct argp_state *state, parsing *p)
{
    tw_render_choice *choice = &p->set->choice;
    switch (key) {
    case KEY_GRAINS:
        p->grains = true;
        return true;
    case KEY_CHAINS:
        choice->chains = true;
        return true;
    case KEY_VIEW:
        tw_render_parse_view(state, text, &p->set->azimuth, &p->set->elevation);
        return true;
    case KEY_SLICE:
        tw_render_parse_slice(state, text, choice);
        return true;
    case KEY_CUT:
        tw_render_parse_cut(state, text, choice);
        return true;
    case KEY_ABOVE:
        choice->above = tw_args_positive(state, "above", text);
        return true;
    case KEY_COLOR:
        p->color = text;
        return true;
    case KEY_SINCE:
        p->set->since = text;
        return true;
    case KEY_RANGE:
        p->range = text;
        return true;
    case KEY_MAP:
        p->map = text;
        return true;
    case KEY_GREY:
        choice->grey = true;
        return true;
    case KEY_NO_CELL:
        choice->cell = false;
        return true;
    default:
        return false;
    }
}

static bool parse_layout(int key, char *text, const struct argp_state *state, parsing *p)
{
    tw_render_options *set = p->set;
    switch (key) {
    case KEY_SIZE:
        tw_render_parse_size(state, text, &set->size);
        return true;
    case KEY_WIDTH:
        tw_render_parse_length(state, "width", text, &set->size.width);
        return true;
    case KEY_HEIGHT:
        tw_render_parse_length(state, "height", text, &set->size.height);
        return true;
    case KEY_DPI:
        set->size.dpi = tw_args_positive(state, "dpi", text);
        return true;
    case KEY_FONT:
        tw_render_parse_font(state, text, &set->font, &set->font_size);
        return true;
    case KEY_BACKGROUND:
        tw_render_parse_background(state, text, &set->background, &set->transparent);
        return true;
    case KEY_NO_AXES:
        set->axes = false;
        return true;
    case KEY_NO_SCALE:
        set->scale = false;
        return true;
    case KEY_NO_BAR:
        set->bar = false;
        return true;
    case KEY_BARE:
        set->choice.cell = set->axes = set->scale = false;
        return true;
    default:
        return false;
    }
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    parsing *p = state->input;
    if (parse_content(key, text, state, p) || parse_layout(key, text, state, p)) return 0;
    switch (key) {
    case KEY_OUT:
        parse_out(state, p, text);
        break;
    case KEY_PDF:
        parse_format(state, p, TW_RENDER_PDF);
        break;
    case KEY_SVG:
        parse_format(state, p, TW_RENDER_SVG);
        break;
    case ARGP_KEY_ARG:
        tw_args_once(state, "FILE", text, &p->set->input);
        break;
    case ARGP_KEY_END:
        finish(state, p);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const char description[] =
    "Draws the grains or the force chains of FILE as PNG, PDF or SVG. FILE is a checkpoint, or an "
    "OVAL or DEMPLA D-file, a CSV file of spheres or a LAMMPS file, which have no contacts. The "
    "projection is parallel, so that lengths across the view are true; the size of a pixel and the "
    "range of the colours are printed."
    "\vBodies are drawn with their centres inside the cell. A contact across a periodic face is "
    "drawn as two halves, one at each body.\n\n"
    "Exit status: 0 success, 1 out of memory or output not written, 2 bad options, unreadable file "
    "or nothing to draw.";

void tw_render_options_parse(tw_render_options *set, int argc, char **argv)
{
    const struct argp argp = {options, parse_option, "FILE", description, NULL, NULL, NULL};
    *set = (tw_render_options){.azimuth = -60.0,
                               .elevation = 25.0,
                               .background = {1.0, 1.0, 1.0},
                               .axes = true,
                               .scale = true,
                               .bar = true,
                               .font = "DejaVu Sans",
                               .font_size = 8.0,
                               .choice.cell = true};
    parsing p = {.set = set};
    tw_args_parse(&argp, argc, argv, &p);
}
