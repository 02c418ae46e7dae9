/* SPDX-License-Identifier: BSD-3-Clause */
/* A CSV of spheres (specimen_rows.h). The first line that is neither blank nor a comment names the
 * columns, in any order: x, y, z, a radius or a diameter and, for rigid clusters, body; `type` is
 * that of the body, `member` is ignored. */
#include <stdlib.h>
#include <string.h>

#include "exchange/specimen_rows.h"

enum {
    CSV_X,
    CSV_Y,
    CSV_Z,
    CSV_RADIUS,
    CSV_DIAMETER,
    CSV_BODY,
    CSV_MEMBER,
    CSV_TYPE,
    CSV_COLUMNS,
    CSV_REQUIRED = 3
};

/* Names in the file; several may stand for a column. */
static const struct {
    const char *name;
    int column;
} csv_names[] = {{"x", CSV_X},           {"y", CSV_Y},       {"z", CSV_Z},
                 {"radius", CSV_RADIUS}, {"r", CSV_RADIUS},  {"diameter", CSV_DIAMETER},
                 {"d", CSV_DIAMETER},    {"body", CSV_BODY}, {"member", CSV_MEMBER},
                 {"type", CSV_TYPE}};
enum { CSV_NAMES = sizeof csv_names / sizeof csv_names[0] };

static const char csv_known[] =
    "known columns are x, y, z, radius (or r, diameter, d), body, member, type";

typedef struct csv_file {
    tw_specimen_rows rows;          /* must come first */
    size_t fields;                  /* of the header */
    int name_of[CSV_COLUMNS];       /* by field */
    const char *given[CSV_COLUMNS]; /* name of a column in this file; NULL: not there */
} csv_file;

/* The number of the name in csv_names, or CSV_NAMES. */
static int csv_find(const char *name)
{
    int found = 0;
    while (found < CSV_NAMES && strcmp(name, csv_names[found].name) != 0)
        found++;
    return found;
}

static bool csv_take_name(csv_file *file, size_t field, const char *name)
{
    tw_lines *lines = &file->rows.reader.lines;
    const int found = csv_find(name);
    if (found == CSV_NAMES)
        return tw_lines_refuse(lines, "unknown column %s; %s",
                               tw_text_quote(name, strlen(name)).text, csv_known);
    const int column = csv_names[found].column;
    const char *before = file->given[column];
    if (before && strcmp(before, name) != 0)
        return tw_lines_refuse(lines, "columns '%s' and '%s' mean the same", before, name);
    if (before) return tw_lines_refuse(lines, "column '%s' appears twice", name);
    file->given[column] = csv_names[found].name;
    file->name_of[field] = found;
    return true;
}

static bool csv_read_header(csv_file *file)
{
    tw_lines *lines = &file->rows.reader.lines;
    if (!tw_specimen_rows_next(&file->rows))
        return lines->status == TW_STATUS_OK &&
               tw_lines_refuse(lines, "no header; expected the names of the columns, x,y,z,radius "
                                      "and, for clusters, body");
    char *fields[CSV_COLUMNS];
    file->fields = tw_lines_split_commas(lines->text, fields, CSV_COLUMNS);
    for (size_t i = 0; i < file->fields && i < CSV_COLUMNS; i++)
        if (!csv_take_name(file, i, fields[i])) return false;
    if (file->fields > CSV_COLUMNS)
        return tw_lines_refuse(lines, "%zu columns; %s", file->fields, csv_known);
    for (int k = 0; k < CSV_REQUIRED; k++)
        if (!file->given[k])
            return tw_lines_refuse(lines, "column '%s' is missing", csv_names[k].name);
    if (!file->given[CSV_RADIUS] && !file->given[CSV_DIAMETER])
        return tw_lines_refuse(lines, "column 'radius' is missing");
    if (file->given[CSV_RADIUS] && file->given[CSV_DIAMETER])
        return tw_lines_refuse(lines, "columns '%s' and '%s': give one of them",
                               file->given[CSV_RADIUS], file->given[CSV_DIAMETER]);
    return true;
}

static bool csv_check_row(csv_file *file, const double *v)
{
    tw_lines *lines = &file->rows.reader.lines;
    const int size = file->given[CSV_RADIUS] ? CSV_RADIUS : CSV_DIAMETER;
    if (!(v[size] > 0.0))
        return tw_lines_refuse(lines, "column '%s': must be positive, found %g", file->given[size],
                               v[size]);
    if (!tw_lines_is_integer(v[CSV_BODY], 0.0))
        return tw_lines_refuse(lines, "column 'body': expected a non-negative integer, found %.17g",
                               v[CSV_BODY]);
    return tw_lines_check_type(lines, "type", v[CSV_TYPE]);
}

static bool csv_read_row(csv_file *file)
{
    tw_lines *lines = &file->rows.reader.lines;
    char *fields[CSV_COLUMNS];
    double v[CSV_COLUMNS] = {[CSV_TYPE] = 1.0};
    const size_t found = tw_lines_split_commas(lines->text, fields, CSV_COLUMNS);
    if (found != file->fields)
        return tw_lines_refuse(lines, "wrong number of fields: %zu instead of %zu", found,
                               file->fields);
    for (size_t i = 0; i < found; i++) {
        const char *name = csv_names[file->name_of[i]].name;
        const int column = csv_names[file->name_of[i]].column;
        if (!tw_lines_read_number(lines, name, fields[i], &v[column])) return false;
    }
    if (!csv_check_row(file, v)) return false;
    const double radius = file->given[CSV_RADIUS] ? v[CSV_RADIUS] : 0.5 * v[CSV_DIAMETER];
    const tw_sphere sphere = {tw_vec3_make(v[CSV_X], v[CSV_Y], v[CSV_Z]), radius};
    return tw_specimen_rows_add(&file->rows, &sphere, file->given[CSV_BODY] ? v[CSV_BODY] : -1.0,
                                (uint32_t)v[CSV_TYPE]);
}

static bool csv_read(tw_specimen_reader *reader)
{
    csv_file *file = (csv_file *)reader;
    if (!csv_read_header(file)) return false;
    while (tw_specimen_rows_next(&file->rows))
        if (!csv_read_row(file)) return false;
    return reader->lines.status == TW_STATUS_OK && tw_specimen_rows_finish(&file->rows);
}

tw_specimen *tw_specimen_read_csv(const char *path, tw_error *error)
{
    csv_file file = {.fields = 0};
    tw_specimen *specimen = tw_specimen_reader_run(&file.rows.reader, path, csv_read, error);
    free(file.rows.row);
    return specimen;
}
