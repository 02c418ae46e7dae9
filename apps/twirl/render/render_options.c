/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_options.h"

#include "base/text.h"
#include "common/args.h"

#include <stdio.h>
#include <string.h>

const char *const tw_render_colours[TW_RENDER_COLOURS] = {
    [TW_RENDER_BY_SIZE] = "size",
    [TW_RENDER_BY_COORDINATION] = "coordination",
    [TW_RENDER_BY_VELOCITY] = "velocity",
    [TW_RENDER_BY_ID] = "id",
};

static const struct {
    const char *name;
    double azimuth, elevation;
} views[] = {{"x", 0.0, 0.0}, {"y", -90.0, 0.0}, {"z", -90.0, 90.0}, {"iso", -60.0, 25.0}};
enum { VIEWS = sizeof views / sizeof views[0] };

enum {
    KEY_GRAINS = 256,
    KEY_CHAINS,
    KEY_OUT,
    KEY_SIZE,
    KEY_VIEW,
    KEY_COLOR,
    KEY_SLICE,
    KEY_ABOVE,
    KEY_BARE
};

static const struct argp_option options[] = {
    {"grains", KEY_GRAINS, NULL, 0, "draw the grains; default", 0},
    {"chains", KEY_CHAINS, NULL, 0,
     "draw the force chains: a rod for each contact, thicker and darker for a larger normal force, "
     "red if sticking, blue if sliding",
     0},
    {"out", KEY_OUT, "FILE.png", 0,
     "output file; default: FILE with the extension replaced by _grains.png or _chains.png", 0},
    {"size", KEY_SIZE, "WxH", 0, "width and height in pixels; default: 1200x900", 0},
    {"view", KEY_VIEW, "VIEW", 0,
     "position of the viewer: x, y (x to the right), z (above), iso, or AZIMUTH,ELEVATION in "
     "degrees "
     "(from x towards y, and above the x-y plane); default: iso, which is -60,25",
     0},
    {"color", KEY_COLOR, "WHAT", 0,
     "colour of the grains: size (diameter of the sphere of equal volume), coordination, velocity "
     "(relative to the affine motion of the cell) or id; default: size",
     0},
    {"slice", KEY_SLICE, "EDGE:FROM:TO", 0,
     "draw only bodies with centres between these fractions of the edge a, b or c of the cell, "
     "such "
     "as b:0.4:0.6",
     0},
    {"above", KEY_ABOVE, "RATIO", 0,
     "with --chains: draw only contacts with a normal force of at least RATIO times the mean", 0},
    {"bare", KEY_BARE, NULL, 0, "draw no cell, haze or colour bar, on a white background", 0},
    {0}};

/* State of the parser, beside the options. */
typedef struct parsing {
    tw_render_options *set;
    bool grains, coloured, thresholded;
} parsing;

static const char *quote(const char *text)
{
    static tw_text_quotation shown; /* used for one message before the program ends */
    shown = tw_text_quote(text, strlen(text));
    return shown.text;
}

static void parse_size(const struct argp_state *state, tw_render_options *set, const char *text)
{
    char end;
    unsigned width = 0, height = 0;
    const bool digits = strspn(text, "0123456789x") == strlen(text) && strlen(text) < 16;
    if (!digits || sscanf(text, "%ux%u%c", &width, &height, &end) != 2 || width == 0 ||
        height == 0 || width > TW_RENDER_SIDE_MAX || height > TW_RENDER_SIDE_MAX) {
        argp_error(state, "--size: %s is not WxH, two integers from 1 to %d, such as 1200x900",
                   quote(text), TW_RENDER_SIDE_MAX);
    }
    set->width = width;
    set->height = height;
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

static void parse_view(const struct argp_state *state, tw_render_options *set, const char *text)
{
    const char *known[VIEWS];
    for (size_t i = 0; i < VIEWS; i++) {
        known[i] = views[i].name;
        if (strcmp(text, views[i].name) != 0) continue;
        set->azimuth = views[i].azimuth;
        set->elevation = views[i].elevation;
        return;
    }
    char copy[64], *field[2] = {NULL};
    if (!strchr(text, ','))
        tw_args_refuse_name(state, "--view", text, strlen(text), "a view or AZIMUTH,ELEVATION",
                            known, VIEWS);
    snprintf(copy, sizeof copy, "%s", text);
    if (strlen(text) >= sizeof copy || split(copy, ',', field, 2) != 2 ||
        tw_text_number(field[0], &set->azimuth) || tw_text_number(field[1], &set->elevation)) {
        argp_error(state, "--view: %s is not AZIMUTH,ELEVATION, two numbers in degrees",
                   quote(text));
    }
    if (!(set->azimuth >= -360.0 && set->azimuth <= 360.0))
        argp_error(state, "--view: azimuth '%s' is not between -360 and 360", field[0]);
    if (!(set->elevation >= -90.0 && set->elevation <= 90.0))
        argp_error(state, "--view: elevation '%s' is not between -90 and 90", field[1]);
}

static void parse_color(const struct argp_state *state, tw_render_choice *choice, const char *text)
{
    for (int i = 0; i < TW_RENDER_COLOURS; i++) {
        if (strcmp(text, tw_render_colours[i]) != 0) continue;
        choice->by = (tw_render_by)i;
        return;
    }
    tw_args_refuse_name(state, "--color", text, strlen(text), "a quantity for the colour of grains",
                        tw_render_colours, TW_RENDER_COLOURS);
}

static void parse_slice(const struct argp_state *state, tw_render_choice *choice, const char *text)
{
    char copy[64], *field[3] = {NULL};
    snprintf(copy, sizeof copy, "%s", text);
    if (strlen(text) >= sizeof copy || split(copy, ':', field, 3) != 3 || strlen(field[0]) != 1 ||
        !strchr("abc", field[0][0]) || tw_text_number(field[1], &choice->from) ||
        tw_text_number(field[2], &choice->to)) {
        argp_error(state,
                   "--slice: %s is not EDGE:FROM:TO, an edge (a, b or c) and two fractions of it, "
                   "such as b:0.4:0.6",
                   quote(text));
    }
    if (!(choice->from < choice->to))
        argp_error(state, "--slice: FROM '%s' is not below TO '%s'", field[1], field[2]);
    choice->sliced = true;
    choice->edge = field[0][0] - 'a';
}

static void finish(const struct argp_state *state, const parsing *p)
{
    if (!p->set->input) argp_error(state, "FILE is missing: the checkpoint to draw");
    if (p->grains && p->set->choice.chains)
        argp_error(state, "--grains and --chains exclude each other");
    if (p->coloured && p->set->choice.chains)
        argp_error(state, "--color has no effect with --chains, whose colour is the force");
    if (p->thresholded && !p->set->choice.chains)
        argp_error(state, "--above has no effect without --chains");
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    parsing *p = state->input;
    tw_render_options *set = p->set;
    switch (key) {
    case KEY_GRAINS:
        p->grains = true;
        break;
    case KEY_CHAINS:
        set->choice.chains = true;
        break;
    case KEY_OUT:
        if (strlen(text) < 5 || strcmp(text + strlen(text) - 4, ".png") != 0)
            argp_error(state, "--out: %s is not FILE.png", quote(text));
        set->output = text;
        break;
    case KEY_SIZE:
        parse_size(state, set, text);
        break;
    case KEY_VIEW:
        parse_view(state, set, text);
        break;
    case KEY_COLOR:
        parse_color(state, &set->choice, text);
        p->coloured = true;
        break;
    case KEY_SLICE:
        parse_slice(state, &set->choice, text);
        break;
    case KEY_ABOVE:
        set->choice.above = tw_args_positive(state, "above", text);
        p->thresholded = true;
        break;
    case KEY_BARE:
        set->bare = true;
        set->choice.cell = false;
        break;
    case ARGP_KEY_ARG:
        tw_args_once(state, "FILE", text, &set->input);
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
    "Draws the grains or the force chains of FILE as a PNG. FILE is a checkpoint, or an OVAL or "
    "DEMPLA D-file, a CSV file of spheres or a LAMMPS file, which have no contacts. The projection "
    "is parallel, so that lengths across the view are true; the size of a pixel and the range of "
    "the "
    "colours are printed."
    "\vBodies are drawn with their centres inside the cell. A contact across a periodic face is "
    "drawn as two halves, one at each body.\n\n"
    "Exit status: 0 success, 1 out of memory or output not written, 2 bad options, unreadable file "
    "or nothing to draw.";

void tw_render_options_parse(tw_render_options *set, int argc, char **argv)
{
    const struct argp argp = {options, parse_option, "FILE", description, NULL, NULL, NULL};
    *set = (tw_render_options){
        .width = 1200, .height = 900, .azimuth = -60.0, .elevation = 25.0, .choice.cell = true};
    parsing p = {.set = set};
    tw_args_parse(&argp, argc, argv, &p);
}
