/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twirl/math.h>

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "figure/figure_internal.h"

enum { LAW_MAX = 64 };

/* ---- Reading ---- */

/* Points in the Rendulic plane by both splits of the strain [1/Pa], and directions in space. */
typedef struct probe {
    char law[LAW_MAX];
    char text[TW_FIGURE_POINT_MAX]; /* its number and angle, with the digits of the file */
    double at[2][2];                /* by unloading, by the no-slip companion */
    tw_figure_envelope_probe space;
} probe;

/* A circle. */
typedef struct fit {
    char law[LAW_MAX], split[16], circle[16];
    double modulus, diameter, direction[2], flow[2];
} fit;

/* A table of one of these. */
typedef struct rows {
    probe *probes;
    size_t probe_count, probe_capacity;
    fit *fits;
    size_t fit_count, fit_capacity;
} rows;

enum { PROBE_COLUMNS = 4 + 3 * TW_FIGURE_ENVELOPE_PARTS };

/* Numbers of the columns of a probe, in the order of its members; TW_CSV_COLUMNS_MAX: none. */
static void find_probe_columns(const tw_csv *csv, size_t column[PROBE_COLUMNS])
{
    static const char *const plane[4] = {"x", "y", "no_slip_x", "no_slip_y"};
    static const char *const parts[] = {"direction",  "strain",       "stress",
                                        "reversible", "irreversible", "no_slip_stress"};
    for (size_t k = 0; k < PROBE_COLUMNS; k++) {
        char name[40];
        const char axis = "xyz"[k < 4 ? 0 : (k - 4) % 3];
        if (k >= 4) snprintf(name, sizeof name, "%s_%c%c", parts[(k - 4) / 3], axis, axis);
        column[k] = tw_csv_find(csv, k < 4 ? plane[k] : name);
    }
}

static bool read_probe(tw_csv *csv, const size_t column[PROBE_COLUMNS], probe *p)
{
    double value[PROBE_COLUMNS];
    const size_t number = tw_csv_find(csv, "probe"), angle = tw_csv_find(csv, "angle");
    snprintf(p->law, sizeof p->law, "%s", csv->field[0].text);
    if (number != TW_CSV_COLUMNS_MAX && angle != TW_CSV_COLUMNS_MAX)
        snprintf(p->text, sizeof p->text, "probe %.20s, angle %.24s°", csv->field[number].text,
                 csv->field[angle].text);
    for (size_t k = 0; k < PROBE_COLUMNS; k++) {
        value[k] = (double)NAN;
        if (column[k] != TW_CSV_COLUMNS_MAX &&
            !tw_csv_number(csv, column[k], TW_CSV_NAN, &value[k]))
            return false;
    }
    memcpy(p->at, value, sizeof p->at);
    memcpy(&p->space, value + 4, sizeof p->space);
    return true;
}

static bool read_probes(rows *r, tw_csv *csv)
{
    size_t column[PROBE_COLUMNS];
    find_probe_columns(csv, column);
    while (tw_csv_next(csv)) {
        if (tw_buffer_reserve(&r->probes, &r->probe_capacity, r->probe_count + 1,
                              sizeof *r->probes) != TW_STATUS_OK)
            return tw_error_set_memory(csv->error) == TW_STATUS_OK;
        if (!read_probe(csv, column, &r->probes[r->probe_count])) return false;
        r->probe_count++;
    }
    return csv->error->status == TW_STATUS_OK;
}

/* Columns by their places: law, split, circle, points, modulus, diameter, rms, angle, three
 * components of the direction, angle and components of the flow. What is not a circle in the plane,
 * such as a sphere, has no angle. */
static bool read_fits(rows *r, tw_csv *csv)
{
    static const size_t places[] = {4, 5, 8, 9, 12, 13, 7};
    while (csv->columns >= 14 && tw_csv_next(csv)) {
        double value[7];
        for (int k = 0; k < 7; k++)
            if (!tw_csv_number(csv, places[k], TW_CSV_NAN | TW_CSV_EMPTY, &value[k])) return false;
        if (tw_buffer_reserve(&r->fits, &r->fit_capacity, r->fit_count + 1, sizeof *r->fits) !=
            TW_STATUS_OK)
            return tw_error_set_memory(csv->error) == TW_STATUS_OK;
        fit *f = &r->fits[r->fit_count];
        *f = (fit){.modulus = value[0],
                   .diameter = value[1],
                   .direction = {value[2], value[3]},
                   .flow = {value[4], value[5]}};
        snprintf(f->law, sizeof f->law, "%s", csv->field[0].text);
        snprintf(f->split, sizeof f->split, "%s", csv->field[1].text);
        snprintf(f->circle, sizeof f->circle, "%s", csv->field[2].text);
        r->fit_count += isfinite(value[6]) && isfinite(f->modulus);
    }
    return csv->error->status == TW_STATUS_OK;
}

static tw_status read_table(rows *r, const char *folder, const char *stage, const char *name,
                            bool (*read)(rows *, tw_csv *), tw_error *error)
{
    char path[PATH_MAX + 2 * NAME_MAX];
    tw_csv csv;
    snprintf(path, sizeof path, "%s/stages/%s/%s", folder, stage, name);
    FILE *file = tw_read_file_stream(path);
    if (!file) return tw_error_set_system(error, "read", path);
    if (tw_csv_open(&csv, file, path, error)) (void)read(r, &csv);
    tw_csv_close(&csv);
    return error->status;
}

static const fit *find(const rows *r, const char *law, const char *split, const char *circle)
{
    for (size_t i = 0; i < r->fit_count; i++) {
        const fit *f = &r->fits[i];
        if ((!law || strcmp(f->law, law) == 0) && strcmp(f->split, split) == 0 &&
            strcmp(f->circle, circle) == 0)
            return f;
    }
    return NULL;
}

/* ---- Circles ---- */

typedef struct unit {
    double pascals;
    const char *name, *inverse;
} unit;

static const unit units[] = {{1.0, "Pa", "1/Pa"},
                             {1e3, "kPa", "1/kPa"},
                             {1e6, "MPa", "1/MPa"},
                             {1e9, "GPa", "1/GPa"},
                             {1e12, "TPa", "1/TPa"}};
enum { UNITS = sizeof units / sizeof units[0], CIRCLE = 180 };

/* The unit in which the modulus has digits before the decimal point. */
static unit unit_of(double modulus)
{
    int k = 0;
    while (k + 1 < UNITS && modulus >= units[k + 1].pascals)
        k++;
    return units[k];
}

/* The unit in whose inverse the diameter has digits before the decimal point. */
static unit inverse_unit_of(double modulus)
{
    int k = 0;
    while (k + 1 < UNITS && modulus > units[k].pascals)
        k++;
    return units[k];
}

/* The range covers the points, the circles and the arrows of the first. */
static tw_figure_axis axis_of(const rows *r, const fit *first, unit u, int k)
{
    const double d = first->diameter * u.pascals, middle = 0.5 * d * first->direction[k];
    const double end[2] = {1.2 * d * first->direction[k], 1.2 * d * first->flow[k]};
    double low = tw_math_min(tw_math_min(end[0], end[1]), middle - 0.5 * d) - 0.1 * d;
    double high = tw_math_max(tw_math_max(end[0], end[1]), middle + 0.5 * d) + 0.1 * d;
    for (size_t i = 0; i < r->probe_count; i++) {
        const double value = r->probes[i].at[0][k] * u.pascals;
        if (!isfinite(value)) continue;
        low = tw_math_min(low, value - 0.05 * d);
        high = tw_math_max(high, value + 0.05 * d);
    }
    for (size_t i = 0; i < r->fit_count; i++) {
        const double wide = r->fits[i].diameter * u.pascals;
        const double centre = 0.5 * wide * r->fits[i].direction[k];
        if (!isfinite(centre)) continue;
        low = tw_math_min(low, centre - 0.5 * wide - 0.05 * d);
        high = tw_math_max(high, centre + 0.5 * wide + 0.05 * d);
    }
    tw_figure_axis axis = tw_figure_axis_fixed(low, high);
    axis.factor = u.pascals;
    axis.zero = 1;
    snprintf(axis.label, sizeof axis.label, "%s",
             k ? "Deviatoric direction" : "Volumetric direction");
    snprintf(axis.unit, sizeof axis.unit, "%s", u.inverse);
    return axis;
}

/* The first line is the widest, so that lines that coincide are all visible. */
static bool add_circle(tw_figure *f, const fit *of, unit u, int number, bool small,
                       const char *title)
{
    const double r = 0.5 * of->diameter * u.pascals;
    tw_figure_shape *s = tw_figure_parts_shape(f, TW_FIGURE_CURVE, title, CIRCLE + 1);
    if (!s) return false;
    s->plain = 1;
    s->style = number + 1;
    s->dash = small ? 2 : 1;
    s->width = number == 0 ? 3.0 : number == 1 ? 1.8 : 1.0;
    for (int k = 0; k <= CIRCLE; k++) {
        const double angle = 2.0 * TW_MATH_PI * k / CIRCLE;
        s->at[k][0] = r * of->direction[0] + r * tw_math_cos(angle);
        s->at[k][1] = r * of->direction[1] + r * tw_math_sin(angle);
    }
    return true;
}

static bool add_points(tw_figure *f, const rows *r, const fit *of, unit u, int number)
{
    char title[64];
    const unit own = unit_of(of->modulus);
    const int split = strcmp(of->split, "unload") == 0 ? 0 : 1;
    snprintf(title, sizeof title, "modulus %.4g %s", of->modulus / own.pascals, own.name);
    tw_figure_shape *s = tw_figure_parts_shape(f, TW_FIGURE_POINTS, title, r->probe_count);
    if (!s || !(s->texts = calloc(r->probe_count + 1, sizeof *s->texts))) return false;
    s->plain = 1;
    s->style = number + 1;
    s->mark = number % 6 + 1;
    s->count = 0;
    for (size_t i = 0; i < r->probe_count; i++) {
        const double *at = r->probes[i].at[split];
        if (strcmp(r->probes[i].law, of->law) != 0 || !isfinite(at[0] + at[1])) continue;
        memcpy(s->texts[s->count], r->probes[i].text, sizeof *s->texts);
        s->at[s->count][0] = at[0] * u.pascals;
        s->at[s->count++][1] = at[1] * u.pascals;
    }
    return true;
}

static bool add_fit(tw_figure *f, const rows *r, const fit *of, unit u, int number,
                    const char *title)
{
    const fit *small = find(r, of->law, of->split, "unloading");
    return add_circle(f, of, u, number, false, title) &&
           (!small || add_circle(f, small, u, number, true, "")) && add_points(f, r, of, u, number);
}

/* Arrows from the origin: the normal of the yield surface, across the circle, and the direction of
 * flow. The labels are on the outer sides. */
static bool add_directions(tw_figure *f, const fit *of, unit u)
{
    const double d = 1.12 * of->diameter * u.pascals;
    const bool left = of->flow[0] * of->direction[1] - of->flow[1] * of->direction[0] > 0.0;
    for (int k = 0; k < 2; k++) {
        const double *way = k == 0 ? of->direction : of->flow;
        tw_figure_shape *arrow = tw_figure_parts_shape(f, TW_FIGURE_ARROW, "", 2);
        if (!arrow) return false;
        arrow->style = -1;
        arrow->dash = k + 1;
        arrow->width = 1.4;
        arrow->at[1][0] = d * way[0];
        arrow->at[1][1] = d * way[1];
        tw_figure_shape *note = tw_figure_parts_shape(f, TW_FIGURE_NOTE, k ? "flow" : "yield", 1);
        if (!note) return false;
        note->style = -1;
        note->side = (k == 0) == left ? -1 : 1;
        memcpy(note->at[0], f->shapes[f->shape_count - 2].at[1], sizeof note->at[0]);
    }
    return true;
}

static tw_figure *add_frame(tw_figure_set *set, const rows *r, const char *stage, const fit *first,
                            const char *kind, const char *title)
{
    const unit u = inverse_unit_of(first->modulus);
    tw_figure *f = tw_figure_parts_figure(set, kind, "probes", title);
    if (!f) return NULL;
    snprintf(f->name, sizeof f->name, "%.*s_%s", TW_FIGURE_NAME_MAX, stage, kind);
    f->x = axis_of(r, first, u, 0);
    f->y = axis_of(r, first, u, 1);
    f->equal = 1;
    f->key = TW_FIGURE_KEY_BESIDE;
    return f;
}

/* One curve per law; splits by unloading, or by the no-slip companion if there are no others. */
static bool add_laws(tw_figure_set *set, const rows *r, const char *stage, const fit *first)
{
    int number = 0;
    const unit u = inverse_unit_of(first->modulus);
    tw_figure *f = add_frame(set, r, stage, first, "circles", "Plastic strain over stress");
    if (!f || !add_directions(f, first, u)) return false;
    for (size_t i = 0; i < r->fit_count; i++) {
        const fit *of = &r->fits[i];
        if (strcmp(of->split, first->split) != 0 || strcmp(of->circle, "loading") != 0) continue;
        if (!add_fit(f, r, of, u, number++, of->law)) return false;
    }
    return true;
}

/* The two splits of the first law. */
static bool add_splits(tw_figure_set *set, const rows *r, const char *stage, const fit *unloading,
                       const fit *no_slip)
{
    const unit u = inverse_unit_of(unloading->modulus);
    tw_figure *f = add_frame(set, r, stage, unloading, "splits", "Both splits of the strain");
    return f && add_fit(f, r, unloading, u, 0, "unloading") &&
           add_fit(f, r, no_slip, u, 1, "no-slip companion");
}

/* ---- Stages ---- */

static bool add_envelope(tw_figure_set *set, const rows *r, const char *name, const char *law)
{
    size_t count = 0;
    tw_figure_envelope_probe *chosen = malloc(r->probe_count * sizeof *chosen);
    for (size_t i = 0; chosen && i < r->probe_count; i++)
        if (strcmp(r->probes[i].law, law) == 0) chosen[count++] = r->probes[i].space;
    const bool good = chosen && tw_figure_envelope_add(set, name, chosen, count);
    free(chosen);
    return good;
}

static bool is_first_of_law(const rows *r, size_t number)
{
    for (size_t i = 0; i < number; i++)
        if (strcmp(r->probes[i].law, r->probes[number].law) == 0) return false;
    return true;
}

/* Adds the envelopes of the requested law, of all laws, or of the first. */
static bool add_envelopes(tw_figure_set *set, const rows *r, const char *name,
                          const tw_figure_request *request)
{
    const size_t most = request->every ? r->probe_count : r->probe_count > 0;
    bool good = true;
    if (request->law) return r->probe_count == 0 || add_envelope(set, r, name, request->law);
    for (size_t i = 0; good && i < most; i++) {
        char full[3 * TW_FIGURE_NAME_MAX];
        if (!is_first_of_law(r, i)) continue;
        snprintf(full, sizeof full, "%s%s%s", name, i > 0 ? "_" : "",
                 i > 0 ? r->probes[i].law : "");
        good = add_envelope(set, r, full, r->probes[i].law);
    }
    return good;
}

static bool add_figures(tw_figure_set *set, const rows *r, const char *name,
                        const tw_figure_request *request)
{
    const fit *unloading = find(r, NULL, "unload", "loading");
    const fit *no_slip = find(r, unloading ? unloading->law : NULL, "no_slip", "loading");
    if (!unloading && !no_slip) return add_envelopes(set, r, name, request);
    if (!add_laws(set, r, name, unloading ? unloading : no_slip)) return false;
    return !unloading || !no_slip || add_splits(set, r, name, unloading, no_slip);
}

static tw_status add_probes(tw_figure_set *set, const char *folder, const char *stage,
                            const char *name, const tw_figure_request *request, tw_error *error)
{
    rows r = {.probes = NULL};
    tw_status status = read_table(&r, folder, stage, "fits.csv", read_fits, error);
    if (status == TW_STATUS_OK)
        status = read_table(&r, folder, stage, "probes.csv", read_probes, error);
    if (status == TW_STATUS_OK && !add_figures(set, &r, name, request))
        status = tw_error_set_memory(error);
    free(r.probes);
    free(r.fits);
    return status;
}

/* `rates`: its table of rates, which it has in place of probes; NULL: none. */
static tw_status add_stage(tw_figure_set *set, size_t run, const char *stage, const char *rates,
                           const tw_figure_request *request, tw_error *error)
{
    char name[2 * TW_FIGURE_NAME_MAX];
    const size_t before = set->figure_count;
    snprintf(name, sizeof name, "%.*s", TW_FIGURE_NAME_MAX, stage);
    if (set->run_count > 1)
        snprintf(name, sizeof name, "%.*s_%zu", TW_FIGURE_NAME_MAX, stage, run + 1);
    const tw_status status =
        rates ? tw_figure_rates_add(set, rates, name, error)
              : add_probes(set, set->runs[run].input, stage, name, request, error);
    const tw_figure_part *part = tw_figure_history_part(&set->runs[run].history, stage);
    for (size_t k = before; k < set->figure_count; k++) {
        set->figures[k].run = run;
        set->figures[k].stage = part ? part->stage : "";
    }
    return status;
}

static bool is_wanted(const char *stage, const tw_figure_request *request)
{
    bool wanted = request->stage_count == 0 && *stage != '.';
    for (size_t k = 0; k < request->stage_count; k++)
        wanted = wanted || strcmp(stage, request->stages[k]) == 0;
    return wanted;
}

tw_status tw_figure_probes_add(tw_figure_set *set, const tw_figure_request *request,
                               tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    for (size_t run = 0; run < set->run_count; run++) {
        char path[PATH_MAX + 2 * NAME_MAX];
        struct dirent **entry = NULL;
        if (!set->runs[run].folder || (set->run_count > 1 && !request->every)) continue;
        snprintf(path, sizeof path, "%s/stages", set->runs[run].input);
        const int count = scandir(path, &entry, NULL, alphasort);
        for (int k = 0; k < count; k++) {
            const char *stage = entry[k]->d_name;
            for (int rates = 0; rates < 2; rates++) {
                snprintf(path, sizeof path, "%s/stages/%s/%s.csv", set->runs[run].input, stage,
                         rates ? "rates" : "fits");
                if (status == TW_STATUS_OK && is_wanted(stage, request) && access(path, F_OK) == 0)
                    status = add_stage(set, run, stage, rates ? path : NULL, request, error);
            }
            free(entry[k]);
        }
        free(entry);
    }
    return status;
}
