/* SPDX-License-Identifier: BSD-3-Clause */
/* Spheres as YADE writes them (export.text, export.textExt, export.textClumps): numbers separated
 * by white space, one sphere per line (specimen_rows.h). A comment "#format x_y_z_r_matId" or a
 * first line "x y z r" names the columns; otherwise they are x y z r, and the clump if there is a
 * fifth. The type of a body is its material + 1. */
#include <stdlib.h>
#include <string.h>

#include "exchange/specimen_rows.h"

enum { XYZR_X, XYZR_Y, XYZR_Z, XYZR_R, XYZR_CLUMP, XYZR_MATERIAL, XYZR_ID, XYZR_COLUMNS };
static const char *const xyzr_names[XYZR_COLUMNS] = {"x", "y", "z", "r", "clumpId", "matId", "id"};

typedef struct xyzr_file {
    tw_specimen_rows rows; /* must come first */
    size_t fields;
    int column_of[XYZR_COLUMNS]; /* by field */
} xyzr_file;

static bool xyzr_refuse_names(xyzr_file *file, const char *found)
{
    return tw_lines_refuse(&file->rows.reader.lines,
                           "columns %s; expected x y z r, and clumpId, matId or id if there are "
                           "more",
                           tw_text_quote(found, strlen(found)).text);
}

/* Columns by their names, separated by blanks. */
static bool xyzr_take_names(xyzr_file *file, const char *names)
{
    char copy[sizeof file->rows.format], *fields[XYZR_COLUMNS];
    bool present[XYZR_COLUMNS] = {false};
    snprintf(copy, sizeof copy, "%s", names);
    file->fields = tw_lines_split_blanks(copy, fields, XYZR_COLUMNS);
    if (strlen(names) >= sizeof copy || file->fields > XYZR_COLUMNS)
        return xyzr_refuse_names(file, names);
    for (size_t i = 0; i < file->fields; i++) {
        int column = 0;
        while (column < XYZR_COLUMNS && strcmp(fields[i], xyzr_names[column]) != 0)
            column++;
        if (column == XYZR_COLUMNS || present[column]) return xyzr_refuse_names(file, names);
        present[column] = true;
        file->column_of[i] = column;
    }
    if (present[XYZR_X] && present[XYZR_Y] && present[XYZR_Z] && present[XYZR_R]) return true;
    return xyzr_refuse_names(file, names);
}

/* Finds the columns; the current line is the first that is not a comment. */
static bool xyzr_choose_columns(xyzr_file *file, bool *named)
{
    tw_lines *lines = &file->rows.reader.lines;
    char copy[TW_LINES_LENGTH_MAX + 1], *fields[XYZR_COLUMNS];
    double number;
    memcpy(copy, lines->text, strlen(lines->text) + 1);
    const size_t found = tw_lines_split_blanks(copy, fields, XYZR_COLUMNS);
    *named = found > 0 && tw_lines_number(fields[0], &number) != NULL;
    if (*named) return xyzr_take_names(file, lines->text);
    for (char *at = file->rows.format; *at; at++)
        if (*at == '_') *at = ' ';
    if (file->rows.format[0]) return xyzr_take_names(file, file->rows.format);
    return xyzr_take_names(file, found == 5 ? "x y z r clumpId" : "x y z r");
}

static bool xyzr_read_row(xyzr_file *file)
{
    tw_lines *lines = &file->rows.reader.lines;
    char *fields[XYZR_COLUMNS];
    double v[XYZR_COLUMNS] = {[XYZR_CLUMP] = -1.0};
    const size_t found = tw_lines_split_blanks(lines->text, fields, XYZR_COLUMNS);
    if (found != file->fields)
        return tw_lines_refuse(lines, "wrong number of fields: %zu instead of %zu", found,
                               file->fields);
    for (size_t i = 0; i < found; i++) {
        const int column = file->column_of[i];
        if (!tw_lines_read_number(lines, xyzr_names[column], fields[i], &v[column])) return false;
    }
    if (!(v[XYZR_R] > 0.0))
        return tw_lines_refuse(lines, "column 'r': must be positive, found %g", v[XYZR_R]);
    if (!tw_lines_is_integer(v[XYZR_CLUMP], -1.0))
        return tw_lines_refuse(lines,
                               "column 'clumpId': expected a whole number, -1 for a sphere in no "
                               "clump, found %.17g",
                               v[XYZR_CLUMP]);
    if (!tw_lines_check_type(lines, "matId + 1", v[XYZR_MATERIAL] + 1.0)) return false;
    const tw_sphere sphere = {tw_vec3_make(v[XYZR_X], v[XYZR_Y], v[XYZR_Z]), v[XYZR_R]};
    return tw_specimen_rows_add(&file->rows, &sphere, v[XYZR_CLUMP],
                                (uint32_t)v[XYZR_MATERIAL] + 1);
}

static bool xyzr_read(tw_specimen_reader *reader)
{
    xyzr_file *file = (xyzr_file *)reader;
    bool named = false;
    if (!tw_specimen_rows_next(&file->rows))
        return reader->lines.status == TW_STATUS_OK &&
               tw_lines_refuse(&reader->lines, "the file has no spheres");
    if (!xyzr_choose_columns(file, &named)) return false;
    if (!named && !xyzr_read_row(file)) return false;
    while (tw_specimen_rows_next(&file->rows))
        if (!xyzr_read_row(file)) return false;
    return reader->lines.status == TW_STATUS_OK && tw_specimen_rows_finish(&file->rows);
}

tw_specimen *tw_specimen_read_xyzr(const char *path, tw_error *error)
{
    xyzr_file file = {.fields = 0};
    tw_specimen *specimen = tw_specimen_reader_run(&file.rows.reader, path, xyzr_read, error);
    free(file.rows.row);
    return specimen;
}
