/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/mat3.h"
#include "base/text.h"
#include "common/output.h"

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
static const uint32_t class_colours[] = {0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7,
                                         0x56b4e9, 0xd55e00, 0xf0e442, 0x7a7a7a};
enum { CLASSES = sizeof class_colours / sizeof class_colours[0] };

static tw_colour from_code(uint32_t code)
{
    return (tw_colour){(code >> 16 & 255) / 255.0, (code >> 8 & 255) / 255.0, (code & 255) / 255.0};
}

tw_colour tw_colour_mix(tw_colour a, tw_colour b, double fraction)
{
    const double s = fraction;
    return (tw_colour){a.r + s * (b.r - a.r), a.g + s * (b.g - a.g), a.b + s * (b.b - a.b)};
}

void tw_colour_print(tw_colour colour, char text[8])
{
    const double part[3] = {colour.r, colour.g, colour.b};
    text[0] = '#';
    for (int c = 0; c < 3; c++)
        snprintf(text + 1 + 2 * c, 3, "%02x", (unsigned)(255.0 * part[c] + 0.5) & 255U);
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

/* A colour for each of `count` classes: eight that people with any kind of colour vision can tell
 * apart, then they repeat; or greys from light to dark. */
static tw_colour colour_of_class(uint32_t number, uint32_t count, int grey)
{
    if (!grey) return from_code(class_colours[number % CLASSES]);
    return tw_colour_at(TW_COLOUR_GREY, count > 1 ? (double)number / (count - 1) : 0.5);
}

#define PART(name, what, part, title, unit, scale)                                                 \
    {                                                                                              \
        name, TW_RENDER_##what, part, title, unit, TW_RENDER_SCALE_##scale,                        \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }
#define NUMBER(name, what, title, unit, scale) PART(name, what, -1, title, unit, scale)
#define CLASSES(name, what, first, second)                                                         \
    {                                                                                              \
        name, TW_RENDER_##what, -1, "", "", TW_RENDER_SCALE_CLASSES,                               \
        {                                                                                          \
            first, second                                                                          \
        }                                                                                          \
    }
/* A vector is offered as its magnitude and its three components. */
#define VECTOR(name, what, title, unit)                                                            \
    NUMBER(name, what, title, unit, ZERO), PART(name "_x", what, 0, title ", x", unit, SIGN),      \
        PART(name "_y", what, 1, title ", y", unit, SIGN),                                         \
        PART(name "_z", what, 2, title ", z", unit, SIGN)

static const tw_render_quantity quantities[TW_RENDER_QUANTITIES] = {
    NUMBER("size", SIZE, "diameter", "m", PLAIN),
    NUMBER("coordination", COORDINATION, "contacts per grain", "", COUNT),
    VECTOR("velocity", VELOCITY, "velocity", "m/s"),
    VECTOR("spin", SPIN, "spin", "rad/s"),
    VECTOR("displacement", DISPLACEMENT, "displacement", "m"),
    VECTOR("nonaffine", NONAFFINE, "non-affine displacement", "m"),
    NUMBER("pressure", PRESSURE, "pressure", "Pa", ZERO),
    CLASSES("rattlers", RATTLERS, "loaded grain", "rattler"),
    CLASSES("certificate", CERTIFICATE, "other grain", "in the certificate"),
    NUMBER("type", TYPE, "type", "", CLASSES),
    NUMBER("material", MATERIAL, "", "", CLASSES),
    NUMBER("id", ID, "", "", NONE),
    NUMBER("force", FORCE, "normal force", "N", ZERO),
    NUMBER("mobilisation", MOBILISATION, "mobilised friction", "", UNIT),
    CLASSES("sliding", SLIDING, "sticks", "slides"),
    CLASSES("certificate", CHAIN_CERTIFICATE, "other contact", "in the certificate"),
    NUMBER("porosity", FIELD_POROSITY, "porosity", "", PLAIN),
    NUMBER("pressure", FIELD_PRESSURE, "mean stress", "Pa", PLAIN),
    NUMBER("deviator_stress", FIELD_DEVIATOR, "deviator stress", "Pa", ZERO),
    NUMBER("volumetric_strain", FIELD_VOLUMETRIC, "volumetric strain", "", SIGN),
    NUMBER("shear_strain", FIELD_SHEAR, "shear strain", "", ZERO),
    VECTOR("rotation", FIELD_ROTATION, "rotation", "rad"),
};

tw_render_subject tw_render_quantity_subject(const tw_render_quantity *quantity)
{
    return quantity->what >= TW_RENDER_FIELD_POROSITY ? TW_RENDER_FIELD
           : quantity->what >= TW_RENDER_FORCE        ? TW_RENDER_CHAINS
                                                      : TW_RENDER_GRAINS;
}

bool tw_render_quantity_needs_since(const tw_render_quantity *quantity)
{
    return quantity->what == TW_RENDER_NONAFFINE || quantity->what >= TW_RENDER_FIELD_VOLUMETRIC;
}

bool tw_render_quantity_is_certificate(const tw_render_quantity *quantity)
{
    return quantity->what == TW_RENDER_CERTIFICATE || quantity->what == TW_RENDER_CHAIN_CERTIFICATE;
}

const tw_render_quantity *tw_render_quantity_find(tw_render_subject subject, const char *name)
{
    for (size_t i = 0; i < TW_RENDER_QUANTITIES; i++)
        if (tw_render_quantity_subject(&quantities[i]) == subject &&
            strcmp(name, quantities[i].name) == 0)
            return &quantities[i];
    return NULL;
}

size_t tw_render_quantity_names(tw_render_subject subject, const char *names[TW_RENDER_QUANTITIES])
{
    size_t count = 0;
    for (size_t i = 0; i < TW_RENDER_QUANTITIES; i++) {
        if (tw_render_quantity_subject(&quantities[i]) == subject)
            names[count++] = quantities[i].name;
    }
    return count;
}

static const struct {
    const char *prefix, *power;
    double size;
} prefixes[] = {
    {"p", "10^{−12} ", 1e-12}, {"n", "10^{-9} ", 1e-9}, {"µ", "10^{-6} ", 1e-6},
    {"m", "10^{−3} ", 1e-3},   {"", "", 1.0},           {"k", "10^{3} ", 1e3},
    {"M", "10^{6} ", 1e6},     {"G", "10^{9} ", 1e9},   {"T", "10^{12} ", 1e12},
};
enum { PREFIXES = sizeof prefixes / sizeof prefixes[0], PLAIN = 4 };

static bool takes_prefix(const char *si)
{
    return *si && strncmp(si, "rad", 3) != 0;
}

tw_render_unit tw_render_unit_for(const char *si, double largest)
{
    tw_render_unit unit;
    size_t i = PLAIN;
    const bool prefixed = takes_prefix(si);
    /* Without a prefix a power of ten is needed, which is worth it for long numbers only. */
    const bool plain = largest == 0.0 || (!prefixed && largest >= 0.01 && largest < 1e4);
    while (!plain && i > 0 && largest < (1.0 - 1e-9) * prefixes[i].size)
        i--;
    while (!plain && i + 1 < PREFIXES && largest >= (1.0 - 1e-9) * prefixes[i + 1].size)
        i++;
    unit.size = prefixes[i].size;
    snprintf(unit.name, sizeof unit.name, "%s%s", prefixed ? prefixes[i].prefix : prefixes[i].power,
             si);
    const size_t length = strlen(unit.name);
    if (length > 0 && unit.name[length - 1] == ' ') unit.name[length - 1] = '\0';
    return unit;
}

/* 0: not this unit. */
static double size_of(const char *name, const char *si)
{
    if (strcmp(name, si) == 0) return 1.0;
    if (!takes_prefix(si)) return 0.0;
    for (size_t i = 0; i < PREFIXES; i++) {
        const size_t length = strlen(prefixes[i].prefix);
        if (strncmp(name, prefixes[i].prefix, length) == 0 && strcmp(name + length, si) == 0)
            return prefixes[i].size;
    }
    return name[0] == 'u' && strcmp(name + 1, si) == 0 ? 1e-6 : 0.0;
}

/* Reads a value with an optional unit: `si`, also with a prefix. False: not that. */
static bool unit_read(const char *text, const char *si, double *value)
{
    char number[64];
    size_t length = strspn(text, "+-.0123456789"), more;
    if ((text[length] == 'e' || text[length] == 'E') &&
        (more = strspn(text + length + 1, "+-0123456789")) > 0)
        length += 1 + more;
    if (length >= sizeof number) return false;
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    const char *name = text + length + strspn(text + length, " ");
    const double size = *name ? size_of(name, si) : 1.0;
    if (size == 0.0 || tw_text_number(number, value)) return false;
    *value *= size;
    return true;
}

/* floor(log10(value)) of a positive number that is rounded to ten digits. */
static int exponent_of(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.9e", value);
    return (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

static double power_of_ten(int exponent)
{
    char text[16];
    snprintf(text, sizeof text, "1e%d", exponent);
    return strtod(text, NULL);
}

double tw_render_unit_round(double limit)
{
    const double slack = 1.0 + 1e-9; /* 0.3 / 3 is still 0.1 */
    const double power = power_of_ten(exponent_of(limit * slack)), rest = limit * slack / power;
    return power * (rest >= 5.0 ? 5.0 : rest >= 2.0 ? 2.0 : 1.0);
}

void tw_render_unit_print(char *text, size_t size, double value, double step)
{
    const int exponent = exponent_of(step);
    const double whole = step * floor(value / step + 0.5), shown = fabs(whole);
    snprintf(text, size, "%s%.*f", whole < 0.0 ? "−" : "", exponent < 0 ? -exponent : 0, shown);
}

static const double percent_low = 1.0, percent_high = 99.0;

static const char *read_two(const char *low, const char *high, const tw_render_quantity *quantity,
                            tw_render_range_choice *choice)
{
    const size_t end = strlen(high);
    const bool percent = end > 0 && high[end - 1] == '%';
    const char *unit = percent ? "%" : quantity->unit;
    choice->kind = percent ? TW_RENDER_RANGE_PERCENTILES : TW_RENDER_RANGE_VALUES;
    if (!unit_read(low, unit, &choice->low) || !unit_read(high, unit, &choice->high))
        return "is not LOW:HIGH";
    if (percent && !(choice->low >= 0.0 && choice->high <= 100.0))
        return "has percentiles below 0 or above 100";
    if (!(choice->low < choice->high)) return "has a LOW that is not below HIGH";
    return choice->high - choice->low < 1e300 ? NULL : "is too wide";
}

const char *tw_render_range_read(const char *text, const tw_render_quantity *quantity,
                                 tw_render_range_choice *choice)
{
    char low[128], high[64];
    const char *mark = strchr(text, ':');
    *choice = (tw_render_range_choice){.kind = TW_RENDER_RANGE_ALL};
    if (strcmp(text, "all") == 0) return NULL;
    if (!mark || (size_t)(mark - text) >= sizeof high || strlen(mark) > sizeof high)
        return "is not LOW:HIGH";
    snprintf(low, sizeof low, "%.*s", (int)(mark - text), text);
    snprintf(high, sizeof high, "%s", mark + 1);
    /* 0:50 kPa: the unit is that of both, unless LOW has its own. */
    static const char digits[] = "+-.0123456789eE";
    if (low[strspn(low, digits)] == '\0')
        snprintf(low + strlen(low), sizeof low - strlen(low), "%s", high + strspn(high, digits));
    return read_two(low, high, quantity, choice);
}

/* The percentile of sorted values, linear between them: 0 is the least, 100 the most. */
static double percentile(const double *sorted, size_t count, double percent)
{
    const double place = percent / 100.0 * (double)(count - 1);
    const size_t index = (size_t)place < count - 1 ? (size_t)place : count - 1;
    if (index == count - 1) return sorted[index];
    return sorted[index] + (place - (double)index) * (sorted[index + 1] - sorted[index]);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The percentile of the magnitudes, for a range that is symmetric about 0. The values become
 * magnitudes. */
static double magnitude(double *values, size_t count, double percent)
{
    for (size_t i = 0; i < count; i++)
        values[i] = values[i] < 0.0 ? -values[i] : values[i];
    qsort(values, count, sizeof *values, compare);
    return percentile(values, count, percent);
}

static void find(tw_render_range *range, const tw_render_range_choice *choice,
                 tw_render_scale scale, double *values, size_t count)
{
    const bool automatic = choice->kind == TW_RENDER_RANGE_AUTO;
    const bool percentiles = choice->kind == TW_RENDER_RANGE_PERCENTILES;
    const double low = automatic ? percent_low : percentiles ? choice->low : 0.0;
    const double high = automatic ? percent_high : percentiles ? choice->high : 100.0;
    range->low = percentile(values, count, low);
    range->high = percentile(values, count, high);
    if (percentiles) return;
    switch (scale) {
    case TW_RENDER_SCALE_ZERO:
    case TW_RENDER_SCALE_COUNT:
        range->low = tw_math_min(range->low, 0.0);
        if (range->least >= 0.0) range->low = 0.0;
        break;
    case TW_RENDER_SCALE_SIGN:
        range->high = magnitude(values, count, high);
        range->low = -range->high;
        break;
    case TW_RENDER_SCALE_UNIT:
        range->low = 0.0;
        range->high = 1.0;
        break;
    case TW_RENDER_SCALE_PLAIN:
    case TW_RENDER_SCALE_CLASSES:
    case TW_RENDER_SCALE_NONE:
        break;
    }
}

tw_render_range tw_render_range_find(const tw_render_range_choice *choice, tw_render_scale scale,
                                     double *values, size_t count)
{
    tw_render_range range = {0};
    if (count > 0) {
        qsort(values, count, sizeof *values, compare);
        range = (tw_render_range){0.0, 0.0, values[0], values[count - 1]};
        if (choice->kind != TW_RENDER_RANGE_VALUES) find(&range, choice, scale, values, count);
        /* Almost all values are equal: the others are what is there to see. */
        const tw_render_range_choice all = {.kind = TW_RENDER_RANGE_ALL};
        if (choice->kind == TW_RENDER_RANGE_AUTO && tw_render_range_is_empty(&range))
            find(&range, &all, scale, values, count);
    }
    if (choice->kind == TW_RENDER_RANGE_VALUES) {
        range.low = choice->low;
        range.high = choice->high;
    }
    return range;
}

bool tw_render_range_is_empty(const tw_render_range *range)
{
    const double largest = tw_math_max(fabs(range->low), fabs(range->high));
    return !(range->high - range->low > 1e-9 * largest);
}

double tw_render_range_share(const tw_render_range *range, double value)
{
    if (tw_render_range_is_empty(range)) return 0.5;
    return (value - range->low) / (range->high - range->low);
}

/* Most belong to the first of two classes: it stays in the background. */
static tw_colour colour_of_two(bool of_contacts, bool grey, uint32_t number)
{
    static const tw_colour quiet = {0.80, 0.80, 0.82}, firm = {0.45, 0.46, 0.50},
                           loud = {0.84, 0.37, 0.0};
    if (grey) return colour_of_class(number, 2, 1);
    return number == 1 ? loud : of_contacts ? firm : quiet;
}

static void find_two(tw_render_classes *classes, const tw_render_quantity *quantity, bool grey)
{
    for (uint32_t i = 0; i < 2; i++) {
        tw_render_class *c = &classes->of[i];
        c->value = i;
        c->colour =
            colour_of_two(tw_render_quantity_subject(quantity) == TW_RENDER_CHAINS, grey, i);
        snprintf(c->name, sizeof c->name, "%s", quantity->classes[i]);
    }
    classes->count = 2;
}

/* Keeps the order of values. False: there is no room. */
static bool insert(tw_render_classes *classes, uint32_t value)
{
    size_t i = classes->count;
    if (i == TW_RENDER_CLASSES_MAX) return false;
    for (; i > 0 && classes->of[i - 1].value > value; i--)
        classes->of[i] = classes->of[i - 1];
    classes->of[i] = (tw_render_class){.value = value};
    classes->count++;
    return true;
}

tw_render_class *tw_render_classes_at(tw_render_classes *classes, double value)
{
    for (size_t i = 0; i < classes->count; i++)
        if ((double)classes->of[i].value == value) return &classes->of[i];
    return NULL;
}

/* Long names are cut. */
static void name_class(const tw_sim *sim, const tw_render_quantity *quantity, tw_render_class *c)
{
    const int most = sizeof c->name - 1;
    if (quantity->what == TW_RENDER_MATERIAL)
        snprintf(c->name, sizeof c->name, "%.*s", most, tw_sim_material_name(sim, c->value));
    else
        snprintf(c->name, sizeof c->name, "%s %u", quantity->title, (unsigned)c->value);
}

tw_render_classes tw_render_classes_find(const tw_sim *sim, const tw_render_quantity *quantity,
                                         bool grey, const double *values, size_t count)
{
    tw_render_classes classes = {.count = 0};
    if (quantity->scale != TW_RENDER_SCALE_CLASSES) return classes;
    if (quantity->classes[0]) {
        find_two(&classes, quantity, grey);
        return classes;
    }
    for (size_t i = 0; i < count; i++) {
        if (tw_render_classes_at(&classes, values[i]) || insert(&classes, (uint32_t)values[i]))
            continue;
        classes.count = 0;
        return classes;
    }
    for (size_t i = 0; i < classes.count; i++) {
        tw_render_class *c = &classes.of[i];
        c->colour = colour_of_class((uint32_t)i, (uint32_t)classes.count, grey);
        name_class(sim, quantity, c);
    }
    return classes;
}

static double part_of(tw_vec3 v, int component)
{
    const double c[] = {v.x, v.y, v.z};
    return component < 0 ? tw_vec3_norm(v) : c[component];
}

/* Position in fractions of the edges of the cell. */
static tw_vec3 fractions(const tw_sim *sim, tw_vec3 x)
{
    return tw_mat3_mul_vec(tw_mat3_inverse(tw_sim_cell(sim)), x);
}

/* The cell carries the body from its old fractions; the rest is its own displacement, by the
 * nearest image. */
static tw_vec3 nonaffine(const tw_render_state *state, const tw_body_state *now)
{
    tw_body_state then;
    if (tw_sim_get_body(state->since, now->id, &then, NULL) != TW_STATUS_OK)
        return tw_vec3_make(0.0, 0.0, 0.0); /* it has come since */
    const tw_mat3 cell = tw_sim_cell(state->sim);
    const tw_sim_def def = tw_sim_get_definition(state->sim);
    const tw_vec3 moved =
        tw_vec3_sub(fractions(state->sim, now->x), fractions(state->since, then.x));
    double s[] = {moved.x, moved.y, moved.z};
    for (int i = 0; i < 3; i++)
        if (def.periodic[i]) s[i] -= floor(s[i] + 0.5);
    return tw_mat3_mul_vec(cell, tw_vec3_make(s[0], s[1], s[2]));
}

static double body_value(const tw_render_state *state, const tw_render_quantity *quantity,
                         size_t row)
{
    tw_body_state body;
    tw_sim_get_body(state->sim, tw_sim_body_id(state->sim, row), &body, NULL); /* it exists */
    switch (quantity->what) {
    case TW_RENDER_SIZE:
        return tw_math_cbrt(6.0 / TW_MATH_PI * tw_sim_body_volume(state->sim, &body));
    case TW_RENDER_VELOCITY:
        return part_of(body.v_half, quantity->component);
    case TW_RENDER_SPIN:
        return part_of(body.w_half, quantity->component);
    case TW_RENDER_DISPLACEMENT:
        return part_of(state->results ? state->results[row].displacement : body.displacement,
                       quantity->component);
    case TW_RENDER_NONAFFINE:
        return part_of(nonaffine(state, &body), quantity->component);
    case TW_RENDER_TYPE:
        return body.type;
    case TW_RENDER_MATERIAL:
        return body.material;
    case TW_RENDER_COORDINATION:
        return state->results ? state->results[row].contacts : 0.0; /* to be summed, below too */
    case TW_RENDER_PRESSURE:
        return state->results ? state->results[row].pressure : 0.0;
    default:
        return 0.0;
    }
}

/* A file without velocities gives all grains those of rest. */
static bool has_motion(const tw_render_state *state)
{
    for (size_t k = 0; k < tw_sim_body_count(state->sim); k++) {
        tw_body_state body;
        tw_sim_get_body(state->sim, tw_sim_body_id(state->sim, k), &body, NULL); /* it exists */
        if (tw_vec3_norm(body.v_half) > 0.0 || tw_vec3_norm(body.w_half) > 0.0) return true;
    }
    return false;
}

bool tw_render_values_exist(const tw_render_state *state, const tw_render_quantity *quantity)
{
    switch (quantity->what) {
    case TW_RENDER_DISPLACEMENT:
    case TW_RENDER_COORDINATION:
    case TW_RENDER_PRESSURE:
        return !state->foreign || state->results;
    case TW_RENDER_RATTLERS:
    case TW_RENDER_FIELD_PRESSURE:
    case TW_RENDER_FIELD_DEVIATOR:
        return !state->foreign || state->contact_count > 0;
    case TW_RENDER_MOBILISATION: /* the friction is not known */
        return !state->foreign;
    case TW_RENDER_VELOCITY:
    case TW_RENDER_SPIN:
        return !state->foreign || has_motion(state);
    default:
        return true;
    }
}

double tw_render_value_of_field(const tw_render_quantity *quantity, const tw_sim_field *field)
{
    switch (quantity->what) {
    case TW_RENDER_FIELD_PRESSURE:
        return field->p;
    case TW_RENDER_FIELD_DEVIATOR:
        return field->q;
    case TW_RENDER_FIELD_VOLUMETRIC:
        return field->volumetric_strain;
    case TW_RENDER_FIELD_SHEAR:
        return field->shear_strain;
    case TW_RENDER_FIELD_ROTATION:
        return part_of(field->rotation, quantity->component);
    default:
        return field->porosity;
    }
}

/* The value of the body with this id. */
static double *value_of(const tw_render_state *state, double *values, uint32_t id)
{
    return &values[tw_sim_body_row(state->sim, id)];
}

static void count_contacts(const tw_render_state *state, double *values)
{
    for (size_t i = 0; i < state->contact_count; i++) {
        const tw_contact_state *c = &state->contacts[i];
        *value_of(state, values, c->body_p) += 1.0;
        if (c->body_q != TW_NO_BODY) *value_of(state, values, c->body_q) += 1.0;
    }
}

/* A third of the trace of the sum of force times arm over the volume, compression positive. The
 * mean over the bodies, weighted by volume, is p times the volume of the cell. */
static void add_pressure(const tw_render_state *state, double *values)
{
    for (size_t i = 0; i < state->contact_count; i++) {
        const tw_contact_state *c = &state->contacts[i];
        tw_body_state p, q;
        tw_sim_get_body(state->sim, c->body_p, &p, NULL);
        const tw_vec3 arm = tw_vec3_sub(c->point, p.x);
        *value_of(state, values, c->body_p) -=
            tw_vec3_dot(c->force, arm) / (3.0 * tw_sim_body_volume(state->sim, &p));
        if (c->body_q == TW_NO_BODY) continue;
        tw_sim_get_body(state->sim, c->body_q, &q, NULL);
        const tw_vec3 other = tw_vec3_sub(arm, c->branch);
        *value_of(state, values, c->body_q) +=
            tw_vec3_dot(c->force, other) / (3.0 * tw_sim_body_volume(state->sim, &q));
    }
}

static bool is_rattler(const tw_render_state *state, size_t row, uint32_t contacts, bool slippery)
{
    tw_body_state body;
    tw_sim_get_body(state->sim, tw_sim_body_id(state->sim, row), &body, NULL);
    return contacts < (slippery && body.shape == 0 ? 4u : 2u) && !body.fixed;
}

/* No pair of materials has friction. In a file that does not know: no contact has such a force. */
static bool is_slippery(const tw_render_state *state)
{
    const tw_sim *sim = state->sim;
    for (size_t i = 0; state->foreign && i < state->contact_count; i++)
        if (tw_vec3_norm(state->contacts[i].ft) > 0.0) return false;
    if (state->foreign) return true;
    const uint32_t count = (uint32_t)tw_sim_material_count(sim);
    bool slippery = true;
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = a; b < count; b++) {
            tw_contact_law law;
            tw_sim_get_pair_law(sim, a, b, &law, NULL); /* they exist */
            slippery = slippery && !(law.mu > 0.0 && law.kt > 0.0);
        }
    }
    return slippery;
}

/* As in tw_measure: fewer than two contacts (spheres without friction: four), those of other
 * rattlers not counted. */
static void find_rattlers(const tw_render_state *state, double *values)
{
    const bool slippery = is_slippery(state);
    const size_t count = tw_sim_body_count(state->sim);
    uint32_t *left = tw_exit_unless(malloc((count + 1) * sizeof *left));
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < count; i++)
            left[i] = 0;
        for (size_t i = 0; i < state->contact_count; i++) {
            const tw_contact_state *c = &state->contacts[i];
            const bool wall = c->body_q == TW_NO_BODY;
            const size_t p = tw_sim_body_row(state->sim, c->body_p);
            const size_t q = wall ? p : tw_sim_body_row(state->sim, c->body_q);
            if (values[p] > 0.0 || values[q] > 0.0) continue;
            left[p]++;
            if (!wall) left[q]++;
        }
        for (size_t i = 0; i < count; i++) {
            if (values[i] > 0.0 || !is_rattler(state, i, left[i], slippery)) continue;
            values[i] = 1.0;
            again = true;
        }
    }
    free(left);
}

static double friction_of(const tw_sim *sim, const tw_contact_state *contact)
{
    tw_body_state p, q;
    tw_wall_state wall;
    tw_contact_law law;
    tw_sim_get_body(sim, contact->body_p, &p, NULL); /* they exist */
    if (contact->body_q == TW_NO_BODY) {
        tw_sim_get_wall(sim, contact->member_q, &wall, NULL);
        tw_sim_get_pair_law(sim, p.material, wall.material, &law, NULL);
    } else {
        tw_sim_get_body(sim, contact->body_q, &q, NULL);
        tw_sim_get_pair_law(sim, p.material, q.material, &law, NULL);
    }
    return law.mu;
}

/* Whether a contact is in the certificate: each of those between the same two bodies is. */
static bool is_in_certificate(const tw_render_state *state, const tw_contact_state *contact)
{
    for (size_t k = 0; k < state->rates.judgement.certificate_count; k++) {
        const tw_contact_state *c = &state->rates.certificate[k];
        if ((c->body_p == contact->body_p && c->body_q == contact->body_q) ||
            (c->body_p == contact->body_q && c->body_q == contact->body_p))
            return true;
    }
    return false;
}

static void mark_certificate(const tw_render_state *state, double *values)
{
    for (size_t k = 0; k < state->rates.judgement.certificate_count; k++) {
        const tw_contact_state *c = &state->rates.certificate[k];
        *value_of(state, values, c->body_p) = 1.0;
        if (c->body_q != TW_NO_BODY) *value_of(state, values, c->body_q) = 1.0;
    }
}

static double contact_value(const tw_render_state *state, const tw_render_quantity *quantity,
                            const tw_contact_state *contact)
{
    const double limit = friction_of(state->sim, contact) * contact->fn;
    switch (quantity->what) {
    case TW_RENDER_SLIDING:
        return contact->sliding ? 1.0 : 0.0;
    case TW_RENDER_CHAIN_CERTIFICATE:
        return is_in_certificate(state, contact) ? 1.0 : 0.0;
    case TW_RENDER_MOBILISATION:
        return limit > 0.0 ? tw_vec3_norm(contact->ft) / limit : 0.0;
    default:
        return contact->fn;
    }
}

void tw_render_values(const tw_render_state *state, const tw_render_quantity *quantity,
                      double *values)
{
    if (tw_render_quantity_subject(quantity) == TW_RENDER_CHAINS) {
        for (size_t i = 0; i < state->contact_count; i++)
            values[i] = contact_value(state, quantity, &state->contacts[i]);
        return;
    }
    for (size_t i = 0; i < tw_sim_body_count(state->sim); i++)
        values[i] = body_value(state, quantity, i);
    if (quantity->what == TW_RENDER_COORDINATION && !state->results) count_contacts(state, values);
    if (quantity->what == TW_RENDER_PRESSURE && !state->results) add_pressure(state, values);
    if (quantity->what == TW_RENDER_RATTLERS) find_rattlers(state, values);
    if (quantity->what == TW_RENDER_CERTIFICATE) mark_certificate(state, values);
}
