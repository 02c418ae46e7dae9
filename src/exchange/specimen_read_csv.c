/* SPDX-License-Identifier: BSD-3-Clause */
/* A CSV of spheres. The first line that is neither blank nor a comment names the columns, in any
 * order: x, y, z, radius and, for rigid clusters, body; a column member is ignored. Rows with the
 * same body, wherever they are in the file, form one cluster; their centres are used as given, not
 * as nearest images. Bodies are numbered in ascending order of `body`. Comments start with #; two
 * of them have a meaning:
 *     # cell: ax ay az bx by bz cx cy cz       the edges [m]
 *     # periodic: 1 1 1                        0 for an edge that is not periodic */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/buffer.h"
#include "exchange/specimen_reader.h"

enum { CSV_X, CSV_Y, CSV_Z, CSV_RADIUS, CSV_BODY, CSV_MEMBER, CSV_COLUMNS, CSV_REQUIRED = 4 };
static const char *const csv_names[CSV_COLUMNS] = {"x", "y", "z", "radius", "body", "member"};

typedef struct csv_row {
    tw_sphere sphere; /* must come first: a row of tw_specimen_add_spheres */
    double body;
    size_t row;
} csv_row;

typedef struct csv_file {
    tw_specimen_reader reader; /* must come first */
    bool periodic_given;
    size_t fields;              /* of the header */
    int column_of[CSV_COLUMNS]; /* by field */
    bool present[CSV_COLUMNS];
    csv_row *rows;
    size_t count, capacity;
} csv_file;

/* The numbers after "# key:", separated by white space or commas. */
static bool csv_comment_numbers(csv_file *file, char *text, const char *key, size_t count,
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

static bool csv_read_cell(csv_file *file, char *text)
{
    double e[9];
    tw_specimen *specimen = file->reader.specimen;
    if (specimen->cell_given) return tw_lines_refuse(&file->reader.lines, "# cell: given twice");
    if (!csv_comment_numbers(file, text, "cell", 9, e)) return false;
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

static bool csv_read_periodic(csv_file *file, char *text)
{
    double flags[3];
    if (file->periodic_given)
        return tw_lines_refuse(&file->reader.lines, "# periodic: given twice");
    if (!csv_comment_numbers(file, text, "periodic", 3, flags)) return false;
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
static bool csv_next(csv_file *file)
{
    while (tw_lines_next_filled(&file->reader.lines)) {
        char *text = file->reader.lines.text + strspn(file->reader.lines.text, " \t");
        if (*text != '#') return true;
        text += 1 + strspn(text + 1, " \t");
        if (strncmp(text, "cell:", 5) == 0 && !csv_read_cell(file, text + 5)) return false;
        if (strncmp(text, "periodic:", 9) == 0 && !csv_read_periodic(file, text + 9)) return false;
    }
    return false;
}

static bool csv_read_header(csv_file *file)
{
    tw_lines *lines = &file->reader.lines;
    if (!csv_next(file))
        return lines->status == TW_STATUS_OK &&
               tw_lines_refuse(lines, "no header; expected the names of the columns, x,y,z,radius "
                                      "and, for clusters, body");
    char *fields[CSV_COLUMNS];
    file->fields = tw_lines_split_commas(lines->text, fields, CSV_COLUMNS);
    for (size_t i = 0; i < file->fields && i < CSV_COLUMNS; i++) {
        int column = 0;
        while (column < CSV_COLUMNS && strcmp(fields[i], csv_names[column]) != 0)
            column++;
        if (column == CSV_COLUMNS)
            return tw_lines_refuse(lines,
                                   "unknown column %s; known columns are x, y, z, radius, body, "
                                   "member",
                                   tw_text_quote(fields[i], strlen(fields[i])).text);
        if (file->present[column])
            return tw_lines_refuse(lines, "column '%s' appears twice", fields[i]);
        file->present[column] = true;
        file->column_of[i] = column;
    }
    if (file->fields > CSV_COLUMNS)
        return tw_lines_refuse(
            lines, "%zu columns; known columns are x, y, z, radius, body, member", file->fields);
    for (int k = 0; k < CSV_REQUIRED; k++)
        if (!file->present[k])
            return tw_lines_refuse(lines, "column '%s' is missing", csv_names[k]);
    return true;
}

static bool csv_add_row(csv_file *file, const double *v)
{
    if (tw_buffer_reserve(&file->rows, &file->capacity, file->count + 1, sizeof *file->rows) !=
        TW_STATUS_OK) {
        tw_error_set_memory(file->reader.lines.error);
        return false;
    }
    csv_row *row = &file->rows[file->count];
    row->sphere.centre = tw_vec3_make(v[CSV_X], v[CSV_Y], v[CSV_Z]);
    row->sphere.radius = v[CSV_RADIUS];
    row->body = file->present[CSV_BODY] ? v[CSV_BODY] : (double)file->count;
    row->row = file->count++;
    return true;
}

static bool csv_read_row(csv_file *file)
{
    tw_lines *lines = &file->reader.lines;
    char *fields[CSV_COLUMNS];
    double v[CSV_COLUMNS] = {0};
    const size_t found = tw_lines_split_commas(lines->text, fields, CSV_COLUMNS);
    if (found != file->fields)
        return tw_lines_refuse(lines, "wrong number of fields: %zu instead of %zu", found,
                               file->fields);
    for (size_t i = 0; i < found; i++) {
        const int column = file->column_of[i];
        if (!tw_lines_read_number(lines, csv_names[column], fields[i], &v[column])) return false;
    }
    if (!(v[CSV_RADIUS] > 0.0))
        return tw_lines_refuse(lines, "column 'radius': must be positive, found %g", v[CSV_RADIUS]);
    if (!tw_lines_is_integer(v[CSV_BODY], 0.0))
        return tw_lines_refuse(lines, "column 'body': expected a non-negative integer, found %.17g",
                               v[CSV_BODY]);
    return csv_add_row(file, v);
}

static int csv_compare(const void *left, const void *right)
{
    const csv_row *a = left, *b = right;
    if (a->body != b->body) return a->body < b->body ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

/* The bounding box of all spheres, for a file without a cell. */
static tw_mat3 csv_box(const csv_file *file)
{
    tw_vec3 low = file->rows[0].sphere.centre, high = low;
    for (size_t i = 0; i < file->count; i++) {
        const tw_sphere s = file->rows[i].sphere;
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

static bool csv_finish(csv_file *file)
{
    tw_specimen *specimen = file->reader.specimen;
    if (file->periodic_given && !specimen->cell_given)
        return tw_lines_refuse(&file->reader.lines, "'# periodic:' without '# cell:'");
    if (file->count == 0) return tw_lines_refuse(&file->reader.lines, "the file has no spheres");
    if (!specimen->cell_given) specimen->cell = csv_box(file);
    for (int k = 0; k < 3 && specimen->cell_given && !file->periodic_given; k++)
        specimen->periodic[k] = 1;
    qsort(file->rows, file->count, sizeof *file->rows, csv_compare);
    for (size_t i = 0, next; i < file->count; i = next) {
        for (next = i + 1; next < file->count && file->rows[next].body == file->rows[i].body;)
            next++;
        if (!tw_specimen_add_spheres(specimen, &file->rows[i], next - i, sizeof *file->rows,
                                     file->reader.lines.error))
            return false;
    }
    return true;
}

static bool csv_read(tw_specimen_reader *reader)
{
    csv_file *file = (csv_file *)reader;
    if (!csv_read_header(file)) return false;
    while (csv_next(file))
        if (!csv_read_row(file)) return false;
    return file->reader.lines.status == TW_STATUS_OK && csv_finish(file);
}

tw_specimen *tw_specimen_read_csv(const char *path, tw_error *error)
{
    csv_file file = {.rows = NULL};
    tw_specimen *specimen = tw_specimen_reader_run(&file.reader, path, csv_read, error);
    free(file.rows);
    return specimen;
}
