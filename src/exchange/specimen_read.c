/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/memory.h"
#include "exchange/specimen.h"

/* Tables with a sphere per row: what CSV files and those of YADE have in common. Comments start
 * with #; some have a meaning:
 *     # cell: ax ay az bx by bz cx cy cz       the edges [m]
 *     # periodic: 1 1 1                        0 for an edge that is not periodic
 *     #format x_y_z_r                          as YADE writes it
 * Rows with the same body, wherever they are in the file, form one cluster; their centres are used
 * as given, not as nearest images. Bodies are numbered in ascending order of `body`, after the
 * spheres that are in none. */

typedef struct rows_row {
    tw_sphere sphere; /* must come first: a row of tw_specimen_add_spheres */
    double body;      /* -1: in none */
    uint32_t type;    /* that of its first sphere is the body's */
    size_t row;
} rows_row;

enum {
    ROWS_X,
    ROWS_Y,
    ROWS_Z,
    ROWS_RADIUS,
    ROWS_DIAMETER,
    ROWS_BODY,
    ROWS_TYPE,
    ROWS_IGNORED,
    ROWS_COLUMNS,
    ROWS_FIELDS = ROWS_COLUMNS + 2 /* at most, in a line: several may be ignored */
};

/* A format: the names of its columns, of which several may stand for one, and how they are read. */
typedef struct rows_format {
    struct {
        const char *name;
        int column;
    } names[12];
    const char *known; /* the names, for messages */
    size_t (*split)(char *text, char **fields, size_t max);
    double body_least;
    const char *body_expected;
    const char *type_name;
    double type_first; /* added to what the column has */
} rows_format;

typedef struct rows_file {
    tw_specimen_reader reader; /* must come first */
    bool periodic_given;
    char comment[64]; /* "#format" of the file; "": none */
    rows_row *row;
    size_t count, capacity;
    const rows_format *format;
    size_t fields;                    /* of a row */
    const char *name_of[ROWS_FIELDS]; /* by field */
    int column_of[ROWS_FIELDS];
    const char *given[ROWS_COLUMNS]; /* name of a column in this file; NULL: not there */
} rows_file;

/* The numbers after "# key:", separated by white space or commas. */
static bool rows_comment_numbers(rows_file *file, char *text, const char *key, size_t count,
                                 double *values)
{
    for (char *at = text; *at; at++)
        if (*at == ',') *at = ' ';
    char *fields[9];
    const size_t found = tw_lines_split_blanks(text, fields, count);
    if (found != count)
        return tw_lines_refuse(&file->reader.lines,
                               "# %s: wrong number of values: %zu instead of %zu", key, found,
                               count);
    return tw_lines_read_numbers(&file->reader.lines, fields, count, values);
}

static bool rows_read_cell(rows_file *file, char *text)
{
    double e[9];
    tw_specimen *specimen = file->reader.specimen;
    if (specimen->cell_given) return tw_lines_refuse(&file->reader.lines, "# cell: given twice");
    if (!rows_comment_numbers(file, text, "cell", 9, e)) return false;
    const tw_vec3 a = {e[0], e[1], e[2]}, b = {e[3], e[4], e[5]}, c = {e[6], e[7], e[8]};
    const double volume = tw_vec3_dot(a, tw_vec3_cross(b, c));
    if (!isfinite(volume) || volume == 0.0)
        return tw_lines_refuse(&file->reader.lines,
                               "# cell: ax ay az bx by bz cx cy cz span a volume of %g; it must "
                               "be finite and not zero",
                               volume);
    const tw_mat3 cell = {{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
    specimen->cell = cell;
    specimen->cell_given = 1;
    return true;
}

static bool rows_read_periodic(rows_file *file, char *text)
{
    double flags[3];
    if (file->periodic_given)
        return tw_lines_refuse(&file->reader.lines, "# periodic: given twice");
    if (!rows_comment_numbers(file, text, "periodic", 3, flags)) return false;
    for (int k = 0; k < 3; k++) {
        if (flags[k] != 0.0 && flags[k] != 1.0)
            return tw_lines_refuse(&file->reader.lines, "# periodic: expected 0 or 1, found %g",
                                   flags[k]);
        file->reader.specimen->periodic[k] = (int)flags[k];
    }
    file->periodic_given = true;
    return true;
}

/* The next line that is neither blank nor a comment; reads comments that have a meaning. */
static bool rows_next(rows_file *file)
{
    while (tw_lines_next_filled(&file->reader.lines)) {
        char *text = file->reader.lines.text + strspn(file->reader.lines.text, " \t");
        if (*text != '#') return true;
        text += 1 + strspn(text + 1, " \t");
        if (strncmp(text, "cell:", 5) == 0 && !rows_read_cell(file, text + 5)) return false;
        if (strncmp(text, "periodic:", 9) == 0 && !rows_read_periodic(file, text + 9)) return false;
        if (strncmp(text, "format ", 7) == 0 && file->comment[0] == '\0')
            snprintf(file->comment, sizeof file->comment, "%s", text + 7);
    }
    return false;
}

/* Adds a sphere; body -1: in none. */
static bool rows_add(rows_file *file, const tw_sphere *sphere, double body, uint32_t type)
{
    if (tw_buffer_reserve(&file->row, &file->capacity, file->count + 1, sizeof *file->row) !=
        TW_STATUS_OK) {
        tw_error_set_memory(file->reader.lines.error);
        return false;
    }
    file->row[file->count] = (rows_row){*sphere, body, type, file->count};
    file->count++;
    return true;
}

static int rows_compare(const void *left, const void *right)
{
    const rows_row *a = left, *b = right;
    if (a->body != b->body) return a->body < b->body ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

/* The bounding box of all spheres, for a file without a cell. */
static tw_mat3 rows_box(const rows_file *file)
{
    tw_vec3 low = file->row[0].sphere.centre, high = low;
    for (size_t i = 0; i < file->count; i++) {
        const tw_sphere s = file->row[i].sphere;
        low.x = tw_math_min(low.x, s.centre.x - s.radius);
        low.y = tw_math_min(low.y, s.centre.y - s.radius);
        low.z = tw_math_min(low.z, s.centre.z - s.radius);
        high.x = tw_math_max(high.x, s.centre.x + s.radius);
        high.y = tw_math_max(high.y, s.centre.y + s.radius);
        high.z = tw_math_max(high.z, s.centre.z + s.radius);
    }
    const tw_mat3 box = {{high.x - low.x, 0, 0, 0, high.y - low.y, 0, 0, 0, high.z - low.z}};
    return box;
}

/* Makes the bodies and the cell. */
static bool rows_finish(rows_file *file)
{
    tw_specimen *specimen = file->reader.specimen;
    if (file->periodic_given && !specimen->cell_given)
        return tw_lines_refuse(&file->reader.lines, "'# periodic:' without '# cell:'");
    if (file->count == 0) return tw_lines_refuse(&file->reader.lines, "the file has no spheres");
    if (!specimen->cell_given) specimen->cell = rows_box(file);
    for (int k = 0; k < 3 && specimen->cell_given && !file->periodic_given; k++)
        specimen->periodic[k] = 1;
    qsort(file->row, file->count, sizeof *file->row, rows_compare);
    for (size_t i = 0, next; i < file->count; i = next) {
        const rows_row *first = &file->row[i];
        for (next = i + 1;
             next < file->count && first->body >= 0.0 && file->row[next].body == first->body;)
            next++;
        tw_body_def *body = tw_specimen_add_spheres(&file->reader, first, next - i, sizeof *first);
        if (!body) return false;
        body->type = first->type;
    }
    return true;
}

/* ---- Columns ---- */

static bool rows_take_name(rows_file *file, size_t field, const char *name)
{
    tw_lines *lines = &file->reader.lines;
    const rows_format *format = file->format;
    size_t found = 0;
    while (found < sizeof format->names / sizeof *format->names && format->names[found].name &&
           strcmp(name, format->names[found].name) != 0)
        found++;
    if (found == sizeof format->names / sizeof *format->names || !format->names[found].name)
        return tw_lines_refuse(lines, "unknown column %s; %s",
                               tw_text_quote(name, strlen(name)).text, format->known);
    const int column = format->names[found].column;
    const char *before = file->given[column];
    if (before && column != ROWS_IGNORED && strcmp(before, name) != 0)
        return tw_lines_refuse(lines, "columns '%s' and '%s' mean the same", before, name);
    if (before && strcmp(before, name) == 0)
        return tw_lines_refuse(lines, "column '%s' appears twice", name);
    file->given[column] = file->name_of[field] = format->names[found].name;
    file->column_of[field] = column;
    return true;
}

/* Columns by the names in `text`, which is cut into fields. */
static bool rows_take_names(rows_file *file, char *text)
{
    tw_lines *lines = &file->reader.lines;
    char *fields[ROWS_FIELDS];
    file->fields = file->format->split(text, fields, ROWS_FIELDS);
    for (size_t i = 0; i < file->fields && i < ROWS_FIELDS; i++)
        if (!rows_take_name(file, i, fields[i])) return false;
    if (file->fields > ROWS_FIELDS)
        return tw_lines_refuse(lines, "%zu columns; %s", file->fields, file->format->known);
    for (size_t k = 0; k < ROWS_RADIUS; k++)
        if (!file->given[k])
            return tw_lines_refuse(lines, "column '%s' is missing", file->format->names[k].name);
    if (!file->given[ROWS_RADIUS] && !file->given[ROWS_DIAMETER])
        return tw_lines_refuse(lines, "column '%s' is missing",
                               file->format->names[ROWS_RADIUS].name);
    if (file->given[ROWS_RADIUS] && file->given[ROWS_DIAMETER])
        return tw_lines_refuse(lines, "columns '%s' and '%s': give one of them",
                               file->given[ROWS_RADIUS], file->given[ROWS_DIAMETER]);
    return true;
}

/* Adds the sphere of the current line. */
static bool rows_read_row(rows_file *file)
{
    tw_lines *lines = &file->reader.lines;
    const rows_format *format = file->format;
    const int size = file->given[ROWS_RADIUS] ? ROWS_RADIUS : ROWS_DIAMETER;
    char *fields[ROWS_FIELDS];
    double v[ROWS_COLUMNS] = {[ROWS_BODY] = -1.0, [ROWS_TYPE] = 1.0 - format->type_first};
    const size_t found = format->split(lines->text, fields, ROWS_FIELDS);
    if (found != file->fields)
        return tw_lines_refuse(lines, "wrong number of fields: %zu instead of %zu", found,
                               file->fields);
    for (size_t i = 0; i < found; i++)
        if (!tw_lines_read_number(lines, file->name_of[i], fields[i], &v[file->column_of[i]]))
            return false;
    if (!(v[size] > 0.0))
        return tw_lines_refuse(lines, "column '%s': must be positive, found %g", file->given[size],
                               v[size]);
    if (file->given[ROWS_BODY] && !tw_lines_is_integer(v[ROWS_BODY], format->body_least))
        return tw_lines_refuse(lines, "column '%s': expected %s, found %.17g",
                               file->given[ROWS_BODY], format->body_expected, v[ROWS_BODY]);
    const double type = v[ROWS_TYPE] + format->type_first;
    if (!tw_specimen_check_type(lines, format->type_name, type)) return false;
    const tw_sphere sphere = {tw_vec3_make(v[ROWS_X], v[ROWS_Y], v[ROWS_Z]),
                              size == ROWS_RADIUS ? v[size] : 0.5 * v[size]};
    return rows_add(file, &sphere, v[ROWS_BODY], (uint32_t)type);
}

static bool rows_read_all(rows_file *file)
{
    while (rows_next(file))
        if (!rows_read_row(file)) return false;
    return file->reader.lines.status == TW_STATUS_OK && rows_finish(file);
}

static tw_specimen *rows_read_file(const char *path, const rows_format *format,
                                   bool (*read)(tw_specimen_reader *reader), tw_error *error)
{
    rows_file file = {.format = format};
    tw_specimen *specimen = tw_specimen_reader_run(&file.reader, path, read, error);
    free(file.row);
    return specimen;
}

/* ---- CSV ---- */

/* The first line that is neither blank nor a comment names the columns, in any order: x, y, z, a
 * radius or a diameter and, for rigid clusters, body; `type` is that of the body; `member`,
 * `id` and a column without a name are ignored. */
static const rows_format csv_format = {
    .names = {{"x", ROWS_X},
              {"y", ROWS_Y},
              {"z", ROWS_Z},
              {"radius", ROWS_RADIUS},
              {"r", ROWS_RADIUS},
              {"diameter", ROWS_DIAMETER},
              {"d", ROWS_DIAMETER},
              {"body", ROWS_BODY},
              {"member", ROWS_IGNORED},
              {"id", ROWS_IGNORED},
              {"", ROWS_IGNORED}, /* the index of pandas */
              {"type", ROWS_TYPE}},
    .known = "known columns are x, y, z, radius (or r, diameter, d), body, member, type, id",
    .split = tw_lines_split_commas,
    .body_expected = "a non-negative integer",
    .type_name = "type"};

static bool csv_read(tw_specimen_reader *reader)
{
    rows_file *file = (rows_file *)reader;
    tw_lines *lines = &reader->lines;
    if (!rows_next(file))
        return lines->status == TW_STATUS_OK &&
               tw_lines_refuse(lines, "no header; expected the names of the columns, x,y,z,radius "
                                      "and, for clusters, body");
    return rows_take_names(file, lines->text) && rows_read_all(file);
}

tw_specimen *tw_specimen_read_csv(const char *path, tw_error *error)
{
    return rows_read_file(path, &csv_format, csv_read, error);
}

/* ---- YADE ---- */

/* As export.text, export.textExt and export.textClumps write it: numbers separated by white space.
 * A comment "#format x_y_z_r_matId" or a first line "x y z r" names the columns; otherwise they are
 * x y z r, and the clump if there is a fifth. The type of a body is its material + 1. */
static const rows_format xyzr_format = {
    .names = {{"x", ROWS_X},
              {"y", ROWS_Y},
              {"z", ROWS_Z},
              {"r", ROWS_RADIUS},
              {"clumpId", ROWS_BODY},
              {"matId", ROWS_TYPE},
              {"id", ROWS_IGNORED}},
    .known = "expected x y z r, and clumpId, matId or id if there are more",
    .split = tw_lines_split_blanks,
    .body_least = -1.0,
    .body_expected = "a whole number, -1 for a sphere in no clump",
    .type_name = "matId + 1",
    .type_first = 1.0};

static bool xyzr_read(tw_specimen_reader *reader)
{
    rows_file *file = (rows_file *)reader;
    tw_lines *lines = &reader->lines;
    char first[TW_LINES_LENGTH_MAX + 1], *fields[ROWS_FIELDS], columns[] = "x y z r clumpId";
    double number;
    if (!rows_next(file))
        return lines->status == TW_STATUS_OK && tw_lines_refuse(lines, "the file has no spheres");
    memcpy(first, lines->text, strlen(lines->text) + 1);
    const size_t found = tw_lines_split_blanks(first, fields, ROWS_FIELDS);
    if (found > 0 && tw_lines_number(fields[0], &number) != NULL)
        return rows_take_names(file, lines->text) && rows_read_all(file);
    for (char *at = file->comment; *at; at++)
        if (*at == '_') *at = ' ';
    if (found != 5) columns[7] = '\0';
    return rows_take_names(file, file->comment[0] ? file->comment : columns) &&
           rows_read_row(file) && rows_read_all(file);
}

tw_specimen *tw_specimen_read_xyzr(const char *path, tw_error *error)
{
    return rows_read_file(path, &xyzr_format, xyzr_read, error);
}

/* D-files: assemblies of the programs OVAL and DEMPLA. Text, numbers separated by white space:
 *
 *     kind                                  4: spheres, 7: bumpy grains
 *     count  h11 h22 h33                    [m]
 *     h12 h13 h23                           [m]
 *     satellites                            kind 7 only
 *     satellite, central, distance          kind 7 only; relative to the rad of the grain
 *     rad x1 x2 x3 [q0 q1 q2 q3]            one grain per line; the quaternion for kind 7 only
 *
 * The cell is the upper triangular matrix h, edges as columns.
 *
 * The quaternion has the scalar first and rotates from the axes of the grain to space, like
 * tw_quat. This was determined from a published assembly of 10,648 grains (74,536 spheres, void
 * ratio 0.566 at near-zero stress): with this convention 48,083 pairs of spheres overlap, by at
 * most 0.0032 of the smaller radius and 0.00023 on average; with the inverse rotation by up to 2.5
 * radii and 0.29 on average; with the scalar last by up to 2.2 radii in either sense. That assembly
 * has 6 satellites, on the axes of the body. Other numbers use the directions of
 * tw_sim_add_shape_bumpy, which no file has confirmed yet. */

enum { DFILE_SPHERES = 4, DFILE_BUMPIES = 7, DFILE_FIELDS_MAX = 8 };

/* Deviation of the norm from 1 that is taken for rounding: files print few or many digits. */
static const double dfile_quat_slack = 1e-2;

typedef struct dfile {
    tw_specimen_reader reader; /* must come first */
    int kind;
    uint32_t count; /* of grains, as stated in the file */
} dfile;

/* The next line that is not blank; it must have `count` numbers, described by `names`. */
static bool dfile_numbers(dfile *file, size_t count, const char *names, double *values)
{
    tw_lines *lines = &file->reader.lines;
    for (size_t i = 0; i < count; i++)
        values[i] = 0.0;
    if (!tw_lines_next_filled(lines)) {
        if (lines->status != TW_STATUS_OK) return false;
        return tw_lines_refuse(lines, "the file ends here; expected %s", names);
    }
    char *fields[DFILE_FIELDS_MAX];
    const size_t found = tw_lines_split_blanks(lines->text, fields, DFILE_FIELDS_MAX);
    for (size_t i = 0; i < found && i < count; i++) {
        const char *why = tw_lines_number(fields[i], &values[i]);
        if (why)
            return tw_lines_refuse(lines, "%s %s; expected %s",
                                   tw_text_quote(fields[i], strlen(fields[i])).text, why, names);
    }
    if (found == count) return true;
    return tw_lines_refuse(lines, "wrong number of values: %zu instead of %zu (%s)", found, count,
                           names);
}

static bool dfile_read_kind(dfile *file)
{
    double kind;
    if (!dfile_numbers(file, 1, "the kind of shape, 4 or 7", &kind)) return false;
    if (kind != DFILE_SPHERES && kind != DFILE_BUMPIES)
        return tw_lines_refuse(&file->reader.lines,
                               "unknown kind of shape %g; known kinds are 4 (spheres) and 7 "
                               "(bumpy grains)",
                               kind);
    file->kind = (int)kind;
    return true;
}

static bool dfile_read_cell(dfile *file)
{
    double size[4], offset[3];
    if (!dfile_numbers(file, 4, "number of grains, cell sizes h11 h22 h33", size)) return false;
    if (!(size[0] >= 1.0 && size[0] <= UINT32_MAX - 1.0) || size[0] != floor(size[0]))
        return tw_lines_refuse(&file->reader.lines,
                               "expected a number of grains from 1 to %.0f, found %.17g",
                               UINT32_MAX - 1.0, size[0]);
    if (!(size[1] > 0.0 && size[2] > 0.0 && size[3] > 0.0))
        return tw_lines_refuse(&file->reader.lines, "cell sizes must be positive, found %g %g %g",
                               size[1], size[2], size[3]);
    if (!dfile_numbers(file, 3, "cell offsets h12 h13 h23", offset)) return false;
    const tw_mat3 cell = {
        {size[1], offset[0], offset[1], 0.0, size[2], offset[2], 0.0, 0.0, size[3]}};
    file->count = (uint32_t)size[0];
    file->reader.specimen->cell = cell;
    file->reader.specimen->cell_given = 1;
    for (int k = 0; k < 3; k++)
        file->reader.specimen->periodic[k] = 1;
    return true;
}

static bool dfile_read_shape(dfile *file)
{
    double satellites, r[3];
    if (file->kind != DFILE_BUMPIES) return true;
    if (!dfile_numbers(file, 1, "number of satellites, 2, 3, 4, 6 or 8", &satellites)) return false;
    if (satellites != 2 && satellites != 3 && satellites != 4 && satellites != 6 && satellites != 8)
        return tw_lines_refuse(&file->reader.lines, "expected 2, 3, 4, 6 or 8 satellites, found %g",
                               satellites);
    if (!dfile_numbers(file, 3, "satellite radius, central radius, distance", r)) return false;
    if (!(r[0] > 0.0 && r[1] > 0.0 && r[2] > 0.0))
        return tw_lines_refuse(&file->reader.lines,
                               "satellite radius, central radius and distance must be positive, "
                               "found %g %g %g",
                               r[0], r[1], r[2]);
    tw_specimen_shape *shape = tw_specimen_add_shape(&file->reader);
    if (!shape) return false;
    shape->satellites = (int)satellites;
    shape->satellite_radius = r[0];
    shape->central_radius = r[1];
    shape->distance = r[2];
    return true;
}

static bool dfile_read_orientation(dfile *file, const double *q, tw_body_def *body)
{
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(length - 1.0) <= dfile_quat_slack))
        return tw_lines_refuse(&file->reader.lines,
                               "expected a unit quaternion, found %g %g %g %g with norm %g", q[0],
                               q[1], q[2], q[3], length);
    const tw_quat unit = {q[0] / length, q[1] / length, q[2] / length, q[3] / length};
    body->q = unit;
    body->shape = 1;
    return true;
}

static bool dfile_read_grain(dfile *file)
{
    double v[DFILE_FIELDS_MAX];
    const bool bumpy = file->kind == DFILE_BUMPIES;
    const char *names = bumpy ? "rad x1 x2 x3 q0 q1 q2 q3 of a grain" : "rad x1 x2 x3 of a grain";
    if (!dfile_numbers(file, bumpy ? 8 : 4, names, v)) return false;
    if (!(v[0] > 0.0))
        return tw_lines_refuse(&file->reader.lines, "rad must be positive, found %g", v[0]);
    tw_body_def *body = tw_specimen_add_body(&file->reader);
    if (!body) return false;
    body->size = v[0];
    body->x = tw_vec3_make(v[1], v[2], v[3]);
    return !bumpy || dfile_read_orientation(file, v + 4, body);
}

static bool dfile_read(tw_specimen_reader *reader)
{
    dfile *file = (dfile *)reader;
    if (!dfile_read_kind(file) || !dfile_read_cell(file) || !dfile_read_shape(file)) return false;
    for (uint32_t i = 0; i < file->count; i++) {
        if (dfile_read_grain(file)) continue;
        if (file->reader.lines.ended)
            tw_lines_refuse(&file->reader.lines,
                            "the file ends after %" PRIu32 " of %" PRIu32 " grains", i,
                            file->count);
        return false;
    }
    if (tw_lines_next_filled(&file->reader.lines))
        return tw_lines_refuse(
            &file->reader.lines, "unexpected %s after the last grain",
            tw_text_quote(file->reader.lines.text, strlen(file->reader.lines.text)).text);
    return file->reader.lines.status == TW_STATUS_OK;
}

tw_specimen *tw_specimen_read_dfile(const char *path, tw_error *error)
{
    dfile file = {.kind = 0};
    return tw_specimen_reader_run(&file.reader, path, dfile_read, error);
}
