/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "common/args.h"
#include "render/render_content.h"

static const double cm_per_inch = 2.54;

const char *const tw_render_format_names[TW_RENDER_FORMATS] = {
    [TW_RENDER_PNG] = "png",
    [TW_RENDER_PDF] = "pdf",
    [TW_RENDER_SVG] = "svg",
};

static double pixels_of(tw_picture_length length, double dpi)
{
    return floor((length.pixels ? 1.0 : dpi / cm_per_inch) * length.value + 0.5);
}

/* False: a side is below 1 or above TW_RENDER_SIDE_MAX. */
static bool size_in_pixels(const tw_render_size *size, size_t *width, size_t *height)
{
    const double dpi = size->dpi;
    double w = pixels_of(size->width, dpi), h = pixels_of(size->height, dpi);
    const bool wide = size->width.value > 0.0, high = size->height.value > 0.0;
    if (!wide) w = floor((high ? h / size->aspect : size->usual / cm_per_inch * dpi) + 0.5);
    if (!high) h = floor(w * size->aspect + 0.5);
    if (!(w >= 1.0 && w <= TW_RENDER_SIDE_MAX && h >= 1.0 && h <= TW_RENDER_SIDE_MAX)) return false;
    *width = (size_t)w;
    *height = (size_t)h;
    return true;
}

/* ---- Values of options ---- */

enum { VIEWS = 4 };
static const char *const views[VIEWS] = {"x", "y", "z", "iso"};
static const double angles[VIEWS][2] = {{0.0, 0.0}, {-90.0, 0.0}, {-90.0, 90.0}, {-60.0, 25.0}};

/* For a message; valid until the next call. */
static const char *quote(const char *text)
{
    static tw_text_quotation shown; /* used for one message before the program ends */
    shown = tw_text_quote(text, strlen(text));
    return shown.text;
}

/* WxH in pixels. */
static void read_size(const struct argp_state *state, const char *option, char *text, void *member)
{
    tw_render_size *size = member;
    char end;
    unsigned width = 0, height = 0;
    const bool digits = strspn(text, "0123456789x") == strlen(text) && strlen(text) < 16;
    if (!digits || sscanf(text, "%ux%u%c", &width, &height, &end) != 2 || width == 0 ||
        height == 0) {
        argp_error(state, "--%s: %s is not WxH, two integers from 1 to %d, such as 1200x900",
                   option, quote(text), TW_RENDER_SIDE_MAX);
    }
    size->width = (tw_picture_length){width, true};
    size->height = (tw_picture_length){height, true};
}

static void read_length(const struct argp_state *state, const char *option, char *text,
                        void *member)
{
    tw_picture_length *length = member;
    if (!tw_picture_length_read(text, length))
        argp_error(state, "--%s: %s is not a length such as 8.5cm, 85mm, 3.3in, 240pt or 850",
                   option, quote(text));
    if (length->pixels && length->value != floor(length->value))
        argp_error(state,
                   "--%s: %s is not a whole number of pixels; a length on paper has a unit: 8.5cm",
                   option, quote(text));
}

/* white, black, transparent or #rrggbb */
static void read_background(const struct argp_state *state, const char *option, char *text,
                            void *member)
{
    tw_render_options *set = member;
    static const char *const known[] = {"white", "black", "transparent"};
    (void)option;
    unsigned code = 0xffffff;
    set->transparent = false;
    if (text[0] == '#') {
        if (strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6)
            argp_error(state, "--background: %s is not #rrggbb, such as #f0f0f0", quote(text));
        code = (unsigned)strtoul(text + 1, NULL, 16);
    } else {
        const size_t which = tw_args_choice(state, "--background", text, strlen(text),
                                            "a background or #rrggbb", known, 3);
        if (which == 1) code = 0;
        set->transparent = which == 2;
    }
    set->background =
        (tw_colour){(code >> 16) / 255.0, (code >> 8 & 255) / 255.0, (code & 255) / 255.0};
}

/* "Liberation Sans", "Liberation Sans,9" or ",9". Cuts the text. */
static void read_font(const struct argp_state *state, const char *option, char *text, void *member)
{
    tw_render_options *set = member;
    double *size = &set->font_size;
    char *mark = strrchr(text, ',');
    if (mark) {
        *mark = '\0';
        if (tw_text_number(mark + 1, size) || !(*size >= 1.0) || !(*size <= 100.0))
            argp_error(state, "--%s: the size '%s' is not a number of points from 1 to 100", option,
                       mark + 1);
    }
    if (*text) set->font = text;
}

/* x, y, z, iso or AZIMUTH,ELEVATION */
static void read_view(const struct argp_state *state, const char *option, char *text, void *member)
{
    tw_render_options *set = member;
    double *azimuth = &set->azimuth, *elevation = &set->elevation;
    (void)option;
    int end = 0;
    if (!strchr(text, ',')) {
        const size_t i = tw_args_choice(state, "--view", text, strlen(text),
                                        "a view or AZIMUTH,ELEVATION", views, VIEWS);
        *azimuth = angles[i][0];
        *elevation = angles[i][1];
        return;
    }
    if (sscanf(text, "%lf,%lf%n", azimuth, elevation, &end) != 2 || text[end])
        argp_error(state, "--view: %s is not AZIMUTH,ELEVATION, two numbers in degrees",
                   quote(text));
    if (!(*azimuth >= -360.0 && *azimuth <= 360.0))
        argp_error(state, "--view: azimuth '%g' is not between -360 and 360", *azimuth);
    if (!(*elevation >= -90.0 && *elevation <= 90.0))
        argp_error(state, "--view: elevation '%g' is not between -90 and 90", *elevation);
}

/* EDGE:FROM:TO */
static void read_slice(const struct argp_state *state, const char *option, char *text, void *member)
{
    tw_render_choice *choice = member;
    char edge = 0;
    int end = 0;
    (void)option;
    if (sscanf(text, "%c:%lf:%lf%n", &edge, &choice->from, &choice->to, &end) != 3 || text[end] ||
        !strchr("abc", edge) || !isfinite(choice->to - choice->from))
        argp_error(state,
                   "--slice: %s is not EDGE:FROM:TO, an edge (a, b or c) and two fractions of it, "
                   "such as b:0.4:0.6",
                   quote(text));
    if (!(choice->from < choice->to))
        argp_error(state, "--slice: FROM '%g' is not below TO '%g'", choice->from, choice->to);
    choice->sliced = true;
    choice->edge = edge - 'a';
}

/* EDGE:AT */
static void read_cut(const struct argp_state *state, const char *option, char *text, void *member)
{
    tw_render_choice *choice = member;
    char edge = 0;
    int end = 0;
    (void)option;
    if (sscanf(text, "%c:%lf%n", &edge, &choice->cut_at, &end) != 2 || text[end] ||
        !strchr("abc", edge) || !(choice->cut_at > 0.0 && choice->cut_at < 1.0))
        argp_error(
            state,
            "--cut: %s is not EDGE:AT, an edge (a, b or c) and a fraction of it between 0 and "
            "1, such as b:0.5",
            quote(text));
    choice->cut = true;
    choice->cut_edge = edge - 'a';
}

static void read_out(const struct argp_state *state, const char *option, char *text, void *member)
{
    const char *mark = strrchr(text, '.');
    for (int i = 0; mark && mark > text && i < TW_RENDER_FORMATS; i++) {
        if (strcmp(mark + 1, tw_render_format_names[i]) != 0) continue;
        tw_args_text(state, option, text, member);
        return;
    }
    argp_error(state, "--%s: %s is not FILE.png, FILE.pdf or FILE.svg", option, quote(text));
}

static void read_bare(const struct argp_state *state, const char *option, char *text, void *member)
{
    tw_render_options *set = member;
    (void)state, (void)option, (void)text;
    set->choice.cell = set->axes = set->scale = false;
}

/* ---- The table ---- */

#define SET(member) offsetof(tw_render_drawing, member)

static const tw_args_option drawing[] = {
    {.help = "What is drawn:"},
    {"grains", NULL, "the grains; default. With --chains: translucent, around the chains",
     tw_args_flag, SET(grains)},
    {"chains", NULL, "the force chains: a rod for each contact, as thick as its normal force",
     tw_args_flag, SET(chains)},
    {"field", "NAME",
     "a local field on the section of --cut: porosity, pressure, deviator_stress; since an earlier "
     "state volumetric_strain, shear_strain, rotation (half the vorticity; _x, _y, _z: components)",
     tw_args_text, SET(field)},
    {"window", "N",
     "with --field: radius of the coarse graining in mean diameters of the grains; default: 3",
     tw_args_positive, SET(set.choice.window)},
    {"view", "VIEW",
     "position of the viewer: x, y (x to the right), z (above), iso, or AZIMUTH,ELEVATION in "
     "degrees (from x towards y, and above the x-y plane); default: iso, which is -60,25, or "
     "facing "
     "the section of a field",
     read_view, SET(set)},
    {"slice", "EDGE:FROM:TO",
     "only bodies with centres between these fractions of the edge a, b or c of the cell, such "
     "as b:0.4:0.6; where it is open, of the extent of grains and walls",
     read_slice, SET(set.choice)},
    {"cut", "EDGE:AT",
     "cut the grains at this fraction of the edge a, b or c and show the section, such as b:0.5, "
     "the default of --field",
     read_cut, SET(set.choice)},
    {"above", "RATIO",
     "with --chains: only contacts with a normal force of at least RATIO times the mean",
     tw_args_positive, SET(set.choice.above)},

    {.help = "Colours:"},
    {"color", "WHAT",
     "grains: size (default; diameter of the sphere of equal volume), coordination, velocity "
     "(relative to the affine motion of the cell), spin, displacement (since the stage began), "
     "nonaffine (displacement since another state, relative to the affine motion of the cell), "
     "pressure, rattlers, certificate (of a response that is not unique, from NAME/rates.json for "
     "NAME.h5; other grains are small), type, material, id. Vectors are magnitudes; add _x, _y or "
     "_z for a component. "
     "Chains: force (default), mobilisation (tangential force over friction limit), sliding, "
     "certificate",
     tw_args_text, SET(color)},
    {.name = "colour"},
    {"since", "FILE",
     "the earlier state for nonaffine and fields of strain; movies: default is their first "
     "picture",
     tw_args_text, SET(set.since)},
    {"range", "LOW:HIGH",
     "values at the ends of the colour bar, with or without unit (0:50 kPa), or percentiles "
     "(5%:95%), or all; default: 1%:99%, or from 0 where values cannot be negative",
     tw_args_text, SET(range)},
    {"map", "MAP",
     "viridis (default for grains), inferno, reds (default for chains), coolwarm (default for "
     "components, which have a sign), grey",
     tw_args_text, SET(map)},
    {"grey", NULL, "all colours are greys", tw_args_flag, SET(set.choice.grey)},

    {.help = "Layout:"},
    {"width", "LENGTH",
     "850 (pixels), 8.5cm, 85mm, 3.3in, 240pt; default: 12cm, or 4/3 of the height; movies: 960 "
     "pixels, or 16/9 of it",
     read_length, SET(set.size.width)},
    {"height", "LENGTH", "default: 3/4 of the width; movies: 9/16", read_length,
     SET(set.size.height)},
    {"size", "WxH", "width and height in pixels", read_size, SET(set.size)},
    {"dpi", "N", "pixels per inch; default: 254, which is 100 per cm; movies: 96", tw_args_positive,
     SET(set.size.dpi)},
    {"font", "NAME[,SIZE]", "font and its size in points; default: Helvetica,8; movies: 10",
     read_font, SET(set)},
    {"background", "COLOUR", "white (default), black, transparent or #rrggbb", read_background,
     SET(set)},
    {"no-cell", NULL, "without the edges of the cell, which are those that are periodic",
     tw_args_no_flag, SET(set.choice.cell)},
    {"no-walls", NULL, "without walls", tw_args_no_flag, SET(set.choice.walls)},
    {"no-axes", NULL, "without the directions of x, y and z", tw_args_no_flag, SET(set.axes)},
    {"no-scale", NULL, "without scale bar", tw_args_no_flag, SET(set.scale)},
    {"no-bar", NULL, "without colour bar", tw_args_no_flag, SET(set.bar)},
    {"bare", NULL, "without cell, axes and scale bar; the colour bar stays", read_bare, SET(set)},

    {0}};

/* ---- Checks when all options are read ---- */

static void finish_quantity(const struct argp_state *state, tw_render_drawing *p)
{
    tw_render_choice *choice = &p->set.choice;
    const char *names[TW_RENDER_QUANTITIES];
    const size_t count = tw_render_quantity_names(choice->subject, names);
    const bool chains = choice->subject == TW_RENDER_CHAINS, field = p->field != NULL;
    const char *name = field ? p->field : p->color ? p->color : names[0];
    const tw_render_subject other = chains ? TW_RENDER_GRAINS : TW_RENDER_CHAINS;
    choice->quantity = tw_render_quantity_find(choice->subject, name);
    if (!choice->quantity && !field && tw_render_quantity_find(other, name))
        argp_error(state, "--color: '%s' is a quantity of %s: %s --chains", name,
                   chains ? "grains" : "contacts", chains ? "omit" : "add");
    if (!choice->quantity && !field && tw_render_quantity_find(TW_RENDER_FIELD, name))
        argp_error(state, "--color: '%s' is a local field: --field %s draws it", name, name);
    if (!choice->quantity)
        (void)tw_args_choice(state, field ? "--field" : "--color", name, strlen(name),
                             field    ? "a local field"
                             : chains ? "a quantity of contacts"
                                      : "a quantity of grains",
                             names, count);
    if (!tw_render_quantity_needs_since(choice->quantity) && p->set.since)
        argp_error(state, "--since has no effect without --color nonaffine or a --field of strain");
}

static void finish_colours(const struct argp_state *state, tw_render_drawing *p)
{
    tw_render_choice *choice = &p->set.choice;
    const tw_render_scale scale = choice->quantity->scale;
    const bool plain = scale == TW_RENDER_SCALE_CLASSES || scale == TW_RENDER_SCALE_NONE;
    choice->map = scale == TW_RENDER_SCALE_SIGN ? TW_COLOUR_COOLWARM
                  : p->chains                   ? TW_COLOUR_REDS
                                                : TW_COLOUR_VIRIDIS;
    if (choice->grey) choice->map = TW_COLOUR_GREY;
    if (p->map)
        choice->map =
            (tw_colour_map)tw_args_choice(state, "--map", p->map, strlen(p->map), "a colour map",
                                          tw_colour_map_names, TW_COLOUR_MAPS);
    if (plain && (p->range || p->map))
        argp_error(state, "--%s has no effect with --color %s", p->range ? "range" : "map",
                   choice->quantity->name);
    const char *problem =
        p->range ? tw_render_range_read(p->range, choice->quantity, &choice->range) : NULL;
    if (problem)
        argp_error(state, "--range: %s %s; right would be 0:1%s%s, 5%%:95%% or all",
                   quote(p->range), problem, choice->quantity->unit[0] ? " " : "",
                   choice->quantity->unit);
}

/* Facing the section, along the axis next to the edge that it cuts. */
static void finish_view(tw_render_options *set)
{
    const int view = set->choice.subject == TW_RENDER_FIELD ? set->choice.cut_edge : VIEWS - 1;
    if (!isnan(set->azimuth)) return;
    set->azimuth = angles[view][0];
    set->elevation = angles[view][1];
}

static void finish_field(const struct argp_state *state, tw_render_drawing *p)
{
    tw_render_choice *choice = &p->set.choice;
    choice->subject = p->field ? TW_RENDER_FIELD : p->chains ? TW_RENDER_CHAINS : TW_RENDER_GRAINS;
    choice->glass = p->grains && p->chains;
    if (!p->field && choice->window > 0.0)
        argp_error(state, "--window has no effect without --field");
    if (p->field && p->color) argp_error(state, "--color has no effect with --field");
    if (p->field && choice->sliced)
        argp_error(state, "--slice has no effect with --field; --cut chooses the section");
    if (!(choice->window > 0.0)) choice->window = 3.0;
    if (p->field && !choice->cut) {
        choice->cut = true;
        choice->cut_edge = 1;
        choice->cut_at = 0.5;
    }
    finish_view(&p->set);
}

static void finish_drawing(const struct argp_state *state, void *settings)
{
    tw_render_drawing *p = settings;
    tw_render_options *set = &p->set;
    if (p->field && (p->grains || p->chains))
        argp_error(state, "--field and --%s exclude each other", p->grains ? "grains" : "chains");
    if (set->choice.above > 0.0 && !p->chains)
        argp_error(state, "--above has no effect without --chains");
    if (set->choice.cut && p->chains)
        argp_error(state, "--cut has no effect with --chains; --slice has");
    finish_field(state, p);
    if (p->map && set->choice.grey) argp_error(state, "--grey and --map exclude each other");
    if (!size_in_pixels(&set->size, &set->width, &set->height))
        argp_error(state, "the picture would have sides below 1 or above %d pixels",
                   TW_RENDER_SIDE_MAX);
    set->choice.towards = tw_render_view_from(set->azimuth, set->elevation).towards;
    finish_quantity(state, p);
    finish_colours(state, p);
    const tw_colour dark = {0.32, 0.32, 0.32}, light = {0.70, 0.70, 0.70};
    const tw_colour steel = {0.26, 0.36, 0.50}, pale = {0.66, 0.76, 0.90};
    const bool bright = tw_colour_lightness(set->background) > 0.5;
    set->choice.line = bright ? dark : light;
    set->choice.wall = set->choice.grey ? set->choice.line : bright ? steel : pale;
}

const tw_args_table tw_render_options_shared = {drawing, finish_drawing};

tw_render_drawing tw_render_options_default(void)
{
    return (tw_render_drawing){.set = {.size = {.dpi = 254.0, /* 100 pixels per centimetre */
                                                .usual = 12.0,
                                                .aspect = 0.75},
                                       .fine = 3,
                                       .azimuth = (double)NAN, /* not given */
                                       .background = {1.0, 1.0, 1.0},
                                       .axes = true,
                                       .scale = true,
                                       .bar = true,
                                       .font = "Helvetica",
                                       .font_size = 8.0,
                                       .choice = {.cell = true, .walls = true}}};
}

/* ---- twirl render ---- */

typedef struct parsing {
    tw_render_drawing drawing;
    bool pdf, svg;
} parsing;

#define OWN(member) offsetof(parsing, member)

static const tw_args_option options[] = {
    {NULL, "FILE", "the checkpoint to draw", tw_args_once, OWN(drawing.set.input)},
    {.help = "Output:"},
    {"out", "FILE",
     "FILE.png, FILE.pdf or FILE.svg; default: named after the state, with _grains, _chains or "
     "the name of the field and .png",
     read_out, OWN(drawing.set.output)},
    {"pdf", NULL, "PDF: lines and text as vectors, grains as a bitmap", tw_args_flag, OWN(pdf)},
    {"svg", NULL, "SVG, in the same way", tw_args_flag, OWN(svg)},
    {0}};

static void finish_format(const struct argp_state *state, parsing *p)
{
    tw_render_options *set = &p->drawing.set;
    const bool given = p->pdf || p->svg;
    if (p->pdf && p->svg) argp_error(state, "--pdf and --svg exclude each other");
    if (given) set->format = p->pdf ? TW_RENDER_PDF : TW_RENDER_SVG;
    if (!set->output) return;
    const char *ending = strrchr(set->output, '.') + 1;
    if (given && strcmp(ending, tw_render_format_names[set->format]) != 0)
        argp_error(state, "--%s: --out %s has another ending", tw_render_format_names[set->format],
                   quote(set->output));
    for (int i = 0; i < TW_RENDER_FORMATS; i++)
        if (strcmp(ending, tw_render_format_names[i]) == 0) set->format = (tw_render_format)i;
}

static void finish(const struct argp_state *state, void *settings)
{
    parsing *p = settings;
    const tw_render_options *set = &p->drawing.set;
    if (tw_render_quantity_needs_since(set->choice.quantity) && !set->since)
        argp_error(state, "--%s %s needs --since FILE, the earlier state",
                   p->drawing.field ? "field" : "color", set->choice.quantity->name);
    finish_format(state, p);
}

static const char description[] =
    "Draws the grains, the force chains or a local field of FILE as PNG, PDF or SVG. FILE is a "
    "checkpoint, or an "
    "OVAL or DEMPLA D-file, a CSV file of spheres or a LAMMPS file, which have no contacts, except "
    "for a dump of twirl with its contacts, NAME.local, beside it. The "
    "projection is parallel, so that lengths across the view are true; the size of a pixel and the "
    "range of the colours are printed."
    "\vBodies are drawn with their centres inside the cell. A contact across a periodic face is "
    "drawn as two halves, one at each body. A local field is a mean over the grains or contacts "
    "near a "
    "point, with weights that fall to 0 at the distance of the window; the picture states it.\n\n"
    "Exit status: 0 success, 1 out of memory or output not written, 2 bad options, unreadable file "
    "or nothing to draw.";

static const tw_args_command command_line = {.own = {options, finish},
                                             .shared = &tw_render_options_shared,
                                             .shared_offset = OWN(drawing),
                                             .arguments = "FILE",
                                             .description = description};

void tw_render_options_parse(tw_render_options *set, int argc, char **argv)
{
    parsing p = {.drawing = tw_render_options_default()};
    tw_args_parse(&command_line, argc, argv, &p);
    *set = p.drawing.set;
}
