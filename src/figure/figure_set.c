/* SPDX-License-Identifier: BSD-3-Clause */
#include "figure/figure_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>
#include <twirl/run.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/memory.h"

/* ---- Which figures there are ---- */

#define BIT TW_FIGURE_SERIES_BIT

enum {
    EVERY = (1 << TW_FIGURE_SERIES_KIND_COUNT) - 1,
    TURN = BIT(ROTATE),
    LATERAL = BIT(TRIAXIAL) | BIT(PLANE_STRAIN), /* at constant lateral stress */
    AXIAL = BIT(PLAIN) | LATERAL | BIT(CONSTANT_P) | BIT(UNDRAINED),
    SHEAR = BIT(SHEAR) | BIT(SHEAR_UNDRAINED),
    CYCLIC_AXIAL = BIT(CYCLIC) | BIT(CYCLIC_UNDRAINED),
    CYCLIC_SHEAR = BIT(CYCLIC_SHEAR) | BIT(CYCLIC_SHEAR_UNDRAINED),
    OTHER = BIT(TIME) | BIT(TRUE_TRIAXIAL) | BIT(GENERAL),
    DRAINED = OTHER | BIT(PLAIN) | LATERAL | BIT(CONSTANT_P) | BIT(SHEAR),
    CLOSED =
        BIT(UNDRAINED) | BIT(SHEAR_UNDRAINED) | BIT(CYCLIC_UNDRAINED) | BIT(CYCLIC_SHEAR_UNDRAINED),
    HELD = BIT(CREEP) | BIT(RELAXATION),
    DEVIATORIC = AXIAL | SHEAR | CYCLIC_AXIAL | CYCLIC_SHEAR | BIT(TRUE_TRIAXIAL) | BIT(GENERAL),
    COMPRESSION = BIT(OEDOMETER) | BIT(ISOTROPIC)
};

/* Kinds of paths that share figures. */
typedef struct figure_group {
    const char *name; /* added to the name of a figure that another group has, too */
    uint32_t kinds;
    const char *x; /* quantity */
    bool log;
} figure_group;

static const figure_group groups[] = {
    {"axial", AXIAL, "axial_strain", false},
    {"shear", SHEAR, "shear_strain", false},
    {"true_triaxial", BIT(TRUE_TRIAXIAL), "major_strain", false},
    {"general", BIT(GENERAL), "strain", false},
    {"cyclic", CYCLIC_AXIAL, "cycle", false},
    {"cyclic_shear", CYCLIC_SHEAR, "cycle", false},
    {"oedometer", BIT(OEDOMETER), "axial_stress", true},
    {"isotropic", BIT(ISOTROPIC), "p", true},
    {"rotation", TURN, "angle", false},
    {"held", HELD, "time", false},
    {"rest", BIT(REST) | BIT(PROBES), "time", false},
    {"time", BIT(TIME), "time", false},
};
enum { GROUPS = sizeof groups / sizeof *groups };

enum { LOG_Y = 1, STRESS_CYCLES = 2, STRAIN_CYCLES = 4, FIRST = 8 };

/* A figure over x, or over the abscissa of the path if x is NULL. `y` are quantities separated by
 * blanks; with several of them it is drawn for each series
 * alone. After a | stands that of the second axis. It shows series of `kinds` and is drawn if one
 * of `needs` is among them: left out is what the path keeps constant, such as the stress path at
 * constant p or constant normal stress, unless another series has one. Flags: the first of several
 * must be there; only cycles of given stress or strain amplitude. */
typedef struct figure_entry {
    const char *name, *title;
    uint32_t kinds, needs;
    const char *x, *y;
    unsigned flags;
} figure_entry;

#define LOST(to, NAME, name, member, way) " " #name
#define ENERGIES "work friction stored damping kinetic residual" TW_CONTACT_LOST_MORE(LOST, )

static const figure_entry entries[] = {
    {"stress_ratio", "Stress ratio", AXIAL | OTHER, EVERY, NULL, "stress_ratio", 0},
    {"deviator_stress", "Deviator stress", AXIAL, LATERAL | BIT(UNDRAINED), NULL, "q", 0},
    {"shear_stress", "Shear stress", SHEAR, EVERY, NULL, "shear_stress", 0},
    {"stress_ratio", "Stress ratio", SHEAR, EVERY, NULL, "shear_ratio", 0},
    {"stress_volume", "Stress and volume", BIT(PLAIN) | LATERAL | BIT(CONSTANT_P), EVERY, NULL,
     "q | volumetric_strain", 0},
    {"stress_volume", "Stress and volume", BIT(SHEAR), EVERY, NULL,
     "shear_stress | volumetric_strain", 0},
    {"stress_pressure", "Stress and pore pressure", BIT(UNDRAINED), EVERY, NULL, "q | ru", 0},
    {"stress_pressure", "Stress and pore pressure", BIT(SHEAR_UNDRAINED), EVERY, NULL,
     "shear_stress | ru", 0},
    {"loops", "Loops", CYCLIC_AXIAL, EVERY, "axial_strain", "q", 0},
    {"loops", "Loops", CYCLIC_SHEAR, EVERY, "shear_strain", "shear_stress", 0},
    {"strain_cycles", "Strain in cycles", CYCLIC_AXIAL, EVERY, NULL, "axial_strain", STRESS_CYCLES},
    {"strain_cycles", "Strain in cycles", CYCLIC_SHEAR, EVERY, NULL, "shear_strain", STRESS_CYCLES},
    {"stress_cycles", "Stress in cycles", CYCLIC_AXIAL, EVERY, NULL, "q", STRAIN_CYCLES},
    {"stress_cycles", "Stress in cycles", CYCLIC_SHEAR, EVERY, NULL, "shear_stress", STRAIN_CYCLES},
    {"volumetric_strain", "Volumetric strain", DRAINED | BIT(CYCLIC) | BIT(CYCLIC_SHEAR), EVERY,
     NULL, "volumetric_strain", 0},
    {"void_ratio", "Void ratio", DRAINED, EVERY, NULL, "void_ratio", 0},
    {"friction_angle", "Friction angle", DEVIATORIC, EVERY, NULL, "friction_angle", 0},
    {"pore_pressure", "Pore pressure", CLOSED, EVERY, NULL, "ru", 0},
    {"fluid_pressure", "Pressure of the pore fluid", CLOSED, EVERY, NULL, "pore_pressure", 0},
    {"fluid_pressure", "Pressure of the pore fluid", BIT(ISOTROPIC), EVERY, "p_total",
     "pore_pressure", 0},
    {"normal_stress", "Normal stress", BIT(SHEAR_UNDRAINED), EVERY, NULL, "normal_stress", 0},
    {"stress_path", "Stress path", AXIAL | CYCLIC_AXIAL | BIT(OEDOMETER) | BIT(TIME) | BIT(GENERAL),
     ~(uint32_t)BIT(CONSTANT_P), "p", "q", 0},
    {"stress_path", "Stress path", SHEAR | CYCLIC_SHEAR, CLOSED, "normal_stress", "shear_stress",
     0},
    {"total_stress_path", "Total stress path", BIT(UNDRAINED) | BIT(CYCLIC_UNDRAINED), EVERY,
     "p_total", "q", 0},
    {"compression_curve", "Compression curve", COMPRESSION, EVERY, NULL, "void_ratio", 0},
    {"k0", "Lateral stress ratio", BIT(OEDOMETER), EVERY, NULL, "k0", 0},
    {"intermediate_stress", "Intermediate stress", BIT(TRUE_TRIAXIAL) | BIT(PLANE_STRAIN), EVERY,
     NULL, "b", 0},
    {"turn_error", "Error of the rotation", TURN, EVERY, NULL, "turn_error", LOG_Y},
    {"strains", "Strains", BIT(CREEP), EVERY, NULL, "axial_strain | volumetric_strain", 0},
    {"stresses", "Stresses", BIT(RELAXATION), EVERY, NULL, "p | q", 0},
    {"unbalanced", "Unbalanced force", BIT(REST) | HELD, EVERY, NULL, "unbalanced", LOG_Y},
    {"coordination", "Coordination", EVERY & ~TURN, EVERY, NULL, "coordination", 0},
    /* In a rigid rotation contacts reach the friction limit by rounding only. */
    {"sliding", "Sliding contacts", EVERY & ~TURN, EVERY, NULL, "sliding_fraction", 0},
    {"mobilised_friction", "Mobilised friction", EVERY & ~TURN, EVERY, NULL, "friction_mobilised",
     0},
    {"redundancy", "Redundancy", EVERY & ~TURN, EVERY, NULL, "redundancy", 0},
    {"fabric", "Fabric", EVERY & ~TURN, EVERY, NULL, "fabric_deviator", 0},
    {"anisotropy", "Anisotropy", DEVIATORIC, EVERY, NULL,
     "anisotropy_sum stress_ratio anisotropy_contacts anisotropy_normal anisotropy_tangential "
     "anisotropy_branches anisotropy_rest",
     FIRST},
    {"strong_contacts", "Share of strong contacts", DEVIATORIC, EVERY, NULL,
     "strong_fraction strong_p strong_q", 0},
    {"energies", "Energy balance", EVERY & ~TURN & ~COMPRESSION, EVERY, NULL, ENERGIES, 0},
    {"energies", "Energy balance", COMPRESSION, EVERY, "time", ENERGIES, 0},
};
enum { ENTRIES = sizeof entries / sizeof *entries, LINES_MAX = 16 };

const char *tw_figure_set_abscissa(int kind)
{
    for (int g = 0; g < GROUPS; g++)
        if (groups[g].kinds & (uint32_t)1 << kind) return groups[g].x;
    return "time";
}

/* ---- Axes and key of lines ---- */

typedef struct points {
    double (*at)[2];
    size_t count;
} points;

/* The points of lines of the first or second axis; NaN between lines. */
static bool gather(const tw_figure_set *set, const tw_figure *f, int second, points *out)
{
    size_t rows = 0;
    for (size_t i = 0; i < f->line_count; i++)
        rows += set->series[f->lines[i].series].count + 1;
    double(*more)[2] = realloc(out->at, (out->count + rows + 1) * sizeof *more);
    if (!more) return false;
    out->at = more;
    for (size_t i = 0; i < f->line_count; i++) {
        const tw_figure_line *line = &f->lines[i];
        const tw_figure_series *s = &set->series[line->series];
        for (size_t row = 0; row <= s->count && line->second == second; row++, out->count++) {
            more[out->count][0] = row < s->count ? s->values[line->x][row] : (double)NAN;
            more[out->count][1] = row < s->count ? s->values[line->y][row] : (double)NAN;
        }
    }
    return true;
}

/* Ends that were asked for. */
static void set_range(tw_figure_axis *axis, const double range[2])
{
    if (isnan(range[0]) && isnan(range[1])) return;
    const tw_figure_axis a = tw_figure_axis_fixed(isnan(range[0]) ? axis->low : range[0],
                                                  isnan(range[1]) ? axis->high : range[1]);
    if (!(a.high > a.low) || (axis->log && !(a.low > 0.0))) return;
    axis->low = a.low;
    axis->high = a.high;
    if (axis->log) return;
    axis->step = a.step;
    axis->decimals = a.decimals;
}

/* k is 0 or 1, for x and y; a second axis is as chosen. */
static tw_figure_axis choose_axis(const points *p, int k, const tw_figure_quantity *quantity,
                                  bool log, const tw_figure_request *request, bool second)
{
    log = log || (request->log[k] && !second);
    tw_figure_axis_request r = {.dimension = quantity->dimension,
                                .low = HUGE_VAL,
                                .high = -HUGE_VAL,
                                .zero = quantity->zero,
                                .log = log,
                                .percent = request->percent};
    for (size_t i = 0; i < p->count; i++) {
        const double value = p->at[i][k];
        if (!isfinite(p->at[i][0] + p->at[i][1]) || (log && !(value > 0.0))) continue;
        r.low = tw_math_min(r.low, value);
        r.high = tw_math_max(r.high, value);
    }
    if (k == 1 && !log &&
        strcmp(quantity->name, "b") == 0) { /* its limits are values of interest */
        r.low = tw_math_min(r.low, -0.05);
        r.high = tw_math_max(r.high, 1.05);
    }
    tw_figure_axis axis = tw_figure_axis_choose(&r);
    if (!second) set_range(&axis, request->range[k]);
    axis.quantity = quantity->name;
    snprintf(axis.label, sizeof axis.label, "%s", quantity->label);
    return axis;
}

/* The size of the frame that painters leave to it [em]. */
static void size_frame(const tw_figure *f, const tw_figure_request *request, double frame[2])
{
    const double em = request->font_size * 2.54 / 72.0;
    const double right =
        f->second.quantity ? 2.5 + 0.56 * tw_figure_axis_characters(&f->second) : 1.5;
    frame[0] = request->width / em - (2.5 + 0.56 * tw_figure_axis_characters(&f->y)) - right;
    frame[1] = request->height / em - 0.8 - 3.7;
}

static void place_key(tw_figure *f, const points *p, const tw_figure_request *request)
{
    double frame[2];
    size_t titles = 0, longest = 0;
    for (size_t i = 0; i < f->line_count + f->shape_count; i++) {
        const tw_figure_shape *shape = i < f->line_count ? NULL : &f->shapes[i - f->line_count];
        const size_t length =
            shape ? tw_figure_parts_characters(shape->title, shape->plain)
                  : tw_figure_parts_characters(f->lines[i].title, f->lines[i].plain);
        if (length == 0 || (shape && shape->kind == TW_FIGURE_NOTE)) continue;
        titles++;
        longest = length > longest ? length : longest;
    }
    if (titles < 2) return;
    size_frame(f, request, frame);
    const double width = 3.2 + 0.53 * (double)longest, height = 1.25 * (double)titles + 0.9;
    const tw_figure_axis axes[2] = {f->x, f->y};
    f->key = tw_figure_axis_key(axes, (const double(*)[2])p->at, p->count, (width + 1.0) / frame[0],
                                height / frame[1]);
}

/* ---- Stages of a test ---- */

enum { PLACES = 10, NOTES_MAX = 64 };

/* Notes so far, each in its place. */
typedef struct stage_notes {
    tw_figure_axis_box taken[NOTES_MAX];
    size_t count;
} stage_notes;

/* The name of a stage near the point where it begins, where it covers neither a curve nor another
 * name; nowhere if there is no such place. */
static bool add_note(tw_figure *f, const points *p, const double frame[2], const double at[2],
                     const char *name, stage_notes *notes)
{
    static const struct {
        int side;
        double up; /* [em] */
    } places[PLACES] = {{1, 0.0},   {1, 0.8}, {-1, 0.8}, {-1, 0.0}, {1, -0.8},
                        {-1, -0.8}, {1, 1.8}, {-1, 1.8}, {1, -1.8}, {-1, -1.8}};
    const tw_figure_axis axes[2] = {f->x, f->y};
    const double x = tw_figure_axis_place(&f->x, at[0]), y = tw_figure_axis_place(&f->y, at[1]);
    const double wide = 0.5 * (double)tw_figure_parts_characters(name, true);
    for (int k = 0; k < PLACES && notes->count < NOTES_MAX; k++) {
        const double side = places[k].side, up = places[k].up;
        const double ends[2] = {x + side * 0.3 / frame[0], x + side * (0.7 + wide) / frame[0]};
        const tw_figure_axis_box b = {{tw_math_min(ends[0], ends[1]), y + (up - 0.5) / frame[1]},
                                      {tw_math_max(ends[0], ends[1]), y + (up + 0.6) / frame[1]}};
        bool good = b.from[0] >= 0.0 && b.to[0] <= 1.0 && b.from[1] >= 0.0 && b.to[1] <= 1.0;
        for (size_t i = 0; i < notes->count; i++) {
            const tw_figure_axis_box *other = &notes->taken[i];
            good = good && (b.to[0] < other->from[0] || b.from[0] > other->to[0] ||
                            b.to[1] < other->from[1] || b.from[1] > other->to[1]);
        }
        if (!good || !tw_figure_axis_is_free(&b, axes, (const double(*)[2])p->at, p->count))
            continue;
        tw_figure_shape *note = tw_figure_parts_shape(f, TW_FIGURE_NOTE, name, 1);
        if (!note) return false;
        note->plain = 1;
        note->style = -2;
        note->side = places[k].side;
        note->at[0][0] = at[0];
        note->at[0][1] =
            f->y.log ? at[1] * tw_math_exp(up / frame[1] * tw_math_log(f->y.high / f->y.low))
                     : at[1] + up / frame[1] * (f->y.high - f->y.low);
        notes->taken[notes->count++] = b;
        break;
    }
    return true;
}

/* Where the stages of tests begin, in compression where they end, as they are named after that
 * stress: marks, and their names if there is one test in the figure. */
static bool add_stages(const tw_figure_set *set, tw_figure *f, const points *p,
                       const tw_figure_request *request)
{
    double frame[2];
    stage_notes notes = {.count = 0};
    bool named = true, good = true;
    size_frame(f, request, frame);
    for (size_t i = 1; i < f->line_count; i++)
        named = named && f->lines[i].second;
    for (size_t i = 0; i < f->line_count && good; i++) {
        const tw_figure_line *line = &f->lines[i];
        const tw_figure_series *s = &set->series[line->series];
        if (s->part_count < 2 || line->second) continue;
        if (i > 0 && f->lines[i - 1].series == line->series) continue; /* energies: the first */
        const tw_figure_part *parts = s->history->parts + s->part;
        tw_figure_shape *marks = tw_figure_parts_shape(f, TW_FIGURE_POINTS, "", s->part_count);
        if (!marks) return false;
        marks->style = line->style;
        marks->mark = 1;
        marks->texts = calloc(s->part_count, sizeof *marks->texts);
        double(*at)[2] = marks->at; /* stays where it is when shapes are added */
        const bool ends = (uint32_t)1 << s->kind & COMPRESSION;
        good = marks->texts != NULL;
        for (size_t k = 0; k < s->part_count && good; k++) {
            const size_t row = parts[k].first - s->first + (ends ? parts[k].count - 1 : 0);
            snprintf(marks->texts[k], sizeof *marks->texts, "%.*s", TW_FIGURE_POINT_MAX - 1,
                     parts[k].stage);
            at[k][0] = f->x.factor * s->values[line->x][row];
            at[k][1] = f->y.factor * s->values[line->y][row];
        }
        for (size_t k = 0; k < s->part_count && good && named; k++)
            if (isfinite(at[k][0] + at[k][1]))
                good = add_note(f, p, frame, at[k], parts[k].stage, &notes);
    }
    return good;
}

typedef struct axis_choice {
    const tw_figure_quantity *x, *y, *second; /* NULL: none */
    bool log_x, log_y;
} axis_choice;

/* Points as shown; those of the second axis where its lines are, in the numbers of the first. */
static void show_points(const tw_figure *f, points *p, size_t first)
{
    for (size_t i = 0; i < p->count; i++) {
        p->at[i][0] *= f->x.factor;
        p->at[i][1] =
            i < first
                ? f->y.factor * p->at[i][1]
                : f->y.low + (f->y.high - f->y.low) *
                                 tw_figure_axis_place(&f->second, f->second.factor * p->at[i][1]);
    }
}

static bool finish_lines(const tw_figure_set *set, tw_figure *f, const axis_choice *choice,
                         const tw_figure_request *request)
{
    points p = {.at = NULL};
    bool good = gather(set, f, 1, &p);
    if (good && choice->second) {
        f->second = choose_axis(&p, 1, choice->second, false, request, true);
        snprintf(f->second.label, sizeof f->second.label, "%s (dashed)", choice->second->label);
    }
    p.count = 0;
    good = good && gather(set, f, 0, &p);
    if (good) {
        f->x = choose_axis(&p, 0, choice->x, choice->log_x, request, false);
        f->y = choose_axis(&p, 1, choice->y, choice->log_y, request, false);
        const size_t first = p.count;
        good = gather(set, f, 1, &p);
        show_points(f, &p, first);
        good = good && add_stages(set, f, &p, request);
        place_key(f, &p, request);
    }
    free(p.at);
    return good;
}

/* ---- Figures of the table ---- */

/* A figure that can be drawn: an entry of the table, for a group of kinds. */
typedef struct figure_choice {
    const figure_entry *entry;
    const figure_group *group;
    size_t x, y[LINES_MAX], count; /* quantities */
    size_t second;                 /* or SIZE_MAX */
} figure_choice;

static bool fits_cycles(const tw_figure_series *s, unsigned flags)
{
    const bool by_stress = s->definition && isnan(s->definition->cycle.strain);
    if (!((CYCLIC_AXIAL | CYCLIC_SHEAR) >> s->kind & 1)) return true; /* a test with cycles in it */
    if (flags & STRESS_CYCLES) return by_stress;
    if (flags & STRAIN_CYCLES) return !by_stress;
    return true;
}

/* The kinds by which a series gets figures of this name: its own, or if that has none those of its
 * other stages. */
static uint32_t kinds_for(const char *name, const tw_figure_series *s)
{
    for (int e = 0; e < ENTRIES; e++)
        if (strcmp(entries[e].name, name) == 0 && (entries[e].kinds & (uint32_t)1 << s->kind))
            return (uint32_t)1 << s->kind;
    return s->kinds;
}

static bool is_member(const figure_choice *c, const tw_figure_series *s)
{
    bool any = false;
    for (size_t k = 0; k < (c->entry->flags & FIRST ? 1 : c->count); k++)
        any = any || s->values[c->y[k]];
    return s->drawn && any && (c->entry->kinds & c->group->kinds & kinds_for(c->entry->name, s)) &&
           s->values[c->x] && (c->second == SIZE_MAX || s->values[c->second]) &&
           fits_cycles(s, c->entry->flags) && s->count > 1;
}

static void find_quantities(figure_choice *c)
{
    char names[256], *rest = NULL;
    snprintf(names, sizeof names, "%s", c->entry->y);
    c->x = tw_figure_quantity_find(c->entry->x ? c->entry->x : c->group->x);
    char *second = strchr(names, '|');
    c->second = second ? tw_figure_quantity_find(second + 2) : SIZE_MAX;
    if (second) *second = '\0';
    c->count = 0;
    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
        c->y[c->count++] = tw_figure_quantity_find(name);
}

/* Whether the figure is drawn. With several inputs it must show all of them, unless `every` is set.
 */
static bool choose(const tw_figure_set *set, const figure_entry *entry, const figure_group *group,
                   bool shared, figure_choice *c)
{
    bool needed = false;
    size_t members = 0, drawn = 0;
    *c = (figure_choice){.entry = entry, .group = group};
    if (!(entry->kinds & group->kinds)) return false;
    find_quantities(c);
    for (size_t i = 0; i < set->series_count; i++) {
        drawn += set->series[i].drawn != 0;
        if (!is_member(c, &set->series[i])) continue;
        members++;
        needed = needed || (entry->needs & kinds_for(entry->name, &set->series[i]));
    }
    return needed && (!shared || (members == drawn && c->count == 1));
}

/* The figure of one series, or of all members if `only` is their number. */
static bool add_choice(tw_figure_set *set, const figure_choice *c, size_t only, const char *name,
                       const tw_figure_request *request)
{
    tw_figure *f = tw_figure_parts_figure(set, c->entry->name, c->group->name, c->entry->title);
    if (!f) return false;
    snprintf(f->name, sizeof f->name, "%s", name);
    for (size_t i = 0; i < set->series_count; i++) {
        const tw_figure_series *s = &set->series[i];
        if ((only < set->series_count && i != only) || !is_member(c, s)) continue;
        if (only == i) f->stage = s->stage, f->run = s->run;
        for (size_t k = 0; k < c->count; k++) {
            const char *title = c->count > 1 ? tw_figure_quantity_at(c->y[k])->word : NULL;
            if (s->values[c->y[k]] && !tw_figure_parts_line(f, set, i, c->x, c->y[k], title))
                return false;
        }
        if (c->second == SIZE_MAX) continue;
        if (!tw_figure_parts_line(f, set, i, c->x, c->second, "")) return false;
        tw_figure_line *line = &f->lines[f->line_count - 1];
        line->style = f->lines[f->line_count - 2].style = (int)f->line_count / 2;
        line->second = 1;
        line->dash = 2;
    }
    const axis_choice axes = {
        .x = tw_figure_quantity_at(c->x),
        .y = tw_figure_quantity_at(c->y[0]),
        .second = c->second == SIZE_MAX ? NULL : tw_figure_quantity_at(c->second),
        .log_x = c->group->log && strcmp(tw_figure_quantity_at(c->x)->name, c->group->x) == 0,
        .log_y = c->entry->flags & LOG_Y};
    if (!finish_lines(set, f, &axes, request)) return false;
    const bool energy = axes.y->dimension == TW_FIGURE_ENERGY;
    if (c->count > 1)
        snprintf(f->y.label, sizeof f->y.label, "%s",
                 energy ? "Energy since the start" : c->entry->title);
    return true;
}

static bool has_name(const tw_figure_set *set, const char *kind)
{
    for (size_t i = 0; i < set->figure_count; i++)
        if (strcmp(set->figures[i].kind, kind) == 0) return true;
    return false;
}

/* Adds a figure of each series, named after its stage or run. */
static bool add_each(tw_figure_set *set, const figure_choice *c, const tw_figure_request *request)
{
    char name[2 * TW_FIGURE_NAME_MAX];
    size_t drawn = 0;
    for (size_t i = 0; i < set->series_count; i++)
        drawn += set->series[i].drawn != 0;
    for (size_t i = 0; i < set->series_count; i++) {
        const tw_figure_series *s = &set->series[i];
        if (!is_member(c, s)) continue;
        snprintf(name, sizeof name, "%s%s%s", c->entry->name, drawn > 1 ? "_" : "",
                 drawn > 1 ? s->stage : "");
        if (set->run_count > 1) snprintf(name, sizeof name, "%s_%zu", c->entry->name, s->run + 1);
        if (!add_choice(set, c, i, name, request)) return false;
    }
    return true;
}

static bool add_table(tw_figure_set *set, const tw_figure_request *request)
{
    const bool shared = set->run_count > 1 && !request->every && !request->mixed;
    for (int e = 0; e < ENTRIES; e++) {
        for (int g = 0; g < GROUPS; g++) {
            char name[2 * TW_FIGURE_NAME_MAX];
            figure_choice c;
            if (!choose(set, &entries[e], &groups[g], shared, &c)) continue;
            const bool repeated = has_name(set, entries[e].name);
            snprintf(name, sizeof name, "%s%s%s", entries[e].name, repeated ? "_" : "",
                     repeated ? groups[g].name : "");
            if (c.count > 1 ? !add_each(set, &c, request)
                            : !add_choice(set, &c, set->series_count, name, request))
                return false;
        }
    }
    return true;
}

/* ---- Axes of the user ---- */

static int column_of(const char *name)
{
    for (int c = 0; c < TW_HISTORY_COLUMN_COUNT; c++)
        if (strcmp(tw_figure_history_name((tw_history_column)c), name) == 0) return c;
    return -1;
}

/* What is not a quantity is a column of the history, or one of a series beside it: its numbers
 * become a shape. */
typedef struct own_axis {
    tw_figure_quantity of;
    size_t number; /* of the quantity, or SIZE_MAX */
    int column;
    const char *beside;             /* SERIES.COLUMN; NULL: it is not in a series */
    char label[TW_FIGURE_NAME_MAX]; /* of a column */
} own_axis;

static bool find_own(own_axis *own, const tw_figure_set *set, const char *name)
{
    double value;
    own->beside = NULL;
    for (size_t i = 0; i < set->run_count && !own->beside; i++)
        if (tw_figure_tables_find(&set->runs[i], name, 0, &value)) own->beside = name;
    own->number = tw_figure_quantity_find(name);
    own->column = own->number == SIZE_MAX ? column_of(name) : -1;
    if (own->number != SIZE_MAX)
        own->of = *tw_figure_quantity_at(own->number);
    else if (own->column >= 0) {
        snprintf(own->label, sizeof own->label, "%s",
                 tw_figure_history_text((tw_history_column)own->column));
        *own->label = (char)toupper((unsigned char)*own->label);
        own->of = (tw_figure_quantity){
            .name = tw_figure_history_name((tw_history_column)own->column),
            .label = own->label,
            .dimension = tw_figure_history_dimension((tw_history_column)own->column)};
    } else
        own->of = (tw_figure_quantity){.name = name, .label = name};
    return own->number != SIZE_MAX || own->column >= 0 || own->beside;
}

static double own_value(const tw_figure_set *set, const own_axis *own, const tw_figure_series *s,
                        size_t row)
{
    double value = (double)NAN;
    if (own->beside) {
        (void)tw_figure_tables_find(&set->runs[s->run], own->beside, s->first + row, &value);
        return value;
    }
    if (own->column >= 0) return s->history->rows[s->first + row].value[own->column];
    return s->values[own->number] ? s->values[own->number][row] : (double)NAN;
}

static tw_status refuse_own(const char *member, const char *name, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_INPUT,
                        "%s: '%.64s' is neither a quantity of figures nor a column of histories or "
                        "of series beside them",
                        member, name);
}

/* Chooses axes for shapes whose points are in SI units, and scales them. */
static bool finish_shapes(tw_figure *f, const axis_choice *choice, const tw_figure_request *request)
{
    points all = {.at = NULL};
    size_t rows = 1;
    for (size_t i = 0; i < f->shape_count; i++)
        rows += f->shapes[i].count + 1;
    all.at = malloc(rows * sizeof *all.at);
    if (!all.at) return false;
    for (size_t i = 0; i < f->shape_count; i++) {
        const tw_figure_shape *shape = &f->shapes[i];
        memcpy(all.at + all.count, shape->at, shape->count * sizeof *shape->at);
        all.count += shape->count;
        all.at[all.count][0] = all.at[all.count][1] = (double)NAN;
        all.count++;
    }
    f->x = choose_axis(&all, 0, choice->x, choice->log_x, request, false);
    f->y = choose_axis(&all, 1, choice->y, choice->log_y, request, false);
    for (size_t i = 0; i < f->shape_count; i++) {
        for (size_t row = 0; row < f->shapes[i].count; row++) {
            f->shapes[i].at[row][0] *= f->x.factor;
            f->shapes[i].at[row][1] *= f->y.factor;
        }
    }
    show_points(f, &all, all.count);
    place_key(f, &all, request);
    free(all.at);
    return true;
}

static tw_figure_shape *add_curve(tw_figure *f, const char *title, size_t count, size_t style)
{
    tw_figure_shape *shape = tw_figure_parts_shape(f, TW_FIGURE_CURVE, title, count);
    if (!shape) return NULL;
    shape->plain = 1;
    shape->style = (int)style;
    shape->width = 1.8;
    return shape;
}

/* Rows without a number, as between the states of which moduli are known, are left out; where few
 * are left, they are marked. NULL: out of memory. */
static tw_figure_shape *add_own_curve(const tw_figure_set *set, tw_figure *f, const char *title,
                                      const own_axis own[2], const tw_figure_series *s)
{
    tw_figure_shape *shape = add_curve(f, title, s->count, f->shape_count + 1);
    if (!shape) return NULL;
    shape->count = 0;
    for (size_t row = 0; row < s->count; row++) {
        const double x = own_value(set, &own[0], s, row), y = own_value(set, &own[1], s, row);
        if (!isfinite(x + y)) continue;
        shape->at[shape->count][0] = x;
        shape->at[shape->count++][1] = y;
    }
    shape->mark = 2 * shape->count < s->count;
    return shape;
}

static tw_status add_own(tw_figure_set *set, const own_axis own[2],
                         const tw_figure_request *request, tw_error *error)
{
    tw_figure *f = tw_figure_parts_figure(set, "curve", "own", "Own axes");
    size_t count = 0;
    for (size_t i = 0; f && i < set->series_count; i++) {
        const tw_figure_series *s = &set->series[i];
        if (!s->drawn) continue;
        const tw_figure_shape *shape = add_own_curve(set, f, s->label, own, s);
        if (!shape) return tw_error_set_memory(error);
        count += shape->count;
    }
    if (!f) return tw_error_set_memory(error);
    if (count == 0)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "y: no row has a number of both '%s' and '%s'; --stage chooses others",
                            own[1].of.name, own[0].of.name);
    const axis_choice axes = {.x = &own[0].of, .y = &own[1].of};
    if (!finish_shapes(f, &axes, request)) return tw_error_set_memory(error);
    f->x.plain = own[0].beside != NULL;
    f->y.plain = own[1].beside != NULL;
    return TW_STATUS_OK;
}

/* All items of a value of a series beside the histories, over the abscissa of paths in `group`. */
static bool add_beside(tw_figure_set *set, size_t table, const tw_run_series_value *value,
                       const figure_group *group, const tw_figure_request *request)
{
    const tw_run_series *of = tw_run_series_at(table);
    const char *item;
    char title[TW_FIGURE_TEXT_MAX], name[TW_FIGURE_NAME_MAX];
    tw_figure_quantity y = {.name = value->name, .label = value->title, .zero = 1};
    tw_figure *f = NULL;
    size_t drawn = 0;
    own_axis own[2];
    (void)find_own(&own[0], set, group->x);
    own[1].beside = name;
    for (int k = 0; k < TW_FIGURE_DIMENSIONS; k++)
        if (strcmp(tw_figure_axis_dimensions[k].si, value->unit) == 0)
            y.dimension = (tw_figure_dimension)k;
    for (size_t i = 0; i < set->series_count; i++)
        drawn += set->series[i].drawn != 0;
    for (size_t i = 0; i < set->series_count; i++) {
        const tw_figure_series *s = &set->series[i];
        const tw_figure_run *run = &set->runs[s->run];
        if (!s->drawn || !(group->kinds >> s->kind & 1)) continue;
        for (size_t k = 0; (item = tw_figure_tables_item(run, table, value->name, k)); k++) {
            snprintf(title, sizeof title, "%.100s%s%.150s", drawn > 1 ? s->label : "",
                     drawn > 1 ? ", " : "", item);
            snprintf(name, sizeof name, "%s.%s:%.90s", of->name, value->name, item);
            if (!f) f = tw_figure_parts_figure(set, of->name, group->name, value->title);
            if (!f || !add_own_curve(set, f, title, own, s)) return false;
        }
    }
    if (!f) return true;
    snprintf(name, sizeof name, "%s_%s", of->name, value->name);
    bool repeated = false;
    for (const tw_figure *other = set->figures; other < f; other++)
        repeated = repeated || strcmp(other->name, name) == 0;
    snprintf(f->name, sizeof f->name, "%s%s%s", name, repeated ? "_" : "",
             repeated ? group->name : "");
    const axis_choice axes = {.x = &own[0].of, .y = &y, .log_x = group->log};
    return finish_shapes(f, &axes, request);
}

static bool add_all_beside(tw_figure_set *set, const tw_figure_request *request)
{
    const tw_run_series *of;
    bool good = true;
    for (size_t table = 0; (of = tw_run_series_at(table)); table++)
        for (size_t k = 0; k < of->value_count; k++)
            for (int g = 0; g < GROUPS && good; g++)
                good = add_beside(set, table, &of->values[k], &groups[g], request);
    return good;
}

/* ---- Moduli of states that were kept: few rows have them ---- */

/* None in a figure of many runs, whose histories are not kept in memory. A compression before the
 * stages that are drawn counts, too. */
static size_t count_moduli(const tw_figure_set *set, const tw_figure_series *s)
{
    size_t count = 0;
    bool shown = s->drawn;
    if (!shown && s->kind == TW_FIGURE_SERIES_ISOTROPIC) {
        shown = true;
        for (const tw_figure_series *t = set->series; t < s; t++)
            shown = shown &&
                    (t->run != s->run || t->part > s->part || t->part + t->part_count <= s->part);
    }
    for (size_t row = 0; shown && s->history->rows && row < s->count; row++)
        if (isfinite(s->history->rows[s->first + row].value[TW_HISTORY_bulk_modulus])) count++;
    return count > 1 ? count : 0;
}

/* Bulk and shear modulus of a series. */
static bool add_modulus(tw_figure *f, const tw_figure_series *s, size_t x, int column,
                        const char *before, size_t style)
{
    char title[TW_FIGURE_TEXT_MAX];
    snprintf(title, sizeof title, "%.200s%s%s", before, *before ? ", " : "",
             column == TW_HISTORY_shear_modulus ? "shear modulus" : "bulk modulus");
    tw_figure_shape *shape = add_curve(f, title, s->count, style);
    if (!shape) return false;
    shape->mark = 1;
    shape->count = 0;
    for (size_t row = 0; row < s->count; row++) {
        const double value = s->history->rows[s->first + row].value[column];
        if (!isfinite(value)) continue;
        shape->at[shape->count][0] = s->values[x][row];
        shape->at[shape->count++][1] = value;
    }
    return true;
}

/* Bulk and shear modulus over the abscissa of the paths in `group`. */
static bool add_moduli(tw_figure_set *set, const figure_group *group,
                       const tw_figure_request *request)
{
    static const tw_figure_quantity y = {
        .name = "modulus", .label = "Modulus", .dimension = TW_FIGURE_STRESS, .zero = 1};
    const size_t x = tw_figure_quantity_find(group->x);
    tw_figure *f = NULL;
    size_t lines = 0, members = 0;
    for (size_t i = 0; i < set->series_count; i++)
        members += (group->kinds >> set->series[i].kind & 1) && count_moduli(set, &set->series[i]);
    for (size_t i = 0; i < set->series_count; i++) {
        const tw_figure_series *s = &set->series[i];
        if (!(group->kinds >> s->kind & 1) || !count_moduli(set, s) || !s->values[x]) continue;
        if (!f) {
            const bool repeated = has_name(set, "moduli");
            f = tw_figure_parts_figure(set, "moduli", group->name, "Elastic moduli");
            if (f && repeated) snprintf(f->name, sizeof f->name, "moduli_%s", group->name);
        }
        const char *before = members > 1 ? s->label : "";
        if (!f || !add_modulus(f, s, x, TW_HISTORY_bulk_modulus, before, lines + 1) ||
            !add_modulus(f, s, x, TW_HISTORY_shear_modulus, before, lines + 2))
            return false;
        lines += 2;
    }
    const axis_choice axes = {
        .x = tw_figure_quantity_at(x), .y = &y, .log_x = group->log, .log_y = group->log};
    return !f || finish_shapes(f, &axes, request);
}

static tw_status make_own(tw_figure_set *set, const tw_figure_request *request, tw_error *error)
{
    own_axis own[2];
    const int kind = set->series_count > 0 ? set->series[0].kind : TW_FIGURE_SERIES_TIME;
    const char *x = request->x ? request->x : tw_figure_set_abscissa(kind);
    if (!find_own(&own[0], set, x)) return refuse_own("x", x, error);
    if (!find_own(&own[1], set, request->y)) return refuse_own("y", request->y, error);
    return add_own(set, own, request, error);
}

/* ---- Sets ---- */

tw_figure_request tw_figure_request_default(void)
{
    return (tw_figure_request){.axis = 2,
                               .width = 12.0,
                               .height = 0.72 * 12.0,
                               .font_size = 9.0,
                               .range = {{(double)NAN, (double)NAN}, {(double)NAN, (double)NAN}}};
}

static bool add_strength(tw_figure_set *set)
{
    tw_figure_strength_point *tests = calloc(set->series_count + 1, sizeof *tests);
    bool good = tests;
    for (int end = 0; end < 2 && good; end++)
        good = tw_figure_strength_add(set, tests, tw_figure_strength_points(set, end, tests), end);
    free(tests);
    return good;
}

static tw_status make_figures(tw_figure_set *set, const tw_figure_request *request, tw_error *error)
{
    if (!add_table(set, request) || !tw_figure_plane_add(set, request))
        return tw_error_set_memory(error);
    for (int g = 0; g < GROUPS; g++)
        if (!add_moduli(set, &groups[g], request)) return tw_error_set_memory(error);
    if (!add_all_beside(set, request) || !add_strength(set)) return tw_error_set_memory(error);
    tw_status status = request->y ? make_own(set, request, error) : TW_STATUS_OK;
    if (status == TW_STATUS_OK) status = tw_figure_probes_add(set, request, error);
    return status;
}

static tw_status make(tw_figure_set *set, const tw_figure_request *request, bool figures,
                      tw_error *error)
{
    tw_c_locale plain;
    tw_error own;
    *set = (tw_figure_set){.run_count = 0};
    if (!error) error = &own;
    tw_error_clear(error);
    if (!tw_c_locale_push(&plain)) return tw_error_set_memory(error);
    tw_status status = tw_figure_series_read(set, request, error);
    if (status == TW_STATUS_OK && figures) status = make_figures(set, request, error);
    tw_c_locale_pop(&plain);
    return status;
}

tw_status tw_figure_set_make(tw_figure_set *set, const tw_figure_request *request, tw_error *error)
{
    assert(set && request);
    return make(set, request, true, error);
}

tw_status tw_figure_set_read(tw_figure_set *set, const tw_figure_request *request, tw_error *error)
{
    assert(set && request);
    return make(set, request, false, error);
}

static void free_figure(tw_figure *f)
{
    for (size_t k = 0; k < f->shape_count; k++) {
        free(f->shapes[k].at);
        free(f->shapes[k].deviation);
        free(f->shapes[k].texts);
    }
    if (f->surface) {
        free(f->surface->points);
        free(f->surface->shares);
        free(f->surface->triangles);
    }
    free(f->surface);
    free(f->shapes);
    free(f->lines);
}

void tw_figure_set_free(tw_figure_set *set)
{
    for (size_t i = 0; i < set->figure_count; i++)
        free_figure(&set->figures[i]);
    free(set->figures);
    tw_figure_series_free(set);
    *set = (tw_figure_set){.run_count = 0};
}
