/* SPDX-License-Identifier: BSD-3-Clause */
/* A CSV of spheres. The first line that is neither blank nor a comment names the columns, in any
 * order: x, y, z, radius, and if there are rigid clusters body; member is allowed and not used.
 * Rows with the same body, wherever they stand, are the spheres of one cluster; their centres are
 * taken as they are, not as their nearest images. Bodies are numbered in ascending order of `body`.
 * Comments start with #; two of them count:
 *     # cell: ax ay az bx by bz cx cy cz       the edges [m]
 *     # periodic: 1 1 1                        0 for an edge along which nothing repeats */
#include "exchange/fault.h"
#include "exchange/lines.h"
#include "exchange/specimen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <twirl/math.h>

enum { CSV_X, CSV_Y, CSV_Z, CSV_RADIUS, CSV_BODY, CSV_MEMBER, CSV_COLUMNS, CSV_REQUIRED = 4 };
static const char *const csv_names[CSV_COLUMNS] = {"x", "y", "z", "radius", "body", "member"};
static const double csv_body_max = 9007199254740992.0; /* whole numbers up to here are exact */

typedef struct csv_row {
    tw_sphere sphere; /* must come first: a row of tw_specimen_add_spheres */
    double body;
    size_t row;
} csv_row;

typedef struct csv {
    tw_lines lines;
    tw_specimen *specimen;
    bool periodic_given;
    size_t fields;              /* of the header */
    int column_of[CSV_COLUMNS]; /* by field */
    bool present[CSV_COLUMNS];
    csv_row *rows;
    size_t count, capacity;
} csv;

/* The numbers after "# key:", separated by white space or commas. */
static bool csv_comment_numbers(csv *file, char *text, const char *key, size_t count,
                                double *values)
{
    for (char *at = text; *at; at++)
        if (*at == ',') *at = ' ';
    char *fields[9];
    const size_t found = tw_lines_split_blanks(text, fields, count);
    if (found != count)
        return tw_lines_refuse(&file->lines, "# %s: %zu numbers instead of %zu", key, found, count);
    for (size_t i = 0; i < count; i++) {
        const char *fault = tw_lines_number(fields[i], &values[i]);
        if (fault)
            return tw_lines_refuse(&file->lines, "# %s: %s %s", key, tw_fault_quote(fields[i]).text,
                                   fault);
    }
    return true;
}

static bool csv_read_cell(csv *file, char *text)
{
    double e[9];
    tw_specimen *specimen = file->specimen;
    if (specimen->cell_given) return tw_lines_refuse(&file->lines, "# cell: given twice");
    if (!csv_comment_numbers(file, text, "cell", 9, e)) return false;
    const tw_vec3 a = {e[0], e[1], e[2]}, b = {e[3], e[4], e[5]}, c = {e[6], e[7], e[8]};
    const double volume = tw_vec3_dot(a, tw_vec3_cross(b, c));
    if (!isfinite(volume) || volume == 0.0)
        return tw_lines_refuse(&file->lines,
                               "# cell: the edges span a volume of %g; give ax ay az bx by bz cx "
                               "cy cz of a cell with a volume",
                               volume);
    const tw_mat3 cell = {{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
    specimen->cell = cell;
    specimen->cell_given = 1;
    return true;
}

static bool csv_read_periodic(csv *file, char *text)
{
    double flags[3];
    if (file->periodic_given) return tw_lines_refuse(&file->lines, "# periodic: given twice");
    if (!csv_comment_numbers(file, text, "periodic", 3, flags)) return false;
    for (int k = 0; k < 3; k++) {
        if (flags[k] != 0.0 && flags[k] != 1.0)
            return tw_lines_refuse(&file->lines, "# periodic: %g; 0 or 1 is expected", flags[k]);
        file->specimen->periodic[k] = (int)flags[k];
    }
    file->periodic_given = true;
    return true;
}

/* The next line that is neither blank nor a comment; comments that count are taken. */
static bool csv_next(csv *file)
{
    while (tw_lines_next_filled(&file->lines)) {
        char *text = file->lines.text + strspn(file->lines.text, " \t");
        if (*text != '#') return true;
        text += 1 + strspn(text + 1, " \t");
        if (strncmp(text, "cell:", 5) == 0 && !csv_read_cell(file, text + 5)) return false;
        if (strncmp(text, "periodic:", 9) == 0 && !csv_read_periodic(file, text + 9)) return false;
    }
    return false;
}

static bool csv_read_header(csv *file)
{
    tw_lines *lines = &file->lines;
    if (!csv_next(file))
        return lines->status == TW_STATUS_OK &&
               tw_lines_refuse(lines, "no header: a line that names the columns x,y,z,radius and, "
                                      "for clusters, body is expected");
    char *fields[CSV_COLUMNS];
    file->fields = tw_lines_split_commas(lines->text, fields, CSV_COLUMNS);
    for (size_t i = 0; i < file->fields && i < CSV_COLUMNS; i++) {
        int column = 0;
        while (column < CSV_COLUMNS && strcmp(fields[i], csv_names[column]) != 0)
            column++;
        if (column == CSV_COLUMNS)
            return tw_lines_refuse(lines,
                                   "unknown column %s; known are x, y, z, radius, body, member",
                                   tw_fault_quote(fields[i]).text);
        if (file->present[column])
            return tw_lines_refuse(lines, "column '%s' appears twice", fields[i]);
        file->present[column] = true;
        file->column_of[i] = column;
    }
    if (file->fields > CSV_COLUMNS)
        return tw_lines_refuse(lines, "%zu columns; known are x, y, z, radius, body, member",
                               file->fields);
    for (int k = 0; k < CSV_REQUIRED; k++)
        if (!file->present[k])
            return tw_lines_refuse(lines, "column '%s' is missing", csv_names[k]);
    return true;
}

static bool csv_add_row(csv *file, const double *v)
{
    if (file->count == file->capacity) {
        const size_t capacity = file->capacity ? 2 * file->capacity : 256;
        csv_row *rows = realloc(file->rows, capacity * sizeof *rows);
        if (!rows) {
            tw_fault_memory(file->lines.error);
            return false;
        }
        file->rows = rows;
        file->capacity = capacity;
    }
    csv_row *row = &file->rows[file->count];
    row->sphere.centre = tw_vec3_make(v[CSV_X], v[CSV_Y], v[CSV_Z]);
    row->sphere.radius = v[CSV_RADIUS];
    row->body = file->present[CSV_BODY] ? v[CSV_BODY] : (double)file->count;
    row->row = file->count++;
    return true;
}

static bool csv_read_row(csv *file)
{
    tw_lines *lines = &file->lines;
    char *fields[CSV_COLUMNS];
    double v[CSV_COLUMNS] = {0};
    const size_t found = tw_lines_split_commas(lines->text, fields, CSV_COLUMNS);
    if (found != file->fields)
        return tw_lines_refuse(lines, "%zu fields; the header has %zu", found, file->fields);
    for (size_t i = 0; i < found; i++) {
        const int column = file->column_of[i];
        const char *fault = tw_lines_number(fields[i], &v[column]);
        if (fault)
            return tw_lines_refuse(lines, "column '%s': %s %s", csv_names[column],
                                   tw_fault_quote(fields[i]).text, fault);
    }
    if (!(v[CSV_RADIUS] > 0.0))
        return tw_lines_refuse(lines, "column 'radius': %g; it must be above 0", v[CSV_RADIUS]);
    const double body = v[CSV_BODY];
    if (!(body >= 0.0 && body <= csv_body_max) || body != floor(body))
        return tw_lines_refuse(lines, "column 'body': %.17g; a whole number from 0 is expected",
                               body);
    return csv_add_row(file, v);
}

static int csv_compare(const void *left, const void *right)
{
    const csv_row *a = left, *b = right;
    if (a->body != b->body) return a->body < b->body ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

/* The size of a box about all spheres, for a file without a cell. */
static tw_mat3 csv_box(const csv *file)
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

static bool csv_finish(csv *file)
{
    tw_specimen *specimen = file->specimen;
    if (file->periodic_given && !specimen->cell_given)
        return tw_lines_refuse(&file->lines, "'# periodic:' without '# cell:'");
    if (file->count == 0) return tw_lines_refuse(&file->lines, "no spheres: the file ends here");
    if (!specimen->cell_given) specimen->cell = csv_box(file);
    for (int k = 0; k < 3 && specimen->cell_given && !file->periodic_given; k++)
        specimen->periodic[k] = 1;
    qsort(file->rows, file->count, sizeof *file->rows, csv_compare);
    for (size_t i = 0, next; i < file->count; i = next) {
        for (next = i + 1; next < file->count && file->rows[next].body == file->rows[i].body;)
            next++;
        if (!tw_specimen_add_spheres(specimen, &file->rows[i], next - i, sizeof *file->rows,
                                     file->lines.error))
            return false;
    }
    return true;
}

static bool csv_read(csv *file)
{
    if (!csv_read_header(file)) return false;
    while (csv_next(file))
        if (!csv_read_row(file)) return false;
    return file->lines.status == TW_STATUS_OK && csv_finish(file);
}

tw_specimen *tw_specimen_read_csv(const char *path, tw_error *error)
{
    csv file = {.rows = NULL};
    tw_fault_clear(error);
    file.specimen = tw_specimen_make(error);
    if (!file.specimen) return NULL;
    const bool opened = tw_lines_open(&file.lines, path, error);
    const bool read = opened && csv_read(&file);
    if (opened) tw_lines_close(&file.lines);
    free(file.rows);
    if (read) return file.specimen;
    tw_specimen_free(file.specimen);
    return NULL;
}
