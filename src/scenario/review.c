/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks across keys: the specimen. */
#include "scenario/review.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/text_file.h"
#include "scenario/schema.h"

bool tw_review_is_valid(const tw_tree_node *node)
{
    return node && !node->invalid;
}

bool tw_review_is_bare(const tw_tree_node *value)
{
    return value && value->text && *value->text &&
           value->text[strspn(value->text, "+-.0123456789eE")] == '\0';
}

void tw_review_error(const tw_review *review, tw_tree_node *map, const char *key,
                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tw_diagnostics_add_list(review->diagnostics, false, tw_tree_locate(map, key), map, key, format,
                            arguments);
    va_end(arguments);
}

void tw_review_warn(const tw_review *review, tw_tree_node *map, const char *key, const char *format,
                    ...)
{
    va_list arguments;
    va_start(arguments, format);
    tw_diagnostics_add_list(review->diagnostics, true, tw_tree_locate(map, key), map, key, format,
                            arguments);
    va_end(arguments);
}

void tw_review_rows(const tw_review *review, tw_tree_node *map, const tw_review_row *rows,
                    size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (rows[k].wrong) tw_review_error(review, map, rows[k].key, "%s", rows[k].why);
}

/* ---- Files of rows: the spheres of a cluster, a grading curve ---- */

enum { X, Y, Z, RADIUS, SPHERE, DIAMETER = 0, FINER, POINT, ROWS_MAX = 100000 };

typedef struct row_file {
    tw_lines lines;
    const char *of; /* what the rows are */
    size_t columns, count, capacity;
    double *value;
    int column_of[SPHERE]; /* by field */
    char unit[POINT][20];  /* named by the first line; "": none */
} row_file;

/* NULL: refused. */
static double *add_row(row_file *file)
{
    if (file->count == ROWS_MAX) {
        tw_lines_refuse(&file->lines, "exceeds the limit of %d %s", (int)ROWS_MAX, file->of);
        return NULL;
    }
    file->lines.status = tw_buffer_reserve(&file->value, &file->capacity,
                                           file->columns * (file->count + 1), sizeof *file->value);
    if (file->lines.status == TW_STATUS_OK) return &file->value[file->columns * file->count++];
    tw_error_set_memory(file->lines.error);
    return NULL;
}

static void read_file(const tw_review *review, tw_tree_node *node, row_file *file, const char *path,
                      bool (*take)(row_file *file), tw_scenario_rows *out)
{
    const char *slash = strrchr(path, '/');
    tw_error error;
    bool good = tw_lines_open(&file->lines, path, &error);
    if (good) {
        file->lines.path = slash ? slash + 1 : path; /* in messages */
        while (good && tw_lines_next_filled(&file->lines))
            good = take(file);
        good = good && file->lines.status == TW_STATUS_OK;
        if (good && file->count == 0)
            good = tw_lines_refuse(&file->lines, "the file has no %s", file->of);
        tw_lines_close(&file->lines);
    }
    if (good) {
        *out = (tw_scenario_rows){file->value, file->count};
        return;
    }
    free(file->value);
    node->invalid = true; /* no more about it */
    if (error.status == TW_STATUS_MEMORY)
        tw_diagnostics_out_of_memory(review->diagnostics);
    else
        tw_review_error(review, node, "file", "%s", error.text);
}

static bool take_names(row_file *file, char **fields)
{
    static const char *const names[SPHERE] = {"x", "y", "z", "r"};
    bool present[SPHERE] = {false};
    for (int i = 0; i < SPHERE; i++) {
        const char *name = strcmp(fields[i], "radius") == 0 ? "r" : fields[i];
        int k = 0;
        while (k < SPHERE && (present[k] || strcmp(name, names[k]) != 0))
            k++;
        if (k == SPHERE)
            return tw_lines_refuse(&file->lines,
                                   "column %s; expected the names x y z r, or four numbers",
                                   tw_text_quote(fields[i], strlen(fields[i])).text);
        present[k] = true;
        file->column_of[i] = k;
    }
    return true;
}

/* Fields are separated by blanks, commas or semicolons. */
static bool take_sphere(row_file *file)
{
    tw_lines *lines = &file->lines;
    char *fields[SPHERE];
    double number;
    lines->text[strcspn(lines->text, "#")] = '\0';
    for (char *at = lines->text; (at = strpbrk(at, ",;")) != NULL;)
        *at = ' ';
    const size_t found = tw_lines_split_blanks(lines->text, fields, SPHERE);
    if (found == 0) return true;
    if (found != SPHERE)
        return tw_lines_refuse(lines, "%zu values; expected x y z r of a sphere", found);
    if (file->count == 0 && tw_text_number(fields[0], &number) != NULL)
        return take_names(file, fields);
    double *row = add_row(file);
    for (int i = 0; row && i < SPHERE; i++)
        if (!tw_lines_read_number(lines, NULL, fields[i], &row[file->column_of[i]])) return false;
    return row != NULL;
}

void tw_scenario_read_shapes(const tw_review *review, tw_scenario_specimen *specimen)
{
    const tw_tree_node *list = tw_tree_find(tw_tree_find(review->root, "specimen"), "shapes");
    for (size_t i = 0; i < specimen->shape_count; i++) {
        tw_scenario_shape *shape = &specimen->shapes[i];
        tw_tree_node *node = tw_tree_item(list, i + 1);
        row_file file = {.of = "spheres", .columns = SPHERE, .column_of = {X, Y, Z, RADIUS}};
        if (shape->file && tw_review_is_valid(node))
            read_file(review, node, &file, shape->file, take_sphere, &shape->spheres);
    }
}

/* Decimal commas are left in numbers where something else separates them: they are refused. */
static size_t split_curve(char *text, char **fields)
{
    text[strcspn(text, "#")] = '\0';
    const char *mark = strpbrk(text, ";\t");
    for (char *at = text; mark && *at; at++)
        *at = (char)(*at == ',' ? '\'' : *at == ';' || *at == '\t' ? ',' : *at);
    return tw_lines_split_commas(text, fields, POINT);
}

/* "sieve [mm]", "passing (%)". */
static bool take_units(row_file *file, char **fields)
{
    if (strstr(fields[FINER], "etained"))
        return tw_lines_refuse(&file->lines,
                               "%s is what stays on each sieve; give what passes it: 100 %% minus "
                               "what this sieve and the coarser ones retain",
                               tw_text_quote(fields[FINER], strlen(fields[FINER])).text);
    for (int k = 0; k < POINT; k++) {
        const char *open = strpbrk(fields[k], "[(");
        if (!open) continue;
        const size_t length = strcspn(open + 1, "])");
        if (length < sizeof file->unit[k]) {
            memcpy(file->unit[k], open + 1, length);
            file->unit[k][length] = '\0';
        }
    }
    return true;
}

static bool take_value(row_file *file, int column, const char *field, double *value)
{
    static const char *const names[] = {"diameter", "mass passing"};
    char text[100], why[200], whole[21];
    snprintf(whole, sizeof whole, "%.*s", (int)strcspn(field, "'"), field);
    const bool bare = field[strspn(field, "+-.0123456789eE")] == '\0';
    const char *unit = bare ? file->unit[column] : "";
    const tw_text_quotation quoted = tw_text_quote(field, strlen(field));
    double number = 0.0;
    snprintf(text, sizeof text, "%.60s%s%s", field, *unit ? " " : "", unit);
    if (strchr(field, '\''))
        return tw_lines_refuse(&file->lines,
                               "%s '%.20s,%.20s' has a decimal comma; use a decimal point",
                               names[column], whole, strchr(field, '\'') + 1);
    if (bare && !*unit && column == DIAMETER)
        return tw_lines_refuse(&file->lines,
                               "diameter %s has no unit; write '%.40s mm', or in the first line "
                               "'sieve [mm], passing [%%]'",
                               quoted.text, field);
    if (!tw_unit_read(column == DIAMETER ? TW_UNIT_LENGTH : TW_UNIT_NONE, text, &number, why,
                      sizeof why))
        return tw_lines_refuse(&file->lines, "%s %s%s%s %s", names[column], quoted.text,
                               *unit ? " in " : "", unit, why);
    if (column == FINER && bare && !*unit && number > 1.0)
        return tw_lines_refuse(&file->lines,
                               "mass passing %s is above 1; write '%.40s %%', or in the first "
                               "line 'sieve [mm], passing [%%]'",
                               quoted.text, field);
    *value = number;
    return true;
}

static bool take_point(row_file *file)
{
    char *fields[POINT];
    const size_t found = split_curve(file->lines.text, fields);
    if (found == 0 || (found == 1 && !*fields[0])) return true;
    if (found != POINT)
        return tw_lines_refuse(&file->lines,
                               "%zu value%s; expected a diameter and the mass passing, as in "
                               "'0.5 mm, 30 %%'",
                               found, found == 1 ? "" : "s");
    if (file->count == 0 && !strpbrk(fields[0], "0123456789")) return take_units(file, fields);
    double *row = add_row(file);
    return row && take_value(file, DIAMETER, fields[DIAMETER], &row[DIAMETER]) &&
           take_value(file, FINER, fields[FINER], &row[FINER]);
}

void tw_scenario_read_curve(const tw_review *review, tw_scenario_sizes *sizes)
{
    tw_tree_node *node = tw_tree_find(tw_tree_find(review->root, "specimen"), "sizes");
    row_file file = {.of = "points", .columns = POINT};
    if (sizes->file && tw_review_is_valid(node) && sizes->curve.count == 0 &&
        tw_review_is_valid(tw_tree_find(node, "file")))
        read_file(review, node, &file, sizes->file, take_point, &sizes->curve);
}

/* ---- Shapes ---- */

typedef struct shape_review {
    const tw_review *review;
    const tw_scenario_shape *shape;
    tw_tree_node *node;
} shape_review;

/* Spheres given with few digits may be apart by a rounding error. */
static bool touch(const double *a, const double *b)
{
    const double dx = a[X] - b[X], dy = a[Y] - b[Y], dz = a[Z] - b[Z];
    return sqrt(dx * dx + dy * dy + dz * dz) <= (1.0 + 1e-6) * (a[RADIUS] + b[RADIUS]);
}

/* The key that gives the spheres. */
static const char *key_of(const tw_scenario_shape *shape)
{
    return shape->file ? "file" : "spheres";
}

/* Every sphere must be connected to the first one; `order` has those that are first. */
static void review_connection(const shape_review *s)
{
    const tw_scenario_rows *spheres = &s->shape->spheres;
    size_t *order = malloc(spheres->count * sizeof *order), connected = 1;
    if (!order) {
        tw_diagnostics_out_of_memory(s->review->diagnostics);
        return;
    }
    for (size_t i = 0; i < spheres->count; i++)
        order[i] = i;
    for (size_t next = 0; next < connected; next++)
        for (size_t i = connected; i < spheres->count; i++) {
            const size_t other = order[i];
            if (!touch(spheres->value + SPHERE * order[next], spheres->value + SPHERE * other))
                continue;
            order[i] = order[connected];
            order[connected++] = other;
        }
    size_t apart = SIZE_MAX;
    for (size_t i = connected; i < spheres->count; i++)
        apart = order[i] < apart ? order[i] : apart;
    if (connected < spheres->count)
        tw_review_error(s->review, s->node, key_of(s->shape),
                        "the spheres of a grain must touch or overlap, but there is a gap between "
                        "sphere 1 and sphere %zu",
                        apart + 1);
    free(order);
}

static void review_radii(const shape_review *s)
{
    const tw_scenario_rows *spheres = &s->shape->spheres;
    for (size_t i = 0; i < spheres->count; i++) {
        const double radius = spheres->value[SPHERE * i + RADIUS];
        if (!(radius > 0.0))
            tw_review_error(s->review, s->node, key_of(s->shape),
                            "sphere %zu has radius %g; expected a number above 0", i + 1, radius);
    }
}

/* The checks of pairs take seconds for more spheres. */
enum { SPHERES_MAX = 10000 };

static void review_cluster(const shape_review *s)
{
    const size_t count = s->shape->spheres.count;
    if (count == 0) return; /* out of memory */
    if (count > SPHERES_MAX)
        tw_review_error(s->review, s->node, key_of(s->shape),
                        "%zu spheres exceed the limit of %d in a grain", count, (int)SPHERES_MAX);
    else
        review_radii(s);
    if (!s->node->invalid) review_connection(s);
}

static void review_bumpy(const shape_review *s)
{
    const tw_scenario_shape *shape = s->shape;
    const uint64_t n = shape->satellites;
    const double centre = shape->central_radius, satellite = shape->satellite_radius;
    if (n == 5 || n == 7)
        tw_review_error(s->review, s->node, "satellites",
                        "%d is not supported; expected 2, 3, 4, 6 or 8", (int)n);
    if (shape->distance > centre + satellite)
        tw_review_error(s->review, s->node, "distance",
                        "the satellites do not touch the central sphere: %g is above "
                        "central_radius + satellite_radius, %g",
                        shape->distance, centre + satellite);
}

/* Checks the shapes of a generated specimen. `specimen` is its section. */
static void review_shapes(const tw_review *r, const tw_tree_node *specimen)
{
    const tw_tree_node *list = tw_tree_find(specimen, "shapes");
    size_t i = 0;
    if (!list || list->kind != TW_TREE_LIST || list->count != r->scenario->specimen.shape_count)
        return; /* already reported */
    for (tw_tree_node *node = list->first; node; node = node->next, i++) {
        const shape_review s = {r, &r->scenario->specimen.shapes[i], node};
        if (node->invalid) continue;
        if (s.shape->shape == TW_SCENARIO_BUMPY) review_bumpy(&s);
        if (s.shape->shape == TW_SCENARIO_CLUSTER) review_cluster(&s);
    }
}

/* ---- Specimen ---- */

/* ---- Sizes ---- */

static void review_curve(const tw_review *r, const tw_scenario_rows *curve, tw_tree_node *sizes)
{
    const double *v = curve->value;
    const size_t n = curve->count;
    const char *key = tw_tree_find(sizes, "file") ? "file" : "curve";
    if (n == 0) return; /* already reported */
    if (n < 2) {
        tw_review_error(r, sizes, key, "has one point; expected at least two");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (!(v[2 * i] > (i ? v[2 * i - 2] : 0.0)))
            tw_review_error(r, sizes, key,
                            "point %zu: diameter %g m is not above %g m; diameters must increase",
                            i + 1, v[2 * i], i ? v[2 * i - 2] : 0.0);
        if (i > 0 && !(v[2 * i + 1] >= v[2 * i - 1]))
            tw_review_error(r, sizes, key,
                            "point %zu: fraction %g is below %g; fractions must not decrease",
                            i + 1, v[2 * i + 1], v[2 * i - 1]);
    }
    if (v[1] != 0.0 || v[2 * n - 1] != 1.0)
        tw_review_error(r, sizes, key, "fractions run from %g to %g; expected 0 to 1 (100 %%)%s",
                        v[1], v[2 * n - 1],
                        v[1] != 0.0 ? ": add the diameter than which no grain is finer, with 0 %"
                                    : "");
}

static void review_sizes(const tw_review *r, const tw_tree_node *specimen)
{
    const tw_scenario_sizes *s = &r->scenario->specimen.sizes;
    tw_tree_node *node = tw_tree_find(specimen, "sizes");
    if (!tw_review_is_valid(node)) return;
    if (s->distribution == TW_SCENARIO_GRADING) review_curve(r, &s->curve, node);
    if (s->d_min >= s->d_max)
        tw_review_error(r, node, "d_max", "%g m is not above d_min (%g m)", s->d_max, s->d_min);
    if (s->d50 <= s->d_min)
        tw_review_error(r, node, "d_min", "%g m is not below d50 (%g m)", s->d_min, s->d50);
    if (s->d50 >= s->d_max)
        tw_review_error(r, node, "d_max", "%g m is not above d50 (%g m)", s->d_max, s->d50);
}

/* ---- Lattices ---- */

static void review_lattice_count(const tw_review *r, tw_tree_node *specimen)
{
    const tw_scenario_specimen *s = &r->scenario->specimen;
    const double each = s->arrangement == TW_SCENARIO_FCC ? 4.0 : 1.0;
    const double n = round(tw_math_cbrt((double)s->count / each));
    const double near = each * n * n * n;
    if (near == (double)s->count) return;
    const double lower = n > 1.0 && near > (double)s->count ? n - 1.0 : tw_math_max(n, 1.0);
    const double upper = lower + 1.0;
    tw_review_error(r, specimen, "count", "%.0f grains do not fill a lattice; use %.0f or %.0f",
                    (double)s->count, each * lower * lower * lower, each * upper * upper * upper);
}

static void review_lattice(const tw_review *r, tw_tree_node *specimen)
{
    static const char *const unused[] = {"porosity", "void_ratio", "start_porosity", "tolerance"};
    const tw_scenario_specimen *s = &r->scenario->specimen;
    tw_tree_node *prepare = tw_tree_find(specimen, "preparation");
    bool cubic = true, round = true;
    for (size_t i = 0; i < s->shape_count; i++)
        round = round && s->shapes[i].shape == TW_SCENARIO_SPHERE;
    for (int i = 0; i < 3; i++)
        cubic = cubic && s->cell.aspect[i] == s->cell.aspect[0] && s->cell.tilt[i] == 0.0;
    const tw_review_row rows[] = {{!round, "shapes", "a lattice needs spheres"},
                                  {s->sizes.distribution != TW_SCENARIO_MONO, "sizes",
                                   "a lattice needs equal spheres; expected 'distribution: mono'"},
                                  {!cubic, "cell", "a lattice needs a cubic cell"}};
    TW_REVIEW_ROWS(r, specimen, rows);
    review_lattice_count(r, specimen);
    if (!prepare) return;
    for (size_t k = 0; k < sizeof unused / sizeof *unused; k++)
        if (tw_tree_find(prepare, unused[k]))
            tw_review_error(r, prepare, unused[k],
                            "has no effect on a lattice, whose porosity is fixed");
    const tw_review_row prepared[] = {
        {s->preparation.friction == TW_SCENARIO_AUTO, "friction",
         "'auto' has no effect on a lattice, whose porosity is fixed"},
        {isnan(s->preparation.pressure) && !prepare->invalid, "pressure",
         "is missing; without it the lattice is not compressed; expected a stress above 0 [Pa]"}};
    TW_REVIEW_ROWS(r, prepare, prepared);
}

/* ---- Preparation ---- */

static void review_friction(const tw_review *r, tw_tree_node *node)
{
    const tw_scenario_preparation *p = &r->scenario->specimen.preparation;
    const bool target = !isnan(p->porosity) || !isnan(p->void_ratio),
               pressure = !isnan(p->pressure);
    const bool found =
        p->friction == TW_SCENARIO_AUTO || (isnan(p->friction) && target && pressure);
    if (isfinite(p->friction) && target && pressure)
        tw_review_error(r, node, "friction",
                        "pressure and %s cannot both be reached with friction %g; use 'auto'",
                        isnan(p->porosity) ? "void_ratio" : "porosity", p->friction);
    const tw_review_row rows[] = {
        {p->friction == TW_SCENARIO_AUTO && !(target && pressure), "friction",
         "'auto' needs both a pressure and a porosity or void_ratio"},
        {!found && tw_tree_find(node, "tolerance"), "tolerance",
         "has no effect unless friction is 'auto'"},
        {!pressure && isnan(p->rate), "rate",
         "is missing; without a pressure there is no inertial number; expected a rate above 0 "
         "[1/s]"}};
    TW_REVIEW_ROWS(r, node, rows);
}

/* From the densest packing of equal spheres, 1 - pi/sqrt(18), to the loosest that carries a load.
 * Without a pressure grains need not touch. */
static void review_density(const tw_review *r, tw_tree_node *node, double porosity)
{
    const double densest = 0.26, loosest = 0.5;
    const tw_scenario_preparation *p = &r->scenario->specimen.preparation;
    const bool loose = porosity > loosest && !isnan(p->pressure);
    if (!(porosity < densest || loose)) return;
    const bool given = !isnan(p->porosity);
    tw_review_warn(r, node, given ? "porosity" : "void_ratio",
                   "a %s of %g is beyond the %.2g to about %g that packings of spheres can have",
                   given ? "porosity" : "void ratio", given ? porosity : p->void_ratio,
                   given ? densest : densest / (1.0 - densest),
                   given ? loosest : loosest / (1.0 - loosest));
}

static void review_preparation(const tw_review *r, tw_tree_node *specimen)
{
    const tw_scenario_preparation *p = &r->scenario->specimen.preparation;
    tw_tree_node *node = tw_tree_find(specimen, "preparation");
    const double porosity =
        isnan(p->porosity) ? p->void_ratio / (1.0 + p->void_ratio) : p->porosity;
    if (node && node->invalid) return;
    if (isnan(p->pressure) && isnan(porosity)) {
        tw_review_error(r, specimen, "preparation",
                        "has no target; give 'pressure', 'porosity' or 'void_ratio', or "
                        "'pressure' with one of the other two");
        return;
    }
    if (!node) return; /* all defaults */
    review_friction(r, node);
    if (porosity >= p->start_porosity)
        tw_review_error(r, node, "start_porosity", "%g is not above the target porosity (%g)",
                        p->start_porosity, porosity);
    else
        review_density(r, node, porosity);
}

void tw_review_specimen(const tw_review *r)
{
    tw_tree_node *node = tw_tree_find(r->root, "specimen");
    const tw_scenario_specimen *s = &r->scenario->specimen;
    if (!node || node->kind != TW_TREE_MAP || s->file || s->checkpoint) return;
    if (tw_tree_find(node, "file") || tw_tree_find(node, "checkpoint") ||
        tw_tree_find(node, "grains"))
        return;
    review_shapes(r, node);
    review_sizes(r, node);
    if (!tw_scenario_is_lattice(s))
        review_preparation(r, node);
    else if (!node->invalid)
        review_lattice(r, node);
}
